// Looks for the smallest changes of sizes after which a problem fits.

#include <algorithm>
#include <utility>

#include "planner/explain/explain.h"
#include "planner/planner.h"
#include "planner/problem/bound.h"

namespace tenon::planner {
namespace {

// A bound costs one unit of work, and a plan more. The number of units falls with the number of
// buffers, within limits.
constexpr int64_t kWorkOfPlan = 8;
constexpr int64_t kMostWork = 1'000'000;
constexpr int64_t kLeastUnits = 3 * kWorkOfPlan;
constexpr int64_t kMostUnits = 60 * kWorkOfPlan;
// The limits on tried pools, and on tried buffers of the peak.
constexpr size_t kMostPools = 8;
constexpr size_t kMostBuffers = 16;
// With more buffers than this, even the one plan that answers the question is a quick one.
constexpr size_t kMostThorough = 10'000;
// With more buffers than this, a plan takes too long: only the bound is reported.
constexpr size_t kMostExplained = 50'000;

class ChangeFinder {
 public:
  ChangeFinder(const Problem& problem, const TryPlan& try_plan, Misfit* misfit)
      : problem_(problem),
        try_plan_(try_plan),
        misfit_(*misfit),
        units_(std::clamp(kMostWork / (static_cast<int64_t>(problem.buffers.size()) + 1),
                          kLeastUnits, kMostUnits)) {}

  std::optional<Plan> Find() {
    const std::vector<int32_t> limited = LimitedPools();
    for (size_t i = 0; i < limited.size() && i < kMostPools; ++i) {
      if (std::optional<Plan> plan = GrowPool(limited[i])) return plan;
    }
    std::stable_sort(misfit_.one_pool.begin(), misfit_.one_pool.end(),
                     [&](const Misfit::Capacity& a, const Misfit::Capacity& b) {
                       return Growth(a) < Growth(b);
                     });
    if (misfit_.one_pool.empty() && !limited.empty()) {
      if (std::optional<Plan> plan = GrowAll(limited)) return plan;
    }
    ShrinkBuffer();
    return std::nullopt;
  }

 private:
  bool Take(int64_t units) {
    units_ -= units;
    return units_ >= 0;
  }

  bool IsSmall() const { return problem_.buffers.size() <= kMostThorough; }

  int64_t Growth(const Misfit::Capacity& change) const {
    return change.bytes - problem_.pools[Index(change.pool)].capacity;
  }

  // Pools with a capacity that buffers may use. The pool that is too small comes first.
  std::vector<int32_t> LimitedPools() const {
    std::vector<bool> used(problem_.pools.size());
    for (const Buffer& buffer : problem_.buffers) {
      for (int32_t p : buffer.pools) used[Index(p)] = true;
    }
    std::vector<int32_t> pools;
    if (misfit_.pool >= 0 && problem_.pools[Index(misfit_.pool)].capacity != kUnlimited)
      pools.push_back(misfit_.pool);
    for (size_t p = 0; p < used.size(); ++p) {
      const auto pool = static_cast<int32_t>(p);
      if (used[p] && problem_.pools[p].capacity != kUnlimited && pool != misfit_.pool)
        pools.push_back(pool);
    }
    return pools;
  }

  // True if no buffer that may be in the pool has another candidate. A plan without the pool's
  // capacity then has the smallest size that was found.
  bool IsAlone(int32_t pool) const {
    return std::all_of(problem_.buffers.begin(), problem_.buffers.end(), [&](const Buffer& buffer) {
      return buffer.pools.size() == 1 ||
             std::find(buffer.pools.begin(), buffer.pools.end(), pool) == buffer.pools.end();
    });
  }

  bool FitsAsItIs(const Plan& plan) const {
    for (size_t p = 0; p < plan.pools.size(); ++p) {
      if (plan.pools[p].size > EffectiveCapacity(problem_.pools[p])) return false;
    }
    return true;
  }

