// Bounds, heuristics, then exact search, for each pool and each part.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "planner/algorithms.h"
#include "planner/exact/fix_related.h"
#include "planner/exact/many_fit.h"
#include "planner/exact/pool_choice.h"
#include "planner/exact/pool_optimizer.h"
#include "planner/exact/summed_choice.h"
#include "planner/heuristics/ejection_search.h"
#include "planner/methods.h"
#include "planner/problem/access_cost.h"
#include "planner/problem/bound.h"
#include "support/check.h"
#include "support/status_macros.h"

namespace tenon::planner {
namespace {

// Limits on heuristic steps before exact search, in total and for each buffer: enough for all
// orders and a few moves.
constexpr int64_t kQuickWork = 600'000;
constexpr int64_t kQuickWorkEach = 500;

bool CanBeIn(const Problem& problem, const Buffer& buffer, int32_t pool) {
  return buffer.size <= EffectiveCapacity(problem.pools[Index(pool)]);
}

// For each pool the buffers without another candidate; `alone` is true if no others can be in it.
struct Members {
  std::vector<std::vector<int32_t>> of_pool;
  std::vector<bool> alone;
};

Members FindMembers(const Problem& problem) {
  Members members;
  members.of_pool.resize(problem.pools.size());
  members.alone.assign(problem.pools.size(), true);
  std::vector<int32_t> home(problem.buffers.size(), -1);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    std::vector<int32_t> possible;
    for (int32_t pool : problem.buffers[i].pools) {
      if (CanBeIn(problem, problem.buffers[i], pool)) possible.push_back(pool);
    }
    if (possible.size() == 1) {
      home[i] = possible[0];
      members.of_pool[Index(home[i])].push_back(static_cast<int32_t>(i));
    } else {
      for (int32_t pool : possible) members.alone[Index(pool)] = false;
    }
  }
  for (const Relation& relation : problem.relations) {
    const int32_t a = home[Index(relation.a)];
    const int32_t b = home[Index(relation.b)];
    if (!relation.same_pool || a == b) continue;
    if (a >= 0) members.alone[Index(a)] = false;
    if (b >= 0) members.alone[Index(b)] = false;
  }
  return members;
}

// Puts all buffers of a single pool side by side in order, if the result meets the bound. Buffers
// that are all live together need no search, however many there are.
std::optional<Attempt> PileUp(const Problem& problem, const std::vector<LowerBound>& bounds) {
  if (problem.pools.size() != 1 || !problem.relations.empty()) return std::nullopt;
  TENON_CHECK(bounds.size() == 1);
  const Pool& pool = problem.pools[0];
  Attempt attempt;
  int64_t end = 0;
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.fixed_offset) return std::nullopt;
    const int64_t offset = AlignOffset(end, EffectiveAlignment(buffer, pool), pool.base_offset);
    if (offset > bounds[0].bytes - buffer.size) return std::nullopt;
    attempt.placements.push_back({0, offset});
    if (buffer.size > 0) end = offset + buffer.size;
  }
  attempt.found_by = {kSideBySide};
  return attempt;
}

class Optimizer {
 public:
  Optimizer(const Problem& problem, const std::vector<LowerBound>& bounds,
            const PlanOptions& options)
      : problem_(problem), bounds_(bounds), options_(options), rules_(problem), budget_(options) {
    const auto count = static_cast<int64_t>(problem.buffers.size());
    if (is_many_) return;
    const int64_t pairs = count * count;
    affords_others_ = budget_.Affords(std::min({options.work_limit, kGapFitWork, kMoves * pairs}));
    affords_hill_climb_ =
        budget_.Affords(std::min(options.hill_climb_attempts, INT64_MAX / (pairs + 1)) * pairs);
  }

