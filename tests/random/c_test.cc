// The C of random modules, compiled with ASan and UBSan if available, gives the interpreter's
// results. So does C with parallel loops on threads, in which ThreadSanitizer finds no races.

#include "compile/compiler.h"
#include "lowering/c/c_backend.h"
#include "random/check.h"
#include "random/ways.h"
#include "tests/unit/support/temp_folder.h"

namespace tenon::random_ir {
namespace {

/// A folder that is removed after the test, unless the user wants to keep it.
class Folder : public TempFolder {
 public:
  Folder() : TempFolder(std::getenv("TENON_RANDOM_KEEP") != nullptr) {}
};

std::string Bytes(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format("{},", byte);
  return text;
}

/// A function that calls the module's run function with its inputs and prints its outputs, one per
/// line, after a line with the seed.
std::string Caller(const EntryAbi& abi, const Sample& sample) {
  std::string inputs;
  std::string outputs;
  std::string print;
  std::string text = fmt::format("static void call_{}(void) {{\n", sample.seed);
  for (size_t i = 0; i < abi.inputs.size(); ++i) {
    text += fmt::format("  static unsigned char i{}[] __attribute__((aligned(64))) = {{{}}};\n", i,
                        Bytes(sample.inputs[i].tensor.bytes));
    inputs += fmt::format("i{}, ", i);
  }
  for (size_t i = 0; i < abi.outputs.size(); ++i) {
    text += fmt::format("  static unsigned char o{}[{}] __attribute__((aligned(64)));\n", i,
                        abi.outputs[i].size_bytes);
    outputs += fmt::format("o{}, ", i);
    print += fmt::format("  show(o{0}, sizeof o{0});\n", i);
  }
  text += fmt::format(
      "  struct {0}_inputs inputs = {{{1}}};\n  struct {0}_outputs outputs = {{{2}}};\n"
      "  printf(\"seed {3}\\n\");\n  fflush(stdout);\n"
      "  if ({0}_run(&inputs, &outputs) != 0 || {0}_run(&inputs, &outputs) != 0) "
      "puts(\"failed\");\n{4}}}\n",
      abi.prefix, inputs, outputs, sample.seed, print);
  return text;
}

constexpr const char* kHead = R"(#include <stdint.h>
#include <stdio.h>
static void show(const unsigned char* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) printf("%02x", bytes[i]);
  puts("");
}
)";

constexpr const char* kMemory =
    "-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all";
constexpr const char* kThreads = "-fsanitize=thread";

/// The environment variable, or its default.
std::string Variable(const char* name, std::string_view otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string(otherwise) : std::string(value);
}

/// The compiler, and whether it is available.
std::string Compiler() { return Variable("TENON_RANDOM_CC", "cc"); }
bool HasCompiler(const Folder& folder, const std::string& compiler) {
  return folder.Run(compiler + " --version > /dev/null 2>&1");
}

/// The flags, or empty text if programs do not build or run with them.
std::string Sanitizers(const Folder& folder, std::string_view flags) {
  folder.Write("probe.c", "int main(void) { return 0; }\n");
  const bool works =
      folder.Run(fmt::format("{} {} probe.c -o probe > /dev/null 2>&1 && "
                             "ASAN_OPTIONS=detect_leaks=0 ./probe > /dev/null 2>&1",
                             Compiler(), flags));
  return std::string(works ? flags : "");
}

/// The number after the first or last `mark` in a text; `otherwise` if there is none.
uint64_t SeedAfter(std::string_view mark, const std::string& text, bool last, uint64_t otherwise) {
  const size_t at = last ? text.rfind(mark) : text.find(mark);
  return at == std::string::npos ? otherwise
                                 : std::strtoull(text.c_str() + at + mark.size(), nullptr, 10);
}

/// Modules in one C file, and the expected output.
struct Batch {
  std::string text = kHead;
  std::string calls;
  bool has_threads = false;
  std::vector<std::unique_ptr<Sample>> samples;
  std::vector<std::vector<std::vector<uint8_t>>> want;

