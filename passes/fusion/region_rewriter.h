#ifndef TENON_PASSES_FUSION_REGION_REWRITER_H_
#define TENON_PASSES_FUSION_REGION_REWRITER_H_

#include <memory>
#include <utility>
#include <vector>

#include "ir/rewriter.h"
#include "passes/fusion/nest.h"
#include "passes/fusion/region.h"

namespace tenon {

/// Offers every region of a function to `Derived`, the outermost first: `bool Improve(StmtRegion&
/// region)` returns true if it changed the region. The analyzer knows the loops around.
template <class Derived>
class RegionRewriter : public Rewriter<Derived> {
 public:
  RegionRewriter(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func)
      : Rewriter<Derived>(context, storage),
        pointers_(func),
        analyzer_(context, storage->arena()) {}

  const Stmt* RewriteStmt(const Stmt* stmt) {
    if (stmt == nullptr) return nullptr;
    return WithStack([&] {
      StmtRegion region = OpenRegion(stmt);
      bool changed = this->self().Improve(region);
      for (size_t i = 0; i < region.size(); ++i) {
        if (region.stmt(i) == nullptr) continue;
        const Stmt* now = Rewriter<Derived>::RewriteStmt(region.stmt(i));
        if (now == region.stmt(i)) continue;
        changed = true;
        region.Replace(i, now);
      }
      return changed ? CloseRegion(this->builder(), region, stmt->range) : stmt;
    });
  }

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    around_.push_back(loop);
    const For* now = this->RewriteChildren(loop);
    around_.pop_back();
    return now;
  }

 protected:
  FusionTools tools() { return {this->builder(), this->storage(), analyzer_}; }
  Analyzer& analyzer() { return analyzer_; }
  FunctionStorage& pointers() { return pointers_; }
  /// The loops around the region, the outermost first.
  const std::vector<const For*>& around() const { return around_; }

 private:
  FunctionStorage pointers_;
  Analyzer analyzer_;
  std::vector<const For*> around_;
};

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_REGION_REWRITER_H_
