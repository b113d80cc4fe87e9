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
/// Rows that are stored or loaded by turns.
constexpr int64_t kFewestTurns = 2;

/// Strips of 5 to 7 rows need more shuffles than squares do.
bool IsStrip(int64_t rows) { return rows == 2 || rows == 3 || rows == 4 || rows == 8; }

/// A row has at least so many bytes.
constexpr int64_t kLeastBytes = 16;
/// Two loops become one only if that has few enough iterations for any counter.
constexpr int64_t kMostIterations = int64_t{1} << 24;
/// Each load takes the registers of a tile.
constexpr size_t kMostLoads = 2;

/// How elements of a tile move.
enum class Turn : uint8_t {
  kSquare,        ///< rows become columns
  kInterleave,    ///< few rows become one: `y[k * 3 + i] = x[i * 64 + k]`
  kDeinterleave,  ///< one row becomes few: `y[i * 64 + k] = x[k * 3 + i]`
};

/// A nest whose loads run along another loop than its store.
struct Crossing {
  const StoreNest* nest = nullptr;
  const For* stored = nullptr;  ///< neighbouring iterations store neighbours
  const For* loaded = nullptr;  ///< neighbouring iterations load neighbours
  std::vector<const BufferLoad*> loads;
  int64_t bytes = 0;  ///< of the largest element
  Turn turn = Turn::kSquare;
  int64_t rows = 0;   ///< of a tile
  int64_t lanes = 0;  ///< of a row; `rows` in a square
  /// Neighbours that stay neighbours move together, as if they were one element: their loop.
  const For* within = nullptr;

