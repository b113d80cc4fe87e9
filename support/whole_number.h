#ifndef TENON_SUPPORT_WHOLE_NUMBER_H_
#define TENON_SUPPORT_WHOLE_NUMBER_H_

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace tenon {

/// The decimal number that a whole text is, such as `-12` for a signed type; nullopt for any other
/// text, and for a number that the type cannot hold. Neither blanks nor a `+` belong to a number.
template <class Number>
std::optional<Number> WholeNumber(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

}  // namespace tenon

#endif  // TENON_SUPPORT_WHOLE_NUMBER_H_
