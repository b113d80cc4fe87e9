#ifndef TENON_PASSES_PIPELINE_PASS_TABLE_H_
#define TENON_PASSES_PIPELINE_PASS_TABLE_H_

#include <fmt/format.h>

#include <optional>

#include "passes/pipeline/pass_set.h"
#include "support/whole_number.h"

// Makes a table of passes from a list of TENON_PASS rows. One source file for each list includes
// this header and passes/pipeline/define_passes.def, as passes/pipeline/registry.cc does.

namespace tenon {

/// Values of options as text, by type.
struct OptionText {
  static bool Parse(std::string_view text, std::string& value) {
    value = text;
    return true;
  }
  static bool Parse(std::string_view text, bool& value) {
    value = text == "true" || text == "1" || text == "on";
    return value || text == "false" || text == "0" || text == "off";
  }
  template <class Number>
  static bool Parse(std::string_view text, Number& value) {
    const std::optional<Number> number = WholeNumber<Number>(text);
    value = number.value_or(value);
    return number.has_value();
  }

  static std::string_view Kind(const std::string&) { return "text"; }
  static std::string_view Kind(const bool&) { return "true or false"; }
  static std::string_view Kind(const int64_t&) { return "an integer"; }
  static std::string_view Kind(const double&) { return "a number"; }

  static std::string Show(const std::string& value) { return value; }
  static std::string Show(bool value) { return value ? "true" : "false"; }
  static std::string Show(int64_t value) { return fmt::format("{}", value); }
  static std::string Show(double value) { return fmt::format("{}", value); }
};

template <class Options>
std::vector<OptionInfo> OptionsOf() {
  std::vector<OptionInfo> infos;
  const Options defaults;
  std::apply(
      [&](const auto&... option) {
        (infos.push_back({option.name, OptionText::Kind(defaults.*option.member),
                          OptionText::Show(defaults.*option.member), option.help}),
         ...);
      },
      Options::List());
  return infos;
}

/// Sets one option by name; returns nullopt on success, otherwise the error.
template <class Options>
std::optional<std::string> SetOption(Options& options, std::string_view name,
                                     std::string_view text) {
  std::vector<std::string> names;
  std::apply([&](const auto&... option) { (names.emplace_back(option.name), ...); },
             Options::List());
  std::optional<std::string> error = UnknownOption(name, names);
  const auto try_one = [&](const auto& option) {
    if (name != option.name) return;
    auto& value = options.*option.member;
    error.reset();
    if (!OptionText::Parse(text, value)) {
      error = fmt::format("expected {2} as value of option `{1}`, found `{0}`", text, name,
                          OptionText::Kind(value));
    }
  };
  std::apply([&](const auto&... option) { (try_one(option), ...); }, Options::List());
  return error;
}

/// The options that differ from their defaults, as text.
template <class Options>
OptionValues ChangedOptions(const Options& options) {
  OptionValues values;
  const Options defaults;
  const auto add = [&](const auto& option) {
    const auto& value = options.*option.member;
    if (value != defaults.*option.member) values.emplace_back(option.name, OptionText::Show(value));
  };
  std::apply([&](const auto&... option) { (add(option), ...); }, Options::List());
  return values;
}

template <auto Function>
std::optional<BoundPass> BindText(const OptionValues& values, std::string* error, size_t* at) {
  PassOptionsOf<Function> options;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::optional<std::string> wrong = SetOption(options, values[i].first, values[i].second)) {
      *error = *std::move(wrong);
      *at = i;
      return std::nullopt;
    }
  }
  return BindPass<Function>(options);
}

/// The row of the pass `Function`; each table defines it for its passes.
template <auto Function>
const PassInfo& InfoOf();

template <auto Function>
BoundPass BindPass(const PassOptionsOf<Function>& options) {
  const PassInfo& info = InfoOf<Function>();
  FormSet gives = info.gives;
  if constexpr (requires { options.NotGiven(); }) gives.Remove(options.NotGiven());
  const auto run = [options](const IRModule& module, PassContext& context) {
    return Function(module, options, context);
  };
  return {&info, info.name, ChangedOptions(options), info.needs, gives, {}, run};
}

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_PASS_TABLE_H_
