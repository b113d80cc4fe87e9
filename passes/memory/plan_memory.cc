// The bridge to planner/, which knows no IR: allocations become buffers, overlaps become relations,
// and placements become annotations. If the plan puts arguments into each other, a second plan is
// tried that keeps them apart.

#include "passes/memory/plan_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/access_counts.h"
#include "ir/analysis/constant_layout.h"
#include "ir/analysis/constant_section.h"
#include "ir/attributes.h"
#include "ir/loaded_constants.h"
#include "ir/memory_plan.h"
#include "ir/memory_pools.h"
#include "ir/rewriter.h"
#include "passes/memory/constant_order.h"
#include "passes/memory/in_place_relations.h"
#include "passes/memory/plan_overlaps.h"
#include "planner/explain/misfit.h"
#include "planner/explain/spill.h"
#include "planner/explain/unknown_costs.h"
#include "planner/tvm/tvm_liveness.h"
#include "support/check.h"
#include "support/checked.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

planner::PoolCost CostOf(const PoolCostInfo& info) {
  const auto known = [](int64_t figure) { return std::max<int64_t>(figure, 0); };
  return {known(info.clock_frequency_hz), known(info.read_bandwidth_bytes_per_cycle),
          known(info.write_bandwidth_bytes_per_cycle), known(info.read_latency_cycles),
          known(info.write_latency_cycles)};
}

/// Makes the planning problem from the liveness's allocations with candidates.
class ProblemMaker {
 public:
  ProblemMaker(MemoryProblem& made, const PlanMemoryOptions& options, Diagnostics& diagnostics)
      : made_(made), options_(options), diagnostics_(diagnostics) {}

  void Make(const absl::flat_hash_map<const Var*, AccessCount>& accesses) {
    LayOut();
    buffers_of_.resize(layout_.blocks.size());
    for (size_t i = 0; i < made_.liveness.allocations.size(); ++i) {
      if (!IsPooled(i)) continue;
      CheckSection(made_.liveness.allocations[i]);
      const std::optional<MemoryProblem::Place> place = Place(i);
      if (!place) continue;
      made_.places.push_back(*place);
      const auto found = accesses.find(made_.liveness.allocations[i].var);
      if (found == accesses.end()) continue;
      planner::Buffer& buffer = made_.problem.buffers[place->buffer];
      const auto add = [](int64_t& sum, int64_t bytes) {
        if (__builtin_add_overflow(sum, bytes, &sum)) sum = INT64_MAX;
      };
      add(buffer.bytes_read, found->second.bytes_read);
      add(buffer.bytes_written, found->second.bytes_written);
    }
  }

 private:
  bool IsPooled(size_t index) const {
    const Allocation& allocation = made_.liveness.allocations[index];
    return allocation.unplanned == Unplanned::kPlanned &&
           !ReadPoolElsewhere(allocation.annotations) &&
           (!ReadCandidates(allocation.annotations).empty() ||
            ReadLoadPool(allocation.annotations));
  }

  /// Reports pools that would store a constant outside of its section.
  void CheckSection(const Allocation& allocation) {
    if (allocation.data == nullptr) return;
    for (const PoolInfo& pool : ReadCandidates(allocation.annotations)) {
      const std::string error = SectionError(*allocation.data, allocation.name, pool);
      if (!error.empty()) diagnostics_.Error(DiagnosticKind::kPass, allocation.stmt->range, error);
    }
  }

  /// The pools that may contain the allocation while the model runs.
  static std::vector<PoolInfo> RunPools(const Allocation& allocation) {
    if (std::optional<PoolInfo> pool = ReadLoadPool(allocation.annotations)) return {*pool};
    return ReadCandidates(allocation.annotations);
  }

