// A compiler from functions to items: loops, branches, calls and accesses, with indices as programs
// over slots. Where a value depends on data, the item says so, and a judge takes both arms or the
// whole buffer.

#include "analysis/access_program.h"

#include <algorithm>

#include "ir/builtins.h"
#include "ir/thread_binding.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Wider vectors with a separate index per lane are assumed to reach the whole buffer.
constexpr int kMostLanes = 256;

/// Adds the roots of a pointer to those of an item.
void AddRoots(const Pointer& pointer, Item& item) {
  for (const PointsTo& to : pointer) item.roots.push_back(to.root);
}
void AddRoots(const Items& items, Item& item) {
  for (const Item& child : items) {
    item.roots.insert(item.roots.end(), child.roots.begin(), child.roots.end());
    item.calls |= child.calls;
    item.escapes |= child.escapes;
    item.leaves |= child.leaves;
  }
}

/// Fills the roots and flags of an item, given those of the items inside.
struct RootCollector {
  Item& item;

  void operator()(const AccessItem& access) { AddRoots(access.pointer, item); }
  void operator()(const LoopItem& loop) { AddRoots(loop.items, item); }
  void operator()(const BranchItem& branch) {
    AddRoots(branch.then_items, item);
    AddRoots(branch.else_items, item);
  }
  void operator()(const UnorderedItem& unordered) { AddRoots(unordered.items, item); }
  void operator()(const OpenItem& scope) { item.roots.push_back(scope.root); }
  void operator()(const CloseItem& scope) { item.roots.push_back(scope.root); }
  void operator()(const CallItem& call) {
    item.calls = true;
    for (const Pointer& pointer : call.arguments) AddRoots(pointer, item);
  }
  void operator()(const ExternItem& call) {
    for (const ExternItem::Argument& argument : call.arguments) AddRoots(argument.pointer, item);
  }
  void operator()(const EscapeItem& escape) {
    item.escapes = true;
    AddRoots(escape.pointer, item);
  }
  void operator()(const LeaveItem&) { item.leaves = true; }
};

/// Reduces a function to items.
class Compiler {
 public:
  Compiler(const IRModule* module, const Function* function, AccessProgram& program)
      : module_(module), function_(function), program_(program) {
    items_ = &program.items;
  }

  void Track(const Var* var, PointerRoot root) {
    pointers_[var] = {{root, index_.Number(0), true}};
  }

  void Run(const PrimFunc& func) {
    for (size_t i = 0; i < func.params.size(); ++i) {
      const Buffer* buffer = func.buffers[i];
      if (buffer == nullptr) continue;
      if (const auto found = pointers_.find(buffer->data); found != pointers_.end())
        pointers_.insert_or_assign(func.params[i], Pointer(found->second));
    }
    Statement(func.body);
    program_.slots = index_.TakeSlots();
  }

 private:
  void Refuse(std::string_view why) {
    if (program_.refusal.empty()) program_.refusal = why;
  }

  void Add(Item item) {
    std::visit(RootCollector{item}, item.what);
    std::sort(item.roots.begin(), item.roots.end());
    item.roots.erase(std::unique(item.roots.begin(), item.roots.end()), item.roots.end());
    if (item.roots.empty() && !item.calls && !item.leaves) return;
    items_->push_back(std::move(item));
  }

  /// Runs `f` while items go to `items`.
  template <class F>
  void Into(Items& items, F&& f) {
    Items* const outer = std::exchange(items_, &items);
    f();
    items_ = outer;
  }

  /// The places that a pointer variable may point to; empty if it is not tracked.
  Pointer PointerOfVar(const Var* var) const {
    const auto found = pointers_.find(var);
    return found == pointers_.end() ? Pointer() : found->second;
  }

  /// The places that a pointer expression may point to. Other expressions that contain tracked
  /// pointers let them escape; the places of their results are not known.
  Pointer PointerOf(const Expr* expr) {
    if (const auto* var = dyn_cast<Var>(expr)) return PointerOfVar(var);
    if (const auto* cast_expr = dyn_cast<Cast>(expr); cast_expr != nullptr && IsPointer(expr))
      return PointerOf(cast_expr->value);
    if (const auto* select = dyn_cast<Select>(expr)) {
      Loads(select->condition);
      return Either(select->true_value, select->false_value);
    }
    if (const auto* let = dyn_cast<Let>(expr)) {
      BindAny(let->var, let->value);
      Pointer pointer = PointerOf(let->body);
      Forget(let->var);
      return pointer;
    }
    if (const auto* call = dyn_cast<Call>(expr)) return PointerOfCall(call);
    Loads(expr);
    return {};
  }

