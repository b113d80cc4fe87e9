#include "report/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "report/extras.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ReportBuffer Buffer(std::string name, std::string function, int64_t bytes, int64_t offset) {
  ReportBuffer buffer;
  buffer.name = std::move(name);
  buffer.function = std::move(function);
  buffer.dtype = "int8";
  buffer.shape = {bytes};
  buffer.size_bytes = bytes;
  buffer.pool = "pool";
  buffer.offset = offset;
  buffer.ranges = {{0, 4}};
  return buffer;
}

MemoryReport Report(std::vector<ReportBuffer> buffers) {
  MemoryReport report;
  report.source = "model.py";
  report.entry = "main";
  report.ticks = 4;
  report.buffers = std::move(buffers);
  ReportPool& pool = report.pools.emplace_back();
  pool.name = "pool";
  for (const ReportBuffer& buffer : report.buffers)
    pool.size_bytes = std::max(pool.size_bytes, buffer.offset + buffer.size_bytes);
  FindPeak(report, pool);
  return report;
}

TEST(Diff, OfAReportWithItselfIsEmpty) {
  const MemoryReport report = Report({Buffer("a", "f", 4, 0), Buffer("a", "g", 4, 4)});
  const ReportDiff diff = DiffReports("old.json", report, report);
  EXPECT_TRUE(diff.buffers.empty());
  EXPECT_EQ(diff.same, 2);
  EXPECT_THAT(DiffText(diff, report), HasSubstr("buffers and constants: 2 as before\n"));
}

TEST(Diff, SaysWhatChanged) {
  const MemoryReport before =
      Report({Buffer("same", "f", 8, 0), Buffer("grows", "f", 8, 8), Buffer("shrinks", "f", 8, 16),
              Buffer("moves", "f", 8, 24), Buffer("goes", "f", 7, 32), Buffer("flees", "f", 8, 40),
              Buffer("turns", "f", 8, 48)});
  MemoryReport after =
      Report({Buffer("same", "f", 8, 0), Buffer("grows", "f", 16, 8), Buffer("shrinks", "f", 4, 24),
              Buffer("moves", "f", 8, 32), Buffer("comes", "f", 9, 40), Buffer("flees", "f", 8, 40),
              Buffer("turns", "f", 8, 48)});
  after.buffers[5].pool = "other";
  after.buffers[6].dtype = "int16";
  after.buffers[6].shape = {4};
  const ReportDiff diff = DiffReports("old.json", before, after);
  EXPECT_EQ(diff.same, 1);
  ASSERT_EQ(diff.buffers.size(), 7U);
  EXPECT_THAT(diff.buffers[0].what, ElementsAre("grew"));
  EXPECT_THAT(diff.buffers[1].what, ElementsAre("shrank", "moved"));
  EXPECT_THAT(diff.buffers[2].what, ElementsAre("moved"));
  EXPECT_THAT(diff.buffers[3].what, ElementsAre("appeared"));
  EXPECT_THAT(diff.buffers[4].what, ElementsAre("pool"));
  EXPECT_THAT(diff.buffers[5].what, ElementsAre("retyped"));
  EXPECT_THAT(diff.buffers[6].what, ElementsAre("vanished"));
  const std::string text = DiffText(diff, after);
  EXPECT_THAT(text, HasSubstr("1 as before, 1 appeared, 1 vanished, 1 grew, 1 shrank, 1 retyped, 1 "
                              "changed pool, 2 moved\n"));
  EXPECT_THAT(text, HasSubstr("pool+40  other+40"));
}