  /// Finds the constants that share bytes: those with the same candidates. TVM's layout keeps all
  /// constants separate.
  void LayOut() {
    if (planner::IsTvmAlgorithm(options_.algorithm) || options_.constants == "tvm") return;
    absl::flat_hash_map<std::string, size_t> groups;
    absl::flat_hash_map<const Constant*, size_t> loaded;
    std::vector<ConstantUse> uses;
    for (size_t i = 0; i < made_.liveness.allocations.size(); ++i) {
      const Allocation& allocation = made_.liveness.allocations[i];
      if (!allocation.is_constant || allocation.data == nullptr || !IsPooled(i)) continue;
      if (allocation.size_bytes != allocation.data->size_bytes()) continue;
      std::string candidates;
      for (const PoolInfo& pool : RunPools(allocation)) {
        candidates += pool.name;
        candidates += '\0';
      }
      // A loaded constant is loaded as a whole, and shares bytes only with itself.
      if (ReadLoadPool(allocation.annotations)) {
        candidates += fmt::format("load {}",
                                  loaded.try_emplace(allocation.data, loaded.size()).first->second);
      }
      const size_t group = groups.try_emplace(candidates, groups.size()).first->second;
      use_of_[i] = uses.size();
      pooled_constants_.push_back(i);
      uses.push_back(
          {allocation.data, AlignmentOf(*allocation.data, options_.constant_alignment), group});
    }
    layout_ = LayOutConstants(uses);
  }

  /// The index of the pool in the problem, which is added if it is new; -1 after an error.
  int32_t PoolIndex(const Allocation& allocation, PoolInfo info) {
    const auto [at, is_new] =
        index_.try_emplace(info.name, static_cast<int32_t>(made_.problem.pools.size()));
    const int32_t index = at->second;
    if (index < 0) return -1;  // already refused
    if (!is_new) {
      TENON_CHECK(static_cast<size_t>(index) < known_.size());
      const Known& known = known_[static_cast<size_t>(index)];
      if (SamePool(info, known.info)) return index;
      Diagnostic& error = diagnostics_.Error(
          DiagnosticKind::kPass, allocation.stmt->range,
          fmt::format("the candidate pool {} differs from an earlier one of that name, {}",
                      Describe(info), Describe(known.info)));
      Diagnostics::AddNote(error, known.range, "seen here");
      return -1;
    }
    if (!IsPowerOfTwo(info.alignment) || info.alignment > kMostPoolAlignment ||
        info.base_address < 0) {
      diagnostics_.Error(DiagnosticKind::kPass, allocation.stmt->range,
                         fmt::format("the candidate pool `{}` has the alignment {} and the base "
                                     "address {}, expected a power of two up to 2^28 and an "
                                     "address of 0 or more",
                                     info.name, info.alignment, info.base_address));
      at->second = -1;
      return -1;
    }
    planner::Pool& pool = made_.problem.pools.emplace_back();
    pool.name = info.name;
    pool.capacity = info.size_hint_bytes < 0 ? planner::kUnlimited : info.size_hint_bytes;
    pool.kind = info.is_constant ? planner::PoolKind::kReadOnly : planner::PoolKind::kReadWrite;
    pool.alignment = info.alignment;
    // No alignment is larger, so the rest of the address does not matter.
    pool.base_offset = info.base_address % planner::kMaxAlignment;
    pool.cost = CostOf(info.cost);
    made_.pool_attrs.push_back(info.attr);
    known_.push_back({std::move(info), allocation.stmt->range});
    return index;
  }

  static std::string Describe(const PoolInfo& info) {
    return fmt::format("`{}` ({}, {}, alignment {})", info.name,
                       info.is_constant ? "read-only" : "read-write",
                       info.size_hint_bytes < 0 ? std::string("no limit")
                                                : fmt::format("{} bytes", info.size_hint_bytes),
                       info.alignment);
  }

  /// The buffer that contains an allocation, created if necessary; nullopt after an error.
  std::optional<MemoryProblem::Place> Place(size_t index) {
    MemoryProblem::Place own{index, made_.problem.buffers.size(), 0, {}};
    const auto use = use_of_.find(index);
    if (use == use_of_.end()) {
      if (!AddBuffer(index, nullptr) || !AddStored(index, own.stored)) return std::nullopt;
      return own;
    }
    TENON_CHECK(use->second < layout_.places.size());
    const ConstantLayout::Place& place = layout_.places[use->second];
    TENON_CHECK(place.block < layout_.blocks.size() && place.block < buffers_of_.size());
    const ConstantBlock& block = layout_.blocks[place.block];
    BlockBuffers& buffers = buffers_of_[place.block];
    if (buffers.data == SIZE_MAX) {
      TENON_CHECK(block.largest_use < pooled_constants_.size());
      const size_t largest = pooled_constants_[block.largest_use];
      if (!AddBuffer(largest, &block) || !AddStored(largest, buffers.stored)) return std::nullopt;
      buffers.data = own.buffer;
    }
    if (!PoolsOf(index)) return std::nullopt;
    return MemoryProblem::Place{index, buffers.data, place.offset, buffers.stored};
  }

