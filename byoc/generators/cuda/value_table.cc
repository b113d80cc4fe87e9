// A value that depends on one element of 16 bits has 65,536 possible results. They are computed
// here, with the functions of the C library, as the interpreter computes them.

#include <algorithm>
#include <cmath>
#include <functional>

#include "byoc/generators/cuda/kernel.h"
#include "ir/builtins.h"
#include "schedule/step_facts.h"
#include "support/half.h"

namespace tenon {

namespace {

constexpr size_t kSmallFloats = 65536;

bool IsTabulated(DataType dtype) { return dtype == DataType::Float(16) || dtype.is_bfloat16(); }

float FromBits(DataType dtype, uint16_t bits) {
  return dtype.is_bfloat16() ? FloatFromBFloat16(bits) : FloatFromFloat16(bits);
}
uint16_t ToBits(DataType dtype, float value) {
  return dtype.is_bfloat16() ? BFloat16FromDouble(static_cast<double>(value))
                             : Float16FromDouble(static_cast<double>(value));
}

/// Nullopt for other functions.
std::optional<float> MathValue(OpKind op, float x) {
  switch (op) {
    case OpKind::kExp:
      return std::exp(x);
    case OpKind::kExp2:
      return std::exp2(x);
    case OpKind::kLog:
      return std::log(x);
    case OpKind::kLog2:
      return std::log2(x);
    case OpKind::kLog10:
      return std::log10(x);
    case OpKind::kLog1p:
      return std::log1p(x);
    case OpKind::kSqrt:
      return std::sqrt(x);
    case OpKind::kRsqrt:
      return 1.0F / std::sqrt(x);
    case OpKind::kSigmoid:
      return 1.0F / (1.0F + std::exp(-x));
    case OpKind::kTanh:
      return std::tanh(x);
    case OpKind::kSin:
      return std::sin(x);
    case OpKind::kCos:
      return std::cos(x);
    case OpKind::kTan:
      return std::tan(x);
    case OpKind::kSinh:
      return std::sinh(x);
    case OpKind::kCosh:
      return std::cosh(x);
    case OpKind::kAsin:
      return std::asin(x);
    case OpKind::kAcos:
      return std::acos(x);
    case OpKind::kAtan:
      return std::atan(x);
    case OpKind::kErf:
      return std::erf(x);
    case OpKind::kFloor:
      return std::floor(x);
    case OpKind::kCeil:
      return std::ceil(x);
    case OpKind::kTrunc:
      return std::trunc(x);
    case OpKind::kRound:
      return std::round(x);
    case OpKind::kNearbyint:
    case OpKind::kRoundeven:
      return std::nearbyint(x);
    case OpKind::kFabs:
      return std::fabs(x);
    default:
      return std::nullopt;
  }
}

std::optional<float> NodeValue(NodeKind node, float a, float b) {
  switch (node) {
    case NodeKind::kAdd:
      return a + b;
    case NodeKind::kSub:
      return a - b;
    case NodeKind::kMul:
      return a * b;
    case NodeKind::kDiv:
      return a / b;
    case NodeKind::kMin:
      return a < b ? a : b;
    case NodeKind::kMax:
      return a > b ? a : b;
    case NodeKind::kLT:
      return a < b ? 1.0F : 0.0F;
    case NodeKind::kLE:
      return a <= b ? 1.0F : 0.0F;
    case NodeKind::kGT:
      return a > b ? 1.0F : 0.0F;
    case NodeKind::kGE:
      return a >= b ? 1.0F : 0.0F;
    case NodeKind::kEQ:
      return a == b ? 1.0F : 0.0F;
    case NodeKind::kNE:
      return a != b ? 1.0F : 0.0F;
    case NodeKind::kAnd:
      return a != 0 && b != 0 ? 1.0F : 0.0F;
    case NodeKind::kOr:
      return a != 0 || b != 0 ? 1.0F : 0.0F;
    default:
      return std::nullopt;
  }
}

class TableMaker {
 public:
  TableMaker(const Computation& all, const ComputationStore& store) : all_(all), store_(store) {}

  std::vector<uint16_t> Make() {
    const DataType dtype = StepAt(store_.step).dtype;
    if (!IsTabulated(dtype)) return {};
    below_.resize(all_.steps.size());
    if (!Mark(store_.step) || access_ < 0 || !calls_function_) return {};
    std::vector<uint16_t> table(kSmallFloats);
    std::vector<float> values(all_.steps.size());
    for (size_t i = 0; i < table.size(); ++i) {
      for (size_t at = 0; at < all_.steps.size(); ++at) {
        if (!below_[at]) continue;
        const std::optional<float> value = ValueOf(all_.steps[at], values, i);
        if (!value) return {};
        values[at] = *value;
      }
      table[i] = ToBits(dtype, values[static_cast<size_t>(store_.step)]);
    }
    return table;
  }

