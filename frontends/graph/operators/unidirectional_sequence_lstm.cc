// UNIDIRECTIONAL_SEQUENCE_LSTM: input [n, steps, depth], or steps first. The inputs by their
// numbers: 1 to 4 weights [cells, depth] of the gates input, forget, cell and output; 5 to 8
// weights [cells, cells] of the last output; 12 to 15 biases [cells]; 18 the last output and 19
// the cells, which are states. Gates that see the cells, projections and layer norms are not
// supported. int8 has gates of int16: numbers with 3 bits before the point.

#include <algorithm>
#include <array>
#include <cmath>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/short_fixed_point.h"

namespace tenon::graph {

namespace {

constexpr size_t kGates = 4;
enum Gate : uint8_t { kInputGate, kForgetGate, kCellGate, kOutputGate };
constexpr size_t kWeights = 1, kRecurrent = 5, kBias = 12, kLastOutput = 18, kCells = 19;
constexpr int kGateBits = 3;

struct Shape {
  int64_t batch, steps, depth, cells;
  bool steps_first;
};

absl::StatusOr<Shape> ShapeOf(const OperatorCode& code) {
  if (code.inputs() < 20 || code.inputs() > 24 || code.op().outputs.size() != 1)
    return code.Wrong("expected 20 to 24 inputs and one output");
  for (const size_t absent : {9U, 10U, 11U, 16U, 17U, 20U, 21U, 22U, 23U}) {
    if (code.HasInput(absent))
      return code.Unsupported("gates that see the cells, projections and layer norms");
  }
  if (!code.HasInput(kWeights)) return code.Unsupported("coupled input and forget gates");
  if (!code.HasInput(0) || code.input(0).rank() != 3 || !code.HasInput(kLastOutput) ||
      !code.HasInput(kCells))
    return code.Wrong("expected an input of 3 dimensions and two states");
  const std::vector<int64_t>& x = code.input(0).shape;
  const bool steps_first = code.attributes().Int("time_major") != 0;
  const Shape shape = {x[steps_first ? 1 : 0], x[steps_first ? 0 : 1], x[2],
                       code.output().shape.empty() ? 0 : code.output().shape.back(), steps_first};
  bool fits = code.output().elements() == shape.batch * shape.steps * shape.cells;
  for (size_t gate = 0; gate < kGates; ++gate) {
    const auto is = [&](size_t input, int64_t columns) {
      return code.HasInput(input) &&
             code.input(input).shape == std::vector<int64_t>{shape.cells, columns};
    };
    fits = fits && is(kWeights + gate, shape.depth) && is(kRecurrent + gate, shape.cells) &&
           code.HasInput(kBias + gate) && code.input(kBias + gate).elements() == shape.cells;
  }
  for (const size_t state : {kLastOutput, kCells}) {
    fits = fits && code.input(state).elements() == shape.batch * shape.cells;
    if (!code.input(state).is_state) return code.Wrong("expected states that are variables");
  }
  if (!fits) return code.Wrong("expected shapes that fit each other");
  return shape;
}

/// The arrays of an operator, and its loops over rows, steps and cells.
class Lstm {
 public:
  Lstm(OperatorCode& code, const Shape& shape) : code_(code), shape_(shape) {
    x_ = code.In(0);
    for (size_t gate = 0; gate < kGates; ++gate) {
      weights_[gate] = code.In(kWeights + gate);
      recurrent_[gate] = code.In(kRecurrent + gate);
      bias_[gate] = code.Flat(code.In(kBias + gate), {shape.cells});
    }
    last_ = code.Flat(code.In(kLastOutput), {shape.batch, shape.cells});
    cells_ = code.Flat(code.In(kCells), {shape.batch, shape.cells});
    to_ = code.Flat(code.Out(), shape.steps_first
                                    ? std::vector<int64_t>{shape.steps, shape.batch, shape.cells}
                                    : std::vector<int64_t>{shape.batch, shape.steps, shape.cells});
  }
  virtual ~Lstm() = default;

  void Write() {
    code_.For("b", shape_.batch, [&](Value b) {
      const int64_t cells[] = {shape_.cells};
      const Array next = code_.Allocate("next", to_.dtype(), cells);
      code_.For("t", shape_.steps, [&](Value t) {
        code_.For("c", shape_.cells, [&](Value c) { WriteCell(b, t, c, next); });
        code_.For("c", shape_.cells, [&](Value c) {
          code_.Store(last_, {b, c}, Kept(next({c})));
          code_.Store(to_, {At(b, t)[0], At(b, t)[1], c}, next({c}));
        });
      });
    });
  }

 protected:
  /// The element of the output, and the cell after it.
  virtual void WriteCell(Value b, Value t, Value c, const Array& next) = 0;
  /// An element of the output as the state has it.
  virtual Value Kept(Value output) { return output; }