  /// Adds the buffer for the stored bytes of a loaded constant, if there are pools for them. False
  /// after an error.
  bool AddStored(size_t index, std::optional<size_t>& stored) {
    const Allocation& allocation = made_.liveness.allocations[index];
    if (!ReadLoadPool(allocation.annotations) || allocation.data == nullptr) return true;
    const absl::StatusOr<std::span<const uint8_t>> bytes = allocation.data->StoredBytes();
    if (!bytes.ok()) {
      diagnostics_.Error(DiagnosticKind::kPass, allocation.stmt->range,
                         fmt::format("constant `{}` cannot be loaded: {}", allocation.name,
                                     std::string(bytes.status().message())));
      return false;
    }
    planner::Buffer buffer;
    buffer.name = allocation.name + "_stored";
    buffer.size = static_cast<int64_t>(bytes->size());
    buffer.alignment = AlignmentOf(*allocation.data, options_.constant_alignment);
    buffer.kind = planner::BufferKind::kConstant;
    buffer.lifetimes.push_back({0, std::max<int64_t>(made_.liveness.ticks, 1)});
    for (PoolInfo& candidate : ReadCandidates(allocation.annotations)) {
      const int32_t pool = PoolIndex(allocation, std::move(candidate));
      if (pool < 0) return false;
      buffer.pools.push_back(pool);
    }
    if (buffer.pools.empty()) return true;
    stored = made_.problem.buffers.size();
    made_.problem.buffers.push_back(std::move(buffer));
    made_.allocation_of.push_back(index);
    return true;
  }

  /// The problem's candidate pools of an allocation; nullopt after an error.
  std::optional<std::vector<int32_t>> PoolsOf(size_t index) {
    const Allocation& allocation = made_.liveness.allocations[index];
    std::vector<int32_t> pools;
    for (PoolInfo& candidate : RunPools(allocation)) {
      const int32_t pool = PoolIndex(allocation, std::move(candidate));
      if (pool < 0) return std::nullopt;
      pools.push_back(pool);
    }
    return pools;
  }

  /// Adds the buffer of an allocation, or of the block of constants whose largest member it is.
  bool AddBuffer(size_t index, const ConstantBlock* block) {
    const Allocation& allocation = made_.liveness.allocations[index];
    if (allocation.data != nullptr && !allocation.data->placement().load.empty() &&
        !ReadLoadPool(allocation.annotations)) {
      diagnostics_.Error(DiagnosticKind::kPass, allocation.stmt->range,
                         fmt::format("constant `{}` must be loaded into `{}`, but has not been "
                                     "given that pool: run assign-pool-info",
                                     allocation.name, allocation.data->placement().load));
      return false;
    }
    planner::Buffer buffer;
    buffer.name = allocation.name;
    buffer.size = allocation.size_bytes;
    buffer.alignment =
        allocation.is_constant ? options_.constant_alignment : options_.workspace_alignment;
    if (allocation.is_constant) {
      buffer.kind = planner::BufferKind::kConstant;
      if (allocation.data != nullptr) {
        buffer.alignment = std::max(buffer.alignment, allocation.data->placement().alignment);
      }
    }
    if (block != nullptr) {
      buffer.size = block->size_bytes();
      buffer.alignment = block->alignment;
    }
    TENON_CHECK(index < made_.liveness.ranges.size());
    for (const LiveRange& range : made_.liveness.ranges[index])
      buffer.lifetimes.push_back({range.lower, range.upper});
    std::optional<std::vector<int32_t>> pools = PoolsOf(index);
    if (!pools) return false;
    buffer.pools.assign(pools->begin(), pools->end());
    made_.problem.buffers.push_back(std::move(buffer));
    made_.allocation_of.push_back(index);
    return true;
  }

