#include "frontends/onnx/fold_reals.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/graph/fold.h"
#include "support/little_endian.h"
#include "support/status_macros.h"

namespace tenon::onnx {

namespace {

using graph::Tensor;

/// The most elements of a tensor that takes part.
constexpr int64_t kMostFolded = 1024;

/// Operators that only move elements, so that integers of the same bits can stand for floats.
constexpr std::string_view kMovements[] = {
    "reshape", "squeeze", "unsqueeze", "flatten",  "gather",    "slice", "concat",
    "expand",  "tile",    "split",     "identity", "transpose", "where"};

bool IsReal(DataType dtype) { return dtype == DataType::Float(32) || dtype == DataType::Float(64); }
bool IsIndex(DataType dtype) {
  return dtype == DataType::Int(32) || dtype == DataType::Int(64) || dtype.is_bool();
}

bool IsSmallConstant(const Tensor& tensor) {
  return tensor.data.has_value() && tensor.elements() <= kMostFolded &&
         (IsReal(tensor.dtype) || IsIndex(tensor.dtype));
}

double RealAt(const Tensor& tensor, int64_t index) {
  if (!IsReal(tensor.dtype)) return static_cast<double>(tensor.IntegerAt(index));
  const auto size = static_cast<size_t>(tensor.dtype.element_bytes());
  const std::string_view element(
      reinterpret_cast<const char*>(tensor.data->bytes.data()) + static_cast<size_t>(index) * size,
      size);
  if (size == sizeof(double)) return std::bit_cast<double>(LoadLittleEndian<uint64_t>(element));
  return std::bit_cast<float>(LoadLittleEndian<uint32_t>(element));
}

/// A number as an integer: toward zero, saturated, 0 for NaN.
int64_t IntegerOf(double value, DataType dtype) {
  if (dtype.is_bool()) return value != 0 ? 1 : 0;
  if (std::isnan(value)) return 0;
  const int64_t most = dtype.bits() == 64 ? std::numeric_limits<int64_t>::max()
                                          : std::numeric_limits<int32_t>::max();
  const int64_t least = -most - 1;
  if (value >= static_cast<double>(most)) return most;
  return value <= static_cast<double>(least) ? least : static_cast<int64_t>(value);
}

void AppendNumber(double value, DataType dtype, std::string* bytes) {
  if (dtype == DataType::Float(64))
    return AppendLittleEndian(std::bit_cast<uint64_t>(value), bytes);
  if (dtype == DataType::Float(32))
    return AppendLittleEndian(std::bit_cast<uint32_t>(static_cast<float>(value)), bytes);
  std::string element;
  AppendLittleEndian(IntegerOf(value, dtype), &element);
  bytes->append(element, 0, static_cast<size_t>(dtype.element_bytes()));
}

// A double holds the exact sum, product and quotient of two floats closely enough that rounding it
// to float32 gives float32's own result; the same holds for square roots.
std::optional<double> Unary(std::string_view kind, double x) {
  if (kind == "cast" || kind == "identity") return x;
  if (kind == "floor") return std::floor(x);
  if (kind == "ceil") return std::ceil(x);
  if (kind == "round") return std::nearbyint(x);
  if (kind == "sqrt") return std::sqrt(x);
  if (kind == "neg") return -x;
  if (kind == "abs") return std::fabs(x);
  if (kind == "reciprocal") return 1 / x;
  return std::nullopt;
}

std::optional<double> Binary(std::string_view kind, double a, double b) {
  if (kind == "add") return a + b;
  if (kind == "sub") return a - b;
  if (kind == "mul") return a * b;
  if (kind == "div") return a / b;
  if (kind == "equal") return a == b;
  if (kind == "less") return a < b;
  if (kind == "less_or_equal") return a <= b;
  if (kind == "greater") return a > b;
  if (kind == "greater_or_equal") return a >= b;
  if (std::isnan(a) || std::isnan(b)) return std::nullopt;
  if (kind == "min") return std::min(a, b);
  if (kind == "max") return std::max(a, b);
  return std::nullopt;
}

/// The place in a tensor of the element that an output's element `index` reads.
int64_t RepeatedPlace(const Tensor& tensor, const Tensor& output, int64_t index) {
  int64_t place = 0;
  int64_t stride = 1;
  for (int64_t axis = output.rank(); axis-- > 0;) {
    const int64_t extent = output.shape[static_cast<size_t>(axis)];
    const int64_t at = index % extent;
    index /= extent;
    const int64_t own = axis - (output.rank() - tensor.rank());
    if (own < 0) continue;
    const int64_t own_extent = tensor.shape[static_cast<size_t>(own)];
    place += own_extent == 1 ? 0 : at * stride;
    stride *= own_extent;
  }
  return place;
}

/// A cast between integers keeps bits that doubles lose; FoldIntegers has these.
bool FoldArithmetic(graph::Graph& graph, const graph::Operator& op) {
  // Shapes of other operators do not repeat along those of the output.
  const bool is_known =
      op.inputs.size() == 1 ? Unary(op.kind, 1).has_value() : Binary(op.kind, 1, 1).has_value();
  if (!is_known) return false;
  const Tensor output = graph.tensor(op.outputs[0]);
  std::string bytes;
  for (int64_t i = 0; i < output.elements(); ++i) {
    std::optional<double> value;
    const Tensor& a = graph.tensor(op.inputs[0]);
    const double first = RealAt(a, RepeatedPlace(a, output, i));
    // Larger integers are not exact as doubles.
    constexpr double kExact = 9007199254740992;
    if (!IsReal(a.dtype) && std::fabs(first) > kExact) return false;
    if (op.inputs.size() == 1) {
      value = Unary(op.kind, first);
    } else {
      const Tensor& b = graph.tensor(op.inputs[1]);
      value = Binary(op.kind, first, RealAt(b, RepeatedPlace(b, output, i)));
    }
    if (!value) return false;
    AppendNumber(*value, output.dtype, &bytes);
  }
  graph.tensors[static_cast<size_t>(op.outputs[0])].data = graph::DataOf(std::move(bytes));
  return true;
}

/// The operator on integers of the same bits.
absl::StatusOr<bool> FoldMovement(graph::Graph& graph, const graph::Operator& op, int64_t& steps) {
  graph::Graph proxy;
  proxy.format = graph.format;
  graph::Operator own = op;
  const auto add = [&](int& number) {
    if (number == graph::kAbsent) return;
    Tensor tensor = graph.tensor(number);
    if (IsReal(tensor.dtype)) tensor.dtype = DataType::Int(tensor.dtype.bits());
    proxy.tensors.push_back(std::move(tensor));
    number = static_cast<int>(proxy.tensors.size()) - 1;
  };
  for (int& number : own.inputs) add(number);
  for (int& number : own.outputs) add(number);
  TENON_ASSIGN_OR(const bool is_known, FoldIntegers(proxy, own, steps));
  if (!is_known) return false;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (op.outputs[i] == graph::kAbsent) continue;
    graph.tensors[static_cast<size_t>(op.outputs[i])].data = proxy.tensor(own.outputs[i]).data;
  }
  return true;
}

}  // namespace

