#ifndef TENON_LOWERING_LLVM_LLVM_PARTS_H_
#define TENON_LOWERING_LLVM_LLVM_PARTS_H_

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lowering/llvm/emit_llvm.h"

// Internal to lowering/llvm: a module in parts, each a module in a context of its own. Values that
// parts share have external names of hidden visibility until the parts are joined.

namespace tenon::llvm_lowering {

/// The number of a part.
using PartNumber = size_t;

/// The original linkages of values with these names.
using Linkages = std::vector<std::pair<std::string, llvm::GlobalValue::LinkageTypes>>;

/// Gives a value of local linkage an external name, and notes its linkage.
void Publish(llvm::GlobalValue& value, Linkages& before);
void Restore(llvm::Module& module, const Linkages& linkages);

/// Whether a value is a small table, whose contents may help to optimize code that reads it.
bool IsSmallTable(const llvm::GlobalValue& value);

/// A copy of the definitions that `is_defined` chooses, in the same context. Other values that they
/// use are declared; the contents of small tables are still known to the optimizer. Functions that
/// `is_copy` chooses may be inlined, but get no code.
std::unique_ptr<llvm::Module> ClonePart(
    const llvm::Module& module, llvm::function_ref<bool(const llvm::GlobalValue&)> is_defined,
    llvm::function_ref<bool(const llvm::Function&)> is_copy);

std::string WriteBitcode(const llvm::Module& module);

/// Calls `work` for each number below `count` once, on as many threads as the options ask for. Each
/// thread has a machine of its own. The calling thread does `own_work` first.
void ForEachPart(
    PartNumber count, const EmitLlvmOptions& options, llvm::function_ref<void()> own_work,
    llvm::function_ref<void(PartNumber,
                            const absl::StatusOr<std::unique_ptr<llvm::TargetMachine>>& machine)>
        work);

}  // namespace tenon::llvm_lowering

#endif  // TENON_LOWERING_LLVM_LLVM_PARTS_H_
