#include "ir/analysis/call_graph.h"

#include <algorithm>

#include "ir/analysis/effects.h"
#include "ir/builtins.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace tenon {

CallGraph::CallGraph(const IRModule& module) {
  const std::vector<Function>& functions = module.functions();
  for (size_t i = 0; i < functions.size(); ++i) index_.emplace(functions[i].name, i);
  if (const Function* entry = module.Main()) entry_ = index_.at(entry->name);
  calls_.resize(functions.size());
  is_called_.resize(functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    Walk(functions[i].func->body, [&](const Node* node) {
      const auto* call = dyn_cast<Call>(node);
      if (call == nullptr) return true;
      const Function* callee = AsCallSite(module, call).callee;
      const bool on_stack = call->op->kind == OpKind::kCallPackedLowered ||
                            call->op->kind == OpKind::kCallCPackedLowered;
      if (on_stack && !call->args.empty()) {
        if (const auto* name = dyn_cast<StringImm>(call->args[0]))
          callee = module.FindCallee(name->value);
      }
      if (callee != nullptr) {
        const size_t target = index_.at(callee->name);
        calls_[i].push_back({target, call, on_stack});
        is_called_[target] = true;
      }
      return true;
    });
  }
  FindComponents();
}

/// Tarjan, "Depth-first search and linear graph algorithms" (1972), without recursion. Functions
/// are left in an order with callees first.
void CallGraph::FindComponents() {
  const size_t count = calls_.size();
  std::vector<size_t> number(count, 0);
  std::vector<size_t> low(count, 0);
  std::vector<bool> open(count, false);
  std::vector<size_t> stack;
  struct Frame {
    size_t function;
    size_t next;
  };
  std::vector<Frame> frames;
  size_t numbers = 0;
  size_t components = 0;
  component_.resize(count);
  const auto enter = [&](size_t function) {
    number[function] = low[function] = ++numbers;
    open[function] = true;
    stack.push_back(function);
    frames.push_back({function, 0});
  };
  for (size_t root = 0; root < count; ++root) {
    if (number[root] == 0) enter(root);
    while (!frames.empty()) {
      const size_t at = frames.back().function;
      if (frames.back().next < calls_[at].size()) {
        const size_t callee = calls_[at][frames.back().next++].callee;
        if (number[callee] == 0) {
          enter(callee);
        } else if (open[callee]) {
          low[at] = std::min(low[at], number[callee]);
        }
        continue;
      }
      frames.pop_back();
      order_.push_back(at);
      if (!frames.empty())
        low[frames.back().function] = std::min(low[frames.back().function], low[at]);
      if (low[at] != number[at]) continue;
      for (size_t member = count; member != at;) {
        TENON_CHECK(!stack.empty());
        member = stack.back();
        stack.pop_back();
        open[member] = false;
        component_[member] = components;
      }
      ++components;
    }
  }
}

std::vector<size_t> CallGraph::CalleesFirst(size_t root) const {
  TENON_CHECK(root < calls_.size());
  std::vector<size_t> order;
  std::vector<bool> seen(calls_.size());
  struct Frame {
    size_t function;
    size_t next;
  };
  std::vector<Frame> frames = {{root, 0}};
  seen[root] = true;
  while (!frames.empty()) {
    const size_t at = frames.back().function;
    if (frames.back().next == calls_[at].size()) {
      frames.pop_back();
      order.push_back(at);
      continue;
    }
    const size_t callee = calls_[at][frames.back().next++].callee;
    if (!seen[callee]) frames.push_back({callee, 0});
    seen[callee] = true;
  }
  return order;
}

std::vector<size_t> CallGraph::Reached() const {
  if (!entry_) return order_;
  std::vector<bool> reached(calls_.size());
  for (const size_t function : CalleesFirst(*entry_)) reached[function] = true;
  std::vector<size_t> order;
  for (const size_t function : order_) {
    if (reached[function]) order.push_back(function);
  }
  return order;
}

const Call* CallGraph::Recursion(size_t function) const {
  TENON_CHECK(function < calls_.size() && component_.size() == calls_.size());
  for (const Site& site : calls_[function]) {
    if (component_[site.callee] == component_[function]) return site.call;
  }
  return nullptr;
}

std::vector<const Function*> ReachedFunctions(const IRModule& module) {
  std::vector<size_t> reached = CallGraph(module).Reached();
  std::sort(reached.begin(), reached.end());
  std::vector<const Function*> functions;
  for (const size_t index : reached) functions.push_back(&module.functions()[index]);
  return functions;
}

}  // namespace tenon
