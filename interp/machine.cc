#include "interp/machine.h"

#include <algorithm>

#include "fmt/format.h"
#include "interp/float_format.h"
#include "interp/kernels.h"
#include "ir/analysis/model_entry.h"
#include "ir/extents.h"
#include "support/check.h"

namespace tenon::interp {

Machine::Machine(const ModuleCode& module, const InterpreterOptions& options,
                 Diagnostics& diagnostics)
    : module_(module),
      options_(options),
      diagnostics_(diagnostics),
      memory_(options.max_bytes),
      steps_(options.max_steps),
      constants_(module.data.size()) {}

namespace {

void Move(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) regs[instr.d + i] = regs[instr.a + i];
}
void Splat(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) regs[instr.d + i] = regs[instr.a];
}

}  // namespace

// The main loop. Its cost per instruction is the cost of the interpreter: frequent instructions are
// here, the rest are one call away. Each case either continues with the next instruction or leaves
// the switch and the function.
#define TENON_COMPUTE(Name, value) \
  case Opcode::Name:               \
    regs[instr.d] = (value);       \
    continue;
#define TENON_ATTEMPT(Name, attempt) \
  case Opcode::Name:                 \
    if (attempt) [[likely]]          \
      continue;                      \
    ok = false;                      \
    break;
#define TENON_DO(Name, action) \
  case Opcode::Name:           \
    action;                    \
    continue;
#define TENON_JUMP_IF(Name, condition)       \
  case Opcode::Name:                         \
    if (condition) at = base + instr.target; \
    continue;
#define TENON_U32(operand) static_cast<uint32_t>(regs[instr.operand])
#define TENON_F32(operand) F32::Get(regs[instr.operand])
bool Machine::Execute(const FunctionCode& code, Slot* regs, Slot* result) {
  Frame frame{&code, nullptr, frame_, ++calls_};
  frame_ = &frame;
  const Instr* const base = code.code.data();
  const Instr* at = base;
  bool ok = true;
  while (true) {
    const Instr& instr = *at++;
    frame.instr = &instr;
    switch (instr.op) {
      TENON_COMPUTE(kAddI32, static_cast<int32_t>(TENON_U32(a) + TENON_U32(b)))
      TENON_COMPUTE(kSubI32, static_cast<int32_t>(TENON_U32(a) - TENON_U32(b)))
      TENON_COMPUTE(kMulI32, static_cast<int32_t>(TENON_U32(a) * TENON_U32(b)))
      TENON_COMPUTE(kAddF32, F32::Put(TENON_F32(a) + TENON_F32(b)))
      TENON_COMPUTE(kMulF32, F32::Put(TENON_F32(a) * TENON_F32(b)))
      TENON_COMPUTE(kLtI64, regs[instr.a] < regs[instr.b])
      TENON_ATTEMPT(kLinear, Linear(regs, instr))
      TENON_ATTEMPT(kLoad, Load(regs, instr))
      TENON_ATTEMPT(kLoadGather, LoadGather(regs, instr))
      TENON_ATTEMPT(kStore, Store(regs, instr))
      TENON_ATTEMPT(kStoreGather, StoreGather(regs, instr))
      TENON_ATTEMPT(kAddress, AddressOf(regs, instr))
      TENON_ATTEMPT(kAllocate, Allocate(regs, instr))
      TENON_ATTEMPT(kConstant, (regs[instr.d] = ConstantPointer(instr.imm)) != 0)
      TENON_ATTEMPT(kCall, CallWith(*instr.call, regs, &regs[instr.d]))
      TENON_ATTEMPT(kHost, instr.call->host(*this, regs, instr))
      TENON_ATTEMPT(kKernel, RunKernel(regs, instr))
      TENON_ATTEMPT(kStep, CountStep())
      TENON_DO(kMove, Move(regs, instr))
      TENON_DO(kSplat, Splat(regs, instr))
      TENON_DO(kFree, memory_.Free(regs[instr.a]))
      case Opcode::kJump:
        at = base + instr.target;
        continue;
        TENON_JUMP_IF(kJumpIfZero, regs[instr.a] == 0)
        TENON_JUMP_IF(kLoopTest, regs[instr.a] >= regs[instr.b])
      case Opcode::kLoopNext:
        if (++regs[instr.d] < regs[instr.b]) at = base + instr.target;
        if (CountStep()) [[likely]]
          continue;
        ok = false;
        break;
      case Opcode::kReturn:
        *result = regs[instr.a];
        break;
      case Opcode::kAssert:
        if (regs[instr.a] != 0) continue;
        [[fallthrough]];
      case Opcode::kFail:
        ok = Fail(static_cast<DiagnosticKind>(instr.message->kind), instr.message->text);
        break;
    }
    break;
  }
  frame_ = frame.caller;
  return ok;
}
#undef TENON_F32
#undef TENON_U32
#undef TENON_JUMP_IF
#undef TENON_DO
#undef TENON_ATTEMPT
#undef TENON_COMPUTE

bool Machine::FailSteps() {
  return Fail(DiagnosticKind::kStepLimit,
              fmt::format("stopped after {} steps", options_.max_steps));
}

void Machine::Enter(const FunctionCode& code, Slot* regs) {
  TENON_CHECK(code.first_constant + static_cast<int64_t>(code.constants.size()) == code.frame_size);
  for (size_t i = 0; i < code.constants.size(); ++i) {
    regs[static_cast<size_t>(code.first_constant) + i] = code.constants[i];
  }
}

