#include "planner/tvm/tvm_common.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "planner/problem/overlaps.h"
#include "planner/problem/pair_rules.h"
#include "planner/tvm/tvm_liveness.h"
#include "support/status_macros.h"

namespace tenon::planner {
namespace {

absl::Status CheckSupported(const Problem& problem, const PairRules& rules,
                            std::string_view algorithm) {
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.fixed_offset) {
      return absl::UnimplementedError(fmt::format(
          "{} does not support the fixed offset of buffer `{}`", algorithm, buffer.name));
    }
  }
  for (const Relation& relation : problem.relations) {
    if (!relation.same_pool && rules.AllowsApart(relation.a, relation.b)) continue;
    return absl::UnimplementedError(fmt::format(
        "{} does not support the relation of the buffers `{}` and `{}`", algorithm,
        problem.buffers[Index(relation.a)].name, problem.buffers[Index(relation.b)].name));
  }
  return absl::OkStatus();
}

bool NeverTogether(const Buffer& a, const Buffer& b) {
  if (a.groups.empty() || b.groups.empty()) return false;
  return std::none_of(a.groups.begin(), a.groups.end(), [&](int32_t group) {
    return std::find(b.groups.begin(), b.groups.end(), group) != b.groups.end();
  });
}

absl::Status DeriveLists(const Problem& problem, TvmProblem* tvm) {
  TENON_ASSIGN_OR(TvmLiveness liveness, DeriveTvmConflicts(problem.buffers));
  tvm->conflicts = std::move(liveness.conflicts);
  tvm->memory_pressure = liveness.memory_pressure;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    if (buffer.groups.empty() || buffer.kind == BufferKind::kConstant) continue;
    std::erase_if(tvm->conflicts[i], [&](int32_t other) {
      return NeverTogether(buffer, problem.buffers[Index(other)]);
    });
  }
  return absl::OkStatus();
}

absl::Status AddObstacles(const Problem& problem, const PairRules& rules, TvmProblem* tvm) {
  tvm->obstacles = tvm->conflicts;
  TENON_ASSIGN_OR(ConflictLists real, ConflictingPairs(problem, rules));
  std::vector<int32_t> listed_by(problem.buffers.size(), -1);
  for (size_t i = 0; i < real.size(); ++i) {
    const auto self = static_cast<int32_t>(i);
    for (int32_t other : tvm->conflicts[i]) listed_by[Index(other)] = self;
    for (int32_t other : real[i]) {
      if (listed_by[Index(other)] != self) tvm->obstacles[i].push_back(other);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TvmProblem> PrepareTvmProblem(const Problem& problem, std::string_view algorithm) {
  const PairRules rules(problem);
  TENON_TRY(CheckSupported(problem, rules, algorithm));
  TvmProblem tvm;
  tvm.problem = &problem;
  if (problem.conflicts) {
    tvm.conflicts = *problem.conflicts;
  } else {
    TENON_TRY(DeriveLists(problem, &tvm));
  }
  if (problem.memory_pressure) tvm.memory_pressure = *problem.memory_pressure;
  TENON_TRY(AddObstacles(problem, rules, &tvm));
  return tvm;
}

std::vector<int32_t> SortForTvm(const Problem& problem, const std::vector<int64_t>& conflicts,
                                TvmOrder order) {
  std::vector<int32_t> result(problem.buffers.size());
  std::iota(result.begin(), result.end(), 0);
  auto keys = [&](int32_t i) {
    const int64_t size = problem.buffers[Index(i)].size;
    const int64_t count = conflicts[Index(i)];
    return order == TvmOrder::kBySize ? std::pair(size, count) : std::pair(count, size);
  };
  // Names are compared as bytes; a stable sort settles equal names, which TVM never has.
  std::stable_sort(result.begin(), result.end(), [&](int32_t a, int32_t b) {
    const auto ka = keys(a);
    const auto kb = keys(b);
    return ka != kb ? ka > kb : problem.buffers[Index(a)].name > problem.buffers[Index(b)].name;
  });
  return result;
}

std::vector<int32_t> SortForTvm(const TvmProblem& tvm, TvmOrder order) {
  std::vector<int64_t> counts;
  for (const std::vector<int32_t>& list : tvm.conflicts) {
    counts.push_back(static_cast<int64_t>(list.size()));
  }
  return SortForTvm(*tvm.problem, counts, order);
}

void OffsetTable::Reset(int32_t buffer) {
  buffer_ = &problem_.buffers[Index(buffer)];
  rows_.clear();
  for (int32_t pool : buffer_->pools) {
    const Pool& p = problem_.pools[Index(pool)];
    const int64_t first = AlignOffset(0, EffectiveAlignment(*buffer_, p), p.base_offset);
    rows_.push_back({pool, first, Fits(pool, first), false});
  }
}

OffsetTable::Row* OffsetTable::Find(int32_t pool) {
  for (Row& row : rows_) {
    if (row.pool == pool) return &row;
  }
  return nullptr;
}

int64_t OffsetTable::OffsetAfter(int32_t obstacle, int64_t offset, int32_t pool) const {
  // TVM rounds only by the obstacle's alignment, which is right only if all alignments are equal.
  const Buffer& other = problem_.buffers[Index(obstacle)];
  const Pool& p = problem_.pools[Index(pool)];
  const int64_t alignment = std::max(EffectiveAlignment(*buffer_, p), other.alignment);
  return AlignOffset(offset + other.size, alignment, p.base_offset);
}

bool OffsetTable::Fits(int32_t pool, int64_t offset) const {
  const int64_t capacity = EffectiveCapacity(problem_.pools[Index(pool)]);
  return offset <= capacity && buffer_->size <= capacity - offset;
}

OffsetTable::Row* OffsetTable::Best() {
  for (Row& row : rows_) {
    if (row.present && !row.dead) return &row;
  }
  return nullptr;
}

}  // namespace tenon::planner
