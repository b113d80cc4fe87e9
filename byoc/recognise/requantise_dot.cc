// Sums of products, and sums of elements. Constant weights bound the sums of each channel. The
// range includes 0, so it also holds for sums of some of the products, in any order.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "analysis/contraction.h"
#include "arith/interval.h"
#include "byoc/recognise/requantise_op.h"

namespace tenon {

namespace {

/// The largest numbers of weights and channels for which claims are derived.
constexpr int64_t kMostWeights = int64_t{1} << 28;
constexpr int64_t kMostChannels = int64_t{1} << 16;

const Step& StepAt(const Computation& all, int step) {
  return all.steps[static_cast<size_t>(step)];
}

/// The integers of a dtype minus a zero point, and 0.
Interval CentredRange(DataType dtype, int64_t zero_point) {
  const Interval all = Interval::OfDType(dtype) - Interval::Point(zero_point);
  return Unite(all, Interval::Point(0));
}

/// A list of one number if all are equal, and none if all are 0.
void Shorten(std::vector<int64_t>& list, bool drops_zeros) {
  if (list.empty() ||
      std::any_of(list.begin(), list.end(), [&](int64_t x) { return x != list[0]; }))
    return;
  list.resize(drops_zeros && list[0] == 0 ? 0 : 1);
}

constexpr std::array<std::string_view, 3> kPlaces = {"d", "h", "w"};
constexpr std::array<std::string_view, 3> kKernel = {"kd", "kh", "kw"};

/// True if the names of loops determine the positions of each window. Two conditions on one loop
/// would assign it to two windows.
bool NamesAreComplete(const OpInfo& info) {
  if (!info.window) return true;
  const Computation& all = info.computation;
  const size_t axes = info.window->input.size();
  for (size_t i = 0; i < axes; ++i) {
    if (Iterations(all, LoopsOfAxis(all, kPlaces[3 - axes + i])) != info.window->output[i] ||
        Iterations(all, LoopsOfAxis(all, kKernel[3 - axes + i])) != info.window->kernel[i])
      return false;
  }
  return true;
}

/// Reads a reduction that adds up integers.
class SumReader {
 public:
  SumReader(const OpInfo& info, const ConstantReader& constants, int reduction)
      : info_(info), all_(info.computation), constants_(constants), reduction_(reduction) {}

  std::optional<Requantise> Dot(const std::vector<int>& guards) {
    made_.sum = QuantisedSum::kDot;
    guards_ = guards;
    const int product = Term(guards);
    if (product < 0 || StepAt(all_, product).kind != StepKind::kNode ||
        StepAt(all_, product).node != NodeKind::kMul)
      return std::nullopt;
    const std::vector<int>& factors = StepAt(all_, product).args;
    const int read = ReadOf(all_, info_.input);
    if (read < 0) return std::nullopt;
    const bool swaps = !StepsBelow(all_, factors[0])[static_cast<size_t>(read)];
    const auto x = AddInput(factors[swaps ? 1 : 0], info_.input);
    const auto w = AddInput(factors[swaps ? 0 : 1], info_.weights);
    if (!x || !w) return std::nullopt;
    if (!FitsDType(*x * *w, StepAt(all_, product).dtype)) return std::nullopt;
    FindChannels(AccessAt(info_.weights));
    return Finish(*x, *w);
  }

  std::optional<Requantise> Sum() {
    made_.sum = QuantisedSum::kSum;
    const Step& sum = StepAt(all_, reduction_);
    int at = sum.args[1];
    int access = -1;
    const std::vector<bool> below = StepsBelow(all_, at);
    for (size_t i = 0; i < below.size(); ++i) {
      if (below[i] && all_.steps[i].kind == StepKind::kRead) access = all_.steps[i].access;
    }
    if (access < 0) return std::nullopt;
    (void)Unguarded(all_, at, 0, guards_);
    // Only a window says which elements of the input are read.
    if (!guards_.empty() && !info_.window) return std::nullopt;
    at = Term(guards_);
    const auto x = at < 0 ? std::nullopt : AddInput(at, access);
    if (!x) return std::nullopt;
    if (MakeQuotient(*x)) return std::move(made_);
    return Finish(*x, Interval::Point(1));
  }

