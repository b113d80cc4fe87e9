#include "ir/module.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/hash.h"
#include "test_function.h"

namespace tenon {
namespace {

TEST(ModuleTest, FindsFunctionsByNameAndSymbol) {
  Context context;
  IRModule module(context);
  TestFunction f(context);
  module.Add(f.Finish("__tvm_main__", f.b.NoOp(), "tvmgen_default___tvm_main__"));
  TestFunction g(context);
  module.Add(g.Finish("g", g.b.NoOp(), "tvmgen_default_g"));
  EXPECT_EQ(module.Main()->name.view(), "__tvm_main__");
  EXPECT_EQ(module.FindCallee("tvmgen_default_g")->name.view(), "g");
  EXPECT_EQ(module.FindCallee("nobody"), nullptr);
  module.Remove(context.Intern("__tvm_main__"));
  EXPECT_EQ(module.Main()->name.view(), "g");
}

TEST(ModuleTest, CopiesAreIndependentVersions) {
  Context context;
  IRModule module(context);
  TestFunction f(context);
  module.Add(f.Finish("f", f.b.NoOp()));
  IRModule copy = module;
  TestFunction g(context);
  copy.Update(g.Finish("f", g.b.New<Evaluate>({}, g.b.Int(1))));
  EXPECT_NE(module.functions()[0].func, copy.functions()[0].func);
}

TEST(MapAttrTest, WithKeepsKeysSortedAndUnique) {
  Context context;
  TestFunction f(context);
  const MapAttr* map = f.b.Map({{"b", f.b.StringValue("1")}, {"a", f.b.StringValue("2")}});
  map = f.b.With(map, "ab", f.b.StringValue("3"));
  map = f.b.With(map, "b", f.b.StringValue("4"));
  std::string keys;
  for (const MapItem* item : map->items) keys += std::string(*AsString(item->key)) + ",";
  EXPECT_EQ(keys, "a,ab,b,");
  EXPECT_EQ(*AsString(map->Find("b")), "4");
  EXPECT_EQ(f.b.With(map, "b", nullptr)->Find("b"), nullptr);
}

TEST(ConstantTest, SourcesGiveTheSameBytes) {
  Context context;
  const Constant* base =
      context.AddConstant(Symbol(), DataType::Int(16), {4}, {1, 0, 2, 0, 3, 0, 4, 0});
  ConstantSource slice;
  slice.kind = ConstantSource::Kind::kSlice;
  slice.base = base;
  slice.offset = 2;
  const Constant* part = context.AddConstant(Symbol(), DataType::Int(16), {2}, slice);
  EXPECT_EQ((*part->Bytes())[0], 2);
  ConstantSource splat;
  splat.kind = ConstantSource::Kind::kSplat;
  splat.element = 0x0102;
  const Constant* all = context.AddConstant(Symbol(), DataType::Int(16), {2, 2}, splat);
  const std::vector<uint8_t> bytes((*all->Bytes()).begin(), (*all->Bytes()).end());
  EXPECT_EQ(bytes, (std::vector<uint8_t>{2, 1, 2, 1, 2, 1, 2, 1}));
  const Constant* written = context.AddConstant(Symbol(), DataType::Int(16), {2, 2}, bytes);
  EXPECT_TRUE(SameContents(*all, *written));
  EXPECT_EQ(*all->Hash(), *written->Hash());
  // A part of a splat that starts inside an element.
  ConstantSource inner;
  inner.kind = ConstantSource::Kind::kSlice;
  inner.base = all;
  inner.offset = 1;
  const Constant* rest = context.AddConstant(Symbol(), DataType::UInt(8), {5}, inner);
  const std::vector<uint8_t> tail((*rest->Bytes()).begin(), (*rest->Bytes()).end());
  EXPECT_EQ(tail, (std::vector<uint8_t>{1, 2, 1, 2, 1}));
  for (const Constant* constant : {base, part, all, written, rest}) {
    std::string seen;
    EXPECT_TRUE(constant
                    ->ForEachPiece([&seen](std::string_view piece) {
                      seen += piece;
                      return absl::OkStatus();
                    })
                    .ok());
    EXPECT_EQ(seen, constant->Paged()->bytes);
    EXPECT_FALSE(constant->is_mapped());
    const Hash128 hash = HashBytes(seen);
    EXPECT_EQ(*constant->Hash(), (ContentHash{hash.hi, hash.lo}));
  }
  ConstantSource elided;
  elided.kind = ConstantSource::Kind::kHash;
  elided.hash = *all->Hash();
  const Constant* hash = context.AddConstant(Symbol(), DataType::Int(16), {2, 2}, elided);
  EXPECT_FALSE(hash->Bytes().ok());
  EXPECT_TRUE(SameContents(*hash, *written));
}

TEST(ConstantTest, LargeSplatsAreNotExpandedToBeHashedOrWritten) {
  Context context;
  ConstantSource source;
  source.kind = ConstantSource::Kind::kSplat;
  source.element = 0x030201;
  const int64_t count = 1000 * 1000 + 1;
  const Constant* splat = context.AddConstant(Symbol(), DataType::Int(24), {count}, source);
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < count; ++i) bytes.insert(bytes.end(), {1, 2, 3});
  const Constant* written = context.AddConstant(Symbol(), DataType::Int(24), {count}, bytes);
  EXPECT_EQ(*splat->Hash(), *written->Hash());
  size_t at = 0;
  EXPECT_TRUE(splat
                  ->ForEachPiece([&](std::string_view piece) {
                    EXPECT_EQ(std::memcmp(piece.data(), bytes.data() + at, piece.size()), 0);
                    at += piece.size();
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_EQ(at, bytes.size());
  EXPECT_TRUE(SameContents(*splat, *written));
  // For any number of elements: nothing is read.
  const Constant* huge =
      context.AddConstant(Symbol(), DataType::Int(24), {int64_t{1} << 59}, source);
  const Constant* same =
      context.AddConstant(Symbol(), DataType::Int(24), {int64_t{1} << 59}, source);
  EXPECT_TRUE(SameContents(*huge, *same));
}

}  // namespace
}  // namespace tenon
