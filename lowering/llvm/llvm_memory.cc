// Loads and stores. The only known fact about an address is the alignment of its element. Lanes
// that are a few elements apart are picked from whole rows, which end with the last lane.

#include <algorithm>

#include "fmt/format.h"
#include "ir/builtins.h"
#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

/// Lanes that are apart are loaded and stored one by one, and more lanes than these in a loop. With
/// the loop, LLVM takes 0.1 s for a store of 1,024 such lanes, and 2.5 s without.
constexpr int kMostScatteredLanes = 64;

/// Lanes at these steps are loaded together with the elements between them, as rows. The elements
/// are in the same object as the first and the last lane.
constexpr int64_t kMostStep = 4;
constexpr int kLeastLanesOfRow = 4;

}  // namespace

/// The location of the lanes of an access.
struct FunctionEmitter::Access {
  DataType element;
  llvm::Value* base = nullptr;
  /// In elements of the buffer: the index of the first lane, or a vector of all lanes' indices.
  llvm::Value* index = nullptr;
  DataType index_dtype;
  int buffer_lanes = 1;
  /// Lanes of the index. The access has `buffer_lanes` times as many.
  int index_lanes = 1;
  /// All lanes are contiguous.
  bool is_row = true;
  /// For lanes at a constant step from 2 to `kMostStep`.
  int64_t step = 0;
  /// One bit for each lane of the index; null: all lanes.
  llvm::Value* mask = nullptr;
  int lanes() const { return buffer_lanes * index_lanes; }
};

llvm::Value* FunctionEmitter::Pointer(const Var* var) {
  const auto found = values_.find(var);
  if (found != values_.end()) return found->second;
  state_.Error(var->range,
               fmt::format("cannot generate LLVM code for a use of `{}`, which is not declared",
                           var->name.view()));
  return llvm::PoisonValue::get(build_.getPtrTy());
}

