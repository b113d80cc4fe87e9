#include "tools/update_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "support/file.h"
#include "support/file_kind.h"
#include "support/shown_text.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

constexpr std::string_view kModuleName = "--module-name";

/// Options that no later compilation repeats: files to read and write, names, and messages.
constexpr std::string_view kNotRepeated[] = {"--output", kModuleName,   "--report", "--html",
                                             "--header", "--update-of", "--quiet",  "--timing"};
constexpr std::string_view kMessages = "Messages";

/// `--name=value`, and `-Ovalue`.
bool IsLong(std::string_view name) { return name.starts_with("--"); }

/// The value of an option among words; nullopt if it is not there, or has no value.
std::optional<std::string> ValueOf(const std::vector<std::string>& words, std::string_view name) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == name && i + 1 < words.size()) return words[i + 1];
    if (word.starts_with(name) && word.substr(name.size()).starts_with('='))
      return std::string(word.substr(name.size() + 1));
  }
  return std::nullopt;
}

/// The message about a file that is not a manifest. It names the manifest next to it.
std::string OtherFile(const std::string& path, std::string_view bytes) {
  const std::string_view what = path.ends_with(".h")                          ? "a C header"
                                : FileKindOf(bytes) == FileKind::kSafetensors ? "constants"
                                : FileKindOf(bytes) == FileKind::kModule      ? "a module"
                                : FileKindOf(bytes) == FileKind::kTflite      ? "a model"
                                                                              : "other text";
  std::string near;
  for (const std::string_view suffix : {"_constants.safetensors", "_constants.h", ".h", ".c"}) {
    if (!path.ends_with(suffix)) continue;
    const std::string manifest = path.substr(0, path.size() - suffix.size()) + "_update.json";
    std::error_code ignored;
    if (std::filesystem::exists(manifest, ignored))
      near = fmt::format("; did you mean `{}`?", ShownText(manifest));
    break;
  }
  return fmt::format(
      "expected the file `..._update.json` of a compilation with "
      "--replaceable-weights or --dynamic-scales, found {}{}",
      what, near);
}

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
  return ValueOf(words, kUpdateOf);
}

absl::StatusOr<UpdateManifest> ReadUpdateFile(const std::string& path) {
  TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> file, ReadFile(path));
  if (FileKindOf(file->view()) != FileKind::kJson) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", ShownText(path), OtherFile(path, file->view())));
  }
  absl::StatusOr<UpdateManifest> manifest = ReadUpdateManifest(file->view());
  if (!manifest.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", ShownText(path), std::string(manifest.status().message())));
  }
  return manifest;
}

absl::StatusOr<std::vector<std::string>> EarlierWords(const UpdateManifest& manifest,
                                                      const std::vector<std::string>& given) {
  for (const std::string& word : manifest.words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with('-') || name.starts_with("-o") || name.starts_with("-q") ||
        std::find(std::begin(kNotRepeated), std::end(kNotRepeated), name) != std::end(kNotRepeated))
      return absl::InvalidArgumentError(
          fmt::format("expected options of a compilation in `words`, found `{}`", ShownText(word)));
  }
  for (const char* const option : {"--board", "--reserve"}) {
    if (ValueOf(given, option)) {
      return absl::InvalidArgumentError(fmt::format(
          "expected the board and its reserved bytes from the earlier compilation, found `{0}`: "
          "leave out {0}",
          option));
    }
  }
  std::vector<std::string> words = manifest.words;
  constexpr std::string_view kPrefix = "tvmgen_";
  const std::string_view prefix = manifest.prefix;
  const std::string_view name =
      prefix.starts_with(kPrefix) ? prefix.substr(kPrefix.size()) : prefix;
  const std::optional<std::string> again = ValueOf(given, kModuleName);
  if (again && *again != name) {
    return absl::InvalidArgumentError(
        fmt::format("expected the name `{}` of the earlier compilation, found `{}`: leave out {}",
                    ShownText(name), ShownText(*again), kModuleName));
  }
  if (!again) words.push_back(fmt::format("{}={}", kModuleName, name));
  return words;
}

}  // namespace tenon
