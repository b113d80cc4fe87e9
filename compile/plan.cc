#include "compile/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "compile/memory_figures.h"
#include "interp/interpreter_evaluator.h"
#include "ir/analysis/call_graph.h"
#include "ir/attributes.h"
#include "ir/memory_pools.h"
#include "ir/storage_defaults.h"
#include "ir/structural.h"
#include "ir/visitor.h"
#include "passes/cleanup/remove_no_op.h"
#include "passes/constants/lower_linked_params.h"
#include "passes/constants/merge_constants.h"
#include "passes/fusion/forward_producers.h"
#include "passes/loops/dot_products.h"
#include "passes/loops/dot_schedule.h"
#include "passes/loops/localize_buffers.h"
#include "passes/loops/requantize_words.h"
#include "passes/loops/sums_in_lanes.h"
#include "passes/lowering/convert_for_loops_to_serial.h"
#include "passes/lowering/lower_packed_calls.h"
#include "passes/lowering/lower_vectors.h"
#include "passes/memory/assign_pool_info.h"
#include "passes/memory/convert_pool_allocations_to_offsets.h"
#include "passes/memory/create_io_allocates.h"
#include "passes/memory/debug_tensors.h"
#include "passes/memory/limit_stack.h"
#include "passes/memory/place_parallel_scratch.h"
#include "passes/memory/plan_memory.h"
#include "passes/memory/reverse_loops.h"
#include "passes/memory/verify_plan.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/streaming/make_row_feed.h"

