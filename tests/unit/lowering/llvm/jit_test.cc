#include "lowering/llvm/jit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compile/compiler.h"
#include "ir/context.h"
#include "lowering/llvm/llvm_backend.h"
#include "parser/parser.h"

namespace tenon {
namespace {

using testing::HasSubstr;

/// Compiles texts into one Jit.
class JitTest : public testing::Test {
 protected:
  void SetUp() override {
    auto jit = Jit::Create({});
    ASSERT_TRUE(jit.ok()) << jit.status();
    jit_ = *std::move(jit);
  }

  bool Add(const std::string& name, const std::string& body) {
    const std::string text = "# from tvm.script import tir as T\n\n@T.prim_func\n" + body;
    const auto module = ParseModule(context_, name + ".py", text, nullptr, {}, diagnostics_);
    if (!module) return false;
    const auto compiled = Lower(*module, {}, name);
    if (!compiled) return false;
    EmitLlvmOptions options;
    options.prefix = compiled->interface.abi.prefix;
    return jit_->Add(compiled->lowered, options, diagnostics_);
  }

  std::optional<LoweredModule> Lower(const IRModule& module, const CompileOptions& options = {},
                                     const std::string& name = {}) {
    return tenon::Lower({&module, {}, name}, options, Plain(), diagnostics_);
  }

  /// The back end without vectors and loop passes.
  static Backend Plain() {
    Backend backend = LlvmBackend();
    backend.optimises_loops = false;
    backend.facts = [](const TargetSpec&) -> absl::StatusOr<TargetFacts> { return TargetFacts(); };
    return backend;
  }

  std::string Messages() const { return Render(context_.sources(), diagnostics_); }

  template <typename F>
  F* Find(const std::string& symbol) {
    const auto found = jit_->Lookup(symbol);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? reinterpret_cast<F*>(*found) : nullptr;
  }

