// Rules for mathematics and bits, apart from the divisions of intrin_rules.cc. Bits are counted
// without tables or loops (Warren, Hacker's Delight, chapter 5), since lanes have neither.

#include <limits>

#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "passes/lowering/intrin_rules.h"

namespace tenon {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The byte `pattern` in every byte of the dtype.
const Expr* Bytes(const IntrinBuilder& make, DataType dtype, uint64_t pattern) {
  return make.Int(dtype, static_cast<int64_t>(pattern * 0x0101010101010101ull));
}

/// The number of one bits of an unsigned integer: adds neighbouring bits, pairs and nibbles, then
/// all bytes by a multiplication (Warren, Hacker's Delight, 5-1).
const Expr* CountOnes(const IntrinBuilder& make, const Expr* value) {
  const DataType dtype = value->dtype;
  return make.Share(value, [&](const Expr* x) {
    const Expr* odd = make.And(make.ShiftRight(x, 1), Bytes(make, dtype, 0x55));
    return make.Share(make.Sub(x, odd), [&](const Expr* pairs) {
      const Expr* mask = Bytes(make, dtype, 0x33);
      const Expr* sum = make.Add(make.And(pairs, mask), make.And(make.ShiftRight(pairs, 2), mask));
      return make.Share(sum, [&](const Expr* nibbles) {
        const Expr* bytes =
            make.And(make.Add(nibbles, make.ShiftRight(nibbles, 4)), Bytes(make, dtype, 0x0f));
        if (dtype.bits() == 8) return bytes;
        return make.ShiftRight(make.Mul(bytes, Bytes(make, dtype, 0x01)), dtype.bits() - 8);
      });
    });
  });
}

/// Spreads the highest one bit downwards; the uncovered bits are the leading zeros.
const Expr* CountLeadingZeros(const IntrinBuilder& make, const Expr* value, int step) {
  if (step >= value->dtype.bits()) {
    return CountOnes(make, make.Call(OpKind::kBitwiseNot, {value}));
  }
  return make.Share(value, [&](const Expr* x) {
    return CountLeadingZeros(make, make.Or(x, make.ShiftRight(x, step)), 2 * step);
  });
}

const Expr* LowerBits(const IntrinBuilder& make, const Call* call) {
  const DataType dtype = call->args[0]->dtype;
  const int bits = dtype.bits();
  if (!dtype.is_integer() || (bits != 8 && bits != 16 && bits != 32 && bits != 64)) return nullptr;
  const Expr* value = make.Convert(DataType::UInt(bits, dtype.lanes()), call->args[0]);
  const Expr* count = call->op->kind == OpKind::kPopcount ? CountOnes(make, value)
                                                          : CountLeadingZeros(make, value, 1);
  return make.Convert(call->dtype.with_lanes(dtype.lanes()), count);
}

/// Rounding, absolute value and classification of integers; null for other calls.
const Expr* LowerOnIntegers(const IntrinBuilder& make, const Call* call) {
  const Expr* x = call->args[0];
  const DataType bools = DataType::Bool(x->dtype.lanes());
  switch (call->op->kind) {
    case OpKind::kFloor:
    case OpKind::kCeil:
    case OpKind::kTrunc:
    case OpKind::kRound:
    case OpKind::kNearbyint:
    case OpKind::kRoundeven:
      return x;
    case OpKind::kFabs:
      if (x->dtype.is_uint()) return x;
      return make.Share(x, [&](const Expr* value) {
        const Expr* zero = make.Int(value->dtype, 0);
        return make.Choose(make.Binary(NodeKind::kGE, value, zero), value, make.Sub(zero, value));
      });
    case OpKind::kIsnan:
    case OpKind::kIsinf:
      return make.Int(bools, 0);
    case OpKind::kIsfinite:
      return make.Int(bools, 1);
    default:
      return nullptr;
  }
}

const Expr* LowerOnFloats(const IntrinBuilder& make, const Call* call) {
  const Expr* x = call->args[0];
  const DataType dtype = x->dtype;
  const auto magnitude = [&] { return make.Call(OpKind::kFabs, {x}); };
  switch (call->op->kind) {
    case OpKind::kSigmoid: {
      const Expr* one = make.Float(dtype, 1);
      const Expr* power = make.Call(OpKind::kExp, {make.Sub(make.Float(dtype, 0), x)});
      return make.Div(one, make.Add(one, power));
    }
    case OpKind::kRsqrt:
      return make.Div(make.Float(dtype, 1), make.Call(OpKind::kSqrt, {x}));
    case OpKind::kExp10:
      return make.Call(OpKind::kPow, {make.Float(dtype, 10), x});
    case OpKind::kIsnan:
      // A NaN compares false with everything; this uses x once, so it needs no let.
      return make.nodes().New<Not>(
          make.range(), make.Binary(NodeKind::kLE, magnitude(), make.Float(dtype, kInfinity)));
    case OpKind::kIsinf:
      return make.Binary(NodeKind::kEQ, magnitude(), make.Float(dtype, kInfinity));
    case OpKind::kIsfinite:
      return make.Binary(NodeKind::kLT, magnitude(), make.Float(dtype, kInfinity));
    default:
      return nullptr;
  }
}

/// c + sum of the products of lanes.
const Expr* LowerDot(const IntrinBuilder& make, const Call* call) {
  const Expr* a = call->args[0];
  const Expr* b = call->args[1];
  const Expr* sum = call->args[2];
  const int lanes = a->dtype.lanes();
  if (lanes < 2 || b->dtype.lanes() != lanes || !sum->dtype.is_scalar()) return nullptr;
  NodeBuilder& nodes = make.nodes();
  const auto lane = [&](const Expr* vector, int i) {
    const Expr* element =
        nodes.New<Shuffle>(make.range(), vector->dtype.element(), nodes.List<Expr>({vector}),
                           nodes.List<Expr>({nodes.Int(i, make.range())}));
    return make.Convert(call->dtype, element);
  };
  for (int i = 0; i < lanes; ++i) sum = make.Add(sum, make.Mul(lane(a, i), lane(b, i)));
  return sum;
}

}  // namespace

const Expr* LowerMathCall(const IntrinBuilder& make, const Call* call, bool expand_bits) {
  switch (call->op->kind) {
    case OpKind::kPopcount:
    case OpKind::kClz:
      return expand_bits ? LowerBits(make, call) : nullptr;
    case OpKind::kLikely:
      return call->args[0];
    case OpKind::kUndef:
      return make.Int(call->dtype, 0);
    case OpKind::kDp4a:
      return LowerDot(make, call);
    case OpKind::kLargeUIntImm: {
      const std::optional<uint64_t> value = LargeUIntValue(call);
      return value ? make.Int(call->dtype, static_cast<int64_t>(*value)) : nullptr;
    }
    default:
      if (call->args.empty()) return nullptr;
      if (call->args[0]->dtype.is_integer()) return LowerOnIntegers(make, call);
      return call->args[0]->dtype.is_floating() ? LowerOnFloats(make, call) : nullptr;
  }
}

}  // namespace tenon
