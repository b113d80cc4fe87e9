#include "support/ndarray_blob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/base64.h"
#include "support/little_endian.h"
#include "tests/unit/support/io_test_util.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// An int16 array of shape (2, 3), as TVM saves it.
std::string Sample() {
  NdArrayBlob blob;
  blob.type_code = 0;
  blob.bits = 16;
  blob.shape = {2, 3};
  blob.data = "abcdefghijkl";
  return *EncodeNdArrayBlob(blob);
}

/// Sample() with the integer of type T at `offset` replaced.
template <typename T>
std::string Patched(size_t offset, T value) {
  std::string bytes = Sample();
  std::string patch;
  AppendLittleEndian(value, &patch);
  return bytes.replace(offset, patch.size(), patch);
}

TEST(NdArrayBlobTest, LayoutOfTheFields) {
  const std::string bytes = Sample();
  EXPECT_EQ(bytes.substr(0, 8), "\x3f\xa1\xb4\x96\xf0\x40\x5e\xdd");
  EXPECT_EQ(bytes.size(), 8u + 8 + 8 + 4 + 4 + 16 + 8 + 12);
  const absl::StatusOr<NdArrayBlob> blob = DecodeNdArrayBlob(bytes);
  ASSERT_TRUE(blob.ok()) << blob.status();
  EXPECT_EQ(blob->dtype(), "int16");
  EXPECT_THAT(blob->shape, ElementsAre(2, 3));
  EXPECT_EQ(blob->data, "abcdefghijkl");
  EXPECT_EQ(blob->data.data(), bytes.data() + bytes.size() - 12) << "data is copied";
}

TEST(NdArrayBlobTest, OneThatTvmWrote) {
  // An int32 array of shape (1, 12), from a keyword-spotting model.
  const std::string text =
      "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAAgAQABAAAAAAAAAAwAAAAAAAAAMAAAAAAAAACy////8P///77///+o"
      "////+P///6T///82////IAAAAMH///9p////1f///6sAAAA=";
  const absl::StatusOr<std::string> bytes = Base64Decode(text);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<NdArrayBlob> blob = DecodeNdArrayBlob(*bytes);
  ASSERT_TRUE(blob.ok()) << blob.status();
  EXPECT_EQ(blob->dtype(), "int32");
  EXPECT_THAT(blob->shape, ElementsAre(1, 12));
  EXPECT_EQ(LoadLittleEndian<int32_t>(blob->data), -78);
  EXPECT_EQ(Base64Encode(*EncodeNdArrayBlob(*blob)), text);
}

TEST(NdArrayBlobTest, NamesOfTypes) {
  const auto name = [](int code, int bits) {
    NdArrayBlob blob;
    blob.type_code = static_cast<uint8_t>(code);
    blob.bits = static_cast<uint8_t>(bits);
    return blob.dtype();
  };
  EXPECT_EQ(name(0, 8), "int8");
  EXPECT_EQ(name(0, 64), "int64");
  EXPECT_EQ(name(1, 1), "bool");
  EXPECT_EQ(name(1, 32), "uint32");
  EXPECT_EQ(name(2, 16), "float16");
  EXPECT_EQ(name(2, 64), "float64");
  EXPECT_EQ(name(4, 16), "bfloat16");
  EXPECT_EQ(name(6, 8), "e4m3_float8");
  EXPECT_EQ(name(7, 8), "e5m2_float8");
  for (const auto& [code, bits] : {std::pair(3, 64), {2, 8}, {0, 7}, {4, 32}, {5, 64}, {255, 8}}) {
    EXPECT_EQ(name(code, bits), "") << code << " " << bits;
  }
}

