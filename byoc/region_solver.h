#ifndef TENON_BYOC_REGION_SOLVER_H_
#define TENON_BYOC_REGION_SOLVER_H_

#include <cstdint>
#include <span>
#include <vector>

// Decides which statements become one region: a problem on a directed graph, without the IR.

namespace tenon {

/// Nodes 0, 1, ..., and edges from a node to the nodes that must follow it.
class RegionGraph {
 public:
  struct Edge {
    int from = 0;
    int to = 0;
    /// The later node uses a result of the earlier one.
    bool is_data = false;
  };
  /// An edge as its first node stores it. Four bytes, because graphs have millions of edges.
  class Next {
   public:
    explicit Next(const Edge& edge) : code_(edge.to * 2 + (edge.is_data ? 1 : 0)) {}
    int to() const { return code_ / 2; }
    bool is_data() const { return code_ % 2 != 0; }

   private:
    int code_;
  };

  /// `colors[n]` is the target of node n, or -1 if no region may contain it. `inputs[n]` numbers
  /// the tensors that node n reads; it may be empty for all nodes.
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
  /// The number of edges that lead to each node.
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

/// The nodes in an order in which edges lead forward. Of all nodes that may come next, the least
/// one comes first. The order is shorter than the graph if the graph has a cycle.
std::vector<int> OrderOf(const RegionGraph& graph);

/// A cycle: its nodes in order, each once, the least first. Empty without a cycle.
std::vector<int> CycleOf(const RegionGraph& graph);

struct RegionChoice {
  /// The region of each node, or -1. Regions are numbered by their first nodes.
  std::vector<int> region_of;
  int count = 0;
  /// True if it is proven that no choice has fewer regions.
  bool is_minimal = false;
};

/// Puts every node with a color into a region of nodes of that color. If each region is contracted
/// to one node, the graph still has no cycle. Edges join the nodes of a region; with `siblings`, a
/// shared input also joins two nodes. `graph` has no cycle.
///
/// The number of regions is as small as possible. A search looks for an order of the nodes with the
/// fewest runs of one color; a run consists of all nodes of its color that are ready. Runs are
/// divided into regions, and regions are merged if possible. Chains give a lower bound. If the
/// bound is not reached, and at most ten nodes have a color, all choices are tried. If a limit of
/// work is reached, the result is the best choice found.
RegionChoice ChooseRegions(const RegionGraph& graph, bool siblings);

}  // namespace tenon

#endif  // TENON_BYOC_REGION_SOLVER_H_
