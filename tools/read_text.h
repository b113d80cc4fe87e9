#ifndef TENON_TOOLS_READ_TEXT_H_
#define TENON_TOOLS_READ_TEXT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "support/file.h"

namespace tenon {

/// Reads a module or another file of text. For a binary file of a known kind, such as a model of
/// another tool, the error names the format and the next step (support/file_kind.h).
absl::StatusOr<std::shared_ptr<const FileBytes>> ReadTextFile(const std::string& path);

}  // namespace tenon

#endif  // TENON_TOOLS_READ_TEXT_H_
