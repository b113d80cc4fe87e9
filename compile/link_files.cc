#include "compile/link_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "support/file.h"
#include "support/shown_text.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

bool EndsWithAny(std::string_view text, std::initializer_list<std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return text.ends_with(suffix); });
}

/// A compiler runs in another folder.
std::string Absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

}  // namespace

absl::Status AddLinkFile(const std::string& word, ExternalFiles& files) {
  if (word.starts_with("-l") && word.size() > 2) {
    files.link.libraries.push_back(word.substr(2));
    return absl::OkStatus();
  }
  if (word.starts_with("-L") && word.size() > 2) {
    files.link.library_folders.push_back(Absolute(word.substr(2)));
    return absl::OkStatus();
  }
  const bool is_source = EndsWithAny(word, {".c", ".cc", ".cpp", ".S"});
  if (!is_source && !EndsWithAny(word, {".o", ".a"})) {
    return absl::InvalidArgumentError(
        fmt::format("expected a file .c, .cc, .cpp, .S, .o or .a, -lNAME or -LFOLDER; found `{}`",
                    ShownText(word)));
  }
  TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> file, ReadFile(word));
  const std::filesystem::path path = Absolute(word);
  const std::string name = path.filename().string();
  std::vector<EmittedFile>& list = is_source ? files.sources : files.objects;
  for (const EmittedFile& other : list) {
    if (other.name == name)
      return absl::InvalidArgumentError(fmt::format("two files are named `{}`", ShownText(name)));
  }
  list.push_back({name, std::string(file->view())});
  if (is_source) files.link.include_folders.push_back(path.parent_path().string());
  if (EndsWithAny(word, {".cc", ".cpp"})) files.link.cxx = true;
  return absl::OkStatus();
}

}  // namespace tenon
