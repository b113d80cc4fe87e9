// Register blocking of sums (Goto and van de Geijn, 2008). Sums of products with constants are
// handled first: their factors are staged, and the constants are stored in blocks. For other sums,
// the cost model chooses a schedule (row_plan.h). OpLoops writes the loops.

#include "passes/loops/choose_blocks.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "analysis/contraction.h"
#include "arith/index_math.h"
#include "fmt/format.h"
#include "passes/fusion/constant_elements.h"
#include "passes/loops/block_schedule.h"
#include "passes/loops/computed_function.h"
#include "passes/loops/divided_loops.h"
#include "passes/loops/element_order.h"
#include "passes/loops/inner_nests.h"
#include "passes/loops/open_sums.h"
#include "passes/loops/row_plan.h"
#include "passes/loops/staged_factors.h"
#include "schedule/cost.h"
#include "schedule/op_loops.h"
#include "schedule/pads.h"
#include "schedule/schedule_rules.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Shorter rows of output elements are left unchanged.
constexpr int64_t kLeastRow = 4;
/// For sums of fewer products, storing lanes one by one costs more than it saves.
constexpr int64_t kLeastSteps = 32;
/// Fewer results do not fill a vector, nor do fewer steps of a sum. On a Zen 4, the time of two
/// nests with few columns of integers fell from 2.0 and 2.6 times gcc's to 0.8 and 0.55.
constexpr int64_t kFewResults = 8;
constexpr int64_t kStepsOfVectors = 32;
/// A constant whose rows are this many bytes apart lies in many pages: a block reads a piece of
/// each row. Constants that fit in the L1 cache remain there.
constexpr int64_t kFarRow = 1024;
/// The part of the text's time in which blocks must run if small code is more important, because
/// they are several copies of the code. With blocks of depthwise convolutions, vww_int8 takes 2 %
/// fewer instructions on a Cortex-M55, and twice as much code.
constexpr double kSmallGain = 0.5;
/// The most elements of a constant that is stored in a new order.
constexpr int64_t kMostElements = int64_t{1} << 28;

/// A sum of products, and the loops of its lanes.
struct BlockSum {
  explicit BlockSum(int sum) : step(sum) {}

  int step;
  Contraction found;
  /// The loop of neighbouring output elements, and the loop of the rows that are lanes with it, or
  /// -1.
  int row = -1;
  int tile = -1;
  /// True if the lanes are places of the output, and not channels.
  bool has_places = false;
  /// The schedule that was planned with the loops of lanes.
  std::optional<Schedule> planned;
  /// True if results are computed one by one.
  bool is_alone = false;
  /// The summed loop whose products are added up at once, as `combine` says, or -1.
  int group = -1;
  Combine combine = Combine::kNothing;
};

Machine MachineOf(const ChooseBlocksOptions& options) {
  return {.registers = options.registers, .register_bytes = options.register_bytes};
}

/// Rewrites the loops of one function.
class BlockChooser {
 public:
  /// `has_open_sums`: the original loops add up more sums at once than fit in registers. `wanted`
  /// is a schedule as a string, or empty. The best schedules of each sum and their costs are added
  /// to `shown`, unless it is null.
  BlockChooser(ComputedFunction& computed, Computation all, bool has_open_sums,
               std::string_view wanted, const ChooseBlocksOptions& options,
               std::vector<std::string>* shown)
      : computed_(computed),
        wanted_(wanted),
        shown_(shown),
        makes_panels_(has_open_sums),
        builder_(computed.builder()),
        all_(std::move(all)),
        options_(options),
        operands_(computed.operands()) {}

  /// Chooses the rows of sums by their cost. False if the function is left unchanged.
  bool ChooseRows() {
    const std::vector<int> reductions = Reductions(all_);
    if (RepeatsReductions(all_) || !StoresForward(all_)) return false;
    for (size_t i = reductions.size(); i-- > 0;) {
      const ComputationStore& store = StoreOf(reductions[i]);
      const auto shares = [&](int other) {
        return other != reductions[i] && &StoreOf(other) == &store;
      };
      if (StepAt(reductions[i]).kind != StepKind::kReduce ||
          std::any_of(reductions.begin(), reductions.end(), shares))
        continue;
      std::optional<RowPlan> plan = BestPlan(reductions[i]);
      if (!plan) continue;
      all_ = std::move(plan->computation);
      AddMemory();
      BlockSum& sum = sums_.emplace_back(reductions[i]);
      sum.planned = std::move(plan->schedule);
      sum.is_alone = !sum.planned;
    }
    return !sums_.empty();
  }

