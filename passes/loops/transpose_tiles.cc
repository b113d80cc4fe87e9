#include "passes/loops/transpose_tiles.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/loop_independence.h"
#include "arith/analyzer.h"
#include "arith/index_math.h"
#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "passes/loops/localize_buffers.h"
#include "passes/loops/loop_vectorizer.h"
#include "passes/loops/store_nest.h"

namespace tenon {

namespace {

constexpr int64_t kMostRows = 16;
constexpr int64_t kFewestRows = 4;
/// A row has at least so many bytes.
constexpr int64_t kLeastBytes = 16;
/// Each load takes the registers of a tile.
constexpr size_t kMostLoads = 2;

/// A nest whose loads run along another loop than its store.
struct Crossing {
  const StoreNest* nest = nullptr;
  const For* stored = nullptr;  ///< neighbouring iterations store neighbours
  const For* loaded = nullptr;  ///< neighbouring iterations load neighbours
  std::vector<const BufferLoad*> loads;
  int64_t rows = 0;
};

/// The tiles of one loop.
struct Tiles {
  const For* loop = nullptr;  ///< null if there is one tile
  const Expr* first = nullptr;
};

/// Puts elements of tiles in the place of loads.
class LoadReplacer : public Rewriter<LoadReplacer> {
 public:
  LoadReplacer(Context& context, std::shared_ptr<Storage> storage,
               const std::vector<const BufferLoad*>& loads, std::vector<const Expr*> elements)
      : Rewriter(context, std::move(storage)), loads_(loads), elements_(std::move(elements)) {}

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    for (size_t i = 0; i < loads_.size(); ++i) {
      if (HaveSameValue(load, loads_[i])) return elements_[i];
    }
    return RewriteChildren(load);
  }

 private:
  const std::vector<const BufferLoad*>& loads_;
  std::vector<const Expr*> elements_;
};

class TileTransposer : public Rewriter<TileTransposer> {
 public:
  TileTransposer(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
                 int64_t register_bytes, std::atomic<int64_t>& nests)
      : Rewriter(context, storage),
        pointers_(func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        register_bytes_(register_bytes),
        nests_(nests) {}

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    if (IsLocalAllocation(*allocate)) local_.insert(allocate->buffer_var);
    return RewriteChildren(allocate);
  }

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    if (const std::optional<StoreNest> nest = StoreNestOf(loop)) {
      for (const For* each : nest->loops) analyzer_.BindLoop(each);
      const ElementNest split =
          InBlocks(builder(), storage(), analyzer_, {nest->loops, nest->store, nest->store});
      const StoreNest parts{split.loops, split.store};
      const std::optional<Crossing> crossing = CrossingOf(parts);
      const Stmt* now =
          crossing && AreIndependent(pointers_, around_, nest->loops) ? Tiled(*crossing) : nullptr;
      return now == nullptr ? loop : now;
    }
    around_.push_back(loop);
    analyzer_.BindLoop(loop);
    const Stmt* now = RewriteChildren(loop);
    around_.pop_back();
    return now;
  }

 private:
  std::optional<int64_t> Step(const Expr* index, const For* loop) {
    return StepOf(builder(), storage(), analyzer_, index, loop->loop_var);
  }

  /// The loop whose neighbouring iterations access neighbours by an index; null if none does.
  const For* RowOf(const StoreNest& nest, const Expr* index) {
    for (const For* loop : nest.loops) {
      if (*AsIntImm(loop->extent) >= kFewestRows && Step(index, loop) == 1) return loop;
    }
    return nullptr;
  }

  std::optional<Crossing> CrossingOf(const StoreNest& nest) {
    Crossing crossing;
    crossing.nest = &nest;
    crossing.stored = RowOf(nest, nest.store->indices[0]);
    if (crossing.stored == nullptr || !AddLoads(crossing) || crossing.loads.empty() ||
        crossing.loads.size() > kMostLoads)
      return std::nullopt;
    const std::optional<int64_t> step = Step(nest.store->indices[0], crossing.loaded);
    if (!step || *step == 0) return std::nullopt;
    int64_t bytes = nest.store->value->dtype.bytes();
    for (const BufferLoad* load : crossing.loads)
      bytes = std::max<int64_t>(bytes, load->dtype.bytes());
    crossing.rows = kMostRows;
    const int64_t extent =
        std::min(*AsIntImm(crossing.stored->extent), *AsIntImm(crossing.loaded->extent));
    while (crossing.rows > kFewestRows &&
           (crossing.rows > extent || crossing.rows * bytes > register_bytes_))
      crossing.rows /= 2;
    // LLVM stores short rows in turns as fast.
    if (crossing.rows * bytes < kLeastBytes) return std::nullopt;
    return crossing;
  }

