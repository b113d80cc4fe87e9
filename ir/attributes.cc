#include "ir/attributes.h"

namespace tenon {

bool IsPlanned(const PrimFunc& function) {
  return function.FindAttr(attr_key::kPoolArgs) != nullptr;
}

bool IsNoAlias(const PrimFunc& function) { return IsTrue(function.FindAttr(attr_key::kNoAlias)); }

std::optional<std::vector<std::string_view>> DeclaredOutputs(const PrimFunc& function) {
  const auto* list = dyn_cast_or_null<ArrayAttr>(function.FindAttr(attr_key::kOutputs));
  if (list == nullptr) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Attr* item : list->items) {
    if (const std::string_view* name = AsString(item)) names.push_back(*name);
  }
  return names;
}

}  // namespace tenon