  static bool IsPointer(const Expr* expr) { return expr->dtype.is_handle(); }

  Pointer Either(const Expr* a, const Expr* b) {
    Pointer pointer = PointerOf(a);
    const Pointer other = PointerOf(b);
    pointer.insert(pointer.end(), other.begin(), other.end());
    return pointer;
  }

  Pointer PointerOfCall(const Call* call) {
    if (std::optional<Pointer> pointer = PointerOfForm(call)) return *std::move(pointer);
    LoadsOfCall(call);
    return {};
  }

  /// The result of a builtin that computes a pointer from another one; nullopt for other calls.
  std::optional<Pointer> PointerOfForm(const Call* call) {
    switch (call->op->kind) {
      case OpKind::kAddressOf: {
        const auto* load = dyn_cast<BufferLoad>(call->args[0]);
        if (load == nullptr) return std::nullopt;
        for (const Expr* index : load->indices) Loads(index);
        return Moved(PointerOfVar(load->buffer->data), Element(load->buffer, load->indices, 0),
                     load->buffer->dtype.bytes());
      }
      case OpKind::kTvmAccessPtr:
        Loads(call->args[2]);
        return Moved(PointerOf(call->args[1]), index_.Value(call->args[2]),
                     call->args[0]->dtype.bytes());
      case OpKind::kReinterpret:
        if (!IsPointer(call) || !IsPointer(call->args[0])) return std::nullopt;
        return PointerOf(call->args[0]);
      case OpKind::kTvmStackMakeArray:
        for (const Expr* rest : call->args.subspan(1)) Loads(rest);
        return Moved(PointerOf(call->args[0]), std::nullopt, 1);
      case OpKind::kIfThenElse:
        if (!IsPointer(call)) return std::nullopt;
        Loads(call->args[0]);
        return Either(call->args[1], call->args[2]);
      default:
        return std::nullopt;
    }
  }

  /// The pointer `elements` of `width` bytes further on.
  Pointer Moved(Pointer pointer, std::optional<SlotId> elements, int64_t width) {
    for (PointsTo& to : pointer) {
      if (!to.offset || !elements) {
        to.offset.reset();
      } else {
        to.offset = index_.Sum(*to.offset, index_.Product(*elements, index_.Number(width)));
      }
      to.is_start = to.offset == index_.Number(0);
    }
    return pointer;
  }

  /// The counters that a pointer's offset depends on are used.
  Pointer Used(Pointer pointer) {
    for (const PointsTo& to : pointer) {
      if (to.offset) index_.Use(*to.offset);
    }
    return pointer;
  }

  void Escape(const Pointer& pointer, SourceRange range) {
    if (!pointer.empty()) Add({EscapeItem{Used(pointer), range}});
  }

  /// Compiles the loads of an expression in order. If both operands of a select are computed, both
  /// are loaded.
  void Loads(const Expr* expr) {
    if (expr == nullptr) return;
    WithStack([&] { LoadsOf(expr); });
  }

  void LoadsOf(const Expr* expr) {
    if (const auto* load = dyn_cast<BufferLoad>(expr)) {
      for (const Expr* index : load->indices) Loads(index);
      Loads(load->predicate);
      return Access(load->buffer, load->indices, load->predicate, load->range, false);
    }
    if (const auto* var = dyn_cast<Var>(expr)) return Escape(PointerOfVar(var), var->range);
    if (const auto* let = dyn_cast<Let>(expr)) {
      BindAny(let->var, let->value);
      Loads(let->body);
      return Forget(let->var);
    }
    if (const auto* call = dyn_cast<Call>(expr)) return LoadsOfCall(call);
    if (isa<ProducerLoad>(expr) || isa<Reduce>(expr)) return Refuse("the function has tensors");
    ForEachChild(expr, [&](const Node* child, FieldRole) {
      if (Expr::ClassOf(child)) Loads(static_cast<const Expr*>(child));
    });
  }

  void LoadsOfCall(const Call* call) {
    if (call->op->kind == OpKind::kIfThenElse && !IsPointer(call) &&
        call->args[0]->dtype.is_scalar()) {
      Loads(call->args[0]);
      return Branch(
          call->args[0], [&] { Loads(call->args[1]); }, [&] { Loads(call->args[2]); });
    }
    if (module_ != nullptr) {
      if (const CallSite site = AsCallSite(*module_, call); site.call != nullptr)
        return CallOf(site, call->range);
    }
    // Without calls, nothing depends on the end of the function.
    if (call->op->kind == OpKind::kRet && module_ != nullptr) {
      const int64_t* status = AsIntImm(call->args[0]);
      Add({LeaveItem{status != nullptr && *status != 0}});
    }
    if (std::optional<Pointer> pointer = PointerOfForm(call)) return Escape(*pointer, call->range);
    const bool stores_pointer =
        call->op->kind == OpKind::kTvmStructSet || call->op->kind == OpKind::kReinterpret;
    if (module_ == nullptr || stores_pointer || IsPointer(call)) return LetArgumentsEscape(call);
    Builtin(call);
  }

