#include <regex>
#include <string>

#include "tests/integration/externals/externals_fixture.h"

// Tests functions for which generators make code.

namespace tenon {
namespace {

using testing::HasSubstr;
using testing::Not;

using Externals = ExternalsTest;

TEST_F(Externals, GeneratedCodeIsCalledAndBodiesAreNotEmitted) {
  const std::optional<Artifacts> artifacts = Build(Parse(kChain), Options(Source(kRightSource)));
  ASSERT_TRUE(artifacts.has_value()) << Errors();
  const std::string code = TextOf(*artifacts, "tvmgen_default.c");
  EXPECT_THAT(code, HasSubstr("int32_t one(const void*, void*);"));
  EXPECT_THAT(code, Not(HasSubstr("tvmgen_default_one")));
  EXPECT_EQ(TextOf(*artifacts, "test_code.c"), kRightSource);
  EXPECT_THAT(TextOf(*artifacts, "tvmgen_default.h"),
              HasSubstr("/* External functions: compile test_code.c. */"));
  std::vector<float> results;
  EXPECT_EQ(Run(Options(Source(kRightSource)), results), "");
  ASSERT_EQ(results.size(), 16u);
  EXPECT_EQ(results[2], ((3 + 1) + 1) * 2 * 2);
}

TEST_F(Externals, WithoutItsGeneratorAFunctionIsTheHosts) {
  const IRModule module = Parse(kChain);
  const std::optional<Artifacts> artifacts = Build(module, CompileOptions());
  ASSERT_TRUE(artifacts.has_value()) << Errors();
  EXPECT_THAT(TextOf(*artifacts, "tvmgen_default.c"), HasSubstr("tvmgen_default_one"));
}

TEST_F(Externals, AnswersAreChecked) {
  const IRModule module = Parse(kChain);
  const auto expect = [&](std::string_view text, std::function<void(GeneratedCode&)> change) {
    EXPECT_FALSE(Build(module, Options(Source(kRightSource, std::move(change)))).has_value());
    EXPECT_THAT(Errors(), HasSubstr(std::string(text)));
  };
  expect("[generator-failed]", [](GeneratedCode& code) { code.functions.pop_back(); });
  expect("has no answer for `two`",
         [](GeneratedCode& code) { code.functions[1].symbol = "three"; });
  expect("[duplicate-symbol]", [](GeneratedCode& code) { code.functions[1].symbol = "one"; });
  expect("[duplicate-symbol]", [](GeneratedCode& code) {
    code.sources.push_back({"test_code.c", "other"});
  });
  for (const char* name : {"../x.c", "my.txt", ".c", ""}) {
    expect("expected a name without folders that ends in .c, .cc, .h", [name](GeneratedCode& code) {
      code.sources.push_back({name, ""});
    });
  }
  expect("makes an object `x.c`, expected a name without folders that ends in .o, .a, .so",
         [](GeneratedCode& code) {
           code.objects.push_back({"x.c", ""});
         });
  expect("says `r` of argument 2 of `one`, expected `w`: what its body does [generator-effects]",
         [](GeneratedCode& code) {
           code.functions[0].effects = {"r", "r"};
         });
  expect("[generator-effects]", [](GeneratedCode& code) { code.functions[0].effects = {"r"}; });
  expect("[generator-effects]", [](GeneratedCode& code) { code.functions[0].in_place = {{1, 0}}; });
  expect("[generator-failed]", [](GeneratedCode& code) { code.functions[0].workspace_bytes = -1; });
}

TEST_F(Externals, AnErrorNamesTheSymbolOfTwoFunctions) {
  // `one` has no global symbol, and `two` has the symbol `one`.
  std::string text = kChain;
  const std::string symbol = "\"global_symbol\": \"one\", ";
  text.replace(text.find(symbol), symbol.size(), "");
  text.replace(text.find("@T.prim_func\n    def one"), 12, "@T.prim_func(private=True)");
  text.replace(text.find("\"two\", \"tir"), 5, "\"one\"");
  const auto change = [](GeneratedCode& code) {
    code.functions.resize(1);
    code.functions[0].symbol = "one";
    code.functions[0].init_symbol = "start";
  };
  EXPECT_FALSE(Build(Parse(text), Options(Source(kRightSource, change))).has_value());
  EXPECT_THAT(Errors(), HasSubstr("two functions of the program have the name `one`"));
}

TEST_F(Externals, AFailedGeneratorIsAnErrorUnlessItsOperatorsGoElsewhere) {
  const auto fail = [](std::span<const ExternalFunction>,
                       Diagnostics& diagnostics) -> std::optional<GeneratedCode> {
    diagnostics.Error(DiagnosticKind::kGeneratorFailed, {}, "out of registers");
    return std::nullopt;
  };
  CompileOptions options = Options(fail);
  const IRModule module = Parse(kChain);
  EXPECT_FALSE(Build(module, options).has_value());
  EXPECT_THAT(Errors(), HasSubstr("error: out of registers [generator-failed]"));
  options.externals.falls_back = true;
  const std::optional<Artifacts> artifacts = Build(module, options);
  ASSERT_TRUE(artifacts.has_value()) << Errors();
  EXPECT_THAT(Errors(), HasSubstr("warning: operators of `test` go to their next target or to the "
                                  "host: out of registers"));
  // The caller calls its operators instead.
  EXPECT_THAT(TextOf(*artifacts, "tvmgen_default.c"), Not(HasSubstr("tvmgen_default_one")));
}

TEST_F(Externals, ScratchMemoryIsPlanned) {
  const IRModule module = Parse(kChain);
  const std::optional<Artifacts> without = Build(module, Options(Source(kRightSource)));
  ASSERT_TRUE(without.has_value()) << Errors();
  // s and t, then t and u.
  EXPECT_EQ(PoolSize(*without, "global_workspace"), 128);
  const std::optional<Artifacts> with =
      Build(module, Options(Source(kRightSource, [](GeneratedCode& code) {
              code.functions[0].workspace_bytes = 1000;
              code.functions[1].workspace_bytes = 500;
            })));
  ASSERT_TRUE(with.has_value()) << Errors();
  // The two are never needed at the same time.
  EXPECT_EQ(PoolSize(*with, "global_workspace"), 128 + 1000);
}

TEST_F(Externals, AnOutputMayLieWhereItsInputDies) {
  const IRModule module = Parse(kChain);
  const std::optional<Artifacts> artifacts =
      Build(module, Options(Source(kRightSource, [](GeneratedCode& code) {
              for (GeneratedFunction& function : code.functions) function.in_place = {{0, 1}};
            })));
  ASSERT_TRUE(artifacts.has_value()) << Errors();
  EXPECT_EQ(PoolSize(*artifacts, "global_workspace"), 64);
  std::vector<float> results;
  EXPECT_EQ(Run(Options(Source(kRightSource,
                               [](GeneratedCode& code) {
                                 for (GeneratedFunction& function : code.functions)
                                   function.in_place = {{0, 1}};
                               })),
                results),
            "");
  ASSERT_EQ(results.size(), 16u);
  EXPECT_EQ(results[2], 20);
}

TEST_F(Externals, CodeInTirTakesThePlaceOfTheBody) {
  // `one` of the generator adds 5, with a helper; the interpreter's body adds 1.
  const IRModule other = Parse(R"(
@I.ir_module
class Other:
    @T.prim_func(private=True)
    def plus(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        for i in range(16):
            y[i] = x[i] + T.float32(5)

    @T.prim_func
    def one(p: T.Buffer((16,), "float32"), q: T.Buffer((16,), "float32")):
        T.evaluate(T.call_extern("int32", "plus", p.data, q.data))
)");
  CompileOptions options = Options(Source(kRightSource, [&](GeneratedCode& code) {
    for (const Function& function : other.functions()) code.tir.push_back(function);
    code.sources[0].text.replace(code.sources[0].text.find("int32_t one"), 11, "int32_t uno");
  }));
  std::vector<float> results;
  EXPECT_EQ(Run(options, results), "");
  ASSERT_EQ(results.size(), 16u);
  EXPECT_EQ(results[2], ((3 + 1) + 5) * 2 * 2);
  options.externals.use = ExternalsUse::kBoth;
  std::vector<float> none;
  EXPECT_THAT(Run(options, none), HasSubstr("the code of `one` for `test` and its body differ"));
  const std::optional<Artifacts> artifacts =
      Build(Parse(kChain), Options(Source("", [&](GeneratedCode& code) {
              for (const Function& function : other.functions()) code.tir.push_back(function);
              code.tir.push_back(other.functions()[0]);
            })));
  EXPECT_FALSE(artifacts.has_value());
  EXPECT_THAT(Errors(), HasSubstr("[duplicate-symbol]"));
}

TEST_F(Externals, ObjectsAreLinked) {
  const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Create();
  ASSERT_TRUE(folder.ok());
  const EmittedFile source = {"code.c", kRightSource};
  ASSERT_TRUE(WriteFolder(folder->path(), FolderFiles(std::span(&source, 1))).ok());
  const std::vector<std::string> words = {
      "cc", "-std=c99", "-fPIC", "-c", folder->File("code.c"), "-o", folder->File("code.o")};
  const absl::StatusOr<int> built = RunProgram(words);
  ASSERT_TRUE(built.ok() && *built == 0);
  const absl::StatusOr<std::shared_ptr<const FileBytes>> object = ReadFile(folder->File("code.o"));
  ASSERT_TRUE(object.ok());
  std::vector<float> results;
  EXPECT_EQ(Run(Options(Source("",
                               [&](GeneratedCode& code) {
                                 code.sources.clear();
                                 code.objects.push_back({"code.o", std::string((*object)->view())});
                               })),
                results),
            "");
  ASSERT_EQ(results.size(), 16u);
  EXPECT_EQ(results[2], 20);
}

/// `one` adds the counter that `fill` keeps in its state: 1 if it was called once.
constexpr const char* kStateSource = R"(#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <time.h>
int32_t fill_calls = 0;
int32_t fill(void* state, int64_t bytes) {
  const struct timespec pause = {0, 20000000};
  nanosleep(&pause, 0);
  ++fill_calls;
  for (int64_t i = 0; i < bytes; ++i) ((uint8_t*)state)[i] = (uint8_t)fill_calls;
  return bytes == 40 ? 0 : 7;
}
int32_t one(const float* p, float* q, uint8_t* scratch, uint8_t* state) {
  for (int i = 0; i < 24; ++i) scratch[i] = 99;
  for (int i = 0; i < 16; ++i) q[i] = p[i] + state[39];
  return 0;
}
int32_t two(const float* p, float* q) { for (int i = 0; i < 16; ++i) q[i] = p[i] * 2; return 0; }
)";

TestGenerator::Answer StateAnswer(int64_t bytes = 40) {
  return Source(kStateSource, [bytes](GeneratedCode& code) {
    code.functions[0].workspace_bytes = 24;
    code.functions[0].state_bytes = bytes;
    code.functions[0].init_symbol = "fill";
  });
}

TEST_F(Externals, StateIsFilledOnceAndKept) {
  CompileOptions options = Options(StateAnswer());
  std::vector<float> results;
  EXPECT_EQ(Run(options, results, 3), "");
  ASSERT_EQ(results.size(), 16u);
  EXPECT_EQ(results[2], 20);
  const std::optional<Artifacts> artifacts = Build(Parse(kChain), options);
  ASSERT_TRUE(artifacts.has_value()) << Errors();
  EXPECT_EQ(PoolSize(*artifacts, "tenon_state"), 64);
  EXPECT_EQ(PoolSize(*artifacts, "global_workspace"), 128 + 24);
  // The run returns the result of the init function.
  std::vector<float> none;
  EXPECT_THAT(Run(Options(StateAnswer(41)), none), HasSubstr("`tvmgen_default_init` returned 7"));
}

TEST_F(Externals, CodeMaySayThatItCannotRunHere) {
  std::string source = kStateSource;
  source.replace(source.find("return bytes"), 26, "return bytes == 0 ? 0 : 1");
  std::vector<float> none;
  EXPECT_THAT(Run(Options(Source(source,
                                 [](GeneratedCode& code) {
                                   code.functions[0].workspace_bytes = 24;
                                   code.functions[0].state_bytes = 40;
                                   code.functions[0].init_symbol = "fill";
                                 })),
                  none),
              HasSubstr("[external-unavailable]"));
}

/// Code with a state and the checks.
TestGenerator::Answer WithChecks(std::vector<std::string> checks) {
  const std::string source = std::string(kStateSource) +
                             "int32_t test_version(void) { return fill_calls == 0 ? 3 : -1; }\n";
  return Source(source, [checks = std::move(checks)](GeneratedCode& code) {
    code.functions[0].workspace_bytes = 24;
    code.functions[0].state_bytes = 40;
    code.functions[0].init_symbol = "fill";
    code.checks = checks;
  });
}

TEST_F(Externals, ChecksRunOnceBeforeAnythingElse) {
  std::vector<float> results;
  EXPECT_EQ(Run(Options(WithChecks({"test_version=3", "test_version=3"})), results, 2), "");
  ASSERT_EQ(results.size(), 16u);
  EXPECT_EQ(results[2], 20);
  const std::optional<Artifacts> artifacts =
      Build(Parse(kChain), Options(WithChecks({"test_version=3"})));
  ASSERT_TRUE(artifacts.has_value()) << Errors();
  const std::string code = TextOf(*artifacts, "tvmgen_default.c");
  EXPECT_LT(code.find(" = one_check_0(NULL, "), code.find(" = fill(")) << code;
  EXPECT_THAT(TextOf(*artifacts, "one_checks.c"), HasSubstr("test_version() == 3"));
  EXPECT_THAT(TextOf(*artifacts, "tenon_external.h"), HasSubstr("TENON_EXTERNAL_UNAVAILABLE"));
  EXPECT_THAT(TextOf(*artifacts, "tvmgen_default.h"),
              HasSubstr("compile test_code.c, one_checks.c"));
}

TEST_F(Externals, ACheckThatFailsEndsTheRun) {
  std::vector<float> none;
  EXPECT_THAT(Run(Options(WithChecks({"test_version=3", "test_version=4"})), none),
              HasSubstr("[external-unavailable]"));
  EXPECT_TRUE(none.empty());
  // No machine that runs this test has these instructions.
  EXPECT_THAT(Run(Options(WithChecks({"isa=mve"})), none), HasSubstr("[external-unavailable]"));
  EXPECT_TRUE(none.empty());
}

#ifdef TENON_HAS_LLVM
TEST_F(Externals, ChecksRunInObjects) {
  for (const bool holds : {true, false}) {
    CompileOptions options = Options(WithChecks({holds ? "test_version=3" : "test_version=4"}));
    options.output = "shared";
    const IRModule module = Parse(kChain);
    const CompileUnit unit = {&module, "test.py", {}};
    const std::optional<Artifacts> artifacts =
        Compile({&unit, 1}, options, LlvmBackend(), diagnostics_);
    ASSERT_TRUE(artifacts.has_value()) << Errors();
    const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Create();
    ASSERT_TRUE(folder.ok());
    ASSERT_TRUE(WriteFolder(folder->path(), FolderFiles(artifacts->files)).ok());
    std::string path;
    for (const Artifact& artifact : artifacts->files) {
      if (!artifact.file.name.ends_with(".h")) path = folder->File(artifact.file.name);
    }
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << path;
    const auto init = reinterpret_cast<int32_t (*)()>(dlsym(library, "tvmgen_default_init"));
    ASSERT_NE(init, nullptr);
    EXPECT_EQ(init(), holds ? 0 : 1);
    dlclose(library);
  }
}
#endif

#if defined(__x86_64__)
TEST_F(Externals, ChecksAskTheProcessor) {
  std::vector<float> results;
  const std::string said = Run(Options(WithChecks({"isa=avx2"})), results);
  EXPECT_EQ(said.empty(), __builtin_cpu_supports("avx2") != 0) << said;
}
#endif

TEST_F(Externals, ChecksThatAreNotKnownAreErrors) {
  for (const char* check : {"isa=turbo", "isa", "9lives=1", "version", "version=x", "=3"}) {
    EXPECT_FALSE(Build(Parse(kChain), Options(WithChecks({check}))).has_value()) << check;
    EXPECT_THAT(Errors(), HasSubstr("asks for a check that Tenon cannot make")) << check;
    EXPECT_THAT(Errors(), HasSubstr("[generator-failed]")) << check;
  }
}

TEST_F(Externals, TwoThreadsFillStateOnce) {
  const std::optional<Artifacts> artifacts = Build(Parse(kChain), Options(StateAnswer()));
  ASSERT_TRUE(artifacts.has_value()) << Errors();
  const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Create();
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(WriteFolder(folder->path(), FolderFiles(artifacts->files)).ok());
  const std::vector<std::string> words = {"cc",
                                          "-std=gnu99",
                                          "-Wall",
                                          "-Werror",
                                          "-shared",
                                          "-fPIC",
                                          "-o",
                                          folder->File("m.so"),
                                          folder->File("tvmgen_default.c"),
                                          folder->File("test_code.c")};
  const absl::StatusOr<int> built = RunProgram(words);
  ASSERT_TRUE(built.ok() && *built == 0);
  void* const library = dlopen(folder->File("m.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  const auto init = reinterpret_cast<int32_t (*)()>(dlsym(library, "tvmgen_default_init"));
  const auto* calls = static_cast<const int32_t*>(dlsym(library, "fill_calls"));
  ASSERT_TRUE(init != nullptr && calls != nullptr);
  int32_t results[2] = {-1, -1};
  std::thread first([&] { results[0] = init(); });
  std::thread second([&] { results[1] = init(); });
  first.join();
  second.join();
  EXPECT_EQ(results[0], 0);
  EXPECT_EQ(results[1], 0);
  EXPECT_EQ(init(), 0);
  EXPECT_EQ(*calls, 1);
  dlclose(library);
}

/// The code without comments about operators: a planned module does not tell all extents.
std::string WithoutNotes(const std::string& code) {
  static const std::regex kNote(R"( */\* \d+\. [^\n]*\*/\n)");
  return std::regex_replace(code, kNote, "");
}

TEST_F(Externals, TextThatIsReadBackGivesTheSameFiles) {
  const CompileOptions options = Options(StateAnswer());
  const std::optional<Artifacts> artifacts = Build(Parse(kChain), options);
  ASSERT_TRUE(artifacts.has_value()) << Errors();
  const std::optional<ExternalModule> external =
      MakeExternals(Parse(kChain), options, "default", diagnostics_);
  ASSERT_TRUE(external.has_value()) << Errors();
  for (const IRModule& module :
       {external->partitioned, artifacts->planned[0].noted, artifacts->planned[0].converted}) {
    const std::string text = PrintModule(module, {});
    const std::optional<Artifacts> again = Build(Parse(text), options);
    ASSERT_TRUE(again.has_value()) << Errors() << text;
    ASSERT_EQ(again->files.size(), artifacts->files.size());
    for (size_t i = 0; i < again->files.size(); ++i)
      EXPECT_EQ(WithoutNotes(again->files[i].file.text),
                WithoutNotes(artifacts->files[i].file.text));
    // The interpreter runs bodies, and so does C with this option.
    CompileOptions bodies = options;
    bodies.externals.use = ExternalsUse::kBody;
    for (const Engine* engine : {&InterpreterEngine(), &CEngine()}) {
      std::vector<float> results;
      EXPECT_EQ(RunBy(*engine, bodies, results, 1, text), "");
      ASSERT_EQ(results.size(), 16u);
      EXPECT_EQ(results[2], 20);
    }
  }
}

TEST_F(Externals, BothAreComparedOnTheSameInputs) {
  CompileOptions options = Options(Source(kRightSource));
  options.externals.use = ExternalsUse::kBoth;
  std::vector<float> results;
  EXPECT_EQ(Run(options, results), "");
  ASSERT_EQ(results.size(), 16u);
  EXPECT_EQ(results[2], 20);
  std::string wrong = kRightSource;
  wrong.replace(wrong.find("* 2"), 3, "* 3");
  CompileOptions bad = Options(Source(wrong));
  bad.externals.use = ExternalsUse::kBoth;
  std::vector<float> none;
  EXPECT_THAT(
      Run(bad, none),
      HasSubstr("the code of `two` for `test` and its body differ in `q`: element [0] is 9, "
                "expected 6 as its body gives; 16 of 16 elements differ, by 18 at most"));
}

TEST_F(Externals, ARunSaysWhatItCompared) {
  CompileOptions options = Options(Source(kRightSource));
  std::vector<float> results;
  EXPECT_EQ(Run(options, results), "");
  EXPECT_EQ(compared_, "");
  options.externals.use = ExternalsUse::kBoth;
  EXPECT_EQ(Run(options, results, 3), "");
  EXPECT_EQ(compared_, "2 functions called 6 times, all equal to their bodies");
  // A result with strides is not a tensor of so many bytes.
  std::string text = kChain;
  const std::string_view result = "def one(p: T.Buffer((16,), \"float32\"), q: T.Buffer((16,)";
  text.insert(text.find(result) + result.size(), ", strides=(1,), dtype=");
  text.replace(text.find("dtype=, "), 8, "dtype=");
  EXPECT_EQ(RunBy(CEngine(), options, results, 1, text), "");
  EXPECT_EQ(compared_,
            "1 function called 1 time, all equal to their bodies; not compared, as they have "
            "results without a constant shape or with strides: one");
}

TEST_F(Externals, ScratchDoesNotAffectOtherData) {
  // `one` fills its scratch memory with noise, which must not affect other data.
  CompileOptions options = Options(StateAnswer());
  options.externals.use = ExternalsUse::kBoth;
  std::vector<float> results;
  EXPECT_EQ(Run(options, results, 2), "");
}

}  // namespace
}  // namespace tenon
