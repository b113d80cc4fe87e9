#include "ir/emitted_names.h"

#include <fmt/format.h>

#include "support/ascii.h"

namespace tenon {

namespace {

constexpr std::string_view kMainSuffix = "___tvm_main__";

}  // namespace

std::string SanitizeName(std::string_view name) { return name.empty() ? "_" : ascii::AsWord(name); }

std::string EmittedPrefix(std::string_view module_name) {
  return fmt::format("tvmgen_{}", SanitizeName(module_name));
}

std::string EmittedPrefix(const IRModule& module, std::string_view module_name) {
  if (!module_name.empty()) return EmittedPrefix(module_name);
  const Function* main = module.Main();
  const std::string_view symbol = main == nullptr ? std::string_view() : main->global_symbol();
  if (symbol.ends_with(kMainSuffix))
    return SanitizeName(symbol.substr(0, symbol.size() - kMainSuffix.size()));
  return "tvmgen_default";
}

}  // namespace tenon
