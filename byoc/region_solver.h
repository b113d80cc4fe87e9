#ifndef TENON_BYOC_REGION_SOLVER_H_
#define TENON_BYOC_REGION_SOLVER_H_

#include <cstdint>
#include <span>
#include <vector>

// Decides which statements become one region: a problem on a directed graph, without the IR.

namespace tenon {

/// Nodes 0, 1, ..., and edges from a node to those that must follow it.
class RegionGraph {
 public:
  struct Edge {
    int from = 0;
    int to = 0;
    /// The later node uses what the earlier one makes.
    bool is_data = false;
  };
  /// An edge as the node has it that it leaves. Four bytes: graphs have millions of edges.
  class Next {
   public:
    explicit Next(const Edge& edge) : code_(edge.to * 2 + (edge.is_data ? 1 : 0)) {}
    int to() const { return code_ / 2; }
    bool is_data() const { return code_ % 2 != 0; }

   private:
    int code_;
  };

  /// `colors[n]` is the target of node n, or -1 when no region may have it. `inputs[n]` numbers the
  /// tensors that node n reads; it may be empty for all nodes.
  RegionGraph(std::vector<int> colors, const std::vector<Edge>& edges,
              std::vector<std::vector<int>> inputs = {});

  int size() const { return static_cast<int>(colors_.size()); }
  int color(int node) const { return colors_[static_cast<size_t>(node)]; }
  int color_count() const { return color_count_; }
  /// The edges that leave a node, in the order in which they were given.
  std::span<const Next> After(int node) const {
    const auto at = static_cast<size_t>(node);
    return std::span(edges_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }
  /// How many edges lead to each node.
  const std::vector<int>& indegrees() const { return indegrees_; }
  /// The tensors that a node reads.
  std::span<const int> InputsOf(int node) const {
    return inputs_.empty() ? std::span<const int>() : inputs_[static_cast<size_t>(node)];
  }

 private:
  std::vector<int> colors_;
  int color_count_ = 0;
  std::vector<Next> edges_;
  std::vector<size_t> starts_;
  std::vector<int> indegrees_;
  std::vector<std::vector<int>> inputs_;
};

/// The nodes in an order in which edges lead forward. Of all nodes that may come next, the one
/// with the least number comes. Shorter than the graph when there is a cycle.
std::vector<int> OrderOf(const RegionGraph& graph);

/// A cycle: its nodes in order, each once, the least first. Empty when there is none.
std::vector<int> CycleOf(const RegionGraph& graph);

struct RegionChoice {
  /// The region of each node, or -1. Regions are numbered by their first nodes.
  std::vector<int> region_of;
  int count = 0;
  /// It is known that no choice has fewer regions.
  bool is_minimal = false;
};

/// Puts every node with a color into a region with nodes of its color only, so that regions
/// contracted to one node each leave no cycle. Edges join the nodes of a region; with `siblings`,
/// an input that two nodes share joins them as well. `graph` has no cycle.
///
/// As few regions as possible: first by search for an order of the nodes with the fewest runs of
/// one color, which takes as many nodes of a color as are ready at once. Runs fall apart into
/// regions, and regions that can be merged are. A lower bound comes from chains. Up to ten nodes
/// with a color, all choices are tried where the bound is not reached. Beyond a limit of work, the
/// choice is the best that was found.
RegionChoice ChooseRegions(const RegionGraph& graph, bool siblings);

}  // namespace tenon

#endif  // TENON_BYOC_REGION_SOLVER_H_