  /// Chooses the lanes of sums of products with constants. False if the original lanes are as good.
  bool ChooseForConstants() {
    std::vector<int> reductions = Reductions(all_);
    if (!std::all_of(reductions.begin(), reductions.end(),
                     [&](int reduction) { return IsSum(reduction); }) ||
        RepeatsReductions(all_))
      return false;
    for (size_t i = 0; i < reductions.size(); ++i) {
      if (const std::optional<Contraction> found = FindSum(reductions[i]);
          found && GuardFactor(all_, reductions[i], found->input))
        reductions = Reductions(all_);
    }
    makes_panels_ |= std::any_of(reductions.begin(), reductions.end(),
                                 [&](int reduction) { return HasFarRows(reduction); });
    if (makes_panels_) {
      for (const int reduction : reductions) SplitRow(reduction);
    }
    const bool has_better = std::any_of(reductions.begin(), reductions.end(), [&](int reduction) {
      BlockSum sum(reduction);
      return FindFactors(sum) && FindRow(sum);
    });
    if (!has_better) return false;
    // A store has the blocks of one sum: if it has several sums, those of the first one.
    for (size_t i = reductions.size(); i-- > 0;) {
      std::optional<int> sum = reductions[i];
      const bool is_first =
          std::none_of(reductions.begin(), reductions.begin() + static_cast<ptrdiff_t>(i),
                       [&](int earlier) { return &StoreOf(earlier) == &StoreOf(reductions[i]); });
      if (!is_first) sum = StoreApart(reductions[i]);
      if (!sum) return false;
      LayOut(*sum);
    }
    return !sums_.empty();
  }

  /// The reason why the wanted schedule does not fit. Empty if it fits, or if none is wanted.
  const std::string& problem() const { return problem_; }
  /// The schedule of the function's only sum as a string; empty if there are several sums.
  const std::string& schedule() const { return schedule_; }

  /// The new loops inside of the allocations that they need.
  const Stmt* Write() {
    if (!wanted_.empty() && sums_.size() > 1)
      problem_ = fmt::format("expected a function with one sum, found {}", sums_.size());
    std::vector<const Stmt*> stores;
    for (const ComputationStore& store : all_.stores) {
      const ComputationAccess& access = AccessAt(store.access);
      const std::vector<bool> below = StepsBelow(all_, store.step);
      BlockSum of(-1);
      for (const BlockSum& sum : sums_) {
        if (below[static_cast<size_t>(sum.step)]) of = sum;
      }
      const std::optional<Schedule> schedule = ScheduleOf(of, store);
      if (schedule && of.step >= 0 && sums_.size() == 1) schedule_ = ScheduleText(*schedule, all_);
      if (shown_ != nullptr && schedule && !of.found.columns.empty())
        shown_->push_back(fmt::format("{:.0f} `{}`, for which a constant is stored",
                                      CyclesOf(all_, store, *schedule, machine()),
                                      ScheduleText(*schedule, all_)));
      OpLoops loops(builder_, all_, operands_,
                    {.rows = !of.is_alone,
                     .register_bytes = options_.register_bytes,
                     .schedule = schedule ? &*schedule : nullptr});
      stores.push_back(loops.Store(operands_[static_cast<size_t>(access.operand)], access.element,
                                   store.step, store.loops));
    }
    const Stmt* body = builder_.Seq(Span<const Stmt*>(stores));
    for (const Buffer* buffer : memory_) {
      body = builder_.New<Allocate>({}, buffer->data, buffer->dtype, buffer->shape,
                                    builder_.Bool(true), nullptr, body);
    }
    return body;
  }

  const std::vector<NewConstant>& constants() const { return constants_; }

 private:
  Machine machine() const { return MachineOf(options_); }
  const Step& StepAt(int step) const { return all_.steps[static_cast<size_t>(step)]; }
  const ComputationAccess& AccessAt(int access) const {
    return all_.accesses[static_cast<size_t>(access)];
  }
  int64_t ExtentOf(int loop) const { return all_.loops[static_cast<size_t>(loop)].extent; }
  /// The store that computes a sum.
  const ComputationStore& StoreOf(int sum) const { return tenon::StoreOf(all_, sum); }

  /// The cheapest plan for a sum; if a schedule is wanted, one with its lanes. Nullopt if the
  /// original order is as good.
  std::optional<RowPlan> BestPlan(int reduction) {
    const auto is_finite = [&](int operand) { return IsFinite(operand); };
    RowChoice choice = PlanRow(all_, reduction, machine(), is_finite);
    if (shown_ != nullptr) Show(choice);
    std::string problem;
    const auto wanted = wanted_.empty() ? std::nullopt : ParseSchedule(wanted_, all_, problem);
    if (wanted) {
      const auto suits = [&](const std::optional<Schedule>& schedule) {
        return schedule && HasSameLanes(*schedule, *wanted);
      };
      RowChoice suiting = PlanRow(all_, reduction, machine(), is_finite, suits);
      if (!suiting.best.empty()) return std::move(suiting.best.front());
    }
    const double most = choice.as_text * (options_.small ? kSmallGain : 1);
    if (choice.best.empty() || choice.best.front().cycles >= most) return std::nullopt;
    return std::move(choice.best.front());
  }

