#ifndef TENON_COMPILE_COMPILER_H_
#define TENON_COMPILE_COMPILER_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile/externals.h"
#include "compile/options.h"
#include "compile/plan.h"
#include "ir/analysis/extern_uses.h"
#include "ir/module.h"
#include "lowering/backend.h"
#include "passes/constants/merge/merge_across_modules.h"
#include "report/report.h"
#include "support/diagnostics.h"

// The compiler as a library: modules, options and a back end go in, artifacts come out.
// `tenon compile` only adds flags and file output.

namespace tenon {

/// A module of the program. It is parsed and verified.
struct CompileUnit {
  const IRModule* module = nullptr;
  /// The file from which it was read, for messages.
  std::string source;
  /// The base of all names, `tvmgen_<module_name>`; if empty, derived from the entry's global
  /// symbol.
  std::string module_name;
  /// For the comments of generated files.
  ModelOrigin origin = {};
};

/// A module that is ready for a back end.
struct LoweredModule {
  /// The module before planning, the functions that external code defines, and that code.
  ExternalModule external;
  PlannedModule planned;
  /// In the form that the back end requires.
  IRModule lowered;
  /// Set if the back end asks for it.
  EntryInterface interface;
  /// The options with the alignments of this module.
  CompileOptions options;
  /// True if constants share bytes in an order that only little-endian machines read correctly.
  bool is_little_endian = false;
};

/// A program.
struct Artifacts {
  /// Files, with the names by which code includes them. A file that several modules share is listed
  /// once.
  std::vector<Artifact> files;
  /// The calling interface of each module, in the order of the units.
  std::vector<EmittedUnit> units;
  /// The modules after planning, in the order of the units.
  std::vector<PlannedModule> planned;
  /// The report on the memory of all models together. Set if the options ask for it.
  std::optional<MemoryReport> report;
  /// Constants that several models share, with their places.
  std::vector<SharedConstantPool> shared_constants;
  /// Instructions for linking the files, a sentence each.
  std::vector<std::string> notes;
  /// The machine code of all models, if the back end knows it: bytes without constants.
  std::optional<int64_t> code_bytes;
  /// Libraries that external functions need in addition to their files.
  LinkNeeds link;
  /// The target of each operator of each module, in the order of the units. Reports are empty if no
  /// targets are named.
  std::vector<ByocReport> byoc;
  /// The facts that external code of the first unit checks before the first call: `isa=avx2`.
  std::vector<std::string> external_checks;
  /// The functions outside the module that the code of the first unit calls.
  std::vector<ExternUse> externs;
  /// The versions of the first unit's code generators that have one, each after its target.
  std::vector<std::pair<std::string, std::string>> generator_versions;
  /// With ExternalsUse::kBoth: the comparisons in the code of the first unit.
  std::vector<ExternalCheck> checks;
};

/// The facts about the back end and the target that planning needs. An error if the back end does
/// not support the target.
absl::StatusOr<PlanTarget> PlanTargetOf(const Backend& backend, const CompileOptions& options);

/// As Compile for one module, up to the form that the back end takes: for code that stays in
/// memory.
std::optional<LoweredModule> Lower(const CompileUnit& unit, const CompileOptions& options,
                                   const Backend& backend, Diagnostics& diagnostics);

/// Compiles the modules into one program. Several modules share their workspace if the options say
/// so, and must if the back end does not join modules. All modules must belong to the same Context.
/// Nullopt after an error; all modules are compiled in any case, so that all errors are reported.
std::optional<Artifacts> Compile(std::span<const CompileUnit> units, const CompileOptions& options,
                                 const Backend& backend, Diagnostics& diagnostics);

/// The report on a planned module; nullopt after an error.
std::optional<MemoryReport> ReportOf(const PlannedModule& planned, const CompileOptions& options,
                                     Diagnostics& diagnostics);

/// The text that lists the shared constants and the bytes that sharing saves.
std::string SharedConstantsText(const Artifacts& artifacts);

}  // namespace tenon

#endif  // TENON_COMPILE_COMPILER_H_
