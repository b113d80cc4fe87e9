#include "report/read_json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "report/extras.h"

namespace tenon {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Adds the data of the first buffer, and the constant that it is a part of.
void AddConstants(MemoryReport& report) {
  report.buffers[0].constant = 1;
  report.constants.resize(2);
  report.constants[0].name = "base";
  report.constants[0].dtype = "int8";
  report.constants[0].shape = {128};
  report.constants[0].size_bytes = 128;
  ReportConstant& data = report.constants[1];
  data.name = "w";
  data.dtype = "int8";
  data.shape = {64};
  data.size_bytes = 64;
  data.hash = "xxh3:00112233445566778899aabbccddeeff";
  data.users = {"main", "other"};
  data.uses = 2;
  data.source = "file";
  data.file = "weights.safetensors";
  data.alignment = 64;
  data.section = ".w";
  data.address_significant = true;
  data.base = "base";
  data.base_offset = 32;
  data.compressed_bytes = 50;
  data.bytes_read = INT64_MAX;
  data.storage = "object";
  data.load = "sram";
  data.stored_bytes = 13;
  data.stored_pool = "flash";
  data.stored_offset = 32;
  data.codec = "lz4";
}

/// Adds both ways to count, an estimate of the stack, and two overlapping buffers.
void AddWaysToCount(MemoryReport& report) {
  report.accountings.io_outside = SumOf({{"other", 16, 8, true}, {"workspace", 96, 80, true}});
  report.accountings.io_counted.emplace().fits = false;
  report.stack = ReportStack{
      24, {{"run", 40, 30}, {"stem", 8, 120}}, 48, {"run", "stem"}, {"sinf"}, {{"expf", 80}}};
  ReportOverlap& overlap = report.overlaps.emplace_back();
  overlap.function = "tail";
  overlap.dying = 1;
  overlap.begun = 2;
  overlap.allowed = {{std::nullopt, -16}, {40, 40}, {48, std::nullopt}};
  overlap.bound = "store at 1:2, access at 3:4 in the same iteration";
  ASSERT_TRUE(FindShared(report, overlap));
}

/// A report that contains one of each kind of entry.
MemoryReport Sample() {
  MemoryReport report;
  report.source = "model.py";
  report.entry = "main";
  report.algorithm = "optimal";
  report.ticks = 20;
  report.steps = {
      {"stem", {0, 10}, 3, 1000, 64, 48, 8, {3, 3}, {2, 1}, 120, 900, {0}, {1}, {2}, {0}, {1}},
      {"tail", {10, 20}, 4}};
  report.tensors = {{"x", "int8", {4, 4}, 16, false, "", 0, 4},
                    {"y", "int8", {-1}, 0, true, "workspace", 32}};
  ReportPool& constants = report.pools.emplace_back();
  constants.name = "constants";
  constants.is_constant = true;
  constants.is_internal = true;
  constants.header = "shared.h";
  constants.proven_optimal = true;
  constants.size_bytes = 64;
  constants.alignment = 16;
  ReportPool& workspace = report.pools.emplace_back();
  workspace.name = "workspace";
  workspace.size_bytes = 96;
  workspace.lower_bound_bytes = 80;
  workspace.alignment = 16;
  const auto add = [&](std::string name, std::string pool, int64_t offset, int64_t bytes) {
    ReportBuffer& buffer = report.buffers.emplace_back();
    buffer.name = std::move(name);
    buffer.function = "main";
    buffer.dtype = "int8";
    buffer.shape = {bytes};
    buffer.size_bytes = bytes;
    buffer.pool = std::move(pool);
    buffer.offset = offset;
    buffer.line = 7;
    buffer.bytes_read = INT64_MAX;
    buffer.bytes_written = 3 * bytes;
    return &buffer;
  };
  add("w", "constants", 0, 64)->is_constant = true;
  add("a", "workspace", 0, 48)->ranges = {{0, 4}, {6, 12}};
  add("b", "workspace", 40, 32)->ranges = {{7, 19}};
  add("c", "", 0, 8)->unplaced = "it is conditional";
  AddConstants(report);
  AddWaysToCount(report);
  report.operators = {{"conv", "conv2d", 1000, 100, "c", "blas: no contraction"}};
  report.pools[1].capacity_bytes = 128;
  report.streaming = {7, 40, 96, 64, {{"stem_to_tail", 2, 96, 128}}};
  report.spill = {{{"workspace", "slow", 3, 12288}}, 8000, true, 250};
  for (ReportPool& pool : report.pools) {
    pool.buffers = pool.is_constant ? 1 : 2;
    if (!pool.is_constant) FindPeak(report, pool);
  }
  report.pools[1].peak->statement = "for i in range(4):";
  report.pools[1].peak->line = 9;
  return report;
}

template <class T>
bool IsDefault(const T& value, const T& by_default) {
  if constexpr (requires { value.empty(); }) return value.empty();
  if constexpr (std::is_arithmetic_v<T>) return value == by_default;
  return false;
}

/// Looks which members of the structs of a report have a value other than the default.
class SeenMembers {
 public:
  std::vector<std::string> Missing() const {
    std::vector<std::string> missing;
    std::set_difference(listed_.begin(), listed_.end(), present_.begin(), present_.end(),
                        std::back_inserter(missing));
    return missing;
  }

