#ifndef TENON_ANALYSIS_COMPUTATION_H_
#define TENON_ANALYSIS_COMPUTATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/analysis/linear_index.h"
#include "ir/node.h"
#include "ir/op.h"

// The values that a function computes, independent of the order of its statements. Each output is
// an expression of the inputs over loops, and the loops may run in any order.

namespace tenon {

/// A loop over 0, 1, ..., extent - 1. The name is unique within a computation. After an operator is
/// recognised, it describes the loop's purpose: `h`, `kw`, `co1`.
struct ComputationLoop {
  std::string name;
  int64_t extent = 1;

  bool operator==(const ComputationLoop&) const = default;
};

/// A tensor that is read or written: a parameter of the function, by its index, or a constant, by
/// its position among the function's T.allocate_const in the order of the text.
struct ComputationOperand {
  bool constant = false;
  int index = 0;
  DataType dtype;
  int64_t elements = 0;

  bool operator==(const ComputationOperand&) const = default;
};

/// One read or write of an operand, at the given element.
struct ComputationAccess {
  int operand = 0;
  LinearIndex element;

  bool operator==(const ComputationAccess&) const = default;
};

enum class StepKind : uint8_t {
  kInteger,  ///< `integer`, also for bools
  kReal,     ///< `real`
  kRead,     ///< the element of `access`
  kGather,   ///< the element of `access`, moved by the value of `args[0]` elements
  kIndex,    ///< the value of `linear`
  kNode,     ///< the operation `node` on `args`: Cast, Add to Or, Not, Select
  kCall,     ///< the pure builtin `op` on `args`
  /// The reduction of `args[0]` and the values of `args[1]` for all `loops`, by `node`. A value is
  /// the second operand, or the first one (`integer` 1): the maximum of NaN and a number depends on
  /// the order. `integer` is 1 only for floats that keep their order.
  kReduce,
  /// The place of the greatest value (`node` kMax) or the least one (kMin). A place and a value
  /// start as `args[0]` and `args[1]`; `args[2]` and `args[3]` are the place and the value of an
  /// iteration of `loops`. The kept value stays if the iteration's value is less (kMin: greater);
  /// otherwise the iteration's value replaces it. The kept place stays in the same case. It also
  /// stays if both values are equal and it is less (`integer` 0) or greater (1).
  kArgReduce,
};

/// True for steps that read an operand.
inline bool IsRead(StepKind kind) { return kind == StepKind::kRead || kind == StepKind::kGather; }
/// True for steps with loops of their own.
inline bool IsReduction(StepKind kind) {
  return kind == StepKind::kReduce || kind == StepKind::kArgReduce;
}

/// The fields of a value that do not depend on loops.
struct Operation {
  StepKind kind = StepKind::kInteger;
  DataType dtype;
  NodeKind node = NodeKind::kAdd;
  OpKind op{};
  int64_t integer = 0;
  double real = 0;
  /// The numbers of the operands' values.
  std::vector<int> args;

  /// Compares the bits of `real`: 0.0 differs from -0.0, and a NaN equals itself.
  bool operator==(const Operation& other) const;
  /// The number of `args` that a reduction starts with; the rest depend on its loops.
  size_t starts() const {
    return kind == StepKind::kReduce ? 1 : kind == StepKind::kArgReduce ? 2 : 0;
  }
};

/// A value of a computation. `args` are earlier steps.
struct Step : Operation {
  /// The access of a read or a gather.
  int access = -1;
  /// The value of an index.
  LinearIndex linear;
  /// The loops of a reduction in the order of the program, the outermost first.
  std::vector<int> loops;

  bool operator==(const Step&) const = default;
};

/// For all values of `loops`, the outermost first, the element of `access` becomes the value of
/// `step`.
struct ComputationStore {
  int access = 0;
  int step = 0;
  std::vector<int> loops;

  bool operator==(const ComputationStore&) const = default;
};

/// T.if_then_else and Select have the value of one arm. A step of the other arm need not have a
/// value, so that reads there may be out of bounds.
struct Computation {
  std::vector<ComputationLoop> loops;
  std::vector<ComputationOperand> operands;
  std::vector<ComputationAccess> accesses;
  std::vector<Step> steps;
  std::vector<ComputationStore> stores;

  bool operator==(const Computation&) const = default;
};

/// The limits on steps, stores and loops of a computation; larger ones are not useful as a claim.
inline constexpr size_t kMostComputationParts = 4096;

/// The first error in the loops of stores and reductions; empty if all are right. A list names each
/// loop once. A reduction must not use a loop of an enclosing store, nor of an enclosing reduction
/// whose loops it depends on. More than kMostComputationParts steps, stores or loops are also an
/// error.
std::string LoopProblem(const Computation& all);

}  // namespace tenon

#endif  // TENON_ANALYSIS_COMPUTATION_H_
