#include "ir/attributes.h"

namespace tenon {

bool IsPlanned(const PrimFunc& function) {
  return function.FindAttr(attr_key::kPoolArgs) != nullptr;
}

bool IsNoAlias(const PrimFunc& function) { return IsTrue(function.FindAttr(attr_key::kNoAlias)); }

namespace {

/// The strings of a list; nullopt if the function lacks the attribute.
std::optional<std::vector<std::string_view>> NamesOf(const PrimFunc& function,
                                                     std::string_view key) {
  const auto* list = dyn_cast_or_null<ArrayAttr>(function.FindAttr(key));
  if (list == nullptr) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Attr* item : list->items) {
    if (const std::string_view* name = AsString(item)) names.push_back(*name);
  }
  return names;
}

}  // namespace

std::optional<std::vector<std::string_view>> DeclaredOutputs(const PrimFunc& function) {
  return NamesOf(function, attr_key::kOutputs);
}

std::vector<std::string_view> DeclaredStates(const PrimFunc& function) {
  return NamesOf(function, attr_key::kStates).value_or(std::vector<std::string_view>());
}

}  // namespace tenon
