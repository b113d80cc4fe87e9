#include "planner/exact/packing_orders.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "support/check.h"

namespace tenon::planner {
namespace {

// Sort keys, most significant first, all descending. W: the item's life; A: life times size; T:
// bytes of its fullest section; Z: size; C: number of sections; O: number of neighbours.
constexpr std::array<std::string_view, 10> kOrders = {"WAT", "TAW", "TWA", "AWT", "ZW",
                                                      "CAT", "OAT", "ATW", "WZ",  "TZW"};
constexpr size_t kMaxKeys = 3;

}  // namespace

int32_t PackingOrders::count() { return static_cast<int32_t>(kOrders.size()); }

PackingOrders::PackingOrders(const Packing& packing) : packing_(packing) {
  for (const PackingItem& item : packing.items) {
    int64_t most = 0;
    for (int32_t s = item.first; s < item.end; ++s) {
      most = std::max(most, packing.live[Index(s)]);
    }
    fullest_.push_back(static_cast<double>(most));
  }
}

double PackingOrders::Key(char letter, int32_t i, double factor) const {
  const PackingItem& item = packing_.items[Index(i)];
  switch (letter) {
    case 'W':
      return item.duration * factor;
    case 'A':
      return item.duration * static_cast<double>(item.size) * factor;
    case 'T':
      return fullest_[Index(i)];
    case 'Z':
      return static_cast<double>(item.size) * factor;
    case 'C':
      return static_cast<double>(item.end - item.first) * factor;
    default:
      return static_cast<double>(packing_.overlaps[Index(i)].size()) * factor;
  }
}

std::vector<int32_t> PackingOrders::Make(int32_t kind, int32_t noise, int32_t pull,
                                         const std::vector<int64_t>& failures) {
  const size_t count = packing_.items.size();
  TENON_CHECK(failures.size() == packing_.sections.size());
  std::vector<int64_t> worst(count);
  int64_t overall = 1;
  for (size_t i = 0; i < count; ++i) {
    for (int32_t s = packing_.items[i].first; s < packing_.items[i].end; ++s) {
      worst[i] = std::max(worst[i], failures[Index(s)]);
    }
    overall = std::max(overall, worst[i]);
  }
  std::vector<std::array<double, kMaxKeys>> keys(count);
  for (size_t i = 0; i < count; ++i) {
    // Integers up to the products of the keys, which every machine rounds identically.
    const int64_t chance = noise == 0 ? 0 : noise * (random_.Next() % 2001 - 1000) / 1000;
    const int64_t learnt =
        1000 + 1000 * pull * (worst[i] >> 8) / std::max(overall >> 8, int64_t{1});
    const auto factor = static_cast<double>((1000 + chance) * learnt);
    TENON_DCHECK(kind >= 0 && Index(kind) < kOrders.size());
    const std::string_view letters = kOrders[Index(kind)];
    for (size_t k = 0; k < letters.size(); ++k) {
      keys[i][k] = Key(letters[k], static_cast<int32_t>(i), factor);
    }
  }
  std::vector<int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return keys[Index(a)] > keys[Index(b)]; });
  return order;
}

std::vector<int32_t> PackingOrders::Near(const std::vector<int64_t>& offsets, int32_t noise) {
  TENON_CHECK(!offsets.empty());
  const int64_t highest = *std::max_element(offsets.begin(), offsets.end());
  std::vector<int64_t> keys;
  for (int64_t offset : offsets) {
    // The limit on sizes keeps this below 2^60, so the division comes first.
    keys.push_back(offset + highest / 1'000'000 * noise * (random_.Next() % 2001 - 1000));
  }
  std::vector<int32_t> order(offsets.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return keys[Index(a)] < keys[Index(b)]; });
  return order;
}

}  // namespace tenon::planner
