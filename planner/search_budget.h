#ifndef TENON_PLANNER_SEARCH_BUDGET_H_
#define TENON_PLANNER_SEARCH_BUDGET_H_

// Internal: how much more the exact searches may do.

#include <chrono>
#include <cstdint>

#include "planner/planner.h"

namespace tenon::planner {

/// Counts tried placements against the limits of PlanOptions. The clock and the caller are asked
/// every 1024 tries, so a limit of tries alone gives the same answers everywhere.
class SearchBudget {
 public:
  explicit SearchBudget(const PlanOptions& options)
      : options_(options), start_(std::chrono::steady_clock::now()) {}

  /// Counts one try.
  void Take() {
    if ((++used_ & 1023) == 0) Look();
  }

  /// Nothing more may be done.
  bool Spent() const { return stopped_ || used_ >= options_.node_limit; }

  /// Asks the clock and the caller now.
  void Look() {
    if (stopped_) return;
    if (options_.stop && options_.stop()) stopped_ = true;
    if (options_.time_limit && Seconds() >= *options_.time_limit) stopped_ = true;
  }

  int64_t used() const { return used_; }
  int64_t left() const { return options_.node_limit - used_; }

 private:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  const PlanOptions& options_;
  const std::chrono::steady_clock::time_point start_;
  int64_t used_ = 0;
  bool stopped_ = false;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_SEARCH_BUDGET_H_