  // Only capacities that were tried count. Heuristics may fail in less room, even if the plan that
  // they found in more room would fit.
  std::optional<Plan> GrowPool(int32_t pool) {
    if (!Take(kWorkOfPlan)) return std::nullopt;
    const bool alone = IsAlone(pool);
    Problem changed = problem_;
    Pool& changed_pool = changed.pools[Index(pool)];
    changed_pool.capacity = kUnlimited;
    absl::StatusOr<Plan> plan = try_plan_(changed, alone && IsSmall());
    if (!plan.ok()) return std::nullopt;
    if (FitsAsItIs(*plan)) return *std::move(plan);
    // Capacities up to `proven` are proven too small; none up to `refuted` is known to suffice.
    const int64_t now = problem_.pools[Index(pool)].capacity;
    const LowerBound& bound = plan->pools[Index(pool)].lower_bound;
    int64_t proven = bound.of_choice ? 0 : bound.bytes - 1;
    if (IsProven()) proven = std::max(proven, now);
    int64_t refuted = std::max(proven, now);
    int64_t enough = kMaxBytes;
    int64_t next = plan->pools[Index(pool)].size;
    const int64_t least_found = next;
    while (enough - refuted > 1 && !(alone && enough == least_found) && Take(kWorkOfPlan)) {
      changed_pool.capacity = next;
      plan = try_plan_(changed, alone && IsSmall());
      if (plan.ok()) {
        if (FitsAsItIs(*plan)) return *std::move(plan);
        enough = next;
        next = std::min(next, plan->pools[Index(pool)].size);
      } else {
        refuted = std::max(refuted, next);
        if (IsProvenInfeasible(plan.status())) proven = std::max(proven, next);
      }
      if (enough == kMaxBytes) {
        next = std::min(kMaxBytes - 1, refuted + refuted / 8 + 16);
      } else if (next <= refuted || next >= enough) {
        next = refuted + (enough - refuted) / 2;
      }
    }
    if (enough < kMaxBytes) misfit_.one_pool.push_back({pool, enough, proven >= enough - 1});
    return std::nullopt;
  }

  // True if it is proven that the problem does not fit.
  bool IsProven() const {
    return misfit_.pool >= 0 || misfit_.buffer_is_too_large || misfit_.nothing_fits;
  }

  std::optional<Plan> GrowAll(const std::vector<int32_t>& limited) {
    if (!Take(kWorkOfPlan)) return std::nullopt;
    Problem changed = problem_;
    for (int32_t pool : limited) changed.pools[Index(pool)].capacity = kUnlimited;
    absl::StatusOr<Plan> plan = try_plan_(changed, IsSmall());
    if (!plan.ok()) return std::nullopt;
    if (FitsAsItIs(*plan)) return *std::move(plan);
    std::vector<Misfit::Capacity> changes;
    for (int32_t pool : limited) {
      const int64_t size = plan->pools[Index(pool)].size;
      changed.pools[Index(pool)].capacity = std::max(size, problem_.pools[Index(pool)].capacity);
      if (size > problem_.pools[Index(pool)].capacity) changes.push_back({pool, size, false});
    }
    if (try_plan_(changed, IsSmall()).ok()) misfit_.all_pools = std::move(changes);
    return std::nullopt;
  }

  Problem WithShrunk(int32_t index, int64_t bytes) const {
    Problem changed = problem_;
    Buffer& buffer = changed.buffers[Index(index)];
    buffer.size -= bytes;
    for (GapWindow& gap : buffer.gaps) {
      gap.end_byte = std::min(gap.end_byte, buffer.size);
      gap.first_byte = std::min(gap.first_byte, gap.end_byte);
    }
    return changed;
  }
  bool BoundsFit(int32_t index, int64_t bytes) {
    if (!Take(1)) return false;
    const Problem changed = WithShrunk(index, bytes);
    return !FindMisfit(changed, ComputeLowerBounds(changed));
  }

  // Finds the buffer at the peak with the smallest sufficient reduction; ties go to the largest
  // buffer.
  void ShrinkBuffer() {
    if (!IsProven() || misfit_.bound.kind == BoundKind::kSearch) return;
    std::vector<int32_t> candidates = misfit_.bound.live;
    if (misfit_.buffer_is_too_large) candidates = {*misfit_.buffer};
    std::stable_sort(candidates.begin(), candidates.end(), [&](int32_t a, int32_t b) {
      return problem_.buffers[Index(a)].size > problem_.buffers[Index(b)].size;
    });
    if (candidates.size() > kMostBuffers) candidates.resize(kMostBuffers);
    std::optional<Misfit::Shrink> best;
    for (int32_t candidate : candidates) {
      int64_t enough = problem_.buffers[Index(candidate)].size;
      if (best) enough = std::min(enough, best->bytes - 1);
      if (enough <= 0 || !BoundsFit(candidate, enough)) continue;
      int64_t refuted = 0;
      while (enough - refuted > 1 && units_ > 0) {
        const int64_t middle = refuted + (enough - refuted) / 2;
        (BoundsFit(candidate, middle) ? enough : refuted) = middle;
      }
      best = Misfit::Shrink{candidate, enough, false};
    }
    if (!best) return;
    best->has_plan = try_plan_(WithShrunk(best->buffer, best->bytes), false).ok();
    misfit_.one_buffer = best;
  }

  const Problem& problem_;
  const TryPlan& try_plan_;
  Misfit& misfit_;
  int64_t units_;
};

}  // namespace

std::optional<Plan> FindChanges(const Problem& problem, const TryPlan& try_plan, Misfit* misfit) {
  if (problem.buffers.size() > kMostExplained) return std::nullopt;
  return ChangeFinder(problem, try_plan, misfit).Find();
}

}  // namespace tenon::planner
