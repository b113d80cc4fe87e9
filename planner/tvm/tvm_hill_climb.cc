// The hill climbing of Apache TVM's static memory planner, written from its description. Its
// results depend on quirks, which are therefore kept: the last accepted state is the result, and a
// stale swap may be undone. docs/internals/planner.md lists the quirks that are kept and those that
// are not.

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "planner/algorithms.h"
#include "planner/tvm/rand_r.h"
#include "planner/tvm/tvm_common.h"
#include "planner/tvm/tvm_liveness.h"
#include "planner/tvm/tvm_plain.h"
#include "support/status_macros.h"

namespace tenon::planner {
namespace {

using Row = OffsetTable::Row;

// Placements for one order of the buffers. A buffer without room has pool -1.
struct State {
  std::vector<Placement> placements;
  std::vector<int64_t> pool_sizes;
  bool fits = true;
  bool any_placed = false;

  int64_t Total() const {
    return std::accumulate(pool_sizes.begin(), pool_sizes.end(), int64_t{0});
  }
};

class Placer {
 public:
  explicit Placer(const TvmProblem& tvm) : tvm_(tvm), table_(*tvm.problem) {}

  State Place(const std::vector<int32_t>& order) {
    State state;
    state.placements.resize(order.size());
    state.pool_sizes.resize(tvm_.problem->pools.size());
    for (int32_t buffer : order) PlaceOne(buffer, &state);
    return state;
  }

  int64_t work() const { return work_; }

 private:
  void PlaceOne(int32_t buffer, State* state) {
    table_.Reset(buffer);
    const int64_t size = tvm_.problem->buffers[Index(buffer)].size;
    for (const auto& [obstacle, placed] : PlacedObstacles(buffer, *state)) {
      Row* row = table_.Find(placed.pool);
      if (row == nullptr || !row->present) continue;
      const int64_t next = table_.OffsetAfter(obstacle, placed.offset, placed.pool);
      if (!table_.Fits(placed.pool, next)) {
        row->present = false;
      } else if (next > row->offset && row->offset + size > placed.offset) {
        row->offset = next;
      }
    }
    const Row* best = table_.Best();
    if (best == nullptr) {
      state->fits = false;
      return;
    }
    state->any_placed = true;
    state->placements[Index(buffer)] = {best->pool, best->offset};
    int64_t& pool_size = state->pool_sizes[Index(best->pool)];
    pool_size = std::max(pool_size, best->offset + size);
  }

  // Sorted by offset. TVM leaves the order of equal offsets open. It does not affect the result,
  // since the largest end wins in any order.
  const std::vector<std::pair<int32_t, Placement>>& PlacedObstacles(int32_t buffer,
                                                                    const State& state) {
    sorted_.clear();
    for (int32_t obstacle : tvm_.obstacles[Index(buffer)]) {
      const Placement& placed = state.placements[Index(obstacle)];
      if (placed.pool >= 0) sorted_.push_back({obstacle, placed});
    }
    work_ += static_cast<int64_t>(tvm_.obstacles[Index(buffer)].size()) + 1;
    std::stable_sort(sorted_.begin(), sorted_.end(), [](const auto& a, const auto& b) {
      return a.second.offset < b.second.offset;
    });
    return sorted_;
  }

  const TvmProblem& tvm_;
  OffsetTable table_;
  std::vector<std::pair<int32_t, Placement>> sorted_;
  int64_t work_ = 0;
};

class Climber {
 public:
  Climber(const TvmProblem& tvm, const PlanOptions& options)
      : tvm_(tvm),
        options_(options),
        placer_(tvm),
        order_(SortForTvm(tvm, TvmOrder::kBySize)),
        position_(order_.size()) {
    for (size_t i = 0; i < order_.size(); ++i)
      position_[Index(order_[i])] = static_cast<int32_t>(i);
  }

  Attempt Run() {
    for (int64_t k = 0; k < options_.hill_climb_attempts; ++k) {
      // The first order always gives a result.
      if (k > 0 && (placer_.work() > options_.work_limit || IsStopped(k))) break;
      State previous = std::move(current_);
      current_ = placer_.Place(order_);
      if (!current_.any_placed) break;
      if (Accept(current_, k)) {
        result_ = current_;
        if (current_.fits) {
          best_total_ = current_.Total();
          if (best_total_ <= tvm_.memory_pressure) break;
        }
      } else {
        Swap(swap_first_, swap_second_);
        current_ = std::move(previous);
      }
      if (!current_.any_placed) break;
      ChooseSwap();
    }
    return Finish();
  }

 private:
  bool IsStopped(int64_t attempt) const {
    constexpr int64_t kPollAfter = 16;
    return attempt % kPollAfter == 0 && options_.stop && options_.stop();
  }

  bool Accept(const State& state, int64_t attempt) {
    if (best_total_ == 0) return true;
    if (!state.fits) return false;
    const int64_t total = state.Total();
    if (best_total_ > total) return true;
    // TVM computes 50 * (total - best) with 64 unsigned bits; sizes near 2^62 would wrap.
    const auto excess = static_cast<unsigned __int128>(total - best_total_) * 50;
    const auto chance = static_cast<int64_t>(excess / static_cast<uint64_t>(total));
    return random_.Next() % 100 < chance / attempt;
  }

