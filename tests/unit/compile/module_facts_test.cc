#include "compile/package/module_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace tenon {
namespace {

using testing::HasSubstr;

constexpr const char* kText = R"(
from tvm.script import tir as T
@T.prim_func
def main(x: T.Buffer((2, 3), "int8"), n: T.int32, y: T.Buffer((6,), "float32")):
    T.func_attr({"tenon.tensor_scales": {"x": [T.float32(0.5), -3]}})
    for i in range(6):
        y[i] = T.Cast("float32", x[i // 3, i % 3]) + T.Cast("float32", n)
)";

/// A package whose manifest agrees with its text.
Package Sample() {
  Package package;
  package.prefix = "net";
  package.inputs = {{"x", "int8", {2, 3}, 6, 0.5, -3}, {"n", "int32", {}, 4, {}, 0}};
  package.outputs = {{"y", "float32", {6}, 24, {}, 0}};
  const auto add = [&](const char* name, PackageRole role, std::string bytes) {
    package.files.push_back(
        MakePackageFile(name, role, FileBytes::FromString(name, std::move(bytes))));
  };
  add("module.py", PackageRole::kModule, kText);
  add("net_constants.safetensors", PackageRole::kConstants, "");
  add("net.h", PackageRole::kHeader, "");
  return package;
}

/// The errors of reading the module of the changed sample.
std::string ErrorsAfter(const std::function<void(Package&)>& change) {
  Package package = Sample();
  change(package);
  Context context;
  Diagnostics diagnostics;
  const bool is_read = ReadPackageModule(package, "p.tenon", context, diagnostics).has_value();
  EXPECT_EQ(is_read, !diagnostics.has_errors());
  return Render(context.sources(), diagnostics);
}

TEST(ModuleFacts, AManifestThatAgreesIsAccepted) {
  EXPECT_EQ(ErrorsAfter([](Package&) {}), "");
}

TEST(ModuleFacts, TheFirstDifferenceIsNamed) {
  EXPECT_THAT(
      ErrorsAfter([](Package& package) { package.inputs[0].name = "z"; }),
      HasSubstr("p.tenon: input 1: the manifest has `z` int8[2, 3] of 6 bytes with scale 0.5 "
                "and zero point -3, and the text has `x` int8[2, 3] of 6 bytes with scale "
                "0.5 and zero point -3; make the package again [artifact-mismatch]"));
  EXPECT_THAT(ErrorsAfter([](Package& package) {
                package.inputs[0].shape = {3, 2};
              }),
              HasSubstr("the manifest has `x` int8[3, 2] of 6 bytes"));
  EXPECT_THAT(ErrorsAfter([](Package& package) { package.inputs[0].dtype = "uint8"; }),
              HasSubstr("the manifest has `x` uint8[2, 3]"));
  EXPECT_THAT(ErrorsAfter([](Package& package) { package.inputs[0].zero_point = 3; }),
              HasSubstr("with scale 0.5 and zero point 3, and the text has"));
  EXPECT_THAT(ErrorsAfter([](Package& package) { package.outputs[0].size_bytes = 28; }),
              HasSubstr("output 1: the manifest has `y` float32[6] of 28 bytes, and the text has "
                        "`y` float32[6] of 24 bytes"));
  EXPECT_THAT(ErrorsAfter([](Package& package) { package.inputs.pop_back(); }),
              HasSubstr("input 2: the manifest has none, and the text has `n` int32[] of 4 bytes"));
  EXPECT_THAT(ErrorsAfter([](Package& package) {
                package.generators = {{"npu", "", {"f"}}};
              }),
              HasSubstr("generator 1: the manifest has `npu` with f, and the text has none"));
  EXPECT_THAT(ErrorsAfter([](Package& package) { package.prefix = "other"; }),
              HasSubstr("prefix: the manifest has `other`, and the file is "
                        "`net_constants.safetensors`, not `other_constants.safetensors`"));
}

TEST(ModuleFacts, TheTextMustBeAModule) {
  const auto with_text = [](const char* text) {
    return ErrorsAfter([&](Package& package) {
      package.files[0] = MakePackageFile("module.py", PackageRole::kModule,
                                         FileBytes::FromString("module.py", text));
    });
  };
  EXPECT_THAT(with_text("def f(:"), HasSubstr("module.py:1:"));
}

}  // namespace
}  // namespace tenon
