#ifndef TENON_TOOLS_VERSION_H_
#define TENON_TOOLS_VERSION_H_

#include <string>
#include <string_view>

namespace tenon {

/// `0.1.0`.
std::string_view Version();
/// "<tool> 0.1.0": the same for all builds of a version, for files that name the program.
std::string ProgramText(std::string_view tool);
/// "<tool> 0.1.0 (commit 1a2b3c4d)": the sources of the program, for the files that it generates.
std::string SourceText(std::string_view tool);
/// The output of --version: "<tool> 0.1.0 (commit 1a2b3c4d, LLVM 19.1.7)".
std::string VersionText(std::string_view tool);

}  // namespace tenon

#endif  // TENON_TOOLS_VERSION_H_
