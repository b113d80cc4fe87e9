#include <gtest/gtest.h>

#include <string>

#include "runtime/tenon_constants.h"
#include "support/hash.h"

namespace tenon {
namespace {

// The C of generated code, against the library, which is what the compiler uses: lengths around all
// of the algorithm's boundaries (stripes of 64 bytes, blocks of 1024).
TEST(ConstantsHashTest, IsXxh3) {
  std::string bytes;
  uint32_t state = 1;
  for (int i = 0; i < 70000; ++i) {
    state = state * 1664525u + 1013904223u;
    bytes += static_cast<char>(state >> 24);
  }
  const auto check = [&](size_t size) {
    Hasher hasher;
    hasher.Update(std::string_view(bytes).substr(0, size));
    EXPECT_EQ(tenon_hash(reinterpret_cast<const uint8_t*>(bytes.data()), size), hasher.Finish64())
        << size;
  };
  for (size_t size = 241; size < 2200; ++size) check(size);
  for (const size_t size : {4095, 4096, 4097, 65535, 65536, 65537, 70000}) check(size);
}

TEST(ConstantsHashTest, ChecksInOrder) {
  alignas(64) uint8_t bytes[5000] = {};
  tenon_constants_file file = {4999, 4096, 64, 0, 0};
  file.header_hash = tenon_hash(bytes, 4096);
  file.hash = tenon_hash(bytes, 4999);
  EXPECT_EQ(tenon_check_constants(&file, bytes, 4999), 0);
  EXPECT_EQ(tenon_check_constants(&file, nullptr, 4999), TENON_CONSTANTS_MISSING);
  EXPECT_EQ(tenon_check_constants(&file, bytes, 5000), TENON_CONSTANTS_SIZE);
  EXPECT_EQ(tenon_check_constants(&file, bytes, 0), TENON_CONSTANTS_SIZE);
  EXPECT_EQ(tenon_check_constants(&file, bytes + 1, 4999), TENON_CONSTANTS_ALIGNMENT);
  bytes[4998] ^= 1;
  EXPECT_EQ(tenon_check_constants(&file, bytes, 4999), TENON_CONSTANTS_DAMAGED);
  bytes[0] ^= 1;
  EXPECT_EQ(tenon_check_constants(&file, bytes, 4999), TENON_CONSTANTS_MODEL);
  for (int32_t code = TENON_CONSTANTS_ALIGNMENT; code <= TENON_CONSTANTS_MISSING; ++code)
    EXPECT_NE(tenon_constants_message(code), nullptr);
  EXPECT_EQ(tenon_constants_message(-1), nullptr);
}

}  // namespace
}  // namespace tenon
