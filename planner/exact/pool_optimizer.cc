#include "planner/exact/pool_optimizer.h"

#include <algorithm>
#include <utility>

#include "planner/exact/shrink_witness.h"
#include "planner/methods.h"
#include "support/check.h"

namespace tenon::planner {
namespace {

// Tries at the bound before any larger size, and at each size afterwards.
constexpr int64_t kFirstTries = 2'000'000;
constexpr int64_t kRefineTries = 50'000;
// More tries than any search takes. One that still decides nothing stops for another reason.
constexpr int64_t kMostTries = int64_t{1} << 62;
constexpr int64_t kGlanceTries = 20'000;
constexpr int64_t kSettleTries = 200'000;
constexpr int64_t kGlanceSteps = 8;
// With more members, exact search seldom finds a packing at the bound.
constexpr size_t kLargePool = 512;
// Tries at a capacity before ejection search runs.
constexpr int64_t kCapacityTries = 8'000'000;

int64_t RoundDown(int64_t value, int64_t unit) { return value - value % unit; }

}  // namespace

PoolOptimizer::PoolOptimizer(const Problem& problem, const PairRules& rules, int32_t pool,
                             const std::vector<int32_t>& members, const LowerBound& bound,
                             const PlanOptions& options, SearchBudget* budget)
    : problem_(problem),
      rules_(rules),
      options_(options),
      budget_(budget),
      pool_(pool),
      bound_(bound),
      capacity_(EffectiveCapacity(problem.pools[Index(pool)])),
      limited_(problem.pools[Index(pool)].capacity != kUnlimited),
      known_(bound.bytes) {
  std::vector<std::unique_ptr<PartSolver>> solvers;
  complete_ = MakeParts(problem, rules, pool, members, budget, &solvers);
  for (std::unique_ptr<PartSolver>& solver : solvers) {
    Part& part = parts_.emplace_back();
    part.lower = solver->lower();
    known_ = std::max(known_, part.lower);
    part.solver = std::move(solver);
  }
  // A box always uses all its bytes, which plans with gap windows need not respect.
  const bool is_whole = std::all_of(members.begin(), members.end(), [&](int32_t i) {
    return problem.buffers[Index(i)].gaps.empty();
  });
  if (!complete_ || !is_whole || !Boxes::Suits(problem, rules, pool, members)) return;
  member_of_.resize(problem.buffers.size());
  for (size_t i = 0; i < members.size(); ++i) member_of_[Index(members[i])] = i;
  boxes_.emplace(problem, rules, pool, members);
}

bool PoolOptimizer::Done() const {
  return infeasible() || std::all_of(parts_.begin(), parts_.end(),
                                     [&](const Part& part) { return part.upper <= Goal(); });
}

void PoolOptimizer::Start(const std::vector<Placement>& placements, std::string_view found_by) {
  for (Part& part : parts_) {
    const std::vector<int32_t>& buffers = part.solver->buffers();
    const bool all = std::all_of(buffers.begin(), buffers.end(),
                                 [&](int32_t i) { return placements[Index(i)].pool == pool_; });
    if (!all) continue;
    std::vector<int64_t> offsets;
    for (int32_t i : buffers) offsets.push_back(placements[Index(i)].offset);
    Take(&part, offsets, found_by);
  }
}

void PoolOptimizer::Take(Part* part, const std::vector<int64_t>& offsets,
                         std::string_view found_by) {
  TENON_CHECK(offsets.size() == part->solver->buffers().size());
  int64_t peak = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    peak = std::max(peak, offsets[i] + problem_.buffers[Index(part->solver->buffers()[i])].size);
  }
  if (peak >= part->upper) return;
  part->upper = peak;
  part->offsets = offsets;
  part->found_by = found_by;
}

SearchResult PoolOptimizer::Attempt(Part* part, int64_t capacity, int64_t tries) {
  const int64_t before = budget_->used();
  // If tries take long, the other algorithms run after fewer tries.
  const int64_t cost = is_first_ ? part->solver->cost() : 1;
  const SearchResult result = part->solver->Solve(capacity, tries / cost);
  if (result == SearchResult::kFound) Take(part, part->solver->offsets(), kExactSearch);
  if (result == SearchResult::kNone && capacity >= part->lower) {
    const int64_t unit = part->solver->unit();
    part->lower = RoundDown(capacity, unit) + unit;
    part->searched = std::max<int64_t>(budget_->used() - before, 1);
    known_ = std::max(known_, part->lower);
  }
  if (result != SearchResult::kStopped) Report();
  return result;
}

void PoolOptimizer::RunFirst() {
  if (limited_) {
    TryGoal(std::min(budget_->left() - budget_->left() / 4, kCapacityTries));
    return;
  }
  is_first_ = true;
  // A quick look at the bound and some coarse steps towards it: callers that stop early get a
  // result.
  TryGoal(kGlanceTries);
  for (Part& part : parts_) {
    if (part.upper > known_) Refine(&part, kGlanceTries, (part.upper - known_) / kGlanceSteps);
  }
  // With many boxes, ejection search wins more in the same time.
  const bool is_large = boxes_ && boxes_->size() > kLargePool;
  if (is_large && !Done()) Eject(std::min(budget_->left() / 4, kFirstTries));
  TryGoal(std::min(budget_->left() / 2, is_large ? kFirstTries / 8 : kFirstTries));
  if (!is_large) Settle(kSettleTries);
  is_first_ = false;
}

