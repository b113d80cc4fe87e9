// Chooses a block: the numbers of places and lanes whose sums are computed together. All numbers
// whose sums and operands fit in the registers are compared by their cost.

#include "passes/loops/block_schedule.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/contraction.h"
#include "ir/analysis/gnu_vectors.h"
#include "schedule/cost.h"
#include "schedule/op_loops.h"
#include "schedule/pads.h"
#include "schedule/schedule_rules.h"

namespace tenon {

namespace {

/// Chooses the shape of a block for one store.
class BlockSizer {
 public:
  BlockSizer(const Computation& computation, const ComputationStore& store,
             const BlockWishes& wishes, const Machine& machine)
      : computation_(computation),
        store_(store),
        wishes_(wishes),
        machine_(machine),
        row_(RowLoop()),
        facts_(
            computation, [](int) { return false; },
            row_ < 0 ? -1 : GroupAccess(computation, store.step, row_, wishes.combine),
            machine.register_bytes) {}

  std::optional<BlockPlan> Choose() {
    if (row_ < 0) return std::nullopt;
    if (!wishes_.sums_without_pads.empty()) LeaveOutPads(computation_, store_.step, facts_);
    BlockShape block;
    block.row = row_;
    block.tile = wishes_.tile;
    block.is_scalar = wishes_.is_scalar;
    block.sum = LaneSum(facts_, store_.step, row_, block.is_scalar);
    if (block.sum < 0) return std::nullopt;
    const std::vector<int>& skipped = wishes_.sums_without_pads;
    if (std::find(skipped.begin(), skipped.end(), block.sum) != skipped.end())
      pads_ = FindPads(computation_, block.sum);
    form_.skips_pads = pads_.has_value();
    if (!block.is_scalar) SetForm(block);
    TrySizes(block);
    // If two schedules cost the same, the one whose places are neighbours accesses memory in order.
    for (size_t i = store_.loops.size(); i-- > 0;) {
      const int loop = store_.loops[i];
      if (loop == block.row || loop == block.tile || facts_.ExtentOf(loop) < 2 ||
          (facts_.FreeOf(block.sum) & Bit(loop)) == 0)
        continue;
      block.jam = loop;
      block.jam_rows = -1;
      block.streams = IsRowOutermost(block);
      TrySizes(block);
      // For integers, broadcasts to more places take longer than loads of more lanes.
      if (!facts_.StepAt(block.sum).dtype.is_float()) continue;
      block.jam_rows = JamRows(block);
      if (block.jam_rows < 0) continue;
      block.streams = IsRowOutermost(block);
      TryRows(block);
    }
    return best_;
  }

