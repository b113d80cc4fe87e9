#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <iterator>

namespace tenon::fuzz {

std::string Mutator::Mutate(std::string text) {
  for (uint64_t edits = 1 + Below(4); edits > 0; --edits) Edit(text);
  return text;
}

std::string Mutator::Noise(size_t size) {
  std::string noise;
  for (size_t i = 0; i < size; ++i) noise.push_back(static_cast<char>(Below(256)));
  return noise;
}

void Mutator::Edit(std::string& text) {
  const size_t at = Below(text.size() + 1);
  switch (Below(8)) {
    case 0:
      if (words_.empty()) return;
      return static_cast<void>(text.insert(at, words_[Below(words_.size())]));
    case 1:
      return static_cast<void>(text.erase(at, 1 + Below(12)));
    case 2:
      return static_cast<void>(text.insert(at, 1, static_cast<char>(Below(256))));
    case 3:
      return static_cast<void>(text.insert(at, text, Below(text.size() + 1), Below(40)));
    case 4:
      return ReplaceNumber(text, at);
    case 5:
      return SwapLines(text, at);
    case 6:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << Below(8)));
      return;
    default:
      return ReplaceWord(text, at);
  }
}

void Mutator::ReplaceNumber(std::string& text, size_t at) {
  constexpr const char* kNumbers[] = {"0",
                                      "1",
                                      "-1",
                                      "127",
                                      "256",
                                      "2147483648",
                                      "1e300",
                                      "0.1",
                                      "9223372036854775807",
                                      "99999999999999999999"};
  const size_t begin = text.find_first_of("0123456789", at);
  if (begin == std::string::npos) return;
  const size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  text.replace(begin, end - begin, kNumbers[Below(std::size(kNumbers))]);
}

void Mutator::SwapLines(std::string& text, size_t at) {
  const size_t line = text.find('\n', at);
  if (line == std::string::npos) return;
  const size_t next = text.find('\n', line + 1);
  if (next == std::string::npos) return;
  const std::string moved = text.substr(line, next - line);
  text.erase(line, next - line);
  const size_t to = text.find('\n', Below(text.size() + 1));
  text.insert(to == std::string::npos ? text.size() : to, moved);
}

void Mutator::ReplaceWord(std::string& text, size_t at) {
  if (words_.empty()) return;
  const auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  };
  size_t begin = at;
  while (begin < text.size() && !in_word(text[begin])) ++begin;
  size_t end = begin;
  while (end < text.size() && in_word(text[end])) ++end;
  text.replace(begin, end - begin, words_[Below(words_.size())]);
}

}  // namespace tenon::fuzz
