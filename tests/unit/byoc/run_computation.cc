#include "tests/unit/byoc/run_computation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "arith/eval.h"
#include "fmt/format.h"
#include "ir/builtins.h"

namespace tenon {

namespace {

/// One value. A poisoned value was read outside its operand, or is computed from a poisoned value.
struct Value {
  int64_t integer = 0;
  double real = 0;
  bool poisoned = false;
};

int64_t Wrap(DataType dtype, int64_t value) {
  const int bits = dtype.bits();
  if (bits == 64) return value;
  if (dtype.is_bool()) return value & 1;
  const uint64_t low = static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1);
  const bool negative = dtype.is_int() && (low >> (bits - 1)) != 0;
  return static_cast<int64_t>(negative ? low | ~((uint64_t{1} << bits) - 1) : low);
}

/// A list of steps that are evaluated together: steps that depend on a store's loops, or on the
/// loops of a reduction.
struct Scope {
  std::vector<int> loops;
  std::vector<int> steps;
};

class Runner {
 public:
  Runner(const Computation& all, std::span<const std::span<uint8_t>> operands)
      : all_(all), operands_(operands), values_(all.steps.size()), counters_(all.loops.size()) {}

  absl::Status Run() {
    if (operands_.size() != all_.operands.size())
      return absl::InvalidArgumentError("expected bytes for each operand");
    for (size_t i = 0; i < operands_.size(); ++i) {
      const ComputationOperand& operand = all_.operands[i];
      if (static_cast<int64_t>(operands_[i].size()) <
          operand.elements * operand.dtype.element_bytes()) {
        return absl::InvalidArgumentError(fmt::format("operand {} has too few bytes", i));
      }
    }
    FindLoops();
    scopes_.resize(all_.steps.size());
    for (size_t i = 0; i < all_.steps.size(); ++i) {
      if (IsReduction(all_.steps[i].kind))
        scopes_[i] = ScopeOf(BodyOf(all_.steps[i]), all_.steps[i].loops, loops_of_[i]);
    }
    for (const ComputationStore& store : all_.stores) {
      Scope scope = ScopeOf({store.step}, store.loops, std::vector<bool>(all_.loops.size()));
      AddConstant(store.step, scope);
      ForEach(scope.loops, 0, [&] {
        Evaluate(scope);
        Write(store);
      });
      if (!status_.ok()) return status_;
    }
    return status_;
  }

 private:
  const Step& At(int step) const { return all_.steps[static_cast<size_t>(step)]; }
  Value& Of(int step) { return values_[static_cast<size_t>(step)]; }
  /// The steps that a reduction evaluates in each iteration.
  static std::vector<int> BodyOf(const Step& step) {
    return {step.args.begin() + static_cast<ptrdiff_t>(step.starts()), step.args.end()};
  }

  /// Finds for each step the loops that its value depends on.
  void FindLoops() {
    loops_of_.assign(all_.steps.size(), std::vector<bool>(all_.loops.size()));
    for (size_t i = 0; i < all_.steps.size(); ++i) {
      const Step& step = all_.steps[i];
      std::vector<bool>& own = loops_of_[i];
      const auto note = [&](const LinearIndex& index) {
        for (const auto& [loop, stride] : index.terms) own[static_cast<size_t>(loop)] = true;
      };
      if (IsRead(step.kind)) note(all_.accesses[static_cast<size_t>(step.access)].element);
      if (step.kind == StepKind::kIndex) note(step.linear);
      for (const int arg : step.args) {
        const std::vector<bool>& other = loops_of_[static_cast<size_t>(arg)];
        for (size_t k = 0; k < own.size(); ++k) own[k] = own[k] || other[k];
      }
      for (const int loop : step.loops) own[static_cast<size_t>(loop)] = false;
    }
  }

  std::vector<bool> Below(const std::vector<int>& targets) const {
    std::vector<bool> below(all_.steps.size());
    for (const int target : targets) below[static_cast<size_t>(target)] = true;
    for (size_t i = below.size(); i-- > 0;) {
      if (!below[i]) continue;
      for (const int arg : all_.steps[i].args) below[static_cast<size_t>(arg)] = true;
    }
    return below;
  }

