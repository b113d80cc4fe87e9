// What code generators make of random claims, compiled and run, gives what the claims say.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "byoc/code_generator.h"
#include "byoc/generators/blas.h"
#include "byoc/generators/op_loops.h"
#include "byoc/reference.h"
#include "claims.h"
#include "fmt/format.h"
#include "interp/interpreter.h"
#include "ir/attributes.h"
#include "lowering/c/emit_c.h"
#include "parser/parser.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"

namespace tenon {
namespace {

using testing::HasSubstr;
using testing_claims::ClaimMaker;
using testing_claims::RandomClaims;

namespace fs = std::filesystem;

using Bytes = std::vector<uint8_t>;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tenon-generators-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  void Write(const std::vector<EmittedFile>& files) const {
    for (const EmittedFile& file : files)
      std::ofstream(path_ + "/" + file.name, std::ios::binary) << file.text;
  }
  bool Run(const std::string& command) const {
    return std::system(fmt::format("cd '{}' && {}", path_, command).c_str()) == 0;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

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

/// A claim as the only content of a function: its body computes nothing.
struct Claimed {
  OpInfo op;
  std::string symbol;
  /// Those of operands.
  std::vector<Bytes> before;
  /// And after the claim was carried out.
  std::vector<Bytes> after;
};

Claimed Claim(OpInfo op, std::string symbol, uint64_t seed) {
  Claimed claimed{std::move(op), std::move(symbol), {}, {}};
  std::mt19937_64 random(seed);
  for (const ComputationOperand& operand : claimed.op.computation.operands)
    claimed.before.push_back(RandomBytes(operand.dtype, operand.elements, random));
  claimed.after = claimed.before;
  std::vector<std::span<uint8_t>> spans(claimed.after.begin(), claimed.after.end());
  const absl::Status status = RunComputation(claimed.op.computation, spans);
  EXPECT_TRUE(status.ok()) << status << claimed.op.kind;
  return claimed;
}

Function FunctionOf(Context& context, const Claimed& claimed) {
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
      const Constant* constant = context.AddConstant(context.Intern(name), operand.dtype,
                                                     {operand.elements}, claimed.before[i]);
      body = builder.New<AllocateConst>({}, data, operand.dtype, shape, constant, nullptr, body);
      continue;
    }
    params.insert(params.begin(), builder.NewVar(name + "_handle", DataType::Handle()));
    buffers.insert(buffers.begin(), builder.New<Buffer>({}, data->name, data, operand.dtype, shape,
                                                        builder.Int(0)));
  }
  const MapAttr* attrs = builder.With(nullptr, attr_key::kGlobalSymbol,
                                      builder.StringValue(claimed.symbol));
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

  std::optional<GeneratedCode> Generate(const CodeGenerator& generator) {
    std::vector<ExternalFunction> functions;
    for (const Claimed& claimed : claims) {
      module.Add(FunctionOf(context, claimed));
      functions.push_back(ReadExternalFunction(module, *module.FindCallee(claimed.symbol)));
    }
    std::optional<GeneratedCode> code =
        generator.Generate(functions, GeneratorTarget(generator.name()), diagnostics);
    EXPECT_TRUE(code.has_value()) << Render(context.sources(), diagnostics);
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
    const DataType dtype = claimed.op.computation.operands[i].dtype;
    const Bytes& want = claimed.after[i];
    const auto width = static_cast<size_t>(dtype.bytes());
    for (size_t at = 0; at < want.size(); at += width) {
      bool same = std::memcmp(&want[at], &got[i][at], width) == 0;
      if (!same && dtype.is_float()) {
        const auto value = [&](const Bytes& bytes) {
          float single = 0;
          double real = 0;
          std::memcpy(width == 4 ? static_cast<void*>(&single) : &real, &bytes[at], width);
          return width == 4 ? static_cast<double>(single) : real;
        };
        same = std::abs(value(want) - value(got[i])) <= 1e-5 + 1e-4 * std::abs(value(want));
      }
      if (same) continue;
      return testing::AssertionFailure() << claimed.symbol << " (" << claimed.op.kind
                                         << "): operand " << i << ", element " << at / width;
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
    size_t count = 0;
    for (const ComputationOperand& operand : claimed.op.computation.operands) {
      if (operand.constant) continue;
      types += fmt::format("{}void*", count == 0 ? "" : ", ");
      args += fmt::format("{}a[{}]", count == 0 ? "" : ", ", count);
      ++count;
    }
    text += fmt::format("int32_t {0}({1});\nint32_t call_{0}(void** a) {{ return {0}({2}); }}\n",
                        claimed.symbol, types, args);
  }
  return text;
}

/// Compiles the sources into a library, and runs every function in it.
void CompileAndRun(const std::vector<Claimed>& claims, const std::vector<EmittedFile>& files,
                   const std::string& library = "") {
  const Folder folder;
  folder.Write(files);
  folder.Write({{"callers.c", Callers(claims)}});
  std::string source;
  for (const EmittedFile& file : files) {
    if (file.name.ends_with(".c")) source = file.name;
  }
  const std::string strict = "-Wall -Wextra -Wpedantic -Wconversion -Werror";
  ASSERT_TRUE(folder.Run(fmt::format("cc -std=c99 {} -O1 -fPIC -c {} -o code.o", strict, source)));
  EXPECT_TRUE(folder.Run(fmt::format("c++ -x c++ -std=c++17 {} -fsyntax-only {}", strict, source)));
  ASSERT_TRUE(folder.Run(fmt::format("cc -fPIC -shared callers.c code.o -o lib.so -lm {}",
                                     library.empty() ? "" : "-l" + library)));
  void* handle = dlopen((folder.path() + "/lib.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  for (const Claimed& claimed : claims) {
    auto* call = reinterpret_cast<ExternalFn>(dlsym(handle, ("call_" + claimed.symbol).c_str()));
    ASSERT_NE(call, nullptr) << claimed.symbol;
    std::vector<Bytes> bytes = claimed.before;
    std::vector<void*> args;
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (!claimed.op.computation.operands[i].constant) args.push_back(bytes[i].data());
    }
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
    for (size_t i = 0; i < claimed.before.size(); ++i) {
      const ComputationOperand& operand = claimed.op.computation.operands[i];
      tensors.push_back({operand.dtype, {operand.elements}, claimed.before[i]});
    }
    std::vector<Argument> arguments;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!claimed.op.computation.operands[i].constant)
        arguments.push_back(Argument::Of(&tensors[i]));
    }
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
    const Support support =
        BlasGenerator()->Supports(op, GeneratorTarget("blas"));
    ASSERT_TRUE(support.yes) << support.because;
    program.claims.push_back(Claim(std::move(op), fmt::format("f{}", seed), number));
  }
  const auto code = program.Generate(*BlasGenerator());
  ASSERT_TRUE(code.has_value());
  for (const Function& function : code->tir)
    packed += PrintFunction(program.ModuleOf(*code), function).find("matrix = ") != std::string::npos;
  EXPECT_GT(packed, 5);
  CompileAndRun(program.claims, program.CodeOf(*code), BlasLibrary(*code));
}

}  // namespace
}  // namespace tenon
