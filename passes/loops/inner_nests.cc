// A nest is outlined only for its rewrite, and then its new body replaces the nest. Therefore
// passes that rewrite whole functions need not know the loops around it.

#include "passes/loops/inner_nests.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "arith/analyzer.h"
#include "arith/index_math.h"
#include "fmt/format.h"
#include "ir/analysis/node_queries.h"
#include "ir/attributes.h"
#include "ir/extents.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "ir/structural.h"
#include "ir/visitor.h"
#include "passes/outlining.h"

namespace tenon {

namespace {

/// Memory that begins at an element, as a nest accesses it.
struct View {
  /// The pointer in the enclosing function.
  const Var* data = nullptr;
  /// The element where the view begins, an expression of the loops around; null: the first element.
  const Expr* start = nullptr;
  DataType dtype;
  int64_t elements = 0;
  bool is_written = false;
  /// The buffer in the function of the nest.
  const Buffer* buffer = nullptr;
};

/// The accesses of a nest as views. Indices are those of the first iteration of the loops around.
class ViewFinder : public Visitor<ViewFinder> {
 public:
  /// `around` are the loops around the nest.
  ViewFinder(Context& context, std::shared_ptr<Storage> storage,
             const std::vector<const For*>& around)
      : context_(context),
        storage_(std::move(storage)),
        around_(around),
        analyzer_(context, storage_->arena()) {}

  /// False if the nest cannot be outlined.
  bool Find(const For* nest) {
    for (const Var* var : FreeVarsOf({nest})) free_.insert(var);
    Visit(nest);
    for (const View& view : views_) {
      for (const View& other : views_) {
        const bool is_one = view.data != other.data || &view == &other;
        can_stand_alone_ &= is_one || (view.dtype == other.dtype && !view.is_written);
      }
    }
    return can_stand_alone_;
  }

  const std::vector<View>& views() const { return views_; }
  const std::vector<size_t>& view_of_access() const { return view_of_access_; }
  /// The index of each access in its view, in the order of the accesses.
  const std::vector<const Expr*>& indices() const { return indices_; }

  void VisitVar(const Var* var) { can_stand_alone_ &= !free_.contains(var); }
  void VisitBufferLoad(const BufferLoad* load) {
    can_stand_alone_ &= load->predicate == nullptr;
    Add(load->buffer, load->indices, /*is_written=*/false);
  }
  void VisitBufferStore(const BufferStore* store) {
    can_stand_alone_ &= store->predicate == nullptr;
    Add(store->buffer, store->indices, /*is_written=*/true);
    Visit(store->value);
  }

 private:
  void Add(const Buffer* buffer, Span<const Expr*> indices, bool is_written) {
    if (!free_.contains(buffer->data)) {
      for (const Expr* index : indices) Visit(index);
      return;
    }
    const auto shape = CompactShape(*buffer);
    if (!shape || shape->size() != 1 || !IsConstInt(buffer->elem_offset, 0) ||
        !indices[0]->dtype.is_scalar()) {
      can_stand_alone_ = false;
      return;
    }
    const Expr* first = indices[0];
    for (const For* loop : around_) {
      VarReplacer replacer(context_, storage_, loop->loop_var, loop->min);
      first = replacer.RewriteExpr(first);
    }
    const Expr* start = nullptr;
    if (first != indices[0]) {
      NodeBuilder builder(context_, storage_->arena());
      start = analyzer_.Simplify(IndexMath(builder, {}).Sub(indices[0], first));
      first = analyzer_.Simplify(first);
      can_stand_alone_ &= DependsOnLoopsAround(start);
    }
    // Accesses inside of an index would need views of their own.
    can_stand_alone_ &= !ReadsMemory(first);
    Visit(first);
    view_of_access_.push_back(ViewOf(buffer, start, (*shape)[0], is_written));
    indices_.push_back(first);
  }

  bool DependsOnLoopsAround(const Expr* expr) const {
    bool depends = true;
    Walk(expr, [&](const Node* node) {
      const auto* var = dyn_cast<Var>(node);
      depends &=
          !isa<BufferLoad>(node) &&
          (var == nullptr || std::any_of(around_.begin(), around_.end(),
                                         [&](const For* loop) { return loop->loop_var == var; }));
      return true;
    });
    return depends;
  }

