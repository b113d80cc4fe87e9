#ifndef TENON_SUPPORT_FILE_PLACES_H_
#define TENON_SUPPORT_FILE_PLACES_H_

#include <span>
#include <string>

#include "absl/status/status.h"

// Finds paths that refer to the same file, so that an output replaces neither an input nor another
// output.

namespace tenon {

/// Whether both paths refer to one file: compares device and inode (following links) if it exists,
/// else the canonical paths. Pipes and devices never count as the same file, because outputs may
/// share them.
bool IsSameFile(const std::string& a, const std::string& b);

/// InvalidArgument if an output would replace an existing input, or if two outputs would go to one
/// file. `-` is standard output, or standard input as an input.
absl::Status CheckOutputPaths(std::span<const std::string> inputs,
                              std::span<const std::string> outputs);

}  // namespace tenon

#endif  // TENON_SUPPORT_FILE_PLACES_H_
