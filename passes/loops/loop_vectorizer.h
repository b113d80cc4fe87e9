#ifndef TENON_PASSES_LOOPS_LOOP_VECTORIZER_H_
#define TENON_PASSES_LOOPS_LOOP_VECTORIZER_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "arith/analyzer.h"
#include "ir/builder.h"
#include "ir/op.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"

namespace tenon {

/// True for builtins that hardware computes on vectors, or that vector arithmetic replaces.
bool IsLaneWise(OpKind op);

/// The largest stride of a vector load, in elements: back ends load whole rows and shuffle. With
/// last vectors that overlap, the time of two nests on a Zen 4 fell from 1.7 and 1.8 times gcc's to
/// 0.6 and 0.97.
inline constexpr int64_t kMostLaneStep = 4;

/// A shuffled load reads at most three times as many elements as it has lanes.
inline constexpr int64_t kMostRowOfLanes = 3;

/// Rewrites the body of a loop to compute `lanes` iterations. Null results mean that this is not
/// possible.
class LoopVectorizer {
 public:
  LoopVectorizer(NodeBuilder& builder, std::shared_ptr<Storage> storage, Analyzer& analyzer,
                 const For* loop, const Expr* first, int lanes, int64_t most_step = 1,
                 bool may_shuffle = false)
      : builder_(builder),
        storage_(std::move(storage)),
        analyzer_(analyzer),
        loop_(loop),
        first_(first),
        lanes_(lanes),
        most_step_(most_step),
        may_shuffle_(may_shuffle) {}

  const Stmt* Statement(const Stmt* stmt) {
    return WithStack([&] { return StatementOf(stmt); });
  }
  /// The values of all lanes; null if that is not possible, or if all lanes have the same value.
  const Expr* Vector(const Expr* expr) {
    const Expr* value = Value(expr);
    return value == nullptr || value->dtype.is_scalar() ? nullptr : value;
  }
  /// True if any expression was computed in lanes.
  bool has_vectors() const { return has_vectors_; }

 private:
  const Stmt* StatementOf(const Stmt* stmt);
  const Stmt* LetOf(const LetStmt* let);
  /// True if a variable in `expr` has another value in each lane, apart from the loop's variable.
  bool MentionsVector(const Expr* expr) const;
  const Stmt* Store(const BufferStore* store);
  const Stmt* Expand(const Allocate* allocate);
  const Buffer* Expanded(const Buffer* buffer);
  /// A scalar if the value is the same for all iterations, otherwise a vector.
  const Expr* Value(const Expr* expr) {
    return WithStack([&] { return ValueOf(expr); });
  }
  const Expr* ValueOf(const Expr* expr);
  const Expr* Load(const BufferLoad* load);
  /// Lanes at constant distances from the first one, from a row that contains them.
  const Expr* LoadShuffled(const BufferLoad* load);
  const Expr* CallOf(const Call* call);
  const Expr* Binary(const BinaryExpr* node);
  /// `T.if_then_else` with a different condition in each lane; null if a value that is not chosen
  /// might fail.
  const Expr* Choice(const Call* call, Span<const Expr*> args);
  /// True if the value can be computed even if the condition does not hold.
  bool IsSafe(const Expr* value, const Expr* condition);
  /// Stores a vector whose lanes are not adjacent: in rows as long as possible, or at a constant
  /// step.
  const Stmt* StoreApart(const BufferStore* store, const Expr* value);
  /// The distance of each lane's element from the first lane's one; empty if it is not constant.
  std::vector<int64_t> Distances(const Expr* index);
  /// The index of the first lane, as a vector if the lanes are adjacent, or up to `most_step`
  /// elements apart.
  const Expr* Index(const Buffer* buffer, Span<const Expr*> indices, int64_t most_step = 1);
  const Expr* First(const Expr* expr) { return Substitute(expr, first_); }
  const Expr* Substitute(const Expr* expr, const Expr* value) {
    return VarReplacer(builder_.context(), storage_, loop_->loop_var, value).RewriteExpr(expr);
  }
  const Expr* InLanes(const Expr* value) {
    if (value == nullptr || value->dtype.lanes() == lanes_) return value;
    return builder_.New<Broadcast>(value->range, value, lanes_);
  }
  const Expr* InLanesOf(const Expr* expr) {
    const Expr* value = Value(expr);
    return InLanes(value);
  }

  NodeBuilder& builder_;
  std::shared_ptr<Storage> storage_;
  Analyzer& analyzer_;
  const For* loop_;
  const Expr* first_;
  int lanes_;
  /// Lanes of a load may be this many elements apart.
  int64_t most_step_;
  /// True if lanes may be anywhere in a short row.
  bool may_shuffle_;
  /// The vectorized loop, which has no `var`, and the loops inside of it around the current
  /// statement.
  struct Level {
    const Var* var = nullptr;
    /// True if a loop in its body precedes the current statement.
    bool has_loop = false;
  };
  std::vector<Level> levels_ = {Level()};
  /// True if lanes of a load are not adjacent.
  bool has_steps_ = false;
  bool has_vectors_ = false;
  absl::flat_hash_map<const Var*, const Var*> expanded_;
  /// Variables of LetStmts with a different value in each lane, and the variables of all lanes.
  absl::flat_hash_map<const Var*, const Var*> lets_;
  absl::flat_hash_map<const Buffer*, const Buffer*> buffers_;
};

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_LOOP_VECTORIZER_H_
