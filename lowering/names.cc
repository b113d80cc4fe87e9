#include "lowering/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tenon {

namespace {

/// What the functions are called that an application calls, behind the prefix.
constexpr std::array<std::string_view, 6> kInterface = {
    "_run", "_init", "_map_inputs", "_map_outputs", "_set_constants", "_open_constants"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string SanitizeName(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !IsDigit(c)) c = '_';
  }
  if (out.empty() || IsDigit(out[0])) out.insert(out.begin(), '_');
  return out;
}

std::string EmittedPrefix(std::string_view module_name) {
  return fmt::format("tvmgen_{}", SanitizeName(module_name));
}

std::string ExternNameError(std::string_view prefix, std::string_view name) {
  if (SanitizeName(name) != name) {
    return fmt::format("an external function cannot be called `{}`: that is no identifier of C",
                       name);
  }
  const bool is_interface =
      name.starts_with(prefix) && std::find(kInterface.begin(), kInterface.end(),
                                            name.substr(prefix.size())) != kInterface.end();
  if (!is_interface) return {};
  return fmt::format(
      "`{}` is a function that the code has for applications, not one that it calls; another "
      "--module-name gives it another name",
      name);
}

}  // namespace tenon
