#ifndef TENON_SUPPORT_NEAREST_NAME_H_
#define TENON_SUPPORT_NEAREST_NAME_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

// "Did you mean": finds the known name that is nearest to a misspelled one.

namespace tenon {

/// The Levenshtein distance of two names: the number of letters to change, add or remove. Returns
/// `most` as soon as the distance is known to be at least `most`.
size_t EditDistance(std::string_view a, std::string_view b, size_t most);

/// The candidate nearest to `name`, or the first of several. Empty if no candidate is near: at most
/// a third of the letters, or two, may differ.
std::string_view NearestName(std::string_view name, std::span<const std::string_view> candidates);

/// The end of a message about an unknown name: "; did you mean `near`?". Empty if no candidate is
/// near.
std::string DidYouMean(std::string_view name, std::span<const std::string> candidates);

}  // namespace tenon

#endif  // TENON_SUPPORT_NEAREST_NAME_H_
