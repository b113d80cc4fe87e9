#ifndef TENON_LOWERING_EMITTED_FILE_H_
#define TENON_LOWERING_EMITTED_FILE_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "support/file.h"

namespace tenon {

/// A file to write.
struct EmittedFile {
  std::string name;
  std::string text;
  /// Appends what follows `text`, where that is too much to be made in memory first.
  std::function<absl::Status(OutputFile&)> append = nullptr;
};

/// The files for WriteFolder; they borrow what `files` have.
std::vector<FolderFile> FolderFiles(std::span<const EmittedFile> files);

}  // namespace tenon

#endif  // TENON_LOWERING_EMITTED_FILE_H_
