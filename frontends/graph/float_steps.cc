#include "frontends/graph/float_steps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "frontends/graph/step_line.h"
#include "support/check.h"

namespace tenon::graph {

namespace {

__extension__ using Wide = __int128;

/// Beyond this magnitude, results are clamped by every dtype.
constexpr double kMostResult = 1 << 30;

/// A double holds the product of two floats exactly, and their sum and quotient closely enough that
/// a second rounding changes nothing.
float Times(float a, float b) {
  return static_cast<float>(static_cast<double>(a) * static_cast<double>(b));
}
float Plus(float a, float b) {
  return static_cast<float>(static_cast<double>(a) + static_cast<double>(b));
}
float Over(float a, float b) {
  return static_cast<float>(static_cast<double>(a) / static_cast<double>(b));
}

Wide FloorOver(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient * b > a ? quotient - 1 : quotient;
}
Wide CeilOver(Wide a, Wide b) { return -FloorOver(-a, b); }

/// The least sum in [least, most + 1] whose result is `result` or more.
int64_t FirstOf(const FloatRule& rule, int64_t result, const SumRange& sums) {
  const auto reaches = [&](int64_t sum) { return rule(sum) >= result; };
  const double slope = rule.Slope();
  const double guess = (static_cast<double>(result) - 0.5 - rule.Start()) / slope;
  if (reaches(sums.least)) return sums.least;
  if (!(slope > 0) || std::isnan(guess) || !reaches(sums.most)) return sums.most + 1;
  int64_t low = sums.least;
  int64_t high = sums.most;
  const auto at = static_cast<int64_t>(
      std::clamp(std::ceil(guess), static_cast<double>(low), static_cast<double>(high)));
  const bool is_above = reaches(at);
  (is_above ? high : low) = at;
  // Finds an interval around the guess by steps that double.
  for (int64_t step = 1; high - low > step; step *= 2) {
    const int64_t probe = is_above ? high - step : low + step;
    const bool is_reached = reaches(probe);
    (is_reached ? high : low) = probe;
    if (is_reached != is_above) break;
  }
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

/// A rule, and the sums at which it reaches each result from `low` + 1 on.
struct Steps {
  const FloatRule* rule;
  SumRange sums;
  int64_t low;
  std::vector<int64_t> first;
  /// The only result, if the sums have one.
  std::optional<int64_t> constant;

  /// The number that results get after the shift.
  int64_t Outside() const { return rule->Outside(); }
  int64_t ResultAt(size_t i) const { return low + 1 + static_cast<int64_t>(i) - Outside(); }
  bool IsReached(size_t i) const { return first[i] <= sums.most; }
  bool IsMissed(size_t i) const { return first[i] > sums.least; }
};

Steps StepsOf(const FloatRule& rule, const SumRange& sums, int64_t low, int64_t high) {
  Steps steps{&rule, sums, low, {}, {}};
  const int64_t of_least = std::clamp(rule(sums.least), low, high);
  const int64_t of_most = std::clamp(rule(sums.most), low, high);
  if (of_least == of_most) {
    steps.constant = of_least;
    return steps;
  }
  for (int64_t result = low + 1; result <= high; ++result)
    steps.first.push_back(FirstOf(rule, result, sums));
  return steps;
}

/// A form of products without the numbers of channels.
struct Form {
  int shift = 0;
  std::optional<int> tie_bits;
  bool rounds_sums = false;
};

/// The least t whose result is `result` or more.
Wide BorderOf(int64_t result, Form form, int64_t even) {
  const Wide border = Wide{result} << form.shift;
  if (!form.tie_bits) return result % 2 == 0 ? border - even : border;
  return result % 2 != 0 ? border + TieZone(result, *form.tie_bits) + 1
                         : border - TieZone(result - 1, *form.tie_bits);
}

/// The numbers of one channel.
struct ChannelNumbers {
  int64_t multiplier = 0;
  int64_t addend = 0;
  int64_t even = 0;
};

/// The multiplier nearest to `wanted` with which `t` reaches each border at its sum, and not at the
/// sum before it.
std::optional<int64_t> MultiplierOf(const Steps& steps, Form form, const ChannelNumbers& numbers,
                                    double wanted, int64_t most_multiplier) {
  Wide least = 0;
  Wide greatest = most_multiplier;
  const auto at_least = [&](int64_t sum, Wide border) {
    if (sum > 0) least = std::max(least, CeilOver(border, sum));
    if (sum < 0) greatest = std::min(greatest, FloorOver(-border, -Wide{sum}));
    if (sum == 0 && border > 0) greatest = -1;
  };
  const auto below = [&](int64_t sum, Wide border) {
    if (sum > 0) greatest = std::min(greatest, FloorOver(border - 1, sum));
    if (sum < 0) least = std::max(least, CeilOver(1 - border, -Wide{sum}));
    if (sum == 0 && border <= 0) greatest = -1;
  };
  const auto used = [&](int64_t sum) { return form.rounds_sums ? NearestFloat(sum) : sum; };
  for (size_t i = 0; i < steps.first.size(); ++i) {
    const Wide border = BorderOf(steps.ResultAt(i), form, numbers.even) - numbers.addend;
    if (steps.IsReached(i)) at_least(used(steps.first[i]), border);
    if (steps.IsMissed(i)) below(used(steps.first[i] - 1), border);
    if (least > greatest) return std::nullopt;
  }
  const auto nearest = static_cast<Wide>(std::llround(wanted));
  return static_cast<int64_t>(std::clamp(nearest, least, greatest));
}

/// How the numbers of channels may differ from those of exact arithmetic.
enum class Freedom : uint8_t { kMultiplier, kLine, kLineWithEvens };

/// A line that exact arithmetic gives, and how far the steps are from it.
struct NaturalLine {
  double slope;
  double start;
  /// The greatest magnitude of a sum.
  double extent;

  explicit NaturalLine(const Steps& steps)
      : slope(steps.rule->Slope()),
        start(steps.rule->Start() - static_cast<double>(steps.Outside()) + 0.5),
        extent(static_cast<double>(
            std::max({std::abs(steps.sums.least), std::abs(steps.sums.most), int64_t{1}}))) {}

  std::vector<LinePoint> PointsOf(const Steps& steps, Form form) const {
    std::vector<LinePoint> points;
    const auto add = [&](size_t i, int64_t sum, bool must_reach) {
      const int64_t result = steps.ResultAt(i);
      const auto at = static_cast<double>(sum);
      double border = static_cast<double>(result);
      if (form.tie_bits)
        border = std::ldexp(static_cast<double>(BorderOf(result, form, 0)), -form.shift);
      const LinePoint point{at / extent, border - (at * slope + start), must_reach,
                            result % 2 == 0};
      if (IsNear(point)) points.push_back(point);
    };
    for (size_t i = 0; i < steps.first.size(); ++i) {
      if (steps.IsReached(i)) add(i, steps.first[i], true);
      if (steps.IsMissed(i)) add(i, steps.first[i] - 1, false);
    }
    return points;
  }
};

/// Results of 16 bits have more steps than the search for a line has time for.
constexpr size_t kMostSteps = 1 << 10;
constexpr double kMoves[] = {-1e-6, 1e-6, -3e-6, 3e-6, -1e-5, 1e-5, -3e-5, 3e-5};

/// The changes of a line to try.
std::vector<LineChange> ChangesOf(const Steps& steps, Form form, const NaturalLine& line,
                                  Freedom freedom) {
  if (freedom == Freedom::kMultiplier) return {{}};
  std::vector<LineChange> changes;
  if (steps.first.size() > kMostSteps) {
    if (freedom == Freedom::kLineWithEvens) return {};
    for (const double move : kMoves) changes.push_back({.start = move});
    return changes;
  }
  const auto found = LineThrough(line.PointsOf(steps, form), freedom == Freedom::kLineWithEvens);
  if (found) changes.push_back(*found);
  return changes;
}

/// The numbers of a channel, with the least freedom that suffices.
std::optional<ChannelNumbers> ChannelNumbersOf(const Steps& steps, Form form, Freedom freedom,
                                               int64_t most_multiplier) {
  const auto whole = [&](double number) { return std::llround(std::ldexp(number, form.shift)); };
  const NaturalLine line(steps);
  ChannelNumbers numbers;
  if (steps.constant) {
    numbers.addend = ((*steps.constant - steps.Outside()) << form.shift) + whole(0.5);
    return numbers;
  }
  for (const Freedom step : {Freedom::kMultiplier, Freedom::kLine, Freedom::kLineWithEvens}) {
    if (step > freedom) break;
    for (const LineChange& change : ChangesOf(steps, form, line, step)) {
      numbers.addend = whole(line.start + change.start);
      numbers.even = whole(change.even);
      const double slope = std::ldexp(line.slope + change.slope / line.extent, form.shift);
      const auto multiplier = MultiplierOf(steps, form, numbers, slope, most_multiplier);
      if (!multiplier) continue;
      numbers.multiplier = *multiplier;
      return numbers;
    }
  }
  return std::nullopt;
}

/// Products of one form for all rules. The rule `hardest` is tried first, and becomes the one that
/// has no numbers.
std::optional<StepProducts> ProductsOf(const std::vector<Steps>& all, Form form, Freedom freedom,
                                       int64_t most_multiplier, size_t& hardest) {
  const auto numbers_of = [&](size_t i) {
    return ChannelNumbersOf(all[i], form, freedom, most_multiplier);
  };
  const size_t tried = hardest;
  const std::optional<ChannelNumbers> first = numbers_of(tried);
  if (!first) return std::nullopt;
  StepProducts made;
  made.shift = form.shift;
  made.tie_bits = form.tie_bits;
  made.rounds_sums = form.rounds_sums;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::optional<ChannelNumbers> numbers = i == tried ? first : numbers_of(i);
    if (!numbers) {
      hardest = i;
      return std::nullopt;
    }
    made.multipliers.push_back(numbers->multiplier);
    made.addends.push_back(numbers->addend);
    made.evens.push_back(numbers->even);
  }
  if (std::all_of(made.evens.begin(), made.evens.end(), [](int64_t even) { return even == 0; }))
    made.evens.clear();
  return made;
}

/// Multipliers of so many bits need the least time.
constexpr int kShortBits = 31;

/// How large the numbers of rules are.
struct Extent {
  /// The greatest slope is below 2^exponent.
  int exponent = 0;
  int bits_of_sum = 0;
  /// No result exceeds it in magnitude.
  double reach = 0;

