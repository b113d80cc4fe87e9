#include "frontends/graph/plain/rnn_code.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "frontends/graph/plain/functions.h"
#include "frontends/graph/plain/plain.h"
#include "ir/builtins.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

constexpr size_t kBias = 3;
constexpr size_t kLengths = 4;

absl::Status CheckShape(const OperatorView& op, size_t input, const TensorShape& wanted) {
  if (!op.HasInput(input) || op.input(input).shape == wanted) return absl::OkStatus();
  Tensor expected = op.input(input);
  expected.shape = wanted;
  return op.Wrong(fmt::format("expected an input {} of {}, found {}", input, expected.TypeText(),
                              op.input(input).TypeText()));
}

/// An activation with the numbers of settings that it takes, and their default values: those of the
/// operators of these names. The standard has no operators Affine and ScaledTanh any more.
struct FunctionRow {
  std::string_view name;
  int settings;
  std::optional<double> alpha;
  std::optional<double> beta;
  Value (*of)(Value x, Value alpha, Value beta);
};

constexpr FunctionRow kFunctions[] = {
    {"sigmoid", 0, 0, 0, [](Value x, Value, Value) { return SigmoidOf(x); }},
    {"tanh", 0, 0, 0, [](Value x, Value, Value) { return CallOf(OpKind::kTanh, x); }},
    {"relu", 0, 0, 0, [](Value x, Value, Value) { return AtLeast(0, x); }},
    {"softsign", 0, 0, 0, [](Value x, Value, Value) { return SoftsignOf(x); }},
    {"softplus", 0, 0, 0, [](Value x, Value, Value) { return SoftplusOf(x); }},
    {"leakyrelu", 1, 0.01, 0, [](Value x, Value alpha, Value) { return LeakyReluOf(x, alpha); }},
    {"thresholdedrelu", 1, 1, 0,
     [](Value x, Value alpha, Value) { return ThresholdedReluOf(x, alpha); }},
    {"elu", 1, 1, 0, [](Value x, Value alpha, Value) { return EluOf(x, alpha); }},
    {"affine", 2, {}, 0, [](Value x, Value alpha, Value beta) { return alpha * x + beta; }},
    {"scaledtanh",
     2,
     {},
     {},
     [](Value x, Value alpha, Value beta) { return alpha * CallOf(OpKind::kTanh, beta * x); }},
    {"hardsigmoid", 2, 0.2, 0.5,
     [](Value x, Value alpha, Value beta) { return HardSigmoidOf(x, alpha, beta); }},
};

std::vector<std::string> NamesOf(std::string_view text) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : text) {
    if (c == ',') names.push_back(std::exchange(name, {}));
    if (c != ',') name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  names.push_back(name);
  return names;
}

/// Takes the next number of a list, or `otherwise` after its end. A number that is missing and has
/// no default is an error.
absl::StatusOr<double> Next(const OperatorView& op, std::string_view list,
                            const std::vector<double>& numbers, size_t& at,
                            std::optional<double> otherwise, std::string_view function) {
  if (at < numbers.size()) return numbers[at++];
  if (otherwise) return *otherwise;
  return op.Wrong(
      fmt::format("expected a number in `{}` for the activation `{}`, which has no "
                  "default, found none",
                  list, function));
}

}  // namespace

