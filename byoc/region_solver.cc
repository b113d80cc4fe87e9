// A sequence of colors that runs all nodes determines the regions. It is found by a greedy search
// with a lower bound, and then by branch and bound. Afterwards, unconnected parts are separated,
// and pairs without a path between them are merged.

#include "byoc/region_solver.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "byoc/all_regions.h"
#include "byoc/index.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The limit on steps of a search, which then ends with its best result.
constexpr int64_t kMostWork = int64_t{1} << 24;
/// Steps after which the greedy search only estimates the gain of a color.
constexpr int64_t kMostGainWork = int64_t{1} << 21;
/// Graphs with more nodes are not searched.
constexpr int kMostSearched = 512;

/// For each color, the most runs of that color on a path that starts at a node. Runs on one path
/// are in different regions, so their number is a lower bound.
class Chains {
 public:
  explicit Chains(const RegionGraph& graph) : colors_(At(graph.color_count())) {
    runs_.assign(At(graph.size()) * colors_, 0);
    const std::vector<int> order = OrderOf(graph);
    TENON_CHECK(order.size() == At(graph.size()));
    for (size_t i = order.size(); i-- > 0;) {
      int* own = runs_.data() + At(order[i]) * colors_;
      const int color = graph.color(order[i]);
      if (color >= 0) own[color] = 1;
      for (const RegionGraph::Next edge : graph.After(order[i])) {
        const int* next = runs_.data() + At(edge.to()) * colors_;
        for (size_t c = 0; c < colors_; ++c) {
          const bool begins = color == static_cast<int>(c) && graph.color(edge.to()) != color;
          own[c] = std::max(own[c], next[c] + (begins ? 1 : 0));
        }
      }
    }
  }

  int Runs(int node, int color) const { return runs_[At(node) * colors_ + At(color)]; }

 private:
  size_t colors_;
  std::vector<int> runs_;
};

/// The part of the graph that has run, and the nodes that may run next.
class Progress {
 public:
  Progress(const RegionGraph& graph, const Chains& chains)
      : graph_(graph), chains_(chains), waits_(graph.indegrees()), ready_(At(graph.color_count())) {
    for (int c = 0; c < graph.color_count(); ++c) {
      int most = 0;
      for (int n = 0; n < graph.size(); ++n) {
        if (graph.color(n) == c) most = std::max(most, chains.Runs(n, c));
      }
      left_.emplace_back(At(most + 1), 0);
    }
    for (int n = 0; n < graph.size(); ++n) {
      const int c = graph.color(n);
      if (c >= 0) ++left_[At(c)][At(chains.Runs(n, c))];
      if (waits_[At(n)] == 0) MakeReady(n);
    }
  }

  bool HasReady(int color) const { return !ready_[At(color)].empty(); }
  /// The least number of a node of that color that may run.
  int FirstReady(int color) const {
    return *std::min_element(ready_[At(color)].begin(), ready_[At(color)].end());
  }

  /// Runs all nodes without a color that may run, until none is left.
  template <class F>
  void RunHost(const F& ran) {
    while (!host_.empty()) {
      const int node = host_.back();
      host_.pop_back();
      Finish(node);
      ran(node);
    }
  }

  /// Runs all nodes of a color that may run without nodes of other colors in between.
  template <class F>
  void RunColor(int color, const F& ran) {
    std::vector<int>& ready = ready_[At(color)];
    while (!ready.empty()) {
      const int node = ready.back();
      ready.pop_back();
      --left_[At(color)][At(chains_.Runs(node, color))];
      Finish(node);
      ran(node);
    }
  }

  /// A lower bound on the number of further regions.
  int Bound() const {
    int bound = 0;
    for (int c = 0; c < graph_.color_count(); ++c) bound += BoundOf(c);
    return bound;
  }
  int BoundOf(int color) const {
    const std::vector<int64_t>& left = left_[At(color)];
    for (size_t runs = left.size(); runs-- > 1;) {
      if (left[runs] > 0) return static_cast<int>(runs);
    }
    return 0;
  }

