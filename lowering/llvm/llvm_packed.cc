#include "fmt/format.h"
#include "ir/builtins.h"
#include "lowering/llvm/llvm_internal.h"

// TVM's packed convention: arguments of 8 bytes each, their type codes, and tensors as DLTensor,
// all of them on the stack. Functions are called by their symbol, or found by the runtime
// (TVMBackendGetFuncFromEnv) and called through TVMFuncCall.

namespace tenon::llvm_lowering {

namespace {

/// TVMStructFieldKind.
enum StructField : int64_t {
  kAddress,
  kData,
  kShape,
  kStrides,
  kNdim,
  kTypeCode,
  kTypeBits,
  kTypeLanes,
  kByteOffset,
  kDeviceId,
  kDeviceType,
  kBound,
  kValueContent
};

/// The element index in TensorType of each field.
constexpr unsigned kElementOf[] = {0, 0, 7, 8, 3, 4, 5, 6, 9, 2, 1};

llvm::StructType* TensorType(llvm::LLVMContext& context) {
  llvm::Type* word = llvm::PointerType::get(context, 0);
  llvm::Type* i8 = llvm::Type::getInt8Ty(context);
  llvm::Type* i16 = llvm::Type::getInt16Ty(context);
  llvm::Type* i32 = llvm::Type::getInt32Ty(context);
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  return llvm::StructType::get(context, {word, i32, i32, i32, i8, i8, i16, word, word, i64});
}

/// DLDataTypeCode.
int64_t TypeCode(DataType dtype) {
  if (dtype.is_handle()) return 3;
  if (dtype.is_float()) return 2;
  return dtype.is_int() ? 0 : 1;
}

}  // namespace

llvm::Value* FunctionEmitter::StackAlloca(const Call* call) {
  const auto* kind = dyn_cast<StringImm>(call->args[0]);
  const int64_t* count = AsIntImm(call->args[1]);
  if (kind == nullptr || count == nullptr || *count < 0 || *count > kMostPackedArguments)
    return Unsupported(call, "a stack allocation whose size is not constant");
  llvm::Type* element = kind->value == "array" ? TensorType(state_.context())
                        : kind->value == "arg_tcode"
                            ? build_.getInt32Ty()
                            : static_cast<llvm::Type*>(build_.getInt64Ty());
  if (kind->value != "array" && kind->value != "arg_tcode" && kind->value != "arg_value" &&
      kind->value != "shape")
    return Unsupported(call, fmt::format("a stack allocation of `{}`", kind->value));
  return StackArray(element, *count, 8, kind->value);
}

llvm::Value* FunctionEmitter::StackShape(const Call* call) {
  llvm::Type* element = build_.getInt64Ty();
  llvm::Value* shape = StackArray(element, static_cast<int64_t>(call->args.size()), 8, "shape");
  for (unsigned i = 0; i < call->args.size(); ++i) {
    const Expr* extent = call->args[i];
    llvm::Value* value = build_.CreateIntCast(Value(extent), element, extent->dtype.is_int());
    build_.CreateStore(value, build_.CreateConstInBoundsGEP1_32(element, shape, i));
  }
  return shape;
}

llvm::Value* FunctionEmitter::StackTensor(const Call* call) {
  llvm::StructType* type = TensorType(state_.context());
  llvm::Value* tensor = StackArray(type, 1, 8, "array");
  const DataType dtype = call->args[4]->dtype;
  const Expr* offset = call->args[5];
  llvm::Value* bytes = build_.CreateMul(
      build_.CreateIntCast(Value(offset), build_.getInt64Ty(), offset->dtype.is_int()),
      build_.getInt64(static_cast<uint64_t>(dtype.bytes())));
  const auto set = [&](StructField field, llvm::Value* value) {
    llvm::Type* element = type->getElementType(kElementOf[field]);
    if (element->isIntegerTy()) value = build_.CreateIntCast(value, element, /*isSigned=*/false);
    build_.CreateStore(value, build_.CreateStructGEP(type, tensor, kElementOf[field]));
  };
  set(kData, Value(call->args[0]));
  set(kShape, Value(call->args[1]));
  set(kStrides, Value(call->args[2]));
  set(kNdim, Value(call->args[3]));
  set(kTypeCode, build_.getInt64(static_cast<uint64_t>(TypeCode(dtype))));
  set(kTypeBits, build_.getInt64(static_cast<uint64_t>(dtype.bits())));
  set(kTypeLanes, build_.getInt64(static_cast<uint64_t>(dtype.lanes())));
  set(kByteOffset, bytes);
  set(kDeviceId, build_.getInt64(0));
  set(kDeviceType, build_.getInt64(1));
  return tensor;
}

/// The address and the type of a field. The content of a TVMValue has the type of `content`.
llvm::Value* FunctionEmitter::StructAddress(const Call* call, DataType content, llvm::Type*& type) {
  const int64_t* field = AsIntImm(call->args[2]);
  llvm::Value* base = Value(call->args[0]);
  llvm::Value* index =
      build_.CreateIntCast(Value(call->args[1]), state_.WordType(), call->args[1]->dtype.is_int());
  if (field != nullptr && *field == kValueContent) {
    type = content.is_handle()  ? static_cast<llvm::Type*>(build_.getPtrTy())
           : content.is_float() ? build_.getDoubleTy()
                                : build_.getInt64Ty();
    return build_.CreateInBoundsGEP(build_.getInt64Ty(), base, index);
  }
  if (field == nullptr || *field < 0 || *field >= kBound)
    return Unsupported(call, "a field of a structure that TVM does not have");
  llvm::StructType* tensor = TensorType(state_.context());
  llvm::Value* address = build_.CreateInBoundsGEP(tensor, base, index);
  if (*field == kAddress) {
    type = nullptr;
    return address;
  }
  const unsigned element = kElementOf[*field];
  type = tensor->getElementType(element);
  return build_.CreateStructGEP(tensor, address, element);
}

llvm::Value* FunctionEmitter::StructGet(const Call* call) {
  llvm::Type* type = nullptr;
  llvm::Value* address = StructAddress(call, call->dtype, type);
  if (type == nullptr) return address;
  llvm::Value* value = build_.CreateLoad(type, address);
  llvm::Type* wanted = TypeOf(call->dtype);
  if (type == wanted) return value;
  if (type->isIntegerTy() && wanted->isIntegerTy())
    return build_.CreateIntCast(value, wanted, /*isSigned=*/true);
  if (type->isDoubleTy() && wanted->isFloatingPointTy()) return build_.CreateFPTrunc(value, wanted);
  return Unsupported(call, fmt::format("a field read as `{}`", call->dtype.ToString()));
}

llvm::Value* FunctionEmitter::StructSet(const Call* call) {
  llvm::Type* type = nullptr;
  const Expr* expr = call->args[3];
  llvm::Value* value = Value(expr);
  llvm::Value* address = StructAddress(call, expr->dtype, type);
  if (type != nullptr && type->isIntegerTy() && value->getType()->isIntegerTy())
    value = build_.CreateIntCast(value, type, expr->dtype.is_int());
  if (type != nullptr && type->isDoubleTy() && value->getType()->isFloatTy())
    value = build_.CreateFPExt(value, type);
  // A null strides pointer may be a number.
  if (type != nullptr && type->isPointerTy() && value->getType()->isIntegerTy())
    value = build_.CreateIntToPtr(value, type);
  if (type != value->getType())
    return Unsupported(call, fmt::format("a field set to `{}`", expr->dtype.ToString()));
  build_.CreateStore(value, address);
  return build_.getInt32(0);
}

/// The runtime's function of a name, which is looked up once.
llvm::Value* FunctionEmitter::PackedHandle(std::string_view name) {
  llvm::Type* pointer = build_.getPtrTy();
  llvm::Constant* null = llvm::Constant::getNullValue(pointer);
  const std::string symbol = fmt::format("{}_{}_packed", state_.options.prefix, SanitizeName(name));
  llvm::GlobalVariable* handle = state_.out.getGlobalVariable(symbol, /*AllowInternal=*/true);
  if (handle == nullptr) {
    handle = new llvm::GlobalVariable(state_.out, pointer, /*isConstant=*/false,
                                      llvm::GlobalValue::InternalLinkage, null, symbol);
  }
  llvm::GlobalVariable* module = state_.out.getGlobalVariable("__tvm_module_ctx");
  if (module == nullptr) {
    module = new llvm::GlobalVariable(state_.out, pointer, /*isConstant=*/false,
                                      llvm::GlobalValue::WeakAnyLinkage, null, "__tvm_module_ctx");
  }
  llvm::BasicBlock* find = Block("packed.find");
  llvm::BasicBlock* found = Block("packed.found");
  build_.CreateCondBr(build_.CreateIsNull(build_.CreateLoad(pointer, handle)), find, found);
  build_.SetInsertPoint(find);
  const llvm::FunctionCallee get = state_.out.getOrInsertFunction(
      "TVMBackendGetFuncFromEnv",
      llvm::FunctionType::get(build_.getInt32Ty(), {pointer, pointer, pointer}, false));
  llvm::Value* failed =
      build_.CreateCall(get, {build_.CreateLoad(pointer, module),
                              build_.CreateGlobalString(llvm::StringRef(name)), handle});
  FailIf(build_.CreateICmpNE(failed, build_.getInt32(0)),
         build_.getInt32(static_cast<uint32_t>(-1)));
  build_.CreateBr(found);
  build_.SetInsertPoint(found);
  return build_.CreateLoad(pointer, handle);
}

/// A call with the arguments between two indices of the stack. If the callee fails, the caller
/// fails. The value is the callee's result.
llvm::Value* FunctionEmitter::LoweredCall(const Call* call) {
  const auto* name = dyn_cast<StringImm>(call->args[0]);
  if (name == nullptr) return Unsupported(call, "a packed call without the name of a function");
  if (state_.module.FindCallee(name->value) != nullptr) {
    return Unsupported(call, fmt::format("a lowered packed call of `{}`, which is a function of "
                                         "the module; T.call_cpacked calls it directly",
                                         name->value));
  }
  llvm::Type* pointer = build_.getPtrTy();
  llvm::Type* i32 = build_.getInt32Ty();
  const auto number = [&](size_t arg) {
    return build_.CreateIntCast(Value(call->args[arg]), i32, /*isSigned=*/true);
  };
  llvm::Value* begin = number(3);
  llvm::Value* count = build_.CreateSub(number(4), begin);
  llvm::Value* values = build_.CreateInBoundsGEP(build_.getInt64Ty(), Value(call->args[1]), begin);
  llvm::Value* codes = build_.CreateInBoundsGEP(i32, Value(call->args[2]), begin);
  llvm::Value* result = StackArray(build_.getInt64Ty(), 1, 8, "ret_value");
  llvm::Value* code = StackArray(i32, 1, 4, "ret_tcode");
  build_.CreateStore(build_.getInt64(0), result);
  llvm::Value* failed = nullptr;
  if (call->op->kind == OpKind::kCallPackedLowered) {
    llvm::Value* handle = PackedHandle(name->value);
    const llvm::FunctionCallee callee = state_.out.getOrInsertFunction(
        "TVMFuncCall",
        llvm::FunctionType::get(i32, {pointer, pointer, pointer, i32, pointer, pointer}, false));
    failed = build_.CreateCall(callee, {handle, values, codes, count, result, code});
  } else {
    llvm::Value* resource =
        call->args.size() > 5 ? Value(call->args[5]) : llvm::Constant::getNullValue(pointer);
    llvm::FunctionType* type =
        llvm::FunctionType::get(i32, {pointer, pointer, i32, pointer, pointer, pointer}, false);
    const std::string symbol = SanitizeName(name->value);
    llvm::Function* known = state_.out.getFunction(symbol);
    if (known != nullptr && known->getFunctionType() != type)
      return Unsupported(call, fmt::format("calls of `{}` with different types", symbol));
    failed = build_.CreateCall(state_.out.getOrInsertFunction(symbol, type),
                               {values, codes, count, result, code, resource});
  }
  FailIf(build_.CreateICmpNE(failed, build_.getInt32(0)),
         build_.getInt32(static_cast<uint32_t>(-1)));
  return build_.CreateIntCast(build_.CreateLoad(build_.getInt64Ty(), result), TypeOf(call->dtype),
                              /*isSigned=*/true);
}

/// Memory of the runtime: `void* TVMBackendAllocWorkspace(int, int, uint64_t, int, int)` and `int
/// TVMBackendFreeWorkspace(int, int, void*)`.
llvm::Value* FunctionEmitter::WorkspaceCall(const Call* call) {
  const bool allocates = call->op->kind == OpKind::kBackendAllocWorkspace;
  llvm::Type* i32 = build_.getInt32Ty();
  llvm::Type* pointer = build_.getPtrTy();
  std::vector<llvm::Type*> types = {i32, i32, pointer};
  if (allocates) types = {i32, i32, build_.getInt64Ty(), i32, i32};
  std::vector<llvm::Value*> args;
  for (size_t i = 0; i < types.size(); ++i) {
    const Expr* arg = call->args[i];
    llvm::Value* value = Value(arg);
    if (types[i]->isIntegerTy()) value = build_.CreateIntCast(value, types[i], arg->dtype.is_int());
    args.push_back(value);
  }
  return build_.CreateCall(state_.out.getOrInsertFunction(
                               allocates ? "TVMBackendAllocWorkspace" : "TVMBackendFreeWorkspace",
                               llvm::FunctionType::get(allocates ? pointer : i32, types, false)),
                           args);
}

}  // namespace tenon::llvm_lowering
