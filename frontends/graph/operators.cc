#include "frontends/graph/operators.h"

namespace tenon::graph {

namespace {

constexpr OperatorKind kKinds[] = {
#define TENON_GRAPH_OPERATOR(kind, Builder, Rule) {kind, &Builder, &Rule},
#include "frontends/graph/operators.def"
};

}  // namespace

const OperatorKind* FindOperatorKind(std::string_view kind) {
  for (const OperatorKind& row : kKinds) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

bool IsReshape(const Operator& op) {
  const OperatorKind* kind = FindOperatorKind(op.kind);
  return kind != nullptr && kind->build == &BuildReshape;
}

}  // namespace tenon::graph
