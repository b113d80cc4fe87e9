#ifndef TENON_FRONTENDS_GRAPH_LAYOUTS_H_
#define TENON_FRONTENDS_GRAPH_LAYOUTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/graph/axis_order.h"
#include "frontends/graph/channels_last.h"
#include "frontends/graph/graph.h"

namespace tenon::graph {

/// The work of SetLayout: a graph in which memory may have the axes of tensors in another order.
/// Operators come one after another. The rule of an operator (layout_rules.h) chooses orders, asks
/// for the tensors that it reads, and adds the operator.
///
/// Numbers of tensors are those of the old graph, whose tensors keep their number in the new graph
/// if memory has them in order. In another order they are tensors of the new graph alone.
class Layouts {
 public:
  Layouts(const Graph& graph, const LayoutOptions& options);

  Graph Run();

  /// A tensor as the old graph has it.
  const Tensor& tensor(int number) const { return graph_.tensor(number); }
  size_t RankOf(int number) const { return tensor(number).shape.size(); }
  /// The order in which the tensor's operator writes it.
  AxisOrder OrderOf(int number) const;
  /// Whether the tensor is there in this order without a transpose.
  bool IsThere(int number, const AxisOrder& order) const;
  /// The order for an operator whose elements belong to those of its inputs: among the orders of
  /// inputs of this rank, the one that takes the fewest elements to transpose.
  AxisOrder ChosenOrder(std::span<const int> inputs, size_t rank) const;
  /// Whether the memory of a state may be this tensor's.
  bool HasStateMemory(int number) const { return state_memory_.contains(number); }

  /// The tensor in this order, for an operator that is added next. An order of more axes than the
  /// tensor has is that of the tensor with axes of one element in front. kAbsent stays.
  int In(int number, const AxisOrder& order);
  /// The same in the tensor's own order.
  int In(int number) { return number == kAbsent ? kAbsent : In(number, InOrder(RankOf(number))); }
  /// The tensor that an operator writes in this order. kAbsent stays.
  int Out(int number, const AxisOrder& order);
  /// The same in the tensor's own order.
  int Out(int number) { return number == kAbsent ? kAbsent : Out(number, InOrder(RankOf(number))); }

  // Tensors [n, c * s] of elements that memory has as [n, s, c]: images that became rows.

  /// Writes the tensor as rows of an image with so many channels.
  int OutRows(int number, int64_t channels);
  /// The channels of a tensor that was written by OutRows and is not there in order; otherwise 0.
  int64_t ChannelsOfRows(int number) const;
  /// The memory of these rows.
  int InRows(int number) const { return rows_.at(number).first; }

  void Add(Operator op) { made_.operators.push_back(std::move(op)); }
  /// Adds a constant with the elements of another one.
  int AddConstant(Tensor tensor, std::vector<uint8_t> bytes);
  /// Adds a reshape or a transpose; `perm` is empty for a reshape.
  void AddMove(int from, int to, const std::vector<size_t>& perm);

 private:
  struct Version {
    AxisOrder order;
    int number;
  };

  void Keep(const Operator& op);
  void FollowState(const Operator& op);
  /// Writes outputs of the graph where they are made, in the order that callers want.
  void Pin(const Operator& op);
  int AddTensor(Tensor tensor);
  /// A tensor of the new graph with the elements of `of`.
  int AddLike(const Tensor& of, std::vector<int64_t> shape);
  /// The version that needs the least work to get this order, or null.
  const Version* Nearest(int number, const AxisOrder& order) const;
  void RowsInOrder(int number);
  int InOrderOf(int number, const AxisOrder& order);
  int OrderedConstant(int number, const AxisOrder& order);

  const Graph& graph_;
  const LayoutOptions& options_;
  Graph made_;
  /// The operator that is being added, for messages about transposes.
  std::string_view place_;
  /// For each tensor its versions; the first one was written by its operator.
  std::vector<std::vector<Version>> versions_;
  std::map<std::pair<int, AxisOrder>, int> wider_;
  std::map<int, std::pair<int, int64_t>> rows_;
  /// The orders in which tensors are outputs, or are read by operators with effects.
  std::map<int, std::set<AxisOrder>> pinned_;
  std::set<int> state_memory_;
};

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_LAYOUTS_H_
