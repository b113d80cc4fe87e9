#include "parser/names.h"

#include <algorithm>

#include "parser/lexer.h"
#include "support/short_text.h"

namespace tenon {

namespace {

struct KeywordName {
  std::string_view text;
  Tok keyword;
};

constexpr KeywordName kKeywords[] = {
    {"and", Tok::kAnd},
    {"or", Tok::kOr},
    {"not", Tok::kNot},
    {"if", Tok::kIf},
    {"elif", Tok::kElif},
    {"else", Tok::kElse},
    {"for", Tok::kFor},
    {"while", Tok::kWhile},
    {"in", Tok::kIn},
    {"is", Tok::kIs},
    {"with", Tok::kWith},
    {"as", Tok::kAs},
    {"def", Tok::kDef},
    {"class", Tok::kClass},
    {"return", Tok::kReturn},
    {"pass", Tok::kPass},
    {"assert", Tok::kAssert},
    {"lambda", Tok::kLambda},
    {"True", Tok::kTrue},
    {"False", Tok::kFalse},
    {"None", Tok::kNone},
    {"import", Tok::kImport},
    {"from", Tok::kFrom},
    {"async", Tok::kOtherKeyword},
    {"await", Tok::kOtherKeyword},
    {"break", Tok::kOtherKeyword},
    {"continue", Tok::kOtherKeyword},
    {"del", Tok::kOtherKeyword},
    {"except", Tok::kOtherKeyword},
    {"finally", Tok::kOtherKeyword},
    {"global", Tok::kOtherKeyword},
    {"nonlocal", Tok::kOtherKeyword},
    {"raise", Tok::kOtherKeyword},
    {"try", Tok::kOtherKeyword},
    {"yield", Tok::kOtherKeyword},
};

uint64_t KeyOf(std::string_view text) {
  if (text.size() > 8) return HashText(text);
  if (text.size() == 8) return LoadWord(text.data());
  return text.empty() ? 0 : LoadPart(text.data(), text.size());
}

/// The slot at which the search for a key starts.
size_t SlotOf(uint64_t key) {
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15ULL;
  return static_cast<size_t>((key * kMultiplier) >> 32);
}

}  // namespace

NameTable::NameTable(Arena& arena) : arena_(arena), table_(1024, nullptr) {
  for (const KeywordName& keyword : kKeywords) Find(keyword.text)->keyword = keyword.keyword;
}

NameEntry* NameTable::Find(std::string_view text) {
  const uint64_t key = KeyOf(text);
  const size_t mask = table_.size() - 1;
  for (size_t slot = SlotOf(key) & mask;; slot = (slot + 1) & mask) {
    NameEntry* entry = table_[slot];
    if (entry == nullptr) {
      entry = arena_.New<NameEntry>();
      entry->key = key;
      entry->text = text;
      entry->keyword = Tok::kName;
      table_[slot] = entry;
      if (++count_ * 2 > table_.size()) Grow();
      return entry;
    }
    if (entry->key == key && entry->text.size() == text.size() &&
        (text.size() <= 8 || SameText(entry->text, text))) {
      return entry;
    }
  }
}

void NameTable::Grow() {
  const std::vector<NameEntry*> old = std::move(table_);
  table_.assign(old.size() * 2, nullptr);
  const size_t mask = table_.size() - 1;
  for (NameEntry* entry : old) {
    if (entry == nullptr) continue;
    size_t slot = SlotOf(entry->key) & mask;
    while (table_[slot] != nullptr) slot = (slot + 1) & mask;
    table_[slot] = entry;
  }
}

}  // namespace tenon