  int MostBits() const { return std::min(61 - bits_of_sum, 50); }
  /// The shift for multipliers of so many bits, if the product and the addend stay below 2^62.
  std::optional<int> ShiftOf(int bits) const {
    const int shift = bits - exponent;
    if (!(reach < kMostResult) || bits + bits_of_sum > 61 || bits < 20 || shift < 2 || shift > 60 ||
        std::ldexp(reach, shift) > std::ldexp(1.0, 61))
      return std::nullopt;
    return shift;
  }
};

/// `all` leaves out rules with one result, which need no product.
Extent ExtentOf(const std::vector<Steps>& all) {
  Extent made;
  double slope = 0;
  int64_t greatest = 1;
  for (const Steps& steps : all) {
    if (steps.constant) continue;
    const FloatRule& rule = *steps.rule;
    const int64_t most = std::max(std::abs(steps.sums.least), std::abs(steps.sums.most));
    slope = std::max(slope, rule.Slope());
    greatest = std::max(greatest, most);
    made.reach =
        std::max(made.reach, std::abs(rule.Start()) + rule.Slope() * static_cast<double>(most));
  }
  // Without a slope, every multiplier is 0.
  if (slope > 0) std::frexp(slope, &made.exponent);
  made.bits_of_sum = static_cast<int>(std::bit_width(static_cast<uint64_t>(greatest)));
  return made;
}

/// float32 has 24 bits, so half a unit of its last place at 1 is 2^-24; zones begin at the result 1
/// with twice that of 1/2.
constexpr int kZoneBits = 25;
/// Sums of more bits are int64.
constexpr int kIntBits = 32;
constexpr int kZoneChanges[] = {0, -1, 1, -2, 2, -3, 3, 4};

/// A pair of integers near a border, in steps of the result.
struct NearPair {
  double x = 0;
  double y = 0;
  /// How far the border is above the number without changes; the number must reach it or not.
  double gap = 0;
  bool must_reach = false;
};

/// Small changes of the three numbers of a FloatPair.
struct PairChange {
  double of_x = 0;
  double of_y = 0;
  double start = 0;
};

/// The results of all pairs.
struct PairTable {
  const FloatPair* pair;
  int64_t least_x, least_y, low, high;
  std::vector<int64_t> results;

