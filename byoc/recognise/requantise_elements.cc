// Operators on elements: one input, or two that are added or multiplied. The functions of the
// inputs are compared for each integer of their dtypes.

#include <algorithm>

#include "analysis/contraction.h"
#include "arith/interval.h"
#include "byoc/recognise/requantise_op.h"
#include "ir/builtins.h"

namespace tenon {

namespace {

class ElementsReader {
 public:
  ElementsReader(const OpInfo& info, const ConstantReader& constants)
      : info_(info), all_(info.computation), constants_(constants) {}

  std::optional<Requantise> Read() {
    if (all_.stores.size() != 1 || !At(all_.stores[0].step).dtype.is_int() ||
        At(all_.stores[0].step).dtype.bits() > 16)
      return std::nullopt;
    FindReads();
    if (reads_.empty() || reads_.size() > 2) return std::nullopt;
    const bool found = reads_.size() == 1 ? ReadOne() : ReadTwo();
    if (!found) return std::nullopt;
    return std::move(made_);
  }

 private:
  const Step& At(int step) const { return all_.steps[static_cast<size_t>(step)]; }

  /// The reads of 8 or 16 bits that the result depends on.
  void FindReads() {
    const std::vector<bool> below = StepsBelow(all_, all_.stores[0].step);
    for (size_t i = 0; i < below.size(); ++i) {
      if (!below[i] || !IsRead(all_.steps[i].kind)) continue;
      const DataType dtype = all_.steps[i].dtype;
      const bool is_plain = all_.steps[i].kind == StepKind::kRead && dtype.is_integer() &&
                            !dtype.is_bool() && dtype.bits() <= 16;
      reads_.push_back(is_plain ? static_cast<int>(i) : -1);
    }
    if (std::find(reads_.begin(), reads_.end(), -1) != reads_.end()) reads_.clear();
  }

  /// The steps that use a step, up to the result.
  std::vector<int> UsersOf(int step) const {
    std::vector<int> users;
    for (size_t i = static_cast<size_t>(step) + 1; i < all_.steps.size(); ++i) {
      const std::vector<int>& args = all_.steps[i].args;
      if (std::find(args.begin(), args.end(), step) != args.end())
        users.push_back(static_cast<int>(i));
    }
    return users;
  }

  /// The step `x - zero_point` of a read, or the read itself.
  int Centred(int read, int64_t& zero_point) const {
    int at = read;
    int centred = read;
    zero_point = 0;
    for (;;) {
      const std::vector<int> users = UsersOf(at);
      if (users.size() != 1 || users[0] == all_.stores[0].step) return centred;
      const Step& step = At(users[0]);
      const bool goes_on = step.kind == StepKind::kNode && step.dtype.is_int() &&
                           (step.node == NodeKind::kCast || step.node == NodeKind::kAdd ||
                            step.node == NodeKind::kSub);
      if (!goes_on) return centred;
      const auto own = ZeroPointOf(all_, constants_, users[0], At(read).access, {});
      if (!own) return centred;
      at = users[0];
      centred = at;
      zero_point = *own;
    }
  }

  Interval Range(int read) const { return Interval::OfDType(At(read).dtype); }

  bool ReadOne() {
    int64_t zero_point = 0;
    const int sum = Centred(reads_[0], zero_point);
    made_.sum = QuantisedSum::kInput;
    made_.inputs.push_back({.access = At(reads_[0]).access, .zero_point = zero_point});
    const Interval range = Range(reads_[0]) - Interval::Point(zero_point);
    return Finish(sum, {range.min, range.max});
  }

  /// The first step that uses both reads.
  bool ReadTwo() {
    const auto uses = [&](size_t step, int read) {
      return StepsBelow(all_, static_cast<int>(step))[static_cast<size_t>(read)];
    };
    for (size_t i = 0; i < all_.steps.size(); ++i) {
      const Step& step = all_.steps[i];
      if (!uses(i, reads_[0]) || !uses(i, reads_[1])) continue;
      if (step.kind != StepKind::kNode || step.args.size() != 2 || !step.dtype.is_int())
        return false;
      const auto first = static_cast<size_t>(step.args[0]);
      if (!uses(first, reads_[0])) std::swap(reads_[0], reads_[1]);
      const auto at = static_cast<int>(i);
      if (step.node == NodeKind::kMul) return ReadProduct(at);
      return (step.node == NodeKind::kAdd || step.node == NodeKind::kSub) && ReadSum(at);
    }
    return false;
  }