  void LetArgumentsEscape(const Call* call) {
    for (const Expr* arg : call->args) {
      if (IsPointer(arg)) {
        Escape(PointerOf(arg), call->range);
      } else {
        Loads(arg);
      }
    }
  }

  /// A builtin accesses what its pointers point to.
  void Builtin(const Call* call) {
    const OpEffect effect = call->op->effect;
    const bool writes = effect == OpEffect::kOpaque || effect == OpEffect::kWrite;
    ExternItem item{call->op->text, {}, call->range};
    for (const Expr* arg : call->args) {
      if (IsPointer(arg)) {
        item.arguments.push_back({Used(PointerOf(arg)), {true, writes, false}});
      } else {
        Loads(arg);
      }
    }
    Add({std::move(item)});
  }

  void CallOf(const CallSite& site, SourceRange range) {
    std::vector<Pointer> arguments;
    for (const Expr* arg : site.args) {
      arguments.emplace_back();
      if (IsPointer(arg)) {
        arguments.back() = Used(PointerOf(arg));
      } else {
        Loads(arg);
      }
    }
    ++calls_;
    // The result may point to what an argument points to.
    if (IsPointer(site.call)) {
      for (const Pointer& pointer : arguments) Escape(pointer, range);
    }
    if (site.callee != nullptr) return Add({CallItem{site.callee, std::move(arguments), range}});
    const ArrayAttr* declaration = ExternDeclaration(*module_, *function_, site.name);
    ExternItem item{site.name, {}, range};
    for (size_t i = 0; i < arguments.size(); ++i)
      item.arguments.push_back({std::move(arguments[i]), EffectOfExtern(site, declaration, i)});
    Add({std::move(item)});
  }

  /// Compiles the expressions of one statement. `is_call` is true if nothing but the arguments of
  /// one call is evaluated, so that the order is known.
  template <class F>
  void Expressions(bool is_call, F&& f) {
    const int calls = calls_;
    Items items;
    Into(items, f);
    const bool is_unordered = items.size() > 1 && (is_call ? calls_ - calls > 1 : calls_ > calls);
    if (is_unordered) return Add({UnorderedItem{std::move(items)}});
    for (Item& item : items) items_->push_back(std::move(item));
  }

  static bool IsCallStatement(const Expr* value) {
    const auto* call = dyn_cast<Call>(value);
    if (call != nullptr && call->op->kind == OpKind::kTvmCheckReturn)
      return IsCallStatement(call->args[2]);
    return call != nullptr;
  }

  template <class Then, class Else>
  void Branch(const Expr* condition, Then&& then_case, Else&& else_case) {
    BranchItem branch;
    branch.condition = index_.Value(condition);
    Into(branch.then_items, then_case);
    Into(branch.else_items, else_case);
    if (branch.then_items.empty() && branch.else_items.empty()) return;
    if (branch.condition) index_.Use(*branch.condition);
    Add({std::move(branch)});
  }

  /// Binds a variable to an index or a pointer.
  void BindAny(const Var* var, const Expr* value) {
    if (!var->dtype.is_handle()) {
      Loads(value);
      return index_.Bind(var, value);
    }
    pointers_[var] = PointerOf(value);
  }
  void Forget(const Var* var) {
    index_.Forget(var);
    pointers_.erase(var);
  }

  void Access(const Buffer* buffer, Span<const Expr*> indices, const Expr* predicate,
              SourceRange range, bool is_store) {
    AccessItem access;
    access.pointer = Used(PointerOfVar(buffer->data));
    if (access.pointer.empty()) return;
    access.is_store = is_store;
    access.is_certain = predicate == nullptr && access.pointer.size() == 1;
    access.range = range;
    access.number = program_.accesses++;
    access.width = buffer->dtype.bytes();
    access.anywhere = access.width <= 0 || !FindElements(buffer, indices, access);
    for (const SlotId slot : access.elements) index_.Use(slot);
    Add({std::move(access)});
  }

