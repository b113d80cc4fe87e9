#ifndef TENON_TOOLS_OPTIONS_H_
#define TENON_TOOLS_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

// Options of command lines: how values are read, and how --help shows them.

namespace tenon {

/// Lets each flag that may be repeated take one value each time, since the next word may be a file.
/// Call it after all options were added.
void TakeOneValueEach(CLI::App& app);

/// Adds an option whose text `parse` reads, or for which it returns an error. --help shows `form`
/// as the value.
template <class T>
CLI::Option* AddParsedOption(CLI::App& app, const std::string& name,
                             std::function<absl::StatusOr<T>(const std::string&)> parse,
                             std::function<void(T)> set, const std::string& form,
                             const std::string& help) {
  const CLI::Validator check(
      [parse](std::string& text) {
        const absl::StatusOr<T> parsed = parse(text);
        return parsed.ok() ? std::string() : std::string(parsed.status().message());
      },
      "");
  return app
      .add_option_function<std::string>(
          name, [parse, set](const std::string& text) { set(*parse(text)); }, help)
      ->option_text(form)
      ->check(check);
}

/// Adds an option whose value is one of `names`. `default_name` may be empty.
CLI::Option* AddChoice(CLI::App& app, const std::string& name,
                       std::function<void(const std::string&)> set, std::vector<std::string> names,
                       const std::string& default_name, const std::string& help);
/// The same for an option that keeps the name; its value so far is the default.
CLI::Option* AddChoice(CLI::App& app, const std::string& name, std::string& value,
                       std::vector<std::string> names, const std::string& help);

/// Adds an option with the names of an enumeration's values, in their order; its value so far is
/// the default.
template <class Enum>
CLI::Option* AddEnum(CLI::App& app, const std::string& name, Enum& value,
                     std::span<const std::string_view> names, const std::string& help) {
  const auto set = [&value, names](const std::string& text) {
    value = static_cast<Enum>(std::find(names.begin(), names.end(), text) - names.begin());
  };
  return AddChoice(app, name, set, {names.begin(), names.end()},
                   std::string(names[static_cast<size_t>(value)]), help);
}

/// Reads an integer from `least` to `most`; the error names the expected range.
absl::StatusOr<int64_t> ParseNumber(const std::string& text, int64_t least, int64_t most);
/// Reads a size in bytes (support/byte_size.h) of at most `most`.
absl::StatusOr<int64_t> ParseBytes(const std::string& text, int64_t most);

/// Adds an option with an integer from `least` to `most`. `Value` is an integer or an optional one.
template <class Value>
CLI::Option* AddNumber(CLI::App& app, const std::string& name, Value& value, int64_t least,
                       int64_t most, const std::string& help) {
  return AddParsedOption<int64_t>(
      app, name, [=](const std::string& text) { return ParseNumber(text, least, most); },
      [&value](int64_t number) { value = static_cast<Value>(number); }, "N", help);
}

/// Adds an option with a size in bytes.
template <class Value>
CLI::Option* AddBytes(CLI::App& app, const std::string& name, Value& value, int64_t most,
                      const std::string& help) {
  return AddParsedOption<int64_t>(
      app, name, [=](const std::string& text) { return ParseBytes(text, most); },
      [&value](int64_t bytes) { value = bytes; }, "BYTES", help);
}

/// Adds an option that takes one value each time, so that the module may come after it.
void AddListOption(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                   const std::string& type, const std::string& help);

/// Values of the options for inputs of an .onnx file, each as `NAME=VALUE`.
struct OnnxInputs {
  std::vector<std::string> shapes;
  std::vector<std::string> dims;
  std::vector<std::string> constants;
  std::vector<std::string> states;
  std::string interface_types;
  /// As onnx::ReadOptions::used.
  std::set<std::string>* used = nullptr;
  std::vector<std::string> input_layouts;
  std::vector<std::string> output_layouts;
  /// One of the names of onnx::TensorLayout.
  std::string layout = "auto";
};

/// The values of the options for reading a model.
struct ReadingValues {
  bool& allow_truncated_constants;
  bool& allow_unknown_ops;
  std::string& constants_from;
  bool& allow_unsupported;
  std::string& signature;
  OnnxInputs& onnx;
};
void AddReadingOptions(CLI::App& app, ReadingValues values);
/// Adds the options for inputs of an .onnx file, which AddReadingOptions also adds.
void AddOnnxOptions(CLI::App& app, OnnxInputs& values);

}  // namespace tenon

#endif  // TENON_TOOLS_OPTIONS_H_
