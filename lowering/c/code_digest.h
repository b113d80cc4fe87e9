#ifndef TENON_LOWERING_C_CODE_DIGEST_H_
#define TENON_LOWERING_C_CODE_DIGEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {

/// Hashes of C text without comments.
struct CodeDigest {
  uint64_t all = 0;
  /// Each function, in the order of the text, and last the text outside of functions, with the
  /// empty name.
  std::vector<std::pair<std::string, uint64_t>> functions;
};

/// The digest of the source and the header of a model, as EmitC writes them: a function begins at
/// the first column and ends with a brace there.
CodeDigest DigestOf(std::string_view source, std::string_view header);

}  // namespace tenon

#endif  // TENON_LOWERING_C_CODE_DIGEST_H_
