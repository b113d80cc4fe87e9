#include "compile/llvm/jit_engine.h"
#include "lowering/c/c_backend.h"
#include "lowering/llvm/llvm_backend.h"
#include "tools/backends.h"

namespace tenon {

std::span<const Backend* const> Backends() {
  static const Backend* const kBackends[] = {&CBackend(), &LlvmBackend()};
  return kBackends;
}

std::span<const Engine* const> Engines() {
  static const Engine* const kEngines[] = {&InterpreterEngine(), &CEngine(), &PackageEngine(),
                                           &JitEngine()};
  return kEngines;
}

}  // namespace tenon
