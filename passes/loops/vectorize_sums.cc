#include "passes/loops/vectorize_sums.h"

#include <atomic>
#include <optional>
#include <vector>

#include "analysis/loop_independence.h"
#include "arith/analyzer.h"
#include "arith/index_math.h"
#include "ir/analysis/node_queries.h"
#include "ir/rewriter.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/loop_vectorizer.h"
#include "passes/loops/store_nest.h"

namespace tenon {

namespace {

/// Four registers of 64 bytes.
constexpr int64_t kMostSumBytes = 256;
/// Back ends divide long sums by so many lanes themselves.
constexpr int64_t kWholeLanes = 16;
/// In longer sums, a rest that is computed one by one does not matter.
constexpr int64_t kLongestWithRest = 512;

class SumVectorizer : public Rewriter<SumVectorizer> {
 public:
  SumVectorizer(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
                int64_t max_lanes, std::atomic<int64_t>& sums)
      : Rewriter(context, storage),
        pointers_(func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        max_lanes_(max_lanes),
        sums_(sums) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    if (const std::optional<StoreNest> nest = StoreNestOf(loop)) {
      if (const Stmt* now = Vectorized(*nest)) return now;
    }
    return RewriteChildren(loop);
  }

 private:
  /// The sum in lanes; null if it stays.
  const Stmt* Vectorized(const StoreNest& nest) {
    const Expr* addend = AddedInteger(pointers_, *nest.store);
    if (addend == nullptr) return nullptr;
    for (const For* loop : nest.loops) {
      if (Mentions(nest.store->indices[0], loop->loop_var)) return nullptr;
    }
    const Analyzer::Scope scope(analyzer_);
    for (const For* loop : nest.loops) analyzer_.BindLoop(loop);
    if (nest.loops.size() == 1 && *AsIntImm(nest.loops[0]->extent) >= kManySteps)
      return LongSum(nest, addend);
    for (size_t i = nest.loops.size(); i-- > 0;) {
      if (const Stmt* now = AlongLoop(nest, i, addend)) return now;
    }
    return nullptr;
  }

  /// A long sum over one loop in parts of 16 lanes, of 8, and a rest. C compilers and LLVM put such
  /// sums in vectors, but compute long rests one by one. Null if the sum stays.
  const Stmt* LongSum(const StoreNest& nest, const Expr* addend) {
    const For* loop = nest.loops[0];
    const int64_t extent = *AsIntImm(loop->extent);
    if (extent % kWholeLanes == 0 || extent >= kLongestWithRest) return nullptr;
    std::vector<const Stmt*> parts;
    int64_t done = 0;
    for (int64_t lanes = kWholeLanes; done < extent; lanes /= 2) {
      const bool is_rest = lanes < kFewestSumLanes;
      const int64_t count = is_rest ? extent - done : (extent - done) / lanes * lanes;
      if (count == 0) continue;
      For part = *loop;
      part.min = builder().Int(loop->loop_var->dtype, *AsIntImm(loop->min) + done);
      part.extent = builder().Int(loop->loop_var->dtype, count);
      const For* rest = arena().New<For>(part);
      parts.push_back(is_rest ? rest : InLanes({{rest}, nest.store}, 0, addend, lanes));
      if (parts.back() == nullptr) return nullptr;
      done += count;
    }
    ++sums_;
    return builder().Seq(Span<const Stmt*>(parts), nest.store->range);
  }

  int64_t LanesOf(const For& loop, int64_t bytes) const {
    const int64_t extent = *AsIntImm(loop.extent);
    int64_t lanes = max_lanes_;
    while (lanes >= kFewestSumLanes && (extent % lanes != 0 || lanes * bytes > kMostSumBytes))
      lanes /= 2;
    return lanes >= kFewestSumLanes ? lanes : 0;
  }

  /// The nest in lanes along its loop number `along`; null if it cannot be done.
  const Stmt* AlongLoop(const StoreNest& nest, size_t along, const Expr* addend) {
    const int64_t lanes = LanesOf(*nest.loops[along], addend->dtype.bytes());
    const Stmt* now = lanes == 0 ? nullptr : InLanes(nest, along, addend, lanes);
    sums_ += now == nullptr ? 0 : 1;
    return now;
  }

