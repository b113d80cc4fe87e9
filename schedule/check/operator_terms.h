#ifndef TENON_SCHEDULE_CHECK_OPERATOR_TERMS_H_
#define TENON_SCHEDULE_CHECK_OPERATOR_TERMS_H_

#include <functional>
#include <optional>
#include <vector>

#include "analysis/computation.h"
#include "schedule/check/memory.h"
#include "schedule/check/terms.h"

namespace tenon::check {

/// The values of a computation as terms, with its loops at given forms.
class OperatorTerms {
 public:
  /// `memories[i]` is the memory of operand i.
  OperatorTerms(const Computation& computation, TermTable& terms, std::vector<int> memories);

  /// The form of each loop; -1 if a value does not depend on it.
  using Loops = std::vector<FormId>;
  /// Whether a condition holds at all points of the guards; nullopt if it holds only at some of
  /// them, or if that is unknown.
  using Decide = std::function<std::optional<bool>(TermId, const Guards&)>;

  /// The value of a step if the guards hold; -1 if it has no term.
  TermId ValueOf(int step, const Loops& loops, const Guards& guards, const Decide& decide);
  /// The loops that the value of a step depends on, in order.
  const std::vector<int>& FreeLoops(int step) const { return free_[static_cast<size_t>(step)]; }
  /// The loops of a term of the kind kSum.
  Loops LoopsOf(TermId sum) const;
  /// The value of an index of the computation; -1 if one of its loops has no form.
  FormId FormOf(const LinearIndex& index, const Loops& loops);

  const Step& StepAt(int64_t step) const { return all_.steps[static_cast<size_t>(step)]; }
  int64_t ExtentOf(int loop) const { return all_.loops[static_cast<size_t>(loop)].extent; }
  const Computation& computation() const { return all_; }

 private:
  TermId ReadOf(const Step& step, const Loops& loops, TermId moved);
  TermId NodeOf(const Step& step, const Loops& loops, const Guards& guards, const Decide& decide);
  TermId ChoiceOf(const Step& step, const Loops& loops, const Guards& guards, const Decide& decide);

  const Computation& all_;
  TermTable& terms_;
  FormTable& forms_;
  std::vector<int> memories_;
  std::vector<std::vector<int>> free_;
};

}  // namespace tenon::check

#endif  // TENON_SCHEDULE_CHECK_OPERATOR_TERMS_H_
