#include "planner/exact/pool_optimizer.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace tenon::planner {
namespace {

// Tries at the bound itself before anything larger is asked for, and at each size afterwards.
constexpr int64_t kFirstTries = 2'000'000;
constexpr int64_t kRefineTries = 50'000;
constexpr int64_t kGlanceTries = 20'000;
constexpr int64_t kGlanceSteps = 8;

int64_t RoundDown(int64_t value, int64_t unit) { return value - value % unit; }

}  // namespace

PoolOptimizer::PoolOptimizer(const Problem& problem, const PairRules& rules, int32_t pool,
                             const std::vector<int32_t>& members, const LowerBound& bound,
                             const PlanOptions& options, SearchBudget* budget)
    : problem_(problem),
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
}

void PoolOptimizer::Start(const std::vector<Placement>& placements) {
  for (Part& part : parts_) {
    const std::vector<int32_t>& buffers = part.solver->buffers();
    const bool all = std::all_of(buffers.begin(), buffers.end(),
                                 [&](int32_t i) { return placements[Index(i)].pool == pool_; });
    if (!all) continue;
    std::vector<int64_t> offsets;
    for (int32_t i : buffers) offsets.push_back(placements[Index(i)].offset);
    Take(&part, offsets);
  }
}

void PoolOptimizer::Take(Part* part, const std::vector<int64_t>& offsets) {
  TENON_CHECK(offsets.size() == part->solver->buffers().size());
  int64_t peak = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    peak = std::max(peak, offsets[i] + problem_.buffers[Index(part->solver->buffers()[i])].size);
  }
  if (peak >= part->upper) return;
  part->upper = peak;
  part->offsets = offsets;
}

SearchResult PoolOptimizer::Attempt(Part* part, int64_t capacity, int64_t tries) {
  const int64_t before = budget_->used();
  const SearchResult result = part->solver->Solve(capacity, tries);
  if (result == SearchResult::kFound) Take(part, part->solver->offsets());
  if (result == SearchResult::kNone && capacity >= part->lower) {
    const int64_t unit = part->solver->unit();
    part->lower = RoundDown(capacity, unit) + unit;
    part->searched = std::max<int64_t>(budget_->used() - before, 1);
    known_ = std::max(known_, part->lower);
  }
  if (result != SearchResult::kStopped) Report();
  return result;
}

void PoolOptimizer::Run() {
  if (limited_) {
    TryGoal(budget_->left());
    return;
  }
  // A glance at the bound, and some coarse steps towards it: who stops early has something.
  TryGoal(kGlanceTries);
  for (Part& part : parts_) {
    if (part.upper > known_) Refine(&part, kGlanceTries, (part.upper - known_) / kGlanceSteps);
  }
  TryGoal(std::min(budget_->left() / 2, kFirstTries));
  for (int64_t tries = kRefineTries; !budget_->Spent() && !infeasible(); tries += tries / 2) {
    if (!RefineParts(tries)) return;
  }
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

// Asks for less than the best found by a step, which doubles when that is found in so many tries
// and is halved when not, until not even the least step is found.
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
  return bound;
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