  size_t ViewOf(const Buffer* buffer, const Expr* start, int64_t elements, bool is_written) {
    const auto is_same = [&](const View& view) {
      const bool has_start = view.start == nullptr || start == nullptr
                                 ? view.start == start
                                 : StructuralEqual(view.start, start);
      return view.data == buffer->data && view.dtype == buffer->dtype && has_start;
    };
    auto found = std::find_if(views_.begin(), views_.end(), is_same);
    if (found == views_.end())
      found = views_.insert(views_.end(), {buffer->data, start, buffer->dtype, 0, false, nullptr});
    found->elements = std::max(found->elements, elements);
    found->is_written |= is_written;
    return static_cast<size_t>(found - views_.begin());
  }

  Context& context_;
  const std::shared_ptr<Storage> storage_;
  const std::vector<const For*>& around_;
  Analyzer analyzer_;
  absl::flat_hash_set<const Var*> free_;
  std::vector<View> views_;
  std::vector<size_t> view_of_access_;
  std::vector<const Expr*> indices_;
  bool can_stand_alone_ = true;
};

/// Replaces the accesses of a nest by accesses of its views.
class IntoViews : public Rewriter<IntoViews> {
 public:
  IntoViews(Context& context, std::shared_ptr<Storage> storage, const ViewFinder& found,
            const std::vector<View>& views)
      : Rewriter(context, std::move(storage)), found_(found), views_(views) {
    for (const View& view : views) data_.insert(view.data);
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    if (!data_.contains(load->buffer->data)) return RewriteChildren(load);
    BufferLoad copy = *load;
    std::tie(copy.buffer, copy.indices) = Next();
    return arena().New<BufferLoad>(copy);
  }
  const Stmt* RewriteBufferStore(const BufferStore* store) {
    if (!data_.contains(store->buffer->data)) return RewriteChildren(store);
    BufferStore copy = *store;
    std::tie(copy.buffer, copy.indices) = Next();
    copy.value = RewriteExpr(store->value);
    return arena().New<BufferStore>(copy);
  }

 private:
  /// The next access in the order of ViewFinder.
  std::pair<const Buffer*, Span<const Expr*>> Next() {
    const size_t at = next_++;
    return {views_[found_.view_of_access()[at]].buffer,
            builder().List<Expr>({found_.indices()[at]})};
  }

  const ViewFinder& found_;
  const std::vector<View>& views_;
  absl::flat_hash_set<const Var*> data_;
  size_t next_ = 0;
};

/// The inverse, for the new body of a nest.
class OutOfViews : public Rewriter<OutOfViews> {
 public:
  OutOfViews(Context& context, std::shared_ptr<Storage> storage, const std::vector<View>& views)
      : Rewriter(context, std::move(storage)) {
    for (const View& view : views) views_.emplace(view.buffer->data, &view);
  }

  /// The constants that the rewrite added.
  const std::vector<const AllocateConst*>& constants() const { return constants_; }

  const Stmt* RewriteAllocateConst(const AllocateConst* constant) {
    if (!views_.contains(constant->buffer_var)) constants_.push_back(constant);
    return RewriteStmt(constant->body);
  }
  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    BufferLoad copy = *RewriteChildren(load);
    const View* view = ViewOf(load->buffer);
    if (view == nullptr) return arena().New<BufferLoad>(copy);
    copy.indices = builder().List<Expr>({From(*view, copy.indices[0])});
    return arena().New<BufferLoad>(copy);
  }
  const Stmt* RewriteBufferStore(const BufferStore* store) {
    BufferStore copy = *RewriteChildren(store);
    const View* view = ViewOf(store->buffer);
    if (view == nullptr) return arena().New<BufferStore>(copy);
    copy.indices = builder().List<Expr>({From(*view, copy.indices[0])});
    return arena().New<BufferStore>(copy);
  }
  const Stmt* RewritePrefetch(const Prefetch* prefetch) {
    Prefetch copy = *RewriteChildren(prefetch);
    const View* view = ViewOf(prefetch->buffer);
    if (view == nullptr) return arena().New<Prefetch>(copy);
    Range range = *copy.bounds[0];
    range.min = From(*view, range.min);
    copy.bounds = builder().List<Range>({arena().New<Range>(range)});
    return arena().New<Prefetch>(copy);
  }
  const Buffer* RewriteBuffer(const Buffer* buffer) {
    const View* view = ViewOf(buffer);
    if (view == nullptr) return Rewriter::RewriteBuffer(buffer);
    Buffer copy = *buffer;
    copy.data = view->data;
    const Buffer*& now = buffers_[buffer];
    if (now == nullptr) now = arena().New<Buffer>(copy);
    return now;
  }