  absl::StatusOr<Attempt> Run() {
    PlanOptions quick = options_;
    const auto count = static_cast<int64_t>(problem_.buffers.size());
    if (problem_.buffers.size() <= kFewBuffers) {
      quick.work_limit = std::min({options_.work_limit, kQuickWork, kQuickWorkEach * count});
    }
    if (problem_.buffers.size() > kFewBuffers) {
      if (std::optional<Attempt> many = TryMany()) return *std::move(many);
      if (const std::optional<Problem> fixed = FixRelated(problem_, options_, &budget_)) {
        std::optional<Attempt> many = Optimizer(*fixed, bounds_, options_).TryMany();
        if (many && !many->no_room_for) return *std::move(many);
      }
    }
    absl::StatusOr<Attempt> attempt =
        GapFit(problem_, bounds_, Fit::kEither, quick, &budget_, is_many_);
    if (!attempt.ok() || attempt->stopped || MeetsBounds(*attempt)) return attempt;
    MakePools();
    return Improve(*std::move(attempt));
  }

 private:
  bool MeetsBounds(const Attempt& attempt) const {
    if (attempt.no_room_for) return false;
    for (size_t i = 0; i < attempt.placements.size(); ++i) {
      const Placement& placed = attempt.placements[i];
      if (placed.offset + problem_.buffers[i].size > bounds_[Index(placed.pool)].bytes)
        return false;
    }
    return true;
  }

  // Plans more buffers than exact search can handle at once, if lifetimes are their only rules.
  std::optional<Attempt> TryMany() {
    const Members members = FindMembers(problem_);
    Attempt attempt;
    attempt.placements.resize(problem_.buffers.size());
    for (size_t p = 0; p < problem_.pools.size(); ++p) {
      if (!members.alone[p] ||
          !Boxes::Suits(problem_, rules_, static_cast<int32_t>(p), members.of_pool[p])) {
        return std::nullopt;
      }
    }
    for (size_t p = 0; p < problem_.pools.size(); ++p) {
      const auto pool = static_cast<int32_t>(p);
      const std::vector<int32_t>& own = members.of_pool[p];
      const Boxes boxes(problem_, rules_, pool, own);
      const int64_t capacity = EffectiveCapacity(problem_.pools[p]);
      const bool limited = problem_.pools[p].capacity != kUnlimited;
      const auto progress = [&](int64_t peak) {
        if (options_.progress) options_.progress(peak, bounds_[p].bytes);
      };
      const int64_t goal = limited ? capacity : bounds_[p].bytes;
      const bool rebuilds = budget_.Affords(EjectionSearch::ItemsToRebuild(boxes));
      ManyFitResult found =
          ManyFit({problem_, rules_, pool, own, boxes}, goal, rebuilds, &budget_, progress);
      Refine({problem_, rules_, pool, own, boxes}, goal, rebuilds, progress, &found);
      TENON_CHECK(found.offsets.size() == own.size());
      for (size_t i = 0; i < found.offsets.size(); ++i) {
        attempt.placements[Index(own[i])] = {pool, found.offsets[i]};
        const bool fits = found.offsets[i] <= capacity - problem_.buffers[Index(own[i])].size;
        if (!fits && !attempt.no_room_for) attempt.no_room_for = own[i];
      }
      attempt.found_by.push_back(found.found_by);
    }
    return attempt;
  }

  // Ejection search, then the other algorithms, then ejection search from the best result.
  void Refine(const CoreProblem& core, int64_t goal, bool rebuilds,
              const std::function<void(int64_t)>& progress, ManyFitResult* found) {
    const Boxes& boxes = core.boxes;
    if (boxes.Peak(found->offsets) <= goal || budget_.Spent()) return;
    const bool affords_others = budget_.Affords(kGapFitCost * boxes.Meetings());
    EjectionSearch search(boxes, found->offsets, &budget_);
    const auto keep = [&] { Offer(search.offsets(), kEjectionSearch, boxes, progress, found); };
    const bool is_timed = options_.time_limit.has_value();
    const auto leave = [&](double part) { return is_timed ? budget_.SecondsLeft() * part : 0; };
    const bool pays = boxes.size() <= kQuickPass || search.peak() - goal > goal / kFarPart;
    if (search.has_contacts() && pays && search.Build(goal)) keep();
    if (rebuilds) {
      search.RebuildCloseTo(goal, budget_.used() + budget_.left() / 4 * 3, leave(0.5), keep);
    }
    search.RunUntil(goal, budget_.used() + budget_.left() / 4, leave(1 - kShareBefore), keep);
    if (affords_others) TryOthersForMany(core.members, boxes, goal, progress, found);
    search.Start(found->offsets);
    search.RunUntil(goal, INT64_MAX, 0, keep);
  }

