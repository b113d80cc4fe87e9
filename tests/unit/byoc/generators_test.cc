// What code generators make of random claims, compiled and run, gives what the claims say.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "byoc/code_generator.h"
#include "byoc/generators/blas.h"
#include "byoc/generators/external_body.h"
#include "byoc/generators/op_loops.h"
#include "byoc/generators/staged_factors.h"
#include "byoc/recognise_ops.h"
#include "byoc/reference.h"
#include "fmt/format.h"
#include "interp/interpreter.h"
#include "ir/attributes.h"
#include "ir/extents.h"
#include "lowering/c/emit_c.h"
#include "parser/parser.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "support/file.h"
#include "tests/unit/byoc/claim_check.h"
#include "tests/unit/byoc/claims.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/temp_folder.h"

namespace tenon {
namespace {

using testing::HasSubstr;
using testing_claims::ClaimMaker;
using testing_claims::RandomClaims;

namespace fs = std::filesystem;

using Bytes = std::vector<uint8_t>;

Bytes RandomBytes(DataType dtype, int64_t elements, std::mt19937_64& random) {
  Bytes bytes(static_cast<size_t>(elements * dtype.bytes()));
  for (size_t i = 0; i < static_cast<size_t>(elements); ++i) {
    const double unit = static_cast<double>(random() % 2001) / 1000 - 1;
    if (dtype == DataType::Float(32)) {
      const auto value = static_cast<float>(unit);
      std::memcpy(&bytes[i * 4], &value, 4);
    } else if (dtype == DataType::Float(64)) {
      std::memcpy(&bytes[i * 8], &unit, 8);
    } else {
      const auto value = static_cast<int64_t>(unit * 127);
      std::memcpy(&bytes[i * static_cast<size_t>(dtype.bytes())], &value,
                  static_cast<size_t>(dtype.bytes()));
    }
  }
  return bytes;
}

/// One parameter of a function, before and after a call.
struct Param {
  DataType dtype;
  Bytes before;
  Bytes after;
};

/// A function that a generator is to make code of.
struct Claimed {
  OpInfo op;
  std::string symbol;
  std::vector<Param> params;
  /// Its own; null: one that only has the claim, and computes nothing.
  std::optional<Function> function = std::nullopt;
  /// The data of the operands that are constants.
  std::vector<Bytes> constants = {};
  /// Bytes of scratch memory that the code takes as one more argument.
  int64_t workspace_bytes = 0;
};

/// A random claim with random values, and what the claim makes of them.
Claimed Claim(OpInfo op, std::string symbol, uint64_t seed) {
  Claimed claimed{std::move(op), std::move(symbol), {}};
  std::mt19937_64 random(seed);
  std::vector<Bytes> bytes;
  for (const ComputationOperand& operand : claimed.op.computation.operands) {
    bytes.push_back(RandomBytes(operand.dtype, operand.elements, random));
    if (operand.constant) claimed.constants.push_back(bytes.back());
    if (!operand.constant) claimed.params.push_back({operand.dtype, bytes.back(), {}});
  }
  std::vector<std::span<uint8_t>> spans(bytes.begin(), bytes.end());
  const absl::Status status = RunComputation(claimed.op.computation, spans);
  EXPECT_TRUE(status.ok()) << status << claimed.op.kind;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const ComputationOperand& operand = claimed.op.computation.operands[i];
    if (!operand.constant) claimed.params[static_cast<size_t>(operand.index)].after = bytes[i];
  }
  return claimed;
}

/// A function that has the claim and the constants of it.
Function FunctionOf(Context& context, const Claimed& claimed) {
  if (claimed.function) return *claimed.function;
  auto storage = std::make_shared<Storage>();
  NodeBuilder builder(context, storage->arena());
  const Stmt* body = builder.NoOp();
  std::vector<const Var*> params;
  std::vector<const Buffer*> buffers;
  const std::vector<ComputationOperand>& operands = claimed.op.computation.operands;
  for (size_t i = operands.size(); i-- > 0;) {
    const ComputationOperand& operand = operands[i];
    const std::string name = fmt::format("x{}", i);
    const Var* data = builder.NewVar(name, context.PointerType(operand.dtype, "global"));
    const auto shape = builder.List<Expr>({builder.Int(operand.elements)});
    if (operand.constant) {
      const Constant* constant =
          context.AddConstant(context.Intern(name), operand.dtype, {operand.elements},
                              claimed.constants[static_cast<size_t>(operand.index)]);
      body = builder.New<AllocateConst>({}, data, operand.dtype, shape, constant, nullptr, body);
      continue;
    }
    params.insert(params.begin(), builder.NewVar(name + "_handle", DataType::Handle()));
    buffers.insert(buffers.begin(),
                   builder.New<Buffer>({}, data->name, data, operand.dtype, shape, builder.Int(0)));
  }
  const MapAttr* attrs =
      builder.With(nullptr, attr_key::kGlobalSymbol, builder.StringValue(claimed.symbol));
  const auto* func = storage->arena().New<PrimFunc>(
      storage->arena().Copy(Span<const Var*>(params)),
      storage->arena().Copy(Span<const Buffer*>(buffers)), context.VoidType(), attrs, body);
  return WithOpInfo(context, {context.Intern(claimed.symbol), func, storage}, claimed.op);
}

/// External functions of claims, and the code that a generator makes of them.
struct Program {
  Context context;
  Diagnostics diagnostics;
  std::vector<Claimed> claims;
  IRModule module{context};

