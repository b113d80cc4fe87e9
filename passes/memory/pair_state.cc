// Sets of states are bits: a join of branches is an `or`, and a store looks up one of 64 entries.
// Arms of branches log the bytes that they change, so that a branch costs its stores and not the
// size of memory.

#include "passes/memory/pair_state.h"

#include <algorithm>

namespace tenon {

namespace {

/// The states that an allocation may have after the other one has stored.
constexpr uint8_t AfterOther(uint8_t state) {
  const bool had_value = (state & (PairState::kHeld | PairState::kLost)) != 0;
  return static_cast<uint8_t>((state & PairState::kNothing) | (had_value ? PairState::kLost : 0));
}

}  // namespace

const PairState::Next& PairState::Table(int who, bool is_certain) {
  static const std::array<Next, 4> tables = [] {
    std::array<Next, 4> all{};
    for (const int by : {0, 1}) {
      for (uint8_t state = 0; state < 64; ++state) {
        const uint8_t other = AfterOther((state >> Shift(1 - by)) & kMask);
        const uint8_t next = by == 0 ? Pack(kHeld, other) : Pack(other, kHeld);
        all[static_cast<size_t>(by)][state] = static_cast<uint8_t>(next | state);
        all[static_cast<size_t>(by) + 2][state] = next;
      }
    }
    return all;
  }();
  return tables[static_cast<size_t>(who) + (is_certain ? 2 : 0)];
}

void PairState::Fill(int who, uint8_t state) {
  const auto keep = static_cast<uint8_t>(kMask << Shift(1 - who));
  for (size_t i = 0; i < bytes_.size(); ++i)
    Set(i, static_cast<uint8_t>((bytes_[i] & keep) | state << Shift(who)));
}

void PairState::Add(int who, uint8_t state) {
  for (size_t i = 0; i < bytes_.size(); ++i)
    Set(i, static_cast<uint8_t>(bytes_[i] | state << Shift(who)));
}

uint8_t PairState::Any(int who) const {
  uint8_t any = 0;
  for (const uint8_t byte : bytes_) any |= byte;
  return (any >> Shift(who)) & kMask;
}

std::optional<size_t> PairState::Find(int who, uint8_t state, size_t first, size_t end) const {
  const auto bits = static_cast<uint8_t>(state << Shift(who));
  for (size_t i = first; i < end; ++i) {
    if ((bytes_[i] & bits) != 0) return i;
  }
  return std::nullopt;
}

void PairState::BeginArm() {
  if (epochs_.empty()) epochs_.assign(bytes_.size(), 0);
  arms_.emplace_back();
  ++epoch_;
}

void PairState::Note(size_t at) {
  epochs_[at] = epoch_;
  arms_.back().emplace_back(at, bytes_[at]);
}

PairState::Changes PairState::EndArm() {
  std::vector<std::pair<size_t, uint8_t>> before = std::move(arms_.back());
  arms_.pop_back();
  Changes changes;
  for (const auto& [at, state] : before) changes.emplace_back(at, bytes_[at]);
  // A byte may have been noted again after an arm inside: the first note has the state before.
  for (size_t i = before.size(); i-- > 0;) bytes_[before[i].first] = before[i].second;
  // The enclosing arm notes its own changes.
  ++epoch_;
  std::sort(changes.begin(), changes.end());
  changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  return changes;
}

void PairState::Join(const Changes& a, const Changes& b) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const size_t at =
        std::min(i < a.size() ? a[i].first : SIZE_MAX, j < b.size() ? b[j].first : SIZE_MAX);
    const uint8_t x = i < a.size() && a[i].first == at ? a[i++].second : bytes_[at];
    const uint8_t y = j < b.size() && b[j].first == at ? b[j++].second : bytes_[at];
    Set(at, x | y);
  }
}

}  // namespace tenon