 private:
  const View* ViewOf(const Buffer* buffer) const {
    const auto found = views_.find(buffer->data);
    return found == views_.end() ? nullptr : found->second;
  }
  const Expr* From(const View& view, const Expr* index) {
    if (view.start == nullptr) return index;
    const IndexMath math(builder(), {});
    if (const auto* ramp = dyn_cast<Ramp>(index)) {
      Ramp copy = *ramp;
      copy.base = math.Add(view.start, ramp->base);
      return arena().New<Ramp>(copy);
    }
    return math.Add(math.Widen(view.start, index->dtype.lanes()), index);
  }

  absl::flat_hash_map<const Var*, const View*> views_;
  absl::flat_hash_map<const Buffer*, const Buffer*> buffers_;
  std::vector<const AllocateConst*> constants_;
};

/// A copy of constants: memory, and the statement that fills it.
struct Copy {
  const Allocate* memory;
  const Stmt* fill;
};

/// Finds the nests of a function, and their new bodies.
class NestRewriter : public Rewriter<NestRewriter> {
 public:
  using Rewrite = std::function<std::optional<Function>(const Function& nest)>;

  NestRewriter(Context& context, const Function& function, const Rewrite& rewrite)
      : Rewriter(context, std::make_shared<Storage>(function.storage)),
        context_(context),
        function_(function),
        rewrite_(rewrite) {}

  Function Run() {
    const Stmt* body = RewriteStmt(function_.func->body);
    if (body == function_.func->body) return function_;
    PrimFunc copy = *function_.func;
    copy.body = WithCopies(body);
    for (size_t i = made_.size(); i-- > 0;) {
      AllocateConst constant = *made_[i];
      constant.body = copy.body;
      copy.body = arena().New<AllocateConst>(constant);
    }
    return {function_.name, arena().New<PrimFunc>(copy), storage()};
  }

  const Stmt* RewriteAllocateConst(const AllocateConst* constant) {
    constants_.emplace(constant->buffer_var, constant);
    return RewriteChildren(constant);
  }
  const Stmt* RewriteFor(const For* loop) {
    if (const Stmt* now = Alone(loop); now != nullptr) return now;
    around_.push_back(loop);
    const Stmt* now = RewriteChildren(loop);
    around_.pop_back();
    return now;
  }
  // Loops in other statements may run under conditions, and see other variables.
  const Stmt* RewriteIfThenElse(const IfThenElse* branch) { return branch; }
  const Stmt* RewriteLetStmt(const LetStmt* let) { return let; }
  const Stmt* RewriteWhile(const While* loop) { return loop; }
  const Stmt* RewriteBlockRealize(const BlockRealize* block) { return block; }

 private:
  /// The new body of a nest; null if it is left unchanged.
  const Stmt* Alone(const For* nest) {
    if (!IsNoAlias(*function_.func)) return nullptr;
    ViewFinder finder(context_, storage(), around_);
    if (!finder.Find(nest)) return nullptr;
    std::vector<View> views = finder.views();
    const Function alone = FunctionOf(nest, finder, views);
    const std::optional<Function> now = rewrite_(alone);
    if (!now) return nullptr;
    storage()->Retain(now->storage);
    OutOfViews back(context_, storage(), views);
    const Stmt* body = back.RewriteStmt(now->func->body);
    for (const AllocateConst* constant : back.constants()) {
      constants_.emplace(constant->buffer_var, constant);
      made_.push_back(constant);
    }
    return around_.empty() ? body : WithoutCopies(body);
  }

