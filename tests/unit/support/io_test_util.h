#ifndef TENON_TESTS_UNIT_SUPPORT_IO_TEST_UTIL_H_
#define TENON_TESTS_UNIT_SUPPORT_IO_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace tenon {

/// A new folder that goes away with its contents.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tenon-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// Number of entries in the folder; temporary files count.
  size_t Count() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::string path_;
};

inline std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void WriteText(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// The folder of real models, which is not part of the repository.
inline std::string CorpusFolder() {
  const char* folder = std::getenv("TENON_CORPUS_DIR");
  return folder != nullptr ? folder : TENON_SOURCE_DIR "/../shared/corpus";
}

inline std::string Message(const absl::Status& status) {
  return std::string(status.message().data(), status.message().size());
}

/// `text` with one to three random edits: bytes set, bits flipped, pieces removed, doubled or cut
/// off.
inline std::string Mutate(std::string text, std::mt19937& random) {
  const auto below = [&random](size_t n) { return n == 0 ? 0 : static_cast<size_t>(random()) % n; };
  for (size_t edits = 1 + below(3); edits != 0 && !text.empty(); --edits) {
    const size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1u << below(8)));
        break;
      case 2:
        text.erase(at, 1 + below(8));
        break;
      case 3:
        text.insert(at, text.substr(at, 1 + below(8)));
        break;
      case 4:
        text.resize(at);
        break;
      default:
        text[at] = "0123456789\"{}[],:-"[below(18)];
        break;
    }
  }
  return text;
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_SUPPORT_IO_TEST_UTIL_H_
