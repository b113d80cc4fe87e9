#include "ir/analysis/entry_signature.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/attributes.h"
#include "ir/mapped_tensors.h"
#include "parser/parser.h"

namespace tenon {
namespace {

class EntrySignatureTest : public testing::Test {
 protected:
  /// The signature of a `main` with these parameters and a body. If `pool_bytes` is not 0, it takes
  /// a pool `sram` of that size; `mapped` lists the tensors in it.
  EntrySignature Read(std::string_view params, std::string_view body, int64_t pool_bytes = 0,
                      const std::vector<MappedTensor>& mapped = {}) {
    const std::string text = fmt::format("@T.prim_func\ndef main({}):\n    {}\n", params, body);
    std::optional<IRModule> module = ParseModule(context_, "m.py", text, nullptr, {}, diagnostics_);
    EXPECT_TRUE(module) << text;
    if (!module) return {};
    module_ = *std::move(module);
    function_ = *module_->Main();
    NodeBuilder builder(context_, storage_->arena());
    PrimFunc func = *function_.func;
    if (pool_bytes != 0) {
      PoolInfo pool;
      pool.name = "sram";
      const Attr* arg = builder.New<ObjectAttr>(
          {}, context_.Intern(kAllocatedPoolKey),
          builder.Map({{"pool_info", MakePoolInfo(builder, pool)},
                       {"allocated_size", builder.ExprValue(builder.Int(pool_bytes))}}));
      func.attrs = builder.With(func.attrs, "pool_args", builder.Array({&arg, 1}));
    }
    if (!mapped.empty()) {
      func.attrs =
          builder.With(func.attrs, attr_key::kMappedTensors, MappedTensorsAttr(builder, mapped));
    }
    function_.func = builder.arena().New<PrimFunc>(func);
    const ModuleEffects effects(*module_);
    return ReadEntrySignature(function_, effects.Of(function_),
                              [&](std::string message) { errors_ += message; });
  }
  static std::vector<std::string> Names(const EntrySignature& signature) {
    std::vector<std::string> names;
    for (const EntryTensor& tensor : signature.tensors) names.push_back(tensor.name);
    return names;
  }
  using Strings = std::vector<std::string>;
  using Indexes = std::vector<size_t>;

