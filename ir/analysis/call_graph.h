#ifndef TENON_IR_ANALYSIS_CALL_GRAPH_H_
#define TENON_IR_ANALYSIS_CALL_GRAPH_H_

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace tenon {

/// The calls between the functions of a module. Functions are numbered as in IRModule::functions().
class CallGraph {
 public:
  /// One call of a function of the module.
  struct Site {
    size_t callee = 0;
    const Call* call = nullptr;
    /// The arguments are on the stack (call_packed_lowered, call_cpacked_lowered).
    bool on_stack = false;
  };

  explicit CallGraph(const IRModule& module);

  /// The number of the function `name` of the module.
  size_t IndexOf(Symbol name) const { return index_.at(name); }
  /// The calls in a function, in program order.
  const std::vector<Site>& CallsOf(size_t function) const { return calls_[function]; }
  /// Whether a function of the module calls it.
  bool IsCalled(size_t function) const { return is_called_[function]; }
  /// A call in `function` through which it may call itself again; null if it is not recursive.
  const Call* Recursion(size_t function) const;
  /// All functions, callees before callers, except among mutually recursive functions.
  const std::vector<size_t>& CalleesFirst() const { return order_; }
  /// `root` and the functions that it reaches through calls, ordered as in CalleesFirst(). `root`
  /// is the last.
  std::vector<size_t> CalleesFirst(size_t root) const;
  /// The functions that code is generated for: those that the entry reaches, or all functions of a
  /// module without an entry. In the order of CalleesFirst().
  std::vector<size_t> Reached() const;

 private:
  void FindComponents();

  absl::flat_hash_map<Symbol, size_t> index_;
  std::optional<size_t> entry_;
  std::vector<std::vector<Site>> calls_;
  std::vector<bool> is_called_;
  /// The strongly connected component of each function.
  std::vector<size_t> component_;
  std::vector<size_t> order_;
};

/// The functions of CallGraph::Reached(), in the order of the module.
std::vector<const Function*> ReachedFunctions(const IRModule& module);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_CALL_GRAPH_H_
