// The library's softmax and TensorFlow Lite's are the same computation of integers, on a table of
// exponentials that the library computes from a multiplier. The claim's steps must be this
// computation, and its table must contain the library's numbers for all 256 differences.

#include "byoc/generators/cmsis_nn/softmax.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "byoc/recognise/step_program.h"
#include "fmt/format.h"
#include "ir/builtins.h"

namespace tenon {

namespace {

constexpr int64_t kDifferences = 256;
/// Longer rows may have sums that the library shifts by more bits than an int32 has.
constexpr int64_t kMostColumns = 255;
/// The number of multipliers that are tried around the middle of the possible ones.
constexpr int64_t kMostTries = 4096;
/// The number of arguments that are tried around a logarithm, because it is not exactly the
/// library's.
constexpr int64_t kMostError = 64;
/// The numbers of an exponential from which its argument follows.
constexpr int32_t kLarge = 1 << 20;
constexpr size_t kMostClaimSteps = 256;

const DataType kInt8 = DataType::Int(8), kInt32 = DataType::Int(32), kInt64 = DataType::Int(64);

/// Numbers for values, so that equal computations have equal numbers.
class ValueNumbers {
 public:
  int Of(std::string key) {
    return numbers_.try_emplace(std::move(key), static_cast<int>(numbers_.size())).first->second;
  }
  int Integer(DataType dtype, int64_t value) {
    return Of(fmt::format("{} {}", dtype.ToString(), value));
  }
  int Node(NodeKind node, DataType dtype, std::initializer_list<int> args) {
    return Of(fmt::format("node {} {} {}", static_cast<int>(node), dtype.ToString(), Listed(args)));
  }
  int Call(OpKind op, DataType dtype, std::initializer_list<int> args) {
    return Of(fmt::format("call {} {} {}", static_cast<int>(op), dtype.ToString(), Listed(args)));
  }
  int Reduce(NodeKind node, DataType dtype, int start, int value) {
    return Of(
        fmt::format("reduce {} {} {} {}", static_cast<int>(node), dtype.ToString(), start, value));
  }

  static std::string Listed(std::span<const int> args) {
    std::string text;
    for (const int arg : args) text += fmt::format("{} ", arg);
    return text;
  }
  static std::string Listed(std::initializer_list<int> args) {
    return Listed(std::span<const int>(args.begin(), args.size()));
  }

 private:
  std::map<std::string, int> numbers_;
};

constexpr std::string_view kElement = "the element of the loop around";
constexpr std::string_view kStored = "the element that is stored";

/// Softmax as TensorFlow Lite's reference kernel computes it on gemmlowp's fixed-point numbers, in
/// the order of its steps.
class Softmax {
 public:
  explicit Softmax(ValueNumbers& values) : v_(values) {}

  int Result() {
    const int most = v_.Reduce(NodeKind::kMax, kInt32, v_.Integer(kInt32, -128),
                               Cast(kInt32, v_.Of(std::string(kElement))));
    const int rounded =
        Shift(Add(Shift(Exponential(most, kElement), 1, kInt32), 1 << 10, kInt32), 11, kInt32);
    const int sum = v_.Reduce(NodeKind::kAdd, kInt32, v_.Integer(kInt32, 0), rounded);
    const int zeros = v_.Call(OpKind::kClz, kInt32, {sum});
    const int bits = Cast(
        kInt64, Add(v_.Node(NodeKind::kMul, kInt32, {zeros, v_.Integer(kInt32, -1)}), 35, kInt32));
    const int product =
        HighProduct(Cast(kInt64, Exponential(most, kStored)), Cast(kInt64, Inverse(sum, zeros)));
    const int one = v_.Integer(kInt64, 1);
    const int half =
        v_.Call(OpKind::kShiftLeft, kInt64, {one, v_.Node(NodeKind::kSub, kInt64, {bits, one})});
    const int quotient = v_.Call(OpKind::kShiftRight, kInt64,
                                 {v_.Node(NodeKind::kAdd, kInt64, {product, half}), bits});
    const int centred =
        v_.Node(NodeKind::kSub, kInt32, {Cast(kInt32, quotient), v_.Integer(kInt32, 128)});
    return Cast(kInt8, v_.Node(NodeKind::kMin, kInt32, {centred, v_.Integer(kInt32, 127)}));
  }