  /// A maximum over the elements of a window that are inside of the input. It begins with the least
  /// integer.
  std::optional<Requantise> Max() {
    made_.sum = QuantisedSum::kMax;
    const Step& max = StepAt(all_, reduction_);
    const Step& first = StepAt(all_, max.args[0]);
    if (max.kind != StepKind::kReduce || max.node != NodeKind::kMax || !max.dtype.is_integer() ||
        first.kind != StepKind::kInteger)
      return std::nullopt;
    const int at = Unguarded(all_, max.args[1], static_cast<double>(first.integer), guards_);
    if (StepAt(all_, at).kind != StepKind::kRead || (!guards_.empty() && !info_.window))
      return std::nullopt;
    const DataType dtype = StepAt(all_, at).dtype;
    const Interval range = Interval::OfDType(dtype);
    if (!dtype.is_integer() || dtype.bits() > 16 || first.integer > range.min ||
        dtype.bits() > max.dtype.bits())
      return std::nullopt;
    made_.inputs.push_back({.access = StepAt(all_, at).access});
    made_.least_sum = range.min;
    made_.most_sum = range.max;
    RequantiseFinder finder(info_, constants_, reduction_);
    const std::vector<bool>& loops = finder.loops();
    const std::vector<int64_t> places(all_.loops.size());
    std::vector<int64_t> added;
    if (std::find(loops.begin(), loops.end(), true) != loops.end() ||
        !finder.AddChannel(places, {range.min, range.max}) || !finder.Finish(made_, added) ||
        added[0] != 0)
      return std::nullopt;
    return std::move(made_);
  }

 private:
  const LinearIndex& AccessAt(int access) const {
    return all_.accesses[static_cast<size_t>(access)].element;
  }
  DataType DTypeOf(int access) const {
    return all_.operands[static_cast<size_t>(all_.accesses[static_cast<size_t>(access)].operand)]
        .dtype;
  }

  /// The added value, inside of conditions and casts that keep integers. -1 if there are others.
  int Term(const std::vector<int>& guards) {
    const Step& sum = StepAt(all_, reduction_);
    if (sum.kind != StepKind::kReduce || sum.node != NodeKind::kAdd || !sum.dtype.is_int() ||
        StepAt(all_, sum.args[0]).kind != StepKind::kInteger ||
        StepAt(all_, sum.args[0]).integer != 0)
      return -1;
    int at = sum.args[1];
    while (StepAt(all_, at).kind == StepKind::kNode) {
      const Step& step = StepAt(all_, at);
      if (step.node == NodeKind::kSelect &&
          std::find(guards.begin(), guards.end(), step.args[0]) != guards.end()) {
        at = step.args[1];
      } else if (step.node == NodeKind::kCast && made_.sum == QuantisedSum::kDot &&
                 step.dtype.is_int() && StepAt(all_, step.args[0]).dtype.is_int() &&
                 step.dtype.bits() >= StepAt(all_, step.args[0]).dtype.bits()) {
        at = step.args[0];
      } else {
        break;
      }
    }
    return at;
  }

  /// The range of a factor.
  std::optional<Interval> AddInput(int factor, int access) {
    const std::optional<int64_t> zero_point =
        ZeroPointOf(all_, constants_, factor, access, guards_);
    if (!zero_point) return std::nullopt;
    QuantisedInput& input = made_.inputs.emplace_back();
    input.access = access;
    input.zero_point = *zero_point;
    return CentredRange(DTypeOf(access), *zero_point);
  }

