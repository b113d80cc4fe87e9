#ifndef TENON_ANALYSIS_DATAFLOW_H_
#define TENON_ANALYSIS_DATAFLOW_H_

#include <optional>
#include <string>

#include "analysis/computation.h"
#include "ir/function.h"

namespace tenon {

class Context;

/// The computation of a function, or the reason why the function does not have this form.
struct ComputationResult {
  std::optional<Computation> computation;
  /// A clause such as "it has a while loop".
  std::string because;
};

struct ComputationOptions {
  /// The caller knows that no two parameters point to overlapping memory.
  bool params_do_not_overlap = false;
  /// True if sums of floats keep their order, so that their results are equal bit for bit.
  bool keeps_order = false;
};

/// The computation of a function, as far as its loops prove it: each element written to a
/// parameter, as an expression of elements of parameters and constants. The values stored to local
/// tensors replace the reads of these tensors. Sums become one reduction, and loops that traverse
/// memory contiguously become one loop. The function has the form that analysis/stages.h requires.
///
/// The analysis proves the following. Each element of a tensor is written once, or is initialized
/// and then summed. A read of a local tensor follows the write, in the same iteration of all loops
/// that the two share. Operands are not written, and parameters do not overlap. Bounds of
/// conditions are exact. Unless they keep their order, sums of floats may be reordered. Everything
/// else is bit for bit equal.
ComputationResult ComputationOf(const PrimFunc& func, const ComputationOptions& options = {});

/// The function in the form that ComputationOf understands best: values instead of variables,
/// guards in updates instead of around them, and loops instead of unrolled statements. It computes
/// the same, and has the same parameters and constants.
Function ComputationForm(Context& context, const Function& function,
                         const ComputationOptions& options = {});

}  // namespace tenon

#endif  // TENON_ANALYSIS_DATAFLOW_H_
