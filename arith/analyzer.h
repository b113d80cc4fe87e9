#ifndef TENON_ARITH_ANALYZER_H_
#define TENON_ARITH_ANALYZER_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "arith/interval.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "support/arena.h"

namespace tenon {

struct AnalyzerOptions {
  /// Assume that signed arithmetic of at least 32 bits does not overflow, in the given expressions
  /// and in derived ones. Sound for the indices of accesses in bounds, whose parts are small.
  /// Unsound for values that a program computes, which wrap.
  bool assume_index_no_overflow = false;
};

/// Simplifies expressions and proves facts about them, given known facts about their variables.
///
/// All results hold under the arithmetic of ir/expr.h: integers wrap at their dtype, floats round.
/// Evaluation errors (a division by zero, an access out of bounds) may vanish, never appear. Calls
/// with effects stay, in order; loads are assumed to read one state of memory. Expressions may be
/// 100,000 nodes deep; the time is nearly linear in their size.
///
/// New nodes go to the arena and share the given nodes, so these must live as long. An analyzer
/// serves a single function. It remembers what it has seen, so reuse it rather than making a new
/// one. Not thread safe.
class Analyzer {
 public:
  Analyzer(Context& context, Arena& arena, AnalyzerOptions options = {});
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  /// Bindings and assumptions made while it lives are local to it. Scopes end in reverse order.
  class Scope {
   public:
    explicit Scope(Analyzer& analyzer);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Analyzer& analyzer_;
  };

  /// States that `var` (of an integer dtype) lies in `values`; replaces earlier knowledge.
  void Bind(const Var* var, Interval values);
  /// States that integer loads through the pointer `data` give values in `values`. No scope may be
  /// open.
  void BindElements(const Var* data, Interval values);
  /// States that `var` is a loop variable over [min, min + extent). Its range is known only if
  /// min + extent cannot wrap.
  void BindRange(const Var* var, const Expr* min, const Expr* extent);
  /// States that the variable of `loop` takes the loop's values. Loops over other types than
  /// integers are ignored.
  void BindLoop(const For* loop);
  /// States that `var` has the value of `value`. Values of other types than integers are ignored.
  void BindValue(const Var* var, const Expr* value);
  /// States that `condition` (a bool) holds.
  void Assume(const Expr* condition);

  /// Returns an expression with the same value for all possible values of the variables, or `expr`
  /// itself if nothing can be simplified. Simplifying the result again changes nothing.
  ///
  /// The canonical order of a sum: larger coefficients first, then variables by name, the constant
  /// last.
  const Expr* Simplify(const Expr* expr);

  /// True if `condition` is proven to hold in every lane. False means unknown.
  bool CanProve(const Expr* condition);
  /// Compare two integer expressions of the same dtype, as values of that dtype.
  bool CanProveEqual(const Expr* a, const Expr* b);
  bool CanProveLess(const Expr* a, const Expr* b);
  bool CanProveLessEqual(const Expr* a, const Expr* b);
  bool CanProveGreaterEqual(const Expr* a, const Expr* b) { return CanProveLessEqual(b, a); }
  bool CanProveLess(const Expr* a, int64_t b) { return Bounds(a).max < b; }
  bool CanProveGreaterEqual(const Expr* a, int64_t b) { return Bounds(a).min >= b; }

  /// The value of an integer expression (of every lane) if a single value is known. uint64 values
  /// from 2^63 on are returned as the int64 with the same bits.
  std::optional<int64_t> ConstValue(const Expr* expr);
  /// An interval with all possible values of an integer expression (of every lane).
  Interval Bounds(const Expr* expr);
  /// True if the exact result of an integer Add, Sub, Mul or division is a value of its dtype, so
  /// that a code generator may state that it does not wrap. False means unknown.
  bool ProvenNoWrap(const BinaryExpr* expr);

  /// The distance of an integer expression in two neighbouring iterations of a loop of `var`;
  /// nullopt if it is not known to be constant.
  std::optional<int64_t> StepOf(const Expr* expr, const Var* var);
  /// `a - b` for two integer expressions of the same dtype; nullopt if it is not known to be
  /// constant.
  std::optional<int64_t> Distance(const Expr* a, const Expr* b);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tenon

#endif  // TENON_ARITH_ANALYZER_H_
