#include "planner/exact/pool_choice.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "planner/exact/summed_choice.h"
#include "planner/planner.h"
#include "support/check.h"

namespace tenon::planner {
namespace {

// The limit on buffers in all planned problems together, and limits on the number of problems.
constexpr int64_t kMostWork = 60'000;
constexpr int64_t kLeastPlans = 16;
constexpr int64_t kMostPlans = 4000;

enum class Room : uint8_t { kYes, kNo, kUnknown };

class Chooser {
 public:
  Chooser(const Problem& problem, const AccessCosts& costs, const SummedChoice& summed,
          const PlanFixed& plan_fixed, const SearchBudget& budget)
      : problem_(problem),
        costs_(costs),
        summed_(summed),
        plan_fixed_(plan_fixed),
        budget_(budget),
        plans_left_(std::clamp(kMostWork / (static_cast<int64_t>(problem.buffers.size()) + 1),
                               kLeastPlans, kMostPlans)),
        partners_(problem.buffers.size()) {
    for (const Relation& relation : problem.relations) {
      if (!relation.same_pool) continue;
      partners_[Index(relation.a)].push_back(relation.b);
      partners_[Index(relation.b)].push_back(relation.a);
    }
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      if (!summed.is_summed[i]) order_.push_back(static_cast<int32_t>(i));
    }
    // Buffers with a single choice first, then those that lose most without their first choice.
    std::stable_sort(order_.begin(), order_.end(), [&](int32_t a, int32_t b) {
      const bool one_a = costs.ChoicesOf(a).size() == 1;
      const bool one_b = costs.ChoicesOf(b).size() == 1;
      return one_a != one_b ? one_a : costs.Regret(a) > costs.Regret(b);
    });
    while (fixed_ < order_.size() && costs.ChoicesOf(order_[fixed_]).size() == 1) ++fixed_;
  }

  PoolChoice Run(const std::vector<int32_t>& start) {
    TENON_CHECK(start.empty() || start.size() == problem_.buffers.size());
    chosen_ = summed_.pools;
    if (!start.empty()) {
      best_ = chosen_;
      for (const int32_t i : order_) best_[Index(i)] = start[Index(i)];
      least_ = PriceOf(best_);
      if (fixed_ < order_.size()) Pull();
      chosen_ = best_;
      for (const int32_t i : order_) chosen_[Index(i)] = -1;
    }
    rest_.resize(order_.size() + 1);
    for (size_t i = order_.size(); i > 0; --i) {
      rest_[i - 1] = rest_[i];
      if (!costs_.ChoicesOf(order_[i - 1]).empty())
        rest_[i - 1] += costs_.ChoicesOf(order_[i - 1])[0].price;
    }
    Price so_far;
    for (size_t i = 0; i < chosen_.size(); ++i)
      if (chosen_[i] >= 0) so_far += costs_.Of(static_cast<int32_t>(i), chosen_[i]);
    Price least = so_far;
    least += rest_[0];
    const bool complete = best_.empty() || least < least_ ? Begin(so_far) : true;
    return {best_, least_, {}, complete && !best_.empty(), complete && best_.empty()};
  }

 private:
  Price PriceOf(const std::vector<int32_t>& pools) const {
    Price sum;
    TENON_CHECK(pools.size() == problem_.buffers.size());
    for (size_t i = 0; i < pools.size(); ++i) sum += costs_.Of(static_cast<int32_t>(i), pools[i]);
    return sum;
  }

  // Takes the only choices of buffers at once, so that each pool is planned once for them.
  bool Begin(Price so_far) {
    bool is_known = true;
    std::vector<bool> is_used(problem_.pools.size(), false);
    for (size_t i = 0; i < fixed_; ++i) {
      const AccessCosts::Choice& choice = costs_.ChoicesOf(order_[i])[0];
      chosen_[Index(order_[i])] = choice.pool;
      so_far += choice.price;
      is_used[Index(choice.pool)] = true;
    }
    for (size_t i = 0; i < fixed_; ++i)
      if (!KeepsPartners(order_[i])) return true;
    for (size_t p = 0; p < is_used.size(); ++p) {
      if (!is_used[p]) continue;
      const Room room = HasRoom(static_cast<int32_t>(p));
      if (room == Room::kNo) return true;
      is_known = is_known && room == Room::kYes;
    }
    return is_known && Descend(fixed_, so_far);
  }

  // Moves single buffers of the best choice to cheaper pools, as long as that succeeds.
  void Pull() {
    for (bool any = true; any;) {
      any = false;
      for (int32_t i : order_) {
        for (const AccessCosts::Choice& choice : costs_.ChoicesOf(i)) {
          if (choice.pool == best_[Index(i)] || plans_left_ <= 0) break;
          chosen_ = best_;
          chosen_[Index(i)] = choice.pool;
          if (!KeepsPartners(i) || HasRoom(choice.pool) != Room::kYes) continue;
          best_ = chosen_;
          any = true;
          break;
        }
      }
    }
    least_ = PriceOf(best_);
  }

  bool KeepsPartners(int32_t buffer) const {
    const auto& partners = partners_[Index(buffer)];
    return std::all_of(partners.begin(), partners.end(), [&](int32_t other) {
      return chosen_[Index(other)] < 0 || chosen_[Index(other)] == chosen_[Index(buffer)];
    });
  }

