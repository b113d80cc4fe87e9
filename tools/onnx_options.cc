#include "tools/onnx_options.h"

#include <fmt/format.h>

#include <optional>
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

/// The two sides of the last `=`: names of tensors may have one, values may not.
std::optional<NamedText> SplitName(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    return std::nullopt;
  return NamedText{std::string(text.substr(0, equals)), text.substr(equals + 1)};
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
  return options;
}

std::string UnusedOnnxOption(const OnnxInputs& inputs, bool has_onnx,
                             const std::set<std::string>& used) {
  struct Option {
    std::string_view flag;
    std::string_view what;
    const std::vector<std::string>& values;
  };
  const Option options[] = {{"--shape", "input", inputs.shapes},
                            {"--dim", "dimension", inputs.dims},
                            {"--constant", "input", inputs.constants},
                            {"--state", "input", inputs.states}};
  for (const Option& option : options) {
    for (const std::string& text : option.values) {
      if (!has_onnx) return fmt::format("`{}` has an effect only with .onnx files", option.flag);
      const std::optional<NamedText> named = SplitName(text);
      if (!named || used.contains(fmt::format("{} {}", option.flag, named->name))) continue;
      return fmt::format("{}: none of the models has the {} `{}`", option.flag, option.what,
                         ShownText(named->name));
    }
  }
  return "";
}

}  // namespace tenon
