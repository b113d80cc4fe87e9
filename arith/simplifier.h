#ifndef TENON_ARITH_SIMPLIFIER_H_
#define TENON_ARITH_SIMPLIFIER_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "arith/analyzer.h"
#include "arith/expr_table.h"
#include "arith/interval.h"
#include "arith/linear.h"

// Internal to arith/: the implementation of Analyzer. Expressions here are interned (expr_table.h).

namespace tenon {

class Simplifier {
 public:
  Simplifier(Context& context, Arena& arena, AnalyzerOptions options)
      : options_(options), table_(context, arena), frames_(1) {}

  ExprTable& table() { return table_; }

  // facts.cc: the known facts of the current scope.
  void PushScope();
  void PopScope();
  /// Replaces the known values of `atom`.
  void SetKnown(const Expr* atom, Interval values);
  /// Loads through `data` give `values`. No scope may be open.
  void SetElements(const Var* data, Interval values);
  /// Intersects the known values of `atom` with `values`.
  void NarrowKnown(const Expr* atom, Interval values);
  /// States that `condition`, which is simplified, has this value.
  void Assume(const Expr* condition, bool truth);
  /// States that the exact value of `form` lies in `values`; the form has dtype int64, unwrapped.
  void AddFact(LinearForm form, Interval values);
  std::optional<bool> KnownTruth(const Expr* condition) const;

  // bounds.cc
  /// The values of an integer expression.
  Interval Bounds(const Expr* expr);
  /// The exact values of a form, not wrapped.
  Interval FormBounds(const LinearForm& form);
  /// True if the exact value of the form is a value of its dtype. May first move the constant by a
  /// multiple of 2^bits to achieve this.
  bool MakeExact(LinearForm& form);
  /// a - b over the integers, as an int64 form, if both are exact.
  std::optional<LinearForm> Difference(const Expr* a, const Expr* b);
  /// The values of a - b over the integers.
  Interval DifferenceBounds(const Expr* a, const Expr* b);
  bool ProvenNoWrap(const BinaryExpr* expr);
  bool AssumesNoOverflow(DataType dtype) const {
    return options_.assume_index_no_overflow && dtype.is_int() && dtype.bits() >= 32;
  }

  // simplify.cc
  /// The simplified expression, at a fixed point.
  const Expr* SimplifyFully(const Expr* expr);

 private:
  struct Fact {
    LinearForm form;  ///< of int64, without a constant
    Interval values;
  };
  struct Frame {
    absl::flat_hash_map<const Expr*, const Expr*> simplified;  ///< in this round
    absl::flat_hash_map<const Expr*, const Expr*> fully_simplified;
    absl::flat_hash_map<const Expr*, Interval> bounds;
    // Values to restore at the end of the scope.
    std::vector<std::pair<const Expr*, std::optional<Interval>>> known_before;
    std::vector<std::pair<const Expr*, std::optional<bool>>> truth_before;
    size_t facts_before = 0;
  };
  Frame& frame() { return frames_.back(); }
  /// Drops cached results after a new fact, so that they are derived again.
  void Forget();
  void AssumeComparison(NodeKind kind, const Expr* a, const Expr* b);

  Interval BoundsOfNode(const Expr* expr);
  Interval BoundsOfSum(const BinaryExpr* expr);
  Interval BoundsOfBinary(const BinaryExpr* expr);
  Interval BoundsOfCast(const Cast* expr);
  Interval BoundsOfCall(const Call* call);
  Interval BoundsOfQMultiplyShift(const Call* call);
  Interval BoundsOfQMultiplyShiftPerAxis(const Call* call);
  Interval BoundsOfChoice(const Expr* a, const Expr* b);
  Interval RefineByFacts(const LinearForm& form, Interval values, int depth);
  Interval SumOfBounds(const LinearForm& form);
  /// `exact`, or all of the dtype if it does not fit.
  Interval Wrapped(Interval exact, DataType dtype) const;

