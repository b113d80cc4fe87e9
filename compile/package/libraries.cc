#include "compile/package/libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "support/file.h"
#include "support/programs.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// The first word of a text.
std::string_view WordOf(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const size_t end = std::min(text.find_first_of(" \t", begin), text.size());
  return text.substr(begin, end - begin);
}

std::string Shown(const PackageLibrary& library) {
  if (library.file.empty()) return "none";
  return fmt::format("`{}` with {}", library.file, HashToString(library.hash));
}

}  // namespace

// Symbols of these libraries have versions, so that the loader refuses what does not fit.
bool IsSystemLibrary(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "libc.so.",      "libc.musl",   "libm.so.",        "libpthread.so.",
      "libdl.so.",     "librt.so.",   "libgcc_s.so.",    "libstdc++.so.",
      "libatomic.so.", "libgomp.so.", "libgfortran.so.", "libquadmath.so.",
      "ld-linux",      "ld-musl",     "linux-vdso",      "linux-gate"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view known) { return name.starts_with(known); });
}

std::vector<PackageLibrary> ParseLdd(std::string_view text) {
  constexpr std::string_view kArrow = " => ";
  std::vector<PackageLibrary> libraries;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t arrow = line.find(kArrow);
    const std::string_view name = WordOf(line);
    // Lines without an arrow are the loader itself, and what the kernel provides.
    if (arrow == std::string_view::npos || IsSystemLibrary(name)) continue;
    const std::string_view file = WordOf(line.substr(arrow + kArrow.size()));
    libraries.push_back({std::string(name), std::string(file == "not" ? "" : file), {}});
  }
  std::sort(libraries.begin(), libraries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return libraries;
}

absl::StatusOr<std::vector<PackageLibrary>> LibrariesOf(const std::string& path) {
  const std::vector<std::string> words = {"ldd", path};
  TENON_ASSIGN_OR(const ProgramAnswer answer,
                  AskProgram(words, "/dev/null", {.time = std::chrono::minutes(1)}));
  if (answer.end != ProgramAnswer::End::kExit || answer.code != 0) {
    return absl::FailedPreconditionError(
        fmt::format("`ldd` could not list the libraries of the code: {}", answer.messages));
  }
  std::vector<PackageLibrary> libraries = ParseLdd(answer.answer);
  for (PackageLibrary& library : libraries) {
    if (library.file.empty()) continue;
    TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> bytes, ReadFile(library.file));
    library.hash = HashBytes(bytes->Paged(bytes->view()));
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(library.file, error);
    library.file = (error ? std::filesystem::path(library.file) : real).filename().string();
  }
  return libraries;
}

std::vector<std::string> LibraryDifferences(const std::vector<PackageLibrary>& needed,
                                            const std::vector<PackageLibrary>& found) {
  std::vector<std::string> differences;
  for (const PackageLibrary& library : needed) {
    const auto same = std::find_if(found.begin(), found.end(),
                                   [&](const auto& other) { return other.name == library.name; });
    const PackageLibrary here = same == found.end() ? PackageLibrary{library.name, {}, {}} : *same;
    if (here.file == library.file && here.hash == library.hash) continue;
    differences.push_back(fmt::format("another version of the library `{}`: expected {}, found {}",
                                      library.name, Shown(library), Shown(here)));
  }
  return differences;
}

}  // namespace tenon
