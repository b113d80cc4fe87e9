#include "interp/packed_api.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "fmt/format.h"
#include "interp/float_format.h"
#include "interp/kernels.h"
#include "interp/machine.h"

namespace tenon::interp {
namespace {

constexpr int64_t kTensorBytes = 48;
constexpr int64_t kShapeOffset = 24;

enum class Field : int64_t {
  kAddress = 0,
  kData,
  kShape,
  kStrides,
  kNdim,
  kCode,
  kBits,
  kLanes,
  kByteOffset,
  kDeviceId,
  kDeviceType,
  kValue = 12,
};

struct Place {
  int64_t offset;
  int64_t bytes;
  bool is_signed;
};

/// The location of a field of a DLTensor or a TVMValue.
Place PlaceOf(Field field) {
  switch (field) {
    case Field::kData:
      return {0, 8, true};
    case Field::kDeviceType:
      return {8, 4, true};
    case Field::kDeviceId:
      return {12, 4, true};
    case Field::kNdim:
      return {16, 4, true};
    case Field::kCode:
      return {20, 1, false};
    case Field::kBits:
      return {21, 1, false};
    case Field::kLanes:
      return {22, 2, false};
    case Field::kShape:
      return {kShapeOffset, 8, true};
    case Field::kStrides:
      return {32, 8, true};
    case Field::kByteOffset:
      return {40, 8, true};
    case Field::kValue:
      return {0, 8, true};
    default:
      return {0, 0, false};
  }
}

bool ReadNumber(Machine& machine, Slot pointer, const Place& place, Slot* value) {
  const uint8_t* from = machine.Access(pointer, place.bytes, false);
  if (from == nullptr) return false;
  Slot bits = 0;
  std::memcpy(&bits, from, static_cast<size_t>(place.bytes));
  *value = WrapInt(bits, static_cast<int>(64 - 8 * place.bytes), place.is_signed);
  return true;
}

bool WriteNumber(Machine& machine, Slot pointer, const Place& place, Slot value) {
  uint8_t* to = machine.Access(pointer, place.bytes, true);
  if (to == nullptr) return false;
  std::memcpy(to, &value, static_cast<size_t>(place.bytes));
  return true;
}

Slot At(Slot pointer, int64_t bytes) {
  return static_cast<Slot>(static_cast<uint64_t>(pointer) + static_cast<uint64_t>(bytes));
}

/// Finds the record in an array, and the field: operands 0 to 2. Returns false after an error.
bool FieldPointer(Machine& machine, const Slot* regs, const CallInfo& info, Slot* pointer,
                  Field* field) {
  *field = static_cast<Field>(regs[info.args[2]]);
  const int64_t record = *field == Field::kValue ? 8 : kTensorBytes;
  const int64_t index = regs[info.args[1]];
  if (index < 0 || index > (int64_t{1} << 20)) {
    return machine.Fail(DiagnosticKind::kOutOfBounds, fmt::format("record {} of a stack", index));
  }
  if (*field != Field::kAddress && PlaceOf(*field).bytes == 0) {
    return machine.Fail(DiagnosticKind::kUnsupported, "a field that records do not have");
  }
  *pointer = At(regs[info.args[0]], index * record + PlaceOf(*field).offset);
  return true;
}

/// Converts an argument to `dtype` from its value on the stack, which is an int64 or a float64.
Slot FromPackedValue(Slot value, DataType dtype) {
  if (dtype.is_integer()) return WrapInt(value, 64 - dtype.bits(), dtype.is_int());
  if (!dtype.is_floating()) return value;
  const double number = std::bit_cast<double>(value);
  return WithFloatFormat(dtype, [&](auto format) { return decltype(format)::FromDouble(number); });
}

}  // namespace

bool StackAlloca(Machine& machine, Slot* regs, const Instr& instr) {
  const CallInfo& info = *instr.call;
  int64_t bytes = 8;
  if (info.name == "array") bytes = kTensorBytes;
  if (info.name == "arg_tcode") bytes = 4;
  const Slot count = regs[info.args[0]];
  if (count < 0 || count > (int64_t{1} << 24)) {
    return machine.Fail(DiagnosticKind::kMemoryLimit, "too large a stack of arguments");
  }
  const Slot pointer = machine.FrameAllocate((count * bytes + 7) / 8 * 8, "stack");
  if (pointer == 0) return false;
  if (info.name == "array") machine.memory().Find(pointer)->flags |= Allocation::kTensorRecord;
  regs[instr.d] = pointer;
  return true;
}

bool StackMakeShape(Machine& machine, Slot* regs, const Instr& instr) {
  const CallInfo& info = *instr.call;
  const int64_t rank = static_cast<int64_t>(info.args.size());
  const Slot pointer = machine.FrameAllocate(rank * 8, "shape");
  if (pointer == 0) return false;
  for (int64_t i = 0; i < rank; ++i) {
    const Slot extent = regs[info.args[static_cast<size_t>(i)]];
    if (!WriteNumber(machine, At(pointer, i * 8), {0, 8, true}, extent)) return false;
  }
  regs[instr.d] = pointer;
  return true;
}

bool StackMakeArray(Machine& machine, Slot* regs, const Instr& instr) {
  const CallInfo& info = *instr.call;
  const Slot pointer = machine.FrameAllocate(kTensorBytes, "tensor");
  if (pointer == 0) return false;
  machine.memory().Find(pointer)->flags |= Allocation::kTensorRecord;
  const DataType dtype = info.dtypes[4];
  const auto arg = [&](size_t i) { return regs[info.args[i]]; };
  const Slot offset =
      static_cast<Slot>(static_cast<uint64_t>(arg(5)) * static_cast<uint64_t>(dtype.bytes()));
  const std::pair<Field, Slot> fields[] = {{Field::kData, arg(0)},
                                           {Field::kShape, arg(1)},
                                           {Field::kStrides, arg(2)},
                                           {Field::kNdim, arg(3)},
                                           {Field::kCode, static_cast<Slot>(dtype.code())},
                                           {Field::kBits, dtype.bits()},
                                           {Field::kLanes, dtype.lanes()},
                                           {Field::kByteOffset, offset},
                                           {Field::kDeviceId, 0},
                                           {Field::kDeviceType, 1}};
  for (const auto& [field, value] : fields) {
    const Place place = PlaceOf(field);
    if (!WriteNumber(machine, At(pointer, place.offset), place, value)) return false;
  }
  regs[instr.d] = pointer;
  return true;
}

bool StructGet(Machine& machine, Slot* regs, const Instr& instr) {
  const CallInfo& info = *instr.call;
  Slot pointer;
  Field field;
  if (!FieldPointer(machine, regs, info, &pointer, &field)) return false;
  if (field == Field::kAddress) return regs[instr.d] = pointer, true;
  Slot value;
  if (!ReadNumber(machine, pointer, PlaceOf(field), &value)) return false;
  // Arguments are int64 and float64 in memory.
  const DataType to = info.result;
  if (to.is_float() && to.bits() == 32) {
    value = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(value)));
  } else if (to.is_integer()) {
    value = WrapInt(value, 64 - to.bits(), to.is_int());
  }
  regs[instr.d] = value;
  return true;
}

