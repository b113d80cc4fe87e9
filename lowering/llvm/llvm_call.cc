// Calls. Functions of the module keep the attributes of their declarations at each call. Builtins
// become LLVM's intrinsics where LLVM knows good code for them, and instructions of Arm where it
// does not.

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsARM.h>

#include <algorithm>

#include "fmt/format.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "lowering/llvm/llvm_internal.h"
#include "support/check.h"

namespace tenon::llvm_lowering {

namespace {

bool HasFourBytes(const Expr* arg) {
  return arg->dtype.is_integer() && arg->dtype.bits() == 8 && arg->dtype.lanes() == 4;
}

}  // namespace

llvm::Value* FunctionEmitter::ModuleCall(const Call* call, const CallSite& site) {
  llvm::Function* callee = state_.functions.at(site.callee->name);
  const PrimFunc& func = *site.callee->func;
  TENON_CHECK(callee != nullptr);
  // A null resource handle after the parameters of a function of the module has no counterpart.
  std::vector<llvm::Value*> args;
  for (size_t i = 0; i < std::min(site.args.size(), func.params.size()); ++i) {
    const DataType from = site.args[i]->dtype;
    const DataType to = func.params[i]->dtype;
    llvm::Value* value = Value(site.args[i]);
    if (from.lanes() == to.lanes()) value = Convert(value, from, to, site.args[i]);
    args.push_back(ToMemory(value, to));
  }
  if (args.size() != func.params.size()) {
    return Unsupported(call, fmt::format("a call of `{}` with {} arguments instead of {}",
                                         site.name, args.size(), func.params.size()));
  }
  llvm::CallInst* made = build_.CreateCall(callee, args);
  made->setAttributes(callee->getAttributes());
  return made;
}

/// The C library's memory functions take a size_t, and memset takes an int.
llvm::Value* FunctionEmitter::ExternArgument(const Call* call, std::string_view name, size_t index,
                                             const Expr* arg) {
  llvm::Value* value = ToMemory(Value(arg), arg->dtype);
  const bool is_set = name == "memset";
  if (!is_set && name != "memcpy" && name != "memmove") return value;
  llvm::Type* number = index == 2             ? state_.WordType()
                       : index == 1 && is_set ? build_.getInt32Ty()
                                              : nullptr;
  if (number == nullptr) return value;
  if (!arg->dtype.is_integer() || !arg->dtype.is_scalar())
    return Unsupported(
        call, fmt::format("a call of `{}` with a {} for a number", name, arg->dtype.ToString()));
  return build_.CreateIntCast(value, number, arg->dtype.is_int());
}

llvm::Value* FunctionEmitter::ExternCall(const Call* call, const CallSite& site) {
  const std::string name(site.name);
  const std::string error = ExternNameError(state_.options.prefix, name);
  if (!error.empty()) {
    state_.Error(call->range, error);
    return llvm::PoisonValue::get(ValueType(state_.context(), call->dtype));
  }
  std::vector<llvm::Value*> args;
  std::vector<llvm::Type*> types;
  bool has_pointers = false;
  for (size_t i = 0; i < site.args.size(); ++i) {
    args.push_back(ExternArgument(call, name, i, site.args[i]));
    types.push_back(args.back()->getType());
    has_pointers |= types.back()->isPointerTy();
  }
  llvm::Type* result = MemoryType(state_.context(), call->dtype);
  llvm::FunctionType* type = llvm::FunctionType::get(result, types, /*isVarArg=*/false);
  llvm::Function* callee = state_.out.getFunction(name);
  if (callee == nullptr) {
    callee = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, state_.out);
    callee->addFnAttr(llvm::Attribute::NoUnwind);
    if (Extension(call->dtype) != llvm::Attribute::None) callee->addRetAttr(Extension(call->dtype));
    for (unsigned i = 0; i < args.size(); ++i) {
      const llvm::Attribute::AttrKind extension = Extension(site.args[i]->dtype);
      if (extension != llvm::Attribute::None) callee->addParamAttr(i, extension);
    }
  } else if (callee->hasLocalLinkage()) {
    return Unsupported(
        call, fmt::format(
                  "a call of the external function `{}`: a function of the module has that symbol",
                  name));
  } else if (callee->getFunctionType() != type) {
    return Unsupported(call, fmt::format("calls of `{}` with different types", name));
  }
  llvm::CallInst* made = build_.CreateCall(callee, args);
  made->setAttributes(callee->getAttributes());
  if (call->op->kind == OpKind::kCallPureExtern) {
    if (has_pointers) {
      made->setOnlyReadsMemory();
    } else {
      made->setDoesNotAccessMemory();
    }
  }
  return FromMemory(made, call->dtype);
}