  // Keeps the offsets if they are better than the best so far.
  static void Offer(std::vector<int64_t> offsets, std::string_view found_by, const Boxes& boxes,
                    const std::function<void(int64_t)>& progress, ManyFitResult* found) {
    if (offsets.empty() || boxes.Peak(offsets) >= boxes.Peak(found->offsets)) return;
    *found = {std::move(offsets), found_by};
    progress(boxes.Peak(found->offsets));
  }

  // Tries the other algorithms, each with a share of the limits.
  void TryOthersForMany(const std::vector<int32_t>& own, const Boxes& boxes, int64_t goal,
                        const std::function<void(int64_t)>& progress, ManyFitResult* found) {
    const bool is_timed = options_.time_limit && options_.node_limit == INT64_MAX;
    PlanOptions share = options_;
    if (!is_timed) share.work_limit = std::min(options_.work_limit, kManyGapFitWork);
    for (const Fit fit : {Fit::kBest, Fit::kFirst}) {
      if (boxes.Peak(found->offsets) <= goal || budget_.Stopped()) return;
      if (is_timed) {
        share.time_limit = budget_.SecondsLeft() * kShareOfOthers;
      } else if (options_.time_limit) {
        share.time_limit = budget_.SecondsLeft();
      }
      SearchBudget budget(share);
      const absl::StatusOr<Attempt> other = GapFit(problem_, bounds_, fit, share, &budget);
      if (!other.ok() || other->stopped || other->no_room_for) continue;
      std::vector<int64_t> offsets;
      for (int32_t i : own) offsets.push_back(other->placements[Index(i)].offset);
      Offer(std::move(offsets), other->found_by[0], boxes, progress, found);
    }
  }

  void MakePools() {
    const Members members = FindMembers(problem_);
    for (size_t p = 0; p < problem_.pools.size(); ++p) {
      if (!members.alone[p]) complete_ = false;
      if (!members.alone[p] || members.of_pool[p].empty()) continue;
      pools_.push_back(std::make_unique<PoolOptimizer>(problem_, rules_, static_cast<int32_t>(p),
                                                       members.of_pool[p], bounds_[p], options_,
                                                       &budget_));
      pool_numbers_.push_back(p);
      complete_ = complete_ && pools_.back()->complete();
    }
  }

  absl::StatusOr<Attempt> Improve(Attempt attempt) {
    StartPools(attempt);
    for (const auto& pool : pools_) {
      if (!pool->infeasible()) pool->RunFirst();
    }
    const bool is_done =
        std::all_of(pools_.begin(), pools_.end(), [](const auto& pool) { return pool->Done(); });
    if (!complete_ || !is_done) TryOthers(&attempt);
    attempt.bounds = bounds_;
    for (size_t i = 0; i < pools_.size(); ++i) {
      pools_[i]->RunRest();
      LowerBound& bound = attempt.bounds[pool_numbers_[i]];
      bound = pools_[i]->Bound();
      if (pools_[i]->infeasible()) {
        attempt.refused_pool = static_cast<int32_t>(pool_numbers_[i]);
        return attempt;
      }
    }
    if (!complete_ && !is_many_ && !budget_.Spent()) {
      Replace(GapFit(problem_, bounds_, Fit::kEither, options_, &budget_, true), &attempt);
    }
    for (size_t i = 0; i < pools_.size(); ++i) {
      pools_[i]->Finish(&attempt.placements);
      attempt.found_by[pool_numbers_[i]] = pools_[i]->found_by();
    }
    attempt.no_room_for.reset();
    for (size_t i = 0; i < attempt.placements.size(); ++i) {
      if (attempt.placements[i].pool >= 0) continue;
      attempt.no_room_for = static_cast<int32_t>(i);
      break;
    }
    return attempt;
  }

