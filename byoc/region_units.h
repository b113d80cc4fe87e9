#ifndef TENON_BYOC_REGION_UNITS_H_
#define TENON_BYOC_REGION_UNITS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/call_flow.h"
#include "byoc/code_generator.h"
#include "byoc/region_solver.h"
#include "ir/builder.h"

// Shared by `merge-regions` and `partition`: the statements of a scope in units, and the rewriting
// of the scope with the units in order.

namespace tenon {

/// The error for an option `host` that HostFacts::Parse does not read.
inline constexpr char kNoHostFacts[] =
    "option `host` is not like `llvm,vector:64,optimised,contract,cpu:NAME`";

/// Statements that are not separated: a region, or a single statement of the host.
struct RegionUnit {
  /// Indices of FlowScope::nodes, ascending.
  std::vector<int> nodes;
  /// Empty for a statement without a region.
  std::string target;
  /// The first argument of T.attr; null means 0.
  const Attr* name = nullptr;
};

/// The regions of the module, and all other statements one by one, ordered by their first
/// statement.
std::vector<RegionUnit> GivenUnits(const FlowScope& scope);

/// The graph of units: an edge means that a statement of one unit must follow a statement of
/// another. `colors[u]` is the color of unit u. Units read tensors: values that a statement or the
/// caller left in some memory. Constants do not count.
RegionGraph GraphOfUnits(const CallFlow& flow, const FlowScope& scope,
                         const std::vector<RegionUnit>& units, std::vector<int> colors);

/// Sorts units into an order in which they can run, as close to the program's order as possible.
/// False after an error (region-cycle, with the path in notes).
bool OrderUnits(const CallFlow& flow, const FlowScope& scope, std::vector<RegionUnit>& units,
                Diagnostics& diagnostics);

/// The targets of an operator, preferred first: `tenon.targets` of its function, or of the module.
std::vector<std::string> TargetsOf(const IRModule& module, const CallSite& site);

/// The operator that a call runs, for a generator. Without a claim its kind is `unknown`.
RegionOp RegionOpOf(const IRModule& module, const CallSite& site);

/// Rewrites the scopes of a function, those inside of loops and branches first.
class ScopeRewriter {
 public:
  ScopeRewriter(NodeBuilder& builder, const CallFlow& flow, Diagnostics& diagnostics)
      : builder_(builder), flow_(flow), diagnostics_(diagnostics) {}
  virtual ~ScopeRewriter() = default;

  /// The statement itself if nothing changes. Null after an error.
  const Stmt* Rewrite(const Stmt* body);

 protected:
  /// The new scope. Null keeps the old one, and is allowed only if `is_changed` is false: otherwise
  /// statements of the scope are already new. After an error, has_failed() must be true.
  virtual const Stmt* RewriteScope(const FlowScope& scope, bool is_changed) = 0;

  void Fail() { has_failed_ = true; }
  bool has_failed() const { return has_failed_; }
  NodeBuilder& builder() { return builder_; }
  const CallFlow& flow() const { return flow_; }
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  const Stmt* RewriteBody(const Stmt* body);
  const Stmt* RewriteInside(const Stmt* stmt);
  template <class T>
  const Stmt* WithBody(const T* stmt);

  NodeBuilder& builder_;
  const CallFlow& flow_;
  Diagnostics& diagnostics_;
  bool has_failed_ = false;
};

}  // namespace tenon

#endif  // TENON_BYOC_REGION_UNITS_H_
