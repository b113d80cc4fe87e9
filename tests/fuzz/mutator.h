#ifndef TENON_TESTS_FUZZ_MUTATOR_H_
#define TENON_TESTS_FUZZ_MUTATOR_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tenon::fuzz {

/// Makes small changes to inputs. Only uses the generator's raw numbers, whose sequence the
/// standard defines, so every run makes the same inputs.
class Mutator {
 public:
  /// `words` are inserted whole; they may be empty.
  Mutator(uint64_t seed, std::vector<std::string> words)
      : random_(seed), words_(std::move(words)) {}

  /// `text` with one to four edits.
  std::string Mutate(std::string text);
  /// `size` random bytes.
  std::string Noise(size_t size);

 private:
  uint64_t Below(uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }
  void Edit(std::string& text);
  void ReplaceNumber(std::string& text, size_t at);
  void SwapLines(std::string& text, size_t at);
  void ReplaceWord(std::string& text, size_t at);

  std::mt19937_64 random_;
  std::vector<std::string> words_;
};

}  // namespace tenon::fuzz

#endif  // TENON_TESTS_FUZZ_MUTATOR_H_
