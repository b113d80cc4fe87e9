#ifndef TENON_IR_ANALYSIS_POINTERS_H_
#define TENON_IR_ANALYSIS_POINTERS_H_

#include "absl/container/flat_hash_map.h"
#include "ir/function.h"

namespace tenon {

/// Finds the variable whose storage a pointer expression points into, within one function. Looks
/// through casts, address_of, tvm_access_ptr, reinterpret, variables bound by let, and the views
/// that blocks match. A root is a variable that is not an alias: a parameter, the data variable of
/// a parameter's buffer, or the variable of an Allocate or AllocateConst.
class PointerRoots {
 public:
  /// Finds the aliases that the lets and blocks of `function` define.
  explicit PointerRoots(const PrimFunc& function);
  PointerRoots() = default;

  /// Records `alias = value`.
  void Bind(const Var* alias, const Expr* value);

  /// The root of a pointer variable; a root is its own root.
  const Var* RootOf(const Var* pointer) const;
  /// The root of a pointer expression; null if it is not known (a call's result, a null pointer, a
  /// conditional).
  const Var* RootOf(const Expr* pointer) const;

 private:
  absl::flat_hash_map<const Var*, const Var*> alias_of_;
};

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_POINTERS_H_