  struct Known {
    PoolInfo info;
    SourceRange range;
  };
  MemoryProblem& made_;
  const PlanMemoryOptions& options_;
  Diagnostics& diagnostics_;
  absl::flat_hash_map<std::string, int32_t> index_;
  std::vector<Known> known_;
  /// The constants in pools: their allocations, their numbers as uses of the layout, and the
  /// layout.
  std::vector<size_t> pooled_constants_;
  absl::flat_hash_map<size_t, size_t> use_of_;
  ConstantLayout layout_;
  /// The buffers of each block, once they are created.
  struct BlockBuffers {
    size_t data = SIZE_MAX;
    std::optional<size_t> stored;
  };
  std::vector<BlockBuffers> buffers_of_;
};

/// The conflict lists for TVM's algorithms.
absl::Status AddTvmConflicts(MemoryProblem& made) {
  absl::flat_hash_map<size_t, int32_t> buffer_of;
  for (size_t i = 0; i < made.allocation_of.size(); ++i) {
    buffer_of.emplace(made.allocation_of[i], static_cast<int32_t>(i));
  }
  std::vector<planner::ClosedInterval> intervals;
  for (const TvmLiveInterval& interval : made.liveness.tvm_intervals) {
    const auto found = buffer_of.find(static_cast<size_t>(interval.index));
    if (found != buffer_of.end())
      intervals.push_back({found->second, interval.first, interval.last});
  }
  absl::StatusOr<planner::TvmLiveness> tvm =
      planner::DeriveTvmConflicts(made.problem.buffers, intervals);
  if (!tvm.ok()) return tvm.status();
  made.problem.conflicts = std::move(tvm->conflicts);
  made.problem.memory_pressure = tvm->memory_pressure;
  return absl::OkStatus();
}

/// Writes placements into annotations.
class Placer : public Rewriter<Placer> {
 public:
  struct Placed {
    std::string pool;
    int64_t offset = 0;
    /// The pool of a loaded constant's stored bytes; empty if they are in no pool.
    std::string stored_pool;
    int64_t stored_offset = 0;
  };
  using Placements = absl::flat_hash_map<const Var*, Placed>;

  Placer(Context& context, std::shared_ptr<Storage> storage, const Placements& placements)
      : Rewriter(context, std::move(storage)), placements_(placements) {}

  const Stmt* RewriteAllocate(const Allocate* allocate) { return Place(allocate); }
  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) { return Place(allocate); }

 private:
  template <class T>
  const Stmt* Place(const T* allocate) {
    const T* now = RewriteChildren(allocate);
    const auto found = placements_.find(allocate->buffer_var);
    if (found == placements_.end()) return now;
    const Placed& placed = found->second;
    T copy = *now;
    copy.annotations =
        builder().With(now->annotations, attr_key::kPlacement, Note(placed.pool, placed.offset));
    if (!placed.stored_pool.empty()) {
      copy.annotations = builder().With(copy.annotations, attr_key::kStoredPlacement,
                                        Note(placed.stored_pool, placed.stored_offset));
    }
    return arena().template New<T>(copy);
  }

  const Attr* Note(const std::string& pool, int64_t offset) {
    const Attr* note[] = {builder().StringValue(pool),
                          builder().ExprValue(builder().Int(DataType::Int(64), offset))};
    return builder().Array(note);
  }

  const Placements& placements_;
};

/// The alignment of each pool's storage: the largest of its own alignment and its buffers'
/// alignments.
std::vector<int64_t> AlignmentsOf(const planner::Problem& problem, const planner::Plan& plan) {
  TENON_CHECK(plan.placements.size() == problem.buffers.size());
  std::vector<int64_t> alignments;
  for (const planner::Pool& pool : problem.pools) alignments.push_back(pool.alignment);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    TENON_CHECK(plan.placements[i].pool >= 0);
    int64_t& alignment = alignments[static_cast<size_t>(plan.placements[i].pool)];
    alignment = std::max(alignment, problem.buffers[i].alignment);
  }
  return alignments;
}

/// More notes would hide the error that they explain.
constexpr size_t kMostNotes = 16;

