// A network of shuffles transposes a square of registers in log2(rows) steps (Eklundh, 1972). The
// shapes of tile_shapes.cc are tried in order, and the first one that is possible is used.

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
#include "ir/analysis/stack_arrays.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "passes/loops/loop_vectorizer.h"
#include "passes/loops/store_nest.h"
#include "passes/loops/tile_shapes.h"

namespace tenon {

namespace {

/// The tiles of one loop.
struct Tiles {
  const For* loop = nullptr;  ///< null if there is one tile
  const Expr* first = nullptr;
};

/// Replaces loads by elements of tiles.
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
                 const TransposeTilesOptions& options, std::atomic<int64_t>& nests)
      : Rewriter(context, storage),
        pointers_(func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        options_(options),
        nests_(nests) {}

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    if (IsLocalAllocation(*allocate)) local_.insert(allocate->buffer_var);
    return RewriteChildren(allocate);
  }

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    if (const std::optional<StoreNest> nest = StoreNestOf(loop)) {
      for (const For* each : nest->loops) analyzer_.BindLoop(each);
      const StoreNest split = InBlocks(builder(), storage(), analyzer_, *nest);
      const Stmt* now = AreIndependent(pointers_, around_, nest->loops) ? InTiles(split) : nullptr;
      return now == nullptr ? loop : now;
    }
    around_.push_back(loop);
    analyzer_.BindLoop(loop);
    const Stmt* now = RewriteChildren(loop);
    around_.pop_back();
    return now;
  }

 private:
  /// The nest in tiles of the best shape; null if no shape fits.
  const Stmt* InTiles(const StoreNest& nest) {
    TileShapes shapes(builder(), storage(), analyzer_, pointers_, local_, options_);
    for (const Crossing& crossing : shapes.Find(nest)) {
      if (const Stmt* now = Tiled(crossing)) return now;
    }
    return nullptr;
  }

  const Stmt* Tiled(const Crossing& crossing) {
    const Tiles stored = TilesOf(*crossing.stored, crossing.of_stored());
    const Tiles loaded = TilesOf(*crossing.loaded, crossing.of_loaded());
    const Stmt* body = Tile(crossing, stored.first, loaded.first);
    if (body == nullptr) return nullptr;
    ++nests_;
    std::vector<const For*> loops;
    for (const For* loop : crossing.nest.loops) {
      if (loop != crossing.stored && loop != crossing.loaded && loop != crossing.within)
        loops.push_back(loop);
    }
    for (const Tiles& tiles : {loaded, stored}) {
      if (tiles.loop != nullptr) loops.push_back(tiles.loop);
    }
    return LoopsAround(arena(), loops, body);
  }

  /// The last tile overlaps the tile before it, if `count` does not divide the extent.
  Tiles TilesOf(const For& loop, int64_t count) {
    const DataType dtype = loop.loop_var->dtype;
    const int64_t extent = *AsIntImm(loop.extent);
    const int64_t min = *AsIntImm(loop.min);
    if (extent == count) return {nullptr, loop.min};
    For tiles = loop;
    tiles.loop_var = builder().NewVar(loop.loop_var->name.view(), loop.loop_var->type);
    tiles.min = builder().Int(dtype, 0);
    tiles.extent = builder().Int(dtype, (extent + count - 1) / count);
    const Expr* first = builder().New<Mul>({}, tiles.loop_var, builder().Int(dtype, count));
    if (min != 0) first = builder().New<Add>({}, first, loop.min);
    if (extent % count != 0)
      first = builder().New<Min>({}, first, builder().Int(dtype, min + extent - count));
    return {arena().New<For>(tiles), first};
  }

  /// The rows of a tile, each in separate registers.
  using Rows = std::vector<const Buffer*>;

  /// One tile: reads its rows, moves their elements, and stores rows. Null if that is not possible.
  const Stmt* Tile(const Crossing& crossing, const Expr* stored, const Expr* loaded) {
    std::vector<const Stmt*> stmts;
    Rows all;
    std::vector<Rows> tiles;
    for (const BufferLoad* load : crossing.loads) {
      Rows rows = NewRows(crossing, *load, all);
      for (size_t row = 0; row < rows.size(); ++row)
        stmts.push_back(
            ReadRow(crossing, *load, rows[row], static_cast<int64_t>(row), stored, loaded));
      for (int64_t done = 1; done < crossing.rows; done *= crossing.radix())
        rows = Moved(crossing, *load, rows, all, stmts);
      tiles.push_back(std::move(rows));
    }
    for (int64_t row = 0; row < crossing.rows; ++row) {
      const Stmt* store = StoreRow(crossing, tiles, row, stored, loaded);
      if (store == nullptr) return nullptr;
      stmts.push_back(store);
    }
    const Stmt* body = builder().Seq(Span<const Stmt*>(stmts), crossing.nest.store->range);
    for (const Buffer* buffer : all) body = AllocateLocal(builder(), buffer, body);
    return body;
  }

  Rows NewRows(const Crossing& crossing, const BufferLoad& load, Rows& all) {
    Rows rows;
    for (int64_t row = 0; row < crossing.rows; ++row)
      rows.push_back(
          NewFlatBuffer(builder(), load.buffer->name.view(), load.dtype, crossing.width()));
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
    // The rows of a deinterleaved strip are consecutive.
    const bool is_piece = crossing.turn == Turn::kDeinterleave;
    const Expr* place =
        is_piece ? stored : builder().New<Add>({}, stored, builder().Int(stored->dtype, row));
    const Expr* index = AtPlace(crossing, load.indices[0], place, loaded);
    if (is_piece)
      index = builder().New<Add>({}, index, builder().Int(index->dtype, row * crossing.lanes));
    const Expr* lanes = Lanes(analyzer_.Simplify(index), static_cast<size_t>(crossing.width()));
    return KeepRow(
        to, builder().New<BufferLoad>(load.range, load.dtype.with_lanes(lanes->dtype.lanes()),
                                      load.buffer, builder().List<Expr>({lanes})));
  }

  /// Source index (row-major in the tile) of an element after one step of the transposition
  /// network. A step interleaves `radix` equal parts of the tile, or undoes that; a square tile
  /// takes log2(rows) steps.
  static int64_t Source(const Crossing& crossing, int64_t element) {
    const int64_t part = crossing.rows * crossing.lanes / crossing.radix();
    if (crossing.turn == Turn::kDeinterleave)
      return element % part * crossing.radix() + element / part;
    return element % crossing.radix() * part + element / crossing.radix();
  }

  /// New rows, each a shuffle of the rows that contain its elements.
  Rows Moved(const Crossing& crossing, const BufferLoad& load, const Rows& from, Rows& all,
             std::vector<const Stmt*>& stmts) {
    const Rows to = NewRows(crossing, load, all);
    for (int64_t row = 0; row < crossing.rows; ++row) {
      std::vector<int64_t> sources;
      std::vector<const Expr*> vectors;
      std::vector<const Expr*> lanes;
      for (int64_t lane = 0; lane < crossing.width(); ++lane) {
        const int64_t place = Source(crossing, row * crossing.lanes + lane / crossing.group());
        const int64_t from_row = place / crossing.lanes;
        auto source = std::find(sources.begin(), sources.end(), from_row);
        if (source == sources.end()) {
          source = sources.insert(sources.end(), from_row);
          vectors.push_back(
              LoadRow(from[static_cast<size_t>(from_row)], static_cast<size_t>(crossing.width())));
        }
        const int64_t from_lane =
            place % crossing.lanes * crossing.group() + lane % crossing.group();
        lanes.push_back(builder().Int((source - sources.begin()) * crossing.width() + from_lane));
      }
      stmts.push_back(KeepRow(to[static_cast<size_t>(row)],
                              builder().New<Shuffle>({}, vectors.front()->dtype,
                                                     arena().Copy(Span<const Expr*>(vectors)),
                                                     arena().Copy(Span<const Expr*>(lanes)))));
    }
    return to;
  }

  /// Stores row `row` of transposed tiles. In an interleaved strip, that is a piece of its only
  /// row.
  const Stmt* StoreRow(const Crossing& crossing, const std::vector<Rows>& tiles, int64_t row,
                       const Expr* stored, const Expr* loaded) {
    const BufferStore* from = crossing.nest.store;
    const DataType dtype = stored->dtype;
    const auto add = [&](const Expr* expr, int64_t number) {
      return number == 0 ? expr : builder().New<Add>({}, expr, builder().Int(expr->dtype, number));
    };
    const For* elements =
        builder().New<For>(from->range, builder().NewVar("lane", dtype), builder().Int(dtype, 0),
                           builder().Int(dtype, crossing.width()), ForKind::kSerial, from);
    analyzer_.BindLoop(elements);
    const Expr* lane = elements->loop_var;
    const bool is_piece = crossing.turn == Turn::kInterleave;
    const Expr* in_stored = lane;
    const Expr* in_loaded = add(loaded, row);
    if (is_piece) {
      lane = add(lane, row * crossing.lanes);
      const Expr* rows = builder().Int(dtype, crossing.rows);
      in_stored = builder().New<FloorMod>({}, lane, rows);
      in_loaded = builder().New<Add>({}, loaded, builder().New<FloorDiv>({}, lane, rows));
    }
    const Expr* at = builder().New<Add>({}, stored, in_stored);
    const auto* store = cast<BufferStore>(WithElements(crossing, tiles, row, elements->loop_var));
    const Expr* value = AtPlace(crossing, store->value, at, in_loaded);
    const Expr* index = AtPlace(crossing, from->indices[0], at, in_loaded);
    if (is_piece || crossing.within != nullptr) {
      const Expr* begin = is_piece ? loaded : in_loaded;
      index = builder().New<Add>({}, AtPlace(crossing, from->indices[0], stored, begin), lane);
    }
    const Stmt* scalar =
        SimplifiedIndices(builder(), storage(), analyzer_,
                          builder().New<BufferStore>(from->range, from->buffer, value,
                                                     builder().List<Expr>({index})));
    LoopVectorizer vectorizer(builder(), storage(), analyzer_, elements, elements->min,
                              static_cast<int>(crossing.width()), /*most_step=*/1,
                              /*may_shuffle=*/is_piece || crossing.picks_lanes);
    return vectorizer.Statement(scalar);
  }

  /// An index or a value in an iteration of the loops; the first one of a group.
  const Expr* AtPlace(const Crossing& crossing, const Expr* index, const Expr* stored,
                      const Expr* loaded) {
    index = Replace(Replace(index, crossing.stored->loop_var, stored), crossing.loaded->loop_var,
                    loaded);
    return crossing.within == nullptr
               ? index
               : Replace(index, crossing.within->loop_var, crossing.within->min);
  }

  /// The store with its loads replaced by elements of transposed rows.
  const Stmt* WithElements(const Crossing& crossing, const std::vector<Rows>& tiles, int64_t row,
                           const Expr* lane) {
    std::vector<const Expr*> elements;
    for (const Rows& rows : tiles)
      elements.push_back(builder().Load(rows[static_cast<size_t>(row)], {lane}));
    LoadReplacer replacer(builder().context(), storage(), crossing.loads, std::move(elements));
    return replacer.RewriteStmt(crossing.nest.store);
  }

  const Expr* Replace(const Expr* expr, const Var* var, const Expr* value) {
    return VarReplacer(builder().context(), storage(), var, value).RewriteExpr(expr);
  }

  const FunctionStorage pointers_;
  Analyzer analyzer_;
  std::vector<const For*> around_;
  absl::flat_hash_set<const Var*> local_;
  const TransposeTilesOptions options_;
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
        return RewriteFunction<TileTransposer>(module.context(), function, *function.func, options,
                                               nests);
      });
  context.Count("transpose-tiles.nests", nests);
  return result;
}

}  // namespace tenon
