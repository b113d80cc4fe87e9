#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "tools/backends.h"
#include "tools/module_input.h"

namespace tenon {

#ifdef TENON_HAS_LLVM

namespace {

/// The file that a shell runs for the command `name`: a name with a slash is a path, another one is
/// looked for in PATH. Empty if there is none.
std::filesystem::path FindProgram(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return name;
  const char* const list = std::getenv("PATH");
  std::string_view folders = list == nullptr ? std::string_view() : list;
  while (!folders.empty()) {
    const size_t end = std::min(folders.find(':'), folders.size());
    const std::string_view folder = folders.substr(0, end);
    const std::filesystem::path path = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (access(path.c_str(), X_OK) == 0) return path;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return {};
}

}  // namespace

int HandOverToLlvm(char** argv) {
  std::string other = "tenon-llvm";
  std::error_code error;
  // A symbolic link to this program may stand in another folder.
  const std::filesystem::path self = std::filesystem::canonical(FindProgram(argv[0]), error);
  if (!error) {
    const std::filesystem::path beside = self.parent_path() / other;
    if (access(beside.c_str(), X_OK) == 0) other = beside.string();
  }
  execvp(other.c_str(), argv);
  return Fail(
      fmt::format("cannot run `{}`, the program with LLVM: {}", other, std::strerror(errno)));
}

#else

// A program next to this one would belong to another package.
int HandOverToLlvm(char** /*argv*/) {
  return Fail("built without LLVM (TENON_ENABLE_LLVM); use --emit=c, or --engine=c to run");
}

#endif

}  // namespace tenon
