#ifndef TENON_ANALYSIS_LOOP_INDEPENDENCE_H_
#define TENON_ANALYSIS_LOOP_INDEPENDENCE_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "arith/analyzer.h"
#include "ir/function.h"
#include "ir/overlaps.h"

// Finds loops whose iterations may run in another order, or concurrently.

namespace tenon {

/// The storage of a function's pointers. Different allocations are different storage, and so are
/// parameters if the function has `tir.noalias`, except for pairs in `tenon.overlaps`.
class FunctionStorage {
 public:
  explicit FunctionStorage(const PrimFunc& func);

  /// Adds the variable of a new allocation.
  void AddAllocated(const Var* data) { allocated_.insert(data); }

  bool IsParam(const Var* data) const { return params_.contains(data); }
  bool IsAllocated(const Var* data) const { return allocated_.contains(data); }
  bool IsKnown(const Var* data) const { return IsParam(data) || IsAllocated(data); }
  /// False only if both are known and a store through one cannot change the storage of the other.
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

/// True if no iteration of `loop` reads or writes data that another iteration writes, except in
/// allocations of the body. The body must consist of loops with constant bounds, stores,
/// conditions, allocations and LetStmts, with values computed from memory and pure builtins. The
/// iterations may then be interleaved in any way that keeps the order within each. `around` are the
/// enclosing loops, the outermost first. Memory in `ignored` is left out of account. False if
/// unknown.
bool IterationsAreIndependent(const FunctionStorage& storage, const std::vector<const For*>& around,
                              const For* loop, const absl::flat_hash_set<const Var*>& ignored = {});

/// True if an int64 can count the iterations of a loop with this extent, which is how threads get
/// their shares. False for a uint64 extent unless the analyzer proves that it is below 2^63.
bool CountFitsInt64(Analyzer& analyzer, const Expr* extent);

/// True if the value has no effect, reads memory only by loads, and takes no address.
bool IsPlainValue(const Expr* expr);

}  // namespace tenon

#endif  // TENON_ANALYSIS_LOOP_INDEPENDENCE_H_
