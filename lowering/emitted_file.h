#ifndef TENON_LOWERING_EMITTED_FILE_H_
#define TENON_LOWERING_EMITTED_FILE_H_

#include <span>
#include <string>
#include <vector>

#include "support/byte_sink.h"
#include "support/file.h"

namespace tenon {

/// A file to write.
struct EmittedFile {
  std::string name;
  std::string text;
  /// Produces the contents after `text`.
  ByteSource append = nullptr;
};

/// The files for WriteFolder; they borrow the contents of `files`.
std::vector<FolderFile> FolderFiles(std::span<const EmittedFile> files);

}  // namespace tenon

#endif  // TENON_LOWERING_EMITTED_FILE_H_
