#ifndef TENON_PASSES_LOOPS_TILE_SHAPES_H_
#define TENON_PASSES_LOOPS_TILE_SHAPES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/loop_independence.h"
#include "arith/analyzer.h"
#include "ir/builder.h"
#include "passes/loops/store_nest.h"
#include "passes/loops/transpose_tiles.h"

// Internal to transpose-tiles: the shapes of tiles in loop nests.

namespace tenon {

/// How elements of a tile move.
enum class Turn : uint8_t {
  kSquare,        ///< rows become columns
  kInterleave,    ///< few rows become one: `y[k * 3 + i] = x[i * 64 + k]`
  kDeinterleave,  ///< one row becomes few: `y[i * 64 + k] = x[k * 3 + i]`
};

/// A nest whose loads run along another loop than its store, and the shape of its tiles.
struct Crossing {
  StoreNest nest;
  const For* stored = nullptr;  ///< neighbouring iterations store neighbours
  const For* loaded = nullptr;  ///< neighbouring iterations load neighbours
  std::vector<const BufferLoad*> loads;
  int64_t bytes = 0;  ///< of the largest element
  Turn turn = Turn::kSquare;
  int64_t rows = 0;   ///< of a tile
  int64_t lanes = 0;  ///< of a row; `rows` in a square
  /// The loop over elements that are neighbours in both buffers, and move together like one
  /// element.
  const For* within = nullptr;
  /// True if a load takes its lanes from a short row, over and over, as `f[i % 3]` does.
  bool picks_lanes = false;

  /// A shuffle takes elements of this many rows. Two rows at a time need fewer shuffles.
  int64_t radix() const { return (rows & (rows - 1)) == 0 ? 2 : rows; }
  int64_t group() const { return within == nullptr ? 1 : *AsIntImm(within->extent); }
  /// The elements of a row.
  int64_t width() const { return lanes * group(); }
  int64_t of_stored() const { return turn == Turn::kInterleave ? rows : lanes; }
  int64_t of_loaded() const { return turn == Turn::kInterleave ? lanes : rows; }
};

/// Finds the shapes of tiles.
class TileShapes {
 public:
  /// `local` contains the allocations in registers.
  TileShapes(NodeBuilder& builder, std::shared_ptr<Storage> storage, Analyzer& analyzer,
             const FunctionStorage& pointers, const absl::flat_hash_set<const Var*>& local,
             const TransposeTilesOptions& options)
      : builder_(builder),
        storage_(std::move(storage)),
        analyzer_(analyzer),
        pointers_(pointers),
        local_(local),
        options_(options) {}

  /// The shapes for a nest whose iterations are independent, the best one first. Binds loops that
  /// are new in a shape.
  std::vector<Crossing> Find(const StoreNest& nest);

 private:
  std::optional<int64_t> Step(const Expr* index, const For* loop) {
    return analyzer_.StepOf(index, loop->loop_var);
  }
  /// The loop whose neighbouring iterations access neighbours by an index; null if none does.
  const For* RowOf(const StoreNest& nest, const Expr* index);
  const For* LoopWith(const StoreNest& nest, const Expr* index, int64_t step);
  std::optional<Crossing> CrossingOf(const StoreNest& nest);
  /// True if the counters of a crossing have the type of the stored index.
  static bool HaveOneType(const Crossing& crossing);

  /// The crossing of a nest that moves groups of two or four neighbours, as in
  /// `y[i * 64 + k * 2 + j] = x[k * 64 + i * 2 + j]`.
  std::optional<Crossing> GroupsOf(const StoreNest& nest);
  /// Adds the only load of a crossing of groups. False if no tile fits it.
  bool AddOnlyLoad(Crossing& crossing);
  /// The crossing in tiles that are contiguous in the buffer with interleaved rows; nullopt if
  /// there are none.
  std::optional<Crossing> StripOf(Crossing crossing);

  /// The nest with one loop instead of the two loops of a row, if the last one is short, as `j` in
  /// `x[k * 64 + i * 4 + j]`. Otherwise nullopt. With `always`, the lanes of a stored row may have
  /// different conditions.
  std::optional<StoreNest> WithLongRow(const Crossing& crossing, bool always);
  /// The loop outside of `last` in which a row continues; null if no loop does.
  const For* LoopBefore(const StoreNest& nest, const Expr* row, const For& last);
  StoreNest WithOneLoop(const StoreNest& nest, const For& outer, const For& inner);

  bool FitStrip(Crossing& crossing) const;
  bool FitSquare(Crossing& crossing) const;

  /// Adds the loads that do not run along the stored loop. False if no tile fits a load.
  bool AddLoads(Crossing& crossing);
  bool AddLoad(Crossing& crossing, const BufferLoad& load);
  /// True if the element of a load depends on no other loop than the stored one.
  static bool PicksLanes(const Crossing& crossing, const BufferLoad& load);
  bool IsPlain(const Crossing& crossing, const BufferLoad& load) const;
  /// True if the elements of a load can be in a tile.
  bool MayMove(const Crossing& crossing, const BufferLoad& load) const;
  /// True if, apart from the loads, the stored value does not depend on the loops.
  static bool IsMoved(const Crossing& crossing, const std::vector<const For*>& loops);

  NodeBuilder& builder_;
  std::shared_ptr<Storage> storage_;
  Analyzer& analyzer_;
  const FunctionStorage& pointers_;
  const absl::flat_hash_set<const Var*>& local_;
  const TransposeTilesOptions& options_;
};

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_TILE_SHAPES_H_