 private:
  int Cast(DataType dtype, int x) { return v_.Node(NodeKind::kCast, dtype, {x}); }
  int Add(int x, int64_t y, DataType dtype) {
    return v_.Node(NodeKind::kAdd, dtype, {x, v_.Integer(dtype, y)});
  }
  int Shift(int x, int64_t bits, DataType dtype) {
    return v_.Call(OpKind::kShiftRight, dtype, {x, v_.Integer(dtype, bits)});
  }
  /// The table's entry for the distance of an element from the greatest one.
  int Exponential(int most, std::string_view element) {
    const int x = Cast(kInt32, v_.Of(std::string(element)));
    return v_.Of(fmt::format("entry {}", v_.Node(NodeKind::kSub, kInt32, {most, x})));
  }
  /// x * y / 2^31, with ties up.
  int HighProduct(int x, int y) {
    return Shift(Add(v_.Node(NodeKind::kMul, kInt64, {x, y}), int64_t{1} << 30, kInt64), 31,
                 kInt64);
  }
  /// x * 2^bits, limited to int32.
  int Saturated(int x, int64_t bits) {
    const int shifted = v_.Call(OpKind::kShiftLeft, kInt64, {x, v_.Integer(kInt64, bits)});
    const int low = v_.Node(NodeKind::kMin, kInt64,
                            {shifted, v_.Integer(kInt64, std::numeric_limits<int32_t>::max())});
    return Cast(kInt32, v_.Node(NodeKind::kMax, kInt64,
                                {low, v_.Integer(kInt64, std::numeric_limits<int32_t>::min())}));
  }
  /// The reciprocal of the sum, scaled to [1, 2), by three steps of Newton and Raphson.
  int Inverse(int sum, int zeros) {
    const int scaled =
        v_.Call(OpKind::kShiftLeft, kInt64, {Cast(kInt64, sum), Cast(kInt64, zeros)});
    const int half = Cast(kInt64, Cast(kInt32, Shift(scaled, 1, kInt64)));
    int x =
        Cast(kInt32, Add(HighProduct(half, v_.Integer(kInt64, -1010580540)), 1515870810, kInt64));
    for (int step = 0; step < 3; ++step) {
      const int wide = Cast(kInt64, x);
      const int minus =
          v_.Node(NodeKind::kMul, kInt64, {HighProduct(half, wide), v_.Integer(kInt64, -1)});
      const int rest = Cast(kInt64, Cast(kInt32, Add(minus, 1 << 29, kInt64)));
      x = v_.Node(NodeKind::kAdd, kInt32, {Saturated(HighProduct(rest, wide), 2), x});
    }
    return Saturated(Cast(kInt64, x), 1);
  }

  ValueNumbers& v_;
};

/// Numbers the steps of a claim, whose loops are rows and one axis of columns.
class ClaimNumbers {
 public:
  ClaimNumbers(const Computation& all, ValueNumbers& values)
      : all_(all), v_(values), store_(all.stores[0]) {
    const LinearIndex& element = Access(store_.access).element;
    for (const int loop : store_.loops) {
      if (element.stride(loop) == 1) columns_ = loop;
    }
  }

  /// The number of the stored value; nullopt if it contains steps that are not part of a softmax.
  std::optional<int> Stored() {
    if (columns_ < 0) return std::nullopt;
    return Of(store_.step, columns_, kStored);
  }
  int64_t columns() const { return Loop(columns_); }
  int input() const { return input_; }
  int table() const { return table_; }

 private:
  const ComputationAccess& Access(int access) const {
    return all_.accesses[static_cast<size_t>(access)];
  }
  int64_t Loop(int loop) const { return all_.loops[static_cast<size_t>(loop)].extent; }

