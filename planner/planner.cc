#include "planner/planner.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "planner/algorithms.h"
#include "planner/check/checker.h"
#include "planner/explain/contradiction.h"
#include "planner/explain/explain.h"
#include "planner/explain/misfit.h"
#include "planner/problem/access_cost.h"
#include "planner/problem/bound.h"
#include "planner/tvm/tvm_liveness.h"
#include "support/check.h"
#include "support/nearest_name.h"
#include "support/status_macros.h"

namespace tenon::planner {
namespace {

using Bounds = std::vector<LowerBound>;

constexpr AlgorithmTraits OfTvm(std::string_view name) {
  return {.name = name, .is_tvm = true, .supports_relations = false};
}

constexpr std::array<AlgorithmTraits, 6> kAlgorithms = {{{.name = "optimal"},
                                                         {.name = "first_fit"},
                                                         {.name = "best_fit"},
                                                         OfTvm("greedy_by_size"),
                                                         OfTvm("greedy_by_conflicts"),
                                                         OfTvm("hill_climb")}};

constexpr std::array<std::string_view, kAlgorithms.size()> kNames = [] {
  std::array<std::string_view, kAlgorithms.size()> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kAlgorithms[i].name;
  return names;
}();

absl::StatusOr<Attempt> RunAlgorithm(const Problem& problem, std::string_view algorithm,
                                     const Bounds& bounds, const PlanOptions& options) {
  if (algorithm == "optimal") return Optimal(problem, bounds, options);
  SearchBudget budget(options);
  if (algorithm == "first_fit") return GapFit(problem, bounds, Fit::kEither, options, &budget);
  if (algorithm == "best_fit") return GapFit(problem, bounds, Fit::kBest, options, &budget);
  if (algorithm == "greedy_by_size") return GreedyBySize(problem, options);
  if (algorithm == "greedy_by_conflicts") return GreedyByConflicts(problem, options);
  TENON_CHECK(algorithm == "hill_climb");
  return HillClimb(problem, options);
}

// The problem as TVM's algorithms understand it: listed conflicts become rules.
Problem WithListedConflicts(const Problem& problem) {
  if (!problem.conflicts) return problem;
  ConflictLists lists = *problem.conflicts;
  TENON_CHECK(lists.size() == problem.buffers.size());
  for (const Relation& relation : problem.relations) {
    // The relation of a pair is more specific than the lists.
    std::erase(lists[Index(relation.a)], relation.b);
    std::erase(lists[Index(relation.b)], relation.a);
  }
  Problem result = problem;
  for (Relation& relation : RelationsFromConflicts(lists, OneSided::kConflict)) {
    result.relations.push_back(std::move(relation));
  }
  return result;
}

// The bounds of a problem whose offsets may change: given offsets bound nothing but themselves.
Bounds BoundsWithoutOffsets(const Problem& problem) {
  Problem open = problem;
  for (Buffer& buffer : open.buffers) buffer.fixed_offset.reset();
  return ComputeLowerBounds(open);
}

Plan MakePlan(const Problem& problem, std::string_view algorithm, Attempt attempt,
              const Bounds& known) {
  const bool is_given = IsGiven(problem);
  const Bounds open = is_given ? BoundsWithoutOffsets(problem) : Bounds();
  const Bounds& bounds = is_given ? open : attempt.bounds.empty() ? known : attempt.bounds;
  Plan plan;
  plan.algorithm = std::string(is_given ? kGiven : algorithm);
  plan.placements = std::move(attempt.placements);
  TENON_CHECK(plan.placements.size() == problem.buffers.size() &&
              bounds.size() == problem.pools.size());
  plan.pools.resize(problem.pools.size());
  for (size_t i = 0; i < plan.placements.size(); ++i) {
    TENON_CHECK(plan.placements[i].pool >= 0 && plan.placements[i].offset >= 0);
    int64_t& size = plan.pools[Index(plan.placements[i].pool)].size;
    size = std::max(size, plan.placements[i].offset + problem.buffers[i].size);
  }
  for (size_t p = 0; p < plan.pools.size(); ++p) {
    plan.pools[p].found_by = is_given                   ? kGiven
                             : attempt.found_by.empty() ? algorithm
                                                        : attempt.found_by[p];
  }
  const AccessCosts costs(problem);
  Price price;
  for (size_t i = 0; i < plan.placements.size(); ++i) {
    price += costs.Of(static_cast<int32_t>(i), plan.placements[i].pool);
  }
  const bool is_least = attempt.cost_is_least || price == costs.Least();
  const Price bound = is_least ? price : std::max(attempt.cost_bound, costs.Least());
  plan.cost = {price.picoseconds, price.spilled, is_least, bound.picoseconds, bound.spilled};
  plan.proven_optimal = plan.cost.is_least;
  for (size_t p = 0; p < bounds.size(); ++p) {
    plan.pools[p].lower_bound = bounds[p];
    plan.proven_optimal = plan.proven_optimal && plan.pools[p].size == bounds[p].bytes;
  }
  return plan;
}

absl::StatusOr<Plan> Checked(const Problem& problem, Plan plan) {
  const PlanVerdict verdict = CheckPlan(problem, plan);
  if (verdict.ok()) return plan;
  return absl::InternalError(
      fmt::format("{} made a wrong plan: {}", plan.algorithm, verdict.message));
}

absl::Status Unknown(std::string_view algorithm) {
  const std::string_view near = NearestName(algorithm, kNames);
  return absl::InvalidArgumentError(fmt::format(
      "unknown algorithm `{}`, expected one of {}{}", algorithm, fmt::join(kNames, ", "),
      near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
}

absl::Status Stopped(std::string_view algorithm) {
  return absl::NotFoundError(
      fmt::format("{} was stopped by its limit before it had a plan", algorithm));
}

// Plans once. If nothing fits, `misfit` receives the reason and `bounds` the pools' bounds.
absl::StatusOr<Plan> PlanOnce(const Problem& problem, std::string_view algorithm,
                              const PlanOptions& options, Bounds* bounds,
                              std::optional<Misfit>* misfit) {
  *bounds = ComputeLowerBounds(problem);
  *misfit = FindMisfit(problem, *bounds);
  if (*misfit) return absl::ResourceExhaustedError("");
  TENON_ASSIGN_OR(Attempt attempt, RunAlgorithm(problem, algorithm, *bounds, options));
  if (attempt.stopped) return Stopped(algorithm);
  if (attempt.refused_pool) {
    *bounds = attempt.bounds;
    misfit->emplace();
    (*misfit)->pool = *attempt.refused_pool;
    TENON_CHECK(Index(*attempt.refused_pool) < attempt.bounds.size());
    (*misfit)->bound = attempt.bounds[Index(*attempt.refused_pool)];
    return absl::ResourceExhaustedError("");
  }
  if (!attempt.no_room_for) {
    return Checked(problem, MakePlan(problem, algorithm, std::move(attempt), *bounds));
  }
  misfit->emplace();
  (*misfit)->buffer = attempt.no_room_for;
  (*misfit)->nothing_fits = attempt.nothing_fits;
  if (attempt.nothing_fits) return absl::ResourceExhaustedError("");
  if (!problem.relations.empty()) (*misfit)->contradiction = FindContradiction(problem, options);
  if ((*misfit)->contradiction) return absl::ResourceExhaustedError("");
  if (options.fall_back && algorithm != "first_fit" && algorithm != "optimal") {
    const bool by_lists = IsTvmAlgorithm(algorithm);
    SearchBudget budget(options);
    TENON_ASSIGN_OR(Attempt second, GapFit(by_lists ? WithListedConflicts(problem) : problem,
                                           *bounds, Fit::kEither, options, &budget));
    if (second.stopped) return Stopped("first_fit");
    if (!second.no_room_for) {
      return Checked(problem, MakePlan(problem, "first_fit", std::move(second), *bounds));
    }
  }
  return absl::NotFoundError("");
}

// Limits of the plans that look for sufficient changes.
constexpr int64_t kTryNodes = 100'000;
constexpr int64_t kTryWork = 2'000'000;
constexpr double kTryTime = 0.1;

PlanOptions TryOptions(const PlanOptions& options, bool thorough) {
  PlanOptions quick = options;
  quick.explain = false;
  quick.misfit = nullptr;
  quick.progress = nullptr;
  if (quick.time_limit) quick.time_limit = *quick.time_limit * kTryTime;
  if (thorough) return quick;
  quick.node_limit = std::min(quick.node_limit, kTryNodes);
  quick.work_limit = std::min(quick.work_limit, kTryWork);
  return quick;
}

}  // namespace

bool IsGiven(const Problem& problem) {
  return !problem.buffers.empty() &&
         std::all_of(problem.buffers.begin(), problem.buffers.end(),
                     [](const Buffer& buffer) { return buffer.fixed_offset.has_value(); });
}

std::span<const std::string_view> AlgorithmNames() { return kNames; }

const AlgorithmTraits* Traits(std::string_view algorithm) {
  const auto it = std::find_if(kAlgorithms.begin(), kAlgorithms.end(),
                               [&](const AlgorithmTraits& one) { return one.name == algorithm; });
  return it == kAlgorithms.end() ? nullptr : &*it;
}

bool IsTvmAlgorithm(std::string_view algorithm) {
  const AlgorithmTraits* traits = Traits(algorithm);
  return traits != nullptr && traits->is_tvm;
}

bool IsProvenInfeasible(const absl::Status& status) {
  return status.code() == absl::StatusCode::kResourceExhausted;
}

absl::StatusOr<Plan> PlanMemory(const Problem& problem, std::string_view algorithm,
                                const PlanOptions& options) {
  if (Traits(algorithm) == nullptr) return Unknown(algorithm);
  TENON_TRY(ValidateProblem(problem));
  Bounds bounds;
  std::optional<Misfit> misfit;
  absl::StatusOr<Plan> plan = PlanOnce(problem, algorithm, options, &bounds, &misfit);
  if (plan.ok() || !misfit ||
      !(absl::IsNotFound(plan.status()) || IsProvenInfeasible(plan.status())))
    return plan;
  if (options.explain && !misfit->contradiction) {
    const TryPlan try_plan = [&](const Problem& changed, bool thorough) {
      return PlanMemory(changed, algorithm, TryOptions(options, thorough));
    };
    if (std::optional<Plan> found = FindChanges(problem, try_plan, &*misfit))
      return Checked(problem, *std::move(found));
  }
  absl::Status status(plan.status().code(), DescribeMisfit(problem, algorithm, bounds, *misfit));
  if (options.misfit != nullptr) *options.misfit = *std::move(misfit);
  return status;
}

}  // namespace tenon::planner
