#ifndef TENON_SUPPORT_PROGRAMS_H_
#define TENON_SUPPORT_PROGRAMS_H_

// Running other programs, such as compilers, and a place for their files.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tenon {

/// A new folder in the system's folder of temporary files. The destructor removes it with its
/// contents.
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

/// The words of a command, separated by blanks.
std::vector<std::string> SplitBlanks(std::string_view text);

/// Runs the program `words[0]`, which is searched in PATH, with the other words as arguments, and
/// waits for it. Its output goes to the file `log`, or if that is empty to this process's output.
/// The program has its own process group, and receives signals that end processes even if the
/// caller blocks them. Returns the exit code (128 after a signal), or an error if the program could
/// not be started.
absl::StatusOr<int> RunProgram(std::span<const std::string> words, const std::string& log = {});

/// The limits of a program's answer.
struct AnswerLimits {
  std::chrono::milliseconds time = std::chrono::minutes(1);
  size_t answer_bytes = size_t{64} << 20;
  /// The last bytes of stderr are kept.
  size_t message_bytes = 2048;
};

/// The output of a program, and the way in which it ended.
struct ProgramAnswer {
  enum class End : uint8_t {
    kExit,     ///< by itself; `code` is the exit code
    kSignal,   ///< by the signal `code`
    kTimeOut,  ///< it took too long
    kTooLong,  ///< its answer has too many bytes
    kStays,    ///< not at all: it waits for the next request
  };
  End end = End::kExit;
  int code = 0;
  std::string answer;    ///< stdout, up to the limit
  std::string messages;  ///< the end of stderr
};

/// Starts a program as RunProgram does, and reads its stdout and stderr until it ends. The file
/// `input` is its stdin. A program that exceeds a limit is killed. Processes that it started are
/// killed when it ends (support/process_tree.h).
absl::StatusOr<ProgramAnswer> AskProgram(std::span<const std::string> words,
                                         const std::string& input, const AnswerLimits& limits);

/// A program that may stay alive after an answer, and then takes requests from a FIFO, one line for
/// each. When the object is destroyed, the FIFO ends, and so should the program; it is killed
/// otherwise. Not for several threads at once.
class StayingProgram {
 public:
  /// True for the text of an answer that is complete, from a program that stays.
  using IsComplete = std::function<bool(const std::string& answer)>;

  /// Makes the FIFO, whose path is then the value of the environment variable TENON_REQUESTS.
  static absl::StatusOr<std::unique_ptr<StayingProgram>> Create(IsComplete is_complete);
  virtual ~StayingProgram() = default;

  virtual bool is_alive() const = 0;
  /// Starts the program, which must not be alive, as AskProgram does. If the answer has the end
  /// kStays, the program is alive.
  virtual absl::StatusOr<ProgramAnswer> Start(std::span<const std::string> words,
                                              const std::string& input,
                                              const AnswerLimits& limits) = 0;
  /// Gives a program that is alive the next request, a line without its end. For all ends but
  /// kStays, the program is not alive afterwards.
  virtual absl::StatusOr<ProgramAnswer> Ask(const std::string& line,
                                            const AnswerLimits& limits) = 0;
};

/// A file that StopProgramsAndRemoveFolders removes, until it is forgotten.
void AddLeftover(const std::string& path);
void ForgetLeftover(const std::string& path);

/// While it lives, StopProgramsAndRemoveFolders waits: several files get their names together.
class LeftoversLock {
 public:
  LeftoversLock();
  ~LeftoversLock();
  LeftoversLock(const LeftoversLock&) = delete;
  LeftoversLock& operator=(const LeftoversLock&) = delete;
};

/// For a process that crashes, in the handler of the signal: starts `rm` on each TemporaryFolder
/// and each leftover, and waits for it. Takes no lock and no memory. Some dozens of them at most.
void RemoveFoldersInCrash();

/// For a process that a signal is about to end: stops the programs that RunProgram and AskProgram
/// wait for, including the processes that they started, and removes every TemporaryFolder. Must not
/// be called by a thread that waits for a program. Afterwards RunProgram, AskProgram and
/// TemporaryFolder::Create do not return.
void StopProgramsAndRemoveFolders();

}  // namespace tenon

#endif  // TENON_SUPPORT_PROGRAMS_H_