  /// `loop` is the axis of columns here, and `element` the name of its element.
  std::optional<int> Of(int step, int loop, std::string_view element) {
    const Step& now = all_.steps[static_cast<size_t>(step)];
    if (now.kind == StepKind::kRead) return OfRead(now, loop, element);
    if (now.kind == StepKind::kInteger) return v_.Integer(now.dtype, now.integer);
    if (now.kind == StepKind::kReduce) {
      if (now.loops.size() != 1 || Loop(now.loops[0]) != columns()) return std::nullopt;
      const auto start = Of(now.args[0], loop, element);
      const auto value = Of(now.args[1], now.loops[0], kElement);
      if (!start || !value) return std::nullopt;
      return v_.Reduce(now.node, now.dtype, *start, *value);
    }
    std::vector<int> args;
    for (const int arg : now.args) {
      const auto [known, is_new] = known_.try_emplace({arg, loop}, -1);
      if (is_new) known->second = Of(arg, loop, element).value_or(-1);
      if (known_.at({arg, loop}) < 0) return std::nullopt;
      args.push_back(known_.at({arg, loop}));
    }
    const std::string list = ValueNumbers::Listed(args);
    const std::string dtype = now.dtype.ToString();
    if (now.kind == StepKind::kNode)
      return v_.Of(fmt::format("node {} {} {}", static_cast<int>(now.node), dtype, list));
    if (now.kind == StepKind::kCall)
      return v_.Of(fmt::format("call {} {} {}", static_cast<int>(now.op), dtype, list));
    if (now.kind == StepKind::kGather) return OfGather(now, args[0]);
    return std::nullopt;
  }

  /// The element of the same row as the stored one, in the column of `loop`.
  std::optional<int> OfRead(const Step& read, int loop, std::string_view element) {
    const ComputationAccess& access = Access(read.access);
    const LinearIndex& stored = Access(store_.access).element;
    bool is_same = access.element.offset == stored.offset && access.element.divisor == 1 &&
                   access.element.terms.size() == stored.terms.size() &&
                   access.element.stride(loop) == 1 && (input_ < 0 || input_ == access.operand);
    for (const int row : store_.loops) {
      if (row != columns_) is_same = is_same && access.element.stride(row) == stored.stride(row);
    }
    if (!is_same) return std::nullopt;
    input_ = access.operand;
    return v_.Of(std::string(element));
  }

  std::optional<int> OfGather(const Step& gather, int index) {
    const ComputationAccess& access = Access(gather.access);
    if (access.element.offset != 0 || !access.element.terms.empty() ||
        (table_ >= 0 && table_ != access.operand))
      return std::nullopt;
    table_ = access.operand;
    return v_.Of(fmt::format("entry {}", index));
  }