  std::optional<GeneratedCode> Generate(const CodeGenerator& generator,
                                        TargetVectors vectors = {}) {
    std::vector<ExternalFunction> functions;
    for (const Claimed& claimed : claims) {
      module.Add(FunctionOf(context, claimed));
      functions.push_back(ReadExternalFunction(module, *module.FindCallee(claimed.symbol)));
    }
    GeneratorTarget target(generator.name());
    target.vectors = vectors;
    std::optional<GeneratedCode> code = generator.Generate(functions, target, diagnostics);
    EXPECT_TRUE(code.has_value()) << Render(context.sources(), diagnostics);
    for (size_t i = 0; code && i < code->functions.size(); ++i)
      claims[i].workspace_bytes = code->functions[i].workspace_bytes;
    return code;
  }

  IRModule ModuleOf(const GeneratedCode& code) {
    IRModule made(context);
    for (const Function& function : code.tir) made.Add(function);
    return made;
  }

  /// The C of functions in TIR, as a library.
  std::vector<EmittedFile> CodeOf(const GeneratedCode& code) {
    if (!code.sources.empty()) return code.sources;
    const auto lowered = RunPipeline(ModuleOf(code), LowerForC(), RunOptions(), diagnostics);
    EXPECT_TRUE(lowered.has_value()) << Render(context.sources(), diagnostics);
    EmitCOptions options;
    options.library_name = "test";
    const auto c = EmitC(*lowered, options, diagnostics);
    EXPECT_TRUE(c.has_value()) << Render(context.sources(), diagnostics);
    return c->files;
  }
};

/// Whether the outputs are those of the claim: integers exactly, floats as far as sums in another
/// order may differ.
testing::AssertionResult IsSame(const Claimed& claimed, const std::vector<Bytes>& got) {
  for (size_t i = 0; i < got.size(); ++i) {
    const Param& param = claimed.params[i];
    const auto width = static_cast<size_t>(param.dtype.bytes());
    for (size_t at = 0; at < param.after.size(); at += width) {
      bool same = std::memcmp(&param.after[at], &got[i][at], width) == 0;
      if (!same && param.dtype.is_float()) {
        const auto value = [&](const Bytes& bytes) {
          float single = 0;
          double real = 0;
          std::memcpy(width == 4 ? static_cast<void*>(&single) : &real, &bytes[at], width);
          return width == 4 ? static_cast<double>(single) : real;
        };
        const double want = value(param.after);
        same = std::abs(want - value(got[i])) <= 1e-5 + 1e-4 * std::abs(want);
      }
      if (same) continue;
      return testing::AssertionFailure() << claimed.symbol << " (" << claimed.op.kind
                                         << "): parameter " << i << ", element " << at / width;
    }
  }
  return testing::AssertionSuccess();
}

using ExternalFn = int32_t (*)(void**);

/// Functions that take their arguments as an array.
std::string Callers(const std::vector<Claimed>& claims) {
  std::string text = "#include <stdint.h>\n";
  for (const Claimed& claimed : claims) {
    std::string types, args;
    for (size_t count = 0; count < claimed.params.size(); ++count) {
      types += fmt::format("{}void*", count == 0 ? "" : ", ");
      args += fmt::format("{}a[{}]", count == 0 ? "" : ", ", count);
    }
    if (claimed.workspace_bytes > 0) {
      text += fmt::format("static char memory_{}[{}] __attribute__((aligned(64)));\n",
                          claimed.symbol, claimed.workspace_bytes);
      types += ", void*";
      args += fmt::format(", memory_{}", claimed.symbol);
    }
    text += fmt::format("int32_t {0}({1});\nint32_t call_{0}(void** a) {{ return {0}({2}); }}\n",
                        claimed.symbol, types, args);
  }
  return text;
}

/// Compiles the sources into a library, and runs every function in it.
void CompileAndRun(const std::vector<Claimed>& claims, const std::vector<EmittedFile>& files,
                   const std::string& library = "", const std::string& cc = "cc -std=c99 -O1") {
  const TempFolder folder;
  for (const EmittedFile& file : files) folder.Write(file.name, file.text);
  folder.Write("callers.c", Callers(claims));
  std::string source;
  for (const EmittedFile& file : files) {
    if (file.name.ends_with(".c")) source = file.name;
  }
  const std::string strict = "-Wall -Wextra -Wpedantic -Wconversion -Werror";
  ASSERT_TRUE(folder.Run(fmt::format("{} {} -fPIC -c {} -o code.o", cc, strict, source)));
  EXPECT_TRUE(folder.Run(fmt::format("c++ -x c++ -std=c++17 {} -fsyntax-only {}", strict, source)));
  ASSERT_TRUE(folder.Run(fmt::format("cc -fPIC -shared callers.c code.o -o lib.so -lm {}",
                                     library.empty() ? "" : "-l" + library)));
  void* handle = dlopen(folder.File("lib.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  for (const Claimed& claimed : claims) {
    auto* call = reinterpret_cast<ExternalFn>(dlsym(handle, ("call_" + claimed.symbol).c_str()));
    ASSERT_NE(call, nullptr) << claimed.symbol;
    std::vector<Bytes> bytes;
    for (const Param& param : claimed.params) bytes.push_back(param.before);
    std::vector<void*> args;
    for (Bytes& param : bytes) args.push_back(param.data());
    EXPECT_EQ(call(args.data()), 0);
    EXPECT_TRUE(IsSame(claimed, bytes));
  }
  dlclose(handle);
}

/// The same in the interpreter.
void Interpret(Program& program, const GeneratedCode& code) {
  const IRModule module = program.ModuleOf(code);
  const auto interpreter = Interpreter::Compile(module, program.diagnostics, {});
  ASSERT_TRUE(interpreter.ok()) << Render(program.context.sources(), program.diagnostics);
  for (const Claimed& claimed : program.claims) {
    std::vector<Tensor> tensors;
    for (const Param& param : claimed.params) {
      const auto elements = static_cast<int64_t>(param.before.size()) / param.dtype.bytes();
      tensors.push_back({param.dtype, {elements}, param.before});
    }
    std::vector<Argument> arguments;
    for (Tensor& tensor : tensors) arguments.push_back(Argument::Of(&tensor));
    ASSERT_TRUE(interpreter->Run(claimed.symbol, arguments, program.diagnostics))
        << Render(program.context.sources(), program.diagnostics);
    std::vector<Bytes> bytes;
    for (const Tensor& tensor : tensors) bytes.push_back(tensor.bytes);
    EXPECT_TRUE(IsSame(claimed, bytes));
  }
}

int Count() {
  const char* text = std::getenv("TENON_RANDOM_COUNT");
  return text == nullptr ? 150 : std::atoi(text);
}

void AddRandom(Program& program) {
  for (int seed = 0; seed < Count(); ++seed) {
    const auto number = static_cast<uint64_t>(seed);
    OpInfo op = RandomClaims(number).Make();
    ASSERT_TRUE(CanMakeLoops(op).yes) << op.kind << ": " << CanMakeLoops(op).because;
    program.claims.push_back(Claim(std::move(op), fmt::format("f{}", seed), number));
  }
}

TEST(GeneratorsTest, CIsWhatRandomClaimsSay) {
  Program program;
  AddRandom(program);
  const auto code = program.Generate(*CodeGenerators::BuiltIn().Find("c"));
  ASSERT_TRUE(code.has_value());
  EXPECT_TRUE(code->tir.empty());
  CompileAndRun(program.claims, code->sources);
}

/// Vectors that machines have, and how sources with them are compiled.
struct VectorCase {
  const char* name;
  TargetVectors vectors;
  const char* cc;
};
void PrintTo(const VectorCase& each, std::ostream* out) { *out << each.name; }

// Of GCC 12, -mno-red-zone: see CompilerFlags of lowering/external_files.h.
const VectorCase kVectorCases[] = {
    {"OfAnyMachine", {16, 16}, "cc -std=c99 -O1"},
    {"OfAnyMachineOptimised", {16, 16}, "cc -std=c99 -O3"},
    {"Of32Bytes", {16, 32}, "cc -std=c99 -O2 -march=native -mno-red-zone"},
    {"Of64Bytes", {32, 64}, "cc -std=c99 -O3 -march=native -mno-red-zone"},
    {"LargerThanThoseOfTheMachine", {32, 64}, "cc -std=c99 -O2"},
    {"OfClang", {16, 16}, "clang -std=c99 -O2"},
    {"Of64BytesOfClang", {32, 64}, "clang -std=c99 -O2 -march=native -mno-red-zone"},
};

bool HasCompiler(const std::string& cc) {
  const std::string name = cc.substr(0, cc.find(' '));
  return std::system(fmt::format("{} --version > /dev/null 2>&1", name).c_str()) == 0;
}

class Vectors : public testing::TestWithParam<VectorCase> {};

TEST_P(Vectors, GiveWhatRandomClaimsSay) {
  if (!HasCompiler(GetParam().cc)) GTEST_SKIP() << GetParam().cc << " is not there";
  Program program;
  AddRandom(program);
  const auto code = program.Generate(*CodeGenerators::BuiltIn().Find("c"), GetParam().vectors);
  ASSERT_TRUE(code.has_value());
  std::string source;
  for (const EmittedFile& file : code->sources) source += file.name == "tenon_c.c" ? file.text : "";
  EXPECT_THAT(source, HasSubstr("vector_size"));
  EXPECT_THAT(source, HasSubstr("TENON_PRODUCTS_"));
  EXPECT_THAT(source, HasSubstr("* staged = "));
  CompileAndRun(program.claims, code->sources, "", GetParam().cc);
}
INSTANTIATE_TEST_SUITE_P(All, Vectors, testing::ValuesIn(kVectorCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(GeneratorsTest, StagedFactorsAreThoseOfTheClaim) {
  int staged_claims = 0;
  for (int seed = 0; seed < 4 * Count(); ++seed) {
    const auto number = static_cast<uint64_t>(seed);
    const OpInfo op = RandomClaims(number).Make();
    const StagedComputation staged = StageFactors(op);
    staged_claims += staged.memory.empty() ? 0 : 1;
    std::mt19937_64 random(number);
    std::vector<Bytes> before;
    for (const ComputationOperand& operand : op.computation.operands)
      before.push_back(RandomBytes(operand.dtype, operand.elements, random));
    std::vector<Bytes> now = before;
    for (const int memory : staged.memory) {
      const auto& operand = staged.computation.operands[static_cast<size_t>(memory)];
      now.push_back(RandomBytes(operand.dtype, operand.elements, random));
    }
    const std::vector<std::span<uint8_t>> of_claim(before.begin(), before.end());
    const std::vector<std::span<uint8_t>> of_staged(now.begin(), now.end());
    ASSERT_TRUE(RunComputation(op.computation, of_claim).ok());
    const absl::Status status = RunComputation(staged.computation, of_staged);
    ASSERT_TRUE(status.ok()) << seed << ": " << status;
    now.resize(before.size());
    EXPECT_EQ(before, now) << "seed " << seed << ", " << op.kind;
  }
  EXPECT_GT(staged_claims, Count() / 10);
}

TEST(GeneratorsTest, ReferenceIsWhatRandomClaimsSay) {
  Program program;
  AddRandom(program);
  const auto code = program.Generate(*CodeGenerators::BuiltIn().Find("reference"));
  ASSERT_TRUE(code.has_value());
  EXPECT_TRUE(code->sources.empty());
  Interpret(program, *code);
  CompileAndRun(program.claims, program.CodeOf(*code));
}

/// The library that the machine has; empty for none.
std::string BlasLibrary(const GeneratedCode& code) {
  return code.link.libraries.empty() ? "" : code.link.libraries[0];
}

TEST(GeneratorsTest, BlasIsWhatRandomProductsSay) {
  Program program;
  int packed = 0;
  for (int seed = 0; seed < Count(); ++seed) {
    const auto number = static_cast<uint64_t>(seed);
    const DataType dtype = DataType::Float(seed % 4 == 0 ? 64 : 32);
    OpInfo op = RandomClaims(number).Product(dtype, seed % 2 == 0);
    const Support support = BlasGenerator()->Supports(op, GeneratorTarget("blas"));
    ASSERT_TRUE(support.yes) << support.because;
    program.claims.push_back(Claim(std::move(op), fmt::format("f{}", seed), number));
  }
  const auto code = program.Generate(*BlasGenerator());
  ASSERT_TRUE(code.has_value());
  for (const Function& function : code->tir)
    packed +=
        PrintFunction(program.ModuleOf(*code), function).find("matrix = ") != std::string::npos;
  EXPECT_GT(packed, 5);
  CompileAndRun(program.claims, program.CodeOf(*code), BlasLibrary(*code));
}

/// A module of operators in this text, and what each generator makes of its function `region`.
std::string CodeOfText(const std::string& text, std::string_view generator,
                       GeneratedFunction* made = nullptr) {
  Context context;
  Diagnostics diagnostics;
  const auto module = ParseModule(context, "region.py", text, nullptr, {}, diagnostics);
  EXPECT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  const ExternalFunction region = ReadExternalFunction(*module, *module->FindCallee("region"));
  const CodeGenerators generators = CodeGenerators::BuiltIn();
  const auto code =
      generators.Find(generator)->Generate({&region, 1}, GeneratorTarget(generator), diagnostics);
  EXPECT_TRUE(code.has_value()) << Render(context.sources(), diagnostics);
  if (!code) return "";
  if (made != nullptr) *made = code->functions[0];
  std::string all;
  for (const EmittedFile& file : code->sources) all += file.text;
  IRModule functions(context);
  for (const Function& function : code->tir) functions.Add(function);
  return all + (code->tir.empty() ? "" : PrintModule(functions));
}

/// Three operators with two intermediates; `body` computes what the claim of `scale` says.
std::string RegionText(const std::string& body) {
  return R"(
from tvm.script import ir as I
from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def region(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"Compiler": "c", "global_symbol": "region"})
        a = T.allocate([32], "int8", "global")
        b = T.allocate([32], "int8", "global")
        T.tvm_check_return(0, -1, T.call_extern("int32", "scale", x.data, a))
        T.tvm_check_return(0, -1, T.call_extern("int32", "scale", a, b))
        T.tvm_check_return(0, -1, T.call_extern("int32", "scale", b, y.data))

    @T.prim_func
    def scale(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"tenon.op": {"kind": "elementwise", "elements": 8, "loops": [["i", 8]],
            "operands": [["param", 0, "float32", 8], ["param", 1, "float32", 8]],
            "accesses": [[0, [0, [["i", 1]]]], [1, [0, [["i", 1]]]]],
            "steps": [["read", 0], ["const", "float32", 3], ["mul", 0, 1]],
            "stores": [[1, 2, ["i"]]]}})
)" + body;
}

constexpr const char* kForward = R"(
        for i in range(8):
            y[i] = x[i] * T.float32(3)
)";
constexpr const char* kBackward = R"(
        three = T.allocate([1], "float32", "global")
        three_1 = T.Buffer((1,), data=three)
        three_1[0] = T.float32(3)
        for block in range(4):
            for i in range(2):
                y[7 - block * 2 - i] = three_1[0] * x[7 - block * 2 - i]
)";

