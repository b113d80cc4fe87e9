// Hash-consing: equal values are one node, so a comparison of values is one of numbers.
// Substitutions are shared, so that a sum that is read twice stays one reduction.

#include "analysis/value_graph.h"

#include <algorithm>
#include <bit>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "ir/const_fold.h"
#include "support/check.h"
#include "support/stack.h"

namespace tenon {

namespace {

/// The limit on numbers compared with forms, so that sums of a few do not wrap.
constexpr int64_t kMostCompared = int64_t{1} << 61;

uint64_t HashOf(const ValueNode& node) {
  std::vector<int64_t> numbers = {static_cast<int64_t>(node.kind),
                                  static_cast<int64_t>(node.dtype.code()),
                                  node.dtype.bits(),
                                  static_cast<int64_t>(node.node),
                                  static_cast<int64_t>(node.op),
                                  node.integer,
                                  std::bit_cast<int64_t>(node.real),
                                  node.tensor,
                                  node.form.offset,
                                  node.form.divisor};
  for (const auto& [digit, stride] : node.form.terms) {
    numbers.push_back(digit);
    numbers.push_back(stride);
  }
  for (const int arg : node.args) numbers.push_back(arg);
  numbers.push_back(-1);
  for (const int digit : node.digits) numbers.push_back(digit);
  return absl::HashOf(numbers);
}

}  // namespace

int ValueGraph::Add(ValueNode node) {
  digits_.Normalise(node.form);
  std::vector<int>& same = index_[HashOf(node)];
  for (const int found : same) {
    if (nodes_[static_cast<size_t>(found)] == node) return found;
  }
  same.push_back(size());
  nodes_.push_back(std::move(node));
  return size() - 1;
}

int ValueGraph::Integer(DataType dtype, int64_t value) {
  ValueNode node;
  node.kind = StepKind::kInteger;
  node.dtype = dtype;
  node.integer = value;
  return Add(std::move(node));
}

int ValueGraph::Real(DataType dtype, double value) {
  ValueNode node;
  node.kind = StepKind::kReal;
  node.dtype = dtype;
  node.real = value;
  return Add(std::move(node));
}

int ValueGraph::Read(DataType dtype, int tensor, LinearIndex form) {
  ValueNode node;
  node.kind = StepKind::kRead;
  node.dtype = dtype;
  node.tensor = tensor;
  node.form = std::move(form);
  return Add(std::move(node));
}

int ValueGraph::Gather(DataType dtype, int tensor, int place) {
  ValueNode node;
  node.kind = StepKind::kGather;
  node.dtype = dtype;
  node.tensor = tensor;
  node.args = {place};
  return Add(std::move(node));
}

int ValueGraph::Index(DataType dtype, LinearIndex form) {
  digits_.Normalise(form);
  if (form.is_constant()) return Integer(dtype, form.offset);
  ValueNode node;
  node.kind = StepKind::kIndex;
  node.dtype = dtype;
  node.form = std::move(form);
  return Add(std::move(node));
}

int ValueGraph::Binary(NodeKind kind, int a, int b) {
  const bool compares = IsComparison(kind);
  if (kind == NodeKind::kAnd || kind == NodeKind::kOr) {
    const bool neutral = kind == NodeKind::kAnd;
    for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) {
      const std::optional<int64_t> value = IntegerOf(x);
      if (value) return (*value != 0) == neutral ? y : x;
    }
    if (a == b) return a;
  }
  ValueNode node;
  node.kind = StepKind::kNode;
  node.node = kind;
  node.dtype = compares ? DataType::Bool() : (*this)[a].dtype;
  node.args = {a, b};
  return Add(std::move(node));
}

int ValueGraph::Not(int a) {
  if (const auto value = IntegerOf(a)) return Bool(*value == 0);
  const ValueNode& of = (*this)[a];
  ValueNode node;
  node.kind = StepKind::kNode;
  node.dtype = DataType::Bool();
  node.node = NodeKind::kNot;
  node.args = {a};
  // Only comparisons of indices: for a NaN, a comparison of floats and its opposite are both false.
  if (of.kind == StepKind::kNode && of.node == NodeKind::kGE &&
      (*this)[of.args[0]].kind == StepKind::kIndex) {
    return Binary(NodeKind::kLT, of.args[0], of.args[1]);
  }
  if (of.kind == StepKind::kNode && of.node == NodeKind::kLT &&
      (*this)[of.args[0]].kind == StepKind::kIndex) {
    return Binary(NodeKind::kGE, of.args[0], of.args[1]);
  }
  if (of.kind == StepKind::kNode && of.node == NodeKind::kNot) return of.args[0];
  return Add(std::move(node));
}

int ValueGraph::Cast(DataType dtype, int a) {
  if ((*this)[a].dtype == dtype) return a;
  ValueNode node;
  node.kind = StepKind::kNode;
  node.node = NodeKind::kCast;
  node.dtype = dtype;
  node.args = {a};
  return Add(std::move(node));
}

