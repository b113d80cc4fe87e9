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
    if (!ReadLoadedConstants(*entry_.func).empty()) {
      state_.Error(entry_.func->range,
                   "LLVM code cannot bring constants into RAM yet, as `load` of them asks for");
    }
    CollectParams();
    for (const bool outputs : {false, true}) {
      if (std::any_of(tensors_.begin(), tensors_.end(),
                      [&](const Tensor& t) { return t.is_output == outputs && t.pool >= 0; }))
        Map(outputs);
    }
    Run();
  }

 private:
  void CollectParams();
  std::vector<std::pair<int64_t, Tensor>> MappedTensors() const;
  Pool MakePool(const PoolArg& arg);
  void FillPool(const PoolArg& arg, std::vector<uint8_t>& bytes) const;
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
};

void InterfaceEmitter::FillPool(const PoolArg& arg, std::vector<uint8_t>& bytes) const {
  for (const PooledConstant& constant : arg.pool.constants) {
    const bool fits = constant.data != nullptr && constant.data->has_bytes() &&
                      constant.byte_offset >= 0 &&
                      constant.byte_offset <= arg.size_bytes - constant.data->size_bytes();
    if (!fits) {
      state_.Error(entry_.func->range,
                   fmt::format("constant `{}` of pool `{}` has no data, or does not fit the pool",
                               constant.name, arg.pool.name));
      continue;
    }
    const std::span<const uint8_t> data = *constant.data->Bytes();
    const auto to = bytes.begin() + constant.byte_offset;
    std::copy(data.begin(), data.end(), to);
    if (state_.layout().isLittleEndian()) continue;
    const int64_t width = std::max<int64_t>(constant.data->dtype().element_bytes(), 1);
    for (int64_t at = 0; at + width <= static_cast<int64_t>(data.size()); at += width)
      std::reverse(to + at, to + at + width);
  }
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
    std::vector<uint8_t> bytes(size);
    FillPool(arg, bytes);
    pool.global =
        DefineConstant(state_, name, DataType::UInt(8), bytes,
                       std::max(arg.alignment, options.constant_alignment), arg.pool.section);
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
