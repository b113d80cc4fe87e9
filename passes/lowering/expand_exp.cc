// exp and erf of float32, operation for operation as the C library computes them: exp by a table of
// powers and a polynomial in float64 (glibc), erf by rational functions in four ranges (fdlibm).

#include <bit>
#include <limits>

#include "ir/builtins.h"
#include "passes/lowering/math_expansions.h"

namespace tenon {

namespace {

/// The number of steps of 2^(1 / kPowers) in exp(1). The upper part of it has few bits, so its
/// products with float32 are exact.
constexpr double kPowersInOne = 0x1.71547652b82fep+5;
constexpr double kPowersInOneHigh = 0x1.7154764p+5;
constexpr double kPowersInOneLow = kPowersInOne - kPowersInOneHigh;
/// A float64 next to this number has no fraction, and its last bits are an integer.
constexpr double kLastBits = 0x1.8p+52;
/// 2^(r / kPowers) for |r| <= 0.5.
constexpr double kPower[] = {1, 0x1.62e42ff0c52d6p-6, 0x1.ebfce50fac4f3p-13, 0x1.c6af84b912394p-20};
/// 2^(i / kPowers).
constexpr double kPowersOfTwo[kPowers] = {0x1p+0,
                                          0x1.059b0d3158574p+0,
                                          0x1.0b5586cf9890fp+0,
                                          0x1.11301d0125b51p+0,
                                          0x1.172b83c7d517bp+0,
                                          0x1.1d4873168b9aap+0,
                                          0x1.2387a6e756238p+0,
                                          0x1.29e9df51fdee1p+0,
                                          0x1.306fe0a31b715p+0,
                                          0x1.371a7373aa9cbp+0,
                                          0x1.3dea64c123422p+0,
                                          0x1.44e086061892dp+0,
                                          0x1.4bfdad5362a27p+0,
                                          0x1.5342b569d4f82p+0,
                                          0x1.5ab07dd485429p+0,
                                          0x1.6247eb03a5585p+0,
                                          0x1.6a09e667f3bcdp+0,
                                          0x1.71f75e8ec5f74p+0,
                                          0x1.7a11473eb0187p+0,
                                          0x1.82589994cce13p+0,
                                          0x1.8ace5422aa0dbp+0,
                                          0x1.93737b0cdc5e5p+0,
                                          0x1.9c49182a3f09p+0,
                                          0x1.a5503b23e255dp+0,
                                          0x1.ae89f995ad3adp+0,
                                          0x1.b7f76f2fb5e47p+0,
                                          0x1.c199bdd85529cp+0,
                                          0x1.cb720dcef9069p+0,
                                          0x1.d5818dcfba487p+0,
                                          0x1.dfc97337b9b5fp+0,
                                          0x1.ea4afa2a490dap+0,
                                          0x1.f50765b6e454p+0};
/// Arguments above give infinity in float32; arguments below give 0.
constexpr double kLargestArgument = 0x1.62e42ep+6;
constexpr double kSmallestArgument = -0x1.9fe368p+6;
constexpr int kPowerShift = 47;

// The function erff has four ranges; in each of them, P is a rational function.
// - Up to 0.84375, erf(x) is x + x * P(x^2).
// - Up to 1.25, it is kErf1 + P(x - 1).
// - Up to 6, it is 1 - exp(-x^2 - 0.5625 + P(1 / x^2)) / x. P changes at kErfLargest.
// - From 6 on, it is 1.
constexpr double kErf1 = 8.4506291151e-01F;
constexpr double kEfx = 1.2837916613e-01F;
constexpr double kErfSmallOver[] = {1.2837916613e-01F, -3.2504209876e-01F, -2.8481749818e-02F,
                                    -5.7702702470e-03F, -2.3763017452e-05F};
constexpr double kErfSmallUnder[] = {1,
                                     3.9791721106e-01F,
                                     6.5022252500e-02F,
                                     5.0813062117e-03F,
                                     1.3249473704e-04F,
                                     -3.9602282413e-06F};
constexpr double kErfMiddleOver[] = {-2.3621185683e-03F, 4.1485610604e-01F,  -3.7220788002e-01F,
                                     3.1834661961e-01F,  -1.1089469492e-01F, 3.5478305072e-02F,
                                     -2.1663755178e-03F};
constexpr double kErfMiddleUnder[] = {1,
                                      1.0642088205e-01F,
                                      5.4039794207e-01F,
                                      7.1828655899e-02F,
                                      1.2617121637e-01F,
                                      1.3637083583e-02F,
                                      1.1984500103e-02F};
constexpr double kErfLargeOver[] = {-9.8649440333e-03F, -6.9385856390e-01F, -1.0558626175e+01F,
                                    -6.2375331879e+01F, -1.6239666748e+02F, -1.8460508728e+02F,
                                    -8.1287437439e+01F, -9.8143291473e+00F};
constexpr double kErfLargeUnder[] = {1,
                                     1.9651271820e+01F,
                                     1.3765776062e+02F,
                                     4.3456588745e+02F,
                                     6.4538726807e+02F,
                                     4.2900814819e+02F,
                                     1.0863500214e+02F,
                                     6.5702495575e+00F,
                                     -6.0424413532e-02F};
constexpr double kErfLargestOver[] = {-9.8649431020e-03F, -7.9928326607e-01F, -1.7757955551e+01F,
                                      -1.6063638306e+02F, -6.3756646729e+02F, -1.0250950928e+03F,
                                      -4.8351919556e+02F};
constexpr double kErfLargestUnder[] = {1,
                                       3.0338060379e+01F,
                                       3.2579251099e+02F,
                                       1.5367296143e+03F,
                                       3.1998581543e+03F,
                                       2.5530502930e+03F,
                                       4.7452853394e+02F,
                                       -2.2440952301e+01F};
constexpr double kErfMiddle = 0.84375;
constexpr double kErfLarge = 1.25;
constexpr double kErfLargest = 0x1.6db6dcp+1;  // about 1 / 0.35
constexpr double kErfOne = 6;
/// Below, the product with kEfx may be a subnormal number.
constexpr double kErfTiny = 0x1p-119;
constexpr int64_t kUpperBits = 0xfffff000;

class ExpExpansion {
 public:
  ExpExpansion(const IntrinBuilder& make, DataType dtype, const Buffer* powers)
      : make_(make),
        dtype_(dtype),
        wide_(DataType::Float(64, dtype.lanes())),
        integer_(DataType::Int(64, dtype.lanes())),
        powers_(powers),
        steps_(make, wide_) {}

