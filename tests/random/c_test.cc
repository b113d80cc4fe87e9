// The C that comes of random modules, compiled with ASan and UBSan where the compiler has them,
// gives what the interpreter gives; and so it does with parallel loops on threads, in which
// ThreadSanitizer finds no races.

#include <filesystem>
#include <fstream>

#include "driver/compile.h"
#include "random/check.h"
#include "support/file.h"

namespace tenon::random_ir {
namespace {

namespace fs = std::filesystem;

/// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tenon-random-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty() && std::getenv("TENON_RANDOM_KEEP") == nullptr) {
      fs::remove_all(path_, ignored);
    }
  }
  const std::string& path() const { return path_; }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
  }
  std::string Read(const std::string& name) const {
    const auto text = ReadFile(path_ + "/" + name);
    return text.ok() ? std::string((*text)->view()) : std::string();
  }

 private:
  std::string path_;
};

/// Runs a command of a shell in the folder; its exit code is what counts.
bool Shell(const Folder& folder, const std::string& command) {
  const std::string all = fmt::format("cd '{}' && {}", folder.path(), command);
  return std::system(all.c_str()) == 0;
}

std::string Bytes(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format("{},", byte);
  return text;
}

/// A function that calls the module's run function with its inputs and prints its outputs, a line
/// each.
std::string Caller(const EmittedC& c, const Sample& sample) {
  std::string inputs;
  std::string outputs;
  std::string print;
  std::string text = fmt::format("int32_t {}_run(void*, void*);\nstatic void call_{}(void) {{\n",
                                 c.prefix, c.prefix);
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    text += fmt::format("  static unsigned char i{}[] __attribute__((aligned(64))) = {{{}}};\n", i,
                        Bytes(sample.inputs[i].tensor.bytes));
    inputs += fmt::format("i{}, ", i);
  }
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    text += fmt::format("  static unsigned char o{}[{}] __attribute__((aligned(64)));\n", i,
                        c.outputs[i].second);
    outputs += fmt::format("o{}, ", i);
    print += fmt::format("  show(o{0}, sizeof o{0});\n", i);
  }
  text += fmt::format("  void* inputs[] = {{{}}};\n  void* outputs[] = {{{}}};\n", inputs, outputs);
  text += fmt::format(
      "  if ({0}_run(inputs, outputs) != 0 || {0}_run(inputs, outputs) != 0) puts(\"failed\");\n"
      "{1}}}\n",
      c.prefix, print);
  return text;
}

constexpr const char* kCallerHead = R"(#include <stdint.h>
#include <stdio.h>
static void show(const unsigned char* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) printf("%02x", bytes[i]);
  puts("");
}
)";

constexpr const char* kMemory = "-fsanitize=address,undefined -fno-sanitize-recover=all";
constexpr const char* kThreads = "-fsanitize=thread";

/// The flags, or nothing where they make no program that runs.
std::string Sanitizers(const Folder& folder, std::string_view flags) {
  folder.Write("probe.c", "int main(void) { return 0; }\n");
  const bool works =
      Shell(folder, fmt::format("cc {} probe.c -o probe > /dev/null 2>&1 && "
                                "ASAN_OPTIONS=detect_leaks=0 ./probe > /dev/null 2>&1",
                                flags));
  return std::string(works ? flags : "");
}

/// What a batch of modules has to print, by module.
struct Batch {
  std::string files;
  std::string calls;
  std::string callers = kCallerHead;
  std::vector<std::unique_ptr<Sample>> samples;
  std::vector<std::vector<std::vector<uint8_t>>> want;

