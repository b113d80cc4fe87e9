#ifndef TENON_PASSES_CONSTANTS_COMPRESS_CONSTANTS_H_
#define TENON_PASSES_CONSTANTS_COMPRESS_CONSTANTS_H_

#include "passes/pass.h"

namespace tenon {

struct CompressConstantsOptions {
  std::string codec = "lz4";
  double min_ratio = 1.25;
  std::string pool = {};
  int64_t budget = -1;

  static constexpr auto List() {
    using O = CompressConstantsOptions;
    return std::make_tuple(
        PassOption{"codec", &O::codec, "lz4, or zstd for programs on a host"},
        PassOption{"min_ratio", &O::min_ratio,
                   "least ratio of a constant's bytes to its compressed bytes"},
        PassOption{"pool", &O::pool,
                   "name of the read-write pool to decompress to; empty: the module's first"},
        PassOption{"budget", &O::budget,
                   "bytes of the pool that constants may take; -1: all that are free"});
  }
};

/// Stores constants compressed if that saves enough bytes; the first run decompresses them into
/// RAM.
///
///   before:  I.constant("w", [0, 0, 0, ...], "int8", [4096])
///   after:   I.constant("w", [0, 0, 0, ...], "int8", [4096], load="sram", codec="lz4")
///
/// The text keeps the values; they are compressed when code is generated. Among the constants with
/// a sufficient ratio, the choice saves the most bytes in total while their uncompressed bytes fit
/// the budget, as in promote-constants. Loaded constants keep their pool and do not use the budget.
/// Constants with elided bytes stay unchanged. So do constants with a part in another constant that
/// is used uncompressed: nothing would be saved. Counters: compress-constants.compressed, .bytes,
/// .stored_bytes, .limited.
absl::StatusOr<IRModule> CompressConstants(const IRModule& module,
                                           const CompressConstantsOptions& options,
                                           PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_COMPRESS_CONSTANTS_H_