  template <class T>
  void Visit(const std::optional<T>& value) {
    if (value) Visit(*value);
  }
  template <class T>
  void Visit(const std::vector<T>& items) {
    for (const T& item : items) Visit(item);
  }
  template <class T>
  void Visit(const T& object) {
    if constexpr (HasMembers<T>) {
      ForEachMember<T>([&]<class F, bool is_read>(const ReportMember<T, F, is_read>& member) {
        if constexpr (is_read) {
          // The function's name begins with the class and the type: `...Visit<tenon::ReportPool>(`.
          const std::string_view function = __PRETTY_FUNCTION__;
          const std::string name = fmt::format(
              "{} {}", function.substr(0, function.find('(', function.find("Visit"))), member.key);
          listed_.insert(name);
          if (!member.IsIn(object) || IsDefault(member.Get(object), member.Get(T{}))) return;
          present_.insert(name);
          Visit(member.Get(object));
        }
      });
    }
  }

 private:
  std::set<std::string> listed_;
  std::set<std::string> present_;
};

class ReadReport : public testing::Test {
 protected:
  std::optional<MemoryReport> Read(const std::string& text) {
    sources_ = std::make_unique<SourceManager>();
    diagnostics_.Clear();
    auto report = ReadReportJson(*sources_, "old.json", text, nullptr, diagnostics_);
    EXPECT_NE(report.has_value(), diagnostics_.has_errors()) << text;
    return report;
  }
  std::string Messages() const { return Render(*sources_, diagnostics_); }