/// The name of the function that the outermost call at `tick` runs, or empty. It stands for the
/// place in modules that were not read from text: an operator of the model.
std::string_view CalledAt(const Liveness& liveness, int64_t tick) {
  const CallSpan* outermost = nullptr;
  for (const CallSpan& call : liveness.calls) {
    if (call.lower > tick || tick >= call.upper) continue;
    if (outermost == nullptr || call.lower < outermost->lower) outermost = &call;
  }
  return outermost == nullptr ? std::string_view() : outermost->callee.view();
}

/// "`t22` has 8000 bytes, in `main`", and the function that uses it first if the text has no place.
std::string NoteOf(const MemoryProblem& made, int32_t buffer) {
  const size_t index = made.allocation_of[static_cast<size_t>(buffer)];
  const Allocation& held = made.liveness.allocations[index];
  const planner::Buffer& planned = made.problem.buffers[static_cast<size_t>(buffer)];
  std::string text =
      fmt::format("`{}` has {} bytes, in `{}`", planned.name, planned.size, held.function.view());
  const std::vector<int64_t>& uses = made.liveness.uses[index];
  if (held.stmt->range.valid() || uses.empty()) return text;
  const std::string_view first = CalledAt(made.liveness, uses.front());
  const std::string_view last = CalledAt(made.liveness, uses.back());
  if (!first.empty()) text += fmt::format(", from `{}`", first);
  if (!first.empty() && !last.empty() && last != first) text += fmt::format(" to `{}`", last);
  return text;
}

/// If the problem does not fit, reports why at the place of the peak, and shows the live
/// allocations there.
void Report(const IRModule& module, const MemoryProblem& made, const planner::Misfit& misfit,
            const absl::Status& status, Diagnostics& diagnostics) {
  if (!planner::IsProvenInfeasible(status) && !absl::IsNotFound(status)) return;
  const auto allocation = [&](int32_t buffer) -> const Allocation& {
    TENON_CHECK(buffer >= 0 && static_cast<size_t>(buffer) < made.allocation_of.size());
    return made.liveness.allocations[made.allocation_of[static_cast<size_t>(buffer)]];
  };
  std::vector<int32_t> live = misfit.bound.live;
  std::stable_sort(live.begin(), live.end(), [&](int32_t a, int32_t b) {
    const auto size = [&](int32_t buffer) {
      return made.problem.buffers[static_cast<size_t>(buffer)].size;
    };
    return size(a) > size(b);
  });
  SourceRange range;
  if (misfit.buffer) range = allocation(*misfit.buffer).stmt->range;
  if (!live.empty()) range = allocation(live[0]).stmt->range;
  const std::vector<const Stmt*>& ticks = made.liveness.tick_stmts;
  if (const std::optional<int64_t> time = misfit.bound.time;
      time && *time >= 0 && static_cast<size_t>(*time) < ticks.size() &&
      ticks[static_cast<size_t>(*time)] != nullptr) {
    range = ticks[static_cast<size_t>(*time)]->range;
  }
  // Statements that passes made have no place.
  for (size_t i = 0; i < live.size() && !range.valid(); ++i)
    range = allocation(live[i]).stmt->range;
  if (!range.valid() && module.Main() != nullptr) range = module.Main()->func->range;
  Diagnostic& error =
      diagnostics.Error(DiagnosticKind::kPass, range, std::string(status.message()));
  for (size_t i = 0; i < live.size() && i < kMostNotes; ++i) {
    const Allocation& held = allocation(live[i]);
    Diagnostics::AddNote(error, held.stmt->range, NoteOf(made, live[i]));
  }
  if (live.size() > kMostNotes)
    Diagnostics::AddNote(error, {}, fmt::format("and {} more", live.size() - kMostNotes));
}

/// The buffers outside their best pools, with names of pools.
PlannedSpill SpillIn(const planner::Problem& problem, const planner::Plan& plan) {
  const planner::Spill spill = planner::SpillOf(problem, plan);
  PlannedSpill planned{
      {}, spill.bound_bytes, plan.cost.is_least, planner::CostGapMillionths(plan.cost)};
  const auto name = [&](int32_t pool) { return problem.pools[static_cast<size_t>(pool)].name; };
  for (const planner::Spill::Move& move : spill.moves)
    planned.moves.push_back({name(move.from), name(move.to), move.buffers, move.bytes});
  return planned;
}