  void StartPools(const Attempt& attempt) {
    for (size_t i = 0; i < pools_.size(); ++i) {
      pools_[i]->Start(attempt.placements, attempt.found_by[pool_numbers_[i]]);
    }
  }

  int64_t Size(const Attempt& attempt) const {
    std::vector<int64_t> sizes(problem_.pools.size());
    for (size_t i = 0; i < attempt.placements.size(); ++i) {
      const Placement& placed = attempt.placements[i];
      int64_t& size = sizes[Index(placed.pool)];
      size = std::max(size, placed.offset + problem_.buffers[i].size);
    }
    int64_t sum = 0;
    for (const int64_t size : sizes) {
      if (__builtin_add_overflow(sum, size, &sum)) return INT64_MAX;
    }
    return sum;
  }

  // Takes `other` as a whole if it is better, and for each optimized pool the parts that are
  // better.
  void Replace(const absl::StatusOr<Attempt>& other, Attempt* attempt) {
    if (!other.ok() || other->stopped || other->no_room_for) return;
    if (attempt->no_room_for || Size(*other) < Size(*attempt)) {
      attempt->placements = other->placements;
      attempt->no_room_for.reset();
      attempt->found_by = other->found_by;
    }
    StartPools(*other);
  }

  // Tries the algorithms that users can select, so that none of them finds a smaller plan.
  void TryOthers(Attempt* attempt) {
    if (is_many_) return;
    if (affords_others_ || !complete_) {
      Replace(GapFit(problem_, bounds_, Fit::kEither, options_, &budget_), attempt);
    }
    if (!affords_others_ || budget_.Stopped()) return;
    Replace(GapFit(problem_, bounds_, Fit::kBest, options_, &budget_), attempt);
    const auto try_tvm = [&](std::string_view name, absl::StatusOr<Attempt> other) {
      if (other.ok()) other->found_by.assign(problem_.pools.size(), name);
      Replace(other, attempt);
    };
    try_tvm("greedy_by_size", GreedyBySize(problem_, options_));
    try_tvm("greedy_by_conflicts", GreedyByConflicts(problem_, options_));
    if (affords_hill_climb_ && !budget_.Stopped()) {
      try_tvm("hill_climb", HillClimb(problem_, options_));
    }
  }

  // The limits on first-fit's steps and moves.
  static constexpr int64_t kGapFitWork = 40'000'000;
  static constexpr int64_t kMoves = 4000;
  // First-fit's steps per overlapping pair among very many buffers, and the limit on its visits
  // there.
  static constexpr int64_t kGapFitCost = 1;
  static constexpr int64_t kManyGapFitWork = 1'000'000;
  // More boxes than this are rebuilt only if the peak exceeds the goal by more than this part.
  static constexpr size_t kQuickPass = 32'768;
  static constexpr int64_t kFarPart = 100;
  // Shares of the remaining time: of the first ejection search, then of each other algorithm.
  static constexpr double kShareBefore = 0.25;
  static constexpr double kShareOfOthers = 0.3;
  const Problem& problem_;
  const std::vector<LowerBound>& bounds_;
  const PlanOptions& options_;
  const PairRules rules_;
  const bool is_many_ = problem_.buffers.size() > kFewBuffers;
  SearchBudget budget_;
  // The algorithms that the limits allow at the beginning.
  bool affords_others_ = false;
  bool affords_hill_climb_ = false;
  bool complete_ = true;
  std::vector<std::unique_ptr<PoolOptimizer>> pools_;
  std::vector<size_t> pool_numbers_;
};

