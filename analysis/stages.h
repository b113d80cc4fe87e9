#ifndef TENON_ANALYSIS_STAGES_H_
#define TENON_ANALYSIS_STAGES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/digits.h"
#include "ir/function.h"

// The stages of a function: its stores, each with the loops around it. The function must have flat
// buffers, and neither blocks nor T.LetStmt (see the passes lower-blocks, flatten-buffers and
// inline-lets).

namespace tenon {

/// The memory that a pointer of the function points to.
struct StageTensor {
  enum class Kind : uint8_t { kParam, kConstant, kLocal };
  Kind kind = Kind::kLocal;
  /// The index of a parameter, or the position of a constant among T.allocate_const.
  int index = 0;
  const Var* data = nullptr;
  /// The scalar type of an element.
  DataType dtype;
  int64_t elements = 0;
  bool written = false;
  /// The loops that all of its accesses share. If accesses have different conditions, only loops
  /// outside of all loops that the conditions mention.
  std::vector<int> shared_loops;
  bool accessed = false;
  /// The conditions of the first access.
  std::vector<const Expr*> conditions;
};

/// A condition under which a stage runs.
struct StageCondition {
  const Expr* condition = nullptr;
  bool holds = true;
};

/// A store and its context.
struct Stage {
  const BufferStore* store = nullptr;
  int tensor = 0;
  /// The loops around the store, the outermost first.
  std::vector<int> loops;
  std::vector<StageCondition> conditions;
  /// Counts the lanes of a vector; 0 for a scalar.
  LinearIndex lane;
};

struct StageLoop {
  const For* loop = nullptr;
  /// Counts 0, ..., extent - 1; the loop's variable is the counter plus the loop's minimum.
  LinearIndex counter;
};

/// All stages of a function, in the order of its text.
struct Stages {
  std::vector<StageTensor> tensors;
  absl::flat_hash_map<const Var*, int> tensor_of;
  std::vector<StageLoop> loops;
  std::vector<Stage> stages;
};

/// Collects the stages of a function. False, with the reason in `because`, if the function does
/// anything but store in loops of known extents. `digits` receives the loops' counters.
bool CollectStages(const PrimFunc& func, Digits& digits, Stages& stages, std::string& because);

/// The element of an access, in elements of one lane; nullopt if it is not linear.
std::optional<LinearIndex> ElementOf(const Buffer* buffer, Span<const Expr*> indices,
                                     const LinearIndex& lane, const DigitBounds& known,
                                     Digits& digits, FormBuilder& forms);

}  // namespace tenon

#endif  // TENON_ANALYSIS_STAGES_H_
