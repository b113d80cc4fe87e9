#include <cmath>

#include "interp/float_format.h"
#include "interp/kernels.h"

namespace tenon::interp {

Kernel BinaryIntKernel(NodeKind kind, DataType dtype);

namespace {

struct AddOp {
  template <class C>
  static C Do(C a, C b) {
    return a + b;
  }
};
struct SubOp {
  template <class C>
  static C Do(C a, C b) {
    return a - b;
  }
};
struct MulOp {
  template <class C>
  static C Do(C a, C b) {
    return a * b;
  }
};
struct DivOp {
  template <class C>
  static C Do(C a, C b) {
    return a / b;
  }
};
struct ModOp {
  template <class C>
  static C Do(C a, C b) {
    return std::fmod(a, b);
  }
};
struct FloorDivOp {
  template <class C>
  static C Do(C a, C b) {
    return std::floor(a / b);
  }
};
struct FloorModOp {
  template <class C>
  static C Do(C a, C b) {
    const C product = std::floor(a / b) * b;
    return a - product;
  }
};
// With a NaN the comparison is false and the result is b, as in C and LLVM.
struct MinOp {
  template <class C>
  static C Do(C a, C b) {
    return a < b ? a : b;
  }
};
struct MaxOp {
  template <class C>
  static C Do(C a, C b) {
    return a > b ? a : b;
  }
};
struct EqOp {
  template <class C>
  static bool Do(C a, C b) {
    return a == b;
  }
};
struct NeOp {
  template <class C>
  static bool Do(C a, C b) {
    return a != b;
  }
};
struct LtOp {
  template <class C>
  static bool Do(C a, C b) {
    return a < b;
  }
};
struct LeOp {
  template <class C>
  static bool Do(C a, C b) {
    return a <= b;
  }
};
struct GtOp {
  template <class C>
  static bool Do(C a, C b) {
    return a > b;
  }
};
struct GeOp {
  template <class C>
  static bool Do(C a, C b) {
    return a >= b;
  }
};

template <class Op, class F>
Fault FloatKernel(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    regs[instr.d + i] = F::Put(Op::Do(F::Get(regs[instr.a + i]), F::Get(regs[instr.b + i])));
  }
  return Fault::kNone;
}

template <class Op, class F>
Fault CompareKernel(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    regs[instr.d + i] = Op::Do(F::Get(regs[instr.a + i]), F::Get(regs[instr.b + i])) ? 1 : 0;
  }
  return Fault::kNone;
}

template <class F>
Kernel FloatBinary(NodeKind kind) {
  switch (kind) {
    case NodeKind::kAdd:
      return FloatKernel<AddOp, F>;
    case NodeKind::kSub:
      return FloatKernel<SubOp, F>;
    case NodeKind::kMul:
      return FloatKernel<MulOp, F>;
    case NodeKind::kDiv:
      return FloatKernel<DivOp, F>;
    case NodeKind::kMod:
      return FloatKernel<ModOp, F>;
    case NodeKind::kFloorDiv:
      return FloatKernel<FloorDivOp, F>;
    case NodeKind::kFloorMod:
      return FloatKernel<FloorModOp, F>;
    case NodeKind::kMin:
      return FloatKernel<MinOp, F>;
    case NodeKind::kMax:
      return FloatKernel<MaxOp, F>;
    case NodeKind::kEQ:
      return CompareKernel<EqOp, F>;
    case NodeKind::kNE:
      return CompareKernel<NeOp, F>;
    case NodeKind::kLT:
      return CompareKernel<LtOp, F>;
    case NodeKind::kLE:
      return CompareKernel<LeOp, F>;
    case NodeKind::kGT:
      return CompareKernel<GtOp, F>;
    case NodeKind::kGE:
      return CompareKernel<GeOp, F>;
    default:
      return nullptr;
  }
}

}  // namespace

Kernel BinaryKernel(NodeKind kind, DataType dtype) {
  if (dtype.is_floating()) {
    return WithFloatFormat(dtype, [kind](auto f) { return FloatBinary<decltype(f)>(kind); });
  }
  // Pointers compare as their numeric values.
  return BinaryIntKernel(kind, dtype);
}

}  // namespace tenon::interp
