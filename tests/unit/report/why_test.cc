#include "report/why.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "report/extras.h"
#include "report/live_curve.h"

namespace tenon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kTicks = 40;

/// Bytes live at every tick, by a naive algorithm.
std::vector<int64_t> LiveBytes(const MemoryReport& report, std::string_view pool) {
  std::vector<int64_t> live(kTicks);
  for (const ReportBuffer& buffer : report.buffers) {
    if (buffer.pool != pool) continue;
    for (const ReportRange& range : buffer.ranges) {
      for (int64_t tick = range.lower; tick < range.upper; ++tick)
        live[static_cast<size_t>(tick)] += buffer.size_bytes;
    }
  }
  return live;
}

void TakeOff(std::vector<int64_t>& live, ReportRange range, int64_t bytes) {
  for (int64_t tick = range.lower; tick < range.upper; ++tick)
    live[static_cast<size_t>(tick)] -= bytes;
}

int64_t Highest(const std::vector<int64_t>& live) {
  return *std::max_element(live.begin(), live.end());
}

class RandomReport {
 public:
  explicit RandomReport(uint32_t seed) : random_(seed) {
    report_.entry = "main";
    report_.ticks = kTicks;
    for (int64_t tick = 0; tick < kTicks; tick += 8)
      report_.steps.push_back({"op_" + std::to_string(tick), {tick, tick + 8}, tick + 100});
    const int64_t count = Below(12) + 1;
    for (int64_t i = 0; i < count; ++i) AddBuffer(i);
    for (const char* name : {"other", "pool"}) {
      ReportPool& pool = report_.pools.emplace_back();
      pool.name = name;
      FindPeak(report_, pool);
    }
  }
  const MemoryReport& report() const { return report_; }
  const ReportPool& pool() const { return report_.pools[1]; }

 private:
  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(random_() % static_cast<uint32_t>(limit));
  }
  void AddBuffer(int64_t index) {
    ReportBuffer& buffer = report_.buffers.emplace_back();
    buffer.name = "b" + std::to_string(index);
    buffer.pool = Below(8) == 0 ? "other" : "pool";
    buffer.function = Below(2) == 0 ? "main" : "op";
    buffer.size_bytes = Below(100) + (Below(3) == 0 ? 100 : 1);
    for (int64_t at = Below(12); at < kTicks - 1 && buffer.ranges.size() < 3;) {
      const int64_t upper = std::min(kTicks, at + 1 + Below(20));
      buffer.ranges.push_back({at, upper});
      buffer.uses.push_back(at);
      if (upper - 1 > at) buffer.uses.push_back(upper - 1);
      at = upper + 1 + Below(10);
    }
  }

  std::mt19937 random_;
  MemoryReport report_;
};

/// The peak after a change, by a naive algorithm.
int64_t Without(const MemoryReport& report, const ReportPool& pool, const PeakWhy& why,
                const PeakChange& change) {
  std::vector<int64_t> live = LiveBytes(report, pool.name);
  const auto stretch = [&](size_t index) {
    for (const ReportRange& range : report.buffers[index].ranges) {
      if (range.lower <= why.at.tick && why.at.tick < range.upper) return range;
    }
    ADD_FAILURE() << "not live at the peak";
    return ReportRange{};
  };
  const ReportBuffer& first = report.buffers[change.buffers[0]];
  switch (change.kind) {
    case ChangeKind::kGone:
    case ChangeKind::kNoScratch:
      for (const size_t index : change.buffers) {
        for (const ReportRange& range : report.buffers[index].ranges)
          TakeOff(live, range, report.buffers[index].size_bytes);
      }
      break;
    case ChangeKind::kHalf:
      for (const ReportRange& range : first.ranges) TakeOff(live, range, first.size_bytes / 2);
      break;
    case ChangeKind::kNotKept:
      TakeOff(live, {change.from.tick + 1, change.to.tick}, first.size_bytes);
      break;
    case ChangeKind::kEarly:
      TakeOff(live, {change.from.tick + 1, stretch(change.buffers[0]).upper}, first.size_bytes);
      break;
    case ChangeKind::kInPlace: {
      const ReportBuffer& second = report.buffers[change.buffers[1]];
      const ReportRange out = stretch(change.buffers[0]);
      const ReportRange in = stretch(change.buffers[1]);
      TakeOff(live, {std::max(out.lower, in.lower), std::min(out.upper, in.upper)},
              std::min(first.size_bytes, second.size_bytes));
      break;
    }
  }
  return Highest(live);
}

