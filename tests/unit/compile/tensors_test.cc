#include "compile/run/tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "parser/parser.h"

namespace tenon {
namespace {

template <class T>
std::string Bytes(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
  }
  return bytes;
}

EntryTensor TensorOf(DataType dtype, std::vector<int64_t> shape) {
  EntryTensor tensor;
  tensor.name = "y";
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.size_bytes = dtype.bytes();
  for (const int64_t extent : tensor.shape) tensor.size_bytes *= extent;
  return tensor;
}

TEST(CompareTensors, IntegersExactly) {
  const EntryTensor tensor = TensorOf(DataType::Int(8), {2, 2});
  const std::string want = Bytes<int8_t>({1, 2, 3, -4});
  EXPECT_FALSE(CompareTensors(tensor, want, want));
  const auto difference = CompareTensors(tensor, Bytes<int8_t>({1, 2, 9, -5}), want);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->count, 2);
  EXPECT_EQ(difference->first_index, 2);
  EXPECT_EQ(difference->text, "element [1, 0] is 9, expected 3");
}

TEST(CompareTensors, FloatsWithinTheTolerance) {
  const EntryTensor tensor = TensorOf(DataType::Float(32), {2});
  const std::string want = Bytes<float>({100.0F, 0.0F});
  EXPECT_FALSE(CompareTensors(tensor, Bytes<float>({100.009F, 9e-6F}), want));
  EXPECT_TRUE(CompareTensors(tensor, Bytes<float>({100.02F, 0.0F}), want));
  EXPECT_TRUE(CompareTensors(tensor, Bytes<float>({100.0F, 2e-5F}), want));
}

TEST(CompareTensors, NanAndInfinityOnlyEqualThemselves) {
  const EntryTensor tensor = TensorOf(DataType::Float(32), {1});
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(CompareTensors(tensor, Bytes<float>({NAN}), Bytes<float>({-NAN})));
  const auto difference = CompareTensors(tensor, Bytes<float>({NAN}), Bytes<float>({0.0F}));
  ASSERT_TRUE(difference.has_value());
  EXPECT_TRUE(std::isnan(difference->largest));
  EXPECT_TRUE(CompareTensors(tensor, Bytes<float>({0.0F}), Bytes<float>({NAN})));
  EXPECT_TRUE(CompareTensors(tensor, Bytes<float>({3e38F}), Bytes<float>({infinity})));
  EXPECT_TRUE(CompareTensors(tensor, Bytes<float>({infinity}), Bytes<float>({-infinity})));
}

TEST(CompareTensors, SmallFloatsByTheirValues) {
  const EntryTensor tensor = TensorOf(DataType(TypeCode::kBFloat, 16), {1});
  // Zero has two patterns.
  EXPECT_FALSE(CompareTensors(tensor, Bytes<uint16_t>({0x8000}), Bytes<uint16_t>({0})));
  EXPECT_TRUE(CompareTensors(tensor, Bytes<uint16_t>({0x3f80}), Bytes<uint16_t>({0x3f81})));
}

TEST(CheckTensorValue, SaysWhatDoesNotFit) {
  const EntryTensor tensor = TensorOf(DataType::Int(8), {1, 4});
  EXPECT_EQ(CheckTensorValue(tensor, {"int8", {1, 4}, std::string(4, '\0')}), "");
  // Another shape with the same number of elements has the same bytes.
  EXPECT_EQ(CheckTensorValue(tensor, {"int8", {2, 2}, std::string(4, '\0')}), "");
  EXPECT_EQ(CheckTensorValue(tensor, {"uint8", {1, 4}, std::string(4, '\0')}),
            "expected dtype int8 for `y`, found uint8");
  EXPECT_EQ(CheckTensorValue(tensor, {"int8", {5}, std::string(5, '\0')}),
            "expected shape (1, 4) for `y`, found (5)");
}

std::optional<EntrySignature> SignatureOf(Context& context, std::string_view text,
                                          std::optional<IRModule>& module,
                                          Diagnostics& diagnostics) {
  module = ParseModule(context, "m.py", text, nullptr, {}, diagnostics);
  if (!module) return std::nullopt;
  return ReadEntrySignature(*module, diagnostics);
}

