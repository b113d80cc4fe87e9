// Entry functions in LLVM: the data that they refer to, the structs that they return by value, and
// their builtins. LLVM does not know C's rules for structs, so these are written here for each
// target.

#include <algorithm>

#include "fmt/format.h"
#include "ir/analysis/constant_section.h"
#include "ir/builtins.h"
#include "lowering/big_endian.h"
#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

/// Defines the data of an entry.
class DataEmitter {
 public:
  DataEmitter(ModuleState& state, const Function& entry)
      : state_(state), entry_(entry), build_(state.context()) {}

  EntryData Emit() {
    model_ = ReadModelEntry(entry_, state_.effects.Of(entry_), [&](std::string message) {
      state_.Error(entry_.func->range, std::move(message));
    });
    for (const PoolArg& arg : model_.signature.pools) {
      if (llvm::GlobalVariable* pool = PoolGlobal(arg)) data_.pools[arg.pool.name] = pool;
    }
    for (const PlacedLoad& load : model_.loads)
      data_.stored.push_back(load.stored_pool ? nullptr : StoredGlobal(load.constant));
    if (!state_.layout().isLittleEndian()) CheckLoadedOrder();
    if (!model_.inits.empty()) AddFlag(entry_data::kExternalsState);
    if (!model_.loads.empty()) AddFlag(entry_data::kIsLoaded);
    if (model_.feed) AddFlag(entry_data::kFedRows);
    return std::move(data_);
  }

 private:
  Blob PoolBlob(const PoolArg& arg) const;
  /// Null for a pool that the caller owns.
  llvm::GlobalVariable* PoolGlobal(const PoolArg& arg);
  void CheckLoadedOrder();
  llvm::GlobalVariable* StoredGlobal(const LoadedConstant& constant);
  void AddFlag(std::string_view name) {
    llvm::IntegerType* number = build_.getInt32Ty();
    data_.flags[std::string(name)] = new llvm::GlobalVariable(
        state_.out, number, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
        llvm::ConstantInt::get(number, 0), fmt::format("{}_{}", state_.options.prefix, name));
  }

  ModuleState& state_;
  const Function& entry_;
  llvm::IRBuilder<> build_;
  ModelEntry model_;
  EntryData data_;
};

Blob DataEmitter::PoolBlob(const PoolArg& arg) const {
  Blob blob;
  blob.size_bytes = std::max<int64_t>(arg.size_bytes, 0);
  blob.alignment = arg.alignment;
  blob.section = arg.pool.section;
  absl::StatusOr<std::vector<BlobPart>> parts = PartsOf(arg);
  if (parts.ok()) {
    blob.parts = *std::move(parts);
  } else {
    state_.Error(entry_.func->range, std::string(parts.status().message()));
  }
  return blob;
}

llvm::GlobalVariable* DataEmitter::PoolGlobal(const PoolArg& arg) {
  if (const std::string error = SectionError(arg.pool); !error.empty())
    state_.Error(entry_.func->range, error);
  if (!arg.pool.is_internal) {
    if (arg.pool.is_constant && !state_.layout().isLittleEndian() &&
        !IsSameInBigEndian(PoolBlob(arg).parts)) {
      state_.Error(
          entry_.func->range,
          fmt::format(
              "the caller-owned constant pool `{}` is little-endian, but the target is big-endian",
              arg.pool.name));
    }
    return nullptr;
  }
  const EmitLlvmOptions& options = state_.options;
  const std::string name = fmt::format("{}_{}", options.prefix, SanitizeName(arg.pool.name));
  const auto size = static_cast<size_t>(std::max<int64_t>(arg.size_bytes, 1));
  if (arg.pool.is_constant) {
    Blob blob = PoolBlob(arg);
    blob.name = name;
    return DefineConstant(state_, std::move(blob), entry_.func->range);
  }
  llvm::Type* type = llvm::ArrayType::get(build_.getInt8Ty(), size);
  auto* pool = new llvm::GlobalVariable(state_.out, type, /*isConstant=*/false,
                                        llvm::GlobalValue::InternalLinkage,
                                        llvm::ConstantAggregateZero::get(type), name);
  const int64_t alignment = std::max(arg.alignment, options.workspace_alignment);
  pool->setAlignment(llvm::Align(static_cast<uint64_t>(alignment)));
  SetSection(state_, *pool,
             SectionFor(state_, arg.pool.section, options.workspace_section, entry_.func->range));
  return pool;
}

