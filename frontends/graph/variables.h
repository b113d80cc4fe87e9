#ifndef TENON_FRONTENDS_GRAPH_VARIABLES_H_
#define TENON_FRONTENDS_GRAPH_VARIABLES_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/graph.h"

namespace tenon::graph {

/// Variables of a model, which operators read and assign by handles, become states of its graph.
/// A read gives the tensor that was assigned last. So a run reads and writes each state at most
/// once.
///
/// States begin as zeros. The state of a variable with another initial value is the exclusive or of
/// the variable's bits and the initial value's.
class Variables {
 private:
  struct Variable {
    std::string name;
    /// Tensors, or kAbsent: the initial value, the state, the value that was read from the state,
    /// and the last value.
    int initial = kAbsent;
    int state = kAbsent;
    int read = kAbsent;
    int value = kAbsent;
    /// Without an initial value, operators alone give it values.
    bool has_initial = false;
    /// The last assignment: its place, and the number of operators before it.
    std::string place = {};
    size_t assigned = 0;

    /// True if a run reads the state and writes it.
    bool HasState() const { return state != kAbsent && value != read; }
  };

 public:
  using Values = std::vector<Variable>;

  /// The tensor `handle` stands for the variable of a container and a name.
  void Handle(int handle, std::string_view container, std::string_view name);
  bool IsHandle(int tensor) const { return handles_.contains(tensor); }

  /// While this is on, reads and assignments are of initial values. Returns whether it was on.
  bool SetInitialising(bool is_on) { return std::exchange(is_initialising_, is_on); }

  /// The tensor with the value of the variable that `op` reads. Its first input is a handle. An
  /// error is the reason of a refusal.
  absl::StatusOr<int> Read(Graph& graph, const Operator& op);
  /// The operator's second input becomes the value of the variable.
  absl::Status Assign(Graph& graph, const Operator& op);

  /// The values of all variables, which Restore gives back to them.
  Values Save() const { return variables_; }
  void Restore(const Values& values);

  /// Adds the operators that write states, each after the last operator that reads the old value.
  void Finish(Graph& graph) const;

 private:
  absl::StatusOr<Variable*> Find(const Operator& op);
  static void AddState(Graph& graph, Variable& variable, const Operator& op);
  /// For each tensor that has the memory of a state: the variable. States of `copied` variables are
  /// copied where they are read.
  std::map<int, size_t> StateMemory(const Graph& graph, const std::set<size_t>& copied) const;
  /// The variables whose state is assigned to a variable.
  std::set<size_t> Copied(const Graph& graph) const;
  /// The number of operators before the one that writes the state of each variable.
  std::vector<size_t> WritePlaces(const Graph& graph, const std::map<int, size_t>& memory) const;
  static Operator WriteOf(const Graph& graph, const Variable& variable);

  std::vector<Variable> variables_;
  std::map<std::pair<std::string, std::string>, size_t> numbers_;
  std::map<int, size_t> handles_;
  bool is_initialising_ = false;
};

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_VARIABLES_H_
