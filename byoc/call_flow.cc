// A dependence graph of calls. An operator that overwrites all bytes of a tensor begins a new one,
// so that reused memory does not make calls depend on each other. Memory is compared by roots, not
// by offsets.

#include "byoc/call_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "byoc/op_info.h"
#include "ir/analysis/full_store.h"
#include "ir/analysis/statement_call.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/visitor.h"
#include "support/check.h"
#include "support/stack.h"

namespace tenon {

namespace {

bool IsNoOp(const Stmt* stmt) {
  const auto* evaluate = dyn_cast<Evaluate>(stmt);
  return evaluate != nullptr && isa<IntImm>(evaluate->value);
}

/// The body of a statement that only opens a scope of names or memory, or null.
const Stmt* BodyOfBinding(const Stmt* stmt) {
  if (const auto* allocate = dyn_cast<Allocate>(stmt)) return allocate->body;
  if (const auto* allocate = dyn_cast<AllocateConst>(stmt)) return allocate->body;
  if (const auto* decl = dyn_cast<DeclBuffer>(stmt)) return decl->body;
  return nullptr;
}

/// Appends the statements of straight code in order, and the values of its lets.
void FlattenInto(const Stmt* stmt, std::vector<const Node*>& out) {
  while (stmt != nullptr) {
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      for (const Stmt* child : seq->seq) WithStack([&] { FlattenInto(child, out); });
      return;
    }
    const Stmt* body = BodyOfBinding(stmt);
    if (const auto* let = dyn_cast<LetStmt>(stmt)) {
      out.push_back(let->value);
      body = let->body;
    }
    if (body == nullptr) {
      out.push_back(stmt);
      return;
    }
    stmt = body;
  }
}

/// Whether a function may end in a statement, before the statements that follow it.
bool MayLeave(const Node* statement) {
  bool leaves = false;
  Walk(statement, [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    leaves |= isa<AssertStmt>(node) ||
              (call != nullptr &&
               (call->op->kind == OpKind::kRet || call->op->kind == OpKind::kTvmThrowLastError));
    return !leaves;
  });
  return leaves;
}

/// The element whose address `node` takes; null for other nodes.
const BufferLoad* ElementOfAddress(const Node* node) {
  const auto* call = dyn_cast<Call>(node);
  if (call == nullptr || call->op->kind != OpKind::kAddressOf) return nullptr;
  return dyn_cast<BufferLoad>(call->args[0]);
}

/// Finds the bytes of its parameters that a function overwrites.
class OverwriteScan {
 public:
  OverwriteScan(const IRModule& module, const ModuleEffects& effects, const Function& function)
      : module_(module), effects_(effects), function_(function), roots_(*function.func) {
    const PrimFunc& func = *function.func;
    states_.resize(func.params.size());
    for (size_t i = 0; i < func.params.size(); ++i) {
      index_.emplace(func.params[i], i);
      if (func.buffers[i] != nullptr) index_.emplace(func.buffers[i]->data, i);
    }
  }

  /// `of_callee(function)` returns the bytes for each parameter of a callee.
  template <class F>
  std::vector<int64_t> Run(const F& of_callee) {
    std::vector<const Node*> statements;
    FlattenInto(function_.func->body, statements);
    for (const Node* node : statements) {
      const auto* stmt = Stmt::ClassOf(node) ? static_cast<const Stmt*>(node) : nullptr;
      const CallSite site = stmt == nullptr ? CallSite{} : CallOfStatement(module_, stmt).site;
      if (site.call != nullptr) {
        AddCall(site, of_callee);
      } else {
        AddOther(node);
      }
      // The following statements may not run. (A failed call also ends the caller.)
      if (MayLeave(node)) break;
    }
    std::vector<int64_t> bytes;
    for (State& state : states_) bytes.push_back(ContiguousBytes(state.ranges));
    return bytes;
  }

 private:
  struct State {
    std::vector<ByteRange> ranges;
    /// True after a read of bytes that may not have been written before.
    bool is_frozen = false;
  };

