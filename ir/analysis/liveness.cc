#include "ir/analysis/liveness.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/full_store.h"
#include "ir/analysis/liveness_internal.h"
#include "ir/analysis/pointers.h"
#include "ir/visitor.h"

namespace tenon {

namespace liveness_internal {

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
    const auto depth = static_cast<int32_t>(loops_.size());
    const Open open{index, depth, depth, conditions_, left_};
    const auto slot = static_cast<int32_t>(open_.size());
    open_.push_back(open);
    frame_->open_of[allocate->buffer_var] = slot;
    frame_->whole.insert(allocate->buffer_var);
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
    Overwrite(loop);
    const int64_t* extent = AsIntImm(loop->extent);
    const int maybe = extent != nullptr && *extent > 0 ? 0 : 1;
    parallel_depth_ += parallel ? 1 : 0;
    conditions_ += maybe;
    EnterLoop();
    Visit(loop->body);
    LeaveLoop();
    conditions_ -= maybe;
    parallel_depth_ -= parallel ? 1 : 0;
  }

  void VisitWhile(const While* loop) {
    Tick(loop);
    ++conditions_;
    EnterLoop();
    Evaluate([&] { Visit(loop->condition); });
    Visit(loop->body);
    LeaveLoop();
    --conditions_;
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
    whole_statement_ = evaluate->value;
    Evaluate([&] { Visit(evaluate->value); });
    whole_statement_ = nullptr;
  }
  void VisitIfThenElse(const IfThenElse* branch) {
    Tick(branch);
    Evaluate([&] { Visit(branch->condition); });
    ++conditions_;
    Visit(branch->then_case);
    Visit(branch->else_case);
    --conditions_;
  }
  void VisitAssertStmt(const AssertStmt* assertion) {
    Tick(assertion);
    Evaluate([&] {
      Visit(assertion->condition);
      Visit(assertion->message);
    });
    left_ = true;
    Visit(assertion->body);
  }
  void VisitAttrStmt(const AttrStmt* attr) {
    Evaluate([&] { Visit(attr->value); });
    Visit(attr->body);
  }

