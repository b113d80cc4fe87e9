#ifndef TENON_BYOC_RECOGNISE_REQUANTISE_OP_H_
#define TENON_BYOC_RECOGNISE_REQUANTISE_OP_H_

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "byoc/op_info.h"
#include "byoc/recognise/step_program.h"

// Derives the member `requantise` from the steps of a claim. All facts are proven for every input:
// factors and inputs of elements for each integer of their dtype, and functions of sums for each
// sum that the inputs can cause.

namespace tenon {

/// For a sum of products; `guards` are the conditions under which the input is read.
std::optional<Requantise> RequantiseOfDot(const OpInfo& info, const std::vector<int>& guards,
                                          const ConstantReader& constants);
/// For a sum, or a maximum, of one input's elements.
std::optional<Requantise> RequantiseOfSum(const OpInfo& info, const ConstantReader& constants);
/// For an operator without reductions: one input, or the sum or product of two.
std::optional<Requantise> RequantiseOfElements(const OpInfo& info, const ConstantReader& constants);

// Internal to byoc/recognise/.

/// The integers that a sum may be.
struct SumRange {
  int64_t least = 0, most = 0;
};

/// Finds the multiplier, shift, rounding, zero point and clamp of functions of sums, one channel
/// after the other.
class RequantiseFinder {
 public:
  /// The value that `stored` has for the value of `sum`.
  RequantiseFinder(const OpInfo& info, const ConstantReader& constants, int sum);

  /// The loops that the function depends on, next to those of its sum.
  const std::vector<bool>& loops() const { return program_.loops(); }
  /// Adds a channel, in these iterations of the loops. False if nothing can be proven about it.
  bool AddChannel(std::span<const int64_t> places, SumRange sums);
  /// Writes rounding, multipliers, shifts, zero point and clamp, and adds to the bias of each
  /// channel. False if no rounding fits all channels.
  bool Finish(Requantise& made, std::vector<int64_t>& added);
  /// The same for Rounding::kQuotient; `counts` contains the divisor of each channel.
  bool FinishQuotient(Requantise& made, std::span<const int64_t> counts);

 private:
  struct Channel {
    std::vector<int64_t> places;
    SumRange sums;
    double gain = 0;
    /// The results of the least and the greatest sum.
    int64_t first = 0, last = 0;
    /// A bias that a shift adds.
    int64_t added = 0;
    Rescale rescale = {};
  };
  struct Clamp {
    int64_t zero_point = 0, low = 0, high = 0;
    /// The step that is clamped.
    int top = -1;
    bool operator==(const Clamp&) const = default;
  };

  Clamp ReadClamp() const;
  /// True if each result of the function begins at the sum that `first` returns for it.
  bool BeginsAt(const Channel& channel,
                const std::function<std::optional<int64_t>(int64_t)>& first);
  bool Matches(const Channel& channel, const Rescale& rescale, int64_t added);
  bool Fits(Rounding rounding, bool adds);
  bool MakeTable(Requantise& made);

  const OpInfo& info_;
  StepProgram program_;
  std::vector<Channel> channels_;
  Clamp clamp_;
  bool same_clamp_ = true;
  /// Steps of results.
  int64_t work_ = 0;
};

/// The zero point of `factor`, if it is `x - zero_point` for each integer x of the access. `guards`
/// count as true.
std::optional<int64_t> ZeroPointOf(const Computation& all, const ConstantReader& constants,
                                   int factor, int access, const std::vector<int>& guards);
/// The only step that reads the access; -1 if there is not exactly one.
int ReadOf(const Computation& all, int access);
/// A real number as a multiplier of 2^30 to 2^31 - 1 and a shift, to the nearest.
Rescale FixedPointOf(double gain, Rounding rounding);

}  // namespace tenon

#endif  // TENON_BYOC_RECOGNISE_REQUANTISE_OP_H_