TEST(GeneratorsTest, CodeIsMadeOfClaimsAlone) {
  for (const char* generator : {"c", "reference"}) {
    const std::string code = CodeOfText(RegionText(kForward), generator);
    EXPECT_THAT(code, HasSubstr("region_elementwise_0"));
    EXPECT_EQ(code, CodeOfText(RegionText(kBackward), generator));
  }
}

TEST(GeneratorsTest, IntermediatesOfCAreInScratchMemory) {
  GeneratedFunction made;
  const std::string code = CodeOfText(RegionText(kForward), "c", &made);
  EXPECT_EQ(made.workspace_bytes, 64);
  EXPECT_THAT(code, testing::Not(HasSubstr("malloc")));
  EXPECT_THAT(code, HasSubstr("scratch"));
  // One function serves all three calls.
  EXPECT_THAT(code, testing::Not(HasSubstr("region_elementwise_1")));
}

TEST(GeneratorsTest, OtherStatementsThanCallsAreAnError) {
  Context context;
  Diagnostics diagnostics;
  const std::string text =
      "from tvm.script import tir as T\n@T.prim_func\ndef f(a: T.Buffer((4,), \"float32\")):\n"
      "    T.func_attr({\"Compiler\": \"c\", \"global_symbol\": \"f\"})\n    a[0] = T.float32(1)\n";
  const auto module = ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
  ASSERT_TRUE(module.has_value());
  const ExternalFunction region = ReadExternalFunction(*module, module->functions()[0]);
  for (const char* generator : {"c", "reference", "blas:test"}) {
    const CodeGenerators generators = CodeGenerators::BuiltIn();
    Diagnostics errors;
    EXPECT_FALSE(generators.Find(generator)
                     ->Generate({&region, 1}, GeneratorTarget(generator), errors)
                     .has_value());
    EXPECT_THAT(Render(context.sources(), errors),
                HasSubstr("test.py:3:5: error: no code can be made of `f`: expected calls of "
                          "operators and nothing else, or a claim; run recognise-ops and "
                          "partition [generator-failed]"));
  }
}