TEST(Why, FiguresEqualTheNaiveOnes) {
  std::vector<int> kinds(6);
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const RandomReport random(seed);
    const MemoryReport& report = random.report();
    if (!random.pool().peak) continue;
    const PeakWhy why = ExplainPeak(report, random.pool());
    const std::vector<int64_t> live = LiveBytes(report, "pool");
    EXPECT_EQ(why.live_bytes, Highest(live));
    EXPECT_EQ(live[static_cast<size_t>(why.at.tick)], why.live_bytes);
    int64_t sum = 0;
    for (const LiveThen& then : why.live) sum += report.buffers[then.buffer].size_bytes;
    EXPECT_EQ(sum, why.live_bytes);
    for (const PeakChange& change : why.changes) {
      ++kinds[static_cast<size_t>(change.kind)];
      EXPECT_EQ(change.bound_bytes, Without(report, random.pool(), why, change))
          << "seed " << seed << ", " << ChangeName(change.kind);
      EXPECT_EQ(change.saved_bytes, why.live_bytes - change.bound_bytes);
      EXPECT_GT(change.saved_bytes, 0);
    }
    EXPECT_TRUE(std::is_sorted(
        why.changes.begin(), why.changes.end(),
        [](const PeakChange& a, const PeakChange& b) { return a.bound_bytes < b.bound_bytes; }));
  }
  for (const int count : kinds) EXPECT_GT(count, 100);
}

/// A chain of buffers: each begins when the previous one dies, and may share bytes with it.
MemoryReport RandomChain(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t limit) { return static_cast<int64_t>(random() % limit); };
  MemoryReport report;
  report.entry = "main";
  report.ticks = kTicks;
  for (int64_t i = 0; i < 5; ++i) {
    ReportBuffer& buffer = report.buffers.emplace_back();
    buffer.name = "b" + std::to_string(i);
    buffer.function = "main";
    buffer.pool = "pool";
    buffer.size_bytes = 20 + below(80);
    buffer.offset = 100 + below(60);
    buffer.ranges = {{8 * i, std::min(kTicks, 8 * i + 9 + below(7))}};
    buffer.uses = {buffer.ranges[0].lower, buffer.ranges[0].upper - 1};
    report.steps.push_back({"op_" + std::to_string(i), {8 * i, 8 * i + 8}, i + 1});
  }
  for (size_t i = 0; i + 1 < report.buffers.size(); ++i) {
    ReportOverlap overlap;
    overlap.dying = i;
    overlap.begun = i + 1;
    if (FindShared(report, overlap)) report.overlaps.push_back(overlap);
  }
  ReportPool& pool = report.pools.emplace_back();
  pool.name = "pool";
  FindPeak(report, pool);
  return report;
}

/// The maximum number of bytes in use, counted address by address. The buffer `gone` is absent in
/// `when`.
int64_t MostCovered(const MemoryReport& report, size_t gone = static_cast<size_t>(-1),
                    ReportRange when = {}) {
  int64_t most = 0;
  for (int64_t tick = 0; tick < kTicks; ++tick) {
    std::vector<bool> covered(300);
    for (size_t i = 0; i < report.buffers.size(); ++i) {
      const ReportBuffer& buffer = report.buffers[i];
      if (tick < buffer.ranges[0].lower || tick >= buffer.ranges[0].upper) continue;
      if (i == gone && when.lower <= tick && tick < when.upper) continue;
      for (int64_t at = buffer.offset; at < buffer.offset + buffer.size_bytes; ++at)
        covered[static_cast<size_t>(at)] = true;
    }
    most = std::max(most, static_cast<int64_t>(std::count(covered.begin(), covered.end(), true)));
  }
  return most;
}

TEST(Why, SharedBytesCountOnce) {
  int overlaps = 0;
  int changes = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const MemoryReport report = RandomChain(seed);
    overlaps += static_cast<int>(report.overlaps.size());
    const PeakWhy why = ExplainPeak(report, report.pools[0]);
    EXPECT_EQ(why.live_bytes, MostCovered(report)) << "seed " << seed;
    for (const PeakChange& change : why.changes) {
      ReportRange when{0, kTicks};
      if (change.kind == ChangeKind::kEarly) when.lower = change.from.tick + 1;
      if (change.kind != ChangeKind::kEarly && change.kind != ChangeKind::kGone) continue;
      ++changes;
      EXPECT_EQ(change.bound_bytes, MostCovered(report, change.buffers[0], when))
          << "seed " << seed << ", " << ChangeName(change.kind);
    }
  }
  EXPECT_GT(overlaps, 1000);
  EXPECT_GT(changes, 300);
}

