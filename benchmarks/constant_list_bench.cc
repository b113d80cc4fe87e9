#include <benchmark/benchmark.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "parser/constant_list.h"
#include "printer/constant_text.h"

// Lists of constants, from text to bytes and back. Rates are in bytes of text.

namespace tenon {
namespace {

constexpr size_t kElements = 1'000'000;

std::vector<uint8_t> RandomElements(DataType dtype) {
  std::mt19937_64 random(1);
  std::vector<uint8_t> bytes(kElements * static_cast<size_t>(dtype.element_bytes()));
  if (dtype == DataType::Float(32)) {
    std::normal_distribution<float> weights(0.0F, 0.1F);
    for (size_t i = 0; i < kElements; ++i) {
      const float value = weights(random);
      std::memcpy(bytes.data() + i * sizeof(float), &value, sizeof(float));
    }
  } else {
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  }
  return bytes;
}

std::string TextOf(DataType dtype) {
  Sink sink;
  sink.Append('[');
  AppendConstantElements(RandomElements(dtype), dtype, sink);
  sink.Append(']');
  return sink.Take();
}

void ParseList(benchmark::State& state, DataType dtype) {
  const std::string text = TextOf(dtype);
  for (auto _ : state) {
    Diagnostics diagnostics;
    ConstantListResult list;
    if (!ParseConstantList(text, 0, dtype, 1, static_cast<int64_t>(kElements), diagnostics,
                           &list)) {
      state.SkipWithError("the list was refused");
    }
    benchmark::DoNotOptimize(list.bytes.data());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

void PrintList(benchmark::State& state, DataType dtype) {
  const std::vector<uint8_t> bytes = RandomElements(dtype);
  size_t size = 0;
  for (auto _ : state) {
    Sink sink;
    AppendConstantElements(bytes, dtype, sink);
    size = sink.size();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * size));
}

BENCHMARK_CAPTURE(ParseList, int8, DataType::Int(8));
BENCHMARK_CAPTURE(ParseList, int32, DataType::Int(32));
BENCHMARK_CAPTURE(ParseList, float32, DataType::Float(32));
BENCHMARK_CAPTURE(PrintList, int8, DataType::Int(8));
BENCHMARK_CAPTURE(PrintList, int32, DataType::Int(32));
BENCHMARK_CAPTURE(PrintList, float32, DataType::Float(32));

}  // namespace
}  // namespace tenon
