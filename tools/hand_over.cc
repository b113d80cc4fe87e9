#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "tools/llvm_tools.h"
#include "tools/module_input.h"

namespace tenon {

int HandOverToLlvm(char** argv) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string other = error ? "tenon-llvm" : (self.parent_path() / "tenon-llvm").string();
  execvp(other.c_str(), argv);
  return Fail(
      fmt::format("cannot run {}, which has LLVM; tenon was built without it "
                  "(TENON_ENABLE_LLVM)",
                  other));
}

}  // namespace tenon
