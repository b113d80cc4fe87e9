#include "parser/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "ir/structural.h"
#include "parser/python_bytes.h"
#include "printer/metadata_text.h"
#include "tests/unit/support/corpus.h"

namespace tenon {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class MetadataTest : public ::testing::Test {
 protected:
  bool Parse(std::string_view body, MetadataTable* table) {
    diagnostics_.Clear();
    const bool ok = ParseMetadata(context_, arena_, body, 1000, diagnostics_, table);
    EXPECT_EQ(ok, !diagnostics_.has_errors());
    return ok;
  }
  std::string ErrorOf(std::string_view nodes, std::string_view root = "1") {
    MetadataTable table;
    const std::string json = "{\"root\": " + std::string(root) +
                             ", \"nodes\": [{\"type_key\": \"\"}, " + std::string(nodes) +
                             "], \"b64ndarrays\": []}";
    if (Parse(json, &table)) return "";
    EXPECT_EQ(diagnostics_.all()[0].kind, DiagnosticKind::kMetadata);
    return diagnostics_.all()[0].message;
  }
  std::string Print(const MetadataTable& table, std::span<const std::string_view> keys) {
    std::vector<MetadataObjects> objects;
    for (const std::string_view key : keys) {
      objects.push_back({key, {}});
      for (int64_t i = 0; i < table.CountOf(key); ++i) {
        objects.back().objects.push_back(table.Find(key, i));
      }
    }
    Sink sink;
    AppendMetadata(objects, "0.15.0", sink);
    return sink.Take();
  }

  Context context_;
  Arena arena_;
  Diagnostics diagnostics_;
};

constexpr std::string_view kStart = "metadata = tvm.ir.load_json(\"\"\"";

std::string_view BodyOf(std::string_view text) {
  const size_t begin = text.find("\"\"\"") + 3;
  return text.substr(begin, text.find("\"\"\"", begin) - begin);
}

TEST_F(MetadataTest, DecodesPythonLiterals) {
  EXPECT_EQ(DecodePythonBytes("a\\\"b\\\\c\\x41\\n\\\nd\\101\\q"), "a\"b\\cA\ndA\\q");
  EXPECT_EQ(DecodePythonBytes("\\"), "\\");
  EXPECT_EQ(DecodePythonBytes("\\xZ1\\x4"), "\\xZ1\\x4");
  EXPECT_EQ(PythonSourceOffset("ab\\x41cd", 3), 6);
  EXPECT_EQ(PythonSourceOffset("ab", 10), 2);
}

TEST_F(MetadataTest, SharesNodesAndTypesFields) {
  MetadataTable table;
  ASSERT_TRUE(Parse(R"({"root": 1, "nodes": [{"type_key": ""},
      {"type_key": "Map", "keys": ["ir.WorkspacePoolInfo", "runtime.String"], "data": [2, 5]},
      {"type_key": "Array", "data": [3, 3]},
      {"type_key": "ir.WorkspacePoolInfo", "attrs": {"pool_name": "4", "is_internal": "1",
          "size_hint_bytes": "6", "targets": "0"}},
      {"type_key": "runtime.String", "repr_str": "sram"},
      {"type_key": "Array", "data": [4, 7, 8]},
      {"type_key": "IntImm", "attrs": {"dtype": "int32", "span": "0", "value": "-1"}},
      {"type_key": "runtime.String"},
      {"type_key": "runtime.String", "repr_b64": "YQpi"}],
      "b64ndarrays": [], "attrs": {"tvm_version": "0.15.0"}})",
                    &table));
  const auto* pool = cast<ObjectAttr>(table.Find("ir.WorkspacePoolInfo", 0));
  EXPECT_EQ(table.Find("ir.WorkspacePoolInfo", 1), pool);
  EXPECT_EQ(table.Find("ir.WorkspacePoolInfo", 2), nullptr);
  EXPECT_EQ(table.Find("ir.WorkspacePoolInfo", -1), nullptr);
  EXPECT_EQ(table.Find("other", 0), nullptr);
  EXPECT_EQ(pool->type_key.view(), "ir.WorkspacePoolInfo");
  EXPECT_EQ(pool->fields->Find("pool_name"), table.Find("runtime.String", 0));
  EXPECT_EQ(*AsInt(pool->fields->Find("size_hint_bytes")), -1);
  EXPECT_TRUE(IsTrue(pool->fields->Find("is_internal")));
  EXPECT_TRUE(isa<NoneAttr>(pool->fields->Find("targets")));
  EXPECT_EQ(*AsString(table.Find("runtime.String", 1)), "");
  EXPECT_EQ(*AsString(table.Find("runtime.String", 2)), "a\nb");
  const std::string_view keys[] = {"ir.WorkspacePoolInfo", "runtime.String"};
  const std::string text = Print(table, keys);
  EXPECT_THAT(text, StartsWith(kStart));
  EXPECT_THAT(text, HasSubstr("\\\"repr_b64\\\": \\\"YQpi\\\""));
  MetadataTable again;
  ASSERT_TRUE(Parse(BodyOf(text), &again));
  EXPECT_EQ(Print(again, keys), text);
}

