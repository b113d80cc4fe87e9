#include "planner/explain.h"

#include <algorithm>

#include "fmt/format.h"

namespace tenon::planner {
namespace {

// Longer lists of buffers are cut; the plan's report has them all.
constexpr size_t kMaxNamed = 16;

// "`a` (10 bytes), `b` (5 bytes)", the largest first.
std::string NameLive(const Problem& problem, const LowerBound& bound) {
  std::vector<int32_t> live = bound.live;
  std::stable_sort(live.begin(), live.end(), [&](int32_t a, int32_t b) {
    return problem.buffers[Index(a)].size > problem.buffers[Index(b)].size;
  });
  std::string text;
  for (size_t i = 0; i < live.size() && i < kMaxNamed; ++i) {
    const Buffer& buffer = problem.buffers[Index(live[i])];
    text += fmt::format("{}`{}` ({} bytes)", i == 0 ? "" : ", ", buffer.name, buffer.size);
  }
  if (live.size() > kMaxNamed) text += fmt::format(" and {} more", live.size() - kMaxNamed);
  return text;
}

std::string DescribePeak(const Problem& problem, const LowerBound& bound) {
  const std::string when = bound.kind == BoundKind::kSearch
                               ? "which a search of all their places has shown"
                           : bound.time ? fmt::format("live at time {}", *bound.time)
                                        : "in conflict with each other";
  return fmt::format("{}: {}", when, NameLive(problem, bound));
}

absl::Status RefuseBuffer(const Problem& problem, const Buffer& buffer) {
  int64_t largest = -1;
  int32_t pool = -1;
  for (int32_t p : buffer.pools) {
    const int64_t capacity = EffectiveCapacity(problem.pools[Index(p)]);
    if (buffer.size <= capacity) return absl::OkStatus();
    if (capacity > largest) pool = p;
    largest = std::max(largest, capacity);
  }
  return absl::ResourceExhaustedError(fmt::format(
      "does not fit: buffer `{}` needs {} bytes, {} more than pool `{}` has ({}), the largest of "
      "its candidates",
      buffer.name, buffer.size, buffer.size - largest, problem.pools[Index(pool)].name, largest));
}

}  // namespace

absl::Status RefusePool(const Problem& problem, int32_t pool, const LowerBound& bound) {
  const Pool& p = problem.pools[Index(pool)];
  const int64_t capacity = EffectiveCapacity(p);
  if (p.capacity == kUnlimited) {
    return absl::ResourceExhaustedError(
        fmt::format("does not fit: the rules leave no place in pool `{}` for the buffers {}",
                    p.name, DescribePeak(problem, bound)));
  }
  return absl::ResourceExhaustedError(fmt::format(
      "does not fit: pool `{}` has {} bytes, but needs at least {}, {} more, for the buffers {}",
      p.name, capacity, bound.bytes, bound.bytes - capacity, DescribePeak(problem, bound)));
}

absl::Status RefuseInfeasible(const Problem& problem, const std::vector<LowerBound>& bounds) {
  for (const Buffer& buffer : problem.buffers) {
    absl::Status status = RefuseBuffer(problem, buffer);
    if (!status.ok()) return status;
  }
  for (size_t p = 0; p < bounds.size(); ++p) {
    const int64_t capacity = EffectiveCapacity(problem.pools[p]);
    if (bounds[p].bytes > capacity) return RefusePool(problem, static_cast<int32_t>(p), bounds[p]);
  }
  return absl::OkStatus();
}

Problem WithoutLastLimits(const Problem& problem) {
  Problem result = problem;
  for (const Buffer& buffer : problem.buffers) {
    result.pools[Index(buffer.pools.back())].capacity = kUnlimited;
  }
  return result;
}

std::string DescribeNoRoom(const Problem& problem, std::string_view algorithm, int32_t buffer,
                           const std::vector<LowerBound>& bounds,
                           const std::vector<PoolPlan>& needed) {
  const Buffer& b = problem.buffers[Index(buffer)];
  std::string text =
      fmt::format("{} found no room for buffer `{}` ({} bytes)", algorithm, b.name, b.size);
  for (size_t p = 0; p < needed.size(); ++p) {
    const int64_t capacity = EffectiveCapacity(problem.pools[p]);
    if (needed[p].size <= capacity) continue;
    text += fmt::format("; it would need {} bytes in pool `{}`, which has {}, {} too few",
                        needed[p].size, problem.pools[p].name, capacity, needed[p].size - capacity);
  }
  for (int32_t p : b.pools) {
    if (bounds[Index(p)].live.empty()) continue;
    text += fmt::format("; pool `{}` needs at least {} bytes for the buffers {}",
                        problem.pools[Index(p)].name, bounds[Index(p)].bytes,
                        DescribePeak(problem, bounds[Index(p)]));
  }
  return text;
}

}  // namespace tenon::planner
