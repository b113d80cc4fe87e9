#include "byoc/region_solver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <random>

namespace tenon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Edge = RegionGraph::Edge;

constexpr int kHost = -1;

size_t At(int index) { return static_cast<size_t>(index); }

RegionGraph Graph(std::vector<int> colors, const std::vector<std::pair<int, int>>& edges) {
  std::vector<Edge> list;
  for (const auto& [from, to] : edges) list.push_back({from, to, true});
  return RegionGraph(std::move(colors), std::move(list));
}

std::vector<int> RegionsOf(std::vector<int> colors, const std::vector<std::pair<int, int>>& edges) {
  return ChooseRegions(Graph(std::move(colors), edges), /*siblings=*/true).region_of;
}

/// A graph with edges that lead from lower numbers to higher ones.
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
  return RegionGraph(std::move(list), std::move(edges));
}

/// True when regions contracted to a node each leave no cycle. Regions have one color.
bool IsValid(const RegionGraph& graph, const std::vector<int>& region_of) {
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
    for (const Edge& edge : graph.After(n)) {
      const int from = unit_of[At(n)];
      const int to = unit_of[At(edge.to)];
      if (from != to) edges.push_back({from, to, true});
    }
  }
  return CycleOf(RegionGraph(std::vector<int>(At(next), kHost), edges)).empty();
}

/// The fewest regions of any valid choice, by trying all.
int FewestRegions(const RegionGraph& graph) {
  int fewest = graph.size();
  std::vector<int> region_of(At(graph.size()), -1);
  const auto descend = [&](const auto& self, int node, int count) -> void {
    if (count >= fewest) return;
    if (node == graph.size()) {
      if (IsValid(graph, region_of)) fewest = count;
      return;
    }
    if (graph.color(node) < 0) return self(self, node + 1, count);
    for (int region = 0; region <= count; ++region) {
      region_of[At(node)] = region;
      self(self, node + 1, std::max(count, region + 1));
    }
    region_of[At(node)] = -1;
  };
  // One more than there can be, so that as many as nodes are found, too.
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

TEST(RegionSolverTest, NodesWithoutAnEdgeShareARegionUnlessToldNotTo) {
  EXPECT_THAT(RegionsOf({0, 0}, {}), ElementsAre(0, 0));
  const RegionChoice apart = ChooseRegions(Graph({0, 0, 0}, {{0, 2}}), /*siblings=*/false);
  EXPECT_THAT(apart.region_of, ElementsAre(0, 1, 0));
  EXPECT_EQ(apart.count, 2);
}

TEST(RegionSolverTest, ANodeJoinsItsUserRatherThanAnEarlierRegion) {
  // 1 could run with 0, but only 3 needs it.
  EXPECT_THAT(RegionsOf({0, 0, kHost, 0}, {{0, 2}, {2, 3}, {1, 3}}), ElementsAre(0, 1, -1, 1));
}

TEST(RegionSolverTest, TwoColorsTakeTheOrderWithFewerRuns) {
  // Beginning with color 1, color 0 needs one run.
  EXPECT_THAT(RegionsOf({0, 1, 0}, {{1, 2}}), ElementsAre(0, 1, 0));
}

TEST(RegionSolverTest, CycleIsFound) {
  EXPECT_THAT(CycleOf(Graph({kHost, kHost, kHost}, {{0, 1}, {1, 2}, {2, 1}})), ElementsAre(1, 2));
  EXPECT_THAT(CycleOf(Graph({kHost, kHost}, {{0, 1}})), IsEmpty());
}

TEST(RegionSolverTest, SmallRandomGraphsHaveAsFewRegionsAsAnyChoice) {
  for (uint32_t seed = 0; seed < 600; ++seed) {
    const int size = 1 + static_cast<int>(seed % 8);
    const RegionGraph graph = RandomGraph(size, 1 + static_cast<int>(seed / 8 % 3), seed);
    const RegionChoice choice = ChooseRegions(graph, /*siblings=*/true);
    ASSERT_TRUE(IsValid(graph, choice.region_of)) << "seed " << seed;
    ASSERT_TRUE(choice.is_minimal) << "seed " << seed;
    ASSERT_EQ(choice.count, FewestRegions(graph)) << "seed " << seed;
  }
}

/// A pair of regions that could be one; {-1, -1} when there is none.
std::pair<int, int> MergeablePair(const RegionGraph& graph, const RegionChoice& choice) {
  std::vector<int> color_of(At(choice.count), kHost);
  for (int n = 0; n < graph.size(); ++n) {
    if (choice.region_of[At(n)] >= 0) color_of[At(choice.region_of[At(n)])] = graph.color(n);
  }
  for (int a = 0; a < choice.count; ++a) {
    for (int b = a + 1; b < choice.count; ++b) {
      if (color_of[At(a)] != color_of[At(b)]) continue;
      std::vector<int> merged = choice.region_of;
      std::replace(merged.begin(), merged.end(), b, a);
      if (IsValid(graph, merged)) return {a, b};
    }
  }
  return {-1, -1};
}

TEST(RegionSolverTest, LargeRandomGraphsAreValidAndMaximal) {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    const int size = 20 + static_cast<int>(seed * 7 % 181);
    const RegionGraph graph = RandomGraph(size, 3, seed);
    const RegionChoice choice = ChooseRegions(graph, /*siblings=*/true);
    ASSERT_TRUE(IsValid(graph, choice.region_of)) << "seed " << seed;
    const auto [a, b] = MergeablePair(graph, choice);
    ASSERT_EQ(a, -1) << "seed " << seed << ": regions " << a << " and " << b;
    const RegionChoice apart = ChooseRegions(graph, /*siblings=*/false);
    ASSERT_TRUE(IsValid(graph, apart.region_of)) << "seed " << seed;
    ASSERT_EQ(ChooseRegions(graph, /*siblings=*/true).region_of, choice.region_of);
  }
}

