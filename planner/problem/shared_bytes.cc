#include "planner/problem/shared_bytes.h"

#include <algorithm>

namespace tenon::planner {

int64_t MostSharedBytes(const Problem& problem, const Relation& relation, int64_t alignment) {
  if (relation.kind == RelationKind::kDisjoint) return 0;
  const auto rounded = [&](int32_t buffer) {
    return (problem.buffers[Index(buffer)].size + alignment - 1) & -alignment;
  };
  const int64_t a = rounded(relation.a);
  const int64_t b = rounded(relation.b);
  if (relation.kind == RelationKind::kMayShare) return std::min(a, b);
  // From this difference on, the smaller one begins within the larger one.
  const int64_t inside_first = std::min<int64_t>(0, a - b);
  int64_t most = 0;
  for (const DifferenceRange& range : relation.allowed) {
    const int64_t lowest = std::max(range.first, -b);
    const int64_t first = (lowest + alignment - 1) & -alignment;
    const int64_t last = std::min(range.last, a) & -alignment;
    if (first > last) continue;
    const int64_t nearest = last < inside_first ? last : std::max(first, inside_first);
    most = std::max(most, std::min(a, nearest + b) - std::max<int64_t>(0, nearest));
  }
  return most;
}

}  // namespace tenon::planner
