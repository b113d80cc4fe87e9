#include "lowering/update_manifest.h"

#include <gtest/gtest.h>

#include "ir/weight_facts.h"

namespace tenon {
namespace {

UpdateManifest Example() {
  UpdateManifest manifest;
  manifest.prefix = "tvmgen_x";
  manifest.identity = 0xfedcba9876543210;
  manifest.code = 7;
  manifest.functions = {{"tvmgen_x_conv", 1}, {"", 2}};
  manifest.constants = {{"w", "int8[3, 4]", 0}, {"b", "int32[4]", 16}};
  manifest.facts = {{"conv", "sums are at most", 4096}};
  manifest.scales = {{"in", 0.1F, -128}};
  manifest.words = {"--target=cortex-m4"};
  return manifest;
}

TEST(UpdateManifest, ComesBackFromItsText) {
  const std::string text = UpdateManifestJson(Example());
  const auto read = ReadUpdateManifest(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(UpdateManifestJson(*read), text);
  EXPECT_EQ(read->identity, 0xfedcba9876543210);
  EXPECT_EQ(read->scales[0].scale, 0.1F);
  EXPECT_TRUE(UpdateObstacles(Example(), *read).empty());
}

TEST(UpdateManifest, NamesEachObstacle) {
  UpdateManifest now = Example();
  now.identity = 1;
  now.constants[0].type = "int16[3, 4]";
  now.constants[1].offset = 32;
  now.functions = {{"tvmgen_x_conv", 9}, {"tvmgen_x_more", 3}, {"", 5}};
  const std::vector<std::string> expected = {
      "constant `w`: expected int8[3, 4], found int16[3, 4]",
      "constant `b`: expected at byte 16, found at byte 32",
      "the code of `tvmgen_x_conv` differs",
      "the code of `tvmgen_x_more` differs",
      "the interface or the memory plan differs",
  };
  EXPECT_EQ(UpdateObstacles(Example(), now), expected);
}

TEST(UpdateManifest, AnotherIdentityAloneIsAnObstacle) {
  UpdateManifest now = Example();
  now.identity = 1;
  EXPECT_EQ(UpdateObstacles(Example(), now).size(), 1U);
}

TEST(UpdateManifest, RefusesWrongMembers) {
  std::string text = UpdateManifestJson(Example());
  text.replace(text.find("\"fedc"), 18, "\"fedcba987654321g\"");
  EXPECT_FALSE(ReadUpdateManifest(text).ok());
  EXPECT_FALSE(ReadUpdateManifest("[]").ok());
  EXPECT_FALSE(ReadUpdateManifest("{\"tenon_update\": \"1\"}").ok());
}

TEST(WeightFacts, AnEarlierFactStaysAsLongAsItHolds) {
  WeightFacts facts({{"conv", "sums are at most", 4096}, {"dense", "sums are at most", 16}});
  const auto choose = [&](std::string_view where, int64_t found) {
    return facts.Choose(where, "sums are at most", 2 * found, found,
                        [&](int64_t number) { return found <= number; });
  };
  EXPECT_EQ(choose("conv", 4096), 4096);
  EXPECT_EQ(choose("dense", 17), 34);
  EXPECT_EQ(choose("new", 5), 10);
  const std::vector<std::string> broken = {
      "`dense`: sums are at most 16 in the code, but 17 with the new constants"};
  EXPECT_EQ(facts.broken(), broken);
  EXPECT_EQ(facts.used().size(), 3U);
}

}  // namespace
}  // namespace tenon