absl::StatusOr<Attempt> OptimizeFixed(const Problem& problem, const std::vector<LowerBound>& bounds,
                                      const PlanOptions& options) {
  if (std::optional<Attempt> pile = PileUp(problem, bounds)) return *std::move(pile);
  return Optimizer(problem, bounds, options).Run();
}

// Problems with several candidates: chooses a pool for each buffer, then plans each pool.
class ChoiceOptimizer {
 public:
  ChoiceOptimizer(const Problem& problem, const AccessCosts& costs,
                  const std::vector<LowerBound>& bounds, const PlanOptions& options)
      : problem_(problem), costs_(costs), bounds_(bounds), options_(options), budget_(options) {}

  absl::StatusOr<Attempt> Run() {
    PlanOptions quick = options_;
    quick.work_limit = std::min({options_.work_limit, kQuickWork,
                                 kQuickWorkEach * static_cast<int64_t>(problem_.buffers.size())});
    TENON_ASSIGN_OR(Attempt first, GapFit(problem_, bounds_, Fit::kEither, quick, &budget_));
    if (first.stopped) return first;
    std::vector<int32_t> start;
    if (!first.no_room_for) {
      for (const Placement& placed : first.placements) start.push_back(placed.pool);
    }
    PlanOptions part = options_;
    part.explain = false;
    part.misfit = nullptr;
    part.progress = nullptr;
    part.node_limit = std::min(options_.node_limit, kPartNodes);
    const PlanFixed plan_fixed = [&](const Problem& fixed) {
      return PlanMemory(fixed, "optimal", part);
    };
    const PoolChoice choice = ImproveChoice(problem_, costs_, start, plan_fixed, budget_);
    first.nothing_fits = choice.nothing_fits;
    first.cost_bound = choice.bound;
    if (choice.pools.empty()) return first;
    TENON_ASSIGN_OR(Attempt last, Fixed(choice.pools));
    // The pools were planned one by one with other limits, so this may fail or take more.
    if (!start.empty() && !last.stopped && !last.refused_pool)
      KeepBetterPools(first, choice.pools, &last);
    if (last.no_room_for && !last.stopped && !last.refused_pool) PileSummed(choice.pools, &last);
    if (last.stopped || last.no_room_for || last.refused_pool) return first;
    last.cost_is_least = choice.is_least;
    last.cost_bound = choice.bound;
    return last;
  }

 private:
  // The node limit of the plans that compare choices.
  static constexpr int64_t kPartNodes = 20'000;

  // Pools without a plan in `last`, or with a larger one, stay as in `first`, if that puts the same
  // buffers into them.
  void KeepBetterPools(const Attempt& first, const std::vector<int32_t>& pools,
                       Attempt* last) const {
    TENON_CHECK(first.placements.size() == last->placements.size());
    std::vector<bool> is_same(problem_.pools.size(), true);
    for (size_t i = 0; i < pools.size(); ++i) {
      if (pools[i] == first.placements[i].pool) continue;
      is_same[Index(pools[i])] = is_same[Index(first.placements[i].pool)] = false;
    }
    const std::vector<int64_t> before = PoolEnds(first, first);
    const std::vector<int64_t> after = PoolEnds(*last, first);
    const auto keeps_first = [&](size_t pool) {
      return is_same[pool] && before[pool] < after[pool];
    };
    for (size_t i = 0; i < first.placements.size(); ++i) {
      if (keeps_first(Index(first.placements[i].pool))) last->placements[i] = first.placements[i];
    }
    for (size_t p = 0; p < before.size(); ++p) {
      if (keeps_first(p)) last->found_by[p] = first.found_by[p];
    }
    FindLack(last);
  }

  // Notes a buffer without a place within the capacity of its pool.
  void FindLack(Attempt* attempt) const {
    attempt->no_room_for.reset();
    for (size_t i = 0; i < attempt->placements.size() && !attempt->no_room_for; ++i) {
      const Placement& placed = attempt->placements[i];
      if (placed.pool < 0 || placed.offset > EffectiveCapacity(problem_.pools[Index(placed.pool)]) -
                                                 problem_.buffers[i].size)
        attempt->no_room_for = static_cast<int32_t>(i);
    }
  }

