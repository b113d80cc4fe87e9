#include <algorithm>

#include "fmt/format.h"
#include "ir/loaded_constants.h"
#include "ir/mapped_tensors.h"
#include "ir/memory_pools.h"
#include "lowering/llvm/llvm_internal.h"

// Pools and the functions that an application calls: `<prefix>_run`, and `<prefix>_map_inputs` and
// `_map_outputs` for tensors that lie in pools. Their structs have a pointer a field.

namespace tenon::llvm_lowering {

namespace {

/// An input or output, by its place in its struct.
struct Tensor {
  bool is_output = false;
  int param = -1;  ///< index of the parameter; -1: it lies in a pool
  int pool = -1;
  int64_t offset = 0;
  unsigned field = 0;
};

struct Pool {
  llvm::GlobalVariable* global = nullptr;  ///< of an internal one
  unsigned field = 0;                      ///< of an external one
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
                      [&](const Tensor& t) { return t.is_output == outputs && t.pool >= 0; }))
        Map(outputs);
    }
    if (!loaded_.empty()) Init();
    Run();
  }

 private:
  /// A constant that `<prefix>_init` brings into RAM.
  struct Loaded {
    LoadedConstant constant;
    int pool = -1;         ///< where it goes, in pools_
    int stored_pool = -1;  ///< where it is stored, in pools_; -1: in a global of its own
    llvm::GlobalVariable* stored = nullptr;
  };
  void CollectParams();
  std::vector<std::pair<int64_t, Tensor>> MappedTensors() const;
  Pool MakePool(const PoolArg& arg);
  Blob PoolBlob(const PoolArg& arg) const;
  llvm::Value* Field(llvm::Value* structure, unsigned field) {
    llvm::Value* address = build_.CreateConstInBoundsGEP1_32(word_, structure, field);
    return build_.CreateLoad(word_, address);
  }
  llvm::Value* PoolAddress(int pool, llvm::Value* external) {
    const Pool& of = pools_[static_cast<size_t>(pool)];
    return of.global != nullptr ? of.global : Field(external, of.field);
  }
  bool HasParams(bool outputs) const {
    const bool any = std::any_of(tensors_.begin(), tensors_.end(),
                                 [&](const Tensor& t) { return t.is_output == outputs; });
    return any && std::any_of(tensors_.begin(), tensors_.end(), [&](const Tensor& t) {
             return t.is_output == outputs && t.pool < 0;
           });
  }
  llvm::Function* NewFunction(std::string_view suffix, llvm::Type* result,
                              const std::vector<llvm::Type*>& params);
  void Map(bool outputs);
  int PoolNamed(std::string_view name) const;
  void CollectLoaded();
  llvm::GlobalVariable* StoredGlobal(const LoadedConstant& constant);
  void Init();
  void Load(const Loaded& loaded, llvm::Value* pools);
  void InitBeforeRun(llvm::Value* pools);
  void ReturnIf(llvm::Value* condition, llvm::Value* code);
  void Run();

  ModuleState& state_;
  const Function& entry_;
  llvm::IRBuilder<> build_;
  llvm::Type* word_;
  std::vector<PoolArg> pool_args_;
  std::vector<int> param_tensor_;
  std::vector<int> param_pool_;
  std::vector<Tensor> tensors_;
  std::vector<Pool> pools_;
  unsigned external_pools_ = 0;
  std::vector<Loaded> loaded_;
  llvm::Function* init_ = nullptr;
  llvm::GlobalVariable* is_loaded_ = nullptr;
};