 private:
  int RowLoop() const {
    if (wishes_.row >= 0) return wishes_.row;
    const LinearIndex& stored = computation_.accesses[static_cast<size_t>(store_.access)].element;
    int row = -1;
    for (const int loop : store_.loops) {
      if (stored.divisor == 1 && stored.stride(loop) == 1 && LoopExtent(computation_, loop) >= 4)
        row = loop;
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
  /// True if the sum adds up computed values, and not elements.
  bool AddsProducts(const BlockShape& block) const {
    const Step& value = facts_.StepAt(facts_.StepAt(block.sum).args[1]);
    return value.kind == StepKind::kNode && value.node != NodeKind::kCast;
  }
  bool SharesLanes(const BlockShape& block, LoopSet loops) const {
    return facts_.SharesLanes(facts_.StepAt(block.sum).args[1], block.row, loops);
  }

  /// Chooses how steps are added together.
  void SetForm(BlockShape& block) {
    if (!pads_ && facts_.HasShortFactors(block.sum) && !Summed(block).empty())
      form_.combine = facts_.wide() >= 0 ? wishes_.combine : Combine::kPairs;
    form_.loads_ahead =
        form_.combine == Combine::kNothing && IsLoadedAhead(facts_.StepAt(block.sum));
    if (const int64_t together = StepsTogether(form_); together > 1)
      block.steps = std::min(together, facts_.ExtentOf(Summed(block).back()));
  }
  int JamRows(const BlockShape& block) const;
  void TrySizes(BlockShape block);
  void TryRows(BlockShape block);
  void ForEachWidth(const BlockShape& block,
                    const std::function<void(int64_t lanes, int64_t most)>& take) const;
  int64_t RegistersForSums(const BlockShape& block) const;
  int64_t RegistersOfLoad(const BlockShape& block) const;
  int64_t RegistersOf(const BlockShape& block, int64_t lanes, int64_t width) const;
  void Try(const BlockShape& block);
  bool IsRowOutermost(const BlockShape& block) const;
  bool HasFewBlocks(const BlockShape& block) const;
  bool IsLoadedAhead(const Step& sum) const;

  const Computation& computation_;
  const ComputationStore& store_;
  const BlockWishes& wishes_;
  const Machine& machine_;
  const int row_;
  StepFacts facts_;
  std::optional<Pads> pads_;
  /// The parts of the schedule that do not depend on sizes.
  Schedule form_;
  std::optional<BlockPlan> best_;
};

/// A loop whose iterations share loads with the places of a block; it is outside of the places. -1
/// if no loop does, or if the code would be too long.
int BlockSizer::JamRows(const BlockShape& block) const {
  constexpr int64_t kMostUnrolled = 16;
  if (!SharesLanes(block, Bit(block.jam))) return -1;
  BlockShape found = block;
  for (const int loop : store_.loops) {
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

/// Calls `take` for each number of lanes, with the most places whose sums and operands are in
/// registers.
void BlockSizer::ForEachWidth(const BlockShape& block,
                              const std::function<void(int64_t lanes, int64_t most)>& take) const {
  constexpr int64_t kMostPlaces = 16;
  const int64_t bytes = facts_.StepAt(block.sum).dtype.bytes();
  const int64_t width = block.is_scalar ? 1 : std::max<int64_t>(machine_.register_bytes / bytes, 1);
  const int64_t row = RowLanes(block);
  const int64_t vectors = OpLoops::CountPieces(row, width);
  const int64_t shared = RegistersOfLoad(block);
  const int64_t for_sums = RegistersForSums(block);
  for (int64_t taken = 1; taken <= std::min(vectors, for_sums); ++taken) {
    // Panels of constants have no unused vectors.
    if (block.tile >= 0 && vectors % taken != 0) continue;
    const int64_t lanes = std::min(taken * width, row);
    const int64_t registers = RegistersOf(block, lanes, width);
    // LLVM computes all products of a vector before it adds them.
    const int64_t products =
        AddsProducts(block) ? std::min<int64_t>(lanes, kMostGnuLanes) / width : 0;
    if (taken > 1 && (registers > for_sums || registers + products > machine_.registers)) continue;
    // Two registers hold an operand and a product, and others the lanes that several places share.
    const int64_t most = std::min(
        {for_sums / registers, (machine_.registers - 2) / registers - shared, kMostPlaces});
    take(lanes, std::max<int64_t>(most, 1));
  }
}

/// The registers that sums may take. The others hold operands: elements that several taps of a
/// window read, and pairs of integers.
int64_t BlockSizer::RegistersForSums(const BlockShape& block) const {
  const bool is_float = facts_.StepAt(block.sum).dtype.is_float();
  const bool has_pairs = form_.combine == Combine::kPairs && facts_.wide() < 0;
  return (is_float && pads_) || has_pairs ? machine_.registers * 5 / 8 : machine_.registers * 3 / 4;
}

/// The registers from which one register of lanes is loaded: all elements in between are loaded.
int64_t BlockSizer::RegistersOfLoad(const BlockShape& block) const {
  const std::vector<bool> below = StepsBelow(computation_, facts_.StepAt(block.sum).args[1]);
  // Integers are extended, so they take registers of their own if they are loaded ahead.
  const bool is_float = facts_.StepAt(block.sum).dtype.is_float();
  int64_t registers = form_.loads_ahead && !is_float ? kStepsAhead : 1;
  for (size_t i = 0; i < below.size(); ++i) {
    const Step& step = computation_.steps[i];
    if (!below[i] || step.kind != StepKind::kRead || step.access == facts_.wide()) continue;
    const ComputationAccess& access = computation_.accesses[static_cast<size_t>(step.access)];
    registers = std::max(registers, access.element.stride(block.row));
  }
  return registers;
}

/// The registers of the sums of one place. A remainder of lanes needs separate vectors.
int64_t BlockSizer::RegistersOf(const BlockShape& block, int64_t lanes, int64_t width) const {
  if (block.is_scalar) return lanes;
  int64_t registers = 0;
  for (const OpLoops::LanePiece& piece : OpLoops::LanePiecesOf(lanes, /*overlap=*/block.tile < 0))
    registers += OpLoops::CountPieces(piece.size, width);
  return registers;
}

/// Tries all numbers of lanes and of places along one loop.
void BlockSizer::TrySizes(BlockShape block) {
  const int64_t all = block.jam < 0 ? 1 : facts_.ExtentOf(block.jam);
  ForEachWidth(block, [&](int64_t lanes, int64_t most) {
    block.lanes = lanes;
    for (block.places = 1; block.places <= std::min(most, all); ++block.places) Try(block);
  });
}

/// Tries blocks of several rows with all their places.
void BlockSizer::TryRows(BlockShape block) {
  const int64_t all_places = facts_.ExtentOf(block.jam);
  ForEachWidth(block, [&](int64_t lanes, int64_t most) {
    block.lanes = lanes;
    const int64_t rows = std::min(facts_.ExtentOf(block.jam_rows), most / all_places);
    for (block.rows = 2; block.rows <= rows; ++block.rows) {
      block.places = block.rows * all_places;
      Try(block);
    }
  });
}

void BlockSizer::Try(const BlockShape& block) {
  Schedule schedule = form_;
  schedule.prefetches = block.streams && block.tile >= 0 && HasFewBlocks(block);
  schedule.bands = BandsOf(block, computation_, store_.loops);
  if (!WhyNotSchedule(computation_, store_, schedule, machine_.register_bytes).empty()) return;
  const double cycles = CyclesOf(computation_, store_, schedule, machine_);
  if (!best_ || cycles < best_->cycles) best_ = {std::move(schedule), cycles};
}

/// Each block of places reads all lanes that places share. If they do not fit in a cache, the loop
/// over the row becomes the outer one, so that its lanes are read from memory only once.
bool BlockSizer::IsRowOutermost(const BlockShape& block) const {
  // Otherwise, other sums would be computed again for each piece of the row.
  if (facts_.SumsToMake({store_.step}, 0).size() != 1) return false;
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

std::optional<BlockPlan> ScheduleBlock(const Computation& computation,
                                       const ComputationStore& store, const BlockWishes& wishes,
                                       const Machine& machine) {
  return BlockSizer(computation, store, wishes, machine).Choose();
}

int64_t LanesOf(const Schedule& schedule) {
  int64_t lanes = 1;
  for (const Band& band : schedule.bands) {
    if (band.role == Role::kLanes) lanes *= band.size;
  }
  return lanes;
}

}  // namespace tenon
