#include "support/whole_number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace tenon {
namespace {

TEST(WholeNumberTest, NumbersOfTheType) {
  EXPECT_EQ(WholeNumber<int64_t>("0"), 0);
  EXPECT_EQ(WholeNumber<int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(WholeNumber<uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(WholeNumber<double>("-1.5e3"), -1500.0);
}

TEST(WholeNumberTest, OtherTextsAreNoNumbers) {
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "0x10", "-", "9223372036854775808"})
    EXPECT_EQ(WholeNumber<int64_t>(text), std::nullopt) << text;
  EXPECT_EQ(WholeNumber<uint64_t>("-1"), std::nullopt);
}

}  // namespace
}  // namespace tenon
