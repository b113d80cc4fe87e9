#ifndef TENON_FRONTENDS_GRAPH_OPERATORS_H_
#define TENON_FRONTENDS_GRAPH_OPERATORS_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "frontends/graph/operator_code.h"
#include "frontends/graph/shapes.h"

namespace tenon::graph {

/// Writes the statements of an operator. InvalidArgument is an error of the file; Unimplemented is
/// a valid construct without support.
using OperatorBuilder = absl::Status (*)(OperatorCode& code);

#define TENON_GRAPH_OPERATOR(kind, Builder, Rule) \
  absl::Status Builder(OperatorCode& code);       \
  absl::StatusOr<Shapes> Rule(const OperatorView& op);
#include "frontends/graph/operators.def"

namespace plain {
#define TENON_PLAIN_OPERATOR(kind, Builder, Rule, ...) \
  absl::Status Builder(OperatorCode& code);            \
  absl::StatusOr<Shapes> Rule(const OperatorView& op);
#include "frontends/graph/plain_operators.def"
}  // namespace plain

/// The least and the greatest number of inputs, and of outputs. Those up to the least number are
/// present.
struct OperatorCounts {
  size_t least_inputs;
  size_t most_inputs;
  size_t least_outputs;
  size_t most_outputs;
};

/// One row of operators.def or plain_operators.def.
struct OperatorKind {
  std::string_view kind;
  OperatorBuilder build;
  ShapeRule shapes;
  /// Set for rows of plain_operators.def; other builders check the numbers themselves.
  std::optional<OperatorCounts> counts = std::nullopt;
};

/// The row of a kind in the table of a format, or null.
const OperatorKind* FindOperatorKind(Format format, std::string_view kind);

/// The shapes that an operator gives to its outputs.
absl::StatusOr<Shapes> OutputShapes(const OperatorKind& kind, const OperatorView& op);

/// Writes the statements of an operator.
absl::Status BuildOperator(const OperatorKind& kind, OperatorCode& code);

/// True if an operator keeps all elements in their order, and writes nothing else.
bool IsReshape(Format format, const Operator& op);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_OPERATORS_H_
