#ifndef TENON_TOOLS_LLVM_OPTIONS_H_
#define TENON_TOOLS_LLVM_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "lowering/llvm/emit_llvm.h"

namespace tenon {

/// The options of commands that say what LLVM is to do.
void AddLlvmOptions(CLI::App& app, EmitLlvmOptions& llvm);

}  // namespace tenon

#endif  // TENON_TOOLS_LLVM_OPTIONS_H_
