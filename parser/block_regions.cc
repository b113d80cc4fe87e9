#include "parser/block_regions.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/node_queries.h"
#include "ir/const_fold.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

/// From `min` to `max`, both included; null ends are unknown.
struct Reach {
  const Expr* min = nullptr;
  const Expr* max = nullptr;
  bool known() const { return min != nullptr && max != nullptr; }
};

/// The union of the accessed boxes of one buffer.
struct Access {
  const Buffer* buffer;
  std::vector<Reach> dims;
};

/// Collects the accesses of a block's body. The variables of loops, lets and blocks inside of it
/// are replaced by their ranges.
class RegionDetector : public Visitor<RegionDetector> {
 public:
  RegionDetector(NodeBuilder& builder, Analyzer& analyzer)
      : builder_(builder), analyzer_(analyzer) {}

  void Run(const Block* block) {
    for (const Buffer* buffer : block->alloc_buffers) local_.insert(buffer);
    for (const MatchBufferRegion* match : block->match_buffers) matched_[match->buffer] = match;
    Visit(block->init);
    Visit(block->body);
  }
  std::vector<const BufferRegion*> Regions(bool writes, bool reduces, SourceRange range) {
    std::vector<const BufferRegion*> regions;
    for (const Access& access : writes ? writes_ : reads_) {
      // A buffer that a reduction updates counts as only written.
      if (!writes && reduces && Find(writes_, access.buffer) != nullptr) continue;
      regions.push_back(RegionOf(access, range));
    }
    return regions;
  }

  void VisitBuffer(const Buffer*) {}
  void VisitBufferLoad(const BufferLoad* load) {
    AddAccess(reads_, load->buffer, load->indices);
    VisitChildren(load);
  }
  void VisitBufferStore(const BufferStore* store) {
    AddAccess(writes_, store->buffer, store->indices);
    VisitChildren(store);
  }
  void VisitFor(const For* loop) {
    Visit(loop->min);
    Visit(loop->extent);
    const Reach first = ReachOf(loop->min);
    const Reach extent = ReachOf(loop->extent);
    Reach reach{first.min, nullptr};
    if (first.max != nullptr && extent.max != nullptr) {
      reach.max = Sub(Sum(first.max, extent.max), Number(extent.max, 1));
    }
    ranges_[loop->loop_var] = reach;
    Visit(loop->body);
  }
  void VisitLetStmt(const LetStmt* let) {
    Visit(let->value);
    ranges_[let->var] = ReachOf(let->value);
    Visit(let->body);
  }
  void VisitBlockRealize(const BlockRealize* realize) {
    const Block* block = realize->block;
    for (const Expr* value : realize->iter_values) Visit(value);
    for (size_t i = 0; i < block->iter_vars.size() && i < realize->iter_values.size(); ++i) {
      ranges_[block->iter_vars[i]->var] = ReachOf(realize->iter_values[i]);
    }
    for (const BufferRegion* region : block->reads) AddRegion(reads_, region);
    for (const BufferRegion* region : block->writes) AddRegion(writes_, region);
  }

 private:
  const Expr* Combine(NodeKind kind, const Expr* a, const Expr* b) {
    std::string error;
    const Expr* result = Operator(builder_, kind, a, b, a->range, &error);
    return result == nullptr ? nullptr : analyzer_.Simplify(result);
  }
  const Expr* Sum(const Expr* a, const Expr* b) { return Combine(NodeKind::kAdd, a, b); }
  const Expr* Sub(const Expr* a, const Expr* b) { return Combine(NodeKind::kSub, a, b); }
  const Expr* Number(const Expr* like, int64_t value) {
    return builder_.Int(like->dtype, value, like->range);
  }

  bool IsFixed(const Expr* expr) {
    bool fixed = true;
    Walk(expr, [&](const Node* node) {
      const auto* var = dyn_cast<Var>(node);
      if ((var != nullptr && ranges_.contains(var)) || isa<Buffer>(node)) fixed = false;
      return fixed;
    });
    return fixed;
  }

  Reach ReachOf(const Expr* expr) {
    if (IsFixed(expr)) return {expr, expr};
    return WithStack([&] { return ReachOfVarying(expr); });
  }

