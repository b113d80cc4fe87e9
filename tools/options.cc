#include "tools/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/byte_size.h"
#include "support/nearest_name.h"
#include "support/shown_text.h"
#include "support/whole_number.h"

namespace tenon {

namespace {

/// Larger limits only come from the width of integers, which users need not know.
constexpr int64_t kMostShownLimit = 1'000'000'000'000;

}  // namespace

CLI::Option* AddChoice(CLI::App& app, const std::string& name,
                       std::function<void(const std::string&)> set, std::vector<std::string> names,
                       const std::string& default_name, const std::string& help) {
  const std::string form =
      fmt::format("{}{}", fmt::join(names, "|"),
                  default_name.empty() ? "" : fmt::format(" (default: {})", default_name));
  return AddParsedOption<std::string>(
      app, name,
      [names = std::move(names)](const std::string& text) -> absl::StatusOr<std::string> {
        if (std::find(names.begin(), names.end(), text) != names.end()) return text;
        // A text of one or two letters is near most short names.
        const bool is_word = text.size() > 2;
        return absl::InvalidArgumentError(fmt::format("expected one of {1}; found `{0}`{2}",
                                                      ShownText(text), fmt::join(names, ", "),
                                                      is_word ? DidYouMean(text, names) : ""));
      },
      [set = std::move(set)](const std::string& text) { set(text); }, form, help);
}

CLI::Option* AddChoice(CLI::App& app, const std::string& name, std::string& value,
                       std::vector<std::string> names, const std::string& help) {
  return AddChoice(
      app, name, [&value](const std::string& text) { value = text; }, std::move(names), value,
      help);
}

absl::StatusOr<int64_t> ParseNumber(const std::string& text, int64_t least, int64_t most) {
  const std::optional<int64_t> value = WholeNumber<int64_t>(text);
  if (value && *value >= least && *value <= most) return *value;
  const std::string range = most > kMostShownLimit ? fmt::format("of at least {}", least)
                                                   : fmt::format("from {} to {}", least, most);
  return absl::InvalidArgumentError(
      fmt::format("expected an integer {1}; found `{0}`", ShownText(text), range));
}

absl::StatusOr<int64_t> ParseBytes(const std::string& text, int64_t most) {
  const std::optional<int64_t> value = ParseByteSize(text);
  if (value && *value <= most) return *value;
  return absl::InvalidArgumentError(
      fmt::format("expected bytes, such as 65536 or 64K{1}; found `{0}`", ShownText(text),
                  most > kMostShownLimit ? std::string() : fmt::format(", of at most {}", most)));
}

void AddReadingOptions(CLI::App& app, ReadingValues values) {
  app.add_option(
         "--constants-from", values.constants_from,
         "safetensors file of the constants that the text names only by number (c0, c1, ...)")
      ->type_name("FILE");
  app.add_flag("--allow-truncated-constants", values.allow_truncated_constants,
               "zero-fill constants that TVM truncated when printing, and warn");
  app.add_flag("--allow-unknown-ops", values.allow_unknown_ops,
               "keep calls to builtins that TVM does not have");
  app.add_flag("--allow-unsupported", values.allow_unsupported,
               "turn unsupported operators of a .tflite or .onnx file into external functions");
  app.add_option("--signature", values.signature,
                 "signature of a .tflite file to read; default: the first subgraph")
      ->type_name("NAME");
  AddOnnxOptions(app, values.onnx);
  app.add_option(
         "--interface-types", values.onnx.interface_types,
         "make inputs and outputs of an .onnx file that it quantises to this type integers: "
         "int8, uint8, int16, uint16")
      ->type_name("TYPE");
}

void AddListOption(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                   const std::string& type, const std::string& help) {
  app.add_option(name, values, help)
      ->type_name(type)
      ->type_size(1)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddOnnxOptions(CLI::App& app, OnnxInputs& values) {
  AddListOption(app, "--shape", values.shapes, "NAME=EXTENTS",
                "shape of an input of an .onnx file, such as x=1,3,224,224");
  AddListOption(app, "--dim", values.dims, "NAME=EXTENT",
                "extent of a dimension that an .onnx file only names");
  AddListOption(app, "--constant", values.constants, "NAME=VALUE",
                "make an input of an .onnx file a constant: a .npy file or a number");
  AddListOption(
      app, "--state", values.states, "INPUT=OUTPUT",
      "keep an output of an .onnx file as the value of an input in the next run; zeros at first");
  AddChoice(app, "--tensor-layout", values.layout, {"auto", "keep", "channels-last"},
            "order of axes in the memory of an .onnx file's tensors: the file's, channels last, or "
            "the one with the smaller workspace");
  AddListOption(app, "--input-layout", values.input_layouts, "NAME:NHWC",
                "take an input of an .onnx file with channels as its last axis");
  AddListOption(app, "--output-layout", values.output_layouts, "NAME:NHWC",
                "give an output of an .onnx file with channels as its last axis");
}

void TakeOneValueEach(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) option->allow_extra_args(false);
  }
}

}  // namespace tenon