  /// The steps below `targets` that depend on `loops`, and otherwise only on `outer`.
  Scope ScopeOf(const std::vector<int>& targets, const std::vector<int>& loops,
                const std::vector<bool>& outer) const {
    Scope scope{loops, {}};
    const std::vector<bool> below = Below(targets);
    for (size_t i = 0; i < below.size(); ++i) {
      if (!below[i]) continue;
      bool changes = false;
      bool known = true;
      for (size_t loop = 0; loop < all_.loops.size(); ++loop) {
        if (!loops_of_[i][loop]) continue;
        const bool own =
            std::find(loops.begin(), loops.end(), static_cast<int>(loop)) != loops.end();
        changes = changes || own;
        known = known && (own || outer[loop]);
      }
      if (changes && known) scope.steps.push_back(static_cast<int>(i));
    }
    return scope;
  }

  /// Steps that depend on no loop are evaluated with the other steps of a store.
  void AddConstant(int target, Scope& scope) const {
    const std::vector<bool> below = Below({target});
    for (size_t i = 0; i < below.size(); ++i) {
      const std::vector<bool>& own = loops_of_[i];
      if (below[i] && std::find(own.begin(), own.end(), true) == own.end())
        scope.steps.push_back(static_cast<int>(i));
    }
    std::sort(scope.steps.begin(), scope.steps.end());
  }

  template <class F>
  void ForEach(const std::vector<int>& loops, size_t next, F&& f) {
    if (!status_.ok()) return;
    if (next == loops.size()) return f();
    const auto loop = static_cast<size_t>(loops[next]);
    for (counters_[loop] = 0; counters_[loop] < all_.loops[loop].extent; ++counters_[loop]) {
      ForEach(loops, next + 1, f);
    }
    counters_[loop] = 0;
  }

  void Evaluate(const Scope& scope) {
    for (const int step : scope.steps) EvaluateStep(step);
  }

  int64_t Linear(const LinearIndex& index) const {
    int64_t value = index.offset;
    for (const auto& [loop, stride] : index.terms)
      value += stride * counters_[static_cast<size_t>(loop)];
    return index.divisor == 1 ? value : value / index.divisor;
  }

  void EvaluateStep(int id) {
    const Step& step = At(id);
    Value& value = Of(id);
    switch (step.kind) {
      case StepKind::kInteger:
        value.integer = Wrap(step.dtype, step.integer);
        return;
      case StepKind::kReal:
        value.real = RoundToDType(step.real, step.dtype);
        return;
      case StepKind::kRead:
        return Read(step, value);
      case StepKind::kGather: {
        const Value& place = Of(step.args[0]);
        Read(step, value, place.poisoned ? 0 : place.integer);
        value.poisoned = value.poisoned || place.poisoned;
        return;
      }
      case StepKind::kIndex:
        value.integer = Wrap(step.dtype, Linear(step.linear));
        return;
      case StepKind::kReduce: {
        Value result = Of(step.args[0]);
        ForEach(step.loops, 0, [&] {
          Evaluate(scopes_[static_cast<size_t>(id)]);
          result = Binary(step.node, step.dtype, step.dtype, result, Of(step.args[1]));
        });
        Of(id) = result;
        return;
      }
      case StepKind::kArgReduce: {
        Value place = Of(step.args[0]);
        Value best = Of(step.args[1]);
        ForEach(step.loops, 0, [&] {
          Evaluate(scopes_[static_cast<size_t>(id)]);
          Keep(step, place, best);
        });
        Of(id) = place;
        Of(id).poisoned = place.poisoned || best.poisoned;
        return;
      }
      case StepKind::kNode:
        value = Node(step);
        return;
      case StepKind::kCall:
        value = Call(step);
        value.poisoned = std::any_of(step.args.begin(), step.args.end(),
                                     [&](int arg) { return Of(arg).poisoned; });
        return;
    }
  }

  /// One iteration of a kArgReduce.
  void Keep(const Step& step, Value& place, Value& best) {
    const Value& other_place = Of(step.args[2]);
    const Value& other = Of(step.args[3]);
    const DataType dtype = At(step.args[3]).dtype;
    const auto is_true = [&](NodeKind node, DataType of, const Value& a, const Value& b) {
      return Binary(node, DataType::Bool(), of, a, b).integer != 0;
    };
    const NodeKind worse = step.node == NodeKind::kMax ? NodeKind::kLT : NodeKind::kGT;
    const NodeKind before = step.integer == 0 ? NodeKind::kLT : NodeKind::kGT;
    const bool stays = is_true(worse, dtype, other, best);
    const bool ties = is_true(NodeKind::kEQ, dtype, best, other) &&
                      is_true(before, step.dtype, place, other_place);
    const bool poisoned = best.poisoned || other.poisoned || place.poisoned;
    if (!stays) best = other;
    if (!stays && !ties) place = other_place;
    best.poisoned = best.poisoned || poisoned;
  }

