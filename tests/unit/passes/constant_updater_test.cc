#include "passes/constants/constant_updater.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "parser/parser.h"
#include "passes/pipeline/runner.h"

namespace tenon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kText = R"py(
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("b", [1, 2, 3, 4], "int8", [4])]})
    @T.prim_func
    def f(y: T.Buffer((4,), "int8")):
        T.func_attr({"Compiler": "npu"})
        a = T.allocate_const([5, 6, 7, 8], "int8", [4])
        a_1 = T.Buffer((4,), "int8", data=a)
        b = T.allocate_const(I.constant("b"), "int8", [4])
        b_1 = T.Buffer((4,), "int8", data=b)
        for i in range(4):
            y[i] = a_1[i] + b_1[i]
)py";

/// The constant updater of a test's code generator.
class TestUpdater : public ConstantUpdater {
 public:
  using Answer = std::function<std::optional<ConstantUpdate>(std::span<const FunctionConstant>)>;

  explicit TestUpdater(Answer answer) : answer_(std::move(answer)) {}
  std::string_view name() const override { return "npu"; }
  std::optional<ConstantUpdate> Update(const Function& function,
                                       std::span<const FunctionConstant> constants,
                                       Diagnostics&) const override {
    EXPECT_EQ(function.name.view(), "f");
    return answer_(constants);
  }

 private:
  Answer answer_;
};

class ConstantUpdaterTest : public testing::Test {
 protected:
  std::optional<IRModule> Update(TestUpdater::Answer answer) {
    diagnostics_ = Diagnostics();
    const auto module = ParseModule(context_, "module.py", kText, nullptr, {}, diagnostics_);
    EXPECT_TRUE(module.has_value());
    ConstantUpdaters updaters;
    EXPECT_TRUE(updaters.Add(std::make_unique<TestUpdater>(std::move(answer))));
    RunOptions options;
    options.updaters = &updaters;
    const auto pipeline = ParsePipeline(context_, "update-constants", diagnostics_);
    return RunPipeline(*module, *pipeline, options, diagnostics_);
  }

  std::string Errors(TestUpdater::Answer answer) {
    EXPECT_FALSE(Update(std::move(answer)).has_value());
    return Render(context_.sources(), diagnostics_);
  }

  static UpdatedConstant Made(std::string name, DataType dtype, std::vector<int64_t> shape,
                              std::vector<uint8_t> bytes, std::optional<size_t> replaces) {
    UpdatedConstant made{std::move(name), dtype, std::move(shape), {}, {}, replaces};
    made.SetBytes(std::move(bytes));
    return made;
  }

  Context context_;
  Diagnostics diagnostics_;
};

TEST_F(ConstantUpdaterTest, SeesConstantsInOrderAndMakesItsOwn) {
  const auto module = Update([](std::span<const FunctionConstant> constants) {
    EXPECT_EQ(constants.size(), 2u);
    EXPECT_EQ(constants[0].variable, "a");
    EXPECT_EQ(constants[1].constant->name().view(), "b");
    EXPECT_TRUE(constants[1].range.valid());
    ConstantUpdate update;
    // Another type and more bytes, with an alignment and a section.
    update.constants.push_back(Made("wide", DataType::Int(16), {3}, {5, 6, 7, 8, 0, 0}, 0));
    update.constants[0].placement.alignment = 64;
    update.constants[0].placement.section = ".npu";
    update.constants.push_back(Made("c", DataType::Int(8), {2, 2}, {4, 3, 2, 1}, 1));
    // Found by name only.
    UpdatedConstant half{"half", DataType::Int(8), {2}, {}, {}, std::nullopt};
    half.source.kind = ConstantSource::Kind::kSlice;
    half.source.base = constants[1].constant;
    half.source.offset = 2;
    update.constants.push_back(half);
    return update;
  });
  ASSERT_TRUE(module.has_value()) << Render(context_.sources(), diagnostics_);
  std::vector<std::string_view> names;
  for (const Constant* constant : module->constants) names.push_back(constant->name().view());
  // The old `b` stays: another constant is a part of it.
  EXPECT_THAT(names, ElementsAre("b", "wide", "c", "half"));
  EXPECT_EQ(module->constants[1]->placement().alignment, 64);
  const absl::StatusOr<std::span<const uint8_t>> half = module->constants[3]->Bytes();
  ASSERT_TRUE(half.ok());
  EXPECT_THAT(*half, ElementsAre(3, 4));
}

