#include "passes/lowering/lz4_function.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <random>

#include "interp/interpreter.h"
#include "ir/verifier.h"
#include "runtime/tenon_lz4.h"
#include "support/codec.h"

namespace tenon {
namespace {

using Bytes = std::vector<uint8_t>;

/// A module with the decoder, which the interpreter runs. It reports accesses outside of the blocks
/// and uses of bytes that were never written.
class Lz4Function : public testing::Test {
 protected:
  void Make(DataType size_type) {
    size_type_ = size_type;
    IRModule module(context_);
    auto storage = std::make_shared<Storage>();
    NodeBuilder builder(context_, storage->arena());
    const PrimFunc* func = MakeLz4Function(builder, size_type, builder.Map({}));
    module.Add({context_.Intern("decode"), func, storage});
    ASSERT_TRUE(VerifyModule(module, diagnostics_)) << Messages();
    absl::StatusOr<Interpreter> interpreter = Interpreter::Compile(module, diagnostics_);
    ASSERT_TRUE(interpreter.ok()) << Messages();
    interpreter_.emplace(*std::move(interpreter));
  }

  /// The status, with the bytes in `to`; nullopt after an invalid access.
  std::optional<int64_t> Decode(const Bytes& stored, Bytes& to) {
    Tensor from{DataType::UInt(8), {static_cast<int64_t>(stored.size())}, stored};
    Tensor bytes{DataType::UInt(8), {static_cast<int64_t>(to.size())}, to};
    int64_t status = 0;
    if (!interpreter_->Run(
            "decode",
            {Argument::Of(&from), Argument::Scalar(from.shape[0]),
             Argument::Of(&bytes, /*undefined=*/true), Argument::Scalar(bytes.shape[0])},
            diagnostics_, &status))
      return std::nullopt;
    to = bytes.bytes;
    return status;
  }

  /// Compares with the decoder of the runtime.
  void Expect(const Bytes& stored, size_t size) {
    Bytes want(size);
    const int expected =
        tenon_lz4_decompress(stored.data(), stored.size(), want.data(), want.size());
    Bytes got(size);
    const std::optional<int64_t> status = Decode(stored, got);
    ASSERT_TRUE(status.has_value()) << Messages();
    ASSERT_EQ(*status, expected);
    if (expected == 0) {
      ASSERT_EQ(got, want);
    }
  }

  std::string Messages() const { return Render(context_.sources(), diagnostics_); }

  Context context_;
  Diagnostics diagnostics_;
  DataType size_type_;
  std::optional<Interpreter> interpreter_;
};

/// Bytes of a few values, with repetitions near and far.
Bytes SomeBytes(std::mt19937& random, size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) {
    const uint32_t dice = static_cast<uint32_t>(random());
    bytes[i] =
        i > 8 && dice % 4 != 0 ? bytes[i - 1 - dice / 8 % 8] : static_cast<uint8_t>(dice >> 8);
  }
  return bytes;
}

TEST_F(Lz4Function, DecodesWhatTheLibraryEncodes) {
  for (const int bits : {32, 64}) {
    Make(DataType::Int(bits));
    std::mt19937 random(7);
    for (const int length : {1, 4, 5, 12, 13, 14, 15, 16, 255, 256, 270, 300, 4000}) {
      const auto size = static_cast<size_t>(length);
      for (const bool is_constant : {false, true}) {
        const Bytes bytes = is_constant ? Bytes(size, 3) : SomeBytes(random, size);
        const absl::StatusOr<Bytes> stored = Compress(Codec::kLz4, bytes);
        ASSERT_TRUE(stored.ok());
        Bytes got(size);
        ASSERT_EQ(Decode(*stored, got), 0) << Messages();
        EXPECT_EQ(got, bytes);
      }
    }
  }
}

TEST_F(Lz4Function, RefusesDamagedBlocksWithoutInvalidAccesses) {
  Make(DataType::Int(32));
  std::mt19937 random(11);
  const Bytes bytes = SomeBytes(random, 600);
  const absl::StatusOr<Bytes> stored = Compress(Codec::kLz4, bytes);
  ASSERT_TRUE(stored.ok());
  for (size_t size = 0; size <= stored->size(); ++size)
    Expect(Bytes(stored->begin(), stored->begin() + static_cast<std::ptrdiff_t>(size)), 600);
  for (int i = 0; i < 400; ++i) {
    Bytes damaged = *stored;
    for (uint32_t n = static_cast<uint32_t>(random()) % 3 + 1; n > 0; --n)
      damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    Expect(damaged, static_cast<size_t>(599 + i % 3));
  }
}

TEST(Lz4SizeType, HoldsEveryLength) {
  EXPECT_EQ(Lz4SizeType(0), DataType::Int(32));
  EXPECT_EQ(Lz4SizeType(INT32_MAX / 2), DataType::Int(32));
  EXPECT_EQ(Lz4SizeType(INT32_MAX), DataType::Int(64));
}

}  // namespace
}  // namespace tenon
