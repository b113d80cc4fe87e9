#include "tools/llvm_tools.h"

namespace tenon {

const LlvmTools* GetLlvmTools() { return nullptr; }

}  // namespace tenon