  bool FindElements(const Buffer* buffer, Span<const Expr*> indices, AccessItem& access) {
    int lanes = 1;
    for (const Expr* index : indices) lanes = std::max(lanes, index->dtype.lanes());
    const auto* ramp = indices.empty() ? nullptr : dyn_cast<Ramp>(indices.back());
    const int64_t* step = ramp == nullptr ? nullptr : AsIntImm(ramp->stride);
    if (step != nullptr && buffer->strides.empty()) {
      access.step = *step;
      access.lanes = lanes;
      lanes = 1;
    }
    if (lanes > kMostLanes) return false;
    for (int lane = 0; lane < lanes; ++lane) {
      const std::optional<SlotId> slot = Element(buffer, indices, lane);
      if (!slot) return false;
      access.elements.push_back(*slot);
    }
    return true;
  }

  /// The number of the element that a lane accesses.
  std::optional<SlotId> Element(const Buffer* buffer, Span<const Expr*> indices, int lane) {
    if (indices.size() != buffer->shape.size()) return std::nullopt;
    std::optional<SlotId> sum =
        buffer->elem_offset == nullptr ? index_.Number(0) : index_.Value(buffer->elem_offset);
    std::optional<SlotId> stride = index_.Number(1);
    for (size_t i = indices.size(); i-- > 0;) {
      if (!buffer->strides.empty()) stride = index_.Value(buffer->strides[i]);
      const std::optional<SlotId> index = index_.Value(indices[i], lane);
      if (!sum || !stride || !index) return std::nullopt;
      sum = index_.Sum(*sum, index_.Product(*index, *stride));
      const std::optional<SlotId> extent = index_.Value(buffer->shape[i]);
      if (!extent) {
        if (i > 0 && buffer->strides.empty()) return std::nullopt;
      } else {
        stride = index_.Product(*stride, *extent);
      }
    }
    return sum;
  }

  void Statement(const Stmt* stmt) {
    if (stmt == nullptr || !program_.refusal.empty()) return;
    WithStack([&] { StatementOf(stmt); });
  }

  void StatementOf(const Stmt* stmt) {
    switch (stmt->kind) {
      case NodeKind::kSeqStmt:
        for (const Stmt* child : cast<SeqStmt>(stmt)->seq) Statement(child);
        return;
      case NodeKind::kFor:
        return Loop(cast<For>(stmt));
      case NodeKind::kWhile:
        return WhileLoop(cast<While>(stmt));
      case NodeKind::kBufferStore:
        return Store(cast<BufferStore>(stmt));
      case NodeKind::kIfThenElse: {
        const auto* branch = cast<IfThenElse>(stmt);
        Expressions(false, [&] { Loads(branch->condition); });
        return Branch(
            branch->condition, [&] { Statement(branch->then_case); },
            [&] { Statement(branch->else_case); });
      }
      case NodeKind::kLetStmt: {
        const auto* let = cast<LetStmt>(stmt);
        Expressions(IsCallStatement(let->value), [&] { BindAny(let->var, let->value); });
        Statement(let->body);
        return Forget(let->var);
      }
      case NodeKind::kEvaluate: {
        const Expr* value = cast<Evaluate>(stmt)->value;
        return Expressions(IsCallStatement(value), [&] { Loads(value); });
      }
      default:
        return ScopeStatement(stmt);
    }
  }

  void Store(const BufferStore* store) {
    Expressions(false, [&] {
      if (IsPointer(store->value)) {
        Escape(PointerOf(store->value), store->range);
      } else {
        Loads(store->value);
      }
      for (const Expr* index : store->indices) Loads(index);
      Loads(store->predicate);
    });
    Access(store->buffer, store->indices, store->predicate, store->range, true);
  }

