#include "tools/version.h"

#include <fmt/format.h>

#include "version_commit.h"

namespace tenon {

std::string_view Version() { return TENON_VERSION; }

std::string ProgramText(std::string_view tool) { return fmt::format("{} {}", tool, Version()); }

std::string SourceText(std::string_view tool) {
  return kCommit.empty() ? ProgramText(tool)
                         : fmt::format("{} (commit {})", ProgramText(tool), kCommit);
}

std::string VersionText(std::string_view tool) {
  constexpr std::string_view kLlvm = TENON_LLVM_VERSION;
  return fmt::format("{} ({}{}{})", ProgramText(tool),
                     kCommit.empty() ? "" : fmt::format("commit {}, ", kCommit),
                     kLlvm.empty() ? "without LLVM" : "LLVM ", kLlvm);
}

}  // namespace tenon