namespace tenon {

namespace {

std::optional<IRModule> Run(const IRModule& module, const Pipeline& pipeline,
                            const CompileOptions& options, Diagnostics& diagnostics) {
  RunOptions run = options.run;
  const InterpreterEvaluator evaluator;
  if (run.evaluator == nullptr) run.evaluator = &evaluator;
  return RunPipeline(module, pipeline, run, diagnostics);
}

bool KnownPlanner(const CompileOptions& options, Diagnostics& diagnostics) {
  if (planner::Traits(options.planner) != nullptr) return true;
  diagnostics.Error(DiagnosticKind::kPass, {},
                    fmt::format("unknown planner `{}`, expected one of {}", options.planner,
                                fmt::join(planner::AlgorithmNames(), ", ")));
  return false;
}

/// TVM's layout of constants stores every use separately.
bool WantsTvmLayout(const CompileOptions& options) {
  return options.layout == "tvm" || planner::IsTvmAlgorithm(options.planner);
}

bool WantsLoopPasses(const CompileOptions& options, const PlanTarget& target) {
  if (options.loop_passes != Switch::kAuto) return options.loop_passes == Switch::kOn;
  return target.optimises_loops && !WantsTvmLayout(options);
}

/// True if passes choose the loops that run on threads. Otherwise these are the parallel loops of
/// the text.
bool ChoosesThreads(const CompileOptions& options, const PlanTarget& target) {
  return options.parallel != ParallelLoops::kSerial && WantsLoopPasses(options, target) &&
         !WantsTvmLayout(options);
}

/// The passes see serial loops.
bool HasSerialLoops(const CompileOptions& options, const PlanTarget& target) {
  return options.parallel == ParallelLoops::kSerial || ChoosesThreads(options, target);
}

WorkspaceChoice WorkspaceChoiceFor(CompileOptions options, const PlanTarget& target) {
  if (ChoosesThreads(options, target)) {
    if (options.fuse == Switch::kAuto) options.fuse = Switch::kOn;
    if (options.narrow == Switch::kAuto) options.narrow = Switch::kOn;
  }
  return WorkspaceChoiceOf(options);
}

/// An input whose rows come one after another is nowhere as a whole.
bool MapsInputs(const CompileOptions& options) { return options.map_inputs && !options.feed_rows; }

/// The passes before memory is planned. Small allocations in parallel loops stay out of pools.
Pipeline BeforePlanning(const IRModule& module, const CompileOptions& options,
                        const PlanTarget& target) {
  Pipeline pipeline = LowerForPlanning();
  // Back ends keep the values of such a vector in an array, for which pools have room.
  if (!HasPlannedEntry(module))
    pipeline.Add<&LowerVectors>({.dots = true, .min_bytes = kStackLimit}).Add<&LimitStack>();
  // A plan that came with the module assumes serial loops: iterations share their scratch memory.
  if (HasSerialLoops(options, target) || HasPlannedEntry(module)) {
    pipeline.Add<&ConvertForLoopsToSerial>();
  } else {
    pipeline.Add<&PlaceParallelScratch>({.copies = options.parallel_copies});
  }
  return pipeline.Add<&LowerPackedCalls>();
}

bool WantsDotProducts(const CompileOptions& options, const PlanTarget& target) {
  if (options.dot_products != Switch::kAuto) return options.dot_products == Switch::kOn;
  return target.wants_dots && options.loop_passes != Switch::kOff &&
         HasSerialLoops(options, target) && !WantsTvmLayout(options);
}

bool WantsFasterLoops(const CompileOptions& options, const PlanTarget& target) {
  return WantsLoopPasses(options, target) || WantsDotProducts(options, target);
}

/// Choices of FusionPipeline that a plan decides.
struct FusionTrial {
  bool keeps_moves = false;
  bool streams = false;
  int64_t enough_bytes = 0;
};

/// The passes that make the workspace smaller before the loop passes run.
Pipeline WantedFusion(const CompileOptions& options, const PlanTarget& target,
                      const FusionTrial& trial) {
  const WorkspaceChoice choice = WorkspaceChoiceFor(options, target);
  const bool has_blocks =
      WantsLoopPasses(options, target) && target.facts.machine.register_bytes > 0;
  return FusionPipeline({.fuse = choice.fuse,
                         .narrow = choice.narrow,
                         .lanes = !WantsFasterLoops(options, target),
                         .keeps_moves = trial.keeps_moves,
                         .keeps_pads = has_blocks,
                         .keeps_sums = has_blocks && !WantsDotProducts(options, target),
                         .streams = trial.streams,
                         .streaming = {.enough_bytes = trial.enough_bytes,
                                       .count_inputs = MapsInputs(options),
                                       .count_outputs = options.map_outputs,
                                       .copy_borders = options.stream == Streaming::kAuto,
                                       .feed_rows = options.feed_rows},
                         .fold_operations = options.fold_operations,
                         .replaceable = options.replaceable});
}

/// The passes that make loops faster.
Pipeline WantedLoops(const CompileOptions& options, const PlanTarget& target) {
  Pipeline pipeline;
  const bool has_dots = WantsDotProducts(options, target);
  const Machine& machine = target.facts.machine;
  if (has_dots) {
    pipeline.Add<&DotProducts>(DotBlocksOf(machine, options.code.size != CodeSize::kAny))
        .Add<&RequantizeWords>({.twice = machine.instructions.Has(Combine::kDots16),
                                .replaceable = options.replaceable});
  }
  // C compilers do not keep sums in registers that are in lanes, where the machine has no vectors.
  if (WantsLoopPasses(options, target) || machine.vector_bytes == 0) {
    const bool threads = ChoosesThreads(options, target);
    pipeline.Append(LoopPipeline({.machine = machine,
                                  .threads = threads,
                                  .is_small = options.code.size != CodeSize::kAny,
                                  .fold_operations = options.fold_operations,
                                  .replaceable = options.replaceable}));
    return pipeline;
  }
  // WantedFusion has left this to the loops that are not dot products.
  if (has_dots && WorkspaceChoiceFor(options, target).fuse) pipeline.Add<&SumsInLanes>();
  return pipeline.Add<&LocalizeBuffers>();
}

/// Marks the constants to load into RAM. Without a named pool, the first workspace pool of the
/// options is used.
void AddLoading(Pipeline& pipeline, const CompileOptions& options) {
  const std::string_view pools = options.workspace_pools;
  const std::string first(pools.substr(0, pools.find_first_of(":;")));
  const auto with_pool = [&](auto choice) {
    if (choice.pool.empty()) choice.pool = first;
    return choice;
  };
  if (options.promote) pipeline.Add<&PromoteConstants>(with_pool(*options.promote));
  if (options.compress) pipeline.Add<&CompressConstants>(with_pool(*options.compress));
}

/// Gives allocations their candidate pools, and parallel loops the scratch to plan.
Pipeline PreparingPipeline(const CompileOptions& options) {
  Pipeline pipeline;
  // Storage that nothing reads needs no memory. TVM plans it.
  if (!WantsTvmLayout(options)) pipeline.Add<&RemoveNoOp>();
  // Passes have moved scratch into parallel loops, or chosen the loops.
  if (options.parallel != ParallelLoops::kSerial)
    pipeline.Add<&PlaceParallelScratch>({.copies = options.parallel_copies});
  const std::string level = MergeLevel(options);
  if (level != "off") {
    pipeline.Add<&MergeConstants>({.level = level, .alignment = options.constant_alignment});
  }
  if (options.debug_tensors) pipeline.Add<&DebugTensors>();
  if (MapsInputs(options) || options.map_outputs) {
    pipeline.Add<&CreateIoAllocates>({.inputs = MapsInputs(options),
                                      .outputs = options.map_outputs,
                                      .keep_inputs = options.keep_inputs});
  }
  const AssignPoolInfoOptions pools = {.workspace_pools = options.workspace_pools,
                                       .constant_pools = options.constant_pools,
                                       .pools = options.pools_file,
                                       .external_workspace = options.share_workspace};
  pipeline.Add<&AssignPoolInfo>(pools);
  if (!options.promote && !options.compress) return pipeline;
  AddLoading(pipeline, options);
  // The chosen constants also get their candidates.
  return pipeline.Add<&AssignPoolInfo>(pools);
}

Pipeline PlanningPipeline(const CompileOptions& options) {
  const PlanMemoryOptions planning = PlanningOptions(options);
  Pipeline pipeline;
  if (planning.overlap == "on") {
    pipeline.Add<&ReverseLoops>({.algorithm = planning.algorithm,
                                 .workspace_alignment = planning.workspace_alignment,
                                 .constant_alignment = planning.constant_alignment});
  }
  pipeline.Add<&PlanMemory>(planning);
  if (options.verify_plan) pipeline.Add<&VerifyPlan>();
  return pipeline;
}

/// False, with an error, if the options contradict rows that are fed one after another.
bool CanFeedRows(const IRModule& module, const CompileOptions& options, const PlanTarget& target,
                 Diagnostics& diagnostics) {
  std::string_view why;
  if (!WorkspaceChoiceFor(options, target).fuse) why = "operators are not fused";
  if (HasPlannedEntry(module)) why = "the module is already planned";
  if (!options.feed_rows || why.empty()) return true;
  const SourceRange range = module.Main() != nullptr ? module.Main()->func->range : SourceRange();
  diagnostics.Error(DiagnosticKind::kPass, range, fmt::format("rows cannot be fed: {}", why));
  return false;
}

/// False, with an error, if the options would change the memory of an already planned module.
bool CanStayAsPlanned(const IRModule& module, const CompileOptions& options,
                      Diagnostics& diagnostics) {
  std::string_view why;
  if (options.map_inputs || options.map_outputs)
    why = "its inputs and outputs stay outside of its pools";
  if (options.promote || options.compress) why = "its constants stay where they are";
  if (why.empty()) return true;
  TENON_CHECK(module.Main() != nullptr);
  diagnostics.Error(DiagnosticKind::kPass, module.Main()->func->range,
                    fmt::format("the module is already planned: {}", why));
  return false;
}

/// The module with these pools instead of its own, unless there are none.
IRModule WithPools(const IRModule& module, const std::vector<PoolInfo>& pools) {
  if (pools.empty()) return module;
  auto storage = std::make_shared<Storage>();
  NodeBuilder builder(module.context(), storage->arena());
  std::vector<const Attr*> workspace;
  std::vector<const Attr*> constants;
  for (const PoolInfo& pool : pools)
    (pool.is_constant ? constants : workspace).push_back(MakePoolInfo(builder, pool));
  const auto list = [&](const std::vector<const Attr*>& of) {
    return of.empty() ? nullptr : builder.Array(of);
  };
  const MapAttr* attrs =
      builder.With(module.attrs(), attr_key::kWorkspaceMemoryPools, list(workspace));
  IRModule result = module;
  result.SetAttrs(builder.With(attrs, attr_key::kConstantMemoryPools, list(constants)), storage);
  return result;
}

/// Removes functions that the entry does not reach. They get no code, and have no pools to pass to
/// others.
IRModule ReachedOnly(const IRModule& module) {
  absl::flat_hash_set<Symbol> reached;
  for (const Function* function : ReachedFunctions(module)) reached.insert(function->name);
  IRModule result = module;
  for (const Function& function : module.functions()) {
    if (!reached.contains(function.name)) result.Remove(function.name);
  }
  return result;
}

/// A fused module with faster loops and the pools of its allocations.
std::optional<PreparedModule> PrepareFused(const IRModule& fused, const CompileOptions& options,
                                           const PlanTarget& target, Diagnostics& diagnostics) {
  const std::optional<IRModule> fast =
      WantsFasterLoops(options, target)
          ? Run(fused, WantedLoops(options, target), options, diagnostics)
          : fused;
  if (!fast) return std::nullopt;
  const std::optional<IRModule> assigned =
      Run(*fast, PreparingPipeline(options), options, diagnostics);
  if (!assigned) return std::nullopt;
  return PreparedModule{*assigned, false, {}};
}

/// The workspace of a fused module; nullopt if it cannot be planned, for example for lack of room.
std::optional<int64_t> WorkspaceOf(const IRModule& fused, const CompileOptions& options,
                                   const PlanTarget& target) {
  Diagnostics unheard;
  const std::optional<PreparedModule> prepared = PrepareFused(fused, options, target, unheard);
  if (!prepared) return std::nullopt;
  const std::optional<PlannedModule> planned = PlanPrepared(*prepared, options, unheard);
  if (!planned) return std::nullopt;
  return FiguresOf(std::span(&*planned, 1), false).workspace_bytes;
}

/// Whether the workspace is smaller if values in another order stay (forward-producers): their
/// readers may then overlap them. Plans both ways.
bool KeepsMoves(const IRModule& flat, const CompileOptions& given, const PlanTarget& target) {
  if (given.fuse != Switch::kAuto || !WorkspaceChoiceFor(given, target).fuse || !HasMoves(flat))
    return false;
  const CompileOptions options = OptionsForTrial(given);
  Diagnostics unheard;
  const std::optional<IRModule> fused =
      Run(flat, WantedFusion(options, target, {}), options, unheard);
  const std::optional<IRModule> kept =
      Run(flat, WantedFusion(options, target, {.keeps_moves = true}), options, unheard);
  if (!fused || !kept || StructuralEqual(*fused, *kept)) return false;
  const std::optional<int64_t> less = WorkspaceOf(*kept, options, target);
  if (!less) return false;
  const std::optional<int64_t> bytes = WorkspaceOf(*fused, options, target);
  return !bytes || *less < *bytes;
}

/// The bytes of the workspace pools; nullopt if one has no limit.
std::optional<int64_t> WorkspaceCapacity(const IRModule& fused, const CompileOptions& options,
                                         const PlanTarget& target) {
  Diagnostics unheard;
  const std::optional<PreparedModule> prepared = PrepareFused(fused, options, target, unheard);
  if (!prepared) return std::nullopt;
  std::map<std::string, int64_t> pools;
  for (const Function& function : prepared->module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      const auto* allocate = dyn_cast<Allocate>(node);
      if (allocate == nullptr) return !isa<Expr>(node);
      for (const PoolInfo& pool : ReadCandidates(allocate->annotations))
        pools[pool.name] = pool.size_hint_bytes;
      return true;
    });
  }
  int64_t bytes = 0;
  for (const auto& [name, size] : pools) {
    if (size < 0) return std::nullopt;
    bytes += size;
  }
  return bytes;
}