void PoolOptimizer::Settle(int64_t tries) {
  for (Part& part : parts_) {
    const int64_t unit = part.solver->unit();
    while (part.upper != INT64_MAX && part.upper > known_ && !infeasible()) {
      const int64_t middle = known_ + (part.upper - unit - known_) / 2;
      if (Attempt(&part, std::max(known_, RoundDown(middle, unit)), tries) ==
          SearchResult::kStopped)
        break;
    }
  }
}

void PoolOptimizer::RunRest() {
  for (int64_t tries = kRefineTries; tries < kMostTries && !budget_->Spent() && !Done();
       tries += tries / 2) {
    const int64_t before = budget_->used();
    if (limited_) {
      TryGoal(tries);
    } else {
      RefineParts(tries);
    }
    // Some parts are so hard to refine that nothing was tried.
    if (!Done()) Eject(std::max(budget_->used() - before, kGlanceTries));
    if (budget_->used() == before) return;
  }
}

std::vector<int64_t> PoolOptimizer::MemberOffsets() const {
  std::vector<int64_t> offsets(boxes_->size());
  for (const Part& part : parts_) {
    const std::vector<int32_t>& buffers = part.solver->buffers();
    for (size_t i = 0; i < buffers.size(); ++i) {
      offsets[member_of_[Index(buffers[i])]] = part.offsets[i];
    }
  }
  return offsets;
}

void PoolOptimizer::Eject(int64_t tries) {
  const bool all = std::all_of(parts_.begin(), parts_.end(),
                               [](const Part& part) { return part.upper != INT64_MAX; });
  if (!boxes_ || !all) return;
  // It is unknown in advance which weights suit the problem, so they alternate.
  std::optional<EjectionSearch>& ejection = ejections_[next_ejection_];
  if (!ejection) {
    ejection.emplace(*boxes_, MemberOffsets(), budget_, kTurns[next_ejection_]);
  } else {
    ejection->Start(MemberOffsets());
  }
  next_ejection_ = (next_ejection_ + 1) % kTurns.size();
  if (!ejection->Run(Goal(), tries)) return;
  for (Part& part : parts_) {
    std::vector<int64_t> offsets;
    for (int32_t i : part.solver->buffers()) {
      offsets.push_back(ejection->offsets()[member_of_[Index(i)]]);
    }
    Take(&part, offsets, kEjectionSearch);
  }
  Report();
}

std::string_view PoolOptimizer::found_by() const {
  const auto largest = std::max_element(
      parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.upper < b.upper; });
  return largest == parts_.end() ? "" : largest->found_by;
}

void PoolOptimizer::TryGoal(int64_t tries) {
  for (Part& part : parts_) {
    if (part.upper > Goal() && !infeasible()) Attempt(&part, Goal(), tries);
  }
}

bool PoolOptimizer::RefineParts(int64_t tries) {
  bool any = false;
  for (Part& part : parts_) {
    if (part.upper <= known_ || budget_->Spent() || infeasible()) continue;
    any = true;
    Refine(&part, tries, part.solver->unit());
  }
  return any;
}

// Asks for less than the best found by a step. The step doubles on success within `tries` and is
// halved otherwise, until even the least step fails.
void PoolOptimizer::Refine(Part* part, int64_t tries, int64_t least_step) {
  const int64_t unit = part->solver->unit();
  if (part->upper == INT64_MAX && Attempt(part, kMaxBytes, tries) != SearchResult::kFound) return;
  TENON_CHECK(unit > 0);
  int64_t step = part->step == 0 ? (part->upper - known_) / 2 : part->step;
  while (part->upper > known_ && !budget_->Spent() && !infeasible()) {
    step = std::max({step, least_step, unit});
    const int64_t less = std::max(known_, RoundDown(part->upper - step, unit));
    if (Attempt(part, less, tries) == SearchResult::kFound) {
      step *= 2;
    } else if (step <= std::max(least_step, unit)) {
      break;
    } else {
      step /= 2;
    }
  }
  part->step = 4 * unit;
}

void PoolOptimizer::Report() const {
  if (!options_.progress) return;
  int64_t size = 0;
  for (const Part& part : parts_) size = std::max(size, part.upper);
  options_.progress(size, known_);
}

LowerBound PoolOptimizer::Bound() const {
  const Part* best = nullptr;
  for (const Part& part : parts_) {
    if (best == nullptr || part.lower > best->lower) best = &part;
  }
  if (best == nullptr || best->lower <= bound_.bytes) return bound_;
  LowerBound bound{.bytes = best->lower, .time = std::nullopt, .live = best->solver->buffers()};
  bound.kind = BoundKind::kSearch;
  bound.searched = std::max<int64_t>(best->searched, 1);
  if (budget_->Stopped()) return bound;
  PlanOptions limits = options_;
  if (limits.time_limit) limits.time_limit = budget_->SecondsLeft();
  return ShrinkWitness(problem_, rules_, pool_, limits, std::move(bound));
}

void PoolOptimizer::Finish(std::vector<Placement>* placements) const {
  for (const Part& part : parts_) {
    if (part.upper > capacity_) continue;
    for (size_t i = 0; i < part.offsets.size(); ++i) {
      (*placements)[Index(part.solver->buffers()[i])] = {pool_, part.offsets[i]};
    }
  }
}

}  // namespace tenon::planner
