// Chooses the tile of a nest; transpose_tiles.cc writes it. Groups of neighbours are preferred to
// strips of whole registers, and strips to squares. A square may cover two loops that are merged.

#include "passes/loops/tile_shapes.h"

#include <algorithm>

#include "arith/index_math.h"
#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

constexpr int64_t kMostRows = 16;
constexpr int64_t kFewestRows = 4;
/// The numbers of rows that are interleaved in the stored or the loaded buffer.
constexpr int64_t kFewestTurns = 2;
/// The smallest number of bytes of a row.
constexpr int64_t kLeastRowBytes = 16;
/// Two loops are merged only if any counter can count the iterations.
constexpr int64_t kMostIterations = int64_t{1} << 24;
/// Each load needs the registers of a tile.
constexpr size_t kMostLoads = 2;

/// Strips of 5 to 7 rows need more shuffles than squares do.
bool IsStrip(int64_t rows) { return rows == 2 || rows == 3 || rows == 4 || rows == 8; }

bool MakeOneLoop(const For& outer, const For& inner) {
  return IsConstInt(outer.min, 0) && IsConstInt(inner.min, 0) &&
         outer.loop_var->dtype == inner.loop_var->dtype &&
         *AsIntImm(outer.extent) <= kMostIterations;
}

/// True if tiles of `rows` would move a third of the elements twice.
bool Overlaps(int64_t extent, int64_t rows) {
  const int64_t moved = (extent + rows - 1) / rows * rows;
  return 3 * moved >= 4 * extent;
}

bool Contains(const std::vector<const BufferLoad*>& loads, const BufferLoad* load) {
  return std::any_of(loads.begin(), loads.end(),
                     [&](const BufferLoad* other) { return HaveSameValue(other, load); });
}

}  // namespace

std::vector<Crossing> TileShapes::Find(const StoreNest& nest) {
  std::vector<Crossing> shapes;
  const auto add = [&](std::optional<Crossing> shape) {
    if (shape) shapes.push_back(*std::move(shape));
  };
  if (options_.strips) add(GroupsOf(nest));
  std::optional<Crossing> square = CrossingOf(nest);
  if (!square) return shapes;
  if (options_.strips) add(StripOf(*square));
  const bool fits = FitSquare(*square);
  const std::optional<StoreNest> one = options_.strips ? WithLongRow(*square, !fits) : std::nullopt;
  std::optional<Crossing> longer = one ? CrossingOf(*one) : std::nullopt;
  if (longer && FitSquare(*longer) && (!fits || longer->rows > square->rows)) add(longer);
  if (fits) add(square);
  return shapes;
}

const For* TileShapes::RowOf(const StoreNest& nest, const Expr* index) {
  for (const For* loop : nest.loops) {
    if (*AsIntImm(loop->extent) >= kFewestTurns && Step(index, loop) == 1) return loop;
  }
  return nullptr;
}

const For* TileShapes::LoopWith(const StoreNest& nest, const Expr* index, int64_t step) {
  const auto has_step = [&](const For* loop) { return Step(index, loop) == step; };
  const auto loop = std::find_if(nest.loops.begin(), nest.loops.end(), has_step);
  return loop == nest.loops.end() ? nullptr : *loop;
}

bool TileShapes::HaveOneType(const Crossing& crossing) {
  const DataType dtype = crossing.nest.store->indices[0]->dtype;
  return crossing.stored->loop_var->dtype == dtype && crossing.loaded->loop_var->dtype == dtype;
}

std::optional<Crossing> TileShapes::CrossingOf(const StoreNest& nest) {
  Crossing crossing;
  crossing.nest = nest;
  const Expr* index = nest.store->indices[0];
  crossing.stored = RowOf(nest, index);
  if (crossing.stored == nullptr || !AddLoads(crossing) || crossing.loads.empty() ||
      crossing.loads.size() > kMostLoads || Step(index, crossing.loaded) == 0 ||
      !HaveOneType(crossing))
    return std::nullopt;
  crossing.bytes = nest.store->value->dtype.bytes();
  for (const BufferLoad* load : crossing.loads)
    crossing.bytes = std::max<int64_t>(crossing.bytes, load->dtype.bytes());
  return crossing;
}

