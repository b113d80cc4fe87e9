// UNIDIRECTIONAL_SEQUENCE_LSTM: input [n, steps, depth], or steps first. The inputs by their
// numbers: 1 to 4 weights [cells, depth] of the gates input, forget, cell and output; 5 to 8
// weights [cells, outputs] of the last output; 9 to 11 weights [cells] of the cells, for the gates
// input, forget and output; 12 to 15 biases [cells]; 16 a projection [outputs, cells] and 17 its
// bias; 18 the last output and 19 the cells, which are states; 20 to 23 weights [cells] of layer
// norms. Without an input gate its value is 1 minus the forget gate. int8 has gates of int16:
// numbers with 3 bits before the point.

#include <algorithm>
#include <array>
#include <cmath>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/short_fixed_point.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

constexpr size_t kGates = 4;
enum Gate : uint8_t { kInputGate, kForgetGate, kCellGate, kOutputGate };
constexpr size_t kWeights = 1, kRecurrent = 5, kSeen = 9, kGateBias = 12, kProjection = 16,
                 kProjectionBias = 17, kLastOutput = 18, kCells = 19, kNorm = 20, kInputs = 24;
constexpr int kGateBits = 3;

struct Shape {
  int64_t batch = 0, steps = 0, depth = 0, cells = 0, outputs = 0;
  bool steps_first = false;
  /// There is no input gate.
  bool coupled = false;
};

/// The input with a gate's weights for the cells; 0 for the gate without such weights.
size_t SeenInput(size_t gate) {
  constexpr size_t kInputOf[kGates] = {kSeen, kSeen + 1, 0, kSeen + 2};
  return kInputOf[gate];
}

bool Has(const OperatorCode& code, size_t input, const std::vector<int64_t>& shape) {
  return code.HasInput(input) && code.input(input).shape == shape;
}

/// Whether an optional input is absent or has this shape.
bool MayHave(const OperatorCode& code, size_t input, const std::vector<int64_t>& shape) {
  return !code.HasInput(input) || code.input(input).shape == shape;
}

bool GateFits(const OperatorCode& code, const Shape& shape, size_t gate) {
  const std::vector<int64_t> row = {shape.cells};
  return Has(code, kWeights + gate, {shape.cells, shape.depth}) &&
         Has(code, kRecurrent + gate, {shape.cells, shape.outputs}) &&
         code.HasInput(kGateBias + gate) &&
         code.input(kGateBias + gate).elements() == shape.cells &&
         MayHave(code, kNorm + gate, row) &&
         (SeenInput(gate) == 0 || MayHave(code, SeenInput(gate), row));
}

/// Whether the gates are alike: either all or none see the cells, and either all or none have layer
/// norms.
bool GatesAgree(const OperatorCode& code, bool coupled) {
  bool agree = true;
  for (size_t gate = coupled ? kForgetGate : kInputGate; gate < kGates; ++gate) {
    agree = agree && code.HasInput(kNorm + gate) == code.HasInput(kNorm + kForgetGate);
    if (gate == kCellGate) continue;
    agree = agree && code.HasInput(SeenInput(gate)) == code.HasInput(SeenInput(kForgetGate));
  }
  return agree;
}

absl::Status CheckShape(const OperatorCode& code, const Shape& shape) {
  bool fits = code.output().elements() == shape.batch * shape.steps * shape.outputs;
  for (size_t gate = shape.coupled ? kForgetGate : kInputGate; gate < kGates; ++gate)
    fits = fits && GateFits(code, shape, gate);
  for (const size_t state : {kLastOutput, kCells}) {
    const int64_t each = state == kCells ? shape.cells : shape.outputs;
    fits = fits && code.input(state).elements() == shape.batch * each;
    if (!code.input(state).is_state) return code.Wrong("expected states that are variables");
  }
  fits = fits && MayHave(code, kProjection, {shape.outputs, shape.cells}) &&
         MayHave(code, kProjectionBias, {shape.outputs}) &&
         (code.HasInput(kProjection) || shape.outputs == shape.cells);
  if (!fits) return code.Wrong("expected shapes that fit each other");
  if (!GatesAgree(code, shape.coupled)) return code.Wrong("expected gates that are alike");
  return absl::OkStatus();
}