  double NumberAt(int64_t x, int64_t y) const {
    return static_cast<double>(x) * pair->of_x + static_cast<double>(y) * pair->of_y + pair->start;
  }
};

constexpr int64_t kBytes = 256;

/// The pairs whose result a small change could alter.
std::vector<NearPair> NearPairsOf(const PairTable& table, Form form) {
  std::vector<NearPair> near;
  constexpr double kNear = 1e-3;
  size_t at = 0;
  for (int64_t i = 0; i < kBytes; ++i) {
    for (int64_t j = 0; j < kBytes; ++j) {
      const int64_t x = table.least_x + i;
      const int64_t y = table.least_y + j;
      const int64_t result = table.results[at++];
      const double number = table.NumberAt(x, y) + 0.5;
      const double border = std::round(number);
      if (std::abs(number - border) > kNear) continue;
      if (border <= static_cast<double>(table.low) || border > static_cast<double>(table.high))
        continue;
      const auto of_border = static_cast<int64_t>(border);
      const double reach =
          std::ldexp(static_cast<double>(BorderOf(of_border, form, 0)), -form.shift);
      near.push_back({static_cast<double>(x) / kBytes, static_cast<double>(y) / kBytes,
                      reach - number, result >= of_border});
    }
  }
  return near;
}

/// A change after which all near pairs are on their side of the border: the perceptron's rule.
std::optional<PairChange> ChangeOf(const std::vector<NearPair>& near) {
  constexpr int kMostRounds = 500;
  constexpr double kMargin = 2e-8;
  PairChange change;
  for (int round = 0; round < kMostRounds; ++round) {
    bool is_done = true;
    for (const NearPair& one : near) {
      const double moved = one.x * change.of_x + one.y * change.of_y + change.start;
      const double above = one.must_reach ? moved - one.gap : one.gap - moved;
      if (above > kMargin) continue;
      is_done = false;
      const double step =
          (one.must_reach ? 1 : -1) * (2 * kMargin - above) / (one.x * one.x + one.y * one.y + 1);
      change.of_x += step * one.x;
      change.of_y += step * one.y;
      change.start += step;
    }
    if (is_done) return change;
  }
  return std::nullopt;
}

PairProducts Changed(const FloatPair& pair, Form form, const PairChange& change) {
  const auto whole = [&](double number) { return std::llround(std::ldexp(number, form.shift)); };
  return {form.shift, form.tie_bits, whole(pair.of_x + change.of_x / kBytes),
          whole(pair.of_y + change.of_y / kBytes), whole(pair.start + 0.5 + change.start)};
}

int64_t ResultOf(const PairProducts& made, int64_t x, int64_t y) {
  const int64_t t = x * made.of_x + y * made.of_y + made.addend;
  const int64_t q = t >> made.shift;
  if (!made.tie_bits || q % 2 == 0) return q;
  const int64_t zone = TieZone(q, *made.tie_bits);
  const int64_t rest = t - (q << made.shift);
  if (rest <= zone) return q - 1;
  return (int64_t{1} << made.shift) - rest <= zone ? q + 1 : q;
}

bool IsExact(const PairTable& table, const PairProducts& made) {
  size_t at = 0;
  for (int64_t i = 0; i < kBytes; ++i) {
    for (int64_t j = 0; j < kBytes; ++j) {
      const int64_t result = ResultOf(made, table.least_x + i, table.least_y + j);
      if (std::clamp(result, table.low, table.high) != table.results[at++]) return false;
    }
  }
  return true;
}

}  // namespace

int64_t NearestEven(float number) {
  if (std::isnan(number)) return 0;
  const double clamped = std::clamp(static_cast<double>(number), -kMostResult, kMostResult);
  return static_cast<int64_t>(std::nearbyint(clamped));
}

int64_t FloatRule::operator()(int64_t sum) const {
  float number = static_cast<float>(sum);
  if (factor != 1) number = Times(number, factor);
  if (divisor != 1) number = Over(number, divisor);
  if (addend != 0) number = Plus(number, addend);
  if (scale != 1) number = Over(number, scale);
  if (is_zero_inside) number = Plus(number, static_cast<float>(zero_point));
  return NearestEven(number) + Outside();
}

double FloatRule::Slope() const { return double{factor} / double{divisor} / double{scale}; }

double FloatRule::Start() const {
  return double{addend} / double{scale} + static_cast<double>(zero_point + after);
}

int64_t TieZone(int64_t q, int tie_bits) {
  const int bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(std::abs(q)))) + tie_bits;
  return bits < 0 ? 0 : int64_t{1} << bits;
}

