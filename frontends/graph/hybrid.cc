#include "frontends/graph/hybrid.h"

namespace tenon::graph {

namespace {

constexpr DataType kInt8 = DataType::Int(8);
constexpr DataType kInt16 = DataType::Int(16);
constexpr DataType kInt32 = DataType::Int(32);
constexpr DataType kFloat32 = DataType::Float(32);
constexpr DataType kFloat64 = DataType::Float(64);

/// The nearest integer. The sum is rounded to float before its fraction is cut, as the vectors of
/// TensorFlow Lite have it.
Value Nearest(Code& code, Value x) {
  const Value half = code.Number(kFloat32, 0.5);
  return Cast(kInt32, Select(x < code.Number(kFloat32, 0), x - half, x + half));
}

/// The least and the greatest number of a row, and 0.
struct Ends {
  Array least, most;
};

Ends WriteEnds(Code& code, const Array& x, Value row, int64_t depth) {
  const Ends ends = {code.Scalar("least", kFloat32), code.Scalar("most", kFloat32)};
  code.Set(ends.least, code.Number(kFloat32, 0));
  code.Set(ends.most, code.Number(kFloat32, 0));
  code.For("k", depth, [&](Value k) {
    code.Set(ends.least, Min(code.Get(ends.least), x({row, k})));
    code.Set(ends.most, Max(code.Get(ends.most), x({row, k})));
  });
  return ends;
}

void WriteSymmetric(Code& code, const Array& x, const QuantizedRows& to, Value row, int64_t depth) {
  const Ends ends = WriteEnds(code, x, row, depth);
  const Value zero = code.Number(kFloat32, 0);
  const Value range = code.Once(Max(code.Get(ends.most), zero - code.Get(ends.least)));
  const Value most = code.Number(kFloat32, 127);
  const Value one = code.Number(kFloat32, 1);
  const Value inverse = code.Once(IfThenElse(range == zero, one, Div(most, range)));
  code.Store(to.scales, {row}, IfThenElse(range == zero, one, Div(range, most)));
  code.For("k", depth, [&](Value k) {
    const Value steps = Nearest(code, x({row, k}) * inverse);
    code.Store(to.values, {row, k}, Cast(kInt8, Max(Min(steps, 127), -127)));
  });
}

/// The integer of 0, from the end of the range whose error is the smaller one.
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

void WriteAsymmetric(Code& code, const Array& x, const QuantizedRows& to, Value row,
                     int64_t depth) {
  const Ends ends = WriteEnds(code, x, row, depth);
  const Value least = code.Get(ends.least);
  const Value most = code.Get(ends.most);
  const Value width = code.Once(most - least);
  const Value is_zero = width == code.Number(kFloat32, 0);
  const Value quotient = Div(Cast(kFloat64, width), code.Number(kFloat64, 255));
  const Value scale = code.Once(IfThenElse(is_zero, code.Number(kFloat64, 1), quotient));
  const Value zero_point =
      code.Once(ZeroPoint(code, Cast(kFloat64, least), Cast(kFloat64, most), scale));
  const Value short_scale = code.Once(Cast(kFloat32, scale));
  code.Store(to.scales, {row}, short_scale);
  const Value inverse =
      code.Once(Cast(kFloat32, Div(code.Number(kFloat64, 1), Cast(kFloat64, short_scale))));
  code.For("k", depth, [&](Value k) {
    const Value steps = Nearest(code, x({row, k}) * inverse) + zero_point;
    const Value clamped = Max(Min(steps, 127), -128);
    code.Store(to.values, {row, k}, Cast(kInt16, clamped - zero_point));
  });
}

}  // namespace

QuantizedRows QuantizeRows(Code& code, const Array& x, int64_t rows, int64_t depth,
                           RowRange range) {
  const bool symmetric = range == RowRange::kSymmetric;
  const int64_t all[] = {rows, depth};
  const int64_t each[] = {rows};
  const QuantizedRows to = {code.Allocate("quantized", symmetric ? kInt8 : kInt16, all),
                            code.Allocate("scale", kFloat32, each)};
  code.For("row", rows, [&](Value row) {
    if (symmetric) {
      WriteSymmetric(code, x, to, row, depth);
    } else {
      WriteAsymmetric(code, x, to, row, depth);
    }
  });
  return to;
}

}  // namespace tenon::graph
