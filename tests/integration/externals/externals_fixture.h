#ifndef TENON_TESTS_INTEGRATION_EXTERNALS_EXTERNALS_FIXTURE_H_
#define TENON_TESTS_INTEGRATION_EXTERNALS_EXTERNALS_FIXTURE_H_

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
#include "compile/externals.h"
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

// Generators that give the answers of a test, and modules for them.

namespace tenon {

/// Two operators, `add` and `double`: y = x + 1 and y = x * 2.
inline const std::string kOperators = R"(
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
)";

/// The operators in a chain with two external functions, `one` and `two`: t = a + 1, b = t * 2.
inline const std::string kChain = kOperators + R"(
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

/// C code of `one` and `two` that is equivalent to their bodies.
inline constexpr const char* kRightSource = R"(#include <stdint.h>
int32_t one(const float* p, float* q) { for (int i = 0; i < 16; ++i) q[i] = p[i] + 1; return 0; }
int32_t two(const float* p, float* q) { for (int i = 0; i < 16; ++i) q[i] = p[i] * 2; return 0; }
)";

/// A generator that gives the answer of a test.
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

/// An answer with C code for all functions, modified by `change`.
inline TestGenerator::Answer Source(std::string text,
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

class ExternalsTest : public testing::Test {
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

  /// Runs the chain on 1, 2, ..., 16 with every engine that compiles. Sets the results, or returns
  /// the errors.
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
    how.on_compared = [&](const std::string& said) { compared_ = said; };
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
  /// The summary of the last run's comparisons.
  std::string compared_;
  std::vector<std::shared_ptr<CodeGenerators>> kept_;
};

}  // namespace tenon

#endif  // TENON_TESTS_INTEGRATION_EXTERNALS_EXTERNALS_FIXTURE_H_
