#include "support/programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tenon {

namespace {

/// The programs and folders to clean up when a signal ends the process. A singleton, because
/// signals are per process.
class Leftovers {
 public:
  static Leftovers& Get() {
    // Never destroyed: a signal may arrive while the process exits.
    static auto* const leftovers = new Leftovers;
    return *leftovers;
  }

  /// Makes a folder from a template of mkdtemp, or returns false with errno set.
  bool MakeFolder(std::string& path) {
    const std::lock_guard lock(mutex_);
    if (mkdtemp(path.data()) == nullptr) return false;
    folders_.insert(path);
    return true;
  }
  void RemoveFolder(const std::string& path) {
    const std::lock_guard lock(mutex_);
    folders_.erase(path);
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  /// Starts a program; 0, or an error number.
  template <class Start>
  int StartProgram(const Start& start, pid_t& child) {
    const std::lock_guard lock(mutex_);
    const std::lock_guard children_lock(children_mutex_);
    const int failed = start(&child);
    if (failed == 0) children_.insert(child);
    return failed;
  }
  void Ended(pid_t child) {
    const std::lock_guard lock(children_mutex_);
    children_.erase(child);
  }

  void Clear() {
    // Never unlocked: nothing new may be created from now on.
    mutex_.lock();
    // Compilers remove their own temporary files on SIGTERM.
    constexpr int kMostWaits = 50;
    for (int i = 0; i < kMostWaits && Signal(i == 0 ? SIGTERM : 0); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    Signal(SIGKILL);
    // The thread that waits for a program may still be writing a file.
    constexpr int kMostTries = 10;
    for (int i = 0; i < kMostTries && RemoveFolders(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  /// Sends a signal to all programs; false if no program is left.
  bool Signal(int signal) {
    const std::lock_guard lock(children_mutex_);
    for (const pid_t child : children_) kill(-child, signal);
    return !children_.empty();
  }
  /// Removes all folders; true if some of them still exist.
  bool RemoveFolders() const {
    bool is_left = false;
    for (const std::string& folder : folders_) {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
      is_left |= std::filesystem::exists(folder, ignored);
    }
    return is_left;
  }

  std::mutex mutex_;
  std::set<std::string> folders_;
  std::mutex children_mutex_;
  std::set<pid_t> children_;
};

/// How RunProgram starts a program: in its own process group, with signals that end processes
/// unblocked.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigdelset(&mask, signal);
    posix_spawnattr_setsigmask(&attributes_, &mask);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

}  // namespace

absl::StatusOr<TemporaryFolder> TemporaryFolder::Create() {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "tenon-XXXXXX").string();
  if (error || !Leftovers::Get().MakeFolder(path)) {
    return absl::UnavailableError(
        fmt::format("cannot make a temporary folder: {}",
                    error ? error.message() : std::string(std::strerror(errno))));
  }
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() { Remove(); }

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  if (this == &other) return *this;
  Remove();
  path_ = std::exchange(other.path_, {});
  return *this;
}

void TemporaryFolder::Remove() {
  if (!path_.empty()) Leftovers::Get().RemoveFolder(path_);
}

std::vector<std::string> SplitBlanks(std::string_view text) {
  std::vector<std::string> words;
  size_t at = 0;
  while ((at = text.find_first_not_of(" \t\n", at)) != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

absl::StatusOr<int> RunProgram(std::span<const std::string> words, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!log.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  pid_t child = 0;
  const SpawnAttributes attributes;
  const int failed = Leftovers::Get().StartProgram(
      [&](pid_t* id) {
        return posix_spawnp(id, argv[0], &actions, attributes.get(), argv.data(), environ);
      },
      child);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return absl::NotFoundError(fmt::format("cannot run `{}`: {}", words[0], std::strerror(failed)));
  }
  // The program is removed from the set before its process ID can be reused.
  siginfo_t info = {};
  int failure = 0;
  do {
    failure = waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  } while (failure != 0 && errno == EINTR);
  Leftovers::Get().Ended(child);
  int state = 0;
  if (failure != 0 || waitpid(child, &state, 0) < 0)
    return absl::InternalError(fmt::format("waiting for `{}` failed", words[0]));
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128;
}

void StopProgramsAndRemoveFolders() { Leftovers::Get().Clear(); }

}  // namespace tenon
