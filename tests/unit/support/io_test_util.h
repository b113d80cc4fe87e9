#ifndef TENON_TESTS_UNIT_SUPPORT_IO_TEST_UTIL_H_
#define TENON_TESTS_UNIT_SUPPORT_IO_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "absl/status/status.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/temp_folder.h"

namespace tenon {

inline std::string Message(const absl::Status& status) {
  return std::string(status.message().data(), status.message().size());
}

/// `text` with one to three random edits: bytes set, bits flipped, pieces removed or duplicated,
/// truncation.
inline std::string Mutate(std::string text, std::mt19937& random) {
  const auto below = [&random](size_t n) { return n == 0 ? 0 : static_cast<size_t>(random()) % n; };
  for (size_t edits = 1 + below(3); edits != 0 && !text.empty(); --edits) {
    const size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1u << below(8)));
        break;
      case 2:
        text.erase(at, 1 + below(8));
        break;
      case 3:
        text.insert(at, text.substr(at, 1 + below(8)));
        break;
      case 4:
        text.resize(at);
        break;
      default:
        text[at] = "0123456789\"{}[],:-"[below(18)];
        break;
    }
  }
  return text;
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_SUPPORT_IO_TEST_UTIL_H_
