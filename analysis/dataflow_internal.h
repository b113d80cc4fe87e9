#ifndef TENON_ANALYSIS_DATAFLOW_INTERNAL_H_
#define TENON_ANALYSIS_DATAFLOW_INTERNAL_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/dataflow.h"
#include "analysis/stages.h"
#include "analysis/value_graph.h"

// Internal to analysis/: declarations for dataflow.cc, stage_values.cc and export_computation.cc.

namespace tenon {

/// Loops under a condition `sum(stride * digit) < extent` that count as one loop of that extent:
/// the loops of a split nest whose last part is cut off.
struct MergedLoops {
  /// The digits when the condition was found, and their strides; the least stride is 1.
  LinearIndex sum;
  /// Counts 0, ..., extent - 1.
  LinearIndex counter;
};

/// The value that one stage stores.
struct StageValue {
  int stage = 0;
  int tensor = 0;
  LinearIndex element;
  /// The stored value, over the digits of the stage; -1 if nothing may read it.
  int value = -1;
  /// True if digits do not occur in `element`: the value is a reduction over them.
  bool reduces = false;
  /// Digits that a condition fixes at their first or last value.
  absl::flat_hash_map<int, int64_t> fixed;
  /// The indices in Dataflow::merged of the stage's conditions.
  std::vector<int> merged;
};

/// A read or write of a tensor, for the check of the order.
struct TensorAccess {
  int stage = 0;
  bool write = false;
  /// For a read of the value that a stage replaces, as in a sum: that stage; otherwise -1.
  int of_sum = -1;
  LinearIndex element;
};

/// The state of the analysis of one function.
struct Dataflow {
  Dataflow(Digits& digits, const ComputationOptions& options)
      : digits(digits), options(options), graph(digits), forms(digits) {}

  Digits& digits;
  const ComputationOptions& options;
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
  /// The digits of the loops that all accesses of a local tensor share: each iteration has a
  /// separate tensor.
  std::vector<int> PrivateDigits(int tensor) const;
  /// The digits for a stage with these merges: a single digit replaces the merged ones.
  std::vector<int> Merged(const std::vector<int>& merged, const std::vector<int>& given) const;
  /// Maps digits at their first or last value to their leaves, since digits may have been split.
  absl::flat_hash_map<int, int64_t> LeavesOf(const absl::flat_hash_map<int, int64_t>& fixed) const;
};

/// Evaluates the store of a stage, and records its accesses; false if the analysis fails.
bool EvaluateStage(Dataflow& flow, int stage);
/// Like EvaluateStage, for a stage that keeps the place of the best element and the next stage,
/// which keeps its value; see IsArgReduction.
bool EvaluateArgReduction(Dataflow& flow, int stage);

/// Converts the merged digits and the stored values to a computation.
Computation ExportComputation(Dataflow& flow, const std::vector<StageValue>& results);

}  // namespace tenon

#endif  // TENON_ANALYSIS_DATAFLOW_INTERNAL_H_
