// The multiplier is derived from the factor of the sum, and the zero point and the clamp from the
// last steps. Then each integer of the result must begin at the same sum in both functions.

#include <algorithm>
#include <cmath>
#include <limits>

#include "arith/interval.h"
#include "byoc/recognise/requantise_op.h"
#include "ir/builtins.h"

namespace tenon {

namespace {

/// The largest number of result steps that are compared for one operator.
constexpr int64_t kMostWork = int64_t{1} << 24;
/// The largest number of entries of a table.
constexpr int64_t kMostNumbers = int64_t{1} << 16;
constexpr int kMostShift = 31;

}  // namespace

Rescale FixedPointOf(double gain, Rounding rounding) {
  Rescale rescale{.rounding = rounding, .multiplier = 0, .shift = 0, .scale = 0};
  if (!(gain > 0) || !std::isfinite(gain)) return rescale;
  int exponent = 0;
  const double fraction = std::frexp(gain, &exponent);
  rescale.multiplier = std::llround(std::ldexp(fraction, 31));
  if (rescale.multiplier == int64_t{1} << 31) {
    rescale.multiplier /= 2;
    ++exponent;
  }
  rescale.shift = exponent;
  return rescale;
}

RequantiseFinder::RequantiseFinder(const OpInfo& info, const ConstantReader& constants, int sum)
    : info_(info), program_(info.computation, constants, info.computation.stores[0].step, {sum}) {}

/// Follows the result back through casts, clamps and sums with numbers.
RequantiseFinder::Clamp RequantiseFinder::ReadClamp() const {
  const Computation& all = info_.computation;
  const ComputationStore& store = all.stores[0];
  const Interval range = Interval::OfDType(all.steps[static_cast<size_t>(store.step)].dtype);
  Clamp clamp{.zero_point = 0, .low = range.min, .high = range.max, .top = store.step};
  for (;;) {
    const Step& step = all.steps[static_cast<size_t>(clamp.top)];
    if (step.kind != StepKind::kNode || !program_.DependsOnSource(clamp.top)) return clamp;
    if (step.node == NodeKind::kCast) {
      if (!all.steps[static_cast<size_t>(step.args[0])].dtype.is_integer()) return clamp;
      clamp.top = step.args[0];
      continue;
    }
    if (step.args.size() != 2) return clamp;
    const size_t own = program_.DependsOnSource(step.args[0]) ? 0 : 1;
    const std::optional<int64_t> number = program_.ConstantOf(step.args[1 - own]);
    constexpr int64_t kLimit = int64_t{1} << 40;
    if (!number || *number > kLimit || *number < -kLimit) return clamp;
    if (step.node == NodeKind::kMin) {
      clamp.high = std::max(clamp.low, std::min(clamp.high, *number + clamp.zero_point));
    } else if (step.node == NodeKind::kMax) {
      clamp.low = std::min(clamp.high, std::max(clamp.low, *number + clamp.zero_point));
    } else if (step.node == NodeKind::kAdd) {
      clamp.zero_point += *number;
    } else if (step.node == NodeKind::kSub && own == 0) {
      clamp.zero_point -= *number;
    } else {
      return clamp;
    }
    clamp.top = step.args[own];
  }
}

bool RequantiseFinder::Matches(const Channel& channel, const Rescale& rescale, int64_t added) {
  const auto output = [&](int64_t sum) -> std::optional<int64_t> {
    const std::optional<int64_t> product = rescale.Of(sum + added);
    if (!product) return std::nullopt;
    const Interval value = Interval::Point(*product) + Interval::Point(clamp_.zero_point);
    return std::clamp(value.min, clamp_.low, clamp_.high);
  };
  if (output(channel.sums.least) != channel.first || output(channel.sums.most) != channel.last)
    return false;
  return BeginsAt(channel, [&](int64_t result) -> std::optional<int64_t> {
    const std::optional<int64_t> at = rescale.FirstOf(result - clamp_.zero_point);
    if (!at) return std::nullopt;
    return *at - added;
  });
}

bool RequantiseFinder::BeginsAt(const Channel& channel,
                                const std::function<std::optional<int64_t>(int64_t)>& first) {
  for (int64_t result = channel.first + 1; result <= channel.last; ++result) {
    const std::optional<int64_t> sum = first(result);
    if (!sum || *sum <= channel.sums.least || *sum > channel.sums.most) return false;
    const std::optional<int64_t> reached = program_.Run(*sum);
    const std::optional<int64_t> before = program_.Run(*sum - 1);
    if (!reached || !before || *reached < result || *before >= result) return false;
  }
  return true;
}

bool RequantiseFinder::FinishQuotient(Requantise& made, std::span<const int64_t> counts) {
  if (channels_.empty() || !same_clamp_) return false;
  const auto clamped = [&](int64_t sum, int64_t count) {
    const int64_t half = sum < 0 ? -(count / 2) : count / 2;
    return std::clamp((sum + half) / count + clamp_.zero_point, clamp_.low, clamp_.high);
  };
  for (size_t i = 0; i < channels_.size(); ++i) {
    const Channel& channel = channels_[i];
    const int64_t count = counts[i];
    if (count < 1 || clamped(channel.sums.least, count) != channel.first ||
        clamped(channel.sums.most, count) != channel.last)
      return false;
    if (!program_.Bind(channel.places)) return false;
    const bool fits = BeginsAt(channel, [&](int64_t result) -> std::optional<int64_t> {
      // Twice the sum reaches (2 q - 1) count; ties of negative numbers are rounded down.
      const int64_t twice = (2 * (result - clamp_.zero_point) - 1) * count;
      const int64_t floor = FloorDivide(twice, int64_t{2});
      return floor * 2 < twice || result <= clamp_.zero_point ? floor + 1 : floor;
    });
    if (!fits) return false;
  }
  made.rounding = Rounding::kQuotient;
  made.zero_point = clamp_.zero_point;
  made.low = clamp_.low;
  made.high = clamp_.high;
  return true;
}

bool RequantiseFinder::AddChannel(std::span<const int64_t> places, SumRange sums) {
  if (!program_.Bind(places) || !program_.Rises(sums.least, sums.most)) return false;
  Channel channel{.places = {places.begin(), places.end()}, .sums = sums, .gain = program_.gain()};
  const Clamp clamp = ReadClamp();
  channel.first = *program_.Run(sums.least);
  channel.last = *program_.Run(sums.most);
  work_ += channel.last - channel.first;
  if (work_ > kMostWork) return false;
  if (channels_.empty()) clamp_ = clamp;
  same_clamp_ = same_clamp_ && clamp == clamp_;
  // A shift to the right adds a number first. It is half of a step, and perhaps a bias.
  const Step& top = info_.computation.steps[static_cast<size_t>(clamp.top)];
  if (top.kind == StepKind::kCall && top.op == OpKind::kShiftRight && program_.Run(0)) {
    const int64_t number = program_.ValueOf(top.args[0]);
    const int64_t bits = *program_.ConstantOf(top.args[1]);
    const double factor = std::ldexp(channel.gain, static_cast<int>(bits));
    const double half = bits == 0 ? 0 : std::ldexp(1.0, static_cast<int>(bits) - 1);
    const double bias = factor > 0 ? std::round((static_cast<double>(number) - half) / factor) : 0;
    if (std::abs(bias) < std::ldexp(1.0, 40)) channel.added = static_cast<int64_t>(bias);
  }
  channels_.push_back(std::move(channel));
  return true;
}

/// True if the rounding fits all channels, with or without the numbers that shifts add.
bool RequantiseFinder::Fits(Rounding rounding, bool adds) {
  return std::all_of(channels_.begin(), channels_.end(), [&](Channel& channel) {
    if (!program_.Bind(channel.places)) return false;
    channel.rescale = FixedPointOf(channel.gain, rounding);
    // If a sum is shifted by more bits than it has, the result is 0.
    if (channel.first == channel.last && channel.rescale.shift < -kMostShift)
      channel.rescale = {.rounding = rounding, .multiplier = 0, .shift = 0, .scale = 0};
    if (rounding == Rounding::kFloat)
      channel.rescale = {.rounding = rounding,
                         .multiplier = 0,
                         .shift = 0,
                         .scale = static_cast<double>(static_cast<float>(channel.gain))};
    if (std::abs(channel.rescale.shift) > kMostShift) return false;
    return Matches(channel, channel.rescale, adds ? channel.added : 0);
  });
}

bool RequantiseFinder::Finish(Requantise& made, std::vector<int64_t>& added) {
  if (channels_.empty()) return false;
  added.assign(channels_.size(), 0);
  if (!same_clamp_) return MakeTable(made);
  made.zero_point = clamp_.zero_point;
  made.low = clamp_.low;
  made.high = clamp_.high;
  const bool adds = std::any_of(channels_.begin(), channels_.end(),
                                [](const Channel& channel) { return channel.added != 0; });
  for (const Rounding rounding : {Rounding::kTwice, Rounding::kOnce, Rounding::kFloat}) {
    for (const bool with : {false, true}) {
      if ((with && !adds) || !Fits(rounding, with)) continue;
      made.rounding = rounding;
      for (size_t i = 0; i < channels_.size(); ++i) {
        const Channel& channel = channels_[i];
        if (with) added[i] = channel.added;
        if (rounding == Rounding::kFloat) {
          made.scale.push_back(channel.rescale.scale);
        } else {
          made.multiplier.push_back(channel.rescale.multiplier);
          made.shift.push_back(channel.rescale.shift);
        }
      }
      return true;
    }
  }
  return MakeTable(made);
}

/// The table of the sums at which the result changes, for a function without a known form.
bool RequantiseFinder::MakeTable(Requantise& made) {
  made.rounding = Rounding::kTable;
  made.zero_point = 0;
  made.low = channels_[0].first;
  made.high = channels_[0].last;
  for (const Channel& channel : channels_) {
    made.low = std::min(made.low, channel.first);
    made.high = std::max(made.high, channel.last);
  }
  if ((made.high - made.low) * static_cast<int64_t>(channels_.size()) > kMostNumbers) return false;
  for (Channel& channel : channels_) {
    if (!program_.Bind(channel.places)) return false;
    std::vector<int64_t>& steps = made.steps.emplace_back();
    for (int64_t result = made.low + 1; result <= channel.last; ++result) {
      if (result <= channel.first) {
        steps.push_back(channel.sums.least);
        continue;
      }
      int64_t below = steps.empty() ? channel.sums.least : steps.back() - 1;
      below = std::max(below, channel.sums.least);
      int64_t at = channel.sums.most;
      while (at - below > 1) {
        const int64_t middle = below + (at - below) / 2;
        const std::optional<int64_t> value = program_.Run(middle);
        if (!value) return false;
        (*value >= result ? at : below) = middle;
      }
      steps.push_back(at);
    }
  }
  return true;
}

}  // namespace tenon