llvm::Value* FunctionEmitter::FromMemory(llvm::Value* value, DataType dtype) {
  if (!dtype.is_bool()) return value;
  return build_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

llvm::Value* FunctionEmitter::ToMemory(llvm::Value* value, DataType dtype) {
  if (!dtype.is_bool()) return value;
  return build_.CreateZExt(value, MemoryType(state_.context(), dtype));
}

bool FunctionEmitter::MakeAccess(const Buffer* buffer, Span<const Expr*> indices,
                                 const Expr* predicate, SourceRange range, Access& access) {
  if (indices.size() > 1 || buffer->dtype.is_scalable() ||
      MemoryType(state_.context(), buffer->dtype) == nullptr) {
    state_.Error(range, indices.size() > 1
                            ? fmt::format("buffer `{}` has {} dimensions; LLVM code needs flat "
                                          "buffers (run flatten-buffers)",
                                          buffer->name.view(), indices.size())
                            : fmt::format("cannot generate LLVM code for buffer `{}` of dtype `{}`",
                                          buffer->name.view(), buffer->dtype.ToString()));
    return false;
  }
  access.element = buffer->dtype.element();
  access.buffer_lanes = buffer->dtype.lanes();
  access.base = Pointer(buffer->data);
  if (indices.empty()) {
    access.index = build_.getInt32(0);
    access.index_dtype = DataType::Int(32);
  } else {
    const Expr* index = indices[0];
    access.index_dtype = index->dtype.element();
    access.index_lanes = index->dtype.lanes();
    const auto* ramp = dyn_cast<Ramp>(index);
    access.is_row = index->dtype.is_scalar() || (ramp != nullptr && IsConstInt(ramp->stride, 1));
    access.index = Value(access.is_row && ramp != nullptr ? ramp->base : index);
    const int64_t* step = ramp == nullptr ? nullptr : AsIntImm(ramp->stride);
    if (step != nullptr && *step > 1 && *step <= kMostStep) access.step = *step;
  }
  if (predicate != nullptr && !IsConstInt(predicate, 1)) {
    access.mask = Value(predicate);
    if (!predicate->dtype.is_bool())
      access.mask = Convert(access.mask, predicate->dtype, DataType::Bool(predicate->dtype.lanes()),
                            predicate);
    if (predicate->dtype.is_scalar()) access.mask = Splat(access.mask, access.index_lanes);
  }
  return true;
}

llvm::Value* FunctionEmitter::Element(llvm::Type* type, llvm::Value* base, llvm::Value* index,
                                      DataType dtype) {
  // GEP sign-extends its index.
  llvm::Type* word = state_.WordType();
  if (dtype.is_uint() && index->getType()->getScalarSizeInBits() < word->getIntegerBitWidth())
    index =
        build_.CreateZExt(index, index->getType()->getWithNewBitWidth(word->getIntegerBitWidth()));
  return build_.CreateInBoundsGEP(type, base, index);
}

/// The address of part `part` of the buffer's vector element at one index.
llvm::Value* FunctionEmitter::Address(const Access& access, int lane, int part) {
  llvm::Value* index = access.index;
  if (!access.is_row) {
    index = build_.CreateExtractElement(index, static_cast<uint64_t>(lane));
  } else if (lane > 0) {
    index = build_.CreateAdd(index, Int(index->getType(), lane));
  }
  llvm::Type* type = MemoryType(state_.context(), access.element);
  if (access.buffer_lanes == 1) return Element(type, access.base, index, access.index_dtype);
  // Elements of vectors are contiguous, without the padding that LLVM's vectors may have.
  llvm::Value* first =
      Element(llvm::ArrayType::get(type, static_cast<uint64_t>(access.buffer_lanes)), access.base,
              index, access.index_dtype);
  return part == 0 ? first
                   : build_.CreateConstInBoundsGEP1_32(type, first, static_cast<unsigned>(part));
}

/// Loads rows that reach from the first lane to the last one, and picks the lanes.
llvm::Value* FunctionEmitter::LoadSteps(const Access& access) {
  const int lanes = access.index_lanes;
  const llvm::Align align(static_cast<uint64_t>(access.element.element_bytes()));
  llvm::Type* element = MemoryType(state_.context(), access.element);
  llvm::Type* type = MemoryType(state_.context(), access.element.with_lanes(lanes));
  const auto last = static_cast<int>(access.step) * (lanes - 1);
  llvm::Value* first = build_.CreateExtractElement(access.index, uint64_t{0});
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (int row = 0; row < access.step; ++row) {
    // The last row ends with the last lane.
    const int begin = std::min(row * lanes, last + 1 - lanes);
    llvm::Value* index = build_.CreateAdd(first, Int(first->getType(), begin));
    llvm::Value* loaded = build_.CreateAlignedLoad(
        type, Element(element, access.base, index, access.index_dtype), align);
    llvm::SmallVector<int> picks;
    for (int lane = 0; lane < lanes; ++lane) {
      const int place = lane * static_cast<int>(access.step);
      const bool is_here = place >= row * lanes && place < (row + 1) * lanes;
      picks.push_back(is_here ? lanes + place - begin : lane);
    }
    result = build_.CreateShuffleVector(result, loaded, picks);
  }
  return result;
}

llvm::Value* FunctionEmitter::LoadAll(const Access& access) {
  const int lanes = access.lanes();
  llvm::Type* element = MemoryType(state_.context(), access.element);
  const llvm::Align align(static_cast<uint64_t>(access.element.element_bytes()));
  llvm::Type* type = MemoryType(state_.context(), access.element.with_lanes(lanes));
  if (access.is_row) return build_.CreateAlignedLoad(type, Address(access, 0, 0), align);
  if (access.step > 0 && access.buffer_lanes == 1 && lanes >= kLeastLanesOfRow &&
      lanes <= kMostScatteredLanes)
    return LoadSteps(access);
  if (lanes > kMostScatteredLanes) {
    llvm::Value* all = StackArray(element, lanes, access.element.element_bytes(), "lanes");
    CopyLanes(access, all, /*loads=*/true);
    return build_.CreateAlignedLoad(type, all, align);
  }
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (int i = 0; i < access.index_lanes; ++i) {
    for (int part = 0; part < access.buffer_lanes; ++part) {
      llvm::Value* value = build_.CreateAlignedLoad(element, Address(access, i, part), align);
      result = build_.CreateInsertElement(result, value,
                                          static_cast<uint64_t>(i * access.buffer_lanes + part));
    }
  }
  return result;
}

llvm::Value* FunctionEmitter::PaddedRow(const Expr* vector) {
  const auto* load = dyn_cast<BufferLoad>(vector);
  const int lanes = vector->dtype.lanes();
  Access access;
  if (load == nullptr || llvm::isPowerOf2_32(static_cast<uint32_t>(lanes)) ||
      load->buffer->dtype.lanes() != 1 || load->dtype.is_bool() || load->predicate != nullptr)
    return Value(vector);
  if (!MakeAccess(load->buffer, load->indices, nullptr, load->range, access)) return Poison(load);
  if (!access.is_row) return LoadAll(access);
  llvm::Type* element = MemoryType(state_.context(), access.element);
  const llvm::Align align(static_cast<uint64_t>(access.element.element_bytes()));
  if (lanes == 3) {
    llvm::Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, 4));
    for (int lane = 0; lane < lanes; ++lane)
      result = build_.CreateInsertElement(
          result, build_.CreateAlignedLoad(element, Address(access, lane, 0), align),
          static_cast<uint64_t>(lane));
    return result;
  }
  // Two halves that overlap.
  const auto half = static_cast<int>(llvm::bit_floor(static_cast<uint32_t>(lanes)));
  llvm::Type* type = llvm::FixedVectorType::get(element, static_cast<unsigned>(half));
  llvm::Value* low = build_.CreateAlignedLoad(type, Address(access, 0, 0), align);
  llvm::Value* high = build_.CreateAlignedLoad(type, Address(access, lanes - half, 0), align);
  llvm::SmallVector<int> picks;
  for (int lane = 0; lane < 2 * half; ++lane)
    picks.push_back(lane < half    ? lane
                    : lane < lanes ? lane + 2 * half - lanes
                                   : llvm::PoisonMaskElem);
  return build_.CreateShuffleVector(low, high, picks);
}