absl::StatusOr<Shape> ShapeOf(const OperatorCode& code) {
  if (code.inputs() < 20 || code.inputs() > kInputs || code.op().outputs.size() != 1)
    return code.Wrong("expected 20 to 24 inputs and one output");
  if (!code.HasInput(0) || code.input(0).rank() != 3 || !code.HasInput(kLastOutput) ||
      !code.HasInput(kCells) || !code.HasInput(kRecurrent + kOutputGate) ||
      code.input(kRecurrent + kOutputGate).rank() != 2)
    return code.Wrong("expected an input of 3 dimensions, weights of 2, and two states");
  const std::vector<int64_t>& x = code.input(0).shape;
  const std::vector<int64_t>& recurrent = code.input(kRecurrent + kOutputGate).shape;
  const bool steps_first = code.attributes().Int("time_major") != 0;
  const Shape shape = {.batch = x[steps_first ? 1 : 0],
                       .steps = x[steps_first ? 0 : 1],
                       .depth = x[2],
                       .cells = recurrent[0],
                       .outputs = recurrent[1],
                       .steps_first = steps_first,
                       .coupled = !code.HasInput(kWeights)};
  if (absl::Status status = CheckShape(code, shape); !status.ok()) return status;
  return shape;
}

/// The arrays of an operator, and its loops over rows, steps and cells.
class Lstm {
 public:
  Lstm(OperatorCode& code, const Shape& shape) : code_(code), shape_(shape) {
    x_ = code.In(0);
    for (size_t gate = shape.coupled ? kForgetGate : kInputGate; gate < kGates; ++gate) {
      weights_[gate] = code.In(kWeights + gate);
      recurrent_[gate] = code.In(kRecurrent + gate);
      bias_[gate] = code.Flat(code.In(kGateBias + gate), {shape.cells});
      norm_[gate] = Optional(kNorm + gate);
      if (SeenInput(gate) != 0) seen_[gate] = Optional(SeenInput(gate));
    }
    projection_ = Optional(kProjection);
    projection_bias_ = Optional(kProjectionBias);
    last_ = code.Flat(code.In(kLastOutput), {shape.batch, shape.outputs});
    cells_ = code.Flat(code.In(kCells), {shape.batch, shape.cells});
    to_ =
        code.Flat(code.Out(), shape.steps_first
                                  ? std::vector<int64_t>{shape.steps, shape.batch, shape.outputs}
                                  : std::vector<int64_t>{shape.batch, shape.steps, shape.outputs});
  }
  virtual ~Lstm() = default;

  void Write() {
    code_.For("b", shape_.batch, [&](Value b) {
      const int64_t cells[] = {shape_.cells};
      const Array next = code_.Allocate("next", to_.dtype(), cells);
      code_.For("t", shape_.steps, [&](Value t) {
        WriteCells(b, t, next);
        code_.For("c", shape_.outputs, [&](Value c) {
          const Value output = projection_.exists() ? code_.Once(Projected(next, c)) : next({c});
          code_.Store(last_, {b, c}, Kept(output));
          code_.Store(to_, {At(b, t)[0], At(b, t)[1], c}, output);
        });
      });
    });
  }

 protected:
  /// Writes the cells of a step, and `next`: the outputs, or the inputs of the projection.
  virtual void WriteCells(Value b, Value t, const Array& next) {
    code_.For("c", shape_.cells, [&](Value c) {
      WriteCell(b, t, c);
      code_.Store(next, {c}, Hidden(b, t, c));
    });
  }
  virtual void WriteCell(Value b, Value t, Value c) = 0;
  virtual Value Hidden(Value b, Value t, Value c) = 0;
  virtual Value Projected(const Array& next, Value c) = 0;
  /// An element of the output in the form of the state.
  virtual Value Kept(Value output) { return output; }

  Array Optional(size_t input) { return code_.HasInput(input) ? code_.In(input) : Array(); }
  std::array<Value, 2> At(Value b, Value t) const {
    return shape_.steps_first ? std::array{t, b} : std::array{b, t};
  }
  Value X(Value b, Value t, Value k) const { return x_({At(b, t)[0], At(b, t)[1], k}); }

