#ifndef TENON_PASSES_MEMORY_VALUE_WATCH_H_
#define TENON_PASSES_MEMORY_VALUE_WATCH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "analysis/access_trace.h"
#include "passes/memory/placed_module.h"

// The judge of two allocations that share bytes: does one of them overwrite a value that the other
// still needs?

namespace tenon {

/// A value that is lost.
struct LostValue {
  /// The allocation whose value is overwritten, and the other one.
  int32_t victim = 0;
  int32_t other = 0;
  /// The byte of the victim.
  int64_t byte = 0;
  /// The store that overwrites it, and the access that needs it; not valid if it is not known. The
  /// access is not valid either if the value is needed after the run.
  SourceRange store;
  SourceRange access;
  /// Why the value may be needed although no later access is known; else empty.
  std::string_view why;
};

/// Watches values. For each shared byte, a run of the entry's accesses keeps whether either
/// allocation may hold no value, a value, or a value that the other one has overwritten there. A
/// load of an overwritten value is an error. Branches on data take both arms, and loops of unknown
/// length run no times and several times. The caller's contract gives the states at both ends: it
/// writes inputs before a run, and needs outputs, kept inputs and states afterwards.
///
/// Source of the idea: the shadow states of dynamic checkers (Seward and Nethercote, "Using
/// Valgrind to detect undefined value errors with bit-precision", 2005), here for all data at once.
class ValueWatch {
 public:
  struct Options {
    /// The limit on iterations and accesses of all watches together, and of one trace.
    int64_t max_steps = int64_t{400'000'000};
  };

  ValueWatch(const IRModule& module, const PlacedModule& placed, const Options& options)
      : module_(module),
        placed_(placed),
        options_(options),
        steps_left_(options.max_steps) {}

  /// The first value of `a` or `b` that is lost; nullopt if there is none. ResourceExhausted after
  /// too many steps.
  absl::StatusOr<std::optional<LostValue>> Find(int32_t a, int32_t b);

  /// The accesses of a function to two of its parameters, for allocations of these sizes.
  const absl::StatusOr<AccessTrace>& TraceOf(const Function& callee, size_t first_param,
                                             int64_t first_bytes, size_t second_param,
                                             int64_t second_bytes);

  /// The slots of a function's program, for walks.
  std::vector<int64_t>& SlotsOf(const PlacedFunction& function);

 private:
  const IRModule& module_;
  const PlacedModule& placed_;
  const Options options_;
  int64_t steps_left_;
  absl::flat_hash_map<std::tuple<Symbol, size_t, size_t, int64_t, int64_t>,
                      absl::StatusOr<AccessTrace>>
      traces_;
  absl::flat_hash_map<Symbol, std::unique_ptr<std::vector<int64_t>>> slots_;
};

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_VALUE_WATCH_H_