int64_t NearestFloat(int64_t sum) { return static_cast<int64_t>(static_cast<float>(sum)); }

std::optional<StepProducts> ExactSteps(std::span<const FloatRule> rules,
                                       std::span<const SumRange> sums, int64_t low, int64_t high) {
  TENON_CHECK(rules.size() == sums.size() && !rules.empty());
  std::vector<Steps> all;
  for (size_t i = 0; i < rules.size(); ++i) all.push_back(StepsOf(rules[i], sums[i], low, high));
  const Extent extent = ExtentOf(all);
  std::vector<int> lengths;
  for (const int bits : {kShortBits, extent.MostBits()})
    if (extent.ShiftOf(bits)) lengths.push_back(bits);
  size_t hardest = 0;
  const auto products = [&](int bits, Freedom freedom, std::optional<int> zone, bool rounds) {
    const int shift = *extent.ShiftOf(bits);
    const Form form{shift, zone ? std::optional(shift - kZoneBits + *zone) : zone, rounds};
    return ProductsOf(all, form, freedom, (int64_t{1} << bits) - 1, hardest);
  };
  for (const Freedom freedom : {Freedom::kMultiplier, Freedom::kLine, Freedom::kLineWithEvens})
    for (const int bits : lengths)
      if (auto made = products(bits, freedom, {}, false)) return made;
  const bool may_round = extent.bits_of_sum > kFloatBits && extent.bits_of_sum < kIntBits;
  for (const bool rounds : {false, true}) {
    if (rounds && !may_round) break;
    for (const int bits : lengths)
      for (const Freedom freedom : {Freedom::kMultiplier, Freedom::kLine})
        for (const int change : kZoneChanges)
          if (auto made = products(bits, freedom, change, rounds)) return made;
  }
  return std::nullopt;
}

