#ifndef TENON_TESTS_FUZZ_ROUNDTRIP_H_
#define TENON_TESTS_FUZZ_ROUNDTRIP_H_

#include <optional>
#include <string>
#include <string_view>

namespace tenon {

/// What became of a text.
enum class Roundtrip : unsigned char {
  kRefused,  ///< there are located errors, of the parser or of the verifier
  kKept,     ///< it parsed, and came back from its own print as an equal module
};

/// Reads and verifies `text`; a module that passes is printed, and its print must parse, verify,
/// be structurally equal to it and print as itself. Nullopt when one of these does not hold;
/// `complaint` then says which, with the texts.
std::optional<Roundtrip> CheckRoundtrip(std::string_view text, std::string& complaint);

}  // namespace tenon

#endif  // TENON_TESTS_FUZZ_ROUNDTRIP_H_
