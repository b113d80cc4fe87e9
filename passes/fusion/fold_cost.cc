// An interpreter has no cache or pipeline to model: the count is nodes times iterations, with a
// price for reading each node once. Every sum saturates, so that huge extents stay comparable.

#include "passes/fusion/fold_cost.h"

#include <algorithm>

#include "ir/expr.h"
#include "ir/visitor.h"
#include "support/saturated.h"
#include "support/stack.h"

namespace tenon {

namespace {

/// An interpreter reads, checks and lays out each node once before it runs.
constexpr int64_t kPrepareNode = 32;

/// Extents from here on say nothing: they are the limit of a type.
constexpr int64_t kUnknownExtent = (int64_t{1} << 31) - 1;

class OperationCounter {
 public:
  explicit OperationCounter(Analyzer& analyzer) : analyzer_(analyzer) {}

  std::optional<int64_t> Count(const Stmt* stmt) {
    Visit(stmt);
    if (!is_known_) return std::nullopt;
    return SaturatedAdd(run_, SaturatedMul(nodes_, kPrepareNode));
  }

 private:
  void Visit(const Node* root) {
    WithStack([&] {
      Walk(root, [&](const Node* node) {
        if (const auto* loop = dyn_cast<For>(node)) {
          VisitLoop(loop);
          return false;
        }
        const auto* expr = dyn_cast<Expr>(node);
        ++nodes_;
        run_ = SaturatedAdd(run_, SaturatedMul(times_, expr == nullptr ? 1 : LanesOf(*expr)));
        return !isa<Buffer>(node);
      });
    });
  }

  static int64_t LanesOf(const Expr& expr) { return std::max<int64_t>(1, expr.dtype.lanes()); }

  void VisitLoop(const For* loop) {
    Visit(loop->extent);
    const int64_t most = analyzer_.Bounds(loop->extent).max;
    is_known_ &= most < kUnknownExtent;
    const int64_t outside = times_;
    times_ = SaturatedMul(times_, std::max<int64_t>(most, 0));
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    run_ = SaturatedAdd(run_, times_);
    Visit(loop->body);
    times_ = outside;
  }

  Analyzer& analyzer_;
  int64_t times_ = 1;
  int64_t run_ = 0;
  int64_t nodes_ = 0;
  bool is_known_ = true;
};

}  // namespace

std::optional<int64_t> FoldOperations(const Stmt* stmt, Analyzer& analyzer) {
  return OperationCounter(analyzer).Count(stmt);
}

}  // namespace tenon
