// The places and lanes of the blocks of OpLoops: how many sums are computed together.

#include <algorithm>
#include <limits>
#include <tuple>

#include "passes/loops/op_loops.h"

namespace tenon {

namespace {

/// Half of a small second-level cache, and some more for what is read once.
constexpr int64_t kNumberBytes = 320 * 1024;

/// Bytes of the largest operand whose elements are the same in all lanes of the row, and differ
/// between the places of `jam`.
int64_t NumberBytes(const Computation& all, int row, int jam) {
  int64_t bytes = 0;
  for (const Step& step : all.steps) {
    if (step.kind != StepKind::kRead) continue;
    const ComputationAccess& access = all.accesses[static_cast<size_t>(step.access)];
    if (access.element.stride(jam) == 0 || access.element.stride(row) != 0) continue;
    const ComputationOperand& operand = all.operands[static_cast<size_t>(access.operand)];
    bytes = std::max(bytes, operand.elements * step.dtype.bytes());
  }
  return bytes;
}

/// True if a product takes its number from memory, and a copy that several products share costs as
/// much as one of them. With registers of 64 bytes, the former is free, and AMD's Zen 4 makes the
/// latter in the unit that adds. Numbers that a small second cache does not hold are better read
/// once for several vectors.
bool CopiesNumbers(const Computation& all, const OpLoopsOptions& options, int row, int jam) {
  constexpr int64_t kWideRegister = 32;
  return options.register_bytes > kWideRegister && NumberBytes(all, row, jam) <= kNumberBytes;
}

}  // namespace

/// The loop whose places are computed together: the innermost one that shares loads in lanes, or
/// else the innermost one. -1 if there is no loop but the row.
int OpLoops::JamLoop(const Block& block, const std::vector<int>& loops) const {
  int other = -1;
  for (size_t i = loops.size(); i-- > 0;) {
    const int loop = loops[i];
    const bool is_kept = (FreeOf(block.sum) & Bit(loop)) != 0;
    if (loop == block.row || loop == options_.tile || !is_kept || ExtentOf(loop) < 2) continue;
    if (SharesLanes(StepAt(block.sum).args[1], block.row, Bit(loop))) return loop;
    if (other < 0) other = loop;
  }
  return other;
}

/// A loop whose iterations share loads with the places of a block; it is outside of the places. -1
/// if no loop does, or if the code would be too long.
int OpLoops::JamRows(const Block& block, const std::vector<int>& loops) const {
  constexpr int64_t kMostUnrolled = 16;
  const int value = StepAt(block.sum).args[1];
  if (block.jam < 0 || !SharesLanes(value, block.row, Bit(block.jam))) return -1;
  Block found = block;
  for (const int loop : loops) {
    if (loop == block.jam) break;
    if (loop != block.row && loop != options_.tile && (FreeOf(block.sum) & Bit(loop)) != 0 &&
        SharesLanes(value, block.row, Bit(block.jam) | Bit(loop)))
      found.jam_rows = loop;
  }
  const Pads* pads = PadsOfSum(block.sum);
  if (found.jam_rows < 0 || pads == nullptr) return found.jam_rows;
  int64_t unrolled = 1;
  for (const int loop : StepAt(block.sum).loops) {
    if ((UnrolledLoops(found, *pads) & Bit(loop)) != 0) unrolled *= ExtentOf(loop);
  }
  return unrolled <= kMostUnrolled ? found.jam_rows : -1;
}

/// Chooses the number of lanes and places of a block.
void OpLoops::SizeBlock(Block& block) const {
  const Step& sum = StepAt(block.sum);
  const int64_t width = std::max<int64_t>(options_.register_bytes / sum.dtype.bytes(), 1);
  const int64_t vectors = CountPieces(RowLanes(block), width);
  if (sum.dtype.is_float() && block.jam >= 0 && SharesLanes(sum.args[1], block.row, Bit(block.jam)))
    return SizeFloatBlock(block, width, vectors);
  block.jam_rows = -1;
  // Sums take half of the registers; more if their factors stay in memory.
  const bool has_quads = options_.quads >= 0;
  const int64_t for_sums = has_quads ? options_.registers * 3 / 4 : options_.registers / 2;
  const int64_t budget =
      std::clamp<int64_t>(for_sums, 1, kMostArrayBytes / options_.register_bytes);
  const int64_t most_places = has_quads ? 12 : 8;
  const int64_t places = block.jam < 0 ? 1 : std::min(ExtentOf(block.jam), most_places);
  const int64_t wanted = block.jam < 0 ? budget : std::max<int64_t>(budget / 4, 1);
  // The row has `vectors` vectors. A block takes a number of them that divides all.
  int64_t taken = std::min(std::max(wanted, budget / places), vectors);
  while (taken > 1 && vectors % taken != 0) --taken;
  block.lanes = std::min(taken * width, RowLanes(block));
  block.places = std::min(places, std::max<int64_t>(budget / taken, 1));
  if (block.jam < 0) return;
  // Blocks of about equal size: a last block of few places would share its loads among few sums.
  const int64_t pieces = CountPieces(ExtentOf(block.jam), block.places);
  block.places = CountPieces(ExtentOf(block.jam), pieces);
}

/// Chooses the fastest block of float sums whose sums and operands are all in registers, and of
/// those the one with the fewest loads. The operands of a step are the lanes that all places share,
/// the number of one place in all lanes, and the product. `vectors` registers of `width` lanes hold
/// the whole row. If a loop has few places, a block has several rows of all of them.
void OpLoops::SizeFloatBlock(Block& block, int64_t width, int64_t vectors) const {
  constexpr int64_t kMostPlaces = 16;
  constexpr int64_t kWideRegister = 32;
  // Machines add and load two vectors in a cycle, and a sum is ready after four.
  constexpr int64_t kLeastSums = 8;
  // Only instructions for wide registers copy a number in memory to all lanes.
  const int64_t copy = options_.register_bytes < kWideRegister ? 2 : 1;
  const int64_t copied_number = CopiesNumbers(computation_, options_, block.row, block.jam) ? 1 : 0;
  const int64_t shared_steps = IsLoadedAhead(StepAt(block.sum)) ? kStepsAhead : 1;
  const int64_t row = RowLanes(block);
  const int64_t all_places = ExtentOf(block.jam);
  const int64_t all_rows = block.jam_rows < 0 ? 1 : ExtentOf(block.jam_rows);
  const int64_t most_rows = all_places <= kLeastSums ? all_rows : 1;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::tuple<int64_t, bool, int64_t> least = {kMost, true, kMost};
  for (int64_t taken = 1; taken <= vectors; ++taken) {
    // One array holds the steps that are loaded ahead.
    if (taken * options_.register_bytes * kStepsAhead > kMostArrayBytes) break;
    if (vectors % taken != 0) continue;
    const int64_t lanes = std::min(taken * width, row);
    int64_t registers = 0;
    InPieces(lanes, [&](int64_t, int size) { registers += CountPieces(size, width); });
    // Two registers hold a number and a product. Sums take at most three quarters of all.
    const int64_t most = std::min({(options_.registers - 2) / registers - shared_steps,
                                   options_.registers * 3 / 4 / registers, kMostPlaces});
    // A step takes as long as its products, its loads, or the wait for its sums.
    const auto half_cycles = [&](int64_t places) {
      const int64_t copies = taken > 1 ? places * copied_number : 0;
      return places == 0 ? 0
                         : std::max({taken * places + copies, taken + places * copy, kLeastSums});
    };
    // The time of `all` places, `size` at once.
    const auto in_pieces = [&](int64_t all, int64_t size) {
      return all / size * half_cycles(size) + half_cycles(all % size);
    };
    const int64_t blocks = vectors / taken;
    const auto choose = [&](int64_t places, int64_t rows) {
      const int64_t pieces = CountPieces(all_places, places) * CountPieces(all_rows, rows);
      const int64_t time = rows == 1 ? all_rows * in_pieces(all_places, places)
                                     : in_pieces(all_rows * all_places, rows * all_places);
      const bool has_rest = all_places % places != 0 || all_rows % rows != 0;
      const std::tuple<int64_t, bool, int64_t> cost = {
          blocks * time, has_rest, vectors * pieces + blocks * all_rows * all_places * copy};
      if (cost >= least) return;
      least = cost;
      block.lanes = lanes;
      block.places = places * rows;
      block.rows = rows;
    };
    for (int64_t places = 1; places <= std::min(all_places, most); ++places) choose(places, 1);
    for (int64_t rows = 2; rows <= std::min(most_rows, most / all_places); ++rows)
      choose(all_places, rows);
  }
  if (block.rows == 1) block.jam_rows = -1;
  if (std::get<0>(least) < kMost) return;
  block.lanes = std::min(width, row);
  block.places = 1;
}

}  // namespace tenon
