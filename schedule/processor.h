#ifndef TENON_SCHEDULE_PROCESSOR_H_
#define TENON_SCHEDULE_PROCESSOR_H_

#include <cstdint>

namespace tenon {

/// The facts about a processor that schedules are chosen by.
struct Processor {
  /// The number of vector registers, and the bytes of each; 0: it has none.
  int64_t registers = 0;
  int64_t register_bytes = 0;
  /// The products of vectors that begin in a cycle, and the cycles until a sum can be used.
  int64_t products_per_cycle = 2;
  int64_t latency = 4;
  /// Bytes of a small second-level cache.
  int64_t l2_bytes = 512 * 1024;

  /// The sums that keep the units for products busy.
  int64_t least_sums() const { return products_per_cycle * latency; }
};

}  // namespace tenon

#endif  // TENON_SCHEDULE_PROCESSOR_H_
