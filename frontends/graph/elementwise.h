#ifndef TENON_FRONTENDS_GRAPH_ELEMENTWISE_H_
#define TENON_FRONTENDS_GRAPH_ELEMENTWISE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "frontends/graph/operator_code.h"
#include "frontends/graph/refusals.h"

namespace tenon::graph {

/// Writes each element of an output from its indices.
void WriteElements(OperatorCode& code, size_t output,
                   const std::function<Value(const std::vector<Value>& at)>& element);

/// Writes each element of the output from the input's element at the same place.
void WriteEach(OperatorCode& code, const std::function<Value(Value x)>& element);

/// The same for an input and an output of 8 bits: a table has the results of `element` for all 256
/// integers of the input. Results are clamped to the output's dtype.
void WriteByTable(OperatorCode& code, const std::function<int64_t(int64_t x)>& element);

/// The same for a function of real numbers, computed in float arithmetic. Tensors of 16 bits have a
/// table of 513 numbers, with straight lines between them.
absl::Status WriteByFunction(OperatorCode& code, const std::function<float(float x)>& of);

/// Checks that the operator has one input and one output of the same shape.
absl::Status CheckUnary(const OperatorCode& code);

/// Checks that the attribute `output_type`, if there is one, names the output's type.
absl::Status CheckOutputType(const OperatorCode& code);

/// The divisor of an integer division: 1 in place of 0, which TensorFlow Lite refuses at run time.
Value Divisor(Value x);

/// The quantised result of a real number, computed in float arithmetic like TensorFlow Lite's
/// tables.
int64_t QuantizedInFloat(const Tensor& output, float real);
/// The real number that an integer stands for, in float arithmetic.
float RealOf(const Tensor& x, int64_t value);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_ELEMENTWISE_H_
