#ifndef TENON_PLANNER_TVM_RAND_R_H_
#define TENON_PLANNER_TVM_RAND_R_H_

#include <cstdint>

namespace tenon::planner {

/// The sequence of the GNU C library's rand_r on every platform. A 32-bit linear congruential
/// generator (multiplier 1103515245, increment 12345) steps three times for each number. Bits 16
/// and up of the three states give 11, 10 and 10 bits of the result.
class GlibcRandR {
 public:
  explicit GlibcRandR(uint32_t seed) : state_(seed) {}

  /// A number from 0 to 2^31 - 1.
  int32_t Next() {
    uint32_t value = Bits(11);
    value = (value << 10) ^ Bits(10);
    value = (value << 10) ^ Bits(10);
    return static_cast<int32_t>(value);
  }

 private:
  uint32_t Bits(int count) {
    state_ = state_ * 1103515245u + 12345u;
    return (state_ >> 16) & ((1u << count) - 1);
  }

  uint32_t state_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_TVM_RAND_R_H_
