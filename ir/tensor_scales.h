#ifndef TENON_IR_TENSOR_SCALES_H_
#define TENON_IR_TENSOR_SCALES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/builder.h"
#include "ir/function.h"

namespace tenon {

/// The scale of a tensor, whose integers stand for `scale * (integer - zero_point)`.
struct TensorScale {
  float scale = 0;
  int64_t zero_point = 0;
};

/// The attributes of an entry function with the scale of its tensor `name`
/// (attr_key::kTensorScales).
const MapAttr* WithTensorScale(NodeBuilder& builder, const MapAttr* attrs, std::string_view name,
                               const TensorScale& scale);

/// The scale of the tensor `name`; nullopt if the function has no readable scale for it.
std::optional<TensorScale> ReadTensorScale(const PrimFunc& entry, std::string_view name);

}  // namespace tenon

#endif  // TENON_IR_TENSOR_SCALES_H_
