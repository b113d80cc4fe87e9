#ifndef TENON_LOWERING_LLVM_LLVM_STACK_H_
#define TENON_LOWERING_LLVM_LLVM_STACK_H_

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lowering/stack_estimate.h"

namespace tenon::llvm_lowering {

/// Reports of LLVM about the machine code that it makes.
struct CodeReport {
  /// Bytes of the functions' frames, if a StackReader asked for them.
  absl::flat_hash_map<std::string, int64_t> frames;
  std::string errors;
};

/// Sends the diagnostics of the context to `report`, which must outlive it.
void CollectReport(llvm::LLVMContext& context, CodeReport& report);

/// Finds the sizes of stack frames of a module. Construct it before the code is made; the code
/// stays the same.
///
/// LLVM reports a frame that is larger than the function's attribute `warn-stack-size` allows
/// (PrologEpilogInserter), so the attribute is 0 here. The size has spilled and saved registers and
/// local arrays. Two things are added: the return address if the call instruction pushes it, and
/// the most that the function skips to align arrays and vectors more than the stack is.
class StackReader {
 public:
  StackReader(llvm::Module& module, const llvm::TargetMachine& machine);
  StackReader(const StackReader&) = delete;
  StackReader& operator=(const StackReader&) = delete;

  /// The estimate, with the frames of the report and with LibraryStack for functions of libraries.
  /// The object tells which functions the code calls: LLVM adds calls when it generates code.
  /// Those are not known if it is empty, as for assembly.
  StackEstimate Estimate(const CodeReport& report, llvm::StringRef object) const;

 private:
  struct Code {
    const llvm::Function* function = nullptr;
    /// Bytes that a call of the function pushes, and that the function may skip to align arrays.
    int64_t beyond_frame = 0;
    /// Indexes of the functions that this one calls, or whose addresses it passes on.
    std::vector<size_t> calls;
    /// The same for functions that are defined elsewhere, sorted.
    std::vector<std::string> elsewhere;
  };

  void AddCalls(const llvm::Function& function, Code& code);
  /// For each of `code_`, the functions that the object calls, or the IR if it is empty.
  std::vector<std::vector<std::string>> CalledElsewhere(llvm::StringRef object) const;

  std::vector<Code> code_;
  absl::flat_hash_map<const llvm::Function*, size_t> index_;
  /// Other symbols than functions; an object does not tell them apart if they are defined
  /// elsewhere.
  absl::flat_hash_set<std::string> variables_;
  llvm::Triple target_;
};

/// Sets the bytes of code of the estimate's functions, as the symbols of the object have them.
void ReadCodeSizes(llvm::StringRef object, StackEstimate& estimate);

}  // namespace tenon::llvm_lowering

#endif  // TENON_LOWERING_LLVM_LLVM_STACK_H_
