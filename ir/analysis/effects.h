#ifndef TENON_IR_ANALYSIS_EFFECTS_H_
#define TENON_IR_ANALYSIS_EFFECTS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace tenon {

/// Effects of a function on the memory to which one of its pointer arguments points. An access
/// through a pointer that may come from several arguments counts for each of them.
struct ArgumentEffect {
  bool reads = false;
  bool writes = false;
  /// The function writes every byte from the pointer to the end of the storage before it reads any.
  /// (Only declarations say this; it is not inferred for functions of the module.)
  bool overwrites = false;
  /// The pointer may be kept where later code finds it again: in memory, as a number, or by an
  /// undeclared extern. Then the function may read and write through it, and so may its callees.
  bool escapes = false;
  bool operator==(const ArgumentEffect&) const = default;
};

/// One call that a function makes, with the storage each argument points into.
struct CallSite {
  const Call* call = nullptr;
  /// The function of the module that is called; null for an extern.
  const Function* callee = nullptr;
  /// The name in the text.
  std::string_view name;
  /// The arguments without the name; for call_cpacked, the resource handle is included.
  Span<const Expr*> args;
};

/// The summary of one function.
struct FunctionEffects {
  /// One entry per parameter, in order.
  std::vector<ArgumentEffect> params;
  std::vector<CallSite> calls;
  /// Calls a function outside the module that no `tenon.externs` attribute declares.
  bool calls_undeclared = false;
  /// Bytes of the function's own static allocations, callees not counted; dynamic ones count 0.
  int64_t workspace_bytes = 0;
  /// Has effects other than on its arguments: throws, prints, opaque builtins.
  bool opaque = false;
};

/// Summaries of all functions of a module, callees before callers (recursion is iterated to a fixed
/// point).
///
/// The attribute `{"tenon.externs": {"f": ["r", "w", "rw", "c", ""]}}` of the calling function or
/// of the module declares an extern, with a letter for each argument. "r" reads, "w" writes, "rw"
/// does both. "o" overwrites: it writes every byte from the pointer to the end of the storage, and
/// reads no byte before it has written that byte. "c" reads data that may lie in read-only memory.
/// "" is not a pointer. An undeclared extern may read and write its arguments, but is assumed to
/// only read constants.
class ModuleEffects {
 public:
  explicit ModuleEffects(const IRModule& module);

  const FunctionEffects& Of(const Function& function) const { return of_.at(function.name); }

  /// Effects of a call on the memory of its argument `index`.
  ArgumentEffect OfArgument(const Function& caller, const CallSite& call, size_t index) const;

  /// The declaration of an extern for calls from `caller`, or null.
  const ArrayAttr* Declaration(const Function& caller, std::string_view name) const;

 private:
  bool Update(const Function& function, FunctionEffects& effects);

  IRModule module_;
  absl::flat_hash_map<Symbol, FunctionEffects> of_;
};

/// The declaration of an extern for calls from `caller`, or null.
const ArrayAttr* ExternDeclaration(const IRModule& module, const Function& caller,
                                   std::string_view name);
/// Effects of an extern with this declaration (null if undeclared) on the memory of argument
/// `index`.
ArgumentEffect EffectOfExtern(const CallSite& call, const ArrayAttr* declaration, size_t index);

/// The call site of a call of a function by name (call_extern, call_cpacked, call_packed,
/// Module.f). `call` is null if `expr` is not such a call.
CallSite AsCallSite(const IRModule& module, const Expr* expr);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_EFFECTS_H_