  Context context_;
  Diagnostics diagnostics_;
  std::unique_ptr<Jit> jit_;
};

TEST_F(JitTest, FunctionsOfSeveralModulesAreCalledWithPlainPointers) {
  ASSERT_TRUE(Add("twice", R"(
def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
    for i in range(4):
        y[i] = x[i] * T.float32(2)
)")) << Messages();
  ASSERT_TRUE(Add("sum", R"(
def main(x: T.Buffer((4,), "float32"), n: T.int32, y: T.Buffer((1,), "float32")):
    y[0] = T.Cast("float32", n)
    for i in range(4):
        y[0] = y[0] + x[i]
)")) << Messages();
  struct Fields {
    void* fields[2];
  };
  float x[4] = {1, 2, 3, 4};
  float y[4] = {};
  float total = 0;
  int32_t n = 5;
  Fields inputs = {{x}};
  Fields outputs = {{y}};
  auto* twice = Find<int32_t(Fields*, Fields*)>("tvmgen_twice_run");
  auto* sum = Find<int32_t(Fields*, Fields*)>("tvmgen_sum_run");
  ASSERT_TRUE(twice != nullptr && sum != nullptr);
  EXPECT_EQ(twice(&inputs, &outputs), 0);
  EXPECT_THAT(y, testing::ElementsAre(2, 4, 6, 8));
  inputs = {{y, &n}};
  outputs = {{&total}};
  EXPECT_EQ(sum(&inputs, &outputs), 0);
  EXPECT_EQ(total, 25);
}

TEST_F(JitTest, OneModuleCallsAnother) {
  // Functions of a module without an entry keep their names.
  const std::string text =
      "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n"
      "@I.ir_module\nclass Module:\n"
      "    @T.prim_func\n"
      "    def one(y: T.Buffer((1,), \"int32\")):\n"
      "        T.func_attr({\"global_symbol\": \"tvmgen_lib_one\"})\n"
      "        y[0] = y[0] + 1\n"
      "    @T.prim_func\n"
      "    def two(y: T.Buffer((1,), \"int32\")):\n"
      "        T.func_attr({\"global_symbol\": \"tvmgen_lib_two\"})\n"
      "        y[0] = y[0] + 2\n";
  const auto module = ParseModule(context_, "lib.py", text, nullptr, {}, diagnostics_);
  ASSERT_TRUE(module.has_value()) << Messages();
  const auto compiled = Lower(*module);
  ASSERT_TRUE(compiled.has_value()) << Messages();
  EmitLlvmOptions options;
  options.prefix = "tvmgen_lib";
  ASSERT_TRUE(jit_->Add(compiled->lowered, options, diagnostics_)) << Messages();
  ASSERT_TRUE(Add("caller", R"(
def main(y: T.Buffer((1,), "int32")):
    y[0] = 10
    T.evaluate(T.call_extern("int32", "tvmgen_lib_one", y.data))
    T.evaluate(T.call_extern("int32", "tvmgen_lib_two", y.data))
)")) << Messages();
  int32_t y = 0;
  void* outputs[] = {&y};
  auto* run = Find<int32_t(void**)>("tvmgen_caller_run");
  auto* one = Find<int32_t(int32_t*)>("tvmgen_lib_one");
  ASSERT_TRUE(run != nullptr && one != nullptr);
  EXPECT_EQ(run(outputs), 0);
  EXPECT_EQ(y, 13);
  EXPECT_EQ(one(&y), 0);
  EXPECT_EQ(y, 14);
}

TEST_F(JitTest, LargeConstantsOutsideOfLlvmAreDefined) {
  std::string list;
  for (int i = 0; i < 5000; ++i) list += std::to_string(i) + ", ";
  const std::string text =
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def main(y: T.Buffer((1,), \"uint64\")):\n"
      "    w = T.allocate_const([" +
      list +
      "], \"int32\", [5000])\n"
      "    w_1 = T.Buffer((5000,), \"int32\", data=w)\n"
      "    y[0] = T.reinterpret(\"uint64\", T.address_of(w_1[7]))\n";
  const auto module = ParseModule(context_, "large.py", text, nullptr, {}, diagnostics_);
  ASSERT_TRUE(module.has_value()) << Messages();
  CompileOptions compile;
  compile.workspace_pools = "global_workspace";  // and none for constants
  const auto compiled = Lower(*module, compile);
  ASSERT_TRUE(compiled.has_value()) << Messages();
  ASSERT_TRUE(jit_->Add(compiled->lowered, {}, diagnostics_)) << Messages();
  auto* run = Find<int32_t(void**)>("tvmgen_default_run");
  ASSERT_NE(run, nullptr);
  const int32_t* address = nullptr;
  void* outputs[] = {&address};
  EXPECT_EQ(run(outputs), 0);
  EXPECT_EQ(*address, 7);
  EXPECT_EQ(address[4992], 4999);
}

TEST_F(JitTest, SaysWhatIsWrong) {
  EXPECT_THAT(std::string(jit_->Lookup("tvmgen_nothing_run").status().message()),
              HasSubstr("tvmgen_nothing_run"));
  const std::string body = "def main(y: T.Buffer((1,), \"int32\")):\n    y[0] = 1\n";
  ASSERT_TRUE(Add("same", body)) << Messages();
  EXPECT_FALSE(Add("same", body));
  EXPECT_THAT(Messages(), HasSubstr("tvmgen_same_run"));
  diagnostics_ = Diagnostics();
  // Earlier modules still work.
  int32_t y = 0;
  void* outputs[] = {&y};
  auto* run = Find<int32_t(void**)>("tvmgen_same_run");
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run(outputs), 0);
  EXPECT_EQ(y, 1);
  const std::string lost_body =
      "def main(y: T.Buffer((1,), \"int32\")):\n"
      "    y[0] = T.call_extern(\"int32\", \"nobody_has_this\", 1)\n";
  // Functions of the process must be allowed, whether the process has them or not.
  EXPECT_FALSE(Add("lost", lost_body));
  EXPECT_THAT(Messages(), HasSubstr("--allow-extern=nobody_has_this"));
  diagnostics_ = Diagnostics();
  jit_->Allow("nobody_has_this");
  ASSERT_TRUE(Add("lost", lost_body)) << Messages();
  const auto lost = jit_->Lookup("tvmgen_lost_run");
  EXPECT_THAT(std::string(lost.status().message()), HasSubstr("nobody_has_this"));
}

TEST(JitTargets, OtherMachinesAreErrors) {
  EXPECT_THAT(std::string(Jit::Create({"nonsense", "", ""}).status().message()),
              HasSubstr("unknown target `nonsense`"));
  EXPECT_THAT(std::string(Jit::Create({"", "no-such-cpu", ""}).status().message()),
              HasSubstr("no processor `no-such-cpu`"));
  EXPECT_THAT(std::string(Jit::Create({"", "", "+no-such"}).status().message()),
              HasSubstr("no feature `no-such`"));
  EXPECT_FALSE(Jit::Create({"thumbv7em-none-eabi", "", ""}).ok());
}

}  // namespace
}  // namespace tenon
