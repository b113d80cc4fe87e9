// Checks are C for the user's compiler, because only the target machine knows its processor and its
// libraries. They run as init functions, before any external function is called.

#include "byoc/external_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "lowering/runtime_files.h"
#include "lowering/symbol_names.h"

namespace tenon {

namespace {

/// The condition of a check in C, and the declarations that it needs.
struct Condition {
  std::string declaration;
  std::string text;
};

/// The processor features that the header can check.
bool IsFeature(std::string_view name, const EmittedFile& header) {
  return header.text.find(fmt::format("#define TENON_CPU_HAS_{} ", name)) != std::string::npos;
}

std::optional<Condition> ConditionOf(const std::string& check, const EmittedFile& header,
                                     std::string& problem) {
  const size_t equals = check.find('=');
  const std::string name = check.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : check.substr(equals + 1);
  if (name == "isa") {
    if (IsFeature(value, header)) return Condition{"", fmt::format("TENON_CPU_HAS({})", value)};
    problem =
        fmt::format("unknown instructions `{}`, expected a name from tenon_external.h", value);
    return std::nullopt;
  }
  int32_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (name.empty() || SanitizeName(name) != name || error != std::errc() || rest != end) {
    problem = fmt::format(
        "expected a check like `isa=avx2`, or `my_version=3` for a function `int32_t "
        "my_version(void)`, found `{}`",
        check);
    return std::nullopt;
  }
  return Condition{fmt::format("int32_t {}(void);\n", name),
                   fmt::format("{}() == {}", name, number)};
}

}  // namespace

std::optional<ExternalChecks> MakeExternalChecks(std::span<const std::string> checks,
                                                 std::string_view prefix, std::string& problem) {
  ExternalChecks made;
  const EmittedFile header = ExternalHeader();
  std::string text = fmt::format(
      "/* Made by Tenon: checks of the machine for external functions. */\n\n#include \"{}\"\n",
      header.name);
  std::vector<std::string> declared;
  for (const std::string& check : checks) {
    const std::optional<Condition> condition = ConditionOf(check, header, problem);
    if (!condition) return std::nullopt;
    const std::string symbol = fmt::format("{}_check_{}", prefix, made.symbols.size());
    text += "\n";
    if (std::find(declared.begin(), declared.end(), condition->declaration) == declared.end()) {
      text += condition->declaration;
      declared.push_back(condition->declaration);
    }
    text += fmt::format(
        "int32_t {0}(void* state, int64_t bytes);\n"
        "int32_t {0}(void* state, int64_t bytes) {{\n"
        "  (void)state;\n"
        "  (void)bytes;\n"
        "  return {1} ? TENON_EXTERNAL_OK : TENON_EXTERNAL_UNAVAILABLE;\n"
        "}}\n",
        symbol, condition->text);
    made.symbols.push_back(symbol);
  }
  made.files = {{fmt::format("{}_checks.c", prefix), std::move(text)}, header};
  return made;
}

}  // namespace tenon
