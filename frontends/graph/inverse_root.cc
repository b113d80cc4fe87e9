#include "frontends/graph/inverse_root.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "frontends/graph/wide_fixed_point.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

/// With 3 bits before the point.
constexpr int32_t kThreeHalves = (1 << 28) + (1 << 27);
constexpr int32_t kHalfRootOfTwo = 1518500250;
constexpr int kRootSteps = 5;

int32_t SaturatedInt(int64_t x) {
  return static_cast<int32_t>(std::clamp<int64_t>(x, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max()));
}

}  // namespace

FixedPoint InverseRoot(int32_t x) {
  if (x <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  int shift = 11;
  for (; x >= 1 << 29; ++shift) x /= 4;
  // Pairs of bits that bring the number into [2^27, 2^29).
  const int pairs = (std::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  shift -= pairs;
  x <<= 2 * pairs;
  // All numbers have 3 bits before the point; a product has 6, and one of three numbers 9.
  const int32_t half_x = ((x >> 1) + 1) >> 1;
  int32_t root = 1 << 28;
  for (int step = 0; step < kRootSteps; ++step) {
    const int32_t square = Product(root, root);
    const int32_t cube = SaturatedInt(int64_t{Product(square, root)} * 64);
    const int64_t next = int64_t{Product(kThreeHalves, root)} - Product(half_x, cube);
    root = SaturatedInt(next * 8);
  }
  root = Product(root, kHalfRootOfTwo);
  if (shift < 0) return {static_cast<int32_t>(static_cast<uint32_t>(root) << -shift), 0};
  // The shift divides.
  return {root, -shift};
}

RootValue InverseRoot(Code& code, Value x) {
  constexpr int64_t kLarge = 1 << 29;
  const auto product = [](Value a, Value b) { return Cast(kInt32, RoundedProduct(a, b)); };
  const Value is_large = kLarge <= x;
  const Value small = code.Once(Select(is_large, x >> 2, x));
  const Value pairs = code.Once(Max(((CallOf(OpKind::kClz, small) - 1) >> 1) - 1, 0));
  const Value right = code.Once(Select(is_large, code.Int(12), code.Int(11)) - pairs);
  const Value full = code.Once(small << (pairs * 2));
  const Value half_x = code.Once(((full >> 1) + 1) >> 1);
  const Array root = code.Scalar("root", kInt32);
  code.Set(root, code.Int(1 << 28));
  for (int step = 0; step < kRootSteps; ++step) {
    const Value square = code.Once(product(code.Get(root), code.Get(root)));
    const Value cube = code.Once(Saturated(RoundedProduct(square, code.Get(root)), 6));
    const Value next =
        RoundedProduct(code.Int(kThreeHalves), code.Get(root)) - RoundedProduct(half_x, cube);
    code.Set(root, Saturated(next, 3));
  }
  const Value scaled = product(code.Get(root), code.Int(kHalfRootOfTwo));
  const Value left = Max(code.Int(0) - right, 0);
  const Value wide = Cast(kInt64, scaled) << Cast(kInt64, left);
  const Value is_one = x < 2;
  return {
      code.Once(Select(is_one, code.Int(std::numeric_limits<int32_t>::max()), Cast(kInt32, wide))),
      code.Once(Select(is_one, code.Int(0), Max(right, 0)))};
}

}  // namespace tenon::graph
