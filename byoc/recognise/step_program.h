#ifndef TENON_BYOC_RECOGNISE_STEP_PROGRAM_H_
#define TENON_BYOC_RECOGNISE_STEP_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/computation.h"
#include "ir/constant.h"

namespace tenon {

/// The elements of constant operands.
class ConstantReader {
 public:
  /// `constants[i]` is the data of operand i; null if it is unknown.
  ConstantReader(const Computation& computation, std::span<const Constant* const> constants);
  bool IsKnown(int operand) const { return !bytes_[static_cast<size_t>(operand)].empty(); }
  /// An integer, or a float as a double. Nullopt outside of the operand, or if it is unknown.
  std::optional<int64_t> Integer(int operand, int64_t element) const;
  std::optional<double> Real(int operand, int64_t element) const;

 private:
  const Computation& computation_;
  std::vector<std::span<const uint8_t>> bytes_;
};

/// A step as a function of other steps, its sources. It evaluates one iteration of the loops, and
/// proves that the function of one source increases. After some seconds of work, it stops proving,
/// because claims are also derived for modules that nobody would compile.
class StepProgram {
 public:
  /// Conditions in `guards` count as true.
  StepProgram(const Computation& computation, const ConstantReader& constants, int result,
              std::vector<int> sources, std::vector<int> guards = {});

  /// Sets the counters of all loops, and computes the steps that do not depend on a source. False
  /// if one has no value: it reads other operands, wraps, or is not supported.
  bool Bind(std::span<const int64_t> places);
  /// The loops that steps of the function depend on, without those below a source.
  const std::vector<bool>& loops() const { return loops_; }
  /// The value for the sources' values; nullopt if a step wraps or has no value.
  std::optional<int64_t> Run(std::span<const int64_t> sources);
  std::optional<int64_t> Run(int64_t source) { return Run({&source, 1}); }

  /// True if the function of the only source increases from `least` to `most`, and no step wraps
  /// there.
  bool Rises(int64_t least, int64_t most);
  /// After Rises: the factor of the source in the result, without the effect of roundings and
  /// clamps.
  double gain() const;

  /// The integer that Bind has computed for a step, if the step does not depend on a source.
  std::optional<int64_t> ConstantOf(int step) const;
  /// The integer of a step after Run.
  int64_t ValueOf(int step) const { return values_[static_cast<size_t>(step)].integer; }
  bool DependsOnSource(int step) const { return dynamic_[static_cast<size_t>(step)]; }

 private:
  struct Value {
    int64_t integer = 0;
    double real = 0;
  };
  /// Facts about a step that depends on the source.
  struct Slope {
    bool rises = false;
    double gain = 0;
    /// Its integers are in this range, even if it does not increase.
    bool is_bounded = false;
    int64_t least = 0, most = 0;
  };

  bool MayWork(size_t steps);
  const Step& At(int step) const { return computation_.steps[static_cast<size_t>(step)]; }
  Value& Of(int step) { return values_[static_cast<size_t>(step)]; }
  bool IsInteger(int step) const { return !At(step).dtype.is_floating(); }
  int64_t Element(const LinearIndex& index) const;
  /// Evaluates a step whose arguments have values.
  bool Evaluate(int id);
  bool EvaluateRead(const Step& step, Value& value) const;
  bool EvaluateNode(const Step& step, Value& value) const;
  bool EvaluateFloats(const Step& step, Value& value) const;
  bool EvaluateCall(const Step& step, Value& value) const;
  bool EvaluateCast(const Step& step, Value& value) const;
  bool RisesAt(int id, int64_t least, int64_t most);
  bool NodeRises(const Step& step, Slope& slope) const;
  bool CallRises(const Step& step, Slope& slope) const;
  bool ChoiceRises(int id, int64_t least, int64_t most);
  bool IsHalfRoundedUp(const Step& step) const;
  bool IsRoundedToEven(const Step& step) const;
  bool IsBounded(const Step& step, Slope& slope) const;
  bool AddTerms(int step, std::vector<int>& terms) const;
  bool IsConstantAtLeast(int step, double least) const;
  bool RisesOrConstant(int step) const;

  const Computation& computation_;
  const ConstantReader& constants_;
  int result_;
  std::vector<int> sources_;
  std::vector<int> guards_;
  /// The steps between the sources and the result, in order.
  std::vector<int> constant_steps_, dynamic_steps_;
  std::vector<bool> dynamic_, loops_;
  std::vector<int64_t> places_;
  std::vector<Value> values_;
  /// Evaluated steps.
  int64_t work_ = 0;
  std::vector<Slope> slopes_;
};

}  // namespace tenon

#endif  // TENON_BYOC_RECOGNISE_STEP_PROGRAM_H_