  void VisitCall(const Call* call) {
    const CallSite site = AsCallSite(module_, call);
    left_ |= call->op->kind == OpKind::kRet;
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
        const auto* var = dyn_cast<Var>(arg);
        if (var != nullptr && frame_->whole.contains(var)) {
          frame.whole.insert(callee.params[i]);
          if (callee.buffers[i] != nullptr) frame.whole.insert(callee.buffers[i]->data);
        }
      } else {
        TouchSlot(slot);
      }
    }
    const int maybe = whole_statement_ == call ? 0 : 1;
    conditions_ += maybe;
    EnterFunction(frame);
    conditions_ -= maybe;
  }

 private:
  /// An allocation whose body is being run.
  struct Open {
    int32_t index;
    /// The loops around the allocation, or around the last full overwrite: no content crosses from
    /// one of their iterations to the next.
    int32_t depth;
    int32_t own_depth;
    /// Where it stands; an overwrite under more conditions may be left out.
    int conditions;
    bool left;
    int64_t first = -1;
    int64_t last = -1;
    bool escaped = false;
    /// Where a loop that it was used in begins: what an escaped pointer may reach back to.
    int64_t widest = -1;
    std::vector<LiveRange> done = {};
  };
  struct Loop {
    int64_t start;
    std::vector<int32_t> touched;
    /// Those of outside that are overwritten whole in it.
    std::vector<int32_t> overwritten = {};
  };
  /// A call being run: which open allocation its pointer variables stand for.
  struct Frame {
    const Function* function = nullptr;
    const PointerRoots* roots = nullptr;
    absl::flat_hash_map<const Var*, int32_t> open_of;
    /// Those that point to an allocation's first byte.
    absl::flat_hash_set<const Var*> whole;
  };

  const PointerRoots& RootsOf(const Function& function) {
    std::unique_ptr<PointerRoots>& roots = roots_[function.name];
    if (roots == nullptr) roots = std::make_unique<PointerRoots>(*function.func);
    return *roots;
  }

  void Tick(const Stmt* stmt) {
    ++now_;
    if (now_ < kMostTicks) {
      // Ticks that jump back are those of the loop that ends, not of what follows.
      std::vector<const Stmt*>& stmts = liveness_.tick_stmts;
      stmts.resize(static_cast<size_t>(now_), stmts.empty() ? nullptr : stmts.back());
      stmts.push_back(stmt);
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
    const bool left = left_;
    Visit(frame.function->func->body);
    left_ = left;
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
    const std::vector<int32_t> overwritten = std::move(loops_.back().overwritten);
    loops_.pop_back();
    const auto depth = static_cast<int32_t>(loops_.size());
    for (int32_t slot : overwritten) {
      Open& open = open_[static_cast<size_t>(slot)];
      open.depth = std::min(open.depth, depth);
      if (depth > open.own_depth) loops_.back().overwritten.push_back(slot);
    }
  }

  /// Whether evaluating `value` may read what `slot` holds.
  bool MayRead(const Expr* value, int32_t slot) const {
    bool reads = false;
    Walk(value, [&](const Node* node) {
      if (const auto* load = dyn_cast<BufferLoad>(node)) {
        reads |= SlotOf(load->buffer->data) == slot;
      } else if (const auto* call = dyn_cast<Call>(node)) {
        reads |= call->dtype.is_handle() || AsCallSite(module_, call).callee != nullptr;
      } else if (const auto* var = dyn_cast<Var>(node)) {
        reads |= var->dtype.is_handle() && SlotOf(var) == slot;
      }
      return !reads;
    });
    return reads;
  }

  /// A nest that writes an allocation whole, and that every run from the allocation to here comes
  /// through, ends what the allocation held: nothing is live from its last use to the nest, and
  /// loops around both carry nothing to the next iteration.
  void Overwrite(const For* nest) {
    const Stmt* body = nest;
    for (int i = 0; i < 16 && isa<For>(body); ++i) body = cast<For>(body)->body;
    const auto* target = dyn_cast<BufferStore>(body);
    if (target == nullptr || !frame_->whole.contains(target->buffer->data)) return;
    const int32_t slot = SlotOf(target->buffer->data);
    if (slot < 0) return;
    Open& open = open_[static_cast<size_t>(slot)];
    if (open.escaped || parallel_depth_ > 0 || conditions_ != open.conditions ||
        left_ != open.left) {
      return;
    }
    for (auto i = static_cast<size_t>(open.depth); i < loops_.size(); ++i) {
      const std::vector<int32_t>& touched = loops_[i].touched;
      if (std::find(touched.begin(), touched.end(), slot) != touched.end()) return;
    }
    if (FullStoreOf(nest, table_.at(open.index).size_bytes) != target ||
        MayRead(target->value, slot)) {
      return;
    }
    if (static_cast<size_t>(open.own_depth) < loops_.size() && open.widest < 0)
      open.widest = loops_[static_cast<size_t>(open.own_depth)].start;
    open.depth = static_cast<int32_t>(loops_.size());
    if (open.depth > open.own_depth) loops_.back().overwritten.push_back(slot);
    if (open.first >= 0) open.done.push_back({open.first, open.last + 1});
    open.first = open.last = -1;
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
    NoteUse(static_cast<size_t>(open.index));
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

  void NoteUse(size_t index) {
    if (liveness_.uses.size() <= index) liveness_.uses.resize(index + 1);
    std::vector<int64_t>& uses = liveness_.uses[index];
    if (uses.empty() || uses.back() != now_) uses.push_back(now_);
  }

  void Close(int32_t slot) {
    TENON_CHECK(static_cast<size_t>(slot) + 1 == open_.size());
    Open open = std::move(open_.back());
    open_.pop_back();
    liveness_.ranges.resize(liveness_.allocations.size());
    if (open.escaped) {
      if (!open.done.empty()) open.first = std::min(open.first, open.done.front().lower);
      if (open.widest >= 0) open.first = std::min(open.first, open.widest);
      open.done.clear();
      open.last = now_;
    }
    if (open.first >= 0) open.done.push_back({open.first, open.last + 1});
    std::vector<LiveRange>& ranges = liveness_.ranges[static_cast<size_t>(open.index)];
    for (const LiveRange& range : open.done) {
      LiveRange merged = range;
      while (!ranges.empty() && ranges.back().upper >= merged.lower) {
        merged.lower = std::min(merged.lower, ranges.back().lower);
        merged.upper = std::max(merged.upper, ranges.back().upper);
        ranges.pop_back();
      }
      ranges.push_back(merged);
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
  /// What may keep the statement being visited from running: branches, loops that may be empty,
  /// calls inside of expressions.
  int conditions_ = 0;
  /// Whether the function, or a caller, may have returned already.
  bool left_ = false;
  /// The value of the Evaluate being run.
  const Expr* whole_statement_ = nullptr;
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
  liveness.uses.resize(liveness.allocations.size());
  liveness_internal::ComputeTvmIntervals(module, entry, table, liveness);
  return liveness;
}

}  // namespace tenon
