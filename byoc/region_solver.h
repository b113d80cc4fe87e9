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

  /// `colors[n]` is the target of node n, or -1 when no region may have it.
  RegionGraph(std::vector<int> colors, std::vector<Edge> edges);

  int size() const { return static_cast<int>(colors_.size()); }
  int color(int node) const { return colors_[static_cast<size_t>(node)]; }
  int color_count() const { return color_count_; }
  /// The edges that leave a node, by where they lead.
  std::span<const Edge> After(int node) const {
    const auto at = static_cast<size_t>(node);
    return std::span(edges_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }

 private:
  std::vector<int> colors_;
  int color_count_ = 0;
  std::vector<Edge> edges_;
  std::vector<size_t> starts_;
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
  /// No choice has fewer regions.
  bool is_minimal = false;
};

/// Puts every node with a color into a region with nodes of its color only, so that regions
/// contracted to one node each leave no cycle. As few regions as possible: by search for an order
/// of the nodes with the fewest runs of one color, which takes as many nodes of a color as are
/// ready at once, with a lower bound from chains; beyond a limit of work, the best that was found,
/// in which no two regions could be merged. `graph` has no cycle.
///
/// With `siblings`, nodes share a region though nothing leads from one to the other. Without, every
/// region is joined by edges.
RegionChoice ChooseRegions(const RegionGraph& graph, bool siblings);

}  // namespace tenon

#endif  // TENON_BYOC_REGION_SOLVER_H_
