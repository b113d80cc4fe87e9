// Chooses a block: the number of places and lanes whose sums are computed together. For float sums,
// the model's time of a block is the longest of products, loads, and the wait for sums.

#include "passes/loops/block_schedule.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "schedule/op_loops.h"
#include "schedule/pads.h"
#include "schedule/schedule_rules.h"

namespace tenon {

namespace {

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

/// True if each product broadcasts its operand from memory, because one broadcast for several
/// products would cost as much as a product. With registers of 64 bytes, the former is free, and on
/// AMD's Zen 4 the latter occupies the unit that adds. If the operand does not fit in a small L2
/// cache, it is better to read it once for several vectors.
bool CopiesNumbers(const Computation& all, const Machine& machine, int row, int jam) {
  // Half of the cache, because data that is read only once also takes space.
  return machine.multiplies_copies() &&
         NumberBytes(all, row, jam) <= machine.caches.l2_bytes / 8 * 5;
}

/// Chooses the shape of a block for one store.
class BlockSizer {
 public:
  BlockSizer(const Computation& computation, const LinearIndex& element, int step,
             const std::vector<int>& loops, const BlockWishes& wishes, const Machine& machine)
      : computation_(computation),
        element_(element),
        step_(step),
        loops_(loops),
        wishes_(wishes),
        machine_(machine),
        row_(RowLoop()),
        facts_(
            computation, [](int) { return false; },
            row_ < 0 ? -1 : GroupAccess(computation, step, row_, wishes.combine),
            machine.register_bytes) {}

  std::optional<Schedule> Choose() {
    if (row_ < 0) return std::nullopt;
    if (!wishes_.sums_without_pads.empty()) LeaveOutPads(computation_, step_, facts_);
    BlockShape block;
    block.row = row_;
    block.tile = wishes_.tile;
    block.sum = LaneSum(facts_, step_, row_);
    if (block.sum < 0) return std::nullopt;
    const std::vector<int>& skipped = wishes_.sums_without_pads;
    if (std::find(skipped.begin(), skipped.end(), block.sum) != skipped.end())
      pads_ = FindPads(computation_, block.sum);
    block.jam = JamLoop(block);
    block.jam_rows = JamRows(block);
    SizeBlock(block);
    block.streams = IsRowOutermost(block);
    Schedule schedule;
    schedule.skips_pads = pads_.has_value();
    if (!pads_ && facts_.HasShortFactors(block.sum) && !Summed(block).empty())
      schedule.combine = facts_.wide() >= 0 ? wishes_.combine : Combine::kPairs;
    schedule.loads_ahead =
        schedule.combine == Combine::kNothing && IsLoadedAhead(facts_.StepAt(block.sum));
    if (const int64_t together = StepsTogether(schedule); together > 1)
      block.steps = std::min(together, facts_.ExtentOf(Summed(block).back()));
    schedule.prefetches = block.streams && block.tile >= 0 && HasFewBlocks(block);
    schedule.bands = BandsOf(block, computation_, loops_);
    return schedule;
  }

 private:
  int RowLoop() const {
    int row = wishes_.row;
    for (const int loop : loops_) {
      if (wishes_.row >= 0) break;
      const int64_t extent = computation_.loops[static_cast<size_t>(loop)].extent;
      if (element_.divisor == 1 && element_.stride(loop) == 1 && extent >= 4) row = loop;
    }
    return row;
  }
  const std::vector<int>& Summed(const BlockShape& block) const {
    return facts_.StepAt(block.sum).loops;
  }
  /// All lanes of the row and the tiles of a block.
  int64_t RowLanes(const BlockShape& block) const {
    return facts_.ExtentOf(block.row) * (block.tile < 0 ? 1 : facts_.ExtentOf(block.tile));
  }
  bool SharesLanes(const BlockShape& block, LoopSet loops) const {
    return facts_.SharesLanes(facts_.StepAt(block.sum).args[1], block.row, loops);
  }

  int JamLoop(const BlockShape& block) const;
  int JamRows(const BlockShape& block) const;
  void SizeBlock(BlockShape& block) const;
  void SizeFloatBlock(BlockShape& block, int64_t width, int64_t vectors) const;
  bool IsRowOutermost(const BlockShape& block) const;
  bool HasFewBlocks(const BlockShape& block) const;
  bool IsLoadedAhead(const Step& sum) const;

