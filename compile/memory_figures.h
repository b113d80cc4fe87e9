#ifndef TENON_COMPILE_MEMORY_FIGURES_H_
#define TENON_COMPILE_MEMORY_FIGURES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "compile/plan.h"
#include "report/report.h"

// The totals that a command prints at the end. A report also has them, but takes longer.

namespace tenon {

struct MemoryFigures {
  /// Pools of constants, and constants in no pool. Each byte counts once.
  int64_t constant_bytes = 0;
  /// The total capacity of the constant pools in bytes; nullopt unless each has a limit and all
  /// constants are in them.
  std::optional<int64_t> constant_capacity_bytes = {};
  /// The sum of the workspace pools.
  int64_t workspace_bytes = 0;
  /// The total capacity of the workspace pools in bytes; nullopt unless each has a limit.
  std::optional<int64_t> capacity_bytes = {};
  /// Inputs and outputs in no pool: memory of the caller.
  int64_t io_bytes = 0;
  /// The buffers that are not in their best pool.
  ReportSpill spill = {};
};

/// The totals of a program. Models that share their workspace need the largest of their pools with
/// the same name; otherwise the sizes add up. `io_bytes` stays 0.
MemoryFigures FiguresOf(std::span<const PlannedModule> modules, bool shares_workspace);
MemoryFigures FiguresOf(const MemoryReport& report);

/// `constants 51,248 B of 65,536 (14,288 free), workspace 64,000 B of 65,536 (1,536 free), inputs
/// and outputs 27,650 B outside`, and what was spilled. With `advises`, `(0 B with
/// --use-workspace-io)` follows `outside`.
std::string FiguresText(const MemoryFigures& figures, bool advises = false);

}  // namespace tenon

#endif  // TENON_COMPILE_MEMORY_FIGURES_H_
