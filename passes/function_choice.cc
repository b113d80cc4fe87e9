// Options of passes and of byoc/ name functions in the same words. One place reads them, so that
// each option reports a misspelled name with the nearest existing one.

#include "passes/function_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/nearest_name.h"

namespace tenon {

std::vector<std::string_view> WordsOf(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const size_t end = std::min(list.find_first_of(", ;"), list.size());
    if (end > 0) words.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

bool HasAttrLike(const Function& function, std::string_view key_or_pair) {
  const size_t equals = std::min(key_or_pair.find('='), key_or_pair.size());
  const Attr* attr = function.FindAttr(key_or_pair.substr(0, equals));
  if (attr == nullptr || equals == key_or_pair.size()) return attr != nullptr;
  const std::string_view* value = AsString(attr);
  return value != nullptr && *value == key_or_pair.substr(equals + 1);
}

std::string NoSuchFunction(const IRModule& module, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Function& other : module.functions()) names.push_back(other.name.view());
  const std::string_view near = NearestName(name, names);
  return fmt::format("the module has no function `{}`{}", name,
                     near.empty() ? "" : fmt::format("; did you mean `{}`?", near));
}

}  // namespace tenon