TEST(Why, StepsAreAsHighAsTheirHighestTick) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const RandomReport random(seed);
    if (!random.pool().peak) continue;
    const PeakWhy why = ExplainPeak(random.report(), random.pool());
    const std::vector<int64_t> live = LiveBytes(random.report(), "pool");
    size_t expected = 0;
    for (const ReportStep& step : random.report().steps) {
      const auto begin = live.begin() + step.range.lower;
      expected += *std::max_element(begin, begin + 8) > 0 ? 1 : 0;
    }
    EXPECT_EQ(why.steps.size(), expected);
    for (const StepPeak& step : why.steps) {
      const auto begin = live.begin() + random.report().steps[step.at.step].range.lower;
      EXPECT_EQ(step.live_bytes, *std::max_element(begin, begin + 8));
      EXPECT_EQ(step.live_bytes, live[static_cast<size_t>(step.at.tick)]);
    }
  }
}

MemoryReport Residual() {
  MemoryReport report;
  report.entry = "main";
  report.ticks = 40;
  report.steps = {
      {"net_stem", {0, 10}, 11}, {"net_wide", {10, 20}, 12}, {"net_tail", {20, 40}, 13}};
  report.tick_lines.assign(40, 0);
  report.tick_lines[15] = 50;
  report.tick_lines[5] = 45;
  report.tick_lines[30] = 70;
  const auto add = [&](std::string name, std::string function, int64_t bytes, ReportRange range) {
    ReportBuffer& buffer = report.buffers.emplace_back();
    buffer.name = std::move(name);
    buffer.function = std::move(function);
    buffer.pool = "pool";
    buffer.size_bytes = bytes;
    buffer.ranges = {range};
    buffer.uses = {range.lower, range.upper - 1};
  };
  add("kept", "main", 600, {5, 31});
  add("scratch", "net_wide", 1000, {15, 18});
  add("late", "main", 900, {25, 35});
  ReportPool& pool = report.pools.emplace_back();
  pool.name = "pool";
  pool.size_bytes = pool.lower_bound_bytes = 1600;
  pool.proven_optimal = true;
  FindPeak(report, pool);
  return report;
}

TEST(Why, SaysWhatHelpsMost) {
  const MemoryReport report = Residual();
  const PeakWhy why = ExplainPeak(report, report.pools[0]);
  ASSERT_FALSE(why.changes.empty());
  // Both reach the second peak of 1,500. The step in between does not use `kept`, but the tail
  // needs it and `late` together.
  EXPECT_EQ(why.changes[0].kind, ChangeKind::kEarly);
  EXPECT_EQ(why.changes[0].bound_bytes, 1000);
  const auto of_kind = [&](ChangeKind kind) {
    return std::find_if(why.changes.begin(), why.changes.end(),
                        [&](const PeakChange& change) { return change.kind == kind; });
  };
  const auto not_kept = of_kind(ChangeKind::kNotKept);
  ASSERT_NE(not_kept, why.changes.end());
  EXPECT_EQ(not_kept->bound_bytes, 1500);
  EXPECT_EQ(not_kept->from.line, 45);
  EXPECT_EQ(not_kept->to.line, 70);
  // If the tail did not need `kept`, there would be no peak there.
  const auto early = of_kind(ChangeKind::kEarly);
  ASSERT_NE(early, why.changes.end());
  EXPECT_EQ(early->bound_bytes, 1000);
  EXPECT_EQ(early->to.line, 70);
  ASSERT_EQ(why.steps.size(), 3U);
  EXPECT_EQ(why.steps[1].live_bytes, 1500);
}

