#include "compile/externals.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <thread>

#include "byoc/annotate_targets.h"
#include "byoc/code_generator.h"
#include "byoc/generators/external_body.h"
#include "byoc/merge_regions.h"
#include "byoc/partition.h"
#include "byoc/recognise_ops.h"
#include "compile/compiler.h"
#ifdef TENON_HAS_LLVM
#include "compile/llvm/jit_engine.h"
#endif
#include "compile/run/engine.h"
#include "compile/run/tensors.h"
#include "ir/memory_pools.h"
#include "ir/verifier.h"
#include "lowering/c/c_backend.h"
#ifdef TENON_HAS_LLVM
#include "lowering/llvm/llvm_backend.h"
#endif
#include "parser/parser.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "support/file.h"
#include "support/programs.h"

namespace tenon {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A chain of two external functions, `one` and `two`: t = a + 1, b = t * 2.
constexpr const char* kChain = R"(
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[i] = x[i] + T.float32(1)

    @T.prim_func(private=True)
    def double(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[i] = x[i] * T.float32(2)

    @T.prim_func
    def one(p: T.Buffer((16,), "float32"), q: T.Buffer((16,), "float32")):
        T.func_attr({"Compiler": "test", "global_symbol": "one", "tir.noalias": T.bool(True)})
        T.evaluate(T.call_extern("int32", "add", p.data, q.data))

    @T.prim_func
    def two(p: T.Buffer((16,), "float32"), q: T.Buffer((16,), "float32")):
        T.func_attr({"Compiler": "test", "global_symbol": "two", "tir.noalias": T.bool(True)})
        T.evaluate(T.call_extern("int32", "double", p.data, q.data))

    @T.prim_func
    def __tvm_main__(a: T.Buffer((16,), "float32"), b: T.Buffer((16,), "float32")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True),
                     "tir.noalias": T.bool(True)})
        s = T.allocate([16], "float32", "global.workspace")
        t = T.allocate([16], "float32", "global.workspace")
        u = T.allocate([16], "float32", "global.workspace")
        T.evaluate(T.call_extern("int32", "add", a.data, s))
        T.evaluate(T.call_extern("int32", "one", s, t))
        T.evaluate(T.call_extern("int32", "two", t, u))
        T.evaluate(T.call_extern("int32", "double", u, b.data))
)";

/// C of `one` and `two`, as their bodies have it.
constexpr const char* kRightSource = R"(#include <stdint.h>
int32_t one(const float* p, float* q) { for (int i = 0; i < 16; ++i) q[i] = p[i] + 1; return 0; }
int32_t two(const float* p, float* q) { for (int i = 0; i < 16; ++i) q[i] = p[i] * 2; return 0; }
)";

/// A generator that gives what a test says.
class TestGenerator : public CodeGenerator {
 public:
  using Answer =
      std::function<std::optional<GeneratedCode>(std::span<const ExternalFunction>, Diagnostics&)>;
  explicit TestGenerator(Answer answer) : answer_(std::move(answer)) {}
  std::string_view name() const override { return "test"; }
  Support Supports(const OpInfo&, const GeneratorTarget&) const override { return Support::Yes(); }
  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget&,
                                        Diagnostics& diagnostics) const override {
    return answer_(functions, diagnostics);
  }

 private:
  Answer answer_;
};

/// An answer of C for all functions, changed by `change`.
TestGenerator::Answer Source(std::string text,
                             std::function<void(GeneratedCode&)> change = nullptr) {
  return [text = std::move(text), change = std::move(change)](
             std::span<const ExternalFunction> functions,
             Diagnostics&) -> std::optional<GeneratedCode> {
    GeneratedCode code;
    for (const ExternalFunction& external : functions)
      code.functions.emplace_back().symbol = std::string(external.function.global_symbol());
    code.sources.push_back({"test_code.c", text});
    if (change) change(code);
    return code;
  };
}

class Externals : public testing::Test {
 protected:
  IRModule Parse(const std::string& text) {
    Diagnostics diagnostics;
    std::optional<IRModule> module =
        ParseModule(context_, "test.py", text, nullptr, {}, diagnostics);
    EXPECT_TRUE(module.has_value() && VerifyModule(*module, diagnostics))
        << Render(context_.sources(), diagnostics);
    return *std::move(module);
  }

  CompileOptions Options(TestGenerator::Answer answer) {
    auto generators = std::make_shared<CodeGenerators>();
    generators->Add(std::make_unique<TestGenerator>(std::move(answer)));
    kept_.push_back(generators);
    CompileOptions options;
    options.run.generators = generators.get();
    return options;
  }