  /// Channels are the iterations of kept loops on which the weights' indices depend.
  void FindChannels(const LinearIndex& weights) {
    for (const int loop : all_.stores[0].loops) {
      if (weights.stride(loop) != 0) channels_.push_back(loop);
    }
    const LinearIndex& output = AccessAt(all_.stores[0].access);
    std::stable_sort(channels_.begin(), channels_.end(), [&](int a, int b) {
      return std::abs(output.stride(a)) > std::abs(output.stride(b));
    });
    for (size_t i = channels_.size(); i-- > 0;) {
      const int64_t extent = all_.loops[static_cast<size_t>(channels_[i])].extent;
      made_.channel.terms.emplace_back(channels_[i], made_.channels);
      made_.channels = extent > kMostChannels || made_.channels > kMostChannels
                           ? kMostChannels + 1
                           : made_.channels * extent;
    }
    std::sort(made_.channel.terms.begin(), made_.channel.terms.end());
  }

  /// The step of the sum with its bias.
  int WithBias() const {
    int at = reduction_;
    for (;;) {
      int user = -1;
      for (size_t i = static_cast<size_t>(at) + 1; i < all_.steps.size(); ++i) {
        const std::vector<int>& args = all_.steps[i].args;
        if (std::find(args.begin(), args.end(), at) == args.end()) continue;
        if (user >= 0) return at;
        user = static_cast<int>(i);
      }
      if (user < 0) return at;
      const Step& step = StepAt(all_, user);
      const bool goes_on = step.kind == StepKind::kNode && step.dtype.is_int() &&
                           (step.node == NodeKind::kCast ||
                            (step.node == NodeKind::kAdd && step.args[0] != step.args[1]) ||
                            (step.node == NodeKind::kSub && step.args[0] == at));
      if (!goes_on || all_.stores[0].step == user) return at;
      at = user;
    }
  }

  std::optional<Requantise> Finish(const Interval& x, const Interval& w) {
    const int sum = WithBias();
    const int64_t count = Iterations(all_, StepAt(all_, reduction_).loops);
    if (made_.channels > kMostChannels || count > kMostWeights / made_.channels)
      return std::nullopt;
    StepProgram bias(all_, constants_, sum, {reduction_});
    RequantiseFinder finder(info_, constants_, sum);
    for (size_t loop = 0; loop < all_.loops.size(); ++loop) {
      const bool is_channel =
          std::find(channels_.begin(), channels_.end(), static_cast<int>(loop)) != channels_.end();
      if (!is_channel && (bias.loops()[loop] || finder.loops()[loop])) return std::nullopt;
    }
    std::vector<int64_t> places(all_.loops.size());
    for (int64_t channel = 0; channel < made_.channels; ++channel) {
      int64_t rest = channel;
      for (size_t i = channels_.size(); i-- > 0;) {
        const auto loop = static_cast<size_t>(channels_[i]);
        places[loop] = rest % all_.loops[loop].extent;
        rest /= all_.loops[loop].extent;
      }
      if (!AddChannel(bias, finder, places, x, w)) return std::nullopt;
    }
    std::vector<int64_t> added;
    if (!finder.Finish(made_, added)) return std::nullopt;
    for (size_t i = 0; i < added.size(); ++i) {
      made_.bias[i] += added[i];
      made_.least_sum = std::min(made_.least_sum, made_.least_sum + added[i]);
      made_.most_sum = std::max(made_.most_sum, made_.most_sum + added[i]);
    }
    Shorten(made_.bias, true);
    Shorten(made_.multiplier, false);
    Shorten(made_.shift, false);
    return std::move(made_);
  }

