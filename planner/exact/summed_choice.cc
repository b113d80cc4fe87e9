#include "planner/exact/summed_choice.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "support/check.h"

namespace tenon::planner {
namespace {

/// Multipliers are fractions with this denominator.
constexpr __int128 kScale = 1024;
/// The bound stands for no choice at all.
constexpr __int128 kInfinite = __int128{1} << 100;
constexpr int kMostRounds = 30;
/// With more buffers, few rounds have to do, and branch and bound decides nothing.
constexpr size_t kManyItems = 4096;
constexpr int kRoundsOfMany = 4;
constexpr int kSteps = 400;
constexpr int kFewSteps = 40;
/// Sums of products with sizes then stay below 2^125.
constexpr int64_t kMostMultiplier = int64_t{1} << 50;
/// Limits on the nodes of branch and bound, and on tried exchanges. With them, the 110 constants of
/// vww_int8 in three memories take 0.2 s (docs/internals/planner.md).
constexpr int64_t kMostNodes = 2'000'000;
constexpr int64_t kMostExchanges = 4'000'000;

/// Marks the pools whose possible buffers are plain constants, and need no other pool.
std::vector<bool> FindSummedPools(const Problem& problem, const AccessCosts& costs) {
  std::vector<bool> has_rule(problem.buffers.size(), false);
  for (const Relation& relation : problem.relations)
    has_rule[Index(relation.a)] = has_rule[Index(relation.b)] = true;
  std::vector<bool> is_summed(problem.pools.size(), true);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      const Buffer& buffer = problem.buffers[i];
      const AccessCosts::Choices& choices = costs.ChoicesOf(static_cast<int32_t>(i));
      const bool is_plain = buffer.kind == BufferKind::kConstant && buffer.size > 0 &&
                            buffer.gaps.empty() && !buffer.fixed_offset && !has_rule[i];
      const bool all = std::all_of(choices.begin(), choices.end(), [&](const auto& choice) {
        return is_summed[Index(choice.pool)];
      });
      if (is_plain && all) continue;
      for (const AccessCosts::Choice& choice : choices) {
        changed |= is_summed[Index(choice.pool)];
        is_summed[Index(choice.pool)] = false;
      }
    }
  }
  return is_summed;
}

/// The capacity of a pool: sums of `least` sizes up to `most` at best, sums of aligned sizes up to
/// `sure` in any case.
struct PoolRoom {
  int64_t unit = 1;
  int64_t most = 0;
  int64_t sure = 0;
  /// Sums above `sure` by this or more have no room.
  int64_t slack = 0;
  /// The alignments of all possible buffers are equal, so piling them up wastes least.
  bool is_even = true;
};

/// A constant in one of its pools.
struct Option {
  int32_t pool = 0;
  Price price;
  /// The part of the price that counts.
  int64_t cost = 0;
  /// Bytes that it takes at least, and at most.
  int64_t least = 0;
  int64_t most = 0;
};

