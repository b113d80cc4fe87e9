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
///   before `assign-pool-info,compress-constants`:
///     I.module_attrs({"tenon.constants": [I.constant("w", I.splat(1), "int8", [4096])]})
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
///         w = T.allocate_const(I.constant("w"), "int8", [4096])
///         w_1 = T.Buffer((4096,), "int8", data=w)
///         for i in range(4):
///             y[i] = x[i] * w_1[i * 1000]
///   after:
///     I.module_attrs({"tenon.constants": [I.constant("w", I.splat(1), "int8", [4096],
///         load="global_workspace", codec="lz4")]})
///     ...
///
/// The module keeps the values; they are compressed when code is generated. Among the constants
/// with a sufficient ratio, the pass chooses those that save the most bytes in total and whose
/// uncompressed bytes fit in the budget, as promote-constants does. Loaded constants keep their
/// pool and do not use the budget. Constants with elided bytes are left unchanged. So are constants
/// that share a part with an uncompressed constant, because nothing would be saved. Counters:
/// compress-constants.compressed, .bytes, .stored_bytes, .limited.
absl::StatusOr<IRModule> CompressConstants(const IRModule& module,
                                           const CompressConstantsOptions& options,
                                           PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_COMPRESS_CONSTANTS_H_
