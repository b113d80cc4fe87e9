// Array contraction, the second half of loop fusion: from the innermost loop outwards, the first
// loop whose iterations touch different elements gets the allocation. An outer loop cannot need
// fewer elements.

#include "passes/fusion/contract_buffer.h"

#include <algorithm>

#include "arith/index_math.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "passes/fusion/nest_order.h"

namespace tenon {

namespace {

/// Elements `first`, ..., `first + count - 1`, for iteration 0.
struct Window {
  int64_t first = 0;
  int64_t count = 0;
};

/// The elements of `data` that one iteration of the first `depth` loops accesses, when no other
/// iteration accesses them.
std::optional<Window> WindowOf(const Nest& nest, size_t depth, const Var* data) {
  NestAccesses nests(nest.Count(depth), {});
  if (!nests.Enter({nest.loops.data(), depth})) return std::nullopt;
  const auto accesses = nests.Collect(nest.loops[depth - 1]->body, data);
  if (!accesses || accesses->empty() || !nests.MeetOnlyAtSame(*accesses, *accesses))
    return std::nullopt;
  std::optional<Bounds> all;
  for (const ElementAccess& access : *accesses) {
    const std::optional<Bounds> bounds = nests.digits().BoundsOf(nests.First(access));
    if (!bounds) return std::nullopt;
    if (!all) all = bounds;
    all->min = std::min(all->min, bounds->min);
    all->max = std::max(all->max, bounds->max);
  }
  return Window{all->min, all->max - all->min + 1};
}

/// Moves accesses of a buffer to a smaller one.
class WindowRewriter : public Rewriter<WindowRewriter> {
 public:
  WindowRewriter(const FusionTools& tools, const Var* data, const Var* now, Window window,
                 const VarExprs& first)
      : Rewriter(tools.builder.context(), tools.storage),
        tools_(tools),
        data_(data),
        now_(now),
        window_(window),
        first_(first) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(tools_.analyzer);
    tools_.analyzer.BindLoop(loop);
    return RewriteChildren(loop);
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) { return Moved(load); }
  const Stmt* RewriteBufferStore(const BufferStore* store) { return Moved(store); }

  const Buffer* RewriteBuffer(const Buffer* buffer) {
    if (buffer->data != data_) return Rewriter::RewriteBuffer(buffer);
    const Buffer*& now = buffers_[buffer];
    if (now == nullptr) {
      Buffer copy = *buffer;
      copy.data = now_;
      copy.shape = builder().List<Expr>({builder().Int(window_.count)});
      now = arena().New<Buffer>(copy);
    }
    return now;
  }

 private:
  template <class T>
  const T* Moved(const T* access) {
    const T* now = RewriteChildren(access);
    if (access->buffer->data != data_) return now;
    const IndexMath math(builder(), access->range);
    const Expr* index = ReplaceVars(tools_, now->indices[0], first_);
    index = math.Sub(index, builder().Int(index->dtype, window_.first));
    T copy = *now;
    copy.indices = builder().template List<Expr>({tools_.analyzer.Simplify(index)});
    return arena().template New<T>(copy);
  }

  FusionTools tools_;
  const Var* data_;
  const Var* now_;
  Window window_;
  const VarExprs& first_;
  absl::flat_hash_map<const Buffer*, const Buffer*> buffers_;
};

Contracted WithWindow(const FusionTools& tools, const Nest& nest, size_t depth, Window window,
                      const PointerUse& use, const Allocate& allocate) {
  NodeBuilder& builder = tools.builder;
  const Var* old = allocate.buffer_var;
  const Type* type = builder.context().PointerType(use.dtype, old->type->scope);
  const Var* var = builder.NewVar(old->name.view(), type, old->range);
  VarExprs first;
  for (size_t i = 0; i < depth; ++i) first.emplace(nest.loops[i]->loop_var, nest.loops[i]->min);
  const Stmt* body =
      WindowRewriter(tools, old, var, window, first).RewriteStmt(nest.loops[depth - 1]->body);
  body = builder.New<Allocate>(allocate.range, var, use.dtype,
                               builder.List<Expr>({builder.Int(window.count)}), allocate.condition,
                               allocate.annotations, body);
  for (size_t i = depth; i-- > 0;) {
    For copy = *nest.loops[i];
    copy.body = body;
    body = builder.arena().New<For>(copy);
  }
  return {body, var, window.count};
}

}  // namespace

Contracted ContractBuffer(const FusionTools& tools, const Stmt* stmt, const PointerUse& use,
                          const Allocate& allocate) {
  if (use.escapes || !use.is_plain || use.stores == 0) return {};
  const Nest nest = NestOf(stmt);
  const int64_t bytes = StaticBytes(allocate.dtype, allocate.extents).value_or(0);
  for (size_t depth = nest.loops.size(); depth > 0; --depth) {
    const auto window = WindowOf(nest, depth, allocate.buffer_var);
    if (!window) continue;
    // An iteration of an outer loop accesses at least these elements, so no outer loop is better.
    if (window->count >= bytes / use.dtype.bytes() || window->count > INT32_MAX) return {};
    return WithWindow(tools, nest, depth, *window, use, allocate);
  }
  return {};
}

}  // namespace tenon
