#include "support/programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "support/process_tree.h"

namespace tenon {

namespace {

/// A program that was started.
struct Started {
  /// In its environment.
  ProcessMark mark;
  /// It removes its temporary files on SIGTERM.
  bool cleans_up = false;
};

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
    AddPath(path);
    return true;
  }
  void RemoveFolder(const std::string& path) {
    const std::lock_guard lock(mutex_);
    ForgetPath(path);
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  void AddPath(const std::string& path) {
    const std::lock_guard lock(mutex_);
    paths_.insert(path);
    for (std::atomic<char*>& free_place : in_crash_) {
      if (free_place.load() != nullptr) continue;
      free_place.store(strdup(path.c_str()));
      return;
    }
  }
  void ForgetPath(const std::string& path) {
    const std::lock_guard lock(mutex_);
    paths_.erase(path);
    for (std::atomic<char*>& place : in_crash_) {
      if (place.load() == nullptr || path != place.load()) continue;
      std::free(place.exchange(nullptr));
      return;
    }
  }
  void Lock() { mutex_.lock(); }
  void Unlock() { mutex_.unlock(); }

  void RemoveInCrash() {
    // Not on the stack, which may be full.
    static std::array<char*, kMostInCrash + 4> words = {
        const_cast<char*>("rm"), const_cast<char*>("-rf"), const_cast<char*>("--")};
    size_t count = 3;
    for (std::atomic<char*>& place : in_crash_)
      if (char* const path = place.load(); path != nullptr) words[count++] = path;
    if (count == 3) return;
    words[count] = nullptr;
    // Unlike fork(), this waits for no lock of malloc(), which the crash may hold. Unlike vfork(),
    // it leaves the memory of this process alone.
    const pid_t child = _Fork();
    if (child == 0) {
      execv("/bin/rm", words.data());
      _exit(127);
    }
    if (child > 0) waitpid(child, nullptr, 0);
  }

  /// Starts a program; 0, or an error number.
  template <class Start>
  int StartProgram(const Start& start, const Started& program, pid_t& child) {
    const std::lock_guard lock(mutex_);
    const std::lock_guard children_lock(children_mutex_);
    const int failed = start(&child);
    if (failed == 0) children_.emplace(child, program);
    return failed;
  }
  void Ended(pid_t child) {
    const std::lock_guard lock(children_mutex_);
    children_.erase(child);
  }

  void Clear() {
    // Never unlocked: nothing new may be created from now on.
    mutex_.lock();
    // Before a program ends, its processes are easier to find.
    KillTrees([](const Started& program) { return !program.cleans_up; });
    // Compilers remove their own temporary files on SIGTERM.
    constexpr int kMostWaits = 50;
    for (int i = 0; i < kMostWaits && Signal(i == 0 ? SIGTERM : 0); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    KillTrees([](const Started&) { return true; });
    // The thread that waits for a program may still be writing a file.
    constexpr int kMostTries = 10;
    for (int i = 0; i < kMostTries && RemovePaths(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  /// Sends a signal to all programs; false if no program is left.
  bool Signal(int signal) {
    const std::lock_guard lock(children_mutex_);
    for (const auto& [child, program] : children_) kill(-child, signal);
    return !children_.empty();
  }
  template <class Which>
  void KillTrees(const Which& which) {
    const std::lock_guard lock(children_mutex_);
    for (const auto& [child, program] : children_)
      if (which(program)) KillProcessTree(child, program.mark);
  }
  /// Removes all folders and files; true if some of them still exist.
  bool RemovePaths() const {
    bool is_left = false;
    for (const std::string& path : paths_) {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
      is_left |= std::filesystem::exists(path, ignored);
    }
    return is_left;
  }

  static constexpr size_t kMostInCrash = 60;

  std::recursive_mutex mutex_;
  std::set<std::string> paths_;
  /// The same paths, for a handler that can take no lock.
  std::array<std::atomic<char*>, kMostInCrash> in_crash_ = {};
  std::mutex children_mutex_;
  std::map<pid_t, Started> children_;
};

/// The attributes with which RunProgram starts a program: its own process group, with signals that
/// end processes unblocked.
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

/// The actions of posix_spawn on a program's descriptors.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// The pointers to texts, and a null.
std::vector<char*> Pointers(std::span<const std::string> texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

absl::StatusOr<pid_t> Start(std::span<const std::string> words, const Started& program,
                            FileActions& actions, const std::string& more_environment = {}) {
  const std::vector<char*> argv = Pointers(words);
  std::vector<std::string> variables = program.mark.Environment();
  if (!more_environment.empty()) variables.push_back(more_environment);
  const std::vector<char*> environment = Pointers(variables);
  pid_t child = 0;
  const SpawnAttributes attributes;
  const int failed = Leftovers::Get().StartProgram(
      [&](pid_t* id) {
        return posix_spawnp(id, argv[0], actions.get(), attributes.get(), argv.data(),
                            environment.data());
      },
      program, child);
  if (failed == 0) return child;
  return absl::NotFoundError(fmt::format("cannot run `{}`: {}", words[0], std::strerror(failed)));
}

/// The state of a program that has ended, as waitpid gives it.
std::optional<int> Reap(pid_t child) {
  Leftovers::Get().Ended(child);
  int state = 0;
  if (waitpid(child, &state, 0) < 0) return std::nullopt;
  return state;
}

/// A pipe that programs do not inherit. Reading does not wait.
class Pipe {
 public:
  static std::optional<Pipe> Open() {
    std::array<int, 2> ends = {-1, -1};
    if (pipe(ends.data()) != 0) return std::nullopt;
    for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return Pipe(ends);
  }
  ~Pipe() {
    CloseWriteEnd();
    if (ends_[0] >= 0) close(ends_[0]);
  }
  Pipe(Pipe&& other) noexcept : ends_(std::exchange(other.ends_, {-1, -1})) {}
  Pipe& operator=(Pipe&&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void CloseWriteEnd() {
    const int end = std::exchange(ends_[1], -1);
    if (end >= 0) close(end);
  }

 private:
  explicit Pipe(std::array<int, 2> ends) : ends_(ends) {}

  std::array<int, 2> ends_;
};

/// Reads what a program writes, until it ends or exceeds a limit.
class AnswerReader {
 public:
  AnswerReader(pid_t child, const ProcessMark& mark, const Pipe& output, const Pipe& errors,
               const AnswerLimits& limits)
      : child_(child), mark_(mark), limits_(limits), ends_{output.read_end(), errors.read_end()} {}

  /// The bytes that the program gets meanwhile, and when its answer is complete.
  void Feed(int to, std::string_view bytes, const StayingProgram::IsComplete& is_complete) {
    feed_to_ = to;
    to_feed_ = bytes;
    is_complete_ = &is_complete;
  }

  absl::StatusOr<ProgramAnswer> Read() {
    const auto deadline = std::chrono::steady_clock::now() + limits_.time;
    bool has_ended = false;
    while (!has_ended && !is_too_long_) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) break;
      Wait(left);
      // ReadAll() comes after this check, so it reads everything that a program wrote before it
      // ended.
      has_ended = HasEnded();
      FeedSome();
      ReadAll();
      const bool is_complete = is_complete_ != nullptr && to_feed_.empty() && !has_ended &&
                               !is_too_long_ && (*is_complete_)(answer_.answer);
      if (!is_complete) continue;
      answer_.end = ProgramAnswer::End::kStays;
      return std::move(answer_);
    }
    KillProcessTree(child_, mark_);
    const std::optional<int> state = Reap(child_);
    if (!state) return absl::InternalError("waiting for a program failed");
    if (is_too_long_) {
      answer_.end = ProgramAnswer::End::kTooLong;
    } else if (!has_ended) {
      answer_.end = ProgramAnswer::End::kTimeOut;
    } else if (WIFEXITED(*state)) {
      answer_.code = WEXITSTATUS(*state);
    } else {
      answer_.end = ProgramAnswer::End::kSignal;
      answer_.code = WTERMSIG(*state);
    }
    return std::move(answer_);
  }

 private:
  /// Waits for bytes, but only briefly, so that the end of the program is noticed soon.
  void Wait(std::chrono::milliseconds left) {
    constexpr std::chrono::milliseconds kWhileOpen(20);
    constexpr std::chrono::milliseconds kWhileClosed(1);
    std::array<pollfd, 2> polled = {};
    bool is_open = false;
    for (size_t i = 0; i < ends_.size(); ++i) {
      polled[i] = {is_closed_[i] ? -1 : ends_[i], POLLIN, 0};
      is_open |= !is_closed_[i];
    }
    const auto wait = std::min(left, is_open ? kWhileOpen : kWhileClosed);
    poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
  }

  void FeedSome() {
    while (!to_feed_.empty()) {
      const ssize_t size = write(feed_to_, to_feed_.data(), to_feed_.size());
      if (size <= 0) return;
      to_feed_.remove_prefix(static_cast<size_t>(size));
    }
  }

  bool HasEnded() const {
    siginfo_t info = {};
    const int options = WEXITED | WNOWAIT | WNOHANG;
    return waitid(P_PID, static_cast<id_t>(child_), &info, options) == 0 && info.si_pid == child_;
  }

  void ReadAll() {
    // Reads only some pieces: a program that writes without end must not keep the loop from its
    // deadline.
    constexpr size_t kMostPieces = 16;
    for (size_t i = 0; i < kMostPieces && !is_closed_[0] && !is_too_long_; ++i) {
      if (!ReadPiece(0)) break;
      is_too_long_ = answer_.answer.size() > limits_.answer_bytes;
    }
    for (size_t i = 0; i < kMostPieces && !is_closed_[1]; ++i) {
      if (!ReadPiece(1)) break;
      std::string& messages = answer_.messages;
      if (messages.size() > limits_.message_bytes)
        messages.erase(0, messages.size() - limits_.message_bytes);
    }
  }

  /// False if there is nothing to read now.
  bool ReadPiece(size_t at) {
    std::array<char, 65536> piece;
    const ssize_t size = read(ends_[at], piece.data(), piece.size());
    is_closed_[at] = size == 0;
    if (size <= 0) return false;
    (at == 0 ? answer_.answer : answer_.messages).append(piece.data(), static_cast<size_t>(size));
    return true;
  }

  const pid_t child_;
  const ProcessMark& mark_;
  const AnswerLimits& limits_;
  const std::array<int, 2> ends_;
  std::array<bool, 2> is_closed_ = {false, false};
  bool is_too_long_ = false;
  int feed_to_ = -1;
  std::string_view to_feed_;
  const StayingProgram::IsComplete* is_complete_ = nullptr;
  ProgramAnswer answer_;
};

/// A program with the pipes that it writes to.
struct Asked {
  pid_t child = 0;
  ProcessMark mark;
  Pipe output;
  Pipe errors;
};

absl::StatusOr<Asked> StartAsked(std::span<const std::string> words, const std::string& input,
                                 const std::string& more_environment) {
  std::optional<Pipe> output = Pipe::Open();
  std::optional<Pipe> errors = Pipe::Open();
  if (!output || !errors)
    return absl::UnavailableError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  FileActions actions;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), output->write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), errors->write_end(), STDERR_FILENO);
  const ProcessMark mark = ProcessMark::New();
  const absl::StatusOr<pid_t> child = Start(words, {mark}, actions, more_environment);
  if (!child.ok()) return child.status();
  output->CloseWriteEnd();
  errors->CloseWriteEnd();
  return Asked{*child, mark, *std::move(output), *std::move(errors)};
}

class StayingProgramWithFifo : public StayingProgram {
 public:
  StayingProgramWithFifo(TemporaryFolder folder, int fifo, IsComplete is_complete)
      : folder_(std::move(folder)), fifo_(fifo), is_complete_(std::move(is_complete)) {}
  ~StayingProgramWithFifo() override {
    close(fifo_);
    if (!asked_) return;
    // The program sees the end of the FIFO. It has a moment to end by itself.
    constexpr int kMostWaits = 100;
    siginfo_t info = {};
    for (int i = 0; i < kMostWaits; ++i) {
      if (waitid(P_PID, static_cast<id_t>(asked_->child), &info, WEXITED | WNOWAIT | WNOHANG) !=
              0 ||
          info.si_pid == asked_->child)
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    KillProcessTree(asked_->child, asked_->mark);
    Reap(asked_->child);
  }
  StayingProgramWithFifo(const StayingProgramWithFifo&) = delete;
  StayingProgramWithFifo& operator=(const StayingProgramWithFifo&) = delete;

  bool is_alive() const override { return asked_.has_value(); }

  absl::StatusOr<ProgramAnswer> Start(std::span<const std::string> words, const std::string& input,
                                      const AnswerLimits& limits) override {
    absl::StatusOr<Asked> asked =
        StartAsked(words, input, fmt::format("TENON_REQUESTS={}", folder_.File(kName)));
    if (!asked.ok()) return asked.status();
    asked_.emplace(*std::move(asked));
    return Read({}, limits);
  }

  absl::StatusOr<ProgramAnswer> Ask(const std::string& line, const AnswerLimits& limits) override {
    return Read(line + "\n", limits);
  }

  static constexpr std::string_view kName = "requests";

 private:
  absl::StatusOr<ProgramAnswer> Read(const std::string& request, const AnswerLimits& limits) {
    AnswerReader reader(asked_->child, asked_->mark, asked_->output, asked_->errors, limits);
    reader.Feed(fifo_, request, is_complete_);
    absl::StatusOr<ProgramAnswer> answer = reader.Read();
    if (!answer.ok() || answer->end != ProgramAnswer::End::kStays) asked_.reset();
    return answer;
  }

  TemporaryFolder folder_;
  const int fifo_;
  const IsComplete is_complete_;
  std::optional<Asked> asked_;
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
  FileActions actions;
  if (!log.empty()) {
    posix_spawn_file_actions_addopen(actions.get(), STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(actions.get(), STDOUT_FILENO, STDERR_FILENO);
  }
  const absl::StatusOr<pid_t> child =
      Start(words, {ProcessMark::New(), /*cleans_up=*/true}, actions);
  if (!child.ok()) return child.status();
  // The program is removed from the set before its process ID can be reused.
  siginfo_t info = {};
  int failure = 0;
  do {
    failure = waitid(P_PID, static_cast<id_t>(*child), &info, WEXITED | WNOWAIT);
  } while (failure != 0 && errno == EINTR);
  const std::optional<int> state = Reap(*child);
  if (failure != 0 || !state)
    return absl::InternalError(fmt::format("waiting for `{}` failed", words[0]));
  return WIFEXITED(*state) ? WEXITSTATUS(*state) : 128;
}

absl::StatusOr<ProgramAnswer> AskProgram(std::span<const std::string> words,
                                         const std::string& input, const AnswerLimits& limits) {
  const absl::StatusOr<Asked> asked = StartAsked(words, input, {});
  if (!asked.ok()) return asked.status();
  return AnswerReader(asked->child, asked->mark, asked->output, asked->errors, limits).Read();
}

absl::StatusOr<std::unique_ptr<StayingProgram>> StayingProgram::Create(IsComplete is_complete) {
  absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Create();
  if (!folder.ok()) return folder.status();
  const std::string path = folder->File(StayingProgramWithFifo::kName);
  // Open at both ends, so that neither side waits for the other one.
  const int fifo =
      mkfifo(path.c_str(), 0600) == 0 ? open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
  if (fifo < 0) {
    return absl::UnavailableError(
        fmt::format("cannot make a FIFO for requests: {}", std::strerror(errno)));
  }
  return std::make_unique<StayingProgramWithFifo>(*std::move(folder), fifo, std::move(is_complete));
}

void AddLeftover(const std::string& path) { Leftovers::Get().AddPath(path); }
void ForgetLeftover(const std::string& path) { Leftovers::Get().ForgetPath(path); }

LeftoversLock::LeftoversLock() { Leftovers::Get().Lock(); }
LeftoversLock::~LeftoversLock() { Leftovers::Get().Unlock(); }

void RemoveFoldersInCrash() { Leftovers::Get().RemoveInCrash(); }

void StopProgramsAndRemoveFolders() { Leftovers::Get().Clear(); }

}  // namespace tenon
