#ifndef TENON_TESTS_RANDOM_JUDGED_RUNS_H_
#define TENON_TESTS_RANDOM_JUDGED_RUNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compile/options.h"
#include "interp/interpreter.h"
#include "ir/module.h"

// Runs that judge memory plans. A module is planned in many ways, and runs three times at its
// planned places. There, a byte that another allocation has written counts as not written. All
// outputs, kept inputs and states must be those of the module without a plan.

namespace tenon::random_ir {

/// One way to plan a module.
struct PlanWay {
  bool map_inputs = false;
  bool map_outputs = false;
  bool keep_inputs = false;
  std::string planner;
  Overlap overlap = Overlap::kOff;
  bool fuse = false;
  bool threads = false;
  int64_t alignment = 1;

  CompileOptions Options() const;
  /// The options of `tenon compile`.
  std::string Text() const;
};

/// Every combination of these options that makes a difference.
const std::vector<PlanWay>& AllPlanWays();

/// Empty if a module can be planned in this way, and verify-plan accepts the plan; else why not.
std::string FaultOfPlan(const IRModule& module, const PlanWay& way);

/// A module and its runs without a plan.
class JudgedModel {
 public:
  JudgedModel(IRModule module, uint64_t seed);

  /// Empty if three runs without a plan succeeded; else why not.
  const std::string& failure() const { return failure_; }
  /// Empty if planning succeeds and the runs agree; else the way and what is wrong.
  std::string FaultOf(const PlanWay& way) const;

 private:
  using Bytes = std::vector<uint8_t>;
  /// The values of all tensors after each run.
  struct Seen {
    std::vector<std::vector<Bytes>> runs;
    std::string failure;
  };

  /// Outputs keep their values from one run to the next. Inputs do so too if `keep_inputs`;
  /// otherwise each run gets new ones.
  Seen RunThreeTimes(const IRModule& module, InterpreterOptions options, bool keep_inputs) const;
  std::string Difference(const Seen& want, const Seen& found, bool keep_inputs) const;

  IRModule module_;
  uint64_t seed_;
  std::vector<bool> is_output_;
  Seen want_;
  Seen want_kept_;
  std::string failure_;
};

}  // namespace tenon::random_ir

#endif  // TENON_TESTS_RANDOM_JUDGED_RUNS_H_
