// Exhaustive search for small graphs, with sets of nodes as bits. region_solver.cc may miss the
// least number of regions; this search cannot.

#include "byoc/all_regions.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "byoc/index.h"

namespace tenon {

namespace {

/// Nodes with a color, and all nodes.
constexpr int kMostTried = 10;
constexpr int kMostNodes = 512;

/// Tries all choices of a graph with few nodes that have a color.
class TrySearch {
 public:
  TrySearch(const RegionGraph& graph, bool siblings) : graph_(graph) {
    for (int node = 0; node < graph.size(); ++node) {
      if (graph.color(node) >= 0) nodes_.push_back(node);
    }
    if (!IsSmall()) return;
    direct_.assign(nodes_.size(), 0);
    around_.assign(nodes_.size(), 0);
    joined_.assign(nodes_.size(), 0);
    for (size_t i = 0; i < nodes_.size(); ++i) FindPaths(i);
    for (size_t i = 0; i < nodes_.size(); ++i) FindJoined(i, siblings);
  }

  bool IsSmall() const {
    return static_cast<int>(nodes_.size()) <= kMostTried && graph_.size() <= kMostNodes;
  }

  /// `region_of` becomes a choice with fewer regions than `count`, if such a choice exists. The
  /// search ends early with a choice of `least` regions.
  int Run(int count, int least, std::vector<int>& region_of) {
    best_count_ = count;
    least_ = least;
    Descend(0);
    if (best_count_ == count) return count;
    for (size_t region = 0; region < best_.size(); ++region) {
      for (size_t i = 0; i < nodes_.size(); ++i) {
        if ((best_[region] >> i & 1) != 0) region_of[At(nodes_[i])] = static_cast<int>(region);
      }
    }
    return best_count_;
  }

 private:
  /// A set of nodes: bit i is nodes_[i].
  using Mask = uint32_t;

  static Mask Bit(size_t i) { return Mask{1} << i; }

  size_t IndexOf(int node) const {
    return static_cast<size_t>(std::find(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
  }

  /// Finds the nodes that edges reach, and the nodes that paths through nodes without a color
  /// reach.
  void FindPaths(size_t i) {
    std::vector<bool> seen(At(graph_.size()), false);
    std::vector<int> open = {nodes_[i]};
    while (!open.empty()) {
      const int from = open.back();
      open.pop_back();
      for (const RegionGraph::Next edge : graph_.After(from)) {
        if (graph_.color(edge.to()) >= 0) {
          (from == nodes_[i] ? direct_ : around_)[i] |= Bit(IndexOf(edge.to()));
        } else if (!seen[At(edge.to())]) {
          seen[At(edge.to())] = true;
          open.push_back(edge.to());
        }
      }
    }
  }

  void FindJoined(size_t i, bool siblings) {
    for (size_t k = 0; k < nodes_.size(); ++k) {
      if (graph_.color(nodes_[i]) != graph_.color(nodes_[k])) continue;
      bool is_joined = ((direct_[i] & Bit(k)) | (direct_[k] & Bit(i))) != 0;
      if (siblings) {
        for (const int tensor : graph_.InputsOf(nodes_[i])) {
          const std::span<const int> other = graph_.InputsOf(nodes_[k]);
          is_joined |= std::find(other.begin(), other.end(), tensor) != other.end();
        }
      }
      if (is_joined) joined_[i] |= Bit(k);
    }
  }

  void Descend(size_t i) {
    if (static_cast<int>(regions_.size()) >= best_count_ || best_count_ == least_) return;
    if (i == nodes_.size()) {
      if (!IsRight()) return;
      best_count_ = static_cast<int>(regions_.size());
      best_ = regions_;
      return;
    }
    for (size_t region = 0; region < regions_.size(); ++region) {
      const auto first = static_cast<size_t>(std::countr_zero(regions_[region]));
      if (graph_.color(nodes_[first]) != graph_.color(nodes_[i])) continue;
      regions_[region] |= Bit(i);
      Descend(i + 1);
      regions_[region] &= ~Bit(i);
    }
    regions_.push_back(Bit(i));
    Descend(i + 1);
    regions_.pop_back();
  }

  /// The nodes that `of` leads to for the members of a region.
  Mask Union(const std::vector<Mask>& of, Mask region) const {
    Mask all = 0;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if ((region & Bit(i)) != 0) all |= of[i];
    }
    return all;
  }

  /// True if every region is joined, and no path leaves a region and comes back.
  bool IsRight() const {
    std::vector<Mask> leads;
    for (const Mask region : regions_) {
      Mask reached = region & ~(region - 1);
      for (Mask next = 0; next != reached;) {
        next = reached;
        reached |= Union(joined_, reached) & region;
      }
      if (reached != region || (Union(around_, region) & region) != 0) return false;
      leads.push_back((Union(direct_, region) & ~region) | Union(around_, region));
    }
    // A region is finished if its edges lead only to finished regions.
    Mask finished = 0;
    for (bool has_more = true; has_more;) {
      has_more = false;
      for (size_t r = 0; r < regions_.size(); ++r) {
        if ((regions_[r] & finished) != 0 || (leads[r] & ~finished) != 0) continue;
        finished |= regions_[r];
        has_more = true;
      }
    }
    return finished == Bit(nodes_.size()) - 1;
  }

  const RegionGraph& graph_;
  std::vector<int> nodes_;
  std::vector<Mask> direct_, around_, joined_;
  std::vector<Mask> regions_;
  std::vector<Mask> best_;
  int best_count_ = 0;
  int least_ = 0;
};

}  // namespace

std::optional<int> TryAllRegions(const RegionGraph& graph, bool siblings, int least,
                                 std::vector<int>& region_of) {
  TrySearch search(graph, siblings);
  if (!search.IsSmall()) return std::nullopt;
  int count = 0;
  for (const int region : region_of) count = std::max(count, region + 1);
  return search.Run(count, least, region_of);
}

}  // namespace tenon
