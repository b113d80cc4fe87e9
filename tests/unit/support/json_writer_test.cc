#include "support/json_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/json_reader.h"

namespace tenon {
namespace {

TEST(JsonWriterTest, WritesMembersInOrder) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Member("z", 1);
  json.Member("a", "text");
  json.Member("yes", true);
  json.Member("least", INT64_MIN);
  json.Key("none");
  json.Null();
  json.Key("list");
  json.List(std::vector<int>{1, 2}, [&](int number) { json.Value(number); });
  json.EndObject();
  EXPECT_EQ(out, R"({"z": 1, "a": "text", "yes": true, "least": -9223372036854775808, )"
                 R"("none": null, "list": [1, 2]})");
}

TEST(JsonWriterTest, IndentsLinesByOneSpaceForEachLevel) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject(JsonLayout::kLines);
  json.Member("version", 1);
  json.Key("items");
  json.List(std::vector<int>{1, 2}, JsonLayout::kLines, [&](int number) {
    json.BeginObject();
    json.Member("n", number);
    json.BreakLine();
    json.Member("m", number);
    json.EndObject();
  });
  json.Key("empty");
  json.List(std::vector<int>(), JsonLayout::kLines, [&](int number) { json.Value(number); });
  json.EndObject();
  EXPECT_EQ(out, R"({
 "version": 1,
 "items": [
  {"n": 1,
   "m": 1},
  {"n": 2,
   "m": 2}
 ],
 "empty": []
})");
}

TEST(JsonWriterTest, WritesCompactTextAndTextOnLines) {
  const auto write = [](JsonLayout layout) {
    std::string out;
    JsonWriter json(out, layout);
    json.BeginObject();
    json.Member("a", std::vector<int64_t>{1, 2});
    json.Member("b", std::vector<std::optional<int64_t>>{std::nullopt, 3});
    json.Key("c");
    json.BeginObject();
    json.EndObject();
    json.EndObject();
    return out;
  };
  EXPECT_EQ(write(JsonLayout::kCompact), R"({"a":[1,2],"b":[null,3],"c":{}})");
  EXPECT_EQ(write(JsonLayout::kLines), R"({
 "a": [
  1,
  2
 ],
 "b": [
  null,
  3
 ],
 "c": {}
})");
}

TEST(JsonWriterTest, KeysMayBeAnyText) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Member("a \"b\"\n", 1);
  json.EndObject();
  EXPECT_EQ(out, R"({"a \"b\"\n": 1})");
}

TEST(JsonWriterTest, KnowsUtf8) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8("a\x01\x7f"));
  EXPECT_TRUE(IsUtf8("\xe2\x82\xac"));
  EXPECT_FALSE(IsUtf8("\xff"));
  EXPECT_FALSE(IsUtf8("\xe2\x82"));
}

TEST(JsonWriterTest, NumbersStayReal) {
  std::string out;
  JsonWriter json(out);
  json.BeginList();
  for (const double number : {0.0, 3.0, 0.1, 1e300}) json.Value(number);
  json.EndList();
  EXPECT_EQ(out, "[0.0, 3.0, 0.1, 1e+300]");
}

TEST(JsonWriterTest, AnyTextIsReadBack) {
  std::string text;
  for (int c = 0; c < 128; ++c) text += static_cast<char>(c);
  text += "\xe2\x82\xac";
  std::string out;
  JsonWriter(out).Value(text);
  const absl::StatusOr<JsonValue> read = ParseJson(out);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read->as_string(), text);
  out.clear();
  JsonWriter(out).Value("\xff");
  EXPECT_EQ(out, "\"\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace tenon
