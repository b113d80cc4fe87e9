#ifndef TENON_ANALYSIS_VALUE_GRAPH_H_
#define TENON_ANALYSIS_VALUE_GRAPH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/computation.h"
#include "ir/analysis/digits.h"

// Internal to analysis/: values as a graph without duplicate nodes.

namespace tenon {

/// A value over digits; ExportComputation converts it to a Step. `args` are other nodes.
struct ValueNode : Operation {
  /// The tensor of a read.
  int tensor = -1;
  /// The element of a read, or the value of an index.
  LinearIndex form;
  /// The digits of a reduction. They may have been split since the node was made.
  std::vector<int> digits;

  bool operator==(const ValueNode& other) const = default;
};

class ValueGraph {
 public:
  explicit ValueGraph(Digits& digits) : digits_(digits) {}

  const ValueNode& operator[](int node) const { return nodes_[static_cast<size_t>(node)]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  /// The node with these fields.
  int Add(ValueNode node);
  int Integer(DataType dtype, int64_t value);
  int Bool(bool value) { return Integer(DataType::Bool(), value ? 1 : 0); }
  int Real(DataType dtype, double value);
  int Read(DataType dtype, int tensor, LinearIndex form);
  int Index(DataType dtype, LinearIndex form);
  int Binary(NodeKind kind, int a, int b);
  int Not(int a);
  int Cast(DataType dtype, int a);
  int Select(int condition, int a, int b);
  /// The element of `tensor` at the number `place`.
  int Gather(DataType dtype, int tensor, int place);
  /// `is_value_first`: values of the loops are the first operand of `kind`.
  int Reduce(NodeKind kind, std::vector<int> digits, int init, int body,
             bool is_value_first = false);
  /// `args` are the arguments of a kArgReduce.
  int ArgReduce(NodeKind kind, bool takes_greatest, std::vector<int> digits, std::vector<int> args);
  /// Whether `form` is at least `least`; a constant if that is known.
  int AtLeast(LinearIndex form, int64_t least, const DigitBounds& known);
  /// Whether `form` equals `value`; a constant if that is known.
  int Equal(LinearIndex form, int64_t value, const DigitBounds& known);

  /// Other values of digits, and the nodes that have been rewritten with them: values that share
  /// nodes still share them afterwards. After a split of a digit, a substitution is outdated.
  struct Substitution {
    absl::flat_hash_map<int, LinearIndex> values;
    /// Digits::splits() when it was made.
    int splits = 0;
    absl::flat_hash_map<int, LinearIndex> renamed = {};
    absl::flat_hash_map<int, int> nodes = {};
    bool good = true;
  };

  /// The node's value with other values of digits. Reductions get new digits, which no loop has.
  /// A node without any of the digits, whose reductions have such digits already, stays the same.
  /// Nullopt if a number is too large.
  std::optional<int> Substitute(int node, Substitution& substitution);

  /// True if the node's value depends on one of the digits.
  bool DependsOn(int node, const std::vector<int>& digits) const;

  /// The forms of all nodes that the node depends on.
  std::vector<LinearIndex> FormsBelow(int node) const;

  std::optional<int64_t> IntegerOf(int node) const;

 private:
  /// Whether `holds(node)` is true for the node and all nodes that it depends on, each seen once.
  template <class Holds>
  bool HoldsBelow(int node, const Holds& holds) const;
  bool IsUnchanged(int node, const Substitution& substitution) const;
  int SubstituteNode(int node, Substitution& substitution);
  LinearIndex SubstituteForm(const LinearIndex& form, Substitution& substitution);
  /// Builds the comparison `kind` of a form with a value, without folding.
  int Compare(NodeKind kind, LinearIndex form, int64_t value);
  /// Removes the constant and the divisor of `form`, and adjusts `value` so that comparisons of the
  /// two keep their result. Returns false without changes if a number is too large.
  bool MoveConstants(LinearIndex& form, int64_t& value) const;

  Digits& digits_;
  std::vector<ValueNode> nodes_;
  absl::flat_hash_map<uint64_t, std::vector<int>> index_;
  /// The digits that Substitute gave to reductions.
  absl::flat_hash_set<int> reduced_only_;
};

}  // namespace tenon

#endif  // TENON_ANALYSIS_VALUE_GRAPH_H_