/// The choice of streamed operators if the workspace is then smaller, and `auto` needs that:
/// pools with limits have no room for it otherwise.
std::optional<FusionTrial> Streamed(const IRModule& flat, const IRModule& fused,
                                    const CompileOptions& given, const PlanTarget& target,
                                    FusionTrial trial) {
  if (!WorkspaceChoiceFor(given, target).fuse) return std::nullopt;
  const CompileOptions options = OptionsForTrial(given);
  trial.streams = true;
  if (given.feed_rows) {
    if (given.stream == Streaming::kAuto)
      trial.enough_bytes = WorkspaceCapacity(fused, options, target).value_or(0);
    return trial;
  }
  if (given.stream == Streaming::kOff) return std::nullopt;
  std::optional<int64_t> least = WorkspaceOf(fused, options, target);
  std::vector<int64_t> wanted = {0};
  if (given.stream == Streaming::kAuto) {
    const std::optional<int64_t> capacity = WorkspaceCapacity(fused, options, target);
    if (capacity && least) return std::nullopt;
    if (capacity) wanted.insert(wanted.begin(), *capacity);
  }
  Diagnostics unheard;
  for (const int64_t enough : wanted) {
    trial.enough_bytes = enough;
    std::optional<IRModule> streamed =
        Run(flat, WantedFusion(options, target, trial), options, unheard);
    if (!streamed || StructuralEqual(*streamed, fused)) continue;
    const std::optional<int64_t> bytes = WorkspaceOf(*streamed, options, target);
    if (bytes && (!least || *bytes < *least)) return trial;
  }
  return std::nullopt;
}

}  // namespace