  bool ReadProduct(int sum) {
    made_.sum = QuantisedSum::kProduct;
    Interval range = Interval::Point(1);
    for (size_t i = 0; i < 2; ++i) {
      const int access = At(reads_[i]).access;
      const auto zero_point = ZeroPointOf(all_, constants_, At(sum).args[i], access, {});
      if (!zero_point) return false;
      made_.inputs.push_back({.access = access, .zero_point = *zero_point});
      range = range * (Range(reads_[i]) - Interval::Point(*zero_point));
    }
    return FitsDType(range, At(sum).dtype) && Finish(sum, {range.min, range.max});
  }

  bool ReadSum(int sum) {
    made_.sum = QuantisedSum::kAdd;
    Interval range = Interval::Point(0);
    for (size_t i = 0; i < 2; ++i) {
      QuantisedInput input{.access = At(reads_[i]).access};
      input.is_subtracted = i == 1 && At(sum).node == NodeKind::kSub;
      Interval values;
      if (!ReadRescaled(reads_[i], At(sum).args[i], input, values)) return false;
      range = input.is_subtracted ? range - values : range + values;
      made_.inputs.push_back(input);
    }
    return FitsDType(range, At(sum).dtype) && Finish(sum, {range.min, range.max});
  }

  /// Finds the numbers of a rescaled input, and compares them for each integer.
  bool ReadRescaled(int read, int result, QuantisedInput& input, Interval& values) {
    const int centred = Centred(read, input.zero_point);
    const std::vector<int> users = UsersOf(centred);
    StepProgram program(all_, constants_, result, {centred});
    const std::vector<bool>& loops = program.loops();
    const std::vector<int64_t> places(all_.loops.size());
    if (std::find(loops.begin(), loops.end(), true) != loops.end() || !program.Bind(places))
      return false;
    const Interval x = Range(read) - Interval::Point(input.zero_point);
    if (!program.Rises(x.min, x.max)) return false;
    if (users.size() == 1 && At(users[0]).kind == StepKind::kCall &&
        At(users[0]).op == OpKind::kShiftLeft) {
      input.left_shift = static_cast<int>(program.ConstantOf(At(users[0]).args[1]).value_or(0));
    }
    const double gain = std::ldexp(program.gain(), -input.left_shift);
    for (const Rounding rounding : {Rounding::kTwice, Rounding::kOnce}) {
      input.rescale = FixedPointOf(gain, rounding);
      bool fits = true;
      for (int64_t at = x.min; at <= x.max && fits; ++at) {
        const std::optional<int64_t> value = program.Run(at);
        fits = value && value == input.rescale.Of(at * (int64_t{1} << input.left_shift));
      }
      if (!fits) continue;
      values = {*program.Run(x.min), *program.Run(x.max)};
      return made_.inputs.empty() || made_.inputs[0].rescale.rounding == rounding;
    }
    return false;
  }

  bool Finish(int sum, SumRange sums) {
    RequantiseFinder finder(info_, constants_, sum);
    const std::vector<bool>& loops = finder.loops();
    if (std::find(loops.begin(), loops.end(), true) != loops.end()) return false;
    const std::vector<int64_t> places(all_.loops.size());
    std::vector<int64_t> added;
    if (!finder.AddChannel(places, sums) || !finder.Finish(made_, added)) return false;
    if (added[0] != 0) made_.bias = added;
    made_.least_sum = sums.least;
    made_.most_sum = sums.most;
    return true;
  }

  const OpInfo& info_;
  const Computation& all_;
  const ConstantReader& constants_;
  std::vector<int> reads_;
  Requantise made_;
};

}  // namespace

std::optional<Requantise> RequantiseOfElements(const OpInfo& info,
                                               const ConstantReader& constants) {
  return ElementsReader(info, constants).Read();
}

}  // namespace tenon
