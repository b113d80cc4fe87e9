// Random modules whose inputs and outputs lie in the pools. They run at their planned places: a
// byte that another allocation has written counts as not written. Loops are reversed where that
// helps, or wherever possible.

#include "ir/mapped_tensors.h"
#include "ir/overlaps.h"
#include "passes/memory/reversed_nests.h"
#include "random/check.h"
#include "tests/unit/passes/mapped_copies.h"

namespace tenon::random_ir {
namespace {

constexpr std::string_view kFlat = "convert-for-loops-to-serial,lower-blocks,flatten-buffers";

ModuleOptions Larger(bool reuse) {
  ModuleOptions options;
  options.statements = reuse ? 8 : 14;
  options.depth = 2;
  options.reuse = reuse;
  return options;
}

/// Runs main with initialized outputs, some of which are only partly overwritten.
std::optional<std::vector<std::vector<uint8_t>>> RunWhole(Sample& sample, const IRModule& version,
                                                          InterpreterOptions options = {}) {
  options.max_steps = 20'000'000;
  const auto interpreter = Interpreter::Compile(version, sample.diagnostics, std::move(options));
  if (!interpreter.ok()) return std::nullopt;
  Dice dice(sample.seed);
  std::vector<NamedTensor> tensors = sample.inputs;
  const PrimFunc& main = *sample.module.Main()->func;
  for (size_t i = tensors.size(); i < main.params.size(); ++i)
    tensors.push_back({"", RandomTensor(*main.buffers[i], dice)});
  const size_t inputs = sample.inputs.size();
  std::vector<Argument> arguments;
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::vector<int64_t>& shape = tensors[i].tensor.shape;
    shape.clear();
    for (const Expr* extent : version.Main()->func->buffers[i]->shape)
      shape.push_back(*AsIntImm(extent));
    arguments.push_back(Argument::Of(&tensors[i].tensor));
  }
  if (!interpreter->Run("main", arguments, sample.diagnostics)) return std::nullopt;
  std::vector<std::vector<uint8_t>> bytes;
  for (size_t i = inputs; i < tensors.size(); ++i) {
    bytes.push_back(tensors[i].tensor.bytes);
    OneNan(tensors[i].tensor.dtype, bytes.back());
  }
  return bytes;
}

struct Seen {
  size_t mapped = 0;
  size_t overlaps = 0;
  // The least number of mapped tensors that these seeds shall have.
  size_t least = 0;
};

void KeepMapped(bool reuse, std::string_view io, Seen& seen) {
  const Seeds seeds(120);
  seen.least += seeds.Part(25);
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, Larger(reuse));
    const auto want = RunWhole(sample, sample.module);
    ASSERT_TRUE(want.has_value()) << sample.Messages();
    const auto planned = sample.Apply(
        sample.module,
        fmt::format(
            "{},create-io-allocates{{{}}},assign-pool-info,"
            "reverse-loops{{algorithm=first_fit workspace-alignment=1}},"
            "plan-memory{{algorithm=first_fit overlap=on workspace-alignment=1}},verify-plan",
            kFlat, io));
    ASSERT_TRUE(planned.has_value()) << sample.Messages() << PrintModule(sample.module);
    for (const Function& function : planned->functions())
      seen.overlaps += ReadOverlaps(*function.func).size();
    seen.mapped += ReadMappedTensors(*planned->Main()->func).size();
    InterpreterOptions placements;
    const IRModule copying = WithParams(*planned, placements);
    const auto result = RunWhole(sample, copying, placements);
    ASSERT_TRUE(result.has_value()) << sample.Messages() << PrintModule(copying);
    ASSERT_EQ(*want, *result) << "seed " << seed;
  }
}

TEST(RandomMapped, KeepResults) {
  Seen seen;
  for (const bool reuse : {false, true}) {
    KeepMapped(reuse, "", seen);
    KeepMapped(reuse, "keep-inputs=true", seen);
  }
  EXPECT_GE(seen.mapped, seen.least);
  fmt::print("{} tensors in pools, {} pairs of parameters share bytes\n", seen.mapped,
             seen.overlaps);
}

TEST(RandomReversed, KeepResults) {
  const Seeds seeds(600);
  size_t reversed = 0;
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, Larger(/*reuse=*/seed % 2 == 0));
    const auto flat = sample.Apply(sample.module, kFlat);
    ASSERT_TRUE(flat.has_value()) << sample.Messages();
    const auto want = sample.Run(*flat);
    ASSERT_TRUE(want.has_value()) << sample.Messages();
    IRModule backward = *flat;
    for (const Function& function : flat->functions()) {
      const Function now = WithReversedNests(flat->context(), function, 1 + seed % 3);
      if (now.func == function.func) continue;
      ++reversed;
      backward.Update(now);
    }
    const auto result = sample.Run(backward);
    ASSERT_TRUE(result.has_value()) << sample.Messages() << PrintModule(backward);
    ASSERT_EQ(*want, *result) << "seed " << seed << PrintModule(backward);
  }
  EXPECT_GE(reversed, seeds.Part(50));
}

}  // namespace
}  // namespace tenon::random_ir