CompileOptions OptionsForTrial(CompileOptions options) {
  options.verify_plan = false;
  RunOptions quiet;
  quiet.verify_each = false;
  quiet.threads = options.run.threads;
  quiet.updaters = options.run.updaters;
  quiet.generators = options.run.generators;
  quiet.evaluator = options.run.evaluator;
  options.run = quiet;
  return options;
}

bool HasPlannedEntry(const IRModule& module) {
  const Function* entry = module.Main();
  return entry != nullptr && IsPlanned(*entry);
}

std::optional<IRModule> LinkParams(const IRModule& module, const CompileOptions& options,
                                   Diagnostics& diagnostics) {
  return Run(module, Pipeline().Add<&LowerLinkedParams>(), options, diagnostics);
}

WorkspaceChoice WorkspaceChoiceOf(const CompileOptions& options) {
  const bool by_default = options.parallel == ParallelLoops::kSerial && !WantsTvmLayout(options);
  const auto is_on = [&](Switch value) {
    return value == Switch::kAuto ? by_default : value == Switch::kOn;
  };
  // Buffers that a parallel loop accesses never overlap, so that loops on threads forbid nothing.
  const Overlap overlap = WantsTvmLayout(options) ? Overlap::kOff : Overlap::kOn;
  return {.fuse = is_on(options.fuse),
          .narrow = is_on(options.narrow),
          .overlap = options.overlap != Overlap::kAuto ? options.overlap : overlap};
}

