#ifndef TENON_FRONTENDS_GRAPH_LSTM_H_
#define TENON_FRONTENDS_GRAPH_LSTM_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/operator_code.h"

// Long short-term memory: the inputs, shapes and loops that LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM
// share. The inputs by their numbers: 0 [n, steps, depth], or steps first, or without steps; 1 to 4
// weights [cells, depth] of the gates input, forget, cell and output; 5 to 8 weights [cells,
// outputs] of the last output; 9 to 11 weights [cells] of the cells, for the gates input, forget
// and output; 12 to 15 biases [cells]; 16 a projection [outputs, cells] and 17 its bias; 18 the
// last output and 19 the cells, which are states; 20 to 23 weights [cells] of layer norms. Without
// an input gate its value is 1 minus the forget gate.

namespace tenon::graph::lstm {

inline constexpr size_t kGates = 4;
enum Gate : uint8_t { kInputGate, kForgetGate, kCellGate, kOutputGate };
inline constexpr size_t kWeights = 1, kRecurrent = 5, kSeen = 9, kGateBias = 12, kProjection = 16,
                        kProjectionBias = 17, kLastOutput = 18, kCells = 19, kNorm = 20,
                        kInputs = 24;

struct Shape {
  int64_t batch = 0, steps = 0, depth = 0, cells = 0, outputs = 0;
  bool steps_first = false;
  /// There is no input gate.
  bool coupled = false;
};

/// The input with a gate's weights for the cells; 0 for the gate without such weights.
size_t SeenInput(size_t gate);

/// Checks the shapes of all inputs.
absl::StatusOr<Shape> ShapeOf(const OperatorCode& code);

/// The dtypes of an operator.
struct Types {
  DataType x, weights, bias, cells, seen, norm;
};

bool HasTypes(const OperatorCode& code, const Types& types);

/// The arrays of an operator, and its loops over rows, steps and cells.
class Lstm {
 public:
  Lstm(OperatorCode& code, const Shape& shape);
  virtual ~Lstm() = default;

  void Write();

 protected:
  /// Writes the cells of a step, and `next`: the outputs, or the inputs of the projection.
  virtual void WriteCells(Value b, Value t, const Array& next);
  virtual void WriteCell(Value b, Value t, Value c) = 0;
  virtual Value Hidden(Value b, Value t, Value c) = 0;
  /// Statements before the projection of a step.
  virtual void BeginProjection(const Array& /*next*/) {}
  virtual Value Projected(const Array& next, Value c) = 0;
  /// An element of the output in the form of the state.
  virtual Value Kept(Value output) { return output; }
  /// The sum of a gate.
  virtual Value Sum(Gate gate, Value b, Value t, Value c) = 0;
  /// Writes `normal_[gate]`: the sums of all cells, normalised.
  virtual void WriteNorm(Gate gate, Value b, Value t) = 0;
  /// The argument of a gate's function.
  Value Argument(Gate gate, Value b, Value t, Value c);

  Array Optional(size_t input) { return code_.HasInput(input) ? code_.In(input) : Array(); }
  std::array<Value, 2> At(Value b, Value t) const {
    return shape_.steps_first ? std::array{t, b} : std::array{b, t};
  }
  Value X(Value b, Value t, Value k) const { return x_({At(b, t)[0], At(b, t)[1], k}); }

  OperatorCode& code_;
  Shape shape_;
  Array x_, last_, cells_, to_, projection_, projection_bias_;
  std::array<Array, kGates> weights_, recurrent_, bias_, seen_, norm_, normal_;
};

/// Writes an operator of floats. Its weights are floats, or integers of 8 bits: `x` and the last
/// output then become integers in each step.
absl::Status WriteFloatLstm(OperatorCode& code, const Shape& shape, bool by_integers);

/// Writes an LSTM with the basic kernel, which has other inputs.
absl::Status WriteBasicLstm(OperatorCode& code);

}  // namespace tenon::graph::lstm

#endif  // TENON_FRONTENDS_GRAPH_LSTM_H_
