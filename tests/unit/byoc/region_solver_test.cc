#include "byoc/region_solver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <random>

#include "tests/unit/support/nightly.h"

namespace tenon {
namespace {

#ifdef __OPTIMIZE__
constexpr bool kOptimised = true;
#else
constexpr bool kOptimised = false;
#endif

using testing::ElementsAre;
using testing::IsEmpty;

using Edge = RegionGraph::Edge;

constexpr int kHost = -1;

size_t At(int index) { return static_cast<size_t>(index); }

RegionGraph Graph(std::vector<int> colors, const std::vector<std::pair<int, int>>& edges) {
  std::vector<Edge> list;
  for (const auto& [from, to] : edges) list.push_back({from, to, true});
  return RegionGraph(std::move(colors), list);
}

std::vector<int> RegionsOf(std::vector<int> colors, const std::vector<std::pair<int, int>>& edges) {
  return ChooseRegions(Graph(std::move(colors), edges), /*siblings=*/true).region_of;
}

/// A graph with edges from lower to higher numbers. Some nodes share inputs.
RegionGraph RandomGraph(int size, int colors, uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<uint32_t>(end));
  };
  std::vector<int> list;
  for (int i = 0; i < size; ++i) list.push_back(below(colors + 1) - 1);
  const int percent = 5 + below(60);
  std::vector<Edge> edges;
  for (int to = 0; to < size; ++to) {
    for (int from = 0; from < to; ++from) {
      if (below(100) < percent && below(size) < 8) edges.push_back({from, to, below(4) != 0});
    }
  }
  std::vector<std::vector<int>> inputs(At(size));
  const int tensors = 1 + below(2 * size);
  for (int node = 0; node < size; ++node) {
    while (below(3) != 0) inputs[At(node)].push_back(below(tensors));
  }
  return RegionGraph(std::move(list), edges, std::move(inputs));
}

/// Whether an edge connects two nodes, or with `siblings` both share an input.
bool AreJoined(const RegionGraph& graph, int a, int b, bool siblings) {
  for (const RegionGraph::Next edge : graph.After(std::min(a, b))) {
    if (edge.to() == std::max(a, b)) return true;
  }
  for (const int tensor : graph.InputsOf(a)) {
    const auto other = graph.InputsOf(b);
    if (siblings && std::find(other.begin(), other.end(), tensor) != other.end()) return true;
  }
  return false;
}

/// Whether every region is connected.
bool AreAllJoined(const RegionGraph& graph, const std::vector<int>& region_of, bool siblings) {
  std::vector<int> reached(At(graph.size()), -1);
  std::map<int, int> first_of;
  for (int n = 0; n < graph.size(); ++n) {
    const int region = region_of[At(n)];
    if (region < 0 || reached[At(n)] >= 0) continue;
    if (!first_of.try_emplace(region, n).second) return false;
    std::vector<int> open = {n};
    reached[At(n)] = region;
    while (!open.empty()) {
      const int from = open.back();
      open.pop_back();
      for (int to = 0; to < graph.size(); ++to) {
        if (region_of[At(to)] != region || reached[At(to)] >= 0) continue;
        if (!AreJoined(graph, from, to, siblings)) continue;
        reached[At(to)] = region;
        open.push_back(to);
      }
    }
  }
  return true;
}

/// Whether contracting each region to a node leaves no cycle. Regions must have one color and be
/// connected.
bool IsValid(const RegionGraph& graph, const std::vector<int>& region_of, bool siblings) {
  if (!AreAllJoined(graph, region_of, siblings)) return false;
  std::vector<int> unit_of = region_of;
  int next = graph.size();
  std::map<int, int> color_of;
  for (int n = 0; n < graph.size(); ++n) {
    if (unit_of[At(n)] < 0) {
      unit_of[At(n)] = next++;
    } else if (color_of.try_emplace(unit_of[At(n)], graph.color(n)).first->second !=
               graph.color(n)) {
      return false;
    }
  }
  std::vector<Edge> edges;
  for (int n = 0; n < graph.size(); ++n) {
    for (const RegionGraph::Next edge : graph.After(n)) {
      const int from = unit_of[At(n)];
      const int to = unit_of[At(edge.to())];
      if (from != to) edges.push_back({from, to, true});
    }
  }
  return CycleOf(RegionGraph(std::vector<int>(At(next), kHost), edges)).empty();
}