  const Computation& all_;
  ValueNumbers& v_;
  const ComputationStore& store_;
  int columns_ = -1, input_ = -1, table_ = -1;
  std::map<std::pair<int, int>, int> known_;
};

/// a * b / 2^31, with ties up.
int32_t HighProduct(int32_t a, int32_t b) {
  return static_cast<int32_t>((int64_t{a} * b + (int64_t{1} << 30)) >> 31);
}

/// x / 2^bits, with ties away from zero.
int32_t DividedByPower(int32_t x, int bits) {
  const int64_t half = int64_t{1} << (bits - 1);
  return static_cast<int32_t>((int64_t{x} + half - (x < 0 ? 1 : 0)) >> bits);
}

/// The library's exponential of a number of at most 0 with 26 bits after the point.
int32_t LibraryExp(int32_t x) {
  constexpr std::array<int32_t, 7> kPowers = {1672461947, 1302514674, 790015084, 290630308,
                                              39332535,   720401,     242};
  constexpr int32_t kQuarter = 1 << 24;
  if (x == 0) return std::numeric_limits<int32_t>::max();
  const int32_t rest = (x & (kQuarter - 1)) - kQuarter;
  const int32_t quarters = rest - x;
  const int32_t a = rest * 32 + (1 << 28);
  const int32_t a2 = HighProduct(a, a);
  const int32_t a4 = DividedByPower(HighProduct(a2, a2), 2) + HighProduct(a2, a);
  int32_t result =
      1895147668 + HighProduct(1895147668, a + DividedByPower(HighProduct(a4, 715827883) + a2, 1));
  for (size_t i = 0; i < kPowers.size(); ++i) {
    if ((quarters & (kQuarter << i)) != 0) result = HighProduct(result, kPowers[i]);
  }
  return result;
}

/// The least and the greatest argument -x near the logarithm whose exponential is `power`.
std::optional<std::pair<int64_t, int64_t>> ArgumentsOf(int32_t power) {
  const auto middle = std::llround(-std::log(power / std::exp2(31)) * std::exp2(26));
  // Neighbours have the same exponential if it has few digits.
  const int64_t most = kMostError + (int64_t{1} << 27) / power;
  std::optional<std::pair<int64_t, int64_t>> found;
  for (int64_t x = std::max<int64_t>(middle - most, 0); x <= middle + most; ++x) {
    if (LibraryExp(static_cast<int32_t>(-x)) != power) continue;
    found = {found ? found->first : x, x};
  }
  return found;
}

/// True if the library's exponentials equal those of the table, up to `last`.
bool HasExponentials(const CmsisSoftmax& softmax, std::span<const int32_t> table, int64_t last) {
  for (int64_t d = 0; d <= last; ++d) {
    const auto x = static_cast<int32_t>(-d * (int64_t{1} << softmax.shift));
    if (LibraryExp(HighProduct(x, static_cast<int32_t>(softmax.multiplier))) !=
        table[static_cast<size_t>(d)])
      return false;
  }
  return true;
}

/// The library's numbers whose exponentials are those of the table. The multiplier of the model is
/// not in the claim: each large exponential bounds it.
bool FitTable(std::span<const int32_t> table, CmsisSoftmax& softmax) {
  int64_t last = kDifferences - 1;
  while (last > 0 && table[static_cast<size_t>(last)] == 0) --last;
  if (last == 0 || table[1] < kLarge || table[0] != std::numeric_limits<int32_t>::max())
    return false;
  double low = 0, high = std::exp2(31);
  for (int64_t d = 1; d <= last && table[static_cast<size_t>(d)] >= kLarge; ++d) {
    const auto x = ArgumentsOf(table[static_cast<size_t>(d)]);
    if (!x) return false;
    low = std::max(low, (static_cast<double>(x->first) - 0.5) / static_cast<double>(d));
    high = std::min(high, (static_cast<double>(x->second) + 0.5) / static_cast<double>(d));
  }
  if (!(low <= high) || high < 1) return false;
  softmax.shift = std::ilogb(high) + 1;
  softmax.least_difference = -last;
  if (softmax.shift > 30 || last > std::numeric_limits<int32_t>::max() >> softmax.shift)
    return false;
  const double unit = std::exp2(31 - softmax.shift);
  const auto start = static_cast<int64_t>((low + high) / 2 * unit);
  for (int64_t i = 0; i <= kMostTries; ++i) {
    softmax.multiplier = start + (i % 2 == 0 ? i / 2 : -(i + 1) / 2);
    if (softmax.multiplier > 0 && softmax.multiplier <= std::numeric_limits<int32_t>::max() &&
        HasExponentials(softmax, table, last))
      return true;
  }
  return false;
}

}  // namespace

std::optional<CmsisSoftmax> ReadCmsisSoftmax(const OpInfo& info,
                                             std::span<const Constant* const> constants,
                                             std::string* problem) {
  const auto fail = [&](std::string_view why) {
    *problem = why;
    return std::nullopt;
  };
  const Computation& all = info.computation;
  if (all.stores.size() != 1 || all.steps.size() > kMostClaimSteps)
    return fail("it has no kernel for reduce");
  ValueNumbers values;
  ClaimNumbers claim(all, values);
  const std::optional<int> stored = claim.Stored();
  if (!stored || *stored != Softmax(values).Result() || claim.input() < 0 || claim.table() < 0)
    return fail("it has no kernel for reduce");
  CmsisSoftmax softmax;
  softmax.input = claim.input();
  softmax.output = all.accesses[static_cast<size_t>(all.stores[0].access)].operand;
  softmax.columns = claim.columns();
  softmax.rows = info.elements / softmax.columns;
  const ComputationOperand& input = all.operands[static_cast<size_t>(softmax.input)];
  const ComputationOperand& output = all.operands[static_cast<size_t>(softmax.output)];
  if (input.dtype != kInt8 || output.dtype != kInt8 || input.elements != info.elements ||
      output.elements != info.elements)
    return fail("its rows are not all of a tensor of int8");
  if (softmax.columns > kMostColumns)
    return fail(
        fmt::format("a softmax of {} elements, more than {}: the library's sum may "
                    "shift by more bits than it has",
                    softmax.columns, kMostColumns));
  const ConstantReader reader(all, constants);
  std::array<int32_t, kDifferences> exponentials = {};
  for (size_t i = 0; i < exponentials.size(); ++i) {
    const std::optional<int64_t> entry = reader.Integer(claim.table(), static_cast<int64_t>(i));
    if (!entry) return fail("its exponentials are not constants of the operator");
    exponentials[i] = static_cast<int32_t>(*entry);
  }
  if (!FitTable(exponentials, softmax)) return fail("the library's exponentials differ");
  return softmax;
}

}  // namespace tenon
