// Versions are printed in reports and in comments of C, so they may only contain characters that
// are harmless there.

#include "byoc/generator_version.h"

#include <algorithm>

#include "support/ascii.h"

namespace tenon {

bool IsGeneratorVersion(std::string_view text) {
  constexpr size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return ascii::IsWordCharacter(c) || c == '.' || c == '+' || c == '-';
         });
}

}  // namespace tenon
