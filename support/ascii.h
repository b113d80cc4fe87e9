#ifndef TENON_SUPPORT_ASCII_H_
#define TENON_SUPPORT_ASCII_H_

#include <algorithm>
#include <string>
#include <string_view>

namespace tenon {

/// Classes of characters, whatever the locale. Other characters than those of ASCII are in no
/// class.
namespace ascii {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsLetterOrDigit(char c) { return IsLetter(c) || IsDigit(c); }
/// True for a letter, a digit or an underscore.
constexpr bool IsWordCharacter(char c) { return IsLetterOrDigit(c) || c == '_'; }

/// True for a name in C: word characters, of which the first is not a digit.
constexpr bool IsIdentifier(std::string_view text) {
  return !text.empty() && !IsDigit(text[0]) &&
         std::all_of(text.begin(), text.end(), IsWordCharacter);
}

/// The text with an underscore in place of every character that is not a word character, and one in
/// front of a first digit. An empty text stays empty.
inline std::string AsWord(std::string_view text) {
  std::string word;
  if (!text.empty() && IsDigit(text[0])) word = "_";
  for (const char c : text) word += IsWordCharacter(c) ? c : '_';
  return word;
}

}  // namespace ascii

}  // namespace tenon

#endif  // TENON_SUPPORT_ASCII_H_
