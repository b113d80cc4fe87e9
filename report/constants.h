#ifndef TENON_REPORT_CONSTANTS_H_
#define TENON_REPORT_CONSTANTS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ir/constant.h"
#include "report/report.h"

namespace tenon {

/// Fills MemoryReport::constants. `data` has an entry a buffer, null for those that are none.
/// Contents are hashed; how they compress is guessed from samples of at most 256 KiB a constant and
/// 64 MiB in all.
void DescribeConstants(MemoryReport& report, std::span<const Constant* const> data);

/// Bytes that LZ4 would make of `bytes`, about: the cost of a greedy parse with the format's own
/// prices, over pieces of `bytes` of `most` bytes in all.
int64_t EstimateLz4(std::span<const uint8_t> bytes, int64_t most);

/// Constants in a pool, or outside of all: what their uses take if each had its own, and what they
/// take.
struct ConstantBytes {
  int64_t constants = 0;
  int64_t uses = 0;
  int64_t used_bytes = 0;
  /// Each byte once, without what is between constants.
  int64_t stored_bytes = 0;
  /// What is stored if each constant that LZ4 makes smaller is compressed; -1 where no contents are
  /// known.
  int64_t compressed_bytes = -1;
  int64_t saved_bytes() const { return used_bytes - stored_bytes; }
};
/// Of the constants in the pool of that name; an empty name: in no pool.
ConstantBytes ConstantBytesOf(const MemoryReport& report, std::string_view pool);

}  // namespace tenon

#endif  // TENON_REPORT_CONSTANTS_H_
