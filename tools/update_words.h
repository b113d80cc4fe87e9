#ifndef TENON_TOOLS_UPDATE_WORDS_H_
#define TENON_TOOLS_UPDATE_WORDS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lowering/update_manifest.h"

// `--update-of=OLD_update.json`: the options of the earlier compilation come from that file, so
// that a later one repeats them.

namespace tenon {

/// The option, without its value.
inline constexpr const char* kUpdateOf = "--update-of";

/// The words that repeat the options of `given`, one each, without files that it reads and writes
/// and without options for messages.
std::vector<std::string> WordsOf(const CLI::App& given);

/// The value of kUpdateOf among words; nullopt if it is not there, or has no value.
std::optional<std::string> UpdateOf(const std::vector<std::string>& words);

/// Reads a manifest of an earlier compilation. Errors begin with the file's path.
absl::StatusOr<UpdateManifest> ReadUpdateFile(const std::string& path);

/// The words of the earlier compilation and its module's name, to be appended to those of `given`.
/// An error for words that name files to write, which only a file that was changed by hand has, and
/// for another name.
absl::StatusOr<std::vector<std::string>> EarlierWords(const UpdateManifest& manifest,
                                                      const std::vector<std::string>& given);

}  // namespace tenon

#endif  // TENON_TOOLS_UPDATE_WORDS_H_