  static int64_t ContiguousBytes(std::vector<ByteRange>& ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.first < b.first; });
    int64_t end = 0;
    for (const ByteRange& range : ranges) {
      if (range.first <= end) end = std::max(end, range.end);
    }
    return end;
  }

  /// The states of the parameters that a pointer may point into.
  std::vector<State*> StatesOf(const Expr* pointer) {
    std::vector<State*> states;
    if (!pointer->dtype.is_handle()) return states;
    for (const Var* root : roots_.TargetsOf(pointer).roots) {
      if (const auto found = index_.find(root); found != index_.end())
        states.push_back(&states_[found->second]);
    }
    return states;
  }

  /// The state of the parameter that is this variable, or whose data is; null for other variables.
  State* StateOfParam(const Var* var) {
    const auto found = index_.find(var);
    return found == index_.end() ? nullptr : &states_[found->second];
  }

  template <class F>
  void AddCall(const CallSite& site, const F& of_callee) {
    absl::flat_hash_map<State*, int> mentions;
    for (const Expr* arg : site.args) {
      for (State* state : StatesOf(arg)) ++mentions[state];
    }
    for (size_t i = 0; i < site.args.size(); ++i) {
      const Expr* arg = site.args[i];
      const ArgumentEffect effect = effects_.OfArgument(function_, site, i);
      int64_t bytes = effect.overwrites ? INT64_MAX : 0;
      if (site.callee != nullptr && i < site.callee->func->params.size())
        bytes = of_callee(*site.callee)[i];
      // An alias may point elsewhere in the memory.
      const auto* var = dyn_cast<Var>(arg);
      State* start = var == nullptr || !var->dtype.is_handle() ? nullptr : StateOfParam(var);
      if (start != nullptr && mentions.at(start) == 1 && !start->is_frozen && bytes > 0)
        start->ranges.push_back({0, bytes});
      for (State* state : StatesOf(arg)) state->is_frozen |= effect.reads;
    }
    for (const Expr* arg : site.args) Freeze(arg, /*with_pointers=*/false);
  }

  void AddOther(const Node* node) {
    if (const auto* nest = dyn_cast<For>(node)) {
      const NestEffects nest_effects = EffectsOfNest(module_, nest);
      for (const Overwrite& overwrite : nest_effects.overwrites) {
        State* state = StateOfParam(overwrite.data);
        if (state == nullptr) continue;
        const bool is_doubtful = std::any_of(
            nest_effects.others.begin(), nest_effects.others.end(), [&](const Var* other) {
              const std::vector<State*> states = StatesOf(other);
              return std::find(states.begin(), states.end(), state) != states.end();
            });
        if (!state->is_frozen && !is_doubtful) state->ranges.push_back(overwrite.bytes);
      }
    } else if (const auto* store = dyn_cast<BufferStore>(node)) {
      Freeze(node, /*with_pointers=*/true);
      State* state = StateOfParam(store->buffer->data);
      const std::optional<ByteRange> bytes = BytesStored(store);
      if (state != nullptr && !state->is_frozen && bytes) state->ranges.push_back(*bytes);
      return;
    }
    Freeze(node, /*with_pointers=*/true);
  }

  /// Records the reads in `node`, and with `with_pointers` the possible reads through pointers.
  /// Taking an address reads only the indices.
  void Freeze(const Node* node, bool with_pointers) {
    Walk(node, [&](const Node* inner) {
      if (const BufferLoad* element = ElementOfAddress(inner)) {
        for (const Expr* index : element->indices) Freeze(index, with_pointers);
        return false;
      }
      if (const auto* load = dyn_cast<BufferLoad>(inner)) {
        FreezeTargets(load->buffer->data);
      } else if (const auto* call = dyn_cast<Call>(inner); call != nullptr && with_pointers) {
        for (const Expr* arg : call->args) FreezeTargets(arg);
      }
      return true;
    });
  }

  void FreezeTargets(const Expr* pointer) {
    for (State* state : StatesOf(pointer)) state->is_frozen = true;
  }

  const IRModule& module_;
  const ModuleEffects& effects_;
  const Function& function_;
  PointerRoots roots_;
  absl::flat_hash_map<const Var*, size_t> index_;
  std::vector<State> states_;
};