PlanMemoryOptions PlanningOptions(const CompileOptions& options) {
  return {.algorithm = options.planner,
          .workspace_alignment = options.workspace_alignment,
          .constant_alignment = options.constant_alignment,
          .constants = options.layout,
          .overlap = std::string(OverlapName(WorkspaceChoiceOf(options).overlap))};
}

std::string MergeLevel(const CompileOptions& options) {
  if (!options.merge_constants.empty()) return options.merge_constants;
  // Constants that are equal now may differ later.
  if (options.replaceable) return "off";
  return WantsTvmLayout(options) ? "off" : "exact";
}

bool NamesPools(const IRModule& module, const CompileOptions& options) {
  return !options.workspace_pools.empty() || !options.constant_pools.empty() ||
         !options.pools_file.empty() || !options.pools.empty() ||
         module.attrs()->Find(attr_key::kWorkspaceMemoryPools) != nullptr ||
         module.attrs()->Find(attr_key::kConstantMemoryPools) != nullptr;
}

CompileOptions WithVectorAlignment(const IRModule& module, CompileOptions options,
                                   const PlanTarget& target) {
  // Constants inside a larger constant begin at its offsets, which cannot be aligned.
  const std::string merging = MergeLevel(options);
  if (!options.align_to_vectors || !WantsLoopPasses(options, target) ||
      NamesPools(module, options) || (merging != "off" && merging != "exact"))
    return options;
  options.workspace_alignment =
      std::max(options.workspace_alignment, target.facts.machine.register_bytes);
  options.constant_alignment =
      std::max(options.constant_alignment, target.facts.machine.register_bytes);
  return options;
}