class Summer {
 public:
  Summer(const Problem& problem, const AccessCosts& costs) : problem_(problem) {
    const std::vector<bool> is_summed = FindSummedPools(problem, costs);
    result_.is_summed.assign(problem.buffers.size(), false);
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      const AccessCosts::Choices& choices = costs.ChoicesOf(static_cast<int32_t>(i));
      result_.is_summed[i] = !choices.empty() && is_summed[Index(choices[0].pool)];
      if (!result_.is_summed[i]) {
        if (!choices.empty()) others_ += choices[0].price;
        continue;
      }
      items_.push_back(static_cast<int32_t>(i));
      for (const AccessCosts::Choice& choice : choices) has_time_ |= choice.price.picoseconds > 0;
    }
    MeasureRooms(costs);
    for (const int32_t item : items_) AddOptions(item, costs);
  }

  SummedChoice Run(const std::vector<int32_t>& start) {
    if (items_.empty()) {
      result_.pools.assign(problem_.buffers.size(), -1);
      result_.bound = others_;
      result_.is_least = true;
      return std::move(result_);
    }
    Ascend();
    SetBound();
    if (is_infeasible_) {
      result_.nothing_fits = true;
      return std::move(result_);
    }
    if (!start.empty()) Offer(FromStart(start));
    for (const bool by_size : {false, true}) Offer(Greedy(by_size));
    if (!best_.empty() && !IsProven()) {
      ApproachBest();
      SetBound();
      for (const bool by_size : {false, true}) Offer(Greedy(by_size));
    }
    const bool is_complete = IsProven() || Search();
    result_.nothing_fits = is_complete && best_.empty();
    result_.is_least = !best_.empty() && (is_complete || IsProven());
    if (best_.empty()) return std::move(result_);
    result_.pools.assign(problem_.buffers.size(), -1);
    for (size_t k = 0; k < items_.size(); ++k)
      result_.pools[Index(items_[k])] = options_[k][best_[k]].pool;
    if (result_.is_least) {
      result_.bound = others_;
      result_.bound += best_price_;
    }
    return std::move(result_);
  }

 private:
  /// For each item the index of its option.
  using Choice = std::vector<size_t>;

  void MeasureRooms(const AccessCosts& costs) {
    rooms_.resize(problem_.pools.size());
    std::vector<int64_t> least(problem_.pools.size(), INT64_MAX);
    std::vector<int64_t> most(problem_.pools.size(), 1);
    for (const int32_t item : items_) {
      for (const AccessCosts::Choice& choice : costs.ChoicesOf(item)) {
        const int64_t alignment =
            EffectiveAlignment(problem_.buffers[Index(item)], problem_.pools[Index(choice.pool)]);
        int64_t& low = least[Index(choice.pool)];
        low = std::min(low, alignment);
        most[Index(choice.pool)] = std::max(most[Index(choice.pool)], alignment);
      }
    }
    for (size_t p = 0; p < rooms_.size(); ++p) {
      const Pool& pool = problem_.pools[p];
      const int64_t capacity = EffectiveCapacity(pool);
      PoolRoom& room = rooms_[p];
      if (least[p] == INT64_MAX) continue;
      room.unit = least[p];
      // The last buffer need not be followed by an aligned place.
      room.most = capacity - AlignOffset(0, room.unit, pool.base_offset) + room.unit - 1;
      room.sure = capacity - AlignOffset(0, most[p], pool.base_offset);
      room.is_even = least[p] == most[p];
      room.slack = most[p];
    }
  }

  void AddOptions(int32_t item, const AccessCosts& costs) {
    const Buffer& buffer = problem_.buffers[Index(item)];
    std::vector<Option>& options = options_.emplace_back();
    for (const AccessCosts::Choice& choice : costs.ChoicesOf(item)) {
      const int64_t alignment = EffectiveAlignment(buffer, problem_.pools[Index(choice.pool)]);
      options.push_back(
          {choice.pool, choice.price, has_time_ ? choice.price.picoseconds : choice.price.spilled,
           RoundUp(buffer.size, rooms_[Index(choice.pool)].unit), RoundUp(buffer.size, alignment)});
    }
  }

  __int128 Reduced(const Option& option) const {
    return option.cost * kScale + __int128{multipliers_[Index(option.pool)]} * option.least;
  }
  __int128 LeastReduced(size_t k, int32_t without = -1) const {
    __int128 least = kInfinite;
    for (const Option& option : options_[k])
      if (option.pool != without) least = std::min(least, Reduced(option));
    return least;
  }

  /// The multiplier of a pool that makes the bound greatest, with those of the others as they are.
  int64_t BestMultiplier(int32_t pool) {
    // Up to which multiplier each item is in the pool, and its bytes.
    std::vector<std::pair<int64_t, int64_t>> until;
    for (size_t k = 0; k < items_.size(); ++k) {
      for (const Option& option : options_[k]) {
        if (option.pool != pool) continue;
        if (options_[k].size() == 1) {
          until.emplace_back(INT64_MAX, option.least);
          continue;
        }
        const __int128 gain = LeastReduced(k, pool) - option.cost * kScale;
        if (gain < 0) continue;
        const __int128 multiplier = std::min<__int128>(gain / option.least, kMostMultiplier);
        until.emplace_back(static_cast<int64_t>(multiplier), option.least);
      }
    }
    std::sort(until.rbegin(), until.rend());
    __int128 bytes = 0;
    for (const auto& [multiplier, size] : until) {
      bytes += size;
      if (bytes <= rooms_[Index(pool)].most) continue;
      if (multiplier == INT64_MAX) is_infeasible_ = true;
      return multiplier == INT64_MAX ? 0 : multiplier;
    }
    return 0;
  }

  void Ascend() {
    multipliers_.assign(problem_.pools.size(), 0);
    const int most = items_.size() > kManyItems ? kRoundsOfMany : kMostRounds;
    for (int round = 0; round < most && !is_infeasible_; ++round) {
      const std::vector<int64_t> before = multipliers_;
      for (size_t p = 0; p < problem_.pools.size() && !is_infeasible_; ++p) {
        if (problem_.pools[p].capacity == kUnlimited) continue;
        multipliers_[p] = BestMultiplier(static_cast<int32_t>(p));
      }
      if (multipliers_ == before) return;
    }
  }

  /// Coordinate ascent may stop where only several multipliers together can improve: subgradient
  /// steps, as long as the distance to the best choice, go on from there.
  void ApproachBest() {
    constexpr int kPatience = 15;
    std::vector<int64_t> best = multipliers_;
    __int128 best_scaled = ScaledBound();
    const __int128 target = __int128{CostOf(best_)} * kScale;
    int part = 1;
    int idle = 0;
    for (int step = 0; step < (items_.size() > kManyItems ? kFewSteps : kSteps); ++step) {
      if (!TakeStep((target - ScaledBound()) / part)) break;
      const __int128 scaled = ScaledBound();
      if (scaled > best_scaled) {
        best_scaled = scaled;
        best = multipliers_;
        idle = 0;
      } else if (++idle == kPatience) {
        idle = 0;
        part *= 2;
        multipliers_ = best;
      }
    }
    multipliers_ = std::move(best);
  }

  /// Changes each multiplier by the bytes that its pool has too many or too few, so that the bound
  /// would grow by `distance`. False if nothing changes.
  bool TakeStep(__int128 distance) {
    std::vector<__int128> excess(multipliers_.size());
    for (size_t k = 0; k < items_.size(); ++k) {
      const Option* least = &options_[k][0];
      for (const Option& option : options_[k])
        if (Reduced(option) < Reduced(*least)) least = &option;
      excess[Index(least->pool)] += least->least;
    }
    __int128 norm = 0;
    for (size_t p = 0; p < excess.size(); ++p) {
      excess[p] -= rooms_[p].most;
      // Pools with much more room than anything needs have no multiplier.
      if (multipliers_[p] == 0 && excess[p] < 0) excess[p] = 0;
      if (excess[p] > kMostMultiplier || excess[p] < -kMostMultiplier) return false;
      norm += excess[p] * excess[p];
    }
    bool changed = false;
    for (size_t p = 0; p < excess.size(); ++p) {
      if (excess[p] == 0) continue;
      const __int128 size = excess[p] < 0 ? -excess[p] : excess[p];
      const __int128 change = distance / std::max<__int128>(norm / size, 1);
      const __int128 now = multipliers_[p] + (excess[p] < 0 ? -change : change);
      const auto next = static_cast<int64_t>(std::clamp<__int128>(now, 0, kMostMultiplier));
      changed |= next != multipliers_[p];
      multipliers_[p] = next;
    }
    return changed;
  }

  /// The bound without rounding.
  __int128 ScaledBound() const {
    __int128 sum = 0;
    for (size_t k = 0; k < items_.size(); ++k) sum += LeastReduced(k);
    for (size_t p = 0; p < multipliers_.size(); ++p)
      sum -= __int128{multipliers_[p]} * rooms_[p].most;
    return sum;
  }

  /// The bound of the choices that contain what was chosen, from its cost and the rest.
  __int128 BoundOf(__int128 scaled) const {
    for (size_t p = 0; p < multipliers_.size(); ++p)
      scaled -= __int128{multipliers_[p]} * rooms_[p].most;
    return scaled <= 0 ? 0 : (scaled + kScale - 1) / kScale;
  }

  void SetBound() {
    __int128 sum = 0;
    Price cheapest;
    for (size_t k = 0; k < items_.size(); ++k) {
      sum += LeastReduced(k);
      Price least = options_[k][0].price;
      for (const Option& option : options_[k]) least = std::min(least, option.price);
      cheapest += least;
    }
    bound_ = static_cast<int64_t>(std::min<__int128>(BoundOf(sum), INT64_MAX));
    const Price with_rooms = has_time_ ? Price{bound_, 0} : Price{0, bound_};
    Price bound = others_;
    bound += std::max(with_rooms, cheapest);
    result_.bound = std::max(result_.bound, bound);
  }

  int64_t CostOf(const Choice& choice) const {
    __int128 sum = 0;
    for (size_t k = 0; k < choice.size(); ++k) sum += options_[k][choice[k]].cost;
    return static_cast<int64_t>(std::min<__int128>(sum, INT64_MAX));
  }
  Price PriceOf(const Choice& choice) const {
    Price sum;
    for (size_t k = 0; k < choice.size(); ++k) sum += options_[k][choice[k]].price;
    return sum;
  }

  /// True if the search has nothing to win.
  bool IsProven() const {
    Price all = others_;
    all += best_price_;
    return !best_.empty() && all <= result_.bound;
  }

  /// Whether a pool with these members, whose aligned sizes have the sum `most`, has room.
  bool HasRoom(int32_t pool, int64_t most, const Choice& choice, size_t count) const {
    const PoolRoom& room = rooms_[Index(pool)];
    if (most <= room.sure) return true;
    // Only the end of the last buffer can still help.
    if (most >= room.sure + room.slack) return false;
    std::vector<int32_t> members;
    for (size_t k = 0; k < count; ++k) {
      const size_t item = order_.empty() ? k : order_[k];
      if (choice[item] < options_[item].size() && options_[item][choice[item]].pool == pool)
        members.push_back(items_[item]);
    }
    const std::vector<int64_t> offsets = PileOffsets(problem_, pool, members);
    for (size_t i = 0; i < members.size(); ++i) {
      if (offsets[i] >
          EffectiveCapacity(problem_.pools[Index(pool)]) - problem_.buffers[Index(members[i])].size)
        return false;
    }
    return true;
  }

  std::optional<std::vector<int64_t>> SumsOf(const Choice& choice) const {
    std::vector<int64_t> sums(problem_.pools.size());
    for (size_t k = 0; k < choice.size(); ++k) {
      const Option& option = options_[k][choice[k]];
      if (__builtin_add_overflow(sums[Index(option.pool)], option.most, &sums[Index(option.pool)]))
        return std::nullopt;
    }
    for (size_t p = 0; p < sums.size(); ++p) {
      if (sums[p] > 0 && !HasRoom(static_cast<int32_t>(p), sums[p], choice, choice.size()))
        return std::nullopt;
    }
    return sums;
  }

  Choice FromStart(const std::vector<int32_t>& start) const {
    Choice choice;
    for (size_t k = 0; k < items_.size(); ++k) {
      const auto& options = options_[k];
      const auto at = std::find_if(options.begin(), options.end(), [&](const Option& option) {
        return option.pool == start[Index(items_[k])];
      });
      if (at == options.end()) return {};
      choice.push_back(static_cast<size_t>(at - options.begin()));
    }
    return choice;
  }

  /// The options of an item by what they cost with the multipliers.
  std::vector<size_t> Preferences(size_t k) const {
    std::vector<size_t> order(options_[k].size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return Reduced(options_[k][a]) < Reduced(options_[k][b]);
    });
    return order;
  }

  /// The cost that an item adds without its first preference.
  __int128 Loss(size_t k) const {
    if (options_[k].size() == 1) return kInfinite;
    const std::vector<size_t> order = Preferences(k);
    return Reduced(options_[k][order[1]]) - Reduced(options_[k][order[0]]);
  }

  std::vector<size_t> ByLoss() const {
    std::vector<__int128> loss;
    for (size_t k = 0; k < items_.size(); ++k) loss.push_back(Loss(k));
    std::vector<size_t> order(items_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return loss[a] > loss[b]; });
    return order;
  }

  /// Gives each item its first preference that has room. The largest come first, or those that lose
  /// most.
  Choice Greedy(bool by_size) {
    std::vector<size_t> order = ByLoss();
    if (by_size) {
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return options_[a][0].most > options_[b][0].most;
      });
    }
    Choice choice(items_.size());
    std::vector<int64_t> sums(problem_.pools.size());
    for (const size_t k : order) {
      bool is_placed = false;
      for (const size_t at : Preferences(k)) {
        const Option& option = options_[k][at];
        if (option.most > rooms_[Index(option.pool)].sure - sums[Index(option.pool)]) continue;
        sums[Index(option.pool)] += option.most;
        choice[k] = at;
        is_placed = true;
        break;
      }
      if (!is_placed) return {};
    }
    return choice;
  }

  /// Improves a choice by moves and swaps, and keeps it if it is the best.
  void Offer(Choice choice) {
    if (choice.empty()) return;
    std::optional<std::vector<int64_t>> sums = SumsOf(choice);
    if (!sums) return;
    while (exchanges_ < kMostExchanges && ImproveOnce(choice, *sums)) {
    }
    const Price price = PriceOf(choice);
    if (!best_.empty() && price >= best_price_) return;
    best_price_ = price;
    best_ = std::move(choice);
  }

  bool ImproveOnce(Choice& choice, std::vector<int64_t>& sums) {
    bool any = false;
    for (size_t k = 0; k < choice.size(); ++k) {
      for (size_t to = 0; to < options_[k].size(); ++to) {
        if (options_[k][to].price < options_[k][choice[k]].price)
          any |=
              Move(k, to, choice, sums) || Swap(k, to, choice, sums) || Force(k, to, choice, sums);
      }
    }
    return any;
  }

  bool Move(size_t k, size_t to, Choice& choice, std::vector<int64_t>& sums) const {
    const Option& from = options_[k][choice[k]];
    const Option& into = options_[k][to];
    if (into.most > rooms_[Index(into.pool)].sure - sums[Index(into.pool)]) return false;
    sums[Index(from.pool)] -= from.most;
    sums[Index(into.pool)] += into.most;
    choice[k] = to;
    return true;
  }

  /// Exchanges item k with the item of the pool `to` that makes the choice cheapest.
  bool Swap(size_t k, size_t to, Choice& choice, std::vector<int64_t>& sums) {
    const Option& from = options_[k][choice[k]];
    const Option& into = options_[k][to];
    for (size_t other = 0; other < choice.size(); ++other) {
      ++exchanges_;
      const Option& leaves = options_[other][choice[other]];
      if (other == k || leaves.pool != into.pool) continue;
      for (size_t back = 0; back < options_[other].size(); ++back) {
        const Option& enters = options_[other][back];
        if (enters.pool != from.pool) continue;
        Price now = into.price;
        now += enters.price;
        Price before = from.price;
        before += leaves.price;
        if (now >= before ||
            sums[Index(into.pool)] - leaves.most + into.most > rooms_[Index(into.pool)].sure ||
            sums[Index(from.pool)] - from.most + enters.most > rooms_[Index(from.pool)].sure)
          continue;
        sums[Index(into.pool)] += into.most - leaves.most;
        sums[Index(from.pool)] += enters.most - from.most;
        choice[k] = to;
        choice[other] = back;
        return true;
      }
    }
    return false;
  }

  /// Moves item k, and makes room for it: of the other items, those leave that lose least for their
  /// bytes. True if that makes the choice cheaper.
  bool Force(size_t k, size_t to, Choice& choice, std::vector<int64_t>& sums) {
    Choice changed = choice;
    std::vector<int64_t> now = sums;
    const int32_t pool = options_[k][to].pool;
    const PoolRoom& room = rooms_[Index(pool)];
    now[Index(options_[k][changed[k]].pool)] -= options_[k][changed[k]].most;
    now[Index(pool)] += options_[k][to].most;
    changed[k] = to;
    while (now[Index(pool)] > room.sure) {
      if (exchanges_ > kMostExchanges || !Evict(k, pool, changed, now)) return false;
    }
    if (PriceOf(changed) >= PriceOf(choice)) return false;
    choice = std::move(changed);
    sums = std::move(now);
    return true;
  }

  /// Moves the item that loses least for its bytes, but not item `stays`, to another pool.
  bool Evict(size_t stays, int32_t pool, Choice& choice, std::vector<int64_t>& sums) {
    size_t best = SIZE_MAX;
    size_t best_to = 0;
    __int128 best_loss = 0;
    for (size_t k = 0; k < choice.size(); ++k) {
      ++exchanges_;
      const Option& from = options_[k][choice[k]];
      if (k == stays || from.pool != pool) continue;
      for (size_t to = 0; to < options_[k].size(); ++to) {
        const Option& into = options_[k][to];
        if (into.pool == pool || into.most > rooms_[Index(into.pool)].sure - sums[Index(into.pool)])
          continue;
        const __int128 loss = into.cost - from.cost;
        // Compares losses for each byte without dividing.
        if (best != SIZE_MAX && loss * options_[best][choice[best]].most >= best_loss * from.most)
          continue;
        best = k;
        best_to = to;
        best_loss = loss;
      }
    }
    if (best == SIZE_MAX) return false;
    const Option& from = options_[best][choice[best]];
    const Option& into = options_[best][best_to];
    sums[Index(from.pool)] -= from.most;
    sums[Index(into.pool)] += into.most;
    choice[best] = best_to;
    return true;
  }

  /// Branch and bound; true if it tried everything.
  bool Search() {
    if (items_.size() > kManyItems) return false;
    order_ = ByLoss();
    for (size_t k = 0; k < items_.size(); ++k) preferences_.push_back(Preferences(k));
    rest_.assign(order_.size() + 1, 0);
    cheapest_.assign(order_.size() + 1, {});
    for (size_t i = order_.size(); i-- > 0;) {
      rest_[i] = rest_[i + 1] + LeastReduced(order_[i]);
      Price least = options_[order_[i]][0].price;
      for (const Option& option : options_[order_[i]]) least = std::min(least, option.price);
      cheapest_[i] = cheapest_[i + 1];
      cheapest_[i] += least;
    }
    Node node;
    node.choice.assign(items_.size(), SIZE_MAX);
    node.sums.assign(problem_.pools.size(), 0);
    return Descend(0, node);
  }

  struct Node {
    Choice choice;
    std::vector<int64_t> sums;
    __int128 scaled = 0;
    Price price;
  };

  bool IsWorse(size_t depth, const Node& node) const {
    if (best_.empty()) return false;
    Price least = node.price;
    least += cheapest_[depth];
    const __int128 bound = BoundOf(node.scaled + rest_[depth]);
    const int64_t best = has_time_ ? best_price_.picoseconds : best_price_.spilled;
    return least >= best_price_ || bound > best || (!has_time_ && bound >= best);
  }

  bool Descend(size_t depth, Node& node) {
    if (IsWorse(depth, node)) return true;
    if (depth == order_.size()) {
      best_ = node.choice;
      best_price_ = node.price;
      return true;
    }
    const size_t k = order_[depth];
    bool is_complete = true;
    for (const size_t at : preferences_[k]) {
      if (++nodes_ > kMostNodes) return false;
      const Option& option = options_[k][at];
      int64_t& sum = node.sums[Index(option.pool)];
      const Price price = node.price;
      node.choice[k] = at;
      sum += option.most;
      node.scaled += Reduced(option);
      node.price += option.price;
      if (HasRoom(option.pool, sum, node.choice, depth + 1)) {
        is_complete = Descend(depth + 1, node) && is_complete;
      } else if (!rooms_[Index(option.pool)].is_even) {
        // Another order of the offsets may have room.
        is_complete = false;
      }
      node.price = price;
      node.scaled -= Reduced(option);
      sum -= option.most;
      node.choice[k] = SIZE_MAX;
    }
    return is_complete;
  }

  const Problem& problem_;
  /// Buffers, and what they can choose.
  std::vector<int32_t> items_;
  std::vector<std::vector<Option>> options_;
  std::vector<PoolRoom> rooms_;
  /// The least price of all other buffers.
  Price others_;
  /// Options have times; else spilled bytes count.
  bool has_time_ = false;
  std::vector<int64_t> multipliers_;
  bool is_infeasible_ = false;
  int64_t bound_ = 0;
  Choice best_;
  Price best_price_;
  int64_t exchanges_ = 0;
  int64_t nodes_ = 0;
  std::vector<size_t> order_;
  std::vector<std::vector<size_t>> preferences_;
  std::vector<__int128> rest_;
  std::vector<Price> cheapest_;
  SummedChoice result_;
};

}  // namespace

SummedChoice ChooseSummed(const Problem& problem, const AccessCosts& costs,
                          const std::vector<int32_t>& start) {
  return Summer(problem, costs).Run(start);
}

std::vector<int64_t> PileOffsets(const Problem& problem, int32_t pool,
                                 const std::vector<int32_t>& members) {
  const Pool& of = problem.pools[Index(pool)];
  const auto alignment = [&](size_t i) {
    return EffectiveAlignment(problem.buffers[Index(members[i])], of);
  };
  const auto waste = [&](size_t i) {
    const int64_t size = problem.buffers[Index(members[i])].size;
    return RoundUp(size, alignment(i)) - size;
  };
  std::vector<size_t> order(members.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // The last one leaves its waste out.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(-alignment(a), waste(a)) < std::pair(-alignment(b), waste(b));
  });
  std::vector<int64_t> offsets(members.size());
  int64_t end = 0;
  for (const size_t i : order) {
    offsets[i] = AlignOffset(end, alignment(i), of.base_offset);
    end = offsets[i] + problem.buffers[Index(members[i])].size;
  }
  return offsets;
}

}  // namespace tenon::planner