  void Show(const RowChoice& choice) {
    std::vector<std::string> lines;
    for (const RowPlan& plan : choice.best) {
      lines.push_back(fmt::format("{:.0f} ", plan.cycles));
      lines.back() += plan.schedule
                          ? fmt::format("`{}`", ScheduleText(*plan.schedule, plan.computation))
                          : "in another order, one by one";
      if (plan.copies > 0)
        lines.back() +=
            fmt::format(" with {} {}", plan.copies, plan.copies == 1 ? "copy" : "copies");
    }
    const auto is_slower = [&](const auto& plan) { return choice.as_text <= plan.cycles; };
    const auto slower = std::find_if(choice.best.begin(), choice.best.end(), is_slower);
    lines.insert(lines.begin() + (slower - choice.best.begin()),
                 fmt::format("{:.0f} in the order of the text", choice.as_text));
    shown_->push_back(fmt::to_string(fmt::join(lines, "; ")));
  }

  /// The schedule of the store of a sum; nullopt if vectors cannot compute it.
  std::optional<Schedule> ScheduleOf(const BlockSum& sum, const ComputationStore& store) {
    if (sum.is_alone) return std::nullopt;
    const BlockWishes wishes = {.row = sum.row,
                                .tile = sum.tile,
                                .combine = sum.combine,
                                .sums_without_pads = sums_without_pads_};
    std::optional<Schedule> chosen = sum.planned;
    if (!chosen) {
      std::optional<BlockPlan> block = ScheduleBlock(all_, store, wishes, machine());
      if (!block) return std::nullopt;
      chosen = std::move(block->schedule);
    }
    chosen->finishes_in_loop = options_.small;
    TENON_DCHECK(Problem(store, *chosen).empty());
    if (sum.step < 0 || wanted_.empty() || !problem_.empty()) return chosen;
    const std::optional<Schedule> wanted = ParseSchedule(wanted_, all_, problem_);
    if (!wanted) return chosen;
    problem_ = HasSameLanes(*wanted, *chosen)
                   ? Problem(store, *wanted)
                   : fmt::format("expected the lanes and instructions of `{}`",
                                 ScheduleText(*chosen, all_));
    return problem_.empty() ? wanted : chosen;
  }
  std::string Problem(const ComputationStore& store, const Schedule& schedule) const {
    return WhyNotSchedule(all_, store, schedule, options_.register_bytes);
  }
  /// The constants are stored for the loops of lanes and the instruction that the pass chose.
  static bool HasSameLanes(const Schedule& a, const Schedule& b) {
    const auto loops_of = [](const Schedule& schedule) {
      std::vector<int> loops;
      for (const Band& band : schedule.bands) {
        if (band.role == Role::kLanes) loops.push_back(band.loop);
      }
      return loops;
    };
    return loops_of(a) == loops_of(b) && a.combine == b.combine && a.skips_pads == b.skips_pads;
  }

  const Buffer* NewBuffer(std::string_view name, const ComputationOperand& operand) {
    return NewFlatBuffer(builder_, name, operand.dtype, operand.elements);
  }

  /// True for a sum of floats or of int32 whose value depends only on loops of the result.
  bool IsSum(int reduction) const {
    const Step& sum = StepAt(reduction);
    LoopSet outside = FreeLoops(all_)[static_cast<size_t>(reduction)];
    for (const int loop : StoreOf(reduction).loops) outside &= ~Bit(loop);
    const bool has_lanes =
        sum.dtype == DataType::Int(32) || (sum.dtype.is_float() && sum.dtype.bits() >= 32);
    return sum.kind == StepKind::kReduce && sum.node == NodeKind::kAdd && has_lanes && outside == 0;
  }

  /// The sum of a step; nullopt if it does not add up products.
  std::optional<Contraction> FindSum(int step) const {
    std::vector<int> kept;
    const LoopSet free = FreeLoops(all_)[static_cast<size_t>(step)];
    for (const int loop : StoreOf(step).loops) {
      if ((free & Bit(loop)) != 0) kept.push_back(loop);
    }
    std::string because;
    return FindContraction(ReductionAlone(all_, step, kept), because);
  }

  /// Finds the factors of a sum. False if it is not a sum of products with unchanged elements of
  /// one constant.
  bool FindFactors(BlockSum& sum) const {
    const std::optional<Contraction> found = FindSum(sum.step);
    if (!found || found->columns.empty()) return false;
    sum.found = *found;
    const ComputationAccess& weights = AccessAt(found->weights);
    const Constant* constant = ConstantOf(weights);
    const auto reads = std::count_if(all_.steps.begin(), all_.steps.end(), [&](const Step& step) {
      return IsRead(step.kind) && step.access == found->weights;
    });
    return constant != nullptr && constant->dtype().code() == StepAt(sum.step).dtype.code() &&
           reads == 1 && weights.element.divisor == 1 &&
           IsFactor(StepAt(sum.step), sum.found.weights);
  }

