#include "tools/crash_reproducer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <system_error>

#include "support/file_kind.h"
#include "support/shell_word.h"
#include "tools/exceptions.h"

namespace tenon {

void WriteCrashReproducer();

namespace {

/// Sanitizers report faults themselves.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_SANITIZES_ADDRESSES
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TENON_SANITIZES_ADDRESSES
#endif
#ifdef TENON_SANITIZES_ADDRESSES
constexpr int kSignals[] = {SIGABRT};
#else
constexpr int kSignals[] = {SIGABRT, SIGSEGV, SIGFPE, SIGILL};
#endif
/// A full stack has no room for a handler.
constexpr size_t kStackBytes = 64 << 10;

const CrashReproducer* current_reproducer = nullptr;

void OnCrash(int signal) {
  WriteCrashReproducer();
  // The handler is gone (SA_RESETHAND), so the process ends as it would have.
  raise(signal);
}

}  // namespace

// Runs in a signal handler: no memory, no locks, no formatting.
void WriteCrashReproducer() {
  const CrashReproducer* const crash = current_reproducer;
  if (crash == nullptr) return;
  current_reproducer = nullptr;
  const int file = open(crash->path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  const bool is_written = WriteInHandler(file, crash->head_) && WriteInHandler(file, crash->text_);
  close(file);
  if (is_written) WriteToStderr(crash->message_);
}

CrashReproducer::CrashReproducer(std::string_view program,
                                 const std::vector<std::string>& arguments, std::string_view input,
                                 std::string_view text)
    : text_(text), stack_(kStackBytes) {
  // A binary file has no comments.
  const FileKind kind = FileKindOf(text);
  if ((kind != FileKind::kOther && kind != FileKind::kModule) || current_reproducer != nullptr)
    return;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return;
  path_ = (folder / fmt::format("{}-crash-{}.py", program, getpid())).string();
  std::string command{program};
  bool has_input = false;
  for (const std::string& argument : arguments) {
    if (argument == input && !has_input) {
      has_input = true;
      command += " " + ShellWord(path_);
    } else {
      command += " " + ShellWord(argument);
    }
  }
  if (!has_input) command += " " + ShellWord(path_);
  head_ = fmt::format("# An internal error of {}; this command repeats it:\n#   {}\n", program,
                      command);
  message_ = fmt::format(
      "{}: error: this is an internal error; please report it with the file\n  {}\n"
      "which has the module and the command\n",
      program, path_);
  current_reproducer = this;
  stack_t stack = {};
  stack.ss_sp = stack_.data();
  stack.ss_size = stack_.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = OnCrash;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_ONSTACK | SA_NODEFER;
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

CrashReproducer::~CrashReproducer() {
  if (current_reproducer != this) return;
  current_reproducer = nullptr;
  for (const int number : kSignals) signal(number, SIG_DFL);
  stack_t stack = {};
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
}

}  // namespace tenon
