// The counterpart of forward-producers: the reader moves to the store, so that even a nest in
// another order leaves no buffer. Each element must be stored once and read once, or work would be
// repeated.

#include "passes/fusion/sink_consumer.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "ir/analysis/node_queries.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "passes/fusion/origins.h"
#include "passes/fusion/producer.h"

namespace tenon {

namespace {

/// Statements that are further apart stay apart.
constexpr size_t kMostSinkDistance = 2000;

/// A buffer's statements: `makers` store its elements, `consumer` makes `result` of them.
struct Sink {
  std::vector<size_t> makers;
  size_t consumer = 0;
  const BufferStore* result = nullptr;
  const BufferLoad* load = nullptr;
  std::optional<ElementIndex> index;
};

/// The one load from `data` in `value`; null if there are several.
const BufferLoad* OnlyLoad(const Expr* value, const Var* data) {
  const BufferLoad* only = nullptr;
  int count = 0;
  Walk(value, [&](const Node* node) {
    const auto* load = dyn_cast<BufferLoad>(node);
    if (load != nullptr && load->buffer->data == data) {
      only = load;
      ++count;
    }
    return true;
  });
  return count == 1 ? only : nullptr;
}

/// Reads the nest as one store whose value depends on one element of `data`, each element once.
std::optional<Sink> AsConsumer(const FusionTools& tools, const Stmt* stmt, const Allocate& allocate,
                               Span<const For*> around) {
  const Nest nest = NestOf(MergeGuardedLoops(tools, stmt));
  Sink sink;
  sink.result = dyn_cast<BufferStore>(nest.body);
  if (sink.result == nullptr || sink.result->predicate != nullptr ||
      sink.result->indices.size() != 1 || !sink.result->indices[0]->dtype.is_scalar() ||
      !sink.result->value->dtype.is_scalar() || !IsPlainValue(sink.result->value) ||
      HasLet(sink.result->value) || Mentions(sink.result->value, sink.result->buffer->data))
    return std::nullopt;
  sink.load = OnlyLoad(sink.result->value, allocate.buffer_var);
  if (sink.load == nullptr || sink.load->predicate != nullptr) return std::nullopt;
  if (!ElementIndex::Differs(nest.loops, around, sink.result->buffer, sink.result->indices))
    return std::nullopt;
  sink.index = ElementIndex::Of(nest.loops, sink.load->buffer, sink.load->indices);
  const int64_t bytes = StaticBytes(allocate.dtype, allocate.extents).value_or(0);
  // A buffer of one element is a register.
  if (!sink.index || sink.index->elements() <= 1 || !sink.index->HasAll(*sink.load->buffer) ||
      bytes != sink.index->elements() * sink.load->dtype.bytes())
    return std::nullopt;
  return sink;
}

/// Counts the runs of stores to `data`; INT64_MAX if the number is not known, or too large.
int64_t CountStores(const Stmt* stmt, const Var* data) {
  constexpr int64_t kMany = std::numeric_limits<int64_t>::max();
  const auto* store = dyn_cast<BufferStore>(stmt);
  if (store != nullptr) return store->buffer->data == data ? 1 : 0;
  int64_t stores = 0;
  WithStack([&] {
    ForEachChild(stmt, [&](const Node* child, FieldRole) {
      const int64_t more =
          Stmt::ClassOf(child) ? CountStores(static_cast<const Stmt*>(child), data) : 0;
      if (__builtin_add_overflow(stores, more, &stores)) stores = kMany;
    });
  });
  const auto* loop = dyn_cast<For>(stmt);
  if (stores == 0 || loop == nullptr) return stores;
  const int64_t* extent = AsIntImm(loop->extent);
  if (extent == nullptr || __builtin_mul_overflow(stores, std::max<int64_t>(*extent, 0), &stores))
    return kMany;
  return stores;
}

/// The largest number of bytes of the region's allocations in use at once; with a sink, after its
/// move.
int64_t PeakOf(const StmtRegion& region, const Sink* sink, const Var* gone) {
  std::vector<int64_t> change(region.size() + 1);
  for (const Stmt* scope : region.scopes) {
    const auto* allocate = dyn_cast<Allocate>(scope);
    if (allocate == nullptr || (sink != nullptr && allocate->buffer_var == gone)) continue;
    std::vector<size_t> uses = region.UsesOf(allocate->buffer_var);
    if (uses.empty()) continue;
    if (sink != nullptr && std::erase(uses, sink->consumer) > 0)
      uses.insert(uses.end(), sink->makers.begin(), sink->makers.end());
    const auto [first, last] = std::minmax_element(uses.begin(), uses.end());
    const int64_t bytes = StaticBytes(allocate->dtype, allocate->extents).value_or(0);
    change[*first] += bytes;
    change[*last + 1] -= bytes;
  }
  int64_t bytes = 0;
  int64_t peak = 0;
  for (const int64_t more : change) peak = std::max(peak, bytes += more);
  return peak;
}

/// True if the consumer may run in the makers' place.
bool MayMove(const StmtRegion& region, const Sink& sink, const FunctionStorage& storage) {
  const size_t first = sink.makers.front();
  if (sink.consumer - first > kMostSinkDistance) return false;
  const Var* result = sink.result->buffer->data;
  for (size_t i = first; i < sink.consumer; ++i) {
    const StmtAccesses& accesses = region.accesses(i);
    if (accesses.is_opaque) return false;
    for (const auto& [data, use] : accesses.pointers)
      if (storage.MayAlias(data, result)) return false;
  }
  bool stay = true;
  Walk(sink.result->value, [&](const Node* node) {
    const auto* load = dyn_cast<BufferLoad>(node);
    if (load == nullptr || load == sink.load) return true;
    for (size_t i = first; i < sink.consumer; ++i)
      stay = stay && !MayWrite(region.accesses(i), load->buffer->data, storage);
    return true;
  });
  return stay;
}

/// Replaces the load by a variable.
class LoadNamer : public Rewriter<LoadNamer> {
 public:
  LoadNamer(const FusionTools& tools, const BufferLoad* load, const Var* name)
      : Rewriter(tools.builder.context(), tools.storage), load_(load), name_(name) {}

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    return load == load_ ? static_cast<const Expr*>(name_) : RewriteChildren(load);
  }

