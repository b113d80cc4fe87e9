#ifndef TENON_COMPILE_LOAD_OPTIONS_H_
#define TENON_COMPILE_LOAD_OPTIONS_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "passes/constants/compress_constants.h"
#include "passes/constants/promote_constants.h"

// The text of command-line options about constants that are brought into RAM.

namespace tenon {

/// The value of `--promote-constants`: `BYTES[:POOL]`, where BYTES may be `all`, all that the pool
/// has left.
absl::StatusOr<PromoteConstantsOptions> ParsePromotion(std::string_view text);
/// The value of `--compress-constants`: `lz4|zstd[:RATIO[:POOL]]`.
absl::StatusOr<CompressConstantsOptions> ParseCompression(std::string_view text);

}  // namespace tenon

#endif  // TENON_COMPILE_LOAD_OPTIONS_H_
