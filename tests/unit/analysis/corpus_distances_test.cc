#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "analysis/access_trace.h"
#include "analysis/safe_distances.h"
#include "ir/analysis/effects.h"
#include "ir/extents.h"
#include "parser/parser.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/runner.h"
#include "tests/unit/support/corpus.h"

namespace tenon {
namespace {

std::filesystem::path Models() { return CorpusFolder() / "models"; }

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Count {
  int pairs = 0;
  int equal = 0;
  int64_t steps = 0;
};

FunctionBuffer BufferOf(const PrimFunc& func, size_t param) {
  const Buffer* buffer = func.buffers[param];
  return {buffer->data, StaticBytes(buffer->dtype, buffer->shape).value_or(0)};
}

void CheckPair(const std::string& name, const PrimFunc& func, size_t in, size_t out, Count& count) {
  const FunctionBuffer buffers[] = {BufferOf(func, in), BufferOf(func, out)};
  const SafeDistances closed = SafeDistancesOf(func, buffers[0], buffers[1]);
  const auto trace = AccessTrace::Of(func, buffers, {});
  if (!trace.ok()) {
    fmt::print("{} {} -> {}: {}\n", name, in, out, std::string(trace.status().message()));
    return;
  }
  ++count.pairs;
  count.steps += trace->steps();
  for (const AllowedDistances& range : closed.allowed) {
    for (const int64_t end : {range.first, range.last}) {
      EXPECT_TRUE(trace->IsSafe(0, 1, end)) << name << " " << in << " -> " << out << " at " << end;
    }
  }
  const int64_t natural = closed.allowed.front().last;
  const bool equal = natural == AllowedDistances::kUnbounded || !trace->IsSafe(0, 1, natural + 1);
  count.equal += equal ? 1 : 0;
  if (!equal) fmt::print("{} {} -> {}: {} is not the exact distance\n", name, in, out, natural);
}

void CheckModule(const IRModule& module, Count& count) {
  const ModuleEffects effects(module);
  for (const Function& function : module.functions()) {
    const std::vector<ArgumentEffect>& of = effects.Of(function).params;
    const PrimFunc& func = *function.func;
    if (&function == module.Main()) continue;
    for (size_t in = 0; in < of.size(); ++in) {
      for (size_t out = 0; out < of.size(); ++out) {
        if (func.buffers[in] == nullptr || func.buffers[out] == nullptr || !of[in].reads ||
            of[in].writes || !of[out].writes)
          continue;
        CheckPair(std::string(function.name.view()), func, in, out, count);
      }
    }
  }
}

/// Checks every input with every output of the functions of all models, after `pipeline`.
Count CheckModels(const Pipeline& pipeline) {
  Count count;
  for (const auto& folder : std::filesystem::directory_iterator(Models())) {
    const std::filesystem::path path = folder.path() / "module.py";
    if (!std::filesystem::exists(path)) continue;
    Context context;
    Diagnostics diagnostics;
    const auto module =
        ParseModule(context, path.string(), Contents(path), nullptr, {}, diagnostics);
    const auto ready = module ? RunPipeline(*module, pipeline, {}, diagnostics) : std::nullopt;
    EXPECT_TRUE(ready.has_value()) << Render(context.sources(), diagnostics);
    if (ready) CheckModule(*ready, count);
  }
  fmt::print("{} of {} pairs equal, {} steps\n", count.equal, count.pairs, count.steps);
  EXPECT_GE(count.equal, count.pairs * 9 / 10);
  return count;
}

// Functions as in their text.
TEST(CorpusDistances, ClosedFormAndTraceAgree) {
  if (!std::filesystem::exists(Models())) GTEST_SKIP() << "no corpus; set TENON_CORPUS_DIR";
  EXPECT_GT(CheckModels(Pipeline()).pairs, 100);
}

// Functions as emitted for wide vectors: lanes, sums in registers, blocks of several iterations.
TEST(CorpusDistances, ClosedFormAndTraceAgreeOnFasterLoops) {
  if (!std::filesystem::exists(Models())) GTEST_SKIP() << "no corpus; set TENON_CORPUS_DIR";
  Pipeline pipeline = LowerForPlanning();
  EXPECT_GT(CheckModels(pipeline.Append(LoopPipeline({.machine = {.vector_bytes = 1024}}))).pairs,
            100);
}

}  // namespace
}  // namespace tenon
