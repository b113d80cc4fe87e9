#ifndef TENON_FRONTENDS_GRAPH_OPERATOR_VIEW_H_
#define TENON_FRONTENDS_GRAPH_OPERATOR_VIEW_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "frontends/graph/graph.h"

namespace tenon::graph {

/// `least` to `most`, or one number if both are the same.
std::string CountText(size_t least, size_t most);

/// An operator with its tensors.
class OperatorView {
 public:
  OperatorView(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {}

  const Operator& op() const { return op_; }
  Format format() const { return graph_.format; }
  const Attributes& attributes() const { return op_.attributes; }
  size_t inputs() const { return op_.inputs.size(); }
  size_t outputs() const { return op_.outputs.size(); }
  bool HasOutput(size_t index) const {
    return index < op_.outputs.size() && op_.outputs[index] != kAbsent;
  }
  bool HasInput(size_t index) const {
    return index < op_.inputs.size() && op_.inputs[index] != kAbsent;
  }
  const Tensor& input(size_t index) const { return graph_.tensor(op_.inputs[index]); }
  const Tensor& output(size_t index = 0) const { return graph_.tensor(op_.outputs[index]); }
  const Tensor& tensor(int number) const { return graph_.tensor(number); }

  /// An error unless the first `least` inputs are present.
  absl::Status CheckPresent(size_t least) const;
  /// An error unless the numbers of inputs and outputs are right; the first `least` inputs must be
  /// present.
  absl::Status CheckCounts(size_t least, size_t most, size_t outputs = 1) const;
  /// An error of the file: what was expected. The types of all tensors are appended unless the
  /// message says what was found or is missing.
  absl::Status Wrong(std::string_view message) const;
  /// An error for a valid construct that is not supported.
  absl::Status Unsupported(std::string_view message) const;

 private:
  std::string TypesText() const;

  const Graph& graph_;
  const Operator& op_;
};

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_OPERATOR_VIEW_H_
