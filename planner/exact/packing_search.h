#ifndef TENON_PLANNER_EXACT_PACKING_SEARCH_H_
#define TENON_PLANNER_EXACT_PACKING_SEARCH_H_

// Internal: the exact search for a packing below a capacity.

#include <cstdint>
#include <vector>

#include "planner/exact/packing.h"
#include "planner/exact/search_budget.h"

namespace tenon::planner {

enum class SearchResult : uint8_t { kFound, kNone, kStopped };

/// Depth-first over the packings in which every item stands on the ground or on another one, each
/// made from below: offsets never decrease on the way down the tree, ties go by a given order. The
/// canonical form, the bound by sections, the dominance of low items and the inference at items
/// that carry nothing follow Moffitt, "MiniMalloc" (ASPLOS 2023); cut sections divide what is
/// left into parts that are solved alone.
class PackingSearch {
 public:
  PackingSearch(const Packing& packing, SearchBudget* budget);

  /// Looks for offsets with all ends at or below `capacity`, trying at most `max_tries` placements.
  /// `order` has the items, the ones to be tried first in front. kNone is a proof.
  /// What can be placed lowest comes first, and `order` decides ties; with `follow`, `order` alone.
  SearchResult Run(int64_t capacity, const std::vector<int32_t>& order, int64_t max_tries,
                   bool follow);

  /// After kFound.
  const std::vector<int64_t>& offsets() const { return offsets_; }

  /// How often each section refuted a placement, over all runs; the caller may lower them.
  std::vector<int64_t>& failures() { return failures_; }

  /// What a refutation adds to `failures`.
  static constexpr int64_t kFailure = 1 << 16;

 private:
  // Items stack_[begin, begin + count), in the given order, over sections [first, end).
  struct Part {
    size_t begin;
    size_t count;
    int32_t first;
    int32_t end;
  };
  // The least offset and the least rank at it that the next item may have.
  struct Step {
    int64_t offset = -1;
    int32_t rank = -1;
  };
  struct Raised {
    int32_t item;
    int64_t old;
  };

  SearchResult Solve(const Part& part, Step step);
  SearchResult Try(const Part& part, int32_t item, bool* carries);
  SearchResult Follow(const Part& part, int32_t item);
  SearchResult SolveApart(const Part& part, int32_t item);
  size_t PushCandidates(const Part& part, Step step);
  int64_t HighestOffset(const Part& part) const;
  bool Raise(int32_t item, int32_t* first, int32_t* end, bool* carries);
  bool Possible(const Part& part, int32_t item, int32_t first, int32_t end);
  bool Refutes(int32_t section, int64_t offset);

  const Packing& packing_;
  SearchBudget* budget_;
  int64_t capacity_ = 0;
  int64_t tries_left_ = 0;
  bool follow_ = false;
  int32_t last_failure_ = -1;
  // By item.
  std::vector<int64_t> least_;
  std::vector<int64_t> offsets_;
  std::vector<int32_t> rank_;
  std::vector<bool> placed_;
  // By section: strides of what is not placed, what they may add up to, unplaced items that cross
  // into the next section, and refutations.
  std::vector<int64_t> total_;
  std::vector<int64_t> limit_;
  std::vector<int32_t> crossing_;
  std::vector<int64_t> failures_;
  std::vector<int32_t> stack_;
  std::vector<Raised> raised_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_PACKING_SEARCH_H_
