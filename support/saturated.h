#ifndef TENON_SUPPORT_SATURATED_H_
#define TENON_SUPPORT_SATURATED_H_

#include <cstdint>

namespace tenon {

/// `a + b` for arguments that are not negative; INT64_MAX if the sum is larger.
[[nodiscard]] inline int64_t SaturatedAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/// `a * b` for arguments that are not negative; INT64_MAX if the product is larger.
[[nodiscard]] inline int64_t SaturatedMul(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

}  // namespace tenon

#endif  // TENON_SUPPORT_SATURATED_H_