  std::array<Value, 2> At(Value b, Value t) const {
    return shape_.steps_first ? std::array{t, b} : std::array{b, t};
  }
  Value X(Value b, Value t, Value k) const { return x_({At(b, t)[0], At(b, t)[1], k}); }

  OperatorCode& code_;
  Shape shape_;
  Array x_, last_, cells_, to_;
  std::array<Array, kGates> weights_, recurrent_, bias_;
};

class FloatLstm : public Lstm {
 public:
  using Lstm::Lstm;

 private:
  Value Sum(Gate gate, Value b, Value t, Value c) {
    const Array sum = code_.Scalar("sum", kFloat32);
    code_.Set(sum, bias_[gate]({c}));
    code_.For("k", shape_.depth, [&](Value k) {
      code_.Set(sum, code_.Get(sum) + X(b, t, k) * weights_[gate]({c, k}));
    });
    code_.For("k", shape_.cells, [&](Value k) {
      code_.Set(sum, code_.Get(sum) + last_({b, k}) * recurrent_[gate]({c, k}));
    });
    return code_.Get(sum);
  }
  Value Logistic(Value x) const {
    const Value one = code_.Number(kFloat32, 1);
    return Div(one, one + CallOf(OpKind::kExp, code_.Number(kFloat32, 0) - x));
  }

  void WriteCell(Value b, Value t, Value c, const Array& next) override {
    const Value input = Logistic(Sum(kInputGate, b, t, c));
    const Value forget = Logistic(Sum(kForgetGate, b, t, c));
    const Value cell = CallOf(OpKind::kTanh, Sum(kCellGate, b, t, c));
    const Value output = Logistic(Sum(kOutputGate, b, t, c));
    Value now = cells_({b, c}) * forget + cell * input;
    if (const double clip = code_.attributes().Real("cell_clip"); clip > 0)
      now = Max(Min(now, code_.Number(kFloat32, clip)), code_.Number(kFloat32, -clip));
    code_.Store(cells_, {b, c}, now);
    code_.Store(next, {c}, output * CallOf(OpKind::kTanh, cells_({b, c})));
  }
};

/// The scales of an operator with integers.
struct Scales {
  std::array<FixedPoint, kGates> input, recurrent;
  FixedPoint hidden;
  int64_t hidden_zero_point = 0;
  int cell_exponent = 0;
  int64_t clip = 0;
};

class QuantizedLstm : public Lstm {
 public:
  QuantizedLstm(OperatorCode& code, const Shape& shape, const Scales& scales)
      : Lstm(code, shape), scales_(scales) {}

 private:
  int64_t last_zero_point() const { return code_.input(kLastOutput).quantization.zero_point(); }
  /// States begin as zeros, which stand for the zero point.
  Value Kept(Value output) override {
    if (last_zero_point() == 0) return output;
    return Cast(kInt8, Cast(kInt32, output) - last_zero_point());
  }
  Value Last(Value b, Value k) const {
    const Value kept = Cast(kInt32, last_({b, k}));
    if (last_zero_point() == 0) return kept;
    return Cast(kInt32, Cast(kInt8, kept + last_zero_point())) - last_zero_point();
  }

  /// The sum of a gate, in 16 bits with 3 before the point.
  Value Sum(Gate gate, Value b, Value t, Value c) {
    const Array sum = code_.Scalar("sum", kInt32);
    code_.Set(sum, bias_[gate]({c}));
    code_.For("k", shape_.depth, [&](Value k) {
      const Value x = Cast(kInt32, X(b, t, k)) - code_.input(0).quantization.zero_point();
      code_.Set(sum, code_.Get(sum) + x * Cast(kInt32, weights_[gate]({c, k})));
    });
    const Array result = code_.Scalar("gate", kInt32);
    code_.Set(result, ClampToShort(RescaleTwice(code_.Get(sum), scales_.input[gate])));
    code_.Set(sum, code_.Int(0));
    code_.For("k", shape_.cells, [&](Value k) {
      code_.Set(sum, code_.Get(sum) + Last(b, k) * Cast(kInt32, recurrent_[gate]({c, k})));
    });
    const Value more = RescaleTwice(code_.Get(sum), scales_.recurrent[gate]);
    code_.Set(result, ClampToShort(more + code_.Get(result)));
    return code_.Get(result);
  }

