#ifndef TENON_SUPPORT_FILE_PLACES_H_
#define TENON_SUPPORT_FILE_PLACES_H_

#include <span>
#include <string>

#include "absl/status/status.h"

// Paths that mean the same file, so that an output replaces neither an input nor another output.

namespace tenon {

/// True when both paths mean one file: by its device and inode if it exists, links followed, else
/// by its canonical path. Pipes and devices, which outputs share, are never the same file.
bool IsSameFile(const std::string& a, const std::string& b);

/// InvalidArgument when an output would replace an input that exists, or when two outputs would go
/// to one file. `-` is standard output, and as an input standard input.
absl::Status CheckOutputPaths(std::span<const std::string> inputs,
                              std::span<const std::string> outputs);

}  // namespace tenon

#endif  // TENON_SUPPORT_FILE_PLACES_H_