  void Add(uint64_t seed, ParallelLoops parallel, const Folder& folder) {
    auto sample = std::make_unique<Sample>(seed);
    const auto result = sample->Run(sample->module);
    ASSERT_TRUE(result.has_value()) << sample->Messages();
    CompileOptions options;
    options.module_name = fmt::format("s{}", seed);
    const auto algorithms = planner::AlgorithmNames();
    options.planner = std::string(algorithms[seed % algorithms.size()]);
    options.parallel = parallel;
    options.loop_passes = seed % 3 == 0 ? LoopPasses::kOn : LoopPasses::kAuto;
    // Some with constants in RAM, which are to be there in the second run as well.
    if (seed % 2 == 0) options.promote = ConstantPromotion{static_cast<int64_t>(seed % 5 * 32), ""};
    if (seed % 4 < 2) options.compress = ConstantCompression{"lz4", 1, ""};
    const auto compiled = CompileToC(sample->module, options, sample->diagnostics);
    ASSERT_TRUE(compiled.has_value()) << sample->Messages() << PrintModule(sample->module);
    ASSERT_EQ(compiled->c.inputs.size(), sample->inputs.size());
    ASSERT_EQ(compiled->c.outputs.size(), result->size());
    for (const EmittedFile& file : compiled->c.files) {
      folder.Write(file.name, file.text);
      // The pool of threads is there once.
      if (file.name.ends_with(".c") && files.find(file.name) == std::string::npos)
        files += file.name + " ";
    }
    callers += Caller(compiled->c, *sample);
    calls += fmt::format("  call_{}();\n", compiled->c.prefix);
    want.push_back(*result);
    samples.push_back(std::move(sample));
  }

  void Compare(const std::string& printed) const {
    size_t at = 0;
    for (size_t i = 0; i < samples.size(); ++i) {
      const PrimFunc& main = *samples[i]->module.Main()->func;
      for (size_t k = 0; k < want[i].size(); ++k) {
        const size_t end = std::min(printed.find('\n', at), printed.size());
        const std::string line = printed.substr(at, end - at);
        at = std::min(end + 1, printed.size());
        std::vector<uint8_t> bytes;
        for (size_t j = 0; j + 2 <= line.size(); j += 2) {
          bytes.push_back(
              static_cast<uint8_t>(std::strtoul(line.substr(j, 2).c_str(), nullptr, 16)));
        }
        const Buffer* buffer = main.buffers[samples[i]->inputs.size() + k];
        Sample::OneNan(buffer->dtype, bytes);
        ASSERT_EQ(bytes, want[i][k])
            << "seed " << samples[i]->seed << ", output " << buffer->name.view() << "\n"
            << PrintModule(samples[i]->module);
      }
    }
  }
};

/// Runs the modules of as many seeds as are asked for, `count` by default.
void RunAll(const Folder& folder, const std::string& flags, uint64_t count,
            ParallelLoops (*parallel_of)(uint64_t seed)) {
  const Seeds seeds(count);
  constexpr uint64_t kBatch = 8;
  for (uint64_t first = seeds.first; first < seeds.end; first += kBatch) {
    Batch batch;
    for (uint64_t seed = first; seed < std::min(first + kBatch, seeds.end); ++seed) {
      ASSERT_NO_FATAL_FAILURE(batch.Add(seed, parallel_of(seed), folder));
    }
    folder.Write("callers.c", fmt::format("{}int main(void) {{\n{}  return 0;\n}}\n", batch.callers,
                                          batch.calls));
    ASSERT_TRUE(Shell(folder, fmt::format("cc -std=c99 -O1 -ffp-contract=off {} -I. callers.c {} "
                                          "-DTENON_THREADS=3 -pthread -lm -o batch > log.txt 2>&1",
                                          flags, batch.files)))
        << "seeds from " << first << "\n"
        << folder.Read("log.txt").substr(0, 3000);
    ASSERT_TRUE(Shell(folder, "ASAN_OPTIONS=detect_leaks=0 ./batch > out.txt 2> log.txt"))
        << "seeds from " << first << "\n"
        << folder.Read("log.txt").substr(0, 3000);
    ASSERT_NO_FATAL_FAILURE(batch.Compare(folder.Read("out.txt")));
  }
}

TEST(RandomC, GivesWhatTheInterpreterGives) {
  const Folder folder;
  ASSERT_FALSE(folder.path().empty());
  if (!Shell(folder, "cc --version > /dev/null 2>&1")) GTEST_SKIP() << "no C compiler `cc`";
  RunAll(folder, Sanitizers(folder, kMemory), 24, [](uint64_t seed) {
    return seed % 2 == 0   ? ParallelLoops::kSerial
           : seed % 4 == 1 ? ParallelLoops::kThreads
                           : ParallelLoops::kHook;
  });
}

TEST(RandomC, HasNoRaces) {
  const Folder folder;
  ASSERT_FALSE(folder.path().empty());
  const std::string flags = Sanitizers(folder, kThreads);
  if (flags.empty()) GTEST_SKIP() << "no ThreadSanitizer";
  RunAll(folder, flags, 16, [](uint64_t) { return ParallelLoops::kThreads; });
}

}  // namespace
}  // namespace tenon::random_ir
