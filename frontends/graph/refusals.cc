#include "frontends/graph/refusals.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tenon::graph {

namespace {

struct Operand {
  std::string name;  ///< with the tensor's name in the file
  const Tensor* tensor;
};

std::string NameOf(std::string_view what, const Tensor& tensor) {
  return tensor.name.empty() ? std::string(what) : fmt::format("{} `{}`", what, tensor.name);
}

/// The operands whose types an operator chooses between. Axes and bounds are not among them.
std::vector<Operand> Operands(const OperatorView& op) {
  std::vector<Operand> operands;
  for (size_t i = 0; i < op.inputs(); ++i) {
    if (!op.HasInput(i)) continue;
    const Tensor& tensor = op.input(i);
    const bool is_setting = i > 0 && tensor.HasIntegers() && !tensor.quantization.exists();
    if (!is_setting) operands.push_back({NameOf(fmt::format("input {}", i), tensor), &tensor});
  }
  for (size_t i = 0; i < op.outputs(); ++i) {
    if (!op.HasOutput(i)) continue;
    const std::string what = op.outputs() == 1 ? "the output" : fmt::format("output {}", i);
    operands.push_back({NameOf(what, op.output(i)), &op.output(i)});
  }
  return operands;
}

/// An error if a tensor that needs one scale does not have it.
absl::Status CheckScale(const OperatorView& op, const Operand& operand) {
  const Quantization& quantization = operand.tensor->quantization;
  if (!quantization.exists()) return op.Unsupported(operand.name + " has no scale");
  if (quantization.is_per_axis()) {
    return op.Unsupported(fmt::format("{} has {} scales along axis {}, where one is supported",
                                      operand.name, quantization.scales.size(), quantization.axis));
  }
  if (std::isfinite(quantization.scale()) && quantization.scale() > 0) return absl::OkStatus();
  return op.Wrong(fmt::format("expected a scale greater than 0 for {}, found {}", operand.name,
                              quantization.scale()));
}

std::string NumbersOf(const Tensor& tensor) {
  return fmt::format("scale {} and zero point {}", tensor.quantization.scale(),
                     tensor.quantization.zero_point());
}

}  // namespace

absl::Status UnsupportedTypes(const OperatorView& op) {
  std::set<std::string> types;
  std::string text;
  for (const Operand& operand : Operands(op)) {
    types.insert(operand.tensor->dtype.ToString());
    text += fmt::format("{}{} is {}", text.empty() ? "" : ", ", operand.name,
                        operand.tensor->dtype.ToString());
  }
  if (types.size() == 1) return op.Unsupported("not for " + *types.begin());
  return op.Unsupported("not for these types together: " + text);
}

absl::Status NotConstant(const OperatorView& op, std::string_view what,
                         std::initializer_list<size_t> inputs) {
  for (const size_t input : inputs) {
    if (!op.HasInput(input) || op.input(input).HasIntegers()) continue;
    return op.Unsupported(fmt::format("{} not constant: {} is known only at run time", what,
                                      NameOf(fmt::format("input {}", input), op.input(input))));
  }
  return op.Wrong("expected constant integers");
}

absl::Status UnsupportedActivation(const OperatorView& op) {
  return op.Unsupported(
      fmt::format("the fused activation `{}`", op.attributes().Text("activation")));
}

absl::Status UnsupportedScales(const OperatorView& op) {
  for (const Operand& operand : Operands(op)) {
    const DataType dtype = operand.tensor->dtype;
    const bool is_quantized = dtype.is_integer() && (dtype.bits() == 8 || dtype.bits() == 16);
    if (!is_quantized) continue;
    if (absl::Status status = CheckScale(op, operand); !status.ok()) return status;
  }
  return UnsupportedTypes(op);
}

absl::Status UnsupportedScale(const OperatorView& op, std::string_view what, const Tensor& tensor) {
  const absl::Status status = CheckScale(op, {NameOf(what, tensor), &tensor});
  return status.ok() ? UnsupportedTypes(op) : status;
}

absl::Status DifferentScales(const OperatorView& op, size_t input) {
  return op.Unsupported(fmt::format("{} has the {}, and {} the {}: they must be equal",
                                    NameOf(fmt::format("input {}", input), op.input(input)),
                                    NumbersOf(op.input(input)), NameOf("the output", op.output()),
                                    NumbersOf(op.output())));
}

absl::Status OtherOutputScale(const OperatorView& op, float scale, int64_t zero_point) {
  return op.Unsupported(fmt::format("{} has the {}, where {} and {} are needed",
                                    NameOf("the output", op.output()), NumbersOf(op.output()),
                                    scale, zero_point));
}

absl::Status ScalesTooFarApart(const OperatorView& op) {
  std::string text;
  for (const Operand& operand : Operands(op)) {
    if (!operand.tensor->quantization.exists()) continue;
    text += fmt::format("{}{} has the scale {}", text.empty() ? "" : ", ", operand.name,
                        operand.tensor->quantization.scale());
  }
  return op.Unsupported("scales that are this far apart: " + text);
}

}  // namespace tenon::graph
