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

// Internal to lowering/c: the constants of a file that a piece of code needs, so that they are
// checked before it runs. A constant is identified by its number: parts are numbered in order over
// all blobs of the module. The checking code of lowering/image uses the same numbers.

namespace tenon::c_lowering {

struct ModuleState;

/// Numbers in ascending order, without duplicates.
using ConstantNumbers = std::vector<size_t>;

/// The parts of a blob that have bytes between two offsets.
ConstantNumbers PartsBetween(const ModuleState& state, size_t blob, int64_t begin, int64_t end);

/// Constant pools of a module: which parameters of its functions are their addresses, and where
/// their constants lie.
class ConstantPoolMap {
 public:
  /// A pool that is a parameter of the entry: the parameter's index, the pool's blob, and the pool.
  /// `order` lists the functions that can run, callees first.
  struct Pool {
    size_t param = 0;
    size_t blob = 0;
    const PoolInfo* info = nullptr;
  };
  ConstantPoolMap(const ModuleState& state, const Function& entry, const std::vector<Pool>& pools,
                  const std::vector<const Function*>& order);

  /// Whether every caller passes the address of this blob as that parameter. The function then
  /// checks its own reads of the blob.
  bool IsPool(const Function& function, size_t param, size_t blob) const;
  /// The blob that this variable of a function points to.
  std::optional<size_t> BlobOf(const Var* var) const;
  /// The end of the bytes that a pointer to byte `begin` of the pool may reach: the end of the
  /// constants at that byte, or of the pool if there are none.
  int64_t EndOf(size_t blob, int64_t begin) const;

 private:
  struct Extents {
    int64_t size_bytes = 0;
    std::vector<int64_t> begins;  ///< of the constants, ascending
    std::vector<int64_t> ends;    ///< the largest end of this and all previous constants
  };
  bool Propagate(const Function& caller);

  const ModuleState& state_;
  /// For each function, the blob of each parameter, or kUnknown or kNoPool.
  static constexpr int64_t kUnknown = -2;
  static constexpr int64_t kNoPool = -1;
  absl::flat_hash_map<Symbol, std::vector<int64_t>> params_;
  absl::flat_hash_map<const Var*, size_t> blob_of_;
  absl::flat_hash_map<size_t, Extents> extents_;
};

/// The constants that one function needs.
class ConstantUses {
 public:
  /// Also defines the function's constants that are in no pool.
  ConstantUses(ModuleState& state, const ConstantPoolMap& pools, const Function& function);

  /// The constants that the function itself loads.
  ConstantNumbers Loaded() const;
  /// The constants that `node`, a statement or expression of the function, passes to other
  /// functions or takes the address of.
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