  /// A shuffle takes elements of so many rows. Two rows at a time need fewer shuffles.
  int64_t radix() const { return (rows & (rows - 1)) == 0 ? 2 : rows; }
  int64_t group() const { return within == nullptr ? 1 : *AsIntImm(within->extent); }
  /// The elements of a row.
  int64_t width() const { return lanes * group(); }
  int64_t of_stored() const { return turn == Turn::kInterleave ? rows : lanes; }
  int64_t of_loaded() const { return turn == Turn::kInterleave ? lanes : rows; }
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
      const ElementNest split =
          InBlocks(builder(), storage(), analyzer_, {nest->loops, nest->store, nest->store});
      const Stmt* now = AreIndependent(pointers_, around_, nest->loops)
                            ? InTiles({split.loops, split.store})
                            : nullptr;
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
      if (*AsIntImm(loop->extent) >= kFewestTurns && Step(index, loop) == 1) return loop;
    }
    return nullptr;
  }

  /// The nest with one loop for the two loops of a row whose last loop is short, as in
  /// `x[k * 64 + i * 4 + j]`; nullopt if there is none. Lanes of a stored row have conditions of
  /// their own only with `always`.
  std::optional<StoreNest> WithLongRow(const Crossing& crossing, bool always) {
    const StoreNest& nest = *crossing.nest;
    const Expr* loaded = crossing.loads.front()->indices[0];
    if (const For* outer = LoopBefore(nest, loaded, *crossing.loaded);
        outer != nullptr && outer != crossing.stored)
      return WithOneLoop(nest, *outer, *crossing.loaded);
    const For* outer = LoopBefore(nest, nest.store->indices[0], *crossing.stored);
    // Another condition in each lane costs more than short rows.
    if (outer == nullptr || outer == crossing.loaded ||
        !(always || IsMoved(crossing, {outer->loop_var, crossing.stored->loop_var})))
      return std::nullopt;
    return WithOneLoop(nest, *outer, *crossing.stored);
  }

  /// The loop that a short row continues with; null if there is none.
  const For* LoopBefore(const StoreNest& nest, const Expr* row, const For& last) {
    const int64_t extent = *AsIntImm(last.extent);
    if (extent >= kMostRows) return nullptr;
    for (const For* loop : nest.loops) {
      if (loop != &last && MakeOneLoop(*loop, last) && Step(row, loop) == extent) return loop;
    }
    return nullptr;
  }

  static bool MakeOneLoop(const For& outer, const For& inner) {
    return IsConstInt(outer.min, 0) && IsConstInt(inner.min, 0) &&
           outer.loop_var->dtype == inner.loop_var->dtype &&
           *AsIntImm(outer.extent) <= kMostIterations;
  }

  /// The nest with one loop for `outer` and `inner`.
  StoreNest WithOneLoop(const StoreNest& nest, const For& outer, const For& inner) {
    const DataType dtype = outer.loop_var->dtype;
    const int64_t extent = *AsIntImm(inner.extent);
    For both = outer;
    both.loop_var = builder().NewVar(outer.loop_var->name.view(), outer.loop_var->type);
    both.extent = builder().Int(dtype, *AsIntImm(outer.extent) * extent);
    StoreNest one;
    for (const For* loop : nest.loops) {
      if (loop != &outer && loop != &inner) one.loops.push_back(loop);
    }
    one.loops.push_back(arena().New<For>(both));
    analyzer_.BindLoop(one.loops.back());
    const Expr* size = builder().Int(dtype, extent);
    const Expr* in_outer = builder().New<FloorDiv>({}, both.loop_var, size);
    const Expr* in_inner = builder().New<FloorMod>({}, both.loop_var, size);
    const Stmt* store = nest.store;
    store =
        VarReplacer(builder().context(), storage(), outer.loop_var, in_outer).RewriteStmt(store);
    store =
        VarReplacer(builder().context(), storage(), inner.loop_var, in_inner).RewriteStmt(store);
    one.store = cast<BufferStore>(SimplifiedIndices(builder(), storage(), analyzer_, store));
    return one;
  }

  /// The nest in tiles of the best shape; null if no shape fits.
  const Stmt* InTiles(const StoreNest& nest) {
    if (!options_.strips) {
      std::optional<Crossing> crossing = CrossingOf(nest);
      return crossing && FitSquare(*crossing) ? Tiled(*crossing) : nullptr;
    }
    if (std::optional<Crossing> groups = GroupsOf(nest); groups && FitSquare(*groups)) {
      if (const Stmt* now = Tiled(*groups)) return now;
    }
    std::optional<Crossing> crossing = CrossingOf(nest);
    if (!crossing) return nullptr;
    if (std::optional<Crossing> strip = StripOf(*crossing)) {
      if (const Stmt* now = Tiled(*strip)) return now;
    }
    const bool fits = FitSquare(*crossing);
    if (const std::optional<StoreNest> one = WithLongRow(*crossing, !fits)) {
      std::optional<Crossing> longer = CrossingOf(*one);
      if (longer && FitSquare(*longer) && (!fits || longer->rows > crossing->rows)) {
        if (const Stmt* now = Tiled(*longer)) return now;
      }
    }
    return fits ? Tiled(*crossing) : nullptr;
  }

  std::optional<Crossing> CrossingOf(const StoreNest& nest) {
    Crossing crossing;
    crossing.nest = &nest;
    crossing.stored = RowOf(nest, nest.store->indices[0]);
    if (crossing.stored == nullptr || !AddLoads(crossing) || crossing.loads.empty() ||
        crossing.loads.size() > kMostLoads || Step(nest.store->indices[0], crossing.loaded) == 0)
      return std::nullopt;
    const DataType dtype = nest.store->indices[0]->dtype;
    if (crossing.stored->loop_var->dtype != dtype || crossing.loaded->loop_var->dtype != dtype)
      return std::nullopt;
    crossing.bytes = nest.store->value->dtype.bytes();
    for (const BufferLoad* load : crossing.loads)
      crossing.bytes = std::max<int64_t>(crossing.bytes, load->dtype.bytes());
    return crossing;
  }

  /// The crossing of a nest that moves groups of two or four neighbours, as in
  /// `y[i * 64 + k * 2 + j] = x[k * 64 + i * 2 + j]`.
  std::optional<Crossing> GroupsOf(const StoreNest& nest) {
    Crossing crossing;
    crossing.nest = &nest;
    crossing.within = RowOf(nest, nest.store->indices[0]);
    if (crossing.within == nullptr || (crossing.group() != 2 && crossing.group() != 4) ||
        !IsConstInt(crossing.within->min, 0))
      return std::nullopt;
    const BufferLoad* load = nullptr;
    int loads = 0;
    Walk(nest.store->value, [&](const Node* node) {
      if (isa<BufferLoad>(node)) load = cast<BufferLoad>(node);
      loads += isa<BufferLoad>(node) ? 1 : 0;
      return !isa<Buffer>(node);
    });
    if (loads != 1 || load->indices.size() != 1 || Step(load->indices[0], crossing.within) != 1)
      return std::nullopt;
    crossing.stored = LoopWith(nest, nest.store->indices[0], crossing.group());
    crossing.loaded = LoopWith(nest, load->indices[0], crossing.group());
    if (crossing.stored == nullptr || crossing.loaded == nullptr ||
        crossing.stored == crossing.loaded || !IsTile(crossing, *load) ||
        crossing.stored->loop_var->dtype != nest.store->indices[0]->dtype ||
        crossing.loaded->loop_var->dtype != nest.store->indices[0]->dtype ||
        !IsMoved(crossing,
                 {crossing.stored->loop_var, crossing.loaded->loop_var, crossing.within->loop_var}))
      return std::nullopt;
    return crossing;
  }

  /// Adds the only load of a crossing. False if it fits no tile.
  bool IsTile(Crossing& crossing, const BufferLoad& load) {
    if (!IsInside(builder(), analyzer_, load) || !MayMove(crossing, load)) return false;
    crossing.loads = {&load};
    crossing.bytes =
        crossing.group() * std::max(crossing.nest->store->value->dtype.bytes(), load.dtype.bytes());
    return Step(crossing.nest->store->indices[0], crossing.loaded) != 0;
  }

  const For* LoopWith(const StoreNest& nest, const Expr* index, int64_t step) {
    const auto has_step = [&](const For* loop) { return Step(index, loop) == step; };
    const auto loop = std::find_if(nest.loops.begin(), nest.loops.end(), has_step);
    return loop == nest.loops.end() ? nullptr : *loop;
  }

  /// The crossing in tiles that are contiguous in the buffer that few rows come from, or go to;
  /// nullopt if there are none.
  std::optional<Crossing> StripOf(Crossing crossing) {
    const int64_t stored = *AsIntImm(crossing.stored->extent);
    const int64_t loaded = *AsIntImm(crossing.loaded->extent);
    const bool is_dense = std::all_of(
        crossing.loads.begin(), crossing.loads.end(),
        [&](const BufferLoad* load) { return Step(load->indices[0], crossing.stored) == loaded; });
    if (IsStrip(stored) && stored < loaded &&
        Step(crossing.nest->store->indices[0], crossing.loaded) == stored) {
      crossing.turn = Turn::kInterleave;
      crossing.rows = stored;
    } else if (IsStrip(loaded) && loaded < stored && is_dense) {
      crossing.turn = Turn::kDeinterleave;
      crossing.rows = loaded;
    } else {
      return std::nullopt;
    }
    return FitStrip(crossing) ? std::optional(crossing) : std::nullopt;
  }

  /// True if, apart from the loads, the stored value does not depend on the variables of loops.
  bool IsMoved(const Crossing& crossing, const std::vector<const Var*>& vars) {
    bool is_moved = true;
    Walk(crossing.nest->store->value, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      const auto is_same = [&](const BufferLoad* other) { return HaveSameValue(other, load); };
      if (load != nullptr && std::any_of(crossing.loads.begin(), crossing.loads.end(), is_same))
        return false;
      is_moved &= std::find(vars.begin(), vars.end(), node) == vars.end();
      return is_moved && !isa<Buffer>(node);
    });
    return is_moved;
  }

  bool FitStrip(Crossing& crossing) const {
    const int64_t extent =
        std::max(*AsIntImm(crossing.stored->extent), *AsIntImm(crossing.loaded->extent));
    crossing.lanes = kFewestRows;
    while (2 * crossing.lanes <= extent &&
           2 * crossing.lanes * crossing.bytes <= options_.register_bytes)
      crossing.lanes *= 2;
    return crossing.lanes <= extent && crossing.lanes * crossing.bytes >= kLeastBytes;
  }

  bool FitSquare(Crossing& crossing) const {
    const int64_t stored = *AsIntImm(crossing.stored->extent);
    const int64_t loaded = *AsIntImm(crossing.loaded->extent);
    const int64_t fewest = crossing.within == nullptr ? kFewestRows : kFewestTurns;
    crossing.rows = kMostRows;
    const auto is_too_large = [&](int64_t rows) {
      return rows > std::min(stored, loaded) || rows * crossing.bytes > options_.register_bytes;
    };
    while (crossing.rows > fewest && is_too_large(crossing.rows)) crossing.rows /= 2;
    const int64_t half = crossing.rows / 2;
    if ((Overlaps(stored, crossing.rows) || Overlaps(loaded, crossing.rows)) && half >= fewest &&
        half * crossing.bytes >= kLeastBytes)
      crossing.rows = half;
    crossing.lanes = crossing.rows;
    // LLVM stores short rows in turns as fast.
    return !is_too_large(crossing.rows) && crossing.rows * crossing.bytes >= kLeastBytes;
  }

  /// True if tiles of `rows` would move a third of the elements twice.
  static bool Overlaps(int64_t extent, int64_t rows) {
    const int64_t moved = (extent + rows - 1) / rows * rows;
    return 3 * moved >= 4 * extent;
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
    if (!IsPlain(crossing, load)) return false;
    const std::optional<int64_t> step = Step(load.indices[0], crossing.stored);
    if (step == 0 || step == 1) return true;
    const For* row = RowOf(*crossing.nest, load.indices[0]);
    if (row == nullptr || !MayMove(crossing, load) ||
        (crossing.loaded != nullptr && crossing.loaded != row))
      return false;
    crossing.loaded = row;
    const auto is_same = [&](const BufferLoad* other) { return HaveSameValue(other, &load); };
    if (std::none_of(crossing.loads.begin(), crossing.loads.end(), is_same))
      crossing.loads.push_back(&load);
    return true;
  }

  bool IsPlain(const Crossing& crossing, const BufferLoad& load) const {
    return load.indices.size() == 1 && load.indices[0]->dtype.is_scalar() &&
           load.predicate == nullptr && load.dtype == load.buffer->dtype &&
           !pointers_.MayAlias(load.buffer->data, crossing.nest->store->buffer->data);
  }

  /// True if the elements of a load can be in a tile. Loops over registers are unrolled.
  bool MayMove(const Crossing& crossing, const BufferLoad& load) const {
    return IsPlain(crossing, load) && !local_.contains(load.buffer->data) &&
           !load.dtype.is_bool() && !load.dtype.is_handle() &&
           load.dtype.bytes() * 8 == load.dtype.bits();
  }

  const Stmt* Tiled(const Crossing& crossing) {
    const Tiles stored = TilesOf(*crossing.stored, crossing.of_stored());
    const Tiles loaded = TilesOf(*crossing.loaded, crossing.of_loaded());
    const Stmt* body = Tile(crossing, stored.first, loaded.first);
    if (body == nullptr) return nullptr;
    ++nests_;
    std::vector<const For*> loops;
    for (const For* loop : crossing.nest->loops) {
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

  /// The rows of a tile, each in registers of its own.
  using Rows = std::vector<const Buffer*>;

  /// One tile: reads its rows, moves their elements, and stores rows. Null if it cannot be done.
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
    const Stmt* body = builder().Seq(Span<const Stmt*>(stmts), crossing.nest->store->range);
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
    // The rows of a strip that is deinterleaved continue each other.
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

  /// The place, in the elements of all rows one after the other, where an element of moved rows
  /// comes from. Rows that are interleaved have `radix` parts by turns. Log(rows) such steps make
  /// columns of the rows of a square.
  static int64_t Source(const Crossing& crossing, int64_t element) {
    const int64_t part = crossing.rows * crossing.lanes / crossing.radix();
    if (crossing.turn == Turn::kDeinterleave)
      return element % part * crossing.radix() + element / part;
    return element % crossing.radix() * part + element / crossing.radix();
  }

  /// New rows, each a shuffle of those rows that have its elements.
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

  /// Stores row `row` of moved tiles. In an interleaved strip, that is a piece of its only row.
  const Stmt* StoreRow(const Crossing& crossing, const std::vector<Rows>& tiles, int64_t row,
                       const Expr* stored, const Expr* loaded) {
    const BufferStore* from = crossing.nest->store;
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
                              /*may_shuffle=*/is_piece);
    return vectorizer.Statement(scalar);
  }

  /// An index or a value at a place of the loops; the first one of a group.
  const Expr* AtPlace(const Crossing& crossing, const Expr* index, const Expr* stored,
                      const Expr* loaded) {
    index = Replace(Replace(index, crossing.stored->loop_var, stored), crossing.loaded->loop_var,
                    loaded);
    return crossing.within == nullptr
               ? index
               : Replace(index, crossing.within->loop_var, crossing.within->min);
  }

  /// The store with elements of moved rows in the place of loads.
  const Stmt* WithElements(const Crossing& crossing, const std::vector<Rows>& tiles, int64_t row,
                           const Expr* lane) {
    std::vector<const Expr*> elements;
    for (const Rows& rows : tiles)
      elements.push_back(builder().Load(rows[static_cast<size_t>(row)], {lane}));
    LoadReplacer replacer(builder().context(), storage(), crossing.loads, std::move(elements));
    return replacer.RewriteStmt(crossing.nest->store);
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