/// Whether a call of an extern may do more than its declaration says.
bool IsUndeclared(const ModuleEffects& effects, const Function& caller, const CallSite& site) {
  return site.callee == nullptr && site.call->op->kind != OpKind::kCallPureExtern &&
         effects.Declaration(caller, site.name) == nullptr;
}

}  // namespace

OperatorEffects::OperatorEffects(const IRModule& module) : module_(module), effects_(module) {
  for (const Function& function : module_.functions()) {
    const FunctionEffects& own = effects_.Of(function);
    bool& has = side_effects_[function.name];
    has = own.opaque;
    for (const CallSite& site : own.calls) has |= IsUndeclared(effects_, function, site);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Function& function : module_.functions()) {
      bool& has = side_effects_.at(function.name);
      for (const CallSite& site : effects_.Of(function).calls) {
        if (has || site.callee == nullptr || !side_effects_.at(site.callee->name)) continue;
        has = changed = true;
      }
    }
  }
}

const std::vector<int64_t>& OperatorEffects::SummaryOf(const Function& function) const {
  const auto found = overwritten_.find(function.name);
  if (found != overwritten_.end()) return found->second;
  // The overwrites of a function that calls itself are unknown.
  overwritten_[function.name].resize(function.func->params.size());
  std::vector<int64_t> bytes =
      OverwriteScan(module_, effects_, function).Run([&](const Function& callee) {
        return SummaryOf(callee);
      });
  return overwritten_[function.name] = std::move(bytes);
}

int64_t OperatorEffects::OverwrittenBytes(const Function& function, size_t index) const {
  const std::vector<int64_t>& bytes = SummaryOf(function);
  return index < bytes.size() ? bytes[index] : 0;
}

bool OperatorEffects::HasSideEffects(const Function& function) const {
  return side_effects_.at(function.name);
}

const Attr* EntryOfExtern(const IRModule& module, std::string_view key, std::string_view name) {
  const auto* map = dyn_cast_or_null<MapAttr>(module.attrs()->Find(key));
  return map == nullptr ? nullptr : map->Find(name);
}

bool IsOperatorCall(const IRModule& module, const Function& caller, const CallSite& site) {
  if (site.call == nullptr) return false;
  if (site.callee != nullptr) return true;
  return EntryOfExtern(module, attr_key::kOps, site.name) != nullptr &&
         ExternDeclaration(module, caller, site.name) != nullptr;
}

std::vector<const Function*> GraphFunctions(const IRModule& module) {
  std::vector<const Function*> functions;
  for (const Function& function : module.functions()) {
    if (&function == module.Main()) {
      functions.push_back(&function);
      continue;
    }
    const std::optional<OpInfo> info = ReadOpInfo(function);
    if (function.FindAttr(attr_key::kCompiler) != nullptr ||
        function.FindAttr(attr_key::kTargets) != nullptr || (info && info->known())) {
      continue;
    }
    bool only_calls = true;
    bool calls = false;
    Walk(function.func->body, [&](const Node* node) {
      only_calls &= !isa<BufferStore>(node) && !isa<Block>(node);
      if (const auto* call = dyn_cast<Call>(node))
        calls |= IsOperatorCall(module, function, AsCallSite(module, call));
      return only_calls;
    });
    if (only_calls && calls) functions.push_back(&function);
  }
  return functions;
}

