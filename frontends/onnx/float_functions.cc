#include "frontends/onnx/float_functions.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "frontends/onnx/quantization.h"

namespace tenon::onnx {

namespace {

using graph::Attributes;

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }
double Softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

struct UnaryRow {
  std::string_view kind;
  double (*of)(double x, const Attributes& attributes);
};

double HardSigmoid(double x, double alpha, double beta) {
  return std::clamp(alpha * x + beta, 0.0, 1.0);
}

double Gelu(double x, const Attributes& attributes) {
  if (attributes.Text("approximate") != "tanh")
    return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
  constexpr double kCubic = 0.044715;
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + kCubic * x * x * x);
  return x / 2 * (1 + std::tanh(inner));
}

constexpr UnaryRow kUnaryRows[] = {
    {"abs", [](double x, const Attributes&) { return std::fabs(x); }},
    {"atan", [](double x, const Attributes&) { return std::atan(x); }},
    {"ceil", [](double x, const Attributes&) { return std::ceil(x); }},
    {"celu",
     [](double x, const Attributes& of) {
       const double alpha = of.Real("alpha", 1);
       return std::max(0.0, x) + std::min(0.0, alpha * std::expm1(x / alpha));
     }},
    {"cos", [](double x, const Attributes&) { return std::cos(x); }},
    {"elu", [](double x,
               const Attributes& of) { return x < 0 ? of.Real("alpha", 1) * std::expm1(x) : x; }},
    {"erf", [](double x, const Attributes&) { return std::erf(x); }},
    {"exp", [](double x, const Attributes&) { return std::exp(x); }},
    {"floor", [](double x, const Attributes&) { return std::floor(x); }},
    {"gelu", &Gelu},
    {"hard_sigmoid",
     [](double x, const Attributes& of) {
       return HardSigmoid(x, of.Real("alpha", 0.2), of.Real("beta", 0.5));
     }},
    {"hard_swish", [](double x, const Attributes&) { return x * HardSigmoid(x, 1.0 / 6, 0.5); }},
    {"identity", [](double x, const Attributes&) { return x; }},
    {"leaky_relu",
     [](double x, const Attributes& of) { return x < 0 ? of.Real("alpha", 0.01) * x : x; }},
    {"log", [](double x, const Attributes&) { return std::log(x); }},
    {"mish", [](double x, const Attributes&) { return x * std::tanh(Softplus(x)); }},
    {"neg", [](double x, const Attributes&) { return -x; }},
    {"reciprocal", [](double x, const Attributes&) { return 1 / x; }},
    {"relu", [](double x, const Attributes&) { return std::max(x, 0.0); }},
    {"round", [](double x, const Attributes&) { return std::nearbyint(x); }},
    {"selu",
     [](double x, const Attributes& of) {
       return of.Real("gamma") * (x > 0 ? x : of.Real("alpha") * std::expm1(x));
     }},
    {"sigmoid", [](double x, const Attributes&) { return Logistic(x); }},
    {"sin", [](double x, const Attributes&) { return std::sin(x); }},
    {"softplus", [](double x, const Attributes&) { return Softplus(x); }},
    {"softsign", [](double x, const Attributes&) { return x / (1 + std::fabs(x)); }},
    {"sqrt", [](double x, const Attributes&) { return std::sqrt(x); }},
    {"swish", [](double x, const Attributes& of) { return x * Logistic(of.Real("alpha", 1) * x); }},
    {"tanh", [](double x, const Attributes&) { return std::tanh(x); }},
    {"thresholded_relu",
     [](double x, const Attributes& of) { return x > of.Real("alpha", 1) ? x : 0.0; }},
};

struct PairRow {
  std::string_view kind;
  double (*of)(double a, double b);
};

constexpr PairRow kPairRows[] = {
    {"add", [](double a, double b) { return a + b; }},
    {"sub", [](double a, double b) { return a - b; }},
    {"mul", [](double a, double b) { return a * b; }},
    {"div", [](double a, double b) { return a / b; }},
    {"max", [](double a, double b) { return std::max(a, b); }},
    {"min", [](double a, double b) { return std::min(a, b); }},
    {"pow", [](double a, double b) { return std::pow(a, b); }},
    {"prelu", [](double a, double b) { return a < 0 ? a * b : a; }},
};

template <class Row, size_t kCount>
const Row* Find(const Row (&rows)[kCount], std::string_view kind) {
  for (const Row& row : rows)
    if (row.kind == kind) return &row;
  return nullptr;
}

/// The number of a constant of one element.
std::optional<double> NumberIn(const graph::Graph& graph, int tensor) {
  if (tensor == graph::kAbsent || graph.tensor(tensor).elements() != 1) return std::nullopt;
  const auto values = FloatsIn(graph.tensor(tensor));
  return values ? std::optional<double>((*values)[0]) : std::nullopt;
}

}  // namespace

std::optional<FloatFunction> FunctionOf(const graph::Graph& graph, const graph::Operator& op) {
  if (op.outputs.size() != 1 || op.inputs.empty() || op.inputs[0] == graph::kAbsent)
    return std::nullopt;
  const bool is_clip = op.kind == "clip";
  if (is_clip || (Find(kUnaryRows, op.kind) != nullptr && op.inputs.size() == 1)) {
    for (size_t i = 1; i < op.inputs.size(); ++i)
      if (op.inputs[i] != graph::kAbsent && !NumberIn(graph, op.inputs[i])) return std::nullopt;
    return FloatFunction{&op, op.inputs[0]};
  }
  if (Find(kPairRows, op.kind) == nullptr || op.inputs.size() != 2) return std::nullopt;
  for (const size_t constant : {size_t{1}, size_t{0}}) {
    const int other = op.inputs[1 - constant];
    if (other == graph::kAbsent || !NumberIn(graph, op.inputs[constant])) continue;
    if (graph.tensor(other).shape == graph.tensor(op.outputs[0]).shape)
      return FloatFunction{&op, other};
  }
  return std::nullopt;
}

float ResultOf(const graph::Graph& graph, const FloatFunction& function, float x) {
  const graph::Operator& op = *function.op;
  if (op.kind == "clip") {
    double result = x;
    if (op.inputs.size() > 1 && op.inputs[1] != graph::kAbsent)
      result = std::max(result, *NumberIn(graph, op.inputs[1]));
    if (op.inputs.size() > 2 && op.inputs[2] != graph::kAbsent)
      result = std::min(result, *NumberIn(graph, op.inputs[2]));
    return static_cast<float>(result);
  }
  if (op.inputs.size() == 1)
    return static_cast<float>(Find(kUnaryRows, op.kind)->of(x, op.attributes));
  const bool is_first = op.inputs[0] == function.input;
  const double other = *NumberIn(graph, op.inputs[is_first ? 1 : 0]);
  const auto* row = Find(kPairRows, op.kind);
  return static_cast<float>(is_first ? row->of(x, other) : row->of(other, x));
}

}  // namespace tenon::onnx
