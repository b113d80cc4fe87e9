#ifndef TENON_IR_ANALYSIS_POINTERS_H_
#define TENON_IR_ANALYSIS_POINTERS_H_

#include "absl/container/flat_hash_map.h"
#include "ir/function.h"

namespace tenon {

/// The variable whose storage a pointer expression points into, as far as the function tells: seen
/// through casts, address_of, tvm_access_ptr, reinterpret, variables bound by let and the views
/// that blocks match. A root is a variable that is no alias: a parameter, the data variable of a
/// parameter's buffer, or what an Allocate or AllocateConst binds.
class PointerRoots {
 public:
  /// Finds the aliases that the lets and blocks of `function` make.
  explicit PointerRoots(const PrimFunc& function);
  PointerRoots() = default;

  /// Records `alias = value`.
  void Bind(const Var* alias, const Expr* value);

  /// The root behind a pointer variable; itself when it is one.
  const Var* RootOf(const Var* pointer) const;
  /// The root behind a pointer expression, or null when it is not known (a call's result, a null
  /// pointer, a choice).
  const Var* RootOf(const Expr* pointer) const;

 private:
  absl::flat_hash_map<const Var*, const Var*> alias_of_;
};

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_POINTERS_H_