bool CheckNotPlanned(const IRModule& module, Diagnostics& diagnostics) {
  for (const Function& function : module.functions()) {
    if (!IsPlanned(function)) continue;
    diagnostics.Error(DiagnosticKind::kPlannedModule, function.func->range,
                      fmt::format("`{}` takes memory pools, so its memory is planned; make "
                                  "regions before plan-memory",
                                  function.name.view()));
    return false;
  }
  if (module.attrs()->Find(attr_key::kMemoryPlan) == nullptr) return true;
  diagnostics.Error(DiagnosticKind::kPlannedModule, {},
                    "the module has a memory plan; make regions before plan-memory");
  return false;
}

/// Collects what one statement accesses.
class FlowBuilder : public Visitor<FlowBuilder> {
 public:
  FlowBuilder(const CallFlow& flow, FlowNode& node) : flow_(flow), node_(node) {}

  void Run() {
    if (node_.site.call != nullptr) {
      VisitSite(node_.site);
    } else {
      Visit(node_.stmt);
      if (const auto* nest = dyn_cast<For>(node_.stmt)) AddOverwrites(nest);
    }
    std::erase_if(node_.accesses,
                  [&](const FlowAccess& access) { return local_.contains(access.root); });
  }

  void VisitBufferLoad(const BufferLoad* load) {
    Touch(load->buffer->data, {nullptr, true, false, false});
    VisitBuffer(load->buffer);
    for (const Expr* index : load->indices) Visit(index);
    Visit(load->predicate);
  }

  void VisitBufferStore(const BufferStore* store) {
    Touch(store->buffer->data, {nullptr, true, true, false});
    VisitBuffer(store->buffer);
    for (const Expr* index : store->indices) Visit(index);
    Visit(store->value);
    Visit(store->predicate);
  }

  void VisitBuffer(const Buffer* buffer) {
    for (const Expr* extent : buffer->shape) Visit(extent);
    for (const Expr* stride : buffer->strides) Visit(stride);
    Visit(buffer->elem_offset);
  }

  void VisitAllocate(const Allocate* allocate) {
    local_.insert(allocate->buffer_var);
    VisitChildren(allocate);
  }

  void VisitAllocateConst(const AllocateConst* allocate) {
    local_.insert(allocate->buffer_var);
    VisitChildren(allocate);
  }

  void VisitLetStmt(const LetStmt* let) {
    VisitBound(let->value);
    Visit(let->body);
  }

  void VisitLet(const Let* let) {
    VisitBound(let->value);
    Visit(let->body);
  }

  void VisitAssertStmt(const AssertStmt* assertion) {
    node_.is_barrier = true;
    VisitChildren(assertion);
  }

  void VisitBlock(const Block* block) {
    for (const Buffer* buffer : block->alloc_buffers) local_.insert(buffer->data);
    VisitChildren(block);
  }

  void VisitCall(const Call* call) {
    if (const CallSite site = AsCallSite(flow_.effects_.module(), call); site.call != nullptr) {
      VisitSite(site);
      return;
    }
    const OpKind kind = call->op->kind;
    const OpEffect effect = call->op->effect;
    if (effect == OpEffect::kOpaque) node_.is_barrier = true;
    if (effect == OpEffect::kControl && kind != OpKind::kTvmCheckReturn &&
        kind != OpKind::kAssume) {
      node_.is_barrier = true;
    }
    if (effect == OpEffect::kRead || effect == OpEffect::kWrite || kind == OpKind::kAddressOf) {
      for (const Expr* arg : call->args) {
        const auto* load = dyn_cast<BufferLoad>(arg);
        if (!arg->dtype.is_handle() && (kind != OpKind::kAddressOf || load == nullptr)) continue;
        const Expr* pointer = load != nullptr ? load->buffer->data : arg;
        Touch(pointer, {nullptr, true, effect != OpEffect::kRead, false});
      }
    }
    VisitChildren(call);
  }

 private:
  /// A bound pointer is an alias, not an access.
  void VisitBound(const Expr* value) {
    if (!value->dtype.is_handle()) return Visit(value);
    if (flow_.roots().RootOf(value) == nullptr) node_.is_barrier = true;
    VisitIndices(value);
  }