  Context context_;
  Diagnostics diagnostics_;
  std::shared_ptr<Storage> storage_ = std::make_shared<Storage>();
  std::optional<IRModule> module_;
  Function function_;
  std::string errors_;
};

TEST_F(EntrySignatureTest, PoolsAreLast) {
  const EntrySignature signature =
      Read("x: T.Buffer((4,), \"int8\"), p: T.Buffer((64,), \"uint8\")", "x[0] = T.int8(1)", 64);
  EXPECT_EQ(Names(signature), Strings{"x"});
  EXPECT_EQ(signature.pool_params, Indexes{1});
  EXPECT_FALSE(signature.resource_handle);
}

TEST_F(EntrySignatureTest, AResourceHandleStaysAfterPools) {
  const EntrySignature signature =
      Read("x: T.Buffer((4,), \"int8\"), p: T.Buffer((64,), \"uint8\"), device: T.handle",
           "x[0] = T.int8(1)", 64);
  EXPECT_EQ(Names(signature), Strings{"x"});
  EXPECT_EQ(signature.pool_params, Indexes{1});
  EXPECT_EQ(signature.resource_handle, 2U);
}

TEST_F(EntrySignatureTest, APointerAfterPoolsIsATensorOfUnknownShape) {
  const EntrySignature signature =
      Read("x: T.Buffer((4,), \"int8\"), p: T.Buffer((64,), \"uint8\"), n: T.handle(\"int32\")",
           "x[0] = T.int8(1)", 64);
  EXPECT_EQ(Names(signature), (Strings{"x", "n"}));
  EXPECT_EQ(signature.pool_params, Indexes{1});
  EXPECT_FALSE(signature.tensors[1].has_shape);
}

TEST_F(EntrySignatureTest, APoolMayBeABarePointer) {
  const EntrySignature signature = Read(
      "x: T.Buffer((4,), \"int8\"), p: T.handle(\"uint8\", \"global\")", "x[0] = T.int8(1)", 64);
  EXPECT_EQ(Names(signature), Strings{"x"});
  EXPECT_EQ(signature.pool_params, Indexes{1});
}

TEST_F(EntrySignatureTest, AModelMayHaveNothingButPools) {
  const EntrySignature signature =
      Read("p: T.Buffer((64,), \"uint8\"), device: T.handle", "p[0] = T.uint8(1)", 64);
  EXPECT_TRUE(signature.tensors.empty());
  EXPECT_EQ(signature.pool_params, Indexes{0});
  EXPECT_EQ(signature.resource_handle, 1U);
}

TEST_F(EntrySignatureTest, UnknownShapesHaveNoSize) {
  const EntrySignature signature =
      Read("n: T.int32, x: T.handle",
           "A = T.match_buffer(x, (n,), \"float32\")\n    A[0] = T.float32(1)");
  ASSERT_EQ(Names(signature), (Strings{"n", "x"}));
  EXPECT_TRUE(signature.tensors[0].is_scalar);
  EXPECT_EQ(signature.tensors[0].size_bytes, 4);
  EXPECT_FALSE(signature.tensors[1].has_shape);
  EXPECT_EQ(signature.tensors[1].size_bytes, 0);
  EXPECT_TRUE(signature.tensors[1].is_output);
}

TEST_F(EntrySignatureTest, AnAccessBeyondTheEndOfAPoolIsAnError) {
  MappedTensor fits;
  fits.name = "z";
  fits.index = 1;
  fits.dtype = DataType::Int(8);
  fits.shape = {16};
  fits.size_bytes = 16;
  fits.pool = "sram";
  fits.offset = 48;
  MappedTensor too_far = fits;
  too_far.name = "y";
  too_far.index = 2;
  too_far.offset = 49;
  const EntrySignature signature =
      Read("x: T.Buffer((4,), \"int8\"), p: T.Buffer((64,), \"uint8\")", "x[0] = T.int8(1)", 64,
           {fits, too_far});
  EXPECT_EQ(Names(signature), (Strings{"x", "z"}));
  ASSERT_TRUE(signature.tensors[1].place);
  EXPECT_EQ(signature.tensors[1].place->offset, 48);
  EXPECT_EQ(
      errors_,
      "`y` lies in the pool `sram`, but the entry does not take that pool, or takes a smaller one");
}

TEST_F(EntrySignatureTest, DeclaredOutputsAreTheOutputs) {
  const EntrySignature signature =
      Read("x: T.Buffer((4,), \"int8\"), y: T.Buffer((4,), \"int8\")",
           "T.func_attr({\"tenon.outputs\": [\"y\"]})\n    x[0] = T.int8(1)");
  ASSERT_EQ(Names(signature), (Strings{"x", "y"}));
  EXPECT_FALSE(signature.tensors[0].is_output);
  EXPECT_TRUE(signature.tensors[1].is_output);
  EXPECT_EQ(errors_, "");
}

TEST_F(EntrySignatureTest, AMissingDeclaredOutputIsAnError) {
  Read("x: T.Buffer((4,), \"int8\"), n: T.int32",
       "T.func_attr({\"tenon.outputs\": [\"n\"]})\n    x[0] = T.int8(1)");
  EXPECT_EQ(errors_, "the attribute `tenon.outputs` names `n`, which is not a tensor of the entry");
}

TEST_F(EntrySignatureTest, ALinkedParameterIsNotAnInput) {
  const EntrySignature signature =
      Read("x: T.Buffer((2,), \"int8\"), w: T.Buffer((2,), \"int8\")",
           "T.func_attr({\"link_params\": {w: I.constant(\"w\", [1, 2], \"int8\", [2])}})\n"
           "    x[0] = w[0]");
  EXPECT_EQ(Names(signature), Strings{"x"});
}

}  // namespace
}  // namespace tenon
