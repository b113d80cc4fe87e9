#include "frontends/graph/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/graph/fold.h"
#include "frontends/graph/operators.h"
#include "support/status_macros.h"

namespace tenon::graph {

namespace {

/// The most steps that the values of one operator may take.
constexpr int64_t kMostFoldSteps = int64_t{1} << 20;

absl::Status CheckSize(const OperatorView& op, const TensorShape& shape) {
  int64_t elements = 1;
  for (const int64_t extent : shape) {
    if (!IsExtent(extent))
      return op.Wrong(fmt::format("expected extents of 0 to {}, found {}", kMostExtent, extent));
    elements *= extent;
    if (elements > kMostExtent)
      return op.Wrong(fmt::format("expected at most {} elements", kMostExtent));
  }
  return absl::OkStatus();
}

absl::StatusOr<Shapes> InferShapes(const OperatorView& op) {
  const OperatorKind* kind = FindOperatorKind(op.format(), op.op().kind);
  if (kind == nullptr) return absl::UnimplementedError("");
  TENON_ASSIGN_OR(Shapes shapes, OutputShapes(*kind, op));
  for (const TensorShape& shape : shapes) TENON_TRY(CheckSize(op, shape));
  return shapes;
}

class Resolver {
 public:
  explicit Resolver(Graph& graph) : graph_(graph) {}

  Resolution Run() {
    std::erase_if(graph_.operators, [&](const Operator& op) {
      int64_t steps = kMostFoldSteps;
      // Errors of operators that an output needs appear when the operator is built.
      return Resolve(op, steps).value_or(false);
    });
    return std::move(result_);
  }

  absl::StatusOr<bool> Resolve(const Operator& op, int64_t& steps) {
    if (!op.refusal.empty()) return false;
    Infer(op);
    // Another branch may give the output another value.
    if (!op.guards.empty()) return false;
    return FoldIntegers(graph_, op, steps);
  }

 private:
  void Infer(const Operator& op) {
    const absl::StatusOr<Shapes> shapes = InferShapes(OperatorView(graph_, op));
    if (absl::IsInvalidArgument(shapes.status()) && !op.outputs.empty())
      result_.wrong.emplace(op.outputs[0], shapes.status().message());
    if (!shapes.ok()) return;
    for (size_t i = 0; i < std::min(shapes->size(), op.outputs.size()); ++i) {
      if (op.outputs[i] == kAbsent) continue;
      Tensor& tensor = graph_.tensors[static_cast<size_t>(op.outputs[i])];
      if (tensor.shape == (*shapes)[i]) continue;
      result_.stale.push_back({op.outputs[i], tensor.TypeText()});
      tensor.shape = (*shapes)[i];
    }
  }

  Graph& graph_;
  Resolution result_;
};

}  // namespace

Resolution ResolveShapes(Graph& graph) { return Resolver(graph).Run(); }

absl::StatusOr<bool> ResolveOperator(Graph& graph, const Operator& op, int64_t& steps) {
  return Resolver(graph).Resolve(op, steps);
}

}  // namespace tenon::graph