  void VisitIndices(const Expr* pointer) {
    while (true) {
      if (const auto* cast_expr = dyn_cast<Cast>(pointer)) {
        pointer = cast_expr->value;
        continue;
      }
      const auto* call = dyn_cast<Call>(pointer);
      if (call == nullptr || call->args.empty()) return;
      if (call->op->kind == OpKind::kAddressOf) {
        if (const auto* load = dyn_cast<BufferLoad>(call->args[0])) {
          for (const Expr* index : load->indices) Visit(index);
        }
        return;
      }
      const size_t inner = call->op->kind == OpKind::kTvmAccessPtr ? 1 : 0;
      for (size_t i = inner + 1; i < call->args.size(); ++i) Visit(call->args[i]);
      pointer = call->args[inner];
    }
  }

  void VisitSite(const CallSite& site) {
    const OperatorEffects& effects = flow_.effects_;
    const bool has_side_effects = site.callee != nullptr
                                      ? effects.HasSideEffects(*site.callee)
                                      : IsUndeclared(effects.effects(), flow_.function_, site);
    // The null variable represents everything outside of the module.
    if (has_side_effects) TouchRoot(nullptr, {nullptr, true, true, false});
    for (size_t i = 0; i < site.args.size(); ++i) {
      const Expr* arg = site.args[i];
      if (!arg->dtype.is_handle()) {
        Visit(arg);
        continue;
      }
      const Var* root = flow_.roots().RootOf(arg);
      if (root == nullptr) {
        node_.is_barrier |= !IsNumber(arg);
        continue;
      }
      VisitIndices(arg);
      const ArgumentEffect effect = effects.effects().OfArgument(flow_.function_, site, i);
      if (!effect.reads && !effect.writes) continue;
      int64_t bytes = effect.overwrites ? INT64_MAX : 0;
      if (site.callee != nullptr) bytes = effects.OverwrittenBytes(*site.callee, i);
      const int64_t size = flow_.BytesOf(root);
      const auto* var = dyn_cast<Var>(arg);
      const bool is_start = var != nullptr && (var == root || flow_.IsParamHandle(var));
      const bool overwrites = effect.writes && is_start && size >= 0 && bytes >= size;
      Touch(root, {nullptr, !overwrites, effect.writes, overwrites});
    }
  }

  /// A pointer made from a number, such as a null device.
  static bool IsNumber(const Expr* pointer) {
    if (isa<IntImm>(pointer)) return true;
    const auto* call = dyn_cast<Call>(pointer);
    return call != nullptr && call->op->kind == OpKind::kReinterpret && isa<IntImm>(call->args[0]);
  }

  void AddOverwrites(const For* nest) {
    const NestEffects effects = EffectsOfNest(flow_.effects_.module(), nest);
    for (const Overwrite& overwrite : effects.overwrites) {
      const Var* root = flow_.roots().RootOf(overwrite.data);
      if (root != overwrite.data) continue;
      const bool is_doubtful = std::any_of(
          effects.others.begin(), effects.others.end(),
          [&](const Var* other) { return flow_.roots().TargetsOf(other).Contains(root); });
      const int64_t size = flow_.BytesOf(root);
      if (is_doubtful || size < 0 || !overwrite.bytes.Covers({0, size})) continue;
      for (FlowAccess& access : node_.accesses) {
        if (access.root != root) continue;
        access.overwrites = true;
        access.reads = false;
      }
    }
  }

  void Touch(const Expr* pointer, FlowAccess access) {
    const PointerTargets targets = flow_.roots().TargetsOf(pointer);
    if (!targets.IsOne()) access.overwrites = false;
    for (const Var* root : targets.roots) TouchRoot(root, access);
  }

  void TouchRoot(const Var* root, FlowAccess access) {
    for (FlowAccess& other : node_.accesses) {
      if (other.root != root) continue;
      // The order in which one call uses two pointers to one memory is unknown.
      other.writes |= access.writes;
      other.reads |= access.reads || other.writes;
      other.overwrites = false;
      return;
    }
    access.root = root;
    node_.accesses.push_back(access);
  }