std::optional<std::vector<double>> RealsIn(const Tensor& tensor) {
  if (!IsSmallConstant(tensor)) return std::nullopt;
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.elements(); ++i) values.push_back(RealAt(tensor, i));
  return values;
}

absl::StatusOr<bool> FoldReals(graph::Graph& graph, const graph::Operator& op, int64_t& steps) {
  if (op.inputs.empty() || op.outputs.empty()) return false;
  bool has_reals = false;
  for (const std::vector<int>* tensors : {&op.inputs, &op.outputs}) {
    for (const int number : *tensors) {
      if (number == graph::kAbsent) continue;
      const Tensor& tensor = graph.tensor(number);
      const bool is_small =
          tensor.elements() <= kMostFolded && (IsReal(tensor.dtype) || IsIndex(tensor.dtype));
      if (!is_small || (tensors == &op.inputs && !IsSmallConstant(tensor))) return false;
      has_reals = has_reals || IsReal(tensor.dtype);
    }
  }
  if (!has_reals) return false;
  if (std::find(std::begin(kMovements), std::end(kMovements), op.kind) != std::end(kMovements))
    return FoldMovement(graph, op, steps);
  const bool has_absent =
      std::find(op.inputs.begin(), op.inputs.end(), graph::kAbsent) != op.inputs.end();
  return op.outputs.size() == 1 && op.inputs.size() <= 2 && !has_absent &&
         FoldArithmetic(graph, op);
}

}  // namespace tenon::onnx
