#ifndef TENON_BYOC_CALL_FLOW_H_
#define TENON_BYOC_CALL_FLOW_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/pointers.h"
#include "ir/module.h"
#include "support/diagnostics.h"

// The statements of a function that calls operators, as a graph. An edge says that two statements
// must stay in order: one reads a result of the other, or both use the same memory in turn.

namespace tenon {

/// The target of statements that no region may contain.
inline constexpr std::string_view kHostTarget = "host";

/// The use of one variable's memory by one statement.
struct FlowAccess {
  /// A parameter, the data of a parameter's buffer, or the variable of an allocation
  /// (PointerRoots::RootOf).
  const Var* root = nullptr;
  /// The statement needs the previous contents of the memory: it reads them, or keeps a part of
  /// them.
  bool reads = false;
  bool writes = false;
  /// The statement writes every byte of the memory, and reads none before that. Afterwards, the
  /// memory contains another tensor.
  bool overwrites = false;
};

/// An earlier statement that a statement must follow.
struct FlowEdge {
  int from = 0;
  /// The earlier statement writes data that the later one reads. Otherwise the two only use the
  /// same memory.
  bool is_data = false;
};

/// A statement.
struct FlowNode {
  const Stmt* stmt = nullptr;
  /// The call, if the statement is only a call of a function by name, with or without
  /// tvm_check_return; otherwise `site.call` is null.
  CallSite site;
  bool is_checked = false;
  /// In order of the first use in the statement.
  std::vector<FlowAccess> accesses;
  /// No statement may move across this one, because it may leave the function, or its effects are
  /// unknown.
  bool is_barrier = false;
  /// The region scope around it, as an index of FlowScope::regions, or -1.
  int region = -1;
  /// By `from`, each once.
  std::vector<FlowEdge> before;
};

/// `with T.attr(node, "tenon.region", target)`; scopes with the same name are one region.
struct GivenRegion {
  std::string_view target;
  const AttrStmt* attr = nullptr;
};

/// Statements that run one after another: the body of a function, of a loop, of a branch. Loops and
/// branches are one statement here, and their bodies are separate scopes.
struct FlowScope {
  /// Allocate, AllocateConst and DeclBuffer, in order. Each extends to the end of the scope,
  /// because in straight code it does not matter where memory begins to exist.
  std::vector<const Stmt*> bindings;
  std::vector<FlowNode> nodes;
  std::vector<GivenRegion> regions;
  /// The number of scopes of regions in the module.
  int scope_count = 0;
  /// The scope runs once in each call of the function.
  bool is_function_body = false;
};

/// The effects of the module's functions on their parameters. Overwrites of whole buffers are
/// proven from loops (EffectsOfNest) or declared.
class OperatorEffects {
 public:
  explicit OperatorEffects(const IRModule& module);

  const IRModule& module() const { return module_; }
  const ModuleEffects& effects() const { return effects_; }
  /// Bytes from the start of parameter `index` that every call of the function writes before it
  /// reads one of them; 0 if unknown.
  int64_t OverwrittenBytes(const Function& function, size_t index) const;
  /// Whether a call has effects other than reading and writing through its arguments.
  bool HasSideEffects(const Function& function) const;

 private:
  const std::vector<int64_t>& SummaryOf(const Function& function) const;

  IRModule module_;
  ModuleEffects effects_;
  mutable absl::flat_hash_map<Symbol, std::vector<int64_t>> overwritten_;
  absl::flat_hash_map<Symbol, bool> side_effects_;
};

/// The functions whose calls form a graph: the entry, and functions that only call others, such as
/// subgraphs. Functions with a code generator or a known operator count as one operator.
std::vector<const Function*> GraphFunctions(const IRModule& module);

/// The entry of the extern `name` in the module's attribute `key` (`tenon.ops`, `tenon.targets` or
/// `tenon.why_not`); null without an entry.
const Attr* EntryOfExtern(const IRModule& module, std::string_view key, std::string_view name);

/// True for a call of a function of the module, or of an extern in `tenon.ops`.
bool IsOperatorCall(const IRModule& module, const Function& caller, const CallSite& site);

/// Builds the scopes of one function.
class CallFlow {
 public:
  CallFlow(const OperatorEffects& effects, const Function& function);

  const Function& function() const { return function_; }
  const PointerRoots& roots() const { return roots_; }
  /// The bytes of a root's memory; -1 if their number is not constant.
  int64_t BytesOf(const Var* root) const;
  /// The Allocate or AllocateConst of a root; null for a parameter.
  const Stmt* BindingOf(const Var* root) const;
  /// The buffer of the parameter that is a root, or null.
  const Buffer* ParamBuffer(const Var* root) const;
  bool IsParam(const Var* root) const { return params_.contains(root); }
  /// True for a parameter whose buffer's data is the root of the same memory.
  bool IsParamHandle(const Var* var) const { return handles_.contains(var); }
  /// The handle of a root that is the data of a parameter's buffer.
  std::vector<const Var*> HandlesOf(const Var* root) const;
  /// True if parameters may point to the same memory.
  bool MayOverlap() const { return shared_ != nullptr; }

  /// The scope of statements that begins with `body`. False after an error: a region inside of a
  /// region.
  bool ScopeOf(const Stmt* body, FlowScope& scope, Diagnostics& diagnostics) const;

 private:
  friend class FlowBuilder;

  const OperatorEffects& effects_;
  const Function& function_;
  PointerRoots roots_;
  /// Sizes of parameters' buffers and allocations.
  absl::flat_hash_map<const Var*, int64_t> bytes_;
  absl::flat_hash_map<const Var*, const Stmt*> bindings_;
  /// Parameters by their roots, each with its buffer or null.
  absl::flat_hash_map<const Var*, const Buffer*> params_;
  /// The handles of parameters with buffers, and the data of these.
  absl::flat_hash_map<const Var*, const Var*> handles_;
  /// Represents all parameters if they may overlap; otherwise null.
  const Var* shared_ = nullptr;
};

/// Reports an error and returns false if memory is already planned, because regions must be formed
/// before planning.
bool CheckNotPlanned(const IRModule& module, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_BYOC_CALL_FLOW_H_
