#include "planner/problem/access_cost.h"

#include <algorithm>

#include "support/check.h"

namespace tenon::planner {
namespace {

constexpr __int128 kPicoseconds = 1'000'000'000'000;

int64_t Saturated(__int128 value) {
  return static_cast<int64_t>(std::min<__int128>(value, INT64_MAX));
}

bool IsKnown(const PoolCost& cost) {
  return cost.clock_hz > 0 && cost.read_bytes_per_cycle > 0 && cost.write_bytes_per_cycle > 0;
}

// Every transfer of the bus width waits for the latency.
__int128 Cycles(int64_t bytes, int64_t width, int64_t latency) {
  TENON_DCHECK(width > 0);
  const __int128 transfers = (__int128{bytes} + width - 1) / width;
  return std::min<__int128>(transfers * (__int128{latency} + 1), INT64_MAX);
}

int64_t Time(const Buffer& buffer, const PoolCost& cost) {
  TENON_CHECK(IsKnown(cost));
  const bool counted = buffer.bytes_read > 0 || buffer.bytes_written > 0;
  const int64_t read = counted ? buffer.bytes_read : buffer.size;
  const int64_t written = counted ? buffer.bytes_written : buffer.size;
  const __int128 cycles = Cycles(read, cost.read_bytes_per_cycle, cost.read_latency_cycles) +
                          Cycles(written, cost.write_bytes_per_cycle, cost.write_latency_cycles);
  return Saturated(cycles * kPicoseconds / cost.clock_hz);
}

}  // namespace

Price& Price::operator+=(const Price& other) {
  picoseconds = Saturated(__int128{picoseconds} + other.picoseconds);
  spilled = Saturated(__int128{spilled} + other.spilled);
  return *this;
}

AccessCosts::AccessCosts(const Problem& problem) : choices_(problem.buffers.size()) {
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    const bool known = std::all_of(buffer.pools.begin(), buffer.pools.end(), [&](int32_t pool) {
      return IsKnown(problem.pools[Index(pool)].cost);
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
