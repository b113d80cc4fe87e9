#ifndef TENON_COMPILE_LOAD_OPTIONS_H_
#define TENON_COMPILE_LOAD_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

// What command lines say of constants that are brought into RAM, as text.

namespace tenon {

/// `--promote-constants`: what promote-constants is to copy to RAM.
struct ConstantPromotion {
  /// Bytes that constants may take there; -1: what the pool's size leaves.
  int64_t budget = -1;
  /// A read-write pool; empty: the first.
  std::string pool;
};

/// `--compress-constants`: what compress-constants is to store compressed.
struct ConstantCompression {
  std::string codec = "lz4";
  /// Bytes for each that is stored, at least; from 1.
  double min_ratio = 1.25;
  /// Where they are decompressed to: a read-write pool; empty: the first.
  std::string pool;
};

/// `BYTES[:POOL]`, where BYTES may be `all`, what the pool leaves. The error says what is wrong.
absl::StatusOr<ConstantPromotion> ParsePromotion(std::string_view text);
/// `lz4|zstd[:RATIO[:POOL]]`.
absl::StatusOr<ConstantCompression> ParseCompression(std::string_view text);

/// The passes that do so, as text of a pipeline. Pools must have no quotes in their names.
std::string PipelineOf(const ConstantPromotion& promotion);
std::string PipelineOf(const ConstantCompression& compression);

}  // namespace tenon

#endif  // TENON_COMPILE_LOAD_OPTIONS_H_
