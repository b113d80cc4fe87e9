// From the graph of values to the steps of a computation. Digits that always occur together become
// one loop, except the places and the kernel of a window. Loops are numbered in the order of
// memory.

#include <algorithm>
#include <cstdlib>

#include "absl/container/flat_hash_set.h"
#include "analysis/dataflow_internal.h"
#include "fmt/format.h"

namespace tenon {

namespace {

/// The digits of a store or of a reduction, which may be merged with each other.
struct Binder {
  std::vector<int> digits;
  /// True if the order of iterations matters, as in a sum of floats.
  bool keeps_order = false;
};

class Exporter {
 public:
  Exporter(Dataflow& flow, const std::vector<StageValue>& results)
      : flow_(flow), results_(results) {}

  Computation Export() {
    Order();
    CollectForms();
    FindWindows();
    for (const Binder& binder : binders_) MergeDigits(binder);
    return Write();
  }

 private:
  /// The reachable nodes, arguments first.
  void Order() {
    absl::flat_hash_set<int> seen;
    for (const StageValue& result : results_) {
      std::vector<std::pair<int, size_t>> stack = {{result.value, 0}};
      while (!stack.empty()) {
        auto& [id, next] = stack.back();
        const std::vector<int>& args = flow_.graph[id].args;
        if (next == 0 && seen.contains(id)) {
          stack.pop_back();
        } else if (next < args.size()) {
          const int arg = args[next++];
          if (!seen.contains(arg)) stack.emplace_back(arg, 0);
        } else {
          if (seen.insert(id).second) order_.push_back(id);
          stack.pop_back();
        }
      }
    }
  }

  std::vector<int> LeavesOf(const std::vector<int>& digits) const {
    std::vector<int> leaves;
    for (const int digit : digits) {
      const std::vector<int> of = flow_.digits.Leaves(digit);
      leaves.insert(leaves.end(), of.begin(), of.end());
    }
    return leaves;
  }

  void CollectForms() {
    for (const StageValue& result : results_) {
      elements_.push_back(flow_.digits.Normalised(result.element));
      // Orders the loops as in memory.
      auto terms = elements_.back().terms;
      std::stable_sort(terms.begin(), terms.end(), [](const auto& x, const auto& y) {
        return std::abs(x.second) > std::abs(y.second);
      });
      std::vector<int> digits;
      for (const auto& [digit, stride] : terms) digits.push_back(digit);
      store_digits_.push_back(digits);
      Bind({std::move(digits)});
    }
    for (const int id : order_) {
      const ValueNode& node = flow_.graph[id];
      if (IsReduction(node.kind)) {
        Bind({LeavesOf(node.digits), flow_.options.keeps_order && node.dtype.is_floating()});
      } else if (IsRead(node.kind) || node.kind == StepKind::kIndex) {
        forms_.emplace(id, flow_.digits.Normalised(node.form));
      }
    }
    int number = 0;
    const auto note = [&](const LinearIndex& form) {
      for (const auto& [digit, stride] : form.terms) places_[digit].push_back({number, stride});
      ++number;
    };
    for (const LinearIndex& element : elements_) note(element);
    for (const int id : order_) {
      if (forms_.contains(id)) note(forms_.at(id));
    }
  }

  void Bind(Binder binder) {
    const int number = static_cast<int>(binders_.size());
    for (const int digit : binder.digits) binder_of_.emplace(digit, number);
    binders_.push_back(std::move(binder));
  }

  /// Finds digits that index the same axis as a digit reduced elsewhere. They are the places and
  /// the kernel of a window and are not merged.
  void FindWindows() {
    for (const int id : order_) {
      if (flow_.graph[id].kind != StepKind::kRead) continue;
      const LinearIndex& form = forms_.at(id);
      for (const auto& [a, a_stride] : form.terms) {
        for (const auto& [b, b_stride] : form.terms) {
          if (a == b || BinderOf(a) == BinderOf(b)) continue;
          const int64_t x = std::abs(a_stride);
          const int64_t y = std::abs(b_stride);
          if (x >= y * flow_.digits.extent(b) || y >= x * flow_.digits.extent(a)) continue;
          windows_.insert(a);
          windows_.insert(b);
        }
      }
    }
  }

  int BinderOf(int digit) const {
    const auto found = binder_of_.find(digit);
    return found == binder_of_.end() ? -1 : found->second;
  }

  /// True if `outer` continues `inner` wherever they occur.
  bool Continues(int outer, int inner) const {
    if (windows_.contains(outer) || windows_.contains(inner)) return false;
    if (BinderOf(outer) != BinderOf(inner)) return false;
    const auto a = places_.find(outer);
    const auto b = places_.find(inner);
    if (a == places_.end() || b == places_.end()) return false;
    if (a->second.size() != b->second.size()) return false;
    for (size_t i = 0; i < a->second.size(); ++i) {
      if (a->second[i].first != b->second[i].first) return false;
      if (a->second[i].second != b->second[i].second * Extent(inner)) return false;
    }
    return true;
  }

  int64_t Extent(int digit) const {
    const auto found = extents_.find(digit);
    return found == extents_.end() ? flow_.digits.extent(digit) : found->second;
  }

