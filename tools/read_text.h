#ifndef TENON_TOOLS_READ_TEXT_H_
#define TENON_TOOLS_READ_TEXT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "support/file.h"
#include "support/file_kind.h"

namespace tenon {

/// Reads a file of text. For a file of another kind than `reader` takes, the error names its kind
/// and the next step.
absl::StatusOr<std::shared_ptr<const FileBytes>> ReadTextFile(const std::string& path,
                                                              ReaderKind reader);

}  // namespace tenon

#endif  // TENON_TOOLS_READ_TEXT_H_
