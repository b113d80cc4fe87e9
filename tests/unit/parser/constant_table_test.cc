#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "ir/structural.h"
#include "parser/parser.h"
#include "printer/printer.h"
#include "printer/sidecar.h"
#include "support/safetensors.h"

namespace tenon {
namespace {

using ::testing::HasSubstr;

// A module with `table` and one function that uses `data`.
std::string Module(std::string_view table,
                   std::string_view data = "I.constant(\"w\"), \"int8\", [3]") {
  return "@I.ir_module\nclass Module:\n    I.module_attrs({\"tenon.constants\": [" +
         std::string(table) + "]})\n    @T.prim_func\n    def f():\n        c = T.allocate_const(" +
         std::string(data) + ")\n        T.evaluate(0)\n";
}

class ConstantTableParserTest : public ::testing::Test {
 protected:
  ConstantTableParserTest() {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    options_.base_dir = folder_.string();
  }
  ~ConstantTableParserTest() override { std::filesystem::remove_all(folder_); }

  std::optional<IRModule> Parse(std::string_view text) {
    diagnostics_.Clear();
    std::optional<IRModule> module =
        ParseModule(context_, "test.py", text, nullptr, options_, diagnostics_);
    EXPECT_EQ(module.has_value(), !diagnostics_.has_errors());
    return module;
  }
  std::string ErrorOf(std::string_view text, DiagnosticKind kind) {
    if (Parse(text)) return "no error";
    EXPECT_EQ(diagnostics_.all()[0].kind, kind) << diagnostics_.all()[0].message;
    EXPECT_TRUE(diagnostics_.all()[0].range.valid());
    return diagnostics_.all()[0].message;
  }
  void WriteFile(const std::string& name, std::string_view metadata_key = "",
                 std::string_view metadata_value = "") {
    const std::string bytes("\x01\x02\x03", 3);
    const SafetensorsTensor tensor{"w", "int8", {3}, bytes, 1};
    SafetensorsMetadata metadata;
    if (!metadata_key.empty()) metadata.emplace_back(metadata_key, metadata_value);
    ASSERT_TRUE(WriteSafetensors((folder_ / name).string(), {&tensor, 1}, metadata).ok());
  }