/// The fewest regions of any valid choice, by exhaustive search.
int FewestRegions(const RegionGraph& graph, bool siblings) {
  int fewest = graph.size();
  std::vector<int> region_of(At(graph.size()), -1);
  const auto descend = [&](const auto& self, int node, int count) -> void {
    if (count >= fewest) return;
    if (node == graph.size()) {
      if (IsValid(graph, region_of, siblings)) fewest = count;
      return;
    }
    if (graph.color(node) < 0) return self(self, node + 1, count);
    for (int region = 0; region <= count; ++region) {
      region_of[At(node)] = region;
      self(self, node + 1, std::max(count, region + 1));
    }
    region_of[At(node)] = -1;
  };
  // One more than the maximum, so that one region per node is also found.
  fewest = graph.size() + 1;
  descend(descend, 0, 0);
  return fewest;
}

TEST(RegionSolverTest, DiamondAroundAHostNodeIsTwoRegions) {
  EXPECT_THAT(RegionsOf({0, 0, kHost, 0}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}),
              ElementsAre(0, 0, -1, 1));
}

TEST(RegionSolverTest, DiamondOfOneColorIsOneRegion) {
  EXPECT_THAT(RegionsOf({0, 0, 0, 0}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}), ElementsAre(0, 0, 0, 0));
}

TEST(RegionSolverTest, NodesThatShareAnInputShareARegionUnlessDisabled) {
  EXPECT_THAT(RegionsOf({0, 0}, {}), ElementsAre(0, 1));
  const RegionGraph siblings({0, 0, 0}, {{0, 2, true}}, {{7}, {7}, {}});
  EXPECT_THAT(ChooseRegions(siblings, /*siblings=*/true).region_of, ElementsAre(0, 0, 0));
  const RegionChoice apart = ChooseRegions(siblings, /*siblings=*/false);
  EXPECT_THAT(apart.region_of, ElementsAre(0, 1, 0));
  EXPECT_EQ(apart.count, 2);
}

TEST(RegionSolverTest, ANodeJoinsItsUserRatherThanAnEarlierRegion) {
  // 1 could run with 0, but only 3 needs it.
  EXPECT_THAT(RegionsOf({0, 0, kHost, 0}, {{0, 2}, {2, 3}, {1, 3}}), ElementsAre(0, 1, -1, 1));
}

TEST(RegionSolverTest, SiblingsOfDifferentRunsShareARegion) {
  // 3 shares an input with 0, and may run before the host.
  const RegionGraph graph({0, kHost, 0, 0}, {{0, 1, true}, {1, 2, true}}, {{1}, {}, {}, {1}});
  EXPECT_THAT(ChooseRegions(graph, /*siblings=*/true).region_of, ElementsAre(0, -1, 1, 0));
}

TEST(RegionSolverTest, TwoColorsTakeTheOrderWithFewerRuns) {
  // Beginning with color 1, color 0 needs one run.
  const RegionGraph graph({0, 1, 0}, {{1, 2, true}}, {{5}, {}, {5}});
  EXPECT_THAT(ChooseRegions(graph, /*siblings=*/true).region_of, ElementsAre(0, 1, 0));
}

TEST(RegionSolverTest, CycleIsFound) {
  EXPECT_THAT(CycleOf(Graph({kHost, kHost, kHost}, {{0, 1}, {1, 2}, {2, 1}})), ElementsAre(1, 2));
  EXPECT_THAT(CycleOf(Graph({kHost, kHost}, {{0, 1}})), IsEmpty());
}

TEST(RegionSolverTest, SmallRandomGraphsHaveAsFewRegionsAsAnyChoice) {
  for (uint32_t seed = 0; seed < 600; ++seed) {
    const int size = 1 + static_cast<int>(seed % 8);
    const RegionGraph graph = RandomGraph(size, 1 + static_cast<int>(seed / 8 % 3), seed);
    for (const bool siblings : {true, false}) {
      const RegionChoice choice = ChooseRegions(graph, siblings);
      ASSERT_TRUE(IsValid(graph, choice.region_of, siblings)) << "seed " << seed << siblings;
      ASSERT_TRUE(choice.is_minimal) << "seed " << seed << siblings;
      ASSERT_EQ(choice.count, FewestRegions(graph, siblings)) << "seed " << seed << siblings;
    }
  }
}