  /// The address of the element `further` elements after an access's element; null outside the
  /// operand.
  uint8_t* Place(int access, int64_t further = 0) const {
    const ComputationAccess& of = all_.accesses[static_cast<size_t>(access)];
    const ComputationOperand& operand = all_.operands[static_cast<size_t>(of.operand)];
    const int64_t element = Linear(of.element) + further;
    if (element < 0 || element >= operand.elements) return nullptr;
    return operands_[static_cast<size_t>(of.operand)].data() +
           element * operand.dtype.element_bytes();
  }

  void Read(const Step& step, Value& value, int64_t further = 0) const {
    const uint8_t* bytes = Place(step.access, further);
    value.poisoned = bytes == nullptr;
    if (bytes == nullptr) return;
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, static_cast<size_t>(step.dtype.element_bytes()));
    if (step.dtype.is_floating()) {
      value.real = RealOf(step.dtype, bits);
    } else {
      value.integer = Wrap(step.dtype, static_cast<int64_t>(bits));
    }
  }

  static double RealOf(DataType dtype, uint64_t bits) {
    if (dtype.is_float() && dtype.bits() == 32)
      return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    return std::bit_cast<double>(bits);
  }
  static uint64_t BitsOf(DataType dtype, double value) {
    if (dtype.is_float() && dtype.bits() == 32)
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    return std::bit_cast<uint64_t>(value);
  }

  void Write(const ComputationStore& store) {
    if (!status_.ok()) return;
    uint8_t* bytes = Place(store.access);
    const Value& value = Of(store.step);
    if (bytes == nullptr || value.poisoned) {
      status_ = absl::OutOfRangeError(bytes != nullptr
                                          ? "a value that counts is read outside of its operand"
                                          : "a value is stored outside of its operand");
      return;
    }
    const DataType dtype = At(store.step).dtype;
    const uint64_t bits =
        dtype.is_floating() ? BitsOf(dtype, value.real) : static_cast<uint64_t>(value.integer);
    std::memcpy(bytes, &bits, static_cast<size_t>(dtype.element_bytes()));
  }

  Value Node(const Step& step) {
    const Value& a = Of(step.args[0]);
    const DataType from = At(step.args[0]).dtype;
    if (step.node == NodeKind::kSelect) {
      Value value = Of(step.args[a.integer != 0 ? 1 : 2]);
      value.poisoned = value.poisoned || a.poisoned;
      return value;
    }
    if (step.node == NodeKind::kCast) return CastTo(step.dtype, from, a);
    if (step.node == NodeKind::kNot) return {a.integer == 0 ? 1 : 0, 0, a.poisoned};
    return Binary(step.node, step.dtype, from, a, Of(step.args[1]));
  }

  static Value CastTo(DataType to, DataType from, const Value& a) {
    Value value;
    value.poisoned = a.poisoned;
    if (from.is_floating() && to.is_floating()) {
      value.real = RoundToDType(a.real, to);
    } else if (from.is_floating()) {
      value.integer = ToInteger(to, a.real);
    } else if (to.is_floating()) {
      const bool large = from.is_uint() && from.bits() == 64;
      value.real = RoundToDType(large ? static_cast<double>(static_cast<uint64_t>(a.integer))
                                      : static_cast<double>(a.integer),
                                to);
    } else {
      value.integer = to.is_bool() ? (a.integer != 0 ? 1 : 0) : Wrap(to, a.integer);
    }
    return value;
  }

