// A reduction in two stages. Only integers qualify, since sums of floats would change their order.
// A sum within other statements moves in front of its nest, which then adds up neighbours.

#include "passes/loops/rfactor.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/loop_independence.h"
#include "arith/analyzer.h"
#include "arith/index_math.h"
#include "fmt/format.h"
#include "ir/analysis/node_queries.h"
#include "ir/rewriter.h"
#include "passes/inlining.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/store_nest.h"
#include "schedule/machine.h"

namespace tenon {

namespace {

constexpr int64_t kFewestNeighbours = 2;
constexpr int64_t kMostNeighbours = 8;
/// With fewer of them, summing up the neighbours takes as long.
constexpr int64_t kLeastFarElements = 8;
constexpr int64_t kLeastFactorBytes = 2 * kLargeRegister;
constexpr int64_t kMostFactorBytes = kCommonCaches.l1_bytes / 2;

/// A sum of a loop over results.
struct NeighbourSum {
  const For* results = nullptr;
  /// The loops of the sum without the one over neighbours, the outermost first.
  std::vector<const For*> far;
  const For* near = nullptr;
  const BufferStore* store = nullptr;
  IntegerSum sum;

  int64_t neighbours() const { return *AsIntImm(near->extent); }
};

/// Puts a statement in the place of another one.
class StatementReplacer : public Rewriter<StatementReplacer> {
 public:
  StatementReplacer(Context& context, std::shared_ptr<Storage> storage, const For* from,
                    const Stmt* to)
      : Rewriter(context, std::move(storage)), from_(from), to_(to) {}

  const Stmt* RewriteFor(const For* loop) { return loop == from_ ? to_ : RewriteChildren(loop); }

 private:
  const For* from_;
  const Stmt* to_;
};

class SumSplitter : public Rewriter<SumSplitter> {
 public:
  SumSplitter(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
              std::atomic<int64_t>& sums)
      : Rewriter(context, storage),
        pointers_(func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        sums_(sums) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    if (const Stmt* now = OfNest(loop)) return now;
    if (const Stmt* now = OfResults(loop)) return now;
    return RewriteChildren(loop);
  }

 private:
  /// A nest around one sum, whose loops over results may be anywhere. Null if it stays.
  const Stmt* OfNest(const For* loop) {
    const std::optional<StoreNest> nest = StoreNestOf(loop);
    if (!nest) return nullptr;
    const Expr* index = nest->store->indices[0];
    const auto has_results = [&](const For* each) { return Mentions(index, each->loop_var); };
    const auto results = std::find_if(nest->loops.begin(), nest->loops.end(), has_results);
    if (std::count_if(nest->loops.begin(), nest->loops.end(), has_results) != 1) return nullptr;
    const Analyzer::Scope scope(analyzer_);
    for (const For* each : nest->loops) analyzer_.BindLoop(each);
    StoreNest steps = *nest;
    std::erase(steps.loops, *results);
    if (steps.loops.empty()) return nullptr;
    const std::optional<NeighbourSum> sum = SumOf(*results, steps, nest->store);
    if (!sum) return nullptr;
    return WithFactor(*sum, [&](const Stmt* neighbours) {
      return LoopsAround(arena(), {sum->results}, neighbours);
    });
  }

  /// A loop over results that has the loops of a sum in it. Null if it stays.
  const Stmt* OfResults(const For* loop) {
    absl::flat_hash_set<const Var*> inside;
    const For* steps = StepsIn(loop->body, inside);
    if (steps == nullptr) return nullptr;
    const StoreNest nest = *StoreNestOf(steps);
    const Analyzer::Scope scope(analyzer_);
    for (const For* each : nest.loops) analyzer_.BindLoop(each);
    const std::optional<NeighbourSum> sum = SumOf(loop, nest, loop->body);
    if (!sum || LoadsFrom(sum->sum.value, inside)) return nullptr;
    return WithFactor(*sum, [&](const Stmt* neighbours) {
      return StatementReplacer(builder().context(), storage(), steps, neighbours).RewriteStmt(loop);
    });
  }

