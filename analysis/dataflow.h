#ifndef TENON_ANALYSIS_DATAFLOW_H_
#define TENON_ANALYSIS_DATAFLOW_H_

#include <optional>
#include <string>

#include "analysis/computation.h"
#include "ir/function.h"

namespace tenon {

/// A computation, or why there is none.
struct ComputationResult {
  std::optional<Computation> computation;
  /// A clause such as "it has a while loop".
  std::string because;
};

struct ComputationOptions {
  /// The caller knows that no two parameters point to overlapping memory.
  bool params_do_not_overlap = false;
};

/// The computation of a function, as far as its loops prove it: each element that it writes to a
/// parameter, as an expression of elements of parameters and constants. Values that were stored to
/// local tensors replace these, sums become one reduction, and loops that walk over memory as one
/// are one loop. The function has the form that analysis/stages.h asks for.
///
/// Proven are: each element of a tensor is written once, or is summed up after it was set; what is
/// read of a local tensor was written before, in the same iteration of all loops that the two
/// share; an operand is not written; parameters do not overlap. Bounds of conditions are exact.
/// Sums of floats may have another order than in the function; everything else is bit for bit.
ComputationResult ComputationOf(const PrimFunc& func, const ComputationOptions& options = {});

}  // namespace tenon

#endif  // TENON_ANALYSIS_DATAFLOW_H_
