// LSTM with the basic kernel: input [n, depth], last output [n, cells], weights [4 * cells, depth +
// cells], biases [4 * cells], last cells [n, cells]. The outputs: the output, the cells, the inputs
// one after the other, and the arguments of the gates input, cell, forget and output. uint8 has
// gates of int16 with 3 bits before the point, and cells of int16 with 4.

#include <vector>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/lstm.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/short_fixed_point.h"
#include "frontends/graph/short_table.h"
#include "frontends/graph/wide_fixed_point.h"
#include "ir/builtins.h"

namespace tenon::graph::lstm {

namespace {

enum Input : uint8_t { kX, kLast, kMatrix, kBiases, kLastCells };
enum Output : uint8_t { kNow, kNewCells, kJoined, kArguments };
/// The gates in the order of the weights.
enum BasicGate : uint8_t { kIn, kCell, kForget, kOut };

constexpr int kArgumentBits = 3;
constexpr int kCellBits = 4;
/// The zero point that the kernel takes for granted.
constexpr int64_t kByteZero = 128;

struct Sizes {
  int64_t batch = 0, depth = 0, cells = 0;
};

absl::StatusOr<Sizes> SizesOf(const OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(5, 5, 4); !status.ok()) return status;
  for (const Input input : {kX, kLast, kMatrix, kLastCells}) {
    if (code.input(input).rank() != 2)
      return code.Wrong("expected inputs, states and weights of 2 dimensions");
  }
  const Sizes of = {code.input(kX).shape[0], code.input(kX).shape[1], code.input(kLast).shape[1]};
  using Extents = std::vector<int64_t>;
  const int64_t all = of.depth + of.cells;
  const bool fits = code.input(kLast).shape == Extents{of.batch, of.cells} &&
                    code.input(kLastCells).shape == Extents{of.batch, of.cells} &&
                    code.input(kMatrix).shape == Extents{4 * of.cells, all} &&
                    code.input(kBiases).elements() == 4 * of.cells &&
                    code.output(kNow).elements() == of.batch * of.cells &&
                    code.output(kNewCells).elements() == of.batch * of.cells &&
                    code.output(kJoined).elements() == of.batch * all &&
                    code.output(kArguments).elements() == of.batch * 4 * of.cells;
  if (!fits) return code.Wrong("expected matching shapes");
  return of;
}

bool HasTypes(const OperatorCode& code, DataType x, DataType bias, DataType cells) {
  return code.input(kX).dtype == x && code.input(kLast).dtype == x &&
         code.input(kMatrix).dtype == x && code.input(kBiases).dtype == bias &&
         code.input(kLastCells).dtype == cells && code.output(kNow).dtype == x &&
         code.output(kNewCells).dtype == cells && code.output(kJoined).dtype == x &&
         code.output(kArguments).dtype == cells;
}

/// New cells, and the output.
struct Step {
  Value cell, output;
};

class BasicLstm {
 public:
  BasicLstm(OperatorCode& code, const Sizes& of) : code_(code), of_(of) {
    const int64_t all = of.depth + of.cells;
    last_ = code.In(kLast);
    last_cells_ = code.In(kLastCells);
    bias_ = code.Flat(code.In(kBiases), {4 * of.cells});
    now_ = code.Flat(code.Out(kNow), {of.batch, of.cells});
    new_cells_ = code.Flat(code.Out(kNewCells), {of.batch, of.cells});
    joined_ = code.Flat(code.Out(kJoined), {of.batch, all});
    arguments_ = code.Flat(code.Out(kArguments), {of.batch, 4 * of.cells});
  }
  virtual ~BasicLstm() = default;

  void Write() {
    const Array x = code_.In(kX);
    const Array matrix = code_.In(kMatrix);
    code_.For("b", of_.batch, [&](Value b) {
      code_.For("k", of_.depth, [&](Value k) { code_.Store(joined_, {b, k}, x({b, k})); });
      code_.For("k", of_.cells, [&](Value k) {
        code_.Store(joined_, {b, k + of_.depth}, last_({b, k}));
      });
      code_.For("g", 4 * of_.cells, [&](Value g) {
        const Array sum = code_.Scalar("sum", bias_.dtype());
        code_.Set(sum, Start(g));
        code_.For("k", of_.depth + of_.cells, [&](Value k) {
          code_.Set(sum, code_.Get(sum) + Product(joined_({b, k}), matrix({g, k})));
        });
        code_.Store(arguments_, {b, g}, End(sum, g));
      });
      code_.For("c", of_.cells, [&](Value c) { WriteCell(b, c); });
    });
  }

 protected:
  virtual Value Start(Value gate) = 0;
  virtual Value Product(Value x, Value weight) = 0;
  virtual Value End(const Array& sum, Value gate) = 0;
  virtual Step StepOf(Value b, Value c) = 0;
  Value Argument(BasicGate gate, Value b, Value c) {
    return arguments_({b, c + int64_t{gate} * of_.cells});
  }

  OperatorCode& code_;
  Sizes of_;
  Array last_, last_cells_, bias_, now_, new_cells_, joined_, arguments_;

