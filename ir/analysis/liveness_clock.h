#ifndef TENON_IR_ANALYSIS_LIVENESS_CLOCK_H_
#define TENON_IR_ANALYSIS_LIVENESS_CLOCK_H_

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/full_store.h"
#include "ir/analysis/live_slots.h"
#include "ir/analysis/liveness_internal.h"
#include "ir/analysis/pointers.h"
#include "ir/thread_binding.h"
#include "ir/visitor.h"

// Internal to ir/analysis/liveness*.cc.

namespace tenon::liveness_internal {

/// Runs the exact clock through the program.
class Clock : public Visitor<Clock> {
 public:
  Clock(const IRModule& module, Liveness& liveness, AllocationTable& table,
        Diagnostics& diagnostics, const LivenessOptions& options)
      : module_(module),
        liveness_(liveness),
        table_(table),
        diagnostics_(diagnostics),
        options_(options) {}

  bool Run(const Function& entry) {
    Frame frame;
    frame.function = &entry;
    frame.roots = &RootsOf(entry);
    EnterFunction(frame, /*certain=*/true);
    liveness_.ticks = now_;
    return ok_;
  }

  void VisitAllocate(const Allocate* allocate);
  void VisitAllocateConst(const AllocateConst* allocate) {
    Tick(allocate);
    table_.Enter(allocate, frame_->function->name);
    Visit(allocate->body);
  }

  void VisitFor(const For* loop);
  void VisitWhile(const While* loop);
  void VisitBufferStore(const BufferStore* store);
  void VisitBufferLoad(const BufferLoad* load);
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
    whole_statement_ = let->value;
    Evaluate([&] { VisitBoundValue(let->var, let->value); });
    whole_statement_ = nullptr;
    Visit(let->body);
  }
  void VisitLet(const Let* let) {
    VisitBoundValue(let->var, let->value);
    Visit(let->body);
  }
  void VisitEvaluate(const tenon::Evaluate* evaluate) {
    Tick(evaluate);
    whole_statement_ = evaluate->value;
    Evaluate([&] { Visit(evaluate->value); });
    whole_statement_ = nullptr;
  }
  void VisitIfThenElse(const IfThenElse* branch);
  void VisitAssertStmt(const AssertStmt* assertion) {
    Tick(assertion);
    Evaluate([&] {
      Visit(assertion->condition);
      Visit(assertion->message);
    });
    MayLeaveFunction();
    Visit(assertion->body);
  }
  void VisitAttrStmt(const AttrStmt* attr) {
    Evaluate([&] { Visit(attr->value); });
    if (!BindsThread(attr)) return Visit(attr->body);
    RunParallel([&] { Visit(attr->body); });
  }

  void VisitCall(const Call* call);

 private:
  /// A call being run: the open allocation that each of its pointer variables points into.
  struct Frame {
    const Function* function = nullptr;
    const PointerRoots* roots = nullptr;
    absl::flat_hash_map<const Var*, int32_t> slot_of;
    /// The byte offset of each pointer in its allocation; absent if it is not known or not
    /// constant.
    absl::flat_hash_map<const Var*, int64_t> offset_of;
    /// Number of allocations that were open before the call.
    int32_t slots = 0;
  };
  struct Overwritten {
    int32_t slot = 0;
    ByteRange bytes;
  };

  static ByteRange Moved(const ByteRange& bytes, int64_t offset) {
    return {bytes.first + offset, bytes.end + offset};
  }

  const PointerRoots& RootsOf(const Function& function) {
    std::unique_ptr<PointerRoots>& roots = roots_[function.name];
    if (roots == nullptr) roots = std::make_unique<PointerRoots>(*function.func);
    return *roots;
  }

  void Tick(const Stmt* stmt);
  void EnterFunction(Frame& frame, bool certain);

  /// Reads what the caller of the entry needs, if the entry returns here.
  void EndRun(const Call* ret);
  /// The rest of this function may not run, so it does not certainly overwrite storage of callers.
  void MayLeaveFunction() { overwrite_floor_ = std::max(overwrite_floor_, frame_->slots); }

  void VisitCallOf(const CallSite& site, bool certain);
  /// Visits a call of an extern, whose effects its declaration gives.
  void VisitExtern(const CallSite& site, bool certain);

