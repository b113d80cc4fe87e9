#ifndef TENON_PLANNER_PROBLEM_PROBLEM_H_
#define TENON_PLANNER_PROBLEM_PROBLEM_H_

// The types of memory planning: what is asked (Problem) and what is answered (Plan). Nothing here
// knows the IR. Sizes and offsets are bytes; times are ticks of the caller's clock; all intervals
// of time and of bytes are half-open.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"

namespace tenon::planner {

/// A buffer's or pool's number as an index into its vector; never negative.
constexpr size_t Index(int64_t number) { return static_cast<size_t>(number); }

/// Capacity of a pool that may grow as far as addresses go.
inline constexpr int64_t kUnlimited = -1;
/// Every size, and every end of a placed buffer, stays at or below this.
inline constexpr int64_t kMaxBytes = (int64_t{1} << 62) - 1;
/// Largest alignment and largest base offset of a pool.
inline constexpr int64_t kMaxAlignment = int64_t{1} << 40;

/// What a buffer is for. `kConstant` is live at all times, whatever its lifetimes and groups say:
/// its bytes are there before the clock starts. The other three differ in reports alone.
enum class BufferKind : uint8_t { kIntermediate, kInput, kOutput, kConstant };

/// A stretch of time [lower, upper) in which a buffer holds something. Empty when lower == upper.
struct Lifetime {
  int64_t lower = 0;
  int64_t upper = 0;
  bool operator==(const Lifetime&) const = default;
};

/// A stretch of time [lower, upper) within a lifetime in which the buffer uses only its bytes
/// [first_byte, end_byte), or none when they are equal; others may have the rest meanwhile. (The
/// meaning of the `gaps` column of google/minimalloc.)
struct GapWindow {
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t first_byte = 0;
  int64_t end_byte = 0;
  bool operator==(const GapWindow&) const = default;
};

/// One thing to place.
struct Buffer {
  /// For messages, and the last key of TVM's sort orders. Need not be unique.
  std::string name;
  int64_t size = 0;
  /// A power of two; the address of the buffer (see Pool) is a multiple of it.
  int64_t alignment = 1;
  BufferKind kind = BufferKind::kIntermediate;
  /// Ascending, not overlapping. None: never live, so only explicit relations bind the buffer.
  absl::InlinedVector<Lifetime, 1> lifetimes;
  /// Ascending, not overlapping, each within one lifetime.
  std::vector<GapWindow> gaps;
  /// The offset the buffer must have in whichever candidate pool it gets.
  std::optional<int64_t> fixed_offset;
  /// Indexes into Problem::pools, preferred first; at least one.
  absl::InlinedVector<int32_t, 1> pools;
  /// Groups (models that never run together) that use this buffer; none means all of them. Two
  /// buffers without a group in common are never live together. Lifetimes count on the clock of
  /// each group alike.
  absl::InlinedVector<int32_t, 1> groups;
  /// Accesses over one run, for choosing among pools by cost.
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
};

enum class PoolKind : uint8_t { kReadWrite, kReadOnly };

/// What a pool's memory costs, as far as known; 0 is unknown.
struct PoolCost {
  int64_t clock_hz = 0;
  int64_t read_bytes_per_cycle = 0;
  int64_t write_bytes_per_cycle = 0;
  int64_t read_latency_cycles = 0;
  int64_t write_latency_cycles = 0;
};

/// A piece of memory. A buffer at `offset` has the address `base_offset + offset`, which is a
/// multiple of the larger of the buffer's and the pool's alignment.
struct Pool {
  std::string name;
  /// Offsets end at or below this; kUnlimited for none.
  int64_t capacity = kUnlimited;
  int64_t alignment = 1;
  int64_t base_offset = 0;
  /// Read-only pools take constants alone.
  PoolKind kind = PoolKind::kReadWrite;
  PoolCost cost;
};

enum class RelationKind : uint8_t {
  /// The two never overlap in a pool, even if their lifetimes would allow it.
  kDisjoint,
  /// The two may overlap in any way, even if their lifetimes would forbid it.
  kMayShare,
  /// In one pool, offset(b) - offset(a) is in `allowed`; their lifetimes no longer matter. (An
  /// output that may trail its dying input: the differences that keep writes behind reads.)
  kOffsetDifference,
};

/// A closed range of offset differences.
struct DifferenceRange {
  int64_t first = 0;
  int64_t last = 0;
  bool operator==(const DifferenceRange&) const = default;
};

/// What is known of a pair of buffers beyond their lifetimes. At most one for a pair.
struct Relation {
  RelationKind kind = RelationKind::kDisjoint;
  int32_t a = 0;
  int32_t b = 0;
  /// For kOffsetDifference: not empty, in any order.
  std::vector<DifferenceRange> allowed;
  /// The two must be in one pool (an alias); by itself, placement in two pools satisfies any kind.
  bool same_pool = false;
};

/// conflicts[i]: the buffers that i is said to conflict with; order, duplicates and direction are
/// TVM's and matter to its algorithms.
using ConflictLists = std::vector<std::vector<int32_t>>;

/// What to plan. Two buffers conflict where both are live (lifetimes, gap windows, groups), unless
/// a relation says otherwise; this alone decides whether a plan is right.
struct Problem {
  std::vector<Buffer> buffers;
  std::vector<Pool> pools;
  std::vector<Relation> relations;
  /// What TVM's liveness says, read by TVM's algorithms in addition to the above; derived from the
  /// lifetimes when absent (tvm_liveness.h).
  std::optional<ConflictLists> conflicts;
  /// The pressure at which hill_climb stops searching; 0 never. Absent: derived like `conflicts`
  /// if those are absent too, else 0.
  std::optional<int64_t> memory_pressure;
};

/// Where a buffer goes.
struct Placement {
  int32_t pool = -1;
  int64_t offset = 0;
  bool operator==(const Placement&) const = default;
};

/// What a lower bound rests on.
enum class BoundKind : uint8_t {
  /// The buffers of the witness need that much side by side.
  kLive,
  /// An exhaustive search has found no place for the buffers of the witness in less.
  kSearch,
};

/// No plan makes the pool smaller than `bytes`, and why: the buffers `live` fit into no other pool
/// (or are left here, see of_choice). For kLive with a time, the bytes that each of them uses then
/// count; without, the whole buffers, which conflict pair by pair. `bytes` is the sum of these,
/// less what each pair can share at that time by a relation. If all are whole, alignment counts
/// too: with A the smallest of their effective alignments, the lowest one begins at the pool's
/// first offset whose address is a multiple of A, and all but the topmost waste the space to their
/// next multiple of A; `bytes` is then that first offset, plus the sizes rounded up to A, less what
/// pairs share of these and the largest rounding among them.
struct LowerBound {
  int64_t bytes = 0;
  std::optional<int64_t> time;
  std::vector<int32_t> live;
  BoundKind kind = BoundKind::kLive;
  /// For kSearch, which has no time: the placements that the search tried before it was through.
  int64_t searched = 0;
  /// Some of `live` could be in another pool: the bound holds for plans that leave them here.
  bool of_choice = false;
};

struct PoolPlan {
  /// The largest end of a buffer placed here; 0 for a pool that is not used.
  int64_t size = 0;
  LowerBound lower_bound;
  /// The method that found this size, one of those in docs/planning.md.
  std::string found_by;
};

/// What the choice among candidate pools costs; see Pool and Buffer. Sums stop at INT64_MAX.
struct PlanCost {
  /// The time of all accesses to buffers all of whose candidates have a known cost: a transfer for
  /// each width of the bus, begun or whole, and each of these takes the latency and one cycle. A
  /// buffer of which no accesses are known is written and read once.
  int64_t picoseconds = 0;
  /// Bytes of buffers, times the places that their pools are down their lists of candidates.
  int64_t spilled = 0;
  /// No plan has a smaller time, or the same and fewer bytes spilled.
  bool is_least = false;
};

/// An answer, with its certificate.
struct Plan {
  /// The algorithm that made the placements: another than the one asked for when that one failed
  /// and PlanOptions allowed to fall back.
  std::string algorithm;
  /// One for each buffer of the problem.
  std::vector<Placement> placements;
  /// One for each pool of the problem.
  std::vector<PoolPlan> pools;
  PlanCost cost;
  /// The cost is the least, and every pool's size equals its lower bound.
  bool proven_optimal = false;
};

/// OK, or InvalidArgument naming the first thing that breaks a rule stated above.
absl::Status ValidateProblem(const Problem& problem);

/// `base + offset` rounded up to `alignment`, less `base`: the next offset with an aligned address.
/// Needs offset <= kMaxBytes + 1 and the limits of a valid Problem.
inline int64_t AlignOffset(int64_t offset, int64_t alignment, int64_t base) {
  return ((base + offset + alignment - 1) & ~(alignment - 1)) - base;
}

/// The alignment that `buffer` has in `pool`.
inline int64_t EffectiveAlignment(const Buffer& buffer, const Pool& pool) {
  return buffer.alignment > pool.alignment ? buffer.alignment : pool.alignment;
}

/// The end that no buffer may pass in `pool`.
inline int64_t EffectiveCapacity(const Pool& pool) {
  return pool.capacity == kUnlimited ? kMaxBytes : pool.capacity;
}

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_PROBLEM_H_