  /// The decrease of Bound() if only the nodes of a color that are ready now run.
  int GuessGainOf(int color) {
    const int before = BoundOf(color);
    std::vector<int64_t>& left = left_[At(color)];
    for (const int node : ready_[At(color)]) --left[At(chains_.Runs(node, color))];
    const int gain = before - BoundOf(color);
    for (const int node : ready_[At(color)]) ++left[At(chains_.Runs(node, color))];
    return gain;
  }

  /// The decrease of BoundOf() if a color runs, and the steps that the computation took.
  std::pair<int, int64_t> GainOf(int color) {
    const int before = BoundOf(color);
    std::vector<int> ran;
    const std::vector<std::vector<int>> ready = ready_;
    const std::vector<int> host = host_;
    RunColor(color, [&](int node) { ran.push_back(node); });
    const int gain = before - BoundOf(color);
    int64_t work = 1;
    for (const int node : ran) {
      ++left_[At(color)][At(chains_.Runs(node, color))];
      for (const RegionGraph::Next edge : graph_.After(node)) ++waits_[At(edge.to())];
      work += 1 + static_cast<int64_t>(graph_.After(node).size());
    }
    ready_ = ready;
    host_ = host;
    return {gain, work};
  }

 private:
  void MakeReady(int node) {
    const int color = graph_.color(node);
    (color < 0 ? host_ : ready_[At(color)]).push_back(node);
  }

  void Finish(int node) {
    for (const RegionGraph::Next edge : graph_.After(node)) {
      if (--waits_[At(edge.to())] == 0) MakeReady(edge.to());
    }
  }

  const RegionGraph& graph_;
  const Chains& chains_;
  std::vector<int> waits_;
  std::vector<int> host_;
  std::vector<std::vector<int>> ready_;
  /// The number of nodes of each color that did not run, by Chains::Runs.
  std::vector<std::vector<int64_t>> left_;
};

/// Searches for a short list of colors: running them one after another runs all nodes.
class SequenceSearch {
 public:
  SequenceSearch(const RegionGraph& graph, const Chains& chains) : graph_(graph), chains_(chains) {}

  std::vector<int> Run(bool& is_minimal) {
    Progress start(graph_, chains_);
    start.RunHost([](int) {});
    const int bound = start.Bound();
    best_ = Greedy(start);
    is_minimal = static_cast<int>(best_.size()) == bound;
    if (is_minimal || graph_.size() > kMostSearched) return best_;
    std::vector<bool> ran(At(graph_.size()), false);
    Progress again(graph_, chains_);
    again.RunHost([&](int node) { ran[At(node)] = true; });
    Descend(again, ran);
    is_minimal = work_ <= kMostWork;
    return best_;
  }

 private:
  /// Always chooses the color that lowers the bound most; of several, the first in the program.
  std::vector<int> Greedy(Progress progress) {
    std::vector<int> sequence;
    while (true) {
      std::vector<int> ready;
      for (int c = 0; c < graph_.color_count(); ++c) {
        if (progress.HasReady(c)) ready.push_back(c);
      }
      if (ready.empty()) return sequence;
      sequence.push_back(ready.size() == 1 ? ready[0] : Best(progress, ready));
      progress.RunColor(sequence.back(), [](int) {});
      progress.RunHost([](int) {});
    }
  }

  int Best(Progress& progress, const std::vector<int>& ready) {
    int best = -1;
    int best_gain = -1;
    for (const int color : ready) {
      int gain = 0;
      if (gain_work_ < kMostGainWork) {
        int64_t work = 0;
        std::tie(gain, work) = progress.GainOf(color);
        gain_work_ += work;
      } else {
        gain = progress.GuessGainOf(color);
      }
      if (gain < best_gain) continue;
      if (gain == best_gain && progress.FirstReady(best) < progress.FirstReady(color)) continue;
      best = color;
      best_gain = gain;
    }
    return best;
  }

  void Descend(const Progress& progress, const std::vector<bool>& ran) {
    work_ += graph_.size();
    const int bound = progress.Bound();
    const int done = static_cast<int>(sequence_.size());
    if (bound == 0) {
      if (sequence_.size() < best_.size()) best_ = sequence_;
      return;
    }
    if (work_ > kMostWork || done + bound >= static_cast<int>(best_.size())) return;
    const auto [entry, is_new] = seen_.try_emplace(ran, done);
    if (!is_new && entry->second <= done) return;
    entry->second = done;
    for (int c = 0; c < graph_.color_count(); ++c) {
      if (!progress.HasReady(c)) continue;
      Progress next = progress;
      std::vector<bool> now = ran;
      const auto note = [&](int node) { now[At(node)] = true; };
      next.RunColor(c, note);
      next.RunHost(note);
      sequence_.push_back(c);
      Descend(next, now);
      sequence_.pop_back();
    }
  }