  static CompileOptions OptionsOf(uint64_t seed, ParallelLoops parallel) {
    CompileOptions options;
    const auto algorithms = planner::AlgorithmNames();
    options.planner = std::string(algorithms[seed % algorithms.size()]);
    options.parallel = parallel;
    options.loop_passes = seed % 3 == 0 ? Switch::kOn : Switch::kAuto;
    options.gnu_vectors = seed % 5 < 2;
    AddFusion(seed, options);
    // Some modules load constants into RAM, which must still be valid in the second run.
    if (seed % 2 == 0)
      options.promote = PromoteConstantsOptions{.budget = static_cast<int64_t>(seed % 5 * 32)};
    if (seed % 4 < 2) options.compress = CompressConstantsOptions{.min_ratio = 1};
    return options;
  }

  void Add(uint64_t seed, ParallelLoops parallel, const Folder& folder) {
    auto sample = std::make_unique<Sample>(seed, ModuleOf(seed));
    const auto result = sample->Run(sample->module);
    ASSERT_TRUE(result.has_value()) << sample->Messages();
    const CompileUnit unit = {&sample->module, {}, fmt::format("s{}", seed)};
    const auto compiled =
        Compile({&unit, 1}, OptionsOf(seed, parallel), CBackend(), sample->diagnostics);
    ASSERT_TRUE(compiled.has_value()) << sample->Messages() << PrintModule(sample->module);
    ASSERT_EQ(compiled->units[0].abi.inputs.size(), sample->inputs.size());
    ASSERT_EQ(compiled->units[0].abi.outputs.size(), result->size());
    for (const auto& [role, file] : compiled->files) {
      folder.Write(file.name, file.text);
      if (file.name == "tenon_parallel.c") {
        has_threads = true;
      } else if (file.name.ends_with(".c")) {
        text += fmt::format("#include \"{}\"\n", file.name);
      }
    }
    // Without a pool, the first module with parallel loops defines the function that runs them.
    if (parallel == ParallelLoops::kHook) text += "#undef TENON_WEAK\n";
    text += Caller(compiled->units[0].abi, *sample);
    calls += fmt::format("  call_{}();\n", seed);
    want.push_back(*result);
    samples.push_back(std::move(sample));
  }

  void Compare(const std::string& printed) const {
    size_t at = 0;
    const auto line = [&] {
      const size_t end = std::min(printed.find('\n', at), printed.size());
      const std::string found = printed.substr(at, end - at);
      at = std::min(end + 1, printed.size());
      return found;
    };
    for (size_t i = 0; i < samples.size(); ++i) {
      const PrimFunc& main = *samples[i]->module.Main()->func;
      ASSERT_EQ(line(), fmt::format("seed {}", samples[i]->seed));
      for (size_t k = 0; k < want[i].size(); ++k) {
        const std::string digits = line();
        std::vector<uint8_t> bytes;
        for (size_t j = 0; j + 2 <= digits.size(); j += 2) {
          bytes.push_back(
              static_cast<uint8_t>(std::strtoul(digits.substr(j, 2).c_str(), nullptr, 16)));
        }
        const Buffer* buffer = main.buffers[samples[i]->inputs.size() + k];
        OneNan(buffer->dtype, bytes);
        ASSERT_EQ(bytes, want[i][k])
            << Again(samples[i]->seed) << "output " << buffer->name.view() << " of\n"
            << PrintModule(samples[i]->module);
      }
    }
  }
};

ParallelLoops EachKindOfLoops(uint64_t seed) {
  return seed % 2 == 0   ? ParallelLoops::kSerial
         : seed % 4 == 1 ? ParallelLoops::kThreads
                         : ParallelLoops::kHook;
}

/// A compiler with its flags.
struct Way {
  std::string compiler;
  std::string flags;
};