  /// True if a factor of a sum is an element of `access`, perhaps cast to another dtype. If a
  /// factor is computed from the element, the sum reads the computed value.
  bool IsFactor(const Step& sum, int access) const {
    const Step& product = StepAt(sum.args[1]);
    return std::any_of(product.args.begin(), product.args.end(), [&](int step) {
      while (StepAt(step).kind == StepKind::kNode && StepAt(step).node == NodeKind::kCast)
        step = StepAt(step).args[0];
      return StepAt(step).kind == StepKind::kRead && StepAt(step).access == access;
    });
  }

  /// The data of a constant, in its original order; null for other operands.
  const Constant* ConstantOf(int operand) const {
    const auto at = static_cast<size_t>(operand);
    return at < computed_.data().size() ? computed_.data()[at] : nullptr;
  }
  const Constant* ConstantOf(const ComputationAccess& access) const {
    return ConstantOf(access.operand);
  }

  /// True if neighbouring steps of a sum read rows of a constant that are far apart.
  bool HasFarRows(int reduction) const {
    BlockSum sum(reduction);
    if (!FindFactors(sum)) return false;
    const Constant* constant = ConstantOf(AccessAt(sum.found.weights));
    const LinearIndex& element = AccessAt(sum.found.weights).element;
    const std::vector<int>& summed = StepAt(reduction).loops;
    const auto step = std::find_if(summed.rbegin(), summed.rend(),
                                   [&](int loop) { return element.stride(loop) != 0; });
    const int64_t bytes = constant->dtype().bytes();
    return step != summed.rend() && element.stride(*step) * bytes >= kFarRow &&
           constant->element_count() * bytes >= kCommonCaches.l1_bytes;
  }

  /// Splits the loop of neighbouring output elements into blocks of a register, so that the
  /// constant can be stored block by block. Longer rows of the constant would lie in many pages.
  void SplitRow(int reduction) {
    BlockSum sum(reduction);
    if (!FindFactors(sum) || !FindRow(sum) || sum.has_places || sum.tile >= 0) return;
    const int64_t width = options_.register_bytes / StepAt(reduction).dtype.bytes();
    const int64_t inner = std::gcd(ExtentOf(sum.row), width);
    if (inner >= kLeastRow && inner < ExtentOf(sum.row)) SplitLoop(all_, sum.row, inner);
  }

  /// Stores a sum in separate memory before its result, which then reads it. Returns the step of
  /// the stored sum; nullopt if the memory would have gaps.
  std::optional<int> StoreApart(int sum) {
    const ComputationStore result = StoreOf(sum);
    const LoopSet free = FreeLoops(all_)[static_cast<size_t>(sum)];
    ComputationStore apart;
    for (const int loop : result.loops) {
      if ((free & Bit(loop)) != 0) apart.loops.push_back(loop);
    }
    LinearIndex element;
    int64_t elements = 1;
    for (const auto& [loop, stride] : AccessAt(result.access).element.terms) {
      if ((free & Bit(loop)) == 0) continue;
      if (stride < 0) return std::nullopt;
      element.terms.emplace_back(loop, stride);
      elements += stride * (ExtentOf(loop) - 1);
    }
    if (elements > 2 * Iterations(all_, apart.loops)) return std::nullopt;
    apart.access = static_cast<int>(all_.accesses.size());
    apart.step = static_cast<int>(all_.steps.size());
    all_.accesses.push_back({static_cast<int>(all_.operands.size()), element});
    all_.operands.push_back({false, -1, StepAt(sum).dtype, elements});
    all_.steps.push_back(StepAt(sum));
    Step read;
    read.kind = StepKind::kRead;
    read.dtype = StepAt(sum).dtype;
    read.access = apart.access;
    all_.steps[static_cast<size_t>(sum)] = read;
    const auto before = std::find_if(all_.stores.begin(), all_.stores.end(),
                                     [&](const auto& one) { return one.access == result.access; });
    all_.stores.insert(before, apart);
    AddMemory();
    return apart.step;
  }

  /// Creates buffers for the operands that have none.
  void AddMemory() {
    while (operands_.size() < all_.operands.size()) {
      operands_.push_back(NewBuffer("staged", all_.operands[operands_.size()]));
      memory_.push_back(operands_.back());
    }
  }

