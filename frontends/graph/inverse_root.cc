#include "frontends/graph/inverse_root.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tenon::graph {

namespace {

/// The product of numbers with 31 bits after the point, rounded.
int32_t HighHalfOf(int32_t a, int32_t b) {
  return static_cast<int32_t>((int64_t{a} * b + (int64_t{1} << 30)) >> 31);
}

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
  constexpr int32_t kThreeHalves = (1 << 28) + (1 << 27);
  int32_t root = 1 << 28;
  for (int step = 0; step < 5; ++step) {
    const int32_t square = HighHalfOf(root, root);
    const int32_t cube = SaturatedInt(int64_t{HighHalfOf(square, root)} * 64);
    const int64_t next = int64_t{HighHalfOf(kThreeHalves, root)} - HighHalfOf(half_x, cube);
    root = SaturatedInt(next * 8);
  }
  constexpr int32_t kHalfRootOfTwo = 1518500250;
  root = HighHalfOf(root, kHalfRootOfTwo);
  if (shift < 0) return {static_cast<int32_t>(static_cast<uint32_t>(root) << -shift), 0};
  // The shift divides.
  return {root, -shift};
}

}  // namespace tenon::graph
