#ifndef TENON_COMPILE_COMPILER_H_
#define TENON_COMPILE_COMPILER_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile/externals.h"
#include "compile/options.h"
#include "compile/plan.h"
#include "ir/module.h"
#include "lowering/backend.h"
#include "passes/constants/merge/merge_across_modules.h"
#include "report/report.h"
#include "support/diagnostics.h"

// The compiler as a library: modules, options and a back end in, artifacts out. `tenon compile`
// adds nothing but flags and writing.

namespace tenon {

/// One of the modules that become a program. It is parsed and verified.
struct CompileUnit {
  const IRModule* module = nullptr;
  /// The file that it was read from, for messages.
  std::string source;
  /// Base of all names, `tvmgen_<module_name>`; empty: from the entry's global symbol.
  std::string module_name;
};

/// A module that is ready for a back end.
struct LoweredModule {
  /// The module before planning, with the functions whose code is elsewhere, and that code.
  ExternalModule external;
  PlannedModule planned;
  /// In the form that the back end takes.
  IRModule lowered;
  /// Set for a back end that asks for it.
  EntryInterface interface;
  /// The options with the alignments of this module.
  CompileOptions options;
  /// Constants share bytes in an order that only little-endian machines read correctly.
  bool is_little_endian = false;
};

/// A program.
struct Artifacts {
  /// Files, with the names by which code includes them. A file that several modules have in common
  /// is there once.
  std::vector<Artifact> files;
  /// How to call each module, in the order of the units.
  std::vector<EmittedUnit> units;
  /// The modules after planning, in the order of the units.
  std::vector<PlannedModule> planned;
  /// The report on memory, of all models together. Set if the options ask for it.
  std::optional<MemoryReport> report;
  /// Constants that the models have in common, and where they are.
  std::vector<SharedConstantPool> shared_constants;
  /// Instructions for the person who links the files, a sentence each.
  std::vector<std::string> notes;
  /// The libraries that external functions need besides their files.
  LinkNeeds link;
  /// The target of each operator of each module, in the order of the units. Reports are empty where
  /// no targets are named.
  std::vector<ByocReport> byoc;
  /// The comparisons in the code of the first unit, with ExternalsUse::kBoth.
  std::vector<ExternalCheck> checks;
};

/// The facts about the back end and the target that planning needs. An error if the back end makes
/// no code for the target.
absl::StatusOr<PlanTarget> PlanTargetOf(const Backend& backend, const CompileOptions& options);

/// Makes the external functions of a module whose parameters are linked (compile/link_params.h),
/// plans its memory, and lowers it.
/// Nullopt after an error.
std::optional<LoweredModule> LowerModule(const CompileUnit& unit, const CompileOptions& options,
                                         const Backend& backend, const PlanTarget& target,
                                         Diagnostics& diagnostics);

/// Compiles the modules into one program. Several modules share their workspace if the options say
/// so; with a back end that does not join modules they have to. All modules must be of one Context.
/// Nullopt after an error. All modules are compiled even so, so that all errors are reported.
std::optional<Artifacts> Compile(std::span<const CompileUnit> units, const CompileOptions& options,
                                 const Backend& backend, Diagnostics& diagnostics);

/// The report on a planned module; nullopt after an error.
std::optional<MemoryReport> ReportOf(const PlannedModule& planned, const CompileOptions& options,
                                     Diagnostics& diagnostics);

/// The text that says which constants the models have in common, and what that saves.
std::string SharedConstantsText(const Artifacts& artifacts);

}  // namespace tenon

#endif  // TENON_COMPILE_COMPILER_H_
