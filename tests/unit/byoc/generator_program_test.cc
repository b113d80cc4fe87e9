// Requests to programs that are code generators, and their answers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "byoc/generators/program/answer.h"
#include "byoc/generators/program/claim_json.h"
#include "byoc/generators/program/program_generator.h"
#include "byoc/generators/program/request.h"
#include "fmt/format.h"
#include "parser/parser.h"
#include "support/json_reader.h"
#include "tests/unit/support/temp_folder.h"

namespace tenon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr char kText[] = R"(
@I.ir_module
class Module:
    @T.prim_func
    def scale(x: T.Buffer((4,), "float32"), w: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tenon.op": {"kind": "elementwise", "elements": 4}, "tir.noalias": T.bool(True)})
        for i in range(4):
            y[i] = x[i] * w[i]

    @T.prim_func
    def region(x: T.Buffer((8,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"Compiler": "npu"})
        a = T.allocate([4], "float32", "global")
        w = T.allocate_const([1.0, 2.0, 3.0, 4.0], "float32", [4])
        z = T.Buffer((8,), data=x.data)
        T.call_extern("int32", "scale", T.address_of(z[4]), w, a)
        T.call_extern("int32", "scale", a, w, y.data)

    @T.prim_func
    def main(x: T.Buffer((8,), "float32"), y: T.Buffer((4,), "float32")):
        T.call_extern("int32", "region", x.data, y.data)
)";

class GeneratorProgramTest : public testing::Test {
 protected:
  /// The request for the function `region`.
  JsonValue Request(std::string* text = nullptr) {
    const auto module = ParseModule(context_, "test.py", kText, nullptr, {}, diagnostics_);
    EXPECT_TRUE(module.has_value()) << Messages();
    const ExternalFunction region =
        ReadExternalFunction(*module, *module->Find(context_.Intern("region")));
    GeneratorTarget target("npu:1");
    target.inexact = {"avg_pool"};
    const auto request = GenerateRequest({&region, 1}, target, folder_.path());
    EXPECT_TRUE(request.ok()) << request.status();
    if (text != nullptr) *text = *request;
    const auto json = ParseJson(*request);
    EXPECT_TRUE(json.ok()) << json.status();
    return *json;
  }

  const SourceFile& File(std::string_view text) {
    return **context_.sources().Add("<answer>", text, nullptr);
  }
  std::optional<SupportsAnswer> Supports(std::string_view text, size_t operators) {
    return ReadSupportsAnswer(File(text), operators, diagnostics_);
  }
  std::optional<GeneratedCode> Generated(std::string_view text) {
    return ReadGenerateAnswer(context_, File(text), "npu", folder_.path(), diagnostics_);
  }
  std::string Messages() { return Render(context_.sources(), diagnostics_); }

  Context context_;
  Diagnostics diagnostics_;
  TempFolder folder_;
};

std::string TextAt(const JsonValue& value, std::string_view key) {
  const JsonValue* found = value.Find(key);
  return found == nullptr || found->as_string() == nullptr ? "" : *found->as_string();
}

TEST_F(GeneratorProgramTest, RequestDescribesFunctions) {
  const JsonValue request = Request();
  EXPECT_EQ(request.Find("tenon_generator")->as_int64(), 1);
  EXPECT_EQ(TextAt(request, "action"), "generate");
  EXPECT_EQ(TextAt(*request.Find("target"), "name"), "npu:1");
  EXPECT_EQ(TextAt(*request.Find("target"), "instance"), "1");
  EXPECT_EQ(TextAt(*request.Find("target"), "floats"), "reassociate");
  const JsonValue& function = request.Find("functions")->as_array()->front();
  EXPECT_EQ(TextAt(function, "symbol"), "region");
  const JsonValue::Array& params = *function.Find("parameters")->as_array();
  ASSERT_EQ(params.size(), 2U);
  EXPECT_EQ(TextAt(params[0], "name"), "x");
  EXPECT_EQ(TextAt(params[0], "dtype"), "float32");
  EXPECT_EQ(TextAt(params[0], "effects"), "r");
  EXPECT_EQ(TextAt(params[1], "effects"), "w");
  const JsonValue::Array& intermediates = *function.Find("intermediates")->as_array();
  ASSERT_EQ(intermediates.size(), 1U);
  EXPECT_EQ(intermediates[0].Find("bytes")->as_int64(), 16);
  const JsonValue::Array& operators = *function.Find("operators")->as_array();
  ASSERT_EQ(operators.size(), 2U);
  EXPECT_EQ(TextAt(operators[0], "name"), "scale");
  EXPECT_EQ(TextAt(*operators[0].Find("claim"), "kind"), "elementwise");
  const JsonValue::Array& arguments = *operators[0].Find("arguments")->as_array();
  ASSERT_EQ(arguments.size(), 3U);
  EXPECT_EQ(arguments[0].Find("parameter")->as_int64(), 0);
  EXPECT_EQ(arguments[0].Find("offset")->as_int64(), 16);
  EXPECT_EQ(arguments[1].Find("constant")->as_int64(), 0);
  EXPECT_EQ(arguments[2].Find("intermediate")->as_int64(), 0);
}

TEST_F(GeneratorProgramTest, TextOfARequestReadsBackWithItsConstants) {
  const JsonValue request = Request();
  const std::string file = TextAt(request, "constants");
  ASSERT_EQ(file, "constants.safetensors");
  ParseOptions options;
  options.base_dir = folder_.path();
  const auto module =
      ParseModule(context_, "request", TextAt(request, "module"), nullptr, options, diagnostics_);
  ASSERT_TRUE(module.has_value()) << Messages();
  ASSERT_EQ(module->constants.size(), 1U);
  const JsonValue& function = request.Find("functions")->as_array()->front();
  EXPECT_EQ(TextAt(function.Find("constants")->as_array()->front(), "name"),
            module->constants[0]->name().view());
  EXPECT_EQ(module->constants[0]->Bytes()->size(), 16U);
}

TEST_F(GeneratorProgramTest, ClaimsReadBackFromJson) {
  const auto module = ParseModule(context_, "test.py", R"(
@I.ir_module
class Module:
    @T.prim_func
    def op(x: T.Buffer((4,), "float32"), y: T.Buffer((2,), "float32")):
        T.func_attr({"tenon.op": {"kind": "max_pool", "elements": 2, "exact": "bitwise", "loops": [["w", 2], ["kw", 2]],
            "window": {"input": [4], "output": [2], "kernel": [2], "stride": [2], "dilation": [1], "pad_before": [0], "pad_after": [0]},
            "operands": [["param", 0, "float32", 4], ["param", 1, "float32", 2]],
            "accesses": [[0, [0, [["w", 2], ["kw", 1]]]], [1, [0, [["w", 1]]]]],
            "steps": [["const", "float32", "-inf"], ["read", 0], ["reduce", "max", ["kw"], 0, 1], ["const", "float32", 0.5], ["mul", 2, 3]],
            "stores": [[1, 4, ["w"]]]}})
        for i in range(2):
            y[i] = x[i]
)",
                                  nullptr, {}, diagnostics_);
  ASSERT_TRUE(module.has_value()) << Messages();
  const auto claim = ReadOpInfo(*module->Find(context_.Intern("op")));
  ASSERT_TRUE(claim.has_value());
  std::string text;
  JsonWriter json(text);
  WriteClaim(json, context_, *claim);
  const auto value = ParseJson(text);
  ASSERT_TRUE(value.ok()) << value.status();
  std::string problem;
  const auto again = ReadClaim(*value, context_, problem);
  ASSERT_TRUE(again.has_value()) << problem;
  EXPECT_EQ(*again, *claim);
  EXPECT_FALSE(ReadClaim(*ParseJson("[1]"), context_, problem).has_value());
  EXPECT_NE(problem, "");
}

