#ifndef TENON_COMPILE_LLVM_JIT_ENGINE_H_
#define TENON_COMPILE_LLVM_JIT_ENGINE_H_

#include "compile/run/engine.h"

namespace tenon {

/// `jit`: code that LLVM generates in this process. Programs that use it must link LLVM.
const Engine& JitEngine();

}  // namespace tenon

#endif  // TENON_COMPILE_LLVM_JIT_ENGINE_H_
