// Odd vectors go to memory, which becomes one slot for each part, and LLVM's mem2reg brings the
// parts back into registers. So no rule for each kind of instruction is needed.

#include "lowering/llvm/llvm_odd_vectors.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/CodeGen/ValueTypes.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <vector>

namespace tenon::llvm_lowering {

namespace {

constexpr unsigned kFewestLanesOfPart = 4;

/// The lanes of each part of a vector; 0 if it stays.
unsigned LanesOfPart(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr || vector->getElementType()->isPointerTy()) return 0;
  const unsigned lanes = vector->getNumElements();
  const unsigned part = lanes & -lanes;
  const bool has_type =
      llvm::EVT::getEVT(const_cast<llvm::Type*>(type), /*HandleUnknown=*/true).isSimple();
  return part == lanes || part < kFewestLanesOfPart || has_type ? 0 : part;
}

bool LivesLonger(const llvm::Instruction& value) {
  return llvm::isa<llvm::PHINode>(value) ||
         std::any_of(value.user_begin(), value.user_end(), [&](const llvm::User* user) {
           const auto* instruction = llvm::cast<llvm::Instruction>(user);
           return instruction->getParent() != value.getParent() ||
                  llvm::isa<llvm::PHINode>(instruction);
         });
}

/// A variable in memory of one odd vector, as one variable for each part.
class PartsOfSlot {
 public:
  explicit PartsOfSlot(llvm::AllocaInst* slot)
      : slot_(slot),
        whole_(llvm::cast<llvm::FixedVectorType>(slot->getAllocatedType())),
        lanes_(LanesOfPart(whole_)),
        part_(llvm::FixedVectorType::get(whole_->getElementType(), lanes_)) {
    llvm::IRBuilder<> build(slot);
    for (unsigned first = 0; first < whole_->getNumElements(); first += lanes_)
      parts_.push_back(build.CreateAlloca(part_));
  }

  void Replace(std::vector<llvm::AllocaInst*>& parts) {
    const std::vector<llvm::User*> users(slot_->user_begin(), slot_->user_end());
    for (llvm::User* user : users) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        load->replaceAllUsesWith(Whole(load));
      } else {
        StoreParts(llvm::cast<llvm::StoreInst>(user));
      }
      llvm::cast<llvm::Instruction>(user)->eraseFromParent();
    }
    slot_->eraseFromParent();
    parts.insert(parts.end(), parts_.begin(), parts_.end());
  }

 private:
  llvm::Value* Whole(llvm::LoadInst* load) const {
    llvm::IRBuilder<> build(load);
    llvm::SmallVector<llvm::Value*> values;
    for (llvm::AllocaInst* part : parts_) values.push_back(build.CreateLoad(part_, part));
    return llvm::concatenateVectors(build, values);
  }

  void StoreParts(llvm::StoreInst* store) const {
    llvm::IRBuilder<> build(store);
    for (size_t i = 0; i < parts_.size(); ++i) {
      const auto first = static_cast<unsigned>(i) * lanes_;
      build.CreateStore(
          build.CreateShuffleVector(store->getValueOperand(),
                                    llvm::createSequentialMask(first, lanes_, /*NumUndefs=*/0)),
          parts_[i]);
    }
  }

  llvm::AllocaInst* slot_;
  llvm::FixedVectorType* whole_;
  unsigned lanes_;
  llvm::FixedVectorType* part_;
  std::vector<llvm::AllocaInst*> parts_;
};

void SplitIn(llvm::Function& function) {
  std::vector<llvm::Instruction*> odd;
  for (llvm::Instruction& value : llvm::instructions(function)) {
    if (LanesOfPart(value.getType()) > 0 && LivesLonger(value)) odd.push_back(&value);
  }
  std::vector<llvm::AllocaInst*> parts;
  for (llvm::Instruction* value : odd) {
    auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
    llvm::AllocaInst* slot =
        phi != nullptr ? llvm::DemotePHIToStack(phi) : llvm::DemoteRegToStack(*value);
    if (slot != nullptr) PartsOfSlot(slot).Replace(parts);
  }
  if (parts.empty()) return;
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(parts, dominators);
}

}  // namespace

void SplitOddVectors(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) SplitIn(function);
  }
}

}  // namespace tenon::llvm_lowering