const MapAttr* PlanAttr(NodeBuilder& builder, const MemoryProblem& made,
                        const planner::Plan& plan) {
  const auto integer = [&](int64_t value) { return builder.New<IntAttr>({}, value); };
  TENON_CHECK(plan.pools.size() == made.problem.pools.size());
  const std::vector<int64_t> alignments = AlignmentsOf(made.problem, plan);
  const MapAttr* pools = builder.Map({});
  for (size_t i = 0; i < made.problem.pools.size(); ++i) {
    const planner::PoolPlan& pool = plan.pools[i];
    const MapAttr* entry = builder.Map(
        {{"alignment", integer(alignments[i])},
         {"lower_bound_bytes", integer(pool.lower_bound.bytes)},
         {"proven_optimal", builder.New<BoolAttr>({}, planner::IsProven(pool, plan.cost))},
         {"size_bytes", integer(pool.size)}});
    pools = builder.With(pools, made.problem.pools[i].name, entry);
  }
  const MapAttr* attr =
      builder.Map({{"algorithm", builder.StringValue(plan.algorithm)}, {"pools", pools}});
  const PlannedSpill spill = SpillIn(made.problem, plan);
  return spill.moves.empty() ? attr : builder.With(attr, kSpillKey, SpillAttr(builder, spill));
}

/// The members of a pool's cost in TVM's text and in files of pools.
constexpr planner::CostNames kCostMembers = {"clock_frequency_hz", "read_bandwidth_bytes_per_cycle",
                                             "write_bandwidth_bytes_per_cycle"};

/// The limits of a search. With distances, each try looks at all pairs with distances, so fewer
/// tries are allowed.
planner::PlanOptions LimitsFor(const planner::Problem& problem) {
  constexpr int64_t kTriesWithDistances = 100'000;
  const bool has_distances =
      std::any_of(problem.relations.begin(), problem.relations.end(), [](const auto& relation) {
        return relation.kind == planner::RelationKind::kOffsetDifference;
      });
  planner::PlanOptions limits;
  if (has_distances) limits.node_limit = kTriesWithDistances;
  return limits;
}

/// Replaces the plan by one that keeps the arguments of functions apart from their other memory, if
/// such a plan takes no more bytes. Only then do the pointers stay `restrict`.
void KeepApart(const IRModule& module, const MemoryProblem& made, const PlanMemoryOptions& options,
               planner::Plan& plan) {
  std::vector<planner::Relation> relations = ApartRelations(module, made, plan);
  if (relations.empty()) return;
  planner::Problem problem = made.problem;
  problem.relations.insert(problem.relations.end(), relations.begin(), relations.end());
  absl::StatusOr<planner::Plan> apart =
      planner::PlanMemory(problem, options.algorithm, LimitsFor(problem));
  if (!apart.ok() || apart->cost.picoseconds > plan.cost.picoseconds ||
      apart->cost.spilled > plan.cost.spilled)
    return;
  for (size_t i = 0; i < plan.pools.size(); ++i) {
    if (apart->pools[i].size > plan.pools[i].size) return;
    // A bound of the problem with fewer relations also holds here, and the plan is judged by it.
    apart->pools[i].lower_bound = plan.pools[i].lower_bound;
  }
  apart->cost.is_least = plan.cost.is_least;
  apart->cost.bound_picoseconds = plan.cost.bound_picoseconds;
  apart->cost.bound_spilled = plan.cost.bound_spilled;
  apart->proven_optimal = plan.proven_optimal;
  plan = *std::move(apart);
}

}  // namespace

