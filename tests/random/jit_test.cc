// Random modules in LLVM's JIT give the interpreter's results.

#include "lowering/llvm/jit.h"

#include <array>
#include <cstring>

#include "compile/compiler.h"
#include "compile/run/run_entry.h"
#include "lowering/llvm/llvm_backend.h"
#include "random/check.h"
#include "random/ways.h"
#include "runtime/tenon_parallel.h"

namespace tenon::random_ir {
namespace {

/// Bytes at a multiple of 64, surrounded by guard bytes.
class Block {
 public:
  explicit Block(size_t size) : size_(size), lines_(size / 64 + 1 + 2 * kGuard) {
    std::memset(lines_.data(), kPattern, lines_.size() * 64);
    std::memset(data(), 0, size);
  }
  void* data() { return lines_.data() + kGuard; }
  bool GuardsHold() const {
    const auto* bytes = reinterpret_cast<const uint8_t*>(lines_.data());
    for (size_t i = 0; i < lines_.size() * 64; ++i) {
      const bool is_guard = i < kGuard * 64 || i >= kGuard * 64 + size_;
      if (is_guard && bytes[i] != kPattern) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kGuard = 8;
  static constexpr uint8_t kPattern = 0xa5;
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  size_t size_;
  std::vector<Line> lines_;
};

/// A target whose vectors have that many bytes in all.
template <int64_t vector_bytes>
absl::StatusOr<TargetFacts> FactsOf(const TargetSpec& /*target*/) {
  return TargetFacts{.machine = {.vector_bytes = vector_bytes}};
}

/// The outputs of a module's code, in the form of Sample::Run.
void RunJit(Sample& sample, int opt_level, std::vector<std::vector<uint8_t>>& results) {
  CompileOptions options;
  const auto algorithms = planner::AlgorithmNames();
  options.planner = std::string(algorithms[sample.seed % algorithms.size()]);
  // Half of the seeds use the passes that make loops faster, for machines with more and fewer
  // registers.
  options.loop_passes = sample.seed % 2 == 0 ? Switch::kOn : Switch::kOff;
  AddFusion(sample.seed, options);
  // Three of eight seeds have parallel loops on a thread pool, at -O0, -O3, and -O3 without the
  // loop passes.
  const uint64_t way = sample.seed % 8;
  const bool threads = way == 1 || way == 6 || way == 7;
  if (threads) options.parallel = ParallelLoops::kThreads;
  Backend backend = LlvmBackend();
  backend.optimises_loops = false;
  backend.facts =
      std::array{FactsOf<0>, FactsOf<128>, FactsOf<512>, FactsOf<2048>}[sample.seed / 2 % 4];
  const auto compiled = Lower({&sample.module, {}, {}}, options, backend, sample.diagnostics);
  ASSERT_TRUE(compiled.has_value()) << sample.Messages() << PrintModule(sample.module);
  const EntryAbi& abi = compiled->interface.abi;
  const TargetSpec machine = {"", sample.seed % 2 == 0 ? "native" : "", ""};
  const auto jit = Jit::Create(machine, opt_level);
  ASSERT_TRUE(jit.ok()) << jit.status();
  if (threads) {
    void* const run_loop = reinterpret_cast<void*>(&tenon_parallel_for);
    ASSERT_TRUE((*jit)->Define("tenon_parallel_for", run_loop).ok());
  }
  EmitLlvmOptions emit;
  emit.opt_level = opt_level;
  emit.debug_info = sample.seed % 3 == 0;
  ASSERT_TRUE((*jit)->Add(compiled->lowered, emit, sample.diagnostics))
      << sample.Messages() << PrintModule(sample.module);
  const auto run = (*jit)->Lookup("tvmgen_default_run");
  ASSERT_TRUE(run.ok()) << run.status();
  std::vector<Block> blocks;
  std::vector<void*> inputs;
  std::vector<void*> outputs;
  blocks.reserve(abi.inputs.size() + abi.outputs.size());
  ASSERT_EQ(abi.inputs.size(), sample.inputs.size());
  for (const NamedTensor& input : sample.inputs) {
    const std::vector<uint8_t>& bytes = input.tensor.bytes;
    blocks.emplace_back(bytes.size());
    std::memcpy(blocks.back().data(), bytes.data(), bytes.size());
    inputs.push_back(blocks.back().data());
  }
  for (const auto& output : abi.outputs) {
    blocks.emplace_back(static_cast<size_t>(output.size_bytes));
    outputs.push_back(blocks.back().data());
  }
  ASSERT_EQ(CallRun(*run, abi, inputs, outputs, {}), 0);
  for (const Block& block : blocks) ASSERT_TRUE(block.GuardsHold());
  const PrimFunc& main = *sample.module.Main()->func;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto* bytes = static_cast<const uint8_t*>(outputs[i]);
    results.emplace_back(bytes, bytes + abi.outputs[i].size_bytes);
    OneNan(main.buffers[inputs.size() + i]->dtype, results.back());
  }
}

TEST(RandomJit, GivesWhatTheInterpreterGives) {
  const Seeds seeds(100);
  tenon_parallel_start(3);
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, ModuleOf(seed));
    const auto want = sample.Run(sample.module);
    ASSERT_TRUE(want.has_value()) << Again(seed) << sample.Messages();
    std::vector<std::vector<uint8_t>> got;
    const int opt_level = seed % 4 < 2 ? 0 : 3;
    ASSERT_NO_FATAL_FAILURE(RunJit(sample, opt_level, got)) << Again(seed);
    ASSERT_EQ(got, *want) << Again(seed) << "at -O" << opt_level << ", of\n"
                          << PrintModule(sample.module);
  }
  tenon_parallel_stop();
}

}  // namespace
}  // namespace tenon::random_ir