  OperatorCode& code_;
  Shape shape_;
  Array x_, last_, cells_, to_, projection_, projection_bias_;
  std::array<Array, kGates> weights_, recurrent_, bias_, seen_, norm_;
};

class FloatLstm : public Lstm {
 public:
  using Lstm::Lstm;

 private:
  Value Number(double value) const { return code_.Number(kFloat32, value); }
  Value Sum(Gate gate, Value b, Value t, Value c) {
    const Array sum = code_.Scalar("sum", kFloat32);
    code_.Set(sum, norm_[gate].exists() ? Number(0) : bias_[gate]({c}));
    code_.For("k", shape_.depth, [&](Value k) {
      code_.Set(sum, code_.Get(sum) + X(b, t, k) * weights_[gate]({c, k}));
    });
    code_.For("k", shape_.outputs, [&](Value k) {
      code_.Set(sum, code_.Get(sum) + last_({b, k}) * recurrent_[gate]({c, k}));
    });
    if (seen_[gate].exists()) code_.Set(sum, code_.Get(sum) + seen_[gate]({c}) * cells_({b, c}));
    return code_.Get(sum);
  }
  /// The argument of a gate's function.
  Value Argument(Gate gate, Value b, Value t, Value c) {
    return norm_[gate].exists() ? normal_[gate]({c}) : Sum(gate, b, t, c);
  }
  Value Logistic(Value x) const {
    return Div(Number(1), Number(1) + CallOf(OpKind::kExp, Number(0) - x));
  }
  Value Clipped(Value x, std::string_view setting) const {
    const double clip = code_.attributes().Real(setting);
    return clip > 0 ? Max(Min(x, Number(clip)), Number(-clip)) : x;
  }

  /// Layer norms need the sums of all cells first.
  void WriteCells(Value b, Value t, const Array& next) override {
    if (!norm_[kForgetGate].exists()) return Lstm::WriteCells(b, t, next);
    for (const Gate gate : {kInputGate, kForgetGate, kCellGate})
      if (norm_[gate].exists()) WriteNorm(gate, b, t);
    code_.For("c", shape_.cells, [&](Value c) { WriteCell(b, t, c); });
    WriteNorm(kOutputGate, b, t);
    code_.For("c", shape_.cells, [&](Value c) { code_.Store(next, {c}, Hidden(b, t, c)); });
  }

  void WriteNorm(Gate gate, Value b, Value t) {
    const int64_t cells[] = {shape_.cells};
    const Array normal = code_.Allocate("normal", kFloat32, cells);
    const Array sum = code_.Scalar("total", kFloat32);
    const Value count = Number(static_cast<double>(shape_.cells));
    code_.Set(sum, Number(0));
    code_.For("c", shape_.cells, [&](Value c) {
      code_.Store(normal, {c}, Sum(gate, b, t, c));
      code_.Set(sum, code_.Get(sum) + normal({c}));
    });
    const Value mean = code_.Once(Div(code_.Get(sum), count));
    code_.Set(sum, Number(0));
    code_.For("c", shape_.cells, [&](Value c) {
      const Value difference = code_.Once(normal({c}) - mean);
      code_.Set(sum, code_.Get(sum) + difference * difference);
    });
    const Value variance = Div(code_.Get(sum), count) + Number(1e-8);
    const Value inverse = code_.Once(Div(Number(1), CallOf(OpKind::kSqrt, variance)));
    code_.For("c", shape_.cells, [&](Value c) {
      const Value one = (normal({c}) - mean) * inverse;
      code_.Store(normal, {c}, one * norm_[gate]({c}) + bias_[gate]({c}));
    });
    normal_[gate] = normal;
  }

  void WriteCell(Value b, Value t, Value c) override {
    const auto gate = [&](Gate one) { return code_.Once(Logistic(Argument(one, b, t, c))); };
    const Value forget = gate(kForgetGate);
    const Value input = shape_.coupled ? Number(1) - forget : gate(kInputGate);
    const Value cell = CallOf(OpKind::kTanh, Argument(kCellGate, b, t, c));
    code_.Store(cells_, {b, c}, Clipped(cells_({b, c}) * forget + cell * input, "cell_clip"));
  }

  Value Hidden(Value b, Value t, Value c) override {
    return Logistic(Argument(kOutputGate, b, t, c)) * CallOf(OpKind::kTanh, cells_({b, c}));
  }

