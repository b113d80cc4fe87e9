#include "lowering/llvm/llvm_join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "ir/context.h"
#include "lowering/llvm/emit_llvm.h"
#include "lowering/llvm/llvm_backend.h"
#include "parser/parser.h"

namespace tenon::llvm_lowering {
namespace {

using testing::Contains;
using testing::Not;

/// The text of a module whose function calls `callee`.
std::string Caller(const std::string& callee) {
  return R"(# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
    w = T.allocate_const([1.5, 2.5, 3.5, 4.5], "float32", [4])
    w_1 = T.Buffer((4,), "float32", data=w)
    for i in range(4):
        y[i] = T.call_extern("float32", ")" +
         callee + R"(", x[i]) * w_1[i]
)";
}

/// The object of a text for a target.
std::string Object(const std::string& name, const std::string& text, const std::string& triple) {
  Context context;
  Diagnostics diagnostics;
  const auto module = ParseModule(context, name + ".py", text, nullptr, {}, diagnostics);
  EXPECT_TRUE(module) << Render(context.sources(), diagnostics);
  if (!module) return {};
  const auto lowered =
      LowerModule({&*module, {}, name}, CompileOptions(), LlvmBackend(), PlanTarget(), diagnostics);
  EXPECT_TRUE(lowered) << Render(context.sources(), diagnostics);
  if (!lowered) return {};
  EmitLlvmOptions options;
  options.target.triple = triple;
  options.prefix = "tvmgen_" + name;
  const auto emitted = EmitLlvm(lowered->lowered, options, LlvmOutput::kObject, diagnostics);
  EXPECT_TRUE(emitted) << Render(context.sources(), diagnostics);
  return emitted ? emitted->code : std::string();
}

constexpr char kX86[] = "x86_64-linux-gnu";
constexpr char kArm[] = "aarch64-linux-gnu";

template <typename T>
T Read(const std::string& object, uint64_t at) {
  T value = {};
  if (at + sizeof(T) <= object.size()) std::memcpy(&value, object.data() + at, sizeof(T));
  return value;
}

/// Each symbol as "local NAME", "global NAME" or "undefined NAME".
std::vector<std::string> Symbols(const std::string& object) {
  std::vector<std::string> names;
  const auto sections = Read<uint64_t>(object, 40);
  for (uint16_t i = 0; i < Read<uint16_t>(object, 60); ++i) {
    const uint64_t header = sections + i * uint64_t{64};
    if (Read<uint32_t>(object, header + 4) != 2) continue;  // SHT_SYMTAB
    const uint64_t strings = sections + Read<uint32_t>(object, header + 40) * uint64_t{64};
    const auto begin = Read<uint64_t>(object, header + 24);
    for (uint64_t at = begin; at < begin + Read<uint64_t>(object, header + 32); at += 24) {
      const bool is_local = Read<uint8_t>(object, at + 4) >> 4 == 0;
      const bool is_undefined = Read<uint16_t>(object, at + 6) == 0;
      const char* name =
          object.c_str() + Read<uint64_t>(object, strings + 24) + Read<uint32_t>(object, at);
      names.push_back((is_local       ? "local "
                       : is_undefined ? "undefined "
                                      : "global ") +
                      std::string(name));
    }
  }
  return names;
}

TEST(JoinObjects, OneObjectDefinesWhatAnotherUses) {
  for (const char* triple : {kX86, kArm}) {
    const std::string a = Object("a", Caller("tvmgen_b_run"), triple);
    const std::string b = Object("b", Caller("somewhere"), triple);
    EXPECT_THAT(Symbols(a), Contains("undefined tvmgen_b_run"));
    for (const auto& objects : {std::vector{a, b}, std::vector{b, a}}) {
      const auto joined = JoinObjects(objects, {});
      ASSERT_TRUE(joined);
      EXPECT_THAT(Symbols(*joined), Contains("global tvmgen_a_run"));
      EXPECT_THAT(Symbols(*joined), Contains("global tvmgen_b_run"));
      EXPECT_THAT(Symbols(*joined), Contains("undefined somewhere"));
      EXPECT_THAT(Symbols(*joined), Not(Contains("undefined tvmgen_b_run")));
      EXPECT_EQ(JoinObjects({*joined}, {}), joined);
    }
  }
}

TEST(JoinObjects, ChosenSymbolsBecomeLocal) {
  const std::string a = Object("a", Caller("tvmgen_b_run"), kX86);
  const std::string b = Object("b", Caller("somewhere"), kX86);
  const auto joined = JoinObjects({a, b}, {"tvmgen_b_run", "somewhere"});
  ASSERT_TRUE(joined);
  EXPECT_THAT(Symbols(*joined), Contains("global tvmgen_a_run"));
  EXPECT_THAT(Symbols(*joined), Contains("local tvmgen_b_run"));
  EXPECT_THAT(Symbols(*joined), Not(Contains("global tvmgen_b_run")));
  EXPECT_THAT(Symbols(*joined), Contains("undefined somewhere"));
}

TEST(JoinObjects, LeavesOutOtherFiles) {
  const std::string a = Object("a", Caller("f"), kX86);
  EXPECT_TRUE(JoinObjects({a}, {}));
  EXPECT_FALSE(JoinObjects({}, {}));
  EXPECT_FALSE(JoinObjects({a, ""}, {}));
  EXPECT_FALSE(JoinObjects({a, "text"}, {}));
  EXPECT_FALSE(JoinObjects({a.substr(0, a.size() / 2)}, {}));
  EXPECT_FALSE(JoinObjects({a, Object("b", Caller("f"), kArm)}, {}));
  for (const char* triple : {"thumbv7em-none-eabi", "i686-linux-gnu", "s390x-linux-gnu",
                             "arm64-apple-macosx", "x86_64-windows-gnu"})
    EXPECT_FALSE(JoinObjects({Object("b", Caller("f"), triple)}, {})) << triple;
}

}  // namespace
}  // namespace tenon::llvm_lowering