TEST_F(MetadataTest, KeepsRecordsOfUnknownTypes) {
  MetadataTable table;
  ASSERT_TRUE(Parse(R"({"root": 1, "nodes": [{"type_key": ""},
      {"type_key": "Map", "keys": ["my.Thing"], "data": [2]},
      {"type_key": "Array", "data": [3, 5, 6]},
      {"type_key": "my.Thing", "attrs": {"child": "4", "count": "12345", "name": "x \\\"y\\\" \\\\"}},
      {"type_key": "runtime.String", "repr_str": "leaf"},
      {"type_key": "my.Thing", "attrs": {"child": "0", "count": "-1", "name": "007"}},
      {"type_key": "my.Name", "repr_str": "op"}]})",
                    &table));
  const auto* thing = cast<ObjectAttr>(table.Find("my.Thing", 0));
  EXPECT_EQ(*AsString(thing->fields->Find("child")), "leaf");
  EXPECT_EQ(*AsInt(thing->fields->Find("count")), 12345);
  const std::string_view keys[] = {"my.Thing"};
  const std::string text = Print(table, keys);
  MetadataTable again;
  ASSERT_TRUE(Parse(BodyOf(text), &again)) << text;
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(StructuralEqual(table.Find("my.Thing", i), again.Find("my.Thing", i))) << text;
  }
  EXPECT_EQ(Print(again, keys), text);
}

// The printed nodes may be more than were read, other nodes, or in another order. A number may then
// look like the index of a node, and an index like a number.
TEST_F(MetadataTest, KindsOfUnlistedFieldsComeBack) {
  constexpr std::string_view kKeys[] = {"a", "b"};
  constexpr std::string_view kTexts[] = {
      // 5 is not the index of a node here. The printed text has one more node, with index 5.
      R"({"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Map", "keys": ["a", "b"],
          "data": [2, 3]}, {"type_key": "Array", "data": [4, 4]}, {"type_key": "Array",
          "data": [2]}, {"type_key": "my.Info", "attrs": {"number": "5"}}], "b64ndarrays": []})",
      // The string comes after the record here, but first in the printed text.
      R"({"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Map", "keys": ["b", "a"],
          "data": [2, 3]}, {"type_key": "Array", "data": [4]}, {"type_key": "Array",
          "data": [5, 4]}, {"type_key": "my.Info", "attrs": {"name": "5"}},
          {"type_key": "runtime.String", "repr_str": "x"}], "b64ndarrays": []})"};
  for (const std::string_view text : kTexts) {
    MetadataTable table;
    ASSERT_TRUE(Parse(text, &table)) << text;
    const std::string printed = Print(table, kKeys);
    MetadataTable again;
    ASSERT_TRUE(Parse(BodyOf(printed), &again)) << printed;
    for (const std::string_view key : kKeys) {
      ASSERT_EQ(again.CountOf(key), table.CountOf(key));
      for (int64_t i = 0; i < table.CountOf(key); ++i) {
        EXPECT_TRUE(StructuralEqual(table.Find(key, i), again.Find(key, i))) << printed;
      }
    }
    EXPECT_EQ(Print(again, kKeys), printed);
  }
}

