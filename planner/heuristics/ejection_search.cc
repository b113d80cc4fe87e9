#include "planner/heuristics/ejection_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "support/check.h"

namespace tenon::planner {
namespace {

constexpr int64_t kOut = -1;
// The weight of the largest box.
constexpr double kMostWeight = 1 << 20;
// Trouble of a box that has to stay where it is; there are few of these.
constexpr int64_t kImmovable = int64_t{1} << 50;
// How much more a box that is gathered and sorted costs than an item of the exact search.
constexpr size_t kSortingCost = 16;
// The same for one that comes in order.
constexpr size_t kOrderedCost = 1;
// One among this many boxes has to meet another one for an order of all to be worth keeping.
constexpr int64_t kDense = 48;
// In an order of all, those that are passed over for one that meets.
constexpr size_t kPassedOver = 4;

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

double WeightOf(const Box& box, BoxWeights weights) {
  const auto duration = static_cast<double>(box.duration);
  const auto size = static_cast<double>(box.size);
  return weights == BoxWeights::kAreas ? duration * size : std::sqrt(duration * std::sqrt(size));
}

}  // namespace

OrderedNeighbors::OrderedNeighbors(const Boxes& boxes) : boxes_(boxes) {
  if (!KeepsOrder(boxes)) unordered_.emplace(boxes);
}

bool OrderedNeighbors::KeepsOrder(const Boxes& boxes) {
  const auto count = static_cast<double>(boxes.size());
  if (static_cast<double>(boxes.Meetings()) * kDense < count * count) return false;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (boxes.Lives(static_cast<int32_t>(i)).size() > 1) return false;
  }
  return true;
}

PlacedBox OrderedNeighbors::At(int32_t number, const LifeSpan& life, int64_t offset) const {
  return {life, offset, offset + boxes_.At(number).size, number};
}

void OrderedNeighbors::Add(int32_t number, int64_t offset) {
  if (unordered_) return unordered_->Add(number, offset);
  for (const LifeSpan& life : boxes_.Lives(number)) {
    bottoms_.Add(At(number, life, offset));
    tops_.Add(At(number, life, offset));
  }
}

void OrderedNeighbors::Remove(int32_t number, int64_t offset) {
  if (unordered_) return unordered_->Remove(number);
  for (const LifeSpan& life : boxes_.Lives(number)) {
    bottoms_.Remove(At(number, life, offset));
    tops_.Remove(At(number, life, offset));
  }
}

std::span<const PlacedBox> OrderedNeighbors::ByBottom(int32_t number, int64_t most) {
  if (!unordered_) {
    const size_t count = bottoms_.Gather(boxes_.Lives(number)[0], &by_bottom_);
    return std::span(by_bottom_).first(count);
  }
  by_bottom_.clear();
  unordered_->Gather(number, &by_bottom_);
  SortByBins(&by_bottom_, &dealt_, most, [](const PlacedBox& box) { return box.bottom; });
  return by_bottom_;
}

std::span<const PlacedBox> OrderedNeighbors::ByTop(int32_t number, int64_t most) {
  if (!unordered_) {
    const size_t count = tops_.Gather(boxes_.Lives(number)[0], &by_top_);
    return std::span(by_top_).first(count);
  }
  by_top_ = by_bottom_;
  SortByBins(&by_top_, &dealt_, most, [](const PlacedBox& box) { return box.top; });
  return by_top_;
}

size_t OrderedNeighbors::Cost(const Boxes& boxes, size_t found, bool keeps_order) {
  if (!keeps_order) return kSortingCost * found;
  return kOrderedCost * (found + boxes.size() / kPassedOver);
}

EjectionSearch::EjectionSearch(const Boxes& boxes, std::vector<int64_t> start, SearchBudget* budget,
                               BoxWeights weights)
    : boxes_(boxes),
      budget_(budget),
      placed_(boxes),
      best_(std::move(start)),
      peak_(boxes.Peak(best_)),
      offsets_(best_),
      weights_(boxes.size()) {
  double most = 1;
  for (const int32_t i : boxes.live()) most = std::max(most, WeightOf(boxes.At(i), weights));
  for (const int32_t i : boxes.live()) {
    weights_[Index(i)] =
        1 + static_cast<int64_t>(WeightOf(boxes.At(i), weights) / most * kMostWeight);
    placed_.Add(i, best_[Index(i)]);
  }
  for (const int32_t i : boxes.fixed()) {
    weights_[Index(i)] = kImmovable;
    placed_.Add(i, best_[Index(i)]);
  }
  troubles_ = weights_;
}

void EjectionSearch::Start(const std::vector<int64_t>& offsets) {
  const int64_t peak = boxes_.Peak(offsets);
  if (peak >= peak_) return;
  best_ = offsets;
  peak_ = peak;
  Restore();
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
      Keep();
      step_ += step_ / 2;
    } else {
      Restore();
      if (step_ <= std::max<int64_t>(1, (peak_ - goal) / 64)) patience_ += patience_ / 2;
      step_ = std::max<int64_t>({1, (peak_ - goal) / 64, step_ / 2});
    }
  }
  return peak_ < before;
}

