#include "support/hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/container/flat_hash_set.h"
#include "tests/unit/support/io_test_util.h"

namespace tenon {
namespace {

using ::testing::HasSubstr;

TEST(HashTest, KnownValues) {
  // The output of `xxhsum -H128`.
  EXPECT_EQ(HashToString(HashBytes("")), "xxh3:99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(HashToString(HashBytes("hello")), "xxh3:b5e9c1ad071b3e7fc779cfaa5e523818");
}

TEST(HashTest, PiecesHashAsTheWhole) {
  std::mt19937 random(3);
  std::string bytes(5000, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  for (size_t size :
       std::vector<size_t>{0, 1, 3, 8, 16, 17, 128, 129, 240, 241, 255, 256, 1024, 1025, 5000}) {
    const std::string_view part = std::string_view(bytes).substr(0, size);
    for (size_t step : std::vector<size_t>{1, 7, 64, 256, 4999}) {
      Hasher hasher;
      for (size_t at = 0; at < size; at += step) hasher.Update(part.substr(at, step));
      EXPECT_EQ(hasher.Finish(), HashBytes(part)) << size << " by " << step;
    }
  }
}

TEST(HashTest, FinishMayBeFollowedByMore) {
  Hasher hasher;
  hasher.Update("ab");
  EXPECT_EQ(hasher.Finish(), HashBytes("ab"));
  hasher.Update("cd");
  EXPECT_EQ(hasher.Finish(), HashBytes("abcd"));
  Hasher moved = std::move(hasher);
  moved.Update("e");
  EXPECT_EQ(moved.Finish(), HashBytes("abcde"));
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx"), noinline)) void StoreUpperHalves(char (*bytes)[16]) {
#define TENON_HALF(n) "vextractf128 $1, %%ymm" #n ", " #n "*16(%0)\n\t"
  asm volatile(TENON_HALF(0) TENON_HALF(1) TENON_HALF(2) TENON_HALF(3) TENON_HALF(4) TENON_HALF(5)
                   TENON_HALF(6) TENON_HALF(7) TENON_HALF(8) TENON_HALF(9) TENON_HALF(10)
                       TENON_HALF(11) TENON_HALF(12) TENON_HALF(13) TENON_HALF(14) TENON_HALF(15)
               :
               : "r"(bytes)
               : "memory");
#undef TENON_HALF
}

/// The upper halves of the 16 vector registers of AVX.
std::vector<std::string> UpperHalves() {
  char bytes[16][16];
  StoreUpperHalves(bytes);
  std::vector<std::string> halves;
  for (const auto& half : bytes) halves.emplace_back(half, sizeof(half));
  return halves;
}

// With values in the upper halves, SSE code is several times slower.
TEST(HashTest, LeavesTheUpperHalvesOfVectorRegistersZero) {
  if (!__builtin_cpu_supports("avx")) GTEST_SKIP() << "a processor without AVX";
  const std::vector<std::string> zero(16, std::string(16, '\0'));
  const std::string bytes(100'000, 'x');
  Hasher hasher;
  hasher.Update(bytes);
  EXPECT_EQ(UpperHalves(), zero);
  EXPECT_NE(hasher.Finish64(), 0u);
  EXPECT_EQ(UpperHalves(), zero);
  EXPECT_NE(hasher.Finish().lo, 0u);
  EXPECT_EQ(UpperHalves(), zero);
  EXPECT_NE(HashBytes(bytes).lo, 0u);
  EXPECT_EQ(UpperHalves(), zero);
}
#endif

TEST(HashTest, TextComesBack) {
  const Hash128 hash{.hi = 0x0123456789abcdef, .lo = 0xf};
  EXPECT_EQ(HashToString(hash), "xxh3:0123456789abcdef000000000000000f");
  ASSERT_TRUE(ParseHash(HashToString(hash)).ok());
  EXPECT_EQ(*ParseHash(HashToString(hash)), hash);
  EXPECT_EQ(*ParseHash("xxh3:0123456789ABCDEF000000000000000F"), hash);
}

TEST(HashTest, BrokenTextIsRefused) {
  const std::string good = HashToString(HashBytes("x"));
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(ParseHash(good.substr(0, size)).ok());
  EXPECT_FALSE(ParseHash(good + "0").ok());
  EXPECT_FALSE(ParseHash("xxh4" + good.substr(4)).ok());
  std::string bad = good;
  bad[10] = 'g';
  EXPECT_THAT(Message(ParseHash(bad).status()), HasSubstr("character 10"));
}

TEST(HashTest, OrdersByTheUpperHalfAndGoesIntoSets) {
  EXPECT_LT((Hash128{.hi = 1, .lo = 9}), (Hash128{.hi = 2, .lo = 0}));
  absl::flat_hash_set<Hash128> set = {HashBytes("a"), HashBytes("b"), HashBytes("a")};
  EXPECT_EQ(set.size(), 2u);
}

}  // namespace
}  // namespace tenon