llvm::Value* FunctionEmitter::FunctionCall(const Call* call, const CallSite& site) {
  if (site.callee != nullptr) {
    llvm::Value* made = ModuleCall(call, site);
    const bool is_void = site.callee->func->ret_type->kind == Type::Kind::kVoid;
    const DataType result =
        is_void ? DataType::Int(32) : site.callee->func->ret_type->value_dtype();
    made = FromMemory(made, result);
    return call->dtype.is_void() ? made : Convert(made, result, call->dtype, call);
  }
  if (call->op->kind == OpKind::kCallPacked || call->op->kind == OpKind::kCallCPacked) {
    return Unsupported(call,
                       fmt::format("a packed call of `{}`, which is not in the module", site.name));
  }
  return ExternCall(call, site);
}

/// `T.call_llvm_pure_intrin("float32x4", "llvm.fmuladd", T.uint32(1), a, b, c)`
llvm::Value* FunctionEmitter::IntrinsicCall(const Call* call) {
  const auto* name = dyn_cast<StringImm>(call->args[0]);
  if (name == nullptr) return Unsupported(call, "an intrinsic that is not named");
  const llvm::Intrinsic::ID id =
#if LLVM_VERSION_MAJOR >= 20
      llvm::Intrinsic::lookupIntrinsicID(llvm::StringRef(name->value));
#else
      llvm::Function::lookupIntrinsicID(llvm::StringRef(name->value));
#endif
  if (id == llvm::Intrinsic::not_intrinsic)
    return Unsupported(call, fmt::format("`{}`, which LLVM does not know", name->value));
  std::vector<llvm::Value*> args;
  std::vector<llvm::Type*> types;
  for (size_t i = 2; i < call->args.size(); ++i) {
    args.push_back(Value(call->args[i]));
    types.push_back(args.back()->getType());
  }
  llvm::FunctionType* type = llvm::FunctionType::get(TypeOf(call->dtype), types, false);
  llvm::SmallVector<llvm::Type*, 4> overloads;
  if (!llvm::Intrinsic::getIntrinsicSignature(id, type, overloads))
    return Unsupported(call, fmt::format("`{}` of arguments of these types", name->value));
#if LLVM_VERSION_MAJOR >= 20
  llvm::Function* callee = llvm::Intrinsic::getOrInsertDeclaration(&state_.out, id, overloads);
#else
  llvm::Function* callee = llvm::Intrinsic::getDeclaration(&state_.out, id, overloads);
#endif
  return build_.CreateCall(callee, args);
}

llvm::Value* FunctionEmitter::Shift(const Call* call) {
  const DataType dtype = call->dtype;
  if (state_.has_arm_mve && call->op->kind == OpKind::kShiftRight) {
    if (llvm::Value* rounded = MveRoundedShift(call)) return rounded;
  }
  llvm::Value* x = Value(call->args[0]);
  llvm::Value* n = Value(call->args[1]);
  n = build_.CreateIntCast(n, x->getType(), /*isSigned=*/false);
  if (call->op->kind == OpKind::kShiftLeft) return build_.CreateShl(x, n);
  return dtype.is_int() ? build_.CreateAShr(x, n) : build_.CreateLShr(x, n);
}

llvm::Value* FunctionEmitter::Bits(const Call* call) {
  llvm::Value* a = Value(call->args[0]);
  switch (call->op->kind) {
    case OpKind::kPopcount:
      return build_.CreateIntCast(build_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a),
                                  TypeOf(call->dtype), /*isSigned=*/false);
    case OpKind::kClz: {
      llvm::Value* zeros =
          build_.CreateIntrinsic(llvm::Intrinsic::ctlz, {a->getType()}, {a, build_.getFalse()});
      return build_.CreateIntCast(zeros, TypeOf(call->dtype), /*isSigned=*/false);
    }
    case OpKind::kBitwiseNot:
      return build_.CreateNot(a);
    case OpKind::kBitwiseAnd:
      return build_.CreateAnd(a, Value(call->args[1]));
    case OpKind::kBitwiseOr:
      return build_.CreateOr(a, Value(call->args[1]));
    default:
      return build_.CreateXor(a, Value(call->args[1]));
  }
}