TEST_F(GeneratorProgramTest, PackRequestHasConstants) {
  const auto module = ParseModule(context_, "test.py", kText, nullptr, {}, diagnostics_);
  ASSERT_TRUE(module.has_value()) << Messages();
  const ExternalFunction region =
      ReadExternalFunction(*module, *module->Find(context_.Intern("region")));
  const auto text = PackRequest(region, GeneratorTarget("npu"), folder_.path());
  ASSERT_TRUE(text.ok()) << text.status();
  const auto request = ParseJson(*text);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(TextAt(*request, "action"), "pack");
  EXPECT_EQ(TextAt(*request, "constants"), "constants.safetensors");
}

TEST_F(GeneratorProgramTest, ReadsPackedConstants) {
  const auto module = ParseModule(context_, "test.py", kText, nullptr, {}, diagnostics_);
  ASSERT_TRUE(module.has_value()) << Messages();
  const ExternalFunction region =
      ReadExternalFunction(*module, *module->Find(context_.Intern("region")));
  folder_.Write("w", "abcdef");
  const auto read = [&](std::string_view constants) {
    const std::string text = fmt::format(R"({{"tenon_generator": 1, "constants": {}}})", constants);
    return ReadPackAnswer(File(text), region.constants, folder_.path(), diagnostics_);
  };
  const auto packed =
      read(R"([{"constant": 0, "file": "w", "dtype": "uint8", "shape": [2, 3], "alignment": 64}])");
  ASSERT_TRUE(packed.has_value()) << Messages();
  ASSERT_EQ(packed->size(), 1U);
  EXPECT_EQ(packed->front().replaces, 0U);
  EXPECT_EQ(packed->front().placement.alignment, 64);
  EXPECT_THAT(packed->front().shape, ElementsAre(2, 3));
  EXPECT_TRUE(read("[]").has_value());
  EXPECT_FALSE(read(R"([{"constant": 1, "file": "w", "dtype": "uint8", "shape": [6]}])"));
  EXPECT_FALSE(read(R"([{"constant": 0, "dtype": "uint8", "shape": [6]}])"));
  EXPECT_FALSE(read(R"([{"constant": 0, "file": "v", "dtype": "uint8", "shape": [6]}])"));
  EXPECT_FALSE(read(R"([{"constant": 0, "file": "w", "dtype": "handle", "shape": [6]}])"));
  EXPECT_FALSE(read(R"([{"constant": 0, "file": "w", "dtype": "uint8", "shape": [-6]}])"));
  EXPECT_FALSE(read("null"));
  EXPECT_THAT(Messages(), HasSubstr("a constant has no `file`"));
  EXPECT_THAT(Messages(), HasSubstr("expected a type of numbers, found `handle`"));
}

