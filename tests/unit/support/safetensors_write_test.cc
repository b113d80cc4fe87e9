#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file.h"
#include "support/little_endian.h"
#include "support/safetensors.h"
#include "tests/unit/support/io_test_util.h"

namespace tenon {
namespace {

using ::testing::HasSubstr;

class SafetensorsWriteTest : public testing::Test {
 protected:
  /// Writes and reads back; returns the writer's or the reader's error.
  absl::StatusOr<SafetensorsFile> RoundTrip(const std::vector<SafetensorsTensor>& tensors,
                                            const SafetensorsMetadata& metadata = {}) {
    const absl::Status status = WriteSafetensors(path_, tensors, metadata);
    if (!status.ok()) return status;
    return ReadSafetensors(path_);
  }

  static std::vector<std::string> Names(const SafetensorsFile& file) {
    std::vector<std::string> names;
    for (const SafetensorsEntry& entry : file.entries()) names.push_back(entry.name);
    return names;
  }

  TempFolder folder_;
  std::string path_ = folder_.File("m.safetensors");
};

TEST_F(SafetensorsWriteTest, TensorsAndMetadataComeBack) {
  const SafetensorsMetadata metadata = {{"w.hash", "xxh3:00"}, {"quote\"", "line\n\xe2\x82\xac"}};
  const auto file = RoundTrip({{.name = "w", .dtype = "int8", .shape = {2, 2}, .bytes = "abcd"},
                               {.name = "s\"\\", .dtype = "e4m3_float8", .shape = {}, .bytes = "x"},
                               {.name = "none", .dtype = "float32", .shape = {0, 7}, .bytes = ""}},
                              metadata);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(Names(*file), (std::vector<std::string>{"w", "s\"\\", "none"}));
  EXPECT_EQ(file->metadata(), metadata);
  EXPECT_EQ(file->BytesOf(*file->Find("w")), "abcd");
  EXPECT_EQ(file->Find("w")->shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(file->Find("s\"\\")->dtype, "e4m3_float8");
  EXPECT_EQ(file->entries()[0].offset % kSafetensorsAlignment, 0);
}

TEST_F(SafetensorsWriteTest, AFileMayHaveNoTensors) {
  const auto file = RoundTrip({});
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->entries().empty());
  EXPECT_EQ(file->file()->size(), 4096u);
}

TEST_F(SafetensorsWriteTest, OrderAlignsWithoutPads) {
  const std::string big(128, 'b');
  const auto file = RoundTrip(
      {{.name = "c1", .dtype = "int8", .shape = {3}, .bytes = "123", .alignment = 1},
       {.name = "a64", .dtype = "int8", .shape = {128}, .bytes = big, .alignment = 64},
       {.name = "b8", .dtype = "int64", .shape = {1}, .bytes = "12345678", .alignment = 8},
       {.name = "a64b", .dtype = "int8", .shape = {128}, .bytes = big, .alignment = 64}});
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(Names(*file), (std::vector<std::string>{"a64", "a64b", "b8", "c1"}));
}

TEST_F(SafetensorsWriteTest, SmallTensorsFillGapsAndPadsTheRest) {
  const auto file = RoundTrip(
      {{.name = "x", .dtype = "int8", .shape = {5}, .bytes = "12345", .alignment = 16},
       {.name = "y", .dtype = "int8", .shape = {5}, .bytes = "abcde", .alignment = 16},
       {.name = "small", .dtype = "int8", .shape = {3}, .bytes = "sss", .alignment = 1},
       {.name = "__pad_0", .dtype = "int8", .shape = {1}, .bytes = "p", .alignment = 16}});
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(Names(*file),
            (std::vector<std::string>{"x", "small", "__pad_1", "y", "__pad_2", "__pad_0"}));
  for (const char* name : {"x", "y", "__pad_0"}) EXPECT_EQ(file->Find(name)->offset % 16, 0);
  EXPECT_EQ(file->BytesOf(*file->Find("__pad_1")), std::string_view("\0\0\0\0\0\0\0\0", 8));
  EXPECT_TRUE(IsSafetensorsPad("__pad_12"));
  for (const char* name : {"__pad_", "__pad_x", "pad_1", "__pad_1x"}) {
    EXPECT_FALSE(IsSafetensorsPad(name)) << name;
  }
}

TEST_F(SafetensorsWriteTest, RandomSetsAreAlignedAndComplete) {
  std::mt19937 random(37);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> data;
    std::vector<SafetensorsTensor> tensors;
    for (size_t i = 0; i < random() % 40; ++i) {
      data.emplace_back(random() % 300, static_cast<char>(i + 1));
    }
    for (size_t i = 0; i < data.size(); ++i) {
      tensors.push_back({.name = "t" + std::to_string(i),
                         .dtype = "uint8",
                         .shape = {static_cast<int64_t>(data[i].size())},
                         .bytes = data[i],
                         .alignment = int64_t{1} << random() % 13});
    }
    const auto file = RoundTrip(tensors);
    ASSERT_TRUE(file.ok()) << file.status();
    for (const SafetensorsTensor& tensor : tensors) {
      const SafetensorsEntry* entry = file->Find(tensor.name);
      ASSERT_NE(entry, nullptr);
      EXPECT_EQ(entry->offset % tensor.alignment, 0);
      EXPECT_EQ(file->BytesOf(*entry), tensor.bytes);
    }
    size_t pads = 0;
    for (const SafetensorsEntry& entry : file->entries()) pads += IsSafetensorsPad(entry.name);
    EXPECT_EQ(file->entries().size(), tensors.size() + pads);
  }
}

TEST_F(SafetensorsWriteTest, TheSameInputGivesTheSameBytes) {
  const std::vector<SafetensorsTensor> tensors = {
      {.name = "x", .dtype = "int8", .shape = {5}, .bytes = "12345", .alignment = 16},
      {.name = "y", .dtype = "int8", .shape = {5}, .bytes = "abcde", .alignment = 16}};
  ASSERT_TRUE(WriteSafetensors(path_, tensors, {{"k", "v"}}).ok());
  const std::string first = ReadText(path_);
  ASSERT_TRUE(WriteSafetensors(path_, tensors, {{"k", "v"}}).ok());
  EXPECT_EQ(ReadText(path_), first);
  EXPECT_THAT(first, HasSubstr(R"({"__metadata__":{"k":"v"},"x":{"dtype":"I8","shape":[5],)"
                               R"("data_offsets":[0,5]},"__pad_0":{"dtype":"U8","shape":[11],)"));
}

TEST_F(SafetensorsWriteTest, InvalidTensorsLeaveNoFile) {
  const SafetensorsTensor good{.name = "w", .dtype = "int8", .shape = {2}, .bytes = "ab"};
  const auto fault = [&](void (*change)(SafetensorsTensor*),
                         const SafetensorsMetadata& metadata = {}) {
    SafetensorsTensor bad = good;
    bad.name = "bad";
    change(&bad);
    return Message(WriteSafetensors(path_, std::vector{good, bad}, metadata));
  };
  EXPECT_THAT(fault([](auto* t) { t->name = "w"; }), HasSubstr("`w` is used twice"));
  EXPECT_THAT(fault([](auto* t) { t->name = "__metadata__"; }), HasSubstr("reserved"));
  EXPECT_THAT(fault([](auto* t) { t->name = "\xff"; }), HasSubstr("not UTF-8"));
  EXPECT_THAT(fault([](auto* t) { t->dtype = "int4"; }),
              HasSubstr("tensor `bad`: safetensors has no type for `int4`"));
  EXPECT_THAT(fault([](auto* t) { t->shape = {3}; }),
              HasSubstr("tensor `bad` has 2 bytes, expected the data of int8 [3]"));
  EXPECT_THAT(fault([](auto* t) { t->shape = {-2}; }), HasSubstr("expected the data of int8 [-2]"));
  EXPECT_THAT(fault([](auto* t) { t->alignment = 3; }), HasSubstr("has the alignment 3"));
  EXPECT_THAT(fault([](auto* t) { t->alignment = 8192; }), HasSubstr("power of two up to 4096"));
  EXPECT_THAT(fault([](auto*) {}, {{"k", "1"}, {"k", "2"}}), HasSubstr("`k` is used twice"));
  EXPECT_THAT(fault([](auto*) {}, {{"k", "\xff"}}), HasSubstr("not UTF-8"));
  EXPECT_EQ(folder_.Count(), 0u);
}

}  // namespace
}  // namespace tenon
