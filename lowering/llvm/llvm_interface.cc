#include <algorithm>

#include "fmt/format.h"
#include "ir/analysis/constant_section.h"
#include "ir/analysis/entry_signature.h"
#include "ir/external_code.h"
#include "lowering/big_endian.h"
#include "lowering/llvm/llvm_internal.h"
#include "support/check.h"

// Pools and the functions that an application calls: `<prefix>_run`, and `<prefix>_map_inputs` and
// `_map_outputs` for tensors that lie in pools. Each field of their structs is a pointer.

namespace tenon::llvm_lowering {

namespace {

/// An input or output, and its place in its struct.
struct Tensor : EntryTensor {
  unsigned field = 0;
};

struct Pool {
  llvm::GlobalVariable* global = nullptr;  ///< for an internal pool
  unsigned field = 0;                      ///< for a caller-owned pool
};

class InterfaceEmitter {
 public:
  InterfaceEmitter(ModuleState& state, const Function& entry)
      : state_(state), entry_(entry), build_(state.context()), word_(build_.getPtrTy()) {}

  void Emit() {
    CollectParams();
    CollectLoaded();
    for (const bool outputs : {false, true}) {
      if (std::any_of(tensors_.begin(), tensors_.end(),
                      [&](const Tensor& t) { return t.is_output == outputs && t.place; }))
        Map(outputs);
    }
    if (!inits_.empty()) InitExternals();
    if (!loaded_.empty() || !inits_.empty()) Init();
    Run();
  }

 private:
  /// A constant that `<prefix>_init` loads into RAM.
  struct Loaded : PlacedLoad {
    llvm::GlobalVariable* stored = nullptr;  ///< its stored bytes, if they are in no pool
  };
  void CollectParams();
  Pool MakePool(const PoolArg& arg);
  Blob PoolBlob(const PoolArg& arg) const;
  llvm::Value* Field(llvm::Value* structure, unsigned field) {
    TENON_CHECK(structure != nullptr);
    llvm::Value* address = build_.CreateConstInBoundsGEP1_32(word_, structure, field);
    return build_.CreateLoad(word_, address);
  }
  llvm::Value* PoolAddress(size_t pool, llvm::Value* external) {
    TENON_CHECK(pool < pools_.size());
    const Pool& of = pools_[pool];
    return of.global != nullptr ? of.global : Field(external, of.field);
  }
  bool HasParams(bool outputs) const {
    return std::any_of(tensors_.begin(), tensors_.end(),
                       [&](const Tensor& t) { return t.is_output == outputs && !t.place; });
  }
  llvm::Function* NewFunction(std::string_view suffix, llvm::Type* result,
                              const std::vector<llvm::Type*>& params);
  void Map(bool outputs);
  void CollectLoaded();
  void CheckLoadedOrder();
  llvm::GlobalVariable* StoredGlobal(const LoadedConstant& constant);
  void InitExternals();
  void Init();
  void Load(const Loaded& loaded, llvm::Value* pools);
  void InitBeforeRun(llvm::Value* pools);
  void ReturnIf(llvm::Value* condition, llvm::Value* code);
  void Run();

