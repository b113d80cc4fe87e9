#ifndef TENON_SCHEDULE_STEP_FACTS_H_
#define TENON_SCHEDULE_STEP_FACTS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "analysis/computation.h"

// Facts about the steps of a computation: which loops they depend on, and which values neighbouring
// iterations share. Schedules are chosen, verified and written by these facts.

namespace tenon {

/// Vectors are loaded from elements that are at most this far apart.
inline constexpr int64_t kMostLaneStride = 4;

/// A set of loops of a computation: bit i is loop i.
using LoopSet = uint64_t;
inline LoopSet Bit(int loop) { return LoopSet{1} << loop; }

inline bool Includes(const std::vector<int>& loops, int loop) {
  return std::find(loops.begin(), loops.end(), loop) != loops.end();
}
inline int64_t LoopExtent(const Computation& computation, int loop) {
  return computation.loops[static_cast<size_t>(loop)].extent;
}

/// The loops that the value of each step depends on. The computation has at most 64 loops.
std::vector<LoopSet> FreeLoops(const Computation& computation);
LoopSet LoopsOf(const LinearIndex& index);
/// The distance of neighbours along `loop` is 0 or 1 for all elements that `value` reads.
bool ReadsAlong(const Computation& computation, int value, int loop);
/// `select`, or `if_then_else`.
bool IsChoice(const Step& step);
/// A comparison of two numbers by their order.
bool IsOrder(const Step& step);
/// `bitwise_and`, `bitwise_or` and `bitwise_xor`.
bool IsBitwise(OpKind op);
/// 0, or +0.
bool IsPositiveZero(const Step& step);

/// The facts about the steps of one computation.
class StepFacts {
 public:
  /// `is_given(step)`: the value of the step was computed before, so its arguments do not matter.
  /// `wide` is an access whose neighbours along the lanes are several elements apart, because one
  /// instruction adds up the products between them; -1: none. `register_bytes` are the bytes of a
  /// vector register.
  StepFacts(const Computation& computation, std::function<bool(int)> is_given, int wide,
            int64_t register_bytes);

  const Step& StepAt(int step) const { return computation_.steps[static_cast<size_t>(step)]; }
  LoopSet FreeOf(int step) const { return free_[static_cast<size_t>(step)]; }
  int64_t ExtentOf(int loop) const { return computation_.loops[static_cast<size_t>(loop)].extent; }
  bool IsGiven(int step) const { return is_given_(step); }
  int wide() const { return wide_; }
  /// From here on, `choice` has the value of `element` in lanes, because padding is omitted.
  void LeaveOut(int choice, int element) { left_out_.emplace_back(choice, element); }
  void set_wide(int access) { wide_ = access; }

  /// Reductions that `roots` need and that can be computed now: their values depend neither on a
  /// loop of `hidden`, nor on a loop of a reduction that they are part of.
  std::vector<int> SumsToMake(const std::vector<int>& roots, LoopSet hidden) const;
  /// True if the value of a step can be computed in lanes along the row.
  bool IsLaneValue(int step, int row) const;
  /// True if a step's reads in lanes are, at least in part, the same at all places of some loops.
  bool SharesLanes(int step, int row, LoopSet loops) const;
  /// True if the sum reads its operands along the row, or once for the whole row, and contains no
  /// other sum that depends on the position in the row.
  bool WalksAlong(int sum, int row) const;
  /// True if a value needs a reduction.
  bool HasSum(int root) const;
  /// True if the products that a sum adds up have factors of 16 bits or less.
  bool HasShortFactors(int sum) const;

 private:
  bool IsLaneCall(const Step& step, int row) const;

  const Computation& computation_;
  const std::vector<LoopSet> free_;
  const std::function<bool(int)> is_given_;
  int wide_;
  std::vector<std::pair<int, int>> left_out_;
  const int64_t register_bytes_;
};

}  // namespace tenon

#endif  // TENON_SCHEDULE_STEP_FACTS_H_
