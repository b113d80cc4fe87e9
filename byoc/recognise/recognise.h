#ifndef TENON_BYOC_RECOGNISE_RECOGNISE_H_
#define TENON_BYOC_RECOGNISE_RECOGNISE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/dataflow.h"
#include "byoc/op_info.h"

// Recognises operators by their computations. There is a source file for each family of kinds. None
// of them uses the name of a function, a variable or a buffer.

namespace tenon {

/// The claim about a function, which has the form that analysis/stages.h requires.
OpInfo Recognise(const PrimFunc& func, const ComputationOptions& options);

/// The member `requantise` of a claim, derived from its other members and the data of the constants
/// of `func`; nullopt if nothing is proven. The claim of an operator without that data contains
/// only its steps.
std::optional<Requantise> RequantiseOf(const OpInfo& info, const PrimFunc& func);

// Internal to byoc/recognise/: each returns a claim if the computation is one of its kinds.
// Otherwise `because` may be set to the reason.

/// argmax, argmin.
std::optional<OpInfo> RecogniseArg(const Computation& all);
/// dense, matmul, and all convolutions.
std::optional<OpInfo> RecogniseContraction(const Computation& all, std::string& because);
/// Moves the padding of a factor after the subtraction of its zero point: `select(c, x, z) - z`
/// becomes `select(c, x - z, 0)`, so that padding is recognised. The result does not change.
Computation WithCentredPads(const Computation& all);
/// max_pool, avg_pool, sum_pool, reduce.
std::optional<OpInfo> RecognisePool(const Computation& all, const PrimFunc& func,
                                    std::string& because);
std::optional<OpInfo> RecogniseSoftmax(const Computation& all);
/// elementwise, concatenate, layout, take: there is no reduction.
std::optional<OpInfo> RecognisePlain(const Computation& all);

inline const Step& At(const Computation& all, int step) {
  return all.steps[static_cast<size_t>(step)];
}
/// A claim of that kind about a computation, with the members that all kinds have.
OpInfo ClaimOf(std::string kind, const Computation& all);
/// Names the loops of an axis; the outermost is first.
void NameAxis(Computation& all, std::string_view axis, const std::vector<int>& loops);
/// The loops in the order of their strides in an element, the greatest first.
std::vector<int> ByStride(std::vector<int> loops, const LinearIndex& element);

}  // namespace tenon

#endif  // TENON_BYOC_RECOGNISE_RECOGNISE_H_
