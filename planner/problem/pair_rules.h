#ifndef TENON_PLANNER_PROBLEM_PAIR_RULES_H_
#define TENON_PLANNER_PROBLEM_PAIR_RULES_H_

// Internal to the planners: the offset differences that a pair of buffers must avoid in one pool.
// The checker has a separate implementation on purpose.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// The ends of unbounded ranges.
inline constexpr int64_t kFarBelow = INT64_MIN;
inline constexpr int64_t kFarAbove = INT64_MAX;

/// An interval of time in which a buffer uses the bytes [first_byte, end_byte), which are not
/// empty.
struct UsePiece {
  int64_t lower;
  int64_t upper;
  int64_t first_byte;
  int64_t end_byte;
};

/// Splits every buffer's lifetimes at its gap windows once, and then answers queries about pairs.
class PairRules {
 public:
  explicit PairRules(const Problem& problem);

  /// Appends to `out` the closed ranges of offset(b) - offset(a) that the pair must avoid in one
  /// pool.
  void AddForbidden(int32_t a, int32_t b, std::vector<DifferenceRange>* out) const;

  /// True if the pair must avoid any difference.
  bool Conflict(int32_t a, int32_t b) const;

  /// True if no rule forbids placing one buffer wholly above the other.
  bool AllowsApart(int32_t a, int32_t b) const;

  /// The relation between the two buffers, or null.
  const Relation* FindRelation(int32_t a, int32_t b) const;

  /// The buffers with a relation to `buffer`, ascending.
  std::span<const int32_t> Related(int32_t buffer) const { return related_[Index(buffer)]; }

  /// In order of time; a constant has one piece that covers all of time.
  std::span<const UsePiece> Pieces(int32_t buffer) const {
    return std::span<const UsePiece>(pieces_).subspan(
        first_piece_[Index(buffer)], first_piece_[Index(buffer + 1)] - first_piece_[Index(buffer)]);
  }

 private:
  void AddPieces(const Buffer& buffer);
  void AddRelation(const Relation& relation, bool reversed,
                   std::vector<DifferenceRange>* out) const;
  void AddLifetimes(int32_t a, int32_t b, std::vector<DifferenceRange>* out) const;
  bool ShareGroup(int32_t a, int32_t b) const;

  const Problem& problem_;
  std::vector<UsePiece> pieces_;
  std::vector<size_t> first_piece_;
  std::vector<std::vector<int32_t>> related_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> relations_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_PAIR_RULES_H_
