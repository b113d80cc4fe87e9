#include <algorithm>
#include <array>

#include "fmt/format.h"
#include "interp/compiler.h"
#include "interp/entry_api.h"
#include "interp/interpreter.h"
#include "interp/kernels.h"
#include "interp/storage_calls.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/library_functions.h"
#include "ir/linked_params.h"
#include "support/check.h"

namespace tenon::interp {

int32_t Compiler::CallOf(const Call* call, int32_t into) {
  switch (call->op->kind) {
    case OpKind::kGlobalCall:
    case OpKind::kCallExtern:
    case OpKind::kCallPureExtern:
    case OpKind::kCallPacked:
    case OpKind::kCallTracePacked:
    case OpKind::kCallCPacked:
    case OpKind::kCallLLVMIntrin:
    case OpKind::kCallLLVMPureIntrin:
      return FunctionCallOf(call, into);
    default:
      return BuiltinOf(call, into);
  }
}

int32_t Compiler::BuiltinOf(const Call* call, int32_t into) {
  switch (call->op->kind) {
    case OpKind::kIfThenElse:
      return IfThenElseOf(call, into);
    case OpKind::kLikely:
    case OpKind::kTvmThreadInvariant:
      return Expression(call->args[0], into);
    case OpKind::kRet: {
      const int32_t value = Expression(call->args[0]);
      Emit(Opcode::kReturn, 0, value);
      return value;
    }
    case OpKind::kTvmCheckReturn:
      return CheckReturn(call, into);
    case OpKind::kTvmThrowLastError:
      Fail(DiagnosticKind::kAssertion, "the program reports an error");
      return Constant(0);
    case OpKind::kAssume: {
      const int32_t condition = Expression(call->args[0]);
      code_->messages.push_back(
          std::make_unique<Message>(Message{static_cast<uint8_t>(DiagnosticKind::kAssertion),
                                            "the condition of `T.assume` does not hold"}));
      Emit(Opcode::kAssert, 0, condition).message = code_->messages.back().get();
      return MoveInto(Constant(1), into, 1);
    }
    case OpKind::kQMultiplyShift:
    case OpKind::kQMultiplyShiftPerAxis:
      return QMultiplyOf(call, into);
    case OpKind::kLookupParam:
    case OpKind::kAddressOf:
    case OpKind::kTvmAccessPtr:
    case OpKind::kReinterpret:
    case OpKind::kIsNullptr:
      return PointerCallOf(call, into);
    case OpKind::kVectorLow:
    case OpKind::kVectorHigh:
    case OpKind::kVectorCombine:
    case OpKind::kGetActiveLaneMask:
    case OpKind::kDp4a:
      return VectorOf(call, into);
    case OpKind::kLargeUIntImm: {
      const std::optional<uint64_t> bits = LargeUIntValue(call);
      if (!bits) break;
      return MoveInto(Constant(static_cast<Slot>(*bits)), into, 1);
    }
    case OpKind::kTypeAnnotation:
    case OpKind::kTvmTuple:
    case OpKind::kUndef:
    case OpKind::kTvmStorageSync:
    case OpKind::kStartProfile:
    case OpKind::kEndProfile:
      return MoveInto(Constant(0), into, 1);
    default:
      return HostOf(call, into);
  }
  return Error(DiagnosticKind::kUnsupported,
               fmt::format("the interpreter cannot call `{}` in this way", call->op->text));
}

int32_t Compiler::IfThenElseOf(const Call* call, int32_t into) {
  TENON_CHECK(call->args.size() == 3);
  if (!call->args[0]->dtype.is_scalar()) {
    const int32_t condition = Expression(call->args[0]);
    const int32_t t = Expression(call->args[1]);
    const int32_t f = Expression(call->args[2]);
    const int32_t d = Target(into, call->dtype);
    EmitKernel(SelectKernel, call->dtype, d, condition, t, f);
    return d;
  }
  const int32_t d = Target(into, call->args[1]->dtype);
  const int32_t condition = Expression(call->args[0]);
  const int64_t skip = Here();
  Emit(Opcode::kJumpIfZero, 0, condition);
  Expression(call->args[1], d);
  const int64_t end = Here();
  Emit(Opcode::kJump);
  Patch(skip, Here());
  Expression(call->args[2], d);
  Patch(end, Here());
  return d;
}

int32_t Compiler::CheckReturn(const Call* call, int32_t into) {
  TENON_CHECK(call->args.size() == 3);
  const int32_t expected = Expression(call->args[0]);
  const int32_t unexpected = Expression(call->args[1]);
  const int32_t d = Target(into, call->dtype);
  const int32_t result = Expression(call->args[2]);
  EmitKernel(BinaryKernel(NodeKind::kNE, DataType::Int(64)), DataType::Int(64), d, result,
             expected);
  const int64_t skip = Here();
  Emit(Opcode::kJumpIfZero, 0, d);
  Emit(Opcode::kReturn, 0, unexpected);
  Patch(skip, Here());
  return d;
}

int32_t Compiler::MathOf(const Call* call, OpKind op, Span<const Expr*> args, int32_t into) {
  const DataType dtype = args.empty() ? call->dtype : args[0]->dtype;
  Kernel kernel = IntegerKernel(op, dtype);
  if (kernel == nullptr) kernel = MathKernel(op, dtype);
  const Op* builtin = Op::Get(op);
  TENON_CHECK(builtin != nullptr);
  const int count = static_cast<int>(args.size());
  if (kernel == nullptr || count != builtin->min_args || count > 3) {
    return Error(DiagnosticKind::kUnsupported,
                 fmt::format("`{}` of {} cannot be interpreted", builtin->text, dtype.ToString()));
  }
  int32_t regs[3] = {0, 0, 0};
  for (size_t i = 0; i < args.size(); ++i) {
    regs[i] = Expression(args[i]);
    const DataType wanted =
        op == OpKind::kLdexp && i == 1 ? DataType::Int(32, dtype.lanes()) : dtype;
    regs[i] = CastOf(wanted, regs[i], args[i]->dtype, -1);
  }
  const int32_t d = Target(into, call->dtype);
  EmitKernel(kernel, dtype, d, regs[0], regs[1], regs[2]);
  return d;
}

int32_t Compiler::QMultiplyOf(const Call* call, int32_t into) {
  int32_t regs[7] = {};
  TENON_CHECK(!call->args.empty() && call->args.size() <= std::size(regs));
  const int32_t lanes = call->args[0]->dtype.lanes();
  const DataType dtype = DataType::Int(32, lanes);
  for (size_t i = 0; i < call->args.size(); ++i) {
    const DataType arg = call->args[i]->dtype;
    regs[i] = Expression(call->args[i]);
    if (arg.lanes() != lanes) {
      const int32_t splat = NewRegs(lanes);
      Emit(Opcode::kSplat, splat, regs[i]).lanes = lanes;
      regs[i] = splat;
    }
  }
  if (call->op->kind == OpKind::kQMultiplyShift) {
    const int32_t d = Target(into, dtype);
    EmitKernel(QMultiplyShiftKernel, dtype, d, regs[0], regs[1], regs[2]).e = regs[3];
    return d;
  }
  // The left shift applies only if it is required.
  const int32_t left = NewRegs(lanes);
  EmitKernel(SelectKernel, dtype, left, regs[5], regs[2], Constant(0, lanes));
  const int32_t d = Target(into, dtype);
  Instr& instr = EmitKernel(QMultiplyShiftPerAxisKernel, dtype, d, regs[0], regs[1], left);
  instr.e = regs[3];
  instr.f = regs[4];
  return d;
}

int32_t Compiler::VectorOf(const Call* call, int32_t into) {
  const OpKind op = call->op->kind;
  const int32_t a = Expression(call->args[0]);
  const int32_t lanes = call->dtype.lanes();
  if (op == OpKind::kVectorLow) return MoveInto(a, into, lanes);
  if (op == OpKind::kVectorHigh) {
    return MoveInto(a + call->args[0]->dtype.lanes() - lanes, into, lanes);
  }
  const int32_t b = Expression(call->args[1]);
  const int32_t c = op == OpKind::kDp4a ? Expression(call->args[2]) : -1;
  const int32_t d = NewRegs(lanes);
  if (op == OpKind::kVectorCombine) {
    const int32_t half = call->args[0]->dtype.lanes();
    Emit(Opcode::kMove, d, a).lanes = half;
    Emit(Opcode::kMove, d + half, b).lanes = lanes - half;
  } else if (op == OpKind::kDp4a) {
    EmitKernel(Dp4aKernel, call->dtype, d, a, b, c).lanes = call->args[0]->dtype.lanes();
  } else {
    EmitKernel(LaneMaskKernel, call->dtype, d, a, b);
  }
  return MoveInto(d, into, lanes);
}

int32_t Compiler::LookupParam(const Call* call) {
  const auto* name = dyn_cast<StringImm>(call->args[0]);
  if (name == nullptr) return Error(DiagnosticKind::kArguments, "lookup_param takes a string");
  const tenon::Constant* constant = FindLinkedParam(module_.module, *function_.func, name->value);
  if (constant == nullptr) {
    Fail(DiagnosticKind::kUnknownFunction,
         fmt::format("no `link_params` has the parameter `{}`", name->value));
    return Constant(0);
  }
  const int32_t d = NewRegs(1);
  Emit(Opcode::kConstant, d).imm = DatumOf(constant);
  return d;
}

int32_t Compiler::PointerCallOf(const Call* call, int32_t into) {
  switch (call->op->kind) {
    case OpKind::kLookupParam:
      return MoveInto(LookupParam(call), into, 1);
    case OpKind::kAddressOf:
      return AddressOf(call, into);
    case OpKind::kIsNullptr: {
      const int32_t a = Expression(call->args[0]);
      const int32_t d = Target(into, call->dtype);
      EmitKernel(NotKernel, DataType::Bool(), d, a);
      return d;
    }
    case OpKind::kReinterpret: {
      const DataType from = call->args[0]->dtype;
      const int32_t a = Expression(call->args[0]);
      const Kernel kernel = ReinterpretKernel(from, call->dtype);
      if (kernel == nullptr) return MoveInto(a, into, call->dtype.lanes());
      const int32_t d = Target(into, call->dtype);
      Instr& instr = EmitKernel(kernel, call->dtype, d, a);
      instr.e = static_cast<int32_t>(call->dtype.element_bytes());
      instr.f = static_cast<int32_t>(from.element_bytes());
      return d;
    }
    default: {
      CallInfo* info = NewCall(call, call->args.subspan(1, 2));
      const DataType element = call->args[0]->dtype;
      info->imm = element.bytes() > 0 ? element.bytes() : 1;
      info->host = AccessPointer;
      const int32_t d = Target(into, call->dtype);
      Emit(Opcode::kHost, d).call = info;
      return d;
    }
  }
}

CallInfo* Compiler::NewCall(const Call* call, Span<const Expr*> args) {
  auto info = std::make_unique<CallInfo>();
  for (const Expr* arg : args) {
    info->args.push_back(Expression(arg));
    info->dtypes.push_back(arg->dtype);
  }
  info->result = call->dtype;
  code_->calls.push_back(std::move(info));
  return code_->calls.back().get();
}

int32_t Compiler::FunctionCallOf(const Call* call, int32_t into) {
  Span<const Expr*> args = call->args;
  const Function* callee = nullptr;
  std::string_view name;
  if (call->op->kind == OpKind::kGlobalCall) {
    name = call->callee.view();
    callee = module_.module.Find(call->callee);
  } else {
    const auto* text = args.empty() ? nullptr : dyn_cast<StringImm>(args[0]);
    if (text == nullptr) {
      return Error(DiagnosticKind::kUnsupported, "a call of a function that is not named");
    }
    name = text->value;
    args = args.subspan(1);
    callee = module_.module.FindCallee(name);
  }
  if (callee == nullptr) return ExternOf(call, name, into);
  const OpKind op = call->op->kind;
  const bool packed =
      op == OpKind::kCallPacked || op == OpKind::kCallCPacked || op == OpKind::kCallTracePacked;
  const size_t params = callee->func->params.size();
  // The resource handle of a packed call is not a parameter of the module's function.
  if (packed && args.size() == params + 1) args = args.first(params);
  CallInfo* info = NewCall(call, args);
  info->callee = module_.index.at(callee->name);
  info->name = name;
  info->packed = packed;
  const int32_t d = Target(into, call->dtype.is_void() ? DataType::Int(32) : call->dtype);
  Emit(Opcode::kCall, d).call = info;
  return d;
}

int32_t Compiler::ExternOf(const Call* call, std::string_view name, int32_t into) {
  const bool llvm =
      call->op->kind == OpKind::kCallLLVMIntrin || call->op->kind == OpKind::kCallLLVMPureIntrin;
  Span<const Expr*> args = call->args.subspan(call->op->kind == OpKind::kGlobalCall ? 0 : 1);
  // LLVM intrinsics are written with the number of overloaded types; ctlz has a flag.
  if (llvm && !args.empty()) args = args.subspan(1);
  const OpKind op = MathOpOfName(name);
  if (op != OpKind::kUnknown) {
    if (op == OpKind::kClz && args.size() == 2) args = args.first(1);
    return MathOf(call, op, args, into);
  }
  for (const Expr* arg : args) Expression(arg);
  Fail(DiagnosticKind::kUnknownFunction,
       fmt::format("unknown function `{}`: it is neither in the module nor a C library function of "
                   "the interpreter; give its code with --engine=c --link=my.c",
                   name));
  return Constant(0, call->dtype.lanes() > 0 ? call->dtype.lanes() : 1);
}

namespace {

using Host = bool (*)(Machine& machine, Slot* regs, const Instr& instr);

/// The meaning of a builtin of entry functions; null for other builtins.
Host EntryHost(OpKind kind) {
  switch (kind) {
    case OpKind::kEntryField:
      return EntryField;
    case OpKind::kSetEntryField:
      return SetEntryField;
    case OpKind::kEntryData:
      return EntryData;
    case OpKind::kCopyBytes:
      return CopyBytes;
    case OpKind::kZstdDecompress:
      return ZstdDecompress;
    case OpKind::kAtomicCas:
      return AtomicCas;
    case OpKind::kAtomicStore:
      return AtomicStore;
    default:
      return nullptr;
  }
}

}  // namespace

std::string_view Compiler::EntryDataName(const Call* call) {
  const auto* kind = dyn_cast<StringImm>(call->args[0]);
  const auto* name = dyn_cast<StringImm>(call->args[1]);
  const int64_t* index = AsIntImm(call->args[1]);
  const std::string text = EntryDataKey(kind == nullptr ? std::string_view() : kind->value,
                                        name != nullptr    ? std::string(name->value)
                                        : index != nullptr ? std::to_string(*index)
                                                           : std::string());
  return module_.module.context().Intern(text).view();
}

int32_t Compiler::HostOf(const Call* call, int32_t into) {
  bool (*host)(Machine&, Slot*, const Instr&) = nullptr;
  int64_t imm = 0;
  Span<const Expr*> args = call->args;
  std::array<const Expr*, 2> tensor = {};
  std::string_view name;
  switch (call->op->kind) {
    case OpKind::kTvmStackMakeArray:
      // Functions of the module take the data of a tensor: the pointer, and the offset in elements.
      host = AccessPointer;
      imm = std::max<int64_t>(args[4]->dtype.bytes(), 1);
      tensor = {args[0], args[5]};
      args = {tensor.data(), tensor.size()};
      break;
    case OpKind::kBackendAllocWorkspace:
      host = AllocWorkspace;
      break;
    case OpKind::kBackendFreeWorkspace:
      host = FreeWorkspace;
      break;
    case OpKind::kTvmStackAlloca:
    case OpKind::kTvmStackMakeShape:
    case OpKind::kTvmStructGet:
    case OpKind::kTvmStructSet:
    case OpKind::kCallPackedLowered:
    case OpKind::kCallCPackedLowered:
      return Error(DiagnosticKind::kUnsupported,
                   fmt::format("`{}` cannot be interpreted: packed calls with arguments on the "
                               "stack are not supported",
                               call->op->text));
    case OpKind::kUnknown:
      return Error(DiagnosticKind::kUnsupported,
                   fmt::format("`{}` cannot be interpreted: it is a builtin of another target",
                               call->op->text));
    default:
      host = EntryHost(call->op->kind);
      if (host == nullptr) return MathOf(call, call->op->kind, call->args, into);
      if (host == EntryData) name = EntryDataName(call);
      break;
  }
  CallInfo* info = NewCall(call, args);
  info->host = host;
  info->imm = imm;
  info->name = name;
  const int32_t d = Target(into, call->dtype.is_void() ? DataType::Int(32) : call->dtype);
  Emit(Opcode::kHost, d).call = info;
  return d;
}

}  // namespace tenon::interp
