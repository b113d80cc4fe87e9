#include "frontends/graph/hybrid.h"

#include "frontends/graph/quantized.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

/// The nearest integer. The sum is rounded to float before its fraction is cut, as in TensorFlow
/// Lite's vector code.
Value Nearest(Code& code, Value x) {
  const Value half = code.Number(kFloat32, 0.5);
  return Cast(kInt32, Select(x < code.Number(kFloat32, 0), x - half, x + half));
}

/// The least and the greatest number of a row, and 0.
struct Ends {
  Array least, most;
};

/// Statements for each element of a row.
class Row {
 public:
  Row(Code& code, const std::vector<int64_t>& shape, Value row)
      : code_(code), inner_(shape.begin() + 1, shape.end()), row_(row) {}

  Value index() const { return row_; }
  void ForEach(const Code::GridBody& body) const {
    code_.Grid("k", inner_, [&](const std::vector<Value>& inner) {
      std::vector<Value> at = {row_};
      at.insert(at.end(), inner.begin(), inner.end());
      body(at);
    });
  }

 private:
  Code& code_;
  std::vector<int64_t> inner_;
  Value row_;
};

Ends WriteEnds(Code& code, const Array& x, const Row& row) {
  const Ends ends = {code.Scalar("least", kFloat32), code.Scalar("most", kFloat32)};
  code.Set(ends.least, code.Number(kFloat32, 0));
  code.Set(ends.most, code.Number(kFloat32, 0));
  row.ForEach([&](const std::vector<Value>& at) {
    code.Set(ends.least, Min(code.Get(ends.least), x.Load(at)));
    code.Set(ends.most, Max(code.Get(ends.most), x.Load(at)));
  });
  return ends;
}

void WriteSymmetric(Code& code, const Array& x, const QuantizedRows& to, const Row& row) {
  const Ends ends = WriteEnds(code, x, row);
  const Value zero = code.Number(kFloat32, 0);
  const Value range = code.Once(Max(code.Get(ends.most), zero - code.Get(ends.least)));
  const Value most = code.Number(kFloat32, 127);
  const Value one = code.Number(kFloat32, 1);
  const Value inverse = code.Once(IfThenElse(range == zero, one, Div(most, range)));
  code.Store(to.scales, {row.index()}, IfThenElse(range == zero, one, Div(range, most)));
  row.ForEach([&](const std::vector<Value>& at) {
    const Value steps = Nearest(code, x.Load(at) * inverse);
    code.Store(to.values, at, Cast(kInt8, Max(Min(steps, 127), -127)));
  });
}

/// The integer for 0, computed from the end of the range with the smaller error.
Value ZeroPoint(Code& code, Value least, Value most, Value scale) {
  const Value low = code.Number(kFloat64, -128);
  const Value high = code.Number(kFloat64, 127);
  const Value below = code.Once(Div(least, scale));
  const Value above = code.Once(Div(most, scale));
  const Value zero = code.Number(kFloat64, 0);
  const Value is_below = (code.Number(kFloat64, 128) + (zero - below)) < high + above;
  const Value at = code.Once(Select(is_below, low - below, high - above));
  return Cast(kInt32, CallOf(OpKind::kRound, Max(Min(at, high), low)));
}

void WriteAsymmetric(Code& code, const Array& x, const QuantizedRows& to, const Row& row) {
  const Ends ends = WriteEnds(code, x, row);
  const Value least = code.Get(ends.least);
  const Value most = code.Get(ends.most);
  const Value width = code.Once(most - least);
  const Value is_zero = width == code.Number(kFloat32, 0);
  const Value quotient = Div(Cast(kFloat64, width), code.Number(kFloat64, 255));
  const Value scale = code.Once(IfThenElse(is_zero, code.Number(kFloat64, 1), quotient));
  const Value zero_point =
      code.Once(ZeroPoint(code, Cast(kFloat64, least), Cast(kFloat64, most), scale));
  const Value short_scale = code.Once(Cast(kFloat32, scale));
  code.Store(to.scales, {row.index()}, short_scale);
  const Value inverse =
      code.Once(Cast(kFloat32, Div(code.Number(kFloat64, 1), Cast(kFloat64, short_scale))));
  row.ForEach([&](const std::vector<Value>& at) {
    const Value steps = Nearest(code, x.Load(at) * inverse) + zero_point;
    const Value clamped = Max(Min(steps, 127), -128);
    code.Store(to.values, at, Cast(kInt16, clamped - zero_point));
  });
}

}  // namespace

QuantizedRows QuantizeRows(Code& code, const Array& x, const std::vector<int64_t>& shape,
                           RowRange range) {
  const bool symmetric = range == RowRange::kSymmetric;
  const int64_t rows[] = {shape[0]};
  const QuantizedRows to = {code.Allocate("quantized", symmetric ? kInt8 : kInt16, shape),
                            code.Allocate("scale", kFloat32, rows)};
  code.For("row", shape[0], [&](Value index) {
    const Row row(code, shape, index);
    if (symmetric) {
      WriteSymmetric(code, x, to, row);
    } else {
      WriteAsymmetric(code, x, to, row);
    }
  });
  return to;
}

RowRange RowRangeOf(const Attributes& attributes) {
  return attributes.Int("asymmetric_quantize_inputs") == 0 ? RowRange::kSymmetric
                                                           : RowRange::kAsymmetric;
}

QuantizedRows QuantizeRow(Code& code, int64_t count, const std::function<Value(Value k)>& element,
                          RowRange range) {
  const std::vector<int64_t> shape = {1, count};
  const Array row = code.Allocate("row", kFloat32, shape);
  code.For("k", count, [&](Value k) { code.Store(row, {code.Int(0), k}, element(k)); });
  return QuantizeRows(code, row, shape, range);
}

Value RowProduct(Code& code, const QuantizedRows& row, int64_t count,
                 const std::function<Value(Value k)>& weight, float weight_scale) {
  const Array sum = code.Scalar("product", kInt32);
  code.Set(sum, code.Int(0));
  code.For("k", count, [&](Value k) {
    const Value x = Cast(kInt32, row.values({code.Int(0), k}));
    code.Set(sum, code.Get(sum) + x * Cast(kInt32, Cast(kInt8, weight(k))));
  });
  const Value scale = row.scales({code.Int(0)}) * code.Number(kFloat32, double{weight_scale});
  return Cast(kFloat32, code.Get(sum)) * scale;
}

bool IsHybridWeight(const Tensor& weights) {
  return HasScale(weights) && weights.dtype.bits() == 8 && weights.quantization.zero_point() == 0;
}

}  // namespace tenon::graph