  /// Chooses the loops of the lanes. False if the original lanes are as good.
  bool FindRow(BlockSum& sum) const {
    const LinearIndex& stored = AccessAt(StoreOf(sum.step).access).element;
    if (stored.divisor != 1) return false;
    const std::vector<int>& columns = sum.found.columns;
    if (Iterations(all_, columns) < kLeastRow) return FindPlaces(sum, stored);
    for (const int loop : columns) {
      if (sum.row < 0 || stored.stride(loop) < stored.stride(sum.row)) sum.row = loop;
    }
    if (ExtentOf(sum.row) < kLeastRow) return false;
    // Lanes are stored one by one if they are not adjacent.
    const bool is_scattered = stored.stride(sum.row) != 1;
    if (is_scattered && Iterations(all_, StepAt(sum.step).loops) < kLeastSteps) return false;
    const int64_t width = options_.register_bytes / StepAt(sum.step).dtype.bytes();
    const bool is_block =
        ExtentOf(sum.row) < width || (makes_panels_ && ExtentOf(sum.row) == width);
    if (is_block && width % ExtentOf(sum.row) == 0) {
      for (const int loop : columns) {
        if (loop != sum.row && (sum.tile < 0 || ExtentOf(loop) > ExtentOf(sum.tile)))
          sum.tile = loop;
      }
    }
    const bool is_apart = AccessAt(sum.found.weights).element.stride(sum.row) != 1;
    const bool is_narrow = sum.tile >= 0 && ExtentOf(sum.row) < width;
    // One instruction may compute two products of 16-bit integers.
    const bool has_pairs =
        StepAt(sum.step).dtype.is_int() &&
        ConstantOf(AccessAt(sum.found.weights))->dtype().bits() <= kPair.weight.bits();
    const bool is_better = makes_panels_ || is_narrow || is_apart || is_scattered || has_pairs;
    return is_better && HasLanes(sum);
  }

  /// Uses neighbouring places as lanes, for an output of few channels. The elements of the other
  /// factor must be adjacent after staging.
  bool FindPlaces(BlockSum& sum, const LinearIndex& stored) const {
    for (const int loop : StoreOf(sum.step).loops) {
      if (stored.stride(loop) == 1 && !Includes(sum.found.columns, loop)) sum.row = loop;
    }
    sum.has_places = true;
    return sum.row >= 0 && ExtentOf(sum.row) >= 2 * kLeastRow;
  }

  /// True if all elements that the sum reads in lanes are adjacent, except for those of the
  /// constant.
  bool HasLanes(const BlockSum& sum) const {
    const std::vector<bool> below = StepsBelow(all_, sum.step);
    const LoopSet lanes = Bit(sum.row) | (sum.tile < 0 ? 0 : Bit(sum.tile));
    for (size_t i = 0; i < below.size(); ++i) {
      const Step& step = all_.steps[i];
      if (!below[i] || (IsRead(step.kind) && step.access == sum.found.weights)) continue;
      if (step.kind == StepKind::kIndex && (LoopsOf(step.linear) & lanes) != 0) return false;
      if (!IsRead(step.kind)) continue;
      const LinearIndex& element = AccessAt(step.access).element;
      if ((LoopsOf(element) & lanes) == 0) continue;
      if (step.kind != StepKind::kRead || element.divisor != 1 || element.stride(sum.row) != 1 ||
          (sum.tile >= 0 && element.stride(sum.tile) != ExtentOf(sum.row)))
        return false;
    }
    return true;
  }

  /// Stores the factors of a sum as its blocks read them, unless the original lanes are as good.
  void LayOut(int step) {
    BlockSum sum(step);
    if (!FindFactors(sum) || !FindRow(sum) || IsBetterInOtherLanes(sum)) return;
    const std::optional<Pads> pads = FindPads(all_, step);
    // Taps in the innermost loop would be unrolled within a loop over channels.
    const std::vector<int>& summed = StepAt(step).loops;
    const bool has_inner_taps = pads && !summed.empty() && DependOn(all_, *pads, summed.back());
    if (!sum.has_places && pads && !has_inner_taps &&
        IsFinite(AccessAt(sum.found.weights).operand)) {
      sums_without_pads_.push_back(step);
    } else {
      StagedComputation staged = StageFactors(all_, step, options_.pairs && !options_.quads);
      all_ = std::move(staged.computation);
      AddMemory();
    }
    const ComputationStore& store = StoreOf(step);
    if (sum.has_places) {
      if (ScheduleOf(sum, store)) sums_.push_back(std::move(sum));
      return;
    }
    // Pairs can also compute quads of bytes that are not copied.
    if (options_.quads || options_.pairs) FindGroup(sum, Combine::kQuads);
    if (options_.pairs && sum.group < 0) FindGroup(sum, Combine::kPairs);
    // The schedule for a block of all lanes determines the best number of lanes.
    const auto weights = static_cast<size_t>(sum.found.weights);
    const LinearIndex text = all_.accesses[weights].element;
    int64_t elements = 0;
    all_.accesses[weights].element = InBlocks(sum, AllLanes(sum), &elements);
    sum.planned = ScheduleOf(sum, store);
    all_.accesses[weights].element = text;
    if (!sum.planned) return;
    const int64_t lanes = sum.tile < 0 ? AllLanes(sum) : LanesOf(*sum.planned);
    if (StoreWeights(sum, lanes)) sums_.push_back(std::move(sum));
  }

