#include "tools/read_text.h"

#include "support/file_kind.h"
#include "support/status_macros.h"

namespace tenon {

absl::StatusOr<std::shared_ptr<const FileBytes>> ReadTextFile(const std::string& path,
                                                              ReaderKind reader) {
  TENON_ASSIGN_OR(std::shared_ptr<const FileBytes> file, ReadFile(path));
  const std::string not_text = WrongKindMessage(file->path(), file->view(), reader);
  if (!not_text.empty()) return absl::InvalidArgumentError(not_text);
  return file;
}

}  // namespace tenon
