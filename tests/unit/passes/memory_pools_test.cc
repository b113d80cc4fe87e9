// Files of pools, and how they and the module's accesses reach the planner.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "parser/parser.h"
#include "passes/memory/assign_pool_info.h"
#include "passes/memory/plan_memory.h"
#include "passes/memory/pools_file.h"
#include "support/file.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MemoryPoolsTest : public testing::Test {
 protected:
  std::optional<std::vector<PoolInfo>> Parse(std::string_view text) {
    return ParsePoolsFile(context_.sources(), "pools.json", text, nullptr, diagnostics_);
  }
  std::string messages() const { return Render(context_.sources(), diagnostics_); }

  Context context_;
  Diagnostics diagnostics_;
};

TEST_F(MemoryPoolsTest, MissingPropertiesAreUnknown) {
  const auto pools = Parse(R"([{"name": "ram"}, {"name": "rom", "kind": "read-only"}])");
  ASSERT_TRUE(pools) << messages();
  ASSERT_EQ(pools->size(), 2u);
  const PoolInfo& ram = (*pools)[0];
  EXPECT_EQ(ram.name, "ram");
  EXPECT_FALSE(ram.is_constant);
  EXPECT_FALSE(ram.is_internal);
  EXPECT_EQ(ram.size_hint_bytes, -1);
  EXPECT_EQ(ram.alignment, 1);
  EXPECT_EQ(ram.base_address, 0);
  EXPECT_EQ(ram.cost, PoolCostInfo());
  EXPECT_TRUE((*pools)[1].is_constant);
}

TEST_F(MemoryPoolsTest, TheExample) {
  const auto file = ReadFile(TENON_SOURCE_DIR "/examples/pools.json");
  ASSERT_TRUE(file.ok()) << file.status();
  const auto pools = Parse((*file)->view());
  ASSERT_TRUE(pools) << messages();
  ASSERT_EQ(pools->size(), 3u);
  const PoolInfo& dtcm = (*pools)[0];
  EXPECT_TRUE(dtcm.is_internal);
  EXPECT_EQ(dtcm.section, ".dtcm");
  EXPECT_EQ(dtcm.size_hint_bytes, 4096);
  EXPECT_EQ(dtcm.cost, (PoolCostInfo{400'000'000, 8, 8, 1, 1}));
  const PoolInfo& sdram = (*pools)[1];
  EXPECT_EQ(sdram.base_address, 0xC0000000);
  EXPECT_EQ(sdram.alignment, 32);
  EXPECT_EQ(sdram.cost, (PoolCostInfo{100'000'000, 4, 4, 10, 10}));
  EXPECT_EQ((*pools)[2].section, ".rodata.weights");
}

TEST_F(MemoryPoolsTest, TheLastPlacesOfAText) {
  for (const std::string_view text :
       {"", "[", "[{", R"([{"name)", R"([{"name": "a\)", "]", "\x80"}) {
    diagnostics_.Clear();
    EXPECT_FALSE(Parse(text));
    EXPECT_EQ(diagnostics_.error_count(), 1u);
    EXPECT_THAT(messages(), HasSubstr("pools.json:1:"));
  }
  const std::string deep(1000, '[');
  EXPECT_FALSE(Parse(deep));
  EXPECT_THAT(messages(), HasSubstr("more than 8 nested arrays and objects"));
}

constexpr std::string_view kModule = R"(
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16,), "int8")):
        T.func_attr({"global_symbol": "main"})
        hot = T.allocate([16], "int8", "global")
        cold = T.allocate([64], "int8", "global")
        Hot = T.Buffer((16,), "int8", data=hot)
        Cold = T.Buffer((64,), "int8", data=cold)
        for i in range(64):
            Cold[i] = A[0]
        for n in range(100):
            for i in range(16):
                Hot[i] = Hot[i] + A[i]
        for i in range(64):
            A[i % 16] = Hot[i % 16] + Cold[i]
)";

TEST_F(MemoryPoolsTest, AccessesAndCostsReachThePlanner) {
  const auto module = ParseModule(context_, "module.py", kModule, nullptr, {}, diagnostics_);
  ASSERT_TRUE(module) << messages();
  const auto pools = Parse(R"([
    {"name": "fast", "size_bytes": 64, "alignment": 32, "clock_frequency_hz": 400000000,
     "read_bandwidth_bytes_per_cycle": 8, "write_bandwidth_bytes_per_cycle": 4,
     "read_latency_cycles": 1, "write_latency_cycles": 2},
    {"name": "slow", "base_address": "0x10000000010"}])");
  ASSERT_TRUE(pools) << messages();
  auto storage = std::make_shared<Storage>();
  NodeBuilder builder(context_, storage->arena());
  std::vector<const Attr*> attrs;
  for (const PoolInfo& pool : *pools) {
    attrs.push_back(MakePoolInfo(builder, pool));
    EXPECT_TRUE(SamePool(*ReadPoolInfo(attrs.back()), pool));
  }
  IRModule with_pools = *module;
  with_pools.SetAttrs(builder.With(module->attrs(), "workspace_memory_pools", builder.Array(attrs)),
                      storage);
  PassContext pass{diagnostics_, /*threads=*/1, {}};
  const auto assigned = AssignPoolInfo(with_pools, {}, pass);
  ASSERT_TRUE(assigned.ok()) << assigned.status();
  const auto made = MakeMemoryProblem(*assigned, {}, diagnostics_);
  ASSERT_TRUE(made.ok()) << made.status();

  const planner::Problem& problem = made->problem;
  ASSERT_EQ(problem.pools.size(), 2u);
  const planner::Pool& fast = problem.pools[0];
  EXPECT_EQ(fast.capacity, 64);
  EXPECT_EQ(fast.alignment, 32);
  EXPECT_EQ(fast.cost.clock_hz, 400'000'000);
  EXPECT_EQ(fast.cost.read_bytes_per_cycle, 8);
  EXPECT_EQ(fast.cost.write_bytes_per_cycle, 4);
  EXPECT_EQ(fast.cost.read_latency_cycles, 1);
  EXPECT_EQ(fast.cost.write_latency_cycles, 2);
  const planner::Pool& slow = problem.pools[1];
  EXPECT_EQ(slow.base_offset, 16) << "the part of the address that an alignment asks for";
  EXPECT_EQ(slow.cost.clock_hz, 0);
  ASSERT_EQ(problem.buffers.size(), 2u);
  EXPECT_EQ(problem.buffers[0].name, "hot");
  EXPECT_EQ(problem.buffers[0].bytes_read, 100 * 16 + 64);
  EXPECT_EQ(problem.buffers[0].bytes_written, 100 * 16);
  EXPECT_EQ(problem.buffers[1].bytes_read, 64);
  EXPECT_EQ(problem.buffers[1].bytes_written, 64);
  EXPECT_THAT(problem.buffers[1].pools, ElementsAre(0, 1));
}

}  // namespace
}  // namespace tenon