absl::StatusOr<RnnSizes> RnnSizesOf(const OperatorView& op, int64_t gates) {
  const Tensor& x = op.input(0);
  const Tensor& weights = op.input(1);
  const Tensor& recurrent = op.input(2);
  if (x.rank() != 3 || weights.rank() != 3 || recurrent.rank() != 3)
    return op.Wrong("expected an input and weights of 3 dimensions");
  RnnSizes sizes;
  sizes.batches_first = op.attributes().Int("layout") != 0;
  sizes.steps = x.shape[sizes.batches_first ? 1 : 0];
  sizes.batches = x.shape[sizes.batches_first ? 0 : 1];
  sizes.inputs = x.shape[2];
  sizes.hidden = recurrent.shape[2];
  const std::string_view direction = op.attributes().Text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return op.Wrong(fmt::format(
        "expected forward, reverse or bidirectional in `direction`, found `{}`", direction));
  sizes.directions = direction == "bidirectional" ? 2 : 1;
  if (sizes.hidden == 0)
    return op.Wrong("expected weights for at least one unit, found " + recurrent.TypeText());
  const int64_t named = op.attributes().Int("hidden_size", sizes.hidden);
  if (named != sizes.hidden)
    return op.Wrong(fmt::format("expected a `hidden_size` of {}, found {}: the weights are {}",
                                sizes.hidden, named, recurrent.TypeText()));
  const int64_t rows = gates * sizes.hidden;
  TENON_TRY(CheckShape(op, 1, {sizes.directions, rows, sizes.inputs}));
  TENON_TRY(CheckShape(op, 2, {sizes.directions, rows, sizes.hidden}));
  TENON_TRY(CheckShape(op, kBias, {sizes.directions, 2 * rows}));
  TENON_TRY(CheckShape(op, kLengths, {sizes.batches}));
  TensorShape state = {sizes.directions, sizes.batches, sizes.hidden};
  if (sizes.batches_first) std::swap(state[0], state[1]);
  for (size_t i = kLengths + 1; i < kLengths + 3; ++i) TENON_TRY(CheckShape(op, i, state));
  TENON_TRY(CheckShape(op, kLengths + 3, {sizes.directions, 3 * sizes.hidden}));
  return sizes;
}

absl::StatusOr<std::vector<RnnFunction>> RnnFunctionsOf(const OperatorView& op, int64_t directions,
                                                        const std::vector<std::string>& defaults) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < directions; ++i)
    names.insert(names.end(), defaults.begin(), defaults.end());
  const size_t count = names.size();
  if (const std::string_view text = op.attributes().Text("activations"); !text.empty())
    names = NamesOf(text);
  if (names.size() != count)
    return op.Wrong(fmt::format("expected {} activations, found {}", count, names.size()));
  const std::vector<double> alphas = op.attributes().Reals("activation_alpha");
  const std::vector<double> betas = op.attributes().Reals("activation_beta");
  size_t next_alpha = 0;
  size_t next_beta = 0;
  std::vector<RnnFunction> functions;
  for (const std::string& name : names) {
    const FunctionRow* row = nullptr;
    for (const FunctionRow& one : kFunctions)
      if (one.name == name) row = &one;
    if (row == nullptr)
      return op.Wrong(fmt::format("expected a known activation, found `{}`", name));
    double alpha = 0;
    double beta = 0;
    if (row->settings > 0) {
      TENON_ASSIGN_OR(alpha, Next(op, "activation_alpha", alphas, next_alpha, row->alpha, name));
    }
    if (row->settings > 1) {
      TENON_ASSIGN_OR(beta, Next(op, "activation_beta", betas, next_beta, row->beta, name));
    }
    functions.push_back([=](Value x) {
      return row->of(x, x.code->Number(x.dtype(), alpha), x.code->Number(x.dtype(), beta));
    });
  }
  return functions;
}

RnnCode::RnnCode(OperatorCode& code, const RnnSizes& sizes, int64_t gates)
    : code_(code), sizes_(sizes), gates_(gates), dtype_(WorkType(code.input(0).dtype)) {}

Array RnnCode::State(std::string_view name, int64_t direction, size_t initial) {
  const int64_t shape[] = {sizes_.batches, sizes_.hidden};
  const Array state = code_.Allocate(name, dtype_, shape);
  code_.Grid("s", shape, [&](const std::vector<Value>& at) {
    if (!code_.HasInput(initial)) return code_.Store(state, at, Zero());
    const Value number = code_.Int(direction);
    const Array from = code_.In(initial);
    const Value value =
        sizes_.batches_first ? from({at[0], number, at[1]}) : from({number, at[0], at[1]});
    code_.Store(state, at, Cast(dtype_, value));
  });
  return state;
}