  Value Projected(const Array& next, Value c) override {
    const Array sum = code_.Scalar("projection", kFloat32);
    code_.Set(sum, projection_bias_.exists() ? projection_bias_({c}) : Number(0));
    code_.For("k", shape_.cells, [&](Value k) {
      code_.Set(sum, code_.Get(sum) + projection_({c, k}) * next({k}));
    });
    return Clipped(code_.Get(sum), "proj_clip");
  }

  std::array<Array, kGates> normal_;
};

/// The scales of an operator with integers.
struct Scales {
  std::array<FixedPoint, kGates> input, recurrent, seen;
  FixedPoint hidden, projection;
  int64_t hidden_zero_point = 0;
  int cell_exponent = 0;
  int64_t clip = 0;
  int64_t projection_clip = 0;
};

class QuantizedLstm : public Lstm {
 public:
  QuantizedLstm(OperatorCode& code, const Shape& shape, const Scales& scales)
      : Lstm(code, shape), scales_(scales) {}

 private:
  int64_t last_zero_point() const { return code_.input(kLastOutput).quantization.zero_point(); }
  Value Kept(Value output) override { return ToState(code_.input(kLastOutput), output); }
  Value Last(Value b, Value k) const {
    const Value last = Cast(kInt32, FromState(code_.input(kLastOutput), last_({b, k})));
    return last_zero_point() == 0 ? last : last - last_zero_point();
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
    code_.For("k", shape_.outputs, [&](Value k) {
      code_.Set(sum, code_.Get(sum) + Last(b, k) * Cast(kInt32, recurrent_[gate]({c, k})));
    });
    const Value more = RescaleTwice(code_.Get(sum), scales_.recurrent[gate]);
    code_.Set(result, ClampToShort(more + code_.Get(result)));
    if (seen_[gate].exists()) {
      const Value cell = code_.Once(Cast(kInt32, seen_[gate]({c})) * Cast(kInt32, cells_({b, c})));
      const Value of_cell = RescaleTwice(cell, scales_.seen[gate]);
      code_.Set(result, ClampToShort(of_cell + code_.Get(result)));
    }
    return code_.Get(result);
  }

  void WriteCell(Value b, Value t, Value c) override {
    const auto gate = [&](Gate one) {
      return code_.Once(ShortLogistic(Sum(one, b, t, c), kGateBits));
    };
    const Value forget = gate(kForgetGate);
    const Value input = shape_.coupled ? code_.Int(32767) - forget : gate(kInputGate);
    const Value cell = code_.Once(ShortTanh(Sum(kCellGate, b, t, c), kGateBits));
    const Value old = RoundedQuotient(code_.Once(forget * Cast(kInt32, cells_({b, c}))), 15);
    const Value added = RoundedQuotient(code_.Once(input * cell), 30 + scales_.cell_exponent);
    Value now = ClampToShort(old + added);
    if (scales_.clip > 0) now = Max(Min(now, scales_.clip), -scales_.clip);
    code_.Store(cells_, {b, c}, Cast(kInt16, now));
  }

  Value Hidden(Value b, Value t, Value c) override {
    const Value output = code_.Once(ShortLogistic(Sum(kOutputGate, b, t, c), kGateBits));
    const Value state = code_.Once(Cast(kInt32, cells_({b, c})));
    const Value product = code_.Once(output * ShortTanh(state, 15 + scales_.cell_exponent));
    // The projection adds the zero point again.
    const int64_t zero_point =
        projection_.exists() ? -scales_.hidden_zero_point : scales_.hidden_zero_point;
    return ToByte(RescaleTwice(product, scales_.hidden) + zero_point);
  }

  Value Projected(const Array& next, Value c) override {
    const Array sum = code_.Scalar("projection", kInt32);
    code_.Set(sum, projection_bias_.exists() ? projection_bias_({c}) : code_.Int(0));
    code_.For("k", shape_.cells, [&](Value k) {
      const Value hidden = Cast(kInt32, next({k})) + scales_.hidden_zero_point;
      code_.Set(sum, code_.Get(sum) + Cast(kInt32, projection_({c, k})) * hidden);
    });
    const Value result = RescaleTwice(code_.Get(sum), scales_.projection) + last_zero_point();
    const int64_t clip = scales_.projection_clip;
    if (clip > 0) return Cast(kInt8, Max(Min(Cast(kInt32, ToByte(result)), clip), -clip));
    return ToByte(result);
  }

