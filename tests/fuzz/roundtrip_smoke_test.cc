#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/roundtrip.h"

// The fuzzer's check without libFuzzer: over the seeds, and over mutations of them that are the
// same in every run.

namespace tenon {
namespace {

std::vector<std::string> ModulesBelow(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".py") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// The behaviour tests that are modules as they stand; those that show errors are none.
const std::vector<std::string>& Seeds() {
  static const auto& seeds = *[] {
    auto* kept = new std::vector<std::string>(ModulesBelow(TENON_FUZZ_SEEDS));
    std::erase_if(*kept, [](const std::string& text) {
      std::string complaint;
      return CheckRoundtrip(text, complaint) == Roundtrip::kRefused;
    });
    return kept;
  }();
  return seeds;
}

/// The words of libFuzzer's dictionary, without its escapes.
std::vector<std::string> Words() {
  std::ifstream file(TENON_FUZZ_DICTIONARY);
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line);) {
    if (line.size() < 3 || line.front() != '"' || line.find('\\') != std::string::npos) continue;
    words.push_back(line.substr(1, line.size() - 2));
  }
  return words;
}

/// Changes texts a little. Uses the generator's numbers alone, whose sequence the standard fixes.
class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed), words_(Words()) {}

  std::string Mutate(std::string text) {
    for (uint64_t edits = 1 + Below(4); edits > 0; --edits) Edit(text);
    return text;
  }

 private:
  uint64_t Below(uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }

  void Edit(std::string& text) {
    const size_t at = Below(text.size() + 1);
    switch (Below(7)) {
      case 0:
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
      default:
        return ReplaceWord(text, at);
    }
  }

  void ReplaceNumber(std::string& text, size_t at) {
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

  void SwapLines(std::string& text, size_t at) {
    const size_t line = text.find('\n', at);
    if (line == std::string::npos) return;
    const size_t next = text.find('\n', line + 1);
    if (next == std::string::npos) return;
    const std::string moved = text.substr(line, next - line);
    text.erase(line, next - line);
    const size_t to = text.find('\n', Below(text.size() + 1));
    text.insert(to == std::string::npos ? text.size() : to, moved);
  }

  void ReplaceWord(std::string& text, size_t at) {
    const auto in_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
    };
    size_t begin = at;
    while (begin < text.size() && !in_word(text[begin])) ++begin;
    size_t end = begin;
    while (end < text.size() && in_word(text[end])) ++end;
    text.replace(begin, end - begin, words_[Below(words_.size())]);
  }

  std::mt19937_64 random_;
  std::vector<std::string> words_;
};

TEST(RoundtripSmoke, EverySeedIsKept) {
  ASSERT_GE(Seeds().size(), 30U);
  for (const std::string& seed : Seeds()) {
    std::string complaint;
    EXPECT_EQ(CheckRoundtrip(seed, complaint), Roundtrip::kKept) << complaint << "\n--- text\n"
                                                                 << seed;
  }
}

TEST(RoundtripSmoke, MutationsAreRefusedOrKept) {
  ASSERT_FALSE(Seeds().empty());
  Mutator mutator(20240229);
  int kept = 0;
  int refused = 0;
  constexpr int kRounds = 4000;
  for (int i = 0; i < kRounds; ++i) {
    const std::string text = mutator.Mutate(Seeds()[static_cast<size_t>(i) % Seeds().size()]);
    std::string complaint;
    const std::optional<Roundtrip> result = CheckRoundtrip(text, complaint);
    ASSERT_TRUE(result.has_value()) << complaint << "\n--- text\n" << text;
    ++(*result == Roundtrip::kKept ? kept : refused);
  }
  // Mutations that only ever fail to parse would test little, and so would those that change
  // nothing.
  EXPECT_GT(kept, kRounds / 20);
  EXPECT_GT(refused, kRounds / 20);
}

TEST(RoundtripSmoke, NothingAndNoiseAreRefused) {
  std::mt19937_64 random(7);
  for (size_t size = 0; size < 200; ++size) {
    std::string noise;
    for (size_t i = 0; i < size; ++i) noise.push_back(static_cast<char>(random() % 256));
    std::string complaint;
    EXPECT_EQ(CheckRoundtrip(noise, complaint), Roundtrip::kRefused) << complaint;
  }
}

}  // namespace
}  // namespace tenon
