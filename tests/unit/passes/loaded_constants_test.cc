// Constants that are loaded into RAM: the planning problem, their places, and their bytes when a
// planned module runs.

#include "ir/loaded_constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "parser/parser.h"
#include "passes/memory/plan_memory.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "planner/planner.h"
#include "support/codec.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kText = R"(
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("w", [1, 2, 3, 4, 5, 6, 7, 8], "int8", [8], load="sram"),
        I.constant("v", I.splat(9), "int8", [320], align=64, load="sram", codec="lz4"),
        I.constant("k", I.splat(3), "int8", [40])]})
    @T.prim_func
    def layer(y: T.Buffer((8,), "int8")):
        w = T.allocate_const(I.constant("w"), "int8", [8])
        w_1 = T.Buffer((8,), "int8", data=w)
        for i in range(8):
            y[i] = y[i] + w_1[i]
    @T.prim_func
    def main(y: T.Buffer((8,), "int8")):
        w = T.allocate_const(I.constant("w"), "int8", [8])
        w_1 = T.Buffer((8,), "int8", data=w)
        v = T.allocate_const(I.constant("v"), "int8", [320])
        v_1 = T.Buffer((320,), "int8", data=v)
        k = T.allocate_const(I.constant("k"), "int8", [40])
        k_1 = T.Buffer((40,), "int8", data=k)
        a = T.allocate([8], "int8", "global")
        a_1 = T.Buffer((8,), "int8", data=a)
        b = T.allocate([200], "int8", "global")
        b_1 = T.Buffer((200,), "int8", data=b)
        for i in range(8):
            a_1[i] = w_1[i] + v_1[i * 40]
        for i in range(8):
            y[i] = a_1[i] + k_1[i]
        for i in range(200):
            b_1[i] = T.int8(1)
        for i in range(8):
            y[i] = y[i] + b_1[i]
        T.call_extern("int32", "layer", y.data)
)";

