#ifndef TENON_PLANNER_EXACT_SEARCH_BUDGET_H_
#define TENON_PLANNER_EXACT_SEARCH_BUDGET_H_

// Internal: the remaining budget of the exact searches.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "planner/planner.h"

namespace tenon::planner {

/// Counts steps (tried placements or choices) against the limits of PlanOptions. It polls the clock
/// and the caller every 1024 steps, so a limit on steps alone gives the same answers everywhere.
class SearchBudget {
 public:
  explicit SearchBudget(const PlanOptions& options)
      : options_(options), start_(std::chrono::steady_clock::now()) {}
  /// Options outlive their budget.
  explicit SearchBudget(PlanOptions&& options) = delete;
  ~SearchBudget() {
    if (options_.nodes != nullptr) *options_.nodes += used_;
  }
  SearchBudget(const SearchBudget&) = delete;
  SearchBudget& operator=(const SearchBudget&) = delete;

  /// Counts one try, plus one for every kItems items: tries among many items take longer.
  void Take(size_t items) {
    used_ += 1 + static_cast<int64_t>(items / kItems);
    if (used_ < next_look_) return;
    next_look_ = used_ + 1024;
    Look();
  }

  /// True if the search must end.
  bool Spent() const { return stopped_ || used_ >= options_.node_limit; }

  /// True if the clock or the caller has ended the search.
  bool Stopped() const { return stopped_; }

  /// Polls the clock and the caller now.
  void Look() {
    if (stopped_) return;
    if (options_.stop && options_.stop()) stopped_ = true;
    if (options_.time_limit && Seconds() >= *options_.time_limit) stopped_ = true;
  }

  /// True if looking at `items` items one by one takes at most a quarter of the rest of the budget:
  /// of the steps if these are limited, otherwise of the time.
  bool Affords(int64_t items) const {
    if (Spent()) return false;
    if (options_.node_limit != INT64_MAX) return items / static_cast<int64_t>(kItems) <= left() / 4;
    if (!options_.time_limit) return true;
    return static_cast<double>(items) <= (*options_.time_limit - Seconds()) * kItemsPerSecond / 4;
  }

  /// Infinite without a time limit, and never negative.
  double SecondsLeft() const {
    if (!options_.time_limit) return std::numeric_limits<double>::infinity();
    return std::max(0.0, *options_.time_limit - Seconds());
  }

  int64_t used() const { return used_; }
  int64_t left() const { return options_.node_limit - used_; }

 private:
  static constexpr size_t kItems = 256;
  static constexpr double kItemsPerSecond = 5e7;

  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  const PlanOptions& options_;
  const std::chrono::steady_clock::time_point start_;
  int64_t used_ = 0;
  int64_t next_look_ = 1024;
  bool stopped_ = false;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_SEARCH_BUDGET_H_
