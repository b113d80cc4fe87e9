#ifndef TENON_ANALYSIS_ACCESS_TRACE_H_
#define TENON_ANALYSIS_ACCESS_TRACE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/function_buffer.h"
#include "ir/function.h"

// A checker of distances: it uses no formulas, but walks through a function's accesses. It shares
// no code with analysis/safe_distances.h, so that one mistake cannot hide another.

namespace tenon {

/// When a function first writes and last accesses each byte of the given buffers.
class AccessTrace {
 public:
  struct Options {
    /// The limit on loop iterations and accesses.
    int64_t max_steps = int64_t{400'000'000};
  };

  /// Two accesses that a distance puts in the wrong order.
  struct Clash {
    /// The byte of the buffer that begins, and the first store to it.
    int64_t begun_byte = 0;
    SourceRange store;
    /// The byte of the buffer that dies, at the same address, and the last access to it.
    int64_t dying_byte = 0;
    SourceRange access;
  };

  /// Walks through the loops of a lowered function and computes the indices of accesses to
  /// `buffers`, but no values. If a condition depends on values, both arms are taken; if an index
  /// does, the whole buffer is accessed. A loop whose counter is not used runs at most two
  /// iterations.
  ///
  /// Errors: FailedPrecondition if the order is unknown (parallel, thread and vectorized loops,
  /// `while`, loops of unknown bounds, pointers that escape, blocks), ResourceExhausted after too
  /// many steps.
  static absl::StatusOr<AccessTrace> Of(const PrimFunc& func,
                                        std::span<const FunctionBuffer> buffers,
                                        const Options& options);

  /// The first byte of `buffers[begun]` that overwrites a byte of `buffers[dying]` before the last
  /// access to it, if offset(begun) - offset(dying) is `distance` bytes; nullopt if there is no
  /// such byte.
  std::optional<Clash> FindClash(size_t dying, size_t begun, int64_t distance) const;
  bool IsSafe(size_t dying, size_t begun, int64_t distance) const {
    return !FindClash(dying, begun, distance).has_value();
  }

  /// The iterations and accesses of the walk.
  int64_t steps() const { return steps_; }

  /// The clock counts stores: all loads of a store have the store's time, and come before it.
  static constexpr int64_t kNever = INT64_MAX;
  struct ByteTimes {
    std::vector<int64_t> first_write;
    std::vector<int64_t> last_access;  ///< -1: never
    /// Access numbers, for messages.
    std::vector<int32_t> first_writer;
    std::vector<int32_t> last_accessor;
    /// The same for accesses that may reach any byte.
    int64_t any_first_write = kNever;
    int64_t any_last_access = -1;
    int32_t any_first_writer = -1;
    int32_t any_last_accessor = -1;
  };

 private:
  std::vector<ByteTimes> times_;
  /// The source ranges of accesses, by their numbers.
  std::vector<SourceRange> ranges_;
  int64_t steps_ = 0;
};

}  // namespace tenon

#endif  // TENON_ANALYSIS_ACCESS_TRACE_H_