  const Expr* Of(const Expr* value) {
    const Expr* x = IntrinBuilder::IsCheap(value) ? value : steps_.Bind("x", value);
    const Expr* is_large = make_.Binary(NodeKind::kGT, x, make_.Float(dtype_, kLargestArgument));
    const Expr* is_small = make_.Binary(NodeKind::kLT, x, make_.Float(dtype_, kSmallestArgument));
    const Expr* infinity = make_.Float(dtype_, std::numeric_limits<double>::infinity());
    return steps_.Finish(make_.Choose(is_large, infinity,
                                      make_.Choose(is_small, make_.Float(dtype_, 0), Inside(x))));
  }

  /// For arguments whose exp is a normal number. Others give some number.
  const Expr* InRange(const Expr* value) { return steps_.Finish(Inside(value)); }

 private:
  /// exp(x) = 2^(k / kPowers) * 2^(r / kPowers) with an integer k, in float64.
  const Expr* Inside(const Expr* value) {
    const Expr* x = steps_.Bind("d", make_.Convert(wide_, value));
    const Expr* scaled = make_.Mul(Number(kPowersInOne), x);
    const Expr* bits =
        steps_.Bind("bits", make_.Reinterpret(integer_, make_.Add(scaled, Number(kLastBits))));
    // The sum less kLastBits would be the same, unless arithmetic may be reordered.
    const DataType word = DataType::Int(32, dtype_.lanes());
    const Expr* k = steps_.Bind("k", make_.Convert(word, bits));
    const Expr* high = make_.Sub(make_.Mul(Number(kPowersInOneHigh), x), make_.Convert(wide_, k));
    const Expr* r = steps_.Bind("r", make_.Add(high, make_.Mul(Number(kPowersInOneLow), x)));
    const Expr* square = steps_.Bind("r2", make_.Mul(r, r));
    const Expr* upper = make_.Add(make_.Mul(Number(kPower[3]), r), Number(kPower[2]));
    const Expr* lower = make_.Add(make_.Mul(Number(kPower[1]), r), Number(kPower[0]));
    const Expr* fraction = make_.Add(make_.Mul(upper, square), lower);
    return make_.Convert(dtype_, make_.Mul(fraction, Power(bits, k)));
  }

  /// 2^(k / kPowers); `bits` are those of k and of others in front.
  const Expr* Power(const Expr* bits, const Expr* k) const {
    const Expr* place = make_.And(k, make_.Int(k->dtype, kPowers - 1));
    const Expr* entry = make_.nodes().Load(powers_, {place}, make_.range());
    const Expr* shifted =
        make_.Call(OpKind::kShiftLeft, {bits, make_.Int(bits->dtype, kPowerShift)});
    return make_.Reinterpret(wide_, make_.Add(entry, shifted));
  }

  const Expr* Number(double value) const { return steps_.Number(value); }

  const IntrinBuilder& make_;
  const DataType dtype_;
  const DataType wide_;
  const DataType integer_;
  const Buffer* powers_;
  Steps steps_;
};

class ErfExpansion {
 public:
  ErfExpansion(const IntrinBuilder& make, DataType dtype, const Buffer* powers)
      : make_(make), dtype_(dtype), powers_(powers), steps_(make, dtype) {}

