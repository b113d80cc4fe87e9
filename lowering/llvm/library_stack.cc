#include "lowering/llvm/library_stack.h"

namespace tenon::llvm_lowering {

namespace {

struct Row {
  const char* function;
  int64_t arm;
  int64_t riscv32;
};

constexpr Row kRows[] = {
#define TENON_LIBRARY_STACK(function, arm, riscv32) {#function, arm, riscv32},
#include "lowering/llvm/library_stack.def"
#undef TENON_LIBRARY_STACK
};

}  // namespace

std::optional<int64_t> LibraryStack(const llvm::Triple& target, std::string_view function) {
  // Operating systems have other C libraries, whose stack is not scarce.
  if (target.getOS() != llvm::Triple::UnknownOS) return std::nullopt;
  const bool is_arm = target.isARM() || target.isThumb();
  if (!is_arm && !target.isRISCV32()) return std::nullopt;
  for (const Row& row : kRows) {
    if (row.function != function) continue;
    const int64_t bytes = is_arm ? row.arm : row.riscv32;
    if (bytes >= 0) return bytes;
  }
  return std::nullopt;
}

}  // namespace tenon::llvm_lowering
