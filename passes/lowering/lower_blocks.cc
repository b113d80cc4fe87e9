// Places of allocations are found while blocks are still there. A block then grows from its body
// outwards: `init` with its condition, allocations, lets of matched buffers, the predicate, and
// lets of long values.

#include "passes/lowering/lower_blocks.h"

#include <fmt/format.h>

#include "arith/index_math.h"
#include "ir/const_fold.h"
#include "ir/rewriter.h"
#include "passes/lowering/allocation_places.h"

namespace tenon {

namespace {

/// Values with more nodes than this are bound by a let, so that nested blocks cannot create
/// expressions of exponential size.
constexpr int kMostValueNodes = 64;

/// Values that a block may change while it runs must be read before.
bool DependsOnMemory(const Expr* expr) {
  bool reads = false;
  Walk(expr, [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    reads |= isa<BufferLoad>(node) || (call != nullptr && call->op->effect != OpEffect::kPure);
    return !reads && !isa<Buffer>(node);
  });
  return reads;
}

bool IsSmall(const Expr* expr) {
  int nodes = 0;
  Walk(expr, [&](const Node*) { return ++nodes <= kMostValueNodes; });
  return nodes <= kMostValueNodes && !DependsOnMemory(expr);
}

class BlockLowering : public Rewriter<BlockLowering> {
 public:
  BlockLowering(Context& context, std::shared_ptr<Storage> storage, const AllocationPlaces& places,
                Diagnostics& diagnostics)
      : Rewriter(context, std::move(storage)), places_(places), diagnostics_(diagnostics) {}

  const Stmt* RewriteStmt(const Stmt* stmt) {
    const Stmt* now = Rewriter::RewriteStmt(stmt);
    const auto found = places_.around.find(stmt);
    return found == places_.around.end() ? now : WithAllocations(found->second, now, stmt->range);
  }

  const Expr* RewriteVar(const Var* var) {
    const auto found = values_.find(var);
    return found != values_.end() ? found->second : MapVar(var);
  }

  const Stmt* RewriteBlockRealize(const BlockRealize* realize) {
    const Block* block = realize->block;
    const size_t count = std::min(block->iter_vars.size(), realize->iter_values.size());
    const Expr* predicate = RewriteExpr(realize->predicate);
    std::vector<std::pair<const Var*, const Expr*>> lets;
    for (size_t i = 0; i < count; ++i) {
      const Var* var = block->iter_vars[i]->var;
      const Expr* value =
          SmartCast(builder(), var->dtype, RewriteExpr(realize->iter_values[i]), realize->range);
      if (IsSmall(value)) {
        values_[var] = value;
      } else {
        lets.emplace_back(var, value);
      }
    }
    const Stmt* body = LowerBlock(block);
    if (!IsConstInt(predicate, 1)) {
      body = builder().New<IfThenElse>(realize->range, predicate, body, nullptr);
    }
    for (; !lets.empty(); lets.pop_back()) {
      body = builder().New<LetStmt>(realize->range, lets.back().first, lets.back().second, body);
    }
    return body;
  }

  const Stmt* RewriteBlock(const Block* block) {
    if (!block->iter_vars.empty()) {
      diagnostics_.Error(
          DiagnosticKind::kPass, block->range,
          fmt::format("block `{}` has iteration variables but is not realized with values for them",
                      block->name_hint));
      return block;
    }
    return LowerBlock(block);
  }

 private:
  const Stmt* LowerBlock(const Block* block) {
    std::vector<const Var*> bound;
    std::vector<std::pair<const Var*, const Expr*>> lets;
    for (const MatchBufferRegion* match : block->match_buffers) BindMatch(match, bound, lets);
    const Stmt* body = RewriteAny(block->body);
    if (block->init != nullptr) body = builder().Seq({LowerInit(block), body}, block->range);
    const auto found = places_.in_block.find(block);
    if (found != places_.in_block.end()) body = WithAllocations(found->second, body, block->range);
    for (const Var* var : bound) values_.erase(var);
    for (; !lets.empty(); lets.pop_back()) {
      body = builder().New<LetStmt>(block->range, lets.back().first, lets.back().second, body);
    }
    return body;
  }

  const Stmt* LowerInit(const Block* block) {
    const Stmt* init = RewriteAny(block->init);
    const IndexMath math(builder(), init->range);
    const Expr* first = nullptr;
    for (const IterVar* iter : block->iter_vars) {
      if (iter->iter_kind != IterVarKind::kCommReduce || iter->dom == nullptr) continue;
      const Expr* at_min = math.Equal(RewriteExpr(iter->var), RewriteExpr(iter->dom->min));
      first = first == nullptr ? at_min : math.And(first, at_min);
    }
    if (first == nullptr || IsConstInt(first, 1)) return init;
    return builder().New<IfThenElse>(init->range, first, init, nullptr);
  }