  /// True for a sum with few results for each element of the other factor, if vectors along other
  /// results, or along a sum of integers, have fewer unused lanes.
  bool IsBetterInOtherLanes(const BlockSum& sum) const {
    const int64_t results = AllLanes(sum);
    const bool is_float = StepAt(sum.step).dtype.is_float();
    const std::vector<int>& summed = StepAt(sum.step).loops;
    const bool has_rest = results % (kFewResults / 2) != 0;
    const bool fill_badly = results < 4 * kFewResults && has_rest;
    const bool are_few = is_float ? results < 2 * kFewResults && has_rest : results < kFewResults;
    const ComputationAccess& stored = AccessAt(StoreOf(sum.step).access);
    const auto is_other_row = [&](const ComputationAccess& factor, int loop) {
      const bool is_summed = std::find(summed.begin(), summed.end(), loop) != summed.end();
      if (factor.element.stride(loop) != 1) return false;
      if (is_summed) return !is_float && fill_badly && ExtentOf(loop) >= kStepsOfVectors;
      const int64_t least = is_float ? 2 * kFewResults : kFewResults;
      return are_few && ExtentOf(loop) >= least && stored.element.stride(loop) == 1;
    };
    return std::any_of(all_.accesses.begin(), all_.accesses.end(), [&](const auto& access) {
      if (&access == &AccessAt(sum.found.weights) || access.operand == stored.operand) return false;
      for (int loop = 0; loop < static_cast<int>(all_.loops.size()); ++loop) {
        if (is_other_row(access, loop)) return true;
      }
      return false;
    });
  }

  /// Makes a loop over neighbours in the other factor the innermost one of a sum of short integers,
  /// so that an instruction adds up products. The order of a sum of integers does not matter.
  void FindGroup(BlockSum& sum, Combine combine) {
    const CombineFacts& facts = FactsOf(combine);
    const ComputationAccess* other = nullptr;
    for (const int factor : StepAt(StepAt(sum.step).args[1]).args) {
      const Step& cast = StepAt(factor);
      if (cast.kind != StepKind::kNode || cast.node != NodeKind::kCast) return;
      const Step& read = StepAt(cast.args[0]);
      if (read.kind != StepKind::kRead) return;
      const bool is_constant = read.access == sum.found.weights;
      const bool fits = is_constant ? Extends(read.dtype, facts.weight) : read.dtype == facts.data;
      if (!fits) return;
      if (!is_constant) other = &AccessAt(read.access);
    }
    if (other == nullptr || other->element.divisor != 1) return;
    std::vector<int>& loops = all_.steps[static_cast<size_t>(sum.step)].loops;
    const auto found = std::find_if(loops.begin(), loops.end(), [&](int loop) {
      return other->element.stride(loop) == 1 && ExtentOf(loop) % facts.steps == 0 &&
             AccessAt(sum.found.weights).element.stride(loop) != 0;
    });
    if (found == loops.end()) return;
    sum.group = *found;
    sum.combine = combine;
    std::rotate(found, found + 1, loops.end());
    if (ExtentOf(sum.group) > facts.steps) SplitLoop(all_, sum.group, facts.steps);
  }

  /// True for a constant of float32 without infinities and NaNs, whose products with 0 are 0.
  bool IsFinite(int operand) const {
    const Constant* constant = ConstantOf(operand);
    return constant != nullptr && !options_.replaceable && AreFinite(*constant);
  }

  int64_t AllLanes(const BlockSum& sum) const {
    return ExtentOf(sum.row) * (sum.tile < 0 ? 1 : ExtentOf(sum.tile));
  }

  /// The distance of neighbouring lanes of the constant, in elements.
  static int64_t LaneStride(const BlockSum& sum) { return StepsOf(sum.combine); }

