#include <gtest/gtest.h>

#include <string>

#include "support/hash.h"

// The C for machines without SSE2.
#undef __SSE2__
#include "runtime/tenon_constants.h"

namespace tenon {
namespace {

TEST(ConstantsHashTest, IsXxh3WithoutVectors) {
  std::string bytes;
  uint32_t state = 7;
  for (int i = 0; i < 5000; ++i) {
    state = state * 1664525u + 1013904223u;
    bytes += static_cast<char>(state >> 24);
  }
  for (size_t size = 241; size < bytes.size(); size += size % 64 == 0 ? 1 : 21) {
    Hasher hasher;
    hasher.Update(std::string_view(bytes).substr(0, size));
    EXPECT_EQ(tenon_hash(reinterpret_cast<const uint8_t*>(bytes.data()), size), hasher.Finish64())
        << size;
  }
}

}  // namespace
}  // namespace tenon