  const Stmt* WithAllocations(const std::vector<const Buffer*>& buffers, const Stmt* body,
                              SourceRange range) {
    if (body == nullptr) body = builder().NoOp(range);
    for (size_t i = buffers.size(); i-- > 0;) {
      const Buffer* buffer = RewriteBuffer(buffers[i]);
      body = builder().New<DeclBuffer>(buffer->range, buffer, body);
      body = builder().New<Allocate>(buffer->range, buffer->data, buffer->dtype, Extents(buffer),
                                     builder().Bool(true), nullptr, body);
    }
    return body;
  }

  Span<const Expr*> Extents(const Buffer* buffer) {
    const bool plain = buffer->strides.empty() && IsConstInt(buffer->elem_offset, 0);
    if (plain && !buffer->shape.empty()) return buffer->shape;
    return builder().List<Expr>({ReachedElements(builder(), *buffer)});
  }

  /// Replaces `variable`, if the match introduces it, by `value` in the block.
  void BindField(const Expr* variable, const Expr* value, std::vector<const Var*>& bound) {
    const auto* var = dyn_cast_or_null<Var>(variable);
    if (var == nullptr || values_.contains(var)) return;
    values_[var] = SmartCast(builder(), var->dtype, value, value->range);
    bound.push_back(var);
  }

  /// Adds computations that must precede the block to `lets`.
  void BindMatch(const MatchBufferRegion* match, std::vector<const Var*>& bound,
                 std::vector<std::pair<const Var*, const Expr*>>& lets) {
    const Buffer* view = match->buffer;
    const Buffer* source = RewriteBuffer(match->source->buffer);
    const Span<const Range*> region = match->source->region;
    const size_t rank = view->shape.size();
    if (view->dtype != source->dtype || region.size() < rank ||
        region.size() != source->shape.size()) {
      diagnostics_.Error(
          DiagnosticKind::kPass, match->range.valid() ? match->range : view->range,
          fmt::format(
              "buffer `{}` of {} dimensions and dtype `{}` cannot match a region of `{}` of "
              "{} dimensions and dtype `{}`",
              view->name.view(), rank, view->dtype.ToString(), source->name.view(),
              source->shape.size(), source->dtype.ToString()));
      return;
    }
    const IndexMath math(builder(), view->range);
    const Span<const Expr*> strides = StridesOf(builder(), source);
    const Expr* offset = source->elem_offset;
    for (size_t i = 0; i < region.size(); ++i) {
      const Expr* min = RewriteExpr(region[i]->min);
      if (DependsOnMemory(min)) {
        const Var* first = builder().NewVar("first", min->dtype, min->range);
        lets.emplace_back(first, min);
        min = first;
      }
      offset = math.Add(offset, math.Mul(min, strides[i]));
    }
    const size_t skipped = region.size() - rank;
    BindField(view->elem_offset, offset, bound);
    for (size_t i = 0; i < rank; ++i) {
      BindField(view->shape[i], RewriteExpr(region[skipped + i]->extent), bound);
      if (!view->strides.empty()) BindField(view->strides[i], strides[skipped + i], bound);
    }
    Buffer now = *view;
    now.data = source->data;
    now.elem_offset = offset;
    RewriteSpan(now.shape);
    now.strides = strides.subspan(skipped);
    now.buffer_kind = BufferKind::kDefault;
    var_map[view->data] = source->data;
    buffer_map[view] = arena().New<Buffer>(now);
  }

  const AllocationPlaces& places_;
  Diagnostics& diagnostics_;
  absl::flat_hash_map<const Var*, const Expr*> values_;
};

bool HasBlocks(const PrimFunc& function) {
  bool found = false;
  Walk(function.body, [&](const Node* node) {
    found |= isa<Block>(node);
    return !found && isa<Stmt>(node);
  });
  return found;
}

}  // namespace

absl::StatusOr<IRModule> LowerBlocks(const IRModule& module, const NoOptions&,
                                     PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics& diagnostics) {
    if (!HasBlocks(*function.func)) return function;
    const AllocationPlaces places = FindAllocationPlaces(*function.func);
    return RewriteFunction<BlockLowering>(module.context(), function, places, diagnostics);
  });
}

}  // namespace tenon
