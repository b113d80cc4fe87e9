#ifndef TENON_FRONTENDS_GRAPH_PLAIN_RNN_CODE_H_
#define TENON_FRONTENDS_GRAPH_PLAIN_RNN_CODE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/operator_code.h"

// The parts that LSTM, GRU and RNN share. Inputs are X, W, R, B, sequence lengths and the initial
// state; outputs are all states and the last one. The attribute `layout` 1 has batches before
// steps.

namespace tenon::graph::plain {

/// The sizes of a recurrent operator.
struct RnnSizes {
  int64_t steps = 1;
  int64_t batches = 1;
  int64_t inputs = 1;
  int64_t hidden = 1;
  int64_t directions = 1;
  bool batches_first = false;
};

/// Checks the shapes of X, W, R, B and the initial states. W has `gates` rows for each hidden unit.
absl::StatusOr<RnnSizes> RnnSizesOf(const OperatorView& op, int64_t gates);

/// A function of one number.
using RnnFunction = std::function<Value(Value x)>;

/// The activations of all directions, `count` for each, by `activations` (names that commas
/// separate), `activation_alpha` and `activation_beta`. `names` are the default ones.
absl::StatusOr<std::vector<RnnFunction>> RnnFunctionsOf(const OperatorView& op, int64_t directions,
                                                        const std::vector<std::string>& names);

/// The loops of a recurrent operator, and access to its tensors.
class RnnCode {
 public:
  RnnCode(OperatorCode& code, const RnnSizes& sizes, int64_t gates);

  DataType dtype() const { return dtype_; }
  const RnnSizes& sizes() const { return sizes_; }

  /// Memory [batches, hidden] for a state of a direction, with the values of input `initial`, or 0.
  Array State(std::string_view name, int64_t direction, size_t initial);
  /// Runs `body` for each step and batch that has one; `step` writes the new state `hidden`, which
  /// then becomes an element of output 0.
  void ForEachStep(int64_t direction, const Array& hidden,
                   const std::function<void(Value at, Value batch)>& step);
  /// Writes a state to output `output`.
  void StoreState(const Array& state, int64_t direction, size_t output);

  /// Row `row` of W times the input at a step, plus the row's first bias.
  Value InputSum(int64_t direction, Value row, Value at, Value batch);
  /// Row `row` of R times `state`, plus the row's second bias.
  Value StateSum(int64_t direction, Value row, const std::function<Value(Value unit)>& state);
  /// The number between minus and plus the attribute `clip`, if the operator has it.
  Value Clipped(Value x) const;
  /// An element of an input [directions, columns].
  Value Parameter(size_t input, int64_t direction, Value column);

 private:
  Value Dot(int64_t count, const std::function<Value(Value k)>& product, Value start);
  Value Zero() const { return code_.Number(dtype_, 0); }

  OperatorCode& code_;
  RnnSizes sizes_;
  int64_t gates_;
  DataType dtype_;
};

}  // namespace tenon::graph::plain

#endif  // TENON_FRONTENDS_GRAPH_PLAIN_RNN_CODE_H_
