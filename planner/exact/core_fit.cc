#include "planner/exact/core_fit.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "planner/exact/part_solver.h"
#include "planner/heuristics/hole_fit.h"
#include "support/check.h"

namespace tenon::planner {
namespace {

constexpr std::array<double, 6> kShares = {0.97, 0.9, 0.8, 0.7, 0.5, 0.3};
// Tries of one packing of the core at one capacity.
constexpr int64_t kTries = 40'000;

class Cores {
 public:
  Cores(const CoreProblem& core, SearchBudget* budget)
      : core_(core), budget_(budget), live_(Index(core.boxes.times()) + 1) {
    const Boxes& boxes = core.boxes;
    for (int32_t i : boxes.live()) {
      for (const LifeSpan& life : boxes.Lives(i)) {
        live_[Index(life.first)] += boxes.At(i).size;
        live_[Index(life.end)] -= boxes.At(i).size;
      }
    }
    std::partial_sum(live_.begin(), live_.end(), live_.begin());
  }

  // Chooses the boxes live when more than `level` bytes are. False: too many for exact search.
  bool Choose(int64_t level) {
    std::vector<int32_t> high(live_.size() + 1);
    for (size_t t = 0; t < live_.size(); ++t) high[t + 1] = high[t] + (live_[t] > level ? 1 : 0);
    chosen_.clear();
    for (int32_t i : core_.boxes.live()) {
      const auto lives = core_.boxes.Lives(i);
      if (std::any_of(lives.begin(), lives.end(), [&](const LifeSpan& life) {
            return high[Index(life.end)] > high[Index(life.first)];
          })) {
        chosen_.push_back(i);
      }
    }
    parts_.clear();
    std::vector<int32_t> members;
    for (int32_t i : chosen_) members.push_back(core_.members[Index(i)]);
    return MakeParts(core_.problem, core_.rules, core_.pool, members, budget_, &parts_);
  }

  // Offsets of all boxes, with the core below `capacity`; nullopt if the core does not fit.
  std::optional<std::vector<int64_t>> Fit(int64_t capacity) {
    std::vector<int64_t> by_buffer(core_.problem.buffers.size(), -1);
    for (const std::unique_ptr<PartSolver>& part : parts_) {
      if (part->Solve(capacity, kTries) != SearchResult::kFound) return std::nullopt;
      TENON_CHECK(part->offsets().size() == part->buffers().size());
      for (size_t i = 0; i < part->buffers().size(); ++i) {
        by_buffer[Index(part->buffers()[i])] = part->offsets()[i];
      }
    }
    std::vector<int64_t> fixed(core_.members.size(), -1);
    for (int32_t i : chosen_) {
      const int64_t offset = by_buffer[Index(core_.members[Index(i)])];
      if (!MeetsFixed(i, offset)) fixed[Index(i)] = offset;
    }
    return HoleFit(core_.boxes,
                   core_.boxes.Sorted([](const Box& a, const Box& b) { return a.size > b.size; }),
                   fixed);
  }

 private:
  // The exact search ignores fixed boxes: a core box that overlaps one goes into a hole instead.
  bool MeetsFixed(int32_t i, int64_t offset) const {
    const Boxes& boxes = core_.boxes;
    return std::any_of(boxes.fixed().begin(), boxes.fixed().end(), [&](int32_t other) {
      const int64_t bottom = boxes.OnTheGround()[Index(other)];
      return bottom < offset + boxes.At(i).size && offset < bottom + boxes.At(other).size &&
             boxes.Meet(i, other);
    });
  }

  const CoreProblem& core_;
  SearchBudget* budget_;
  // The live bytes at each rank of time.
  std::vector<int64_t> live_;
  std::vector<int32_t> chosen_;
  std::vector<std::unique_ptr<PartSolver>> parts_;
};

}  // namespace

void CoreFit(const CoreProblem& core, int64_t goal, int64_t best, SearchBudget* budget,
             const std::function<int64_t(std::vector<int64_t>)>& keep) {
  Cores cores(core, budget);
  for (const double share : kShares) {
    if (!cores.Choose(static_cast<int64_t>(share * static_cast<double>(goal)))) return;
    for (int64_t quarters = 0; quarters < 4; ++quarters) {
      if (best <= goal || budget->Spent()) return;
      if (best == INT64_MAX && quarters > 0) break;
      std::optional<std::vector<int64_t>> found = cores.Fit(goal + (best - goal) / 4 * quarters);
      if (!found) continue;
      best = keep(*std::move(found));
      break;
    }
  }
}

}  // namespace tenon::planner