 private:
  const Step& StepAt(int step) const { return all_.steps[static_cast<size_t>(step)]; }

  /// Marks the steps below; false if one of them cannot be tabulated.
  bool Mark(int at) {
    if (below_[static_cast<size_t>(at)]) return true;
    below_[static_cast<size_t>(at)] = true;
    const Step& step = StepAt(at);
    const bool is_value =
        IsTabulated(step.dtype) || step.dtype == DataType::Float(32) || step.dtype.is_bool();
    if (!is_value) return false;
    switch (step.kind) {
      case StepKind::kReal:
      case StepKind::kInteger:
        return true;
      case StepKind::kRead:
        if (access_ >= 0 && !(AccessAt(access_) == AccessAt(step.access))) return false;
        access_ = step.access;
        return IsTabulated(step.dtype);
      case StepKind::kCall:
        calls_function_ |= IsMathematics(step.op);
        break;
      case StepKind::kNode:
        break;
      default:
        return false;
    }
    for (const int arg : step.args) {
      if (!Mark(arg)) return false;
    }
    return true;
  }

  const ComputationAccess& AccessAt(int access) const {
    return all_.accesses[static_cast<size_t>(access)];
  }

  static std::optional<float> ValueOf(const Step& step, const std::vector<float>& values,
                                      size_t bits) {
    const auto arg = [&](size_t i) { return values[static_cast<size_t>(step.args[i])]; };
    std::optional<float> value;
    if (step.kind == StepKind::kRead) return FromBits(step.dtype, static_cast<uint16_t>(bits));
    if (step.kind == StepKind::kReal) value = static_cast<float>(step.real);
    if (step.kind == StepKind::kInteger) value = static_cast<float>(step.integer);
    if (IsChoice(step)) {
      value = arg(0) != 0 ? arg(1) : arg(2);
    } else if (step.kind == StepKind::kCall) {
      value = MathValue(step.op, arg(0));
    } else if (step.kind == StepKind::kNode && step.node == NodeKind::kCast) {
      value = step.dtype.is_bool() ? (arg(0) != 0 ? 1.0F : 0.0F) : arg(0);
    } else if (step.kind == StepKind::kNode && step.node == NodeKind::kNot) {
      value = arg(0) != 0 ? 0.0F : 1.0F;
    } else if (step.kind == StepKind::kNode) {
      value = NodeValue(step.node, arg(0), arg(1));
    }
    if (!value || !IsTabulated(step.dtype)) return value;
    return FromBits(step.dtype, ToBits(step.dtype, *value));
  }

  const Computation& all_;
  const ComputationStore& store_;
  std::vector<bool> below_;
  int access_ = -1;
  bool calls_function_ = false;
};

}  // namespace

bool IsTanhGelu(const Computation& all, const ComputationStore& store) {
  const bool has_tanh = std::any_of(all.steps.begin(), all.steps.end(), [](const Step& step) {
    return step.kind == StepKind::kCall && step.op == OpKind::kTanh;
  });
  if (!has_tanh) return false;
  const std::vector<uint16_t> table = ValueTable(all, store);
  const DataType dtype = all.steps[static_cast<size_t>(store.step)].dtype;
  const auto read = std::find_if(all.steps.begin(), all.steps.end(),
                                 [](const Step& step) { return step.kind == StepKind::kRead; });
  if (table.empty() || read == all.steps.end() || read->dtype != dtype) return false;
  const double relative = dtype.is_bfloat16() ? 0x1p-7 : 0x1p-10;
  for (size_t i = 0; i < table.size(); ++i) {
    const auto x = static_cast<double>(FromBits(dtype, static_cast<uint16_t>(i)));
    const auto y = static_cast<double>(FromBits(dtype, table[i]));
    if (!std::isfinite(x)) continue;
    constexpr double kRootOfTwoByPi = 0.79788456080286541;
    const double gelu = 0.5 * x * (1 + std::tanh(kRootOfTwoByPi * (x + 0.044715 * x * x * x)));
    // In float32, 1 + tanh has an error of 2^-24, which x multiplies.
    const double allowed = relative * std::fabs(gelu) + (1 + std::fabs(x)) * 0x1p-24;
    if (!(std::fabs(y - gelu) <= allowed)) return false;
  }
  return true;
}

std::vector<uint16_t> ValueTable(const Computation& all, const ComputationStore& store) {
  return TableMaker(all, store).Make();
}

}  // namespace tenon
