#include "planner/problem/overlaps.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tenon::planner {
namespace {

constexpr int64_t kMaxEntries = int64_t{1} << 27;

struct TimedPiece {
  int64_t lower;
  int64_t upper;
  int32_t buffer;
};

std::vector<TimedPiece> PiecesByTime(const Problem& problem, const PairRules& rules) {
  std::vector<TimedPiece> pieces;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const auto buffer = static_cast<int32_t>(i);
    for (const UsePiece& piece : rules.Pieces(buffer)) {
      pieces.push_back({piece.lower, piece.upper, buffer});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const TimedPiece& a, const TimedPiece& b) { return a.lower < b.lower; });
  return pieces;
}

class PairCollector {
 public:
  PairCollector(const Problem& problem, const PairRules& rules)
      : rules_(rules), lists_(problem.buffers.size()) {}

  absl::Status Add(int32_t a, int32_t b) {
    if (a == b || (!lists_[Index(a)].empty() && lists_[Index(a)].back() == b))
      return absl::OkStatus();
    scratch_.clear();
    rules_.AddForbidden(a, b, &scratch_);
    if (scratch_.empty()) return absl::OkStatus();
    lists_[Index(a)].push_back(b);
    lists_[Index(b)].push_back(a);
    if ((entries_ += 2) > kMaxEntries) {
      return absl::UnimplementedError("the buffers have more than 2^27 conflicts");
    }
    return absl::OkStatus();
  }

  ConflictLists Finish() {
    for (std::vector<int32_t>& list : lists_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return std::move(lists_);
  }

 private:
  const PairRules& rules_;
  ConflictLists lists_;
  std::vector<DifferenceRange> scratch_;
  int64_t entries_ = 0;
};

}  // namespace

absl::StatusOr<ConflictLists> ConflictingPairs(const Problem& problem, const PairRules& rules) {
  PairCollector collector(problem, rules);
  std::vector<TimedPiece> active;
  for (const TimedPiece& piece : PiecesByTime(problem, rules)) {
    std::erase_if(active, [&](const TimedPiece& old) { return old.upper <= piece.lower; });
    for (const TimedPiece& old : active) {
      absl::Status status = collector.Add(old.buffer, piece.buffer);
      if (!status.ok()) return status;
    }
    active.push_back(piece);
  }
  for (const Relation& relation : problem.relations) {
    absl::Status status = collector.Add(relation.a, relation.b);
    if (!status.ok()) return status;
  }
  return collector.Finish();
}

}  // namespace tenon::planner
