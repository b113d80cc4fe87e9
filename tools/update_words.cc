#include "tools/update_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "support/file.h"
#include "support/shown_text.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// Options that no later compilation repeats: files to read and write, names, and messages.
constexpr std::string_view kNotRepeated[] = {"--output", "--module-name", "--report", "--html",
                                             "--header", "--update-of",   "--quiet",  "--timing"};
constexpr std::string_view kMessages = "Messages";

/// `--name=value`, and `-Ovalue`.
bool IsLong(std::string_view name) { return name.starts_with("--"); }

bool IsRepeated(const CLI::Option& option) {
  if (option.count() == 0 || option.get_positional() || option.get_group() == kMessages)
    return false;
  const std::string name = option.get_name();
  return std::find(std::begin(kNotRepeated), std::end(kNotRepeated), name) ==
         std::end(kNotRepeated);
}

}  // namespace

std::vector<std::string> WordsOf(const CLI::App& given) {
  std::vector<std::string> words;
  for (const CLI::Option* option : given.get_options()) {
    if (!IsRepeated(*option)) continue;
    for (const std::string& value : option->results())
      words.push_back(option->get_name() + (IsLong(option->get_name()) ? "=" : "") + value);
  }
  return words;
}

std::optional<std::string> UpdateOf(const std::vector<std::string>& words) {
  const std::string_view name = kUpdateOf;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == name && i + 1 < words.size()) return words[i + 1];
    if (word.starts_with(name) && word.substr(name.size()).starts_with('='))
      return std::string(word.substr(name.size() + 1));
  }
  return std::nullopt;
}

absl::StatusOr<UpdateManifest> ReadUpdateFile(const std::string& path) {
  TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> file, ReadFile(path));
  absl::StatusOr<UpdateManifest> manifest = ReadUpdateManifest(file->view());
  if (!manifest.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", ShownText(path), std::string(manifest.status().message())));
  }
  return manifest;
}

absl::StatusOr<std::vector<std::string>> EarlierWords(const UpdateManifest& manifest) {
  for (const std::string& word : manifest.words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with('-') || name.starts_with("-o") || name.starts_with("-q") ||
        std::find(std::begin(kNotRepeated), std::end(kNotRepeated), name) != std::end(kNotRepeated))
      return absl::InvalidArgumentError(
          fmt::format("expected options of a compilation in `words`, found `{}`", ShownText(word)));
  }
  std::vector<std::string> words = manifest.words;
  constexpr std::string_view kPrefix = "tvmgen_";
  const std::string_view prefix = manifest.prefix;
  words.push_back(fmt::format(
      "--module-name={}", prefix.starts_with(kPrefix) ? prefix.substr(kPrefix.size()) : prefix));
  return words;
}

}  // namespace tenon
