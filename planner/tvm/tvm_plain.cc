#include "planner/tvm/tvm_plain.h"

#include <algorithm>
#include <numeric>

#include "planner/heuristics/ordered_boxes.h"
#include "planner/heuristics/skyline.h"

namespace tenon::planner {
namespace {

// The limit on all sizes and alignments together, so that no sum overflows.
constexpr int64_t kMostBytes = kMaxBytes / 4;
// PlaceInHoles visits every placed buffer, which pays if one pair in this many overlaps in time.
constexpr double kDense = 48;

bool IsPlain(const Problem& problem) {
  if (problem.pools.size() != 1 || !problem.relations.empty() || problem.conflicts) return false;
  int64_t sum = 0;
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.fixed_offset || !buffer.groups.empty() || buffer.lifetimes.size() > 1 ||
        buffer.kind == BufferKind::kConstant) {
      return false;
    }
    const int64_t most = std::max(buffer.alignment, problem.pools[0].alignment);
    if (buffer.size > kMostBytes - 2 * most - sum) return false;
    sum += buffer.size + 2 * most;
  }
  return true;
}

}  // namespace

std::optional<PlainTvm> PlainTvm::Make(const Problem& problem) {
  if (!IsPlain(problem)) return std::nullopt;
  PlainTvm plain(problem);
  if (!plain.Rank()) return std::nullopt;
  plain.CountConflicts();
  return plain;
}

// Returns false if no buffer lives.
bool PlainTvm::Rank() {
  std::vector<int64_t> times;
  for (const Buffer& buffer : problem_->buffers) {
    for (const Lifetime& life : buffer.lifetimes) {
      if (life.lower < life.upper) times.insert(times.end(), {life.lower, life.upper});
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  times_ = static_cast<int32_t>(times.size());
  const auto rank = [&](int64_t time) {
    return static_cast<int32_t>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
  };
  for (const Buffer& buffer : problem_->buffers) {
    LifeSpan& span = lives_.emplace_back();
    for (const Lifetime& life : buffer.lifetimes) {
      if (life.lower < life.upper) span = {rank(life.lower), rank(life.upper)};
    }
  }
  return times_ > 0;
}

void PlainTvm::CountConflicts() {
  // Births before each time, and deaths up to it.
  std::vector<int64_t> births(Index(times_) + 1);
  std::vector<int64_t> deaths(Index(times_) + 1);
  for (const LifeSpan& life : lives_) {
    if (life.first == life.end) continue;
    ++births[Index(life.first) + 1];
    ++deaths[Index(life.end)];
  }
  std::partial_sum(births.begin(), births.end(), births.begin());
  std::partial_sum(deaths.begin(), deaths.end(), deaths.begin());
  for (const LifeSpan& life : lives_) {
    int64_t& count = conflicts_.emplace_back();
    if (life.first < life.end) count = births[Index(life.end)] - deaths[Index(life.first)] - 1;
    entries_ += count;
  }
}

bool PlainTvm::is_dense() const {
  const auto count = static_cast<double>(lives_.size());
  return static_cast<double>(entries_) * kDense >= count * count;
}

int64_t PlainTvm::OffsetFrom(int64_t ground, int32_t buffer) const {
  const Pool& pool = problem_->pools[0];
  return AlignOffset(ground, EffectiveAlignment(problem_->buffers[Index(buffer)], pool),
                     pool.base_offset);
}

// TVM also rounds the end of a buffer up to that buffer's alignment.
int64_t PlainTvm::Top(int32_t buffer, int64_t offset) const {
  const Buffer& placed = problem_->buffers[Index(buffer)];
  return AlignOffset(offset + placed.size, placed.alignment, problem_->pools[0].base_offset);
}

bool PlainTvm::Fits(int32_t buffer, int64_t offset) const {
  return offset <= EffectiveCapacity(problem_->pools[0]) - problem_->buffers[Index(buffer)].size;
}

std::optional<std::vector<Placement>> PlainTvm::PlaceAbove(TvmOrder order) const {
  Skyline skyline(Index(times_));
  std::vector<Placement> placements(lives_.size());
  for (const int32_t i : SortForTvm(*problem_, conflicts_, order)) {
    const LifeSpan& life = lives_[Index(i)];
    const bool lives = life.first < life.end;
    const int64_t ground = lives ? skyline.Highest(Index(life.first), Index(life.end)) : 0;
    const int64_t offset = OffsetFrom(ground, i);
    if (!Fits(i, offset)) return std::nullopt;
    placements[Index(i)] = {0, offset};
    if (lives) skyline.Raise(Index(life.first), Index(life.end), Top(i, offset));
  }
  return placements;
}

std::optional<std::vector<Placement>> PlainTvm::PlaceInHoles() const {
  OrderedBoxes placed(OrderedBoxes::Key::kBottom);
  std::vector<PlacedBox> near;
  std::vector<Placement> placements(lives_.size());
  for (const int32_t i : SortForTvm(*problem_, conflicts_, TvmOrder::kBySize)) {
    const LifeSpan& life = lives_[Index(i)];
    const bool lives = life.first < life.end;
    const size_t count = lives ? placed.Gather(life, &near) : 0;
    const int64_t size = problem_->buffers[Index(i)].size;
    int64_t offset = OffsetFrom(0, i);
    for (size_t k = 0; k < count; ++k) {
      const int64_t next = OffsetFrom(near[k].top, i);
      // TVM gives up a pool for one such conflict, even where the buffer would fit below it.
      if (!Fits(i, next)) return std::nullopt;
      if (offset + size > near[k].bottom) offset = std::max(offset, next);
    }
    if (!Fits(i, offset)) return std::nullopt;
    placements[Index(i)] = {0, offset};
    if (lives) placed.Add({life, offset, Top(i, offset), i});
  }
  return placements;
}

}  // namespace tenon::planner