  /// The constant in the order of blocks of `lanes` lanes; all steps of the sum are in a block. The
  /// last block may have unused lanes. Lanes are adjacent beginning with the first tile of a block,
  /// so the element is only correct there.
  LinearIndex InBlocks(const BlockSum& sum, int64_t lanes, int64_t* elements) const {
    const LinearIndex& now = AccessAt(sum.found.weights).element;
    const std::vector<int>& summed = StepAt(sum.step).loops;
    const int64_t apart = LaneStride(sum);
    LinearIndex index;
    index.terms.emplace_back(sum.row, apart);
    if (sum.group >= 0) index.terms.emplace_back(sum.group, 1);
    int64_t stride = lanes * apart;
    for (size_t i = summed.size(); i-- > 0;) {
      if (now.stride(summed[i]) == 0 || summed[i] == sum.group) continue;
      index.terms.emplace_back(summed[i], stride);
      stride *= ExtentOf(summed[i]);
    }
    const int64_t blocks = (AllLanes(sum) + lanes - 1) / lanes;
    if (sum.tile >= 0)
      index.terms.emplace_back(sum.tile,
                               (blocks == 1 ? apart : stride / lanes) * ExtentOf(sum.row));
    stride *= blocks;
    for (const auto& [loop, old] : now.terms) {
      if (loop == sum.row || loop == sum.tile || Includes(summed, loop)) continue;
      index.terms.emplace_back(loop, stride);
      stride *= ExtentOf(loop);
    }
    std::sort(index.terms.begin(), index.terms.end());
    *elements = stride;
    return index;
  }

  /// Stores the constant in blocks of `lanes` lanes. False if its bytes are not known.
  bool StoreWeights(const BlockSum& sum, int64_t lanes) {
    const ComputationAccess& text = AccessAt(sum.found.weights);
    const Constant* old = ConstantOf(text);
    int64_t elements = 0;
    const LinearIndex index = InBlocks(sum, lanes, &elements);
    if (elements > kMostElements) return false;
    const absl::StatusOr<std::span<const uint8_t>> from = old->Bytes();
    if (!from.ok()) return false;
    const auto size = static_cast<size_t>(old->dtype().bytes());
    std::vector<uint8_t> bytes(static_cast<size_t>(elements) * size);
    const int64_t row = ExtentOf(sum.row);
    std::vector<int64_t> place(all_.loops.size());
    do {
      int64_t to = ElementAt(index, place);
      if (sum.tile >= 0 && lanes < AllLanes(sum)) {
        const int64_t in_block = place[static_cast<size_t>(sum.tile)] % (lanes / row);
        to += in_block * (row * LaneStride(sum) - index.stride(sum.tile));
      }
      std::memcpy(bytes.data() + static_cast<size_t>(to) * size,
                  from->data() + static_cast<size_t>(ElementAt(text.element, place)) * size, size);
    } while (Advance(index, place));
    all_.accesses[static_cast<size_t>(sum.found.weights)] = {static_cast<int>(all_.operands.size()),
                                                             index};
    all_.operands.push_back({true, text.operand, old->dtype(), elements});
    operands_.push_back(NewBuffer("weights", all_.operands.back()));
    constants_.push_back({operands_.back(), builder_.context().AddConstant(
                                                {}, old->dtype(), {elements}, std::move(bytes),
                                                ConstantPlacement(), SourceRange())});
    return true;
  }

  static int64_t ElementAt(const LinearIndex& index, const std::vector<int64_t>& place) {
    int64_t element = index.offset;
    for (const auto& [loop, stride] : index.terms)
      element += stride * place[static_cast<size_t>(loop)];
    return element;
  }

  /// Advances `index` to the next iteration of its loops; false after the last one.
  bool Advance(const LinearIndex& index, std::vector<int64_t>& place) const {
    for (const auto& [loop, stride] : index.terms) {
      int64_t& at = place[static_cast<size_t>(loop)];
      if (++at < ExtentOf(loop)) return true;
      at = 0;
    }
    return false;
  }

  ComputedFunction& computed_;
  const std::string_view wanted_;
  std::string problem_;
  std::string schedule_;
  std::vector<std::string>* const shown_;
  /// True if constants become panels of columns, as wide as a register.
  bool makes_panels_;
  NodeBuilder& builder_;
  Computation all_;
  const ChooseBlocksOptions& options_;
  /// A buffer over each operand of `all_`, and the buffers that are new memory.
  std::vector<const Buffer*> operands_;
  std::vector<const Buffer*> memory_;
  std::vector<BlockSum> sums_;
  std::vector<int> sums_without_pads_;
  std::vector<NewConstant> constants_;
};

/// The numbers of functions that the pass has visited and changed.
struct BlockCounts {
  /// The number of functions, and of functions that are operators, which blocks could compute.
  std::atomic<int64_t> functions = 0;
  std::atomic<int64_t> operators = 0;
  std::atomic<int64_t> changed = 0;
};

/// The facts that all functions of a run share.
struct BlockRun {
  Context& context;
  const ChooseBlocksOptions& options;
  /// Read loops back, and show schedules with their costs.
  bool reads_back = false;
  bool shows = false;
  BlockCounts counts = {};
};

/// Warns if no sum of a function uses its schedule.
void WarnOfSchedule(const BlockRun& run, const Function& function, Diagnostics& diagnostics) {
  if (WantedSchedule(function).empty() || run.options.schedules) return;
  diagnostics.Warning(DiagnosticKind::kPass, function.func->range,
                      "choose-blocks: no sum of this function gets blocks, so nothing uses its "
                      "schedule");
}

