#include "ir/analysis/liveness.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/liveness_internal.h"
#include "ir/analysis/pointers.h"
#include "ir/visitor.h"

namespace tenon {

namespace liveness_internal {

namespace {

bool IsGlobalScope(const Type& type) {
  const std::string_view scope = type.scope.view();
  return scope.empty() || scope.starts_with("global");
}

/// Bytes of constant extents; nullopt when one is not constant or the product is beyond 2^62.
std::optional<int64_t> StaticBytes(Span<const Expr*> extents, DataType dtype) {
  int64_t bytes = dtype.bytes();
  if (bytes <= 0) return std::nullopt;
  for (const Expr* extent : extents) {
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr || *value < 0 || __builtin_mul_overflow(bytes, *value, &bytes) ||
        bytes >= (int64_t{1} << 62)) {
      return std::nullopt;
    }
  }
  return bytes;
}

}  // namespace

std::string AllocationTable::UniqueName(std::string_view base) {
  std::string name(base);
  const int64_t count = ++names_[name];
  return count == 1 ? name : fmt::format("{}{}", base, count);
}

int32_t AllocationTable::Enter(const Stmt* stmt, Symbol function) {
  const auto* allocate = dyn_cast<Allocate>(stmt);
  const auto* constant = dyn_cast<AllocateConst>(stmt);
  const Var* var = allocate != nullptr ? allocate->buffer_var : constant->buffer_var;
  const auto [entry, added] = index_.emplace(var, static_cast<int32_t>(allocations_.size()));
  if (!added) return entry->second;
  Allocation& made = allocations_.emplace_back();
  made.stmt = stmt;
  made.var = var;
  made.function = function;
  made.is_constant = constant != nullptr;
  made.annotations = allocate != nullptr ? allocate->annotations : constant->annotations;
  const std::optional<int64_t> bytes = allocate != nullptr
                                           ? StaticBytes(allocate->extents, allocate->dtype)
                                           : StaticBytes(constant->extents, constant->dtype);
  made.size_bytes = bytes.value_or(0);
  if (constant != nullptr) made.data = constant->data;
  if (!bytes) {
    made.unplanned = Unplanned::kDynamic;
  } else if (!IsGlobalScope(*var->type)) {
    made.unplanned = Unplanned::kScope;
  } else if (allocate != nullptr && !IsConstInt(allocate->condition, 1)) {
    made.unplanned = Unplanned::kConditional;
  }
  if (made.unplanned == Unplanned::kPlanned) made.name = UniqueName(var->name.view());
  return entry->second;
}

namespace {

/// Runs the exact clock through the program.
class Clock : public Visitor<Clock> {
 public:
  Clock(const IRModule& module, Liveness& liveness, AllocationTable& table,
        Diagnostics& diagnostics)
      : module_(module), liveness_(liveness), table_(table), diagnostics_(diagnostics) {}

  bool Run(const Function& entry) {
    Frame frame;
    frame.function = &entry;
    frame.roots = &RootsOf(entry);
    EnterFunction(frame);
    liveness_.ticks = now_;
    return ok_;
  }

  void VisitAllocate(const Allocate* allocate) {
    Tick(allocate);
    Evaluate([&] {
      for (const Expr* extent : allocate->extents) Visit(extent);
      Visit(allocate->condition);
    });
    const int32_t index = table_.Enter(allocate, frame_->function->name);
    Allocation& entry = table_.at(index);
    if (parallel_depth_ > 0 && entry.unplanned == Unplanned::kPlanned)
      entry.unplanned = Unplanned::kParallelLoop;
    Open open{index, static_cast<int32_t>(loops_.size()), -1, -1};
    const auto slot = static_cast<int32_t>(open_.size());
    open_.push_back(open);
    frame_->open_of[allocate->buffer_var] = slot;
    Visit(allocate->body);
    Close(slot);
  }

  void VisitAllocateConst(const AllocateConst* allocate) {
    Tick(allocate);
    table_.Enter(allocate, frame_->function->name);
    Visit(allocate->body);
  }

  void VisitFor(const For* loop) {
    Tick(loop);
    Evaluate([&] {
      Visit(loop->min);
      Visit(loop->extent);
    });
    const bool parallel = loop->for_kind == ForKind::kParallel ||
                          loop->for_kind == ForKind::kVectorized ||
                          loop->for_kind == ForKind::kThreadBinding;
    parallel_depth_ += parallel ? 1 : 0;
    EnterLoop();
    Visit(loop->body);
    LeaveLoop();
    parallel_depth_ -= parallel ? 1 : 0;
  }

  void VisitWhile(const While* loop) {
    Tick(loop);
    EnterLoop();
    Evaluate([&] { Visit(loop->condition); });
    Visit(loop->body);
    LeaveLoop();
  }