TEST_F(MetadataTest, RefusesBrokenGraphs) {
  EXPECT_THAT(ErrorOf(R"({"type_key": "Array", "data": [1]})"), HasSubstr("contains itself"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Array", "data": [2]}, {"type_key": "Array", "data": [1]})"),
              HasSubstr("contains itself"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Array", "data": [99]})"), HasSubstr("index"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Array", "data": [-1]})"), HasSubstr("index"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Array", "data": ["0"]})"), HasSubstr("index"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Array", "data": 3})"), HasSubstr("expected an array"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Array"})"), HasSubstr("not a map"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Array"})", "7"), HasSubstr("root"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Array"})", "\"1\""), HasSubstr("root"));
  EXPECT_THAT(ErrorOf(R"({"no": 1})"), HasSubstr("type_key"));
  EXPECT_THAT(ErrorOf(R"(7)"), HasSubstr("type_key"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Map", "keys": ["a"], "data": []})"), HasSubstr("differ"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Map", "keys": [1], "data": [0]})"), HasSubstr("a key"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Map", "data": [0]})"), HasSubstr("differ"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Map", "keys": "a", "data": [0]})"),
              HasSubstr("expected an array"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Map", "keys": ["a"], "data": [0]})"), HasSubstr("map of"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Executor", "attrs": {"name": "70"}})"), HasSubstr("`70`"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Executor", "attrs": {"name": 1}})"), HasSubstr("a string"));
  EXPECT_THAT(ErrorOf(R"({"type_key": "Executor", "attrs": []})"), HasSubstr("expected an object"));
  MetadataTable table;
  EXPECT_FALSE(Parse("{", &table));
  EXPECT_FALSE(Parse("[]", &table));
  EXPECT_FALSE(Parse("", &table));
  EXPECT_FALSE(Parse("{\"nodes\": [], \"root\": 0}", &table));
}

TEST_F(MetadataTest, RefusesBrokenValues) {
  for (const char* node :
       {R"({"type_key": "IntImm", "attrs": {"dtype": "int8", "value": "128"}})",
        R"({"type_key": "IntImm", "attrs": {"dtype": "float32", "value": "1"}})",
        R"({"type_key": "IntImm", "attrs": {"dtype": "int8", "value": "x"}})",
        R"({"type_key": "IntImm", "attrs": {"dtype": "int8"}})", R"({"type_key": "IntImm"})",
        R"({"type_key": "FloatImm", "attrs": {"dtype": "int8", "value": "1"}})",
        R"({"type_key": "runtime.String", "repr_str": 3})",
        R"({"type_key": "runtime.String", "repr_b64": "YQ"})", R"({"type_key": "runtime.NDArray"})",
        R"({"type_key": "runtime.NDArray", "repr_str": "P6G0"})",
        R"({"type_key": "runtime.NDArray", "repr_str": "%%%%"})",
        R"({"type_key": "runtime.BoxInt", "repr_str": "a"})",
        R"({"type_key": "runtime.BoxFloat", "repr_str": "1.5x"})",
        R"({"type_key": "FloatImm", "attrs": {"dtype": "float32", "value": "x"}})",
        R"({"type_key": "tir.StringImm", "attrs": {"value": "1"}})",
        R"({"type_key": "ir.ConstantInfo", "attrs": {"data": "0"}})",
        R"({"type_key": "ir.WorkspacePoolInfo", "attrs": {"is_internal": "yes"}})"}) {
    EXPECT_NE(ErrorOf(std::string(R"({"type_key": "Array", "data": [2]}, )") + node), "") << node;
  }
}

TEST_F(MetadataTest, BoxesAndImmediatesKeepTheirValues) {
  MetadataTable table;
  ASSERT_TRUE(Parse(R"({"root": 1, "nodes": [{"type_key": ""},
      {"type_key": "Map", "keys": ["x"], "data": [2]},
      {"type_key": "Array", "data": [3, 4, 5, 6, 7]},
      {"type_key": "runtime.BoxInt", "repr_str": "-7"},
      {"type_key": "runtime.BoxBool", "repr_str": "1"},
      {"type_key": "runtime.BoxFloat", "repr_str": "2.5"},
      {"type_key": "FloatImm", "attrs": {"dtype": "float32", "value": "0.25"}},
      {"type_key": "IntImm", "attrs": {"dtype": "uint64", "value": "18446744073709551615"}}],
      "b64ndarrays": []})",
                    &table));
  EXPECT_EQ(cast<IntAttr>(table.Find("x", 0))->value, -7);
  EXPECT_TRUE(cast<BoolAttr>(table.Find("x", 1))->value);
  EXPECT_EQ(cast<FloatAttr>(table.Find("x", 2))->value, 2.5);
  const auto* real = cast<FloatImm>(cast<ExprAttr>(table.Find("x", 3))->value);
  EXPECT_EQ(real->value, 0.25);
  EXPECT_EQ(real->dtype, DataType::Float(32));
  const auto* large = cast<IntImm>(cast<ExprAttr>(table.Find("x", 4))->value);
  EXPECT_EQ(static_cast<uint64_t>(large->value), 18446744073709551615U);
  const std::string_view keys[] = {"x"};
  const std::string text = Print(table, keys);
  EXPECT_THAT(text, HasSubstr("runtime.BoxBool"));
  MetadataTable again;
  ASSERT_TRUE(Parse(BodyOf(text), &again));
  EXPECT_EQ(Print(again, keys), text);
}

