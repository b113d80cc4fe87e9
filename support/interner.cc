#include "support/interner.h"

#include "support/short_text.h"

namespace tenon {

uint64_t HashText(std::string_view text) {
  // Multiply-fold over eight bytes at a time: names are short, so the setup cost matters most.
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15ULL;
  uint64_t hash = text.size() * kMultiplier;
  const char* cursor = text.data();
  size_t left = text.size();
  auto mix = [&](uint64_t word) {
    const auto product = static_cast<unsigned __int128>(hash ^ word) * kMultiplier;
    hash = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  for (; left >= 8; left -= 8, cursor += 8) mix(LoadWord(cursor));
  if (left > 0) mix(LoadPart(cursor, left) + left);
  return hash ^ (hash >> 29);
}

Symbol Interner::Intern(std::string_view text) {
  if (text.empty()) return Symbol();
  const uint64_t hash = HashText(text);
  const std::lock_guard<std::mutex> lock(mutex_);
  if ((count_ + 1) * 4 > table_.size() * 3) Grow();
  const size_t mask = table_.size() - 1;
  for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const Symbol::Entry* entry = table_[slot];
    if (entry == nullptr) {
      const std::string_view copy = arena_.Copy(text);
      entry = arena_.New<Symbol::Entry>(Symbol::Entry{hash, copy.data(), copy.size()});
      table_[slot] = entry;
      ++count_;
      return Symbol(entry);
    }
    if (entry->hash == hash && SameText({entry->data, entry->size}, text)) {
      return Symbol(entry);
    }
  }
}

void Interner::Grow() {
  std::vector<const Symbol::Entry*> old = std::move(table_);
  table_.assign(old.empty() ? 256 : old.size() * 2, nullptr);
  const size_t mask = table_.size() - 1;
  for (const Symbol::Entry* entry : old) {
    if (entry == nullptr) continue;
    size_t slot = entry->hash & mask;
    while (table_[slot] != nullptr) slot = (slot + 1) & mask;
    table_[slot] = entry;
  }
}

}  // namespace tenon
