#ifndef TENON_PLANNER_PROBLEM_PROBLEM_H_
#define TENON_PLANNER_PROBLEM_PROBLEM_H_

// The types of memory planning: the question (Problem) and the answer (Plan). They do not depend on
// the IR. Sizes and offsets are bytes; times are ticks of the caller's clock; all intervals of time
// and of bytes are half-open.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"

namespace tenon::planner {

/// A non-negative buffer or pool number as a vector index.
constexpr size_t Index(int64_t number) { return static_cast<size_t>(number); }

/// The capacity of a pool without a limit except the address range.
inline constexpr int64_t kUnlimited = -1;
/// The largest size, and the largest end of a placed buffer.
inline constexpr int64_t kMaxBytes = (int64_t{1} << 62) - 1;
/// The largest alignment, and the largest base offset of a pool.
inline constexpr int64_t kMaxAlignment = int64_t{1} << 40;

/// The role of a buffer. A `kConstant` is live at all times, whatever its lifetimes and groups say:
/// its bytes exist before the clock starts. The other three differ only in reports.
enum class BufferKind : uint8_t { kIntermediate, kInput, kOutput, kConstant };

/// An interval of time [lower, upper) in which a buffer holds a value. Empty if lower == upper.
struct Lifetime {
  int64_t lower = 0;
  int64_t upper = 0;
  bool operator==(const Lifetime&) const = default;
};

/// An interval of time [lower, upper) within a lifetime in which the buffer uses only its bytes
/// [first_byte, end_byte), or none if they are equal. Other buffers may use the remaining bytes in
/// that interval. (The meaning of the `gaps` column of google/minimalloc.)
struct GapWindow {
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t first_byte = 0;
  int64_t end_byte = 0;
  bool operator==(const GapWindow&) const = default;
};

/// A buffer to place.
struct Buffer {
  /// For messages, and the last key of TVM's sort orders. Need not be unique.
  std::string name;
  int64_t size = 0;
  /// A power of two; the address of the buffer (see Pool) is a multiple of it.
  int64_t alignment = 1;
  BufferKind kind = BufferKind::kIntermediate;
  /// Ascending, not overlapping. If empty, the buffer is never live and only explicit relations
  /// bind it.
  absl::InlinedVector<Lifetime, 1> lifetimes;
  /// Ascending, not overlapping, each within a single lifetime.
  std::vector<GapWindow> gaps;
  /// The offset that the buffer must have in whichever candidate pool is chosen.
  std::optional<int64_t> fixed_offset;
  /// Indexes into Problem::pools, preferred first; at least one.
  absl::InlinedVector<int32_t, 1> pools;
  /// Groups (models that never run together) that use this buffer; empty means all groups. Two
  /// buffers without a common group are never live together. Each group counts lifetimes on the
  /// same clock.
  absl::InlinedVector<int32_t, 1> groups;
  /// Bytes accessed in one run, for choosing among pools by cost.
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
};

enum class PoolKind : uint8_t { kReadWrite, kReadOnly };

/// The cost of a pool's memory, as far as known; 0 means unknown.
struct PoolCost {
  int64_t clock_hz = 0;
  int64_t read_bytes_per_cycle = 0;
  int64_t write_bytes_per_cycle = 0;
  int64_t read_latency_cycles = 0;
  int64_t write_latency_cycles = 0;
};

/// A region of memory. A buffer at `offset` has the address `base_offset + offset`, which is a
/// multiple of the larger of the buffer's and the pool's alignment.
struct Pool {
  std::string name;
  /// The limit on the ends of buffers; kUnlimited means no limit.
  int64_t capacity = kUnlimited;
  int64_t alignment = 1;
  int64_t base_offset = 0;
  /// Read-only pools hold only constants.
  PoolKind kind = PoolKind::kReadWrite;
  PoolCost cost;
};

enum class RelationKind : uint8_t {
  /// The pair never overlaps in a pool, even if the lifetimes would allow it.
  kDisjoint,
  /// The pair may overlap in any way, even if the lifetimes would forbid it.
  kMayShare,
  /// In one pool, offset(b) - offset(a) is in `allowed`; the lifetimes do not matter. (For an
  /// output that overlaps an input which dies: the differences at which every read precedes the
  /// write.)
  kOffsetDifference,
};

/// A closed range of offset differences.
struct DifferenceRange {
  int64_t first = 0;
  int64_t last = 0;
  bool operator==(const DifferenceRange&) const = default;
};

/// A rule for a pair of buffers that goes beyond their lifetimes. A pair has at most one relation.
struct Relation {
  RelationKind kind = RelationKind::kDisjoint;
  int32_t a = 0;
  int32_t b = 0;
  /// For kOffsetDifference: not empty, in any order.
  std::vector<DifferenceRange> allowed;
  /// The pair must be in one pool (an alias). Without it, placing the pair in two pools satisfies
  /// any kind.
  bool same_pool = false;
};

/// conflicts[i] lists the declared conflicts of buffer i. Order, duplicates and direction are TVM's
/// and matter to its algorithms.
using ConflictLists = std::vector<std::vector<int32_t>>;

/// A planning problem. Two buffers conflict where both are live (lifetimes, gap windows, groups),
/// unless a relation says otherwise; this alone decides whether a plan is right.
struct Problem {
  std::vector<Buffer> buffers;
  std::vector<Pool> pools;
  std::vector<Relation> relations;
  /// The conflicts of TVM's liveness analysis, which TVM's algorithms read in addition to the
  /// fields above. If absent, they are derived from the lifetimes (tvm_liveness.h).
  std::optional<ConflictLists> conflicts;
  /// The pressure at which hill_climb stops searching; 0 means never. If absent, it is derived like
  /// `conflicts` if those are also absent, and is otherwise 0.
  std::optional<int64_t> memory_pressure;
};

/// The pool and offset of a buffer.
struct Placement {
  int32_t pool = -1;
  int64_t offset = 0;
  bool operator==(const Placement&) const = default;
};

/// The evidence for a lower bound.
enum class BoundKind : uint8_t {
  /// The buffers of the witness need this many bytes side by side.
  kLive,
  /// An exhaustive search found no placement of the witness in fewer bytes.
  kSearch,
};

/// A proof that no plan makes the pool smaller than `bytes`. The buffers `live` fit into no other
/// pool (or stay here, see of_choice). For kLive with `time`, the bytes that each buffer uses at
/// that time count; without it, the whole buffers, which conflict pairwise. `bytes` is the sum,
/// minus the bytes that each pair can share at that time by a relation. If all buffers are whole,
/// alignment also counts. Let A be the smallest of their effective alignments. The lowest buffer
/// begins at the pool's first offset with an address that A divides. All but the topmost waste the
/// space to their next multiple of A. `bytes` is then that first offset, plus the sizes rounded up
/// to A, minus the rounded bytes that pairs can share and the largest rounding among the buffers.
struct LowerBound {
  int64_t bytes = 0;
  std::optional<int64_t> time;
  std::vector<int32_t> live;
  BoundKind kind = BoundKind::kLive;
  /// For kSearch, which has no time: the placements that the search tried before it was complete.
  int64_t searched = 0;
  /// True if some of `live` have other candidates: the bound holds for plans that place them here.
  bool of_choice = false;
};

struct PoolPlan {
  /// The largest end of a buffer placed here; 0 for an unused pool.
  int64_t size = 0;
  LowerBound lower_bound;
  /// The method that found this size, by its name in docs/internals/planner.md.
  std::string found_by;
};

/// The cost of the choice among candidate pools; see Pool and Buffer. Sums saturate at INT64_MAX.
struct PlanCost {
  /// The time of all accesses to buffers whose candidates all have a known cost. A transfer moves
  /// up to the width of the bus and takes the latency plus one cycle. A buffer without known
  /// accesses counts as written once and read once.
  int64_t picoseconds = 0;
  /// The sum of each buffer's bytes times its pool's index in the buffer's list of candidates.
  int64_t spilled = 0;
  /// True if no plan takes less time, or the same time with fewer bytes spilled.
  bool is_least = false;
  /// No plan takes less time, or the same time with fewer bytes spilled.
  int64_t bound_picoseconds = 0;
  int64_t bound_spilled = 0;
};

/// How far the cost of a plan may be above the least, in percent of its bound: the time, or the
/// spilled bytes if no time is known. Infinite without a bound.
double CostGapPercent(const PlanCost& cost);

/// True if no plan makes the pool smaller. A bound of a choice of pools proves that only if no
/// choice costs less.
inline bool IsProven(const PoolPlan& pool, const PlanCost& cost) {
  return pool.size == pool.lower_bound.bytes && (cost.is_least || !pool.lower_bound.of_choice);
}

/// A plan with its certificate.
struct Plan {
  /// The algorithm that made the placements. It differs from the requested one if that failed and
  /// PlanOptions allowed a fallback.
  std::string algorithm;
  /// One placement for each buffer of the problem.
  std::vector<Placement> placements;
  /// One entry for each pool of the problem.
  std::vector<PoolPlan> pools;
  PlanCost cost;
  /// True if the cost is the least and every pool's size equals its lower bound.
  bool proven_optimal = false;
};

/// True if a bound only holds for plans with the same choice of pools.
inline bool IsOfChoice(const Plan& plan) {
  for (const PoolPlan& pool : plan.pools) {
    if (pool.lower_bound.of_choice) return true;
  }
  return false;
}

/// OK, or InvalidArgument naming the first violation of a rule stated above.
absl::Status ValidateProblem(const Problem& problem);

/// `bytes` rounded up to a multiple of `alignment`, a power of two. The result must fit int64.
inline int64_t RoundUp(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) & ~(alignment - 1);
}

/// `base + offset` rounded up to `alignment`, minus `base`: the next offset with an aligned
/// address.
/// Needs offset <= kMaxBytes + 1 and the limits of a valid Problem.
inline int64_t AlignOffset(int64_t offset, int64_t alignment, int64_t base) {
  return RoundUp(base + offset, alignment) - base;
}

/// The alignment of `buffer` in `pool`.
inline int64_t EffectiveAlignment(const Buffer& buffer, const Pool& pool) {
  return buffer.alignment > pool.alignment ? buffer.alignment : pool.alignment;
}

/// The largest end that a buffer may have in `pool`.
inline int64_t EffectiveCapacity(const Pool& pool) {
  return pool.capacity == kUnlimited ? kMaxBytes : pool.capacity;
}

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_PROBLEM_H_