int ValueGraph::Select(int condition, int a, int b) {
  if (const auto value = IntegerOf(condition)) return *value != 0 ? a : b;
  if (a == b) return a;
  ValueNode node;
  node.kind = StepKind::kNode;
  node.node = NodeKind::kSelect;
  node.dtype = (*this)[a].dtype;
  node.args = {condition, a, b};
  return Add(std::move(node));
}

int ValueGraph::Reduce(NodeKind kind, std::vector<int> digits, int init, int body,
                       bool is_value_first) {
  ValueNode node;
  node.kind = StepKind::kReduce;
  node.node = kind;
  node.integer = is_value_first ? 1 : 0;
  node.dtype = (*this)[body].dtype;
  node.args = {init, body};
  node.digits = std::move(digits);
  return Add(std::move(node));
}

int ValueGraph::ArgReduce(NodeKind kind, bool takes_greatest, std::vector<int> digits,
                          std::vector<int> args) {
  ValueNode node;
  node.kind = StepKind::kArgReduce;
  node.node = kind;
  node.integer = takes_greatest ? 1 : 0;
  node.dtype = (*this)[args[0]].dtype;
  node.args = std::move(args);
  node.digits = std::move(digits);
  return Add(std::move(node));
}

std::optional<int64_t> ValueGraph::IntegerOf(int node) const {
  const ValueNode& of = (*this)[node];
  if (of.kind != StepKind::kInteger) return std::nullopt;
  return of.integer;
}

int ValueGraph::Compare(NodeKind kind, LinearIndex form, int64_t value) {
  const int index = Index(DataType::Int(64), std::move(form));
  return Binary(kind, index, Integer(DataType::Int(64), value));
}

bool ValueGraph::MoveConstants(LinearIndex& form, int64_t& value) const {
  digits_.Normalise(form);
  // The division is exact: (constant + sum) / divisor >= value is
  // sum >= value * divisor - constant.
  int64_t moved = 0;
  if (__builtin_mul_overflow(value, form.divisor, &moved) ||
      __builtin_sub_overflow(moved, form.offset, &moved) || moved > kMostCompared ||
      moved < -kMostCompared)
    return false;
  value = moved;
  form.offset = 0;
  form.divisor = 1;
  return true;
}

int ValueGraph::AtLeast(LinearIndex form, int64_t least, const DigitBounds& known) {
  if (!MoveConstants(form, least)) return Compare(NodeKind::kGE, std::move(form), least);
  const auto bounds = digits_.BoundsOf(form, known);
  if (bounds && bounds->min >= least) return Bool(true);
  if (bounds && bounds->max < least) return Bool(false);
  if (form.is_constant()) return Bool(least <= 0);
  // Find the greatest stride whose multiples decide: smaller terms are dropped.
  std::vector<int64_t> strides;
  for (const auto& [digit, stride] : form.terms) strides.push_back(std::abs(stride));
  std::sort(strides.rbegin(), strides.rend());
  const auto floor_of = [](int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); };
  for (const int64_t stride : strides) {
    LinearIndex high;
    LinearIndex low;
    for (const auto& [digit, step] : form.terms) {
      if (step % stride == 0) {
        high.terms.emplace_back(digit, step / stride);
      } else {
        low.terms.emplace_back(digit, step);
      }
    }
    const auto left = digits_.BoundsOf(low, known);
    // Check that high * stride + low >= least has the same result for all low.
    if (!left || floor_of(least - left->min - 1, stride) != floor_of(least - left->max - 1, stride))
      continue;
    form = std::move(high);
    least = floor_of(least - left->min - 1, stride) + 1;
    break;
  }
  const bool negative = form.terms[0].second < 0;
  if (negative) {
    // -f >= c is f < 1 - c.
    for (auto& [digit, stride] : form.terms) stride = -stride;
    least = 1 - least;
  }
  return Compare(negative ? NodeKind::kLT : NodeKind::kGE, std::move(form), least);
}

int ValueGraph::Equal(LinearIndex form, int64_t value, const DigitBounds& known) {
  if (!MoveConstants(form, value)) return Compare(NodeKind::kEQ, std::move(form), value);
  if (form.is_constant()) return Bool(value == 0);
  const auto bounds = digits_.BoundsOf(form, known);
  if (bounds && (bounds->min > value || bounds->max < value)) return Bool(false);
  if (bounds && bounds->min == bounds->max) return Bool(bounds->min == value);
  return Compare(NodeKind::kEQ, std::move(form), value);
}

LinearIndex ValueGraph::SubstituteForm(const LinearIndex& given, Substitution& substitution) {
  const LinearIndex form = digits_.Normalised(given);
  LinearIndex result;
  result.offset = form.offset;
  result.divisor = 1;
  bool good = true;
  for (const auto& [digit, stride] : form.terms) {
    const auto value = substitution.values.find(digit);
    const auto renamed = substitution.renamed.find(digit);
    if (value != substitution.values.end()) {
      good = good && digits_.Accumulate(result, value->second, stride);
    } else if (renamed != substitution.renamed.end()) {
      good = good && digits_.Accumulate(result, renamed->second, stride);
    } else {
      LinearIndex same;
      same.terms.emplace_back(digit, 1);
      good = good && digits_.Accumulate(result, same, stride);
    }
  }
  substitution.good = substitution.good && good;
  result.divisor *= form.divisor;
  return result;
}

