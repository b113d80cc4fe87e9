#include "planner/heuristics/keep_offsets.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "planner/check/checker.h"
#include "planner/heuristics/gap_placer.h"
#include "planner/heuristics/orders.h"
#include "planner/problem/access_cost.h"
#include "planner/problem/pair_rules.h"
#include "support/check.h"

namespace tenon::planner {
namespace {

// Placing one by one visits all neighbours, which takes too long with more buffers than this.
constexpr size_t kMostBuffers = 20'000;
// After this many rounds, every buffer that lost its previous place goes where the plan has it.
constexpr int kMostRounds = 10;

// Checks placements as a plan that claims nothing else.
bool IsRight(const Problem& problem, const std::vector<Placement>& placements) {
  Plan plan;
  plan.placements = placements;
  plan.pools.resize(problem.pools.size());
  plan.proven_optimal = true;
  for (size_t i = 0; i < placements.size(); ++i) {
    int64_t& size = plan.pools[Index(placements[i].pool)].size;
    size = std::max(size, placements[i].offset + problem.buffers[i].size);
    plan.proven_optimal = plan.proven_optimal && size == 0;
  }
  switch (CheckPlan(problem, plan).fault) {
    case PlanFault::kNone:
    case PlanFault::kCost:
    case PlanFault::kOptimality:
      return true;
    default:
      return false;
  }
}

bool MoreKept(const KeptOffsets& a, const KeptOffsets& b) {
  return a.kept_bytes != b.kept_bytes ? a.kept_bytes > b.kept_bytes : a.kept > b.kept;
}

class Keeper {
 public:
  Keeper(const Problem& problem, const Plan& plan, const PreviousPlacements& previous,
         int64_t work_limit)
      : problem_(problem),
        plan_(plan),
        previous_(previous),
        work_limit_(work_limit),
        work_(Confined(problem, plan)),
        rules_(work_),
        placer_(work_, rules_),
        best_(plan.placements),
        best_kept_(CountKept(problem, plan, previous)) {
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      usable_.push_back(previous[i] && previous[i]->pool == plan.placements[i].pool &&
                        previous[i]->offset >= 0 && previous[i]->offset <= kMaxBytes &&
                        problem.buffers[i].fixed_offset.value_or(previous[i]->offset) ==
                            previous[i]->offset);
    }
    by_size_.resize(problem.buffers.size());
    std::iota(by_size_.begin(), by_size_.end(), 0);
    std::stable_sort(by_size_.begin(), by_size_.end(), [&](int32_t a, int32_t b) {
      return problem.buffers[Index(a)].size > problem.buffers[Index(b)].size;
    });
  }

  std::vector<Placement> Run() {
    for (const std::vector<int32_t>& order : CandidateOrders(work_, rules_, AccessCosts(work_))) {
      for (const Fit fit : {Fit::kFirst, Fit::kBest}) {
        if (!Enough() && Try(order, fit, -1)) {
          best_order_ = order;
          best_fit_ = fit;
        }
      }
    }
    // Try to place a moved buffer first: smaller buffers may then give way to it.
    for (size_t i = 0; i < by_size_.size() && !best_order_.empty() && !Enough(); ++i) {
      const int32_t buffer = by_size_[i];
      if (!usable_[Index(buffer)] || best_[Index(buffer)] == *previous_[Index(buffer)]) continue;
      Try(best_order_, best_fit_, buffer);
    }
    return std::move(best_);
  }

 private:
  enum class Where : uint8_t { kOld, kPlan, kFree };

  // Restricts every buffer to its pool in the plan, and every pool to its size there.
  static Problem Confined(const Problem& problem, const Plan& plan) {
    Problem work = problem;
    for (size_t p = 0; p < work.pools.size(); ++p) work.pools[p].capacity = plan.pools[p].size;
    for (size_t i = 0; i < work.buffers.size(); ++i) {
      work.buffers[i].pools = {plan.placements[i].pool};
    }
    return work;
  }

  bool Enough() const { return best_kept_.moved == 0 || placer_.work() > work_limit_; }

  // Orders `first`, then buffers at the plan's places, at previous places, and without a place.
  std::vector<int32_t> Arrange(const std::vector<int32_t>& order, int32_t first) const {
    std::vector<int32_t> result;
    if (first >= 0) result.push_back(first);
    const auto add = [&](const std::vector<int32_t>& from, Where where) {
      for (const int32_t buffer : from) {
        if (where_[Index(buffer)] == where && buffer != first) result.push_back(buffer);
      }
    };
    add(by_size_, Where::kPlan);
    add(by_size_, Where::kOld);
    add(order, Where::kFree);
    return result;
  }

