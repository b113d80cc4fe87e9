#ifndef TENON_FRONTENDS_GRAPH_OPERATORS_H_
#define TENON_FRONTENDS_GRAPH_OPERATORS_H_

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

/// One row of operators.def.
struct OperatorKind {
  std::string_view kind;
  OperatorBuilder build;
  ShapeRule shapes;
};

/// The row of a kind, or null.
const OperatorKind* FindOperatorKind(std::string_view kind);

/// True if an operator keeps all elements in their order, and writes nothing else.
bool IsReshape(const Operator& op);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_OPERATORS_H_
