// A relaxation: functions with one pair may have either order in the first plan, and then take the
// order that the plan used. Functions with several pairs are tried one by one. Last, loops turn
// forward again if the plan stays as good.

#include "passes/memory/reverse_loops.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/memory/plan_memory.h"
#include "passes/memory/plan_overlaps.h"
#include "passes/memory/reversed_nests.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Planning several times takes too long with more pairs than this.
constexpr size_t kMostCandidates = 256;
/// The limit on plans for single functions, and on all plans that are not proven optimal: those
/// have used all their tries.
constexpr int kMostTrials = 64;
constexpr int kMostUnproven = 4;
constexpr size_t kMostDepth = 4;
/// These plans only choose orders: plan-memory searches for longer.
constexpr int64_t kNodeLimit = 20'000;

using Ranges = std::vector<planner::DifferenceRange>;

/// The ranges of both lists, joined where they touch.
Ranges Union(Ranges ranges, const Ranges& more) {
  ranges.insert(ranges.end(), more.begin(), more.end());
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.last) < std::tie(b.first, b.last);
  });
  Ranges joined;
  for (const planner::DifferenceRange& range : ranges) {
    if (joined.empty() || range.first > joined.back().last) {
      joined.push_back(range);
    } else {
      joined.back().last = std::max(joined.back().last, range.last);
    }
  }
  return joined;
}

bool Contains(const Ranges& ranges, int64_t difference) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const planner::DifferenceRange& range) {
    return range.first <= difference && difference <= range.last;
  });
}

enum class Order : uint8_t { kForward, kBackward, kEither };

/// A function with some of the pairs.
struct Callee {
  Function forward;
  /// The function with reversed loops, if any can be reversed.
  std::optional<Function> backward;
  /// Indices of the pairs.
  std::vector<size_t> pairs;
  Order order = Order::kForward;
};

/// The cost of a plan; less is better.
struct Score {
  int64_t picoseconds = INT64_MAX;
  int64_t spilled = INT64_MAX;
  int64_t bytes = INT64_MAX;

  bool IsBelow(const Score& other) const {
    return std::tie(picoseconds, spilled, bytes) <
           std::tie(other.picoseconds, other.spilled, other.bytes);
  }
};