  void MergeDigits(const Binder& binder) {
    for (const int inner : binder.digits) {
      if (gone_.contains(inner)) continue;
      bool merged = true;
      while (merged) {
        merged = false;
        for (const int outer : binder.digits) {
          if (outer == inner || gone_.contains(outer) || !Continues(outer, inner)) continue;
          if (binder.keeps_order && Before(binder, inner) != outer) continue;
          extents_[inner] = Extent(inner) * Extent(outer);
          gone_.insert(outer);
          merged = true;
          break;
        }
      }
    }
  }

  /// The digit around `digit`; -1 for the outermost one.
  int Before(const Binder& binder, int digit) const {
    int before = -1;
    for (const int other : binder.digits) {
      if (other == digit) break;
      if (!gone_.contains(other)) before = other;
    }
    return before;
  }

  int LoopOf(int digit) {
    const auto [at, added] = loops_.try_emplace(digit, static_cast<int>(all_.loops.size()));
    if (added) all_.loops.push_back({fmt::format("i{}", at->second), Extent(digit)});
    return at->second;
  }
  std::vector<int> LoopsOf(const std::vector<int>& digits) {
    std::vector<int> loops;
    for (const int digit : digits) {
      if (!gone_.contains(digit)) loops.push_back(LoopOf(digit));
    }
    return loops;
  }

  /// A form over digits as one over loops.
  LinearIndex OverLoops(LinearIndex form) {
    form.Drop([&](int digit) { return gone_.contains(digit); });
    for (auto& [digit, stride] : form.terms) digit = LoopOf(digit);
    std::sort(form.terms.begin(), form.terms.end());
    return form;
  }

  int OperandOf(int tensor) {
    const auto [at, added] = operands_.try_emplace(tensor, static_cast<int>(all_.operands.size()));
    if (added) {
      const StageTensor& of = flow_.stages.tensors[static_cast<size_t>(tensor)];
      all_.operands.push_back(
          {of.kind == StageTensor::Kind::kConstant, of.index, of.dtype, of.elements});
    }
    return at->second;
  }

  int AccessOf(int tensor, const LinearIndex& form) {
    ComputationAccess access{OperandOf(tensor), OverLoops(form)};
    const LinearIndex& element = access.element;
    std::vector<int>& same =
        accesses_[absl::HashOf(access.operand, element.offset, element.terms, element.divisor)];
    for (const int found : same) {
      if (all_.accesses[static_cast<size_t>(found)] == access) return found;
    }
    same.push_back(static_cast<int>(all_.accesses.size()));
    all_.accesses.push_back(std::move(access));
    return same.back();
  }

  Computation Write() {
    for (const std::vector<int>& digits : store_digits_) LoopsOf(digits);
    absl::flat_hash_map<int, int> steps;
    for (const int id : order_) steps[id] = AddStep(StepOf(id, steps));
    for (size_t i = 0; i < results_.size(); ++i) {
      all_.stores.push_back({AccessOf(results_[i].tensor, elements_[i]),
                             steps.at(results_[i].value), LoopsOf(store_digits_[i])});
    }
    return std::move(all_);
  }

  Step StepOf(int id, const absl::flat_hash_map<int, int>& steps) {
    const ValueNode& node = flow_.graph[id];
    Step step;
    static_cast<Operation&>(step) = node;
    for (int& arg : step.args) arg = steps.at(arg);
    if (IsRead(node.kind)) step.access = AccessOf(node.tensor, forms_.at(id));
    if (node.kind == StepKind::kIndex) step.linear = OverLoops(forms_.at(id));
    if (IsReduction(node.kind)) step.loops = LoopsOf(LeavesOf(node.digits));
    return step;
  }

  /// Steps that differed before loops were split may be equal now.
  int AddStep(Step step) {
    std::vector<int>& same = index_[HashOf(step)];
    for (const int found : same) {
      if (all_.steps[static_cast<size_t>(found)] == step) return found;
    }
    same.push_back(static_cast<int>(all_.steps.size()));
    all_.steps.push_back(std::move(step));
    return same.back();
  }

  static uint64_t HashOf(const Step& step) {
    return absl::HashOf(step.kind, step.node, step.op, step.integer, step.access, step.args);
  }

  Dataflow& flow_;
  const std::vector<StageValue>& results_;
  std::vector<int> order_;
  std::vector<LinearIndex> elements_;
  std::vector<std::vector<int>> store_digits_;
  absl::flat_hash_map<int, LinearIndex> forms_;
  std::vector<Binder> binders_;
  absl::flat_hash_map<int, int> binder_of_;
  absl::flat_hash_set<int> windows_;
  /// For each digit, the forms that contain it and its strides there.
  absl::flat_hash_map<int, std::vector<std::pair<int, int64_t>>> places_;
  absl::flat_hash_map<int, int64_t> extents_;
  absl::flat_hash_set<int> gone_;
  absl::flat_hash_map<int, int> loops_;
  absl::flat_hash_map<int, int> operands_;
  /// Steps and accesses by their hash.
  absl::flat_hash_map<uint64_t, std::vector<int>> index_;
  absl::flat_hash_map<uint64_t, std::vector<int>> accesses_;
  Computation all_;
};

}  // namespace

Computation ExportComputation(Dataflow& flow, const std::vector<StageValue>& results) {
  return Exporter(flow, results).Export();
}

}  // namespace tenon
