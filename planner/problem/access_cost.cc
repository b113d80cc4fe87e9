#include "planner/problem/access_cost.h"

#include <algorithm>

#include "support/check.h"

namespace tenon::planner {
namespace {

constexpr __int128 kPicoseconds = 1'000'000'000'000;

int64_t Saturated(__int128 value) {
  return static_cast<int64_t>(std::min<__int128>(value, INT64_MAX));
}

/// The bytes of the accesses that count.
struct Accesses {
  int64_t read = 0;
  int64_t written = 0;
};

Accesses AccessesOf(const Buffer& buffer) {
  if (buffer.bytes_read > 0 || buffer.bytes_written > 0)
    return {buffer.bytes_read, buffer.bytes_written};
  // No run writes constants.
  return {buffer.size, buffer.kind == BufferKind::kConstant ? 0 : buffer.size};
}

// Every transfer of the bus width waits for the latency.
__int128 Cycles(int64_t bytes, int64_t width, int64_t latency) {
  TENON_DCHECK(width > 0);
  const __int128 transfers = (__int128{bytes} + width - 1) / width;
  return std::min<__int128>(transfers * (__int128{latency} + 1), INT64_MAX);
}

int64_t Time(const Buffer& buffer, const PoolCost& cost) {
  const Accesses accesses = AccessesOf(buffer);
  __int128 cycles = 0;
  if (accesses.read > 0)
    cycles += Cycles(accesses.read, cost.read_bytes_per_cycle, cost.read_latency_cycles);
  if (accesses.written > 0)
    cycles += Cycles(accesses.written, cost.write_bytes_per_cycle, cost.write_latency_cycles);
  TENON_CHECK(cost.clock_hz > 0);
  return Saturated(cycles * kPicoseconds / cost.clock_hz);
}

}  // namespace

std::vector<CostFigure> MissingFigures(const Buffer& buffer, const PoolCost& cost) {
  const Accesses accesses = AccessesOf(buffer);
  std::vector<CostFigure> missing;
  if (cost.clock_hz <= 0) missing.push_back(CostFigure::kClock);
  if (accesses.read > 0 && cost.read_bytes_per_cycle <= 0)
    missing.push_back(CostFigure::kReadWidth);
  if (accesses.written > 0 && cost.write_bytes_per_cycle <= 0)
    missing.push_back(CostFigure::kWriteWidth);
  return missing;
}

Price& Price::operator+=(const Price& other) {
  picoseconds = Saturated(__int128{picoseconds} + other.picoseconds);
  spilled = Saturated(__int128{spilled} + other.spilled);
  return *this;
}

AccessCosts::AccessCosts(const Problem& problem) : choices_(problem.buffers.size()) {
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    const bool known = std::all_of(buffer.pools.begin(), buffer.pools.end(), [&](int32_t pool) {
      return MissingFigures(buffer, problem.pools[Index(pool)].cost).empty();
    });
    for (size_t place = 0; place < buffer.pools.size(); ++place) {
      const Pool& pool = problem.pools[Index(buffer.pools[place])];
      if (buffer.size > EffectiveCapacity(pool)) continue;
      Price price{.picoseconds = known ? Time(buffer, pool.cost) : 0};
      price.spilled = Saturated(__int128{buffer.size} * static_cast<int64_t>(place));
      choices_[i].push_back({buffer.pools[place], price});
    }
    std::stable_sort(choices_[i].begin(), choices_[i].end(),
                     [](const Choice& a, const Choice& b) { return a.price < b.price; });
    any_choice_ = any_choice_ || choices_[i].size() > 1;
  }
}

Price AccessCosts::Of(int32_t buffer, int32_t pool) const {
  for (const Choice& choice : ChoicesOf(buffer)) {
    if (choice.pool == pool) return choice.price;
  }
  return {INT64_MAX, INT64_MAX};
}

Price AccessCosts::Regret(int32_t buffer) const {
  const Choices& choices = ChoicesOf(buffer);
  if (choices.size() < 2) return {};
  return {choices[1].price.picoseconds - choices[0].price.picoseconds,
          choices[1].price.spilled - choices[0].price.spilled};
}

Price AccessCosts::Least() const {
  Price sum;
  for (const Choices& choices : choices_) {
    if (!choices.empty()) sum += choices[0].price;
  }
  return sum;
}

}  // namespace tenon::planner
