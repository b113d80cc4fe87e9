#include "tools/find_program.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace tenon {

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

std::string ProgramBeside(const std::filesystem::path& self, std::string_view name) {
  std::error_code error;
  // A symbolic link to this program may stand in another folder.
  const std::filesystem::path file = std::filesystem::canonical(self, error);
  if (error) return std::string(name);
  const std::filesystem::path beside = file.parent_path() / name;
  return access(beside.c_str(), X_OK) == 0 ? beside.string() : std::string(name);
}

std::string ProgramBesideThis(std::string_view name) {
  return ProgramBeside("/proc/self/exe", name);
}

}  // namespace tenon