  void WriteCell(Value b, Value t, Value c, const Array& next) override {
    const Value input = code_.Once(ShortLogistic(Sum(kInputGate, b, t, c), kGateBits));
    const Value forget = code_.Once(ShortLogistic(Sum(kForgetGate, b, t, c), kGateBits));
    const Value cell = code_.Once(ShortTanh(Sum(kCellGate, b, t, c), kGateBits));
    const Value old = RoundedQuotient(code_.Once(forget * Cast(kInt32, cells_({b, c}))), 15);
    const Value added = RoundedQuotient(code_.Once(input * cell), 30 + scales_.cell_exponent);
    Value now = ClampToShort(old + added);
    if (scales_.clip > 0) now = Max(Min(now, scales_.clip), -scales_.clip);
    code_.Store(cells_, {b, c}, Cast(kInt16, now));
    const Value output = code_.Once(ShortLogistic(Sum(kOutputGate, b, t, c), kGateBits));
    const Value state = code_.Once(Cast(kInt32, cells_({b, c})));
    const Value product = code_.Once(output * ShortTanh(state, 15 + scales_.cell_exponent));
    const Interval range = RangeOf(kInt8);
    const Value result = RescaleTwice(product, scales_.hidden) + scales_.hidden_zero_point;
    code_.Store(next, {c}, Cast(kInt8, Max(Min(result, range.high), range.low)));
  }

  Scales scales_;
};

absl::StatusOr<Scales> ScalesOf(const OperatorCode& code) {
  const Tensor& x = code.input(0);
  const Tensor& last = code.input(kLastOutput);
  const Tensor& cells = code.input(kCells);
  const std::vector<int>& inner = code.op().intermediates;
  if (inner.size() != 5 || inner[4] == kAbsent)
    return code.Wrong("expected 5 intermediate tensors");
  const Quantization& hidden = code.tensor(inner[4]).quantization;
  if (!HasScale(x) || !HasScale(last) || !HasScale(cells) || !(hidden.scale() > 0))
    return code.Wrong("expected tensors with one scale greater than 0");
  Scales scales;
  // In float arithmetic, as TensorFlow Lite has it.
  const float gate_scale = std::ldexp(1.0F, -12);
  for (size_t gate = 0; gate < kGates; ++gate) {
    const Tensor& weights = code.input(kWeights + gate);
    const Tensor& recurrent = code.input(kRecurrent + gate);
    if (!HasScale(weights) || !HasScale(recurrent))
      return code.Wrong("expected weights with one scale greater than 0");
    const float of_input = weights.quantization.scale() * x.quantization.scale() / gate_scale;
    const float of_last = recurrent.quantization.scale() * last.quantization.scale() / gate_scale;
    scales.input[gate] = ToFixedPoint(double{of_input});
    scales.recurrent[gate] = ToFixedPoint(double{of_last});
  }
  const auto of_hidden =
      static_cast<float>(std::ldexp(1.0, -15) / double{hidden.scale()} * std::ldexp(1.0, -15));
  scales.hidden = ToFixedPoint(double{of_hidden});
  scales.hidden_zero_point = hidden.zero_point();
  int exponent = 0;
  const float fraction = std::frexp(cells.quantization.scale(), &exponent);
  scales.cell_exponent = exponent - 1;
  if (fraction != 0.5F || scales.cell_exponent < -15 || scales.cell_exponent > -9 ||
      cells.quantization.zero_point() != 0)
    return code.Unsupported("cells of another scale than 2^-15 to 2^-9");
  if (const double clip = code.attributes().Real("cell_clip"); clip > 0) {
    const double steps = clip / double{cells.quantization.scale()};
    scales.clip = static_cast<int64_t>(std::min(steps, 32767.0));
  }
  return scales;
}

/// True when the tensors have these dtypes.
bool HasTypes(const OperatorCode& code, DataType x, DataType weights, DataType bias,
              DataType cells) {
  bool has = code.input(0).dtype == x && code.output().dtype == x &&
             code.input(kLastOutput).dtype == x && code.input(kCells).dtype == cells;
  for (size_t gate = 0; gate < kGates; ++gate) {
    has = has && code.input(kWeights + gate).dtype == weights &&
          code.input(kRecurrent + gate).dtype == weights && code.input(kBias + gate).dtype == bias;
  }
  return has;
}

}  // namespace

absl::Status BuildUnidirectionalSequenceLstm(OperatorCode& code) {
  const absl::StatusOr<Shape> shape = ShapeOf(code);
  if (!shape.ok()) return shape.status();
  if (code.attributes().Text("activation") != "tanh")
    return code.Unsupported("another activation than tanh");
  if (code.attributes().Int("diagonal_recurrent") != 0) return code.Unsupported("diagonal weights");
  if (HasTypes(code, kFloat32, kFloat32, kFloat32, kFloat32)) {
    FloatLstm(code, *shape).Write();
    return absl::OkStatus();
  }
  if (!HasTypes(code, kInt8, kInt8, kInt32, kInt16)) return UnsupportedTypes(code);
  const absl::StatusOr<Scales> scales = ScalesOf(code);
  if (!scales.ok()) return scales.status();
  QuantizedLstm(code, *shape, *scales).Write();
  return absl::OkStatus();
}

}  // namespace tenon::graph
