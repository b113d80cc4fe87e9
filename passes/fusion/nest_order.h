#ifndef TENON_PASSES_FUSION_NEST_ORDER_H_
#define TENON_PASSES_FUSION_NEST_ORDER_H_

#include <optional>
#include <vector>

#include "ir/analysis/digits.h"
#include "passes/fusion/nest.h"
#include "passes/fusion/region.h"

namespace tenon {

/// One access; its element is a linear index over digits.
struct ElementAccess {
  LinearIndex element;
  bool is_store = false;
};

/// Finds the elements of one buffer that nests access in the iterations of their outer loops, which
/// one digit counts.
class NestAccesses {
 public:
  /// `iterations` is the number of iterations of all outer loops. Loops around have the same
  /// counters for all accesses.
  NestAccesses(int64_t iterations, Span<const For*> around);

  const Digits& digits() const { return digits_; }
  /// Makes `loops` the outer loops of the next statement; false when in doubt.
  bool Enter(Span<const For*> loops) { return forms_.EnterAll(loops, count_); }
  /// The accesses of `data` in `stmt`; nullopt if one of them is not known.
  std::optional<std::vector<ElementAccess>> Collect(const Stmt* stmt, const Var* data);

  /// True if two accesses, one of them a store, reach the same element only in the same iteration.
  bool MeetOnlyAtSame(const std::vector<ElementAccess>& a,
                      const std::vector<ElementAccess>& b) const;
  /// The element of an access in the first iteration.
  LinearIndex First(const ElementAccess& access) const;

 private:
  /// The groups of digits.
  enum LoopGroup { kInside = 0, kAround = 1, kCounted = 2 };

  bool CollectIn(const Node* node, const Var* data, std::vector<ElementAccess>& found);

  Digits digits_;
  FormBuilder forms_{digits_};
  LinearIndex count_;
};

/// Asks if two nests may run in turns: each iteration of the first `depth` loops of `first`, then
/// the iteration of the same number of the first `other_depth` loops of `second`. Otherwise all of
/// `first` runs before all of `second`.
struct NestPair {
  const Nest& first;
  size_t depth = 0;
  const StmtAccesses& first_accesses;
  const Nest& second;
  size_t other_depth = 0;
  const StmtAccesses& second_accesses;
};
bool MayTakeTurns(const NestPair& pair, Span<const For*> around, const FunctionStorage& storage);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_NEST_ORDER_H_