  const CallFlow& flow_;
  FlowNode& node_;
  absl::flat_hash_set<const Var*> local_;
};

CallFlow::CallFlow(const OperatorEffects& effects, const Function& function)
    : effects_(effects), function_(function), roots_(*function.func) {
  const PrimFunc& func = *function.func;
  const Function* entry = effects.module().Main();
  const bool may_overlap =
      !IsNoAlias(*function.func) && (entry == nullptr || entry->name != function.name);
  for (size_t i = 0; i < func.params.size(); ++i) {
    const Buffer* buffer = func.buffers[i];
    if (buffer == nullptr && !func.params[i]->dtype.is_handle()) continue;
    const Var* root = func.params[i];
    if (buffer != nullptr) {
      root = buffer->data;
      roots_.Bind(func.params[i], buffer->data);
      handles_.emplace(func.params[i], buffer->data);
      if (CompactShape(*buffer))
        bytes_[root] = StaticBytes(buffer->dtype, buffer->shape).value_or(-1);
    }
    params_.emplace(root, buffer);
    if (may_overlap && shared_ == nullptr) shared_ = root;
  }
  Walk(func.body, [&](const Node* node) {
    if (const auto* allocate = dyn_cast<Allocate>(node)) {
      bindings_.emplace(allocate->buffer_var, allocate);
      bytes_[allocate->buffer_var] = StaticBytes(allocate->dtype, allocate->extents).value_or(-1);
    } else if (const auto* constant = dyn_cast<AllocateConst>(node)) {
      bindings_.emplace(constant->buffer_var, constant);
      bytes_[constant->buffer_var] = StaticBytes(constant->dtype, constant->extents).value_or(-1);
    }
    return true;
  });
}

int64_t CallFlow::BytesOf(const Var* root) const {
  const auto found = bytes_.find(root);
  return found == bytes_.end() ? -1 : found->second;
}

const Stmt* CallFlow::BindingOf(const Var* root) const {
  const auto found = bindings_.find(root);
  return found == bindings_.end() ? nullptr : found->second;
}

const Buffer* CallFlow::ParamBuffer(const Var* root) const {
  const auto found = params_.find(root);
  return found == params_.end() ? nullptr : found->second;
}

std::vector<const Var*> CallFlow::HandlesOf(const Var* root) const {
  std::vector<const Var*> handles;
  for (const Var* param : function_.func->params) {
    const auto found = handles_.find(param);
    if (found != handles_.end() && found->second == root) handles.push_back(param);
  }
  return handles;
}

namespace {

/// Orders statements: finds the earlier statements that each must follow.
class EdgeFinder {
 public:
  explicit EdgeFinder(std::vector<FlowNode>& nodes) : nodes_(nodes), seen_(nodes.size(), -1) {}

  /// `class_of(root)` is one variable for all roots that may overlap.
  template <class F>
  void Run(const F& class_of) {
    for (size_t at = 0; at < nodes_.size(); ++at) {
      FlowNode& node = nodes_[at];
      at_ = static_cast<int>(at);
      if (node.is_barrier) {
        for (int from = std::max(barrier_, 0); from < at_; ++from) AddEdge(from, false);
        barrier_ = at_;
      } else if (barrier_ >= 0) {
        AddEdge(barrier_, false);
      }
      for (const FlowAccess& access : node.accesses) AddAccess(class_of(access.root), access);
      std::sort(node.before.begin(), node.before.end(),
                [](const FlowEdge& a, const FlowEdge& b) { return a.from < b.from; });
    }
  }

 private:
  struct Memory {
    int writer = -1;
    std::vector<int> readers;
  };

