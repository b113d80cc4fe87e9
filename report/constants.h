#ifndef TENON_REPORT_CONSTANTS_H_
#define TENON_REPORT_CONSTANTS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ir/constant.h"
#include "report/report.h"

namespace tenon {

/// Fills MemoryReport::constants. `data` has one entry per buffer, null for workspace buffers.
/// Hashes the contents. Compressed sizes are estimated from samples of at most 256 KiB per constant
/// and 64 MiB in all.
void DescribeConstants(MemoryReport& report, std::span<const Constant* const> data);

/// Estimates the size of `bytes` after LZ4 compression: the cost of a greedy parse in the LZ4
/// format, over pieces of `bytes` with at most `most` bytes in all.
int64_t EstimateLz4(std::span<const uint8_t> bytes, int64_t most);

/// The constants in a pool, or in no pool: their total size if every use had a copy, and their
/// stored size.
struct ConstantBytes {
  int64_t constants = 0;
  int64_t uses = 0;
  int64_t used_bytes = 0;
  /// Counts each byte once, without the padding between constants.
  int64_t stored_bytes = 0;
  /// The stored size if LZ4 compresses each constant that it makes smaller; -1 if no contents are
  /// known.
  int64_t compressed_bytes = -1;
  int64_t saved_bytes() const { return used_bytes - stored_bytes; }

  static void Members(const auto& list) {
    list.Derived("constants", &ConstantBytes::constants);
    list.Derived("used_bytes", &ConstantBytes::used_bytes);
    list.Derived("stored_bytes", &ConstantBytes::stored_bytes);
    list.Derived("saved_bytes", &ConstantBytes::saved_bytes);
    list.DerivedIfSet("compressed_bytes", &ConstantBytes::compressed_bytes);
  }
};
/// Sums up the constants in the named pool; an empty name means those in no pool.
ConstantBytes ConstantBytesOf(const MemoryReport& report, std::string_view pool);

}  // namespace tenon

#endif  // TENON_REPORT_CONSTANTS_H_