  std::optional<Artifacts> Build(const IRModule& module, const CompileOptions& options) {
    const CompileUnit unit = {&module, "test.py", {}};
    diagnostics_.Clear();
    return Compile({&unit, 1}, options, CBackend(), diagnostics_);
  }

  /// Runs the chain on 1, 2, ..., 16 by every engine that compiles; the results, or what went
  /// wrong.
  std::string Run(const CompileOptions& options, std::vector<float>& results, int64_t count = 1) {
    std::string problem = RunBy(CEngine(), options, results, count);
#ifdef TENON_HAS_LLVM
    std::vector<float> others;
    EXPECT_EQ(RunBy(JitEngine(), options, others, count), problem);
    EXPECT_EQ(others, results);
#endif
    return problem;
  }

  std::string RunBy(const Engine& engine, const CompileOptions& options,
                    std::vector<float>& results, int64_t count, const std::string& text = kChain) {
    const IRModule module = Parse(text);
    Diagnostics diagnostics;
    const std::optional<EntrySignature> signature = ReadEntrySignature(module, diagnostics);
    EngineOptions how;
    how.compile = options;
    const std::unique_ptr<RunnableModel> model = engine.load(module, *signature, how, diagnostics);
    if (model != nullptr) {
      std::vector<float> inputs(16);
      for (size_t i = 0; i < 16; ++i) inputs[i] = static_cast<float>(i + 1);
      TensorValues values = {std::string(reinterpret_cast<const char*>(inputs.data()), 64), {}};
      Runs runs;
      runs.count = count;
      if (model->Run(values, runs, diagnostics)) {
        results.resize(16);
        std::memcpy(results.data(), values[1].data(), 64);
      }
    }
    return Render(context_.sources(), diagnostics);
  }

  std::string Errors() { return Render(context_.sources(), diagnostics_); }

  static int64_t PoolSize(const Artifacts& artifacts, std::string_view name) {
    for (const PoolArg& pool : ReadPoolArgs(*artifacts.planned[0].converted.Main()->func)) {
      if (pool.pool.name == name) return pool.size_bytes;
    }
    return -1;
  }

  static std::string TextOf(const Artifacts& artifacts, std::string_view file) {
    for (const Artifact& artifact : artifacts.files) {
      if (artifact.file.name == file) return artifact.file.text;
    }
    return {};
  }

  Context context_;
  Diagnostics diagnostics_;
  std::vector<std::shared_ptr<CodeGenerators>> kept_;
};

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
  expect("[generator-failed]", [](GeneratedCode& code) { code.sources.push_back({"../x.c", ""}); });
  expect("says `r` of argument 2 of `one`, expected `w`: what its body does [generator-effects]",
         [](GeneratedCode& code) {
           code.functions[0].effects = {"r", "r"};
         });
  expect("[generator-effects]", [](GeneratedCode& code) { code.functions[0].effects = {"r"}; });
  expect("[generator-effects]", [](GeneratedCode& code) { code.functions[0].in_place = {{1, 0}}; });
  expect("[generator-failed]", [](GeneratedCode& code) { code.functions[0].workspace_bytes = -1; });
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
  // Its operators are called where it was.
  EXPECT_THAT(TextOf(*artifacts, "tvmgen_default.c"), Not(HasSubstr("tvmgen_default_one")));
}

/// Two operators, and the entry that calls them.
constexpr const char* kOperators = R"(
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[i] = x[i] + T.float32(1)

    @T.prim_func(private=True)
    def double(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[i] = x[i] * T.float32(2)

    @T.prim_func
    def __tvm_main__(a: T.Buffer((16,), "float32"), b: T.Buffer((16,), "float32")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True),
                     "tir.noalias": T.bool(True)})
        s = T.allocate([16], "float32", "global.workspace")
        T.tvm_check_return(0, -1, T.call_extern("int32", "add", a.data, s))
        T.tvm_check_return(0, -1, T.call_extern("int32", "double", s, b.data))
)";

/// Fails, and counts how often it is asked what it supports.
class FailingGenerator : public CodeGenerator {
 public:
  explicit FailingGenerator(int& asked) : asked_(asked) {}
  std::string_view name() const override { return "failing"; }
  Support Supports(const OpInfo&, const GeneratorTarget&) const override {
    ++asked_;
    return Support::Yes();
  }
  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction>, const GeneratorTarget&,
                                        Diagnostics& diagnostics) const override {
    diagnostics.Error(DiagnosticKind::kGeneratorFailed, {}, "out of registers");
    return std::nullopt;
  }

 private:
  int& asked_;
};

