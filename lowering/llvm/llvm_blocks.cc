// Cuts long basic blocks before code generation. Instruction selection and scheduling take a block
// at a time, in time that is quadratic in its length.

#include <llvm/IR/Constants.h>

#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

/// Long enough that the cuts cost nothing at run time. With them, LLVM takes 0.9 s for a sum of
/// 10,000 terms, and 10 s without (docs/guide/performance.md).
constexpr size_t kLongBlock = 4000;
constexpr size_t kPieceOfBlock = 500;

void DivideBlock(llvm::BasicBlock& block) {
  size_t count = 0;
  std::vector<llvm::Instruction*> cuts;
  for (llvm::Instruction& instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction) || llvm::isa<llvm::AllocaInst>(instruction)) continue;
    if (++count % kPieceOfBlock == 0) cuts.push_back(&instruction);
  }
  // A cut moves all instructions after it, so the last cut comes first. CodeGenPrepare joins
  // blocks, except those whose address is taken.
  for (size_t i = cuts.size(); i-- > 0;)
    llvm::BlockAddress::get(block.splitBasicBlock(cuts[i]->getIterator(), "rest"));
}

}  // namespace

void DivideLongBlocks(llvm::Module& module) {
  for (llvm::Function& function : module) {
    std::vector<llvm::BasicBlock*> blocks;
    for (llvm::BasicBlock& block : function) {
      if (block.size() >= kLongBlock) blocks.push_back(&block);
    }
    for (llvm::BasicBlock* block : blocks) DivideBlock(*block);
  }
}

}  // namespace tenon::llvm_lowering