 private:
  const BufferLoad* load_;
  const Var* name_;
};

/// Replaces the maker's stores of elements by stores of results.
class StoreReplacer : public Rewriter<StoreReplacer> {
 public:
  StoreReplacer(const FusionTools& tools, const Sink& sink)
      : Rewriter(tools.builder.context(), tools.storage), tools_(tools), sink_(sink) {}

  bool has_failed() const { return has_failed_; }

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(tools_.analyzer);
    tools_.analyzer.BindLoop(loop);
    const bool in_order =
        loop->for_kind == ForKind::kSerial || loop->for_kind == ForKind::kUnrolled;
    const For* around = std::exchange(innermost_, loop);
    const bool before = std::exchange(runs_in_order_, runs_in_order_ && in_order);
    const For* now = RewriteChildren(loop);
    runs_in_order_ = before;
    innermost_ = around;
    return now;
  }

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    if (store->buffer->data != sink_.load->buffer->data) return store;
    const Expr* result = sink_.result->value;
    const auto counters = sink_.index->CountersAt(tools_, *sink_.load->buffer, store->indices[0]);
    // Sums are made in lanes, unless the innermost loop around them also has a call that is made
    // lane by lane.
    const bool slows = innermost_ != nullptr && HasLoop(innermost_->body) && HasScalarCalls(result);
    if (!counters || slows || !runs_in_order_ || !IsPlainValue(store->value) ||
        HasLet(store->value)) {
      has_failed_ = true;
      return store;
    }
    const Var* element = builder().NewVar("element", store->value->dtype);
    const Expr* named = LoadNamer(tools_, sink_.load, element).RewriteExpr(result);
    BufferStore copy = *store;
    copy.buffer = sink_.result->buffer;
    copy.value = ReplaceVars(tools_, ReplaceVars(tools_, named, *counters),
                             VarExprs{{element, store->value}});
    const Expr* index = ReplaceVars(tools_, sink_.result->indices[0], *counters);
    copy.indices = builder().List<Expr>({tools_.analyzer.Simplify(index)});
    return arena().New<BufferStore>(copy);
  }

 private:
  FusionTools tools_;
  const Sink& sink_;
  const For* innermost_ = nullptr;
  bool runs_in_order_ = true;
  bool has_failed_ = false;
};

const Stmt* WithOriginsOf(const FusionTools& tools, const Stmt* stmt, const Stmt* other) {
  const auto* loop = dyn_cast<For>(stmt);
  if (loop == nullptr) return stmt;
  const Origins origins = Joined(OriginsOf(stmt), OriginsOf(other));
  return origins.empty() ? stmt : WithOrigins(tools.builder, loop, origins);
}

}  // namespace

bool SinkConsumer(const FusionTools& tools, StmtRegion& region, const Allocate& allocate,
                  Span<const For*> around, const FunctionStorage& storage) {
  const Var* data = allocate.buffer_var;
  std::vector<size_t> uses = region.UsesOf(data);
  if (uses.size() < 2) return false;
  const PointerUse& read = *region.accesses(uses.back()).Find(data);
  if (read.escapes || !read.is_plain || read.stores != 0 || read.loads != 1) return false;
  std::optional<Sink> sink = AsConsumer(tools, region.stmt(uses.back()), allocate, around);
  if (!sink) return false;
  sink->consumer = uses.back();
  uses.pop_back();
  sink->makers = uses;
  int64_t stores = 0;
  for (const size_t maker : sink->makers) {
    const PointerUse& made = *region.accesses(maker).Find(data);
    const int64_t more = CountStores(region.stmt(maker), data);
    if (made.escapes || !made.is_plain || made.loads != 0 || made.dtype != read.dtype ||
        __builtin_add_overflow(stores, more, &stores))
      return false;
  }
  if (!MayMove(region, *sink, storage) || stores > sink->index->elements() ||
      PeakOf(region, &*sink, data) > PeakOf(region, nullptr, nullptr))
    return false;
  StoreReplacer replacer(tools, *sink);
  std::vector<const Stmt*> now;
  for (const size_t maker : sink->makers) now.push_back(replacer.RewriteStmt(region.stmt(maker)));
  if (replacer.has_failed()) return false;
  const Stmt* consumer = region.stmt(sink->consumer);
  for (size_t i = 0; i < now.size(); ++i)
    region.Replace(sink->makers[i], WithOriginsOf(tools, now[i], consumer));
  region.Replace(sink->consumer, nullptr);
  region.RemoveScope(&allocate);
  return true;
}

}  // namespace tenon