/// Compiles the modules of those seeds from `first` to `end` that `is_mine` takes, and runs them.
template <class IsMine>
void RunBatch(const Folder& folder, const Way& way, uint64_t first, uint64_t end, IsMine is_mine,
              ParallelLoops (*parallel_of)(uint64_t seed)) {
  Batch batch;
  for (uint64_t seed = first; seed < end; ++seed) {
    if (!is_mine(seed)) continue;
    ASSERT_NO_FATAL_FAILURE(batch.Add(seed, parallel_of(seed), folder)) << Again(seed);
  }
  if (batch.samples.empty()) return;
  folder.Write("batch.c",
               fmt::format("{}int main(void) {{\n{}  return 0;\n}}\n", batch.text, batch.calls));
  const bool compiled =
      folder.Run(fmt::format("{} -std=c99 {} -ffp-contract=off -I. batch.c {} "
                             "-DTENON_THREADS=3 -pthread -lm -o batch > log.txt 2>&1",
                             way.compiler, way.flags, batch.has_threads ? "tenon_parallel.c" : ""));
  std::string log = folder.Read("log.txt").substr(0, 3000);
  ASSERT_TRUE(compiled) << Again(SeedAfter("tvmgen_s", log, false, first)) << log;
  const bool ran = folder.Run("ASAN_OPTIONS=detect_leaks=0 ./batch > out.txt 2> log.txt");
  const std::string out = folder.Read("out.txt");
  log = folder.Read("log.txt").substr(0, 3000);
  ASSERT_TRUE(ran) << Again(SeedAfter("seed ", out, true, first)) << log;
  ASSERT_NO_FATAL_FAILURE(batch.Compare(out)) << way.compiler << " " << way.flags;
}

/// Runs the modules of the requested number of seeds, `count` by default. Four consecutive seeds
/// use the same way.
void RunAll(const Folder& folder, const std::vector<Way>& ways, uint64_t count,
            ParallelLoops (*parallel_of)(uint64_t seed)) {
  const Seeds seeds(count);
  constexpr uint64_t kBatch = 250;
  for (uint64_t first = seeds.first; first < seeds.end; first += kBatch) {
    for (size_t way = 0; way < ways.size(); ++way) {
      const auto is_mine = [&](uint64_t seed) { return seed / 4 % ways.size() == way; };
      ASSERT_NO_FATAL_FAILURE(RunBatch(folder, ways[way], first,
                                       std::min(first + kBatch, seeds.end), is_mine, parallel_of));
    }
  }
}

TEST(RandomC, GivesWhatTheInterpreterGives) {
  const Folder folder;
  ASSERT_FALSE(folder.path().empty());
  if (!HasCompiler(folder, Compiler())) GTEST_SKIP() << "no C compiler `" << Compiler() << "`";
  const std::string flags = Variable("TENON_RANDOM_CFLAGS", "-O1 " + Sanitizers(folder, kMemory));
  RunAll(folder, {{Compiler(), flags}}, 24, EachKindOfLoops);
}

TEST(RandomC, GivesTheSameOptimised) {
  const Folder folder;
  ASSERT_FALSE(folder.path().empty());
  std::vector<Way> ways;
  for (const std::string& compiler : {Compiler(), std::string("clang")}) {
    if (!HasCompiler(folder, compiler)) continue;
    for (const char* flags : {"-O2 -w", "-O3 -w"}) ways.push_back({compiler, flags});
  }
  if (ways.empty()) GTEST_SKIP() << "no C compiler `" << Compiler() << "`";
  RunAll(folder, ways, 16, EachKindOfLoops);
}

TEST(RandomC, HasNoRaces) {
  const Folder folder;
  ASSERT_FALSE(folder.path().empty());
  const std::string flags = Sanitizers(folder, kThreads);
  if (flags.empty()) GTEST_SKIP() << "no ThreadSanitizer";
  RunAll(folder, {{Compiler(), "-O1 " + flags}}, 16,
         [](uint64_t) { return ParallelLoops::kThreads; });
}

}  // namespace
}  // namespace tenon::random_ir
