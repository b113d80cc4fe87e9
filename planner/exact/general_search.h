#ifndef TENON_PLANNER_EXACT_GENERAL_SEARCH_H_
#define TENON_PLANNER_EXACT_GENERAL_SEARCH_H_

// Internal: exact search for few buffers with any rules.

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/exact/part_solver.h"

namespace tenon::planner {

/// Solves fixed offsets, alignments, gap windows and relations in one pool, for up to kMaxBuffers
/// buffers.
///
/// A pair must avoid some ranges of offset differences, so it lies on one side or the other of each
/// range. A choice of a side is a constraint offset(b) >= offset(a) + d. Among all offsets that
/// satisfy the choices, there are least ones for all buffers at once: the least fixed point of
/// monotone functions, with or without alignment. There are also largest ones below the capacity.
/// The search chooses sides for pairs that the least offsets violate until no pair is violated.
/// This is the disjunctive graph of job shop scheduling (Roy and Sussmann 1964; Carlier and Pinson
/// 1989), with the one-machine bound on the bytes used at one time.
class GeneralSearch : public PartSolver {
 public:
  static constexpr size_t kMaxBuffers = 256;

  GeneralSearch(const Problem& problem, const PairRules& rules, int32_t pool,
                std::vector<int32_t> buffers, SearchBudget* budget);

  SearchResult Solve(int64_t capacity, int64_t max_tries) override;
  const std::vector<int64_t>& offsets() const override { return offsets_; }
  int64_t cost() const override { return kCost; }

 private:
  static constexpr int64_t kCost = 16;

  // offset(to) >= offset(from) + by.
  struct Arc {
    size_t from;
    size_t to;
    int64_t by;
  };
  // A forbidden range of differences offset(b) - offset(a): `low` enforces a smaller difference,
  // `high` a larger one. `by` is kFarAbove if a side does not exist.
  struct Choice {
    Arc low;
    Arc high;
    int64_t first;
    int64_t last;
  };
  // Bytes that a buffer uses at one time.
  struct Use {
    size_t buffer;
    int64_t first_byte;
    int64_t end_byte;
  };
  using Stack = std::vector<Use>;
  // The possible offsets under the choices so far.
  struct Window {
    std::vector<int64_t> least;
    std::vector<int64_t> most;
  };

  void FindChoices(const PairRules& rules);
  void FindStacks(const PairRules& rules);
  void FindCliques();
  SearchResult Descend(Window window);
  SearchResult Branch(const Window& window, const Choice& choice, bool low);
  SearchResult Settle(Window* window);
  SearchResult FollowArcs(Window* window);
  bool Force(const Window& window, bool* changed);
  bool Possible(const Window& window, const Arc& arc) const;
  size_t Choose(const Window& window) const;
  int64_t StackBound(const Stack& stack, const std::vector<int64_t>& least) const;
  bool StackFits(const Stack& stack, const Window& window);
  std::optional<int64_t> EndAfter(int64_t end, const Use& use, const Window& window) const;
  template <class Begin>
  bool OrderFits(const Stack& stack, const Window& window, const Begin& begin) const;
  bool SomeOrderFits(const Stack& stack, const Window& window);

  SearchBudget* budget_;
  int64_t base_offset_;
  std::vector<int64_t> sizes_;
  std::vector<int64_t> alignments_;
  // The window before any choice.
  Window whole_;
  std::vector<Choice> choices_;
  std::vector<bool> decided_;
  // The buffers whose windows the last choice changed.
  std::vector<bool> moved_;
  // Uses that never share a byte.
  std::vector<Stack> stacks_;
  // The constraints of the choices so far, and the numbers of these choices.
  std::vector<Arc> arcs_;
  std::vector<size_t> trail_;
  size_t depth_ = 0;
  // The least end, by subset of a stack.
  std::vector<int64_t> ends_;
  int64_t capacity_ = 0;
  int64_t tries_left_ = 0;
  std::vector<int64_t> offsets_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_GENERAL_SEARCH_H_