void FunctionEmitter::StoreAll(const Access& access, llvm::Value* value) {
  const llvm::Align align(static_cast<uint64_t>(access.element.element_bytes()));
  if (access.is_row) {
    build_.CreateAlignedStore(value, Address(access, 0, 0), align);
    return;
  }
  if (access.lanes() > kMostScatteredLanes) {
    llvm::Value* all = StackArray(MemoryType(state_.context(), access.element), access.lanes(),
                                  access.element.element_bytes(), "lanes");
    build_.CreateAlignedStore(value, all, align);
    return CopyLanes(access, all, /*loads=*/false);
  }
  for (int i = 0; i < access.index_lanes; ++i) {
    for (int part = 0; part < access.buffer_lanes; ++part) {
      llvm::Value* lane =
          build_.CreateExtractElement(value, static_cast<uint64_t>(i * access.buffer_lanes + part));
      build_.CreateAlignedStore(lane, Address(access, i, part), align);
    }
  }
}

/// The bytes of an element and of its successors, as a value of `type`.
llvm::Value* FunctionEmitter::LoadBytes(const Buffer* buffer, const Expr* index, llvm::Type* type) {
  Access access;
  const Expr* indices[] = {index};
  if (!MakeAccess(buffer, Span<const Expr*>(indices, 1), nullptr, index->range, access))
    return llvm::PoisonValue::get(type);
  return build_.CreateAlignedLoad(type, Address(access, 0, 0), llvm::Align(1));
}

/// Copies the lanes of an access that is not a row, to or from the array `all`, in a loop. LLVM
/// takes minutes for a thousand extracted lanes.
void FunctionEmitter::CopyLanes(const Access& access, llvm::Value* all, bool loads) {
  llvm::Type* index_type = access.index->getType()->getScalarType();
  const auto index_align = llvm::Align(std::max(index_type->getScalarSizeInBits() / 8, 1U));
  llvm::Value* indices = StackArray(index_type, access.index_lanes,
                                    static_cast<int64_t>(index_align.value()), "indices");
  build_.CreateAlignedStore(access.index, indices, index_align);
  llvm::Type* element = MemoryType(state_.context(), access.element);
  const llvm::Align align(static_cast<uint64_t>(access.element.element_bytes()));
  llvm::BasicBlock* before = build_.GetInsertBlock();
  llvm::BasicBlock* body = Block("lane.body");
  llvm::BasicBlock* end = Block("lane.end");
  build_.CreateBr(body);
  build_.SetInsertPoint(body);
  llvm::Type* word = state_.WordType();
  llvm::PHINode* lane = build_.CreatePHI(word, 2, "lane");
  lane->addIncoming(Int(word, 0), before);
  Access one = access;
  one.is_row = true;
  one.index_lanes = 1;
  one.index = build_.CreateAlignedLoad(
      index_type, build_.CreateInBoundsGEP(index_type, indices, lane), index_align);
  llvm::Value* first = build_.CreateMul(lane, Int(word, access.buffer_lanes));
  for (int part = 0; part < access.buffer_lanes; ++part) {
    llvm::Value* at =
        build_.CreateInBoundsGEP(element, all, build_.CreateAdd(first, Int(word, part)));
    llvm::Value* from = loads ? Address(one, 0, part) : at;
    llvm::Value* value = build_.CreateAlignedLoad(element, from, align);
    build_.CreateAlignedStore(value, loads ? at : Address(one, 0, part), align);
  }
  llvm::Value* next = build_.CreateAdd(lane, Int(word, 1));
  lane->addIncoming(next, body);
  build_.CreateCondBr(build_.CreateICmpULT(next, Int(word, access.index_lanes)), body, end);
  build_.SetInsertPoint(end);
}

