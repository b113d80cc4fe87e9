#ifndef TENON_LOWERING_LLVM_LLVM_OBJECT_H_
#define TENON_LOWERING_LLVM_LLVM_OBJECT_H_

#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

#include <optional>
#include <string>

#include "lowering/llvm/llvm_stack.h"

namespace tenon::llvm_lowering {

/// The assembly or the object of an optimized module. `report` must outlive the module's context.
/// nullopt if the target does not support such files.
std::optional<std::string> MakeMachineCode(llvm::Module& module, llvm::TargetMachine& machine,
                                           llvm::CodeGenFileType kind, CodeReport& report);

}  // namespace tenon::llvm_lowering

#endif  // TENON_LOWERING_LLVM_LLVM_OBJECT_H_
