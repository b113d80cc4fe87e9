#include "planner/problem/problem.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "support/status_macros.h"

namespace tenon::planner {
namespace {

template <typename... Args>
absl::Status Invalid(fmt::format_string<Args...> format, Args&&... args) {
  return absl::InvalidArgumentError(fmt::format(format, std::forward<Args>(args)...));
}

bool IsAlignment(int64_t value) {
  return value >= 1 && value <= kMaxAlignment && (value & (value - 1)) == 0;
}

absl::Status ValidatePool(const Pool& pool) {
  if (pool.capacity != kUnlimited && (pool.capacity < 0 || pool.capacity > kMaxBytes)) {
    return Invalid("pool `{}` has the capacity {}, expected 0 to 2^62 - 1 or -1 for unlimited",
                   pool.name, pool.capacity);
  }
  if (!IsAlignment(pool.alignment)) {
    return Invalid("pool `{}` has the alignment {}, expected a power of two up to 2^40", pool.name,
                   pool.alignment);
  }
  if (pool.base_offset < 0 || pool.base_offset > kMaxAlignment) {
    return Invalid("pool `{}` has the base offset {}, expected 0 to 2^40", pool.name,
                   pool.base_offset);
  }
  return absl::OkStatus();
}

absl::Status ValidateLifetimes(const Buffer& buffer) {
  for (size_t i = 0; i < buffer.lifetimes.size(); ++i) {
    const Lifetime& life = buffer.lifetimes[i];
    if (life.lower > life.upper) {
      return Invalid("buffer `{}` has the lifetime [{}, {}), which ends before it begins",
                     buffer.name, life.lower, life.upper);
    }
    if (i > 0 && life.lower < buffer.lifetimes[i - 1].upper) {
      return Invalid("buffer `{}` has lifetimes that overlap or are not in order at {}",
                     buffer.name, life.lower);
    }
  }
  return absl::OkStatus();
}

bool WithinOneLifetime(const GapWindow& gap, const Buffer& buffer) {
  return std::any_of(buffer.lifetimes.begin(), buffer.lifetimes.end(), [&](const Lifetime& life) {
    return life.lower <= gap.lower && gap.upper <= life.upper;
  });
}

absl::Status ValidateGaps(const Buffer& buffer) {
  for (size_t i = 0; i < buffer.gaps.size(); ++i) {
    const GapWindow& gap = buffer.gaps[i];
    if (gap.lower > gap.upper || (i > 0 && gap.lower < buffer.gaps[i - 1].upper)) {
      return Invalid("buffer `{}` has gaps that overlap or are not in order at [{}, {})",
                     buffer.name, gap.lower, gap.upper);
    }
    if (!WithinOneLifetime(gap, buffer)) {
      return Invalid("buffer `{}` has the gap [{}, {}) outside its lifetimes", buffer.name,
                     gap.lower, gap.upper);
    }
    if (gap.first_byte < 0 || gap.first_byte > gap.end_byte || gap.end_byte > buffer.size) {
      return Invalid("buffer `{}` of {} bytes has a gap that uses the bytes [{}, {})", buffer.name,
                     buffer.size, gap.first_byte, gap.end_byte);
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateCandidates(const Buffer& buffer, const std::vector<Pool>& pools) {
  if (buffer.pools.empty()) return Invalid("buffer `{}` has no candidate pool", buffer.name);
  for (size_t i = 0; i < buffer.pools.size(); ++i) {
    const int32_t index = buffer.pools[i];
    if (index < 0 || static_cast<size_t>(index) >= pools.size()) {
      return Invalid("buffer `{}` has the candidate pool number {}, but there are {} pools",
                     buffer.name, index, pools.size());
    }
    if (std::find(buffer.pools.begin(), buffer.pools.begin() + static_cast<ptrdiff_t>(i), index) !=
        buffer.pools.begin() + static_cast<ptrdiff_t>(i)) {
      return Invalid("buffer `{}` has the candidate pool `{}` twice", buffer.name,
                     pools[Index(index)].name);
    }
    if (pools[Index(index)].kind == PoolKind::kReadOnly && buffer.kind != BufferKind::kConstant) {
      return Invalid("buffer `{}` is not a constant, but has the read-only pool `{}` as candidate",
                     buffer.name, pools[Index(index)].name);
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateBuffer(const Buffer& buffer, const std::vector<Pool>& pools) {
  if (buffer.size < 0 || buffer.size > kMaxBytes) {
    return Invalid("buffer `{}` has the size {}, expected 0 to 2^62 - 1", buffer.name, buffer.size);
  }
  if (!IsAlignment(buffer.alignment)) {
    return Invalid("buffer `{}` has the alignment {}, expected a power of two up to 2^40",
                   buffer.name, buffer.alignment);
  }
  if (buffer.fixed_offset && (*buffer.fixed_offset < 0 || *buffer.fixed_offset > kMaxBytes)) {
    return Invalid("buffer `{}` has the fixed offset {}, expected 0 to 2^62 - 1", buffer.name,
                   *buffer.fixed_offset);
  }
  TENON_TRY(ValidateLifetimes(buffer));
  TENON_TRY(ValidateGaps(buffer));
  return ValidateCandidates(buffer, pools);
}

absl::Status ValidateRelations(const Problem& problem) {
  const auto count = static_cast<int64_t>(problem.buffers.size());
  absl::flat_hash_set<std::pair<int32_t, int32_t>> seen;
  for (const Relation& relation : problem.relations) {
    if (relation.a < 0 || relation.a >= count || relation.b < 0 || relation.b >= count) {
      return Invalid("a relation names the buffers {} and {}, but there are {} buffers", relation.a,
                     relation.b, count);
    }
    const std::string& a = problem.buffers[Index(relation.a)].name;
    const std::string& b = problem.buffers[Index(relation.b)].name;
    if (relation.a == relation.b) return Invalid("buffer `{}` is related to itself", a);
    if (!seen.insert(std::minmax(relation.a, relation.b)).second) {
      return Invalid("the buffers `{}` and `{}` have two relations", a, b);
    }
    if (relation.kind != RelationKind::kOffsetDifference) continue;
    if (relation.allowed.empty()) {
      return Invalid("the relation of `{}` and `{}` allows no offset difference", a, b);
    }
    for (const DifferenceRange& range : relation.allowed) {
      if (range.first <= range.last) continue;
      return Invalid("the relation of `{}` and `{}` has the empty range [{}, {}]", a, b,
                     range.first, range.last);
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateConflicts(const Problem& problem) {
  if (problem.memory_pressure && *problem.memory_pressure < 0) {
    return Invalid("the memory pressure is {}, expected 0 or more", *problem.memory_pressure);
  }
  if (!problem.conflicts) return absl::OkStatus();
  const size_t count = problem.buffers.size();
  if (problem.conflicts->size() != count) {
    return Invalid("there are {} conflict lists for {} buffers", problem.conflicts->size(), count);
  }
  for (size_t i = 0; i < count; ++i) {
    for (int32_t other : (*problem.conflicts)[i]) {
      if (other >= 0 && static_cast<size_t>(other) < count) continue;
      return Invalid("buffer `{}` conflicts with buffer number {}, but there are {} buffers",
                     problem.buffers[i].name, other, count);
    }
  }
  return absl::OkStatus();
}

}  // namespace

double CostGapPercent(const PlanCost& cost) {
  const bool counts_time = cost.picoseconds > 0;
  const int64_t paid = counts_time ? cost.picoseconds : cost.spilled;
  const int64_t bound = counts_time ? cost.bound_picoseconds : cost.bound_spilled;
  if (cost.is_least || paid == bound) return 0;
  if (bound == 0) return std::numeric_limits<double>::infinity();
  return 100.0 * static_cast<double>(paid - bound) / static_cast<double>(bound);
}

absl::Status ValidateProblem(const Problem& problem) {
  if (problem.buffers.size() > size_t{1} << 30 || problem.pools.size() > size_t{1} << 20) {
    return Invalid("{} buffers and {} pools are too many", problem.buffers.size(),
                   problem.pools.size());
  }
  for (const Pool& pool : problem.pools) TENON_TRY(ValidatePool(pool));
  for (const Buffer& buffer : problem.buffers) TENON_TRY(ValidateBuffer(buffer, problem.pools));
  TENON_TRY(ValidateRelations(problem));
  return ValidateConflicts(problem);
}

}  // namespace tenon::planner