  /// Adds the loads that do not run along the stored loop. False if a load fits no tile.
  bool AddLoads(Crossing& crossing) {
    bool fits = true;
    bool is_guarded = false;
    Walk(crossing.nest->store->value, [&](const Node* node) {
      const auto* call = dyn_cast<Call>(node);
      is_guarded |= call != nullptr && call->op->kind == OpKind::kIfThenElse;
      is_guarded |= isa<And>(node) || isa<Or>(node);
      const auto* load = dyn_cast<BufferLoad>(node);
      // A guarded load may be outside of its buffer.
      if (load != nullptr)
        fits &= (!is_guarded || IsInside(builder(), analyzer_, *load)) && AddLoad(crossing, *load);
      return fits && load == nullptr && !isa<Buffer>(node);
    });
    return fits;
  }

  bool AddLoad(Crossing& crossing, const BufferLoad& load) {
    if (load.indices.size() != 1 || !load.indices[0]->dtype.is_scalar() ||
        load.predicate != nullptr || load.dtype != load.buffer->dtype ||
        pointers_.MayAlias(load.buffer->data, crossing.nest->store->buffer->data))
      return false;
    const std::optional<int64_t> step = Step(load.indices[0], crossing.stored);
    if (!step) return false;
    if (*step == 0 || *step == 1) return true;
    const For* row = RowOf(*crossing.nest, load.indices[0]);
    // Loops over registers are unrolled.
    if (row == nullptr || local_.contains(load.buffer->data) ||
        (crossing.loaded != nullptr && crossing.loaded != row) || load.dtype.is_bool() ||
        load.dtype.is_handle() || load.dtype.bytes() * 8 != load.dtype.bits())
      return false;
    crossing.loaded = row;
    const auto is_same = [&](const BufferLoad* other) { return HaveSameValue(other, &load); };
    if (std::none_of(crossing.loads.begin(), crossing.loads.end(), is_same))
      crossing.loads.push_back(&load);
    return true;
  }

  const Stmt* Tiled(const Crossing& crossing) {
    const Tiles stored = TilesOf(*crossing.stored, crossing.rows);
    const Tiles loaded = TilesOf(*crossing.loaded, crossing.rows);
    const Stmt* body = Tile(crossing, stored.first, loaded.first);
    if (body == nullptr) return nullptr;
    ++nests_;
    std::vector<const For*> loops;
    for (const For* loop : crossing.nest->loops) {
      if (loop != crossing.stored && loop != crossing.loaded) loops.push_back(loop);
    }
    for (const Tiles& tiles : {loaded, stored}) {
      if (tiles.loop != nullptr) loops.push_back(tiles.loop);
    }
    return LoopsAround(arena(), loops, body);
  }

  /// The last tile overlaps the tile before it, if `rows` does not divide the extent.
  Tiles TilesOf(const For& loop, int64_t rows) {
    const DataType dtype = loop.loop_var->dtype;
    const int64_t extent = *AsIntImm(loop.extent);
    const int64_t min = *AsIntImm(loop.min);
    if (extent == rows) return {nullptr, loop.min};
    For tiles = loop;
    tiles.loop_var = builder().NewVar(loop.loop_var->name.view(), loop.loop_var->type);
    tiles.min = builder().Int(dtype, 0);
    tiles.extent = builder().Int(dtype, (extent + rows - 1) / rows);
    const Expr* first = builder().New<Mul>({}, tiles.loop_var, builder().Int(dtype, rows));
    if (min != 0) first = builder().New<Add>({}, first, loop.min);
    if (extent % rows != 0)
      first = builder().New<Min>({}, first, builder().Int(dtype, min + extent - rows));
    return {arena().New<For>(tiles), first};
  }

  /// The rows of a tile, each in registers of its own.
  using Rows = std::vector<const Buffer*>;

  /// One tile: reads its rows, transposes them, and stores rows. Null if it cannot be done.
  const Stmt* Tile(const Crossing& crossing, const Expr* stored, const Expr* loaded) {
    std::vector<const Stmt*> stmts;
    Rows all;
    std::vector<Rows> tiles;
    for (const BufferLoad* load : crossing.loads) {
      Rows rows = NewRows(crossing, *load, all);
      for (size_t row = 0; row < rows.size(); ++row)
        stmts.push_back(
            ReadRow(crossing, *load, rows[row], static_cast<int64_t>(row), stored, loaded));
      for (int64_t done = 1; done < crossing.rows; done *= 2) {
        const Rows mixed = NewRows(crossing, *load, all);
        Interleave(rows, mixed, stmts);
        rows = mixed;
      }
      tiles.push_back(std::move(rows));
    }
    for (int64_t row = 0; row < crossing.rows; ++row) {
      const Stmt* store = StoreRow(crossing, tiles, row, stored, loaded);
      if (store == nullptr) return nullptr;
      stmts.push_back(store);
    }
    const Stmt* body = builder().Seq(Span<const Stmt*>(stmts), crossing.nest->store->range);
    for (const Buffer* buffer : all) body = AllocateLocal(builder(), buffer, body);
    return body;
  }