  // Puts the constants of each pool side by side, if the search found no room in it: the choice of
  // constants counts on that.
  void PileSummed(const std::vector<int32_t>& pools, Attempt* attempt) const {
    for (size_t p = 0; p < problem_.pools.size(); ++p) {
      const auto pool = static_cast<int32_t>(p);
      std::vector<int32_t> members;
      bool is_placed = true;
      bool is_summed = true;
      for (size_t i = 0; i < pools.size(); ++i) {
        if (pools[i] != pool) continue;
        members.push_back(static_cast<int32_t>(i));
        is_placed = is_placed && attempt->placements[i].pool == pool;
        is_summed = is_summed && problem_.buffers[i].kind == BufferKind::kConstant &&
                    problem_.buffers[i].gaps.empty() && !problem_.buffers[i].fixed_offset;
      }
      if (is_placed || !is_summed) continue;
      const std::vector<int64_t> offsets = PileOffsets(problem_, pool, members);
      const int64_t capacity = EffectiveCapacity(problem_.pools[p]);
      bool fits = true;
      for (size_t k = 0; k < members.size(); ++k)
        fits = fits && offsets[k] <= capacity - problem_.buffers[Index(members[k])].size;
      if (!fits) continue;
      for (size_t k = 0; k < members.size(); ++k)
        attempt->placements[Index(members[k])] = {pool, offsets[k]};
      attempt->found_by[p] = kSideBySide;
    }
    FindLack(attempt);
  }

  // The end of each pool, by the pools of `first`; INT64_MAX if buffers of it have no place within
  // its capacity.
  std::vector<int64_t> PoolEnds(const Attempt& attempt, const Attempt& first) const {
    std::vector<int64_t> ends(problem_.pools.size());
    for (size_t i = 0; i < attempt.placements.size(); ++i) {
      const size_t pool = Index(first.placements[i].pool);
      const Placement& placed = attempt.placements[i];
      const int64_t room = EffectiveCapacity(problem_.pools[pool]) - problem_.buffers[i].size;
      const bool fits = placed.pool >= 0 && placed.offset <= room;
      const int64_t end = fits ? placed.offset + problem_.buffers[i].size : INT64_MAX;
      ends[pool] = std::max(ends[pool], end);
    }
    return ends;
  }

  absl::StatusOr<Attempt> Fixed(const std::vector<int32_t>& pools) {
    const Problem fixed = WithChoice(problem_, pools);
    const std::vector<LowerBound> bounds = ComputeLowerBounds(fixed);
    TENON_ASSIGN_OR(Attempt attempt, OptimizeFixed(fixed, bounds, options_));
    if (attempt.bounds.empty()) attempt.bounds = bounds;
    TENON_CHECK(attempt.bounds.size() == bounds_.size());
    for (size_t p = 0; p < bounds_.size(); ++p) {
      LowerBound& bound = attempt.bounds[p];
      if (bounds_[p].bytes >= bound.bytes) bound = bounds_[p];
      bound.of_choice = std::any_of(bound.live.begin(), bound.live.end(),
                                    [&](int32_t i) { return costs_.ChoicesOf(i).size() > 1; });
    }
    return attempt;
  }

  const Problem& problem_;
  const AccessCosts& costs_;
  const std::vector<LowerBound>& bounds_;
  const PlanOptions& options_;
  SearchBudget budget_;
};

}  // namespace

absl::StatusOr<Attempt> Optimal(const Problem& problem, const std::vector<LowerBound>& bounds,
                                const PlanOptions& options) {
  const AccessCosts costs(problem);
  if (!costs.any_choice()) return OptimizeFixed(problem, bounds, options);
  return ChoiceOptimizer(problem, costs, bounds, options).Run();
}

}  // namespace tenon::planner
