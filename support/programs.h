#ifndef TENON_SUPPORT_PROGRAMS_H_
#define TENON_SUPPORT_PROGRAMS_H_

// Other programs, such as compilers, and a place for their files.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tenon {

/// A new folder where the system has temporary files, which goes away with its contents.
class TemporaryFolder {
 public:
  static absl::StatusOr<TemporaryFolder> Create();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;

  const std::string& path() const { return path_; }
  /// The path of a file in it.
  std::string File(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  void Remove();

  std::string path_;
};

/// The words of a command, which blanks separate.
std::vector<std::string> SplitBlanks(std::string_view text);

/// Runs the program `words[0]`, which is looked for in PATH, with the other words as arguments, and
/// waits for it. What it prints goes to the file `log`; where that is empty, to where ours goes. It
/// has a process group of its own, and takes the signals that end processes even where the caller
/// blocks them. The exit code, 128 after a signal, or an error when it could not be started.
absl::StatusOr<int> RunProgram(std::span<const std::string> words, const std::string& log = {});

/// For a process that a signal is about to end: stops the programs that RunProgram waits for, with
/// all that they have started, and removes every TemporaryFolder. Another thread must call it than
/// those that wait. From then on RunProgram and TemporaryFolder::Create do not return.
void StopProgramsAndRemoveFolders();

}  // namespace tenon

#endif  // TENON_SUPPORT_PROGRAMS_H_