TEST_F(Externals, RegionsOfAFailedGeneratorGoToTheNextTargetAndNothingIsFoundAgain) {
  for (const bool has_next : {true, false}) {
    int asked = 0;
    CodeGenerators generators = CodeGenerators::BuiltIn();
    ASSERT_TRUE(generators.Add(std::make_unique<FailingGenerator>(asked)));
    CompileOptions options;
    options.run.generators = &generators;
    options.externals.targets = {"failing"};
    if (has_next) options.externals.targets.emplace_back("c");
    options.externals.falls_back = true;
    diagnostics_.Clear();
    const std::optional<ExternalModule> made =
        MakeExternals(Parse(kOperators), options, "default", diagnostics_);
    ASSERT_TRUE(made.has_value()) << Errors();
    EXPECT_THAT(Errors(), HasSubstr("out of registers [generator-failed]"));
    EXPECT_EQ(asked, 2);
    const std::string text = PrintModule(made->partitioned, {});
    EXPECT_EQ(text.find("\"Compiler\": \"c\"") != std::string::npos, has_next) << text;
    EXPECT_EQ(text.find("Compiler") != std::string::npos, has_next) << text;
    EXPECT_EQ(text.find("call_extern(\"int32\", \"add\", a.data") == std::string::npos, has_next);
    ASSERT_EQ(made->report.operators.size(), 2u);
    for (const ByocOperator& op : made->report.operators) {
      EXPECT_EQ(op.target, has_next ? "c" : "host");
      ASSERT_EQ(op.why_not.size(), 1u);
      EXPECT_EQ(op.why_not[0].second, "its code generator failed");
    }
  }
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
  // The two are never needed at once.
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

/// `one` adds what `fill` has counted in its state: 1 when it was called once.
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
  // What the init function answers is what the run answers.
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
  EXPECT_LT(code.find("result = one_check_0(NULL, 0)"), code.find("result = fill("));
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
  // No machine that runs this has these instructions.
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
    const std::string path = folder->File(artifacts->files[0].file.name);
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
      EXPECT_EQ(again->files[i].file.text, artifacts->files[i].file.text);
    // The interpreter runs bodies, and so does C when it is told to.
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

TEST_F(Externals, ScratchIsPoisonToNobody) {
  // `one` fills its scratch memory with noise, and everything else stays right.
  CompileOptions options = Options(StateAnswer());
  options.externals.use = ExternalsUse::kBoth;
  std::vector<float> results;
  EXPECT_EQ(Run(options, results, 2), "");
}

/// A model of one operator, for targets: y = x * w.
constexpr const char* kScale = R"(
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scale(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4], "float32", [4])
        w_1 = T.Buffer((4,), data=w)
        for i in range(4):
            y[i] = x[i] * w_1[i]

    @T.prim_func
    def __tvm_main__(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "tir.noalias": T.bool(True)})
        T.evaluate(T.call_extern("int32", "scale", x.data, y.data))
)";

/// Reverses the order of constants of floats.
class ReversingUpdater : public ConstantUpdater {
 public:
  std::string_view name() const override { return "test"; }
  std::optional<ConstantUpdate> Update(const Function&, std::span<const FunctionConstant> constants,
                                       Diagnostics&) const override {
    ConstantUpdate update;
    for (size_t i = 0; i < constants.size(); ++i) {
      const std::span<const uint8_t> bytes = *constants[i].constant->Bytes();
      std::vector<uint8_t> reversed;
      for (size_t at = bytes.size(); at >= 4; at -= 4) {
        for (size_t j = at - 4; j < at; ++j) reversed.push_back(bytes[j]);
      }
      UpdatedConstant& made = update.constants.emplace_back();
      made.name = "reversed";
      made.dtype = constants[i].constant->dtype();
      made.shape = constants[i].constant->shape();
      made.SetBytes(std::move(reversed));
      made.replaces = i;
    }
    return update;
  }
};

/// A generator whose constants are packed.
class PackingGenerator : public TestGenerator {
 public:
  using TestGenerator::TestGenerator;
  const ConstantUpdater* updater() const override { return &updater_; }

 private:
  ReversingUpdater updater_;
};

/// Code of one function that multiplies with reversed constants.
std::optional<GeneratedCode> ScaleCode(std::span<const ExternalFunction> functions, Diagnostics&) {
  GeneratedCode code;
  const std::string symbol(functions[0].function.name.view());
  code.functions.emplace_back().symbol = symbol;
  code.sources.push_back(
      {"scale.c", "#include <stdint.h>\nint32_t " + symbol +
                      "(const float* x, float* y, const float* w) {\n"
                      "  for (int i = 0; i < 4; ++i) y[i] = x[i] * w[3 - i];\n  return 0;\n}\n"});
  return code;
}