  const RegionGraph& graph_;
  const Chains& chains_;
  std::vector<int> best_;
  std::vector<int> sequence_;
  /// For each part of the graph, the shortest sequence that ran it.
  absl::flat_hash_map<std::vector<bool>, int> seen_;
  int64_t work_ = 0;
  int64_t gain_work_ = 0;
};

/// Sets of nodes that edges join (union-find).
class Sets {
 public:
  explicit Sets(int size) : parent_(At(size)) { std::iota(parent_.begin(), parent_.end(), 0); }

  int Find(int node) {
    while (parent_[At(node)] != node) {
      parent_[At(node)] = parent_[At(parent_[At(node)])];
      node = parent_[At(node)];
    }
    return node;
  }
  /// The least member stands for the set.
  void Join(int a, int b) {
    if (parent_[At(a)] == parent_[At(b)]) return;
    a = Find(a);
    b = Find(b);
    parent_[At(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

/// The kind of links that join the nodes of a region.
enum class Joint : uint8_t { kData, kEdges, kEdgesAndInputs };

/// The sets of nodes that are joined within each region.
Sets Joined(const RegionGraph& graph, const std::vector<int>& region_of, Joint joint) {
  Sets sets(graph.size());
  absl::flat_hash_map<std::pair<int, int>, int> reader_of;  // by tensor and region
  for (int node = 0; node < graph.size(); ++node) {
    const int region = region_of[At(node)];
    if (region < 0) continue;
    for (const RegionGraph::Next edge : graph.After(node)) {
      if (region_of[At(edge.to())] == region && (edge.is_data() || joint != Joint::kData))
        sets.Join(node, edge.to());
    }
    if (joint != Joint::kEdgesAndInputs) continue;
    for (const int tensor : graph.InputsOf(node))
      sets.Join(node, reader_of.try_emplace({tensor, region}, node).first->second);
  }
  return sets;
}

/// A lower bound on the number of regions. Runs of one color on a path are different regions. Nodes
/// that no link joins in the whole graph are also different regions.
int LeastRegions(const RegionGraph& graph, const Chains& chains, Joint joint) {
  std::vector<int> colors;
  for (int node = 0; node < graph.size(); ++node) colors.push_back(graph.color(node));
  Sets sets = Joined(graph, colors, joint);
  std::vector<int> parts(At(graph.color_count()), 0);
  std::vector<int> runs = parts;
  for (int node = 0; node < graph.size(); ++node) {
    const int color = graph.color(node);
    if (color < 0) continue;
    parts[At(color)] += sets.Find(node) == node ? 1 : 0;
    runs[At(color)] = std::max(runs[At(color)], chains.Runs(node, color));
  }
  int least = 0;
  for (size_t c = 0; c < parts.size(); ++c) least += std::max(parts[c], runs[c]);
  return least;
}

/// The regions of a sequence of colors.
class Assignment {
 public:
  Assignment(const RegionGraph& graph, const Chains& chains, const std::vector<int>& sequence)
      : graph_(graph), place_(At(graph.size()), -1), members_(sequence.size()) {
    Progress progress(graph, chains);
    progress.RunHost([&](int node) { hosts_.push_back(node); });
    for (size_t i = 0; i < sequence.size(); ++i) {
      progress.RunColor(sequence[i], [&](int node) {
        place_[At(node)] = static_cast<int>(i);
        members_[i].push_back(node);
      });
      progress.RunHost([&](int node) {
        place_[At(node)] = static_cast<int>(i);
        hosts_.push_back(node);
      });
    }
  }

  /// Moves a node whose result its region does not use to the region that uses it, so that the
  /// result is live for a shorter time.
  void MoveToUsers() {
    std::vector<int> region_of = place_;
    for (int node = 0; node < graph_.size(); ++node) {
      if (graph_.color(node) < 0) region_of[At(node)] = -1;
    }
    Sets sets = Joined(graph_, region_of, Joint::kData);
    size_t host = hosts_.size();
    for (size_t region = members_.size(); region-- > 0;) {
      // Nodes without a color run as late as possible; nodes after this region come first.
      while (host > 0 && place_[At(hosts_[host - 1])] >= static_cast<int>(region)) {
        Delay(hosts_[--host]);
      }
      MoveParts(region, sets);
    }
  }

  std::vector<int> RegionOf() const {
    std::vector<int> region_of(At(graph_.size()), -1);
    for (size_t i = 0; i < members_.size(); ++i) {
      for (const int node : members_[i]) region_of[At(node)] = static_cast<int>(i);
    }
    return region_of;
  }

 private:
  void Delay(int host) {
    int place = -1;
    for (const RegionGraph::Next edge : graph_.After(host)) {
      const int limit = place_[At(edge.to())] - (graph_.color(edge.to()) < 0 ? 0 : 1);
      place = place < 0 ? limit : std::min(place, limit);
    }
    if (place >= 0) place_[At(host)] = std::max(place_[At(host)], place);
  }

  void MoveParts(size_t region, Sets& sets) {
    struct Part {
      int limit = INT32_MAX;
      bool is_used_at_limit = false;
    };
    const int here = static_cast<int>(region);
    absl::flat_hash_map<int, Part> parts;
    for (const int node : members_[region]) {
      const int set = sets.Find(node);
      Part& part = parts[set];
      for (const RegionGraph::Next edge : graph_.After(node)) {
        if (place_[At(edge.to())] == here && graph_.color(edge.to()) >= 0 &&
            sets.Find(edge.to()) == set) {
          continue;
        }
        const int limit = place_[At(edge.to())];
        if (limit < part.limit) part = {limit, false};
        part.is_used_at_limit |=
            limit == part.limit && edge.is_data() && graph_.color(edge.to()) == graph_.color(node);
      }
    }
    std::erase_if(members_[region], [&](int node) {
      const Part& part = parts[sets.Find(node)];
      if (!part.is_used_at_limit || part.limit <= here) return false;
      place_[At(node)] = part.limit;
      members_[At(part.limit)].push_back(node);
      return true;
    });
  }

  const RegionGraph& graph_;
  /// The region of a node with a color; for other nodes the last region before it, or -1.
  std::vector<int> place_;
  std::vector<std::vector<int>> members_;
  /// The nodes without a color, in the order in which they ran.
  std::vector<int> hosts_;
};

/// Merges pairs of joined regions, as long as there is a pair without a path through other nodes.
class PairMerger {
 public:
  PairMerger(const RegionGraph& graph, Joint joint, std::vector<int>& region_of)
      : graph_(graph), region_of_(region_of) {
    Build(joint);
  }

  void Run() {
    for (bool has_merged = true; has_merged && work_ < kMostWork * 4;) {
      has_merged = false;
      for (int later = 0; later < static_cast<int>(before_.size()); ++later)
        has_merged |= MergeInto(later);
    }
    for (int& region : region_of_) {
      if (region >= 0) region = UnitOf(region);
    }
  }

 private:
  int UnitOf(int unit) const {
    while (merged_into_[At(unit)] != unit) unit = merged_into_[At(unit)];
    return unit;
  }

  /// Builds the graph of regions and of nodes outside of regions.
  void Build(Joint joint) {
    int count =
        region_of_.empty() ? 0 : 1 + *std::max_element(region_of_.begin(), region_of_.end());
    std::vector<int> unit_of = region_of_;
    for (int& unit : unit_of) {
      if (unit < 0) unit = count++;
    }
    before_.assign(At(count), {});
    joined_.assign(At(count), {});
    inputs_.assign(At(count), {});
    color_.assign(At(count), -1);
    for (int node = 0; node < graph_.size(); ++node) {
      const int unit = unit_of[At(node)];
      color_[At(unit)] = graph_.color(node);
      for (const RegionGraph::Next edge : graph_.After(node)) {
        const int next = unit_of[At(edge.to())];
        std::vector<int>& before = before_[At(next)];
        if (next == unit || (!before.empty() && before.back() == unit)) continue;
        before.push_back(unit);
        if (graph_.color(node) < 0 || graph_.color(node) != graph_.color(edge.to())) continue;
        joined_[At(unit)].push_back(next);
        joined_[At(next)].push_back(unit);
      }
      if (joint != Joint::kEdgesAndInputs || graph_.color(node) < 0) continue;
      for (const int tensor : graph_.InputsOf(node)) {
        inputs_[At(unit)].push_back(tensor);
        readers_[{tensor, graph_.color(node)}].push_back(unit);
      }
    }
    for (std::vector<int>& before : before_) SortOnce(before);
    for (auto& [tensor, readers] : readers_) SortOnce(readers);
    merged_into_.resize(At(count));
    std::iota(merged_into_.begin(), merged_into_.end(), 0);
    SetPlaces();
  }

  static void SortOnce(std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  /// Numbers the units in an order in which they can run.
  void SetPlaces() {
    std::vector<RegionGraph::Edge> edges;
    for (size_t unit = 0; unit < before_.size(); ++unit) {
      for (const int earlier : before_[unit])
        edges.push_back({UnitOf(earlier), static_cast<int>(unit), true});
    }
    work_ += static_cast<int64_t>(edges.size() + before_.size());
    const std::vector<int> order = OrderOf(RegionGraph(color_, edges));
    TENON_CHECK(order.size() == before_.size());
    place_.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i) place_[At(order[i])] = static_cast<int>(i);
  }

  /// The regions that run before a region and are joined to it, ascending.
  std::vector<int> Candidates(int later) {
    std::vector<int> found;
    const auto add = [&](int unit) {
      ++work_;
      unit = UnitOf(unit);
      if (unit != later && place_[At(unit)] < place_[At(later)]) found.push_back(unit);
    };
    for (const int unit : joined_[At(later)]) add(unit);
    SortOnce(inputs_[At(later)]);
    for (const int tensor : inputs_[At(later)]) {
      for (const int unit : readers_[{tensor, color_[At(later)]}]) add(unit);
    }
    SortOnce(found);
    return found;
  }

  /// Merges an earlier region and `later`; false if no region can be merged.
  bool MergeInto(int later) {
    if (color_[At(later)] < 0 || work_ >= kMostWork * 4) return false;
    const std::vector<int> candidates = Candidates(later);
    if (candidates.empty()) return false;
    const std::vector<bool> blocked = BlockedFor(later);
    for (const int other : candidates) {
      if (blocked[At(other)]) continue;
      Merge(other, later);
      return true;
    }
    return false;
  }

  void Merge(int other, int later) {
    const auto move = [&](std::vector<std::vector<int>>& lists) {
      std::vector<int>& to = lists[At(other)];
      to.insert(to.end(), lists[At(later)].begin(), lists[At(later)].end());
      lists[At(later)].clear();
    };
    merged_into_[At(later)] = other;
    color_[At(later)] = -1;
    move(joined_);
    move(inputs_);
    move(before_);
    std::vector<int>& before = before_[At(other)];
    for (int& earlier : before) earlier = UnitOf(earlier);
    std::erase(before, other);
    SortOnce(before);
    SetPlaces();
  }

  /// The units from which a path through another unit leads to `unit`.
  std::vector<bool> BlockedFor(int unit) {
    std::vector<bool> blocked(before_.size(), false);
    std::vector<int> open;
    const auto add = [&](int from) {
      for (const int before : before_[At(from)]) {
        const int earlier = UnitOf(before);
        ++work_;
        if (!blocked[At(earlier)]) open.push_back(earlier);
        blocked[At(earlier)] = true;
      }
    };
    for (const int direct : before_[At(unit)]) add(UnitOf(direct));
    while (!open.empty()) {
      const int from = open.back();
      open.pop_back();
      add(from);
    }
    return blocked;
  }

  const RegionGraph& graph_;
  std::vector<int>& region_of_;
  /// For each unit, the units before it, which may have been merged into others since.
  std::vector<std::vector<int>> before_;
  /// For each unit, the units that edges join to it, and the tensors that it reads.
  std::vector<std::vector<int>> joined_;
  std::vector<std::vector<int>> inputs_;
  /// The units of a color that read a tensor.
  absl::flat_hash_map<std::pair<int, int>, std::vector<int>> readers_;
  std::vector<int> color_;
  std::vector<int> merged_into_;
  std::vector<int> place_;
  int64_t work_ = 0;
};

/// Numbers the regions by their first nodes; regions without nodes are removed.
int Renumber(std::vector<int>& region_of) {
  absl::flat_hash_map<int, int> numbers;
  for (int& region : region_of) {
    if (region < 0) continue;
    const int next = static_cast<int>(numbers.size());
    region = numbers.try_emplace(region, next).first->second;
  }
  return static_cast<int>(numbers.size());
}

}  // namespace

RegionGraph::RegionGraph(std::vector<int> colors, const std::vector<Edge>& edges,
                         std::vector<std::vector<int>> inputs)
    : colors_(std::move(colors)),
      edges_(edges.size(), Next(Edge())),
      starts_(colors_.size() + 1, 0),
      indegrees_(colors_.size(), 0),
      inputs_(std::move(inputs)) {
  TENON_CHECK(inputs_.empty() || inputs_.size() == colors_.size());
  for (const int color : colors_) color_count_ = std::max(color_count_, color + 1);
  for (const Edge& edge : edges) {
    ++starts_[At(edge.from) + 1];
    ++indegrees_[At(edge.to)];
  }
  for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  std::vector<size_t> next = starts_;
  for (const Edge& edge : edges) edges_[next[At(edge.from)]++] = Next(edge);
}

std::vector<int> OrderOf(const RegionGraph& graph) {
  std::vector<int> waits = graph.indegrees();
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int node = 0; node < graph.size(); ++node) {
    if (waits[At(node)] == 0) ready.push(node);
  }
  std::vector<int> order;
  order.reserve(At(graph.size()));
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const RegionGraph::Next edge : graph.After(order.back())) {
      if (--waits[At(edge.to())] == 0) ready.push(edge.to());
    }
  }
  return order;
}

