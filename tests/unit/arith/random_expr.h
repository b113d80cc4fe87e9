#ifndef TENON_TESTS_UNIT_ARITH_RANDOM_EXPR_H_
#define TENON_TESTS_UNIT_ARITH_RANDOM_EXPR_H_

#include <random>
#include <vector>

#include "ir/builder.h"
#include "ir/builtins.h"

namespace tenon {

/// Makes random integer and bool expressions over given variables. The same seed gives the same
/// expressions on every machine.
class RandomExpr {
 public:
  /// All variables have one integer dtype, which is the element dtype of the expressions; casts go
  /// through `others`. Leaves of vectors are ramps and broadcasts.
  RandomExpr(NodeBuilder& builder, std::vector<const Var*> vars, std::vector<DataType> others,
             uint32_t seed, int lanes = 1)
      : builder_(builder),
        vars_(std::move(vars)),
        others_(std::move(others)),
        lanes_(lanes),
        engine_(seed) {
    dtype_ = vars_[0]->dtype.with_lanes(lanes);
  }

  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(engine_() % bound); }

  const Expr* Integer(int depth) {
    if (depth <= 0 || Below(8) == 0) return Leaf();
    switch (Below(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return builder_.New<Add>({}, Integer(depth - 1), Integer(depth - 1));
      case 4:
      case 5:
        return builder_.New<Sub>({}, Integer(depth - 1), Integer(depth - 1));
      case 6:
      case 7:
      case 8:
        return builder_.New<Mul>({}, Integer(depth - 1), Constant());
      case 9:
        return builder_.New<Mul>({}, Integer(depth - 1), Integer(depth - 1));
      case 10:
      case 11:
        return builder_.New<FloorDiv>({}, Integer(depth - 1), Divisor(depth));
      case 12:
      case 13:
        return builder_.New<FloorMod>({}, Integer(depth - 1), Divisor(depth));
      case 14:
        return Below(2) == 0 ? static_cast<const Expr*>(
                                   builder_.New<Div>({}, Integer(depth - 1), Divisor(depth)))
                             : builder_.New<Mod>({}, Integer(depth - 1), Divisor(depth));
      case 15:
        return builder_.New<Min>({}, Integer(depth - 1), Integer(depth - 1));
      case 16:
        return builder_.New<Max>({}, Integer(depth - 1), Integer(depth - 1));
      case 17:
        return Choice(depth);
      case 18:
        return ThroughCast(depth);
      default:
        return BitCall(depth);
    }
  }

  const Expr* Condition(int depth) {
    if (depth <= 0) return Wide(builder_.Bool(Below(2) == 0));
    switch (Below(10)) {
      case 0:
        return builder_.New<And>({}, Condition(depth - 1), Condition(depth - 1));
      case 1:
        return builder_.New<Or>({}, Condition(depth - 1), Condition(depth - 1));
      case 2:
        return builder_.New<Not>({}, Condition(depth - 1));
      case 3:
        return builder_.NewCall(DataType::Bool(lanes_), OpKind::kLikely, {Condition(depth - 1)});
      default:
        return Comparison(Integer(depth - 1), Integer(depth - 1));
    }
  }

 private:
  const Expr* Comparison(const Expr* a, const Expr* b) {
    switch (Below(6)) {
      case 0:
        return builder_.New<EQ>({}, a, b);
      case 1:
        return builder_.New<NE>({}, a, b);
      case 2:
        return builder_.New<LT>({}, a, b);
      case 3:
        return builder_.New<LE>({}, a, b);
      case 4:
        return builder_.New<GT>({}, a, b);
      default:
        return builder_.New<GE>({}, a, b);
    }
  }

  const Expr* Leaf() {
    if (Below(4) == 0) return Constant();
    const Expr* var = vars_[Below(static_cast<uint32_t>(vars_.size()))];
    if (lanes_ == 1 || Below(3) == 0) return Wide(var);
    if (Below(4) == 0) var = builder_.Int(var->dtype, Below(5));
    return builder_.New<Ramp>({}, var, builder_.Int(var->dtype, Below(4)), lanes_);
  }

  const Expr* Wide(const Expr* scalar) {
    return lanes_ == 1 ? scalar : builder_.New<Broadcast>({}, scalar, lanes_);
  }

  const Expr* Int(int64_t value) { return Wide(builder_.Int(dtype_.element(), value)); }

  const Expr* Constant() {
    static constexpr int kOften[] = {0, 1, 2, 3, 4, 8, 12, -1, -2, -4, 5, 16};
    const int value = kOften[Below(std::size(kOften))];
    return Int(dtype_.is_uint() && value < 0 ? -value : value);
  }

  const Expr* Divisor(int depth) {
    static constexpr int kOften[] = {1, 2, 3, 4, 4, 6, 8, 12, 16, 2, 4, -3};
    if (Below(10) == 0) return Integer(depth - 2);
    const int value = kOften[Below(std::size(kOften))];
    return Int(dtype_.is_uint() && value < 0 ? -value : value);
  }

  const Expr* Choice(int depth) {
    const Expr* condition = Condition(depth - 1);
    const Expr* a = Integer(depth - 1);
    const Expr* b = Integer(depth - 1);
    if (lanes_ > 1 || Below(2) == 0) return builder_.New<Select>({}, condition, a, b);
    return builder_.NewCall(dtype_, OpKind::kIfThenElse, {condition, a, b});
  }

  const Expr* ThroughCast(int depth) {
    const Expr* value = Integer(depth - 1);
    if (others_.empty()) return value;
    const auto count = static_cast<uint32_t>(others_.size());
    const auto cast = [&] {
      return builder_.New<Cast>({}, others_[Below(count)].with_lanes(lanes_), value);
    };
    value = cast();
    if (Below(2) == 0) value = cast();
    return builder_.New<Cast>({}, dtype_, value);
  }

  const Expr* BitCall(int depth) {
    static constexpr OpKind kOps[] = {OpKind::kShiftLeft, OpKind::kShiftRight, OpKind::kBitwiseAnd,
                                      OpKind::kBitwiseOr, OpKind::kBitwiseXor};
    if (Below(6) == 0) return builder_.NewCall(dtype_, OpKind::kBitwiseNot, {Integer(depth - 1)});
    const OpKind op = kOps[Below(5)];
    const bool shift = op == OpKind::kShiftLeft || op == OpKind::kShiftRight;
    const Expr* b = shift ? Int(Below(5)) : Constant();
    if (Below(4) == 0) b = Integer(depth - 1);
    return builder_.NewCall(dtype_, op, {Integer(depth - 1), b});
  }

  NodeBuilder& builder_;
  std::vector<const Var*> vars_;
  std::vector<DataType> others_;
  int lanes_;
  DataType dtype_;
  std::mt19937 engine_;
};

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_ARITH_RANDOM_EXPR_H_
