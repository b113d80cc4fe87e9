#ifndef TENON_IR_ANALYSIS_LIVENESS_H_
#define TENON_IR_ANALYSIS_LIVENESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "support/diagnostics.h"

namespace tenon {

/// Why an allocation stays in place instead of moving to a pool.
enum class Unplanned : uint8_t {
  kPlanned,       ///< it is planned
  kScope,         ///< its storage scope is not global
  kDynamic,       ///< an extent is not a constant
  kParallelLoop,  ///< it is in a loop whose iterations may run concurrently
  kConditional,   ///< its condition is not the constant true
};

/// An Allocate or AllocateConst that the entry function reaches.
struct Allocation {
  const Stmt* stmt = nullptr;
  const Var* var = nullptr;
  const MapAttr* annotations = nullptr;
  /// The function that contains it.
  Symbol function;
  /// The variable's name, with a suffix 2, 3, ... if an earlier allocation has the same name.
  std::string name;
  int64_t size_bytes = 0;
  bool is_constant = false;
  const Constant* data = nullptr;
  Unplanned unplanned = Unplanned::kPlanned;
};

/// A half-open interval of the clock in which an allocation is live.
struct LiveRange {
  int64_t lower = 0;
  int64_t upper = 0;
};

/// The first and last use (inclusive) of allocation `index` in one call, on TVM's clock.
struct TvmLiveInterval {
  int32_t index = 0;
  int64_t first = 0;
  int64_t last = 0;
};

/// One call of a function of the module, on the exact clock.
struct CallSpan {
  const Call* call = nullptr;
  Symbol callee;
  /// The ticks of everything that the call runs: lower, ..., upper - 1.
  int64_t lower = 0;
  int64_t upper = 0;
  struct Argument {
    /// The allocation that the argument points into; -1 for none.
    int32_t allocation = -1;
    /// The argument points to the first byte.
    bool is_start = false;
    /// The allocations that an argument chosen at run time may point into.
    std::vector<int32_t> chosen = {};
  };
  std::vector<Argument> arguments;
};

/// When each allocation reachable from the entry function is live. Calls of functions of the module
/// are followed.
///
/// `ranges` are sound, and exact with respect to paths. An allocation is live at each access. It is
/// also live between two accesses if a later one may read bytes that an earlier one may have
/// touched. The path between them may go around loops, through one arm of a branch, and through
/// callees. It counts unless it certainly overwrites the bytes first (EffectsOfNest, declared
/// externs). An allocation outside a parallel loop that the loop uses is live throughout the loop.
/// A pointer that is stored, or escapes otherwise, keeps its allocation live to the end of its
/// scope. An allocation with the annotation `input_tensor` (`output_tensor`) is written before
/// (read after) its scope runs. The clock runs through the program once, callees included, so an
/// allocation in a function that is called several times has several ranges.
///
/// `tvm_intervals` are the intervals that TVM's memory planner (USMP in v0.18, ExtractBufferInfo)
/// computes for the same program, on its own clock. They can be unsound for buffers carried by
/// outer loops, and serve only to reproduce TVM's results.
struct Liveness {
  std::vector<Allocation> allocations;
  std::vector<std::vector<LiveRange>> ranges;
  /// Ticks of the exact clock at which each allocation is touched, ascending; for reports.
  std::vector<std::vector<int64_t>> uses;
  std::vector<TvmLiveInterval> tvm_intervals;
  /// Calls, callers before callees.
  std::vector<CallSpan> calls;
  /// The functions in the order in which calls first reach them, the entry first.
  std::vector<Symbol> reached;
  /// Length of the exact clock in ticks.
  int64_t ticks = 0;
  /// The statement of each tick, for reports. The end of a loop has the last statement in the loop;
  /// tick 0 has none.
  std::vector<const Stmt*> tick_stmts;
};

struct LivenessOptions {
  /// If false, overwrites are ignored, so that their benefit can be measured.
  bool overwrites = true;
};

/// Returns nullopt, with a diagnostic, for recursion and for programs whose calls expand to too
/// many statements.
std::optional<Liveness> ComputeLiveness(const IRModule& module, const Function& entry,
                                        Diagnostics& diagnostics,
                                        const LivenessOptions& options = {});

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_LIVENESS_H_
