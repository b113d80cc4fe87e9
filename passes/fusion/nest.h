#ifndef TENON_PASSES_FUSION_NEST_H_
#define TENON_PASSES_FUSION_NEST_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "arith/analyzer.h"
#include "ir/builder.h"
#include "ir/function.h"

namespace tenon {

/// The tools that make nodes for one function.
struct FusionTools {
  NodeBuilder& builder;
  std::shared_ptr<Storage> storage;
  Analyzer& analyzer;
};

/// Loops with constant bounds. Each is the whole body of the one around it.
struct Nest {
  std::vector<const For*> loops;
  const Stmt* body = nullptr;

  /// The number of times that the body of the first `depth` loops runs; INT64_MAX if that is too
  /// large.
  int64_t Count(size_t depth) const;
};

/// The serial loops at the top of `stmt`, which run at least once and have no annotations but
/// `tenon.origins`.
Nest NestOf(const Stmt* stmt);

int64_t MinOf(const For* loop);
int64_t ExtentOf(const For* loop);

/// True if the expression has a T.Let: a copy of it would define its variable once more.
bool HasLet(const Expr* expr);

/// True if `node` has calls that are computed one lane after the other.
bool HasScalarCalls(const Node* node);

using VarExprs = absl::flat_hash_map<const Var*, const Expr*>;

/// Replaces variables in `stmt`, and simplifies the indices that change.
const Stmt* ReplaceVars(const FusionTools& tools, const Stmt* stmt, const VarExprs& values);
/// The same for an expression; simplifies its conditions too.
const Expr* ReplaceVars(const FusionTools& tools, const Expr* expr, const VarExprs& values);

/// The values of the loops' variables at iteration `count` of all of them, which counts from 0 in
/// the order in which they run.
VarExprs ValuesAt(const FusionTools& tools, Span<const For*> loops, const Expr* count);

/// The number of the loops' current iteration.
const Expr* CountOf(const FusionTools& tools, Span<const For*> loops);

/// Makes one loop of loops that were divided, and whose last part a condition cuts off. Returns
/// other statements unchanged.
///
///   for a in range(3):                         for t in range(40):
///       for b in range(16):               ->       y[t] = ...
///           if a * 2 + b // 8 < 5:
///               y[a * 16 + b] = ...
const Stmt* MergeGuardedLoops(const FusionTools& tools, const Stmt* stmt);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_NEST_H_