TEST(GeneratorsTest, WithoutABlasThePersonIsTold) {
  Diagnostics diagnostics;
  EXPECT_FALSE(BlasGenerator({.folders = std::vector<std::string>{"/nowhere"}})
                   ->Generate({}, GeneratorTarget("blas"), diagnostics)
                   .has_value());
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::kMissingLibrary);
  EXPECT_THAT(diagnostics.all()[0].message, HasSubstr("install libopenblas-dev"));
  const auto named = BlasGenerator({.folders = std::vector<std::string>{"/nowhere"}})
                         ->Generate({}, GeneratorTarget("blas:blis"), diagnostics);
  ASSERT_TRUE(named.has_value());
  EXPECT_THAT(named->link.libraries, testing::ElementsAre("blis"));
}

TEST(GeneratorsTest, WhatLoopsCannotBeMadeOfIsRefused) {
  const auto reason = [](const OpInfo& op) { return CanMakeLoops(op).because; };
  EXPECT_EQ(reason(UnknownOp("a while")), "nothing is proven of it");
  OpInfo op;
  op.kind = "elementwise";
  EXPECT_EQ(reason(op), "its claim has no steps");
  const auto copy = [](int64_t stride, DataType dtype) {
    ClaimMaker claim("layout");
    const int i = claim.Loop("i", 4);
    const int x = claim.Operand(DataType::Float(32), 16);
    const int y = claim.Operand(dtype, 16);
    claim.Store(y, {0, {{i, 1}}}, claim.Read(x, {0, {{i, stride}}}), {i});
    return claim.op;
  };
  EXPECT_EQ(reason(copy(4, DataType::Float(32))), "");
  EXPECT_EQ(reason(copy(4, DataType::Int(32))), "it stores a value of another dtype");
  EXPECT_EQ(reason(copy(INT64_MAX / 2, DataType::Float(32))), "an index that is too large");
  op = copy(4, DataType::Float(32));
  op.computation.stores[0].loops.clear();
  EXPECT_EQ(reason(op), "it uses a loop outside of that loop");
  op = copy(4, DataType::Float(32));
  op.computation.operands[1].index = 0;
  EXPECT_EQ(reason(op), "it overwrites what it reads");
  op.computation.accesses[0] = op.computation.accesses[1];
  EXPECT_EQ(reason(op), "");
}

