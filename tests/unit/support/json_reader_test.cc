#include "support/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/support/io_test_util.h"

namespace tenon {
namespace {

using ::testing::HasSubstr;

/// All values and keys of a tree as `kind@offset`, in the order of the text.
void Collect(const JsonValue& value, std::string* out) {
  *out += std::string(value.kind_name()) + "@" + std::to_string(value.offset()) + " ";
  if (const auto* array = value.as_array()) {
    for (const JsonValue& element : *array) Collect(element, out);
  }
  if (const auto* members = value.as_object()) {
    for (const JsonMember& member : *members) {
      *out += member.key + "@" + std::to_string(member.key_offset) + " ";
      Collect(member.value, out);
    }
  }
}

std::string Offsets(std::string_view text) {
  const absl::StatusOr<JsonValue> value = ParseJson(text);
  if (!value.ok()) return Message(value.status());
  std::string out;
  Collect(*value, &out);
  return out;
}

TEST(JsonReaderTest, EveryValueKnowsItsPlace) {
  EXPECT_EQ(Offsets("  null "), "null@2 ");
  EXPECT_EQ(Offsets("[1,2 , 3]"), "array@0 integer@1 integer@3 integer@7 ");
  EXPECT_EQ(Offsets("[[],[[1]],2]"), "array@0 array@1 array@4 array@5 integer@6 integer@10 ");
  EXPECT_EQ(Offsets(R"({"a": {"b" : [true , "x]"]}, "c":-1.5})"),
            "object@0 a@1 object@6 b@7 array@13 boolean@14 string@21 c@29 number@33 ");
  EXPECT_EQ(Offsets("{ }"), "object@0 ");
  EXPECT_EQ(Offsets("[12\n,{\"k\"\n:\n3}\n]"), "array@0 integer@1 object@5 k@6 integer@12 ");
}

TEST(JsonReaderTest, ValuesOfAllKinds) {
  const absl::StatusOr<JsonValue> json = ParseJson(
      R"({"i": -5, "big": 9223372036854775807, "huge": 9223372036854775808, "over": 1e20,
          "f": 2.5, "whole": 2.0, "s": "a\"\u00e9\n", "t": true, "n": null, "l": [1]})");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(json->Find("i")->as_int64(), -5);
  EXPECT_EQ(json->Find("big")->as_int64(), INT64_MAX);
  EXPECT_EQ(json->Find("huge")->as_int64(), std::nullopt);
  EXPECT_EQ(json->Find("huge")->as_double(), 9223372036854775808.0);
  EXPECT_EQ(json->Find("over")->as_int64(), std::nullopt);
  EXPECT_EQ(json->Find("f")->as_double(), 2.5);
  EXPECT_EQ(json->Find("i")->as_double(), -5.0);
  EXPECT_EQ(json->Find("whole")->as_int64(), std::nullopt);
  EXPECT_EQ(*json->Find("s")->as_string(), "a\"\xc3\xa9\n");
  EXPECT_EQ(*json->Find("t")->as_bool(), true);
  EXPECT_TRUE(json->Find("n")->is_null());
  EXPECT_EQ(json->Find("l")->as_array()->size(), 1u);
  EXPECT_EQ(json->Find("none"), nullptr);
  EXPECT_EQ(json->Find("s")->Find("x"), nullptr);
  EXPECT_EQ(json->Find("s")->as_double(), std::nullopt);
}

struct Broken {
  const char* text;
  size_t offset;
  const char* message;
};

TEST(JsonReaderTest, FaultsAreNamedAndLocated) {
  const Broken kBroken[] = {
      {"", 0, "expected a value, found the end of the JSON"},
      {"[1,", 3, "expected a value, found the end of the JSON"},
      {"[1, 2", 5, "expected `,` or `]`, found the end of the JSON"},
      {"{\"a\": 1", 7, "expected `,` or `}`, found the end of the JSON"},
      {"[1, x]", 4, "expected a value, found `x`"},
      {"[nul, 1]", 1, "expected a value, found `nul`"},
      {"[1] 2", 4, "expected the end of the JSON, found `2`"},
      {"{\"a\" 1}", 5, "expected `:` after the key, found `1`"},
      {"{\"a\" \"b\"}", 5, "expected `:` after the key, found `\"b\"`"},
      {"{a: 1}", 1, "expected a key in double quotes, found `a`"},
      {"{\"a\": 1 \"b\": 2}", 8, "expected `,` or `}`, found `\"b\"`"},
      {"[1,]", 3, "expected a value, found `]`"},
      {"[1,,2]", 3, "expected a value, found `,`"},
      {"[1e999]", 5, "expected a number of at most 1.8e308"},
      {"[1.x]", 3, "expected a digit in the number, found `x`"},
      {"\"\xff\"", 1, "expected UTF-8 in the string, found the byte 0xff"},
      {"\"a\nb\"", 2, "expected an escape such as `\\n` in the string"},
      {"\"\\q\"", 2, "after the backslash, found `q`"},
      {"{\"a\": 1, \"b\": 2, \"a\": 3}", 17, "duplicate key `a`"},
      {"[{\"z\":1,\"y\":1,\"z\":1,\"y\":1}]", 14, "duplicate key `z`"},
      {"NaN", 0, "expected a value, found `NaN`"},
  };
  for (const auto& [text, offset, message] : kBroken) {
    JsonError error;
    const absl::Status status = ParseJson(text, {}, &error).status();
    EXPECT_THAT(error.message, HasSubstr(message)) << text;
    EXPECT_EQ(error.offset, offset) << text;
    EXPECT_EQ(Message(status), "at byte " + std::to_string(offset) + ": " + error.message);
  }
}