  static Value ToByte(Value x) {
    const Interval range = RangeOf(kInt8);
    return Cast(kInt8, Max(Min(x, range.high), range.low));
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
  // In float arithmetic, like TensorFlow Lite.
  const float gate_scale = std::ldexp(1.0F, -12);
  for (size_t gate = code.HasInput(kWeights) ? kInputGate : kForgetGate; gate < kGates; ++gate) {
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
  if (code.HasInput(kProjection)) {
    const float projection = code.input(kProjection).quantization.scale();
    scales.projection =
        ToFixedPoint(double{projection * hidden.scale() / last.quantization.scale()});
    if (const double clip = code.attributes().Real("proj_clip"); clip > 0) {
      const float steps = static_cast<float>(clip) / code.output().quantization.scale();
      scales.projection_clip = static_cast<int64_t>(std::min(steps, 127.0F));
    }
  }
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
  for (const Gate gate : {kInputGate, kForgetGate, kOutputGate}) {
    if (!code.HasInput(SeenInput(gate))) continue;
    const Quantization& seen = code.input(SeenInput(gate)).quantization;
    const double product = std::ldexp(1.0, scales.cell_exponent) * double{seen.scale()};
    scales.seen[gate] = ToFixedPoint(double{static_cast<float>(product / double{gate_scale})});
  }
  return scales;
}

/// The dtypes of an operator.
struct Types {
  DataType x, weights, bias, cells, seen;
};

bool HasTypes(const OperatorCode& code, const Types& types) {
  bool has = code.input(0).dtype == types.x && code.output().dtype == types.x &&
             code.input(kLastOutput).dtype == types.x && code.input(kCells).dtype == types.cells;
  const auto may_be = [&](size_t input, DataType dtype) {
    has = has && (!code.HasInput(input) || code.input(input).dtype == dtype);
  };
  for (size_t gate = 0; gate < kGates; ++gate) {
    may_be(kWeights + gate, types.weights);
    may_be(kRecurrent + gate, types.weights);
    may_be(kGateBias + gate, types.bias);
    may_be(kNorm + gate, types.seen);
  }
  for (size_t input = kSeen; input < kGateBias; ++input) may_be(input, types.seen);
  may_be(kProjection, types.weights);
  may_be(kProjectionBias, types.bias);
  return has;
}

/// Refuses features that TensorFlow Lite has only for floats.
absl::Status CheckIntegers(const OperatorCode& code, const Shape& shape) {
  if (code.HasInput(kNorm + kForgetGate)) return code.Unsupported("layer norms of integers");
  if (code.HasInput(kSeen + 1) && shape.outputs != shape.cells)
    return code.Unsupported("gates of integers that see the cells, with fewer outputs than cells");
  if (code.HasInput(kProjection) && !HasScale(code.input(kProjection)))
    return code.Wrong("expected a projection with one scale greater than 0");
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildUnidirectionalSequenceLstm(OperatorCode& code) {
  const absl::StatusOr<Shape> shape = ShapeOf(code);
  if (!shape.ok()) return shape.status();
  if (code.attributes().Text("activation") != "tanh")
    return code.Unsupported("another activation than tanh");
  if (code.attributes().Int("diagonal_recurrent") != 0) return code.Unsupported("diagonal weights");
  if (HasTypes(code, {kFloat32, kFloat32, kFloat32, kFloat32, kFloat32})) {
    FloatLstm(code, *shape).Write();
    return absl::OkStatus();
  }
  if (!HasTypes(code, {kInt8, kInt8, kInt32, kInt16, kInt16})) return UnsupportedTypes(code);
  if (absl::Status status = CheckIntegers(code, *shape); !status.ok()) return status;
  const absl::StatusOr<Scales> scales = ScalesOf(code);
  if (!scales.ok()) return scales.status();
  QuantizedLstm(code, *shape, *scales).Write();
  return absl::OkStatus();
}

}  // namespace tenon::graph
