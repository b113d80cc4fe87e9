#ifndef TENON_SUPPORT_CHECKED_H_
#define TENON_SUPPORT_CHECKED_H_

#include <cstdint>
#include <optional>
#include <span>

namespace tenon {

/// Extents and sizes in bytes stay below this. It leaves room to add any two of them in int64_t.
inline constexpr int64_t kSizeLimit = int64_t{1} << 62;

/// `a + b`, or nullopt if the sum does not fit in int64_t.
[[nodiscard]] inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// `a * b`, or nullopt if the product does not fit in int64_t.
[[nodiscard]] inline std::optional<int64_t> CheckedMul(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// True for 1, 2, 4, ... 2^62.
[[nodiscard]] inline bool IsPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

/// The smallest multiple of `alignment` (a power of two) that is at least `value` (not negative).
/// Nullopt if an argument is invalid or the result does not fit in int64_t.
[[nodiscard]] std::optional<int64_t> CheckedAlignUp(int64_t value, int64_t alignment);

/// The number of elements of `shape`; 1 for a scalar. Nullopt if an extent is negative, or an
/// extent or the product is kSizeLimit or more. A zero extent makes the product 0, even if the
/// product of the other extents is too large.
[[nodiscard]] std::optional<int64_t> ProductOf(std::span<const int64_t> shape);

/// ProductOf(shape) * element_bytes if that is below kSizeLimit, else nullopt.
[[nodiscard]] std::optional<int64_t> BytesOf(std::span<const int64_t> shape, int64_t element_bytes);

}  // namespace tenon

#endif  // TENON_SUPPORT_CHECKED_H_