/// The function in blocks; the same function if unchanged. `all` is what `computed` has found.
Function ChooseForOperator(BlockRun& run, const Function& function, ComputedFunction& computed,
                           const Computation& all, Diagnostics& diagnostics) {
  ++run.counts.functions;
  ++run.counts.operators;
  const int64_t register_bytes = run.options.registers * run.options.register_bytes;
  const bool has_open_sums = OpenSumBytes(*function.func) > register_bytes;
  std::vector<std::string> shown;
  std::optional<BlockChooser> chooser;
  const auto choose = [&](auto method) {
    chooser.emplace(computed, all, has_open_sums, WantedSchedule(function), run.options,
                    run.shows ? &shown : nullptr);
    return ((*chooser).*method)();
  };
  const bool has_blocks =
      choose(&BlockChooser::ChooseForConstants) || choose(&BlockChooser::ChooseRows);
  const Stmt* body =
      has_blocks ? chooser->Write()
                 : InBestOrder(computed, all, MachineOf(run.options), run.shows ? &shown : nullptr);
  for (const std::string& line : shown)
    diagnostics.Note(DiagnosticKind::kPass, function.func->range,
                     fmt::format("choose-blocks: schedules of `{}` with the model's cycles: {}",
                                 function.name.view(), line));
  if (!has_blocks || chooser->schedule().empty()) WarnOfSchedule(run, function, diagnostics);
  if (body == nullptr) return function;
  if (has_blocks && !chooser->problem().empty()) {
    RefuseSchedule("choose-blocks", function, chooser->problem(), diagnostics);
    return function;
  }
  const bool has_schedule = has_blocks && run.options.schedules;
  const Function changed =
      computed.WithBody(body, has_blocks ? chooser->constants() : std::vector<NewConstant>(),
                        has_schedule ? chooser->schedule() : "");
  if (run.reads_back && !computed.ReadsBack(changed, "choose-blocks", diagnostics)) return function;
  ++run.counts.changed;
  return changed;
}

/// The same for the nests of a function that are operators.
Function ChooseForNests(BlockRun& run, const Function& function, Diagnostics& diagnostics) {
  return RewriteInnerNests(
      run.context, function, [&](const Function& nest) -> std::optional<Function> {
        ComputedFunction computed(run.context, nest);
        const std::optional<Computation> all = computed.Find();
        if (!all) return std::nullopt;
        const Function now = ChooseForOperator(run, nest, computed, *all, diagnostics);
        return now.func == nest.func ? std::nullopt : std::optional(now);
      });
}

/// The same for a function that may be an operator, or contain some.
Function ChooseForFunction(BlockRun& run, const Function& function, Diagnostics& diagnostics) {
  ComputedFunction whole(run.context, function);
  const std::optional<Computation> all = whole.Find();
  if (all) {
    const Function now = ChooseForOperator(run, function, whole, *all, diagnostics);
    if (now.func != function.func) return now;
  }
  DividedFunction divided = DivideLoops(run.context, function, Strips::kYes);
  if (all && divided.function.func == function.func) return function;
  Function now = ChooseForNests(run, divided.function, diagnostics);
  if (divided.has_strips && now.func == divided.function.func) {
    // Strips take memory, so they stay only if nests become blocks.
    divided = DivideLoops(run.context, function, Strips::kNo);
    now = ChooseForNests(run, divided.function, diagnostics);
  }
  if (now.func == divided.function.func && !all) {
    ++run.counts.functions;
    WarnOfSchedule(run, function, diagnostics);
  }
  return now;
}

}  // namespace

absl::StatusOr<IRModule> ChooseBlocks(const IRModule& module, const ChooseBlocksOptions& options,
                                      PassContext& context) {
  if (options.registers < 4 || options.registers > 64)
    return absl::InvalidArgumentError(
        fmt::format("choose-blocks: registers is {}, expected 4 to 64", options.registers));
  if (options.register_bytes != ChooseBlocksOptions::kLeastRegister &&
      options.register_bytes != 32 && options.register_bytes != 64)
    return absl::InvalidArgumentError(fmt::format(
        "choose-blocks: register-bytes is {}, expected 16, 32 or 64", options.register_bytes));
  BlockRun run{module.context(), options, context.verify_schedules, context.print_schedules};
  IRModule now =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics& diagnostics) {
        return ChooseForFunction(run, function, diagnostics);
      });
  context.Count("choose-blocks.functions", run.counts.functions);
  context.Count("choose-blocks.operators", run.counts.operators);
  context.Count("choose-blocks.sums", run.counts.changed);
  if (run.reads_back) context.Count("choose-blocks.read_back", run.counts.changed);
  return now;
}

}  // namespace tenon
