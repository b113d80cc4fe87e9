#ifndef TENON_REPORT_LAYERS_H_
#define TENON_REPORT_LAYERS_H_

#include <span>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "ir/analysis/effects.h"
#include "ir/module.h"
#include "report/report.h"

namespace tenon {

/// The parts of the report that describe variables.
struct LayerStorage {
  /// The buffers of allocations, by the variables of all functions.
  absl::flat_hash_map<const Var*, size_t> buffers;
  /// The tensors of the entry's parameters.
  absl::flat_hash_map<const Var*, size_t> tensors;
};

/// Sets what each step of a module computes and needs (ReportStep). `stmts` are the statements of
/// the steps. Buffers and lifetimes are in the report already. The constants of a module that was
/// already planned are unknown.
void DescribeLayers(const IRModule& module, const ModuleEffects& effects, const Function& entry,
                    std::span<const Stmt* const> stmts, const LayerStorage& storage,
                    MemoryReport& report);

/// Sets the steps' instructions from lines `NAME COUNT`. A name is that of the called function,
/// alone or after a prefix and an underscore, as symbols of generated code have it. A name that
/// occurs again adds to its count; each of several steps that call one function gets an equal part.
/// Returns an error for a line of another form, and if no line is about a step.
absl::Status ReadInstructions(std::string_view text, MemoryReport& report);

/// A table of the steps, for a terminal. `whole`: with whole names, and the shapes of inputs.
std::string LayersText(const MemoryReport& report, bool whole);
/// The same as CSV, with a line of heads. Extents are separated by `x`, and tensors by blanks.
std::string LayersCsv(const MemoryReport& report);

/// The tensors that a step reads and writes, as a line of text: `x int8[1, 8, 8, 1] -> y int8[1, 8,
/// 8, 16]; window 3x3 by 1x1; 9,216 multiplications`.
std::string StepText(const MemoryReport& report, const ReportStep& step);

}  // namespace tenon

#endif  // TENON_REPORT_LAYERS_H_