  ModuleState& state_;
  const Function& entry_;
  llvm::IRBuilder<> build_;
  llvm::Type* word_;
  EntrySignature signature_;
  std::vector<Tensor> tensors_;
  std::vector<Pool> pools_;
  unsigned external_pools_ = 0;
  std::vector<Loaded> loaded_;
  /// Calls before the first run, which fill the states of external functions.
  std::vector<ExternalInit> inits_;
  llvm::Function* init_externals_ = nullptr;
  llvm::Function* init_ = nullptr;
  llvm::GlobalVariable* is_loaded_ = nullptr;
};

Blob InterfaceEmitter::PoolBlob(const PoolArg& arg) const {
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

Pool InterfaceEmitter::MakePool(const PoolArg& arg) {
  Pool pool;
  if (const std::string error = SectionError(arg.pool); !error.empty())
    state_.Error(entry_.func->range, error);
  if (!arg.pool.is_internal) {
    pool.field = external_pools_++;
    if (arg.pool.is_constant && !state_.layout().isLittleEndian() &&
        !IsSameInBigEndian(PoolBlob(arg).parts)) {
      state_.Error(
          entry_.func->range,
          fmt::format(
              "the caller-owned constant pool `{}` is little-endian, but the target is big-endian",
              arg.pool.name));
    }
    return pool;
  }
  const EmitLlvmOptions& options = state_.options;
  const std::string name = fmt::format("{}_{}", options.prefix, SanitizeName(arg.pool.name));
  const auto size = static_cast<size_t>(std::max<int64_t>(arg.size_bytes, 1));
  if (arg.pool.is_constant) {
    Blob blob = PoolBlob(arg);
    blob.name = name;
    pool.global = DefineConstant(state_, std::move(blob), entry_.func->range);
    return pool;
  }
  llvm::Type* type = llvm::ArrayType::get(build_.getInt8Ty(), size);
  pool.global = new llvm::GlobalVariable(state_.out, type, /*isConstant=*/false,
                                         llvm::GlobalValue::InternalLinkage,
                                         llvm::ConstantAggregateZero::get(type), name);
  const int64_t alignment = std::max(arg.alignment, options.workspace_alignment);
  pool.global->setAlignment(llvm::Align(static_cast<uint64_t>(alignment)));
  SetSection(state_, *pool.global,
             SectionFor(state_, arg.pool.section, options.workspace_section, entry_.func->range));
  return pool;
}

void InterfaceEmitter::CollectParams() {
  signature_ = ReadEntrySignature(entry_, state_.effects.Of(entry_), [&](std::string message) {
    state_.Error(entry_.func->range, std::move(message));
  });
  for (const PoolArg& arg : signature_.pools) pools_.push_back(MakePool(arg));
  unsigned fields[2] = {};
  for (const EntryTensor& tensor : signature_.tensors)
    tensors_.push_back({tensor, fields[tensor.is_output ? 1 : 0]++});
}

llvm::Function* InterfaceEmitter::NewFunction(std::string_view suffix, llvm::Type* result,
                                              const std::vector<llvm::Type*>& params) {
  llvm::Function* function =
      llvm::Function::Create(llvm::FunctionType::get(result, params, /*isVarArg=*/false),
                             llvm::GlobalValue::ExternalLinkage,
                             fmt::format("{}_{}", state_.options.prefix, suffix), state_.out);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  build_.SetInsertPoint(llvm::BasicBlock::Create(state_.context(), "entry", function));
  return function;
}

/// C returns small structs in registers and others through a hidden pointer. The target defines the
/// limit.
void InterfaceEmitter::Map(bool outputs) {
  std::vector<const Tensor*> fields;
  for (const Tensor& tensor : tensors_) {
    if (tensor.is_output == outputs) fields.push_back(&tensor);
  }
  const llvm::Triple triple(state_.out.getTargetTriple());
  const bool one = triple.isOSWindows() || triple.isARM() || triple.isThumb();
  const size_t in_registers = triple.getArch() == llvm::Triple::x86 ? 0 : one ? 1 : 2;
  const bool hidden = fields.size() > in_registers;
  const std::vector<llvm::Type*> words(fields.size(), word_);
  llvm::StructType* type = llvm::StructType::get(state_.context(), words);
  std::vector<llvm::Type*> params;
  if (hidden) params.push_back(word_);
  if (external_pools_ > 0) params.push_back(word_);
  llvm::Function* function = NewFunction(outputs ? "map_outputs" : "map_inputs",
                                         hidden               ? build_.getVoidTy()
                                         : fields.size() == 1 ? word_
                                                              : type,
                                         params);
  if (hidden)
    function->addParamAttr(0, llvm::Attribute::getWithStructRetType(state_.context(), type));
  llvm::Value* pools = external_pools_ > 0 ? function->getArg(hidden ? 1 : 0) : nullptr;
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < fields.size(); ++i) {
    llvm::Value* value = llvm::Constant::getNullValue(word_);
    if (const std::optional<EntryTensor::Place>& place = fields[i]->place) {
      value = build_.CreateInBoundsGEP(
          build_.getInt8Ty(), PoolAddress(place->pool, pools),
          llvm::ConstantInt::get(state_.WordType(), static_cast<uint64_t>(place->offset)));
    }
    if (hidden) {
      build_.CreateStore(value, build_.CreateConstInBoundsGEP1_32(word_, function->getArg(0), i));
    } else {
      result = fields.size() == 1 ? value : build_.CreateInsertValue(result, value, {i});
    }
  }
  if (hidden) {
    build_.CreateRetVoid();
  } else {
    build_.CreateRet(result);
  }
}

void InterfaceEmitter::CollectLoaded() {
  std::vector<PlacedLoad> loads = ReadPlacedLoads(signature_, [&](std::string message) {
    state_.Error(entry_.func->range, std::move(message));
  });
  for (PlacedLoad& load : loads) {
    Loaded loaded{std::move(load)};
    if (!loaded.stored_pool) loaded.stored = StoredGlobal(loaded.constant);
    loaded_.push_back(std::move(loaded));
  }
  if (!state_.layout().isLittleEndian()) CheckLoadedOrder();
  inits_ = ReadExternalInits(*entry_.func);
}

/// Loading does not change the byte order of constants, so all readers must accept the stored
/// order.
void InterfaceEmitter::CheckLoadedOrder() {
  for (size_t pool = 0; pool < pools_.size(); ++pool) {
    Blob blob;
    for (const Loaded& loaded : loaded_) {
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

llvm::GlobalVariable* InterfaceEmitter::StoredGlobal(const LoadedConstant& constant) {
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

void InterfaceEmitter::ReturnIf(llvm::Value* condition, llvm::Value* code) {
  llvm::Function* function = build_.GetInsertBlock()->getParent();
  auto* leave = llvm::BasicBlock::Create(state_.context(), "leave", function);
  auto* next = llvm::BasicBlock::Create(state_.context(), "next", function);
  build_.CreateCondBr(condition, leave, next);
  build_.SetInsertPoint(leave);
  build_.CreateRet(code);
  build_.SetInsertPoint(next);
}

void InterfaceEmitter::Load(const Loaded& loaded, llvm::Value* pools) {
  const LoadedConstant& constant = loaded.constant;
  llvm::IntegerType* word = state_.WordType();
  const auto at = [&](llvm::Value* base, int64_t offset) {
    return build_.CreateInBoundsGEP(build_.getInt8Ty(), base,
                                    llvm::ConstantInt::get(word, static_cast<uint64_t>(offset)));
  };
  llvm::Value* to = at(PoolAddress(loaded.pool, pools), constant.offset);
  llvm::Value* from = loaded.stored;
  if (loaded.stored_pool)
    from = at(PoolAddress(*loaded.stored_pool, pools), constant.stored_offset);
  llvm::Value* size = llvm::ConstantInt::get(word, static_cast<uint64_t>(constant.size_bytes));
  if (constant.codec.empty()) {
    build_.CreateMemCpy(to, llvm::MaybeAlign(), from, llvm::MaybeAlign(), size);
    return;
  }
  llvm::Value* stored =
      llvm::ConstantInt::get(word, static_cast<uint64_t>(constant.stored->size_bytes()));
  llvm::Value* failed = nullptr;
  if (constant.codec == "lz4") {
    failed = build_.CreateICmpNE(build_.CreateCall(Lz4Decoder(state_), {from, stored, to, size}),
                                 build_.getInt32(0));
  } else {
    llvm::FunctionCallee zstd = state_.out.getOrInsertFunction(
        "ZSTD_decompress", llvm::FunctionType::get(word, {word_, word, word_, word}, false));
    failed = build_.CreateICmpNE(build_.CreateCall(zstd, {to, size, from, stored}), size);
  }
  ReturnIf(failed, build_.getInt32(static_cast<uint32_t>(-3)));
}

/// `<prefix>_init_externals`: makes the calls that fill states exactly once, in the first thread.
/// Its flag is 0 before the calls, 1 during them, and 2 after them.
void InterfaceEmitter::InitExternals() {
  llvm::IntegerType* number = build_.getInt32Ty();
  auto* flag = new llvm::GlobalVariable(state_.out, number, /*isConstant=*/false,
                                        llvm::GlobalValue::InternalLinkage, build_.getInt32(0),
                                        fmt::format("{}_externals_state", state_.options.prefix));
  init_externals_ = NewFunction("init_externals", number, {});
  init_externals_->setLinkage(llvm::GlobalValue::InternalLinkage);
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(state_.context(), name, init_externals_);
  };
  auto* claim = block("claim");
  auto* wait = block("wait");
  auto* ready = block("ready");
  auto* begin = block("begin");
  build_.CreateBr(claim);
  build_.SetInsertPoint(claim);
  llvm::Value* pair =
      build_.CreateAtomicCmpXchg(flag, build_.getInt32(0), build_.getInt32(1), llvm::MaybeAlign(4),
                                 llvm::AtomicOrdering::Acquire, llvm::AtomicOrdering::Acquire);
  build_.CreateCondBr(build_.CreateExtractValue(pair, 1), begin, wait);
  build_.SetInsertPoint(wait);
  llvm::Value* is_ready =
      build_.CreateICmpEQ(build_.CreateExtractValue(pair, 0), build_.getInt32(2));
  build_.CreateCondBr(is_ready, ready, claim);
  build_.SetInsertPoint(ready);
  build_.CreateRet(build_.getInt32(0));
  build_.SetInsertPoint(begin);
  const auto leave = [&](llvm::Value* result, uint32_t state) {
    build_.CreateAlignedStore(build_.getInt32(state), flag, llvm::MaybeAlign(4))
        ->setAtomic(llvm::AtomicOrdering::Release);
    build_.CreateRet(result);
  };
  const std::optional<size_t> pool = signature_.PoolNamed(kStatePool);
  for (const ExternalInit& init : inits_) {
    llvm::Value* state = llvm::Constant::getNullValue(word_);
    if (init.bytes > 0 && pool) {
      state = build_.CreateInBoundsGEP(
          build_.getInt8Ty(), PoolAddress(*pool, nullptr),
          llvm::ConstantInt::get(state_.WordType(), static_cast<uint64_t>(init.offset)));
    }
    llvm::FunctionCallee callee = state_.out.getOrInsertFunction(
        init.symbol, llvm::FunctionType::get(number, {word_, build_.getInt64Ty()}, false));
    llvm::Value* result =
        build_.CreateCall(callee, {state, build_.getInt64(static_cast<uint64_t>(init.bytes))});
    auto* failed = block("failed");
    auto* next = block("next");
    build_.CreateCondBr(build_.CreateICmpNE(result, build_.getInt32(0)), failed, next);
    build_.SetInsertPoint(failed);
    leave(result, 0);
    build_.SetInsertPoint(next);
  }
  leave(build_.getInt32(0), 2);
}

/// `<prefix>_init`, and the flag that it has run.
void InterfaceEmitter::Init() {
  is_loaded_ = new llvm::GlobalVariable(state_.out, build_.getInt32Ty(), /*isConstant=*/false,
                                        llvm::GlobalValue::InternalLinkage, build_.getInt32(0),
                                        fmt::format("{}_is_loaded", state_.options.prefix));
  std::vector<llvm::Type*> params;
  if (external_pools_ > 0) params.push_back(word_);
  init_ = NewFunction("init", build_.getInt32Ty(), params);
  llvm::Value* pools = external_pools_ > 0 ? init_->getArg(0) : nullptr;
  for (const Loaded& loaded : loaded_) Load(loaded, pools);
  build_.CreateStore(build_.getInt32(1), is_loaded_);
  build_.CreateRet(init_externals_ == nullptr ? llvm::cast<llvm::Value>(build_.getInt32(0))
                                              : build_.CreateCall(init_externals_));
}

/// If constants go to caller-owned pools, a run fails with -2 until the caller has called
/// `<prefix>_init`. Otherwise the first run calls it.
void InterfaceEmitter::InitBeforeRun(llvm::Value* pools) {
  TENON_CHECK(init_ != nullptr && is_loaded_ != nullptr);
  const bool callers = std::any_of(loaded_.begin(), loaded_.end(), [&](const Loaded& loaded) {
    return !signature_.pools[loaded.pool].pool.is_internal;
  });
  llvm::Value* missing =
      build_.CreateICmpEQ(build_.CreateLoad(build_.getInt32Ty(), is_loaded_), build_.getInt32(0));
  if (callers) return ReturnIf(missing, build_.getInt32(static_cast<uint32_t>(-2)));
  llvm::Function* function = build_.GetInsertBlock()->getParent();
  auto* load = llvm::BasicBlock::Create(state_.context(), "load", function);
  auto* ready = llvm::BasicBlock::Create(state_.context(), "ready", function);
  build_.CreateCondBr(missing, load, ready);
  build_.SetInsertPoint(load);
  llvm::Value* result =
      pools == nullptr ? build_.CreateCall(init_) : build_.CreateCall(init_, {pools});
  ReturnIf(build_.CreateICmpNE(result, build_.getInt32(0)), result);
  build_.CreateBr(ready);
  build_.SetInsertPoint(ready);
}

void InterfaceEmitter::Run() {
  const PrimFunc& func = *entry_.func;
  llvm::Function* callee = state_.functions.at(entry_.name);
  std::vector<llvm::Type*> params;
  if (HasParams(false)) params.push_back(word_);
  if (HasParams(true)) params.push_back(word_);
  if (external_pools_ > 0) params.push_back(word_);
  llvm::Function* run = NewFunction("run", build_.getInt32Ty(), params);
  unsigned next = 0;
  llvm::Value* inputs = HasParams(false) ? run->getArg(next++) : nullptr;
  llvm::Value* outputs = HasParams(true) ? run->getArg(next++) : nullptr;
  llvm::Value* pools = external_pools_ > 0 ? run->getArg(next++) : nullptr;
  if (init_externals_ != nullptr) {
    llvm::Value* result = build_.CreateCall(init_externals_);
    ReturnIf(build_.CreateICmpNE(result, build_.getInt32(0)), result);
  }
  if (!loaded_.empty()) InitBeforeRun(pools);
  std::vector<llvm::Value*> args(func.params.size(), llvm::Constant::getNullValue(word_));
  for (const Tensor& tensor : tensors_) {
    if (tensor.place) continue;
    TENON_CHECK(tensor.param < args.size());
    llvm::Value*& arg = args[tensor.param];
    arg = Field(tensor.is_output ? outputs : inputs, tensor.field);
    if (tensor.is_scalar) arg = build_.CreateLoad(MemoryType(state_.context(), tensor.dtype), arg);
  }
  for (size_t i = 0; i < pools_.size(); ++i)
    args[signature_.pool_params[i]] = PoolAddress(i, pools);
  TENON_CHECK(callee != nullptr && signature_.pool_params.size() == pools_.size());
  llvm::CallInst* call = build_.CreateCall(callee, args);
  call->setAttributes(callee->getAttributes());
  llvm::Value* result = call;
  if (result->getType() != build_.getInt32Ty()) {
    result = result->getType()->isIntegerTy()
                 ? build_.CreateIntCast(result, build_.getInt32Ty(), /*isSigned=*/true)
                 : build_.getInt32(0);
  }
  build_.CreateRet(result);
}

}  // namespace

void EmitInterface(ModuleState& state, const Function& entry) {
  InterfaceEmitter(state, entry).Emit();
}

}  // namespace tenon::llvm_lowering