/// Of the processor: other programs do not count.
double SecondsOf(const RegionGraph& graph) {
  const std::clock_t start = std::clock();
  EXPECT_GT(ChooseRegions(graph, /*siblings=*/true).count, 0);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(RegionSolverTest, ChainOfTenThousandTakesLessThanASecond) {
  for (const int colors : {1, 2, 3}) {
    std::vector<int> list;
    std::vector<Edge> edges;
    for (int i = 0; i < 10000; ++i) {
      list.push_back(i % 3 == 2 ? kHost : i * 7 % 11 % colors);
      if (i > 0) edges.push_back({i - 1, i, true});
    }
    EXPECT_LT(SecondsOf(RegionGraph(list, edges)), 1.0) << colors << " colors";
  }
}

TEST(RegionSolverTest, LayersOfTwoHundredThatUseAllOfTheLayerBeforeTakeLessThanASecond) {
  std::vector<int> list;
  std::vector<Edge> edges;
  for (int layer = 0; layer < 200; ++layer) {
    for (int i = 0; i < 200; ++i) {
      list.push_back((layer + i) % 4 - 1);
      for (int from = 0; layer > 0 && from < 200; ++from)
        edges.push_back({(layer - 1) * 200 + from, layer * 200 + i, true});
    }
  }
  EXPECT_LT(SecondsOf(RegionGraph(list, std::move(edges))), 1.0);
}

TEST(RegionSolverTest, TwoHundredLayersThatUseAllLayersBeforeTakeLessThanASecond) {
  std::vector<int> list;
  std::vector<Edge> edges;
  for (int to = 0; to < 200; ++to) {
    list.push_back(to % 4 - 1);
    for (int from = 0; from < to; ++from) edges.push_back({from, to, true});
  }
  EXPECT_LT(SecondsOf(RegionGraph(list, std::move(edges))), 1.0);
}

}  // namespace
}  // namespace tenon