Blob InterfaceEmitter::PoolBlob(const PoolArg& arg) const {
  Blob blob;
  blob.size_bytes = std::max<int64_t>(arg.size_bytes, 0);
  blob.alignment = arg.alignment;
  blob.section = arg.pool.section;
  for (const PooledConstant& constant : arg.pool.constants) {
    const bool fits = constant.data != nullptr && constant.data->has_bytes() &&
                      constant.byte_offset >= 0 &&
                      constant.byte_offset <= arg.size_bytes - constant.data->size_bytes();
    absl::StatusOr<BlobPart> part =
        fits ? PartOf(*constant.data, constant.byte_offset)
             : absl::InvalidArgumentError(
                   fmt::format("constant `{}` of pool `{}` has no data, or does not fit the pool",
                               constant.name, arg.pool.name));
    if (!part.ok()) {
      state_.Error(entry_.func->range, std::string(part.status().message()));
      continue;
    }
    part->name = constant.name;
    blob.parts.push_back(*std::move(part));
  }
  return blob;
}

Pool InterfaceEmitter::MakePool(const PoolArg& arg) {
  Pool pool;
  if (!arg.pool.is_internal) {
    pool.field = external_pools_++;
    return pool;
  }
  const EmitLlvmOptions& options = state_.options;
  const std::string name = fmt::format("{}_{}", options.prefix, SanitizeName(arg.pool.name));
  const auto size = static_cast<size_t>(std::max<int64_t>(arg.size_bytes, 1));
  if (arg.pool.is_constant) {
    Blob blob = PoolBlob(arg);
    blob.name = name;
    pool.global = DefineConstant(state_, std::move(blob));
    return pool;
  }
  llvm::Type* type = llvm::ArrayType::get(build_.getInt8Ty(), size);
  pool.global = new llvm::GlobalVariable(state_.out, type, /*isConstant=*/false,
                                         llvm::GlobalValue::InternalLinkage,
                                         llvm::ConstantAggregateZero::get(type), name);
  const int64_t alignment = std::max(arg.alignment, options.workspace_alignment);
  pool.global->setAlignment(llvm::Align(static_cast<uint64_t>(alignment)));
  SetSection(state_, *pool.global,
             arg.pool.section.empty() ? options.workspace_section : arg.pool.section);
  return pool;
}

std::vector<std::pair<int64_t, Tensor>> InterfaceEmitter::MappedTensors() const {
  std::vector<std::pair<int64_t, Tensor>> all;
  for (const MappedTensor& mapped : ReadMappedTensors(*entry_.func)) {
    Tensor tensor;
    tensor.is_output = mapped.is_output;
    tensor.offset = mapped.offset;
    for (size_t i = 0; i < pool_args_.size(); ++i) {
      const PoolArg& arg = pool_args_[i];
      if (arg.pool.name == mapped.pool && !arg.pool.is_constant &&
          mapped.offset <= arg.size_bytes - mapped.size_bytes)
        tensor.pool = static_cast<int>(i);
    }
    if (tensor.pool < 0) {
      state_.Error(entry_.func->range,
                   fmt::format("`{}` lies in the pool `{}`, but the entry takes no such pool, or "
                               "none as large",
                               mapped.name, mapped.pool));
      continue;
    }
    all.emplace_back(mapped.index, tensor);
  }
  return all;
}

void InterfaceEmitter::CollectParams() {
  const PrimFunc& func = *entry_.func;
  pool_args_ = ReadPoolArgs(func);
  size_t behind = func.params.size();
  if (!pool_args_.empty() && behind > 0 && func.buffers[behind - 1] == nullptr) --behind;
  const size_t first_pool = behind - std::min(behind, pool_args_.size());
  std::vector<Tensor> params;
  for (size_t i = 0; i < func.params.size(); ++i) {
    param_tensor_.push_back(-1);
    param_pool_.push_back(-1);
    if (i >= first_pool && i < behind && !pool_args_.empty()) {
      param_pool_.back() = static_cast<int>(pools_.size());
      pools_.push_back(MakePool(pool_args_[i - first_pool]));
      continue;
    }
    const bool is_scalar = !func.params[i]->dtype.is_handle();
    if (!is_scalar && func.buffers[i] == nullptr && i + 1 == func.params.size() && i > 0)
      continue;  // a resource handle
    Tensor tensor;
    tensor.param = static_cast<int>(i);
    tensor.is_output = state_.effects.Of(entry_).params[i].writes && !is_scalar;
    params.push_back(tensor);
  }
  tensors_ = InOrderOfParams(std::move(params), MappedTensors());
  unsigned fields[2] = {};
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Tensor& tensor = tensors_[i];
    tensor.field = fields[tensor.is_output ? 1 : 0]++;
    if (tensor.param >= 0) param_tensor_[static_cast<size_t>(tensor.param)] = static_cast<int>(i);
  }
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

