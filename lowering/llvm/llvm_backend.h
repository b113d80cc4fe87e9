#ifndef TENON_LOWERING_LLVM_LLVM_BACKEND_H_
#define TENON_LOWERING_LLVM_LLVM_BACKEND_H_

#include "lowering/backend.h"

namespace tenon {

/// The back end `llvm`: IR, bitcode, assembly, objects and shared objects (lowering/llvm/
/// emit_llvm.h). Several modules become one file.
const Backend& LlvmBackend();

}  // namespace tenon

#endif  // TENON_LOWERING_LLVM_LLVM_BACKEND_H_
