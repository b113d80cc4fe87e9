#include <functional>
#include <string_view>
#include <vector>

#include "frontends/graph/hybrid.h"
#include "frontends/graph/lstm.h"
#include "frontends/graph/quantized.h"
#include "ir/builtins.h"

namespace tenon::graph::lstm {

namespace {

class FloatLstm : public Lstm {
 public:
  using Lstm::Lstm;

 protected:
  Value Number(double value) const { return code_.Number(kFloat32, value); }
  Value Sum(Gate gate, Value b, Value t, Value c) override {
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
  Value Logistic(Value x) const {
    return Div(Number(1), Number(1) + CallOf(OpKind::kExp, Number(0) - x));
  }
  /// The activation of the cells and of the output.
  Value Squashed(Value x) const { return *ActivateOrTanh(code_, x); }
  Value Clipped(Value x, std::string_view setting) const {
    const double clip = code_.attributes().Real(setting);
    return clip > 0 ? Max(Min(x, Number(clip)), Number(-clip)) : x;
  }

  void WriteNorm(Gate gate, Value b, Value t) override {
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
    const Value cell = Squashed(Argument(kCellGate, b, t, c));
    code_.Store(cells_, {b, c}, Clipped(cells_({b, c}) * forget + cell * input, "cell_clip"));
  }

  Value Hidden(Value b, Value t, Value c) override {
    return Logistic(Argument(kOutputGate, b, t, c)) * Squashed(cells_({b, c}));
  }

  Value Projected(const Array& next, Value c) override {
    const Array sum = code_.Scalar("projection", kFloat32);
    code_.Set(sum, projection_bias_.exists() ? projection_bias_({c}) : Number(0));
    code_.For("k", shape_.cells, [&](Value k) {
      code_.Set(sum, code_.Get(sum) + projection_({c, k}) * next({k}));
    });
    return Clipped(code_.Get(sum), "proj_clip");
  }
};

/// An operator whose weights are integers of 8 bits. The rows that they are multiplied by become
/// integers in each step.
class HybridLstm : public FloatLstm {
 public:
  using FloatLstm::FloatLstm;

 private:
  QuantizedRows Quantized(int64_t count, const std::function<Value(Value k)>& element) {
    return QuantizeRow(code_, count, element, RowRangeOf(code_.attributes()));
  }
  /// The real product of a row and of a row of weights.
  Value Product(const QuantizedRows& row, const Array& weights, size_t input, Value c) {
    const Tensor& of = code_.input(input);
    return RowProduct(
        code_, row, of.shape[1],
        [&](Value k) {
          return weights({c, k});
        },
        of.quantization.scale());
  }

  void WriteCells(Value b, Value t, const Array& next) override {
    of_x_ = Quantized(shape_.depth, [&](Value k) { return X(b, t, k); });
    of_last_ = Quantized(shape_.outputs, [&](Value k) { return last_({b, k}); });
    FloatLstm::WriteCells(b, t, next);
  }

  Value Sum(Gate gate, Value b, Value /*t*/, Value c) override {
    const Array sum = code_.Scalar("sum", kFloat32);
    code_.Set(sum, norm_[gate].exists() ? Number(0) : bias_[gate]({c}));
    code_.Set(sum, code_.Get(sum) + Product(of_x_, weights_[gate], kWeights + gate, c));
    code_.Set(sum, code_.Get(sum) + Product(of_last_, recurrent_[gate], kRecurrent + gate, c));
    if (seen_[gate].exists()) {
      const Value scale = Number(double{code_.input(SeenInput(gate)).quantization.scale()});
      const Value seen = Cast(kFloat32, Cast(kInt8, seen_[gate]({c}))) * scale;
      code_.Set(sum, code_.Get(sum) + seen * cells_({b, c}));
    }
    return code_.Get(sum);
  }

  void BeginProjection(const Array& next) override {
    of_next_ = Quantized(shape_.cells, [&](Value k) { return next({k}); });
  }

  Value Projected(const Array& /*next*/, Value c) override {
    const Value product = Product(of_next_, projection_, kProjection, c);
    return Clipped((projection_bias_.exists() ? projection_bias_({c}) : Number(0)) + product,
                   "proj_clip");
  }

  QuantizedRows of_x_, of_last_, of_next_;
};

}  // namespace

absl::Status WriteFloatLstm(OperatorCode& code, const Shape& shape, bool by_integers) {
  // TensorFlow Lite's kernels multiply the output by the cell's input there, not by the cell.
  if (code.attributes().Text("activation", "none") == "none")
    return code.Unsupported("cells without an activation");
  if (const auto probe = ActivateOrTanh(code, code.Number(kFloat32, 0)); !probe.ok())
    return probe.status();
  if (!by_integers) {
    FloatLstm(code, shape).Write();
    return absl::OkStatus();
  }
  for (size_t input = kWeights; input <= kProjection; ++input) {
    const bool is_bias = input >= kGateBias && input < kProjection;
    if (is_bias || !code.HasInput(input)) continue;
    if (!IsHybridWeight(code.input(input))) return code.Wrong(kHybridWeights);
  }
  HybridLstm(code, shape).Write();
  return absl::OkStatus();
}

}  // namespace tenon::graph::lstm
