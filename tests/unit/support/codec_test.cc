// Compression of constants, compared with the decoder that generated code includes.

#include "support/codec.h"

#include <gtest/gtest.h>
#include <lz4.h>

#include <memory>
#include <random>

#include "runtime/tenon_lz4.h"

namespace tenon {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes Random(size_t size, uint32_t seed, int values = 256) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % static_cast<uint32_t>(values));
  return bytes;
}

Bytes Periodic(size_t size, size_t period) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i % period * 37);
  return bytes;
}

// Data of every kind: empty, one byte, incompressible, few values, all periods that the copy of
// matches distinguishes, and lengths around those at which LZ4 needs another byte.
std::vector<Bytes> Samples() {
  std::vector<Bytes> samples = {{}, {7}, Random(100000, 1), Random(65536, 2, 3), Bytes(70000)};
  for (size_t period = 1; period <= 40; ++period) samples.push_back(Periodic(1000, period));
  for (size_t size = 2; size <= 300; size += 7) samples.push_back(Periodic(size, 3));
  for (size_t size = 250; size <= 290; ++size) {
    samples.push_back(Random(size, 3));
    Bytes mixed = Random(size, 4);
    mixed.resize(2 * size);
    samples.push_back(mixed);
    mixed.insert(mixed.end(), samples[2].begin(), samples[2].begin() + 20);
    samples.push_back(mixed);
  }
  samples.push_back(Periodic(200000, 65535));
  samples.push_back(Periodic(200000, 65537));
  return samples;
}

// Uses arrays of exactly these sizes, so that a sanitizer detects an access out of bounds.
int Own(const Bytes& stored, Bytes& out) {
  const std::unique_ptr<uint8_t[]> from(new uint8_t[stored.size()]);
  const std::unique_ptr<uint8_t[]> to(new uint8_t[out.size()]);
  std::copy(stored.begin(), stored.end(), from.get());
  const int result = tenon_lz4_decompress(from.get(), stored.size(), to.get(), out.size());
  std::copy(to.get(), to.get() + out.size(), out.begin());
  return result;
}

TEST(CodecTest, NamesAreKnown) {
  EXPECT_EQ(CodecNamed("lz4"), Codec::kLz4);
  EXPECT_EQ(CodecNamed("zstd"), Codec::kZstd);
  EXPECT_FALSE(CodecNamed(""));
  EXPECT_FALSE(CodecNamed("LZ4"));
}

TEST(CodecTest, EverythingComesBack) {
  for (const Codec codec : {Codec::kLz4, Codec::kZstd}) {
    for (const Bytes& sample : Samples()) {
      const absl::StatusOr<Bytes> stored = Compress(codec, sample);
      ASSERT_TRUE(stored.ok());
      EXPECT_EQ(*Compress(codec, sample), *stored);
      Bytes out(sample.size());
      EXPECT_TRUE(Decompress(codec, *stored, out).ok());
      EXPECT_EQ(out, sample);
      // Another size.
      out.resize(sample.size() + 1);
      EXPECT_FALSE(Decompress(codec, *stored, out).ok());
      if (sample.empty()) continue;
      out.resize(sample.size() - 1);
      EXPECT_FALSE(Decompress(codec, *stored, out).ok());
    }
  }
}

TEST(CodecTest, CompressesWhatCanBe) {
  EXPECT_LT(Compress(Codec::kLz4, Bytes(100000))->size(), 500u);
  EXPECT_LT(Compress(Codec::kZstd, Periodic(100000, 77))->size(), 200u);
  EXPECT_GT(Compress(Codec::kLz4, Random(1000, 5))->size(), 1000u);
}

TEST(TenonLz4Test, ReadsWhatTheLibraryWrites) {
  for (const Bytes& sample : Samples()) {
    const Bytes high = *Compress(Codec::kLz4, sample);
    Bytes fast(static_cast<size_t>(LZ4_compressBound(static_cast<int>(sample.size()))));
    fast.resize(static_cast<size_t>(LZ4_compress_default(
        reinterpret_cast<const char*>(sample.data()), reinterpret_cast<char*>(fast.data()),
        static_cast<int>(sample.size()), static_cast<int>(fast.size()))));
    for (const Bytes& stored : {high, fast}) {
      Bytes out(sample.size());
      EXPECT_EQ(Own(stored, out), 0);
      EXPECT_EQ(out, sample);
      out.assign(sample.size() + 1, 0);
      EXPECT_EQ(Own(stored, out), -1);
      if (sample.empty()) continue;
      out.resize(sample.size() - 1);
      EXPECT_EQ(Own(stored, out), -1);
    }
  }
}

TEST(TenonLz4Test, ShorterBlocksAreRefused) {
  for (const Bytes& sample : {Random(300, 6), Random(3000, 7, 4), Periodic(5000, 9)}) {
    const Bytes stored = *Compress(Codec::kLz4, sample);
    for (size_t size = 0; size < stored.size(); ++size) {
      Bytes out(sample.size());
      EXPECT_EQ(Own(Bytes(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(size)), out),
                -1);
    }
  }
}

// The two decoders may accept different blocks that no encoder writes (other last bytes, an offset
// of 0). Blocks that both accept must give the same bytes.
TEST(TenonLz4Test, DamageEndsInAnErrorOrInAsManyBytes) {
  std::mt19937 random(8);
  int errors = 0;
  for (int round = 0; round < 5000; ++round) {
    const Bytes sample = round % 2 == 0 ? Random(200, static_cast<uint32_t>(round), 3)
                                        : Periodic(200 + random() % 200, 1 + random() % 40);
    Bytes stored = *Compress(Codec::kLz4, sample);
    for (auto flips = 1 + random() % 3; flips > 0; --flips)
      stored[random() % stored.size()] ^= static_cast<uint8_t>(1U << random() % 8);
    Bytes out(sample.size());
    Bytes theirs(sample.size());
    const int result = Own(stored, out);
    errors += result != 0;
    if (!Decompress(Codec::kLz4, stored, theirs).ok() || result != 0) continue;
    EXPECT_EQ(out, theirs);
  }
  EXPECT_GT(errors, 500);
}

TEST(TenonLz4Test, NoiseIsRefusedOrRead) {
  for (uint32_t seed = 0; seed < 20000; ++seed) {
    Bytes out(seed % 97);
    EXPECT_LE(Own(Random(seed % 61, seed), out), 0);
    EXPECT_LE(Own(Random(seed % 61, seed, 20), out), 0);
  }
  // Lengths that would wrap around.
  Bytes out(16);
  EXPECT_EQ(Own(Bytes(100000, 255), out), -1);
}

}  // namespace
}  // namespace tenon
