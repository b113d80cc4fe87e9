#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "tools/backends.h"
#include "tools/find_program.h"
#include "tools/module_input.h"

namespace tenon {

#ifdef TENON_HAS_LLVM

int HandOverToLlvm(char** argv) {
  const std::string other = ProgramBeside(FindProgram(argv[0]), "tenon-llvm");
  execvp(other.c_str(), argv);
  return Fail(
      fmt::format("cannot run `{}`, the program with LLVM: {}", other, std::strerror(errno)));
}

#else

// A program next to this one would belong to another package.
int HandOverToLlvm(char** /*argv*/) {
  return Fail("built without LLVM (TENON_ENABLE_LLVM); use --emit=c, or --engine=c to run");
}

#endif

}  // namespace tenon
