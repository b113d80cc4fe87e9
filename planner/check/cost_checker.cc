#include "planner/check/cost_checker.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fmt/format.h"

namespace tenon::planner {
namespace {

using Cost = std::pair<int64_t, int64_t>;

int64_t UpTo(__int128 value) { return value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value); }

// The cycles to move `bytes` over a bus of that width.
int64_t BusCycles(int64_t bytes, int64_t width, int64_t latency) {
  const int64_t transfers = bytes / width + (bytes % width != 0 ? 1 : 0);
  return UpTo(__int128{transfers} * (__int128{latency} + 1));
}

/// Nullopt if a figure is unknown that the accesses need.
std::optional<int64_t> AccessTime(const Buffer& buffer, const PoolCost& cost) {
  int64_t read = buffer.bytes_read;
  int64_t written = buffer.bytes_written;
  if (read <= 0 && written <= 0) {
    read = buffer.size;
    written = buffer.kind == BufferKind::kConstant ? 0 : buffer.size;
  }
  if (cost.clock_hz <= 0 || (read > 0 && cost.read_bytes_per_cycle <= 0) ||
      (written > 0 && cost.write_bytes_per_cycle <= 0))
    return std::nullopt;
  __int128 cycles = 0;
  if (read > 0) cycles += BusCycles(read, cost.read_bytes_per_cycle, cost.read_latency_cycles);
  if (written > 0)
    cycles += BusCycles(written, cost.write_bytes_per_cycle, cost.write_latency_cycles);
  return UpTo(cycles * 1'000'000'000'000 / cost.clock_hz);
}

// The cost in candidate number `place`.
Cost CostIn(const Problem& problem, const Buffer& buffer, size_t place) {
  bool all_known = true;
  for (int32_t pool : buffer.pools) {
    if (!AccessTime(buffer, problem.pools[Index(pool)].cost)) all_known = false;
  }
  const PoolCost& cost = problem.pools[Index(buffer.pools[place])].cost;
  return {all_known ? *AccessTime(buffer, cost) : 0,
          UpTo(__int128{buffer.size} * static_cast<int64_t>(place))};
}

}  // namespace

std::string RefuseCost(const Problem& problem, const Plan& plan, int32_t* on_trust) {
  Cost sum;
  Cost least;
  bool all_best = true;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    Cost paid;
    Cost best = {INT64_MAX, INT64_MAX};
    for (size_t place = 0; place < buffer.pools.size(); ++place) {
      const Pool& pool = problem.pools[Index(buffer.pools[place])];
      const Cost cost = CostIn(problem, buffer, place);
      if (buffer.pools[place] == plan.placements[i].pool) paid = cost;
      if (pool.capacity == kUnlimited || buffer.size <= pool.capacity) best = std::min(best, cost);
    }
    all_best = all_best && paid == best;
    if (best.first < INT64_MAX)
      least = {UpTo(__int128{least.first} + best.first),
               UpTo(__int128{least.second} + best.second)};
    sum = {UpTo(__int128{sum.first} + paid.first), UpTo(__int128{sum.second} + paid.second)};
  }
  if (sum != Cost{plan.cost.picoseconds, plan.cost.spilled}) {
    return fmt::format(
        "the plan has the cost {} ps and {} bytes spilled, but its pools cost {} ps and {} bytes",
        plan.cost.picoseconds, plan.cost.spilled, sum.first, sum.second);
  }
  if (all_best && !plan.cost.is_least) {
    return "the plan does not say that its cost is the least, but no pool is better for any buffer";
  }
  const Cost bound = {plan.cost.bound_picoseconds, plan.cost.bound_spilled};
  if (bound > sum) {
    return fmt::format(
        "the plan costs {} ps and {} bytes spilled, less than its bound of {} ps and {} bytes",
        sum.first, sum.second, bound.first, bound.second);
  }
  if (!plan.cost.is_least && bound > least) ++*on_trust;
  if (plan.cost.is_least && !all_best) ++*on_trust;
  return "";
}

}  // namespace tenon::planner
