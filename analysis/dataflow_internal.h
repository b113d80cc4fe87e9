#ifndef TENON_ANALYSIS_DATAFLOW_INTERNAL_H_
#define TENON_ANALYSIS_DATAFLOW_INTERNAL_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/dataflow.h"
#include "analysis/stages.h"
#include "analysis/value_graph.h"

// Internal to analysis/: what dataflow.cc, stage_values.cc and export_computation.cc share.

namespace tenon {

/// Loops under a condition `sum(stride * digit) < extent` that count as one loop up to it: those of
/// a nest that was divided, and whose last part is cut off.
struct MergedLoops {
  /// The digits when the condition was met, and their strides; the least stride is 1.
  Form sum;
  /// Counts 0, ..., extent - 1.
  Form counter;
};

/// The value that one stage stores.
struct StageValue {
  int stage = 0;
  int tensor = 0;
  Form element;
  /// The stored value, over the digits of the stage; -1 for a value that nothing may read.
  int value = -1;
  /// Digits that do not occur in `element`: the value is a reduction over them.
  bool reduces = false;
  /// Digits at their first or last value, by a condition.
  absl::flat_hash_map<int, int64_t> fixed;
  /// The indices in Dataflow::merged of the stage's conditions.
  std::vector<int> merged;
};

/// One place where a tensor is read or written, for the check of the order.
struct TensorAccess {
  int stage = 0;
  bool write = false;
  /// The stage that replaces the value that is read here, as that of a sum; -1 for others.
  int of_sum = -1;
  Form element;
};

/// The state of the analysis of one function.
struct Dataflow {
  explicit Dataflow(Digits& digits) : digits(digits), graph(digits), forms(digits) {}

  Digits& digits;
  ValueGraph graph;
  FormBuilder forms;
  Stages stages;
  std::string because;
  std::vector<MergedLoops> merged;
  /// By tensor.
  std::vector<std::vector<StageValue>> values;
  std::vector<std::vector<TensorAccess>> accesses;

  bool Refuse(std::string reason) {
    if (because.empty()) because = std::move(reason);
    return false;
  }
  /// The leaves of a loop's counter, the outermost first.
  std::vector<int> DigitsOfLoop(int loop) const;
  std::vector<int> DigitsOfStage(const Stage& stage) const;
  /// The digits of the loops that all accesses of a local tensor share: each iteration has a tensor
  /// of its own.
  std::vector<int> PrivateDigits(int tensor) const;
  /// The digits as a stage sees them that has these merged: the merged ones give way to one.
  std::vector<int> Merged(const std::vector<int>& merged, const std::vector<int>& given) const;
  /// Digits at their first or last value, where some may have been split.
  absl::flat_hash_map<int, int64_t> LeavesOf(const absl::flat_hash_map<int, int64_t>& fixed) const;
};

/// Finds what a stage stores, and notes its accesses; false when in doubt.
bool EvaluateStage(Dataflow& flow, int stage);
/// Does what EvaluateStage does for a stage that keeps the place of the best element, and for the
/// next one, which keeps its value: see IsArgReduction.
bool EvaluateArgReduction(Dataflow& flow, int stage);

/// The digits that are merged and the values that are stored, as a computation.
Computation ExportComputation(Dataflow& flow, const std::vector<StageValue>& results);

}  // namespace tenon

#endif  // TENON_ANALYSIS_DATAFLOW_INTERNAL_H_