std::optional<Crossing> TileShapes::GroupsOf(const StoreNest& nest) {
  Crossing crossing;
  crossing.nest = nest;
  crossing.within = RowOf(nest, nest.store->indices[0]);
  if (crossing.within == nullptr || (crossing.group() != 2 && crossing.group() != 4) ||
      !IsConstInt(crossing.within->min, 0) || !AddOnlyLoad(crossing) || !HaveOneType(crossing) ||
      !IsMoved(crossing, {crossing.stored, crossing.loaded, crossing.within}) ||
      !FitSquare(crossing))
    return std::nullopt;
  return crossing;
}

bool TileShapes::AddOnlyLoad(Crossing& crossing) {
  const BufferStore* store = crossing.nest.store;
  const BufferLoad* load = OnlyLoadIn(store->value);
  if (load == nullptr || !MayMove(crossing, *load) || !IsInside(builder_, analyzer_, *load) ||
      Step(load->indices[0], crossing.within) != 1)
    return false;
  crossing.loads = {load};
  crossing.bytes = crossing.group() * std::max(store->value->dtype.bytes(), load->dtype.bytes());
  crossing.stored = LoopWith(crossing.nest, store->indices[0], crossing.group());
  crossing.loaded = LoopWith(crossing.nest, load->indices[0], crossing.group());
  return crossing.stored != nullptr && crossing.loaded != nullptr &&
         crossing.stored != crossing.loaded && Step(store->indices[0], crossing.loaded) != 0;
}