/// The operators of a text, with random values, and what their bodies make of them. Each is called
/// `f` and a number.
void AddOperators(Program& program, const fs::path& path, const CodeGenerator& generator) {
  const auto file = ReadFile(path.string());
  ASSERT_TRUE(file.ok());
  const auto text =
      ParseModule(program.context, path.string(), (*file)->view(), *file, {}, program.diagnostics);
  ASSERT_TRUE(text.has_value()) << Render(program.context.sources(), program.diagnostics);
  Pipeline recognise;
  recognise.Add<&RecogniseOps>();
  const auto module = RunPipeline(*text, recognise, RunOptions(), program.diagnostics);
  ASSERT_TRUE(module.has_value()) << Render(program.context.sources(), program.diagnostics);
  const auto interpreter = Interpreter::Compile(*module, program.diagnostics);
  ASSERT_TRUE(interpreter.ok());
  std::mt19937 random(7);
  for (const Function& function : module->functions()) {
    const std::optional<OpInfo> info = ReadOpInfo(function);
    if (!info || !info->known()) continue;
    GeneratorTarget target(generator.name());
    const Support support = generator.Supports(*info, target);
    if (!support.yes) {
      const bool is_float_product = (info->kind == "dense" || info->kind == "matmul") &&
                                    info->accumulator() && info->accumulator()->is_float();
      EXPECT_TRUE(generator.name() == "blas" && !is_float_product)
          << path << " " << function.name.view() << " " << info->kind << ": " << support.because;
      continue;
    }
    std::vector<Tensor> tensors;
    for (const Buffer* buffer : function.func->buffers) {
      Tensor tensor{buffer->dtype, {}, {}};
      const int64_t elements = StaticCount(buffer->shape).value_or(0);
      tensor.shape = {elements};
      tensor.bytes.resize(static_cast<size_t>(elements * buffer->dtype.bytes()));
      FillRandomly(tensor, random);
      tensors.push_back(std::move(tensor));
    }
    Claimed claimed{*info, fmt::format("f{}", program.claims.size()), {}};
    for (const Tensor& tensor : tensors) claimed.params.push_back({tensor.dtype, tensor.bytes, {}});
    std::vector<Argument> arguments;
    for (Tensor& tensor : tensors) arguments.push_back(Argument::Of(&tensor));
    ASSERT_TRUE(interpreter->Run(function.name.view(), arguments, program.diagnostics))
        << Render(program.context.sources(), program.diagnostics);
    for (size_t i = 0; i < tensors.size(); ++i) claimed.params[i].after = tensors[i].bytes;
    auto storage = std::make_shared<Storage>(function.storage);
    NodeBuilder builder(program.context, storage->arena());
    PrimFunc copy = *function.func;
    copy.attrs =
        builder.With(copy.attrs, attr_key::kGlobalSymbol, builder.StringValue(claimed.symbol));
    const auto* func = storage->arena().New<PrimFunc>(copy);
    claimed.function = Function{program.context.Intern(claimed.symbol), func, std::move(storage)};
    program.claims.push_back(std::move(claimed));
  }
}

