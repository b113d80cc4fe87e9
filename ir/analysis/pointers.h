#ifndef TENON_IR_ANALYSIS_POINTERS_H_
#define TENON_IR_ANALYSIS_POINTERS_H_

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ir/function.h"

namespace tenon {

/// The variables whose storage a pointer may point into.
struct PointerTargets {
  absl::InlinedVector<const Var*, 2> roots;
  /// False if the pointer may also point elsewhere: it was loaded from memory, is the result of a
  /// call, or was a number.
  bool is_known = true;

  bool IsOne() const { return is_known && roots.size() == 1; }
  bool Contains(const Var* root) const;
  void Add(const PointerTargets& other);
};

/// Finds the variables whose storage a pointer expression points into, within one function. Looks
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

  /// The root of a pointer variable; a root is its own root. So is a variable with several roots,
  /// or with an unknown one: ask TargetsOf which storage an access may touch.
  const Var* RootOf(const Var* pointer) const;
  /// The root of a pointer expression; null if it is not known (a call's result, a null pointer, a
  /// conditional).
  const Var* RootOf(const Expr* pointer) const;

  /// All roots of a pointer expression: also looks through T.Select and T.if_then_else, and at the
  /// arguments of calls that return a pointer.
  PointerTargets TargetsOf(const Expr* pointer) const;

 private:
  absl::flat_hash_map<const Var*, const Var*> alias_of_;
  /// The targets of variables bound by let, unless they have exactly one known root.
  absl::flat_hash_map<const Var*, PointerTargets> targets_of_;
};

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_POINTERS_H_
