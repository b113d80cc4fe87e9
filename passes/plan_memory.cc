#include "passes/plan_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "ir/memory_pools.h"
#include "ir/rewriter.h"
#include "planner/tvm_liveness.h"
#include "support/checked.h"

namespace tenon {

namespace {

bool IsTvmAlgorithm(std::string_view name) {
  return name == "greedy_by_size" || name == "greedy_by_conflicts" || name == "hill_climb";
}

/// Index of the pool in the problem, added when it is new.
int32_t PoolIndex(MemoryProblem& made, const PoolInfo& info) {
  std::vector<planner::Pool>& pools = made.problem.pools;
  for (size_t i = 0; i < pools.size(); ++i) {
    if (pools[i].name == info.name) return static_cast<int32_t>(i);
  }
  planner::Pool& pool = pools.emplace_back();
  pool.name = info.name;
  pool.capacity = info.size_hint_bytes < 0 ? planner::kUnlimited : info.size_hint_bytes;
  pool.kind = info.is_constant ? planner::PoolKind::kReadOnly : planner::PoolKind::kReadWrite;
  made.pool_attrs.push_back(info.attr);
  return static_cast<int32_t>(pools.size()) - 1;
}

void AddBuffer(MemoryProblem& made, size_t index, const PlanMemoryOptions& options) {
  const Allocation& allocation = made.liveness.allocations[index];
  const std::vector<PoolInfo> candidates = ReadCandidates(allocation.annotations);
  if (allocation.unplanned != Unplanned::kPlanned || candidates.empty()) return;
  planner::Buffer buffer;
  buffer.name = allocation.name;
  buffer.size = allocation.size_bytes;
  buffer.alignment =
      allocation.is_constant ? options.constant_alignment : options.workspace_alignment;
  if (allocation.is_constant) {
    buffer.kind = planner::BufferKind::kConstant;
    if (allocation.data != nullptr) {
      buffer.alignment = std::max(buffer.alignment, allocation.data->placement().alignment);
    }
  }
  for (const LiveRange& range : made.liveness.ranges[index])
    buffer.lifetimes.push_back({range.lower, range.upper});
  for (const PoolInfo& candidate : candidates) buffer.pools.push_back(PoolIndex(made, candidate));
  made.problem.buffers.push_back(std::move(buffer));
  made.allocation_of.push_back(index);
}

/// The conflict lists that TVM's algorithms go by.
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
  using Placements = absl::flat_hash_map<const Var*, std::pair<std::string, int64_t>>;

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
    const Attr* note[] = {
        builder().StringValue(found->second.first),
        builder().ExprValue(builder().Int(DataType::Int(64), found->second.second))};
    T copy = *now;
    copy.annotations = builder().With(now->annotations, kPlacementKey, builder().Array(note));
    return arena().template New<T>(copy);
  }

  const Placements& placements_;
};

const Attr* PlanAttr(NodeBuilder& builder, const MemoryProblem& made, const planner::Plan& plan) {
  const auto integer = [&](int64_t value) { return builder.New<IntAttr>({}, value); };
  const MapAttr* pools = builder.Map({});
  for (size_t i = 0; i < made.problem.pools.size(); ++i) {
    const planner::PoolPlan& pool = plan.pools[i];
    const MapAttr* entry = builder.Map(
        {{"lower_bound_bytes", integer(pool.lower_bound.bytes)},
         {"proven_optimal", builder.New<BoolAttr>({}, pool.size == pool.lower_bound.bytes)},
         {"size_bytes", integer(pool.size)}});
    pools = builder.With(pools, made.problem.pools[i].name, entry);
  }
  return builder.Map({{"algorithm", builder.StringValue(plan.algorithm)}, {"pools", pools}});
}

}  // namespace

absl::StatusOr<MemoryProblem> MakeMemoryProblem(const IRModule& module,
                                                const PlanMemoryOptions& options,
                                                Diagnostics& diagnostics) {
  const Function* entry = module.Main();
  if (entry == nullptr) {
    return absl::FailedPreconditionError(
        "the module has no entry function (`__tvm_main__`, `main` or the only one)");
  }
  std::optional<Liveness> liveness = ComputeLiveness(module, *entry, diagnostics);
  if (!liveness) return absl::FailedPreconditionError("liveness could not be computed");
  MemoryProblem made;
  made.liveness = *std::move(liveness);
  for (size_t i = 0; i < made.liveness.allocations.size(); ++i) AddBuffer(made, i, options);
  if (IsTvmAlgorithm(options.algorithm)) {
    if (absl::Status status = AddTvmConflicts(made); !status.ok()) return status;
  }
  return made;
}

absl::StatusOr<IRModule> PlanMemory(const IRModule& module, const PlanMemoryOptions& options,
                                    PassContext& context) {
  for (const int64_t alignment : {options.workspace_alignment, options.constant_alignment}) {
    if (IsPowerOfTwo(alignment) && alignment <= (int64_t{1} << 30)) continue;
    return absl::InvalidArgumentError(
        fmt::format("alignment {}, expected a power of two of at most 2^30", alignment));
  }
  absl::StatusOr<MemoryProblem> made = MakeMemoryProblem(module, options, context.diagnostics);
  if (!made.ok()) return made.status();
  absl::StatusOr<planner::Plan> plan = planner::PlanMemory(made->problem, options.algorithm);
  if (!plan.ok()) return plan.status();
  if (made->problem.buffers.empty()) return module;

  Placer::Placements placements;
  for (size_t i = 0; i < made->problem.buffers.size(); ++i) {
    const planner::Placement& placement = plan->placements[i];
    const std::string& pool = made->problem.pools[static_cast<size_t>(placement.pool)].name;
    placements[made->liveness.allocations[made->allocation_of[i]].var] = {pool, placement.offset};
  }
  IRModule result = ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<Placer>(module.context(), function, placements);
  });
  auto storage = std::make_shared<Storage>();
  NodeBuilder builder(module.context(), storage->arena());
  result.SetAttrs(builder.With(module.attrs(), kPlanKey, PlanAttr(builder, *made, *plan)), storage);
  for (size_t i = 0; i < plan->pools.size(); ++i) {
    context.Count(fmt::format("plan-memory.{}.bytes", made->problem.pools[i].name),
                  plan->pools[i].size);
  }
  return result;
}

}  // namespace tenon
