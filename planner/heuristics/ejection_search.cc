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
// The trouble of a box with a fixed offset; few boxes have one.
constexpr int64_t kImmovable = int64_t{1} << 50;
// The cost of gathering and sorting a box, in items of the exact search.
constexpr size_t kSortingCost = 16;
// The divisor of that item cost if boxes come in order and all fit into a processor's caches.
constexpr size_t kOrderedPart = 4;
constexpr size_t kMostCached = 32'768;
// Contacts only matter with more boxes than this; fewer boxes pack well without them.
constexpr size_t kManyBoxes = 1024;
// Looking at every pair takes too long with more boxes than this.
constexpr size_t kMostBoxes = 200'000;
// The pause of a contact is at most this part of all times.
constexpr int32_t kContactPart = 32;
// The loss of a hole, relative to one full of contacts, if half of it stays empty.
constexpr double kSlackWorth = 0.2;
// RebuildCloseTo begins this part of the goal above the goal.
constexpr int64_t kFirstDistance = 25;
// Tries of RunUntil between reports.
constexpr int64_t kTries = 20'000;
// The number of boxes skipped for each one that overlaps, in an order of all boxes.
constexpr size_t kPassedOver = 4;

// Sorts by `key`, which is from 0 to `most`: first into bins, since the keys are spread out.
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
  if (!boxes.IsCrowded()) unordered_.emplace(boxes);
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

