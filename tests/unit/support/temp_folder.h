#ifndef TENON_TESTS_UNIT_SUPPORT_TEMP_FOLDER_H_
#define TENON_TESTS_UNIT_SUPPORT_TEMP_FOLDER_H_

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/programs.h"

namespace tenon {

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

/// A new folder. The destructor removes it with its contents unless `keep` is set.
class TempFolder {
 public:
  explicit TempFolder(bool keep = false) : folder_(TemporaryFolder::Create()), keep_(keep) {
    if (folder_.ok()) path_ = folder_->path();
  }
  ~TempFolder() {
    if (!keep_ || !folder_.ok()) return;
    // Never destroyed, so that the folders are kept.
    static auto* const kept = new std::vector<TemporaryFolder>;
    kept->push_back(*std::move(folder_));
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  /// Empty if no folder could be created.
  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const { return path_ + "/" + std::string(name); }
  void Write(std::string_view name, std::string_view text) const { WriteText(File(name), text); }
  std::string Read(std::string_view name) const { return ReadText(File(name)); }
  /// Runs a shell command in the folder; true if its exit code is 0.
  bool Run(const std::string& command) const {
    return std::system(fmt::format("cd '{}' && {}", path_, command).c_str()) == 0;
  }
  /// Number of entries in the folder; temporary files count.
  size_t Count() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  absl::StatusOr<TemporaryFolder> folder_;
  bool keep_;
  std::string path_;
};

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_SUPPORT_TEMP_FOLDER_H_
