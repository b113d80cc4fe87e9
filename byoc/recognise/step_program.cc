// An evaluator that refuses to wrap, and the rules for proving that functions increase. The least
// and the greatest value of an increasing function are at the ends of an interval. So evaluating
// each step at both ends proves that no step wraps in between, and no other value needs to be
// evaluated.

#include "byoc/recognise/step_program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "arith/eval.h"
#include "arith/interval.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/q_multiply_shift.h"
#include "passes/fusion/constant_elements.h"

namespace tenon {

namespace {

__extension__ using Wide = __int128;

/// Values are int64, so uint64 has half of its range.
bool Fits(Wide value, DataType dtype) {
  if (value > std::numeric_limits<int64_t>::max() || value < std::numeric_limits<int64_t>::min())
    return false;
  if (dtype.is_uint() && dtype.bits() == 64) return value >= 0;
  if (dtype.is_int() && dtype.bits() == 64) return true;
  return FitsDType(Interval::Point(static_cast<int64_t>(value)), dtype);
}

bool Set(Wide value, DataType dtype, int64_t& into) {
  if (!Fits(value, dtype)) return false;
  into = static_cast<int64_t>(value);
  return true;
}

}  // namespace

ConstantReader::ConstantReader(const Computation& computation,
                               std::span<const Constant* const> constants)
    : computation_(computation), bytes_(computation.operands.size()) {
  for (size_t i = 0; i < std::min(constants.size(), bytes_.size()); ++i) {
    const Constant* constant = constants[i];
    if (constant == nullptr || !constant->has_bytes() ||
        constant->dtype() != computation.operands[i].dtype)
      continue;
    const auto bytes = constant->Bytes();
    if (bytes.ok()) bytes_[i] = *bytes;
  }
}

std::optional<int64_t> ConstantReader::Integer(int operand, int64_t element) const {
  const std::span<const uint8_t> bytes = bytes_[static_cast<size_t>(operand)];
  const DataType dtype = computation_.operands[static_cast<size_t>(operand)].dtype;
  const int64_t size = dtype.element_bytes();
  if (!dtype.is_integer() || element < 0 || element >= static_cast<int64_t>(bytes.size()) / size)
    return std::nullopt;
  return IntegerAt(bytes, static_cast<size_t>(element * size), dtype);
}

std::optional<double> ConstantReader::Real(int operand, int64_t element) const {
  const std::span<const uint8_t> bytes = bytes_[static_cast<size_t>(operand)];
  const DataType dtype = computation_.operands[static_cast<size_t>(operand)].dtype;
  const int64_t size = dtype.element_bytes();
  if (element < 0 || element >= static_cast<int64_t>(bytes.size()) / size) return std::nullopt;
  const auto at = static_cast<size_t>(element * size);
  if (dtype == DataType::Float(32)) {
    const int64_t bits = IntegerAt(bytes, at, DataType::UInt(32));
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  if (dtype == DataType::Float(64))
    return std::bit_cast<double>(IntegerAt(bytes, at, DataType::Int(64)));
  return std::nullopt;
}

StepProgram::StepProgram(const Computation& computation, const ConstantReader& constants,
                         int result, std::vector<int> sources, std::vector<int> guards)
    : computation_(computation),
      constants_(constants),
      result_(result),
      sources_(std::move(sources)),
      guards_(std::move(guards)),
      dynamic_(computation.steps.size()),
      loops_(computation.loops.size()),
      values_(computation.steps.size()),
      slopes_(computation.steps.size()) {
  std::vector<bool> needed(computation.steps.size());
  const auto is_in = [](const std::vector<int>& list, size_t step) {
    return std::find(list.begin(), list.end(), static_cast<int>(step)) != list.end();
  };
  needed[static_cast<size_t>(result)] = true;
  for (size_t i = static_cast<size_t>(result) + 1; i-- > 0;) {
    if (!needed[i] || is_in(sources_, i) || is_in(guards_, i)) continue;
    for (const int arg : computation.steps[i].args) needed[static_cast<size_t>(arg)] = true;
  }
  const auto note = [&](const LinearIndex& index) {
    for (const auto& [loop, stride] : index.terms) loops_[static_cast<size_t>(loop)] = true;
  };
  for (size_t i = 0; i <= static_cast<size_t>(result); ++i) {
    if (!needed[i]) continue;
    if (is_in(sources_, i)) {
      dynamic_[i] = true;
      continue;
    }
    if (is_in(guards_, i)) continue;
    const Step& step = computation.steps[i];
    for (const int arg : step.args) dynamic_[i] = dynamic_[i] || dynamic_[static_cast<size_t>(arg)];
    (dynamic_[i] ? dynamic_steps_ : constant_steps_).push_back(static_cast<int>(i));
    if (IsRead(step.kind)) note(computation.accesses[static_cast<size_t>(step.access)].element);
    if (step.kind == StepKind::kIndex) note(step.linear);
  }
}

int64_t StepProgram::Element(const LinearIndex& index) const {
  int64_t value = index.offset;
  for (const auto& [loop, stride] : index.terms)
    value += stride * places_[static_cast<size_t>(loop)];
  return value / index.divisor;
}

bool StepProgram::MayWork(size_t steps) {
  constexpr int64_t kMostWork = int64_t{1} << 29;
  work_ += static_cast<int64_t>(steps) + 1;
  return work_ < kMostWork;
}

bool StepProgram::Bind(std::span<const int64_t> places) {
  if (!MayWork(constant_steps_.size())) return false;
  places_.assign(places.begin(), places.end());
  for (const int guard : guards_) Of(guard) = {1, 0};
  return std::all_of(constant_steps_.begin(), constant_steps_.end(),
                     [&](int step) { return Evaluate(step); });
}

std::optional<int64_t> StepProgram::Run(std::span<const int64_t> sources) {
  if (!MayWork(dynamic_steps_.size())) return std::nullopt;
  for (size_t i = 0; i < sources_.size(); ++i) Of(sources_[i]).integer = sources[i];
  for (const int step : dynamic_steps_) {
    if (!Evaluate(step)) return std::nullopt;
  }
  if (!IsInteger(result_)) return std::nullopt;
  return Of(result_).integer;
}

std::optional<int64_t> StepProgram::ConstantOf(int step) const {
  if (std::find(constant_steps_.begin(), constant_steps_.end(), step) == constant_steps_.end() ||
      !IsInteger(step))
    return std::nullopt;
  return values_[static_cast<size_t>(step)].integer;
}

bool StepProgram::Evaluate(int id) {
  const Step& step = At(id);
  Value& value = Of(id);
  switch (step.kind) {
    case StepKind::kInteger:
      value.integer = step.integer;
      return true;
    case StepKind::kReal:
      value.real = RoundToDType(step.real, step.dtype);
      return true;
    case StepKind::kIndex:
      return Set(Element(step.linear), step.dtype, value.integer);
    case StepKind::kRead:
      return EvaluateRead(step, value);
    case StepKind::kNode:
      return EvaluateNode(step, value);
    case StepKind::kCall:
      return EvaluateCall(step, value);
    default:
      return false;
  }
}

bool StepProgram::EvaluateRead(const Step& step, Value& value) const {
  const ComputationAccess& access = computation_.accesses[static_cast<size_t>(step.access)];
  const int64_t element = Element(access.element);
  if (step.dtype.is_floating()) {
    const std::optional<double> real = constants_.Real(access.operand, element);
    if (real) value.real = *real;
    return real.has_value();
  }
  const std::optional<int64_t> integer = constants_.Integer(access.operand, element);
  if (integer) value.integer = *integer;
  return integer.has_value();
}

bool StepProgram::EvaluateCast(const Step& step, Value& value) const {
  const int from = step.args[0];
  const Value& x = values_[static_cast<size_t>(from)];
  if (step.dtype.is_floating()) {
    // An int64 that is rounded to double first could be rounded twice.
    if (IsInteger(from) && std::abs(x.integer) > int64_t{1} << 53) return false;
    value.real =
        RoundToDType(IsInteger(from) ? static_cast<double>(x.integer) : x.real, step.dtype);
    return true;
  }
  if (IsInteger(from)) return Set(x.integer, step.dtype, value.integer);
  if (!(std::abs(x.real) < std::ldexp(1.0, 62))) return false;
  return Set(static_cast<int64_t>(x.real), step.dtype, value.integer);
}

bool StepProgram::EvaluateNode(const Step& step, Value& value) const {
  const auto arg = [&](size_t i) -> const Value& {
    return values_[static_cast<size_t>(step.args[i])];
  };
  if (step.node == NodeKind::kCast) return EvaluateCast(step, value);
  if (step.node == NodeKind::kSelect) return value = arg(arg(0).integer != 0 ? 1 : 2), true;
  if (step.node == NodeKind::kNot) return value.integer = arg(0).integer == 0, true;
  if (!IsInteger(step.args[0])) return EvaluateFloats(step, value);
  const int64_t a = arg(0).integer, b = arg(1).integer;
  const auto give = [&](Wide result) { return Set(result, step.dtype, value.integer); };
  switch (step.node) {
    case NodeKind::kAdd:
      return give(Wide{a} + b);
    case NodeKind::kSub:
      return give(Wide{a} - b);
    case NodeKind::kMul:
      return give(Wide{a} * b);
    case NodeKind::kMin:
      return give(std::min(a, b));
    case NodeKind::kMax:
      return give(std::max(a, b));
    case NodeKind::kDiv:
      return b != 0 && give(Wide{a} / b);
    case NodeKind::kMod:
      return b != 0 && give(Wide{a} % b);
    case NodeKind::kFloorDiv:
      return b > 0 && give(FloorDivide(a, b));
    case NodeKind::kFloorMod:
      return b > 0 && give(FloorRemainder(a, b));
    case NodeKind::kAnd:
      return give(a != 0 && b != 0);
    case NodeKind::kOr:
      return give(a != 0 || b != 0);
    default:
      value.integer = Holds(step.node, a, b) ? 1 : 0;
      return IsComparison(step.node);
  }
}

bool StepProgram::EvaluateFloats(const Step& step, Value& value) const {
  const double a = values_[static_cast<size_t>(step.args[0])].real;
  const double b = values_[static_cast<size_t>(step.args[1])].real;
  if (std::isnan(a) || std::isnan(b)) return false;
  // A product or sum of two float32 is exact in double, or is rounded once to it; rounding it
  // again to float32 gives the nearest float32 (double has more than twice the bits).
  const auto give = [&](double result) {
    value.real = RoundToDType(result, step.dtype);
    return !std::isnan(result);
  };
  switch (step.node) {
    case NodeKind::kAdd:
      return give(a + b);
    case NodeKind::kSub:
      return give(a - b);
    case NodeKind::kMul:
      return give(a * b);
    case NodeKind::kDiv:
      return b != 0 && give(a / b);
    case NodeKind::kMin:
      return give(std::min(a, b));
    case NodeKind::kMax:
      return give(std::max(a, b));
    default:
      value.integer = Holds(step.node, a, b) ? 1 : 0;
      return IsComparison(step.node);
  }
}

bool StepProgram::EvaluateCall(const Step& step, Value& value) const {
  const auto arg = [&](size_t i) -> const Value& {
    return values_[static_cast<size_t>(step.args[i])];
  };
  const int64_t a = arg(0).integer;
  const auto give = [&](Wide result) { return Set(result, step.dtype, value.integer); };
  switch (step.op) {
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight: {
      const int64_t bits = arg(1).integer;
      if (bits < 0 || bits >= step.dtype.bits()) return false;
      return give(step.op == OpKind::kShiftLeft ? Wide{a} << bits : Wide{a} >> bits);
    }
    case OpKind::kQMultiplyShift:
    case OpKind::kQMultiplyShiftPerAxis: {
      const bool per_axis = step.op == OpKind::kQMultiplyShiftPerAxis;
      const int64_t q = arg(per_axis ? 4 : 2).integer;
      const int64_t s = arg(3).integer;
      int64_t left =
          per_axis ? (arg(5).integer != 0 ? arg(2).integer : 0) : std::max<int64_t>(s, 0);
      if (left < 0 || left > 40) return false;
      // Products and sums inside of the builtin must not wrap.
      const Wide shifted = Wide{a} << left;
      const Wide product = shifted * arg(1).integer;
      if (product > Wide{1} << 61 || product < -(Wide{1} << 61)) return false;
      if (!per_axis && arg(1).integer == kQOneHalf && std::abs(s) <= 31 &&
          (!Fits(shifted, DataType::Int(32)) ||
           !Fits(Wide{a} + (Wide{1} << 31 >> std::clamp<int64_t>(31 + s, 0, 31)), step.dtype)))
        return false;
      const std::optional<int64_t> result =
          per_axis ? QMultiplyShiftPerAxis(a, arg(1).integer, left, s, q)
                   : QMultiplyShift(a, arg(1).integer, q, s);
      return result && give(*result);
    }
    case OpKind::kBitwiseAnd:
      // Without wrapping, the bits of a number are those of its two's complement.
      return give(a & arg(1).integer);
    case OpKind::kRound:
      if (IsInteger(step.args[0])) return give(a);
      return value.real = std::round(arg(0).real), true;
    case OpKind::kNearbyint:
    case OpKind::kRoundeven:
      if (IsInteger(step.args[0])) return give(a);
      return value.real = std::nearbyint(arg(0).real), true;
    case OpKind::kFloor:
      if (IsInteger(step.args[0])) return give(a);
      return value.real = std::floor(arg(0).real), true;
    default:
      return false;
  }
}

bool StepProgram::Rises(int64_t least, int64_t most) {
  if (sources_.size() != 1 || least > most) return false;
  for (Slope& slope : slopes_) slope = {};
  slopes_[static_cast<size_t>(sources_[0])] = {.rises = true, .gain = 1};
  if (!Run(least)) return false;
  for (const int step : dynamic_steps_) slopes_[static_cast<size_t>(step)].least = ValueOf(step);
  if (!Run(most)) return false;
  for (const int step : dynamic_steps_) slopes_[static_cast<size_t>(step)].most = ValueOf(step);
  for (const int step : dynamic_steps_) {
    if (!RisesAt(step, least, most)) return false;
  }
  // If the limit of work is reached, the search for a change of a condition has no valid result.
  return MayWork(0) && RisesOrConstant(result_);
}

double StepProgram::gain() const { return slopes_[static_cast<size_t>(result_)].gain; }

bool StepProgram::RisesOrConstant(int step) const {
  return !dynamic_[static_cast<size_t>(step)] || slopes_[static_cast<size_t>(step)].rises;
}

bool StepProgram::IsConstantAtLeast(int step, double least) const {
  if (dynamic_[static_cast<size_t>(step)]) return false;
  const Value& value = values_[static_cast<size_t>(step)];
  return IsInteger(step) ? static_cast<double>(value.integer) >= least : value.real >= least;
}

/// False if the step cannot be analysed. Comparisons and remainders do not increase, but steps that
/// use them may.
bool StepProgram::RisesAt(int id, int64_t least, int64_t most) {
  const Step& step = At(id);
  Slope& slope = slopes_[static_cast<size_t>(id)];
  if (step.kind == StepKind::kCall) return CallRises(step, slope) || IsBounded(step, slope);
  if (step.kind != StepKind::kNode) return false;
  if (IsComparison(step.node)) {
    return step.node != NodeKind::kEQ && step.node != NodeKind::kNE &&
           RisesOrConstant(step.args[0]) && RisesOrConstant(step.args[1]) &&
           dynamic_[static_cast<size_t>(step.args[0])] !=
               dynamic_[static_cast<size_t>(step.args[1])];
  }
  if (step.node == NodeKind::kFloorMod)
    return RisesOrConstant(step.args[0]) && IsConstantAtLeast(step.args[1], 1);
  if (step.node == NodeKind::kSelect) return ChoiceRises(id, least, most);
  return NodeRises(step, slope) || IsBounded(step, slope);
}

/// True if the step does not increase, but is known not to wrap: a bit of the result, and sums with
/// it.
bool StepProgram::IsBounded(const Step& step, Slope& slope) const {
  const auto range = [&](size_t i) -> std::optional<Interval> {
    const auto arg = static_cast<size_t>(step.args[i]);
    if (!IsInteger(step.args[i])) return std::nullopt;
    if (!dynamic_[arg]) return Interval::Point(values_[arg].integer);
    if (!slopes_[arg].rises && !slopes_[arg].is_bounded) return std::nullopt;
    return Interval{slopes_[arg].least, slopes_[arg].most};
  };
  std::optional<Interval> result;
  const std::optional<Interval> first = range(0);
  const std::optional<Interval> second = step.args.size() > 1 ? range(1) : std::nullopt;
  if (step.kind == StepKind::kCall) {
    const bool is_mask =
        step.op == OpKind::kBitwiseAnd && first && second && second->is_point() && second->min >= 0;
    if (is_mask) result = Interval{0, second->min};
  } else if (step.node == NodeKind::kCast && step.dtype.is_integer()) {
    result = first;
  } else if (first && second && step.node == NodeKind::kAdd) {
    result = *first + *second;
  } else if (first && second && step.node == NodeKind::kMul) {
    result = *first * *second;
  }
  if (!result || !result->is_bounded() || !FitsDType(*result, step.dtype)) return false;
  slope = {
      .rises = false, .gain = 0, .is_bounded = true, .least = result->min, .most = result->max};
  return true;
}

/// Adds the steps that a sum of integers consists of. False for more than a few.
bool StepProgram::AddTerms(int step, std::vector<int>& terms) const {
  constexpr size_t kMostTerms = 8;
  const Step& at = At(step);
  if (at.kind == StepKind::kNode && at.node == NodeKind::kAdd && at.dtype.is_int())
    return AddTerms(at.args[0], terms) && AddTerms(at.args[1], terms);
  terms.push_back(step);
  return terms.size() <= kMostTerms;
}

/// `(x + e * odd) >> n`, where `odd` is the lowest bit of `x >> n` and e is at most 2^n, increases
/// with x: a number is added only if the next result is even, and the sum reaches at most that
/// result.
bool StepProgram::IsRoundedToEven(const Step& step) const {
  const auto uncast = [&](int at) {
    while (At(at).kind == StepKind::kNode && At(at).node == NodeKind::kCast && IsInteger(at))
      at = At(at).args[0];
    return at;
  };
  std::vector<int> terms;
  if (dynamic_[static_cast<size_t>(step.args[1])] || !AddTerms(step.args[0], terms)) return false;
  const int64_t bits = ValueOf(step.args[1]);
  for (size_t i = 0; i < terms.size(); ++i) {
    const Step& product = At(terms[i]);
    if (product.kind != StepKind::kNode || product.node != NodeKind::kMul) continue;
    const size_t factor = dynamic_[static_cast<size_t>(product.args[0])] ? 1 : 0;
    const Step& odd = At(uncast(product.args[1 - factor]));
    if (dynamic_[static_cast<size_t>(product.args[factor])] || odd.kind != StepKind::kCall ||
        odd.op != OpKind::kBitwiseAnd || ValueOf(odd.args[1]) != 1)
      continue;
    const Step& shifted = At(uncast(odd.args[0]));
    std::vector<int> own, rest = terms;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    if (shifted.kind != StepKind::kCall || shifted.op != OpKind::kShiftRight ||
        dynamic_[static_cast<size_t>(shifted.args[1])] || ValueOf(shifted.args[1]) != bits ||
        !slopes_[static_cast<size_t>(shifted.args[0])].rises || !AddTerms(shifted.args[0], own))
      continue;
    std::sort(own.begin(), own.end());
    std::sort(rest.begin(), rest.end());
    const int64_t added = ValueOf(product.args[factor]);
    return own == rest && added >= 0 && bits < 62 && added <= int64_t{1} << bits;
  }
  return false;
}

/// `(x >> 1) + x mod 2` is `(x + 1) >> 1`.
bool StepProgram::IsHalfRoundedUp(const Step& step) const {
  const Step* half = &At(step.args[0]);
  const Step* rest = &At(step.args[1]);
  if (half->kind == StepKind::kNode && half->node == NodeKind::kFloorMod) std::swap(half, rest);
  while (half->kind == StepKind::kNode && half->node == NodeKind::kCast && half->dtype.is_int())
    half = &At(half->args[0]);
  while (rest->kind == StepKind::kNode && rest->node == NodeKind::kCast && rest->dtype.is_int())
    rest = &At(rest->args[0]);
  const auto is_number = [&](const Step& of, int64_t number) {
    return !dynamic_[static_cast<size_t>(of.args[1])] &&
           values_[static_cast<size_t>(of.args[1])].integer == number;
  };
  const bool halves =
      (half->kind == StepKind::kCall && half->op == OpKind::kShiftRight && is_number(*half, 1)) ||
      (half->kind == StepKind::kNode && half->node == NodeKind::kFloorDiv && is_number(*half, 2));
  return halves && rest->kind == StepKind::kNode && rest->node == NodeKind::kFloorMod &&
         is_number(*rest, 2) && half->args[0] == rest->args[0] &&
         slopes_[static_cast<size_t>(half->args[0])].rises;
}

bool StepProgram::NodeRises(const Step& step, Slope& slope) const {
  const auto gain = [&](size_t i) { return slopes_[static_cast<size_t>(step.args[i])].gain; };
  const auto number = [&](size_t i) {
    const Value& value = values_[static_cast<size_t>(step.args[i])];
    return IsInteger(step.args[i]) ? static_cast<double>(value.integer) : value.real;
  };
  const bool is_dynamic = step.args.size() > 1 && dynamic_[static_cast<size_t>(step.args[0])];
  switch (step.node) {
    case NodeKind::kCast:
      slope.gain = gain(0);
      slope.rises = slopes_[static_cast<size_t>(step.args[0])].rises;
      return slope.rises;
    case NodeKind::kAdd:
      slope.gain = std::max(gain(0), gain(1));
      slope.rises =
          (RisesOrConstant(step.args[0]) && RisesOrConstant(step.args[1])) || IsHalfRoundedUp(step);
      return slope.rises;
    case NodeKind::kMin:
    case NodeKind::kMax:
      slope.gain = std::max(gain(0), gain(1));
      slope.rises = RisesOrConstant(step.args[0]) && RisesOrConstant(step.args[1]);
      return slope.rises;
    case NodeKind::kSub:
      slope.gain = gain(0);
      slope.rises = RisesOrConstant(step.args[0]) && !dynamic_[static_cast<size_t>(step.args[1])];
      return slope.rises;
    case NodeKind::kMul: {
      const size_t other = is_dynamic ? 1 : 0;
      slope.gain = gain(1 - other) * number(other);
      slope.rises = RisesOrConstant(step.args[1 - other]) && IsConstantAtLeast(step.args[other], 0);
      return slope.rises;
    }
    case NodeKind::kDiv:
    case NodeKind::kFloorDiv:
      slope.rises = RisesOrConstant(step.args[0]) &&
                    IsConstantAtLeast(step.args[1], std::numeric_limits<float>::min());
      if (slope.rises) slope.gain = gain(0) / number(1);
      return slope.rises;
    default:
      return false;
  }
}

bool StepProgram::CallRises(const Step& step, Slope& slope) const {
  const auto number = [&](size_t i) {
    return static_cast<double>(values_[static_cast<size_t>(step.args[i])].integer);
  };
  if (step.op == OpKind::kShiftRight && !slopes_[static_cast<size_t>(step.args[0])].rises &&
      IsRoundedToEven(step)) {
    // The sum without the bit has the gain.
    std::vector<int> terms;
    AddTerms(step.args[0], terms);
    for (const int term : terms)
      slope.gain = std::max(slope.gain, slopes_[static_cast<size_t>(term)].gain);
    slope.gain = std::ldexp(slope.gain, -static_cast<int>(number(1)));
    slope.rises = true;
    return true;
  }
  if (!slopes_[static_cast<size_t>(step.args[0])].rises) return false;
  for (size_t i = 1; i < step.args.size(); ++i) {
    if (dynamic_[static_cast<size_t>(step.args[i])]) return false;
  }
  const double gain = slopes_[static_cast<size_t>(step.args[0])].gain;
  slope.rises = true;
  switch (step.op) {
    case OpKind::kShiftLeft:
      slope.gain = std::ldexp(gain, static_cast<int>(number(1)));
      return true;
    case OpKind::kShiftRight:
      slope.gain = std::ldexp(gain, -static_cast<int>(number(1)));
      return true;
    case OpKind::kQMultiplyShift:
      slope.gain = std::ldexp(gain * number(1), static_cast<int>(number(3) - number(2)));
      return number(1) >= 0;
    case OpKind::kQMultiplyShiftPerAxis: {
      const double left = number(5) != 0 ? number(2) : 0;
      const double bits = std::clamp(left - number(3) - number(4), -1000.0, 1000.0);
      slope.gain = std::ldexp(gain * number(1), static_cast<int>(bits));
      return number(1) >= 0;
    }
    default:
      slope.gain = gain;
      return true;
  }
}

/// A select by the size of the source increases if both arms do, and if it does not decrease where
/// the condition changes.
bool StepProgram::ChoiceRises(int id, int64_t least, int64_t most) {
  const Step& step = At(id);
  if (!dynamic_[static_cast<size_t>(step.args[0])]) {
    const int arm = Of(step.args[0]).integer != 0 ? step.args[1] : step.args[2];
    Slope& slope = slopes_[static_cast<size_t>(id)];
    slope.rises = RisesOrConstant(arm);
    slope.gain = slopes_[static_cast<size_t>(arm)].gain;
    return slope.rises;
  }
  const Step& condition = At(step.args[0]);
  if (condition.kind != StepKind::kNode || !IsComparison(condition.node) ||
      !RisesOrConstant(step.args[1]) || !RisesOrConstant(step.args[2]))
    return false;
  const auto holds = [&](int64_t source) {
    Run(source);
    return Of(step.args[0]).integer != 0;
  };
  Slope& slope = slopes_[static_cast<size_t>(id)];
  slope.gain = std::max(slopes_[static_cast<size_t>(step.args[1])].gain,
                        slopes_[static_cast<size_t>(step.args[2])].gain);
  slope.rises = true;
  const bool first = holds(least);
  if (first == holds(most)) return true;
  int64_t below = least, at = most;
  while (at - below > 1) {
    const int64_t middle = below + (at - below) / 2;
    (holds(middle) == first ? below : at) = middle;
  }
  Run(below);
  const Value before = Of(id);
  Run(at);
  const Value after = Of(id);
  slope.rises = IsInteger(id) ? before.integer <= after.integer : before.real <= after.real;
  return slope.rises;
}

}  // namespace tenon
