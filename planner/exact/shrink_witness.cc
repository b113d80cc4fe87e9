#include "planner/exact/shrink_witness.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "planner/exact/part_solver.h"

namespace tenon::planner {
namespace {

// Tries for one set of buffers, and for all sets. A try takes longer with more buffers: 500,000
// tries among 60 buffers took minutes.
constexpr int64_t kTriesEach = 5'000;
constexpr int64_t kAllTries = 500'000;
constexpr int64_t kTriesEachOfMany = 200;
constexpr int64_t kAllTriesOfMany = 10'000;
constexpr size_t kMany = 32;

class Shrinker {
 public:
  Shrinker(const Problem& problem, const PairRules& rules, int32_t pool, const PlanOptions& limits,
           LowerBound bound)
      : problem_(problem),
        rules_(rules),
        pool_(pool),
        budget_(limits),
        bound_(std::move(bound)),
        members_(bound_.live) {}

  LowerBound Run() {
    std::stable_sort(members_.begin(), members_.end(),
                     [&](int32_t a, int32_t b) { return FirstUse(a) < FirstUse(b); });
    for (size_t chunk = members_.size() / 2; chunk > 0; chunk /= 2) {
      for (size_t begin = 0; begin < members_.size() && !budget_.Spent();) {
        if (!RemoveChunk(begin, chunk)) begin += chunk;
      }
    }
    std::sort(bound_.live.begin(), bound_.live.end());
    return std::move(bound_);
  }

 private:
  int64_t FirstUse(int32_t buffer) const {
    const auto& lives = problem_.buffers[Index(buffer)].lifetimes;
    return lives.empty() ? INT64_MIN : lives[0].lower;
  }

  // Looks for a proof without `chunk` members from `begin` on. True: these members were removed.
  bool RemoveChunk(size_t begin, size_t chunk) {
    const size_t end = std::min(begin + chunk, members_.size());
    std::vector<int32_t> rest = members_;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(begin),
               rest.begin() + static_cast<std::ptrdiff_t>(end));
    const bool is_many = rest.size() > kMany;
    if (rest.empty() || (is_many && budget_.used() > kAllTriesOfMany)) return false;
    const int64_t tries = is_many ? kTriesEachOfMany : kTriesEach;
    std::vector<std::unique_ptr<PartSolver>> parts;
    MakeParts(problem_, rules_, pool_, rest, &budget_, &parts);
    for (const std::unique_ptr<PartSolver>& part : parts) {
      const int64_t before = budget_.used();
      const bool refuted = part->lower() >= bound_.bytes ||
                           part->Solve(bound_.bytes - 1, tries) == SearchResult::kNone;
      if (!refuted) continue;
      bound_.live = part->buffers();
      bound_.searched = std::max<int64_t>(budget_.used() - before, 1);
      std::erase_if(members_, [&](int32_t member) {
        return std::find(bound_.live.begin(), bound_.live.end(), member) == bound_.live.end();
      });
      return true;
    }
    return false;
  }

  const Problem& problem_;
  const PairRules& rules_;
  const int32_t pool_;
  SearchBudget budget_;
  LowerBound bound_;
  // The buffers of `bound_.live`, in order of their lives.
  std::vector<int32_t> members_;
};

}  // namespace

LowerBound ShrinkWitness(const Problem& problem, const PairRules& rules, int32_t pool,
                         const PlanOptions& options, LowerBound bound) {
  PlanOptions limits = options;
  limits.node_limit = kAllTries;
  return Shrinker(problem, rules, pool, limits, std::move(bound)).Run();
}

}  // namespace tenon::planner
