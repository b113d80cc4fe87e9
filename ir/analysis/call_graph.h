#ifndef TENON_IR_ANALYSIS_CALL_GRAPH_H_
#define TENON_IR_ANALYSIS_CALL_GRAPH_H_

#include <vector>

#include "ir/module.h"

namespace tenon {

/// Which functions of a module call which. Functions are numbered as in IRModule::functions().
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

  /// The calls in a function, in program order.
  const std::vector<Site>& CallsOf(size_t function) const { return calls_[function]; }
  /// True when something calls it.
  bool IsCalled(size_t function) const { return is_called_[function]; }
  /// A call in `function` from which it may be reached again; null when it is not recursive.
  const Call* Recursion(size_t function) const;
  /// All functions, callees before callers but for those that call each other.
  const std::vector<size_t>& CalleesFirst() const { return order_; }

 private:
  void FindComponents();

  std::vector<std::vector<Site>> calls_;
  std::vector<bool> is_called_;
  /// The strongly connected component of each function.
  std::vector<size_t> component_;
  std::vector<size_t> order_;
};

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_CALL_GRAPH_H_
