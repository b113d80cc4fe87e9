#ifndef TENON_PASSES_MEMORY_PLACED_MODULE_H_
#define TENON_PASSES_MEMORY_PLACED_MODULE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/access_program.h"
#include "ir/module.h"
#include "support/diagnostics.h"

// A planned module as verify-plan sees it: the accesses of its functions, and the allocations with
// their places. Nothing here comes from the analyses that made the plan: the layout test refuses
// every include that leads to ir/analysis/liveness.h.

namespace tenon {

/// An Allocate or AllocateConst that the entry reaches.
struct PlacedAllocation {
  const Stmt* stmt = nullptr;
  /// The function that contains it, and its root there.
  Symbol function;
  PointerRoot root = 0;
  /// The variable's name, with a suffix 2, 3, ... if an earlier allocation has the same name.
  std::string name;
  int64_t size_bytes = 0;
  /// The place; an empty pool for an allocation that is not in a pool.
  std::string pool;
  int64_t offset = 0;
  /// The data of an AllocateConst; null for an Allocate.
  const Constant* data = nullptr;
  /// An input or output of the entry. The caller writes it before a run, or needs it afterwards.
  bool is_entry_tensor = false;
  bool comes_in = false;
  bool goes_out = false;

  /// True if the place is one that a pool can have, so that addresses can be added up.
  bool has_place() const;
  bool is_workspace() const { return has_place() && data == nullptr; }
};

/// One function that the entry reaches.
struct PlacedFunction {
  PlacedFunction(const IRModule& module, const Function& of);

  Function function;
  AccessProgram program;
  /// The allocation of each root; -1 for parameters.
  std::vector<int32_t> allocation_of;
  /// All allocations in it and in the functions that it calls.
  absl::flat_hash_set<int32_t> reaches;
  /// It lets a pointer escape, or calls a function that does.
  bool escapes = false;
  /// The positions in the program's list of items that mention a root, that call functions which
  /// reach an allocation, or that contain ends of the function; ascending.
  absl::flat_hash_map<PointerRoot, std::vector<size_t>> mentions;
  absl::flat_hash_map<int32_t, std::vector<size_t>> calls_to;
  std::vector<size_t> leaves;

  /// True for a function that neither calls functions of the module nor allocates.
  bool IsPlain() const;
};

/// Two arguments of a call that share bytes, or an argument and memory of the called function.
struct SharedArgument {
  const Function* callee = nullptr;
  size_t param = 0;
  int32_t allocation = 0;
  int32_t other = 0;
  /// The parameter of the other argument; nullopt for memory of the function.
  std::optional<size_t> other_param;
};

/// A call that passes the starts of two allocations.
struct CallOfPair {
  const Function* callee = nullptr;
  size_t first_param = 0;
  size_t second_param = 0;
};

class PlacedModule {
 public:
  /// Follows the calls of the entry. Nullopt, with errors, for recursion, for functions that are
  /// not lowered, and for programs whose calls expand to too many items.
  static std::optional<PlacedModule> Of(const IRModule& module, const Function& entry,
                                        Diagnostics& diagnostics);

  const std::vector<PlacedAllocation>& allocations() const { return allocations_; }
  const PlacedAllocation& At(int32_t index) const {
    return allocations_[static_cast<size_t>(index)];
  }
  const PlacedFunction& entry() const { return *functions_.at(entry_); }
  const PlacedFunction& Find(Symbol name) const { return *functions_.at(name); }
  /// The allocations of a name: `t12` may be the second `t1` or the first `t12`.
  std::vector<int32_t> Named(std::string_view name) const;

  /// Workspace allocations that share a byte and may hold values at the same time, if each counts
  /// from its first to its last access, and through the loops that access it.
  const std::set<std::pair<int32_t, int32_t>>& meetings() const { return meetings_; }
  /// Allocations in parallel loops: their instances are in use at the same time.
  const std::set<int32_t>& concurrent() const { return concurrent_; }
  /// Where functions that promise not to alias get memory that shares bytes.
  const std::vector<SharedArgument>& shared_arguments() const { return shared_arguments_; }
  /// The calls that pass the start of each pair of allocations, in order.
  const std::vector<CallOfPair>& CallsOf(int32_t first, int32_t second) const;

  bool ShareBytes(int32_t a, int32_t b) const;

 private:
  friend class ModuleUnfolder;

  Symbol entry_;
  std::vector<PlacedAllocation> allocations_;
  absl::flat_hash_map<Symbol, std::unique_ptr<PlacedFunction>> functions_;
  std::set<std::pair<int32_t, int32_t>> meetings_;
  std::set<int32_t> concurrent_;
  std::vector<SharedArgument> shared_arguments_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, std::vector<CallOfPair>> calls_of_;
};

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_PLACED_MODULE_H_
