#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tools/llvm_tools.h"
#include "tools/module_input.h"

namespace tenon {

#ifdef TENON_HAS_LLVM

int HandOverToLlvm(char** argv) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string other = error ? "tenon-llvm" : (self.parent_path() / "tenon-llvm").string();
  execvp(other.c_str(), argv);
  return Fail(fmt::format("cannot run `{}`, which has LLVM: {}", other, std::strerror(errno)));
}

#else

// What lies beside this program is another's.
int HandOverToLlvm(char** /*argv*/) {
  return Fail(
      "built without LLVM (TENON_ENABLE_LLVM): there is --emit=c, and --engine=c to run it");
}

#endif

}  // namespace tenon
