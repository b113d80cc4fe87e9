// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM; lstm.h says which inputs they have. int8 has gates of
// int16: numbers with 3 bits before the point.

#include <algorithm>
#include <array>
#include <cmath>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/inverse_root.h"
#include "frontends/graph/lstm.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/short_fixed_point.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace lstm {

namespace {

constexpr int kGateBits = 3;
constexpr int kFractionBits = 15 - kGateBits;

/// The scales of an operator with integers.
struct Scales {
  std::array<FixedPoint, kGates> input, recurrent, seen, norm;
  /// The scales of the arguments of gates or, with layer norms, of the norms' arguments.
  std::array<float, kGates> gate = {};
  /// The variances that layer norms take for 0.
  std::array<int32_t, kGates> least_variance = {};
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

  /// In 16 bits with 3 before the point; before a layer norm with another scale.
  Value Sum(Gate gate, Value b, Value t, Value c) override {
    const Array sum = code_.Scalar("sum", kInt32);
    code_.Set(sum, norm_[gate].exists() ? code_.Int(0) : bias_[gate]({c}));
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

  /// The mean and the squares have 10 and 20 more bits than the sums.
  void WriteNorm(Gate gate, Value b, Value t) override {
    constexpr int64_t kMore = 1 << 10;
    const int64_t count[] = {shape_.cells};
    const Array normal = code_.Allocate("normal", kInt16, count);
    const Array total = code_.Scalar("total", kInt64);
    const Array squares = code_.Scalar("squares", kInt64);
    code_.Set(total, code_.Integer(kInt64, 0));
    code_.Set(squares, code_.Integer(kInt64, 0));
    code_.For("c", shape_.cells, [&](Value c) {
      const Value sum = Sum(gate, b, t, c);
      code_.Store(normal, {c}, Cast(kInt16, sum));
      code_.Set(total, code_.Get(total) + Cast(kInt64, sum));
      code_.Set(squares, code_.Get(squares) + Cast(kInt64, sum * sum));
    });
    const Value mean = code_.Once(Cast(kInt32, Div(code_.Get(total) * kMore, shape_.cells)));
    const Value of_mean = Cast(kInt64, mean) * Cast(kInt64, mean);
    const Value of_all = code_.Get(squares) * (kMore * kMore / shape_.cells);
    const Value variance = code_.Once(Cast(kInt32, Div(of_all - of_mean, kMore * kMore)));
    const Value least = code_.Int(scales_.least_variance[gate]);
    const RootValue root = InverseRoot(code_, code_.Once(Select(variance < 1, least, variance)));
    code_.For("c", shape_.cells, [&](Value c) {
      const Value centred = code_.Once(Cast(kInt32, normal({c})) * kMore - mean);
      const Value one = RescaleTwice(centred, root.multiplier, 0, root.right, 0, {});
      const Value product = code_.Once(Cast(kInt64, one) * Cast(kInt64, norm_[gate]({c})) +
                                       Cast(kInt64, bias_[gate]({c})));
      const Value half =
          Select(code_.Integer(kInt64, 0) < product, code_.Integer(kInt64, kMore / 2),
                 code_.Integer(kInt64, -kMore / 2));
      const Value scaled = code_.Once(Cast(kInt32, Div(product + half, kMore)));
      const Value result = ClampToShort(RescaleTwice(scaled, scales_.norm[gate]));
      code_.Store(normal, {c}, Cast(kInt16, result));
    });
    normal_[gate] = normal;
  }

  void WriteCell(Value b, Value t, Value c) override {
    const auto gate = [&](Gate one) {
      return code_.Once(ShortLogistic(Argument(one, b, t, c), kGateBits));
    };
    const Value forget = gate(kForgetGate);
    const Value input = shape_.coupled ? code_.Int(32767) - forget : gate(kInputGate);
    const Value cell = code_.Once(ShortTanh(Argument(kCellGate, b, t, c), kGateBits));
    const Value old = RoundedQuotient(code_.Once(forget * Cast(kInt32, cells_({b, c}))), 15);
    const Value added = RoundedQuotient(code_.Once(input * cell), 30 + scales_.cell_exponent);
    Value now = ClampToShort(old + added);
    if (scales_.clip > 0) now = Max(Min(now, scales_.clip), -scales_.clip);
    code_.Store(cells_, {b, c}, Cast(kInt16, now));
  }

  Value Hidden(Value b, Value t, Value c) override {
    const Value output = code_.Once(ShortLogistic(Argument(kOutputGate, b, t, c), kGateBits));
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

/// Sets the scale of a gate's argument, and the scales of its layer norm.
absl::Status SetNorm(const OperatorCode& code, size_t gate, Scales& scales) {
  scales.gate[gate] = std::ldexp(1.0F, -kFractionBits);
  if (!code.HasInput(kNorm + gate)) return absl::OkStatus();
  const Tensor& norm = code.input(kNorm + gate);
  const int inner = code.op().intermediates[gate];
  if (inner == kAbsent || !HasScale(norm) || !(code.tensor(inner).quantization.scale() > 0))
    return code.Wrong("expected layer norms and intermediate tensors with a scale");
  const float scale = norm.quantization.scale();
  if (!(scale < 1)) return code.Unsupported("layer norms with a scale of 1 or more");
  scales.gate[gate] = code.tensor(inner).quantization.scale();
  scales.norm[gate] = ToFixedPoint(double{scale});
  scales.norm[gate].shift += kFractionBits;
  scales.least_variance[gate] = std::max(1, static_cast<int32_t>(10000 * scale));
  return absl::OkStatus();
}

/// Sets the scales of the products with cells.
absl::Status SetSeen(const OperatorCode& code, Scales& scales) {
  for (const Gate gate : {kInputGate, kForgetGate, kOutputGate}) {
    if (!code.HasInput(SeenInput(gate))) continue;
    const Quantization& seen = code.input(SeenInput(gate)).quantization;
    if (!HasScale(code.input(SeenInput(gate))))
      return code.Wrong("expected weights of the cells with one scale greater than 0");
    const double product = std::ldexp(1.0, scales.cell_exponent) * double{seen.scale()};
    const auto scale = static_cast<float>(product / double{scales.gate[gate]});
    scales.seen[gate] = ToFixedPoint(double{scale});
  }
  return absl::OkStatus();
}

absl::StatusOr<Scales> ScalesOf(const OperatorCode& code) {
  const Tensor& x = code.input(0);
  const Tensor& last = code.input(kLastOutput);
  const Tensor& cells = code.input(kCells);
  const std::vector<int>& inner = code.op().intermediates;
  constexpr size_t kByteGates = 12;
  if (inner.size() == kByteGates)
    return code.Unsupported("gates of int8, which have 12 intermediate tensors");
  if (inner.size() != 5 || inner[4] == kAbsent)
    return code.Wrong("expected 5 intermediate tensors");
  const Quantization& hidden = code.tensor(inner[4]).quantization;
  if (!HasScale(x) || !HasScale(last) || !HasScale(cells) || !(hidden.scale() > 0))
    return code.Wrong("expected tensors with one scale greater than 0");
  Scales scales;
  // In float arithmetic, like TensorFlow Lite.
  for (size_t gate = code.HasInput(kWeights) ? kInputGate : kForgetGate; gate < kGates; ++gate) {
    const Tensor& weights = code.input(kWeights + gate);
    const Tensor& recurrent = code.input(kRecurrent + gate);
    if (!HasScale(weights) || !HasScale(recurrent))
      return code.Wrong("expected weights with one scale greater than 0");
    if (absl::Status status = SetNorm(code, gate, scales); !status.ok()) return status;
    const float gate_scale = scales.gate[gate];
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
    return code.Unsupported("cells with a scale outside of 2^-15 to 2^-9");
  if (const double clip = code.attributes().Real("cell_clip"); clip > 0) {
    const double steps = clip / double{cells.quantization.scale()};
    scales.clip = static_cast<int64_t>(std::min(steps, 32767.0));
  }
  if (absl::Status status = SetSeen(code, scales); !status.ok()) return status;
  return scales;
}

/// Refuses features that TensorFlow Lite has only for floats.
absl::Status CheckIntegers(const OperatorCode& code, const Shape& shape) {
  if (code.HasInput(kSeen + 1) && shape.outputs != shape.cells)
    return code.Unsupported("gates of integers that see the cells, with fewer outputs than cells");
  if (code.HasInput(kProjection) && !HasScale(code.input(kProjection)))
    return code.Wrong("expected a projection with one scale greater than 0");
  return absl::OkStatus();
}

}  // namespace

}  // namespace lstm

absl::Status BuildUnidirectionalSequenceLstm(OperatorCode& code) {
  const absl::StatusOr<lstm::Shape> shape = lstm::ShapeOf(code);
  if (!shape.ok()) return shape.status();
  if (code.attributes().Int("diagonal_recurrent") != 0) return code.Unsupported("diagonal weights");
  const auto has_types = [&](DataType x, DataType weights, DataType seen, DataType norm) {
    const bool is_float = x == kFloat32;
    return lstm::HasTypes(
        code, {x, weights, is_float ? kFloat32 : kInt32, is_float ? kFloat32 : kInt16, seen, norm});
  };
  if (has_types(kFloat32, kFloat32, kFloat32, kFloat32))
    return lstm::WriteFloatLstm(code, *shape, false);
  if (has_types(kFloat32, kInt8, kInt8, kFloat32) || has_types(kFloat32, kUInt8, kUInt8, kFloat32))
    return lstm::WriteFloatLstm(code, *shape, true);
  if (!has_types(kInt8, kInt8, kInt16, kInt16)) return UnsupportedTypes(code);
  if (code.attributes().Text("activation") != "tanh")
    return code.Unsupported("an activation other than tanh");
  if (absl::Status status = lstm::CheckIntegers(code, *shape); !status.ok()) return status;
  const absl::StatusOr<lstm::Scales> scales = lstm::ScalesOf(code);
  if (!scales.ok()) return scales.status();
  lstm::QuantizedLstm(code, *shape, *scales).Write();
  return absl::OkStatus();
}

absl::Status BuildLstm(OperatorCode& code) {
  constexpr int64_t kBasic = 1;
  if (code.attributes().Int("kernel_type") == kBasic) return lstm::WriteBasicLstm(code);
  return BuildUnidirectionalSequenceLstm(code);
}

}  // namespace tenon::graph