llvm::Value* FunctionEmitter::Reinterpret(const Call* call) {
  const DataType to = call->dtype;
  const DataType from = call->args[0]->dtype;
  if (to.is_handle()) {
    if (IsConstInt(call->args[0], 0)) return llvm::ConstantPointerNull::get(build_.getPtrTy());
    llvm::Value* value = Value(call->args[0]);
    return from.is_handle() ? value : build_.CreateIntToPtr(value, build_.getPtrTy());
  }
  llvm::Value* value = Value(call->args[0]);
  if (from.is_handle()) return build_.CreatePtrToInt(value, TypeOf(to));
  if (from.bytes() != to.bytes())
    return Unsupported(call, fmt::format("{} as the bits of {}", to.ToString(), from.ToString()));
  value = build_.CreateBitCast(ToMemory(value, from), MemoryType(state_.context(), to));
  return to.is_bool() ? build_.CreateTrunc(value, TypeOf(to)) : value;
}

llvm::Value* FunctionEmitter::VectorCall(const Call* call) {
  llvm::Value* a = Value(call->args[0]);
  const int from = call->args[0]->dtype.lanes();
  const int lanes = call->dtype.lanes();
  llvm::Value* b = a;
  int first = 0;
  int of_b = 0;
  if (call->op->kind == OpKind::kVectorHigh) first = from - lanes;
  if (call->op->kind == OpKind::kVectorCombine) {
    b = Value(call->args[1]);
    of_b = lanes - from;
    if (call->args[1]->dtype.lanes() != of_b)
      return Unsupported(call, "a vectorcombine of other lanes than it gives");
  }
  llvm::Value* result = Poison(call);
  for (int i = 0; i < lanes; ++i) {
    const bool is_b = of_b > 0 && i >= from;
    const int lane = is_b ? i - from : first + i;
    llvm::Value* vector = is_b ? b : a;
    llvm::Value* value = vector->getType()->isVectorTy()
                             ? build_.CreateExtractElement(vector, static_cast<uint64_t>(lane))
                             : vector;
    if (lanes == 1) return value;
    result = build_.CreateInsertElement(result, value, static_cast<uint64_t>(i));
  }
  return result;
}

/// Two products of halfwords for each `smlad`. `sxtb16` and `uxtb16` extend lanes 0 and 2 of a
/// word, and lanes 1 and 3 of the rotated word.
llvm::Value* FunctionEmitter::ArmDp4a(const Call* call) {
  llvm::Type* word = build_.getInt32Ty();
  const auto halves = [&](const Expr* arg, llvm::Value* bytes, bool is_odd) {
    if (is_odd) {
      bytes =
          build_.CreateIntrinsic(llvm::Intrinsic::fshr, {word}, {bytes, bytes, build_.getInt32(8)});
    }
    const auto extend =
        arg->dtype.is_int() ? llvm::Intrinsic::arm_sxtb16 : llvm::Intrinsic::arm_uxtb16;
    return build_.CreateIntrinsic(extend, {}, {bytes});
  };
  llvm::Value* a = build_.CreateBitCast(Value(call->args[0]), word);
  llvm::Value* b = build_.CreateBitCast(Value(call->args[1]), word);
  llvm::Value* sum = Wide(call->args[2], 1, 32);
  for (const bool is_odd : {false, true}) {
    sum = build_.CreateIntrinsic(
        llvm::Intrinsic::arm_smlad, {},
        {halves(call->args[0], a, is_odd), halves(call->args[1], b, is_odd), sum});
  }
  return sum;
}

/// The third argument plus the sum of the products of all lanes. LLVM finds the instructions for
/// it.
llvm::Value* FunctionEmitter::Dp4a(const Call* call) {
  const int bits = call->dtype.bits();
  const int lanes = call->args[0]->dtype.lanes();
  if (state_.has_arm_dsp && bits == 32 && HasFourBytes(call->args[0]) &&
      HasFourBytes(call->args[1]))
    return ArmDp4a(call);
  if (state_.has_arm_mve && bits == 32 && lanes > 4) {
    if (llvm::Value* sum = MveDot(call)) return sum;
  }
  llvm::Value* product =
      build_.CreateMul(Wide(call->args[0], lanes, bits), Wide(call->args[1], lanes, bits));
  return build_.CreateAdd(build_.CreateAddReduce(product), Wide(call->args[2], 1, bits));
}

