#include "ir/tensor_scales.h"

#include "ir/attributes.h"

namespace tenon {

const MapAttr* WithTensorScale(NodeBuilder& builder, const MapAttr* attrs, std::string_view name,
                               const TensorScale& scale) {
  const Attr* pair[] = {builder.ExprValue(builder.Number(DataType::Float(32), double{scale.scale})),
                        builder.ExprValue(builder.Int(DataType::Int(32), scale.zero_point))};
  const auto* list = builder.New<ArrayAttr>({}, builder.arena().Copy(Span<const Attr*>(pair, 2)));
  const auto* scales = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kTensorScales));
  if (scales == nullptr) scales = builder.Map({});
  return builder.With(attrs, attr_key::kTensorScales, builder.With(scales, name, list));
}

std::optional<TensorScale> ReadTensorScale(const PrimFunc& entry, std::string_view name) {
  const auto* scales = dyn_cast_or_null<MapAttr>(entry.FindAttr(attr_key::kTensorScales));
  const auto* pair = scales == nullptr ? nullptr : dyn_cast_or_null<ArrayAttr>(scales->Find(name));
  if (pair == nullptr || pair->items.size() != 2) return std::nullopt;
  const auto* scale = dyn_cast<ExprAttr>(pair->items[0]);
  const auto* zero_point = dyn_cast<ExprAttr>(pair->items[1]);
  if (scale == nullptr || zero_point == nullptr) return std::nullopt;
  const auto* real = dyn_cast<FloatImm>(scale->value);
  const auto* integer = dyn_cast<IntImm>(zero_point->value);
  if (real == nullptr || integer == nullptr) return std::nullopt;
  return TensorScale{static_cast<float>(real->value), integer->value};
}

}  // namespace tenon
