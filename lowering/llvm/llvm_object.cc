// LLVM's code generator without its verifier, since the module was verified when it was built.
// Errors and sizes of frames come as diagnostics of the context.

#include "lowering/llvm/llvm_object.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Support/raw_ostream.h>

#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

std::optional<std::string> MakeMachineCode(llvm::Module& module, llvm::TargetMachine& machine,
                                           llvm::CodeGenFileType kind, CodeReport& report) {
  CollectReport(module.getContext(), report);
  DivideLongBlocks(module);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  // The module was verified when it was built; LLVM's own passes are trusted to keep it valid.
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true))
    return std::nullopt;
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace tenon::llvm_lowering