/// A pair of regions that could be merged; {-1, -1} if there is none.
std::pair<int, int> MergeablePair(const RegionGraph& graph, const RegionChoice& choice,
                                  bool siblings) {
  std::vector<int> color_of(At(choice.count), kHost);
  for (int n = 0; n < graph.size(); ++n) {
    if (choice.region_of[At(n)] >= 0) color_of[At(choice.region_of[At(n)])] = graph.color(n);
  }
  for (int a = 0; a < choice.count; ++a) {
    for (int b = a + 1; b < choice.count; ++b) {
      if (color_of[At(a)] != color_of[At(b)]) continue;
      std::vector<int> merged = choice.region_of;
      std::replace(merged.begin(), merged.end(), b, a);
      if (IsValid(graph, merged, siblings)) return {a, b};
    }
  }
  return {-1, -1};
}

TEST(RegionSolverTest, LargeRandomGraphsAreValidAndMaximal) {
  const int seeds = Sample(150, 5);
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(seeds); ++seed) {
    const int size = 20 + static_cast<int>(seed * 7 % 181);
    const RegionGraph graph = RandomGraph(size, 3, seed);
    for (const bool siblings : {true, false}) {
      const RegionChoice choice = ChooseRegions(graph, siblings);
      ASSERT_TRUE(IsValid(graph, choice.region_of, siblings)) << "seed " << seed << siblings;
      const auto [a, b] = MergeablePair(graph, choice, siblings);
      ASSERT_EQ(a, -1) << "seed " << seed << ": regions " << a << " and " << b;
      ASSERT_EQ(ChooseRegions(graph, siblings).region_of, choice.region_of);
    }
  }
}

/// CPU time, so that other programs do not count.
double SecondsOf(const RegionGraph& graph) {
  const std::clock_t start = std::clock();
  EXPECT_GT(ChooseRegions(graph, /*siblings=*/true).count, 0);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(RegionSolverTest, ChainOfTenThousandTakesLessThanASecond) {
  if (!kOptimised) GTEST_SKIP() << "only optimised code is fast";
  for (const int colors : {1, 2, 3}) {
    std::vector<int> list;
    std::vector<Edge> edges;
    for (int i = 0; i < 10000; ++i) {
      list.push_back(i % 3 == 2 ? kHost : i * 7 % 11 % colors);
      if (i > 0) edges.push_back({i - 1, i, true});
    }
    EXPECT_LT(SecondsOf(RegionGraph(list, edges)), kPatience) << colors << " colors";
  }
}

TEST(RegionSolverTest, LayersOfTwoHundredThatUseAllOfTheLayerBeforeTakeLessThanASecond) {
  if (!kOptimised) GTEST_SKIP() << "only optimised code is fast";
  std::vector<int> list;
  std::vector<Edge> edges;
  for (int layer = 0; layer < 200; ++layer) {
    for (int i = 0; i < 200; ++i) {
      list.push_back((layer + i) % 4 - 1);
      for (int from = 0; layer > 0 && from < 200; ++from)
        edges.push_back({(layer - 1) * 200 + from, layer * 200 + i, true});
    }
  }
  EXPECT_LT(SecondsOf(RegionGraph(list, edges)), kPatience);
}

TEST(RegionSolverTest, TwoHundredLayersThatUseAllLayersBeforeTakeLessThanASecond) {
  if (!kOptimised) GTEST_SKIP() << "only optimised code is fast";
  std::vector<int> list;
  std::vector<Edge> edges;
  for (int to = 0; to < 200; ++to) {
    list.push_back(to % 4 - 1);
    for (int from = 0; from < to; ++from) edges.push_back({from, to, true});
  }
  EXPECT_LT(SecondsOf(RegionGraph(list, edges)), kPatience);
}

}  // namespace
}  // namespace tenon
