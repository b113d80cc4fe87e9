// Depth-first search without recursion: it takes items in order, and puts the last one back. The
// bound is Dantzig's (1957): the rest of the capacity, filled with the next items as if they were
// divisible.

#include "passes/constants/knapsack.h"

#include <algorithm>

namespace tenon {

namespace {

/// The limit on visited items.
constexpr int64_t kMostSteps = 20'000'000;

class Search {
 public:
  Search(std::span<const KnapsackItem> items, std::vector<size_t> order, int64_t capacity)
      : items_(items), order_(std::move(order)), room_(capacity), taken_(order_.size()) {}

  KnapsackChoice Run() {
    KnapsackChoice choice;
    size_t at = 0;
    do {
      if (value_ + Bound(at) > best_value_) Descend(at);
      if (steps_ > kMostSteps) {
        choice.is_best = false;
        break;
      }
    } while (GoBack(at));
    for (size_t i = 0; i < order_.size(); ++i) {
      if (best_[i]) choice.taken.push_back(order_[i]);
    }
    std::sort(choice.taken.begin(), choice.taken.end());
    return choice;
  }

 private:
  const KnapsackItem& Item(size_t i) const { return items_[order_[i]]; }

  /// The value that the items from `at` on could add if they were divisible.
  long double Bound(size_t at) {
    long double sum = 0;
    int64_t room = room_;
    for (size_t i = at; i < order_.size(); ++i) {
      ++steps_;
      const KnapsackItem& item = Item(i);
      if (item.weight > room) {
        return sum + static_cast<long double>(item.value) * static_cast<long double>(room) /
                         static_cast<long double>(item.weight);
      }
      room -= item.weight;
      sum += static_cast<long double>(item.value);
    }
    return sum;
  }

  /// Takes whatever fits from `at` on, as long as the result may be better than the best.
  void Descend(size_t& at) {
    for (; at < order_.size(); ++at) {
      ++steps_;
      const KnapsackItem& item = Item(at);
      if (item.weight <= room_) {
        room_ -= item.weight;
        value_ += static_cast<long double>(item.value);
        taken_[at] = true;
      } else if (value_ + Bound(at + 1) <= best_value_) {
        return;
      }
    }
    if (value_ <= best_value_) return;
    best_value_ = value_;
    best_ = taken_;
  }

  /// Puts back the last taken item before `at`, and continues after it.
  bool GoBack(size_t& at) {
    while (at > 0 && !taken_[at - 1]) --at;
    if (at == 0) return false;
    const KnapsackItem& item = Item(at - 1);
    taken_[at - 1] = false;
    room_ += item.weight;
    value_ -= static_cast<long double>(item.value);
    return true;
  }

  std::span<const KnapsackItem> items_;
  std::vector<size_t> order_;
  int64_t room_;
  std::vector<bool> taken_;
  std::vector<bool> best_ = std::vector<bool>(order_.size());
  long double value_ = 0;
  long double best_value_ = 0;
  int64_t steps_ = 0;
};

}  // namespace

KnapsackChoice SolveKnapsack(std::span<const KnapsackItem> items, int64_t capacity) {
  std::vector<size_t> order;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].value > 0 && items[i].weight <= capacity) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return static_cast<long double>(items[a].value) * static_cast<long double>(items[b].weight) >
           static_cast<long double>(items[b].value) * static_cast<long double>(items[a].weight);
  });
  return Search(items, std::move(order), capacity).Run();
}

}  // namespace tenon
