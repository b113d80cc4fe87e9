#include "planner/explain/explain.h"

#include <algorithm>

#include "fmt/format.h"
#include "planner/explain/contradiction.h"

namespace tenon::planner {
namespace {

// Longer lists are cut; the plan's report has the full lists.
constexpr size_t kMostNamedBuffers = 16;
constexpr size_t kMostNamedConstants = 5;
constexpr size_t kMostNamedPools = 3;

// "`a` (10 bytes), `b` (5 bytes)", the largest first.
std::string NameLive(const Problem& problem, const LowerBound& bound, size_t most) {
  std::vector<int32_t> live = bound.live;
  std::stable_sort(live.begin(), live.end(), [&](int32_t a, int32_t b) {
    return problem.buffers[Index(a)].size > problem.buffers[Index(b)].size;
  });
  std::string text;
  for (size_t i = 0; i < live.size() && i < most; ++i) {
    const Buffer& buffer = problem.buffers[Index(live[i])];
    text += fmt::format("{}`{}` ({} bytes)", i == 0 ? "" : ", ", buffer.name, buffer.size);
  }
  if (live.size() > most) text += fmt::format(" and {} more", live.size() - most);
  return text;
}

// "the buffers live at time 5: `a` (10 bytes), `b` (5 bytes)". Constants are live at all times.
std::string DescribePeak(const Problem& problem, const LowerBound& bound) {
  const bool constants = std::all_of(bound.live.begin(), bound.live.end(), [&](int32_t buffer) {
    return problem.buffers[Index(buffer)].kind == BufferKind::kConstant;
  });
  std::string when = " that conflict with each other";
  if (bound.kind == BoundKind::kSearch) {
    when = " (by exhaustive search)";
  } else if (constants) {
    when.clear();
  } else if (bound.time) {
    when = fmt::format(" that are live at time {}", *bound.time);
  }
  return fmt::format("the {}{}: {}", constants ? "constants" : "buffers", when,
                     NameLive(problem, bound, constants ? kMostNamedConstants : kMostNamedBuffers));
}

// The first of the largest candidates of a buffer.
int32_t LargestPool(const Problem& problem, const Buffer& buffer) {
  return *std::max_element(buffer.pools.begin(), buffer.pools.end(), [&](int32_t a, int32_t b) {
    return EffectiveCapacity(problem.pools[Index(a)]) < EffectiveCapacity(problem.pools[Index(b)]);
  });
}

std::string DescribeLargeBuffer(const Problem& problem, const Buffer& buffer) {
  const Pool& pool = problem.pools[Index(LargestPool(problem, buffer))];
  const int64_t capacity = EffectiveCapacity(pool);
  return fmt::format(
      "does not fit: buffer `{}` needs {} bytes ({} more than its largest candidate, pool `{}` of "
      "{} bytes)",
      buffer.name, buffer.size, buffer.size - capacity, pool.name, capacity);
}

std::string DescribeSmallPool(const Problem& problem, const Misfit& misfit) {
  const Pool& pool = problem.pools[Index(misfit.pool)];
  const std::string peak = DescribePeak(problem, misfit.bound);
  if (pool.capacity == kUnlimited && misfit.bound.bytes > kMaxBytes) {
    return fmt::format(
        "does not fit: pool `{}` needs more than 2^62-1 bytes, the most there can be, for "
        "{}",
        pool.name, peak);
  }
  if (pool.capacity == kUnlimited) {
    return fmt::format("does not fit: the relations leave no place in pool `{}` for {}", pool.name,
                       peak);
  }
  return fmt::format("does not fit: pool `{}` has {} bytes, but needs at least {} ({} more) for {}",
                     pool.name, pool.capacity, misfit.bound.bytes,
                     misfit.bound.bytes - pool.capacity, peak);
}

std::string DescribeNoRoom(const Problem& problem, std::string_view algorithm,
                           const std::vector<LowerBound>& bounds, int32_t buffer, bool proven) {
  const Buffer& b = problem.buffers[Index(buffer)];
  std::string text =
      proven
          ? fmt::format(
                "does not fit: no choice among the pools leaves room for all buffers, "
                "first for `{}` ({} bytes)",
                b.name, b.size)
          : fmt::format("{} found no room for buffer `{}` ({} bytes)", algorithm, b.name, b.size);
  for (int32_t p : b.pools) {
    if (bounds[Index(p)].live.empty()) continue;
    text += fmt::format("; pool `{}` needs at least {} bytes for {}", problem.pools[Index(p)].name,
                        bounds[Index(p)].bytes, DescribePeak(problem, bounds[Index(p)]));
  }
  return text;
}

// "466 bytes in pool `ws`, 425 more"
std::string DescribeCapacity(const Problem& problem, const Misfit::Capacity& change) {
  const Pool& pool = problem.pools[Index(change.pool)];
  return fmt::format("{} bytes in pool `{}` ({} more{})", change.bytes, pool.name,
                     change.bytes - EffectiveCapacity(pool),
                     change.is_least ? ", the least possible" : "");
}

std::string DescribeChanges(const Problem& problem, const Misfit& misfit) {
  std::string text;
  const bool together = misfit.one_pool.empty();
  const std::vector<Misfit::Capacity>& pools = together ? misfit.all_pools : misfit.one_pool;
  const size_t shown = together ? pools.size() : std::min(pools.size(), kMostNamedPools);
  for (size_t i = 0; i < shown; ++i) {
    text += i == 0 ? "; it fits with " : together ? ", together with " : ", or with ";
    text += DescribeCapacity(problem, pools[i]);
  }
  if (const std::optional<Misfit::Shrink>& shrink = misfit.one_buffer) {
    const std::string what =
        fmt::format("`{}` smaller by {} {}", problem.buffers[Index(shrink->buffer)].name,
                    shrink->bytes, shrink->bytes == 1 ? "byte" : "bytes");
    if (!shrink->has_plan) {
      text += fmt::format("; with {} the lower bounds fit, but no plan is known", what);
    } else {
      text += fmt::format("{}{}", pools.empty() ? "; it fits with " : ", or with ", what);
    }
  }
  return text;
}

}  // namespace

std::optional<Misfit> FindMisfit(const Problem& problem, const std::vector<LowerBound>& bounds) {
  Misfit misfit;
  int64_t most_missing = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    const Pool& largest = problem.pools[Index(LargestPool(problem, buffer))];
    const int64_t missing = buffer.size - EffectiveCapacity(largest);
    if (missing <= most_missing) continue;
    most_missing = missing;
    misfit.buffer = static_cast<int32_t>(i);
    misfit.buffer_is_too_large = true;
  }
  if (misfit.buffer) return misfit;
  for (size_t p = 0; p < bounds.size(); ++p) {
    if (bounds[p].bytes <= EffectiveCapacity(problem.pools[p])) continue;
    misfit.pool = static_cast<int32_t>(p);
    misfit.bound = bounds[p];
    return misfit;
  }
  return std::nullopt;
}

std::string DescribeMisfit(const Problem& problem, std::string_view algorithm,
                           const std::vector<LowerBound>& bounds, const Misfit& misfit) {
  std::string text;
  if (misfit.contradiction) return DescribeContradiction(problem, *misfit.contradiction);
  if (misfit.buffer_is_too_large) {
    text = DescribeLargeBuffer(problem, problem.buffers[Index(*misfit.buffer)]);
  } else if (misfit.pool >= 0) {
    text = DescribeSmallPool(problem, misfit);
  } else {
    text = DescribeNoRoom(problem, algorithm, bounds, *misfit.buffer, misfit.nothing_fits);
  }
  return text + DescribeChanges(problem, misfit);
}

}  // namespace tenon::planner