std::optional<PreparedModule> PrepareModule(const IRModule& module, const CompileOptions& options,
                                            const PlanTarget& target, Diagnostics& diagnostics) {
  if (!KnownPlanner(options, diagnostics)) return std::nullopt;
  const std::optional<IRModule> flat =
      Run(WithPools(module, options.pools), BeforePlanning(module, options, target), options,
          diagnostics);
  if (!flat || !CanFeedRows(*flat, options, target, diagnostics)) return std::nullopt;
  if (HasPlannedEntry(*flat)) {
    if (!CanStayAsPlanned(*flat, options, diagnostics)) return std::nullopt;
    return PreparedModule{*flat, true, {}};
  }
  if (flat->Main() == nullptr) {
    diagnostics.Warning(DiagnosticKind::kPass, {},
                        "the module has no entry function (`__tvm_main__`, `main` or a single "
                        "function): its memory is not planned");
    return PreparedModule{*flat, true, {}};
  }
  const FusionTrial trial = {.keeps_moves = KeepsMoves(*flat, options, target)};
  std::optional<IRModule> fused =
      Run(*flat, WantedFusion(options, target, trial), options, diagnostics);
  if (!fused) return std::nullopt;
  if (const std::optional<FusionTrial> streamed = Streamed(*flat, *fused, options, target, trial)) {
    fused = Run(*flat, WantedFusion(options, target, *streamed), options, diagnostics);
    if (!fused) return std::nullopt;
  }
  std::optional<PreparedModule> prepared = PrepareFused(*fused, options, target, diagnostics);
  if (prepared) prepared->unfused = {module, *flat};
  return prepared;
}

std::optional<PlannedModule> PlanPrepared(const PreparedModule& prepared,
                                          const CompileOptions& options, Diagnostics& diagnostics) {
  const IRModule& module = prepared.module;
  if (prepared.as_given) return PlannedModule{module, module, true, {}};
  const std::optional<IRModule> noted =
      Run(module, PlanningPipeline(options), options, diagnostics);
  if (!noted) return std::nullopt;
  Pipeline places;
  places.Add<&ConvertPoolAllocationsToOffsets>();
  if (options.feed_rows) places.Add<&MakeRowFeed>();
  const std::optional<IRModule> converted = Run(ReachedOnly(*noted), places, options, diagnostics);
  if (!converted) return std::nullopt;
  return PlannedModule{*noted, *converted, false, prepared.unfused};
}

std::optional<PlannedModule> PlanModule(const IRModule& module, const CompileOptions& options,
                                        const PlanTarget& target, Diagnostics& diagnostics) {
  const std::optional<PreparedModule> prepared =
      PrepareModule(module, options, target, diagnostics);
  return prepared ? PlanPrepared(*prepared, options, diagnostics) : std::nullopt;
}

}  // namespace tenon