TEST(JsonReaderTest, DuplicatesMayBeKept) {
  const absl::StatusOr<JsonValue> json =
      ParseJson("{\"a\": 1, \"a\": 2}", {.duplicates = JsonDuplicates::kKeepAll});
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->as_object()->size(), 2u);
  EXPECT_EQ(json->Find("a")->as_int64(), 1);
}

TEST(JsonReaderTest, Limits) {
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  EXPECT_TRUE(ParseJson(deep).ok());
  JsonError error;
  EXPECT_FALSE(ParseJson("[" + deep + "]", {}, &error).ok());
  EXPECT_EQ(error.offset, 64u);
  EXPECT_THAT(error.message, HasSubstr("more than 64 nested"));
  // Far deeper than a stack allows: parsing stops at the limit.
  EXPECT_FALSE(ParseJson(std::string(10'000'000, '[')).ok());
  EXPECT_FALSE(ParseJson("[1,2,3]", {.max_values = 3}, &error).ok());
  EXPECT_EQ(error.offset, 5u);
  EXPECT_TRUE(ParseJson("[1,2,3]", {.max_values = 4}).ok());
  EXPECT_THAT(Message(ParseJson("[1,2,3]", {.max_bytes = 6}).status()),
              HasSubstr("more than the limit of 6"));
}

TEST(JsonReaderTest, LongTokensDoNotMakeLongMessages) {
  const std::string text = "[\"" + std::string(100000, 'a') + "\x01\"]";
  JsonError error;
  EXPECT_FALSE(ParseJson(text, {}, &error).ok());
  EXPECT_LT(error.message.size(), 201u);
  EXPECT_EQ(error.offset, 100002u);
}

constexpr std::string_view kSample =
    R"({"w0": {"dtype": "I8", "shape": [3, 4], "f": -1.25e3}, "l": [[], {}, null, true, "\u20ac\ud83d\ude00"]})";

TEST(JsonReaderTest, EveryPrefixIsRefused) {
  ASSERT_TRUE(ParseJson(kSample).ok());
  for (size_t size = 0; size < kSample.size(); ++size) {
    JsonError error;
    EXPECT_FALSE(ParseJson(kSample.substr(0, size), {}, &error).ok()) << size;
    EXPECT_LE(error.offset, size);
  }
}

TEST(JsonReaderTest, MutationsParseOrAreLocated) {
  std::mt19937 random(17);
  for (int i = 0; i < 5000; ++i) {
    const std::string text = Mutate(std::string(kSample), random);
    JsonError error;
    const absl::StatusOr<JsonValue> json = ParseJson(text, {}, &error);
    if (json.ok()) {
      EXPECT_LT(json->offset(), text.size());
    } else {
      EXPECT_LE(error.offset, text.size());
      EXPECT_FALSE(error.message.empty());
    }
  }
}

TEST(JsonReaderTest, LongListsAreHandedOutElementByElement) {
  std::string seen;
  const auto sink = [&](const JsonMember& list, JsonValue& element) {
    Collect(element, &(seen += list.key + ":"));
    return true;
  };
  JsonLimits limits;
  limits.max_values = 9;  // the eight that are kept, and one element
  const absl::StatusOr<JsonValue> root = ParseJsonLists(
      R"({"a": [1, {"x": 2}, [3]], "b": {"c": [4]}, "d": [], "e": 5, "f": ["s", "t", "u", "v"]})",
      sink, limits);
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(seen,
            "a:integer@7 a:object@10 x@11 integer@16 a:array@20 integer@21 "
            "f:string@66 f:string@71 f:string@76 f:string@81 ");
  std::string kept;
  Collect(*root, &kept);
  EXPECT_EQ(kept,
            "object@0 a@1 array@6 b@26 object@31 c@32 array@37 integer@38 d@43 array@48 "
            "e@52 integer@57 f@60 array@65 ");
}

TEST(JsonReaderTest, ASinkMayEndTheParsing) {
  int count = 0;
  const auto sink = [&](const JsonMember&, JsonValue&) { return ++count < 2; };
  EXPECT_TRUE(ParseJsonLists(R"({"a": [1, 2, 3)", sink).ok());
  EXPECT_EQ(count, 2);
}

TEST(JsonReaderTest, TokensEndWhereTheyDo) {
  const std::string_view text = R"([12,"a\"b",{"k":true}])";
  EXPECT_EQ(EndOfJsonToken(text, 0), 1u);
  EXPECT_EQ(EndOfJsonToken(text, 1), 3u);
  EXPECT_EQ(EndOfJsonToken(R"(["a\"b", 1])", 1), 7u);
  EXPECT_EQ(EndOfJsonToken("[true]", 1), 5u);
  EXPECT_EQ(EndOfJsonToken("\"ab", 0), 3u);
  EXPECT_EQ(EndOfJsonToken("1", 9), 1u);
}

}  // namespace
}  // namespace tenon
