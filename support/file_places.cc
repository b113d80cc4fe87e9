#include "support/file_places.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "fmt/format.h"
#include "support/file_descriptors.h"

namespace tenon {

namespace {

/// The place that a path refers to.
struct Place {
  /// Device and inode of a file that exists.
  bool exists = false;
  dev_t device = 0;
  ino_t inode = 0;
  /// The canonical path; for standard output and the like, the descriptor in angle brackets.
  std::string path;

  bool operator==(const Place& other) const {
    if (exists != other.exists) return false;
    return exists ? device == other.device && inode == other.inode : path == other.path;
  }
};

Place PlaceOfFile(const struct stat& info) { return {true, info.st_dev, info.st_ino, {}}; }

/// The place of an input; nullopt for places that no output can replace.
std::optional<Place> InputPlaceOf(const std::string& path) {
  struct stat info = {};
  const int failed = path == "-" ? fstat(STDIN_FILENO, &info) : stat(path.c_str(), &info);
  if (failed != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return PlaceOfFile(info);
}

/// The place of an output; nullopt for pipes and devices.
std::optional<Place> PlaceOf(const std::string& path) {
  Place place;
  if (const int inherited = InheritedDescriptor(path); inherited >= 0) {
    place.path = fmt::format("<{}>", inherited);
    return place;
  }
  struct stat info = {};
  if (stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return std::nullopt;
    return PlaceOfFile(info);
  }
  // A relative path without existing folders stays relative unless it is made absolute first.
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(path, ignored);
  place.path = std::filesystem::weakly_canonical(absolute, ignored).string();
  if (place.path.empty()) place.path = path;
  // `missing/../file` refers to a file once the folder exists.
  if (stat(place.path.c_str(), &info) == 0 && S_ISREG(info.st_mode)) return PlaceOfFile(info);
  return place;
}

std::string Shown(const std::string& path) {
  return path == "-" ? "standard output" : fmt::format("`{}`", path);
}

}  // namespace

bool IsSameFile(const std::string& a, const std::string& b) {
  const std::optional<Place> first = PlaceOf(a);
  return first && first == PlaceOf(b);
}

absl::Status CheckOutputPaths(std::span<const std::string> inputs,
                              std::span<const std::string> outputs) {
  std::vector<std::pair<Place, std::string_view>> read;
  for (const std::string& path : inputs) {
    const std::optional<Place> place = InputPlaceOf(path);
    if (place) read.emplace_back(*place, path == "-" ? "<stdin>" : std::string_view(path));
  }
  std::vector<Place> written;
  for (const std::string& path : outputs) {
    const std::optional<Place> place = PlaceOf(path);
    if (!place) continue;
    for (const auto& [input, name] : read) {
      if (*place != input) continue;
      return absl::InvalidArgumentError(
          name == path
              ? fmt::format("an output would replace the input `{}`; give it another name", path)
              : fmt::format("the output `{}` would replace the input `{}`; give it another name",
                            path, name));
    }
    for (const Place& other : written) {
      if (*place == other)
        return absl::InvalidArgumentError(
            fmt::format("two outputs would go to {}; give each its own file", Shown(path)));
    }
    written.push_back(*place);
  }
  return absl::OkStatus();
}

}  // namespace tenon
