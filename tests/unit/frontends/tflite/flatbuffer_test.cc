#include "frontends/tflite/flatbuffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/little_endian.h"

namespace tenon::tflite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A file whose root has the fields 0 (an int32), 1 (a vector of two int32), 3 (a vector of two
/// tables, which are outside of the file). Field 2 is absent.
std::string File(int32_t number) {
  std::string bytes;
  const auto add32 = [&](uint32_t value) { AppendLittleEndian(value, &bytes); };
  const auto add16 = [&](uint16_t value) { AppendLittleEndian(value, &bytes); };
  add32(20);  // the root
  add16(12);  // 4: the fields of a table: bytes of this list, bytes of the table, and offsets
  add16(16);
  add16(4);
  add16(8);
  add16(0);
  add16(12);
  add32(0);   // 16: fills up
  add32(16);  // 20: the root, which is 16 bytes after its list of fields
  add32(static_cast<uint32_t>(number));
  add32(8);   // 28: to 36
  add32(16);  // 32: to 48
  add32(2);   // 36: two numbers
  add32(7);
  add32(8);
  add32(2);  // 48: two tables
  add32(static_cast<uint32_t>(20 - 52));
  add32(static_cast<uint32_t>(20 - 56));
  return bytes;
}

TEST(FlatbufferTest, ReadsFields) {
  const std::string bytes = File(-5);
  FlatFile file(bytes);
  const FlatTable root = file.Root("Root");
  EXPECT_EQ(root.Scalar<int32_t>(0, "number", 1), -5);
  EXPECT_THAT(root.Scalars<int32_t>(1, "numbers"), ElementsAre(7, 8));
  EXPECT_FALSE(root.Has(2));
  EXPECT_EQ(root.Scalar<float>(2, "absent", 0.5F), 0.5F);
  EXPECT_EQ(root.Scalar<float>(40, "beyond", 0.25F), 0.25F);
  EXPECT_THAT(root.Scalars<int32_t>(2, "absent"), IsEmpty());
  EXPECT_FALSE(root.Table(2, "absent").exists());
  EXPECT_TRUE(file.status().ok()) << file.status();
}

TEST(FlatbufferTest, EveryPrefixIsAFaultOrReadsTheSame) {
  const std::string bytes = File(3);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string_view part = std::string_view(bytes).substr(0, size);
    FlatFile file(part);
    const FlatTable root = file.Root("Root");
    root.Scalars<int32_t>(1, "numbers");
    const FlatTables tables = root.Tables(3, "tables");
    EXPECT_FALSE(file.status().ok()) << size;
    EXPECT_EQ(tables.size(), 0U) << size;
  }
}

TEST(FlatbufferTest, FaultsNameTableAndField) {
  std::string bytes = File(3);
  bytes[28] = 100;  // the offset of the vector
  FlatFile file(bytes);
  file.Root("Root").Scalars<int32_t>(1, "numbers");
  EXPECT_THAT(std::string(file.status().message()),
              HasSubstr("Root.numbers: expected 4 bytes at 128, found the end of the file at 60"));
}

TEST(FlatbufferTest, AFieldOutsideOfItsTableIsAFault) {
  std::string bytes = File(3);
  bytes[8] = 14;  // where field 0 is in the table of 16 bytes
  FlatFile file(bytes);
  EXPECT_EQ(file.Root("Root").Scalar<int32_t>(0, "number", 1), 1);
  EXPECT_THAT(std::string(file.status().message()), HasSubstr("Root.number: expected 4 bytes"));
}

TEST(FlatbufferTest, ReadingTheSameBytesOverAndOverIsAFault) {
  const std::string bytes = File(3);
  FlatFile file(bytes);
  const FlatTable root = file.Root("Root");
  for (int i = 0; i < 100'000 && file.status().ok(); ++i) root.Scalars<int32_t>(1, "numbers");
  EXPECT_THAT(std::string(file.status().message()), HasSubstr("share their bytes"));
}

}  // namespace
}  // namespace tenon::tflite