  std::unique_ptr<SourceManager> sources_;
  Diagnostics diagnostics_;
};

TEST(ReadReportSample, HasEveryMember) {
  SeenMembers seen;
  seen.Visit(Sample());
  EXPECT_THAT(seen.Missing(), IsEmpty());
}

TEST_F(ReadReport, GivesBackWhatWasWritten) {
  const std::string text = ReportJson(Sample());
  const auto report = Read(text);
  ASSERT_TRUE(report) << Messages();
  EXPECT_EQ(ReportJson(*report), text);
}

TEST_F(ReadReport, TakesReportsWithoutWaysToCount) {
  Json json = Json::parse(ReportJson(Sample()));
  for (const char* member : {"accountings", "stack", "overlaps"}) json.erase(member);
  json["pools"]["workspace"].erase("capacity_bytes");
  const auto report = Read(json.dump());
  ASSERT_TRUE(report) << Messages();
  EXPECT_FALSE(report->stack);
  EXPECT_FALSE(report->accountings.io_counted);
  EXPECT_EQ(report->pools[1].peak->live_bytes, 80);
  EXPECT_FALSE(report->pools[1].free_bytes());
}

TEST_F(ReadReport, RefusesWrongOverlaps) {
  const Json good = Json::parse(ReportJson(Sample()));
  const auto message = [&](const std::string& member, const Json& value) {
    Json json = good;
    json["overlaps"][0][member] = value;
    EXPECT_FALSE(Read(json.dump()));
    return Messages();
  };
  EXPECT_THAT(message("dying", 4), HasSubstr("`dying` is 4, of 4 buffers"));
  EXPECT_THAT(message("begun", "b"), HasSubstr("`begun` is a string, expected an integer"));
  EXPECT_THAT(message("allowed", Json::parse("[[1, 2, 3]]")), HasSubstr("a range is"));
  EXPECT_THAT(message("allowed", Json::parse(R"([["x", null]])")),
              HasSubstr("a distance is a string"));
}

TEST_F(ReadReport, RefusesStepsWithUnknownBuffers) {
  const Json good = Json::parse(ReportJson(Sample()));
  for (const char* member : {"reads", "writes", "scratch", "inputs", "outputs"}) {
    const bool is_tensor = std::string_view(member).ends_with("puts");
    Json json = good;
    json["steps"][0][member] = {0, is_tensor ? 2 : 4};
    EXPECT_FALSE(Read(json.dump()));
    EXPECT_THAT(Messages(), HasSubstr(fmt::format("an element of `{}` is {}, of {}", member,
                                                  is_tensor ? 2 : 4, is_tensor ? 2 : 4)));
    json["steps"][0][member] = {-1};
    EXPECT_FALSE(Read(json.dump()));
  }
}

TEST_F(ReadReport, LeavesOutOverlapsThatShareNothing) {
  Json json = Json::parse(ReportJson(Sample()));
  json["buffers"][2]["offset"] = 48;
  const auto report = Read(json.dump());
  ASSERT_TRUE(report) << Messages();
  EXPECT_TRUE(report->overlaps.empty());
}

TEST_F(ReadReport, TakesReportsWithoutConstants) {
  Json json = Json::parse(ReportJson(Sample()));
  json.erase("constants");
  for (Json& buffer : json["buffers"]) buffer.erase("constant");
  const auto report = Read(json.dump());
  ASSERT_TRUE(report) << Messages();
  EXPECT_TRUE(report->constants.empty());
  EXPECT_EQ(report->buffers.size(), Sample().buffers.size());
}

TEST_F(ReadReport, ComputesPeaksAnew) {
  Json json = Json::parse(ReportJson(Sample()));
  Json& peak = json["pools"]["workspace"]["peak"];
  peak["live_bytes"] = 1;
  peak["live"] = {1000000};
  json["pools"]["workspace"]["buffers"] = -7;
  const auto report = Read(json.dump());
  ASSERT_TRUE(report) << Messages();
  EXPECT_EQ(report->pools[1].peak->live_bytes, 72);
  EXPECT_EQ(report->pools[1].peak->statement, "for i in range(4):");
  EXPECT_EQ(report->pools[1].buffers, 2);
  // A statement of another tick has no meaning.
  peak["tick"] = 1;
  const auto moved = Read(json.dump());
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->pools[1].peak->statement, "");
}

TEST_F(ReadReport, ErrorsStandWhereTheyAre) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "old.json:1:1: error: expected a value, found the end of the JSON [syntax]"},
      {"{\n  \"version\": ]", "old.json:2:14: error:"},
      {"[1, 2]", "old.json:1:1: error: the text is an array, expected an object [type]"},
      {"{\"pools\": {}}", "old.json:1:1: error: the object has no `version`"},
      {"{\"version\": 99, \"entry\": 1}",
       "old.json:1:13: error: a report of another version, expected 1"},
      {"{\"version\": \"1\", \"source\": 1}", "old.json:1:13: error: a report of another version"},
      {"{\"version\": 1, \"version\": 1}", "duplicate key `version` [syntax]"},
      {"{\"version\": 1, \"pools\": [], \"buffers\": []}",
       "old.json:1:1: error: expected what `tenon report --json` writes, found an object without "
       "`source` and `entry`"},
      {"{\"version\": 1, \"source\": \"m\"}", "no member `buffers` [arguments]"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_FALSE(Read(text));
    EXPECT_THAT(Messages(), HasSubstr(message));
  }
}

