#include "ir/dtype.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(DataTypeTest, TextRoundTrips) {
  for (const char* text :
       {"int8", "uint16", "float32x4", "bfloat16", "e4m3_float8", "e5m2_float8x8", "bool",
        "uint1x4", "handle", "void", "float32xvscalex4", "int4", "int32x64"}) {
    const std::optional<DataType> dtype = DataType::Parse(text);
    ASSERT_TRUE(dtype.has_value()) << text;
    EXPECT_EQ(dtype->ToString(), text);
  }
}

TEST(DataTypeTest, OtherSpellings) {
  EXPECT_EQ(DataType::Parse(""), DataType::Void());
  EXPECT_EQ(DataType::Parse("int"), DataType::Int(32));
  EXPECT_EQ(DataType::Parse("float"), DataType::Float(32));
  EXPECT_EQ(DataType::Parse("boolx4"), DataType::Bool(4));
  EXPECT_EQ(DataType::Parse("float8_e4m3fn"), DataType(TypeCode::kE4M3Float, 8));
  EXPECT_EQ(DataType::Parse("handle64"), DataType::Handle());
}

TEST(DataTypeTest, RefusesNonsense) {
  for (const char* text :
       {"int3", "float31", "intx", "int8x", "int8x0", "int8x99999", "int8 ", "Int8", "int-8",
        "bfloat", "bfloat32", "int99999999999", "x4", "int8x4x4"}) {
    EXPECT_FALSE(DataType::Parse(text).has_value()) << text;
  }
}

TEST(DataTypeTest, Sizes) {
  EXPECT_EQ(DataType::Bool().bytes(), 1);
  EXPECT_EQ(DataType::Int(4).bytes(), 1);
  EXPECT_EQ(DataType::Float(32, 4).bytes(), 16);
  EXPECT_EQ(DataType::Float(32, -4).bytes(), 0);
  EXPECT_EQ(DataType::Void().bytes(), 0);
}

}  // namespace
}  // namespace tenon
