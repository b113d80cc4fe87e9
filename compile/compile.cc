#include "compile/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "compile/run/pool_bytes.h"
#include "lowering/image/elf_target.h"
#include "lowering/image/emit_image.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/pipeline.h"
#include "support/check.h"

namespace tenon {

namespace {

/// What has to be gone before memory is planned: allocations in parallel loops stay out of pools.
std::string BeforePlanning(const IRModule& module, const CompileOptions& options) {
  // Iterations share what a plan that came with the module has given to a loop.
  const bool serial = options.parallel == ParallelLoops::kSerial || IsPlanned(module);
  const std::string loops =
      serial ? "convert-for-loops-to-serial"
             : fmt::format("place-parallel-scratch{{copies={}}}", options.parallel_copies);
  return fmt::format("lower-linked-params,{},{},lower-packed-calls{{to=extern}}", kLowerForPlanning,
                     loops);
}

std::optional<IRModule> Run(const IRModule& module, std::string_view text,
                            const CompileOptions& options, Diagnostics& diagnostics) {
  const std::optional<Pipeline> pipeline = ParsePipeline(module.context(), text, diagnostics);
  if (!pipeline) return std::nullopt;
  return RunPipeline(module, *pipeline, options.run, diagnostics);
}

/// A pipeline's text has no way to write a quote.
bool CanBeQuoted(const CompileOptions& options, Diagnostics& diagnostics) {
  for (const std::string* text :
       {&options.workspace_pools, &options.constant_pools, &options.pools_file}) {
    if (text->find('"') == std::string::npos) continue;
    diagnostics.Error(DiagnosticKind::kArguments, {},
                      fmt::format("a quote in `{}`, which may have none", *text));
    return false;
  }
  return true;
}

bool KnownPlanner(const CompileOptions& options, Diagnostics& diagnostics) {
  const std::span<const std::string_view> names = planner::AlgorithmNames();
  if (std::find(names.begin(), names.end(), options.planner) != names.end()) return true;
  diagnostics.Error(DiagnosticKind::kPass, {},
                    fmt::format("no planner is called `{}`; there are {}", options.planner,
                                fmt::join(names, ", ")));
  return false;
}

/// TVM's layout of constants has every use of each.
bool WantsTvmLayout(const CompileOptions& options) {
  const std::string& planner = options.planner;
  return options.layout == "tvm" || planner == "greedy_by_size" ||
         planner == "greedy_by_conflicts" || planner == "hill_climb";
}

bool WantsLoopPasses(const CompileOptions& options) {
  if (options.loop_passes != LoopPasses::kAuto) return options.loop_passes == LoopPasses::kOn;
  return options.llvm_level >= 2 && options.parallel == ParallelLoops::kSerial &&
         !WantsTvmLayout(options);
}

/// Pools may have room for nothing but what they were made for.
bool SaysWhichPools(const IRModule& module, const CompileOptions& options) {
  return !options.workspace_pools.empty() || !options.constant_pools.empty() ||
         !options.pools_file.empty() || module.attrs()->Find("workspace_memory_pools") != nullptr ||
         module.attrs()->Find("constant_memory_pools") != nullptr;
}

std::string Merging(const CompileOptions& options) {
  const std::string level = MergeLevel(options);
  if (level == "off") return "";
  return fmt::format("merge-constants{{level={} alignment={}}},", level,
                     options.constant_alignment);
}

/// What brings constants into RAM, between two assignments of pools: the first says which there
/// are, the second gives theirs to what was chosen.
std::string Loading(const CompileOptions& options, const std::string& assign) {
  std::string passes;
  const std::string_view pools = options.workspace_pools;
  const std::string first(pools.substr(0, pools.find_first_of(":;")));
  const auto add = [&](auto choice) {
    if (choice.pool.empty()) choice.pool = first;
    passes += PipelineOf(choice) + ",";
  };
  if (options.promote) add(*options.promote);
  if (options.compress) add(*options.compress);
  return passes.empty() ? passes : passes + assign;
}

/// What gives allocations their candidate pools.
std::string PreparingPipeline(const CompileOptions& options) {
  std::string assign;
  if (!options.workspace_pools.empty()) {
    assign += fmt::format(" workspace-pools=\"{}\"", options.workspace_pools);
  }
  if (!options.constant_pools.empty()) {
    assign += fmt::format(" constant-pools=\"{}\"", options.constant_pools);
  }
  if (!options.pools_file.empty()) assign += fmt::format(" pools=\"{}\"", options.pools_file);
  if (options.share_workspace) assign += " external-workspace=true";
  std::string mapping;
  if (options.map_inputs || options.map_outputs) {
    mapping = fmt::format("create-io-allocates{{inputs={} outputs={} keep-inputs={}}},",
                          options.map_inputs, options.map_outputs, options.keep_inputs);
  }
  assign = fmt::format("assign-pool-info{{{}}},", assign.empty() ? assign : assign.substr(1));
  std::string passes = Merging(options) + mapping + assign + Loading(options, assign);
  TENON_CHECK(!passes.empty() && passes.back() == ',');
  passes.pop_back();
  return passes;
}

std::string PlanningPipeline(const CompileOptions& options) {
  return fmt::format(
      "plan-memory{{algorithm={} workspace-alignment={} constant-alignment={} constants={}}}",
      options.planner, options.workspace_alignment, options.constant_alignment, options.layout);
}

/// What cannot be done to the memory of a module that came planned.
bool CanStayAsPlanned(const IRModule& module, const CompileOptions& options,
                      Diagnostics& diagnostics) {
  std::string_view why;
  if (options.map_inputs || options.map_outputs)
    why = "its inputs and outputs stay outside of its pools";
  if (options.promote || options.compress) why = "its constants stay where they are";
  if (why.empty()) return true;
  TENON_CHECK(module.Main() != nullptr);
  diagnostics.Error(DiagnosticKind::kPass, module.Main()->func->range,
                    fmt::format("the module is planned already: {}", why));
  return false;
}

/// Adds the files of constants that are no C arrays.
bool AddImage(const CompileOptions& options, CompiledC& result, Diagnostics& diagnostics) {
  EmittedC& c = result.c;
  if (c.constant_storage == ConstantStorage::kCArray) return true;
  absl::StatusOr<EmittedImage> image = EmitImage(
      c.prefix, std::move(c.blobs), {c.constant_storage, options.target, options.target_abi});
  c.blobs.clear();
  if (!image.ok()) {
    diagnostics.Error(DiagnosticKind::kLoweringC, {}, std::string(image.status().message()));
    return false;
  }
  for (EmittedFile& file : image->files) c.files.push_back(std::move(file));
  result.constants_use = std::move(image->use);
  return true;
}

}  // namespace

std::optional<IRModule> LinkParams(const IRModule& module, const CompileOptions& options,
                                   Diagnostics& diagnostics) {
  return Run(module, "lower-linked-params", options, diagnostics);
}

bool IsPlanned(const IRModule& module) {
  const Function* entry = module.Main();
  return entry != nullptr && entry->FindAttr("pool_args") != nullptr;
}

std::string MergeLevel(const CompileOptions& options) {
  if (!options.merge_constants.empty()) return options.merge_constants;
  return WantsTvmLayout(options) ? "off" : "exact";
}

CompileOptions WithVectorAlignment(const IRModule& module, CompileOptions options) {
  // Within a larger constant others begin where they do.
  const std::string merging = MergeLevel(options);
  if (!options.align_to_vectors || !WantsLoopPasses(options) || SaysWhichPools(module, options) ||
      (merging != "off" && merging != "exact"))
    return options;
  options.workspace_alignment = std::max(options.workspace_alignment, options.vector_width);
  options.constant_alignment = std::max(options.constant_alignment, options.vector_width);
  return options;
}

std::optional<PreparedModule> PrepareModule(const IRModule& module, const CompileOptions& options,
                                            Diagnostics& diagnostics) {
  if (!KnownPlanner(options, diagnostics) || !CanBeQuoted(options, diagnostics))
    return std::nullopt;
  const std::optional<IRModule> flat =
      Run(module, BeforePlanning(module, options), options, diagnostics);
  if (!flat) return std::nullopt;
  if (IsPlanned(*flat)) {
    if (!CanStayAsPlanned(*flat, options, diagnostics)) return std::nullopt;
    return PreparedModule{*flat, true};
  }
  if (flat->Main() == nullptr) {
    diagnostics.Warning(DiagnosticKind::kPass, {},
                        "the module has no entry function (`__tvm_main__`, `main` or the only "
                        "one): its memory is not planned");
    return PreparedModule{*flat, true};
  }
  const std::optional<IRModule> fast =
      WantsLoopPasses(options)
          ? Run(*flat, LoopPipeline(options.vector_bytes), options, diagnostics)
          : flat;
  if (!fast) return std::nullopt;
  const std::optional<IRModule> assigned =
      Run(*fast, PreparingPipeline(options), options, diagnostics);
  if (!assigned) return std::nullopt;
  return PreparedModule{*assigned, false};
}

std::optional<PlannedModule> PlanPrepared(const PreparedModule& prepared,
                                          const CompileOptions& options, Diagnostics& diagnostics) {
  const IRModule& module = prepared.module;
  if (prepared.as_given) return PlannedModule{module, module, true};
  const std::optional<IRModule> noted =
      Run(module, PlanningPipeline(options), options, diagnostics);
  if (!noted) return std::nullopt;
  const std::optional<IRModule> converted =
      Run(*noted, "convert-pool-allocations-to-offsets", options, diagnostics);
  if (!converted) return std::nullopt;
  return PlannedModule{*noted, *converted, false};
}

std::optional<PlannedModule> PlanModule(const IRModule& module, const CompileOptions& options,
                                        Diagnostics& diagnostics) {
  const std::optional<PreparedModule> prepared = PrepareModule(module, options, diagnostics);
  return prepared ? PlanPrepared(*prepared, options, diagnostics) : std::nullopt;
}

std::optional<CompiledC> CompileToC(const IRModule& module, const CompileOptions& options,
                                    Diagnostics& diagnostics) {
  const std::optional<PreparedModule> prepared = PrepareModule(module, options, diagnostics);
  return prepared ? CompilePreparedToC(*prepared, options, diagnostics) : std::nullopt;
}

std::optional<CompiledC> CompilePreparedToC(const PreparedModule& prepared,
                                            const CompileOptions& options,
                                            Diagnostics& diagnostics) {
  std::optional<PlannedModule> planned = PlanPrepared(prepared, options, diagnostics);
  if (!planned) return std::nullopt;
  const Function* entry = planned->converted.Main();
  if (entry != nullptr && !CheckPoolConstants(*entry->func, diagnostics)) return std::nullopt;
  const std::optional<IRModule> lowered = Run(
      planned->converted, options.gnu_vectors ? kLowerForGnuC : kLowerForC, options, diagnostics);
  if (!lowered) return std::nullopt;
  EmitCOptions emit;
  emit.module_name = options.module_name;
  emit.workspace_alignment = options.workspace_alignment;
  emit.constant_alignment = options.constant_alignment;
  emit.constant_storage = options.constant_storage;
  emit.c_array_limit = options.c_array_limit;
  emit.parallel = options.parallel;
  emit.hosted = options.hosted.value_or(IsHostedTarget(options.target));
  const StepTimer timer(options.run.report, "C");
  std::optional<EmittedC> c = EmitC(*lowered, emit, diagnostics);
  if (!c || diagnostics.has_errors()) return std::nullopt;
  CompiledC result{*std::move(planned), *std::move(c), {}};
  if (!AddImage(options, result, diagnostics)) return std::nullopt;
  return result;
}

}  // namespace tenon