  Context context_;
  Diagnostics diagnostics_;
  ParseOptions options_;
  std::filesystem::path folder_;
};

TEST_F(ConstantTableParserTest, EveryFormComesBack) {
  const std::string text = Module(
      "I.constant(\"w\", [1, -2, 3], \"int8\", [3], align=16, section=\".rodata.w\", "
      "pools=[\"flash\"], address_significant=True, load=\"sram\", codec=\"lz4\"), "
      "I.constant(\"part\", I.slice(\"w\", 1), \"int8\", [2]), "
      "I.constant(\"two\", I.splat(2.5), \"float16\", [4, 4]), "
      "I.constant(\"gone\", I.hash(\"xxh3:00112233445566778899aabbccddeeff\"), \"int8\", "
      "[4096])");
  const auto module = Parse(text);
  ASSERT_TRUE(module) << diagnostics_.all()[0].message;
  ASSERT_EQ(module->constants.size(), 4);
  const Constant& w = *module->constants[0];
  EXPECT_EQ(w.name().view(), "w");
  EXPECT_EQ(w.placement().alignment, 16);
  EXPECT_EQ(w.placement().section, ".rodata.w");
  EXPECT_TRUE(w.placement().address_significant);
  EXPECT_EQ(w.placement().load, "sram");
  EXPECT_EQ(w.placement().codec, "lz4");
  EXPECT_EQ((*module->constants[1]->Bytes())[0], 0xfe);
  EXPECT_EQ((*module->constants[2]->Bytes())[1], 0x41);
  EXPECT_FALSE(module->constants[3]->has_bytes());
  const std::string printed = PrintModule(*module);
  const auto again = Parse(printed);
  ASSERT_TRUE(again) << printed << diagnostics_.all()[0].message;
  EXPECT_TRUE(StructuralEqual(*module, *again));
  EXPECT_EQ(PrintModule(*again), printed);
}

TEST_F(ConstantTableParserTest, LoadAndCodecCountForEquality) {
  const std::string w = "I.constant(\"w\", [1, 2, 3], \"int8\", [3]";
  const auto plain = Parse(Module(w + ")"));
  const auto loaded = Parse(Module(w + ", load=\"sram\")"));
  const auto packed = Parse(Module(w + ", load=\"sram\", codec=\"zstd\")"));
  const auto again = Parse(Module(w + ", codec=\"zstd\", load=\"sram\")"));
  ASSERT_TRUE(plain && loaded && packed && again);
  EXPECT_FALSE(StructuralEqual(*plain, *loaded));
  EXPECT_FALSE(StructuralEqual(*loaded, *packed));
  EXPECT_TRUE(StructuralEqual(*packed, *again));
}

TEST_F(ConstantTableParserTest, MistakesOfLoadAndCodecAreLocated) {
  const auto kArguments = DiagnosticKind::kArguments;
  const std::string w = "I.constant(\"w\", [1, 2, 3], \"int8\", [3]";
  EXPECT_THAT(ErrorOf(Module(w + ", codec=\"lz4\")"), kArguments), HasSubstr("without `load`"));
  EXPECT_THAT(ErrorOf(Module(w + ", load=\"sram\", codec=\"gzip\")"), kArguments),
              HasSubstr("unknown codec `gzip`, expected lz4 or zstd"));
  EXPECT_THAT(ErrorOf(Module(w + ", load=7)"), kArguments), HasSubstr("`load`"));
}

TEST_F(ConstantTableParserTest, MistakesAreLocated) {
  const auto kArguments = DiagnosticKind::kArguments;
  const auto kShape = DiagnosticKind::kConstantShape;
  const std::string w = "I.constant(\"w\", [1, 2, 3], \"int8\", [3]";
  EXPECT_THAT(ErrorOf(Module(w + "), " + w + ")"), DiagnosticKind::kDuplicateName),
              HasSubstr("twice"));
  EXPECT_THAT(ErrorOf(Module(""), DiagnosticKind::kUndefinedName),
              HasSubstr("unknown constant `w`"));
  EXPECT_THAT(ErrorOf(Module(w + ")", "I.constant(\"w\"), \"int8\", [4]"), kShape),
              HasSubstr("is int8 [3], expected int8 [4]"));
  EXPECT_THAT(ErrorOf(Module(w + ")", "I.constant(\"w\"), \"uint8\", [3]"), kShape),
              HasSubstr("is int8 [3]"));
  EXPECT_THAT(ErrorOf(Module(w + "), I.constant(\"p\", I.slice(\"w\", 2), \"int8\", [2])"), kShape),
              HasSubstr("expected a part of the 3 bytes"));
  EXPECT_THAT(
      ErrorOf(Module(w + "), I.constant(\"p\", I.slice(\"w\", -1), \"int8\", [2])"), kShape),
      HasSubstr("expected a part of the 3 bytes"));
  EXPECT_THAT(
      ErrorOf(Module(w + "), I.constant(\"p\", I.slice(\"w\", 1), \"int16\", [1])"), kShape),
      HasSubstr("expected an offset that is a multiple of 2"));
  EXPECT_THAT(ErrorOf(Module(w + "), I.constant(\"p\", I.slice(\"x\", 1), \"int8\", [1])"),
                      DiagnosticKind::kUndefinedName),
              HasSubstr("`x`"));
  EXPECT_THAT(ErrorOf(Module(w + ", align=3)"), kArguments), HasSubstr("power of two"));
  EXPECT_THAT(ErrorOf(Module(w + ", pools=3)"), kArguments), HasSubstr("pools"));
  EXPECT_THAT(ErrorOf(Module(w + ", colour=3)"), kArguments), HasSubstr("colour"));
  EXPECT_THAT(ErrorOf(Module("3"), kArguments), HasSubstr("not a list"));
  EXPECT_THAT(ErrorOf(Module("I.constant(\"w\", 3, \"int8\", [3])"), kArguments),
              HasSubstr("expected a list"));
  EXPECT_THAT(
      ErrorOf(Module("I.constant(\"w\", [1], \"int8\", [3])"), DiagnosticKind::kTruncatedConstant),
      HasSubstr("expected 3 elements, found 1"));
  EXPECT_THAT(ErrorOf(Module("I.constant(\"w\", [1], \"int8\", [-3])"), kShape),
              HasSubstr("negative"));
  EXPECT_THAT(
      ErrorOf(Module("I.constant(\"w\", I.splat(300), \"int8\", [3])"), DiagnosticKind::kLiteral),
      HasSubstr("out of range"));
  EXPECT_THAT(ErrorOf(Module("I.constant(\"w\", I.splat(3), \"int8\", [1000000000000])"),
                      DiagnosticKind::kLimit),
              HasSubstr("I.splat"));
  EXPECT_THAT(ErrorOf(Module("I.constant(\"w\", I.hash(\"xxh3:12\"), \"int8\", [3])"),
                      DiagnosticKind::kLiteral),
              ::testing::Not(""));
  EXPECT_THAT(
      ErrorOf(Module("I.constant(\"w\", [[1, 2], [3, 4], [5, 6]], \"int8\", [2, 3])"), kShape),
      HasSubstr("[3, 2]"));
}

TEST_F(ConstantTableParserTest, SideFilesAreChecked) {
  const auto kFile = DiagnosticKind::kConstantFile;
  const auto from = [](std::string_view rest) {
    return Module("I.constant(\"w\", I.file(" + std::string(rest) + ")");
  };
  WriteFile("m.safetensors");
  ASSERT_TRUE(Parse(from("\"m.safetensors\", \"w\"), \"int8\", [3]")));
  EXPECT_THAT(ErrorOf(from("\"none.safetensors\", \"w\"), \"int8\", [3]"), kFile),
              HasSubstr("none.safetensors"));
  EXPECT_THAT(ErrorOf(from("\"m.safetensors\", \"x\"), \"int8\", [3]"), kFile),
              HasSubstr("no tensor `x`"));
  EXPECT_THAT(ErrorOf(from("\"m.safetensors\", \"w\"), \"uint8\", [3]"), kFile),
              HasSubstr("is int8 [3], expected uint8 [3]"));
  EXPECT_THAT(ErrorOf(from("\"m.safetensors\", \"w\"), \"int8\", [4]"), kFile),
              HasSubstr("expected int8 [4]"));
  std::ofstream(folder_ / "bad.safetensors") << "12345678{}";
  EXPECT_THAT(ErrorOf(from("\"bad.safetensors\", \"w\"), \"int8\", [3]"), kFile),
              HasSubstr("bad.safetensors"));
}

TEST_F(ConstantTableParserTest, ClaimedHashesAreCheckedWhenBytesAreRead) {
  WriteFile("h.safetensors", "xxh3.w", "xxh3:00112233445566778899aabbccddeeff");
  const auto module =
      Parse(Module("I.constant(\"w\", I.file(\"h.safetensors\", \"w\"), \"int8\", [3])"));
  ASSERT_TRUE(module);
  const Constant& w = *module->constants[0];
  EXPECT_EQ(w.Hash()->high, 0x0011223344556677);
  EXPECT_FALSE(w.Bytes().ok());
  EXPECT_FALSE(w.has_bytes());
  WriteFile("b.safetensors", "xxh3.w", "nonsense");
  EXPECT_THAT(ErrorOf(Module("I.constant(\"w\", I.file(\"b.safetensors\", \"w\"), \"int8\", [3])"),
                      DiagnosticKind::kConstantFile),
              HasSubstr("hash"));
}

TEST_F(ConstantTableParserTest, SidecarAndElidedTextsComeBack) {
  std::string list = "[";
  for (int i = 0; i < 1024; ++i) list += std::to_string(i % 100) + ", ";
  const auto module =
      Parse(Module("I.constant(\"w\", [1, 2, 3], \"int8\", [3])", list + "], \"int16\", [1024]"));
  ASSERT_TRUE(module) << diagnostics_.all()[0].message;
  PrintOptions options;
  options.constants = ConstantsMode::kSidecar;
  options.sidecar_name = "out.safetensors";
  ASSERT_TRUE(WriteSidecar(*module, options, (folder_ / "out.safetensors").string()).ok());
  const std::string text = PrintModule(*module, options);
  EXPECT_THAT(text, HasSubstr("I.constant(\"c\", I.file(\"out.safetensors\", \"c\")"));
  const auto again = Parse(text);
  ASSERT_TRUE(again) << text << diagnostics_.all()[0].message;
  EXPECT_TRUE(StructuralEqual(module->functions()[0].func, again->functions()[0].func));
  EXPECT_EQ(PrintModule(*again, options), text);
  options.constants = ConstantsMode::kElide;
  const std::string elided = PrintModule(*module, options);
  const auto hashes = Parse(elided);
  ASSERT_TRUE(hashes) << elided << diagnostics_.all()[0].message;
  EXPECT_EQ(PrintModule(*hashes, options), elided);
  EXPECT_EQ(PrintModule(*hashes), elided);
}

TEST_F(ConstantTableParserTest, MutatedTablesEndInDiagnostics) {
  WriteFile("m.safetensors");
  const std::string good = Module(
      "I.constant(\"w\", [1, -2, 3], \"int8\", [3], align=16, pools=[\"flash\"]), "
      "I.constant(\"part\", I.slice(\"w\", 1), \"int8\", [2]), "
      "I.constant(\"two\", I.splat(2), \"int16\", [4, 4]), "
      "I.constant(\"f\", I.file(\"m.safetensors\", \"w\"), \"int8\", [3])");
  ASSERT_TRUE(Parse(good));
  std::mt19937_64 random(3);
  const std::string_view alphabet = "0123456789\"[](){},=.-Iw ";
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (uint64_t n = 1 + random() % 3; n > 0; --n) {
      const size_t at = text.find("tenon") + random() % 300;
      if (random() % 2 == 0) {
        text.erase(at, 1 + random() % 4);
      } else {
        text[at] = alphabet[random() % alphabet.size()];
      }
    }
    if (const auto module = Parse(text)) PrintModule(*module);
  }
}

}  // namespace
}  // namespace tenon