class CorpusGenerators : public testing::TestWithParam<const char*> {};

TEST_P(CorpusGenerators, GiveWhatTheBodiesCompute) {
  const std::vector<fs::path> texts =
      CorpusTexts({"module.py", "module_llvm.py", "module_parallel.py"});
  if (texts.empty()) GTEST_SKIP() << "the corpus is not there (TENON_CORPUS_DIR)";
  const CodeGenerators generators = CodeGenerators::BuiltIn();
  size_t operators = 0;
  for (const fs::path& path : texts) {
    SCOPED_TRACE(path.string());
    Program program;
    AddOperators(program, path, *generators.Find(GetParam()));
    if (program.claims.empty()) continue;
    operators += program.claims.size();
    const auto code = program.Generate(*generators.Find(GetParam()));
    ASSERT_TRUE(code.has_value());
    CompileAndRun(program.claims, program.CodeOf(*code), BlasLibrary(*code));
  }
  EXPECT_GT(operators, 0U);
}
class CorpusVectors : public testing::TestWithParam<VectorCase> {};

TEST_P(CorpusVectors, GiveWhatTheBodiesCompute) {
  const std::vector<fs::path> texts = CorpusTexts({"module.py"});
  if (texts.empty()) GTEST_SKIP() << "the corpus is not there (TENON_CORPUS_DIR)";
  // The others take a minute.
  const bool is_sample = GetParam().vectors.bytes != 64 || GetParam().cc[1] != 'c';
  if (is_sample && std::getenv("TENON_NIGHTLY") == nullptr) GTEST_SKIP() << "by night";
  if (!HasCompiler(GetParam().cc)) GTEST_SKIP() << GetParam().cc << " is not there";
  const CodeGenerators generators = CodeGenerators::BuiltIn();
  for (const fs::path& path : texts) {
    SCOPED_TRACE(path.string());
    Program program;
    AddOperators(program, path, *generators.Find("c"));
    const auto code = program.Generate(*generators.Find("c"), GetParam().vectors);
    ASSERT_TRUE(code.has_value());
    CompileAndRun(program.claims, code->sources, "", GetParam().cc);
  }
}
INSTANTIATE_TEST_SUITE_P(All, CorpusVectors,
                         testing::Values(kVectorCases[0], kVectorCases[3], kVectorCases[6]),
                         [](const auto& each) { return std::string(each.param.name); });

INSTANTIATE_TEST_SUITE_P(All, CorpusGenerators, testing::Values("c", "reference", "blas"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace tenon