TEST_F(GeneratorProgramTest, SameFunctionsGiveTheSameRequest) {
  std::string first;
  Request(&first);
  for (int i = 0; i < 100; ++i) context_.Intern("other" + std::to_string(i));
  std::string second;
  Request(&second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.find(folder_.path()), std::string::npos);
}

TEST_F(GeneratorProgramTest, InfinitiesOfClaimsAreStrings) {
  OpInfo op;
  op.kind = "max_pool";
  op.elements = 1;
  ComputationOperand& operand = op.computation.operands.emplace_back();
  operand.dtype = DataType::Float(32);
  operand.elements = 1;
  op.computation.accesses.emplace_back();
  Step& step = op.computation.steps.emplace_back();
  step.kind = StepKind::kReal;
  step.dtype = DataType::Float(32);
  step.real = -std::numeric_limits<double>::infinity();
  op.computation.stores.emplace_back();
  const SupportQuestion question = {&op, {}};
  const std::string text = SupportsRequest({&question, 1}, GeneratorTarget("npu"), context_);
  EXPECT_THAT(text, HasSubstr(R"(["const", "float32", "-inf"])"));
  EXPECT_TRUE(ParseJson(text).ok());
}

TEST_F(GeneratorProgramTest, ReadsWhatIsSupported) {
  const auto answer = Supports(
      R"({"tenon_generator": 1, "operators": [true, "too small"], "min_macs": 7, "constants": "inside"})",
      2);
  ASSERT_TRUE(answer.has_value()) << Messages();
  EXPECT_TRUE(answer->operators[0].yes);
  EXPECT_FALSE(answer->operators[1].yes);
  EXPECT_EQ(answer->operators[1].because, "too small");
  EXPECT_EQ(answer->min_macs, 7);
  EXPECT_EQ(answer->constants, ConstantsAs::kInside);
}