TEST_F(Externals, BodiesKnowConstantsThatAreNotPacked) {
  CodeGenerators generators;
  generators.Add(std::make_unique<PackingGenerator>(ScaleCode));
  const IRModule module = Parse(kScale);
  Diagnostics diagnostics;
  const std::optional<EntrySignature> signature = ReadEntrySignature(module, diagnostics);
  for (const ExternalsUse use : {ExternalsUse::kCall, ExternalsUse::kBody, ExternalsUse::kBoth}) {
    EngineOptions how;
    how.compile.run.generators = &generators;
    how.compile.externals.targets = {"test"};
    how.compile.externals.use = use;
    const std::unique_ptr<RunnableModel> model =
        CEngine().load(module, *signature, how, diagnostics);
    ASSERT_NE(model, nullptr) << Render(context_.sources(), diagnostics);
    const std::vector<float> inputs = {1, 1, 1, 1};
    TensorValues values = {std::string(reinterpret_cast<const char*>(inputs.data()), 16), {}};
    Runs runs;
    EXPECT_TRUE(model->Run(values, runs, diagnostics)) << Render(context_.sources(), diagnostics);
    std::vector<float> results(4);
    std::memcpy(results.data(), values[1].data(), 16);
    EXPECT_EQ(results, (std::vector<float>{1, 2, 3, 4}));
  }
}

TEST_F(Externals, TextFromBeforePackingBuildsTheSame) {
  CodeGenerators generators;
  generators.Add(std::make_unique<PackingGenerator>(ScaleCode));
  CompileOptions options;
  options.run.generators = &generators;
  options.externals.targets = {"test"};
  const std::optional<Artifacts> direct = Build(Parse(kScale), options);
  ASSERT_TRUE(direct.has_value()) << Errors();
  Pipeline cutting;
  cutting.Add<&RecogniseOps>()
      .Add<&AnnotateTargets>({.targets = "test"})
      .Add<&MergeRegions>()
      .Add<&Partition>({.name = "default", .bind_constants = "inside"});
  const std::optional<IRModule> cut =
      RunPipeline(Parse(kScale), cutting, options.run, diagnostics_);
  ASSERT_TRUE(cut.has_value()) << Errors();
  const std::string text = PrintModule(*cut, {});
  for (const bool names_target : {true, false}) {
    if (!names_target) options.externals.targets.clear();
    const std::optional<Artifacts> again = Build(Parse(text), options);
    ASSERT_TRUE(again.has_value()) << Errors();
    ASSERT_EQ(again->files.size(), direct->files.size());
    for (size_t i = 0; i < again->files.size(); ++i)
      EXPECT_EQ(again->files[i].file.text, direct->files[i].file.text) << names_target;
  }
}

TEST_F(Externals, OperatorsOfAFailedGeneratorGoToTheirNextTarget) {
  class Failing : public TestGenerator {
   public:
    Failing()
        : TestGenerator([](std::span<const ExternalFunction>,
                           Diagnostics&) -> std::optional<GeneratedCode> { return std::nullopt; }) {
    }
    std::string_view name() const override { return "first"; }
  };
  CodeGenerators generators;
  generators.Add(std::make_unique<Failing>());
  generators.Add(std::make_unique<PackingGenerator>(ScaleCode));
  CompileOptions options;
  options.run.generators = &generators;
  options.externals.targets = {"first", "test"};
  options.externals.falls_back = true;
  const std::optional<ExternalModule> external =
      MakeExternals(Parse(kScale), options, "default", diagnostics_);
  ASSERT_TRUE(external.has_value()) << Errors();
  EXPECT_EQ(ByocSummary(external->report), "first: 0 of 1 operators; test: 1 of 1 operators");
  EXPECT_EQ(ByocText(external->report),
            "scale -> test: elementwise, 4 elements; not first: its code generator failed\n");
  EXPECT_THAT(Errors(), HasSubstr("made no code and gave no reason [generator-failed]"));
  EXPECT_THAT(Errors(), Not(HasSubstr("nothing-offloaded")));
}

// docs/adding.md shows this class.
constexpr const char* kKernel = R"(#include <stdint.h>
int32_t my_relu(const float* x, float* y, int32_t count);
int32_t my_relu(const float* x, float* y, int32_t count) {
  for (int32_t i = 0; i < count; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  return 0;
}
)";

