#include "ir/text_names.h"

#include <algorithm>

#include "support/ascii.h"

namespace tenon {

namespace {

// Sorted.
constexpr std::string_view kKeywords[] = {
    "False", "I",      "None",    "T",        "True",     "and",    "as",   "assert",
    "async", "await",  "break",   "class",    "continue", "def",    "del",  "elif",
    "else",  "except", "finally", "for",      "from",     "global", "if",   "import",
    "in",    "is",     "lambda",  "metadata", "nonlocal", "not",    "or",   "pass",
    "raise", "range",  "return",  "try",      "while",    "with",   "yield"};
static_assert(std::is_sorted(std::begin(kKeywords), std::end(kKeywords)));
constexpr size_t kLongestKeyword = 8;

}  // namespace

bool IsPlainName(std::string_view name) { return ascii::IsIdentifier(name); }

bool IsReservedName(std::string_view name, Dialect dialect) {
  if (name.size() == 1)
    return name == "T" || name == "I" || (name == "R" && dialect >= Dialect::kV016);
  if (name.size() > kLongestKeyword) return false;
  if (dialect >= Dialect::kV016 && name == "cls") return true;
  if (dialect >= Dialect::kV025 && name == "metadata") return false;
  return std::binary_search(std::begin(kKeywords), std::end(kKeywords), name);
}

}  // namespace tenon