llvm::Value* FunctionEmitter::Load(const BufferLoad* load) {
  Access access;
  if (!MakeAccess(load->buffer, load->indices, load->predicate, load->range, access))
    return Poison(load);
  if (access.mask == nullptr) return FromMemory(LoadAll(access), load->dtype);
  // One lane after the other. Masked lanes are not accessed and give 0.
  llvm::Type* type = MemoryType(state_.context(), load->dtype);
  llvm::Value* result = llvm::Constant::getNullValue(type);
  llvm::Type* element = MemoryType(state_.context(), access.element);
  const llvm::Align align(static_cast<uint64_t>(access.element.element_bytes()));
  for (int i = 0; i < access.index_lanes; ++i) {
    llvm::Value* test = access.index_lanes == 1
                            ? access.mask
                            : build_.CreateExtractElement(access.mask, static_cast<uint64_t>(i));
    llvm::BasicBlock* begin = build_.GetInsertBlock();
    llvm::BasicBlock* then_block = Block("mask.load");
    llvm::BasicBlock* end = Block("mask.next");
    build_.CreateCondBr(test, then_block, end);
    build_.SetInsertPoint(then_block);
    llvm::Value* loaded = result;
    for (int part = 0; part < access.buffer_lanes; ++part) {
      llvm::Value* value = build_.CreateAlignedLoad(element, Address(access, i, part), align);
      loaded = access.lanes() == 1
                   ? value
                   : build_.CreateInsertElement(
                         loaded, value, static_cast<uint64_t>(i * access.buffer_lanes + part));
    }
    build_.CreateBr(end);
    build_.SetInsertPoint(end);
    llvm::PHINode* phi = build_.CreatePHI(type, 2);
    phi->addIncoming(result, begin);
    phi->addIncoming(loaded, then_block);
    result = phi;
  }
  return FromMemory(result, load->dtype);
}

void FunctionEmitter::Store(const BufferStore* store) {
  Access access;
  llvm::Value* value = ToMemory(Value(store->value), store->value->dtype);
  if (!MakeAccess(store->buffer, store->indices, store->predicate, store->range, access)) return;
  if (access.mask == nullptr) return StoreAll(access, value);
  const llvm::Align align(static_cast<uint64_t>(access.element.element_bytes()));
  for (int i = 0; i < access.index_lanes; ++i) {
    llvm::Value* test = access.index_lanes == 1
                            ? access.mask
                            : build_.CreateExtractElement(access.mask, static_cast<uint64_t>(i));
    llvm::BasicBlock* then_block = Block("mask.store");
    llvm::BasicBlock* end = Block("mask.next");
    build_.CreateCondBr(test, then_block, end);
    build_.SetInsertPoint(then_block);
    for (int part = 0; part < access.buffer_lanes; ++part) {
      llvm::Value* lane = access.lanes() == 1
                              ? value
                              : build_.CreateExtractElement(
                                    value, static_cast<uint64_t>(i * access.buffer_lanes + part));
      build_.CreateAlignedStore(lane, Address(access, i, part), align);
    }
    build_.CreateBr(end);
    build_.SetInsertPoint(end);
  }
}

llvm::Value* FunctionEmitter::AddressOf(const Call* call) {
  if (call->op->kind == OpKind::kTvmAccessPtr) {
    const auto* carrier = dyn_cast<Call>(call->args[0]);
    const DataType element = carrier != nullptr ? carrier->dtype : DataType::UInt(8);
    llvm::Type* type = MemoryType(state_.context(), element.element());
    if (type == nullptr) return Unsupported(call, fmt::format("`{}`", element.ToString()));
    llvm::Value* base = Value(call->args[1]);
    return Element(type, base, Value(call->args[2]), call->args[2]->dtype);
  }
  const auto* load = dyn_cast<BufferLoad>(call->args[0]);
  if (load == nullptr) return Unsupported(call, "the address of something other than an element");
  return ElementAddress(load);
}

llvm::Value* FunctionEmitter::ElementAddress(const Buffer* buffer, Span<const Expr*> indices,
                                             SourceRange range) {
  Access access;
  if (!MakeAccess(buffer, indices, nullptr, range, access))
    return llvm::PoisonValue::get(build_.getPtrTy());
  return Address(access, 0, 0);
}

llvm::AllocaInst* FunctionEmitter::StackArray(llvm::Type* element, int64_t count, int64_t alignment,
                                              std::string_view name) {
  // In the entry block, so that a loop does not allocate in each iteration.
  llvm::BasicBlock& entry = out_->getEntryBlock();
  llvm::IRBuilder<> first(&entry, entry.begin());
  llvm::Type* type =
      llvm::ArrayType::get(element, static_cast<uint64_t>(std::max<int64_t>(count, 1)));
  llvm::AllocaInst* array = first.CreateAlloca(type, nullptr, llvm::StringRef(name));
  array->setAlignment(llvm::Align(static_cast<uint64_t>(alignment)));
  return array;
}

}  // namespace tenon::llvm_lowering