class LoadedConstantsTest : public testing::Test {
 protected:
  std::optional<IRModule> Run(const IRModule& module, std::string_view text) {
    const auto pipeline = ParsePipeline(context_, text, diagnostics_);
    return pipeline ? RunPipeline(module, *pipeline, {}, diagnostics_) : std::nullopt;
  }
  IRModule Parse() {
    const auto module = ParseModule(context_, "m.py", kText, nullptr, {}, diagnostics_);
    EXPECT_TRUE(module) << messages();
    return *module;
  }
  std::optional<MemoryProblem> ProblemOf(std::string_view pools) {
    const auto assigned =
        Run(Parse(), "convert-for-loops-to-serial,assign-pool-info{" + std::string(pools) + "}");
    if (!assigned) return std::nullopt;
    auto made = MakeMemoryProblem(*assigned, PlanMemoryOptions(), diagnostics_);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  std::string messages() const { return Render(context_.sources(), diagnostics_); }

  Context context_;
  Diagnostics diagnostics_;
};

const planner::Buffer* Find(const MemoryProblem& made, std::string_view name) {
  for (const planner::Buffer& buffer : made.problem.buffers) {
    if (buffer.name == name) return &buffer;
  }
  return nullptr;
}

std::vector<std::string> PoolsOf(const MemoryProblem& made, const planner::Buffer& buffer) {
  std::vector<std::string> names;
  for (const auto pool : buffer.pools)
    names.push_back(made.problem.pools[static_cast<size_t>(pool)].name);
  return names;
}

constexpr std::string_view kPools =
    R"(workspace-pools="dtcm:256;sram" constant-pools="itcm:16;flash")";

// The loaded bytes are a buffer that is always live; the stored bytes are a buffer among the
// constants.
TEST_F(LoadedConstantsTest, HaveTwoBuffers) {
  const auto made = ProblemOf(kPools);
  ASSERT_TRUE(made) << messages();
  const planner::Buffer* v = Find(*made, "v");
  ASSERT_NE(v, nullptr);
  EXPECT_EQ(v->size, 320);
  EXPECT_EQ(v->alignment, 64);
  EXPECT_THAT(PoolsOf(*made, *v), ElementsAre("sram"));
  const planner::Buffer* stored = Find(*made, "v_stored");
  ASSERT_NE(stored, nullptr);
  EXPECT_EQ(stored->size,
            static_cast<int64_t>(Compress(Codec::kLz4, std::vector<uint8_t>(320, 9))->size()));
  EXPECT_THAT(PoolsOf(*made, *stored), ElementsAre("itcm", "flash"));
  for (const planner::Buffer* buffer : {v, stored}) {
    EXPECT_EQ(buffer->kind, planner::BufferKind::kConstant);
    // No lifetime means always live.
    for (const planner::Lifetime& lifetime : buffer->lifetimes) {
      EXPECT_EQ(lifetime.lower, 0);
      EXPECT_GE(lifetime.upper, made->liveness.ticks);
    }
  }
}

// Two functions use `w`: it is loaded once, and stored once.
TEST_F(LoadedConstantsTest, AreStoredOnce) {
  const auto made = ProblemOf(kPools);
  ASSERT_TRUE(made) << messages();
  int loaded = 0;
  int stored = 0;
  for (const planner::Buffer& buffer : made->problem.buffers) {
    loaded += buffer.name == "w" ? 1 : 0;
    stored += buffer.name == "w_stored" ? 1 : 0;
  }
  EXPECT_EQ(loaded, 1);
  EXPECT_EQ(stored, 1);
  int places = 0;
  for (const MemoryProblem::Place& place : made->places) {
    if (made->problem.buffers[place.buffer].name != "w") continue;
    ASSERT_TRUE(place.stored.has_value());
    EXPECT_EQ(made->problem.buffers[*place.stored].name, "w_stored");
    ++places;
  }
  EXPECT_EQ(places, 2);
}

// Without constant pools, stored bytes are outside all pools.
TEST_F(LoadedConstantsTest, AreStoredByThemselvesWithoutPools) {
  const auto made = ProblemOf(R"(workspace-pools="dtcm:256;sram")");
  ASSERT_TRUE(made) << messages();
  EXPECT_NE(Find(*made, "v"), nullptr);
  EXPECT_EQ(Find(*made, "v_stored"), nullptr);
  EXPECT_EQ(Find(*made, "k"), nullptr);
}

/// The bytes that a constant has when the model runs.
std::vector<uint8_t> Loaded(const LoadedConstant& constant) {
  const std::span<const uint8_t> stored = *constant.stored->Bytes();
  std::vector<uint8_t> bytes(stored.begin(), stored.end());
  if (constant.codec.empty()) return bytes;
  bytes.resize(static_cast<size_t>(constant.size_bytes));
  EXPECT_TRUE(Decompress(*CodecNamed(constant.codec), stored, bytes).ok());
  return bytes;
}

// With any algorithm, no workspace buffer shares bytes with a loaded constant, whatever its
// lifetime. All loaded bytes are in the pools when the module runs.
TEST_F(LoadedConstantsTest, KeepTheirBytes) {
  for (const std::string_view algorithm : planner::AlgorithmNames()) {
    SCOPED_TRACE(algorithm);
    const auto planned = Run(Parse(),
                             "convert-for-loops-to-serial,assign-pool-info{workspace-pools=sram "
                             "constant-pools=flash},plan-memory{algorithm=" +
                                 std::string(algorithm) + "},convert-pool-allocations-to-offsets");
    ASSERT_TRUE(planned) << messages();
    const PrimFunc& main = *planned->Main()->func;
    const std::vector<LoadedConstant> loaded = ReadLoadedConstants(main);
    ASSERT_GE(loaded.size(), 2u);
    for (const LoadedConstant& constant : loaded) {
      EXPECT_EQ(constant.pool, "sram");
      EXPECT_EQ(constant.stored_pool, "flash");
    }
    for (const PoolArg& arg : ReadPoolArgs(main)) {
      if (arg.pool.name != "sram") continue;
      for (const LoadedConstant& constant : loaded) {
        ASSERT_LE(constant.offset + constant.size_bytes, arg.size_bytes);
        const std::vector<uint8_t> bytes = Loaded(constant);
        for (int64_t i = 0; i < constant.size_bytes; ++i) {
          const uint8_t want = constant.codec.empty() ? static_cast<uint8_t>(i + 1) : uint8_t{9};
          ASSERT_EQ(bytes[static_cast<size_t>(i)], want);
        }
      }
      // The workspace lies elsewhere; the pool has room for everything.
      EXPECT_GE(arg.size_bytes, 320 + 8 + 200);
    }
  }
}

// If a pool has no room for its loaded constants, they do not spill to another pool.
TEST_F(LoadedConstantsTest, DoNotSpill) {
  EXPECT_FALSE(Run(Parse(),
                   "convert-for-loops-to-serial,assign-pool-info{workspace-pools="
                   "\"sram:300;dram\"},plan-memory"));
  EXPECT_THAT(messages(), HasSubstr("`sram`"));
}

// 320 and 8 bytes are loaded; the workspace has 200. The rest of the pool is the budget for
// promoted constants.
TEST_F(LoadedConstantsTest, LeaveTheWorkspaceItsRoom) {
  for (const int64_t size : {592, 598, 599, 700}) {
    SCOPED_TRACE(size);
    const auto planned = Run(
        Parse(), "convert-for-loops-to-serial,assign-pool-info{workspace-pools=sram:" +
                     std::to_string(size) +
                     "},promote-constants,assign-pool-info{workspace-pools=sram:" +
                     std::to_string(size) + "},plan-memory,convert-pool-allocations-to-offsets");
    ASSERT_TRUE(planned) << messages();
    const size_t promoted = ReadLoadedConstants(*planned->Main()->func).size();
    EXPECT_EQ(promoted, size >= 599 ? 3u : 2u);
  }
}

}  // namespace
}  // namespace tenon