  static int64_t ToInteger(DataType to, double value) {
    if (to.is_bool()) return value != 0 ? 1 : 0;
    if (std::isnan(value)) return 0;
    const int bits = to.is_int() ? to.bits() - 1 : to.bits();
    const double end = std::ldexp(1.0, bits);
    const double whole = std::trunc(value);
    if (whole >= end) {
      return bits == 64 ? -1 : static_cast<int64_t>((uint64_t{1} << bits) - 1);
    }
    if (whole <= (to.is_int() ? -end : 0))
      return to.is_int() ? -static_cast<int64_t>(end / 2) * 2 : 0;
    return bits == 64 ? static_cast<int64_t>(static_cast<uint64_t>(whole))
                      : static_cast<int64_t>(whole);
  }

  Value Binary(NodeKind node, DataType dtype, DataType from, const Value& a, const Value& b) {
    Value value;
    if (from.is_floating()) {
      value = Floats(node, dtype, a.real, b.real);
    } else if (from.is_uint() && from.bits() == 64) {
      value = Integers<uint64_t>(node, dtype, a.integer, b.integer);
    } else {
      value = Integers<int64_t>(node, dtype, a.integer, b.integer);
    }
    value.poisoned = a.poisoned || b.poisoned;
    return value;
  }

  Value Floats(NodeKind node, DataType dtype, double a, double b) {
    const auto real = [&](double value) { return Value{0, RoundToDType(value, dtype), false}; };
    const auto truth = [](bool value) { return Value{value ? 1 : 0, 0, false}; };
    switch (node) {
      case NodeKind::kAdd:
        return real(a + b);
      case NodeKind::kSub:
        return real(a - b);
      case NodeKind::kMul:
        return real(a * b);
      case NodeKind::kDiv:
        return real(a / b);
      case NodeKind::kMod:
        return real(std::fmod(a, b));
      case NodeKind::kFloorDiv:
        return real(std::floor(a / b));
      case NodeKind::kMin:
        return real(a < b ? a : b);
      case NodeKind::kMax:
        return real(a > b ? a : b);
      case NodeKind::kEQ:
        return truth(a == b);
      case NodeKind::kNE:
        return truth(a != b);
      case NodeKind::kLT:
        return truth(a < b);
      case NodeKind::kLE:
        return truth(a <= b);
      case NodeKind::kGT:
        return truth(a > b);
      case NodeKind::kGE:
        return truth(a >= b);
      default:
        return Unknown("an operation on floats");
    }
  }