  // At least the bytes that are live at one time, for buffers without relations.
  static int64_t LiveBytes(const Problem& part) {
    __int128 constants = 0;
    std::vector<std::pair<int64_t, int64_t>> changes;
    for (const Buffer& buffer : part.buffers) {
      if (buffer.kind == BufferKind::kConstant) {
        constants += buffer.size;
      } else if (buffer.gaps.empty() && buffer.groups.empty()) {
        for (const Lifetime& life : buffer.lifetimes) {
          if (life.lower == life.upper) continue;
          changes.emplace_back(life.lower, buffer.size);
          changes.emplace_back(life.upper, -buffer.size);
        }
      }
    }
    std::sort(changes.begin(), changes.end());
    __int128 live = constants;
    __int128 most = constants;
    for (const auto& [time, bytes] : changes) most = std::max(most, live += bytes);
    return static_cast<int64_t>(std::min<__int128>(most, INT64_MAX));
  }

  // Whether the buffers chosen for a pool fit into it.
  Room HasRoom(int32_t pool) {
    TENON_CHECK(pool >= 0 && Index(pool) < problem_.pools.size());
    const bool limited = problem_.pools[Index(pool)].capacity != kUnlimited;
    Problem part;
    part.pools = {problem_.pools[Index(pool)]};
    std::vector<int32_t> number(problem_.buffers.size(), -1);
    bool bound_by_rules = false;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      if (chosen_[i] != pool) continue;
      number[i] = static_cast<int32_t>(part.buffers.size());
      part.buffers.push_back(problem_.buffers[i]);
      part.buffers.back().pools = {0};
      bound_by_rules = bound_by_rules || part.buffers.back().fixed_offset.has_value();
    }
    for (const Relation& relation : problem_.relations) {
      if (number[Index(relation.a)] < 0 || number[Index(relation.b)] < 0) continue;
      part.relations.push_back(relation);
      part.relations.back().a = number[Index(relation.a)];
      part.relations.back().b = number[Index(relation.b)];
      bound_by_rules = true;
    }
    if (!limited && !bound_by_rules) return Room::kYes;
    if (part.relations.empty() && LiveBytes(part) > EffectiveCapacity(part.pools[0]))
      return Room::kNo;
    if (plans_left_-- <= 0) return Room::kUnknown;
    const absl::StatusOr<Plan> plan = plan_fixed_(part);
    if (plan.ok()) return Room::kYes;
    return IsProvenInfeasible(plan.status()) ? Room::kNo : Room::kUnknown;
  }

  // Returns true if all choices for order_[depth...] that may be cheaper have been tried.
  bool Descend(size_t depth, Price so_far) {
    if (depth == order_.size()) {
      best_ = chosen_;
      least_ = so_far;
      return true;
    }
    const int32_t buffer = order_[depth];
    bool complete = true;
    for (const AccessCosts::Choice& choice : costs_.ChoicesOf(buffer)) {
      if (plans_left_ <= 0 || budget_.Stopped()) {
        complete = false;
        break;
      }
      Price price = so_far;
      price += choice.price;
      Price least = price;
      least += rest_[depth + 1];
      // The remaining buffers cost at least their cheapest pools.
      if (!best_.empty() && least >= least_) continue;
      chosen_[Index(buffer)] = choice.pool;
      if (!KeepsPartners(buffer)) continue;
      // Later choices only add buffers, so a pool without room gets none.
      const Room room = HasRoom(choice.pool);
      if (room == Room::kUnknown) complete = false;
      if (room == Room::kYes) complete = Descend(depth + 1, price) && complete;
    }
    chosen_[Index(buffer)] = -1;
    return complete;
  }

  const Problem& problem_;
  const AccessCosts& costs_;
  const SummedChoice& summed_;
  const PlanFixed& plan_fixed_;
  const SearchBudget& budget_;
  int64_t plans_left_;
  // The buffers that must share a pool with each buffer.
  std::vector<std::vector<int32_t>> partners_;
  std::vector<int32_t> order_;
  // The buffers at the front of order_ with a single choice.
  size_t fixed_ = 0;
  // The least price of order_[i...].
  std::vector<Price> rest_;
  std::vector<int32_t> chosen_;
  std::vector<int32_t> best_;
  Price least_;
};

}  // namespace

Problem WithChoice(const Problem& problem, const std::vector<int32_t>& pools) {
  TENON_CHECK(pools.size() == problem.buffers.size());
  Problem result = problem;
  for (size_t i = 0; i < pools.size(); ++i) result.buffers[i].pools = {pools[i]};
  return result;
}

PoolChoice ImproveChoice(const Problem& problem, const AccessCosts& costs,
                         const std::vector<int32_t>& start, const PlanFixed& plan_fixed,
                         const SearchBudget& budget) {
  const SummedChoice summed = ChooseSummed(problem, costs, start);
  if (summed.nothing_fits) return {{}, {}, summed.bound, false, true};
  const bool has_summed =
      std::find(summed.is_summed.begin(), summed.is_summed.end(), true) != summed.is_summed.end();
  PoolChoice choice;
  choice.bound = summed.bound;
  if (has_summed && summed.pools.empty()) {
    choice.pools = start;
    for (size_t i = 0; i < start.size(); ++i)
      choice.price += costs.Of(static_cast<int32_t>(i), start[i]);
    return choice;
  }
  choice = Chooser(problem, costs, summed, plan_fixed, budget).Run(start);
  choice.is_least = choice.is_least && summed.is_least;
  choice.bound = choice.is_least ? choice.price : summed.bound;
  return choice;
}

}  // namespace tenon::planner
