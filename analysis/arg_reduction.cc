// A matcher of both conditions against templates. It is apart from stage_values.cc because a place
// and a value are two stores, which only together are one reduction.

#include "analysis/arg_reduction.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/buffer.h"
#include "ir/builtins.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

bool Loads(const Node* node, const Var* data) {
  bool found = false;
  Walk(node, [&](const Node* part) {
    if (const auto* load = dyn_cast<BufferLoad>(part)) found |= load->buffer->data == data;
    return !found;
  });
  return found;
}

bool SameConditions(const Stage& a, const Stage& b) {
  return std::equal(a.conditions.begin(), a.conditions.end(), b.conditions.begin(),
                    b.conditions.end(), [](const StageCondition& x, const StageCondition& y) {
                      return x.condition == y.condition && x.holds == y.holds;
                    });
}

/// The condition of a store of `condition ? current element : other value`; null for other stores.
const Expr* ConditionToStay(const BufferStore& store) {
  const Expr* condition = nullptr;
  const Expr* kept = nullptr;
  if (const auto* select = dyn_cast<Select>(store.value)) {
    condition = select->condition;
    kept = select->true_value;
  } else if (const auto* call = dyn_cast<Call>(store.value);
             call != nullptr && call->op->kind == OpKind::kIfThenElse) {
    condition = call->args[0];
    kept = call->args[1];
  }
  const auto* load = dyn_cast_or_null<BufferLoad>(kept);
  return load != nullptr && load->buffer->data == store.buffer->data ? condition : nullptr;
}

/// Matches the conditions.
class Matcher {
 public:
  Matcher(const ValueGraph& graph, int kept_place, int kept_value)
      : graph_(graph), kept_place_(kept_place), kept_value_(kept_value) {}

  std::optional<ArgReduction> Match(int place, int value) {
    if (!Stays(place, kept_place_, result_.place) || !Stays(value, kept_value_, result_.value))
      return std::nullopt;
    if (IsOfKept(result_.place) || IsOfKept(result_.value)) return std::nullopt;
    for (const NodeKind kind : {NodeKind::kMax, NodeKind::kMin}) {
      result_.kind = kind;
      if (IsBetter(graph_[value].args[0]) && PlaceStays(graph_[place].args[0])) return result_;
    }
    return std::nullopt;
  }

 private:
  /// True if `node` chooses between `kept` and another value.
  bool Stays(int node, int kept, int& other) const {
    const ValueNode& choice = graph_[node];
    if (choice.kind != StepKind::kNode || choice.node != NodeKind::kSelect ||
        choice.args[1] != kept)
      return false;
    other = choice.args[2];
    return true;
  }

  /// True if the node depends on an element that the stages replace.
  bool IsOfKept(int root) const {
    std::vector<int> work = {root};
    absl::flat_hash_set<int> seen;
    while (!work.empty()) {
      const int at = work.back();
      work.pop_back();
      if (at == kept_place_ || at == kept_value_) return true;
      if (!seen.insert(at).second) continue;
      work.insert(work.end(), graph_[at].args.begin(), graph_[at].args.end());
    }
    return false;
  }

  /// `node` is `less < more`, or `more > less`.
  bool IsLess(int node, int less, int more) const {
    const ValueNode& of = graph_[node];
    if (of.kind != StepKind::kNode || of.args.size() != 2) return false;
    return (of.node == NodeKind::kLT && of.args[0] == less && of.args[1] == more) ||
           (of.node == NodeKind::kGT && of.args[0] == more && of.args[1] == less);
  }

  /// True if `node` says that the kept value is better than the iteration's.
  bool IsBetter(int node) const {
    return result_.kind == NodeKind::kMax ? IsLess(node, result_.value, kept_value_)
                                          : IsLess(node, kept_value_, result_.value);
  }

  template <class F, class G>
  bool Both(int node, NodeKind kind, F&& first, G&& second) {
    const ValueNode& of = graph_[node];
    if (of.kind != StepKind::kNode || of.node != kind) return false;
    return (first(of.args[0]) && second(of.args[1])) || (first(of.args[1]) && second(of.args[0]));
  }

  bool PlaceStays(int node) {
    const auto is_better = [&](int one) { return IsBetter(one); };
    const auto is_equal = [&](int one) {
      const ValueNode& of = graph_[one];
      return of.kind == StepKind::kNode && of.node == NodeKind::kEQ &&
             ((of.args[0] == kept_value_ && of.args[1] == result_.value) ||
              (of.args[1] == kept_value_ && of.args[0] == result_.value));
    };
    const auto is_first = [&](int one) {
      result_.takes_greatest = IsLess(one, result_.place, kept_place_);
      return result_.takes_greatest || IsLess(one, kept_place_, result_.place);
    };
    const auto is_tie = [&](int one) { return Both(one, NodeKind::kAnd, is_equal, is_first); };
    return Both(node, NodeKind::kOr, is_better, is_tie);
  }

  const ValueGraph& graph_;
  int kept_place_;
  int kept_value_;
  ArgReduction result_;
};

}  // namespace

bool IsArgReduction(const Stages& stages, size_t stage) {
  if (stage + 1 >= stages.stages.size()) return false;
  const Stage& place = stages.stages[stage];
  const Stage& value = stages.stages[stage + 1];
  if (place.tensor == value.tensor || place.loops != value.loops || !SameConditions(place, value))
    return false;
  if (!place.store->value->dtype.is_scalar() || !value.store->value->dtype.is_scalar())
    return false;
  const Expr* first = ConditionToStay(*place.store);
  const Expr* second = first == nullptr ? nullptr : ConditionToStay(*value.store);
  return second != nullptr && Loads(first, place.store->buffer->data) &&
         Loads(first, value.store->buffer->data) && Loads(second, value.store->buffer->data);
}

std::optional<ArgReduction> MatchArgReduction(const ValueGraph& graph, int place, int value,
                                              int kept_place, int kept_value) {
  return Matcher(graph, kept_place, kept_value).Match(place, value);
}

}  // namespace tenon
