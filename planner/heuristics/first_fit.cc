// First-fit and best-fit into gaps: several orders, then moves of the topmost buffers.

#include <algorithm>
#include <optional>
#include <utility>

#include "planner/algorithms.h"
#include "planner/heuristics/gap_placer.h"
#include "planner/heuristics/orders.h"
#include "planner/tvm/rand_r.h"
#include "support/check.h"

namespace tenon::planner {
namespace {

// Limits on the steps of trying orders and of moving buffers: together at most seconds.
constexpr int64_t kMaxOrderWork = 35'000'000;
constexpr int64_t kMaxMoveWork = 5'000'000;
constexpr int kMaxMoves = 4000;
// The cost of a visit, in items of the exact search.
constexpr size_t kVisitCost = 8;
// Steps of a first placement after which `stop` may end it.
constexpr int64_t kPatience = 20'000'000;

class Search {
 public:
  Search(const Problem& problem, const std::vector<LowerBound>& bounds, const PlanOptions& options,
         SearchBudget* budget)
      : problem_(problem),
        bounds_(bounds),
        work_limit_(options.work_limit),
        budget_(budget),
        rules_(problem),
        placer_(problem, rules_) {}

  Attempt Run(Fit fit, bool persist) {
    TENON_CHECK(bounds_.size() == problem_.pools.size());
    persist_ = persist;
    for (std::vector<int32_t>& order : CandidateOrders(problem_, rules_, AccessCosts(problem_))) {
      if (fit != Fit::kBest && !Enough()) Try(order, Fit::kFirst);
      if (fit != Fit::kFirst && !Enough()) Try(order, Fit::kBest);
    }
    if (found_any_) Improve();
    Attempt attempt{std::move(best_.placements), best_.no_room_for};
    attempt.stopped = stopped_;
    const std::string_view by = best_fit_ == Fit::kBest ? "best_fit" : "first_fit";
    attempt.found_by.assign(problem_.pools.size(), by);
    return attempt;
  }

 private:
  // True if nothing can improve.
  bool Done() const {
    if (!found_any_ || best_.without_room > 0) return false;
    for (size_t p = 0; p < bounds_.size(); ++p) {
      if (best_.pool_sizes[p] > bounds_[p].bytes) return false;
    }
    return true;
  }

  bool Enough() const {
    return found_any_ &&
           (Done() || budget_->Stopped() || placer_.work() > std::min(work_limit_, kMaxOrderWork));
  }

  // Keeps the layout unless it is worse; an equal layout may enable other moves.
  bool Try(const std::vector<int32_t>& order, Fit fit) {
    std::optional<Layout> layout = placer_.Place(order, fit, [&] {
      budget_->Look();
      return budget_->Stopped() && (found_any_ || placer_.work() > kPatience);
    });
    if (!layout && !found_any_) {
      stopped_ = true;
      return false;
    }
    if (!layout || (found_any_ && best_.BetterThan(*layout))) return false;
    const bool better = !found_any_ || layout->BetterThan(best_);
    if (!better && !moving_) return false;
    best_ = *std::move(layout);
    best_order_ = order;
    best_fit_ = fit;
    found_any_ = true;
    return true;
  }

  void Improve() {
    moving_ = true;
    const int64_t limit = std::min(work_limit_, placer_.work() + kMaxMoveWork);
    for (int move = 0; !Done() && !budget_->Stopped(); ++move) {
      const bool is_quick = move < kMaxMoves && placer_.work() < limit;
      if (!is_quick && (!persist_ || budget_->Spent())) return;
      std::vector<int32_t> order = best_order_;
      if (!MoveOne(&order)) return;
      const int64_t before = placer_.work();
      Try(order, best_fit_);
      if (!is_quick) budget_->Take(kVisitCost * static_cast<size_t>(placer_.work() - before));
    }
  }

  // Buffers to move: those without room, and those that end at the top of an unproven pool.
  std::vector<size_t> Culprits(const std::vector<int32_t>& order) const {
    std::vector<size_t> culprits;
    for (size_t i = 0; i < order.size(); ++i) {
      const Placement& placed = best_.placements[Index(order[i])];
      if (problem_.buffers[Index(order[i])].fixed_offset) continue;
      const bool homeless = placed.pool < 0;
      const bool on_top =
          !homeless && best_.without_room == 0 &&
          best_.pool_sizes[Index(placed.pool)] > bounds_[Index(placed.pool)].bytes &&
          placed.offset + problem_.buffers[Index(order[i])].size ==
              best_.pool_sizes[Index(placed.pool)];
      if (homeless || on_top) culprits.push_back(i);
    }
    return culprits;
  }

  // Moves a culprit, or occasionally any buffer, to an earlier place in the order.
  bool MoveOne(std::vector<int32_t>* order) {
    TENON_CHECK(order->size() == problem_.buffers.size());
    const std::vector<size_t> culprits = Culprits(*order);
    if (culprits.empty() || order->size() < 2) return false;
    size_t from = culprits[Draw(culprits.size())];
    if (Draw(4) == 0) from = Draw(order->size());
    if (from == 0) from = 1 + Draw(order->size() - 1);
    if (problem_.buffers[Index((*order)[from])].fixed_offset) return true;
    size_t to = Draw(from);
    while (to < from && problem_.buffers[Index((*order)[to])].fixed_offset) ++to;
    std::rotate(order->begin() + static_cast<ptrdiff_t>(to),
                order->begin() + static_cast<ptrdiff_t>(from),
                order->begin() + static_cast<ptrdiff_t>(from) + 1);
    return true;
  }

  size_t Draw(size_t count) {
    TENON_CHECK(count > 0);
    return static_cast<size_t>(random_.Next()) % count;
  }

  const Problem& problem_;
  const std::vector<LowerBound>& bounds_;
  const int64_t work_limit_;
  SearchBudget* budget_;
  PairRules rules_;
  GapPlacer placer_;
  GlibcRandR random_{1};
  bool found_any_ = false;
  bool stopped_ = false;
  bool moving_ = false;
  bool persist_ = false;
  Layout best_;
  std::vector<int32_t> best_order_;
  Fit best_fit_ = Fit::kFirst;
};

}  // namespace

absl::StatusOr<Attempt> GapFit(const Problem& problem, const std::vector<LowerBound>& bounds,
                               Fit fit, const PlanOptions& options, SearchBudget* budget,
                               bool persist) {
  return Search(problem, bounds, options, budget).Run(fit, persist);
}

}  // namespace tenon::planner
