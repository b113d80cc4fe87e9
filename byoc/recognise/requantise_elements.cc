// Operators on elements: one input, or two that are added or multiplied. The functions of the
// inputs are compared for each integer of their dtypes.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

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

  bool Uses(int step, int read) const { return StepsBelow(all_, step)[static_cast<size_t>(read)]; }

  /// The first step that uses both reads determines the kind. A sum continues as long as terms with
  /// reads are added.
  bool ReadTwo() {
    for (size_t i = 0; i < all_.steps.size(); ++i) {
      auto at = static_cast<int>(i);
      const Step& step = all_.steps[i];
      if (!Uses(at, reads_[0]) || !Uses(at, reads_[1])) continue;
      if (step.kind != StepKind::kNode || step.args.size() != 2 || !step.dtype.is_int())
        return false;
      if (step.node == NodeKind::kMul) {
        if (!Uses(step.args[0], reads_[0])) std::swap(reads_[0], reads_[1]);
        return ReadProduct(at);
      }
      for (;;) {
        const std::vector<int> users = UsersOf(at);
        if (users.size() != 1 || !IsSum(At(users[0])) || At(users[0]).dtype != step.dtype) break;
        const std::vector<int>& args = At(users[0]).args;
        const int other = args[0] == at ? args[1] : args[0];
        if (!Uses(other, reads_[0]) && !Uses(other, reads_[1])) break;
        at = users[0];
      }
      return IsSum(step) && ReadSum(at);
    }
    return false;
  }

  static bool IsSum(const Step& step) {
    return step.kind == StepKind::kNode && step.dtype.is_int() &&
           (step.node == NodeKind::kAdd || step.node == NodeKind::kSub);
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

  /// The terms of a sum with one read each.
  struct Term {
    int step = -1;
    bool is_negative = false;
  };

  /// False if a term uses both reads, or none, or if there are many. Steps may be shared, so the
  /// tree can be far larger than the claim.
  bool FindTerms(int step, bool is_negative, std::array<std::vector<Term>, 2>& terms) const {
    constexpr size_t kMostTerms = 16;
    if (terms[0].size() + terms[1].size() > kMostTerms) return false;
    const bool first = Uses(step, reads_[0]);
    if (first && Uses(step, reads_[1])) {
      const Step& sum = At(step);
      return IsSum(sum) && FindTerms(sum.args[0], is_negative, terms) &&
             FindTerms(sum.args[1], is_negative != (sum.node == NodeKind::kSub), terms);
    }
    if (!first && !Uses(step, reads_[1])) return false;
    terms[first ? 0 : 1].push_back({step, is_negative});
    return true;
  }

  bool ReadSum(int sum) {
    made_.sum = QuantisedSum::kAdd;
    std::array<std::vector<Term>, 2> terms;
    if (!FindTerms(sum, false, terms)) return false;
    Interval range = Interval::Point(0);
    // No partial sum, in any order, exceeds this value.
    int64_t parts = 0;
    for (size_t i = 0; i < 2; ++i) {
      QuantisedInput input{.access = At(reads_[i]).access};
      input.is_subtracted = terms[i][0].is_negative;
      Interval values;
      if (!ReadRescaled(reads_[i], terms[i], input, values, parts)) return false;
      range = input.is_subtracted ? range - values : range + values;
      made_.inputs.push_back(input);
    }
    return FitsDType(Interval{-parts, parts}, At(sum).dtype) && Finish(sum, {range.min, range.max});
  }

  /// Finds the numbers of a rescaled input, and compares them for each integer.
  bool ReadRescaled(int read, const std::vector<Term>& terms, QuantisedInput& input,
                    Interval& values, int64_t& parts) {
    const int centred = Centred(read, input.zero_point);
    const std::vector<int64_t> places(all_.loops.size());
    const Interval x = Range(read) - Interval::Point(input.zero_point);
    std::vector<StepProgram> programs;
    double gain = 0;
    for (const Term& term : terms) {
      StepProgram& program =
          programs.emplace_back(all_, constants_, term.step, std::vector<int>{centred});
      const std::vector<bool>& loops = program.loops();
      if (term.is_negative != terms[0].is_negative || !program.Bind(places) ||
          std::find(loops.begin(), loops.end(), true) != loops.end())
        return false;
      // A remainder that corrects the rounding of another term does not scale the input.
      if (program.Rises(x.min, x.max)) gain += program.gain();
    }
    input.left_shift = LeftShift(centred, terms);
    std::vector<int64_t> wanted;
    int64_t most = 0;
    for (int64_t at = x.min; at <= x.max; ++at) {
      int64_t sum = 0, magnitudes = 0;
      for (StepProgram& program : programs) {
        const std::optional<int64_t> value = program.Run(at);
        if (!value) return false;
        sum += *value;
        magnitudes += std::abs(*value);
      }
      most = std::max(most, magnitudes);
      wanted.push_back(sum);
    }
    parts += most;
    return FindRescale(std::ldexp(gain, -input.left_shift), x, wanted, input, values);
  }

  /// The bits by which all terms first shift the centred input to the left.
  int LeftShift(int centred, const std::vector<Term>& terms) const {
    const std::vector<int> users = UsersOf(centred);
    if (users.size() != 1 || At(users[0]).kind != StepKind::kCall ||
        At(users[0]).op != OpKind::kShiftLeft)
      return 0;
    const Step& bits = At(At(users[0]).args[1]);
    const bool all = std::all_of(terms.begin(), terms.end(),
                                 [&](const Term& term) { return Uses(term.step, users[0]); });
    return all && bits.kind == StepKind::kInteger && bits.integer >= 0 && bits.integer <= 31
               ? static_cast<int>(bits.integer)
               : 0;
  }

  bool FindRescale(double gain, const Interval& x, const std::vector<int64_t>& wanted,
                   QuantisedInput& input, Interval& values) const {
    for (const Rounding rounding : {Rounding::kTwice, Rounding::kOnce}) {
      input.rescale = FixedPointOf(gain, rounding);
      bool fits = true;
      for (size_t i = 0; i < wanted.size() && fits; ++i) {
        const int64_t at = (x.min + static_cast<int64_t>(i)) * (int64_t{1} << input.left_shift);
        fits = input.rescale.Of(at) == wanted[i];
      }
      if (!fits) continue;
      const auto [least, most] = std::minmax_element(wanted.begin(), wanted.end());
      values = {*least, *most};
      return true;
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
