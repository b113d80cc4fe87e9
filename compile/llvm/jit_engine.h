#ifndef TENON_COMPILE_LLVM_JIT_ENGINE_H_
#define TENON_COMPILE_LLVM_JIT_ENGINE_H_

#include "compile/run/engine.h"

namespace tenon {

/// `jit`: code that LLVM makes in this process. A program that uses it links LLVM.
const Engine& JitEngine();

}  // namespace tenon

#endif  // TENON_COMPILE_LLVM_JIT_ENGINE_H_
