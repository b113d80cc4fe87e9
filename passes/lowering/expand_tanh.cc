// tanhf of fdlibm by expm1f, with all branches computed and then selected, so that lanes need no
// control flow. The order of operations must not change: results are compared with the C library
// bit for bit.

#include "ir/builtins.h"
#include "passes/lowering/math_expansions.h"

namespace tenon {

namespace {

// The numbers of expm1f. ln 2 has two parts: the upper one has few bits, so its products are exact.
// The coefficients belong to a rational approximation.
constexpr double kLn2High = 0x1.62e3p-1;
constexpr double kLn2Low = 0x1.2fefa2p-17;
constexpr double kInverseLn2 = 0x1.715476p+0;
constexpr double kCoefficients[] = {
    1, -0x1.111112p-5, 0x1.a01a02p-10, -0x1.4ce19ap-14, 0x1.0cfca8p-18, -0x1.afdb76p-23};
/// Up to here, the power of 2 is 0. Half of it, since expm1f sees twice the argument of tanhf.
constexpr double kSmall = 0x1.62e430p-3;
/// From here on, tanh is 1 in float32.
constexpr double kLarge = 10;

constexpr int kExponentBias = 127;
constexpr int kMantissaBits = 23;

/// The argument y of expm1 as `power * ln 2 + rest`, with a correction of the rest.
struct Reduced {
  const Expr* power;
  const Expr* rest;
  const Expr* correction;
};

/// tanh(x) = 1 - 2 / (m + 2) with m = expm1(2 |x|) from 1 on, and -m / (m + 2) with
/// m = expm1(-2 |x|) below, with the sign of x.
class TanhExpansion {
 public:
  TanhExpansion(const IntrinBuilder& make, DataType dtype)
      : make_(make), dtype_(dtype), steps_(make, dtype) {}

  const Expr* Of(const Expr* value) {
    const Expr* x = IntrinBuilder::IsCheap(value) ? value : steps_.Bind("x", value);
    const Expr* magnitude = steps_.Bind("a", make_.Call(OpKind::kFabs, {x}));
    from_one_ = steps_.Bind("from_one", AtLeast(magnitude, 1));
    const Expr* m = steps_.Bind("m", Expm1(Reduce(magnitude)));
    const Expr* zero_minus_m = make_.Mul(m, Number(-1));
    const Expr* quotient =
        steps_.Bind("q", make_.Div(Either(Number(2), zero_minus_m), make_.Add(m, Number(2))));
    const Expr* below = Either(make_.Sub(Number(1), quotient), quotient);
    const Expr* result = make_.Choose(AtLeast(magnitude, kLarge), Number(1), below);
    return steps_.Finish(make_.Call(OpKind::kCopysign, {result, x}));
  }

 private:
  const Expr* Number(double value) const { return steps_.Number(value); }
  const Expr* AtLeast(const Expr* value, double bound) const {
    return make_.Binary(NodeKind::kGE, value, Number(bound));
  }
  /// The first for arguments from 1 on, the second for smaller ones.
  const Expr* Either(const Expr* large, const Expr* small) const {
    return make_.Choose(from_one_, large, small);
  }
  const Expr* PowerIs(NodeKind comparison, const Expr* power, int64_t value) const {
    return make_.Binary(comparison, power, make_.Int(power->dtype, value));
  }

  Reduced Reduce(const Expr* magnitude) {
    const DataType integer = DataType::Int(32, dtype_.lanes());
    const Expr* y = steps_.Bind("y", make_.Mul(magnitude, Either(Number(2), Number(-2))));
    // A cast of a NaN or of a large number would be wasted work at best.
    const Expr* bounded =
        make_.Choose(make_.Binary(NodeKind::kLT, magnitude, Number(kLarge)), y, Number(2 * kLarge));
    const Expr* scaled =
        make_.Add(make_.Mul(bounded, Number(kInverseLn2)), Either(Number(0.5), Number(-0.5)));
    const Expr* nearest = make_.Convert(integer, scaled);
    const Expr* is_small = make_.Binary(NodeKind::kLE, magnitude, Number(kSmall));
    const Expr* power = steps_.Bind("k", make_.Choose(is_small, make_.Int(integer, 0), nearest));
    const Expr* real = steps_.Bind("t", make_.Convert(dtype_, power));
    const Expr* high = steps_.Bind("high", make_.Sub(y, make_.Mul(real, Number(kLn2High))));
    const Expr* low = steps_.Bind("low", make_.Mul(real, Number(kLn2Low)));
    const Expr* rest = steps_.Bind("r", make_.Sub(high, low));
    const Expr* correction = steps_.Bind("c", make_.Sub(make_.Sub(high, rest), low));
    return {power, rest, correction};
  }

  /// 2^(sign * power), by its bits.
  const Expr* PowerOfTwo(const Expr* power, int sign) const {
    const Expr* bias = make_.Int(power->dtype, kExponentBias);
    const Expr* exponent = sign > 0 ? make_.Add(power, bias) : make_.Sub(bias, power);
    const Expr* bits =
        make_.Call(OpKind::kShiftLeft, {exponent, make_.Int(power->dtype, kMantissaBits)});
    return make_.Reinterpret(dtype_, bits);
  }

  /// expm1f has a form for each range of powers. All are ((base + expm1(rest)) * 2^power) + after.
  const Expr* Expm1(Reduced y) {
    const Expr* small = steps_.Bind("d", make_.Sub(y.rest, Error(y)));
    const Expr* is_low = PowerIs(NodeKind::kLE, y.power, -2);
    const Expr* is_half = PowerIs(NodeKind::kEQ, y.power, -1);
    const Expr* base = Either(make_.Sub(Number(1), PowerOfTwo(y.power, -1)),
                              make_.Choose(is_low, Number(1), Number(0)));
    const Expr* after =
        Either(Number(0),
               make_.Choose(is_low, Number(-1), make_.Choose(is_half, Number(-0.5), Number(0))));
    return make_.Add(make_.Mul(make_.Add(base, small), PowerOfTwo(y.power, 1)), after);
  }

  /// The rest minus expm1 of the rest.
  const Expr* Error(Reduced y) {
    const Expr* half = steps_.Bind("half", make_.Mul(Number(0.5), y.rest));
    const Expr* square = steps_.Bind("square", make_.Mul(y.rest, half));
    const Expr* ratio = steps_.Bind("r1", steps_.Polynomial(kCoefficients, square));
    const Expr* u = steps_.Bind("u", make_.Sub(Number(3), make_.Mul(ratio, half)));
    const Expr* divisor = make_.Sub(Number(6), make_.Mul(y.rest, u));
    const Expr* e = steps_.Bind("e", make_.Mul(square, make_.Div(make_.Sub(ratio, u), divisor)));
    const Expr* corrected = make_.Mul(y.rest, make_.Sub(e, y.correction));
    return make_.Sub(make_.Sub(corrected, y.correction), square);
  }

  const IntrinBuilder& make_;
  const DataType dtype_;
  Steps steps_;
  const Expr* from_one_ = nullptr;
};

}  // namespace

const Expr* ExpandTanh(const IntrinBuilder& make, const Expr* value) {
  return TanhExpansion(make, value->dtype).Of(value);
}

}  // namespace tenon