  /// Finds the first sum in a loop's body, if all its steps add to one element. Returns its loops,
  /// or null. Adds the allocations around the loops.
  const For* StepsIn(const Stmt* stmt, absl::flat_hash_set<const Var*>& inside) {
    if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
      inside.insert(allocate->buffer_var);
      return StepsIn(allocate->body, inside);
    }
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      for (const Stmt* item : seq->seq) {
        if (const For* steps = StepsIn(item, inside)) return steps;
      }
      return nullptr;
    }
    const auto* loop = dyn_cast<For>(stmt);
    const std::optional<StoreNest> nest = loop == nullptr ? std::nullopt : StoreNestOf(loop);
    if (!nest) return nullptr;
    const auto moves = [&](const For* each) {
      return Mentions(nest->store->indices[0], each->loop_var);
    };
    return std::none_of(nest->loops.begin(), nest->loops.end(), moves) ? loop : nullptr;
  }

  static bool LoadsFrom(const Expr* value, const absl::flat_hash_set<const Var*>& memory) {
    bool loads = false;
    Walk(value, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      loads |= load != nullptr && memory.contains(load->buffer->data);
      return !loads && !isa<Buffer>(node);
    });
    return loads;
  }

  /// The sum of `steps`, if its values can be computed before `around`, which stores its results;
  /// nullopt if the sum stays.
  std::optional<NeighbourSum> SumOf(const For* results, const StoreNest& steps,
                                    const Stmt* around) {
    if (!IsPlainLoopFromZero(*results) || results->loop_var->dtype != DataType::Int(32) ||
        !std::all_of(steps.loops.begin(), steps.loops.end(),
                     [](const For* loop) { return IsPlainLoopFromZero(*loop); }))
      return std::nullopt;
    const ElementNest split =
        InBlocks(builder(), storage(), analyzer_, {steps.loops, steps.store, steps.store});
    const std::optional<IntegerSum> sum = IntegerSumOf(pointers_, *split.store);
    // A double has every number of 32 bits.
    if (!sum || sum->value->dtype.bits() > 32 || ReadsWhatItStores(sum->value, around))
      return std::nullopt;
    NeighbourSum found{results, split.loops, nullptr, split.store, *sum};
    const auto is_near = [&](const For* loop) { return RunsThroughNeighbours(found, *loop); };
    const auto near = std::find_if(found.far.begin(), found.far.end(), is_near);
    if (near == found.far.end()) return std::nullopt;
    found.near = *near;
    found.far.erase(near);
    int64_t far = 1;
    for (const For* loop : found.far) far *= std::min(*AsIntImm(loop->extent), kLeastFarElements);
    const int64_t bytes = sum->value->dtype.bytes() * found.neighbours();
    const int64_t count = *AsIntImm(results->extent);
    if (far < kLeastFarElements || count > kMostFactorBytes / bytes ||
        count * bytes < kLeastFactorBytes)
      return std::nullopt;
    return found;
  }

  /// True if `around` may change what a value reads, or end before it is read.
  bool ReadsWhatItStores(const Expr* value, const Stmt* around) const {
    absl::flat_hash_set<const Var*> stored;
    bool is_plain = true;
    Walk(around, [&](const Node* node) {
      if (const auto* store = dyn_cast<BufferStore>(node)) stored.insert(store->buffer->data);
      const auto* call = dyn_cast<Call>(node);
      is_plain &= !isa<AssertStmt>(node) && (call == nullptr || IsPlainValue(call));
      return !isa<Buffer>(node);
    });
    bool reads = !is_plain;
    Walk(value, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      reads |= load != nullptr && std::any_of(stored.begin(), stored.end(), [&](const Var* data) {
                 return pointers_.MayAlias(load->buffer->data, data);
               });
      return !reads && !isa<Buffer>(node);
    });
    return reads;
  }

  /// True if the loop runs through neighbours, which the next result continues, or through the same
  /// elements for all results.
  bool RunsThroughNeighbours(const NeighbourSum& sum, const For& loop) {
    const int64_t extent = *AsIntImm(loop.extent);
    if (extent < kFewestNeighbours || extent > kMostNeighbours) return false;
    bool fits = true;
    bool has_neighbours = false;
    Walk(sum.sum.value, [&](const Node* node) {
      fits &= node != loop.loop_var && node != sum.results->loop_var;
      const auto* load = dyn_cast<BufferLoad>(node);
      if (load == nullptr) return fits && !isa<Buffer>(node);
      fits &= load->indices.size() == 1;
      if (!fits) return false;
      const bool is_same = Moves(*load, loop, 0) && Moves(*load, *sum.results, 0);
      fits &= is_same || (Moves(*load, loop, 1) && Moves(*load, *sum.results, extent));
      has_neighbours |= !is_same;
      return false;
    });
    return fits && has_neighbours;
  }

  /// True if each iteration of the loop moves the load by `elements`.
  bool Moves(const BufferLoad& load, const For& loop, int64_t elements) {
    return analyzer_.StepOf(load.indices[0], loop.loop_var) == elements;
  }

  /// The sums of far elements, and then those of neighbours, around which `rest` puts what is left
  /// of the text.
  template <typename F>
  const Stmt* WithFactor(const NeighbourSum& found, F&& rest) {
    ++sums_;
    const DataType dtype = found.sum.value->dtype;
    const Buffer* factor =
        NewFlatBuffer(builder(), fmt::format("{}_rf", found.store->buffer->name.view()), dtype,
                      *AsIntImm(found.results->extent) * found.neighbours());
    const Expr* place =
        builder().New<Add>({}, builder().New<Mul>({}, found.results->loop_var, found.near->extent),
                           found.near->loop_var);
    const auto store = [&](const Expr* value) {
      return builder().New<BufferStore>(found.store->range, factor, value,
                                        builder().List<Expr>({place}));
    };
    const Expr* old = builder().Load(factor, {place});
    const std::vector<const For*> row = {found.results, found.near};
    std::vector<const For*> all = found.far;
    all.insert(all.end(), row.begin(), row.end());
    const Expr* before = builder().New<BufferLoad>(found.store->range, found.store->value->dtype,
                                                   found.store->buffer, found.store->indices);
    const Stmt* neighbours = LoopsAround(
        arena(), {found.near},
        builder().New<BufferStore>(found.store->range, found.store->buffer,
                                   found.sum.Both(builder(), before, old), found.store->indices));
    const Stmt* stmts[] = {
        InNewVars(LoopsAround(arena(), row, store(Identity(found.sum)))),
        InNewVars(
            LoopsAround(arena(), all, store(found.sum.Both(builder(), old, found.sum.value)))),
        rest(neighbours)};
    return builder().New<Allocate>({}, factor->data, dtype, factor->shape, builder().Bool(true),
                                   nullptr,
                                   builder().Seq(Span<const Stmt*>(stmts), found.store->range));
  }

  const Stmt* InNewVars(const Stmt* stmt) {
    return WithNewVars(builder().context(), storage(), stmt);
  }

  /// The neutral element of the reduction.
  const Expr* Identity(const IntegerSum& sum) {
    const DataType dtype = sum.value->dtype;
    if (sum.op == NodeKind::kAdd) return builder().Number(dtype, 0);
    const double half = std::ldexp(1.0, dtype.is_int() ? dtype.bits() - 1 : dtype.bits());
    const double least = dtype.is_int() ? -half : 0;
    return builder().Number(dtype, sum.op == NodeKind::kMax ? least : half - 1);
  }

  const FunctionStorage pointers_;
  Analyzer analyzer_;
  std::atomic<int64_t>& sums_;
};

}  // namespace

absl::StatusOr<IRModule> Rfactor(const IRModule& module, const NoOptions&, PassContext& context) {
  std::atomic<int64_t> sums = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<SumSplitter>(module.context(), function, *function.func, sums);
      });
  context.Count("rfactor.sums", sums);
  return result;
}

}  // namespace tenon