TEST_F(ReadReport, RefusesWhatDoesNotFitTogether) {
  const Json good = Json::parse(ReportJson(Sample()));
  const auto refused = [&](const char* pointer, const Json& value, const char* message) {
    Json json = good;
    json[Json::json_pointer(pointer)] = value;
    EXPECT_FALSE(Read(json.dump())) << pointer;
    EXPECT_THAT(Messages(), HasSubstr(message));
  };
  refused("/buffers/1/pool", "nowhere", "no pool is called `nowhere` [undefined-name]");
  refused("/buffers/1/live", {{4, 8}, {6, 12}}, "begins before the last one ends [arguments]");
  refused("/buffers/1/live", {{8, 8}}, "ends before it begins [arguments]");
  refused("/buffers/1/live", {{8}}, "is not `[first, end]` [type]");
  refused("/buffers/1/size_bytes", -1, "`size_bytes` is -1, expected an integer from 0 to");
  refused("/buffers/1/size_bytes", int64_t{1} << 61, "[literal]");
  refused("/buffers/1/size_bytes", 1.5, "`size_bytes` is 1.5, expected an integer from 0 to");
  refused("/buffers/1/size_bytes", (int64_t{1} << 60) - 1, "bytes in all [limit]");
  refused("/buffers/1/shape", {-2}, "an extent is -2, expected an integer from -1 to");
  refused("/buffers/1/kind", "both", "`kind` is `both`, expected `workspace` or `constant`");
  refused("/buffers/1", nullptr, "a buffer is null, expected an object [type]");
  refused("/buffers/0/constant", 2, "`constant` is 2, of 2 constants [undefined-name]");
  refused("/buffers/0/constant", "w", "`constant` is a string, expected an integer [type]");
  refused("/constants/1/users", {1}, "a user is an integer, expected a string [type]");
  refused("/constants/1", 3, "a constant is an integer, expected an object [type]");
  refused("/constants", 3, "`constants` is an integer, expected an array [type]");
  refused("/constants/1/base_offset", -1, "`base_offset` is -1, expected an integer from 0 to");
  refused("/steps/1/live", {9, 20}, "a step begins before the last one ends");
  refused("/pools/workspace/proven_optimal", 1, "is an integer, expected true or false [type]");
  refused("/pools", Json::array(), "`pools` is an array, expected an object [type]");
}

/// Every value of a tree, by its path.
void Paths(const Json& value, const Json::json_pointer& at,
           std::vector<Json::json_pointer>& paths) {
  paths.push_back(at);
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) Paths(child, at / key, paths);
  } else if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) Paths(value[i], at / i, paths);
  }
}

// Any value at any place gives a report that can be rendered, or an error.
TEST_F(ReadReport, SurvivesAnyValueAnywhere) {
  const Json good = Json::parse(ReportJson(Sample()));
  const MemoryReport sample = Sample();
  std::vector<Json::json_pointer> paths;
  Paths(good, Json::json_pointer(), paths);
  const Json values[] = {nullptr,
                         true,
                         -1,
                         0,
                         1,
                         3.5,
                         "x",
                         "workspace",
                         INT64_MAX,
                         UINT64_MAX,
                         {},
                         Json::array(),
                         Json::object(),
                         {{0, 1}},
                         {0},
                         {{"a", 1}},
                         (int64_t{1} << 60) - 1};
  int accepted = 0;
  for (const Json::json_pointer& path : paths) {
    for (const Json& value : values) {
      Json json = good;
      json[path] = value;
      const auto report = Read(json.dump());
      if (!report) continue;
      ++accepted;
      const ReportDiff diff = DiffReports("old.json", *report, sample);
      EXPECT_FALSE(DiffText(diff, sample).empty());
      ReportExtras extras;
      extras.diff = &diff;
      for (const ReportPool& pool : report->pools) {
        if (pool.peak) extras.why.push_back(ExplainPeak(*report, pool));
      }
      EXPECT_TRUE(Json::accept(ReportJson(sample, {{}, &diff})));
      extras.diff = nullptr;
      EXPECT_TRUE(Json::accept(ReportJson(*report, extras)));
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST_F(ReadReport, SurvivesEveryCut) {
  const std::string text = ReportJson(Sample());
  for (size_t size = 0; size + 2 < text.size(); size += 3) {
    EXPECT_FALSE(Read(text.substr(0, size)));
    EXPECT_THAT(Messages(), HasSubstr("old.json:"));
  }
}

TEST_F(ReadReport, IsNotImpressedBySize) {
  const std::string blanks(kMostReportBytes + 1, '\n');
  EXPECT_FALSE(Read(blanks));
  EXPECT_THAT(Messages(), HasSubstr("old.json:1:1: error: 67108865 bytes, more than the 67108864"));
  std::string deep = "{\"version\": 1, \"pools\": ";
  deep.append(100000, '[');
  EXPECT_FALSE(Read(deep));
  EXPECT_THAT(Messages(), HasSubstr("nested arrays and objects"));
}

}  // namespace
}  // namespace tenon