  /// Compiles statements that contain a single other statement.
  void ScopeStatement(const Stmt* stmt) {
    if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
      for (const Expr* extent : allocate->extents) Loads(extent);
      Loads(allocate->condition);
      return Scope(stmt, allocate->buffer_var, allocate->body);
    }
    if (const auto* constant = dyn_cast<AllocateConst>(stmt))
      return Scope(stmt, constant->buffer_var, constant->body);
    if (const auto* decl = dyn_cast<DeclBuffer>(stmt)) return Statement(decl->body);
    if (const auto* assertion = dyn_cast<AssertStmt>(stmt)) {
      Expressions(false, [&] { Loads(assertion->condition); });
      return Statement(assertion->body);
    }
    if (const auto* attr = dyn_cast<AttrStmt>(stmt)) {
      Loads(attr->value);
      if (!BindsThread(attr)) return Statement(attr->body);
      LoopItem loop;
      loop.order = LoopOrder::kParallel;
      loop.has_bounds = false;
      return Body(std::move(loop), nullptr, attr->body);
    }
    if (const auto* realize = dyn_cast<BlockRealize>(stmt);
        realize != nullptr && module_ != nullptr)
      return Realize(realize);
    if (!isa<Prefetch>(stmt)) Refuse("the function is not lowered");
  }

  /// A block: its iteration variables are names of indices, and `init` runs for some of them.
  void Realize(const BlockRealize* realize) {
    const Block& block = *realize->block;
    for (size_t i = 0; i < block.iter_vars.size(); ++i)
      BindAny(block.iter_vars[i]->var, realize->iter_values[i]);
    Loads(realize->predicate);
    Branch(
        realize->predicate,
        [&] {
          for (const MatchBufferRegion* match : block.match_buffers)
            pointers_[match->buffer->data] =
                Moved(PointerOfVar(match->source->buffer->data), std::nullopt, 1);
          if (block.init != nullptr) MaybeStatement(block.init);
          Statement(block.body);
          for (const MatchBufferRegion* match : block.match_buffers)
            pointers_.erase(match->buffer->data);
        },
        [] {});
    for (const IterVar* var : block.iter_vars) Forget(var->var);
  }

  /// A statement that may run.
  void MaybeStatement(const Stmt* stmt) {
    BranchItem branch;
    Into(branch.then_items, [&] { Statement(stmt); });
    if (!branch.then_items.empty()) Add({std::move(branch)});
  }

  void Scope(const Stmt* stmt, const Var* var, const Stmt* body) {
    if (module_ == nullptr) return Statement(body);
    const PointerRoot root = program_.roots++;
    Track(var, root);
    Add({OpenItem{stmt, root}});
    Statement(body);
    Add({CloseItem{root}});
    pointers_.erase(var);
  }

  void Loop(const For* for_loop) {
    Expressions(false, [&] {
      Loads(for_loop->min);
      Loads(for_loop->extent);
    });
    const std::optional<SlotId> min = index_.Value(for_loop->min);
    const std::optional<SlotId> extent = index_.Value(for_loop->extent);
    const bool is_serial =
        for_loop->for_kind == ForKind::kSerial || for_loop->for_kind == ForKind::kUnrolled;
    LoopItem loop;
    loop.has_bounds = min && extent;
    if (!loop.has_bounds) loop.order = LoopOrder::kUnknown;
    if (!is_serial) loop.order = LoopOrder::kParallel;
    if (loop.has_bounds) {
      loop.min = *min;
      loop.extent = *extent;
    }
    Body(std::move(loop), for_loop->loop_var, for_loop->body);
  }

  void Body(LoopItem loop, const Var* counter, const Stmt* body) {
    index_.Open(loop.index);
    // The value of a counter without bounds is not known.
    if (counter != nullptr && loop.has_bounds) index_.Bind(counter, loop.index.counter);
    Into(loop.items, [&] { Statement(body); });
    if (counter != nullptr) index_.Forget(counter);
    index_.Close();
    if (loop.items.empty()) return;
    if (loop.has_bounds) {
      index_.Use(loop.min);
      index_.Use(loop.extent);
    }
    Add({std::move(loop)});
  }

  void WhileLoop(const While* statement) {
    const auto condition = [&] { Expressions(false, [&] { Loads(statement->condition); }); };
    condition();
    LoopItem loop;
    loop.order = LoopOrder::kUnknown;
    loop.has_bounds = false;
    index_.Open(loop.index);
    Into(loop.items, [&] {
      Statement(statement->body);
      condition();
    });
    index_.Close();
    if (!loop.items.empty()) Add({std::move(loop)});
  }

  const IRModule* module_;
  const Function* function_;
  AccessProgram& program_;
  IndexCompiler index_;
  absl::flat_hash_map<const Var*, Pointer> pointers_;
  Items* items_ = nullptr;
  /// The number of calls so far.
  int calls_ = 0;
};

}  // namespace

AccessProgram::AccessProgram(const IRModule& module, const Function& function) {
  Compiler compiler(&module, &function, *this);
  const PrimFunc& func = *function.func;
  roots = static_cast<PointerRoot>(func.params.size());
  for (PointerRoot i = 0; i < roots; ++i) {
    const auto at = static_cast<size_t>(i);
    if (func.params[at]->dtype.is_handle()) compiler.Track(func.params[at], i);
    if (func.buffers[at] != nullptr) compiler.Track(func.buffers[at]->data, i);
  }
  compiler.Run(func);
}

AccessProgram::AccessProgram(const PrimFunc& function, std::span<const Var* const> tracked) {
  Compiler compiler(nullptr, nullptr, *this);
  for (const Var* var : tracked) compiler.Track(var, roots++);
  compiler.Run(function);
}

}  // namespace tenon
