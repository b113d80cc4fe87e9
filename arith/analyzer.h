#ifndef TENON_ARITH_ANALYZER_H_
#define TENON_ARITH_ANALYZER_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "arith/interval.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "support/arena.h"

namespace tenon {

struct AnalyzerOptions {
  /// Take signed arithmetic of 32 bits and more not to overflow, neither in the expressions given
  /// nor in those derived from them. Right for the indices of accesses that are in bounds, whose
  /// parts are small; wrong for the values that a program computes, which wrap.
  bool assume_index_no_overflow = false;
};

/// Simplifies expressions and proves facts about them, given what is known of the variables in it.
///
/// All it says holds under the arithmetic of ir/expr.h: integers wrap at their dtype, floats round.
/// Evaluation errors (a division by zero, an access out of bounds) may vanish, never appear. Calls
/// with effects stay, in order; loads are taken to read one state of memory. Expressions may be
/// 100,000 nodes deep; the time is near linear in their size.
///
/// New nodes go to the arena and share the nodes that were given, so these must live as long. One
/// analyzer serves one function; it remembers what it has seen, so it wants to be used for long.
/// Not thread safe.
class Analyzer {
 public:
  Analyzer(Context& context, Arena& arena, AnalyzerOptions options = {});
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  /// While it lives, what is bound and assumed stays local to it. Scopes end in reverse order.
  class Scope {
   public:
    explicit Scope(Analyzer& analyzer);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Analyzer& analyzer_;
  };

  /// `var` (of an integer dtype) lies in `values`, whatever was known of it.
  void Bind(const Var* var, Interval values);
  /// Loads of integers through the pointer `data` give numbers in `values`. Outside of scopes.
  void BindElements(const Var* data, Interval values);
  /// `var` is a loop variable over [min, min + extent): known to be in there when min + extent
  /// can't wrap.
  void BindRange(const Var* var, const Expr* min, const Expr* extent);
  /// `condition` (a bool) holds.
  void Assume(const Expr* condition);

  /// An expression with the same value for all values of the variables that are possible here. Same
  /// pointer when there is nothing to simplify. Simplifying the result changes nothing.
  ///
  /// The canonical order of a sum: larger coefficients first, then variables by name, the constant
  /// last.
  const Expr* Simplify(const Expr* expr);

  /// True when `condition` is proven to hold, in every lane. False says nothing.
  bool CanProve(const Expr* condition);
  /// Of two integer expressions of one dtype, as values of that dtype.
  bool CanProveEqual(const Expr* a, const Expr* b);
  bool CanProveLess(const Expr* a, const Expr* b);
  bool CanProveLessEqual(const Expr* a, const Expr* b);
  bool CanProveGreaterEqual(const Expr* a, const Expr* b) { return CanProveLessEqual(b, a); }
  bool CanProveLess(const Expr* a, int64_t b) { return Bounds(a).max < b; }
  bool CanProveGreaterEqual(const Expr* a, int64_t b) { return Bounds(a).min >= b; }

  /// The value of an integer expression (of every lane) if it is one known number. uint64 values of
  /// 2^63 and more come as the int64 of the same bits.
  std::optional<int64_t> ConstValue(const Expr* expr);
  /// An interval with every value that an integer expression (every lane of it) can have.
  Interval Bounds(const Expr* expr);
  /// The exact result of an integer Add, Sub, Mul or division is a value of its dtype, so that a
  /// code generator may claim that it does not wrap. False says nothing.
  bool ProvenNoWrap(const BinaryExpr* expr);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tenon

#endif  // TENON_ARITH_ANALYZER_H_