  /// Runs concurrent iterations: an allocation that one of them uses is in use all the time, and no
  /// overwrite in one iteration is ordered before reads in another.
  template <class F>
  void RunParallel(F&& body) {
    const int64_t start = now_;
    const int32_t floor = std::exchange(overwrite_floor_, slots_.count());
    if (parallel_depth_++ == 0) parallel_slots_ = slots_.count();
    body();
    overwrite_floor_ = floor;
    if (--parallel_depth_ > 0) return;
    for (const int32_t slot : std::exchange(in_parallel_, {})) {
      Slot& used = slots_.at(slot);
      const ByteRange read = used.read_in_parallel ? kAllBytes : ByteRange{};
      used.in_parallel = used.read_in_parallel = false;
      slots_.Add(slot, {start, now_ + 1, -1, read, {}});
    }
  }

  /// Whether an overwrite of `slot` at this point certainly runs whenever control passes here.
  bool MayOverwrite(int32_t slot) {
    const Slot& to = slots_.at(slot);
    return options_.overwrites && slot >= overwrite_floor_ && to.sized;
  }

  /// The bytes of an allocation that a store writes for all values of variables.
  std::optional<ByteRange> OverwrittenBy(const BufferStore* store, int32_t slot);
  /// Whether evaluating `value` may read the contents of `slot`.
  bool MayRead(const Expr* value, int32_t slot) const;
  /// Records the overwrites of the nest that begins at `start`.
  void NoteOverwrites(const For* nest, int64_t start);

  /// Visits the expressions of one statement. Calls in them take time, and operands are evaluated
  /// in unspecified order, so allocations that the statement touches are in use from its start to
  /// its end.
  template <class F>
  void Evaluate(F&& visit) {
    std::vector<int32_t> touched;
    std::vector<int32_t>* const outer = std::exchange(statement_, &touched);
    const int64_t start = now_;
    visit();
    statement_ = outer;
    if (now_ == start) return;
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const int32_t slot : touched) slots_.Add(slot, {start, now_ + 1, -1, {}, {}});
  }

  /// A pointer that escapes may be used until the end of its allocation's scope.
  void VisitEscaping(const Expr* pointer) {
    ++escaping_;
    Visit(pointer);
    --escaping_;
  }

  /// Visits the expressions that are read to compute a pointer into a known allocation.
  void VisitIndices(const Expr* pointer);
  /// Binding an alias is not a use yet; any other value of a let is used here.
  void VisitBoundValue(const Var* var, const Expr* value);

  int32_t SlotOf(const Expr* pointer) const;
  /// The allocations of a pointer that is one of several.
  std::vector<int32_t> ChosenBy(const Expr* pointer) const;
  /// The byte offset of a pointer in its allocation, if it is constant.
  std::optional<int64_t> OffsetOf(const Expr* pointer) const;

  /// A use that may read the whole allocation.
  void Touch(const Var* pointer) {
    const int32_t slot = SlotOf(pointer);
    if (slot >= 0) TouchSlot(slot, kAllBytes);
  }
  void NoteUse(int32_t slot);
  /// Overwrites `bytes` now.
  void AddOverwrite(int32_t slot, const ByteRange& bytes);
  /// Reads `read`, which may be empty, and may write some of the rest.
  void TouchSlot(int32_t slot, const ByteRange& read);

  const IRModule& module_;
  Liveness& liveness_;
  AllocationTable& table_;
  Diagnostics& diagnostics_;
  const LivenessOptions& options_;
  absl::flat_hash_map<Symbol, std::unique_ptr<PointerRoots>> roots_;
  absl::flat_hash_map<const For*, std::unique_ptr<NestEffects>> nests_;
  absl::flat_hash_set<Symbol> active_;
  absl::flat_hash_set<Symbol> reached_;
  Frame* frame_ = nullptr;
  Slots slots_;
  /// The values that counters of enclosing loops may have.
  IndexRanges index_ranges_;
  /// The allocations that the current statement has touched; null between statements.
  std::vector<int32_t>* statement_ = nullptr;
  int parallel_depth_ = 0;
  /// Number of allocations that are open around the current parallel loop, and those used in it.
  int32_t parallel_slots_ = 0;
  std::vector<int32_t> in_parallel_;
  /// Allocations before this index are not certainly overwritten: the code being visited may not
  /// run, or may run in any order.
  int32_t overwrite_floor_ = 0;
  /// The value of the current statement, until it is visited.
  const Expr* whole_statement_ = nullptr;
  int escaping_ = 0;
  int64_t now_ = 0;
  bool ok_ = true;
};

}  // namespace tenon::liveness_internal

#endif  // TENON_IR_ANALYSIS_LIVENESS_CLOCK_H_