/// Loading does not change the byte order of constants, so all readers must accept the stored
/// order.
void DataEmitter::CheckLoadedOrder() {
  for (size_t pool = 0; pool < model_.signature.pools.size(); ++pool) {
    Blob blob;
    for (const PlacedLoad& loaded : model_.loads) {
      const LoadedConstant& constant = loaded.constant;
      if (loaded.pool != pool) continue;
      absl::StatusOr<BlobPart> part = PartOf(*constant.stored, constant.offset);
      if (!part.ok()) continue;
      if (!constant.codec.empty()) {
        state_.Error(
            entry_.func->range,
            fmt::format(
                "constant `{}` is compressed in little-endian form, but the target is big-endian",
                constant.name));
        continue;
      }
      part->name = constant.name;
      blob.size_bytes = std::max(blob.size_bytes, part->offset + part->size_bytes);
      blob.parts.push_back(*std::move(part));
    }
    const absl::Status status = BigEndianBytes(blob).status();
    if (!status.ok()) state_.Error(entry_.func->range, std::string(status.message()));
  }
}

llvm::GlobalVariable* DataEmitter::StoredGlobal(const LoadedConstant& constant) {
  Blob blob;
  blob.name = fmt::format("{}_{}_stored", state_.options.prefix, SanitizeName(constant.name));
  absl::StatusOr<BlobPart> part = PartOf(*constant.stored, 0);
  if (!part.ok()) {
    state_.Error(entry_.func->range, std::string(part.status().message()));
    return nullptr;
  }
  blob.dtype = part->dtype.element();
  blob.size_bytes = part->size_bytes;
  blob.section = SectionOf(*constant.stored);
  blob.parts.push_back(*std::move(part));
  return DefineConstant(state_, std::move(blob), constant.stored->range());
}

/// C returns small structs in registers and others through a hidden pointer. The target defines the
/// limit.
bool ReturnsInRegisters(const ModuleState& state, size_t fields) {
  const llvm::Triple triple(state.out.getTargetTriple());
  const bool one = triple.isOSWindows() || triple.isARM() || triple.isThumb();
  return fields <= (triple.getArch() == llvm::Triple::x86 ? 0U : one ? 1U : 2U);
}

/// The number of fields that a map function sets.
size_t CountFields(const Function& function) {
  size_t count = 0;
  Walk(function.func->body, [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    if (call != nullptr && call->op->kind == OpKind::kSetEntryField) ++count;
    return true;
  });
  return count;
}

/// The type of the struct that a map function returns.
llvm::StructType* MappedType(llvm::LLVMContext& context, size_t fields) {
  const std::vector<llvm::Type*> words(fields, llvm::PointerType::get(context, 0));
  return llvm::StructType::get(context, words);
}

}  // namespace

bool ReturnsStruct(const ModuleState& state, const Function& function) {
  if (!state.options.returns_structs) return false;
  const std::string_view role = EntryFunctionOf(function);
  return role == entry_function::kMapInputs || role == entry_function::kMapOutputs;
}

EntryData DefineEntryData(ModuleState& state, const Function& entry) {
  return DataEmitter(state, entry).Emit();
}

/// The first parameter of a map function is the struct that the code returns by value.
llvm::Function* FunctionEmitter::DeclareMap(ModuleState& state, const Function& function,
                                            const std::string& name) {
  llvm::LLVMContext& context = state.context();
  llvm::Type* word = llvm::PointerType::get(context, 0);
  const size_t fields = CountFields(function);
  llvm::StructType* type = MappedType(context, fields);
  const bool in_registers = ReturnsInRegisters(state, fields);
  std::vector<llvm::Type*> params(function.func->params.size(), word);
  if (in_registers) params.pop_back();
  llvm::Type* result = !in_registers ? llvm::Type::getVoidTy(context)
                       : fields == 1 ? word
                                     : static_cast<llvm::Type*>(type);
  llvm::Function* out =
      llvm::Function::Create(llvm::FunctionType::get(result, params, /*isVarArg=*/false),
                             llvm::GlobalValue::ExternalLinkage, name, state.out);
  out->addFnAttr(llvm::Attribute::NoUnwind);
  if (!in_registers) out->addParamAttr(0, llvm::Attribute::getWithStructRetType(context, type));
  return out;
}

