#include "tools/lost_file.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tools/exceptions.h"

namespace tenon {
namespace {

// A signal handler may call little more than read() and write(), so this file uses no memory, locks
// or formatting.

/// A line of /proc/self/maps: `55d0-55f0 r--p 00000000 fe:00 1234   /path of the file`.
struct MapsLine {
  char text[4600];
  size_t size = 0;

  void Add(char c) {
    if (size < sizeof(text)) text[size++] = c;
  }

  static int Digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  }

  bool Holds(uintptr_t address) const {
    uintptr_t bounds[2] = {0, 0};
    size_t at = 0;
    for (uintptr_t& bound : bounds) {
      for (; at < size && Digit(text[at]) >= 0; ++at) {
        bound = bound << 4 | static_cast<uintptr_t>(Digit(text[at]));
      }
      ++at;  // the dash
    }
    return bounds[0] <= address && address < bounds[1];
  }

  std::string_view Path() const {
    const std::string_view line(text, size);
    const size_t slash = line.find('/');
    return slash == std::string_view::npos ? "a mapped file" : line.substr(slash);
  }
};

void SayFileAt(uintptr_t address) {
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  MapsLine line;
  char buffer[1024];
  ssize_t count = 0;
  while (maps >= 0 && (count = read(maps, buffer, sizeof(buffer))) > 0) {
    for (ssize_t i = 0; i < count; ++i) {
      if (buffer[i] != '\n') {
        line.Add(buffer[i]);
      } else if (line.Holds(address)) {
        return WriteToStderr(line.Path());
      } else {
        line.size = 0;
      }
    }
  }
  WriteToStderr("a mapped file");
}

void OnBusError(int, siginfo_t* info, void*) {
  WriteToStderr("tenon: error: `");
  SayFileAt(reinterpret_cast<uintptr_t>(info->si_addr));
  WriteToStderr("` became shorter, or cannot be read any more, while it was in use\n");
  _exit(1);
}

}  // namespace

void ReportLostFiles() {
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace tenon