  /// The nest with `lanes` lanes along its loop number `along`; null if it cannot be done.
  const Stmt* InLanes(const StoreNest& nest, size_t along, const Expr* addend, int64_t lanes) {
    const For* loop = nest.loops[along];
    const Var* old = loop->loop_var;
    const Var* var = builder().NewVar(old->name.view(), old->type, old->range);
    const Expr* first = builder().New<Mul>({}, var, builder().Int(old->dtype, lanes));
    if (!IsConstInt(loop->min, 0)) first = builder().New<Add>({}, first, loop->min);
    std::vector<const For*> loops;
    for (const For* each : nest.loops) {
      if (each != loop) loops.push_back(each);
    }
    const int64_t blocks = *AsIntImm(loop->extent) / lanes;
    For outer = *loop;
    outer.loop_var = var;
    outer.min = builder().Int(old->dtype, 0);
    outer.extent = builder().Int(old->dtype, blocks);
    if (blocks == 1) {
      first = loop->min;
    } else {
      loops.push_back(arena().New<For>(outer));
    }
    LoopVectorizer vectorizer(builder(), storage(), analyzer_, loop, first,
                              static_cast<int>(lanes));
    const Expr* values = vectorizer.Vector(addend);
    if (values == nullptr || Mentions(values, old)) return nullptr;
    return Sum(*nest.store, loops, values);
  }

  /// Adds `values` over the loops, and then their lanes.
  const Stmt* Sum(const BufferStore& store, const std::vector<const For*>& loops,
                  const Expr* values) {
    std::vector<const Buffer*> buffers;
    const auto add = [&](int lanes) {
      buffers.push_back(
          NewFlatBuffer(builder(), store.buffer->name.view(), values->dtype.with_lanes(lanes), 1));
      return Element(buffers.back());
    };
    int lanes = values->dtype.lanes();
    const Expr* sum = add(lanes);
    std::vector<const Stmt*> stmts = {
        Keep(buffers.back(), builder().Number(values->dtype, 0)),
        LoopsAround(arena(), loops, Keep(buffers.back(), builder().New<Add>({}, sum, values)))};
    for (; lanes > 2; lanes /= 2) {
      const Expr* half =
          builder().New<Add>({}, Part(sum, 0, lanes / 2), Part(sum, lanes / 2, lanes / 2));
      sum = add(lanes / 2);
      stmts.push_back(Keep(buffers.back(), half));
    }
    const Expr* total = builder().New<Add>({}, Part(sum, 0, 1), Part(sum, 1, 1));
    const Expr* before = builder().New<BufferLoad>(store.range, values->dtype.element(),
                                                   store.buffer, store.indices);
    stmts.push_back(builder().New<BufferStore>(
        store.range, store.buffer, builder().New<Add>({}, before, total), store.indices));
    const Stmt* body = builder().Seq(Span<const Stmt*>(stmts), store.range);
    for (const Buffer* buffer : buffers) body = AllocateLocal(builder(), buffer, body);
    return body;
  }

  const Expr* Element(const Buffer* buffer) { return builder().Load(buffer, {builder().Int(0)}); }

  const Stmt* Keep(const Buffer* buffer, const Expr* value) {
    return builder().New<BufferStore>({}, buffer, value, builder().List<Expr>({builder().Int(0)}));
  }

  /// `count` lanes of a vector.
  const Expr* Part(const Expr* vector, int first, int count) {
    std::vector<const Expr*> lanes;
    for (int i = 0; i < count; ++i) lanes.push_back(builder().Int(first + i));
    return builder().New<Shuffle>({}, vector->dtype.with_lanes(count),
                                  builder().List<Expr>({vector}),
                                  arena().Copy(Span<const Expr*>(lanes)));
  }

  const FunctionStorage pointers_;
  Analyzer analyzer_;
  int64_t max_lanes_;
  std::atomic<int64_t>& sums_;
};

}  // namespace

absl::StatusOr<IRModule> VectorizeSums(const IRModule& module, const VectorizeSumsOptions& options,
                                       PassContext& context) {
  if (options.max_lanes < kFewestSumLanes || options.max_lanes > 64)
    return absl::InvalidArgumentError("vectorize-sums: max-lanes is not 8 to 64");
  std::atomic<int64_t> sums = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<SumVectorizer>(module.context(), function, *function.func,
                                              options.max_lanes, sums);
      });
  context.Count("vectorize-sums.sums", sums);
  return result;
}

}  // namespace tenon
