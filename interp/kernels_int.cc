#include <bit>

#include "interp/kernels.h"
#include "ir/builtins.h"

namespace tenon::interp {
namespace {

// Operations on integers extended to 64 bits. `S` is Slot for signed dtypes, uint64_t for unsigned
// ones.
struct AddOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return static_cast<uint64_t>(a) + static_cast<uint64_t>(b);
  }
};
struct SubOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
  }
};
struct MulOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
  }
};
struct MinOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return static_cast<uint64_t>(a < b ? a : b);
  }
};
struct MaxOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return static_cast<uint64_t>(a > b ? a : b);
  }
};
struct EqOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return a == b;
  }
};
struct NeOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return a != b;
  }
};
struct LtOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return a < b;
  }
};
struct LeOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return a <= b;
  }
};
struct GtOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return a > b;
  }
};
struct GeOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return a >= b;
  }
};
struct AndOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return static_cast<uint64_t>(a & b);
  }
};
struct OrOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return static_cast<uint64_t>(a | b);
  }
};
struct XorOp {
  template <class S>
  static uint64_t Do(S a, S b) {
    return static_cast<uint64_t>(a ^ b);
  }
};

template <class Op, class S>
Fault IntKernel(Slot* regs, const Instr& instr) {
  constexpr bool kSigned = std::is_same_v<S, Slot>;
  for (int i = 0; i < instr.lanes; ++i) {
    const S a = static_cast<S>(regs[instr.a + i]);
    const S b = static_cast<S>(regs[instr.b + i]);
    regs[instr.d + i] = WrapInt(static_cast<Slot>(Op::Do(a, b)), instr.shift, kSigned);
  }
  return Fault::kNone;
}

template <class Op, class S>
Fault CompareKernel(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    regs[instr.d + i] = static_cast<Slot>(
        Op::Do(static_cast<S>(regs[instr.a + i]), static_cast<S>(regs[instr.b + i])));
  }
  return Fault::kNone;
}

enum class Division { kDiv, kMod, kFloorDiv, kFloorMod };

template <Division D, class S>
S Divide(S a, S b) {
  if constexpr (std::is_same_v<S, Slot>) {
    // The only quotient that does not fit wraps.
    if (b == -1) {
      if (D == Division::kMod || D == Division::kFloorMod) return 0;
      return static_cast<S>(0 - static_cast<uint64_t>(a));
    }
    const S quotient = a / b;
    const S remainder = a % b;
    const bool down = remainder != 0 && (remainder < 0) != (b < 0);
    if (D == Division::kDiv) return quotient;
    if (D == Division::kMod) return remainder;
    if (D == Division::kFloorDiv) return quotient - (down ? 1 : 0);
    return down ? remainder + b : remainder;
  } else {
    return D == Division::kDiv || D == Division::kFloorDiv ? a / b : a % b;
  }
}

template <Division D, class S>
Fault DivideKernel(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    const S b = static_cast<S>(regs[instr.b + i]);
    if (b == 0) return Fault::kDivisionByZero;
    const S value = Divide<D>(static_cast<S>(regs[instr.a + i]), b);
    regs[instr.d + i] = WrapInt(static_cast<Slot>(value), instr.shift, std::is_same_v<S, Slot>);
  }
  return Fault::kNone;
}

template <bool Left, bool Signed>
Fault ShiftKernel(Slot* regs, const Instr& instr) {
  const uint64_t bits = 64 - instr.shift;
  for (int i = 0; i < instr.lanes; ++i) {
    const Slot a = regs[instr.a + i];
    const uint64_t count = static_cast<uint64_t>(regs[instr.b + i]);
    if (count >= bits) return Fault::kShiftRange;
    if constexpr (Left) {
      regs[instr.d + i] =
          WrapInt(static_cast<Slot>(static_cast<uint64_t>(a) << count), instr.shift, Signed);
    } else if constexpr (Signed) {
      regs[instr.d + i] = a >> count;
    } else {
      regs[instr.d + i] = static_cast<Slot>(static_cast<uint64_t>(a) >> count);
    }
  }
  return Fault::kNone;
}

template <class F>
Fault UnaryInt(Slot* regs, const Instr& instr, F f) {
  for (int i = 0; i < instr.lanes; ++i) regs[instr.d + i] = f(regs[instr.a + i]);
  return Fault::kNone;
}

