#include "ir/analysis/param_names.h"

namespace tenon {

std::string_view ParamName(const PrimFunc& function, size_t index) {
  constexpr std::string_view kSuffix = "_handle";
  const std::string_view name = function.params[index]->name.view();
  const Buffer* buffer = function.buffers[index];
  if (buffer == nullptr || !name.ends_with(kSuffix)) return name;
  const std::string_view base = name.substr(0, name.size() - kSuffix.size());
  return base == buffer->name.view() ? base : name;
}

}  // namespace tenon
