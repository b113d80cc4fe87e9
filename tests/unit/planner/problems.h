#ifndef TENON_TESTS_UNIT_PLANNER_PROBLEMS_H_
#define TENON_TESTS_UNIT_PLANNER_PROBLEMS_H_

// Builders of planning problems, and accessors of plans for tests.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/check/checker.h"
#include "planner/planner.h"
#include "planner/problem/problem.h"
#include "planner/tvm/tvm_liveness.h"
#include "tests/unit/planner/tvm_data.h"

namespace tenon::planner {

/// A buffer live over the closed ticks [first, last].
inline Buffer LiveBuffer(std::string_view name, int64_t size, int64_t first, int64_t last,
                         int64_t alignment = 1) {
  Buffer buffer;
  buffer.name = std::string(name);
  buffer.size = size;
  buffer.alignment = alignment;
  buffer.lifetimes = {{first, last + 1}};
  buffer.pools = {0};
  return buffer;
}

inline Pool MakePool(std::string_view name, int64_t capacity = kUnlimited) {
  Pool pool;
  pool.name = std::string(name);
  pool.capacity = capacity;
  return pool;
}

/// One pool; conflicts follow from the rows. Names are the rows' numbers.
inline Problem IntervalProblem(const std::vector<IntervalRow>& rows, int64_t alignment = 1) {
  Problem problem;
  problem.pools = {MakePool("default")};
  for (size_t i = 0; i < rows.size(); ++i) {
    problem.buffers.push_back(
        LiveBuffer(std::to_string(i), rows[i].size, rows[i].first, rows[i].last, alignment));
  }
  return problem;
}

/// One pool; conflicts are the lists, without lifetimes. `one_sided` says whether an entry that
/// only one buffer lists must be respected, or only matters for TVM.
inline Problem ListProblem(const std::vector<ConflictRow>& rows, int64_t alignment = 1,
                           OneSided one_sided = OneSided::kConflict) {
  Problem problem;
  problem.pools = {MakePool("default")};
  problem.conflicts.emplace();
  for (const ConflictRow& row : rows) {
    Buffer buffer;
    buffer.name = std::string(row.name);
    buffer.size = row.size;
    buffer.alignment = alignment;
    buffer.pools = {0};
    problem.buffers.push_back(std::move(buffer));
    problem.conflicts->push_back(row.conflicts);
  }
  problem.relations = RelationsFromConflicts(*problem.conflicts, one_sided);
  return problem;
}

/// The two-pool problem of TVM's MobilenetStructure: fast memory first, then slow.
inline Problem Mobilenet() {
  Problem problem;
  problem.pools = {MakePool("fast_memory", 200704), MakePool("slow_memory")};
  problem.buffers = {
      LiveBuffer("sid_9", 301056, 5, 13, 16),
      LiveBuffer("sid_8", 802816, 15, 28, 16),
      LiveBuffer("PaddedInput_7", 314646, 11, 18, 16),
      LiveBuffer("Conv2dOutput_7", 256, 15, 18, 16),
      LiveBuffer("tensor_2", 200704, 21, 38, 16),
  };
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  return problem;
}

/// Mobilenet with a single pool.
inline Problem MobilenetInOnePool(int64_t capacity) {
  Problem problem = Mobilenet();
  problem.pools = {MakePool("memory", capacity)};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0};
  return problem;
}

/// TVM's ResnetStructure: four convolutions, the first one's input used again by the last.
inline Problem Resnet() {
  Problem problem;
  problem.pools = {MakePool("global_workspace")};
  problem.buffers = {
      LiveBuffer("sid_2", 720000, 5, 43, 16),
      LiveBuffer("sid_6", 5760000, 35, 48, 16),
      LiveBuffer("sid_7", 720000, 25, 33, 16),
      LiveBuffer("sid_8", 720000, 15, 23, 16),
      LiveBuffer("PaddedInput", 720000, 11, 18, 16),
      LiveBuffer("PaddedInput_1", 758912, 21, 28, 16),
      LiveBuffer("PaddedInput_2", 720000, 31, 38, 16),
      LiveBuffer("PaddedInput_3", 720000, 41, 48, 16),
      LiveBuffer("Conv2dOutput", 256, 15, 18, 16),
      LiveBuffer("Conv2dOutput_1", 256, 25, 28, 16),
      LiveBuffer("Conv2dOutput_2", 256, 35, 38, 16),
      LiveBuffer("Conv2dOutput_3", 256, 45, 48, 16),
  };
  return problem;
}

/// The sizes of the pools, or empty if planning failed.
inline std::vector<int64_t> PoolSizes(const absl::StatusOr<Plan>& plan) {
  std::vector<int64_t> sizes;
  if (!plan.ok()) return sizes;
  for (const PoolPlan& pool : plan->pools) sizes.push_back(pool.size);
  return sizes;
}

/// The offsets of the buffers, or empty if planning failed.
inline std::vector<int64_t> Offsets(const absl::StatusOr<Plan>& plan) {
  std::vector<int64_t> offsets;
  if (!plan.ok()) return offsets;
  for (const Placement& placement : plan->placements) offsets.push_back(placement.offset);
  return offsets;
}

/// The numbers of the buffers' pools, or empty if planning failed.
inline std::vector<int32_t> PoolNumbers(const absl::StatusOr<Plan>& plan) {
  std::vector<int32_t> pools;
  if (!plan.ok()) return pools;
  for (const Placement& placement : plan->placements) pools.push_back(placement.pool);
  return pools;
}

}  // namespace tenon::planner

#endif  // TENON_TESTS_UNIT_PLANNER_PROBLEMS_H_
