#ifndef TENON_ANALYSIS_CONTRACTION_H_
#define TENON_ANALYSIS_CONTRACTION_H_

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/computation.h"

// Classifies the loops of a reduction as rows, columns or windows by the operands that they index.

namespace tenon {

/// A window along one axis of the input. Output place `o` and kernel place `k` read the input at
/// `o * stride + k * dilation - pad_before`. With a `divisor`, that index is divided by it, and
/// only read where the division is exact.
struct Window {
  /// Loops, the outermost first; empty if the extent is 1.
  std::vector<int> places;
  std::vector<int> kernel;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;
  int64_t pad_after = 0;
  /// The elements of the input on this axis, up to the last one that is read.
  int64_t extent = 1;
  int64_t divisor = 1;
  /// The distance in elements between neighbours on this axis of the input.
  int64_t pitch = 1;
};

/// The windows of `access` between kept and reduced loops; `guards` are the steps of the conditions
/// under which the access is read. The window with the greatest pitch is first. Nullopt if a
/// condition is not understood.
std::optional<std::vector<Window>> FindWindows(const Computation& all, int access,
                                               const std::vector<int>& guards,
                                               const std::vector<int>& kept,
                                               const std::vector<int>& reduced);

/// A sum of products.
struct Contraction {
  /// The step of the sum.
  int step = -1;
  /// The accesses of the two factors.
  int input = -1;
  int weights = -1;
  /// The conditions of the input.
  std::vector<int> guards;
  std::vector<Window> windows;
  /// Loops that index both factors and the result (g), the input and the result (m), the weights
  /// and the result (n), and only both factors (k).
  std::vector<int> shared, rows, columns, summed;
};

/// The contraction of a computation with one store and one reduction; otherwise nullopt, with the
/// reason in `because`.
std::optional<Contraction> FindContraction(const Computation& all, std::string& because);

/// Moves the conditions around the products of a sum of integers to one factor, the one that reads
/// `input`: `select(c, x * w, 0)` becomes `select(c, x, 0) * w`. The sum stays the same. False, and
/// `all` stays, if there is no such condition, or if the other factor has no value where the
/// condition is false. Steps from the sum's product on get new numbers.
bool GuardFactor(Computation& all, int sum, int input);

/// A computation that stores one reduction of `all`, for all values of the loops `kept`.
Computation ReductionAlone(const Computation& all, int reduction, const std::vector<int>& kept);
/// Makes two loops of one: `loop` keeps the inner `extent` iterations, which must divide its
/// extent. Returns the outer loop.
int SplitLoop(Computation& all, int loop, int64_t extent);

/// Makes one loop of `inner` and `outer`, loops of stores: `inner` runs through the iterations of
/// both, and `outer` is gone. False, without a change, unless the distance of neighbours along
/// `outer` is the length of a row of `inner` everywhere.
bool JoinLoops(Computation& all, int inner, int outer);
/// The product of the loops' extents, or the largest int64.
int64_t Iterations(const Computation& all, std::span<const int> loops);

/// The least and the greatest value of an index, which must fit int64.
std::pair<int64_t, int64_t> RangeOf(const Computation& all, const LinearIndex& index);

/// Marks the steps that a step depends on, including the step.
std::vector<bool> StepsBelow(const Computation& all, int step);
/// The first store that needs a step. There is one.
const ComputationStore& StoreOf(const Computation& all, int step);
/// The reductions among the steps that stores use.
std::vector<int> Reductions(const Computation& all);
/// True if several stores reduce the same values, perhaps by loops of other names. The text reduces
/// them once, and a computation has its own steps for each store.
bool RepeatsReductions(const Computation& all);
/// The value of a step without its casts and the conditions around it. The step has this value
/// where the conditions hold, and is `otherwise` elsewhere.
int Unguarded(const Computation& all, int step, double otherwise, std::vector<int>& guards);

}  // namespace tenon

#endif  // TENON_ANALYSIS_CONTRACTION_H_