  Reach ReachOfVarying(const Expr* expr) {
    if (const auto* var = dyn_cast<Var>(expr)) return ranges_.at(var);
    if (const auto* ramp = dyn_cast<Ramp>(expr)) {
      const int64_t* stride = AsIntImm(ramp->stride);
      const Reach base = ReachOf(ramp->base);
      if (stride == nullptr || *stride < 0 || !base.known()) return {};
      return {base.min, Sum(base.max, Number(base.max, *stride * (ramp->dtype.lanes() - 1)))};
    }
    const auto* binary = dyn_cast<BinaryExpr>(expr);
    if (binary == nullptr) return {};
    const Reach a = ReachOf(binary->a);
    const Reach b = ReachOf(binary->b);
    const int64_t* factor = AsIntImm(binary->b);
    switch (expr->kind) {
      case NodeKind::kFloorMod:
        if (factor == nullptr || *factor <= 0) return {};
        return {Number(expr, 0), Number(expr, *factor - 1)};
      case NodeKind::kAdd:
        if (!a.known() || !b.known()) return {};
        return {Sum(a.min, b.min), Sum(a.max, b.max)};
      case NodeKind::kSub:
        if (!a.known() || !b.known()) return {};
        return {Sub(a.min, b.max), Sub(a.max, b.min)};
      case NodeKind::kMin:
      case NodeKind::kMax:
        if (!a.known() || !b.known()) return {};
        return {Combine(expr->kind, a.min, b.min), Combine(expr->kind, a.max, b.max)};
      case NodeKind::kMul:
      case NodeKind::kFloorDiv: {
        if (factor == nullptr || *factor == 0 || !a.known()) return {};
        if (expr->kind == NodeKind::kFloorDiv && *factor < 0) return {};
        const Expr* low = Combine(expr->kind, a.min, binary->b);
        const Expr* high = Combine(expr->kind, a.max, binary->b);
        return *factor < 0 ? Reach{high, low} : Reach{low, high};
      }
      default:
        return {};
    }
  }

  static Access* Find(std::vector<Access>& list, const Buffer* buffer) {
    for (Access& access : list) {
      if (access.buffer == buffer) return &access;
    }
    return nullptr;
  }

  void Unite(Reach& into, const Reach& other) {
    if (!into.known() || !other.known()) {
      into = {};
      return;
    }
    const auto pick = [&](const Expr* a, const Expr* b, bool low) {
      if (HaveSameValue(a, b)) return a;
      if (analyzer_.CanProveLessEqual(a, b)) return low ? a : b;
      if (analyzer_.CanProveLessEqual(b, a)) return low ? b : a;
      return Combine(low ? NodeKind::kMin : NodeKind::kMax, a, b);
    };
    into = {pick(into.min, other.min, true), pick(into.max, other.max, false)};
  }

  void Add(std::vector<Access>& list, const Buffer* buffer, std::vector<Reach> dims) {
    if (local_.contains(buffer)) return;
    if (const auto match = matched_.find(buffer); match != matched_.end()) {
      // A view of a region counts as that region.
      return AddRegion(list, match->second->source);
    }
    Access* known = Find(list, buffer);
    if (known == nullptr) {
      list.push_back({buffer, std::move(dims)});
      return;
    }
    for (size_t i = 0; i < dims.size(); ++i) Unite(known->dims[i], dims[i]);
  }
  void AddAccess(std::vector<Access>& list, const Buffer* buffer, Span<const Expr*> indices) {
    std::vector<Reach> dims;
    for (const Expr* index : indices) {
      Reach reach = ReachOf(index);
      if (isa<Ramp>(index) && reach.min == index) reach = ReachOfVarying(index);
      dims.push_back(reach);
    }
    Add(list, buffer, std::move(dims));
  }
  void AddRegion(std::vector<Access>& list, const BufferRegion* region) {
    std::vector<Reach> dims;
    for (const Range* range : region->region) {
      const Reach first = ReachOf(range->min);
      const Reach extent = ReachOf(range->extent);
      Reach reach;
      if (first.known() && extent.known()) {
        reach = {first.min, Sub(Sum(first.max, extent.max), Number(extent.max, 1))};
      }
      dims.push_back(reach);
    }
    Add(list, region->buffer, std::move(dims));
  }

  const BufferRegion* RegionOf(const Access& access, SourceRange range) {
    std::vector<const Range*> ranges;
    for (size_t i = 0; i < access.dims.size(); ++i) {
      const Reach& reach = access.dims[i];
      const Expr* whole = access.buffer->shape[i];
      const Expr* extent = nullptr;
      if (reach.known()) extent = Sub(Sum(reach.max, Number(reach.max, 1)), reach.min);
      ranges.push_back(extent != nullptr ? builder_.New<Range>(range, reach.min, extent)
                                         : builder_.New<Range>(range, Number(whole, 0), whole));
    }
    return builder_.New<BufferRegion>(range, access.buffer, builder_.arena().Copy(ranges));
  }

  NodeBuilder& builder_;
  Analyzer& analyzer_;
  absl::flat_hash_map<const Var*, Reach> ranges_;
  absl::flat_hash_set<const Buffer*> local_;
  absl::flat_hash_map<const Buffer*, const MatchBufferRegion*> matched_;
  std::vector<Access> reads_;
  std::vector<Access> writes_;
};

}  // namespace

void DetectRegions(NodeBuilder& builder, Analyzer& analyzer, Block* block, bool reads,
                   bool writes) {
  RegionDetector detector(builder, analyzer);
  detector.Run(block);
  const bool reduces = block->init != nullptr;
  Arena& arena = builder.arena();
  if (reads) block->reads = arena.Copy(detector.Regions(false, reduces, block->range));
  if (writes) block->writes = arena.Copy(detector.Regions(true, reduces, block->range));
}

}  // namespace tenon