TEST_F(GeneratorProgramTest, ReadsAllMembersOfCode) {
  folder_.Write("kernel.o", std::string("\x7f"
                                        "ELF\0",
                                        5));
  folder_.Write("kernels", "bytes");
  const auto code = Generated(R"({"tenon_generator": 1,
    "functions": [{"symbol": "f", "effects": ["r", "o", ""], "workspace_bytes": 64,
      "workspace_alignment": 32, "state_bytes": 8, "in_place": [[0, 1]], "init_symbol": "f_init",
      "may_fail": false, "payload": "kernels"}],
    "payloads": [{"name": "kernels", "alignment": 64, "runtime_symbol": "npu_run"}],
    "tir": "@T.prim_func\ndef f(x: T.Buffer((4,), \"float32\")):\n    x[0] = T.float32(0)\n",
    "sources": [{"name": "f.c", "text": "int f;"}], "objects": [{"name": "kernel.o"}],
    "link": {"libraries": ["m"], "library_folders": ["/opt/a b"], "include_folders": ["/opt/i"],
      "packages": ["gtk+-3.0"], "cxx": true},
    "checks": ["isa=avx2"]})");
  ASSERT_TRUE(code.has_value()) << Messages();
  ASSERT_EQ(code->functions.size(), 1U);
  const GeneratedFunction& function = code->functions[0];
  EXPECT_EQ(function.symbol, "f");
  EXPECT_THAT(function.effects, ElementsAre("r", "o", ""));
  EXPECT_EQ(function.workspace_bytes, 64);
  EXPECT_EQ(function.workspace_alignment, 32);
  EXPECT_EQ(function.state_bytes, 8);
  EXPECT_THAT(function.in_place, ElementsAre(Pair(0, 1)));
  EXPECT_EQ(function.init_symbol, "f_init");
  EXPECT_FALSE(function.may_fail);
  EXPECT_EQ(function.payload, "kernels");
  ASSERT_EQ(code->payloads.size(), 1U);
  EXPECT_EQ(code->payloads[0].name, "kernels");
  EXPECT_EQ(code->payloads[0].bytes, "bytes");
  EXPECT_EQ(code->payloads[0].alignment, 64);
  EXPECT_EQ(code->payloads[0].runtime_symbol, "npu_run");
  ASSERT_EQ(code->tir.size(), 1U);
  EXPECT_EQ(code->tir[0].name.view(), "f");
  EXPECT_EQ(code->sources.at(0).text, "int f;");
  EXPECT_EQ(code->objects.at(0).text.size(), 5U);
  EXPECT_THAT(code->link.libraries, ElementsAre("m"));
  EXPECT_THAT(code->link.library_folders, ElementsAre("/opt/a b"));
  EXPECT_THAT(code->link.include_folders, ElementsAre("/opt/i"));
  EXPECT_THAT(code->link.packages, ElementsAre("gtk+-3.0"));
  EXPECT_TRUE(code->link.cxx);
  EXPECT_THAT(code->checks, ElementsAre("isa=avx2"));
}

TEST_F(GeneratorProgramTest, WrongAnswersAreErrorsAtTheirPlaces) {
  EXPECT_FALSE(Generated("{\"tenon_generator\": 1, \"functions\": [],\n  \"link\": {\"cxx\": 1}}"));
  EXPECT_THAT(Messages(), HasSubstr("<answer>:2:19: error: `cxx` is an integer, expected"));
  diagnostics_.Clear();
  EXPECT_FALSE(Generated(R"({"tenon_generator": 1, "functions": [{"effects": []}]})"));
  EXPECT_THAT(Messages(), HasSubstr("<answer>:1:38: error: a function has no `symbol`"));
  diagnostics_.Clear();
  EXPECT_FALSE(Generated(
      R"({"tenon_generator": 1, "functions": [], "link": {"include_folders": ["a*/b"]}})"));
  EXPECT_THAT(Messages(), HasSubstr("`a*/b` is not the path of a folder"));
  diagnostics_.Clear();
  EXPECT_FALSE(Supports(R"({"tenon_generator": 1, "operators": [], "constants": "gone"})", 0));
  EXPECT_THAT(Messages(), HasSubstr("expected `constants` to be \"arguments\" or \"inside\""));
}

TEST_F(GeneratorProgramTest, LongSentencesAreCut) {
  const std::string sentence(1000, 'x');
  EXPECT_FALSE(Supports(R"({"tenon_generator": 1, "error": ")" + sentence + "\"}", 0));
  const std::string& message = diagnostics_.all().front().message;
  EXPECT_THAT(message, HasSubstr("the code generator says: xxx"));
  EXPECT_LT(message.size(), 500U);
}

TEST(GeneratorProgramOption, HasANameAndWords) {
  const auto program = ParseGeneratorProgram("npu-2=./my npu --level=3");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->name, "npu-2");
  EXPECT_THAT(program->words, ElementsAre("./my", "npu", "--level=3"));
  for (const char* text : {"", "npu", "=x", "npu=", "npu= ", "a,b=x", "npu:1=x", "a b=x"})
    EXPECT_FALSE(ParseGeneratorProgram(text).ok()) << text;
}

}  // namespace
}  // namespace tenon
