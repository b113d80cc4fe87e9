#include "planner/heuristics/orders.h"

#include <algorithm>
#include <numeric>

#include "support/check.h"

namespace tenon::planner {
namespace {

// The keys of the orders; a buffer that is never live has zeros.
struct BufferTraits {
  double duration = 0;
  double area = 0;
  int64_t birth = 0;
  int64_t death = 0;
  int64_t met = 0;
};

void MeasureLives(const Problem& problem, const PairRules& rules,
                  std::vector<BufferTraits>* traits) {
  TENON_CHECK(traits->size() == problem.buffers.size());
  for (size_t i = 0; i < traits->size(); ++i) {
    BufferTraits& t = (*traits)[i];
    const auto pieces = rules.Pieces(static_cast<int32_t>(i));
    for (const UsePiece& piece : pieces) {
      // In double precision: ticks may span the range of 64-bit integers.
      t.duration += static_cast<double>(piece.upper) - static_cast<double>(piece.lower);
    }
    t.area = t.duration * static_cast<double>(problem.buffers[i].size);
    if (pieces.empty()) continue;
    t.birth = pieces.front().lower;
    t.death = pieces.back().upper;
  }
}

// Counts by whole lives: the births before the end minus the deaths up to the birth.
void CountMeetings(const PairRules& rules, std::vector<BufferTraits>* traits) {
  std::vector<int64_t> births;
  std::vector<int64_t> deaths;
  for (size_t i = 0; i < traits->size(); ++i) {
    if (rules.Pieces(static_cast<int32_t>(i)).empty()) continue;
    births.push_back((*traits)[i].birth);
    deaths.push_back((*traits)[i].death);
  }
  std::sort(births.begin(), births.end());
  std::sort(deaths.begin(), deaths.end());
  for (size_t i = 0; i < traits->size(); ++i) {
    BufferTraits& t = (*traits)[i];
    t.met = static_cast<int64_t>(rules.Related(static_cast<int32_t>(i)).size());
    if (rules.Pieces(static_cast<int32_t>(i)).empty()) continue;
    t.met += std::lower_bound(births.begin(), births.end(), t.death) - births.begin();
    t.met -= std::upper_bound(deaths.begin(), deaths.end(), t.birth) - deaths.begin();
  }
}

// The saving of the first choice among pools, per byte and tick; time before bytes.
double Gain(const AccessCosts& costs, const BufferTraits& traits, size_t buffer) {
  const Price regret = costs.Regret(static_cast<int32_t>(buffer));
  const int64_t saved = regret.picoseconds > 0 ? regret.picoseconds : regret.spilled;
  return static_cast<double>(saved) / (traits.area + 1);
}

template <typename Less>
std::vector<int32_t> OrderBy(const Problem& problem, const std::vector<BufferTraits>& traits,
                             Less less) {
  std::vector<int32_t> order(traits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const Buffer& x = problem.buffers[Index(a)];
    const Buffer& y = problem.buffers[Index(b)];
    if (x.fixed_offset.has_value() != y.fixed_offset.has_value()) return x.fixed_offset.has_value();
    if (less(a, b)) return true;
    if (less(b, a)) return false;
    return x.size != y.size ? x.size > y.size : traits[Index(a)].birth < traits[Index(b)].birth;
  });
  return order;
}

}  // namespace

std::vector<std::vector<int32_t>> CandidateOrders(const Problem& problem, const PairRules& rules,
                                                  const AccessCosts& costs) {
  std::vector<BufferTraits> traits(problem.buffers.size());
  MeasureLives(problem, rules, &traits);
  CountMeetings(rules, &traits);
  auto by = [&](auto less) { return OrderBy(problem, traits, less); };
  std::vector<std::vector<int32_t>> orders = {
      by([](int32_t, int32_t) { return false; }),
      by([&](int32_t a, int32_t b) { return traits[Index(a)].area > traits[Index(b)].area; }),
      by([&](int32_t a, int32_t b) {
        return traits[Index(a)].duration > traits[Index(b)].duration;
      }),
      by([&](int32_t a, int32_t b) { return traits[Index(a)].met > traits[Index(b)].met; }),
      by([&](int32_t a, int32_t b) { return traits[Index(a)].birth < traits[Index(b)].birth; }),
      by([&](int32_t a, int32_t b) { return traits[Index(a)].death > traits[Index(b)].death; }),
  };
  if (costs.any_choice()) {
    std::vector<double> gain;
    for (size_t i = 0; i < traits.size(); ++i) gain.push_back(Gain(costs, traits[i], i));
    orders.insert(orders.begin(),
                  by([&](int32_t a, int32_t b) { return gain[Index(a)] > gain[Index(b)]; }));
  }
  return orders;
}

}  // namespace tenon::planner
