#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "fixture.h"
#include "printer/sidecar.h"
#include "support/safetensors.h"

namespace tenon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ConstantTableTest : public PrinterTest {
 protected:
  const Constant* Bytes(std::string_view name, std::vector<uint8_t> bytes,
                        ConstantPlacement placement = {}) {
    const auto size = static_cast<int64_t>(bytes.size());
    return context_.AddConstant(name.empty() ? Symbol() : context_.Intern(name), DataType::UInt(8),
                                {size}, std::move(bytes), std::move(placement));
  }
  const Constant* From(std::string_view name, ConstantSource source, std::vector<int64_t> shape) {
    return context_.AddConstant(context_.Intern(name), DataType::UInt(8), std::move(shape),
                                std::move(source));
  }
  // A module whose only function allocates `data`.
  IRModule ModuleWith(const Constant* data) {
    const Var* pointer = b_.NewVar("weights", context_.PointerType(DataType::UInt(8), ""));
    return Module(NewFunction({}, b_.New<AllocateConst>({}, pointer, DataType::UInt(8),
                                                        b_.List<Expr>({b_.Int(data->size_bytes())}),
                                                        data, nullptr, b_.NoOp())));
  }
};

TEST_F(ConstantTableTest, WritesEachKindOfSource) {
  ConstantPlacement placement;
  placement.alignment = 16;
  placement.section = ".rodata.w";
  placement.pools = {"flash", "sram"};
  placement.address_significant = true;
  const Constant* base = Bytes("w0", {1, 2, 3, 4}, placement);
  ConstantSource slice;
  slice.kind = ConstantSource::Kind::kSlice;
  slice.base = base;
  slice.offset = 1;
  ConstantSource splat;
  splat.kind = ConstantSource::Kind::kSplat;
  splat.element = 7;
  ConstantSource hash;
  hash.kind = ConstantSource::Kind::kHash;
  hash.hash = {0x0123456789abcdef, 0xfedcba9876543210};
  IRModule module = ModuleWith(From("w1", slice, {2}));
  module.constants = {From("w2", splat, {2, 3}), From("w3", hash, {9})};
  const std::string text = PrintModule(module);
  EXPECT_THAT(text, HasSubstr("I.constant(\"w2\", I.splat(7), \"uint8\", [2, 3])"));
  EXPECT_THAT(text, HasSubstr("I.hash(\"xxh3:0123456789abcdeffedcba9876543210\")"));
  EXPECT_THAT(text, HasSubstr("I.constant(\"w0\", [1, 2, 3, 4], \"uint8\", [4], align=16, "
                              "section=\".rodata.w\", pools=[\"flash\", \"sram\"], "
                              "address_significant=True), I.constant(\"w1\", I.slice(\"w0\", 1), "
                              "\"uint8\", [2])]})"));
  EXPECT_THAT(text, HasSubstr("T.allocate_const(I.constant(\"w1\"), \"uint8\", [2])"));
}

TEST_F(ConstantTableTest, UnnamedDataWithAPlacementGetsAName) {
  ConstantPlacement placement;
  placement.load = "sram";
  placement.codec = "lz4";
  const std::string text = PrintModule(ModuleWith(Bytes("", {5, 6}, placement)));
  EXPECT_THAT(text, HasSubstr("I.constant(\"weights\", [5, 6], \"uint8\", [2], load=\"sram\", "
                              "codec=\"lz4\")"));
  EXPECT_THAT(text, HasSubstr("T.allocate_const(I.constant(\"weights\"), \"uint8\", [2])"));
}

TEST_F(ConstantTableTest, InlineDataStaysInItsPlace) {
  const std::string text = PrintModule(ModuleWith(Bytes("", {5, 6})));
  EXPECT_THAT(text, HasSubstr("T.allocate_const([5, 6], \"uint8\", [2])"));
  EXPECT_THAT(text, Not(HasSubstr("tenon.constants")));
}

TEST_F(ConstantTableTest, ElidedDataPrintsItsHash) {
  PrintOptions options;
  options.constants = ConstantsMode::kElide;
  const std::string text = PrintModule(ModuleWith(Bytes("", {5, 6})), options);
  EXPECT_THAT(text, HasSubstr("I.constant(\"weights\", I.hash(\"xxh3:"));
  EXPECT_THAT(text, HasSubstr("T.allocate_const(I.constant(\"weights\")"));
}

TEST_F(ConstantTableTest, LargeDataGoesToTheSideFile) {
  const std::vector<uint8_t> large(2000, 9);
  IRModule module = ModuleWith(Bytes("", large));
  module.constants = {Bytes("weights", {1}), Bytes("big", std::vector<uint8_t>(1024, 3))};
  PrintOptions options;
  options.constants = ConstantsMode::kSidecar;
  options.sidecar_name = "out.safetensors";
  EXPECT_EQ(CountSidecarConstants(module, options), 2);
  const std::string text = PrintModule(module, options);
  EXPECT_THAT(text, HasSubstr("I.constant(\"weights\", [1]"));
  EXPECT_THAT(text, HasSubstr("I.constant(\"big\", I.file(\"out.safetensors\", \"big\")"));
  EXPECT_THAT(text, HasSubstr("T.allocate_const(I.constant(\"weights_1\")"));
  const std::string path = ::testing::TempDir() + "/tenon_sidecar_test.safetensors";
  ASSERT_TRUE(WriteSidecar(module, options, path).ok());
  const auto file = ReadSafetensors(path);
  ASSERT_TRUE(file.ok()) << file.status();
  const SafetensorsEntry* entry = file->Find("weights_1");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->offset % 64, 0);
  EXPECT_EQ(file->BytesOf(*entry), std::string(2000, 9));
  EXPECT_THAT(*file->FindMetadata("xxh3.weights_1"), ::testing::StartsWith("xxh3:"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tenon
