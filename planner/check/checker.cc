#include "planner/check/checker.h"

#include <algorithm>
#include <optional>

#include "fmt/format.h"
#include "planner/check/cost_checker.h"
#include "planner/check/overlap_checker.h"
#include "planner/check/witness_checker.h"

namespace tenon::planner {
namespace {

class Checker {
 public:
  Checker(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {}

  PlanVerdict Run() {
    const absl::Status valid = ValidateProblem(problem_);
    if (!valid.ok()) {
      return {.fault = PlanFault::kProblem, .message = std::string(valid.message())};
    }
    if (plan_.placements.size() != problem_.buffers.size() ||
        plan_.pools.size() != problem_.pools.size()) {
      return {.fault = PlanFault::kCounts,
              .message = fmt::format("{} placements for {} buffers, {} entries for {} pools",
                                     plan_.placements.size(), problem_.buffers.size(),
                                     plan_.pools.size(), problem_.pools.size())};
    }
    PlanVerdict verdict = CheckPlacements();
    if (verdict.ok()) verdict = CheckOverlaps();
    if (verdict.ok()) verdict = CheckRelations();
    if (verdict.ok()) verdict = CheckPools();
    return verdict;
  }

 private:
  const Buffer& BufferAt(int32_t i) const { return problem_.buffers[Index(i)]; }
  int64_t Begin(int32_t i) const { return plan_.placements[Index(i)].offset; }
  int64_t End(int32_t i) const { return plan_.placements[Index(i)].offset + BufferAt(i).size; }

  PlanVerdict Fault(PlanFault fault, int32_t buffer, std::string message) const {
    return {.fault = fault,
            .buffer = buffer,
            .pool = plan_.placements[Index(buffer)].pool,
            .message = fmt::format("buffer `{}` {}", BufferAt(buffer).name, message)};
  }

  PlanVerdict PairFault(PlanFault fault, int32_t a, int32_t b, std::string_view what) const {
    const std::string& pool = problem_.pools[Index(plan_.placements[Index(a)].pool)].name;
    const std::string& other = problem_.pools[Index(plan_.placements[Index(b)].pool)].name;
    return {
        .fault = fault,
        .buffer = a,
        .other = b,
        .pool = plan_.placements[Index(a)].pool,
        .message = fmt::format("buffers `{}` at [{}, {}) of `{}` and `{}` at [{}, {}) of `{}` {}",
                               BufferAt(a).name, Begin(a), End(a), pool, BufferAt(b).name, Begin(b),
                               End(b), other, what)};
  }

  PlanVerdict CheckPlacement(int32_t i) const {
    const Buffer& buffer = BufferAt(i);
    const auto [index, offset] = plan_.placements[Index(i)];
    if (index < 0 || static_cast<size_t>(index) >= problem_.pools.size()) {
      return Fault(PlanFault::kPool, i,
                   fmt::format("is in pool number {}, of {}", index, problem_.pools.size()));
    }
    const Pool& pool = problem_.pools[Index(index)];
    if (std::find(buffer.pools.begin(), buffer.pools.end(), index) == buffer.pools.end()) {
      return Fault(PlanFault::kCandidate, i,
                   fmt::format("is in pool `{}`, which is not one of its candidates", pool.name));
    }
    if (offset < 0) return Fault(PlanFault::kOffset, i, fmt::format("has the offset {}", offset));
    if (offset > kMaxBytes - buffer.size ||
        (pool.capacity != kUnlimited && offset + buffer.size > pool.capacity)) {
      return Fault(
          PlanFault::kCapacity, i,
          fmt::format("has {} bytes at offset {}, but pool `{}` ends at {}", buffer.size, offset,
                      pool.name, pool.capacity == kUnlimited ? kMaxBytes : pool.capacity));
    }
    const int64_t alignment = std::max(buffer.alignment, pool.alignment);
    if ((pool.base_offset + offset) % alignment != 0) {
      return Fault(PlanFault::kAlignment, i,
                   fmt::format("has the address {} in pool `{}`, expected a multiple of {}",
                               pool.base_offset + offset, pool.name, alignment));
    }
    if (buffer.fixed_offset && *buffer.fixed_offset != offset) {
      return Fault(PlanFault::kFixedOffset, i,
                   fmt::format("has the offset {}, expected {}", offset, *buffer.fixed_offset));
    }
    return {};
  }

  PlanVerdict CheckPlacements() const {
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      PlanVerdict verdict = CheckPlacement(static_cast<int32_t>(i));
      if (!verdict.ok()) return verdict;
    }
    return {};
  }