  const Expr* Of(const Expr* value) {
    const Expr* x = IntrinBuilder::IsCheap(value) ? value : steps_.Bind("x", value);
    const Expr* magnitude = steps_.Bind("a", make_.Call(OpKind::kFabs, {x}));
    const Expr* small = steps_.Bind("small", Small(x, magnitude));
    const Expr* middle = steps_.Bind("middle", Middle(magnitude));
    const Expr* large = steps_.Bind("large", Large(magnitude));
    // A NaN is not less than a number, and stays a NaN in Large.
    const Expr* at_least_large =
        make_.Choose(make_.Binary(NodeKind::kGE, magnitude, Number(kErfOne)), Number(1), large);
    const Expr* unsigned_result =
        make_.Choose(IsBelow(magnitude, kErfLarge), middle, at_least_large);
    return steps_.Finish(make_.Choose(IsBelow(magnitude, kErfMiddle), small,
                                      make_.Call(OpKind::kCopysign, {unsigned_result, x})));
  }

 private:
  const Expr* Number(double value) const { return steps_.Number(value); }
  const Expr* IsBelow(const Expr* value, double bound) const {
    return make_.Binary(NodeKind::kLT, value, Number(bound));
  }
  const Expr* Ratio(std::span<const double> over, std::span<const double> under,
                    const Expr* x) const {
    return make_.Div(steps_.Polynomial(over, x), steps_.Polynomial(under, x));
  }

  const Expr* Small(const Expr* x, const Expr* magnitude) {
    const Expr* square = steps_.Bind("square", make_.Mul(x, x));
    const Expr* result = make_.Add(x, make_.Mul(x, Ratio(kErfSmallOver, kErfSmallUnder, square)));
    const Expr* sixteen = make_.Add(make_.Mul(Number(16), x), make_.Mul(Number(16 * kEfx), x));
    const Expr* is_tiny = IsBelow(magnitude, kErfTiny);
    return make_.Choose(is_tiny, make_.Mul(Number(0.0625), sixteen), result);
  }

  const Expr* Middle(const Expr* magnitude) {
    const Expr* rest = steps_.Bind("rest", make_.Sub(magnitude, Number(1)));
    return make_.Add(Number(kErf1), Ratio(kErfMiddleOver, kErfMiddleUnder, rest));
  }

  /// exp(-x^2) is a product, since x^2 would be rounded: z has the upper bits of x.
  const Expr* Large(const Expr* magnitude) {
    const Expr* squares = make_.Mul(magnitude, magnitude);
    const Expr* s = steps_.Bind("s", make_.Div(Number(1), squares));
    const Expr* is_below = steps_.Bind("is_below", IsBelow(magnitude, kErfLargest));
    const auto either = [&](std::span<const double> large, std::span<const double> largest) {
      return make_.Choose(is_below, steps_.Polynomial(large, s), steps_.Polynomial(largest, s));
    };
    const Expr* ratio =
        make_.Div(either(kErfLargeOver, kErfLargestOver), either(kErfLargeUnder, kErfLargestUnder));
    const Expr* z = steps_.Bind("z", UpperBits(magnitude));
    const Expr* first = Exp(make_.Sub(Number(-0.5625), make_.Mul(z, z)));
    const Expr* product = make_.Mul(make_.Sub(z, magnitude), make_.Add(z, magnitude));
    const Expr* second = Exp(make_.Add(product, ratio));
    return make_.Sub(Number(1), make_.Div(make_.Mul(first, second), magnitude));
  }

  const Expr* UpperBits(const Expr* value) const {
    const DataType word = DataType::Int(32, dtype_.lanes());
    const Expr* bits = make_.Reinterpret(word, value);
    return make_.Reinterpret(dtype_, make_.And(bits, make_.Int(word, kUpperBits)));
  }

  const Expr* Exp(const Expr* value) {
    return steps_.Bind("e", ExpExpansion(make_, dtype_, powers_).InRange(value));
  }

  const IntrinBuilder& make_;
  const DataType dtype_;
  const Buffer* powers_;
  Steps steps_;
};

}  // namespace

std::array<int64_t, kPowers> PowersOfTwo() {
  std::array<int64_t, kPowers> table{};
  for (int64_t i = 0; i < kPowers; ++i) {
    const auto at = static_cast<size_t>(i);
    table[at] = std::bit_cast<int64_t>(kPowersOfTwo[at]) - (i << kPowerShift);
  }
  return table;
}

const Expr* ExpandExp(const IntrinBuilder& make, const Expr* value, const Buffer* powers) {
  return ExpExpansion(make, value->dtype, powers).Of(value);
}

const Expr* ExpandErf(const IntrinBuilder& make, const Expr* value, const Buffer* powers) {
  return ErfExpansion(make, value->dtype, powers).Of(value);
}

}  // namespace tenon