TEST(NdArrayBlobTest, WrongValuesAreReported) {
  const std::pair<std::string, const char*> kLies[] = {
      {Patched<uint64_t>(0, 1), "starts with 0x0000000000000001"},
      {Patched<int32_t>(16, 2), "device type 2, expected 1"},
      {Patched<int32_t>(24, -1), "-1 dimensions"},
      {Patched<int32_t>(24, INT32_MAX), "ends within its shape of 2147483647 extents"},
      {Patched<uint8_t>(28, 9), "unknown type code 9 with 16 bits"},
      {Patched<uint8_t>(29, 17), "unknown type code 0 with 17 bits"},
      {Patched<uint16_t>(30, 4), "elements of 4 lanes"},
      {Patched<int64_t>(32, -2), "impossible shape [-2, 3]"},
      {Patched<int64_t>(32, INT64_MAX), "impossible shape"},
      {Patched<int64_t>(32, int64_t{1} << 58), "takes 12 bytes, expected 1729382256910270464"},
      {Patched<int64_t>(32, 3), "int16 [3, 3] takes 12 bytes, expected 18"},
      {Patched<int64_t>(48, 13), "takes 13 bytes, expected 12"},
      {Patched<int64_t>(48, -1), "takes -1 bytes, expected 12"},
      {Sample() + "z", "followed by 1 more bytes"},
  };
  for (const auto& [bytes, message] : kLies) {
    EXPECT_THAT(Message(DecodeNdArrayBlob(bytes).status()), HasSubstr(message));
  }
}

TEST(NdArrayBlobTest, EveryPrefixIsRefused) {
  const std::string bytes = Sample();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeNdArrayBlob(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_THAT(Message(DecodeNdArrayBlob(bytes.substr(0, 20)).status()),
              HasSubstr("of 20 bytes ends within its header"));
  EXPECT_THAT(Message(DecodeNdArrayBlob(bytes.substr(0, 50)).status()),
              HasSubstr("ends within its data size"));
  EXPECT_THAT(Message(DecodeNdArrayBlob(bytes.substr(0, 60)).status()),
              HasSubstr("has 4 of 12 bytes of data"));
}

TEST(NdArrayBlobTest, MutationsAreRefusedOrComeBack) {
  std::mt19937 random(23);
  int decoded = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string bytes = Mutate(Sample(), random);
    const absl::StatusOr<NdArrayBlob> blob = DecodeNdArrayBlob(bytes);
    if (!blob.ok()) continue;
    ++decoded;
    EXPECT_EQ(*EncodeNdArrayBlob(*blob), bytes);
  }
  EXPECT_GT(decoded, 50);
}

TEST(NdArrayBlobTest, EncodeChecksTheSize) {
  NdArrayBlob blob;
  blob.bits = 32;
  blob.shape = {2};
  blob.data = "1234567";
  EXPECT_THAT(Message(EncodeNdArrayBlob(blob).status()),
              HasSubstr("7 bytes of data for int32 [2], expected 8"));
}

/// Decodes and encodes every `repr_str` of a module's text; returns their number.
int CheckBlobsOf(const std::string& text) {
  constexpr std::string_view kKey = "repr_str\\\": \\\"";
  int count = 0;
  for (size_t at = text.find(kKey); at != std::string::npos; at = text.find(kKey, at + 1)) {
    const size_t start = at + kKey.size();
    const std::string_view base64 =
        std::string_view(text).substr(start, text.find('\\', start) - start);
    if (base64.substr(0, 8) != "P6G0lvBA") continue;  // other nodes have other kinds of text
    const absl::StatusOr<std::string> bytes = Base64Decode(base64);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    if (!bytes.ok()) continue;
    const absl::StatusOr<NdArrayBlob> blob = DecodeNdArrayBlob(*bytes);
    EXPECT_TRUE(blob.ok()) << blob.status();
    if (!blob.ok()) continue;
    EXPECT_EQ(*EncodeNdArrayBlob(*blob), *bytes);
    EXPECT_EQ(Base64Encode(*bytes), base64);
    ++count;
  }
  return count;
}

TEST(NdArrayBlobTest, EveryBlobOfTheCorpusComesBack) {
  const std::filesystem::path models = CorpusFolder() / "models";
  if (!std::filesystem::exists(models)) GTEST_SKIP() << "no corpus at " << models;
  int count = 0;
  for (const auto& model : std::filesystem::directory_iterator(models)) {
    for (const char* name : {"module_raw_metadata.py", "planned_greedy_by_size.py"}) {
      if (!std::filesystem::exists(model.path() / name)) continue;
      const int here = CheckBlobsOf(ReadText((model.path() / name).string()));
      EXPECT_GT(here, 0) << model.path() / name;
      count += here;
    }
  }
  EXPECT_GE(count, 50);
}

}  // namespace
}  // namespace tenon
