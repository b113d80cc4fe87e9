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

/// Why an allocation is left where it stands instead of going into a pool.
enum class Unplanned : uint8_t {
  kPlanned,       ///< it is planned
  kScope,         ///< its storage scope is no global one
  kDynamic,       ///< an extent is not a constant
  kParallelLoop,  ///< it stands in a loop whose iterations may run at once
  kConditional,   ///< its condition is not the constant true
};

/// An Allocate or AllocateConst that the entry function reaches.
struct Allocation {
  const Stmt* stmt = nullptr;
  const Var* var = nullptr;
  const MapAttr* annotations = nullptr;
  /// The function it stands in.
  Symbol function;
  /// The variable's name, with 2, 3, ... behind it where others had it before.
  std::string name;
  int64_t size_bytes = 0;
  bool is_constant = false;
  const Constant* data = nullptr;
  Unplanned unplanned = Unplanned::kPlanned;
};

/// A half-open stretch of the clock in which an allocation holds something.
struct LiveRange {
  int64_t lower = 0;
  int64_t upper = 0;
};

/// From first to last use of allocation `index` in one call, both included, on TVM's clock.
struct TvmLiveInterval {
  int32_t index = 0;
  int64_t first = 0;
  int64_t last = 0;
};

/// One call of a function of the module, made on the exact clock.
struct CallSpan {
  const Call* call = nullptr;
  Symbol callee;
  /// The ticks of all that the call runs: lower, ..., upper - 1.
  int64_t lower = 0;
  int64_t upper = 0;
  struct Argument {
    /// The allocation that it points into; -1 for none.
    int32_t allocation = -1;
    /// It points to the first byte.
    bool is_start = false;
  };
  std::vector<Argument> arguments;
};

/// When each allocation reachable from the entry function is live, with calls of functions of the
/// module followed.
///
/// `ranges` are sound, and exact in that they follow paths: an allocation is live at each access,
/// and between two if bytes that may have been touched before may be read later on some path
/// (around loops, through one arm of a branch, callees included) that does not certainly overwrite
/// them first (EffectsOfNest, declared externs). What is used in a parallel loop and allocated
/// outside of it is live throughout that. A pointer that is stored, or passed on in a way that
/// cannot be followed, keeps its allocation live to the end of its scope. An allocation with the
/// annotation `input_tensor` (`output_tensor`) is written before (read after) its scope runs. The
/// clock runs through the program once, callees included, so what is allocated in a function called
/// several times has several ranges.
///
/// `tvm_intervals` is what TVM's memory planner (USMP in v0.18, ExtractBufferInfo) makes of the
/// same program, with its own clock; it can be unsound for buffers carried by outer loops, and is
/// only for reproducing TVM's results.
struct Liveness {
  std::vector<Allocation> allocations;
  std::vector<std::vector<LiveRange>> ranges;
  /// Ticks of the exact clock at which each allocation is touched, ascending; for reports.
  std::vector<std::vector<int64_t>> uses;
  std::vector<TvmLiveInterval> tvm_intervals;
  /// Calls, callers before what they call.
  std::vector<CallSpan> calls;
  /// The functions in the order in which calls first reach them, the entry first.
  std::vector<Symbol> reached;
  /// Ticks of the exact clock.
  int64_t ticks = 0;
  /// The statement that each tick stands for, for reports; the end of a loop stands for the last
  /// statement in it, and tick 0 for none.
  std::vector<const Stmt*> tick_stmts;
};

struct LivenessOptions {
  /// Without, nothing counts as written whole: what knowing it is worth can be measured.
  bool overwrites = true;
};

/// Nullopt, with a diagnostic, for recursion and for programs whose calls unfold to too many
/// statements.
std::optional<Liveness> ComputeLiveness(const IRModule& module, const Function& entry,
                                        Diagnostics& diagnostics,
                                        const LivenessOptions& options = {});

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_LIVENESS_H_
