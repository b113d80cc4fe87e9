// Compiles and runs the generated code of random claims, and compares the results with the claims.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "byoc/code_generator.h"
#include "byoc/generators/blas.h"
#include "byoc/generators/can_make_loops.h"
#include "byoc/generators/external_body.h"
#include "byoc/generators/program/program_generator.h"
#include "byoc/recognise_ops.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "interp/interpreter.h"
#include "ir/attributes.h"
#include "ir/extents.h"
#include "lowering/c/emit_c.h"
#include "parser/parser.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "support/file.h"
#include "tests/unit/byoc/block_loops.h"
#include "tests/unit/byoc/claim_check.h"
#include "tests/unit/byoc/claims.h"
#include "tests/unit/byoc/run_computation.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/nightly.h"
#include "tests/unit/support/temp_folder.h"

namespace tenon {
namespace {

using testing::HasSubstr;
using testing_claims::Bytes;
using testing_claims::RandomBytes;
using testing_claims::RandomClaims;

namespace fs = std::filesystem;

/// A generator that is tested on random claims, on networks and on the corpus.
struct GeneratorCase {
  const char* name;
  /// It takes every claim that CanMakeLoops takes.
  bool takes_all;
};
constexpr GeneratorCase kGenerators[] = {
    {"reference", true},
    {"blas", false},
};
constexpr size_t kGeneratorCount = std::size(kGenerators);
void PrintTo(const GeneratorCase& each, std::ostream* out) { *out << each.name; }

bool TakesAll(const CodeGenerator& generator) {
  return std::any_of(std::begin(kGenerators), std::end(kGenerators), [&](const auto& each) {
    return each.name == generator.name() && each.takes_all;
  });
}

/// One parameter of a function, before and after a call.
struct Param {
  DataType dtype;
  Bytes before;
  Bytes after;
};

/// A function for which a generator makes code.
struct Claimed {
  OpInfo op;
  std::string symbol;
  std::vector<Param> params;
  /// The function itself; null: a function that only has the claim and computes nothing.
  std::optional<Function> function = std::nullopt;
  /// The data of constant operands.
  std::vector<Bytes> constants = {};
  /// Bytes of scratch memory that the code takes as an additional argument.
  int64_t workspace_bytes = 0;
  /// Bytes of the state, the last argument, and the function that fills it.
  int64_t state_bytes = 0;
  std::string init = {};
};

/// A random claim with random values, and its results for them.
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

/// A function with the claim and its constants.
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

/// The operators of a function that is an operator itself, as generate_externals.h lists them.
std::vector<OpCall> CallOfItself(const ExternalFunction& external) {
  OpCall self;
  self.op = {external.function.name.view(), &external.function, *ReadOpInfo(external.function)};
  for (size_t i = 0; i < external.function.func->params.size(); ++i) {
    self.args.push_back(
        {OpArgument::Kind::kParameter, static_cast<int>(i), 0, external.function.func->params[i]});
  }
  return {std::move(self)};
}

/// External functions of claims, and a generator's code for them.
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
    for (ExternalFunction& function : functions) {
      if (generator.name() == "onednn") function.ops = CallOfItself(function);
    }
    GeneratorTarget target(generator.name());
    target.vectors = vectors;
    std::optional<GeneratedCode> code = generator.Generate(functions, target, diagnostics);
    EXPECT_TRUE(code.has_value()) << Render(context.sources(), diagnostics);
    for (size_t i = 0; code && i < code->functions.size(); ++i) {
      claims[i].workspace_bytes = code->functions[i].workspace_bytes;
      claims[i].state_bytes = code->functions[i].state_bytes;
      claims[i].init = code->functions[i].init_symbol;
    }
    return code;
  }

  IRModule ModuleOf(const GeneratedCode& code) {
    IRModule made(context);
    for (const Function& function : code.tir) made.Add(function);
    return made;
  }

  /// All C of the code: its sources, and functions in TIR as a library.
  std::vector<EmittedFile> CodeOf(const GeneratedCode& code) {
    if (code.tir.empty()) return code.sources;
    const auto lowered = RunPipeline(ModuleOf(code), LowerForC(), RunOptions(), diagnostics);
    EXPECT_TRUE(lowered.has_value()) << Render(context.sources(), diagnostics);
    EmitCOptions options;
    options.library_name = "test";
    const auto c = EmitC(*lowered, options, diagnostics);
    EXPECT_TRUE(c.has_value()) << Render(context.sources(), diagnostics);
    std::vector<EmittedFile> files = c->files;
    files.insert(files.end(), code.sources.begin(), code.sources.end());
    return files;
  }
};

