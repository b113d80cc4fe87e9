#ifndef TENON_TOOLS_ONEDNN_SCRATCH_PLAN_H_
#define TENON_TOOLS_ONEDNN_SCRATCH_PLAN_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/onednn/generator_request.h"
#include "tools/onednn/library_op.h"

namespace tenon {

/// The memory of an intermediate tensor: a parameter of the function, or scratch memory.
struct IntermediatePlace {
  std::optional<size_t> parameter;
  int64_t offset = 0;
};

/// Places in the scratch memory of a function.
struct ScratchPlan {
  int64_t bytes = 0;
  std::vector<IntermediatePlace> intermediates;
  /// For each operator, -1 without: the library's scratch memory, and a copy of the weights.
  std::vector<int64_t> scratch, copies;
  /// Pairs of an input and an output of the function that may be the same memory.
  std::vector<std::pair<size_t, size_t>> in_place;
};

/// The alignment of all places.
inline constexpr int64_t kScratchAlignment = 64;

/// Plans the memory of a function. The result of an operator takes the place of the tensor that is
/// added to it, if that tensor is not used afterwards.
absl::StatusOr<ScratchPlan> PlanScratch(const RequestFunction& function,
                                        const std::vector<LibraryOp>& ops);

/// The argument of an operator for an operand of its claim.
const RequestArgument& ArgumentOf(const RequestOperator& op, const OperandPlace& place);

}  // namespace tenon

#endif  // TENON_TOOLS_ONEDNN_SCRATCH_PLAN_H_
