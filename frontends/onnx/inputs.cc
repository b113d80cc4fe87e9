#include "frontends/onnx/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "frontends/onnx/tensor_data.h"
#include "support/nearest_name.h"
#include "support/status_macros.h"
#include "support/whole_number.h"

namespace tenon::onnx {

namespace {

/// `x[batch, 3, ?, 224]`.
std::string ShapeText(const ValueInfo& value) {
  std::string text;
  for (const Dimension& dimension : *value.shape) {
    text += text.empty() ? "" : ", ";
    if (dimension.value) {
      text += std::to_string(*dimension.value);
    } else {
      text += dimension.name.empty() ? "?" : std::string(dimension.name);
    }
  }
  return fmt::format("{}[{}]", value.name, text);
}

/// A word of a command line, quoted if a shell would split it.
std::string Word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,";
  if (text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  return fmt::format("'{}'", text);
}

template <class Map>
std::vector<std::string> KeysOf(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& entry : map) keys.push_back(entry.first);
  return keys;
}

/// The bytes of a number as one element.
std::optional<graph::TensorData> NumberData(std::string_view text, DataType dtype) {
  GraphBuilder builder;
  int tensor = 0;
  if (dtype.is_bool()) {
    if (text == "true") text = "1";
    if (text == "false") text = "0";
    if (text != "0" && text != "1") return std::nullopt;
  }
  if (dtype.is_integer()) {
    const std::optional<int64_t> number = WholeNumber<int64_t>(text);
    if (!number) return std::nullopt;
    tensor = builder.Constant(dtype, {}, std::span<const int64_t>(&*number, 1));
    if (dtype.bits() < 64 && builder.tensor(tensor).IntegerAt(0) != *number) return std::nullopt;
  } else {
    const std::optional<double> number = WholeNumber<double>(text);
    if (!number) return std::nullopt;
    tensor = builder.Constant(dtype, {}, std::span<const double>(&*number, 1));
  }
  return builder.tensor(tensor).data;
}

}  // namespace

std::optional<std::vector<int64_t>> InputShapes::Known(const ValueInfo& value) const {
  if (!value.shape) return std::nullopt;
  std::vector<int64_t> shape;
  for (const Dimension& dimension : *value.shape) {
    const auto named = options_.dims.find(dimension.name);
    if (dimension.value && *dimension.value >= 0) {
      shape.push_back(*dimension.value);
    } else if (!dimension.name.empty() && named != options_.dims.end()) {
      shape.push_back(named->second);
    } else {
      return std::nullopt;
    }
  }
  return shape;
}

absl::StatusOr<graph::Tensor> InputShapes::Read(const ValueInfo& input) {
  graph::Tensor tensor;
  tensor.name = std::string(input.name);
  const std::optional<DataType> dtype = TypeOf(input.element_type);
  if (!input.is_tensor || !dtype) {
    tensor.dtype = DataType::Handle();
    tensor.unsupported = input.is_tensor
                             ? fmt::format("has the type {}", TypeName(input.element_type))
                             : "is not a tensor";
    return tensor;
  }
  if (const auto constant = options_.constants.find(input.name);
      constant != options_.constants.end())
    return ReadConstant(input, *dtype, constant->second);
  tensor.dtype = *dtype;
  if (const auto given = options_.shapes.find(input.name); given != options_.shapes.end()) {
    TENON_TRY(CheckExtents(input, given->second, "--shape"));
    tensor.shape = given->second;
  } else if (auto known = Known(input)) {
    tensor.shape = *std::move(known);
  } else {
    AddOpen(input);
  }
  TENON_TRY(CheckShape(input.place, tensor.shape));
  return tensor;
}

absl::StatusOr<graph::Tensor> InputShapes::ReadConstant(const ValueInfo& input, DataType dtype,
                                                        const ReadOptions::ConstantValue& value) {
  graph::Tensor tensor;
  tensor.name = std::string(input.name);
  tensor.dtype = dtype;
  if (const auto* array = std::get_if<NpyArray>(&value)) {
    if (array->dtype != dtype.ToString()) {
      return WrongOption(input.place,
                         fmt::format("expected an array of {} for --constant {}, found {}",
                                     dtype.ToString(), input.name, array->dtype));
    }
    TENON_TRY(CheckExtents(input, array->shape, "--constant"));
    tensor.shape = array->shape;
    auto owner = std::make_shared<std::string>(array->bytes);
    tensor.data = graph::TensorData{
        {reinterpret_cast<const uint8_t*>(owner->data()), owner->size()}, owner, false};
    return tensor;
  }
  const std::string& text = std::get<std::string>(value);
  tensor.data = NumberData(text, dtype);
  if (!tensor.data) {
    const std::string wanted =
        dtype.is_bool() ? "true, false" : fmt::format("a number of {}", dtype.ToString());
    return WrongOption(input.place,
                       fmt::format("expected {} or an array in a .npy file for --constant {}, "
                                   "found `{}`",
                                   wanted, input.name, text));
  }
  // One element, with as many dimensions as the file says.
  tensor.shape.assign(input.shape ? input.shape->size() : 0, 1);
  TENON_TRY(CheckExtents(input, tensor.shape, "--constant"));
  return tensor;
}