TEST(Diff, MatchesByNameThenShapeThenOrder) {
  const MemoryReport before = Report({Buffer("a", "f", 8, 0), Buffer("b", "f", 8, 8),
                                      Buffer("c", "g", 8, 16), Buffer("d", "g", 5, 24)});
  const MemoryReport after = Report({Buffer("x", "f", 8, 0), Buffer("a", "f", 8, 8),
                                     Buffer("y", "h", 8, 16), Buffer("d", "h", 5, 24)});
  const ReportDiff diff = DiffReports("old.json", before, after);
  ASSERT_EQ(diff.buffers.size(), 4U);
  EXPECT_EQ(diff.buffers[0].before, 1U);  // the remaining buffer of `f`
  EXPECT_EQ(diff.buffers[0].matched_by, MatchedBy::kShape);
  EXPECT_EQ(diff.buffers[1].before, 0U);
  EXPECT_EQ(diff.buffers[1].matched_by, MatchedBy::kName);
  EXPECT_EQ(diff.buffers[2].before, 2U);
  EXPECT_EQ(diff.buffers[2].matched_by, MatchedBy::kOrder);
  EXPECT_EQ(diff.buffers[3].before, 3U);
  EXPECT_THAT(DiffText(diff, after),
              HasSubstr("matched by function and name 1, by function and shape 1, by shape 2\n"));
}

TEST(Diff, HasPoolsThatComeAndGo) {
  MemoryReport before = Report({Buffer("a", "f", 8, 0)});
  MemoryReport after = before;
  after.pools[0].name = "fast";
  after.buffers[0].pool = "fast";
  FindPeak(after, after.pools[0]);
  const ReportDiff diff = DiffReports("old.json", before, after);
  ASSERT_EQ(diff.pools.size(), 2U);
  EXPECT_EQ(diff.pools[0].name, "fast");
  EXPECT_FALSE(diff.pools[0].before);
  EXPECT_EQ(diff.pools[1].name, "pool");
  EXPECT_FALSE(diff.pools[1].after);
  const auto json = nlohmann::json::parse(ReportJson(after, {{}, &diff})).at("diff");
  EXPECT_EQ(json.at("pools").at("fast").at("size_bytes"), nlohmann::json({nullptr, 8}));
  EXPECT_EQ(json.at("pools").at("pool").at("size_bytes"), nlohmann::json({8, nullptr}));
  EXPECT_EQ(json.at("pools").at("pool").at("peak").at(0).at("live_bytes"), 8);
  EXPECT_EQ(json.at("buffers").at(0).at("changes"), nlohmann::json({"pool"}));
  EXPECT_EQ(json.at("buffers").at(0).at("matched_by"), "name");
  EXPECT_EQ(json.at("buffers").at(0).at("before").at("pool"), "pool");
  EXPECT_EQ(json.at("buffers").at(0).at("after"), 0);
}

TEST(Diff, EveryBufferIsAccountedForOnce) {
  std::mt19937 random(1);
  const auto some = [&] {
    std::vector<ReportBuffer> buffers;
    const size_t count = random() % 20;
    for (size_t i = 0; i < count; ++i) {
      buffers.push_back(Buffer(std::string(1, static_cast<char>('a' + random() % 6)),
                               random() % 2 == 0 ? "f" : "g", random() % 4 * 4, random() % 3));
    }
    return Report(std::move(buffers));
  };
  for (int round = 0; round < 500; ++round) {
    const MemoryReport before = some();
    const MemoryReport after = some();
    const ReportDiff diff = DiffReports("old.json", before, after);
    std::set<size_t> old;
    std::set<size_t> now;
    size_t gone = 0;
    for (const BufferChange& change : diff.buffers) {
      EXPECT_FALSE(change.what.empty());
      EXPECT_TRUE(change.before || change.after);
      EXPECT_TRUE(!change.before || old.insert(*change.before).second);
      EXPECT_TRUE(!change.after || now.insert(*change.after).second);
      gone += change.after ? 0 : 1;
    }
    const auto same = static_cast<size_t>(diff.same);
    EXPECT_EQ(now.size() + same, after.buffers.size());
    EXPECT_EQ(old.size() + same, before.buffers.size());
    EXPECT_LE(gone, before.buffers.size());
  }
}

}  // namespace
}  // namespace tenon
