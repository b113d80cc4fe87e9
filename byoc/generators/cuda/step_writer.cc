// One variable for each step, in the scope where it is needed. An arm of a select is a scope,
// because its reads may be out of bounds elsewhere.

#include "byoc/generators/cuda/step_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/builtins.h"
#include "lowering/entry/c_text.h"
#include "schedule/step_facts.h"

namespace tenon {

namespace {

constexpr int64_t kMostThreadsOfBlock = 1024;

bool IsSmallFloat(DataType dtype) {
  return dtype == DataType::Float(16) || (dtype.is_bfloat16() && dtype.is_scalar());
}

bool IsDeviceType(DataType dtype) {
  return dtype.is_scalar() && (dtype.is_integer() || IsSmallFloat(dtype) ||
                               dtype == DataType::Float(32) || dtype == DataType::Float(64));
}

/// The function of the dialect for one argument. Empty if no function gives the right bits.
std::string_view UnaryFunction(OpKind op, DataType dtype, DeviceMath math) {
  const bool is_single = dtype.bits() != 64;
  switch (op) {
    case OpKind::kSqrt:
      return "tn_sqrt";
    case OpKind::kRsqrt:
      return "tn_rsqrt";
    case OpKind::kFabs:
      return "tn_abs";
    case OpKind::kFloor:
      return "tn_floor";
    case OpKind::kCeil:
      return "tn_ceil";
    case OpKind::kTrunc:
      return "tn_trunc";
    case OpKind::kRound:
      return "tn_round";
    case OpKind::kNearbyint:
    case OpKind::kRoundeven:
      return "tn_nearbyint";
    case OpKind::kExp:
      return !is_single ? "" : math == DeviceMath::kFast ? "tn_fast_exp" : "tn_exp";
    case OpKind::kErf:
      return is_single ? "tn_erf" : "";
    case OpKind::kSigmoid:
      return is_single ? "tn_sigmoid" : "";
    default:
      return "";
  }
}

bool IsDeviceCall(const Step& step, DeviceMath math) {
  switch (step.op) {
    case OpKind::kIfThenElse:
    case OpKind::kLikely:
      return true;
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight:
    case OpKind::kBitwiseAnd:
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor:
    case OpKind::kBitwiseNot:
      return step.dtype.is_integer() && !step.dtype.is_bool();
    case OpKind::kQMultiplyShift:
    case OpKind::kQMultiplyShiftPerAxis:
      return step.dtype == DataType::Int(32);
    default:
      return step.dtype.is_floating() && !UnaryFunction(step.op, step.dtype, math).empty();
  }
}

bool IsDeviceNode(const Step& step) {
  switch (step.node) {
    case NodeKind::kMod:
    case NodeKind::kFloorDiv:
    case NodeKind::kFloorMod:
      return step.dtype.is_integer();
    case NodeKind::kCast:
    case NodeKind::kAdd:
    case NodeKind::kSub:
    case NodeKind::kMul:
    case NodeKind::kDiv:
    case NodeKind::kMin:
    case NodeKind::kMax:
    case NodeKind::kEQ:
    case NodeKind::kNE:
    case NodeKind::kLT:
    case NodeKind::kLE:
    case NodeKind::kGT:
    case NodeKind::kGE:
    case NodeKind::kAnd:
    case NodeKind::kOr:
    case NodeKind::kNot:
    case NodeKind::kSelect:
      return true;
    default:
      return false;
  }
}

/// A cast by way of float32 would round twice.
bool RoundsTwice(const Computation& all, const Step& step) {
  if (step.kind != StepKind::kNode || step.node != NodeKind::kCast || !IsSmallFloat(step.dtype))
    return false;
  const DataType from = all.steps[static_cast<size_t>(step.args[0])].dtype;
  return from.is_integer() ? from.bits() > 16 : from.bits() > 32;
}

std::string_view Comparison(NodeKind node) {
  switch (node) {
    case NodeKind::kEQ:
      return "==";
    case NodeKind::kNE:
      return "!=";
    case NodeKind::kLT:
      return "<";
    case NodeKind::kLE:
      return "<=";
    case NodeKind::kGT:
      return ">";
    case NodeKind::kGE:
      return ">=";
    case NodeKind::kAnd:
      return "&&";
    case NodeKind::kOr:
      return "||";
    default:
      return "";
  }
}

std::string_view Arithmetic(NodeKind node, bool is_float) {
  switch (node) {
    case NodeKind::kAdd:
      return is_float ? "+" : "tn_add";
    case NodeKind::kSub:
      return is_float ? "-" : "tn_sub";
    case NodeKind::kMul:
      return is_float ? "*" : "tn_mul";
    case NodeKind::kDiv:
      return is_float ? "/" : "tn_div";
    case NodeKind::kMod:
      return "tn_mod";
    case NodeKind::kFloorDiv:
      return "tn_floordiv";
    case NodeKind::kFloorMod:
      return "tn_floormod";
    case NodeKind::kMin:
      return "tn_min";
    default:
      return "tn_max";
  }
}

/// The value rounded to a small float.
std::string Rounded(DataType dtype, const std::string& value) {
  if (!IsSmallFloat(dtype)) return value;
  return fmt::format("tn_round_{}({})", dtype.is_bfloat16() ? "bf16" : "f16", value);
}

std::string RealLiteral(double value, DataType dtype) {
  // Number that literals cannot have, by their bits.
  if (std::isnan(value))
    return dtype.bits() == 64 ? "tn_double(0x7ff8000000000000ull)" : "tn_float(0x7fc00000u)";
  if (std::isinf(value)) {
    if (dtype.bits() == 64)
      return value < 0 ? "tn_double(0xfff0000000000000ull)" : "tn_double(0x7ff0000000000000ull)";
    return value < 0 ? "tn_float(0xff800000u)" : "tn_float(0x7f800000u)";
  }
  return FloatLiteral(value, dtype);
}

std::string WholeLiteral(int64_t value, DataType dtype) {
  if (dtype.is_bool()) return value != 0 ? "true" : "false";
  if (value == INT64_MIN) return "(tn_i64)0x8000000000000000ull";
  if (dtype.is_uint())
    return fmt::format("(({}){}ull)", DeviceType(dtype), static_cast<uint64_t>(value));
  return fmt::format("({})({}ll)", DeviceType(dtype), value);
}

/// The number of values that the code computes if no value is used twice. Arms of choices and loops
/// of reductions compute their values again.
int64_t TreeSize(const Computation& all) {
  std::vector<int64_t> sizes(all.steps.size(), 1);
  int64_t total = 0;
  for (size_t i = 0; i < all.steps.size(); ++i) {
    for (const int arg : all.steps[i].args) {
      if (__builtin_add_overflow(sizes[i], sizes[static_cast<size_t>(arg)], &sizes[i]))
        sizes[i] = INT64_MAX;
    }
  }
  for (const ComputationStore& store : all.stores) {
    if (__builtin_add_overflow(total, sizes[static_cast<size_t>(store.step)], &total))
      total = INT64_MAX;
  }
  return total;
}

/// True if the code would be very long.
bool IsTooLong(const Computation& all) {
  constexpr int64_t kMostValues = 100'000;
  const bool repeats = std::any_of(all.steps.begin(), all.steps.end(), [](const Step& step) {
    return IsChoice(step) || IsReduction(step.kind);
  });
  return repeats && TreeSize(all) > kMostValues;
}

}  // namespace

std::string_view DeviceType(DataType dtype) {
  static constexpr std::string_view kInts[] = {"tn_i8", "tn_i16", "tn_i32", "tn_i64"};
  static constexpr std::string_view kUInts[] = {"tn_u8", "tn_u16", "tn_u32", "tn_u64"};
  if (dtype.is_bool()) return "bool";
  const int width = dtype.bits() <= 8 ? 0 : dtype.bits() <= 16 ? 1 : dtype.bits() <= 32 ? 2 : 3;
  if (dtype.is_int()) return kInts[width];
  if (dtype.is_uint()) return kUInts[width];
  return dtype.bits() == 64 ? "double" : "float";
}

std::string_view DeviceElement(DataType dtype) {
  if (dtype.is_bool()) return "tn_u8";
  if (IsSmallFloat(dtype)) return "tn_u16";
  return DeviceType(dtype);
}

std::string_view DeviceReduction(NodeKind node) {
  return node == NodeKind::kAdd ? "tn_op_add" : node == NodeKind::kMin ? "tn_op_min" : "tn_op_max";
}

std::string FromElement(DataType dtype, std::string_view element) {
  if (dtype.is_bool()) return fmt::format("({} != 0)", element);
  if (!IsSmallFloat(dtype)) return std::string(element);
  return fmt::format("tn_of_{}({})", dtype.is_bfloat16() ? "bf16" : "f16", element);
}

std::string ToElement(DataType dtype, std::string_view value) {
  if (dtype.is_bool()) return fmt::format("(tn_u8)({})", value);
  if (!IsSmallFloat(dtype)) return std::string(value);
  return fmt::format("tn_to_{}({})", dtype.is_bfloat16() ? "bf16" : "f16", value);
}

std::string WhyNoDeviceCode(const Computation& all, DeviceMath math) {
  if (IsTooLong(all)) return "more than 100,000 values in choices or sums";
  for (const ComputationOperand& operand : all.operands) {
    if (!IsDeviceType(operand.dtype))
      return fmt::format("elements of type {}", operand.dtype.ToString());
    // Numbers of threads are int32, rounded up to whole blocks.
    if (operand.elements > INT32_MAX - kMostThreadsOfBlock)
      return "a tensor with about 2^31 elements or more";
  }
  for (const Step& step : all.steps) {
    if (!IsDeviceType(step.dtype)) return fmt::format("values of type {}", step.dtype.ToString());
    const bool is_plain_reduction = step.kind != StepKind::kReduce || step.node == NodeKind::kAdd ||
                                    step.node == NodeKind::kMin || step.node == NodeKind::kMax ||
                                    step.node == NodeKind::kMul;
    if (!is_plain_reduction) return "a reduction that is neither a sum, a product nor a maximum";
    if (step.kind == StepKind::kNode && !IsDeviceNode(step)) return "an operation without code";
    if (RoundsTwice(all, step)) return fmt::format("a cast to {}", step.dtype.ToString());
    if (step.kind == StepKind::kCall && !IsDeviceCall(step, math))
      return fmt::format("the function {}", Op::Get(step.op)->text);
  }
  return {};
}

void CodeText::Line(std::string_view line) {
  text_.append(static_cast<size_t>(2 * depth_), ' ').append(line) += '\n';
}
void CodeText::Open(std::string_view line) {
  Line(line.empty() ? "{" : fmt::format("{} {{", line));
  ++depth_;
}
void CodeText::Close(std::string_view after) {
  --depth_;
  Line(fmt::format("}}{}", after));
}

StepWriter::StepWriter(const Computation& computation, DeviceMath math, CodeText& code)
    : computation_(computation),
      math_(math),
      code_(code),
      loops_(computation.loops.size()),
      scopes_(1),
      free_(FreeLoops(computation)) {}

std::string StepWriter::Pointer(int operand) { return fmt::format("p{}", operand); }

std::string StepWriter::Index(const LinearIndex& element) const {
  std::string text;
  for (const auto& [loop, stride] : element.terms) {
    const std::string& counter = loops_[static_cast<size_t>(loop)];
    text += fmt::format("{}{}", text.empty() ? "" : " + ",
                        stride == 1 ? counter : fmt::format("{} * ({})", counter, stride));
  }
  if (element.offset != 0 || text.empty())
    text += fmt::format("{}{}", text.empty() ? "" : " + ", element.offset);
  if (element.divisor != 1) text = fmt::format("({}) / {}", text, element.divisor);
  return text;
}

std::string StepWriter::Bind(int step, const std::string& value) {
  const std::string name = fmt::format("v{}", names_++);
  code_.Line(fmt::format("const {} {} = {};", DeviceType(DtypeOf(step)), name, value));
  scopes_.back().emplace(step, name);
  return name;
}

std::string StepWriter::Value(int at) {
  for (const auto& scope : scopes_) {
    const auto found = scope.find(at);
    if (found != scope.end()) return found->second;
  }
  if (given_) {
    std::string given = given_(at);
    if (!given.empty()) return given;
  }
  const Step& step = StepAt(at);
  switch (step.kind) {
    case StepKind::kInteger:
      return WholeLiteral(step.integer, step.dtype);
    case StepKind::kReal:
      return Rounded(step.dtype, RealLiteral(step.real, step.dtype));
    case StepKind::kIndex:
      return Bind(at, fmt::format("({})({})", DeviceType(step.dtype), Index(step.linear)));
    case StepKind::kRead:
    case StepKind::kGather:
      return Bind(at, Read(step));
    case StepKind::kNode:
    case StepKind::kCall:
      return IsChoice(step) ? Choice(at)
                            : Bind(at, step.kind == StepKind::kNode ? Node(step) : Call(step));
    case StepKind::kReduce:
      return Reduction(at);
    case StepKind::kArgReduce:
      return ArgReduction(at);
  }
  return {};
}

std::string StepWriter::Stored(int step) {
  const Step& stored = StepAt(step);
  const bool is_rounding = stored.kind == StepKind::kNode && stored.node == NodeKind::kCast &&
                           IsSmallFloat(stored.dtype) &&
                           DtypeOf(stored.args[0]) == DataType::Float(32);
  // The conversion to an element also rounds.
  return ToElement(stored.dtype, Value(is_rounding ? stored.args[0] : step));
}

std::string StepWriter::Read(const Step& step) {
  const ComputationAccess& access = computation_.accesses[static_cast<size_t>(step.access)];
  std::string index = Index(access.element);
  if (step.kind == StepKind::kGather)
    index = fmt::format("(tn_i64)({}) + (tn_i64){}", index, Value(step.args[0]));
  return FromElement(step.dtype, fmt::format("{}[{}]", Pointer(access.operand), index));
}

std::string StepWriter::Cast(const Step& step) {
  const std::string value = Value(step.args[0]);
  const DataType from = DtypeOf(step.args[0]);
  if (from == step.dtype) return value;
  if (step.dtype.is_bool()) return fmt::format("{} != 0", value);
  if (step.dtype.is_integer() && from.is_floating())
    return fmt::format("tn_saturate<{}>({})", DeviceType(step.dtype), value);
  return Rounded(step.dtype, fmt::format("({}){}", DeviceType(step.dtype), value));
}

std::string StepWriter::Binary(const Step& step, const std::string& a, const std::string& b) {
  const bool is_float = step.dtype.is_floating();
  const std::string_view op = Arithmetic(step.node, is_float);
  if (!op.starts_with("tn_")) return Rounded(step.dtype, fmt::format("{} {} {}", a, op, b));
  return fmt::format("{}<{}>({}, {})", op, DeviceType(step.dtype), a, b);
}

std::string StepWriter::Node(const Step& step) {
  if (step.node == NodeKind::kCast) return Cast(step);
  if (step.node == NodeKind::kNot) return fmt::format("!{}", Value(step.args[0]));
  const std::string a = Value(step.args[0]);
  const std::string b = Value(step.args[1]);
  const std::string_view comparison = Comparison(step.node);
  if (!comparison.empty()) return fmt::format("{} {} {}", a, comparison, b);
  return Binary(step, a, b);
}

std::string StepWriter::FixedPoint(const Step& step, std::string_view function, size_t count) {
  std::string args;
  for (size_t i = 0; i < count; ++i)
    args += fmt::format("{}{}", i == 0 ? "" : ", ", Value(step.args[i]));
  return fmt::format("{}({})", function, args);
}

std::string StepWriter::Call(const Step& step) {
  const std::string a = Value(step.args[0]);
  switch (step.op) {
    case OpKind::kLikely:
      return a;
    case OpKind::kBitwiseNot:
      return fmt::format("({})~{}", DeviceType(step.dtype), a);
    case OpKind::kQMultiplyShift:
      return FixedPoint(step, "tn_q_multiply_shift", 4);
    case OpKind::kQMultiplyShiftPerAxis:
      // The last argument follows from the others.
      return FixedPoint(step, "tn_q_multiply_shift_per_axis", 6);
    case OpKind::kShiftLeft:
      return fmt::format("tn_shl<{}>({}, {})", DeviceType(step.dtype), a, Value(step.args[1]));
    case OpKind::kShiftRight:
      return fmt::format("({})({} >> {})", DeviceType(step.dtype), a, Value(step.args[1]));
    case OpKind::kBitwiseAnd:
      return fmt::format("({})({} & {})", DeviceType(step.dtype), a, Value(step.args[1]));
    case OpKind::kBitwiseOr:
      return fmt::format("({})({} | {})", DeviceType(step.dtype), a, Value(step.args[1]));
    case OpKind::kBitwiseXor:
      return fmt::format("({})({} ^ {})", DeviceType(step.dtype), a, Value(step.args[1]));
    default:
      return Rounded(step.dtype,
                     fmt::format("{}({})", UnaryFunction(step.op, step.dtype, math_), a));
  }
}

std::string StepWriter::Choice(int at) {
  const Step& step = StepAt(at);
  const std::string condition = Value(step.args[0]);
  const std::string name = fmt::format("v{}", names_++);
  code_.Line(fmt::format("{} {};", DeviceType(step.dtype), name));
  const auto arm = [&](const std::string& opening, int value) {
    code_.Open(opening);
    Enter();
    code_.Line(fmt::format("{} = {};", name, Value(value)));
    Leave();
    code_.Close();
  };
  arm(fmt::format("if ({})", condition), step.args[1]);
  arm("else", step.args[2]);
  scopes_.back().emplace(at, name);
  return name;
}

void StepWriter::MakeSumsOutside(int at, LoopSet loops, std::set<int>& seen) {
  const Step& step = StepAt(at);
  if (!seen.insert(at).second) return;
  if (IsReduction(step.kind) && (free_[static_cast<size_t>(at)] & loops) == 0) {
    Value(at);
    return;
  }
  // An arm of a select may have no value here.
  if (IsReduction(step.kind) || IsChoice(step)) return;
  for (const int arg : step.args) MakeSumsOutside(arg, loops, seen);
}

void StepWriter::OpenLoops(const Step& step) {
  LoopSet loops = 0;
  for (const int loop : step.loops) loops |= Bit(loop);
  std::set<int> seen;
  for (size_t i = step.starts(); i < step.args.size(); ++i)
    MakeSumsOutside(step.args[i], loops, seen);
  for (const int loop : step.loops) {
    const std::string name = fmt::format("l{}_{}", loop, names_++);
    code_.Open(
        fmt::format("for (int {0} = 0; {0} < {1}; ++{0})", name, LoopExtent(computation_, loop)));
    SetLoop(loop, name);
  }
  Enter();
}

void StepWriter::CloseLoops(const Step& step) {
  Leave();
  for (const int loop : step.loops) {
    code_.Close();
    SetLoop(loop, "");
  }
}

std::string StepWriter::Reduction(int at) {
  const Step& step = StepAt(at);
  const std::string name = fmt::format("v{}", names_++);
  code_.Line(fmt::format("{} {} = {};", DeviceType(step.dtype), name, Value(step.args[0])));
  OpenLoops(step);
  const std::string value = Value(step.args[1]);
  const bool is_value_first = step.integer == 1;
  code_.Line(
      fmt::format("{} = {};", name,
                  Binary(step, is_value_first ? value : name, is_value_first ? name : value)));
  CloseLoops(step);
  scopes_.back().emplace(at, name);
  return name;
}

std::string StepWriter::ArgReduction(int at) {
  const Step& step = StepAt(at);
  const std::string place = fmt::format("v{}", names_++);
  const std::string best = fmt::format("v{}", names_++);
  code_.Line(fmt::format("{} {} = {};", DeviceType(step.dtype), place, Value(step.args[0])));
  code_.Line(
      fmt::format("{} {} = {};", DeviceType(DtypeOf(step.args[1])), best, Value(step.args[1])));
  OpenLoops(step);
  const std::string at_place = Value(step.args[2]);
  const std::string value = Value(step.args[3]);
  code_.Open(fmt::format("if (!({} {} {}))", value, step.node == NodeKind::kMin ? ">" : "<", best));
  code_.Line(fmt::format("if (!({0} == {1} && {2} {3} {4})) {2} = {4};", value, best, place,
                         step.integer == 0 ? "<" : ">", at_place));
  code_.Line(fmt::format("{} = {};", best, value));
  code_.Close();
  CloseLoops(step);
  scopes_.back().emplace(at, place);
  return place;
}

}  // namespace tenon