void FunctionEmitter::EmitMap() {
  const PrimFunc& func = *function_.func;
  const size_t fields = CountFields(function_);
  llvm::StructType* type = MappedType(state_.context(), fields);
  const bool in_registers = ReturnsInRegisters(state_, fields);
  state_.debug.Begin(*out_, func.range);
  build_.SetInsertPoint(Block("entry"));
  state_.debug.At(build_, func.range);
  llvm::Value* mapped =
      in_registers ? static_cast<llvm::Value*>(build_.CreateAlloca(type)) : out_->getArg(0);
  values_[func.params[0]] = mapped;
  for (unsigned i = 1; i < func.params.size(); ++i)
    values_[func.params[i]] = out_->getArg(in_registers ? i - 1 : i);
  Statement(func.body);
  if (in_registers) {
    build_.CreateRet(build_.CreateLoad(out_->getReturnType(), mapped));
  } else {
    build_.CreateRetVoid();
  }
}

llvm::Value* FunctionEmitter::EntryField(const Call* call) {
  const int64_t* field = AsIntImm(call->args[1]);
  if (field == nullptr || *field < 0 || *field > kMostEntryFields)
    return Unsupported(call, "a field without a constant number");
  llvm::Type* word = build_.getPtrTy();
  llvm::Value* address =
      build_.CreateConstInBoundsGEP1_32(word, Value(call->args[0]), static_cast<unsigned>(*field));
  if (call->op->kind == OpKind::kEntryField) return build_.CreateLoad(word, address);
  build_.CreateStore(Value(call->args[2]), address);
  return build_.getInt32(0);
}

llvm::Value* FunctionEmitter::EntryDataOf(const Call* call) {
  const auto* kind = dyn_cast<StringImm>(call->args[0]);
  const auto* name = dyn_cast<StringImm>(call->args[1]);
  const int64_t* index = AsIntImm(call->args[1]);
  llvm::GlobalVariable* data = nullptr;
  if (kind != nullptr && name != nullptr) {
    const auto& globals =
        kind->value == entry_data::kPool ? state_.entry.pools : state_.entry.flags;
    const auto found = globals.find(std::string(name->value));
    if (found != globals.end()) data = found->second;
  } else if (kind != nullptr && index != nullptr && *index >= 0 &&
             static_cast<size_t>(*index) < state_.entry.stored.size()) {
    data = state_.entry.stored[static_cast<size_t>(*index)];
  }
  if (data != nullptr) return data;
  return Unsupported(call, "data that the module's entry does not have");
}

llvm::Value* FunctionEmitter::CopyBytes(const Call* call) {
  llvm::Value* to = Value(call->args[0]);
  llvm::Value* from = Value(call->args[1]);
  build_.CreateMemCpy(to, llvm::MaybeAlign(), from, llvm::MaybeAlign(), Size(call->args[2]));
  return build_.getInt32(0);
}

llvm::Value* FunctionEmitter::Size(const Expr* expr) {
  return build_.CreateIntCast(Value(expr), state_.WordType(), /*isSigned=*/true);
}

llvm::Value* FunctionEmitter::ZstdDecompress(const Call* call) {
  llvm::Type* pointer = build_.getPtrTy();
  llvm::IntegerType* word = state_.WordType();
  llvm::FunctionCallee zstd = state_.out.getOrInsertFunction(
      "ZSTD_decompress", llvm::FunctionType::get(word, {pointer, word, pointer, word}, false));
  llvm::Value* to = Value(call->args[0]);
  llvm::Value* size = Size(call->args[1]);
  llvm::Value* from = Value(call->args[2]);
  llvm::Value* made = build_.CreateCall(zstd, {to, size, from, Size(call->args[3])});
  return build_.CreateSExt(build_.CreateICmpNE(made, size), build_.getInt32Ty());
}

llvm::Value* FunctionEmitter::Atomic(const Call* call) {
  constexpr uint64_t kAlignment = 4;
  llvm::Value* flag = Value(call->args[0]);
  llvm::Value* value = Value(call->args[1]);
  if (call->op->kind == OpKind::kAtomicStore) {
    build_.CreateAlignedStore(value, flag, llvm::MaybeAlign(kAlignment))
        ->setAtomic(llvm::AtomicOrdering::Release);
    return build_.getInt32(0);
  }
  llvm::Value* pair =
      build_.CreateAtomicCmpXchg(flag, value, Value(call->args[2]), llvm::MaybeAlign(kAlignment),
                                 llvm::AtomicOrdering::Acquire, llvm::AtomicOrdering::Acquire);
  return build_.CreateExtractValue(pair, 0);
}

}  // namespace tenon::llvm_lowering