  template <class T>
  Value Integers(NodeKind node, DataType dtype, int64_t left, int64_t right) {
    const auto a = static_cast<T>(left);
    const auto b = static_cast<T>(right);
    const auto ua = static_cast<uint64_t>(left);
    const auto ub = static_cast<uint64_t>(right);
    const auto number = [&](auto value) {
      return Value{Wrap(dtype, static_cast<int64_t>(value)), 0, false};
    };
    const bool divides = node == NodeKind::kDiv || node == NodeKind::kMod ||
                         node == NodeKind::kFloorDiv || node == NodeKind::kFloorMod;
    // An unchosen arm may divide by zero.
    if (divides && (b == 0 || ub == ~uint64_t{0})) {
      if (b == 0) return {};
      if (!std::is_unsigned_v<T>)
        return node == NodeKind::kMod || node == NodeKind::kFloorMod ? Value{} : number(0 - ua);
    }
    switch (node) {
      case NodeKind::kAdd:
        return number(ua + ub);
      case NodeKind::kSub:
        return number(ua - ub);
      case NodeKind::kMul:
        return number(ua * ub);
      case NodeKind::kDiv:
        return number(a / b);
      case NodeKind::kMod:
        return number(a % b);
      case NodeKind::kFloorDiv:
        return number(a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0));
      case NodeKind::kFloorMod:
        return number(a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b);
      case NodeKind::kMin:
        return number(a < b ? a : b);
      case NodeKind::kMax:
        return number(a > b ? a : b);
      case NodeKind::kEQ:
        return number(a == b);
      case NodeKind::kNE:
        return number(a != b);
      case NodeKind::kLT:
        return number(a < b);
      case NodeKind::kLE:
        return number(a <= b);
      case NodeKind::kGT:
        return number(a > b);
      case NodeKind::kGE:
        return number(a >= b);
      case NodeKind::kAnd:
        return number(a != 0 && b != 0);
      case NodeKind::kOr:
        return number(a != 0 || b != 0);
      default:
        return Unknown("an operation on integers");
    }
  }

  Value Unknown(const std::string& what) {
    if (status_.ok()) status_ = absl::UnimplementedError(what + " has no meaning here");
    return {};
  }

  int64_t IntegerArg(const Step& step, size_t i) { return Of(step.args[i]).integer; }

  Value Call(const Step& step) {
    if (step.op == OpKind::kQMultiplyShift) {
      const int64_t shift = IntegerArg(step, 3);
      return Requantised(step, IntegerArg(step, 2), std::max<int64_t>(shift, 0),
                         std::max<int64_t>(-shift, 0));
    }
    if (step.op == OpKind::kQMultiplyShiftPerAxis) {
      const int64_t left = IntegerArg(step, 5) != 0 ? IntegerArg(step, 2) : 0;
      return Requantised(step, IntegerArg(step, 4), left, IntegerArg(step, 3));
    }
    if (step.op == OpKind::kReinterpret) return Reinterpret(step);
    if (IsBitOperation(step.op)) return Bits(step);
    return Mathematics(step);
  }

  /// round(x * y * 2^(left - right - q)), half up, in 64 bits.
  Value Requantised(const Step& step, int64_t q, int64_t left, int64_t right) {
    const int64_t total = right + q;
    const int64_t y = IntegerArg(step, 1);
    if (step.op == OpKind::kQMultiplyShift && y == (int64_t{1} << 30)) {
      const int64_t x = IntegerArg(step, 0);
      const int64_t by = left - right - 1;
      if (by >= 0)
        return {Wrap(step.dtype, static_cast<int64_t>(static_cast<uint64_t>(x) << by)), 0, false};
      return {Wrap(step.dtype, Wrap(step.dtype, x + (int64_t{1} << (-by - 1))) >> -by), 0, false};
    }
    if (total > 63) return {};
    if (total < 1 || left < 0 || left > 63) return {};
    uint64_t product = static_cast<uint64_t>(IntegerArg(step, 0)) << left;
    product *= static_cast<uint64_t>(y);
    product += uint64_t{1} << (total - 1);
    return {Wrap(step.dtype, static_cast<int64_t>(product) >> total), 0, false};
  }

  Value Reinterpret(const Step& step) {
    const DataType from = At(step.args[0]).dtype;
    const Value& a = Of(step.args[0]);
    const uint64_t bits =
        from.is_floating() ? BitsOf(from, a.real) : static_cast<uint64_t>(a.integer);
    Value value;
    if (step.dtype.is_floating()) {
      value.real = RealOf(step.dtype, bits);
    } else {
      value.integer = Wrap(step.dtype, static_cast<int64_t>(bits));
    }
    return value;
  }

  Value Bits(const Step& step) {
    const int64_t a = IntegerArg(step, 0);
    const auto ua = static_cast<uint64_t>(a);
    const auto number = [&](auto value) {
      return Value{Wrap(step.dtype, static_cast<int64_t>(value)), 0, false};
    };
    if (step.op == OpKind::kBitwiseNot) return number(~ua);
    if (step.op == OpKind::kPopcount || step.op == OpKind::kClz) {
      const int bits = At(step.args[0]).dtype.bits();
      const uint64_t low = bits == 64 ? ua : ua & ((uint64_t{1} << bits) - 1);
      return number(step.op == OpKind::kPopcount ? std::popcount(low)
                                                 : std::countl_zero(low) - (64 - bits));
    }
    const int64_t b = IntegerArg(step, 1);
    const auto ub = static_cast<uint64_t>(b);
    switch (step.op) {
      case OpKind::kShiftLeft:
        return number(b < 0 || b > 63 ? 0 : ua << ub);
      case OpKind::kShiftRight:
        if (b < 0 || b > 63) return {};
        return number(step.dtype.is_uint() ? static_cast<int64_t>(ua >> ub) : a >> b);
      case OpKind::kBitwiseAnd:
        return number(ua & ub);
      case OpKind::kBitwiseOr:
        return number(ua | ub);
      case OpKind::kBitwiseXor:
        return number(ua ^ ub);
      default:
        return Unknown(fmt::format("T.{}", Op::Get(step.op)->text));
    }
  }

  Value Mathematics(const Step& step) {
    const double x = Of(step.args[0]).real;
    const double y = step.args.size() > 1 ? Of(step.args[1]).real : 0;
    const double z = step.args.size() > 2 ? Of(step.args[2]).real : 0;
    const auto truth = [](bool value) { return Value{value ? 1 : 0, 0, false}; };
    if (step.op == OpKind::kIsnan) return truth(std::isnan(x));
    if (step.op == OpKind::kIsinf) return truth(std::isinf(x));
    if (step.op == OpKind::kIsfinite) return truth(std::isfinite(x));
    double result = 0;
    switch (step.op) {
#define TENON_MATHEMATICS(Kind, expression) \
  case OpKind::Kind:                        \
    result = expression;                    \
    break;
      TENON_MATHEMATICS(kExp, std::exp(x))
      TENON_MATHEMATICS(kExp2, std::exp2(x))
      TENON_MATHEMATICS(kExp10, std::pow(10.0, x))
      TENON_MATHEMATICS(kLog, std::log(x))
      TENON_MATHEMATICS(kLog2, std::log2(x))
      TENON_MATHEMATICS(kLog10, std::log10(x))
      TENON_MATHEMATICS(kLog1p, std::log1p(x))
      TENON_MATHEMATICS(kSqrt, std::sqrt(x))
      TENON_MATHEMATICS(kRsqrt, 1.0 / std::sqrt(x))
      TENON_MATHEMATICS(kSigmoid, 1.0 / (1.0 + std::exp(-x)))
      TENON_MATHEMATICS(kTanh, std::tanh(x))
      TENON_MATHEMATICS(kSin, std::sin(x))
      TENON_MATHEMATICS(kCos, std::cos(x))
      TENON_MATHEMATICS(kTan, std::tan(x))
      TENON_MATHEMATICS(kSinh, std::sinh(x))
      TENON_MATHEMATICS(kCosh, std::cosh(x))
      TENON_MATHEMATICS(kAsin, std::asin(x))
      TENON_MATHEMATICS(kAcos, std::acos(x))
      TENON_MATHEMATICS(kAtan, std::atan(x))
      TENON_MATHEMATICS(kAsinh, std::asinh(x))
      TENON_MATHEMATICS(kAcosh, std::acosh(x))
      TENON_MATHEMATICS(kAtanh, std::atanh(x))
      TENON_MATHEMATICS(kAtan2, std::atan2(x, y))
      TENON_MATHEMATICS(kHypot, std::hypot(x, y))
      TENON_MATHEMATICS(kCopysign, std::copysign(x, y))
      TENON_MATHEMATICS(kPow, std::pow(x, y))
      TENON_MATHEMATICS(kFmod, std::fmod(x, y))
      TENON_MATHEMATICS(kErf, std::erf(x))
      TENON_MATHEMATICS(kFloor, std::floor(x))
      TENON_MATHEMATICS(kCeil, std::ceil(x))
      TENON_MATHEMATICS(kTrunc, std::trunc(x))
      TENON_MATHEMATICS(kRound, std::round(x))
      TENON_MATHEMATICS(kNearbyint, std::nearbyint(x))
      TENON_MATHEMATICS(kRoundeven, std::nearbyint(x))
      TENON_MATHEMATICS(kFabs, std::fabs(x))
      TENON_MATHEMATICS(kFma, std::fma(x, y, z))
#undef TENON_MATHEMATICS
      default:
        return Unknown(fmt::format("T.{}", Op::Get(step.op)->text));
    }
    return {0, RoundToDType(result, step.dtype), false};
  }

  const Computation& all_;
  std::span<const std::span<uint8_t>> operands_;
  std::vector<Value> values_;
  std::vector<int64_t> counters_;
  std::vector<std::vector<bool>> loops_of_;
  std::vector<Scope> scopes_;
  absl::Status status_;
};

bool IsPlain(DataType dtype) {
  return dtype.is_integer() || (dtype.is_float() && dtype.bits() >= 32);
}

}  // namespace

absl::Status RunComputation(const Computation& computation,
                            std::span<const std::span<uint8_t>> operands) {
  for (const ComputationOperand& operand : computation.operands) {
    if (!IsPlain(operand.dtype)) {
      return absl::UnimplementedError(
          fmt::format("elements of {} have no meaning here", operand.dtype.ToString()));
    }
  }
  if (const std::string problem = LoopProblem(computation); !problem.empty())
    return absl::InvalidArgumentError(problem);
  return Runner(computation, operands).Run();
}

}  // namespace tenon