std::optional<StepProducts> NearSteps(std::span<const FloatRule> rules,
                                      std::span<const SumRange> sums) {
  std::vector<Steps> all;
  for (size_t i = 0; i < rules.size(); ++i) all.push_back({&rules[i], sums[i], 0, {}, {}});
  const Extent extent = ExtentOf(all);
  for (const int bits : {kShortBits, extent.MostBits()}) {
    const std::optional<int> shift = extent.ShiftOf(bits);
    // Shorter multipliers lose more than float32 does.
    if (!shift || bits < kFloatBits) continue;
    StepProducts made;
    made.shift = *shift;
    for (const Steps& steps : all) {
      const NaturalLine line(steps);
      made.multipliers.push_back(std::llround(std::ldexp(line.slope, *shift)));
      made.addends.push_back(std::llround(std::ldexp(line.start, *shift)));
    }
    return made;
  }
  return std::nullopt;
}

std::optional<PairProducts> ExactPairs(const FloatPair& pair, int64_t least_x, int64_t least_y,
                                       int64_t low, int64_t high) {
  PairTable table{&pair, least_x, least_y, low, high, {}};
  for (int64_t i = 0; i < kBytes; ++i)
    for (int64_t j = 0; j < kBytes; ++j)
      table.results.push_back(std::clamp(pair.result(least_x + i, least_y + j), low, high));
  const double slope = std::max(std::abs(pair.of_x), std::abs(pair.of_y));
  const double reach = std::abs(pair.start) + 2 * kBytes * slope;
  if (!(slope > 0) || !(reach < kMostResult)) return std::nullopt;
  int exponent = 0;
  std::frexp(slope, &exponent);
  const int shift = kShortBits - exponent;
  if (shift < 2 || shift > 50 || std::ldexp(reach, shift) > std::ldexp(1.0, 61))
    return std::nullopt;
  std::vector<Form> forms = {{shift, {}}};
  for (const int change : kZoneChanges) forms.push_back({shift, shift - kZoneBits + change});
  for (const bool may_change : {false, true}) {
    for (const Form form : forms) {
      std::optional<PairChange> change = PairChange();
      if (may_change) change = ChangeOf(NearPairsOf(table, form));
      if (!change) continue;
      const PairProducts made = Changed(pair, form, *change);
      if (IsExact(table, made)) return made;
    }
  }
  return std::nullopt;
}

}  // namespace tenon::graph
