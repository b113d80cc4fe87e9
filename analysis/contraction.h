#ifndef TENON_ANALYSIS_CONTRACTION_H_
#define TENON_ANALYSIS_CONTRACTION_H_

#include <optional>
#include <string>
#include <vector>

#include "analysis/computation.h"

// Names the loops of a reduction rows, columns or windows by the operands that they walk over.

namespace tenon {

/// A window along one axis of the input: the place `o` of the output and the place `k` of the
/// kernel read the input at `o * stride + k * dilation - pad_before`. With a `divisor` that index
/// is divided by it, and read only where the quotient is whole.
struct Window {
  /// Loops, the outermost first; empty where the extent is 1.
  std::vector<int> places;
  std::vector<int> kernel;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;
  int64_t pad_after = 0;
  /// The elements of the input on this axis, up to the last one that is read.
  int64_t extent = 1;
  int64_t divisor = 1;
  /// Elements between neighbours of the input on this axis.
  int64_t pitch = 1;
};

/// Windows of `access` between loops that are kept and loops that are reduced; `guards` are the
/// conditions under which the access is read, as steps. The one with the greatest pitch is first.
/// nullopt when a condition is not understood.
std::optional<std::vector<Window>> FindWindows(const Computation& all, int access,
                                               const std::vector<int>& guards,
                                               const std::vector<int>& kept,
                                               const std::vector<int>& reduced);

/// A sum of products.
struct Contraction {
  /// The step of the sum.
  int step = -1;
  /// Accesses of the two factors.
  int input = -1;
  int weights = -1;
  /// Conditions of the input.
  std::vector<int> guards;
  std::vector<Window> windows;
  /// Loops that both factors and the result walk over (g), the input and the result (m), the
  /// weights and the result (n), and both factors alone (k).
  std::vector<int> shared, rows, columns, summed;
};

/// The contraction of a computation with one store and one reduction; nullopt, with the reason,
/// when it is not one.
std::optional<Contraction> FindContraction(const Computation& all, std::string& because);

/// The steps that a step is computed from, itself included, by step.
std::vector<bool> StepsBelow(const Computation& all, int step);
/// The reductions among the steps that stores use.
std::vector<int> Reductions(const Computation& all);
/// The value of a step with its casts and the conditions around it taken away: what is read where
/// they hold, when it is `otherwise` elsewhere.
int Unguarded(const Computation& all, int step, double otherwise, std::vector<int>& guards);

}  // namespace tenon

#endif  // TENON_ANALYSIS_CONTRACTION_H_
