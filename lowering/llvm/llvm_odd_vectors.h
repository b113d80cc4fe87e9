#ifndef TENON_LOWERING_LLVM_LLVM_ODD_VECTORS_H_
#define TENON_LOWERING_LLVM_LLVM_ODD_VECTORS_H_

#include <llvm/IR/Module.h>

namespace tenon::llvm_lowering {

/// Splits vectors such as `<48 x float>`, for which code generation has no type, where they live
/// longer than a block: `<16 x float>` three times. Code generation would put each lane in a
/// register of its own. Vectors whose lanes have no common divisor of at least 4 stay.
void SplitOddVectors(llvm::Module& module);

}  // namespace tenon::llvm_lowering

#endif  // TENON_LOWERING_LLVM_LLVM_ODD_VECTORS_H_