bool EjectionSearch::Rebuild(int64_t ceiling, int64_t tries) {
  for (const int32_t i : boxes_.live()) TakeOut(i);
  const int64_t before = peak_;
  if (!Fit(ceiling, std::min(tries, budget_->left()))) PutRestOnTop();
  if (boxes_.Peak(offsets_) < peak_) {
    Keep();
  } else {
    Restore();
  }
  return peak_ < before;
}

// What is out goes into the tightest hole, or above all that is in its way.
void EjectionSearch::PutRestOnTop() {
  int64_t most = 0;
  for (const int32_t i : boxes_.live()) {
    if (offsets_[Index(i)] != kOut) most = std::max(most, Top(i));
  }
  for (const int32_t i : boxes_.fixed()) most = std::max(most, Top(i));
  ceiling_ = kMaxBytes;
  while (!out_.empty()) {
    const int32_t number = NextOut();
    const bool is_put = PutIntoHole(number, placed_.ByBottom(number, most));
    TENON_CHECK(is_put);
    most = std::max(most, Top(number));
  }
}

int64_t EjectionSearch::ItemsToRebuild(const Boxes& boxes) {
  const auto count = static_cast<int64_t>(boxes.size());
  if (count == 0) return 0;
  // Half of what meets a box is there before it.
  const size_t met = Index(boxes.Meetings() / count / 2);
  const auto cost =
      static_cast<int64_t>(OrderedNeighbors::Cost(boxes, met, OrderedNeighbors::KeepsOrder(boxes)));
  return count > INT64_MAX / (cost + 1) ? INT64_MAX : count * cost;
}

void EjectionSearch::Keep() {
  best_ = offsets_;
  peak_ = boxes_.Peak(best_);
}

void EjectionSearch::TakeOut(int32_t number) {
  placed_.Remove(number, offsets_[Index(number)]);
  offsets_[Index(number)] = kOut;
  out_.emplace_back(weights_[Index(number)], number);
  std::push_heap(out_.begin(), out_.end());
}

void EjectionSearch::Put(int32_t number, int64_t offset) {
  placed_.Add(number, offset);
  offsets_[Index(number)] = offset;
}

void EjectionSearch::Restore() {
  out_.clear();
  for (const int32_t i : boxes_.live()) {
    const int64_t offset = offsets_[Index(i)];
    if (offset == best_[Index(i)]) continue;
    if (offset != kOut) placed_.Remove(i, offset);
    Put(i, best_[Index(i)]);
  }
}

int32_t EjectionSearch::NextOut() {
  std::pop_heap(out_.begin(), out_.end());
  const int32_t number = out_.back().second;
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
    if (offsets_[Index(i)] + boxes_.At(i).size > ceiling && offsets_[Index(i)] != kOut) TakeOut(i);
  }
  while (!out_.empty()) {
    if (budget_->Spent() || budget_->used() >= end) return false;
    const int32_t number = NextOut();
    const std::span<const PlacedBox> near = placed_.ByBottom(number, ceiling_);
    budget_->Take(placed_.Cost(near.size()));
    if (!PutIntoHole(number, near) && !MakeRoom(number, near)) return false;
  }
  return true;
}

bool EjectionSearch::PutIntoHole(int32_t number, std::span<const PlacedBox> near) {
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
  for (const PlacedBox& other : near) {
    consider(other.bottom);
    if (other.top > offset) offset = boxes_.OffsetFrom(other.top, box);
  }
  consider(ceiling_);
  if (tightest == kOut) return false;
  Put(number, tightest);
  return true;
}

bool EjectionSearch::MakeRoom(int32_t number, std::span<const PlacedBox> near) {
  troubles_[Index(number)] += weights_[Index(number)];
  const Box& box = boxes_.At(number);
  const std::span<const PlacedBox> by_top = placed_.ByTop(number, ceiling_);
  // What a place costs: all that begins below its end, less all that ends below its beginning.
  int64_t cost = 0;
  size_t next_begin = 0;
  int64_t least = INT64_MAX;
  int64_t place = kOut;
  const auto consider = [&](int64_t offset) {
    if (offset > ceiling_ - box.size) return;
    for (; next_begin < near.size() && near[next_begin].bottom < offset + box.size; ++next_begin)
      cost += troubles_[Index(near[next_begin].number)];
    if (cost >= least) return;
    least = cost;
    place = offset;
  };
  consider(boxes_.OffsetFrom(0, box));
  for (size_t i = 0; i < by_top.size();) {
    const int64_t top = by_top[i].top;
    for (; i < by_top.size() && by_top[i].top <= top; ++i)
      cost -= troubles_[Index(by_top[i].number)];
    consider(boxes_.OffsetFrom(top, box));
  }
  if (least >= kImmovable) return false;
  for (const PlacedBox& other : near) {
    if (other.bottom >= place + box.size || other.top <= place) continue;
    if (offsets_[Index(other.number)] != kOut) TakeOut(other.number);
  }
  Put(number, place);
  return true;
}

}  // namespace tenon::planner