  void Swap(int32_t i, int32_t j) {
    if (i == j) return;
    std::swap(order_[Index(i)], order_[Index(j)]);
    position_[Index(order_[Index(i)])] = i;
    position_[Index(order_[Index(j)])] = j;
  }

  size_t Pick(size_t count) { return static_cast<size_t>(random_.Next()) % count; }

  void SortByPosition(std::vector<int32_t>* buffers) {
    std::sort(buffers->begin(), buffers->end(),
              [this](int32_t a, int32_t b) { return position_[Index(a)] < position_[Index(b)]; });
  }

  int32_t ChooseTop() {
    std::vector<int32_t> top;
    for (size_t i = 0; i < current_.placements.size(); ++i) {
      const Placement& placed = current_.placements[i];
      if (placed.pool < 0) continue;
      const int64_t end = placed.offset + tvm_.problem->buffers[i].size;
      if (end == current_.pool_sizes[Index(placed.pool)]) top.push_back(static_cast<int32_t>(i));
    }
    SortByPosition(&top);
    return top[Pick(top.size())];
  }

  void CollectNeighbours(int32_t node) {
    first_level_.clear();
    second_level_.clear();
    for (int32_t near : tvm_.conflicts[Index(node)]) {
      if (position_[Index(near)] < position_[Index(node)]) first_level_.push_back(near);
      for (int32_t far : tvm_.conflicts[Index(near)]) {
        if (position_[Index(far)] < position_[Index(near)]) second_level_.push_back(far);
      }
    }
    SortByPosition(&first_level_);
    SortByPosition(&second_level_);
  }

  void ChooseSwap() {
    CollectNeighbours(ChooseTop());
    if (first_level_.empty()) return;
    const int32_t one = first_level_[Pick(first_level_.size())];
    const int32_t other = DrawOther(one);
    if (other == one) return;
    swap_first_ = position_[Index(one)];
    swap_second_ = position_[Index(other)];
    Swap(swap_first_, swap_second_);
  }

  // TVM draws until it gets a buffer other than `one`, forever if the lists hold nothing else.
  int32_t DrawOther(int32_t one) {
    const bool tiny = second_level_.size() < 2 && first_level_.size() < 2;
    auto is_one = [one](int32_t buffer) { return buffer == one; };
    const bool hopeless = std::all_of(first_level_.begin(), first_level_.end(), is_one) &&
                          std::all_of(second_level_.begin(), second_level_.end(), is_one);
    if (hopeless && !tiny) return one;
    while (true) {
      const bool second = !second_level_.empty() && random_.Next() % 100 > 25;
      const std::vector<int32_t>& level = second ? second_level_ : first_level_;
      const int32_t drawn = level[Pick(level.size())];
      if (drawn != one || tiny) return drawn;
    }
  }

  Attempt Finish() {
    Attempt attempt;
    attempt.placements = std::move(result_.placements);
    attempt.placements.resize(order_.size());
    for (int32_t buffer : order_) {
      if (attempt.placements[Index(buffer)].pool >= 0) continue;
      attempt.no_room_for = buffer;
      break;
    }
    return attempt;
  }

  const TvmProblem& tvm_;
  const PlanOptions& options_;
  Placer placer_;
  std::vector<int32_t> order_;
  std::vector<int32_t> position_;
  GlibcRandR random_{0};
  State current_;
  State result_;
  int64_t best_total_ = 0;
  // The swap that a rejection undoes, even if made several attempts ago; both are -1 at first.
  int32_t swap_first_ = -1;
  int32_t swap_second_ = -1;
  std::vector<int32_t> first_level_;
  std::vector<int32_t> second_level_;
};

// The first attempt, without conflict lists, if these are too long or the limit allows no second
// attempt.
std::optional<Attempt> FirstAttempt(const Problem& problem, const PlanOptions& options) {
  if (options.hill_climb_attempts < 1) return std::nullopt;
  const std::optional<PlainTvm> plain = PlainTvm::Make(problem);
  if (!plain || !plain->is_dense()) return std::nullopt;
  const int64_t work = plain->entries() + static_cast<int64_t>(problem.buffers.size());
  if (plain->entries() <= kMaxConflictEntries && work <= options.work_limit) return std::nullopt;
  std::optional<std::vector<Placement>> placements = plain->PlaceInHoles();
  if (!placements) return std::nullopt;
  return Attempt{*std::move(placements), std::nullopt};
}

}  // namespace

absl::StatusOr<Attempt> HillClimb(const Problem& problem, const PlanOptions& options) {
  if (std::optional<Attempt> only = FirstAttempt(problem, options)) return *std::move(only);
  TENON_ASSIGN_OR(TvmProblem tvm, PrepareTvmProblem(problem, "hill_climb"));
  return Climber(tvm, options).Run();
}

}  // namespace tenon::planner
