#include "ir/attrs.h"

namespace tenon {

const std::string_view* AsString(const Attr* attr) {
  const auto* text = dyn_cast_or_null<StringAttr>(attr);
  return text == nullptr ? nullptr : &text->value;
}

const int64_t* AsInt(const Attr* attr) {
  if (attr == nullptr) return nullptr;
  if (const auto* boxed = dyn_cast<IntAttr>(attr)) return &boxed->value;
  if (const auto* expr = dyn_cast<ExprAttr>(attr)) return AsIntImm(expr->value);
  return nullptr;
}

bool IsTrue(const Attr* attr) {
  if (const auto* boxed = dyn_cast_or_null<BoolAttr>(attr)) return boxed->value;
  const int64_t* value = AsInt(attr);
  return value != nullptr && *value != 0;
}

}  // namespace tenon
