#ifndef TENON_SCHEDULE_CHECK_OFFSET_PRODUCT_H_
#define TENON_SCHEDULE_CHECK_OFFSET_PRODUCT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/computation.h"

namespace tenon::check {

/// A product of 32-bit integers with an element of memory plus a number as a factor, such as
/// `(int32(x[i]) + 128) * w`. No value wraps before the product.
struct OffsetProduct {
  /// If a condition is false, another number replaces the element.
  struct Choice {
    int condition = -1;
    int64_t otherwise = 0;
  };

  int read = -1;  ///< the step that reads the element
  /// The innermost select first.
  std::vector<Choice> choices;
  int64_t offset = 0;
  int factor = -1;  ///< the step of the other factor
  /// True: the element is unsigned, and is treated as the signed element that is smaller by 128,
  /// whose bits are the same except for the highest one.
  bool is_made_signed = false;

  /// Sets is_made_signed without changing the product. False for elements other than uint8.
  bool MakeSigned(const Computation& all);
};

/// The bit that is the sign of an int8, and the difference between the two readings of a byte.
inline constexpr int64_t kSignBit = 128;

/// The number that a step always has, because it is an element of a constant; nullopt for others.
using NumberOfStep = std::function<std::optional<int64_t>(int step)>;

/// The product that the step `value` is, for its first factor with an element of 8 or 16 bits;
/// nullopt for other steps.
std::optional<OffsetProduct> FindOffsetProduct(const Computation& all, int value,
                                               const NumberOfStep& number_of);

}  // namespace tenon::check

#endif  // TENON_SCHEDULE_CHECK_OFFSET_PRODUCT_H_