TEST_F(ConstantUpdaterTest, MayKeepTheName) {
  const auto module = Update([](std::span<const FunctionConstant>) {
    return ConstantUpdate{.constants = {Made("b", DataType::Int(8), {2, 2}, {4, 3, 2, 1}, 1)}};
  });
  ASSERT_TRUE(module.has_value()) << Render(context_.sources(), diagnostics_);
  ASSERT_EQ(module->constants.size(), 1u);
  EXPECT_EQ(module->constants[0]->shape().size(), 2u);
}

TEST_F(ConstantUpdaterTest, NothingToDoIsNoChange) {
  const auto module = Update([](std::span<const FunctionConstant>) { return ConstantUpdate(); });
  ASSERT_TRUE(module.has_value());
  EXPECT_EQ(module->constants.size(), 1u);
}

TEST_F(ConstantUpdaterTest, ErrorsNameTheUpdaterAndThePlace) {
  using Span = std::span<const FunctionConstant>;
  const auto one = [](UpdatedConstant made) {
    return [made](Span) { return ConstantUpdate{.constants = {made}}; };
  };
  const DataType int8 = DataType::Int(8);
  EXPECT_THAT(Errors(one(Made("w", int8, {5}, {1, 2, 3, 4}, 0))),
              HasSubstr("module.py:11:9: error: updater `npu` makes of `f` `w` with 4 bytes, "
                        "expected 5 for int8[5] [pass]"));
  EXPECT_THAT(Errors(one(Made("w", int8, {3}, {1, 2, 3}, 0))),
              HasSubstr("updater `npu` makes `a` 3 bytes, but the function has 4 bytes of it as "
                        "`a_1`"));
  EXPECT_THAT(Errors(one(Made("b", int8, {4}, {1, 2, 3, 4}, 0))),
              HasSubstr("a name that another constant has"));
  EXPECT_THAT(Errors(one(Made("", int8, {4}, {1, 2, 3, 4}, 0))),
              HasSubstr("a constant without a name"));
  EXPECT_THAT(Errors(one(Made("w", int8, {-1}, {}, 0))), HasSubstr("in the shape (-1)"));
  EXPECT_THAT(Errors(one(Made("w", int8, {int64_t{1} << 40, int64_t{1} << 40}, {}, 0))),
              HasSubstr("in the shape (1099511627776, 1099511627776)"));
  EXPECT_THAT(Errors(one(Made("w", DataType::Handle(), {4}, {1, 2, 3, 4}, 0))),
              HasSubstr("`w` as `handle`"));
  EXPECT_THAT(
      Errors(one(Made("w", int8, {4}, {1, 2, 3, 4}, 2))),
      HasSubstr("replaces or drops constant 2 of `f`, which does not exist or is named twice"));
  UpdatedConstant odd = Made("w", int8, {4}, {1, 2, 3, 4}, 0);
  odd.placement.alignment = 48;
  EXPECT_THAT(Errors(one(odd)), HasSubstr("with the alignment 48"));
  UpdatedConstant beyond{"w", int8, {4}, {}, {}, 0};
  beyond.source.kind = ConstantSource::Kind::kSlice;
  EXPECT_THAT(Errors(one(beyond)),
              HasSubstr("as a part of a constant that the module does not have"));
  EXPECT_THAT(Errors([](Span constants) {
                UpdatedConstant part{"w", DataType::Int(8), {4}, {}, {}, 0};
                part.source.kind = ConstantSource::Kind::kSlice;
                part.source.base = constants[1].constant;
                part.source.offset = 1;
                return ConstantUpdate{.constants = {part}};
              }),
              HasSubstr("with a part of 3 bytes, expected 4 for int8[4]"));
  EXPECT_THAT(Errors([](Span) { return ConstantUpdate{.dropped = {0}}; }),
              HasSubstr("updater `npu` drops `a`, which the function still uses"));
  EXPECT_THAT(Errors([](Span) { return std::nullopt; }), HasSubstr("updater `npu` failed on `f`"));
}

TEST(ConstantUpdatersTest, NamesAreTakenOnce) {
  ConstantUpdaters updaters = ConstantUpdaters::BuiltIn();
  EXPECT_THAT(updaters.Names(), ElementsAre("name", "transpose", "pack-int4"));
  EXPECT_TRUE(updaters.Add(std::make_unique<TestUpdater>(nullptr)));
  EXPECT_FALSE(updaters.Add(std::make_unique<TestUpdater>(nullptr)));
  EXPECT_NE(updaters.Find("npu"), nullptr);
  EXPECT_EQ(updaters.Find("gpu"), nullptr);
}

}  // namespace
}  // namespace tenon