  void VisitBufferStore(const BufferStore* store) {
    Tick(store);
    Evaluate([&] {
      VisitBuffer(store->buffer);
      for (const Expr* index : store->indices) Visit(index);
      if (store->value->dtype.is_handle()) {
        VisitEscaping(store->value);
      } else {
        Visit(store->value);
      }
      Visit(store->predicate);
      Touch(store->buffer->data);
    });
  }
  void VisitBufferLoad(const BufferLoad* load) {
    VisitBuffer(load->buffer);
    for (const Expr* index : load->indices) Visit(index);
    Visit(load->predicate);
    Touch(load->buffer->data);
  }
  /// An access through a buffer computes its strides and its offset.
  void VisitBuffer(const Buffer* buffer) {
    for (const Expr* stride : buffer->strides) Visit(stride);
    for (const Expr* extent : buffer->shape) Visit(extent);
    Visit(buffer->elem_offset);
  }
  void VisitVar(const Var* var) {
    if (var->dtype.is_handle()) Touch(var);
  }

  void VisitLetStmt(const LetStmt* let) {
    Tick(let);
    Evaluate([&] { VisitBoundValue(let->var, let->value); });
    Visit(let->body);
  }
  void VisitLet(const Let* let) {
    VisitBoundValue(let->var, let->value);
    Visit(let->body);
  }
  void VisitEvaluate(const Evaluate* evaluate) {
    Tick(evaluate);
    Evaluate([&] { Visit(evaluate->value); });
  }
  void VisitIfThenElse(const IfThenElse* branch) {
    Tick(branch);
    Evaluate([&] { Visit(branch->condition); });
    Visit(branch->then_case);
    Visit(branch->else_case);
  }
  void VisitAssertStmt(const AssertStmt* assertion) {
    Tick(assertion);
    Evaluate([&] {
      Visit(assertion->condition);
      Visit(assertion->message);
    });
    Visit(assertion->body);
  }
  void VisitAttrStmt(const AttrStmt* attr) {
    Evaluate([&] { Visit(attr->value); });
    Visit(attr->body);
  }

  void VisitCall(const Call* call) {
    const CallSite site = AsCallSite(module_, call);
    if (site.callee == nullptr) {
      const bool escapes = call->op->kind == OpKind::kTvmStructSet ||
                           (call->op->kind == OpKind::kReinterpret && !call->dtype.is_handle());
      escaping_ += escapes ? 1 : 0;
      VisitChildren(call);
      escaping_ -= escapes ? 1 : 0;
      return;
    }
    Frame frame;
    frame.function = site.callee;
    frame.roots = &RootsOf(*site.callee);
    const PrimFunc& callee = *site.callee->func;
    for (size_t i = 0; i < site.args.size(); ++i) {
      const Expr* arg = site.args[i];
      if (!arg->dtype.is_handle()) {
        Visit(arg);
        continue;
      }
      const int32_t slot = SlotOf(arg);
      if (slot < 0) {
        VisitEscaping(arg);
        continue;
      }
      VisitIndices(arg);
      if (i < callee.params.size()) {
        frame.open_of[callee.params[i]] = slot;
        if (callee.buffers[i] != nullptr) frame.open_of[callee.buffers[i]->data] = slot;
      } else {
        TouchSlot(slot);
      }
    }
    EnterFunction(frame);
  }

 private:
  /// An allocation whose body is being run. `depth`: loops around it.
  struct Open {
    int32_t index;
    int32_t depth;
    int64_t first;
    int64_t last;
    bool escaped = false;
  };
  struct Loop {
    int64_t start;
    std::vector<int32_t> touched;
  };
  /// A call being run: which open allocation its pointer variables stand for.
  struct Frame {
    const Function* function = nullptr;
    const PointerRoots* roots = nullptr;
    absl::flat_hash_map<const Var*, int32_t> open_of;
  };

  const PointerRoots& RootsOf(const Function& function) {
    std::unique_ptr<PointerRoots>& roots = roots_[function.name];
    if (roots == nullptr) roots = std::make_unique<PointerRoots>(*function.func);
    return *roots;
  }

  void Tick(const Stmt* stmt) {
    ++now_;
    if (now_ < kMostTicks) {
      liveness_.tick_stmts.resize(static_cast<size_t>(now_) + 1, stmt);
      liveness_.tick_stmts.back() = stmt;
    } else if (ok_) {
      ok_ = false;
      diagnostics_.Error(
          DiagnosticKind::kPass, stmt->range,
          fmt::format("calls unfold to more than {} statements; memory cannot be planned",
                      kMostTicks));
    }
  }

  void EnterFunction(Frame& frame) {
    if (!ok_) return;
    if (!active_.insert(frame.function->name).second) {
      ok_ = false;
      diagnostics_.Error(
          DiagnosticKind::kPass, frame.function->func->range,
          fmt::format("`{}` calls itself; memory cannot be planned", frame.function->name.view()));
      return;
    }
    if (reached_.insert(frame.function->name).second)
      liveness_.reached.push_back(frame.function->name);
    Frame* const caller = std::exchange(frame_, &frame);
    std::vector<int32_t>* const statement = std::exchange(statement_, nullptr);
    const int escaping = std::exchange(escaping_, 0);
    Visit(frame.function->func->body);
    frame_ = caller;
    statement_ = statement;
    escaping_ = escaping;
    active_.erase(frame.function->name);
  }