absl::StatusOr<MemoryProblem> MakeMemoryProblem(const IRModule& module,
                                                const PlanMemoryOptions& options,
                                                Diagnostics& diagnostics) {
  const Function* entry = module.Main();
  if (entry == nullptr) {
    return absl::FailedPreconditionError(
        "the module has no entry function: expected `__tvm_main__`, `main` or a single function");
  }
  std::optional<Liveness> liveness = ComputeLiveness(module, *entry, diagnostics);
  if (!liveness) return absl::FailedPreconditionError("liveness could not be computed");
  MemoryProblem made;
  made.liveness = *std::move(liveness);
  const size_t errors = diagnostics.error_count();
  ProblemMaker(made, options, diagnostics).Make(CountAccesses(module, *entry));
  if (diagnostics.error_count() != errors) return absl::FailedPreconditionError("a pool is wrong");
  TENON_CHECK(made.allocation_of.size() == made.problem.buffers.size());
  if (planner::IsTvmAlgorithm(options.algorithm)) {
    // TVM's algorithms do not support relations.
    if (absl::Status status = AddTvmConflicts(made); !status.ok()) return status;
    return made;
  }
  AddInPlaceRelations(module, made);
  const std::optional<OverlapMode> overlap = ParseOverlapMode(options.overlap);
  if (!overlap)
    return absl::InvalidArgumentError(
        fmt::format("overlap {}, expected off, in-place or on", options.overlap));
  AddOverlapRelations(module, *overlap, made);
  return made;
}

absl::StatusOr<IRModule> PlanMemory(const IRModule& module, const PlanMemoryOptions& options,
                                    PassContext& context) {
  for (const int64_t alignment : {options.workspace_alignment, options.constant_alignment}) {
    if (IsPowerOfTwo(alignment) && alignment <= kMostPoolAlignment) continue;
    return absl::InvalidArgumentError(fmt::format(
        "alignment {}, expected a power of two of at most {}", alignment, kMostPoolAlignment));
  }
  if (!IsConstantOrder(options.constants)) {
    return absl::InvalidArgumentError(fmt::format(
        "constants in the order {}, expected packed, first_use or tvm", options.constants));
  }
  absl::StatusOr<MemoryProblem> made = MakeMemoryProblem(module, options, context.diagnostics);
  if (!made.ok()) return made.status();
  planner::PlanOptions planning = LimitsFor(made->problem);
  planner::Misfit misfit;
  planning.misfit = &misfit;
  absl::StatusOr<planner::Plan> plan =
      planner::PlanMemory(made->problem, options.algorithm, planning);
  if (!plan.ok()) {
    Report(module, *made, misfit, plan.status(), context.diagnostics);
    return plan.status();
  }
  if (made->problem.buffers.empty()) return module;
  if (std::string note = planner::UnknownCostsNote(made->problem, kCostMembers); !note.empty())
    context.diagnostics.Note(DiagnosticKind::kPass, {}, std::move(note));
  if (!planner::IsTvmAlgorithm(options.algorithm)) KeepApart(module, *made, options, *plan);
  // TVM's algorithms choose their own order of constants.
  if (!planner::IsTvmAlgorithm(options.algorithm))
    TENON_TRY(OrderConstants(made->problem, options.constants, *plan));

  Placer::Placements placements;
  for (const MemoryProblem::Place& place : made->places) {
    TENON_CHECK(place.buffer < plan->placements.size());
    const planner::Placement& placement = plan->placements[place.buffer];
    const auto pool = [&](const planner::Placement& in) {
      return made->problem.pools[static_cast<size_t>(in.pool)].name;
    };
    Placer::Placed& placed = placements[made->liveness.allocations[place.allocation].var];
    placed = {pool(placement), placement.offset + place.offset, {}, 0};
    if (!place.stored) continue;
    placed.stored_pool = pool(plan->placements[*place.stored]);
    placed.stored_offset = plan->placements[*place.stored].offset;
  }
  IRModule result = ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<Placer>(module.context(), function, placements);
  });
  NoteOverlaps(*made, *plan, result);
  auto storage = std::make_shared<Storage>();
  NodeBuilder builder(module.context(), storage->arena());
  const MapAttr* plan_attr = PlanAttr(builder, *made, *plan);
  const std::vector<OverlapRecord> records = OverlapRecordsOf(module, *made, *plan);
  if (!records.empty())
    plan_attr = builder.With(plan_attr, "overlaps", OverlapRecordsAttr(builder, records));
  result.SetAttrs(builder.With(module.attrs(), attr_key::kMemoryPlan, plan_attr), storage);
  for (size_t i = 0; i < plan->pools.size(); ++i) {
    context.Count(fmt::format("plan-memory.{}.bytes", made->problem.pools[i].name),
                  plan->pools[i].size);
  }
  return result;
}

}  // namespace tenon