  Function FunctionOf(const For* nest, const ViewFinder& finder, std::vector<View>& views) {
    // The storage of the enclosing function keeps the nest alive, so the nest must not keep that
    // storage alive.
    auto own = std::make_shared<Storage>(function_.storage);
    NodeBuilder builder(context_, own->arena());
    std::vector<const Var*> params;
    std::vector<const Buffer*> buffers;
    std::vector<const Stmt*> bindings;
    for (View& view : views) {
      const IndexMath math(builder, {});
      const Var* data = builder.NewVar(view.data->name.view(), view.data->type);
      view.buffer =
          builder.New<Buffer>({}, view.data->name, data, view.dtype,
                              builder.List<Expr>({math.Constant(view.elements)}), builder.Int(0));
      const auto constant = constants_.find(view.data);
      if (constant != constants_.end() && view.start == nullptr) {
        AllocateConst copy = *constant->second;
        copy.buffer_var = data;
        bindings.push_back(builder.arena().New<AllocateConst>(copy));
        continue;
      }
      params.push_back(
          builder.NewVar(fmt::format("{}_handle", view.data->name.view()), DataType::Handle()));
      buffers.push_back(view.buffer);
    }
    IntoViews into(context_, own, finder, views);
    PrimFunc func(
        own->arena().Copy(Span<const Var*>(params.data(), params.size())),
        own->arena().Copy(Span<const Buffer*>(buffers.data(), buffers.size())), context_.VoidType(),
        builder.With(builder.Map({}), attr_key::kNoAlias, builder.ExprValue(builder.Bool(true))),
        InBindings(builder, bindings, into.RewriteStmt(nest)));
    func.range = nest->range;
    return {function_.name, builder.arena().New<PrimFunc>(func), own};
  }

  /// Moves copies of constants away from the start of a nest.
  const Stmt* WithoutCopies(const Stmt* body) {
    std::vector<const Allocate*> memory;
    while (const auto* allocate = dyn_cast<Allocate>(body)) {
      memory.push_back(allocate);
      body = allocate->body;
    }
    std::vector<const Stmt*> rest;
    if (const auto* seq = dyn_cast<SeqStmt>(body)) {
      rest.assign(seq->seq.begin(), seq->seq.end());
    } else {
      rest.push_back(body);
    }
    std::vector<const Stmt*> inside;
    for (const Allocate* one : memory) {
      const auto fill = std::find_if(rest.begin(), rest.end(), [&](const Stmt* stmt) {
        return CopiesConstants(stmt, one->buffer_var);
      });
      if (fill == rest.end() || one->annotations != nullptr) {
        inside.push_back(one);
        continue;
      }
      copies_.push_back({one, *fill});
      rest.erase(fill);
    }
    return InBindings(builder(), inside, builder().Seq(Span<const Stmt*>(rest)));
  }

  /// True if a statement only fills `memory`, with constants.
  bool CopiesConstants(const Stmt* stmt, const Var* memory) const {
    bool copies = isa<For>(stmt);
    for (const Var* var : FreeVarsOf({stmt})) copies &= var == memory || constants_.contains(var);
    return copies;
  }

  /// Moves the copies of constants to the start of the function's body.
  const Stmt* WithCopies(const Stmt* body) {
    if (copies_.empty()) return body;
    if (const auto* constant = dyn_cast<AllocateConst>(body)) {
      AllocateConst copy = *constant;
      copy.body = WithCopies(constant->body);
      return arena().New<AllocateConst>(copy);
    }
    std::vector<const Stmt*> memory;
    std::vector<const Stmt*> all;
    for (const Copy& copy : copies_) {
      memory.push_back(copy.memory);
      all.push_back(copy.fill);
    }
    all.push_back(body);
    return InBindings(builder(), memory, builder().Seq(Span<const Stmt*>(all)));
  }

  Context& context_;
  const Function& function_;
  const Rewrite& rewrite_;
  std::vector<const For*> around_;
  absl::flat_hash_map<const Var*, const AllocateConst*> constants_;
  std::vector<const AllocateConst*> made_;
  std::vector<Copy> copies_;
};

}  // namespace

Function RewriteInnerNests(
    Context& context, const Function& function,
    const std::function<std::optional<Function>(const Function& nest)>& rewrite) {
  return NestRewriter(context, function, rewrite).Run();
}

}  // namespace tenon
