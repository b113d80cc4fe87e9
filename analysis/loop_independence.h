#ifndef TENON_ANALYSIS_LOOP_INDEPENDENCE_H_
#define TENON_ANALYSIS_LOOP_INDEPENDENCE_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "arith/analyzer.h"
#include "ir/function.h"
#include "ir/overlaps.h"

// Finds loops that may run their iterations in another order, or several of them at once.

namespace tenon {

/// The storage of a function's pointers. Two allocations are different storage. So are parameters
/// when the function has `tir.noalias`, except for pairs in `tenon.overlaps`.
class FunctionStorage {
 public:
  explicit FunctionStorage(const PrimFunc& func);

  /// The variable of an allocation that was made since.
  void AddAllocated(const Var* data) { allocated_.insert(data); }

  bool IsParam(const Var* data) const { return params_.contains(data); }
  bool IsAllocated(const Var* data) const { return allocated_.contains(data); }
  bool IsKnown(const Var* data) const { return IsParam(data) || IsAllocated(data); }
  /// Both are known, and a store through one of them may change what the other one points to.
  bool MayAlias(const Var* a, const Var* b) const {
    if (a == b || !IsKnown(a) || !IsKnown(b)) return true;
    const auto x = params_.find(a);
    const auto y = params_.find(b);
    return x != params_.end() && y != params_.end() && MayOverlap(x->second, y->second);
  }

 private:
  bool MayOverlap(size_t a, size_t b) const;

  /// Parameters and the data of their buffers, with their numbers.
  absl::flat_hash_map<const Var*, size_t> params_;
  absl::flat_hash_set<const Var*> allocated_;
  bool noalias_ = false;
  std::vector<ParamPair> overlaps_;
};

/// No iteration of `loop` reads or writes what another one writes, but for what its body allocates,
/// and the body is made of nothing but loops with constant bounds, stores, conditions and
/// allocations, whose values are computed from memory and pure builtins. So the iterations may be
/// interleaved in any way that keeps the order within each. `around` are the loops around it, from
/// the outside. False when in doubt.
bool IterationsAreIndependent(const FunctionStorage& storage, const std::vector<const For*>& around,
                              const For* loop);

/// The iterations of a loop with this extent count as int64, which is how threads get their shares.
/// False for an extent of type uint64 unless the analyzer proves that it is below 2^63.
bool CountFitsInt64(Analyzer& analyzer, const Expr* extent);

/// The value has no effect, reads memory by loads only, and takes no address.
bool IsPlainValue(const Expr* expr);

}  // namespace tenon

#endif  // TENON_ANALYSIS_LOOP_INDEPENDENCE_H_