  /// A mean over the elements of a window that are inside of the input. Their number may depend on
  /// the output position.
  bool MakeQuotient(const Interval& x) {
    RequantiseFinder finder(info_, constants_, reduction_);
    std::vector<int> loops;
    int64_t number = 1;
    for (size_t loop = 0; loop < all_.loops.size(); ++loop) {
      if (!finder.loops()[loop]) continue;
      loops.push_back(static_cast<int>(loop));
      number = std::min(number, kMostChannels) * all_.loops[loop].extent;
    }
    const int64_t count = Iterations(all_, StepAt(all_, reduction_).loops);
    const Interval sums{x.min * count, x.max * count};
    if (number > kMostChannels || count > kMostWeights ||
        !FitsDType(sums, StepAt(all_, reduction_).dtype))
      return false;
    std::vector<int64_t> places(all_.loops.size());
    std::vector<int64_t> counts;
    for (int64_t i = 0; i < number; ++i) {
      int64_t rest = i;
      for (const int loop : loops) {
        const int64_t extent = all_.loops[static_cast<size_t>(loop)].extent;
        places[static_cast<size_t>(loop)] = rest % extent;
        rest /= extent;
      }
      counts.push_back(CountAt(places, count));
      if (!finder.AddChannel(places, {sums.min, sums.max})) return false;
    }
    if (!finder.FinishQuotient(made_, counts)) return false;
    made_.least_sum = sums.min;
    made_.most_sum = sums.max;
    return true;
  }

  /// The number of the window's elements inside of the input; `all` without a window.
  int64_t CountAt(std::span<const int64_t> places, int64_t all) const {
    if (!info_.window) return all;
    const WindowInfo& window = *info_.window;
    const size_t axes = window.input.size();
    int64_t count = 1, kernels = 1;
    for (size_t i = 0; i < axes; ++i) {
      int64_t place = 0;
      for (const int loop : LoopsOfAxis(all_, kPlaces[3 - axes + i]))
        place = place * all_.loops[static_cast<size_t>(loop)].extent +
                places[static_cast<size_t>(loop)];
      int64_t inside = 0;
      for (int64_t k = 0; k < window.kernel[i]; ++k) {
        const int64_t at = place * window.stride[i] + k * window.dilation[i] - window.pad_before[i];
        inside += at >= 0 && at < window.input[i] ? 1 : 0;
      }
      count *= inside;
      kernels *= window.kernel[i];
    }
    return count * (all / std::max<int64_t>(kernels, 1));
  }

  bool AddChannel(StepProgram& bias, RequantiseFinder& finder, std::span<const int64_t> places,
                  const Interval& x, const Interval& w) {
    const std::optional<Interval> sums = SumsOf(places, x, w);
    if (!sums || !FitsDType(*sums, StepAt(all_, reduction_).dtype) || !bias.Bind(places))
      return false;
    const std::optional<int64_t> added = bias.Run(0);
    const std::optional<int64_t> least = bias.Run(sums->min);
    const std::optional<int64_t> most = bias.Run(sums->max);
    if (!added || !least || !most || *least != sums->min + *added || *most != sums->max + *added)
      return false;
    made_.bias.push_back(*added);
    const bool first = made_.bias.size() == 1;
    // Partial sums may not include the bias yet.
    const int64_t lowest = std::min(*least, sums->min);
    const int64_t highest = std::max(*most, sums->max);
    made_.least_sum = first ? lowest : std::min(made_.least_sum, lowest);
    made_.most_sum = first ? highest : std::max(made_.most_sum, highest);
    return finder.AddChannel(places, {*least, *most});
  }

  /// The sums of a channel without its bias.
  std::optional<Interval> SumsOf(std::span<const int64_t> places, const Interval& x,
                                 const Interval& w) {
    const std::vector<int>& loops = StepAt(all_, reduction_).loops;
    const int64_t count = Iterations(all_, loops);
    if (count > kMostWeights) return std::nullopt;
    const int operand = made_.sum == QuantisedSum::kDot
                            ? all_.accesses[static_cast<size_t>(info_.weights)].operand
                            : -1;
    if (operand < 0 || !constants_.IsKnown(operand)) {
      const Interval one = Unite(x * w, Interval::Point(0));
      return Interval{one.min * count, one.max * count};
    }
    const LinearIndex& element = AccessAt(info_.weights);
    if (element.divisor != 1) return std::nullopt;
    int64_t at = element.offset;
    for (const auto& [loop, stride] : element.terms)
      at += stride * places[static_cast<size_t>(loop)];
    Interval total = Interval::Point(0);
    if (!AddWeights(loops, 0, at, operand, x, total)) return std::nullopt;
    return total;
  }

