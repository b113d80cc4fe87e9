#include "planner/exact/packing_solver.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "support/check.h"

namespace tenon::planner {
namespace {

// With few items, restarts only delay the exhaustive search.
constexpr int64_t kFewItemTries = 4'000'000;

// Noise in thousandths, and the weight of failures, in rotation.
struct Blur {
  int32_t noise;
  int32_t pull;
};
constexpr std::array<Blur, 4> kBlurs = {{{400, 10}, {50, 30}, {200, 20}, {100, 10}}};

// A divisor of all ends of packings built from the bottom; 1 if alignment matters.
int64_t Unit(const Packing& packing) {
  int64_t unit = 0;
  int64_t alignment = 1;
  for (const PackingItem& item : packing.items) {
    unit = std::gcd(unit, item.size);
    alignment = std::max(alignment, item.alignment);
  }
  return unit == 0 || unit % alignment != 0 || packing.base_offset % alignment != 0 ? 1 : unit;
}

// Noise in thousandths around an existing packing.
constexpr std::array<int32_t, 5> kNear = {20, 50, 100, 200, 30};

}  // namespace

PackingSolver::PackingSolver(Packing packing, SearchBudget* budget)
    : packing_(std::move(packing)), budget_(budget), search_(packing_, budget), orders_(packing_) {
  int64_t lead = kMaxBytes;
  for (const PackingItem& item : packing_.items) {
    buffers_.push_back(item.buffer);
    lead = std::min(lead, packing_.Lead(item));
    lower_ = std::max(lower_, packing_.Lead(item) + item.size);
  }
  for (int64_t live : packing_.live) lower_ = std::max(lower_, lead + live);
  unit_ = Unit(packing_);
}

SearchResult PackingSolver::Run(int64_t capacity, const std::vector<int32_t>& order, int64_t tries,
                                bool follow) {
  const SearchResult result =
      search_.Run(capacity, order, std::min(tries, end_ - budget_->used()), follow);
  if (result == SearchResult::kFound) found_ = search_.offsets();
  for (int64_t& failures : search_.failures()) failures -= failures / 20;
  return result;
}

SearchResult PackingSolver::Solve(int64_t capacity, int64_t max_tries) {
  end_ = budget_->used() + std::min(max_tries, budget_->left());
  const auto count = static_cast<int64_t>(packing_.items.size());
  TENON_CHECK(count > 0);
  int64_t tries = std::max(2 * count, kFewItemTries / (count * count));
  for (size_t round = 0;; ++round) {
    const Blur blur = round == 0 ? Blur{0, 0} : kBlurs[round % kBlurs.size()];
    for (int32_t kind = 0; kind < PackingOrders::count(); ++kind) {
      SearchResult result = SearchResult::kStopped;
      if (!found_.empty()) {
        const int32_t noise = kNear[static_cast<size_t>(kind) % kNear.size()];
        result = Run(capacity, orders_.Near(found_, noise), tries, true);
        if (result != SearchResult::kStopped) return result;
      }
      result = Run(capacity, orders_.Make(kind, blur.noise, blur.pull, search_.failures()), tries,
                   false);
      if (result != SearchResult::kStopped) return result;
      if (budget_->used() >= end_ || budget_->Spent()) return SearchResult::kStopped;
    }
    tries += std::max<int64_t>(tries / 20, 1);
  }
}

}  // namespace tenon::planner