class ReluGenerator : public CodeGenerator {
 public:
  std::string_view name() const override { return "relu"; }

  Support Supports(const OpInfo& op, const GeneratorTarget&) const override {
    // Three steps: x is read, 0 is a constant, and their maximum is stored.
    const Computation& all = op.computation;
    const bool is_maximum =
        op.kind == "elementwise" && all.operands.size() == 2 && all.stores.size() == 1 &&
        all.steps.size() == 3 && all.steps[2].kind == StepKind::kNode &&
        all.steps[2].node == NodeKind::kMax && all.steps[2].dtype == DataType::Float(32);
    const auto is_zero = [](const Step& step) {
      return step.kind == StepKind::kReal && step.real == 0;
    };
    if (!is_maximum || std::none_of(all.steps.begin(), all.steps.end(), is_zero))
      return Support::No("not a relu of floats");
    // Every element is written where it was read, and there are no others between them.
    const bool is_dense =
        all.accesses.size() == 2 && all.accesses[0].element == all.accesses[1].element &&
        all.operands[0].elements == op.elements && all.operands[1].elements == op.elements;
    const bool is_forward = all.accesses[all.stores[0].access].operand == 1;
    return is_dense && is_forward ? Support::Yes() : Support::No("not element by element");
  }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget&,
                                        Diagnostics& diagnostics) const override {
    // What stands in the place of one operator: a call. Operands are those of the claim, in order.
    const auto make = [](NodeBuilder& builder, const OperatorToMake& op) -> const Stmt* {
      return builder.New<Evaluate>(
          {}, builder.NewCall(DataType::Int(32), OpKind::kCallExtern,
                              {builder.String("my_relu"), op.operands[0]->data,
                               op.operands[1]->data, builder.Int(op.info.elements)}));
    };
    // The letters say what the call does with each argument: it reads x, and writes y.
    auto bodies = MakeExternalBodies(functions, {.externs = {{"my_relu", {"r", "w", ""}}}}, make,
                                     diagnostics);
    if (!bodies) return std::nullopt;
    GeneratedCode code;
    code.functions = std::move(bodies->functions);
    code.tir = std::move(bodies->tir);
    code.sources = {{"my_relu.c", kKernel}};
    return code;
  }
};

/// `relu` of 16 floats, and operators that are not quite that.
constexpr const char* kRelu = R"(
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def least(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[i] = T.max(x[i], T.float32(-1))

    @T.prim_func(private=True)
    def relu(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[15 - i] = T.max(x[15 - i], T.float32(0))

    @T.prim_func(private=True)
    def some(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            y[i * 2] = T.max(x[i * 2], T.float32(0))
        for i in range(8):
            y[i * 2 + 1] = T.float32(7)

    @T.prim_func
    def __tvm_main__(a: T.Buffer((16,), "float32"), b: T.Buffer((16,), "float32")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True),
                     "tir.noalias": T.bool(True)})
        s = T.allocate([16], "float32", "global.workspace")
        t = T.allocate([16], "float32", "global.workspace")
        T.tvm_check_return(0, -1, T.call_extern("int32", "least", a.data, s))
        T.tvm_check_return(0, -1, T.call_extern("int32", "relu", s, t))
        T.tvm_check_return(0, -1, T.call_extern("int32", "some", t, b.data))
)";

TEST_F(Externals, GeneratorOfTheDocuments) {
  CodeGenerators generators;
  ASSERT_TRUE(generators.Add(std::make_unique<ReluGenerator>()));
  CompileOptions options;
  options.run.generators = &generators;
  options.externals.targets = {"relu"};
  options.externals.use = ExternalsUse::kBoth;
  const std::optional<ExternalModule> made =
      MakeExternals(Parse(kRelu), options, "default", diagnostics_);
  ASSERT_TRUE(made.has_value()) << Errors();
  EXPECT_THAT(ByocText(made->report), HasSubstr("least -> host"));
  EXPECT_THAT(ByocText(made->report), HasSubstr("relu -> relu: elementwise"));
  EXPECT_THAT(ByocText(made->report), HasSubstr("some -> host"));
  std::vector<const Engine*> engines = {&CEngine()};
#ifdef TENON_HAS_LLVM
  engines.push_back(&JitEngine());
#endif
  for (const Engine* engine : engines) {
    std::vector<float> results;
    EXPECT_EQ(RunBy(*engine, options, results, 1, kRelu), "");
    ASSERT_EQ(results.size(), 16u);
    EXPECT_EQ(results[2], 3);
    EXPECT_EQ(results[3], 7);
  }
}

}  // namespace
}  // namespace tenon
