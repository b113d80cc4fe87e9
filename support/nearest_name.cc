#include "support/nearest_name.h"

#include <algorithm>
#include <vector>

#include "fmt/format.h"

namespace tenon {

size_t EditDistance(std::string_view a, std::string_view b, size_t most) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    size_t best = row[0];
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
      best = std::min(best, row[j]);
    }
    if (best >= most) return most;
  }
  return row[b.size()];
}

std::string_view NearestName(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr size_t kMostLength = 100;
  std::string_view best;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    const size_t distance = EditDistance(name.substr(0, kMostLength), candidate, best_distance);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view name, std::span<const std::string> candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  const std::string_view near = NearestName(name, views);
  return near.empty() ? "" : fmt::format("; did you mean `{}`?", near);
}

}  // namespace tenon
