// tenon-opt of packages: runs `tenon`, which has its code, under the name tenon-opt.

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

int main(int /*argc*/, char** argv) {
  // `tenon` is next to this program, or else in PATH.
  constexpr char kName[] = "tenon";
  char path[PATH_MAX + sizeof kName] = {};
  const ssize_t size = readlink("/proc/self/exe", path, PATH_MAX);
  char* const slash = size > 0 ? std::strrchr(path, '/') : nullptr;
  std::memcpy(slash != nullptr ? slash + 1 : path, kName, sizeof kName);
  char name[] = "tenon-opt";
  argv[0] = name;
  execvp(path, argv);
  std::fprintf(stderr, "tenon-opt: error: cannot run `%s`, which has its code: %s\n", path,
               std::strerror(errno));
  return 1;
}
