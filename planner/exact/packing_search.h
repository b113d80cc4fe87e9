#ifndef TENON_PLANNER_EXACT_PACKING_SEARCH_H_
#define TENON_PLANNER_EXACT_PACKING_SEARCH_H_

// Internal: the exact search for a packing below a capacity.

#include <cstdint>
#include <vector>

#include "planner/exact/packing.h"
#include "planner/exact/search_budget.h"

namespace tenon::planner {

enum class SearchResult : uint8_t { kFound, kNone, kStopped };

/// Depth-first search over the packings in which every item rests on the ground or on another item,
/// built from the bottom: offsets never decrease with depth, and a given order breaks ties. Four
/// parts follow Moffitt, "MiniMalloc" (ASPLOS 2023): the canonical form, the bound by sections, the
/// dominance of low items, and the inference at items that carry nothing. Cut sections divide the
/// remaining items into parts that are solved alone.
class PackingSearch {
 public:
  PackingSearch(const Packing& packing, SearchBudget* budget);

  /// Looks for offsets with all ends at or below `capacity`, trying at most `max_tries` placements.
  /// `order` has all items, the ones to try first in front. kNone is a proof. The item with the
  /// lowest possible offset comes first and `order` breaks ties; with `follow`, only `order`
  /// decides.
  SearchResult Run(int64_t capacity, const std::vector<int32_t>& order, int64_t max_tries,
                   bool follow);

  /// The offsets of the packing; valid after kFound.
  const std::vector<int64_t>& offsets() const { return offsets_; }

  /// The number of placements that each section refuted, over all runs; the caller may lower the
  /// counts.
  std::vector<int64_t>& failures() { return failures_; }

  /// The increment of `failures` for one refutation.
  static constexpr int64_t kFailure = 1 << 16;

 private:
  // Items stack_[begin, begin + count), in the given order, over sections [first, end).
  struct Part {
    size_t begin;
    size_t count;
    int32_t first;
    int32_t end;
  };
  // The least offset of the next item, and the least rank at that offset.
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
  // By section: strides of unplaced items, their limit, unplaced items that cross into the next
  // section, and refutations.
  std::vector<int64_t> total_;
  std::vector<int64_t> limit_;
  std::vector<int32_t> crossing_;
  std::vector<int64_t> failures_;
  std::vector<int32_t> stack_;
  std::vector<Raised> raised_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_PACKING_SEARCH_H_
