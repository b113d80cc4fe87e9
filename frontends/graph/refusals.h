#ifndef TENON_FRONTENDS_GRAPH_REFUSALS_H_
#define TENON_FRONTENDS_GRAPH_REFUSALS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "absl/status/status.h"
#include "frontends/graph/operator_view.h"

// Errors that several operators share. Each names the fact that decides.

namespace tenon::graph {

/// The operator is not supported for the types of its tensors.
absl::Status UnsupportedTypes(const OperatorView& op);

/// One of `inputs` is not a constant of integers. `what` they are: `bounds`.
absl::Status NotConstant(const OperatorView& op, std::string_view what,
                         std::initializer_list<size_t> inputs);

/// The operator has a fused activation.
absl::Status UnsupportedActivation(const OperatorView& op);

/// A tensor of 8 or 16 bits does not have one scale greater than 0; otherwise as UnsupportedTypes.
absl::Status UnsupportedScales(const OperatorView& op);

/// The same for one tensor, called `what`, whose scale is wrong.
absl::Status UnsupportedScale(const OperatorView& op, std::string_view what, const Tensor& tensor);

/// An input has another scale or zero point than the output.
absl::Status DifferentScales(const OperatorView& op, size_t input);

/// The output has another scale or zero point than the operator gives.
absl::Status OtherOutputScale(const OperatorView& op, float scale, int64_t zero_point);

/// The quotient of the tensors' scales is too large, or too small.
absl::Status ScalesTooFarApart(const OperatorView& op);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_REFUSALS_H_
