#include "support/base64.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/support/io_test_util.h"

namespace tenon {
namespace {

using ::testing::HasSubstr;

std::string RandomBytes(size_t size, std::mt19937& random) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

TEST(Base64Test, TheVectorsOfRfc4648) {
  const std::pair<const char*, const char*> kVectors[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(Base64Encode(bytes), text);
    ASSERT_TRUE(Base64Decode(text).ok()) << text;
    EXPECT_EQ(*Base64Decode(text), bytes);
  }
}

TEST(Base64Test, EveryLengthAndByteComesBack) {
  std::mt19937 random(7);
  for (size_t size = 0; size < 300; ++size) {
    const std::string bytes = RandomBytes(size, random);
    const std::string text = Base64Encode(bytes);
    EXPECT_EQ(text.size(), (size + 2) / 3 * 4);
    ASSERT_TRUE(Base64Decode(text).ok());
    EXPECT_EQ(*Base64Decode(text), bytes);
  }
}

struct Broken {
  const char* text;
  size_t offset;
  const char* message;
};

TEST(Base64Test, FaultsAreNamedAndLocated) {
  const Broken kBroken[] = {
      {"Zm9", 3, "truncated base64: 3 characters"},
      {"Z", 1, "truncated base64"},
      {"Zg=", 3, "truncated base64"},
      {"Zm9vYg", 6, "truncated base64"},
      {"Zm 9", 2, "invalid base64 byte 0x20 at offset 2"},
      {"Zm9v\n", 4, "invalid base64 byte 0x0a"},
      {"Zm9-", 3, "invalid base64 character `-`"},
      {"Zm9\xff", 3, "invalid base64 byte 0xff"},
      {"Zm9\x7f", 3, "invalid base64 byte 0x7f"},
      {"Zm9~", 3, "invalid base64 character `~`"},
      {"Z===", 1, "misplaced base64 padding"},
      {"====", 0, "misplaced base64 padding"},
      {"Zg==Zm9v", 2, "misplaced base64 padding"},
      {"Zm=v", 2, "misplaced base64 padding"},
      {"Zm9v====", 4, "misplaced base64 padding"},
      {"Zm9v=", 4, "misplaced base64 padding"},
      {"Zh==", 1, "bits after its last byte"},
      {"Zm9vZm9=", 6, "bits after its last byte"},
  };
  for (const auto& [text, offset, message] : kBroken) {
    size_t at = 999;
    const absl::Status status = Base64Decode(text, &at).status();
    EXPECT_THAT(Message(status), HasSubstr(message)) << text;
    EXPECT_EQ(at, offset) << text;
  }
}

TEST(Base64Test, EveryByteIsADigitOrRefusedAtEveryPlace) {
  for (size_t place = 0; place < 4; ++place) {
    int accepted = 0;
    for (int c = 0; c < 256; ++c) {
      std::string text = "AAAAAAAA";
      text[place] = static_cast<char>(c);
      accepted += Base64Decode(text).ok() ? 1 : 0;
    }
    EXPECT_EQ(accepted, 64) << place;
  }
}

TEST(Base64Test, WhatDecodesEncodesToTheSameText) {
  std::mt19937 random(11);
  int decoded = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string text = Mutate(Base64Encode(RandomBytes(random() % 40, random)), random);
    const absl::StatusOr<std::string> bytes = Base64Decode(text);
    if (!bytes.ok()) continue;
    ++decoded;
    EXPECT_EQ(Base64Encode(*bytes), text);
  }
  EXPECT_GT(decoded, 100);
}

}  // namespace
}  // namespace tenon
