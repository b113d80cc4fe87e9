#ifndef TENON_LOWERING_UPDATE_MANIFEST_H_
#define TENON_LOWERING_UPDATE_MANIFEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/weight_facts.h"

// The facts about a program whose constants may be replaced: `<prefix>_update.json`. The compiler
// compares it with a later compilation of the same network with other weights.

namespace tenon {

/// A constant in a file of constants.
struct FileConstant {
  std::string name;  ///< unique in the file
  std::string type;  ///< `int8[3, 3, 8]`
  int64_t offset = 0;

  bool operator==(const FileConstant&) const = default;
};

/// The scale of a tensor of the interface.
struct InterfaceScale {
  std::string name;
  float scale = 0;  ///< 0: the tensor has none
  int64_t zero_point = 0;
};

/// A file that an option names, with its text: the file may be elsewhere, or differ, when an update
/// is made.
struct UpdateFile {
  std::string option;  ///< `--pools`
  std::string path;    ///< as it was given
  std::string text;
};

struct UpdateManifest {
  /// The prefix of all names: `tvmgen_kws`.
  std::string prefix;
  /// The identity that code and file have in common.
  uint64_t identity = 0;
  /// The hash of the code's text without comments, and of each function. The rest of the text has
  /// the empty name.
  uint64_t code = 0;
  std::vector<std::pair<std::string, uint64_t>> functions;
  std::vector<FileConstant> constants;
  std::vector<WeightFact> facts;
  /// Scales that are data of the file, in the order of `<prefix>_quantization`; empty if they are
  /// macros of the header.
  std::vector<InterfaceScale> scales;
  /// The words of the command line that made the code, without files.
  std::vector<std::string> words;
  /// The files of pools and boards among them.
  std::vector<UpdateFile> files;
};

/// Its text, which ends with a line break.
std::string UpdateManifestJson(const UpdateManifest& manifest);

/// Reads that text; errors begin with "at byte".
absl::StatusOr<UpdateManifest> ReadUpdateManifest(std::string_view text);

/// Why the constants of `now` cannot be used with the code of `then`, a sentence each, the most
/// telling ones first. Empty if they can: code and places are the same.
std::vector<std::string> UpdateObstacles(const UpdateManifest& then, const UpdateManifest& now);

}  // namespace tenon

#endif  // TENON_LOWERING_UPDATE_MANIFEST_H_
