#ifndef TENON_COMPILE_PLAN_H_
#define TENON_COMPILE_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "compile/options.h"
#include "ir/module.h"
#include "passes/memory/plan_memory.h"
#include "support/diagnostics.h"

// The first half of the compiler: from a verified module to a module with planned memory.

namespace tenon {

/// The facts about the generated code that planning needs. The defaults are those of C.
struct PlanTarget {
  TargetFacts facts;
  /// Passes that make loops faster run unless the options say otherwise.
  bool optimises_loops = false;
  /// The pass dot-products also runs unless the options say otherwise.
  bool wants_dots = false;
};

/// A module with its operators as given, for descriptions of operators. Empty if the module was
/// already planned, or has no entry function.
struct UnfusedModule {
  /// With the shapes of tensors.
  std::optional<IRModule> shaped;
  /// With flat buffers.
  std::optional<IRModule> flat;
};

/// A module with planned memory.
struct PlannedModule {
  /// After plan-memory: allocations carry their places. The input of reports.
  IRModule noted;
  /// After convert-pool-allocations-to-offsets: functions take pools as parameters.
  IRModule converted;
  /// True if the module was already planned, or has no entry function; `noted` then equals
  /// `converted`.
  bool as_given = false;
  UnfusedModule unfused = {};
};

/// A module before planning: allocations have their candidate pools.
struct PreparedModule {
  IRModule module;
  /// True if the module is not planned: it was already planned, or has no entry function.
  bool as_given = false;
  UnfusedModule unfused = {};
};

/// True if the entry function already takes pools.
bool HasPlannedEntry(const IRModule& module);

/// Turns parameters that `link_params` binds into constants of their functions. The result is the
/// module that is planned, compiled and run. Nullopt after an error.
std::optional<IRModule> LinkParams(const IRModule& module, const CompileOptions& options,
                                   Diagnostics& diagnostics);

/// The passes that make the workspace smaller.
struct WorkspaceChoice {
  bool fuse = false;
  bool narrow = false;
  /// The option `overlap` of plan-memory.
  Overlap overlap = Overlap::kOff;
};

/// Resolves the choice in the options. `auto` is on if one of Tenon's planners is used; for `fuse`
/// and `narrow`, loops must also be serial. It is off with TVM's algorithms and TVM's layout, which
/// must reproduce TVM's sizes.
WorkspaceChoice WorkspaceChoiceOf(const CompileOptions& options);

/// The level of merge-constants for these options; `off` if merging is disabled.
std::string MergeLevel(const CompileOptions& options);

/// The options of plan-memory for a compilation.
PlanMemoryOptions PlanningOptions(const CompileOptions& options);

/// True if the module or the options name memory pools; their sizes were then chosen by a person.
bool NamesPools(const IRModule& module, const CompileOptions& options);

/// The options with the alignments that CompileOptions::align_to_vectors implies.
CompileOptions WithVectorAlignment(const IRModule& module, CompileOptions options,
                                   const PlanTarget& target);

/// The options for a plan that only its size is needed of: its passes and its memory are not
/// verified, printed or timed.
CompileOptions OptionsForTrial(CompileOptions options);

/// The two steps of PlanModule. Between them, several modules can share constants
/// (passes/constants/merge/merge_across_modules.h).
std::optional<PreparedModule> PrepareModule(const IRModule& module, const CompileOptions& options,
                                            const PlanTarget& target, Diagnostics& diagnostics);
std::optional<PlannedModule> PlanPrepared(const PreparedModule& prepared,
                                          const CompileOptions& options, Diagnostics& diagnostics);

/// Makes loops serial unless they may be parallel, flattens blocks and buffers, makes calls direct,
/// and plans memory. Linked parameters must already be constants (LinkParams). A module that is
/// already planned is only lowered. Nullopt after an error.
std::optional<PlannedModule> PlanModule(const IRModule& module, const CompileOptions& options,
                                        const PlanTarget& target, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_COMPILE_PLAN_H_