int ValueGraph::SubstituteNode(int id, Substitution& substitution) {
  if (const auto found = substitution.nodes.find(id); found != substitution.nodes.end())
    return found->second;
  const ValueNode node = (*this)[id];
  const int result = WithStack([&] {
    ValueNode copy = node;
    if (IsReduction(node.kind)) {
      copy.digits.clear();
      for (const int digit : node.digits) {
        for (const int leaf : digits_.Leaves(digit)) {
          // Reductions over one digit share the nodes below them, so they also share the new digit.
          const auto [fresh, added] = substitution.renamed.try_emplace(leaf);
          if (added) fresh->second = digits_.Count(digits_.extent(leaf));
          copy.digits.push_back(fresh->second.terms[0].first);
          if (added) reduced_only_.insert(copy.digits.back());
        }
      }
    }
    if (node.kind == StepKind::kRead || node.kind == StepKind::kIndex) {
      copy.form = SubstituteForm(node.form, substitution);
    }
    for (int& arg : copy.args) arg = SubstituteNode(arg, substitution);
    if (node.kind == StepKind::kIndex) return Index(copy.dtype, std::move(copy.form));
    if (node.kind != StepKind::kNode) return Add(std::move(copy));
    const bool on_index = copy.args.size() == 2 && IntegerOf(copy.args[1]) &&
                          ((*this)[copy.args[0]].kind == StepKind::kIndex ||
                           (*this)[copy.args[0]].kind == StepKind::kInteger);
    if (on_index &&
        (node.node == NodeKind::kGE || node.node == NodeKind::kLT || node.node == NodeKind::kEQ)) {
      const ValueNode& left = (*this)[copy.args[0]];
      LinearIndex form = left.form;
      if (left.kind == StepKind::kInteger) form.offset = left.integer;
      const int64_t right = *IntegerOf(copy.args[1]);
      if (node.node == NodeKind::kEQ) return Equal(std::move(form), right, {});
      const int at_least = AtLeast(std::move(form), right, {});
      return node.node == NodeKind::kGE ? at_least : Not(at_least);
    }
    switch (node.node) {
      case NodeKind::kSelect:
        return Select(copy.args[0], copy.args[1], copy.args[2]);
      case NodeKind::kNot:
        return Not(copy.args[0]);
      case NodeKind::kAnd:
      case NodeKind::kOr:
        return Binary(node.node, copy.args[0], copy.args[1]);
      default:
        return Add(std::move(copy));
    }
  });
  substitution.nodes.emplace(id, result);
  return result;
}

template <class Holds>
bool ValueGraph::HoldsBelow(int root, const Holds& holds) const {
  std::vector<int> todo = {root};
  absl::flat_hash_set<int> seen;
  while (!todo.empty()) {
    const int id = todo.back();
    todo.pop_back();
    if (!seen.insert(id).second) continue;
    const ValueNode& node = (*this)[id];
    if (!holds(node)) return false;
    todo.insert(todo.end(), node.args.begin(), node.args.end());
  }
  return true;
}

bool ValueGraph::IsUnchanged(int root, const Substitution& substitution) const {
  return HoldsBelow(root, [&](const ValueNode& node) {
    for (const int digit : node.digits) {
      if (!reduced_only_.contains(digit)) return false;
    }
    if (node.form.terms.empty() || substitution.values.empty()) return true;
    for (const auto& [digit, stride] : digits_.Normalised(node.form).terms) {
      const auto value = substitution.values.find(digit);
      if (value != substitution.values.end() && !value->second.Is(digit)) return false;
    }
    return true;
  });
}

std::optional<int> ValueGraph::Substitute(int node, Substitution& substitution) {
  if (IsUnchanged(node, substitution)) return node;
  const int result = SubstituteNode(node, substitution);
  if (!substitution.good) return std::nullopt;
  return result;
}

std::vector<LinearIndex> ValueGraph::FormsBelow(int root) const {
  std::vector<LinearIndex> forms;
  HoldsBelow(root, [&](const ValueNode& node) {
    if (!node.form.terms.empty()) forms.push_back(digits_.Normalised(node.form));
    return true;
  });
  return forms;
}

bool ValueGraph::DependsOn(int root, const std::vector<int>& digits) const {
  const std::vector<LinearIndex> forms = FormsBelow(root);
  return std::any_of(forms.begin(), forms.end(), [&](const LinearIndex& form) {
    return std::any_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
      return std::find(digits.begin(), digits.end(), term.first) != digits.end();
    });
  });
}

}  // namespace tenon
