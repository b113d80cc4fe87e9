#ifndef TENON_LOWERING_LLVM_LLVM_STACK_H_
#define TENON_LOWERING_LLVM_LLVM_STACK_H_

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

#include "absl/container/flat_hash_map.h"
#include "lowering/stack_estimate.h"

namespace tenon::llvm_lowering {

/// Reads the sizes of stack frames while LLVM makes machine code of a module. The code stays the
/// same. Construct it before the code is made, and ask afterwards.
///
/// LLVM reports a frame that is larger than the function's attribute `warn-stack-size` allows
/// (PrologEpilogInserter), so the attribute is 0 here. The size has spilled and saved registers and
/// local arrays. The return address is added if the call instruction pushes it.
class StackReader {
 public:
  /// Other diagnostics of the module's context go to `errors`, as in CollectErrors.
  StackReader(llvm::Module& module, const llvm::TargetMachine& machine, std::string& errors);
  StackReader(const StackReader&) = delete;
  StackReader& operator=(const StackReader&) = delete;

  StackEstimate Estimate() const;

 private:
  struct Code {
    const llvm::Function* function = nullptr;
    /// Frame without the functions called.
    int64_t bytes = 0;
    /// Indexes of the functions that this one calls, or whose addresses it passes on.
    std::vector<size_t> calls;
  };

  void AddCalls(const llvm::Function& function, Code& code);

  std::string& errors_;
  std::vector<Code> code_;
  absl::flat_hash_map<const llvm::Function*, size_t> index_;
  std::vector<std::string> unknown_;
};

/// Sets the bytes of code of the estimate's functions, as the symbols of the object have them.
void ReadCodeSizes(llvm::StringRef object, StackEstimate& estimate);

}  // namespace tenon::llvm_lowering

#endif  // TENON_LOWERING_LLVM_LLVM_STACK_H_
