#ifndef TENON_COMPILE_LINK_FILES_H_
#define TENON_COMPILE_LINK_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "lowering/external_files.h"

namespace tenon {

/// Adds what a word of --link names to `files`: a source (.c, .cc, .cpp, .S), whose own folder is
/// searched for its headers, an object (.o, .a), or a library (-lNAME, -LFOLDER). InvalidArgument
/// for other words; another error if a file cannot be read.
absl::Status AddLinkFile(const std::string& word, ExternalFiles& files);

}  // namespace tenon

#endif  // TENON_COMPILE_LINK_FILES_H_
