#ifndef TENON_INTERP_CODE_H_
#define TENON_INTERP_CODE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

// The instructions of a register machine, to which functions are compiled. Each lane of a value
// takes one 64-bit register. Integers are sign- or zero-extended to int64 (so that widening casts
// are free), floats are their bit pattern, zero-extended; see memory.h for pointers. Control flow
// uses jumps, and running expressions needs no recursion.

namespace tenon::interp {

using Slot = int64_t;

/// The errors of kernels.
enum class Fault : uint8_t { kNone, kDivisionByZero, kShiftRange };

struct Instr;
class Machine;
/// Computes registers from registers.
using Kernel = Fault (*)(Slot* regs, const Instr& instr);

enum class Opcode : uint8_t {
  kMove,    ///< d[lanes] = a[lanes]
  kSplat,   ///< d[lanes] = a
  kKernel,  ///< kernel
  kAddI32,  ///< scalars
  kSubI32,
  kMulI32,
  kAddF32,
  kMulF32,
  kLtI64,
  kJump,        ///< to `target`
  kJumpIfZero,  ///< of a
  kLoopTest,    ///< jumps to `target` unless a < b
  kLoopNext,    ///< ++d; jumps to `target` if d < b; counts a step
  kStep,        ///< counts a step
  kLinear,      ///< d[lanes] = element index of access->dims
  kLoad,        ///< d[lanes] from pointer a at element index b (extent c, or no check if c < 0)
  kLoadGather,  ///< like kLoad, for a vector of indices; skips lanes where e is 0 (e < 0: skips
                ///< none)
  kStore,       ///< d[lanes] to pointer a at index b
  kStoreGather,
  kAddress,   ///< d = pointer a + index b
  kAllocate,  ///< d = pointer to new storage, described by `allocation`
  kFree,      ///< frees the storage that a points to
  kConstant,  ///< d = pointer to constant or string number `imm`
  kCall,      ///< d = result of `call`
  kHost,      ///< `call->host`
  kReturn,    ///< a
  kAssert,    ///< fails with `message` if a is 0
  kFail,      ///< fails with `message`
};

struct Access;
struct AllocationSite;
struct CallInfo;
struct Message;

struct Instr {
  Opcode op = Opcode::kMove;
  uint8_t shift = 0;    ///< of integer kernels: 64 - bits of the dtype
  uint8_t shift_b = 0;  ///< the same for the source type of conversions
  bool is_signed = false;
  int32_t lanes = 1;
  int32_t d = 0;
  int32_t a = 0;
  int32_t b = 0;
  int32_t c = -1;
  int32_t e = -1;
  int32_t f = -1;
  union {
    Kernel kernel;
    int64_t target;
    int64_t imm;
    const Access* access;
    const AllocationSite* allocation;
    const CallInfo* call;
    const Message* message;
  };
  Instr() : imm(0) {}
};

/// The memory representation of an element.
enum class Element : uint8_t { kI8, kI16, kI32, kI64, kU8, kU16, kU32, kBool, kOdd };

/// A read or write of a buffer in the program.
struct Access {
  std::string_view buffer;  ///< its name
  const Var* data = nullptr;
  Element element;
  uint8_t element_bytes = 1;  ///< bytes of one lane
  int32_t buffer_lanes = 1;   ///< lanes of the buffer's dtype
  uint8_t shift = 0;          ///< kOdd: 64 - bits
  bool is_signed = false;
  bool index_vector = false;  ///< the index register has one index per lane
  int32_t index_lanes = 1;    ///< consecutive elements the access touches (a Ramp of stride 1)
  /// Index, extent and stride registers of a dimension; stride < 0: row-major.
  struct Dim {
    int32_t index;
    int32_t index_lanes;
    int32_t extent;
    int32_t stride;
  };
  std::vector<Dim> dims;
  int32_t offset = -1;  ///< register of the element offset, or -1
};

/// A statement that allocates.
struct AllocationSite {
  std::string_view name;
  const Var* var = nullptr;
  int64_t element_bytes = 1;
  std::vector<int32_t> extents;
  int64_t static_bytes = 0;  ///< the size if the extents are constants, otherwise 0
};

struct CallInfo {
  int32_t callee = -1;  ///< index of the function
  std::string_view name;
  std::vector<int32_t> args;     ///< the register of each argument
  std::vector<DataType> dtypes;  ///< the dtype of each argument
  DataType result;
  int64_t imm = 0;
  bool packed = false;
  /// For kHost. Returns false after reporting an error.
  bool (*host)(Machine& machine, Slot* regs, const Instr& instr) = nullptr;
};

struct Message {
  uint8_t kind = 0;  ///< a DiagnosticKind
  std::string text;
};

/// A variable of a signature whose value comes from a tensor's shape.
struct ShapeBinding {
  enum class What : uint8_t { kExtent, kStride, kOffset };
  What what = What::kExtent;
  int32_t param = 0;
  int32_t dim = 0;
  int32_t reg = 0;
};

/// One compiled function.
struct FunctionCode {
  const Function* function = nullptr;
  std::string_view name;
  std::vector<Instr> code;
  std::vector<SourceRange> ranges;  ///< one per instruction
  std::vector<Slot> constants;      ///< copied to the end of the frame
  int32_t first_constant = 0;
  int64_t frame_size = 0;
  std::vector<int32_t> params;  ///< register of each parameter
  std::vector<int32_t> data;    ///< for each parameter the register of its buffer's data pointer,
                                ///< or -1
  std::vector<int32_t> linked;  ///< the number of the constant bound to each parameter, or -1
  std::vector<ShapeBinding> bindings;
  std::vector<std::unique_ptr<Access>> accesses;
  std::vector<std::unique_ptr<AllocationSite>> allocations;
  std::vector<std::unique_ptr<CallInfo>> calls;
  std::vector<std::unique_ptr<Message>> messages;
};

/// Data that functions point to: a constant or a string.
struct Datum {
  const Constant* constant = nullptr;
  std::string text;
};

struct ModuleCode {
  explicit ModuleCode(const IRModule& module) : module(module) {}
  IRModule module;
  std::vector<FunctionCode> functions;
  absl::flat_hash_map<Symbol, int32_t> index;
  std::vector<Datum> data;
  absl::flat_hash_map<const Constant*, int32_t> constant_index;
};

}  // namespace tenon::interp

#endif  // TENON_INTERP_CODE_H_
