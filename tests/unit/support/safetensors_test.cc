#include "support/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file.h"
#include "support/little_endian.h"
#include "tests/unit/support/io_test_util.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// A file with this JSON header and data.
std::string Tensors(std::string_view header, std::string_view data) {
  std::string text;
  AppendLittleEndian(static_cast<uint64_t>(header.size()), &text);
  return text + std::string(header) + std::string(data);
}

absl::StatusOr<SafetensorsFile> Parse(std::string text) {
  return ParseSafetensors(FileBytes::FromString("m.safetensors", std::move(text)));
}

std::string Fault(std::string_view header, std::string_view data) {
  return Message(Parse(Tensors(header, data)).status());
}

constexpr std::string_view kTwo = R"({"__metadata__":{"format":"pt","k":"v"},)"
                                  R"("b":{"dtype":"I16","shape":[2],"data_offsets":[3,7]},)"
                                  R"("a":{"dtype":"I8","shape":[3,1],"data_offsets":[0,3]}}   )";

TEST(SafetensorsTest, TensorsComeInTheOrderOfTheirBytes) {
  const auto file = Parse(Tensors(kTwo, "xyzABCD"));
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(file->entries().size(), 2u);
  const SafetensorsEntry& first = file->entries()[0];
  EXPECT_EQ(first.name, "a");
  EXPECT_EQ(first.dtype, "int8");
  EXPECT_THAT(first.shape, ElementsAre(3, 1));
  EXPECT_EQ(first.size, 3);
  EXPECT_EQ(file->BytesOf(first), "xyz");
  EXPECT_EQ(file->entries()[1].name, "b");
  EXPECT_EQ(file->BytesOf(file->entries()[1]), "ABCD");
  EXPECT_EQ(file->Find("b"), &file->entries()[1]);
  EXPECT_EQ(file->Find("c"), nullptr);
  EXPECT_EQ(file->Find(""), nullptr);
  EXPECT_EQ(*file->FindMetadata("k"), "v");
  EXPECT_EQ(file->FindMetadata("none"), nullptr);
  EXPECT_EQ(file->BytesOf(first).data(), file->file()->view().data() + first.offset);
}

TEST(SafetensorsTest, AllTypes) {
  const std::tuple<const char*, const char*, int> kTypes[] = {{"BOOL", "bool", 1},
                                                              {"U8", "uint8", 1},
                                                              {"I8", "int8", 1},
                                                              {"F8_E5M2", "e5m2_float8", 1},
                                                              {"F8_E4M3", "e4m3_float8", 1},
                                                              {"I16", "int16", 2},
                                                              {"U16", "uint16", 2},
                                                              {"F16", "float16", 2},
                                                              {"BF16", "bfloat16", 2},
                                                              {"I32", "int32", 4},
                                                              {"U32", "uint32", 4},
                                                              {"F32", "float32", 4},
                                                              {"F64", "float64", 8},
                                                              {"I64", "int64", 8},
                                                              {"U64", "uint64", 8}};
  for (const auto& [code, dtype, bytes] : kTypes) {
    const std::string header = R"({"t":{"dtype":")" + std::string(code) +
                               R"(","shape":[1],"data_offsets":[0,)" + std::to_string(bytes) +
                               "]}}";
    const auto file = Parse(Tensors(header, std::string(static_cast<size_t>(bytes), '\0')));
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->entries()[0].dtype, dtype);
    EXPECT_EQ(SafetensorsElementBytes(dtype), bytes);
  }
  EXPECT_EQ(SafetensorsElementBytes("int4"), 0);
}

TEST(SafetensorsTest, NoTensorsScalarsAndEmptyTensors) {
  const auto none = Parse(Tensors("{}", ""));
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_THAT(none->entries(), IsEmpty());
  const auto file = Parse(Tensors(R"({"s":{"dtype":"U8","shape":[],"data_offsets":[0,1]},)"
                                  R"("e":{"dtype":"F32","shape":[5,0],"data_offsets":[0,0]},)"
                                  R"("f":{"dtype":"F32","shape":[0],"data_offsets":[1,1]}})",
                                  "x"));
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(file->entries().size(), 3u);
  EXPECT_EQ(file->entries()[0].name, "e");
  EXPECT_EQ(file->entries()[1].name, "s");
  EXPECT_EQ(file->entries()[2].name, "f");
}

TEST(SafetensorsTest, FaultsOfTheWhole) {
  const auto fault = [](std::string text) { return Message(Parse(std::move(text)).status()); };
  EXPECT_EQ(fault("1234567"), "`m.safetensors`: 7 bytes are too few for a safetensors file");
  EXPECT_THAT(
      fault(std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10)),
      EndsWith("header of 18446744073709551615 bytes is longer than the limit of 100000000"));
  EXPECT_THAT(fault(std::string("\x05\0\0\0\0\0\0\0{}", 10)),
              EndsWith("safetensors header of 5 bytes in a file with 2 left"));
  EXPECT_THAT(Fault("", ""), EndsWith("does not start with `{`"));
  EXPECT_THAT(Fault(" {}", ""), EndsWith("does not start with `{`"));
  EXPECT_THAT(Fault("[]", ""), EndsWith("does not start with `{`"));
  EXPECT_THAT(Fault("{\"a\": x}", ""), HasSubstr("header, byte 14 of the file: "));
  EXPECT_THAT(Fault("{} {}", ""), HasSubstr("header, byte 11 of the file: "));
  EXPECT_THAT(Fault("{}", "abc"), EndsWith("3 bytes after the last tensor"));
  EXPECT_THAT(Fault(R"({"a":1,"a":2})", ""), HasSubstr("duplicate key `a`"));
  EXPECT_THAT(Fault(R"({"a":)" + std::string(1000, '['), ""), HasSubstr("more than 8 nested"));
  std::string zeros = R"({"a":[0)";
  for (int i = 0; i < 4'000'000; ++i) zeros += ",0";
  EXPECT_THAT(Fault(zeros + "]}", ""), EndsWith("more than 4000000 values"));
  EXPECT_THAT(Fault(R"({"__metadata__":[]})", ""),
              EndsWith("`__metadata__` is array, expected an object of strings"));
  EXPECT_THAT(Fault(R"({"__metadata__":{"k":1}})", ""),
              EndsWith("`__metadata__` has integer for `k`, expected a string"));
}

