#ifndef TENON_PASSES_FUSION_NEST_ORDER_H_
#define TENON_PASSES_FUSION_NEST_ORDER_H_

#include <optional>
#include <vector>

#include "ir/analysis/digits.h"
#include "passes/fusion/nest.h"
#include "passes/fusion/region.h"

namespace tenon {

/// One access; its element is a form over digits.
struct ElementAccess {
  LinearIndex element;
  bool is_store = false;
};

/// Finds the elements of one buffer that statements access. The caller defines the values of some
/// loops' variables.
class ElementForms {
 public:
  Digits& digits() { return digits_; }

  /// Defines the variables of `loops` as the parts of `count`, which counts their iterations in
  /// order; false when in doubt.
  bool DefineCounted(Span<const For*> loops, const LinearIndex& count);
  /// Lets the variables of loops around count independently, the same for all accesses.
  void DefineAround(Span<const For*> loops);
  /// The accesses of `data` in `stmt`; nullopt if one of them is not known.
  std::optional<std::vector<ElementAccess>> Collect(const Stmt* stmt, const Var* data);

  /// True if two accesses, one of them a store, reach the same element only at the same `count`.
  bool MeetOnlyAtSame(const std::vector<ElementAccess>& a, const std::vector<ElementAccess>& b,
                      const LinearIndex& count) const;
  std::vector<int> LeavesOf(const LinearIndex& count) const;

 private:
  bool CollectIn(const Node* node, const Var* data, std::vector<ElementAccess>& found);

  Digits digits_;
  FormBuilder forms_{digits_};
  std::vector<LinearIndex> around_;
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