TEST(ReadEntrySignature, TellsInputsFromOutputs) {
  Context context;
  Diagnostics diagnostics;
  std::optional<IRModule> module;
  const auto signature = SignatureOf(context, R"(
@T.prim_func
def main(y: T.Buffer((2, 3), "float32"), x: T.Buffer((6,), "int8")):
    for i, j in T.grid(2, 3):
        y[i, j] = T.Cast("float32", x[i * 3 + j])
)",
                                     module, diagnostics);
  ASSERT_TRUE(signature) << Render(context.sources(), diagnostics);
  ASSERT_EQ(signature->tensors.size(), 2U);
  EXPECT_TRUE(signature->tensors[0].is_output);
  EXPECT_EQ(signature->tensors[0].size_bytes, 24);
  EXPECT_FALSE(signature->tensors[1].is_output);
  EXPECT_EQ(signature->tensors[1].name, "x");
}

TEST(ReadEntrySignature, RefusesInvalidTensors) {
  Context context;
  Diagnostics diagnostics;
  std::optional<IRModule> module;
  EXPECT_FALSE(SignatureOf(context, R"(
@T.prim_func
def main(n: T.handle("int32"), y: T.Buffer((2,), "int32")):
    n_1 = T.Buffer((2,), "int32", data=n)
    y[0] = n_1[0]
)",
                           module, diagnostics));
  EXPECT_THAT(Render(context.sources(), diagnostics),
              testing::HasSubstr("expected a tensor of constant shape or a number as parameter "
                                 "`n` of the entry function [run]"));
}

TEST(ReadEntrySignature, TakesScalars) {
  Context context;
  Diagnostics diagnostics;
  std::optional<IRModule> module;
  const auto signature = SignatureOf(context, R"(
@T.prim_func
def main(n: T.int16, y: T.Buffer((2,), "int16")):
    y[0] = n
)",
                                     module, diagnostics);
  ASSERT_TRUE(signature) << Render(context.sources(), diagnostics);
  ASSERT_EQ(signature->tensors.size(), 2U);
  EXPECT_TRUE(signature->tensors[0].is_scalar);
  EXPECT_FALSE(signature->tensors[0].is_output);
  EXPECT_EQ(signature->tensors[0].size_bytes, 2);
  EXPECT_TRUE(signature->tensors[0].shape.empty());
}

TEST(ParseScalar, ReadsWhatFitsTheType) {
  const auto bits = [](DataType dtype, std::string_view text) -> std::optional<int64_t> {
    const auto bytes = ParseScalar(dtype, text);
    if (!bytes) return std::nullopt;
    EXPECT_EQ(static_cast<int>(bytes->size()), dtype.element_bytes());
    return ScalarBits(dtype, *bytes);
  };
  EXPECT_EQ(bits(DataType::Int(8), "-128"), -128);
  EXPECT_EQ(bits(DataType::Int(8), "+127"), 127);
  EXPECT_EQ(bits(DataType::Int(8), "128"), std::nullopt);
  EXPECT_EQ(bits(DataType::Int(8), "-129"), std::nullopt);
  EXPECT_EQ(bits(DataType::Int(64), "-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(bits(DataType::UInt(8), "255"), 255);
  EXPECT_EQ(bits(DataType::UInt(8), "256"), std::nullopt);
  EXPECT_EQ(bits(DataType::UInt(8), "-1"), std::nullopt);
  EXPECT_EQ(bits(DataType::UInt(64), "18446744073709551615"), -1);
  EXPECT_EQ(bits(DataType::Bool(), "true"), 1);
  EXPECT_EQ(bits(DataType::Bool(), "0"), 0);
  EXPECT_EQ(bits(DataType::Bool(), "2"), std::nullopt);
  EXPECT_EQ(bits(DataType::Float(32), "1.5"), 0x3fc00000);
  EXPECT_EQ(bits(DataType::Float(64), "-1e0"), std::bit_cast<int64_t>(-1.0));
  EXPECT_EQ(bits(DataType::Float(16), "inf"), 0x7c00);
  EXPECT_EQ(bits(DataType(TypeCode::kBFloat, 16, 1), "2"), 0x4000);
  EXPECT_EQ(bits(DataType::Float(32), "1.5x"), std::nullopt);
  EXPECT_EQ(bits(DataType::Int(32), ""), std::nullopt);
  EXPECT_EQ(bits(DataType::Int(32), "x.npy"), std::nullopt);
}

}  // namespace
}  // namespace tenon