bool StructSet(Machine& machine, Slot* regs, const Instr& instr) {
  const CallInfo& info = *instr.call;
  Slot pointer;
  Field field;
  if (!FieldPointer(machine, regs, info, &pointer, &field)) return false;
  if (field == Field::kAddress) {
    return machine.Fail(DiagnosticKind::kUnsupported, "the address of a record cannot be set");
  }
  Slot value = regs[info.args[3]];
  const DataType from = info.dtypes[3];
  if (field == Field::kValue && from.is_float() && from.bits() == 32) {
    const float number = std::bit_cast<float>(static_cast<uint32_t>(value));
    value = std::bit_cast<Slot>(static_cast<double>(number));
  }
  regs[instr.d] = 0;
  return WriteNumber(machine, pointer, PlaceOf(field), value);
}

// Operands: values, type codes, begin, end, and perhaps a resource handle.
bool CallPackedLowered(Machine& machine, Slot* regs, const Instr& instr) {
  const CallInfo& info = *instr.call;
  if (info.imm < 0) {
    return machine.Fail(DiagnosticKind::kUnknownFunction,
                        fmt::format("the module has no function `{}`", info.name));
  }
  const Slot values = regs[info.args[0]];
  const Slot codes = regs[info.args[1]];
  const Slot begin = regs[info.args[2]];
  const Slot end = regs[info.args[3]];
  if (begin < 0 || end < begin || end - begin > 4096) {
    return machine.Fail(DiagnosticKind::kArguments,
                        "a packed call with a wrong range of arguments");
  }
  const auto index = static_cast<int32_t>(info.imm);
  const FunctionCode& callee = machine.module().functions[static_cast<size_t>(index)];
  const Slot first = At(values, begin * 8);
  if (!callee.packed_abi) {
    std::vector<Slot> arguments;
    for (int64_t i = 0; i < end - begin; ++i) {
      Slot value;
      if (!ReadNumber(machine, At(first, i * 8), {0, 8, true}, &value)) return false;
      arguments.push_back(value);
    }
    const size_t params = callee.params.size();
    for (size_t i = 0; i < std::min(arguments.size(), params); ++i)
      arguments[i] = FromPackedValue(arguments[i], callee.function->func->params[i]->dtype);
    // The last argument may be the resource handle.
    if (arguments.size() == params + 1) arguments.pop_back();
    return machine.Call(index, arguments, &regs[instr.d]);
  }
  const Slot result = machine.FrameAllocate(16, "result");
  if (result == 0) return false;
  const std::vector<Slot> arguments = {first,  At(codes, begin * 4), end - begin,
                                       result, At(result, 8),        0};
  return machine.Call(index, arguments, &regs[instr.d]);
}