TEST(Why, TextIsATable) {
  const MemoryReport report = Residual();
  const std::string text = WhyText(report, report.pools[0], ExplainPeak(report, report.pools[0]));
  EXPECT_THAT(
      text, HasSubstr("pool: 1,600 bytes, the lower bound: no plan of these buffers is smaller\n"));
  EXPECT_THAT(text, HasSubstr("peak: 1,600 bytes at line 50, wide: scratch, kept\n"));
  EXPECT_THAT(text, HasSubstr("kept not kept from line 45 to line 70"));
  EXPECT_THAT(text, HasSubstr("  kept         600  37.5  line 45, stem"));
  EXPECT_THAT(text, Not(HasSubstr("net_")));
  EXPECT_THAT(text, Not(HasSubstr(" \n")));
}

TEST(Why, NoSingleChangeHelpsWhenAnotherPeakIsAsHigh) {
  MemoryReport report = Residual();
  report.buffers[0].size_bytes = 0;
  report.buffers[2].size_bytes = 1000;
  FindPeak(report, report.pools[0]);
  const PeakWhy why = ExplainPeak(report, report.pools[0]);
  EXPECT_TRUE(why.changes.empty());
  EXPECT_THAT(WhyText(report, report.pools[0], why),
              HasSubstr("2 operators are as high, and all of them must shrink"));
}

TEST(Why, WithoutStepsOnlyBuffersAreTried) {
  MemoryReport report = Residual();
  report.steps.clear();
  report.tick_lines.clear();
  const PeakWhy why = ExplainPeak(report, report.pools[0]);
  EXPECT_TRUE(why.steps.empty());
  EXPECT_THAT(WhyText(report, report.pools[0], why),
              HasSubstr("peak: 1,600 bytes at tick 15: scratch, kept\n"));
  for (const PeakChange& change : why.changes)
    EXPECT_TRUE(change.kind == ChangeKind::kGone || change.kind == ChangeKind::kHalf);
}

TEST(Why, TextAddsUpTheBuffersThatItLeavesOut) {
  MemoryReport report;
  report.ticks = 10;
  ReportPool& pool = report.pools.emplace_back();
  pool.name = "pool";
  for (int i = 0; i < 15; ++i) {
    ReportBuffer& buffer = report.buffers.emplace_back();
    buffer.name = fmt::format("b{}", i);
    buffer.pool = "pool";
    buffer.size_bytes = 100 - i;
    buffer.ranges = {{0, 10}};
  }
  FindPeak(report, pool);
  // The three smallest have 88 + 87 + 86 bytes.
  EXPECT_THAT(WhyText(report, pool, ExplainPeak(report, pool)),
              HasSubstr("and 3 more    261  18.7\n"));
}

TEST(Why, SizesBeyondAllMemoryAreHarmless) {
  MemoryReport report = Residual();
  for (int i = 0; i < 20; ++i) {
    report.buffers.push_back(report.buffers[static_cast<size_t>(i % 3)]);
    report.buffers.back().size_bytes = (int64_t{1} << 62) - 1 - i;
    FindPeak(report, report.pools[0]);
    const PeakWhy why = ExplainPeak(report, report.pools[0]);
    EXPECT_FALSE(WhyText(report, report.pools[0], why).empty());
    EXPECT_TRUE(nlohmann::json::accept(ReportJson(report, {{why}, nullptr})));
  }
}

TEST(Why, JsonHasIt) {
  const MemoryReport report = Residual();
  ReportExtras extras;
  extras.why.push_back(ExplainPeak(report, report.pools[0]));
  const auto json = nlohmann::json::parse(ReportJson(report, extras));
  const auto& why = json.at("pools").at("pool").at("why");
  EXPECT_EQ(why.at("at").at("line"), 50);
  EXPECT_EQ(why.at("live").size(), 2U);
  EXPECT_EQ(why.at("changes").at(0).at("change"), "early");
  EXPECT_EQ(why.at("changes").at(0).at("bound_bytes"), 1000);
  EXPECT_EQ(why.at("changes").at(0).at("saved_bytes"), 600);
  EXPECT_EQ(why.at("steps").at(0).at("live_bytes"), 1600);
  EXPECT_FALSE(nlohmann::json::parse(ReportJson(report)).at("pools").at("pool").contains("why"));
}

TEST(LiveCurve, OfNothingIsFlat) {
  const LiveCurve curve({}, "pool");
  EXPECT_EQ(curve.Highest({0, 10}).bytes, 0);
  EXPECT_EQ(curve.HighestWithout({{{0, 5}, 3}}).bytes, 0);
}

}  // namespace
}  // namespace tenon