  void EnterLoop() { loops_.push_back({now_, {}}); }
  void LeaveLoop() {
    ++now_;  // the jump back: what the loop carries is live here too
    for (int32_t slot : loops_.back().touched) {
      Open& open = open_[static_cast<size_t>(slot)];
      open.last = std::max(open.last, now_);
    }
    loops_.pop_back();
  }

  /// Visits the expressions of one statement. Calls in them take time, and operands are evaluated
  /// in no set order, so what the statement touches is in use from its start to its end.
  template <class F>
  void Evaluate(F&& visit) {
    std::vector<int32_t> touched;
    std::vector<int32_t>* const outer = std::exchange(statement_, &touched);
    const int64_t start = now_;
    visit();
    statement_ = outer;
    if (now_ == start) return;
    for (int32_t slot : touched) {
      TouchSlot(slot);
      Open& open = open_[static_cast<size_t>(slot)];
      open.first = std::min(open.first, start);
    }
  }

  /// A pointer that goes where it cannot be followed may be used until its allocation ends.
  void VisitEscaping(const Expr* pointer) {
    ++escaping_;
    Visit(pointer);
    --escaping_;
  }

  /// What is read to compute a pointer into a known allocation.
  void VisitIndices(const Expr* pointer) {
    while (true) {
      if (const auto* cast_expr = dyn_cast<Cast>(pointer)) {
        pointer = cast_expr->value;
        continue;
      }
      const auto* call = dyn_cast<Call>(pointer);
      if (call == nullptr) return;
      if (call->op->kind == OpKind::kAddressOf) {
        for (const Expr* index : cast<BufferLoad>(call->args[0])->indices) Visit(index);
        return;
      }
      const size_t inner = call->op->kind == OpKind::kTvmAccessPtr ? 1 : 0;
      for (size_t i = inner + 1; i < call->args.size(); ++i) Visit(call->args[i]);
      pointer = call->args[inner];
    }
  }

  /// Binding an alias uses nothing yet; anything else a let computes is used here.
  void VisitBoundValue(const Var* var, const Expr* value) {
    if (!var->dtype.is_handle()) return Visit(value);
    if (SlotOf(value) < 0) return VisitEscaping(value);
    VisitIndices(value);
  }

  int32_t SlotOf(const Expr* pointer) const {
    const Var* root = frame_->roots->RootOf(pointer);
    if (root == nullptr) return -1;
    const auto found = frame_->open_of.find(root);
    return found == frame_->open_of.end() ? -1 : found->second;
  }

  void Touch(const Var* pointer) {
    const int32_t slot = SlotOf(pointer);
    if (slot >= 0) TouchSlot(slot);
  }
  void TouchSlot(int32_t slot) {
    Open& open = open_[static_cast<size_t>(slot)];
    if (open.first < 0) open.first = now_;
    open.last = now_;
    open.escaped |= escaping_ > 0;
    if (statement_ != nullptr) statement_->push_back(slot);
    if (static_cast<size_t>(open.depth) < loops_.size()) {
      Loop& loop = loops_[static_cast<size_t>(open.depth)];
      open.first = std::min(open.first, loop.start);
      if (loop.touched.empty() || loop.touched.back() != slot) loop.touched.push_back(slot);
    }
  }

  void Close(int32_t slot) {
    Open open = open_.back();
    TENON_CHECK(static_cast<size_t>(slot) + 1 == open_.size());
    open_.pop_back();
    if (open.escaped) open.last = now_;
    liveness_.ranges.resize(liveness_.allocations.size());
    if (open.first < 0) return;
    std::vector<LiveRange>& ranges = liveness_.ranges[static_cast<size_t>(open.index)];
    if (!ranges.empty() && ranges.back().upper >= open.first) {
      ranges.back().upper = std::max(ranges.back().upper, open.last + 1);
    } else {
      ranges.push_back({open.first, open.last + 1});
    }
  }

  const IRModule& module_;
  Liveness& liveness_;
  AllocationTable& table_;
  Diagnostics& diagnostics_;
  absl::flat_hash_map<Symbol, std::unique_ptr<PointerRoots>> roots_;
  absl::flat_hash_set<Symbol> active_;
  absl::flat_hash_set<Symbol> reached_;
  Frame* frame_ = nullptr;
  std::vector<Open> open_;
  std::vector<Loop> loops_;
  /// What the statement being evaluated has touched; null between statements.
  std::vector<int32_t>* statement_ = nullptr;
  int parallel_depth_ = 0;
  int escaping_ = 0;
  int64_t now_ = 0;
  bool ok_ = true;
};

}  // namespace

}  // namespace liveness_internal

std::optional<Liveness> ComputeLiveness(const IRModule& module, const Function& entry,
                                        Diagnostics& diagnostics) {
  Liveness liveness;
  liveness_internal::AllocationTable table(liveness.allocations);
  if (!liveness_internal::Clock(module, liveness, table, diagnostics).Run(entry))
    return std::nullopt;
  liveness.ranges.resize(liveness.allocations.size());
  liveness_internal::ComputeTvmIntervals(module, entry, table, liveness);
  return liveness;
}

}  // namespace tenon