TEST_F(MetadataTest, GraphsThatUnfoldWithoutEndAreRefused) {
  std::string nodes;
  for (int i = 1; i < 64; ++i) {
    nodes += "{\"type_key\": \"Array\", \"data\": [" + std::to_string(i + 1) + ", " +
             std::to_string(i + 1) + "]}, ";
  }
  EXPECT_THAT(ErrorOf(nodes + "{\"type_key\": \"Array\"}"), HasSubstr("unfolds"));
  nodes.clear();
  for (int i = 1; i < 150000; ++i) {
    nodes += "{\"type_key\": \"Array\", \"data\": [" + std::to_string(i + 1) + "]}, ";
  }
  EXPECT_THAT(ErrorOf(nodes + "{\"type_key\": \"Array\"}"), HasSubstr("unfolds"));
}

TEST_F(MetadataTest, ErrorsPointIntoTheLiteral) {
  MetadataTable table;
  const std::string body =
      R"({\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Array\", \"data\": [9]}]})";
  EXPECT_FALSE(Parse(body, &table));
  EXPECT_EQ(diagnostics_.all()[0].range.begin, 1000 + body.find("9]"));
}

std::vector<std::filesystem::path> AllCorpusTexts() {
  std::vector<std::filesystem::path> texts;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(CorpusFolder() / "models", ignored)) {
    if (entry.path().extension() == ".py") texts.push_back(entry.path());
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_F(MetadataTest, ReproducesTheMetadataOfTheCorpus) {
  if (AllCorpusTexts().empty()) GTEST_SKIP() << "no corpus; set TENON_CORPUS_DIR";
  int count = 0;
  for (const auto& path : AllCorpusTexts()) {
    const std::string text = Contents(path);
    if (!text.starts_with(kStart)) continue;
    const std::string_view body = BodyOf(text);
    MetadataTable table;
    ASSERT_TRUE(Parse(body, &table)) << path << diagnostics_.all()[0].message;
    const bool raw = path.filename() == "module_raw_metadata.py";
    std::vector<std::string_view> keys = {"ir.WorkspacePoolInfo", "runtime.NDArray"};
    if (raw) keys = {"runtime.NDArray", "Runtime", "relay.backend.FunctionInfo", "Executor"};
    const std::string printed = Print(table, keys);
    EXPECT_EQ(printed, text.substr(0, printed.size())) << path;
    ++count;
  }
  EXPECT_EQ(count, 9);
}

TEST_F(MetadataTest, MutatedMetadataEndsInDiagnostics) {
  std::string good =
      R"({"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Map", "keys": ["a", "b"], "data": [2, 3]},
 {"type_key": "Array", "data": [4, 5, 6]}, {"type_key": "Array", "data": [7]},
 {"type_key": "runtime.NDArray", "repr_str": "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAgAQABAAAAAAAAAAQAAAAAAAAABwAAAA=="},
 {"type_key": "ir.ConstantInfo", "attrs": {"name_hint": "6", "byte_offset": "0", "data": "0"}},
 {"type_key": "runtime.String", "repr_str": "x"}, {"type_key": "Map", "data": [6, 5]}],
 "b64ndarrays": ["P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAgAQABAAAAAAAAAAQAAAAAAAAABwAAAA=="]})";
  MetadataTable table;
  ASSERT_TRUE(Parse(good, &table)) << diagnostics_.all()[0].message;
  const std::string_view keys[] = {"a", "b"};
  MetadataTable again;
  ASSERT_TRUE(Parse(BodyOf(Print(table, keys)), &again));
  std::mt19937_64 random(5);
  const std::string_view alphabet = "0123456789\"\\[]{}:,-.ex AQ=";
  for (int i = 0; i < 5000; ++i) {
    std::string text = good;
    for (uint64_t n = 1 + random() % 4; n > 0; --n) {
      const size_t at = random() % text.size();
      if (random() % 4 == 0) {
        text.erase(at, 1 + random() % 3);
      } else {
        text[at] = alphabet[random() % alphabet.size()];
      }
    }
    MetadataTable mutated;
    Parse(text, &mutated);
    if (!diagnostics_.has_errors()) Print(mutated, keys);
  }
}

}  // namespace
}  // namespace tenon