bool AllocWorkspace(Machine& machine, Slot* regs, const Instr& instr) {
  const Slot size = regs[instr.call->args[2]];
  regs[instr.d] = machine.FrameAllocate(size, "workspace");
  return regs[instr.d] != 0;
}

bool FreeWorkspace(Machine& machine, Slot* regs, const Instr& instr) {
  const Slot pointer = regs[instr.call->args[2]];
  if (machine.Access(pointer, 0, true) == nullptr) return false;
  // Usually the most recent allocation.
  std::vector<Slot>& made = machine.memory().frame_allocations;
  const auto found = std::find(made.rbegin(), made.rend(), pointer);
  if (found == made.rend())
    return machine.Fail(DiagnosticKind::kNullPointer, "the freed pointer is not a workspace");
  machine.memory().Free(pointer);
  // Another allocation may reuse the number from now on.
  *found = 0;
  if (found == made.rbegin()) made.pop_back();
  regs[instr.d] = 0;
  return true;
}

// The operands are data and the offset in elements of imm bytes.
bool AccessPointer(Machine& machine, Slot* regs, const Instr& instr) {
  const CallInfo& info = *instr.call;
  const Slot pointer = regs[info.args[0]];
  int64_t offset;
  const Allocation* allocation = machine.memory().Find(pointer);
  if (allocation == nullptr) {
    return machine.Fail(DiagnosticKind::kNullPointer, "an access pointer from a null pointer");
  }
  if (__builtin_mul_overflow(regs[info.args[1]], info.imm, &offset) ||
      __builtin_add_overflow(offset, Memory::Offset(pointer), &offset) || offset < 0 ||
      offset > allocation->size) {
    return machine.Fail(DiagnosticKind::kOutOfBounds,
                        fmt::format("an access pointer at element {} is outside `{}`, which has {} "
                                    "bytes",
                                    regs[info.args[1]], allocation->name, allocation->size));
  }
  regs[instr.d] = At(pointer, offset - Memory::Offset(pointer));
  return true;
}

bool Machine::Unpack(Slot pointer, Slot* data) {
  *data = pointer;
  const Allocation* allocation = memory_.Find(pointer);
  if (allocation == nullptr || (allocation->flags & Allocation::kTensorRecord) == 0) return true;
  Slot address;
  Slot offset;
  if (!ReadNumber(*this, pointer, PlaceOf(Field::kData), &address) ||
      !ReadNumber(*this, At(pointer, PlaceOf(Field::kByteOffset).offset),
                  PlaceOf(Field::kByteOffset), &offset)) {
    return false;
  }
  *data = At(address, offset);
  return true;
}

Slot Machine::FrameAllocate(int64_t size, std::string_view name) {
  const Slot pointer = memory_.Allocate(size, name, false);
  if (pointer == 0) {
    Fail(DiagnosticKind::kMemoryLimit,
         fmt::format("`{}` of {} bytes is more than the {} bytes that a run may use", name, size,
                     memory_.limit()));
    return 0;
  }
  memory_.frame_allocations.push_back(pointer);
  return pointer;
}

}  // namespace tenon::interp