absl::Status InputShapes::CheckExtents(const ValueInfo& input, const std::vector<int64_t>& shape,
                                       std::string_view option) const {
  if (!input.shape) return absl::OkStatus();
  bool is_right = shape.size() == input.shape->size();
  for (size_t i = 0; is_right && i < shape.size(); ++i) {
    const std::optional<int64_t> value = (*input.shape)[i].value;
    is_right = !value || *value < 0 || *value == shape[i];
  }
  if (!is_right)
    return WrongOption(input.place,
                       fmt::format("expected extents that fit {} for {} {}, found {}",
                                   ShapeText(input), option, input.name, fmt::join(shape, ",")));
  for (size_t i = 0; i < shape.size(); ++i) {
    const std::string_view name = (*input.shape)[i].name;
    const auto named = options_.dims.find(name);
    if ((*input.shape)[i].value || named == options_.dims.end() || named->second == shape[i])
      continue;
    return WrongOption(input.place,
                       fmt::format("{} {} gives {} to the dimension `{}`, and --dim gives {}; "
                                   "leave out one of the two",
                                   option, input.name, shape[i], name, named->second));
  }
  return absl::OkStatus();
}

void InputShapes::AddOpen(const ValueInfo& input) {
  const auto add = [&](std::string flag) {
    if (named_.insert(flag).second) flags_.push_back(std::move(flag));
  };
  if (!input.shape) {
    open_.push_back(fmt::format("{} has no shape", input.name));
    add("--shape " + Word(fmt::format("{}=1,3,224,224", input.name)));
    return;
  }
  open_.push_back(ShapeText(input));
  bool has_nameless = false;
  for (const Dimension& dimension : *input.shape)
    has_nameless |= (!dimension.value || *dimension.value < 0) && dimension.name.empty();
  if (has_nameless) {
    std::string shape;
    for (const Dimension& dimension : *input.shape) {
      shape += shape.empty() ? "" : ",";
      shape += dimension.value && *dimension.value >= 0 ? std::to_string(*dimension.value) : "1";
    }
    add("--shape " + Word(fmt::format("{}={}", input.name, shape)));
    return;
  }
  for (const Dimension& dimension : *input.shape) {
    if (!dimension.value && !options_.dims.contains(dimension.name))
      add("--dim " + Word(fmt::format("{}=1", dimension.name)));
  }
}

absl::Status InputShapes::Finish(const GraphProto& graph) const {
  std::vector<std::string> inputs, dims;
  for (const ValueInfo& input : graph.inputs) {
    inputs.emplace_back(input.name);
    if (!input.shape) continue;
    for (const Dimension& dimension : *input.shape)
      if (!dimension.value && !dimension.name.empty()) dims.emplace_back(dimension.name);
  }
  const auto check = [&](std::string_view option, std::string_view what,
                         const std::vector<std::string>& keys,
                         const std::vector<std::string>& known) -> absl::Status {
    for (const std::string& key : keys) {
      const bool is_known = std::find(known.begin(), known.end(), key) != known.end();
      if (is_known && options_.used != nullptr)
        options_.used->insert(fmt::format("{} {}", option, key));
      if (is_known || options_.used != nullptr) continue;
      return WrongOption(option, fmt::format("expected {} of the file, found `{}`{}", what, key,
                                             DidYouMean(key, known)));
    }
    return absl::OkStatus();
  };
  TENON_TRY(check("--shape", "an input", KeysOf(options_.shapes), inputs));
  TENON_TRY(check("--constant", "an input", KeysOf(options_.constants), inputs));
  TENON_TRY(check("--state", "an input", KeysOf(options_.states), inputs));
  TENON_TRY(check("--dim", "a dimension", KeysOf(options_.dims), dims));
  if (open_.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("expected static shapes, found {}; give their extents, for example with {}",
                  fmt::join(open_, ", "), fmt::join(flags_, " ")));
}

}  // namespace tenon::onnx
