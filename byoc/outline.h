#ifndef TENON_BYOC_OUTLINE_H_
#define TENON_BYOC_OUTLINE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "byoc/callee_renamer.h"
#include "byoc/region_units.h"

// Turns the statements of a region into a function.

namespace tenon {

/// The use of a caller's variable by a region.
enum class RegionUse : uint8_t {
  kInput,     ///< memory that it reads
  kInOut,     ///< memory that it reads and writes
  kOutput,    ///< memory that it writes, without a read of the previous contents
  kInternal,  ///< memory whose new contents are used only in the region
  kConstant,
  kOther,  ///< a number, or a pointer that is an alias
};

struct RegionVar {
  const Var* var = nullptr;
  RegionUse use = RegionUse::kOther;
};

/// The uses of a scope's memory, in the order in which the units run.
class ScopeUses {
 public:
  ScopeUses(const CallFlow& flow, const FlowScope& scope, const std::vector<RegionUnit>& units);

  /// The variables that the statements of unit `at` use and do not define, in order of first use.
  std::vector<RegionVar> VarsOf(size_t at) const;

 private:
  struct Use {
    size_t unit = 0;
    FlowAccess access;
  };

  RegionUse UseOf(const Var* root, size_t at) const;
  bool HasValueBefore(const Var* root, const std::vector<Use>& uses, size_t at) const;
  bool IsNeededAfter(const Var* root, const std::vector<Use>& uses, size_t at) const;

  const CallFlow& flow_;
  const FlowScope& scope_;
  const std::vector<RegionUnit>& units_;
  absl::flat_hash_map<const Var*, std::vector<Use>> uses_;
  /// The variables that the scope allocates.
  absl::flat_hash_set<const Var*> own_;
};

struct OutlinedRegion {
  Function function;
  /// The call that replaces the region.
  const Stmt* call = nullptr;
};

struct OutlineOptions {
  /// Name and symbol.
  std::string symbol;
  std::string target;
  /// The beginning of the parameters' names.
  std::string prefix;
  /// Constants are allocated in the function instead of passed to it.
  bool constants_inside = false;
  /// The targets that can compute the region, `target` first.
  std::vector<std::string> targets;
};

/// Creates a function from unit `at`. `builder` creates the call.
OutlinedRegion Outline(const CallFlow& flow, const FlowScope& scope,
                       const std::vector<RegionUnit>& units, size_t at, const ScopeUses& uses,
                       const OutlineOptions& options, const CalleeName& callee_name,
                       const IRModule& module, NodeBuilder& builder);

}  // namespace tenon

#endif  // TENON_BYOC_OUTLINE_H_