std::optional<Crossing> TileShapes::StripOf(Crossing crossing) {
  const int64_t stored = *AsIntImm(crossing.stored->extent);
  const int64_t loaded = *AsIntImm(crossing.loaded->extent);
  const bool is_dense = std::all_of(
      crossing.loads.begin(), crossing.loads.end(),
      [&](const BufferLoad* load) { return Step(load->indices[0], crossing.stored) == loaded; });
  if (IsStrip(stored) && stored < loaded &&
      Step(crossing.nest.store->indices[0], crossing.loaded) == stored) {
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

std::optional<StoreNest> TileShapes::WithLongRow(const Crossing& crossing, bool always) {
  const StoreNest& nest = crossing.nest;
  const For* outer = LoopBefore(nest, crossing.loads.front()->indices[0], *crossing.loaded);
  if (outer != nullptr && outer != crossing.stored)
    return WithOneLoop(nest, *outer, *crossing.loaded);
  outer = LoopBefore(nest, nest.store->indices[0], *crossing.stored);
  // A different condition in each lane costs more than short rows.
  if (outer == nullptr || outer == crossing.loaded ||
      !(always || IsMoved(crossing, {outer, crossing.stored})))
    return std::nullopt;
  return WithOneLoop(nest, *outer, *crossing.stored);
}

const For* TileShapes::LoopBefore(const StoreNest& nest, const Expr* row, const For& last) {
  const int64_t extent = *AsIntImm(last.extent);
  if (extent >= kMostRows) return nullptr;
  for (const For* loop : nest.loops) {
    if (loop != &last && MakeOneLoop(*loop, last) && Step(row, loop) == extent) return loop;
  }
  return nullptr;
}

StoreNest TileShapes::WithOneLoop(const StoreNest& nest, const For& outer, const For& inner) {
  StoreNest one;
  for (const For* loop : nest.loops) {
    if (loop != &outer && loop != &inner) one.loops.push_back(loop);
  }
  one.loops.push_back(Fused(builder_, storage_, analyzer_, outer, inner, nest.store));
  one.store = cast<BufferStore>(one.loops.back()->body);
  return one;
}

bool TileShapes::IsMoved(const Crossing& crossing, const std::vector<const For*>& loops) {
  bool is_moved = true;
  Walk(crossing.nest.store->value, [&](const Node* node) {
    const auto* load = dyn_cast<BufferLoad>(node);
    if (load != nullptr && Contains(crossing.loads, load)) return false;
    is_moved &= std::none_of(loops.begin(), loops.end(),
                             [&](const For* loop) { return node == loop->loop_var; });
    return is_moved && !isa<Buffer>(node);
  });
  return is_moved;
}

bool TileShapes::FitStrip(Crossing& crossing) const {
  const int64_t extent =
      std::max(*AsIntImm(crossing.stored->extent), *AsIntImm(crossing.loaded->extent));
  crossing.lanes = kFewestRows;
  while (2 * crossing.lanes <= extent &&
         2 * crossing.lanes * crossing.bytes <= options_.register_bytes)
    crossing.lanes *= 2;
  return crossing.lanes <= extent && crossing.lanes * crossing.bytes >= kLeastRowBytes;
}

bool TileShapes::FitSquare(Crossing& crossing) const {
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
      half * crossing.bytes >= kLeastRowBytes)
    crossing.rows = half;
  crossing.lanes = crossing.rows;
  // For rows under kLeastRowBytes, LLVM's interleaved stores are as fast.
  return !is_too_large(crossing.rows) && crossing.rows * crossing.bytes >= kLeastRowBytes;
}

bool TileShapes::AddLoads(Crossing& crossing) {
  bool fits = true;
  bool is_guarded = false;
  Walk(crossing.nest.store->value, [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    is_guarded |= call != nullptr && call->op->kind == OpKind::kIfThenElse;
    is_guarded |= isa<And>(node) || isa<Or>(node);
    const auto* load = dyn_cast<BufferLoad>(node);
    // A guarded load may be outside of its buffer.
    if (load != nullptr)
      fits &= (!is_guarded || IsInside(builder_, analyzer_, *load)) && AddLoad(crossing, *load);
    return fits && load == nullptr && !isa<Buffer>(node);
  });
  return fits;
}

bool TileShapes::AddLoad(Crossing& crossing, const BufferLoad& load) {
  if (!IsPlain(crossing, load)) return false;
  const std::optional<int64_t> step = Step(load.indices[0], crossing.stored);
  if (step == 0 || step == 1) return true;
  if (!step && PicksLanes(crossing, load)) return crossing.picks_lanes = true;
  const For* row = RowOf(crossing.nest, load.indices[0]);
  if (row == nullptr || !MayMove(crossing, load) ||
      (crossing.loaded != nullptr && crossing.loaded != row))
    return false;
  crossing.loaded = row;
  if (!Contains(crossing.loads, &load)) crossing.loads.push_back(&load);
  return true;
}

bool TileShapes::PicksLanes(const Crossing& crossing, const BufferLoad& load) {
  return std::all_of(crossing.nest.loops.begin(), crossing.nest.loops.end(), [&](const For* loop) {
    return loop == crossing.stored || !Mentions(load.indices[0], loop->loop_var);
  });
}

bool TileShapes::IsPlain(const Crossing& crossing, const BufferLoad& load) const {
  return load.indices.size() == 1 && load.indices[0]->dtype.is_scalar() &&
         load.predicate == nullptr && load.dtype == load.buffer->dtype &&
         !pointers_.MayAlias(load.buffer->data, crossing.nest.store->buffer->data);
}

bool TileShapes::MayMove(const Crossing& crossing, const BufferLoad& load) const {
  // Loops over registers are unrolled.
  return IsPlain(crossing, load) && !local_.contains(load.buffer->data) && !load.dtype.is_bool() &&
         !load.dtype.is_handle() && load.dtype.bytes() * 8 == load.dtype.bits();
}

}  // namespace tenon
