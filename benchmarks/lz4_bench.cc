#include <benchmark/benchmark.h>
#include <lz4.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/tenon_lz4.h"
#include "support/codec.h"

// Decompression of constants before the first run: the runtime's decoder, which generated code
// includes, next to liblz4's decoder and a copy of the result. Rates are in decompressed bytes;
// `ratio` is the number of decompressed bytes per stored byte.

namespace tenon {
namespace {

constexpr size_t kBytes = size_t{1} << 20;

/// int8 weights; `zeros` percent of them are zero.
std::vector<uint8_t> Weights(int zeros) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> weights(0.0, 20.0);
  std::vector<uint8_t> bytes(kBytes);
  for (uint8_t& byte : bytes) {
    const double weight = std::min(127.0, std::max(-127.0, std::round(weights(random))));
    const bool is_zero = static_cast<int>(random() % 100) < zeros;
    byte = is_zero ? 0 : static_cast<uint8_t>(static_cast<int8_t>(weight));
  }
  return bytes;
}

/// A table of 4-byte words that rarely change, such as zero points, shifts and biases.
std::vector<uint8_t> Table() {
  std::mt19937_64 random(2);
  std::vector<uint8_t> bytes(kBytes);
  uint32_t word = 0;
  for (size_t i = 0; i < kBytes; i += 4) {
    if (random() % 24 == 0) word = static_cast<uint32_t>(random() % 65536);
    std::memcpy(&bytes[i], &word, 4);
  }
  return bytes;
}

enum Kind { kDense, kSparse, kPruned, kTable, kZeros };

std::vector<uint8_t> BytesOf(int64_t kind) {
  switch (kind) {
    case kDense:
      return Weights(5);
    case kSparse:
      return Weights(50);
    case kPruned:
      return Weights(90);
    case kTable:
      return Table();
    default:
      return std::vector<uint8_t>(kBytes);
  }
}

template <class Decode>
void Run(benchmark::State& state, const Decode& decode) {
  const std::vector<uint8_t> bytes = BytesOf(state.range(0));
  const auto stored = Compress(Codec::kLz4, bytes);
  if (!stored.ok()) return state.SkipWithError("LZ4 could not compress");
  std::vector<uint8_t> out(bytes.size());
  if (!decode(*stored, out) || out != bytes) return state.SkipWithError("wrong bytes");
  for (auto _ : state) {
    benchmark::DoNotOptimize(decode(*stored, out));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes.size()) * state.iterations());
  state.counters["ratio"] = static_cast<double>(bytes.size()) / static_cast<double>(stored->size());
  static constexpr const char* kNames[] = {"int8, 5 % zero", "int8, 50 % zero", "int8, 90 % zero",
                                           "table", "zeros"};
  state.SetLabel(kNames[state.range(0)]);
}

void TenonLz4(benchmark::State& state) {
  Run(state, [](const std::vector<uint8_t>& stored, std::vector<uint8_t>& out) {
    return tenon_lz4_decompress(stored.data(), stored.size(), out.data(), out.size()) == 0;
  });
}
BENCHMARK(TenonLz4)->DenseRange(kDense, kZeros);

void LibLz4(benchmark::State& state) {
  Run(state, [](const std::vector<uint8_t>& stored, std::vector<uint8_t>& out) {
    const int size = LZ4_decompress_safe(
        reinterpret_cast<const char*>(stored.data()), reinterpret_cast<char*>(out.data()),
        static_cast<int>(stored.size()), static_cast<int>(out.size()));
    return size == static_cast<int>(out.size());
  });
}
BENCHMARK(LibLz4)->DenseRange(kDense, kZeros);

void Copy(benchmark::State& state) {
  const std::vector<uint8_t> bytes = BytesOf(kDense);
  std::vector<uint8_t> out(bytes.size());
  for (auto _ : state) {
    std::memcpy(out.data(), bytes.data(), bytes.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes.size()) * state.iterations());
}
BENCHMARK(Copy);

}  // namespace
}  // namespace tenon