  Rows NewRows(const Crossing& crossing, const BufferLoad& load, Rows& all) {
    Rows rows;
    for (int64_t row = 0; row < crossing.rows; ++row)
      rows.push_back(NewFlatBuffer(builder(), load.buffer->name.view(), load.dtype, crossing.rows));
    all.insert(all.end(), rows.begin(), rows.end());
    return rows;
  }

  const Expr* Lanes(const Expr* first, size_t lanes) {
    return builder().New<Ramp>({}, first, builder().Int(first->dtype, 1), static_cast<int>(lanes));
  }

  const Expr* LoadRow(const Buffer* row, size_t lanes) {
    return builder().New<BufferLoad>({}, row->dtype.with_lanes(static_cast<int>(lanes)), row,
                                     builder().List<Expr>({Lanes(builder().Int(0), lanes)}));
  }

  const Stmt* KeepRow(const Buffer* row, const Expr* value) {
    const auto lanes = static_cast<size_t>(value->dtype.lanes());
    return builder().New<BufferStore>({}, row, value,
                                      builder().List<Expr>({Lanes(builder().Int(0), lanes)}));
  }

  const Stmt* ReadRow(const Crossing& crossing, const BufferLoad& load, const Buffer* to,
                      int64_t row, const Expr* stored, const Expr* loaded) {
    const Expr* place = builder().New<Add>({}, stored, builder().Int(stored->dtype, row));
    const Expr* index = Replace(Replace(load.indices[0], crossing.stored->loop_var, place),
                                crossing.loaded->loop_var, loaded);
    const Expr* lanes = Lanes(analyzer_.Simplify(index), static_cast<size_t>(crossing.rows));
    return KeepRow(
        to, builder().New<BufferLoad>(load.range, load.dtype.with_lanes(lanes->dtype.lanes()),
                                      load.buffer, builder().List<Expr>({lanes})));
  }

  /// Each pair of rows that are half of the tile apart becomes two neighbouring rows, which have
  /// the elements of both by turns. After log2(rows) such steps, rows are columns.
  void Interleave(const Rows& from, const Rows& to, std::vector<const Stmt*>& stmts) {
    const size_t rows = from.size();
    for (size_t row = 0; row < rows; ++row) {
      std::vector<const Expr*> lanes;
      for (size_t i = 0; i < rows; ++i)
        lanes.push_back(
            builder().Int(static_cast<int64_t>(row % 2 * (rows / 2) + i / 2 + i % 2 * rows)));
      const Expr* upper = LoadRow(from[row / 2], rows);
      const Expr* lower = LoadRow(from[row / 2 + rows / 2], rows);
      stmts.push_back(KeepRow(
          to[row], builder().New<Shuffle>({}, upper->dtype, builder().List<Expr>({upper, lower}),
                                          arena().Copy(Span<const Expr*>(lanes)))));
    }
  }

  /// Stores the values of row `row` of transposed tiles.
  const Stmt* StoreRow(const Crossing& crossing, const std::vector<Rows>& tiles, int64_t row,
                       const Expr* stored, const Expr* loaded) {
    const Expr* lane = builder().New<Sub>({}, crossing.stored->loop_var, stored);
    std::vector<const Expr*> elements;
    for (const Rows& rows : tiles)
      elements.push_back(builder().Load(rows[static_cast<size_t>(row)], {lane}));
    LoadReplacer replacer(builder().context(), storage(), crossing.loads, std::move(elements));
    const Stmt* store = replacer.RewriteStmt(crossing.nest->store);
    const Expr* place = builder().New<Add>({}, loaded, builder().Int(loaded->dtype, row));
    store = VarReplacer(builder().context(), storage(), crossing.loaded->loop_var, place)
                .RewriteStmt(store);
    LoopVectorizer vectorizer(builder(), storage(), analyzer_, crossing.stored, stored,
                              static_cast<int>(crossing.rows));
    return vectorizer.Statement(store);
  }

  const Expr* Replace(const Expr* expr, const Var* var, const Expr* value) {
    return VarReplacer(builder().context(), storage(), var, value).RewriteExpr(expr);
  }

  const FunctionStorage pointers_;
  Analyzer analyzer_;
  std::vector<const For*> around_;
  absl::flat_hash_set<const Var*> local_;
  int64_t register_bytes_;
  std::atomic<int64_t>& nests_;
};

}  // namespace

absl::StatusOr<IRModule> TransposeTiles(const IRModule& module,
                                        const TransposeTilesOptions& options,
                                        PassContext& context) {
  if (options.register_bytes < 4)
    return absl::InvalidArgumentError("transpose-tiles: register-bytes is less than 4");
  std::atomic<int64_t> nests = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<TileTransposer>(module.context(), function, *function.func,
                                               options.register_bytes, nests);
      });
  context.Count("transpose-tiles.nests", nests);
  return result;
}

}  // namespace tenon
