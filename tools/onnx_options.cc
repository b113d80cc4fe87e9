#include "tools/onnx_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "support/npy.h"
#include "support/shown_text.h"
#include "support/status_macros.h"
#include "support/whole_number.h"

namespace tenon {

namespace {

struct NamedText {
  std::string name;
  std::string_view value;
};

/// The two sides of the last separator: names of tensors may have one, values may not.
std::optional<NamedText> SplitName(std::string_view text, char separator = '=') {
  const size_t place = text.rfind(separator);
  if (place == std::string_view::npos || place == 0 || place + 1 == text.size())
    return std::nullopt;
  return NamedText{std::string(text.substr(0, place)), text.substr(place + 1)};
}

std::optional<int64_t> ExtentIn(std::string_view text) {
  const std::optional<int64_t> extent = WholeNumber<int64_t>(text);
  if (extent && *extent < 0) return std::nullopt;
  return extent;
}

std::optional<std::vector<int64_t>> ExtentsIn(std::string_view text) {
  std::vector<int64_t> extents;
  while (true) {
    const size_t comma = text.find(',');
    const std::optional<int64_t> extent = ExtentIn(text.substr(0, comma));
    if (!extent) return std::nullopt;
    extents.push_back(*extent);
    if (comma == std::string_view::npos) return extents;
    text.remove_prefix(comma + 1);
  }
}

absl::Status Expected(std::string_view option, std::string_view what, std::string_view found) {
  return absl::InvalidArgumentError(
      fmt::format("expected {} for {}, found `{}`", what, option, ShownText(found)));
}

/// Adds a value to a map; a name that is there already is an error.
template <class Map, class Value>
absl::Status AddTo(Map& map, std::string_view option, NamedText named, Value value) {
  if (map.emplace(named.name, std::move(value)).second) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{} gives `{}` twice", option, ShownText(named.name)));
}

std::optional<DataType> InterfaceType(std::string_view text) {
  for (const int bits : {8, 16})
    for (const DataType type : {DataType::Int(bits), DataType::UInt(bits)})
      if (type.ToString() == text) return type;
  return std::nullopt;
}

/// Adds the names of `NAME:NHWC`; `NAME:NCHW` is what files have.
absl::Status AddLayouts(std::string_view option, const std::vector<std::string>& texts,
                        std::set<std::string, std::less<>>& names) {
  std::map<std::string, bool> known;
  for (const std::string& text : texts) {
    const std::optional<NamedText> named = SplitName(text, ':');
    if (!named || (named->value != "NHWC" && named->value != "NCHW"))
      return Expected(option, "a name and NHWC or NCHW, such as x:NHWC,", text);
    TENON_TRY(AddTo(known, option, *named, named->value == "NHWC"));
    if (named->value == "NHWC") names.insert(named->name);
  }
  return absl::OkStatus();
}

onnx::TensorLayout LayoutNamed(std::string_view name) {
  const auto& names = onnx::kTensorLayoutNames;
  const auto found = std::find(names.begin(), names.end(), name);
  return static_cast<onnx::TensorLayout>(found - names.begin());
}

}  // namespace

absl::StatusOr<onnx::ReadOptions> OnnxReadOptions(const OnnxInputs& inputs) {
  onnx::ReadOptions options;
  options.used = inputs.used;
  for (const std::string& text : inputs.shapes) {
    const std::optional<NamedText> named = SplitName(text);
    const auto extents = named ? ExtentsIn(named->value) : std::nullopt;
    if (!extents) return Expected("--shape", "a name and extents, such as x=1,3,224,224,", text);
    TENON_TRY(AddTo(options.shapes, "--shape", *named, *extents));
  }
  for (const std::string& text : inputs.dims) {
    const std::optional<NamedText> named = SplitName(text);
    const auto extent = named ? ExtentIn(named->value) : std::nullopt;
    if (!extent) return Expected("--dim", "a name and an extent, such as batch=1,", text);
    TENON_TRY(AddTo(options.dims, "--dim", *named, *extent));
  }
  for (const std::string& text : inputs.constants) {
    const std::optional<NamedText> named = SplitName(text);
    if (!named)
      return Expected("--constant", "a name and a value, such as sr=16000 or x=x.npy,", text);
    onnx::ReadOptions::ConstantValue value = std::string(named->value);
    if (named->value.ends_with(".npy")) {
      TENON_ASSIGN_OR(value, ReadNpy(named->value));
    }
    TENON_TRY(AddTo(options.constants, "--constant", *named, std::move(value)));
  }
  for (const std::string& text : inputs.states) {
    const std::optional<NamedText> named = SplitName(text);
    if (!named)
      return Expected("--state", "the names of an input and an output, such as h=hn,", text);
    TENON_TRY(AddTo(options.states, "--state", *named, std::string(named->value)));
  }
  if (!inputs.interface_types.empty()) {
    const std::optional<DataType> type = InterfaceType(inputs.interface_types);
    if (!type) {
      return Expected("--interface-types", "int8, uint8, int16 or uint16", inputs.interface_types);
    }
    options.interface_type = type;
  }
  TENON_TRY(AddLayouts("--input-layout", inputs.input_layouts, options.inputs_with_channels_last));
  TENON_TRY(
      AddLayouts("--output-layout", inputs.output_layouts, options.outputs_with_channels_last));
  options.layout = LayoutNamed(inputs.layout);
  return options;
}

std::string UnusedOnnxOption(const OnnxInputs& inputs, bool has_onnx,
                             const std::set<std::string>& used) {
  struct Option {
    std::string_view flag;
    std::string_view what;
    const std::vector<std::string>& values;
    char separator;
  };
  if (!has_onnx && inputs.layout != "auto")
    return "`--tensor-layout` has an effect only with .onnx files";
  const Option options[] = {{"--shape", "input", inputs.shapes, '='},
                            {"--dim", "dimension", inputs.dims, '='},
                            {"--constant", "input", inputs.constants, '='},
                            {"--state", "input", inputs.states, '='},
                            {"--input-layout", "input", inputs.input_layouts, ':'},
                            {"--output-layout", "output", inputs.output_layouts, ':'}};
  for (const Option& option : options) {
    for (const std::string& text : option.values) {
      if (!has_onnx) return fmt::format("`{}` has an effect only with .onnx files", option.flag);
      const std::optional<NamedText> named = SplitName(text, option.separator);
      if (!named || used.contains(fmt::format("{} {}", option.flag, named->name))) continue;
      return fmt::format("{}: none of the models has the {} `{}`", option.flag, option.what,
                         ShownText(named->name));
    }
  }
  return "";
}

}  // namespace tenon
