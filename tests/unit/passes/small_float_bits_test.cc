#include "passes/lowering/small_float_bits.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "absl/container/flat_hash_map.h"
#include "arith/eval.h"
#include "ir/builtins.h"
#include "ir/context.h"
#include "support/half.h"

namespace tenon {
namespace {

/// Evaluates the expressions of the rules: arith's evaluator lacks reinterpret and <math.h>.
class Machine {
 public:
  ScalarValue Run(const Expr* expr) {
    switch (expr->kind) {
      case NodeKind::kLet: {
        const auto* let = cast<Let>(expr);
        values_[let->var] = Run(let->value);
        return Run(let->body);
      }
      case NodeKind::kSelect: {
        const auto* select = cast<Select>(expr);
        return Run(select->condition).integer != 0 ? Run(select->true_value)
                                                   : Run(select->false_value);
      }
      case NodeKind::kCall:
        return RunCall(cast<Call>(expr));
      default:
        return RunPlain(expr);
    }
  }

  absl::flat_hash_map<const Var*, ScalarValue> values_;

 private:
  /// Evaluates operands with this class, and the node itself with arith's evaluator.
  ScalarValue RunPlain(const Expr* expr) {
    if (const auto* var = dyn_cast<Var>(expr)) return values_.at(var);
    if (isa<IntImm>(expr) || isa<FloatImm>(expr)) return *EvaluateExpr(expr);
    if (const auto* conversion = dyn_cast<Cast>(expr)) {
      const Var* in = Name(conversion->value);
      return *EvaluateExpr(nodes_.New<Cast>({}, expr->dtype, in), values_);
    }
    const auto* node = static_cast<const BinaryExpr*>(expr);
    BinaryExpr copy = *node;
    copy.a = Name(node->a);
    copy.b = Name(node->b);
    return *EvaluateExpr(arena_.New<BinaryExpr>(copy), values_);
  }

  const Var* Name(const Expr* operand) {
    const Var* var = nodes_.NewVar("t", operand->dtype);
    values_[var] = Run(operand);
    return var;
  }

  ScalarValue RunCall(const Call* call) {
    const ScalarValue x = Run(call->args[0]);
    switch (call->op->kind) {
      case OpKind::kReinterpret:
        if (call->dtype.is_floating()) {
          return ScalarValue::Float(call->dtype,
                                    std::bit_cast<float>(static_cast<uint32_t>(x.integer)));
        }
        return ScalarValue::Int(call->dtype, std::bit_cast<uint32_t>(static_cast<float>(x.real)));
      case OpKind::kNearbyint:
        return ScalarValue::Float(call->dtype, std::nearbyint(x.real));
      case OpKind::kFabs:
        return ScalarValue::Float(call->dtype, std::fabs(x.real));
      default: {
        std::vector<const Expr*> args;
        for (const Expr* arg : call->args) args.push_back(Name(arg));
        const Expr* flat = nodes_.New<Call>(
            {}, call->dtype, call->op, arena_.Copy(Span<const Expr*>(args.data(), args.size())));
        return *EvaluateExpr(flat, values_);
      }
    }
  }

  Context context_;
  Arena arena_;
  NodeBuilder nodes_{context_, arena_};
};

class SmallFloatBits : public testing::TestWithParam<DataType> {
 protected:
  int64_t Encode(DataType from, double value) {
    const Var* x = nodes_.NewVar("x", from);
    Machine machine;
    machine.values_[x] = ScalarValue::Float(from, value);
    return machine.Run(EncodeSmallFloat(make_, GetParam(), x)).integer;
  }

  Context context_;
  Arena arena_;
  NodeBuilder nodes_{context_, arena_};
  IntrinBuilder make_{nodes_, {}};
};

TEST_P(SmallFloatBits, DecodesEveryPattern) {
  const Var* x = nodes_.NewVar("x", BitsOf(GetParam()));
  const Expr* decoded = DecodeSmallFloat(make_, GetParam(), x);
  // All 8-bit patterns; every 7th 16-bit pattern, which covers each exponent.
  const int64_t step = GetParam().bits() == 8 ? 1 : 7;
  for (int64_t bits = 0; bits < int64_t{1} << GetParam().bits(); bits += step) {
    Machine machine;
    machine.values_[x] = ScalarValue::Int(x->dtype, bits);
    const double have = machine.Run(decoded).real;
    const double want = SmallFloatValue(GetParam(), bits);
    ASSERT_TRUE(std::isnan(want) ? std::isnan(have)
                                 : have == want && std::signbit(have) == std::signbit(want))
        << bits << " gives " << have << ", expected " << want;
  }
}

TEST_P(SmallFloatBits, RoundsAsTheLibraryDoes) {
  std::mt19937 random(11);
  const double places = std::ldexp(1, -24);
  for (int i = 0; i < 1500; ++i) {
    const auto pattern = static_cast<int64_t>(random() & ((1u << GetParam().bits()) - 1));
    const double at = SmallFloatValue(GetParam(), pattern);
    const double next = SmallFloatValue(GetParam(), pattern ^ 1);
    // A value of the format, the midpoint to the next value, and adjacent float32 values.
    for (const double value :
         {at, (at + next) / 2, at * (1 + places * 2), (at + next) / 2 * (1 + places * 2)}) {
      const auto single = static_cast<float>(value);
      if (std::isnan(single)) continue;
      ASSERT_EQ(Encode(DataType::Float(32), single), SmallFloatPattern(GetParam(), single))
          << single;
      // A float64 closer to the midpoint than any float32.
      const double close = value * (1 + std::ldexp(1, -40));
      ASSERT_EQ(Encode(DataType::Float(64), close), SmallFloatPattern(GetParam(), close)) << close;
    }
  }
}

TEST_P(SmallFloatBits, Extremes) {
  for (const double value : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 3e38, -3e38, 65519.0, 65520.0, 464.0,
                             465.0, 61440.0, 1e-40, 1e-45}) {
    const auto single = static_cast<float>(value);
    EXPECT_EQ(Encode(DataType::Float(32), single), SmallFloatPattern(GetParam(), single)) << single;
  }
  EXPECT_TRUE(std::isnan(SmallFloatValue(GetParam(), Encode(DataType::Float(32), NAN))));
  EXPECT_TRUE(std::isnan(SmallFloatValue(GetParam(), Encode(DataType::Float(64), NAN))));
}

INSTANTIATE_TEST_SUITE_P(Formats, SmallFloatBits,
                         testing::Values(DataType::Float(16), DataType(TypeCode::kBFloat, 16),
                                         DataType(TypeCode::kE4M3Float, 8),
                                         DataType(TypeCode::kE5M2Float, 8)),
                         [](const auto& test) { return test.param.ToString(); });

}  // namespace
}  // namespace tenon
