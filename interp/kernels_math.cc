#include <cmath>

#include "interp/float_format.h"
#include "interp/kernels.h"
#include "ir/builtins.h"

namespace tenon::interp {
namespace {

// One struct per function; std's overloads call C's float function (expf) for float and its double
// function for double.
#define TENON_UNARY(Name, expression)    \
  struct Name {                          \
    template <class C>                   \
    static C Do(C x) {                   \
      return static_cast<C>(expression); \
    }                                    \
  };
TENON_UNARY(ExpOp, std::exp(x))
TENON_UNARY(Exp2Op, std::exp2(x))
TENON_UNARY(Exp10Op, std::pow(C{10}, x))
TENON_UNARY(LogOp, std::log(x))
TENON_UNARY(Log2Op, std::log2(x))
TENON_UNARY(Log10Op, std::log10(x))
TENON_UNARY(Log1pOp, std::log1p(x))
TENON_UNARY(SqrtOp, std::sqrt(x))
TENON_UNARY(RsqrtOp, C{1} / std::sqrt(x))
TENON_UNARY(SigmoidOp, C{1} / (C{1} + std::exp(-x)))
TENON_UNARY(TanhOp, std::tanh(x))
TENON_UNARY(SinOp, std::sin(x))
TENON_UNARY(CosOp, std::cos(x))
TENON_UNARY(TanOp, std::tan(x))
TENON_UNARY(SinhOp, std::sinh(x))
TENON_UNARY(CoshOp, std::cosh(x))
TENON_UNARY(AsinOp, std::asin(x))
TENON_UNARY(AcosOp, std::acos(x))
TENON_UNARY(AtanOp, std::atan(x))
TENON_UNARY(AsinhOp, std::asinh(x))
TENON_UNARY(AcoshOp, std::acosh(x))
TENON_UNARY(AtanhOp, std::atanh(x))
TENON_UNARY(ErfOp, std::erf(x))
TENON_UNARY(FloorOp, std::floor(x))
TENON_UNARY(CeilOp, std::ceil(x))
TENON_UNARY(TruncOp, std::trunc(x))
TENON_UNARY(RoundOp, std::round(x))
TENON_UNARY(NearbyintOp, std::nearbyint(x))
TENON_UNARY(RoundevenOp, std::nearbyint(x))
TENON_UNARY(FabsOp, std::fabs(x))
#undef TENON_UNARY

#define TENON_BINARY(Name, expression)   \
  struct Name {                          \
    template <class C>                   \
    static C Do(C x, C y) {              \
      return static_cast<C>(expression); \
    }                                    \
  };
TENON_BINARY(Atan2Op, std::atan2(x, y))
TENON_BINARY(HypotOp, std::hypot(x, y))
TENON_BINARY(CopysignOp, std::copysign(x, y))
TENON_BINARY(NextafterOp, std::nextafter(x, y))
TENON_BINARY(PowOp, std::pow(x, y))
TENON_BINARY(FmodOp, std::fmod(x, y))
#undef TENON_BINARY

template <class Op, class F>
Fault Unary(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    regs[instr.d + i] = F::Put(Op::Do(F::Get(regs[instr.a + i])));
  }
  return Fault::kNone;
}

template <class Op, class F>
Fault Binary(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    regs[instr.d + i] = F::Put(Op::Do(F::Get(regs[instr.a + i]), F::Get(regs[instr.b + i])));
  }
  return Fault::kNone;
}

// The second operand is an int32 register.
template <class F>
Fault Ldexp(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    const int exponent = static_cast<int>(regs[instr.b + i]);
    regs[instr.d + i] = F::Put(std::ldexp(F::Get(regs[instr.a + i]), exponent));
  }
  return Fault::kNone;
}

template <class F>
Fault Fma(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    regs[instr.d + i] = F::Put(
        std::fma(F::Get(regs[instr.a + i]), F::Get(regs[instr.b + i]), F::Get(regs[instr.c + i])));
  }
  return Fault::kNone;
}

enum class Class { kNan, kInf, kFinite };

template <Class What, class F>
Fault Classify(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    const auto x = F::Get(regs[instr.a + i]);
    regs[instr.d + i] = What == Class::kNan   ? std::isnan(x)
                        : What == Class::kInf ? std::isinf(x)
                                              : std::isfinite(x);
  }
  return Fault::kNone;
}

/// Builtins with two or more arguments, and tests.
template <class F>
Kernel OtherMathOf(OpKind op) {
  switch (op) {
    case OpKind::kAtan2:
      return Binary<Atan2Op, F>;
    case OpKind::kHypot:
      return Binary<HypotOp, F>;
    case OpKind::kCopysign:
      return Binary<CopysignOp, F>;
    case OpKind::kNextafter:
      return Binary<NextafterOp, F>;
    case OpKind::kPow:
      return Binary<PowOp, F>;
    case OpKind::kFmod:
      return Binary<FmodOp, F>;
    case OpKind::kLdexp:
      return Ldexp<F>;
    case OpKind::kFma:
      return Fma<F>;
    case OpKind::kIsnan:
      return Classify<Class::kNan, F>;
    case OpKind::kIsinf:
      return Classify<Class::kInf, F>;
    case OpKind::kIsfinite:
      return Classify<Class::kFinite, F>;
    default:
      return nullptr;
  }
}

template <class F>
Kernel MathOf(OpKind op) {
  switch (op) {
#define TENON_CASE(Name) \
  case OpKind::k##Name:  \
    return Unary<Name##Op, F>;
    TENON_CASE(Exp)
    TENON_CASE(Exp2)
    TENON_CASE(Exp10)
    TENON_CASE(Log)
    TENON_CASE(Log2)
    TENON_CASE(Log10)
    TENON_CASE(Log1p)
    TENON_CASE(Sqrt)
    TENON_CASE(Rsqrt)
    TENON_CASE(Sigmoid)
    TENON_CASE(Tanh)
    TENON_CASE(Sin)
    TENON_CASE(Cos)
    TENON_CASE(Tan)
    TENON_CASE(Sinh)
    TENON_CASE(Cosh)
    TENON_CASE(Asin)
    TENON_CASE(Acos)
    TENON_CASE(Atan)
    TENON_CASE(Asinh)
    TENON_CASE(Acosh)
    TENON_CASE(Atanh)
    TENON_CASE(Erf)
    TENON_CASE(Floor)
    TENON_CASE(Ceil)
    TENON_CASE(Trunc)
    TENON_CASE(Round)
    TENON_CASE(Nearbyint)
    TENON_CASE(Roundeven)
    TENON_CASE(Fabs)
#undef TENON_CASE
    default:
      return OtherMathOf<F>(op);
  }
}

}  // namespace

Kernel MathKernel(OpKind op, DataType dtype) {
  return WithFloatFormat(dtype, [op](auto f) { return MathOf<decltype(f)>(op); });
}

}  // namespace tenon::interp