/// Whether the outputs are those of the claim: integers exactly, floats within the error of another
/// summation order.
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
    std::string init;
    if (claimed.state_bytes > 0) {
      text += fmt::format(
          "static char state_{}[{}] __attribute__((aligned(64)));\nint32_t {}(void*, int64_t);\n",
          claimed.symbol, claimed.state_bytes, claimed.init);
      types += ", void*";
      args += fmt::format(", state_{}", claimed.symbol);
      init = fmt::format("if ({}(state_{}, {}) != 0) return 100; ", claimed.init, claimed.symbol,
                         claimed.state_bytes);
    }
    text += fmt::format("int32_t {0}({1});\nint32_t call_{0}(void** a) {{ {3}return {0}({2}); }}\n",
                        claimed.symbol, types, args, init);
  }
  return text;
}

/// Compiles the sources into a library, and runs every function in it.
void CompileAndRun(const std::vector<Claimed>& claims, const std::vector<EmittedFile>& files,
                   const std::string& library = "", const std::string& cc = "cc -std=c99 -O1") {
  const TempFolder folder;
  for (const EmittedFile& file : files) folder.Write(file.name, file.text);
  folder.Write("callers.c", Callers(claims));
  const std::string strict = "-Wall -Wextra -Wpedantic -Wconversion -Werror";
  std::string objects;
  for (const EmittedFile& file : files) {
    if (!file.name.ends_with(".c")) continue;
    ASSERT_TRUE(folder.Run(fmt::format("{0} {1} -fPIC -c {2} -o {2}.o", cc, strict, file.name)));
    EXPECT_TRUE(
        folder.Run(fmt::format("c++ -x c++ -std=c++17 {} -fsyntax-only {}", strict, file.name)));
    objects += fmt::format(" {}.o", file.name);
  }
  ASSERT_TRUE(folder.Run(fmt::format("cc -fPIC -shared callers.c{} -o lib.so -lm {}", objects,
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

/// Runs every function in the interpreter.
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

/// The number of random claims: TENON_RANDOM_COUNT, or a default that is larger in `make nightly`.
int Count() {
  if (const char* text = std::getenv("TENON_RANDOM_COUNT")) return std::atoi(text);
  return IsNightly() ? 150 : 50;
}

void AddRandom(Program& program) {
  for (int seed = 0; seed < Count(); ++seed) {
    const auto number = static_cast<uint64_t>(seed);
    OpInfo op = RandomClaims(number).Make();
    ASSERT_TRUE(CanMakeLoops(op).yes) << op.kind << ": " << CanMakeLoops(op).because;
    program.claims.push_back(Claim(std::move(op), fmt::format("f{}", seed), number));
  }
}

/// Vector extensions of machines, and the flags for sources that use them.
struct VectorCase {
  const char* name;
  TargetVectors vectors;
  const char* cc;
};
void PrintTo(const VectorCase& each, std::ostream* out) { *out << each.name; }

// -mno-red-zone is for GCC 12: see CompilerFlags of lowering/external_files.h.
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
  const auto code = program.Generate(BlockLoops(), GetParam().vectors);
  ASSERT_TRUE(code.has_value());
  std::string source;
  for (const EmittedFile& file : code->sources)
    source += file.name == "tenon_blocks.c" ? file.text : "";
  EXPECT_THAT(source, HasSubstr("vector_size"));
  EXPECT_THAT(source, HasSubstr("TENON_PRODUCTS_"));
  EXPECT_THAT(source, HasSubstr("* staged"));
  CompileAndRun(program.claims, code->sources, "", GetParam().cc);
}
INSTANTIATE_TEST_SUITE_P(All, Vectors, testing::ValuesIn(kVectorCases),
                         [](const auto& each) { return std::string(each.param.name); });

/// The BLAS library of the machine; empty if there is none.
std::string BlasLibrary(const GeneratedCode& code) {
  return code.link.libraries.empty() ? "" : code.link.libraries[0];
}

class Generators : public testing::TestWithParam<GeneratorCase> {};

TEST_P(Generators, GiveWhatRandomClaimsSay) {
  const CodeGenerators generators = CodeGenerators::BuiltIn();
  const CodeGenerator& generator = *generators.Find(GetParam().name);
  Program program;
  AddRandom(program);
  std::erase_if(program.claims, [&](const Claimed& claimed) {
    return !generator.Supports(claimed.op, GeneratorTarget(generator.name())).yes;
  });
  if (GetParam().takes_all) {
    EXPECT_EQ(program.claims.size(), static_cast<size_t>(Count()));
  }
  if (program.claims.empty()) GTEST_SKIP() << "it takes none of them";
  const auto code = program.Generate(generator);
  ASSERT_TRUE(code.has_value());
  // Loops in TIR run in the interpreter, which has no libraries.
  if (code->sources.empty() && code->link.empty()) Interpret(program, *code);
  CompileAndRun(program.claims, program.CodeOf(*code), BlasLibrary(*code));
}
INSTANTIATE_TEST_SUITE_P(All, Generators, testing::ValuesIn(kGenerators),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(GeneratorsTest, ReferenceMakesTir) {
  const CodeGenerators generators = CodeGenerators::BuiltIn();
  Program program;
  AddRandom(program);
  const auto code = program.Generate(*generators.Find("reference"));
  ASSERT_TRUE(code.has_value());
  EXPECT_FALSE(code->tir.empty());
  EXPECT_TRUE(code->sources.empty());
}

TEST(GeneratorsTest, BlasIsWhatRandomProductsSay) {
  Program program;
  int packed = 0;
  for (int seed = 0; seed < std::max(Count(), 150); ++seed) {
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

#ifdef TENON_ONEDNN_PROGRAM
/// Random products, convolutions and poolings of float32, of which the library has most.
TEST(GeneratorsTest, OnednnIsWhatRandomClaimsSay) {
  const auto generator =
      ProgramGenerator({"onednn", {TENON_ONEDNN_PROGRAM}, ""}, std::make_shared<AnswerLimits>());
  std::vector<OpInfo> claims;
  for (int seed = 0; seed < 6 * Count(); ++seed) {
    const auto number = static_cast<uint64_t>(seed);
    OpInfo op = seed % 2 == 0 ? RandomClaims(number).Product(DataType::Float(32), false)
                              : RandomClaims(number).Make();
    // Random claims do not name their factors.
    if (op.contraction >= 0) op.input = 0;
    if (op.contraction >= 0) op.weights = 1;
    const std::vector<ComputationOperand>& operands = op.computation.operands;
    const bool is_float = std::all_of(operands.begin(), operands.end(), [](const auto& operand) {
      return !operand.constant && operand.dtype == DataType::Float(32);
    });
    if (is_float) claims.push_back(std::move(op));
  }
  std::vector<SupportQuestion> questions;
  for (const OpInfo& op : claims) questions.push_back({&op, {}});
  Program program;
  const auto answers = generator->SupportsAll(questions, GeneratorTarget("onednn"), program.context,
                                              program.diagnostics);
  ASSERT_TRUE(answers.has_value()) << Render(program.context.sources(), program.diagnostics);
  std::set<std::string> kinds;
  for (size_t i = 0; i < claims.size(); ++i) {
    if (!(*answers)[i].yes) continue;
    kinds.insert(claims[i].kind);
    program.claims.push_back(Claim(std::move(claims[i]), fmt::format("f{}", i), i));
  }
  EXPECT_GT(program.claims.size(), claims.size() / 4);
  EXPECT_TRUE(kinds.contains("matmul") && kinds.contains("dense")) << kinds.size();
  const auto code = program.Generate(*generator);
  ASSERT_TRUE(code.has_value());
  CompileAndRun(program.claims, program.CodeOf(*code),
                fmt::format("{}", fmt::join(code->link.libraries, " -l")));
}
#endif

/// The parameters of a function with random values: integers small enough for indices, or any.
std::vector<Tensor> RandomArguments(const Function& function, bool are_indices) {
  std::mt19937 random(7);
  std::vector<Tensor> tensors;
  for (const Buffer* buffer : function.func->buffers) {
    Tensor tensor{buffer->dtype, {}, {}};
    const int64_t elements = StaticCount(buffer->shape).value_or(0);
    tensor.shape = {elements};
    tensor.bytes.resize(static_cast<size_t>(elements * buffer->dtype.bytes()));
    FillRandomly(tensor, random, are_indices);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// The results of the body for random values. It may use input values as indices without checks.
std::vector<Param> RunBody(const Interpreter& interpreter, const Function& function) {
  for (const bool are_indices : {false, true}) {
    std::vector<Tensor> tensors = RandomArguments(function, are_indices);
    std::vector<Param> params;
    for (const Tensor& tensor : tensors) params.push_back({tensor.dtype, tensor.bytes, {}});
    std::vector<Argument> arguments;
    for (Tensor& tensor : tensors) arguments.push_back(Argument::Of(&tensor));
    Diagnostics diagnostics;
    if (!interpreter.Run(function.name.view(), arguments, diagnostics)) continue;
    for (size_t i = 0; i < tensors.size(); ++i) params[i].after = tensors[i].bytes;
    return params;
  }
  ADD_FAILURE() << function.name.view() << " does not run";
  return {};
}

/// Adds the operators of a text, with random values and the results of their bodies. Their names
/// are `f` and a number.
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
  for (const Function& function : module->functions()) {
    const std::optional<OpInfo> info = ReadOpInfo(function);
    if (!info || !info->known()) continue;
    GeneratorTarget target(generator.name());
    const Support support = generator.Supports(*info, target);
    if (!support.yes) {
      const bool is_float_product = (info->kind == "dense" || info->kind == "matmul") &&
                                    info->accumulator() && info->accumulator()->is_float();
      EXPECT_TRUE(!TakesAll(generator) && !(generator.name() == "blas" && is_float_product))
          << path << " " << function.name.view() << " " << info->kind << ": " << support.because;
      continue;
    }
    Claimed claimed{*info, fmt::format("f{}", program.claims.size()),
                    RunBody(*interpreter, function)};
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

/// Generates code for all operators of a text, compiles and runs it. Returns the number of
/// operators.
size_t CheckOperators(const fs::path& path, const CodeGenerator& generator) {
  SCOPED_TRACE(path.string());
  Program program;
  AddOperators(program, path, generator);
  if (program.claims.empty()) return 0;
  const auto code = program.Generate(generator);
  if (code) CompileAndRun(program.claims, program.CodeOf(*code), BlasLibrary(*code));
  return program.claims.size();
}

TEST(Networks, GiveWhatTheBodiesCompute) {
  const CodeGenerators generators = CodeGenerators::BuiltIn();
  for (const GeneratorCase& each : kGenerators) {
    for (const char* name : {"recognise_ops_networks.py", "recognise_ops_topi.py"}) {
      const fs::path path = fs::path(TENON_SOURCE_DIR) / "tests/lit/byoc" / name;
      const size_t operators = CheckOperators(path, *generators.Find(each.name));
      if (each.takes_all) {
        EXPECT_GT(operators, 30U);
      }
    }
  }
}

class CorpusGenerators : public testing::TestWithParam<size_t> {};

TEST_P(CorpusGenerators, GiveWhatTheBodiesCompute) {
  const std::vector<fs::path> texts =
      CorpusTexts({"module.py", "module_llvm.py", "module_parallel.py"});
  if (texts.empty()) GTEST_SKIP() << "the corpus is not there (TENON_CORPUS_DIR)";
  const CodeGenerators generators = CodeGenerators::BuiltIn();
  size_t operators = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    // By day the generators share the texts, so that each has some of all three forms.
    if (!IsNightly() && (i / 3 + i + GetParam()) % kGeneratorCount != 0) continue;
    operators += CheckOperators(texts[i], *generators.Find(kGenerators[GetParam()].name));
  }
  EXPECT_GT(operators, 0U);
}
class CorpusVectors : public testing::TestWithParam<VectorCase> {};

TEST_P(CorpusVectors, GiveWhatTheBodiesCompute) {
  const std::vector<fs::path> texts = CorpusTexts({"module.py"});
  if (texts.empty()) GTEST_SKIP() << "the corpus is not there (TENON_CORPUS_DIR)";
  const bool is_sample = GetParam().vectors.bytes == 64 && GetParam().cc[1] == 'c';
  if (!is_sample && !IsNightly()) GTEST_SKIP() << "in `make nightly`";
  if (!HasCompiler(GetParam().cc)) GTEST_SKIP() << GetParam().cc << " is not there";
  for (size_t i = 0; i < texts.size(); ++i) {
    // In the daily run two models; one of them uses floats.
    if (!IsNightly() && i % 4 != 3) continue;
    SCOPED_TRACE(texts[i].string());
    Program program;
    const BlockLoops generator;
    AddOperators(program, texts[i], generator);
    const auto code = program.Generate(generator, GetParam().vectors);
    ASSERT_TRUE(code.has_value());
    CompileAndRun(program.claims, code->sources, "", GetParam().cc);
  }
}
INSTANTIATE_TEST_SUITE_P(All, CorpusVectors,
                         testing::Values(kVectorCases[0], kVectorCases[3], kVectorCases[6]),
                         [](const auto& each) { return std::string(each.param.name); });

INSTANTIATE_TEST_SUITE_P(All, CorpusGenerators, testing::Range<size_t>(0, kGeneratorCount),
                         [](const auto& each) {
                           return std::string(kGenerators[each.param].name);
                         });

}  // namespace
}  // namespace tenon