void RnnCode::ForEachStep(int64_t direction, const Array& hidden,
                          const std::function<void(Value at, Value batch)>& step) {
  const bool reverse =
      direction == 1 || code_.attributes().Text("direction", "forward") == "reverse";
  const auto store = [&](Value at, Value batch, const std::function<Value(Value unit)>& value) {
    if (!code_.HasOutput(0)) return;
    const Array to = code_.Out(0);
    code_.For("u", sizes_.hidden, [&](Value unit) {
      const Value number = code_.Int(direction);
      const Value element = Cast(to.dtype(), value(unit));
      if (sizes_.batches_first) {
        code_.Store(to, {batch, at, number, unit}, element);
      } else {
        code_.Store(to, {at, number, batch, unit}, element);
      }
    });
  };
  const bool has_lengths = code_.HasInput(kLengths);
  code_.For("step", sizes_.steps, [&](Value number) {
    code_.For("batch", sizes_.batches, [&](Value batch) {
      Value length = code_.Int(sizes_.steps);
      if (has_lengths)
        length = code_.Once(Max(Min(Cast(kInt32, code_.In(kLengths)({batch})), sizes_.steps), 0));
      const Value at = reverse ? length - 1 - number : number;
      const auto run = [&] {
        step(at, batch);
        store(at, batch, [&](Value unit) { return hidden({batch, unit}); });
      };
      if (!has_lengths) return run();
      code_.If(number < length, run);
      // Steps after a batch's last one have the output 0.
      code_.If(length <= number, [&] { store(number, batch, [&](Value) { return Zero(); }); });
    });
  });
}

void RnnCode::StoreState(const Array& state, int64_t direction, size_t output) {
  if (!code_.HasOutput(output)) return;
  const Array to = code_.Out(output);
  const int64_t shape[] = {sizes_.batches, sizes_.hidden};
  code_.Grid("s", shape, [&](const std::vector<Value>& at) {
    const Value number = code_.Int(direction);
    const Value element = Cast(to.dtype(), state.Load(at));
    if (sizes_.batches_first) {
      code_.Store(to, {at[0], number, at[1]}, element);
    } else {
      code_.Store(to, {number, at[0], at[1]}, element);
    }
  });
}

Value RnnCode::Dot(int64_t count, const std::function<Value(Value k)>& product, Value start) {
  const Array sum = code_.Scalar("sum", dtype_);
  code_.Set(sum, start);
  code_.For("k", count, [&](Value k) { code_.Set(sum, code_.Get(sum) + product(k)); });
  return code_.Get(sum);
}

Value RnnCode::InputSum(int64_t direction, Value row, Value at, Value batch) {
  const Array x = code_.In(0);
  const Array weights = code_.In(1);
  const Value start = code_.HasInput(kBias) ? Parameter(kBias, direction, row) : Zero();
  const auto product = [&](Value k) {
    const Value element = sizes_.batches_first ? x({batch, at, k}) : x({at, batch, k});
    return Cast(dtype_, element) * Cast(dtype_, weights({code_.Int(direction), row, k}));
  };
  return Dot(sizes_.inputs, product, start);
}

Value RnnCode::StateSum(int64_t direction, Value row,
                        const std::function<Value(Value unit)>& state) {
  const Array weights = code_.In(2);
  const Value start =
      code_.HasInput(kBias) ? Parameter(kBias, direction, row + gates_ * sizes_.hidden) : Zero();
  const auto product = [&](Value k) {
    return state(k) * Cast(dtype_, weights({code_.Int(direction), row, k}));
  };
  return Dot(sizes_.hidden, product, start);
}

Value RnnCode::Clipped(Value x) const {
  const double most = code_.attributes().Real("clip");
  if (!code_.attributes().Has("clip")) return x;
  // NaN stays, as Min and Max give their second operand for it.
  return Min(code_.Number(dtype_, most), Max(code_.Number(dtype_, -most), x));
}

Value RnnCode::Parameter(size_t input, int64_t direction, Value column) {
  return Cast(dtype_, code_.In(input)({code_.Int(direction), column}));
}

}  // namespace tenon::graph::plain
