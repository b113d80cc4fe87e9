#ifndef TENON_COMPILE_LOAD_OPTIONS_H_
#define TENON_COMPILE_LOAD_OPTIONS_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "passes/constants/compress_constants.h"
#include "passes/constants/promote_constants.h"

// Parsers of command-line options about constants that are loaded into RAM.

namespace tenon {

/// The value of `--promote-constants`: `BYTES[:POOL]`. BYTES may be `all`: the rest of the pool.
absl::StatusOr<PromoteConstantsOptions> ParsePromotion(std::string_view text);
/// The value of `--compress-constants`: `lz4|zstd[:RATIO[:POOL]]`.
absl::StatusOr<CompressConstantsOptions> ParseCompression(std::string_view text);

}  // namespace tenon

#endif  // TENON_COMPILE_LOAD_OPTIONS_H_