  /// One round over an expression. Its result counts as simplified until the round ends.
  const Expr* Simplify(const Expr* expr);
  /// The step of a round at one node.
  const Expr* Step(const Expr* expr);
  const Expr* StepBinary(const BinaryExpr* expr);
  const Expr* StepCast(const Cast* expr);
  const Expr* StepLet(const Let* expr);
  const Expr* StepRamp(const Ramp* expr);
  /// A Broadcast of the operation on the values, if both are Broadcasts; otherwise null.
  const Expr* HoistBroadcasts(NodeKind kind, const Expr* a, const Expr* b);
  /// The constant value of a scalar node over constants; otherwise null.
  const Expr* FoldConstants(const Expr* expr);

  // simplify_linear.cc
  const Expr* StepLinear(const Expr* expr);
  const Expr* StepVectorLinear(const Expr* expr);
  struct VectorSum;
  void CollectVector(const Expr* expr, bool simplify, VectorSum& sum);
  const Expr* VectorProduct(const Mul* expr, bool simplify);
  void AddProduct(LinearBuilder& sum, const Mul* product, int64_t factor);
  /// Combines quotients and remainders of the same division.
  LinearForm Recombine(LinearForm form);
  bool RecombineOnce(LinearForm& form);
  const Expr* Emit(const LinearForm& form) { return EmitLinear(table_, form); }

  // simplify_div.cc
  const Expr* StepDivision(NodeKind kind, const Expr* a, const Expr* b);
  const Expr* StepFloorDiv(const Expr* a, const Expr* b);
  const Expr* StepFloorMod(const Expr* a, const Expr* b);
  const Expr* FloorDivByConstant(const Expr* a, int64_t divisor);
  const Expr* FloorModByConstant(const Expr* a, int64_t divisor);
  const Expr* VectorDivision(NodeKind kind, const Expr* a, const Expr* b);
  LinearForm ReducedModulo(const LinearForm& form, int64_t divisor);

  // simplify_compare.cc
  const Expr* StepMinMax(NodeKind kind, const Expr* a, const Expr* b);
  const Expr* StepComparison(NodeKind kind, const Expr* a, const Expr* b);
  std::optional<bool> Decide(NodeKind kind, const Expr* a, const Expr* b);
  const Expr* CanonicalComparison(NodeKind kind, LinearForm difference, DataType dtype);
  const Expr* CanonicalEquality(NodeKind kind, const Expr* a, const Expr* b);

  // simplify_logic.cc
  const Expr* StepLogical(const BinaryExpr* expr);
  const Expr* StepNot(const Not* expr);
  const Expr* StepSelect(const Select* expr);
  /// Simplifies the arms of a choice, each under its condition.
  std::pair<const Expr*, const Expr*> SimplifyArms(const Expr* condition, const Expr* on_true,
                                                   const Expr* on_false);
  const Expr* Choose(const Expr* condition, const Expr* on_true, const Expr* on_false);
  const Expr* Negate(const Expr* condition);

  // simplify_call.cc
  const Expr* StepCall(const Call* expr);
  const Expr* StepBits(const Call* expr);
  const Expr* MapSimplified(const Expr* expr) {
    return table_.MapChildren(expr, [this](const Expr* child) { return Simplify(child); });
  }

  AnalyzerOptions options_;
  ExprTable table_;
  std::vector<Frame> frames_;
  absl::flat_hash_map<const Expr*, Interval> known_;
  /// The possible values of loads through a pointer.
  absl::flat_hash_map<const Var*, Interval> elements_;
  absl::flat_hash_map<const Expr*, bool> truths_;
  std::vector<Fact> facts_;
  int choices_ = 0;  ///< the nesting depth of choices in Bounds
  int lets_ = 0;     ///< the nesting depth of lets in Simplify
};

}  // namespace tenon

#endif  // TENON_ARITH_SIMPLIFIER_H_