std::span<const PlacedBox> OrderedNeighbors::ByBottom(int32_t number, int64_t most,
                                                      int32_t margin) {
  if (!unordered_) {
    const LifeSpan life = boxes_.Lives(number)[0];
    const size_t count = bottoms_.Gather({life.first - margin, life.end + margin}, &by_bottom_);
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
  const size_t items = found + boxes.size() / kPassedOver;
  const bool is_quick = boxes.size() > kManyBoxes && boxes.size() <= kMostCached;
  return is_quick ? items / kOrderedPart : items;
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
  if (placed_.keeps_order() && boxes.size() > kManyBoxes && boxes.size() <= kMostBoxes) {
    margin_ = std::max(1, boxes.times() / kContactPart);
  }
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
  while (peak_ > goal && budget_->used() < end && HasTime()) {
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

bool EjectionSearch::Build(int64_t ceiling) {
  const int64_t before = peak_;
  for (const int32_t i : boxes_.live()) TakeOut(i);
  std::vector<std::pair<int64_t, int32_t>> rest;
  ceiling_ = ceiling;
  while (!out_.empty()) {
    budget_->Look();
    if (!HasTime()) {
      Restore();
      return false;
    }
    const int32_t number = NextOut();
    if (PutIntoHole(number, placed_.ByBottom(number, ceiling_, margin_))) continue;
    rest.emplace_back(weights_[Index(number)], number);
  }
  // `rest` is in descending order of weight, so it is already a heap.
  out_ = std::move(rest);
  PutRestOnTop();
  if (boxes_.Peak(offsets_) < peak_) {
    Keep();
  } else {
    Restore();
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

void EjectionSearch::RebuildCloseTo(int64_t goal, int64_t until, double least_seconds,
                                    const std::function<void()>& keep) {
  least_seconds_ = least_seconds;
  int64_t distance = goal / kFirstDistance;
  while (peak_ > goal && budget_->used() < until && HasTime()) {
    distance = std::min(distance, (peak_ - goal) / 2);
    if (Rebuild(goal + distance, (until - budget_->used()) / 4 * 3)) keep();
    if (peak_ > goal + distance) return;
  }
}

void EjectionSearch::RunUntil(int64_t goal, int64_t until, double least_seconds,
                              const std::function<void()>& keep) {
  least_seconds_ = least_seconds;
  while (peak_ > goal && budget_->used() < until && HasTime()) {
    if (Run(goal, std::min(kTries, until - budget_->used()))) keep();
  }
}

// Puts boxes that are out into the tightest hole, or above everything in their way.
void EjectionSearch::PutRestOnTop() {
  // Lower is better here: contacts do not matter.
  const int32_t margin = std::exchange(margin_, 0);
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
  margin_ = margin;
}

int64_t EjectionSearch::ItemsToRebuild(const Boxes& boxes) {
  const auto count = static_cast<int64_t>(boxes.size());
  if (count == 0) return 0;
  // On average, half of the boxes that overlap a box are placed before it.
  const size_t met = Index(boxes.Meetings() / count / 2);
  const auto cost = static_cast<int64_t>(OrderedNeighbors::Cost(boxes, met, boxes.IsCrowded()));
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
    if (budget_->used() >= end || !HasTime()) return false;
    const int32_t number = NextOut();
    const std::span<const PlacedBox> near = placed_.ByBottom(number, ceiling_, margin_);
    budget_->Take(placed_.Cost(near.size()));
    if (!PutIntoHole(number, near) && !MakeRoom(number, near)) return false;
  }
  return true;
}

bool EjectionSearch::PutIntoHole(int32_t number, std::span<const PlacedBox> near) {
  if (margin_ > 0) {
    const std::optional<int64_t> offset = FindByContacts(number, near);
    if (offset) Put(number, *offset);
    return offset.has_value();
  }
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

void EjectionSearch::AddContact(int32_t number, const PlacedBox& other, int64_t ground) {
  if (other.top <= ground) return;
  const LifeSpan& life = boxes_.Lives(number)[0];
  const int32_t pause = std::max(life.first - other.life.end, other.life.first - life.end);
  contacts_.push_back({other.bottom, other.top, 1 - static_cast<double>(pause) / (margin_ + 1)});
}

double EjectionSearch::WorthAt(const Box& box, int64_t offset, int64_t room) const {
  double bytes = 0;
  for (const Contact& contact : contacts_) {
    const int64_t shared =
        std::min(contact.top, offset + box.size) - std::max(contact.bottom, offset);
    if (shared > 0) bytes += static_cast<double>(shared) * contact.weight;
  }
  const auto size = static_cast<double>(box.size);
  return bytes / size - kSlackWorth * std::min(1.0, static_cast<double>(room - box.size) / size);
}

// The place with the highest value, at the bottom or at the top of a hole below the ceiling.
std::optional<int64_t> EjectionSearch::FindByContacts(int32_t number,
                                                      std::span<const PlacedBox> near) {
  const Box& box = boxes_.At(number);
  const LifeSpan& life = boxes_.Lives(number)[0];
  std::optional<int64_t> best;
  double most = 0;
  contacts_.clear();
  int64_t ground = boxes_.OffsetFrom(0, box);
  const auto consider_at = [&](int64_t offset, int64_t room) {
    const double worth = WorthAt(box, offset, room);
    if (best && worth <= most) return;
    best = offset;
    most = worth;
  };
  const auto consider = [&](int64_t end) {
    if (end - ground < box.size) return;
    consider_at(ground, end - ground);
    // Nothing lies above the ceiling, so a box cannot touch anything there.
    const int64_t highest = boxes_.OffsetFrom(end - box.size - box.alignment + 1, box);
    if (highest > ground && end < ceiling_) consider_at(highest, end - ground);
  };
  for (const PlacedBox& other : near) {
    if (!other.life.Meets(life)) {
      AddContact(number, other, ground);
      continue;
    }
    consider(other.bottom);
    if (other.top <= ground) continue;
    ground = boxes_.OffsetFrom(other.top, box);
    std::erase_if(contacts_, [&](const Contact& contact) { return contact.top <= ground; });
  }
  consider(ceiling_);
  return best;
}

bool EjectionSearch::MakeRoom(int32_t number, std::span<const PlacedBox> near) {
  troubles_[Index(number)] += weights_[Index(number)];
  const Box& box = boxes_.At(number);
  if (margin_ > 0) {
    const LifeSpan& life = boxes_.Lives(number)[0];
    meeting_.clear();
    for (const PlacedBox& other : near) {
      if (other.life.Meets(life)) meeting_.push_back(other);
    }
    near = meeting_;
  }
  const std::span<const PlacedBox> by_top = placed_.ByTop(number, ceiling_);
  // The cost of a place: all boxes that begin below its end, minus all that end below its
  // beginning.
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
