#ifndef TENON_ANALYSIS_OPERATOR_SHAPE_H_
#define TENON_ANALYSIS_OPERATOR_SHAPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace tenon {

/// The window of a convolution or a pooling, one element for each axis, outer axes first. Empty
/// for other operators, and where the loops do not prove it.
struct OperatorShape {
  std::vector<int64_t> kernel;
  std::vector<int64_t> stride;
};

/// The window of a function whose buffers are flat.
OperatorShape ShapeOfOperator(Context& context, const Function& function);

/// The extents of the tensors that a module's entry names, before they are flattened, by the names
/// of their variables: those of the allocation, or those that operators see. Empty for a name with
/// different shapes.
absl::flat_hash_map<std::string, std::vector<int64_t>> TensorShapes(const IRModule& module);

}  // namespace tenon

#endif  // TENON_ANALYSIS_OPERATOR_SHAPE_H_