  void FixOffsets() {
    for (size_t i = 0; i < where_.size(); ++i) {
      std::optional<int64_t>& fixed = work_.buffers[i].fixed_offset;
      fixed = problem_.buffers[i].fixed_offset;
      if (where_[i] == Where::kOld) fixed = previous_[i]->offset;
      if (where_[i] == Where::kPlan) fixed = plan_.placements[i].offset;
    }
  }

  // Gives up previous places that are taken; a buffer without room goes where the plan has it.
  // Returns false if neither helps.
  bool GiveWay(const Layout& layout, int round) {
    bool changed = false;
    for (size_t i = 0; i < where_.size(); ++i) {
      const bool is_late = round >= kMostRounds && where_[i] == Where::kFree;
      if (layout.placements[i].pool >= 0 && !is_late) continue;
      if (where_[i] == Where::kPlan) return false;
      where_[i] = where_[i] == Where::kOld && round < kMostRounds ? Where::kFree : Where::kPlan;
      changed = true;
    }
    return changed;
  }

  bool Try(const std::vector<int32_t>& order, Fit fit, int32_t first) {
    where_.clear();
    for (const bool usable : usable_) where_.push_back(usable ? Where::kOld : Where::kFree);
    for (int round = 0;; ++round) {
      FixOffsets();
      std::optional<Layout> layout =
          placer_.Place(Arrange(order, first), fit, [&] { return placer_.work() > work_limit_; });
      if (!layout) return false;
      if (layout->without_room == 0) return Keep(std::move(layout->placements));
      if (!GiveWay(*layout, round)) return false;
    }
  }

  bool Keep(std::vector<Placement> placements) {
    Plan plan;
    plan.placements = std::move(placements);
    const KeptOffsets kept = CountKept(problem_, plan, previous_);
    if (!MoreKept(kept, best_kept_) || !IsRight(problem_, plan.placements)) return false;
    best_ = std::move(plan.placements);
    best_kept_ = kept;
    return true;
  }

  const Problem& problem_;
  const Plan& plan_;
  const PreviousPlacements& previous_;
  const int64_t work_limit_;
  Problem work_;
  const PairRules rules_;
  GapPlacer placer_;
  std::vector<bool> usable_;
  std::vector<int32_t> by_size_;
  std::vector<Where> where_;
  std::vector<Placement> best_;
  KeptOffsets best_kept_;
  std::vector<int32_t> best_order_;
  Fit best_fit_ = Fit::kFirst;
};

// All previous places, if the plan does not grow; nothing else needs to be tried then.
std::optional<std::vector<Placement>> AllOld(const Problem& problem, const Plan& plan,
                                             const PreviousPlacements& previous) {
  std::vector<Placement> placements;
  for (size_t i = 0; i < previous.size(); ++i) {
    if (!previous[i] || previous[i]->pool != plan.placements[i].pool) return std::nullopt;
    const Placement& placed = *previous[i];
    if (placed.offset < 0 ||
        placed.offset > plan.pools[Index(placed.pool)].size - problem.buffers[i].size) {
      return std::nullopt;
    }
    placements.push_back(placed);
  }
  if (!IsRight(problem, placements)) return std::nullopt;
  return placements;
}

}  // namespace

KeptOffsets CountKept(const Problem& problem, const Plan& plan,
                      const PreviousPlacements& previous) {
  KeptOffsets counts;
  TENON_CHECK(previous.size() == problem.buffers.size() &&
              plan.placements.size() == previous.size());
  for (size_t i = 0; i < previous.size(); ++i) {
    const int64_t size = problem.buffers[i].size;
    if (!previous[i]) {
      ++counts.added;
    } else if (*previous[i] == plan.placements[i]) {
      ++counts.kept;
      counts.kept_bytes += size;
    } else {
      ++counts.moved;
      counts.moved_bytes += size;
    }
  }
  return counts;
}

Plan KeepOffsets(const Problem& problem, const Plan& plan, const PreviousPlacements& previous,
                 int64_t work_limit) {
  Plan result = plan;
  if (CountKept(problem, plan, previous).moved == 0) return result;
  if (std::optional<std::vector<Placement>> all = AllOld(problem, plan, previous)) {
    result.placements = *std::move(all);
  } else if (problem.buffers.size() <= kMostBuffers) {
    result.placements = Keeper(problem, plan, previous, work_limit).Run();
  }
  TENON_CHECK(result.placements.size() == problem.buffers.size());
  for (PoolPlan& pool : result.pools) pool.size = 0;
  for (size_t i = 0; i < result.placements.size(); ++i) {
    int64_t& size = result.pools[Index(result.placements[i].pool)].size;
    size = std::max(size, result.placements[i].offset + problem.buffers[i].size);
  }
  result.proven_optimal =
      result.cost.is_least &&
      std::all_of(result.pools.begin(), result.pools.end(),
                  [](const PoolPlan& pool) { return pool.size == pool.lower_bound.bytes; });
  return result;
}

}  // namespace tenon::planner
