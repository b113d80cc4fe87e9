#ifndef TENON_FRONTENDS_GRAPH_REDUCTION_H_
#define TENON_FRONTENDS_GRAPH_REDUCTION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/operator_code.h"

namespace tenon::graph {

/// For each axis of input 0, whether input 1 names it. An error unless the axes are constant, and
/// axes of the input; those of a tensor without dimensions do not matter.
absl::StatusOr<std::vector<bool>> ReducedAxes(const OperatorView& op);

/// An operator that makes one element of all elements along some axes. Input 0 is the tensor, and
/// input 1 has the axes.
class Reduction {
 public:
  /// Checks that the axes are constant, and that the output has the elements that they leave.
  static absl::StatusOr<Reduction> Make(const OperatorCode& code);

  /// The number of elements that become one.
  int64_t count() const { return count_; }
  /// True if no axis is left.
  bool is_total() const;

  /// Writes each element of the output. `fold` writes the statements that bring an element into the
  /// result. `begin` writes those before, and `end` those after, and gives the element of the
  /// output.
  struct Steps {
    std::function<void()> begin;
    std::function<void(Value element)> fold;
    std::function<Value()> end;
  };
  void Write(OperatorCode& code, const Steps& steps) const;

 private:
  std::vector<bool> goes_;
  /// The extents of the loops over the output, and of the loops over what becomes one element. Both
  /// have the input's rank, with 1 for the axes of the other.
  std::vector<int64_t> kept_;
  std::vector<int64_t> reduced_;
  int64_t count_ = 1;
};

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_REDUCTION_H_
