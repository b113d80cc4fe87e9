// HARD_SWISH: x * min(max(x + 3, 0), 6) / 6. For integers of 8 bits, a table has the results,
// computed in TensorFlow Lite's 16-bit arithmetic.

#include <algorithm>
#include <cstdint>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

/// A multiplier of 15 bits and a power of two.
struct ShortFixed {
  int32_t multiplier = 0;
  int shift = 0;
};

ShortFixed ToShortFixed(float real) {
  const FixedPoint fixed = ToFixedPoint(double{real});
  constexpr int32_t kHalf = 1 << 15;
  const bool is_most = fixed.multiplier >= INT32_MAX - kHalf;
  return {is_most ? INT16_MAX : (fixed.multiplier + kHalf) >> 16, fixed.shift};
}

int32_t Saturated(int64_t x) {
  return static_cast<int32_t>(std::clamp<int64_t>(x, INT16_MIN, INT16_MAX));
}

/// The product of numbers with 15 bits after the point, rounded.
int32_t ShortProduct(int32_t a, int32_t b) { return (a * b + (1 << 14)) >> 15; }

int32_t ShortRoundedShift(int32_t x, int bits) {
  if (bits == 0) return x;
  // TensorFlow Lite's mask of so many bits is -1 in 16 bits.
  if (bits > 15) return x < 0 ? -1 : 1;
  return (x + (1 << (bits - 1)) - (x < 0 ? 1 : 0)) >> bits;
}

/// `centred` is x without its zero point. The result has no zero point yet.
int64_t HardSwish(int32_t centred, ShortFixed output, ShortFixed reluish) {
  const int32_t fine = centred * (1 << 7);
  const int32_t scaled = ShortProduct(fine, output.multiplier);
  int32_t factor = fine;
  if (reluish.shift > 0) factor = Saturated(int64_t{factor} * (int64_t{1} << (reluish.shift - 1)));
  factor = ShortProduct(factor, reluish.multiplier);
  if (reluish.shift > 0) factor = Saturated(int64_t{factor} * 2);
  if (reluish.shift < 0) factor = ShortRoundedShift(factor, -reluish.shift);
  factor = (factor + (1 << 15)) >> 1;
  // Toward zero: it cancels the bias of the products above.
  return ShortRoundedShift(factor * scaled / (1 << 15), -output.shift);
}

}  // namespace

absl::Status BuildHardSwish(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  if (x.dtype == DataType::Float(32)) {
    WriteEach(code, [&](Value value) {
      return Div(value * Min(Max(value + 3, 0), 6), code.Number(x.dtype, 6));
    });
    return absl::OkStatus();
  }
  if (x.dtype.bits() != 8 || !HasScale(x) || !HasScale(output)) return UnsupportedScales(code);
  const float fine = (1.0F / 128.0F) * x.quantization.scale();
  const ShortFixed to_output = ToShortFixed(fine / output.quantization.scale());
  const ShortFixed to_factor = ToShortFixed(fine / (3.0F / 32768.0F));
  if (to_output.shift > 0 || to_output.shift < -30 || to_factor.shift > 30 || to_factor.shift < -30)
    return ScalesTooFarApart(code);
  WriteByTable(code, [&](int64_t value) {
    const auto centred = static_cast<int32_t>(value - x.quantization.zero_point());
    return HardSwish(centred, to_output, to_factor) + output.quantization.zero_point();
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