TEST(SafetensorsTest, FaultsOfATensorNameIt) {
  const std::pair<const char*, const char*> kFaults[] = {
      {R"(1)", "is integer, expected an object"},
      {R"({"shape":[4],"data_offsets":[0,4]})", "has no `dtype`"},
      {R"({"dtype":8,"shape":[4],"data_offsets":[0,4]})",
       "has integer as `dtype`, expected a string"},
      {R"({"dtype":"I7","shape":[4],"data_offsets":[0,4]})", "has the unknown dtype `I7`"},
      {R"({"dtype":"I8","data_offsets":[0,4]})", "has no `shape`"},
      {R"({"dtype":"I8","shape":4,"data_offsets":[0,4]})",
       "has integer as `shape`, expected an array of integers"},
      {R"({"dtype":"I8","shape":[1,-4],"data_offsets":[0,4]})",
       "has a `shape` whose element 1 is not an integer from 0 to below 2^62"},
      {R"({"dtype":"I8","shape":[4.0],"data_offsets":[0,4]})",
       "has a `shape` whose element 0 is not an integer from 0 to below 2^62"},
      {R"({"dtype":"I8","shape":[4]})", "has no `data_offsets`"},
      {R"({"dtype":"I8","shape":[4],"data_offsets":[0]})", "has 1 `data_offsets`, expected 2"},
      {R"({"dtype":"I8","shape":[4],"data_offsets":[0,4,4]})", "has 3 `data_offsets`, expected 2"},
      {R"({"dtype":"I8","shape":[4],"data_offsets":[0,18446744073709551615]})",
       "has a `data_offsets` whose element 1 is not an integer from 0 to below 2^62"},
      {R"({"dtype":"I8","shape":[4],"data_offsets":[4,0]})", "begins at 4, after its end at 0"},
      {R"({"dtype":"I8","shape":[5],"data_offsets":[0,5]})",
       "ends at 5, out of range of 4 bytes of data"},
      {R"({"dtype":"I8","shape":[3],"data_offsets":[0,4]})", "has 4 bytes, but int8 [3] takes 3"},
      {R"({"dtype":"F64","shape":[1,4],"data_offsets":[0,4]})",
       "has 4 bytes, but float64 [1, 4] takes 32"},
      {R"({"dtype":"I8","shape":[3000000000,3000000000],"data_offsets":[0,4]})",
       "has the impossible shape [3000000000, 3000000000]"},
      {R"({"dtype":"I8","shape":[3],"data_offsets":[1,4]})", "follows a hole of 1 bytes"},
  };
  for (const auto& [tensor, message] : kFaults) {
    EXPECT_EQ(Fault("{\"w\":" + std::string(tensor) + "}", "abcd"),
              "`m.safetensors`: tensor `w` " + std::string(message));
  }
}

TEST(SafetensorsTest, OverlapsAndHolesNameTheTensors) {
  const auto two = [](int begin, int end) {
    return R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},)"
           R"("b":{"dtype":"I8","shape":[)" +
           std::to_string(end - begin) + R"(],"data_offsets":[)" + std::to_string(begin) + "," +
           std::to_string(end) + "]}}";
  };
  EXPECT_TRUE(Parse(Tensors(two(4, 8), "abcdefgh")).ok());
  EXPECT_THAT(Fault(two(3, 8), "abcdefgh"), EndsWith("tensor `b` overlaps tensor `a` by 1 bytes"));
  EXPECT_THAT(Fault(two(0, 8), "abcdefgh"), EndsWith("tensor `b` overlaps tensor `a` by 4 bytes"));
  EXPECT_THAT(Fault(two(1, 3), "abcdefgh"), EndsWith("tensor `b` overlaps tensor `a` by 2 bytes"));
  EXPECT_THAT(Fault(two(6, 8), "abcdefgh"), EndsWith("tensor `b` follows a hole of 2 bytes"));
  EXPECT_THAT(Fault(two(4, 7), "abcdefgh"), EndsWith("1 bytes after the last tensor"));
}

TEST(SafetensorsTest, UnknownKeysOfATensorAreLeftAlone) {
  EXPECT_TRUE(
      Parse(Tensors(R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"new":{}}})", "x"))
          .ok());
}

TEST(SafetensorsTest, EveryPrefixIsRefused) {
  const std::string text = Tensors(kTwo, "xyzABCD");
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_THAT(Message(Parse(text.substr(0, size)).status()), StartsWith("`m.safetensors`: "))
        << size;
  }
}

TEST(SafetensorsTest, MutationsAreRefusedOrCoverTheDataExactly) {
  std::mt19937 random(31);
  int parsed = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string text = Mutate(Tensors(kTwo, "xyzABCD"), random);
    const auto file = Parse(text);
    if (!file.ok()) continue;
    ++parsed;
    size_t covered = 0;
    for (const SafetensorsEntry& entry : file->entries()) {
      covered += file->BytesOf(entry).size();
      EXPECT_EQ(file->Find(entry.name), &entry);
    }
    EXPECT_EQ(8 + LoadLittleEndian<uint64_t>(text) + covered, text.size());
  }
  EXPECT_GT(parsed, 50);
}

}  // namespace
}  // namespace tenon