std::vector<int> CycleOf(const RegionGraph& graph) {
  std::vector<bool> is_ordered(At(graph.size()), false);
  for (const int node : OrderOf(graph)) is_ordered[At(node)] = true;
  // Every node without a place has a predecessor without a place, so following predecessors ends in
  // a cycle.
  std::vector<int> before(At(graph.size()), -1);
  int node = -1;
  for (int from = 0; from < graph.size(); ++from) {
    if (is_ordered[At(from)]) continue;
    node = node < 0 ? from : node;
    for (const RegionGraph::Next edge : graph.After(from)) {
      if (before[At(edge.to())] < 0) before[At(edge.to())] = from;
    }
  }
  if (node < 0) return {};
  for (int steps = 0; steps < graph.size(); ++steps) node = before[At(node)];
  std::vector<int> cycle = {node};
  for (int at = before[At(node)]; at != node; at = before[At(at)]) cycle.push_back(at);
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

RegionChoice ChooseRegions(const RegionGraph& graph, bool siblings) {
  const Joint joint = siblings ? Joint::kEdgesAndInputs : Joint::kEdges;
  const Chains chains(graph);
  RegionChoice choice;
  bool is_shortest = false;
  const std::vector<int> sequence = SequenceSearch(graph, chains).Run(is_shortest);
  Assignment assignment(graph, chains, sequence);
  assignment.MoveToUsers();
  choice.region_of = assignment.RegionOf();
  const auto least_of_runs = static_cast<int>(sequence.size());
  Sets sets = Joined(graph, choice.region_of, joint);
  for (int node = 0; node < graph.size(); ++node) {
    if (choice.region_of[At(node)] >= 0) choice.region_of[At(node)] = sets.Find(node);
  }
  choice.count = Renumber(choice.region_of);
  int least = is_shortest ? least_of_runs : 0;
  if (choice.count > least) least = std::max(LeastRegions(graph, chains, joint), least);
  if (choice.count > least) {
    PairMerger(graph, joint, choice.region_of).Run();
    choice.count = Renumber(choice.region_of);
  }
  choice.is_minimal = choice.count <= least;
  if (choice.is_minimal) return choice;
  const std::optional<int> fewest = TryAllRegions(graph, siblings, least, choice.region_of);
  if (!fewest) return choice;
  choice.count = *fewest;
  Renumber(choice.region_of);
  choice.is_minimal = true;
  return choice;
}

}  // namespace tenon
