#ifndef TENON_LOWERING_C_C_CONSTANT_USE_H_
#define TENON_LOWERING_C_C_CONSTANT_USE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/effects.h"
#include "ir/memory_pools.h"
#include "ir/stmt.h"
#include "lowering/blob.h"

// Internal to lowering/c: which constants of a file a piece of code needs, so that they are checked
// before it runs. Constants are known by number: parts of blobs, counted over all blobs of the
// module in their order, which is what the checking code of lowering/image counts by.

namespace tenon::c_lowering {

struct ModuleState;

/// Numbers in ascending order, each once.
using ConstantNumbers = std::vector<size_t>;

/// The parts of a blob that have bytes between two offsets.
ConstantNumbers PartsBetween(const ModuleState& state, size_t blob, int64_t begin, int64_t end);

/// Pools of constants within a module: which parameters of its functions are their addresses, and
/// what lies where.
class ConstantPoolMap {
 public:
  /// Pools that parameters of the entry stand for: the parameter's index, the pool's blob, and the
  /// pool. `order` has the functions that can run, callees first.
  struct Pool {
    size_t param = 0;
    size_t blob = 0;
    const PoolInfo* info = nullptr;
  };
  ConstantPoolMap(const ModuleState& state, const Function& entry, const std::vector<Pool>& pools,
                  const std::vector<const Function*>& order);

  /// Whether a function takes the address of this blob as that parameter, whoever calls it. Then
  /// it checks itself what it reads there.
  bool IsPool(const Function& function, size_t param, size_t blob) const;
  /// The blob that a function knows by this variable.
  std::optional<size_t> BlobOf(const Var* var) const;
  /// The end of what a pointer to byte `begin` of the pool may reach: that of the constants there;
  /// the pool's when there are none.
  int64_t EndOf(size_t blob, int64_t begin) const;

 private:
  struct Extents {
    int64_t size_bytes = 0;
    std::vector<int64_t> begins;  ///< of the constants, ascending
    std::vector<int64_t> ends;    ///< the largest end of this constant and those before
  };
  bool Propagate(const Function& caller);

  const ModuleState& state_;
  /// By function: a blob for each parameter, or one of the two below.
  static constexpr int64_t kUnknown = -2;
  static constexpr int64_t kNoPool = -1;
  absl::flat_hash_map<Symbol, std::vector<int64_t>> params_;
  absl::flat_hash_map<const Var*, size_t> blob_of_;
  absl::flat_hash_map<size_t, Extents> extents_;
};

/// What one function needs.
class ConstantUses {
 public:
  /// Defines the constants of the function that are in no pool.
  ConstantUses(ModuleState& state, const ConstantPoolMap& pools, const Function& function);

  /// What the function itself loads.
  ConstantNumbers Loaded() const;
  /// What `node`, the function's statement or an expression in it, passes to other functions, or
  /// takes the address of.
  ConstantNumbers Passed(const Node* node) const;
  /// Whether a pointer variable is known to be the address of a constant.
  bool IsKnown(const Var* var) const { return places_.contains(var); }

 private:
  friend class UseCollector;
  /// Bytes of a blob that a pointer may reach.
  struct Place {
    size_t blob = 0;
    int64_t begin = 0;
    int64_t end = 0;
    bool is_pool = false;  ///< the address of the pool itself
  };
  std::optional<Place> PlaceOf(const Var* var) const;
  std::optional<Place> PlaceOf(const Expr* pointer) const;
  void Bind(const Var* var, const Expr* value);

  ModuleState& state_;
  const ConstantPoolMap& pools_;
  const Function& function_;
  absl::flat_hash_map<const Var*, Place> places_;
};

}  // namespace tenon::c_lowering

#endif  // TENON_LOWERING_C_C_CONSTANT_USE_H_
