// Cuts long functions into pieces. Many of LLVM's passes visit the rest of a function for each
// loop, so that their time is quadratic in its length.

#include <llvm/Transforms/Utils/CodeExtractor.h>

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

using Blocks = std::vector<llvm::BasicBlock*>;

constexpr size_t kManyPieces = 16;

/// The piece that has all uses of each stack array; -1 if several pieces use it.
absl::flat_hash_map<llvm::AllocaInst*, int> ArraysOfOnePiece(llvm::Function& function,
                                                             const std::vector<Blocks>& pieces) {
  absl::flat_hash_map<const llvm::BasicBlock*, int> piece_of;
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (const llvm::BasicBlock* block : pieces[i]) piece_of[block] = static_cast<int>(i);
  }
  absl::flat_hash_map<llvm::AllocaInst*, int> arrays;
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (array == nullptr || array->use_empty()) continue;
    int piece = -2;
    for (const llvm::User* user : array->users()) {
      const auto found = piece_of.find(llvm::cast<llvm::Instruction>(user)->getParent());
      const int here = found == piece_of.end() ? -1 : found->second;
      piece = piece == -2 || piece == here ? here : -1;
    }
    if (piece >= 0) arrays[array] = piece;
  }
  return arrays;
}

/// Copies the known facts about parameters to the piece. An argument may be another pointer derived
/// from a parameter, unless each argument is itself a parameter or a local array. The piece may
/// find the address of a parameter that escapes in memory, where another piece has put it.
void KeepFacts(const llvm::Function& whole, const FunctionEffects& effects, llvm::Function& piece) {
  const auto* call = llvm::cast<llvm::CallInst>(piece.user_back());
  bool are_apart = true;
  for (const llvm::Value* value : call->args()) {
    are_apart &= !value->getType()->isPointerTy() || llvm::isa<llvm::Argument>(value) ||
                 llvm::isa<llvm::AllocaInst>(value);
  }
  for (unsigned i = 0; i < call->arg_size(); ++i) {
    const auto* param = llvm::dyn_cast<llvm::Argument>(call->getArgOperand(i));
    if (param == nullptr) continue;
    const llvm::AttributeSet known = whole.getAttributes().getParamAttrs(param->getArgNo());
    piece.addParamAttrs(i, llvm::AttrBuilder(whole.getContext(), known));
    if (!are_apart || effects.params[param->getArgNo()].escapes)
      piece.removeParamAttr(i, llvm::Attribute::NoAlias);
  }
}

/// The blocks of each piece: from its first block up to the first block of the next piece.
std::vector<Blocks> BlocksOf(llvm::Function& function, const Blocks& cuts) {
  std::vector<Blocks> pieces;
  size_t next = 0;
  for (llvm::BasicBlock& block : function) {
    if (next < cuts.size() && &block == cuts[next]) {
      pieces.emplace_back();
      ++next;
    }
    if (!pieces.empty()) pieces.back().push_back(&block);
  }
  pieces.pop_back();  // the end of the function stays where it is
  return pieces;
}

/// Gives each piece a value of its own for each parameter that is a pointer. CodeExtractor visits
/// all uses of a parameter for each piece, so many uses take quadratic time.
void CopyParameters(llvm::Function& function, const std::vector<Blocks>& pieces) {
  llvm::Type* byte = llvm::Type::getInt8Ty(function.getContext());
  llvm::Value* zero = llvm::ConstantInt::get(llvm::Type::getInt64Ty(function.getContext()), 0);
  for (const Blocks& piece : pieces) {
    absl::flat_hash_map<llvm::Value*, llvm::Value*> copies;
    const auto first = piece.front()->getFirstInsertionPt();
    for (llvm::BasicBlock* block : piece) {
      for (llvm::Instruction& instruction : *block) {
        if (llvm::isa<llvm::PHINode>(instruction)) continue;
        for (llvm::Use& use : instruction.operands()) {
          if (!llvm::isa<llvm::Argument>(use) || !use->getType()->isPointerTy()) continue;
          llvm::Value*& copy = copies[use];
          if (copy == nullptr)
            copy = llvm::GetElementPtrInst::CreateInBounds(byte, use, {zero}, "", first);
          use.set(copy);
        }
      }
    }
  }
}

}  // namespace

void SplitFunction(llvm::Function& function, const FunctionEffects& effects, const Blocks& cuts) {
  const std::vector<Blocks> pieces = BlocksOf(function, cuts);
  std::vector<std::vector<llvm::AllocaInst*>> arrays(pieces.size());
  const auto of_one = ArraysOfOnePiece(function, pieces);
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    const auto found = array == nullptr ? of_one.end() : of_one.find(array);
    if (found != of_one.end()) arrays[static_cast<size_t>(found->second)].push_back(array);
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    llvm::BasicBlock* first = pieces[i].front();
    for (llvm::AllocaInst* array : arrays[i]) array->moveBefore(&*first->getFirstInsertionPt());
  }
  if (pieces.size() >= kManyPieces) CopyParameters(function, pieces);
  const llvm::CodeExtractorAnalysisCache cache(function);
  for (size_t i = 0; i < pieces.size(); ++i) {
    llvm::CodeExtractor extractor(pieces[i], /*DT=*/nullptr, /*AggregateArgs=*/false,
                                  /*BFI=*/nullptr, /*BPI=*/nullptr, /*AC=*/nullptr,
                                  /*AllowVarArgs=*/false, /*AllowAlloca=*/true,
                                  /*AllocationBlock=*/nullptr, "piece");
    llvm::Function* piece = extractor.extractCodeRegion(cache);
    if (piece == nullptr) continue;
    piece->setLinkage(llvm::GlobalValue::InternalLinkage);
    piece->addFnAttr(llvm::Attribute::NoInline);
    KeepFacts(function, effects, *piece);
    // Arrays in the entry block need no code.
    llvm::BasicBlock& entry = piece->getEntryBlock();
    for (llvm::AllocaInst* array : arrays[i]) array->moveBefore(&*entry.getFirstInsertionPt());
  }
}

}  // namespace tenon::llvm_lowering
