#ifndef TENON_PASSES_LOOPS_COMPUTED_FUNCTION_H_
#define TENON_PASSES_LOOPS_COMPUTED_FUNCTION_H_

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/computation.h"
#include "ir/builder.h"
#include "ir/module.h"
#include "support/diagnostics.h"

namespace tenon {

/// A constant that a pass creates.
struct NewConstant {
  const Buffer* buffer = nullptr;
  const Constant* data = nullptr;
};

/// The schedule that the module sets for a function, as a string; empty without one.
std::string_view WantedSchedule(const Function& function);

/// Reports that the wanted schedule of a function does not fit.
void RefuseSchedule(std::string_view pass, const Function& function, std::string_view because,
                    Diagnostics& diagnostics);

/// True if the indices of all results increase with their loops, as reading back requires.
bool StoresForward(const Computation& all);

/// A function whose body a pass generates from its computation. Sums of floats keep their order.
class ComputedFunction {
 public:
  ComputedFunction(Context& context, const Function& function);

  /// The computation of the function; nullopt if none is proven, or OpLoops cannot write its loops.
  std::optional<Computation> Find();

  /// A flat buffer over each operand, and its data if it is a constant; otherwise null. Valid after
  /// Find.
  const std::vector<const Buffer*>& operands() const { return operands_; }
  const std::vector<const Constant*>& data() const { return data_; }
  NodeBuilder& builder() { return builder_; }

  /// Reads back a function that the pass `pass` has generated from Find's computation. False, after
  /// an error at the function, unless it computes the same (schedule/check/why_not_equal.h).
  bool ReadsBack(const Function& made, std::string_view pass, Diagnostics& diagnostics) const;

  /// The function with another body. Constants that the body does not read are removed, and so is
  /// the attribute `tenon.schedule`, unless `schedule` is a new one.
  Function WithBody(const Stmt* body, const std::vector<NewConstant>& made,
                    std::string_view schedule);

 private:
  bool FindOperands(const Computation& all);

  /// The function in the form that the analysis requires.
  const Function function_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  std::vector<const AllocateConst*> constants_;
  std::vector<const Buffer*> operands_;
  std::vector<const Constant*> data_;
  std::optional<Computation> found_;
};

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_COMPUTED_FUNCTION_H_
