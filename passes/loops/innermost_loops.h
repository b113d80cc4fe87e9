#ifndef TENON_PASSES_LOOPS_INNERMOST_LOOPS_H_
#define TENON_PASSES_LOOPS_INNERMOST_LOOPS_H_

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/loop_independence.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"

namespace tenon {

/// For sums of at least this length, out-of-order execution no longer hides the latency. On x86-64
/// with AVX-512, ad_float became a fifth faster and ad_int8 a third when jam-loops began to run
/// such sums together.
inline constexpr int64_t kManySteps = 64;

/// Whether shape, strides and offset of `buffer` are literals.
inline bool HasConstantLayout(const Buffer& buffer) {
  const auto is_constant = [](const Expr* expr) { return AsIntImm(expr) != nullptr; };
  return std::all_of(buffer.shape.begin(), buffer.shape.end(), is_constant) &&
         std::all_of(buffer.strides.begin(), buffer.strides.end(), is_constant) &&
         is_constant(buffer.elem_offset);
}

/// True for a serial loop with constant bounds and without annotations.
inline bool IsPlainLoop(const For& loop) {
  return loop.for_kind == ForKind::kSerial && loop.annotations == nullptr &&
         AsIntImm(loop.min) != nullptr && AsIntImm(loop.extent) != nullptr;
}

/// The same, for a loop that counts from 0 and runs at least once.
inline bool IsPlainLoopFromZero(const For& loop) {
  return IsPlainLoop(loop) && IsConstInt(loop.min, 0) && *AsIntImm(loop.extent) > 0;
}

/// Calls `Derived` for the loops of a function, from the innermost ones outwards, until it replaces
/// one of a nest. `const Stmt* TryLoop(const For* loop, int64_t min, int64_t extent)` returns the
/// replacement of the loop, or null to keep it. It is only called for serial loops with constant
/// bounds and without annotations.
template <class Derived>
class InnermostLoops : public Rewriter<Derived> {
 public:
  InnermostLoops(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func)
      : Rewriter<Derived>(context, std::move(storage)), pointers_(func) {}

  const Stmt* RewriteFor(const For* loop) {
    const bool before = std::exchange(done_, false);
    around_.push_back(loop);
    const For* now = this->RewriteChildren(loop);
    around_.pop_back();
    const Stmt* result = done_ ? nullptr : Offer(now);
    done_ |= before || result != nullptr;
    return result != nullptr ? result : now;
  }

 protected:
  const FunctionStorage& pointers() const { return pointers_; }

  /// The loops around the current statement, the outermost first.
  const std::vector<const For*>& around() const { return around_; }
  /// Ends the search in the nest of the current loop: `Derived` has replaced it.
  void SetReplaced() { done_ = true; }

  /// See IterationsAreIndependent; for the current loop.
  bool IsIndependent(const For* loop) const {
    return IterationsAreIndependent(pointers_, around_, loop);
  }

 private:
  const Stmt* Offer(const For* loop) {
    if (!IsPlainLoop(*loop) || !loop->loop_var->dtype.is_int()) return nullptr;
    return this->self().TryLoop(loop, *AsIntImm(loop->min), *AsIntImm(loop->extent));
  }

  FunctionStorage pointers_;
  std::vector<const For*> around_;
  /// True if a loop within the last rewritten loop was replaced.
  bool done_ = false;
};

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_INNERMOST_LOOPS_H_
