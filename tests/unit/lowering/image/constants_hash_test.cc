#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "runtime/tenon_constants.h"
#include "support/hash.h"

namespace tenon {
namespace {

// Compares the C of generated code with the library that the compiler uses, for lengths around all
// boundaries of the algorithm (stripes of 64 bytes, blocks of 1024).
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
  for (const int size : {4095, 4096, 4097, 65535, 65536, 65537, 70000})
    check(static_cast<size_t>(size));
}

TEST(ConstantsHashTest, ChecksInOrder) {
  alignas(64) uint8_t bytes[5000] = {};
  tenon_constants_file file = {4999, 4096, 64, 0, 0};
  file.header_hash = tenon_hash(bytes, 4096);
  file.hash = tenon_hash(bytes, 4999);
  EXPECT_EQ(tenon_check_constants(&file, bytes, 4999, 1), 0);
  EXPECT_EQ(tenon_check_constants(&file, nullptr, 4999, 1), TENON_CONSTANTS_MISSING);
  EXPECT_EQ(tenon_check_constants(&file, bytes, 5000, 1), TENON_CONSTANTS_SIZE);
  EXPECT_EQ(tenon_check_constants(&file, bytes, 0, 1), TENON_CONSTANTS_SIZE);
  EXPECT_EQ(tenon_check_constants(&file, bytes + 1, 4999, 1), TENON_CONSTANTS_ALIGNMENT);
  EXPECT_EQ(tenon_check_constants(&file, bytes, 4095, 1), TENON_CONSTANTS_SIZE);
  EXPECT_EQ(tenon_check_constants(&file, bytes, 4096, 1), TENON_CONSTANTS_SIZE);
  bytes[4998] ^= 1;
  EXPECT_EQ(tenon_check_constants(&file, bytes, 4999, 1), TENON_CONSTANTS_DAMAGED);
  EXPECT_EQ(tenon_check_constants(&file, bytes, 4999, 0), 0);
  bytes[0] ^= 1;
  EXPECT_EQ(tenon_check_constants(&file, bytes, 4999, 1), TENON_CONSTANTS_MODEL);
  EXPECT_EQ(tenon_check_constants(&file, bytes, 4998, 1), TENON_CONSTANTS_MODEL);
  EXPECT_EQ(tenon_check_constants(&file, bytes, 5000, 1), TENON_CONSTANTS_MODEL);
  for (int32_t code = TENON_CONSTANTS_ALIGNMENT; code <= TENON_CONSTANTS_MISSING; ++code)
    EXPECT_NE(tenon_constants_message(code), nullptr);
  EXPECT_EQ(tenon_constants_message(-1), nullptr);
}

// Results are kept until the states are cleared. Parts after a damaged one are not checked.
TEST(ConstantsHashTest, ChecksPartsOnce) {
  uint8_t data[600] = {1, 2, 3};
  tenon_constants_part parts[3] = {{0, 3, 0}, {16, 300, 0}, {316, 240, 0}};
  for (tenon_constants_part& part : parts) {
    Hasher hasher;
    hasher.Update({reinterpret_cast<const char*>(data) + part.offset, part.size});
    if (part.size <= 240) hasher.Update(std::string(256 - part.size, '\0'));
    part.hash = hasher.Finish64();
  }
  uint8_t states[3] = {};
  uint8_t damaged = 0;
  EXPECT_EQ(tenon_check_parts(parts, states, 3, data, NULL, &damaged), 0);
  EXPECT_EQ(damaged, 0);
  data[20] ^= 1;
  EXPECT_EQ(tenon_check_parts(parts, states, 3, data, NULL, &damaged), 0);
  std::fill(std::begin(states), std::end(states), uint8_t{0});
  EXPECT_EQ(tenon_check_parts(parts, states, 1, data, NULL, &damaged), 0);
  EXPECT_EQ(tenon_check_parts(parts, states, 3, data, NULL, &damaged), TENON_CONSTANTS_DAMAGED);
  EXPECT_EQ(damaged, 1);
  data[20] ^= 1;
  EXPECT_EQ(tenon_check_parts(parts + 1, states + 1, 1, data, NULL, &damaged),
            TENON_CONSTANTS_DAMAGED);
  EXPECT_EQ(tenon_check_parts(parts + 2, states + 2, 1, data, NULL, &damaged), 0);
  EXPECT_EQ(states[0], TENON_CONSTANTS_RIGHT);
  EXPECT_EQ(states[1], TENON_CONSTANTS_WRONG);
}

}  // namespace
}  // namespace tenon