 private:
  void WriteCell(Value b, Value c) {
    const Step step = StepOf(b, c);
    code_.Store(new_cells_, {b, c}, step.cell);
    code_.Store(now_, {b, c}, step.output);
    if (code_.input(kLastCells).is_state) code_.Store(last_cells_, {b, c}, new_cells_({b, c}));
    if (code_.input(kLast).is_state) code_.Store(last_, {b, c}, now_({b, c}));
  }
};

class BasicFloatLstm : public BasicLstm {
 public:
  using BasicLstm::BasicLstm;

 private:
  Value Number(double value) const { return code_.Number(kFloat32, value); }
  Value Start(Value) override { return Number(0); }
  Value Product(Value x, Value weight) override { return x * weight; }
  Value End(const Array& sum, Value gate) override { return code_.Get(sum) + bias_({gate}); }
  Value Logistic(Value x) const {
    return Div(Number(1), Number(1) + CallOf(OpKind::kExp, Number(0) - x));
  }

  Step StepOf(Value b, Value c) override {
    const Value added =
        Logistic(Argument(kIn, b, c)) * CallOf(OpKind::kTanh, Argument(kCell, b, c));
    const Value kept = Logistic(Argument(kForget, b, c)) * last_cells_({b, c});
    const Value cell = code_.Once(added + kept);
    return {cell, Logistic(Argument(kOut, b, c)) * CallOf(OpKind::kTanh, cell)};
  }
};

class BasicByteLstm : public BasicLstm {
 public:
  BasicByteLstm(OperatorCode& code, const Sizes& of, FixedPoint scale)
      : BasicLstm(code, of), scale_(scale) {}

 private:
  Value Start(Value gate) override { return bias_({gate}); }
  Value Product(Value x, Value weight) override {
    const int64_t zero_point = code_.input(kMatrix).quantization.zero_point();
    return (Cast(kInt32, x) - kByteZero) * (Cast(kInt32, weight) - zero_point);
  }
  Value End(const Array& sum, Value) override {
    return Cast(kInt16, ClampToShort(Scaled(code_.Get(sum))));
  }
  /// Rounded twice, both times with ties up, as the matrix product of LiteRT on x86.
  Value Scaled(Value sum) {
    const Value high = RoundedProduct(sum, code_.Int(scale_.multiplier));
    const int right = -scale_.shift;
    if (right == 0) return Cast(kInt32, high);
    return Cast(kInt32, (high + (int64_t{1} << (right - 1))) >> right);
  }
  Value Gate(BasicGate gate, Value b, Value c) {
    const Value x = code_.Once(Cast(kInt32, Argument(gate, b, c)));
    return code_.Once(gate == kCell ? ShortTanh(x, kArgumentBits)
                                    : ShortLogistic(x, kArgumentBits));
  }
  /// The product of numbers with 15 bits after the point, rounded, with ties up.
  static Value ShortProduct(Value a, Value b) { return (a * b + (1 << 14)) >> 15; }

  Step StepOf(Value b, Value c) override {
    const Value added = code_.Once(ShortProduct(Gate(kIn, b, c), Gate(kCell, b, c)));
    const Value kept = ShortProduct(Gate(kForget, b, c), Cast(kInt32, last_cells_({b, c})));
    const Value cell = code_.Once(ClampToShort(RoundedQuotient(added, kCellBits) + kept));
    const Value argument = code_.Once(ClampToShort(cell << (kCellBits - kArgumentBits)));
    const Value output =
        code_.Once(ShortProduct(Gate(kOut, b, c), ShortTanh(argument, kArgumentBits)));
    const Value byte = Max(Min(RoundedQuotient(output, 8), 127), -128) + kByteZero;
    return {Cast(kInt16, cell), Cast(kUInt8, byte)};
  }

  FixedPoint scale_;
};

}  // namespace

absl::Status WriteBasicLstm(OperatorCode& code) {
  const absl::StatusOr<Sizes> sizes = SizesOf(code);
  if (!sizes.ok()) return sizes.status();
  if (HasTypes(code, kFloat32, kFloat32, kFloat32)) {
    BasicFloatLstm(code, *sizes).Write();
    return absl::OkStatus();
  }
  if (!HasTypes(code, kUInt8, kInt32, kInt16)) return UnsupportedTypes(code);
  int exponent = 0;
  if (!HasScale(code.output(kNewCells)) ||
      !IsPowerOfTwo(code.output(kNewCells).quantization.scale(), exponent) ||
      exponent != kCellBits - 15)
    return code.Unsupported("cells with a scale other than 2^-11");
  // In float arithmetic, like TensorFlow Lite.
  const float scale = 4096 * code.input(kBiases).quantization.scale();
  const FixedPoint fixed = ToFixedPoint(double{scale});
  if (fixed.shift > 0) return code.Unsupported("biases with a scale of 2^-12 or more");
  BasicByteLstm(code, *sizes, fixed).Write();
  return absl::OkStatus();
}

}  // namespace tenon::graph::lstm
