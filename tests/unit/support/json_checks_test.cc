#include "support/json_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon {
namespace {

using ::testing::HasSubstr;

class JsonChecksTest : public ::testing::Test {
 protected:
  JsonChecks Open(std::string_view text) {
    root_ = *ParseJson(text, {.duplicates = JsonDuplicates::kKeepAll});
    return {**sources_.Add("f.json", text, nullptr), diagnostics_};
  }
  std::string Errors() const { return Render(sources_, diagnostics_); }

  SourceManager sources_;
  Diagnostics diagnostics_;
  JsonValue root_;
};

TEST_F(JsonChecksTest, GivesWhatIsRight) {
  const JsonChecks checks = Open(R"([5, "s", true, [], {}])");
  const JsonValue::Array& list = *checks.List("root", root_);
  EXPECT_EQ(checks.Integer("a", list[0], 5, 5), 5);
  EXPECT_EQ(*checks.Text("b", list[1]), "s");
  EXPECT_EQ(checks.Bool("c", list[2]), true);
  EXPECT_NE(checks.List("d", list[3]), nullptr);
  EXPECT_NE(checks.Object("e", list[4]), nullptr);
  EXPECT_EQ(Errors(), "");
}

TEST_F(JsonChecksTest, PointsAtWhatIsWrong) {
  const JsonChecks checks = Open(R"([7, "", "s", null, 1.5, 99999999999999999999])");
  const JsonValue::Array& list = *root_.as_array();
  EXPECT_FALSE(checks.Integer("a", list[0], 0, 6));
  EXPECT_EQ(checks.Text("b", list[1]), nullptr);
  EXPECT_FALSE(checks.Integer("c", list[2], 0, 6));
  EXPECT_EQ(checks.List("d", list[3]), nullptr);
  EXPECT_FALSE(checks.Integer("e", list[4], 0, 6));
  EXPECT_FALSE(checks.Integer("f", list[5], 0, 6));
  EXPECT_FALSE(checks.Bool("g", list[0]));
  EXPECT_EQ(checks.Object("h", list[0]), nullptr);
  EXPECT_EQ(checks.Text("i", list[0]), nullptr);
  for (const char* expected :
       {"f.json:1:2: error: a is 7, expected an integer from 0 to 6 [literal]",
        "f.json:1:5: error: b is empty [literal]",
        "f.json:1:9: error: c is a string, expected an integer [type]",
        "f.json:1:14: error: d is null, expected an array [type]",
        "f.json:1:20: error: e is 1.5, expected an integer from 0 to 6 [literal]",
        "f.json:1:25: error: f is 99999999999999999999, expected an integer from 0 to 6",
        "f.json:1:2: error: g is an integer, expected true or false [type]",
        "f.json:1:2: error: h is an integer, expected an object [type]",
        "f.json:1:2: error: i is an integer, expected a string [type]"}) {
    EXPECT_THAT(Errors(), HasSubstr(expected));
  }
}

TEST_F(JsonChecksTest, MembersComeOnceAndAreFew) {
  const JsonChecks checks = Open(R"({"a": 1, "b": 2, "a": 3})");
  const JsonValue::Object& members = *checks.Object("root", root_);
  EXPECT_FALSE(checks.IsDuplicate(members, 0));
  EXPECT_FALSE(checks.IsDuplicate(members, 1));
  EXPECT_TRUE(checks.IsDuplicate(members, 2));
  EXPECT_THAT(Errors(), HasSubstr("f.json:1:18: error: `a` is given already [duplicate-name]"));
  EXPECT_THAT(Errors(), HasSubstr("f.json:1:2: note: given here"));

  std::string many = "{";
  for (int i = 0; i < 65; ++i) many += "\"k" + std::to_string(i) + "\": 0,";
  many.back() = '}';
  const JsonChecks more = Open(many);
  EXPECT_EQ(more.Object("it", root_), nullptr);
  EXPECT_THAT(Errors(), HasSubstr("it has 65 members, more than the limit of 64 [limit]"));
}

}  // namespace
}  // namespace tenon