/// C returns small structs in registers and others through a hidden pointer; how small is said by
/// the target.
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
    if (fields[i]->pool >= 0) {
      value = build_.CreateInBoundsGEP(
          build_.getInt8Ty(), PoolAddress(fields[i]->pool, pools),
          llvm::ConstantInt::get(state_.WordType(), static_cast<uint64_t>(fields[i]->offset)));
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

int InterfaceEmitter::PoolNamed(std::string_view name) const {
  for (size_t i = 0; i < pool_args_.size() && i < pools_.size(); ++i) {
    if (pool_args_[i].pool.name == name) return static_cast<int>(i);
  }
  return -1;
}

void InterfaceEmitter::CollectLoaded() {
  for (LoadedConstant& constant : ReadLoadedConstants(*entry_.func)) {
    Loaded loaded;
    loaded.pool = PoolNamed(constant.pool);
    const int64_t room =
        loaded.pool < 0 ? -1 : pool_args_[static_cast<size_t>(loaded.pool)].size_bytes;
    const bool fits = constant.size_bytes <= room && constant.offset <= room - constant.size_bytes;
    bool is_stored = constant.stored->has_bytes();
    if (is_stored && !constant.stored_pool.empty()) {
      loaded.stored_pool = PoolNamed(constant.stored_pool);
      is_stored = loaded.stored_pool >= 0;
    }
    if (!fits || !is_stored ||
        (constant.codec.empty() && constant.stored->size_bytes() != constant.size_bytes)) {
      state_.Error(entry_.func->range,
                   fmt::format("constant `{}` cannot be loaded into pool `{}`: it has no data, or "
                               "the pools are not what the attribute `{}` says",
                               constant.name, constant.pool, kLoadedConstantsKey));
      continue;
    }
    if (loaded.stored_pool < 0) loaded.stored = StoredGlobal(constant);
    loaded.constant = std::move(constant);
    loaded_.push_back(std::move(loaded));
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
  blob.section = constant.stored->placement().section;
  blob.parts.push_back(*std::move(part));
  return DefineConstant(state_, std::move(blob));
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
  if (loaded.stored_pool >= 0)
    from = at(PoolAddress(loaded.stored_pool, pools), constant.stored_offset);
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

/// `<prefix>_init`, and what it has done.
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
  build_.CreateRet(build_.getInt32(0));
}

/// Pools of the caller are filled when he says so, others by the first run.
void InterfaceEmitter::InitBeforeRun(llvm::Value* pools) {
  const bool callers = std::any_of(loaded_.begin(), loaded_.end(), [&](const Loaded& loaded) {
    return !pool_args_[static_cast<size_t>(loaded.pool)].pool.is_internal;
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
  if (!loaded_.empty()) InitBeforeRun(pools);
  std::vector<llvm::Value*> args;
  for (size_t i = 0; i < func.params.size(); ++i) {
    llvm::Value* value = llvm::Constant::getNullValue(word_);
    if (param_tensor_[i] >= 0) {
      const Tensor& tensor = tensors_[static_cast<size_t>(param_tensor_[i])];
      value = Field(tensor.is_output ? outputs : inputs, tensor.field);
      if (!func.params[i]->dtype.is_handle())
        value = build_.CreateLoad(MemoryType(state_.context(), func.params[i]->dtype), value);
    } else if (param_pool_[i] >= 0) {
      value = PoolAddress(param_pool_[i], pools);
    }
    args.push_back(value);
  }
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
