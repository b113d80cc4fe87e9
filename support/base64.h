#ifndef TENON_SUPPORT_BASE64_H_
#define TENON_SUPPORT_BASE64_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tenon {

/// RFC 4648 base64 with padding: decodes exactly the output of Base64Encode. White space, other
/// characters, missing or misplaced `=` and non-zero bits after the last byte are errors. The
/// message says which and where, and `error_offset`, if given, receives the offset in `text`.
absl::StatusOr<std::string> Base64Decode(std::string_view text, size_t* error_offset = nullptr);

/// RFC 4648 base64 with padding, on one line.
std::string Base64Encode(std::string_view bytes);

}  // namespace tenon

#endif  // TENON_SUPPORT_BASE64_H_
