#ifndef TENON_COMPILE_PLAN_H_
#define TENON_COMPILE_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "compile/options.h"
#include "ir/module.h"
#include "passes/memory/plan_memory.h"
#include "support/diagnostics.h"

// The first half of the compiler: from a verified module to one whose memory is planned.

namespace tenon {

/// The facts about the code to be made that planning needs. The defaults are those of C.
struct PlanTarget {
  TargetFacts facts;
  /// Passes that make loops faster run unless the options say otherwise.
  bool optimises_loops = false;
};

/// A module whose memory is planned.
struct PlannedModule {
  /// After plan-memory: allocations carry their places. Reports are made of it.
  IRModule noted;
  /// After convert-pool-allocations-to-offsets: functions take pools as parameters.
  IRModule converted;
  /// The module came planned, or has no entry function to plan from; `noted` is then `converted`.
  bool as_given = false;
};

/// A module before its memory is planned: allocations have their candidate pools.
struct PreparedModule {
  IRModule module;
  /// It stays as it is: it came planned, or has no entry function to plan from.
  bool as_given = false;
};

/// The entry function takes pools already.
bool HasPlannedEntry(const IRModule& module);

/// Parameters that `link_params` binds become constants of their functions: the module as it is
/// planned, compiled and run. Nullopt after an error.
std::optional<IRModule> LinkParams(const IRModule& module, const CompileOptions& options,
                                   Diagnostics& diagnostics);

/// The passes that make the workspace smaller: each is on or off.
struct WorkspaceChoice {
  bool fuse = false;
  bool narrow = false;
  /// The option `overlap` of plan-memory.
  std::string overlap = "off";
};

/// The choice that the options make. `auto` means on if the planner is Tenon's own and the loops
/// are serial. TVM's algorithms and TVM's layout turn it off: they reproduce the sizes of TVM.
WorkspaceChoice WorkspaceChoiceOf(const CompileOptions& options);

/// The level of merge-constants that the options ask for; `off` where they want none.
std::string MergeLevel(const CompileOptions& options);

/// The options of plan-memory for a compilation.
PlanMemoryOptions PlanningOptions(const CompileOptions& options);

/// Whether the module or the options name memory pools, which have a size that somebody chose.
bool NamesPools(const IRModule& module, const CompileOptions& options);

/// The options with the alignments that CompileOptions::align_to_vectors stands for.
CompileOptions WithVectorAlignment(const IRModule& module, CompileOptions options,
                                   const PlanTarget& target);

/// The two steps of PlanModule. Between them constants of several modules may be shared
/// (passes/constants/merge/merge_across_modules.h).
std::optional<PreparedModule> PrepareModule(const IRModule& module, const CompileOptions& options,
                                            const PlanTarget& target, Diagnostics& diagnostics);
std::optional<PlannedModule> PlanPrepared(const PreparedModule& prepared,
                                          const CompileOptions& options, Diagnostics& diagnostics);

/// Makes loops serial unless they are to be parallel, blocks and buffers flat and calls direct,
/// then plans memory. Linked parameters are constants already (LinkParams). A module that is
/// planned already is only lowered. Nullopt after an error.
std::optional<PlannedModule> PlanModule(const IRModule& module, const CompileOptions& options,
                                        const PlanTarget& target, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_COMPILE_PLAN_H_