  const Computation& computation_;
  const LinearIndex& element_;
  const int step_;
  const std::vector<int>& loops_;
  const BlockWishes& wishes_;
  const Machine& machine_;
  const int row_;
  StepFacts facts_;
  std::optional<Pads> pads_;
};

/// The loop whose places are computed together: the innermost one that shares loads in lanes, or
/// else the innermost one. -1 if there is no loop other than the row.
int BlockSizer::JamLoop(const BlockShape& block) const {
  int other = -1;
  for (size_t i = loops_.size(); i-- > 0;) {
    const int loop = loops_[i];
    const bool is_kept = (facts_.FreeOf(block.sum) & Bit(loop)) != 0;
    if (loop == block.row || loop == wishes_.tile || !is_kept || facts_.ExtentOf(loop) < 2)
      continue;
    if (SharesLanes(block, Bit(loop))) return loop;
    if (other < 0) other = loop;
  }
  return other;
}

/// A loop whose iterations share loads with the places of a block; it is outside of the places. -1
/// if no loop does, or if the code would be too long.
int BlockSizer::JamRows(const BlockShape& block) const {
  constexpr int64_t kMostUnrolled = 16;
  if (block.jam < 0 || !SharesLanes(block, Bit(block.jam))) return -1;
  BlockShape found = block;
  for (const int loop : loops_) {
    if (loop == block.jam) break;
    if (loop != block.row && loop != wishes_.tile && (facts_.FreeOf(block.sum) & Bit(loop)) != 0 &&
        SharesLanes(block, Bit(block.jam) | Bit(loop)))
      found.jam_rows = loop;
  }
  if (found.jam_rows < 0 || !pads_) return found.jam_rows;
  const LoopSet deciding = DecidingLoops(facts_, *pads_, Bit(found.jam) | Bit(found.jam_rows));
  int64_t unrolled = 1;
  for (const int loop : facts_.StepAt(block.sum).loops) {
    if ((deciding & Bit(loop)) != 0) unrolled *= facts_.ExtentOf(loop);
  }
  return unrolled <= kMostUnrolled ? found.jam_rows : -1;
}

/// Chooses the number of lanes and places of a block.
void BlockSizer::SizeBlock(BlockShape& block) const {
  const Step& sum = facts_.StepAt(block.sum);
  const int64_t width = std::max<int64_t>(machine_.register_bytes / sum.dtype.bytes(), 1);
  const int64_t vectors = OpLoops::CountPieces(RowLanes(block), width);
  if (sum.dtype.is_float() && block.jam >= 0 && SharesLanes(block, Bit(block.jam)))
    return SizeFloatBlock(block, width, vectors);
  block.jam_rows = -1;
  // Sums take half of the registers; more if their factors stay in memory.
  const bool has_groups = facts_.wide() >= 0;
  const int64_t for_sums = has_groups ? machine_.registers * 3 / 4 : machine_.registers / 2;
  const int64_t budget =
      std::clamp<int64_t>(for_sums, 1, kMostArrayBytes / machine_.register_bytes);
  const int64_t most_places = has_groups ? 12 : 8;
  const int64_t places = block.jam < 0 ? 1 : std::min(facts_.ExtentOf(block.jam), most_places);
  const int64_t wanted = block.jam < 0 ? budget : std::max<int64_t>(budget / 4, 1);
  // The row has `vectors` vectors, and the number of vectors in a block divides it.
  int64_t taken = std::min(std::max(wanted, budget / places), vectors);
  const auto fits = [&](int64_t number) {
    const int64_t lanes = std::min(number * width, RowLanes(block));
    return vectors % number == 0 &&
           OpLoops::MostWidth(lanes) * sum.dtype.bytes() <= kMostArrayBytes;
  };
  while (taken > 1 && !fits(taken)) --taken;
  block.lanes = std::min(taken * width, RowLanes(block));
  block.places = std::min(places, std::max<int64_t>(budget / taken, 1));
  if (block.jam < 0) return;
  // Blocks of about equal size: a last block of few places would share its loads among few sums.
  const int64_t pieces = OpLoops::CountPieces(facts_.ExtentOf(block.jam), block.places);
  block.places = OpLoops::CountPieces(facts_.ExtentOf(block.jam), pieces);
}

/// Chooses the fastest block of float sums whose sums and operands are all in registers, and of
/// those the one with the fewest loads. The operands of a step are the lanes that all places share,
/// the number of one place in all lanes, and the product. `vectors` registers of `width` lanes hold
/// the whole row. If a loop has few places, a block covers several rows with all their places.
void BlockSizer::SizeFloatBlock(BlockShape& block, int64_t width, int64_t vectors) const {
  constexpr int64_t kMostPlaces = 16;
  const int64_t least_sums = machine_.least_sums();
  const int64_t copy = machine_.loads_copies() ? 1 : 2;
  const int64_t copied_number = CopiesNumbers(computation_, machine_, block.row, block.jam) ? 1 : 0;
  const int64_t shared_steps = IsLoadedAhead(facts_.StepAt(block.sum)) ? kStepsAhead : 1;
  const int64_t row = RowLanes(block);
  const int64_t all_places = facts_.ExtentOf(block.jam);
  const int64_t all_rows = block.jam_rows < 0 ? 1 : facts_.ExtentOf(block.jam_rows);
  const int64_t most_rows = all_places <= least_sums ? all_rows : 1;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::tuple<int64_t, bool, int64_t> least = {kMost, true, kMost};
  for (int64_t taken = 1; taken <= vectors; ++taken) {
    const int64_t lanes = std::min(taken * width, row);
    // One array holds the steps that are loaded ahead.
    if (vectors % taken != 0 ||
        OpLoops::MostWidth(lanes) * kStepsAhead * machine_.register_bytes / width > kMostArrayBytes)
      continue;
    int64_t registers = 0;
    OpLoops::InPieces(lanes,
                      [&](int64_t, int size) { registers += OpLoops::CountPieces(size, width); });
    // Two registers hold an operand and a product. Sums use at most three quarters of all.
    const int64_t most = std::min({(machine_.registers - 2) / registers - shared_steps,
                                   machine_.registers * 3 / 4 / registers, kMostPlaces});
    // A step takes as long as its products, its loads, or the wait for its sums. The unit is the
    // time of one product.
    const auto time_of = [&](int64_t places) {
      const int64_t copies = taken > 1 ? places * copied_number : 0;
      const int64_t loads =
          (taken + places * copy) * machine_.products_per_cycle / machine_.loads_per_cycle;
      return places == 0 ? 0 : std::max({taken * places + copies, loads, least_sums});
    };
    // The time of `all` places, `size` at once.
    const auto in_pieces = [&](int64_t all, int64_t size) {
      return all / size * time_of(size) + time_of(all % size);
    };
    const int64_t blocks = vectors / taken;
    const auto choose = [&](int64_t places, int64_t rows) {
      const int64_t pieces =
          OpLoops::CountPieces(all_places, places) * OpLoops::CountPieces(all_rows, rows);
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

/// Each block of places reads all lanes that places share. If they do not fit in a cache, the loop
/// over the row becomes the outer one, so that its lanes are read from memory only once.
bool BlockSizer::IsRowOutermost(const BlockShape& block) const {
  // Otherwise, other sums would be computed again for each piece of the row.
  if (block.jam < 0 || facts_.SumsToMake({step_}, 0).size() != 1) return false;
  // Pieces of rows with different padding need different code, all inside of one loop.
  if (block.jam_rows >= 0 && pads_) return true;
  int64_t bytes = 0;
  std::vector<int> work = {facts_.StepAt(block.sum).args[1]};
  while (!work.empty()) {
    const int at = work.back();
    work.pop_back();
    const Step& step = facts_.StepAt(at);
    const bool is_shared =
        (facts_.FreeOf(at) & Bit(block.row)) != 0 && (facts_.FreeOf(at) & Bit(block.jam)) == 0;
    if (is_shared && step.kind == StepKind::kRead) {
      const ComputationAccess& access = computation_.accesses[static_cast<size_t>(step.access)];
      bytes +=
          computation_.operands[static_cast<size_t>(access.operand)].elements * step.dtype.bytes();
    }
    work.insert(work.end(), step.args.begin(), step.args.end());
  }
  return bytes > machine_.caches.l2_bytes / 2;
}

/// With more blocks for each panel, the time for loading a panel matters little.
bool BlockSizer::HasFewBlocks(const BlockShape& block) const {
  constexpr int64_t kMostBlocks = 32;
  const int64_t places =
      facts_.ExtentOf(block.jam) * (block.jam_rows < 0 ? 1 : facts_.ExtentOf(block.jam_rows));
  return places <= kMostBlocks * block.places;
}

/// True if loading shared lanes before their use pays: there are enough steps, and free registers.
bool BlockSizer::IsLoadedAhead(const Step& sum) const {
  constexpr int64_t kManySteps = 8;
  constexpr int64_t kManyRegisters = 32;
  return !sum.loops.empty() && facts_.ExtentOf(sum.loops.back()) >= kManySteps &&
         (!sum.dtype.is_float() || machine_.registers >= kManyRegisters);
}

}  // namespace

std::optional<Schedule> ScheduleBlock(const Computation& computation, const LinearIndex& element,
                                      int step, const std::vector<int>& loops,
                                      const BlockWishes& wishes, const Machine& machine) {
  return BlockSizer(computation, element, step, loops, wishes, machine).Choose();
}

int64_t LanesOf(const Schedule& schedule) {
  int64_t lanes = 1;
  for (const Band& band : schedule.bands) {
    if (band.role == Role::kLanes) lanes *= band.size;
  }
  return lanes;
}

}  // namespace tenon