Fault BitwiseNotKernel(Slot* regs, const Instr& instr) {
  return UnaryInt(regs, instr, [&](Slot a) { return WrapInt(~a, instr.shift, instr.is_signed); });
}
Fault PopcountKernel(Slot* regs, const Instr& instr) {
  return UnaryInt(regs, instr, [&](Slot a) -> Slot {
    return std::popcount(static_cast<uint64_t>(WrapInt(a, instr.shift, false)));
  });
}
// Zero has as many leading zeros as the width.
Fault ClzKernel(Slot* regs, const Instr& instr) {
  return UnaryInt(regs, instr, [&](Slot a) -> Slot {
    return std::countl_zero(static_cast<uint64_t>(WrapInt(a, instr.shift, false))) - instr.shift;
  });
}
Fault AbsKernel(Slot* regs, const Instr& instr) {
  return UnaryInt(regs, instr, [&](Slot a) {
    return !instr.is_signed || a >= 0
               ? a
               : WrapInt(static_cast<Slot>(0 - static_cast<uint64_t>(a)), instr.shift, true);
  });
}
template <int Value>
Fault ConstantKernel(Slot* regs, const Instr& instr) {
  return UnaryInt(regs, instr, [](Slot) -> Slot { return Value; });
}
Fault IdentityKernel(Slot* regs, const Instr& instr) {
  return UnaryInt(regs, instr, [](Slot a) { return a; });
}

template <class S>
Kernel BinaryOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kAdd:
      return IntKernel<AddOp, S>;
    case NodeKind::kSub:
      return IntKernel<SubOp, S>;
    case NodeKind::kMul:
      return IntKernel<MulOp, S>;
    case NodeKind::kDiv:
      return DivideKernel<Division::kDiv, S>;
    case NodeKind::kMod:
      return DivideKernel<Division::kMod, S>;
    case NodeKind::kFloorDiv:
      return DivideKernel<Division::kFloorDiv, S>;
    case NodeKind::kFloorMod:
      return DivideKernel<Division::kFloorMod, S>;
    case NodeKind::kMin:
      return CompareKernel<MinOp, S>;
    case NodeKind::kMax:
      return CompareKernel<MaxOp, S>;
    case NodeKind::kEQ:
      return CompareKernel<EqOp, S>;
    case NodeKind::kNE:
      return CompareKernel<NeOp, S>;
    case NodeKind::kLT:
      return CompareKernel<LtOp, S>;
    case NodeKind::kLE:
      return CompareKernel<LeOp, S>;
    case NodeKind::kGT:
      return CompareKernel<GtOp, S>;
    case NodeKind::kGE:
      return CompareKernel<GeOp, S>;
    case NodeKind::kAnd:
      return CompareKernel<AndOp, S>;
    case NodeKind::kOr:
      return CompareKernel<OrOp, S>;
    default:
      return nullptr;
  }
}

template <class S>
Kernel IntegerOf(OpKind op) {
  constexpr bool kSigned = std::is_same_v<S, Slot>;
  switch (op) {
    case OpKind::kShiftLeft:
      return ShiftKernel<true, kSigned>;
    case OpKind::kShiftRight:
      return ShiftKernel<false, kSigned>;
    case OpKind::kBitwiseAnd:
      return CompareKernel<AndOp, S>;
    case OpKind::kBitwiseOr:
      return CompareKernel<OrOp, S>;
    case OpKind::kBitwiseXor:
      return CompareKernel<XorOp, S>;
    case OpKind::kBitwiseNot:
      return BitwiseNotKernel;
    case OpKind::kPopcount:
      return PopcountKernel;
    case OpKind::kClz:
      return ClzKernel;
    case OpKind::kFabs:
      return AbsKernel;
    case OpKind::kFloor:
    case OpKind::kCeil:
    case OpKind::kTrunc:
    case OpKind::kRound:
    case OpKind::kNearbyint:
    case OpKind::kRoundeven:
      return IdentityKernel;
    case OpKind::kIsnan:
    case OpKind::kIsinf:
      return ConstantKernel<0>;
    case OpKind::kIsfinite:
      return ConstantKernel<1>;
    default:
      return nullptr;
  }
}

}  // namespace

Kernel BinaryIntKernel(NodeKind kind, DataType dtype) {
  return dtype.is_int() ? BinaryOf<Slot>(kind) : BinaryOf<uint64_t>(kind);
}

Kernel IntegerKernel(OpKind op, DataType dtype) {
  if (!dtype.is_integer()) return nullptr;
  return dtype.is_int() ? IntegerOf<Slot>(op) : IntegerOf<uint64_t>(op);
}

}  // namespace tenon::interp