  PlanVerdict CheckOverlaps() const {
    const std::optional<OverlapFound> found = FindOverlap(problem_, plan_.placements);
    if (!found) return {};
    return PairFault(PlanFault::kOverlap, found->first, found->second,
                     fmt::format("both use byte {} at time {}", found->byte, found->time));
  }

  PlanVerdict CheckRelation(const Relation& relation) const {
    const int32_t a = relation.a;
    const int32_t b = relation.b;
    if (plan_.placements[Index(a)].pool != plan_.placements[Index(b)].pool) {
      if (!relation.same_pool) return {};
      return PairFault(PlanFault::kSamePool, a, b, "must be in one pool");
    }
    if (relation.kind == RelationKind::kDisjoint && Begin(a) < End(b) && Begin(b) < End(a) &&
        BufferAt(a).size > 0 && BufferAt(b).size > 0) {
      return PairFault(PlanFault::kDisjoint, a, b, "must not overlap");
    }
    if (relation.kind == RelationKind::kOffsetDifference) {
      const int64_t difference = Begin(b) - Begin(a);
      for (const DifferenceRange& range : relation.allowed) {
        if (range.first <= difference && difference <= range.last) return {};
      }
      return PairFault(PlanFault::kDifference, a, b,
                       fmt::format("have the difference {}, which is not allowed", difference));
    }
    return {};
  }

  PlanVerdict CheckRelations() const {
    for (const Relation& relation : problem_.relations) {
      PlanVerdict verdict = CheckRelation(relation);
      if (!verdict.ok()) return verdict;
    }
    return {};
  }

  PlanVerdict CheckPools() const {
    int32_t on_trust = 0;
    std::vector<int64_t> ends(problem_.pools.size());
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      int64_t& end = ends[Index(plan_.placements[i].pool)];
      end = std::max(end, End(static_cast<int32_t>(i)));
    }
    const std::string cost = RefuseCost(problem_, plan_, &on_trust);
    if (!cost.empty()) return {.fault = PlanFault::kCost, .message = cost};
    bool optimal = plan_.cost.is_least;
    for (size_t p = 0; p < ends.size(); ++p) {
      const PoolPlan& pool = plan_.pools[p];
      const auto index = static_cast<int32_t>(p);
      auto fault = [&](PlanFault kind, const std::string& text) {
        return PlanVerdict{.fault = kind,
                           .pool = index,
                           .message = fmt::format("pool `{}` {}", problem_.pools[p].name, text)};
      };
      if (pool.size != ends[p]) {
        return fault(PlanFault::kPoolSize,
                     fmt::format("has the size {}, but its buffers end at {}", pool.size, ends[p]));
      }
      const std::string reason =
          RefuseWitness(problem_, plan_.placements, index, pool.lower_bound, &on_trust);
      if (!reason.empty()) return fault(PlanFault::kWitness, reason);
      if (pool.lower_bound.bytes > pool.size) {
        return fault(PlanFault::kBound, fmt::format("has the size {} below its lower bound {}",
                                                    pool.size, pool.lower_bound.bytes));
      }
      optimal = optimal && pool.lower_bound.bytes == pool.size;
    }
    if (optimal == plan_.proven_optimal) return {.message = "", .on_trust = on_trust};
    return {.fault = PlanFault::kOptimality,
            .message = fmt::format("the plan is {}proven optimal, but says otherwise",
                                   optimal ? "" : "not ")};
  }

  const Problem& problem_;
  const Plan& plan_;
};

}  // namespace

PlanVerdict CheckPlan(const Problem& problem, const Plan& plan) {
  return Checker(problem, plan).Run();
}

}  // namespace tenon::planner
