#include "planner/heuristics/ejection_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace tenon::planner {
namespace {

constexpr int64_t kOut = -1;
// The area of the largest box.
constexpr double kMostArea = 1 << 20;
// Trouble of a box that has to stay where it is; there are few of these.
constexpr int64_t kImmovable = int64_t{1} << 50;
// How much more a box that is looked at costs than an item of the exact search.
constexpr size_t kCost = 16;

// Sorts by `key`, which is between 0 and `most`: dealt out to bins first, since the keys spread.
template <typename Key>
void SortByBins(std::vector<PlacedBox>* boxes, std::vector<PlacedBox>* dealt, int64_t most,
                Key key) {
  constexpr size_t kBins = 256;
  const int shift = std::max(0, static_cast<int>(std::bit_width(static_cast<uint64_t>(most))) - 8);
  std::array<int32_t, kBins + 1> begins{};
  for (const PlacedBox& box : *boxes) ++begins[Index(key(box) >> shift) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::array<int32_t, kBins + 1> next = begins;
  dealt->resize(boxes->size());
  for (const PlacedBox& box : *boxes) (*dealt)[Index(next[Index(key(box) >> shift)]++)] = box;
  for (size_t bin = 0; bin < kBins; ++bin) {
    std::sort(dealt->begin() + begins[bin], dealt->begin() + begins[bin + 1],
              [&](const PlacedBox& a, const PlacedBox& b) {
                return key(a) != key(b) ? key(a) < key(b) : a.number < b.number;
              });
  }
  boxes->swap(*dealt);
}

}  // namespace

EjectionSearch::EjectionSearch(const Boxes& boxes, std::vector<int64_t> start, SearchBudget* budget)
    : boxes_(boxes),
      budget_(budget),
      placed_(boxes),
      best_(std::move(start)),
      peak_(boxes.Peak(best_)),
      offsets_(best_),
      areas_(boxes.size()),
      failures_(boxes.size(), 1) {
  const auto area = [&](int32_t i) {
    return static_cast<double>(boxes.At(i).size) * static_cast<double>(boxes.At(i).duration);
  };
  double most = 1;
  for (const int32_t i : boxes.live()) most = std::max(most, area(i));
  for (const int32_t i : boxes.live()) {
    areas_[Index(i)] = 1 + static_cast<int64_t>(area(i) / most * kMostArea);
    placed_.Add(i, best_[Index(i)]);
  }
  for (const int32_t i : boxes.fixed()) {
    areas_[Index(i)] = kImmovable;
    placed_.Add(i, best_[Index(i)]);
  }
}

void EjectionSearch::Start(const std::vector<int64_t>& offsets) {
  const int64_t peak = boxes_.Peak(offsets);
  if (peak >= peak_) return;
  best_ = offsets;
  peak_ = peak;
  Restore();
}

int64_t EjectionSearch::Trouble(int32_t number) const {
  return areas_[Index(number)] * failures_[Index(number)];
}

bool EjectionSearch::Run(int64_t goal, int64_t tries) {
  const int64_t end = budget_->used() + std::min(tries, budget_->left());
  const int64_t before = peak_;
  if (step_ == 0) {
    step_ = std::max<int64_t>(1, (peak_ - goal) / 8);
    patience_ = 20'000;
  }
  while (peak_ > goal && !budget_->Spent() && budget_->used() < end) {
    budget_->Take(boxes_.size());
    const int64_t ceiling = std::max(goal, peak_ - step_);
    if (Fit(ceiling, std::min(patience_, end - budget_->used()))) {
      best_ = offsets_;
      peak_ = boxes_.Peak(best_);
      step_ += step_ / 2;
    } else {
      Restore();
      if (step_ <= std::max<int64_t>(1, (peak_ - goal) / 64)) patience_ += patience_ / 2;
      step_ = std::max<int64_t>({1, (peak_ - goal) / 64, step_ / 2});
    }
  }
  return peak_ < before;
}

void EjectionSearch::TakeOut(int32_t number) {
  placed_.Remove(number);
  offsets_[Index(number)] = kOut;
  out_.push_back(number);
}

void EjectionSearch::Put(int32_t number, int64_t offset) {
  placed_.Add(number, offset);
  offsets_[Index(number)] = offset;
}

void EjectionSearch::Restore() {
  out_.clear();
  for (const int32_t i : boxes_.live()) {
    if (offsets_[Index(i)] == best_[Index(i)]) continue;
    if (offsets_[Index(i)] != kOut) placed_.Remove(i);
    Put(i, best_[Index(i)]);
  }
}

int32_t EjectionSearch::NextOut() {
  size_t next = 0;
  for (size_t i = 1; i < out_.size(); ++i) {
    if (areas_[Index(out_[i])] > areas_[Index(out_[next])]) next = i;
  }
  const int32_t number = out_[next];
  out_[next] = out_.back();
  out_.pop_back();
  return number;
}

bool EjectionSearch::Fit(int64_t ceiling, int64_t tries) {
  const int64_t end = budget_->used() + tries;
  ceiling_ = ceiling;
  for (const int32_t i : boxes_.fixed()) {
    if (best_[Index(i)] + boxes_.At(i).size > ceiling) return false;
  }
  for (const int32_t i : boxes_.live()) {
    if (boxes_.OffsetFrom(0, boxes_.At(i)) + boxes_.At(i).size > ceiling) return false;
  }
  for (const int32_t i : boxes_.live()) {
    if (offsets_[Index(i)] + boxes_.At(i).size > ceiling) TakeOut(i);
  }
  while (!out_.empty()) {
    if (budget_->Spent() || budget_->used() >= end) return false;
    const int32_t number = NextOut();
    near_.clear();
    placed_.Gather(number, &near_);
    budget_->Take(kCost * near_.size());
    if (!PutIntoHole(number) && !MakeRoom(number)) return false;
  }
  return true;
}

bool EjectionSearch::PutIntoHole(int32_t number) {
  SortByBins(&near_, &dealt_, ceiling_, [](const PlacedBox& box) { return box.bottom; });
  const Box& box = boxes_.At(number);
  int64_t offset = boxes_.OffsetFrom(0, box);
  int64_t tightest = kOut;
  int64_t tightest_room = INT64_MAX;
  const auto consider = [&](int64_t end) {
    const int64_t room = end - offset;
    if (room < box.size || room >= tightest_room) return;
    tightest = offset;
    tightest_room = room;
  };
  for (const PlacedBox& other : near_) {
    consider(other.bottom);
    if (other.top > offset) offset = boxes_.OffsetFrom(other.top, box);
  }
  consider(ceiling_);
  if (tightest == kOut) return false;
  Put(number, tightest);
  return true;
}

bool EjectionSearch::MakeRoom(int32_t number) {
  ++failures_[Index(number)];
  const Box& box = boxes_.At(number);
  by_top_ = near_;
  SortByBins(&by_top_, &dealt_, ceiling_, [](const PlacedBox& other) { return other.top; });
  // What a place costs: all that begins below its end, less all that ends below its beginning.
  int64_t begun = 0;
  int64_t ended = 0;
  size_t next_begin = 0;
  int64_t least = INT64_MAX;
  int64_t place = kOut;
  const auto consider = [&](int64_t offset) {
    if (offset > ceiling_ - box.size) return;
    for (; next_begin < near_.size() && near_[next_begin].bottom < offset + box.size; ++next_begin)
      begun += Trouble(near_[next_begin].number);
    if (begun - ended >= least) return;
    least = begun - ended;
    place = offset;
  };
  consider(boxes_.OffsetFrom(0, box));
  for (size_t i = 0; i < by_top_.size();) {
    const int64_t top = by_top_[i].top;
    for (; i < by_top_.size() && by_top_[i].top <= top; ++i) ended += Trouble(by_top_[i].number);
    consider(boxes_.OffsetFrom(top, box));
  }
  if (least >= kImmovable) return false;
  for (const PlacedBox& other : near_) {
    if (other.bottom >= place + box.size || other.top <= place) continue;
    if (offsets_[Index(other.number)] != kOut) TakeOut(other.number);
  }
  Put(number, place);
  return true;
}

}  // namespace tenon::planner