class OrderChooser {
 public:
  OrderChooser(const IRModule& module, const MemoryProblem& made, std::string_view algorithm)
      : problem_(made.problem), algorithm_(algorithm), pairs_(FindOverlapCandidates(module, made)) {
    if (pairs_.size() > kMostCandidates) pairs_.clear();
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const auto [at, is_new] = index_.try_emplace(pairs_[i].callee, callees_.size());
      if (is_new) callees_.push_back({*module.Find(pairs_[i].callee), {}, {}, Order::kForward});
      callees_[at->second].pairs.push_back(i);
    }
    forward_.resize(pairs_.size());
    backward_.resize(pairs_.size());
    for (Callee& callee : callees_) FindRanges(module.context(), callee);
  }

  /// The functions to reverse, in reversed form.
  std::vector<Function> Choose() {
    std::vector<Function> chosen;
    const bool any = std::any_of(callees_.begin(), callees_.end(),
                                 [](const Callee& callee) { return callee.backward.has_value(); });
    if (!any) return chosen;
    Score forward = TryOrders();
    // plan-memory reports what would fit. That must count the loops that would be reversed then.
    if (forward_fits_not_ && !best_.IsBelow(Score{}) && RemoveCapacities()) forward = TryOrders();
    if (!best_.IsBelow(forward)) return chosen;
    Decide();
    PutForward();
    TryMirrored();
    for (const Callee& callee : callees_) {
      if (callee.order == Order::kBackward) chosen.push_back(*callee.backward);
    }
    return chosen;
  }

 private:
  /// The score of forward loops. `best_` receives the best score with both orders.
  Score TryOrders() {
    for (Callee& callee : callees_) callee.order = Order::kForward;
    trials_ = unproven_ = 0;
    const Score forward = Plan();
    forward_fits_not_ = fits_not_;
    for (Callee& callee : callees_) {
      if (callee.backward && callee.pairs.size() == 1) callee.order = Order::kEither;
    }
    best_ = Plan();
    TryEachOfSeveralPairs();
    return forward;
  }

  /// False if there are none.
  bool RemoveCapacities() {
    bool any = false;
    for (planner::Pool& pool : problem_.pools) {
      any |= pool.capacity != planner::kUnlimited;
      pool.capacity = planner::kUnlimited;
    }
    return any;
  }

  /// Finds the ranges of a function's pairs in both orders. Of the possible reversals, keeps the
  /// one that lets outputs begin the fewest bytes after inputs.
  void FindRanges(Context& context, Callee& callee) {
    PutRanges(RangesOfPairs(*callee.forward.func, callee), callee, forward_);
    __int128 least = 0;
    for (const size_t i : callee.pairs) least += pairs_[i].dying.size_bytes;
    for (size_t depth = 1; depth <= kMostDepth; ++depth) {
      Function reversed = WithReversedNests(context, callee.forward, depth);
      if (reversed.func == callee.forward.func) break;
      std::vector<Ranges> ranges = RangesOfPairs(*reversed.func, callee);
      __int128 sum = 0;
      for (size_t k = 0; k < ranges.size(); ++k) {
        const int64_t begin = ranges[k].empty() ? INT64_MAX : ranges[k].back().first;
        sum += std::min(begin, pairs_[callee.pairs[k]].dying.size_bytes);
      }
      if (sum >= least) continue;
      least = sum;
      PutRanges(std::move(ranges), callee, backward_);
      callee.backward = std::move(reversed);
    }
  }

  static void PutRanges(std::vector<Ranges> ranges, const Callee& callee,
                        std::vector<Ranges>& all) {
    for (size_t k = 0; k < ranges.size(); ++k) all[callee.pairs[k]] = std::move(ranges[k]);
  }

  /// The allowed differences of all pairs of a function; empty if lifetimes already imply them.
  std::vector<Ranges> RangesOfPairs(const PrimFunc& func, const Callee& callee) const {
    // Calls of the same function often have equal pairs.
    absl::flat_hash_map<std::tuple<size_t, size_t, int64_t, int64_t>, SafeDistances> known;
    std::vector<Ranges> ranges;
    for (const size_t i : callee.pairs) {
      const OverlapCandidate& pair = pairs_[i];
      const auto key = std::make_tuple(pair.pair.dying_param, pair.pair.begun_param,
                                       pair.dying.size_bytes, pair.begun.size_bytes);
      auto at = known.find(key);
      if (at == known.end())
        at = known
                 .emplace(key, DistancesOfParams(func, pair.pair.dying_param, pair.dying,
                                                 pair.pair.begun_param, pair.begun))
                 .first;
      ranges.push_back(AllowedDifferences(at->second, pair.dying.size_bytes, pair.begun.size_bytes,
                                          pair.alignment, OverlapMode::kOn));
    }
    return ranges;
  }

  Ranges RangesOf(size_t pair, Order order) const {
    if (order == Order::kForward) return forward_[pair];
    if (order == Order::kBackward) return backward_[pair];
    return Union(forward_[pair], backward_[pair]);
  }

  Order OrderOf(size_t pair) const { return callees_[index_.at(pairs_[pair].callee)].order; }

  /// Plans with the current orders. `plan_` receives the plan.
  Score Plan() {
    planner::Problem problem = problem_;
    std::set<std::pair<int32_t, int32_t>> related;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const int32_t a = pairs_[i].dying_buffer;
      const int32_t b = pairs_[i].begun_buffer;
      Ranges allowed = RangesOf(i, OrderOf(i));
      if (allowed.empty() || !related.insert(std::minmax(a, b)).second) continue;
      problem.relations.push_back(
          {planner::RelationKind::kOffsetDifference, a, b, std::move(allowed)});
    }
    absl::StatusOr<planner::Plan> plan =
        planner::PlanMemory(problem, algorithm_, {.node_limit = kNodeLimit, .explain = false});
    plan_.reset();
    fits_not_ = planner::IsProvenInfeasible(plan.status());
    if (!plan.ok()) return {};
    plan_ = *std::move(plan);
    unproven_ += plan_->proven_optimal ? 0 : 1;
    Score score{plan_->cost.picoseconds, plan_->cost.spilled, 0};
    for (const planner::PoolPlan& pool : plan_->pools) score.bytes += pool.size;
    return score;
  }

  bool MayTry() { return unproven_ < kMostUnproven && ++trials_ <= kMostTrials; }

  /// The order of a function applies to all its pairs: tries each function with several pairs
  /// backwards.
  void TryEachOfSeveralPairs() {
    for (Callee& callee : callees_) {
      if (!callee.backward || callee.pairs.size() == 1 || !MayTry()) continue;
      callee.order = Order::kBackward;
      const Score score = Plan();
      if (score.IsBelow(best_)) {
        best_ = score;
      } else {
        callee.order = Order::kForward;
      }
    }
  }

  /// Replaces kEither by the order that the plan needs.
  void Decide() {
    const Score again = Plan();
    TENON_CHECK(!best_.IsBelow(again) && plan_.has_value());
    for (Callee& callee : callees_) {
      if (callee.order == Order::kEither)
        callee.order = IsForward(callee.pairs[0]) ? Order::kForward : Order::kBackward;
    }
  }

  bool IsForward(size_t pair) const {
    const planner::Placement& a = plan_->placements[planner::Index(pairs_[pair].dying_buffer)];
    const planner::Placement& b = plan_->placements[planner::Index(pairs_[pair].begun_buffer)];
    const int64_t difference = b.offset - a.offset;
    return a.pool != b.pool || difference <= -pairs_[pair].begun.size_bytes ||
           difference >= pairs_[pair].dying.size_bytes || Contains(forward_[pair], difference);
  }

  /// Keeps forward loops where the plan is as good with them.
  void PutForward() {
    for (Callee& callee : callees_) {
      if (callee.order != Order::kBackward || !MayTry()) continue;
      callee.order = Order::kForward;
      if (best_.IsBelow(Plan())) callee.order = Order::kBackward;
    }
  }

  /// The mirror image of a plan needs the opposite orders. Takes these if they reverse fewer
  /// functions and the plan is as good.
  void TryMirrored() {
    size_t possible = 0;
    size_t reversed = 0;
    for (const Callee& callee : callees_) {
      possible += callee.backward ? 1 : 0;
      reversed += callee.order == Order::kBackward ? 1 : 0;
    }
    if (reversed * 2 <= possible || !MayTry()) return;
    SwapOrders();
    if (best_.IsBelow(Plan())) SwapOrders();
  }

  void SwapOrders() {
    for (Callee& callee : callees_) {
      if (callee.backward)
        callee.order = callee.order == Order::kForward ? Order::kBackward : Order::kForward;
    }
  }

  /// The problem of plan-memory without relations.
  planner::Problem problem_;
  std::string_view algorithm_;
  std::vector<OverlapCandidate> pairs_;
  absl::flat_hash_map<Symbol, size_t> index_;
  std::vector<Callee> callees_;
  /// The allowed differences of each pair, in both orders.
  std::vector<Ranges> forward_;
  std::vector<Ranges> backward_;
  std::optional<planner::Plan> plan_;
  /// The last problem is proven to have no plan.
  bool fits_not_ = false;
  bool forward_fits_not_ = false;
  Score best_;
  int trials_ = 0;
  int unproven_ = 0;
};

}  // namespace

absl::StatusOr<IRModule> ReverseLoops(const IRModule& module, const ReverseLoopsOptions& options,
                                      PassContext& context) {
  // TVM's algorithms do not support relations.
  if (module.Main() == nullptr || planner::IsTvmAlgorithm(options.algorithm)) return module;
  const PlanMemoryOptions planning = {.algorithm = options.algorithm,
                                      .workspace_alignment = options.workspace_alignment,
                                      .constant_alignment = options.constant_alignment};
  const absl::StatusOr<MemoryProblem> made =
      MakeMemoryProblem(module, planning, context.diagnostics);
  if (!made.ok()) return made.status();
  const std::vector<Function> reversed = OrderChooser(module, *made, options.algorithm).Choose();
  IRModule result = module;
  for (const Function& function : reversed) result.Update(function);
  context.Count("reverse-loops.functions", static_cast<int64_t>(reversed.size()));
  return result;
}

}  // namespace tenon