  bool AddWeights(const std::vector<int>& loops, size_t next, int64_t at, int operand,
                  const Interval& x, Interval& total) const {
    if (next < loops.size()) {
      const auto loop = static_cast<size_t>(loops[next]);
      const int64_t stride = AccessAt(info_.weights).stride(loops[next]);
      for (int64_t i = 0; i < all_.loops[loop].extent; ++i) {
        if (!AddWeights(loops, next + 1, at + i * stride, operand, x, total)) return false;
      }
      return true;
    }
    const std::optional<int64_t> weight = constants_.Integer(operand, at);
    if (!weight) return false;
    const int64_t centred = *weight - made_.inputs[1].zero_point;
    const int64_t a = centred * x.min, b = centred * x.max;
    total.min += std::min(a, b);
    total.max += std::max(a, b);
    return true;
  }

  const OpInfo& info_;
  const Computation& all_;
  const ConstantReader& constants_;
  int reduction_;
  std::vector<int> guards_;
  /// Loops, the outermost of the output first.
  std::vector<int> channels_;
  Requantise made_;
};

}  // namespace

int ReadOf(const Computation& all, int access) {
  int found = -1;
  for (size_t i = 0; i < all.steps.size(); ++i) {
    if (all.steps[i].kind != StepKind::kRead || all.steps[i].access != access) continue;
    if (found >= 0) return -1;
    found = static_cast<int>(i);
  }
  return found;
}

std::optional<int64_t> ZeroPointOf(const Computation& all, const ConstantReader& constants,
                                   int factor, int access, const std::vector<int>& guards) {
  const int read = ReadOf(all, access);
  if (read < 0) return std::nullopt;
  const DataType dtype = all.steps[static_cast<size_t>(read)].dtype;
  if (!dtype.is_integer() || dtype.is_bool() || dtype.bits() > 16 ||
      !all.steps[static_cast<size_t>(factor)].dtype.is_int())
    return std::nullopt;
  StepProgram program(all, constants, factor, {read}, guards);
  const std::vector<int64_t> places(all.loops.size());
  const std::vector<bool>& loops = program.loops();
  if (std::find(loops.begin(), loops.end(), true) != loops.end() || !program.Bind(places))
    return std::nullopt;
  const Interval range = Interval::OfDType(dtype);
  std::optional<int64_t> zero_point;
  for (int64_t x = range.min; x <= range.max; ++x) {
    const std::optional<int64_t> value = program.Run(x);
    if (!value || (zero_point && *zero_point != x - *value)) return std::nullopt;
    zero_point = x - *value;
  }
  return zero_point;
}

std::optional<Requantise> RequantiseOfDot(const OpInfo& info, const std::vector<int>& guards,
                                          const ConstantReader& constants) {
  if (!NamesAreComplete(info)) return std::nullopt;
  return SumReader(info, constants, info.contraction).Dot(guards);
}

std::optional<Requantise> RequantiseOfSum(const OpInfo& info, const ConstantReader& constants) {
  const std::vector<int> reductions = Reductions(info.computation);
  if (reductions.size() != 1 || info.computation.stores.size() != 1 || !NamesAreComplete(info))
    return std::nullopt;
  const bool is_max =
      info.computation.steps[static_cast<size_t>(reductions[0])].node == NodeKind::kMax;
  SumReader reader(info, constants, reductions[0]);
  return is_max ? reader.Max() : reader.Sum();
}

}  // namespace tenon
