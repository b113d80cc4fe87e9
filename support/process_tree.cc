#include "support/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <thread>

#include "support/whole_number.h"

namespace tenon {

namespace {

constexpr std::string_view kVariable = "TENON_STARTED_BY=";

/// A file of /proc; empty if it cannot be read.
std::string ReadProcFile(pid_t process, std::string_view name) {
  constexpr size_t kMostBytes = size_t{4} << 20;
  const int file = open(fmt::format("/proc/{}/{}", process, name).c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  if (file < 0) return text;
  std::array<char, 16384> piece;
  for (ssize_t size = 0; text.size() < kMostBytes; text.append(piece.data(), size_t(size))) {
    size = read(file, piece.data(), piece.size());
    if (size <= 0) break;
  }
  close(file);
  return text;
}

std::vector<pid_t> AllProcesses() {
  std::vector<pid_t> processes;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return processes;
  while (const dirent* entry = readdir(folder)) {
    const auto process = WholeNumber<pid_t>(entry->d_name);
    if (process) processes.push_back(*process);
  }
  closedir(folder);
  return processes;
}

/// The state and the parent of a process, from its file `stat`.
struct ProcessState {
  char state = 'Z';
  pid_t parent = 0;
};
ProcessState StateOf(pid_t process) {
  const std::string text = ReadProcFile(process, "stat");
  ProcessState result;
  // The name of the program is in parentheses, and may contain others.
  const size_t end = text.rfind(')');
  if (end == std::string::npos || end + 4 >= text.size()) return result;
  result.state = text[end + 2];
  std::from_chars(text.data() + end + 4, text.data() + text.size(), result.parent);
  return result;
}

/// The processes that `program` started and that have not ended.
std::set<pid_t> StartedBy(pid_t program, const ProcessMark& mark) {
  std::multimap<pid_t, pid_t> children;
  std::set<pid_t> found;
  for (const pid_t process : AllProcesses()) {
    const ProcessState state = StateOf(process);
    if (state.state == 'Z' || state.state == 'X' || process == getpid()) continue;
    children.emplace(state.parent, process);
    if (process != program && mark.IsIn(ReadProcFile(process, "environ"))) found.insert(process);
  }
  std::vector<pid_t> work(found.begin(), found.end());
  work.push_back(program);
  while (!work.empty()) {
    const auto [first, last] = children.equal_range(work.back());
    work.pop_back();
    for (auto child = first; child != last; ++child)
      if (found.insert(child->second).second) work.push_back(child->second);
  }
  return found;
}

}  // namespace

ProcessMark ProcessMark::New() {
  static std::atomic<uint64_t> count = 0;
  // The time separates this process from an earlier one with its number.
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return ProcessMark(fmt::format("{}.{}.{}", getpid(), now, count++));
}

std::vector<std::string> ProcessMark::Environment() const {
  std::vector<std::string> all;
  std::string inherited;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with(kVariable)) {
      inherited = text.substr(kVariable.size());
    } else {
      all.emplace_back(text);
    }
  }
  all.push_back(fmt::format("{}{}{}{}", kVariable, inherited, inherited.empty() ? "" : ",", word_));
  return all;
}

bool ProcessMark::IsIn(const std::string& environment) const {
  size_t at = 0;
  while (at < environment.size()) {
    const size_t end = std::min(environment.find('\0', at), environment.size());
    const std::string_view variable = std::string_view(environment).substr(at, end - at);
    if (variable.starts_with(kVariable)) {
      const std::string words = fmt::format(",{},", variable.substr(kVariable.size()));
      return words.find(fmt::format(",{},", word_)) != std::string::npos;
    }
    at = end + 1;
  }
  return false;
}

void KillProcessTree(pid_t program, const ProcessMark& mark) {
  constexpr int kMostRounds = 1000;
  // Processes are searched before their parents end: an orphan has no parent here.
  for (int round = 0; round < kMostRounds; ++round) {
    const std::set<pid_t> started = StartedBy(program, mark);
    for (const pid_t process : started) kill(process, SIGKILL);
    if (round == 0) kill(-program, SIGKILL);
    // The program may have started another process after the first search.
    if (started.empty() && round > 0) return;
    if (round > 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace tenon