bool Machine::Call(int32_t index, const std::vector<Slot>& arguments, Slot* result) {
  TENON_CHECK(index >= 0 && static_cast<size_t>(index) < module_.functions.size());
  const FunctionCode& code = module_.functions[static_cast<size_t>(index)];
  if (--steps_ < 0) {
    return Fail(DiagnosticKind::kStepLimit,
                fmt::format("stopped after {} steps", options_.max_steps));
  }
  if (depth_ >= options_.max_depth) {
    return Fail(DiagnosticKind::kLimit,
                fmt::format("more than {} calls within each other", options_.max_depth));
  }
  std::vector<Slot> regs(static_cast<size_t>(code.frame_size));
  Enter(code, regs.data());
  if (!PlainArguments(code, arguments, regs.data())) return false;
  const size_t allocations = memory_.frame_allocations.size();
  ++depth_;
  *result = 0;
  const bool ok = Execute(code, regs.data(), result);
  --depth_;
  // Frees the storage that an early return left.
  while (memory_.frame_allocations.size() > allocations) {
    memory_.Free(memory_.frame_allocations.back());
    memory_.frame_allocations.pop_back();
  }
  return ok;
}

bool Machine::PlainArguments(const FunctionCode& code, const std::vector<Slot>& arguments,
                             Slot* regs) {
  size_t linked = 0;
  for (const int32_t number : code.linked) linked += number >= 0 ? 1 : 0;
  const size_t params = code.params.size();
  TENON_CHECK(code.linked.size() == params && code.data.size() == params);
  if (arguments.size() != params && arguments.size() + linked != params) {
    return Fail(DiagnosticKind::kArguments, fmt::format("`{}` takes {} arguments, but gets {}",
                                                        code.name, params, arguments.size()));
  }
  const bool skip = arguments.size() != params;
  size_t next = 0;
  for (size_t i = 0; i < params; ++i) {
    Slot value = 0;
    if (code.linked[i] >= 0) {
      value = ConstantPointer(code.linked[i]);
      if (value == 0) return false;
      if (!skip) ++next;
    } else {
      TENON_CHECK(next < arguments.size());
      value = arguments[next++];
    }
    regs[code.params[i]] = value;
    if (code.data[i] >= 0) regs[code.data[i]] = value;
  }
  return std::all_of(code.bindings.begin(), code.bindings.end(),
                     [&](const ShapeBinding& binding) { return BindPlain(code, binding, regs); });
}

bool Machine::BindPlain(const FunctionCode& code, const ShapeBinding& binding, Slot* regs) {
  // Offsets are relative to the passed pointer.
  if (binding.what == ShapeBinding::What::kOffset) return true;
  // Applications pass compact tensors.
  const Buffer* buffer = code.function->func->buffers[static_cast<size_t>(binding.param)];
  const bool is_entry = frame_ != nullptr && !EntryFunctionOf(*frame_->code->function).empty();
  if (is_entry && binding.what == ShapeBinding::What::kStride && buffer != nullptr) {
    const std::optional<std::vector<int64_t>> shape = StaticShape(buffer->shape);
    if (shape) {
      Slot stride = 1;
      for (size_t i = static_cast<size_t>(binding.dim) + 1; i < shape->size(); ++i)
        stride *= (*shape)[i];
      regs[binding.reg] = stride;
      return true;
    }
  }
  return Fail(DiagnosticKind::kUnsupported,
              fmt::format("`{}` takes sizes from a tensor, but gets a bare pointer", code.name));
}

bool Machine::CallWith(const CallInfo& info, const Slot* regs, Slot* result) {
  TENON_CHECK(info.callee >= 0 && info.dtypes.size() == info.args.size());
  const FunctionCode& callee = module_.functions[static_cast<size_t>(info.callee)];
  std::vector<Slot> arguments;
  for (size_t i = 0; i < info.args.size(); ++i) {
    Slot value = regs[info.args[i]];
    if (i < callee.function->func->params.size()) {
      // A literal may have another width than the parameter.
      const DataType param = callee.function->func->params[i]->dtype;
      if (param.is_integer() && info.dtypes[i].is_integer()) {
        value = WrapInt(value, 64 - param.bits(), param.is_int());
      }
    }
    arguments.push_back(value);
  }
  return Call(info.callee, arguments, result);
}

Slot Machine::ConstantPointer(int64_t number) {
  TENON_CHECK(number >= 0 && static_cast<size_t>(number) < constants_.size());
  Slot& pointer = constants_[static_cast<size_t>(number)];
  if (pointer != 0) return pointer;
  const Datum& datum = module_.data[static_cast<size_t>(number)];
  if (datum.constant == nullptr) {
    auto* text = reinterpret_cast<uint8_t*>(const_cast<char*>(datum.text.c_str()));
    pointer = memory_.Borrow(text, static_cast<int64_t>(datum.text.size()) + 1, "a string", true);
    return pointer;
  }
  const auto bytes = datum.constant->Bytes();
  if (!bytes.ok()) {
    const auto message = bytes.status().message();
    Fail(DiagnosticKind::kConstantFile, std::string(message.data(), message.size()));
    return 0;
  }
  // Never written through: the allocation is read-only.
  pointer = memory_.Borrow(const_cast<uint8_t*>(bytes->data()), static_cast<int64_t>(bytes->size()),
                           datum.constant->name().view(), true);
  return pointer;
}

}  // namespace tenon::interp