llvm::Value* FunctionEmitter::LaneMask(const Call* call) {
  llvm::Value* base = Value(call->args[0]);
  llvm::Value* limit = Value(call->args[1]);
  const int lanes = call->dtype.lanes();
  std::vector<llvm::Constant*> numbers;
  for (int i = 0; i < lanes; ++i)
    numbers.push_back(llvm::cast<llvm::Constant>(Int(base->getType(), i)));
  const bool is_signed = call->args[0]->dtype.is_int();
  llvm::Value* any =
      is_signed ? build_.CreateICmpSLT(base, limit) : build_.CreateICmpULT(base, limit);
  llvm::Value* room = build_.CreateSub(limit, base);
  llvm::Value* within = build_.CreateICmpULT(
      lanes == 1 ? static_cast<llvm::Value*>(numbers[0]) : llvm::ConstantVector::get(numbers),
      Splat(room, lanes));
  return build_.CreateAnd(Splat(any, lanes), within);
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

/// Functions of TVM's runtime that generated code implements itself; otherwise mathematics.
llvm::Value* FunctionEmitter::RuntimeCall(const Call* call) {
  switch (call->op->kind) {
    case OpKind::kTvmStackAlloca:
    case OpKind::kTvmStackMakeShape:
    case OpKind::kTvmStackMakeArray:
    case OpKind::kTvmStructGet:
    case OpKind::kTvmStructSet:
    case OpKind::kCallPackedLowered:
    case OpKind::kCallCPackedLowered:
      return Unsupported(
          call,
          fmt::format("`{}`, a part of packed calls with arguments on the stack", call->op->text));
    case OpKind::kBackendAllocWorkspace:
    case OpKind::kBackendFreeWorkspace:
      return WorkspaceCall(call);
    case OpKind::kEntryField:
    case OpKind::kSetEntryField:
      return EntryField(call);
    case OpKind::kEntryData:
      return EntryDataOf(call);
    case OpKind::kCopyBytes:
      return CopyBytes(call);
    case OpKind::kZstdDecompress:
      return ZstdDecompress(call);
    case OpKind::kAtomicCas:
    case OpKind::kAtomicStore:
      return Atomic(call);
    case OpKind::kUnknown:
      return Unsupported(call, fmt::format("`{}`, a builtin of another target", call->op->text));
    default:
      return Math(call);
  }
}

llvm::Value* FunctionEmitter::CallOf(const Call* call) {
  if (const CallSite site = AsCallSite(state_.module, call); site.call != nullptr)
    return FunctionCall(call, site);
  switch (call->op->kind) {
    case OpKind::kIfThenElse:
      return Choose(call->args[0], call->args[1], call->args[2], call->dtype);
    case OpKind::kLikely:
      return Value(call->args[0]);
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight:
      return Shift(call);
    case OpKind::kBitwiseAnd:
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor:
    case OpKind::kBitwiseNot:
    case OpKind::kPopcount:
    case OpKind::kClz:
      return Bits(call);
    case OpKind::kQMultiplyShift:
      return QMultiplyShift(call);
    case OpKind::kQMultiplyShiftPerAxis: {
      llvm::Value* product = state_.has_arm_mve ? MveQ31(call) : nullptr;
      return product != nullptr ? product : QMultiplyShiftPerAxis(call);
    }
    case OpKind::kReinterpret:
      return Reinterpret(call);
    case OpKind::kAddressOf:
    case OpKind::kTvmAccessPtr:
      return AddressOf(call);
    case OpKind::kIsNullptr:
      return build_.CreateIsNull(Value(call->args[0]));
    case OpKind::kLargeUIntImm: {
      const std::optional<uint64_t> value = LargeUIntValue(call);
      if (!value) return Unsupported(call, "a large literal that is not constant");
      return build_.getInt64(*value);
    }
    case OpKind::kUndef:
      return llvm::Constant::getNullValue(TypeOf(call->dtype));
    case OpKind::kVectorLow:
    case OpKind::kVectorHigh:
    case OpKind::kVectorCombine:
      return VectorCall(call);
    case OpKind::kDp4a:
      return Dp4a(call);
    case OpKind::kGetActiveLaneMask:
      return LaneMask(call);
    case OpKind::kTypeAnnotation:
      return llvm::Constant::getNullValue(TypeOf(call->dtype));
    case OpKind::kCallLLVMIntrin:
    case OpKind::kCallLLVMPureIntrin:
      return IntrinsicCall(call);
    default:
      return RuntimeCall(call);
  }
}

}  // namespace tenon::llvm_lowering