  void AddAccess(const Var* memory_class, const FlowAccess& access) {
    Memory& memory = memory_[memory_class];
    if (memory.writer >= 0 && memory.writer != at_) AddEdge(memory.writer, access.reads);
    if (!access.writes) {
      if (memory.readers.empty() || memory.readers.back() != at_) memory.readers.push_back(at_);
      return;
    }
    for (const int reader : memory.readers) {
      if (reader != at_) AddEdge(reader, false);
    }
    memory.readers.clear();
    memory.writer = at_;
  }

  void AddEdge(int from, bool is_data) {
    FlowNode& node = nodes_[static_cast<size_t>(at_)];
    int& seen = seen_[static_cast<size_t>(from)];
    if (seen != at_) {
      seen = at_;
      node.before.push_back({from, is_data});
    } else if (is_data) {
      for (FlowEdge& edge : node.before) {
        if (edge.from == from) edge.is_data = true;
      }
    }
  }

  std::vector<FlowNode>& nodes_;
  /// For each statement, the last statement that an edge from it leads to.
  std::vector<int> seen_;
  absl::flat_hash_map<const Var*, Memory> memory_;
  int at_ = 0;
  int barrier_ = -1;
};

/// Lists the statements and bindings of a scope.
class ScopeLister {
 public:
  ScopeLister(const IRModule& module, FlowScope& scope, Diagnostics& diagnostics)
      : module_(module), scope_(scope), diagnostics_(diagnostics) {}

  bool List(const Stmt* stmt, int region) {
    while (stmt != nullptr) {
      if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
        for (const Stmt* child : seq->seq) {
          if (!WithStack([&] { return List(child, region); })) return false;
        }
        return true;
      }
      if (const Stmt* body = BodyOfBinding(stmt)) {
        scope_.bindings.push_back(stmt);
        stmt = body;
        continue;
      }
      const auto* attr = dyn_cast<AttrStmt>(stmt);
      if (attr == nullptr || attr->key != attr_key::kRegion) break;
      region = Open(attr, region);
      if (region < 0) return false;
      stmt = attr->body;
    }
    if (stmt != nullptr && !IsNoOp(stmt)) AddNode(stmt, region);
    return true;
  }

 private:
  int Open(const AttrStmt* attr, int around) {
    const auto* target = dyn_cast<StringImm>(attr->value);
    if (target == nullptr || target->value.empty() || around >= 0) {
      diagnostics_.Error(DiagnosticKind::kPass, attr->range,
                         around >= 0 ? "expected statements in a region, found another region"
                                     : "expected the name of a target, as in "
                                       "`T.attr(0, \"tenon.region\", \"blas\")`");
      return -1;
    }
    ++scope_.scope_count;
    // Scopes without a name, and scopes of the host, are separate regions.
    const std::string_view* name = target->value == kHostTarget ? nullptr : AsString(attr->node);
    for (size_t i = 0; name != nullptr && i < scope_.regions.size(); ++i) {
      const GivenRegion& region = scope_.regions[i];
      const std::string_view* other = AsString(region.attr->node);
      if (other != nullptr && *other == *name && region.target == target->value)
        return static_cast<int>(i);
    }
    scope_.regions.push_back({target->value, attr});
    return static_cast<int>(scope_.regions.size()) - 1;
  }

  void AddNode(const Stmt* stmt, int region) {
    FlowNode& node = scope_.nodes.emplace_back();
    node.stmt = stmt;
    node.region = region;
    const StatementCall call = CallOfStatement(module_, stmt);
    node.site = call.site;
    node.is_checked = call.is_checked;
  }

  const IRModule& module_;
  FlowScope& scope_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool CallFlow::ScopeOf(const Stmt* body, FlowScope& scope, Diagnostics& diagnostics) const {
  scope.is_function_body = body == function_.func->body;
  if (!ScopeLister(effects_.module(), scope, diagnostics).List(body, -1)) return false;
  for (FlowNode& node : scope.nodes) FlowBuilder(*this, node).Run();
  EdgeFinder(scope.nodes).Run([&](const Var* root) {
    return shared_ != nullptr && params_.contains(root) ? shared_ : root;
  });
  return true;
}

}  // namespace tenon
