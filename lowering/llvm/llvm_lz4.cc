#include "lowering/llvm/llvm_internal.h"

// A decoder of LZ4 blocks (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md) in LLVM IR.

namespace tenon::llvm_lowering {

namespace {

/// Builds the decoder. Its state is in stack slots, which LLVM promotes to registers.
class Lz4Builder {
 public:
  explicit Lz4Builder(ModuleState& state)
      : state_(state), build_(state.context()), word_(state.WordType()) {}

  llvm::Function* Build() {
    llvm::Type* pointer = build_.getPtrTy();
    llvm::FunctionType* type =
        llvm::FunctionType::get(build_.getInt32Ty(), {pointer, word_, pointer, word_}, false);
    function_ = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                       state_.options.prefix + "_lz4", state_.out);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    from_ = function_->getArg(0);
    stored_ = function_->getArg(1);
    to_ = function_->getArg(2);
    size_ = function_->getArg(3);
    build_.SetInsertPoint(Block("entry"));
    damaged_ = Block("damaged");
    for (llvm::AllocaInst** slot : {&in_, &out_, &length_}) {
      *slot = build_.CreateAlloca(word_);
      build_.CreateStore(Word(0), *slot);
    }
    Sequences();
    build_.SetInsertPoint(damaged_);
    build_.CreateRet(build_.getInt32(static_cast<uint32_t>(-1)));
    return function_;
  }

 private:
  llvm::BasicBlock* Block(const char* name) {
    return llvm::BasicBlock::Create(state_.context(), name, function_);
  }
  llvm::Value* Word(uint64_t value) { return llvm::ConstantInt::get(word_, value); }
  llvm::Value* Get(llvm::AllocaInst* slot) { return build_.CreateLoad(word_, slot); }
  void Add(llvm::AllocaInst* slot, llvm::Value* value) {
    build_.CreateStore(build_.CreateAdd(Get(slot), value), slot);
  }
  void RefuseIf(llvm::Value* condition) {
    llvm::BasicBlock* next = Block("ok");
    build_.CreateCondBr(condition, damaged_, next);
    build_.SetInsertPoint(next);
  }
  llvm::Value* At(llvm::Value* base, llvm::Value* offset) {
    return build_.CreateGEP(build_.getInt8Ty(), base, offset);
  }
  /// The next byte of the block.
  llvm::Value* Take() {
    RefuseIf(build_.CreateICmpEQ(Get(in_), stored_));
    llvm::Value* byte = build_.CreateLoad(build_.getInt8Ty(), At(from_, Get(in_)));
    Add(in_, Word(1));
    return build_.CreateZExt(byte, word_);
  }

  /// Reads the length that begins with four bits, and checks that it fits the rest of the output.
  void Length(llvm::Value* four_bits, uint64_t least) {
    llvm::BasicBlock* more = Block("more");
    llvm::BasicBlock* done = Block("length");
    build_.CreateStore(build_.CreateAdd(four_bits, Word(least)), length_);
    build_.CreateCondBr(build_.CreateICmpEQ(four_bits, Word(15)), more, done);
    build_.SetInsertPoint(more);
    llvm::Value* byte = Take();
    Add(length_, byte);
    RefuseIf(build_.CreateICmpUGT(Get(length_), size_));
    build_.CreateCondBr(build_.CreateICmpEQ(byte, Word(255)), more, done);
    build_.SetInsertPoint(done);
    RefuseIf(build_.CreateICmpUGT(Get(length_), build_.CreateSub(size_, Get(out_))));
  }

  /// Copies `length_` bytes from `from` to the output, one by one, since the two may overlap.
  void Copy(llvm::Value* from) {
    llvm::BasicBlock* begin = build_.GetInsertBlock();
    llvm::BasicBlock* loop = Block("copy");
    llvm::BasicBlock* done = Block("copied");
    llvm::Value* count = Get(length_);
    llvm::Value* to = At(to_, Get(out_));
    build_.CreateCondBr(build_.CreateICmpEQ(count, Word(0)), done, loop);
    build_.SetInsertPoint(loop);
    llvm::PHINode* i = build_.CreatePHI(word_, 2);
    build_.CreateStore(build_.CreateLoad(build_.getInt8Ty(), At(from, i)), At(to, i));
    llvm::Value* next = build_.CreateAdd(i, Word(1));
    i->addIncoming(Word(0), begin);
    i->addIncoming(next, loop);
    build_.CreateCondBr(build_.CreateICmpULT(next, count), loop, done);
    build_.SetInsertPoint(done);
    Add(out_, count);
  }

  /// Decodes sequences of literals and a match; the last sequence ends after the literals.
  void Sequences() {
    llvm::BasicBlock* sequence = Block("sequence");
    llvm::BasicBlock* match = Block("match");
    llvm::BasicBlock* end = Block("end");
    build_.CreateBr(sequence);
    build_.SetInsertPoint(sequence);
    llvm::Value* token = Take();
    Length(build_.CreateLShr(token, Word(4)), 0);
    RefuseIf(build_.CreateICmpUGT(Get(length_), build_.CreateSub(stored_, Get(in_))));
    Copy(At(from_, Get(in_)));
    Add(in_, Get(length_));
    build_.CreateCondBr(build_.CreateICmpEQ(Get(in_), stored_), end, match);
    build_.SetInsertPoint(match);
    llvm::Value* low = Take();
    llvm::Value* offset = build_.CreateOr(low, build_.CreateShl(Take(), Word(8)));
    RefuseIf(build_.CreateOr(build_.CreateICmpEQ(offset, Word(0)),
                             build_.CreateICmpUGT(offset, Get(out_))));
    Length(build_.CreateAnd(token, Word(15)), 4);
    Copy(At(to_, build_.CreateSub(Get(out_), offset)));
    build_.CreateBr(sequence);
    build_.SetInsertPoint(end);
    llvm::Value* whole = build_.CreateICmpEQ(Get(out_), size_);
    build_.CreateRet(build_.CreateSExt(build_.CreateNot(whole), build_.getInt32Ty()));
  }

  ModuleState& state_;
  llvm::IRBuilder<> build_;
  llvm::IntegerType* word_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* damaged_ = nullptr;
  llvm::Value* from_ = nullptr;
  llvm::Value* stored_ = nullptr;
  llvm::Value* to_ = nullptr;
  llvm::Value* size_ = nullptr;
  llvm::AllocaInst* in_ = nullptr;      ///< number of bytes read
  llvm::AllocaInst* out_ = nullptr;     ///< number of bytes written
  llvm::AllocaInst* length_ = nullptr;  ///< of literals or a match
};

}  // namespace

llvm::Function* Lz4Decoder(ModuleState& state) {
  if (llvm::Function* made = state.out.getFunction(state.options.prefix + "_lz4")) return made;
  return Lz4Builder(state).Build();
}

}  // namespace tenon::llvm_lowering
