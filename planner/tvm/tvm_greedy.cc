// The greedy algorithms of Apache TVM's static memory planner, written from their description;
// docs/internals/planner.md says where and why the results differ.

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "planner/algorithms.h"
#include "planner/tvm/tvm_common.h"
#include "planner/tvm/tvm_plain.h"
#include "support/status_macros.h"

namespace tenon::planner {
namespace {

using Row = OffsetTable::Row;

class Greedy {
 public:
  explicit Greedy(const TvmProblem& tvm)
      : tvm_(tvm), placements_(tvm.problem->buffers.size()), table_(*tvm.problem) {}

  Attempt Run(const std::vector<int32_t>& order) {
    for (int32_t buffer : order) {
      Row* row = Choose(buffer);
      if (row == nullptr) return {std::move(placements_), buffer};
      placements_[Index(buffer)] = {row->pool, row->offset};
    }
    return {std::move(placements_), std::nullopt};
  }

 private:
  Row* Choose(int32_t buffer) {
    table_.Reset(buffer);
    for (int32_t obstacle : tvm_.obstacles[Index(buffer)]) Raise(obstacle);
    Row* row = table_.Best();
    while (row != nullptr && Overlaps(buffer, *row)) {
      row->dead = true;
      row = table_.Best();
    }
    return row;
  }

  // Moves the offset in the obstacle's pool above it, or drops the pool. As in TVM, a lower
  // obstacle may bring the pool back, so Overlaps decides in the end.
  void Raise(int32_t obstacle) {
    const Placement& placed = placements_[Index(obstacle)];
    Row* row = placed.pool < 0 ? nullptr : table_.Find(placed.pool);
    if (row == nullptr) return;
    const int64_t next = table_.OffsetAfter(obstacle, placed.offset, placed.pool);
    if (!table_.Fits(placed.pool, next)) {
      row->present = false;
      return;
    }
    row->offset = row->present ? std::max(row->offset, next) : next;
    row->present = true;
  }

  bool Overlaps(int32_t buffer, const Row& row) const {
    const int64_t end = row.offset + tvm_.problem->buffers[Index(buffer)].size;
    const std::vector<int32_t>& obstacles = tvm_.obstacles[Index(buffer)];
    return std::any_of(obstacles.begin(), obstacles.end(), [&](int32_t obstacle) {
      const Placement& placed = placements_[Index(obstacle)];
      return placed.pool == row.pool && placed.offset < end &&
             row.offset < placed.offset + tvm_.problem->buffers[Index(obstacle)].size;
    });
  }

  const TvmProblem& tvm_;
  std::vector<Placement> placements_;
  OffsetTable table_;
};

absl::StatusOr<Attempt> RunGreedy(const Problem& problem, TvmOrder order, std::string_view name) {
  if (const std::optional<PlainTvm> plain = PlainTvm::Make(problem)) {
    if (auto placements = plain->PlaceAbove(order)) return Attempt{*std::move(placements), {}};
  }
  TENON_ASSIGN_OR(TvmProblem tvm, PrepareTvmProblem(problem, name));
  return Greedy(tvm).Run(SortForTvm(tvm, order));
}

}  // namespace

absl::StatusOr<Attempt> GreedyBySize(const Problem& problem, const PlanOptions&) {
  return RunGreedy(problem, TvmOrder::kBySize, "greedy_by_size");
}

absl::StatusOr<Attempt> GreedyByConflicts(const Problem& problem, const PlanOptions&) {
  return RunGreedy(problem, TvmOrder::kByConflicts, "greedy_by_conflicts");
}

}  // namespace tenon::planner
