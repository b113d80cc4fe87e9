#include "planner/explain/spill.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "planner/problem/access_cost.h"
#include "planner/problem/bound.h"
#include "support/check.h"

namespace tenon::planner {
namespace {

int64_t Sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

Problem WithoutCapacities(const Problem& problem) {
  Problem open = problem;
  for (Pool& pool : open.pools) pool.capacity = kUnlimited;
  return open;
}

/// The bytes that leave a pool with a buffer at most, as lower bounds count them.
int64_t RoundedSize(const Buffer& buffer, const Pool& pool) {
  return AlignOffset(buffer.size, EffectiveAlignment(buffer, pool), 0);
}

/// The least bytes of buffers that must leave a pool so that the others, live at the same time,
/// fit. A share of a buffer may also leave, which makes the result smaller, but at least one buffer
/// leaves as a whole.
int64_t LeastLeaving(const Problem& problem, const AccessCosts& costs, const Pool& pool,
                     const LowerBound& bound) {
  int64_t excess = bound.bytes - EffectiveCapacity(pool);
  if (excess <= 0) return 0;
  struct Part {
    int64_t size = 0;
    int64_t rounded = 0;
  };
  std::vector<Part> parts;
  int64_t smallest = INT64_MAX;
  for (const int32_t i : bound.live) {
    const Buffer& buffer = problem.buffers[Index(i)];
    if (costs.ChoicesOf(i).size() < 2 || buffer.size == 0) continue;
    parts.push_back({buffer.size, RoundedSize(buffer, pool)});
    smallest = std::min(smallest, buffer.size);
  }
  if (parts.empty()) return 0;
  // Buffers with most padding free most for their bytes.
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return __int128{a.size} * b.rounded < __int128{b.size} * a.rounded;
  });
  int64_t bytes = 0;
  for (const Part& part : parts) {
    if (excess <= 0) break;
    const int64_t taken = std::min(excess, part.rounded);
    bytes = Sum(bytes, static_cast<int64_t>(__int128{part.size} * taken / part.rounded));
    excess -= taken;
  }
  return std::max(bytes, smallest);
}

/// True if the least cost means the fewest bytes: no candidate's time is known, and each buffer has
/// at most one other pool.
bool CountsBytes(const Problem& problem, const AccessCosts& costs) {
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (problem.buffers[i].pools.size() > 2) return false;
    for (const AccessCosts::Choice& choice : costs.ChoicesOf(static_cast<int32_t>(i))) {
      if (choice.price.picoseconds > 0) return false;
    }
  }
  return true;
}

}  // namespace

int64_t Spill::buffers() const {
  int64_t sum = 0;
  for (const Move& move : moves) sum += move.buffers;
  return sum;
}

int64_t Spill::bytes() const {
  int64_t sum = 0;
  for (const Move& move : moves) sum = Sum(sum, move.bytes);
  return sum;
}

int64_t CostGapMillionths(const PlanCost& cost) {
  const double percent = CostGapPercent(cost);
  if (!std::isfinite(percent) || percent > 1e12) return -1;
  return static_cast<int64_t>(std::ceil(percent * 1e4));
}

Spill SpillOf(const Problem& problem, const Plan& plan) {
  TENON_CHECK(plan.placements.size() == problem.buffers.size());
  Spill spill;
  Problem open = WithoutCapacities(problem);
  const AccessCosts wishes(open);
  std::map<std::pair<int32_t, int32_t>, Spill::Move> moves;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const AccessCosts::Choices& choices = wishes.ChoicesOf(static_cast<int32_t>(i));
    const int32_t to = plan.placements[i].pool;
    if (choices.empty() || choices[0].pool == to) continue;
    Spill::Move& move = moves[{choices[0].pool, to}];
    move.from = choices[0].pool;
    move.to = to;
    ++move.buffers;
    move.bytes = Sum(move.bytes, problem.buffers[i].size);
  }
  if (moves.empty()) return spill;
  for (const auto& [pools, move] : moves) spill.moves.push_back(move);
  const AccessCosts costs(problem);
  if (plan.cost.is_least && CountsBytes(problem, wishes)) {
    spill.bound_bytes = spill.bytes();
    return spill;
  }
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    Buffer& buffer = open.buffers[i];
    const int32_t best = wishes.ChoicesOf(static_cast<int32_t>(i))[0].pool;
    if (buffer.size > EffectiveCapacity(problem.pools[Index(best)])) {
      spill.bound_bytes = Sum(spill.bound_bytes, buffer.size);
      // It counts in no pool.
      buffer.size = 0;
    }
    buffer.pools = {best};
  }
  const std::vector<LowerBound> bounds = ComputeLowerBounds(open);
  for (size_t p = 0; p < bounds.size(); ++p) {
    spill.bound_bytes =
        Sum(spill.bound_bytes, LeastLeaving(problem, costs, problem.pools[p], bounds[p]));
  }
  return spill;
}

}  // namespace tenon::planner
