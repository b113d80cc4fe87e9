#include "parser/constant_list.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

#include "printer/constant_text.h"
#include "tests/unit/support/corpus.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Print(std::span<const uint8_t> bytes, DataType dtype) {
  Sink sink;
  AppendConstantElements(bytes, dtype, sink);
  return sink.Take();
}

struct Parsed {
  bool ok = false;
  ConstantListResult list;
  Diagnostics diagnostics;

  std::string FirstError() const {
    return diagnostics.all().empty() ? "" : diagnostics.all().front().message;
  }
};

Parsed Parse(std::string_view text, DataType dtype, int64_t expected = -1) {
  Parsed result;
  result.ok = ParseConstantList(text, 0, dtype, 100, expected, result.diagnostics, &result.list);
  EXPECT_EQ(result.ok, !result.diagnostics.has_errors());
  return result;
}

template <typename T>
std::vector<T> Values(const Parsed& parsed) {
  std::vector<T> values(parsed.list.bytes.size() / sizeof(T));
  std::memcpy(values.data(), parsed.list.bytes.data(), values.size() * sizeof(T));
  return values;
}

void ExpectRoundTrip(std::span<const uint8_t> bytes, DataType dtype) {
  const std::string text = "[" + Print(bytes, dtype) + "]";
  const Parsed parsed = Parse(text, dtype);
  ASSERT_TRUE(parsed.ok) << parsed.FirstError();
  EXPECT_EQ(parsed.list.end, text.size());
  EXPECT_EQ(parsed.list.count * dtype.element_bytes(), static_cast<int64_t>(bytes.size()));
  ASSERT_TRUE(
      std::equal(bytes.begin(), bytes.end(), parsed.list.bytes.begin(), parsed.list.bytes.end()))
      << dtype.ToString();
}

TEST(ConstantListTest, ReadsIntegersOfEveryWidth) {
  EXPECT_THAT(Values<int8_t>(Parse("[1, -2, 127, -128,0 , 5]", DataType::Int(8))),
              ElementsAre(1, -2, 127, -128, 0, 5));
  EXPECT_THAT(Values<uint16_t>(Parse("[0x1F, 65535, 0o17, 0b101]", DataType::UInt(16))),
              ElementsAre(31, 65535, 15, 5));
  EXPECT_THAT(Values<int32_t>(Parse("[-2147483648, 2147483647]", DataType::Int(32))),
              ElementsAre(INT32_MIN, INT32_MAX));
  EXPECT_THAT(Values<int64_t>(
                  Parse("[-9223372036854775808, 9223372036854775807, -0x10]", DataType::Int(64))),
              ElementsAre(INT64_MIN, INT64_MAX, -16));
  EXPECT_THAT(Values<uint64_t>(Parse("[18446744073709551615, 1, 0]", DataType::UInt(64))),
              ElementsAre(UINT64_MAX, 1, 0));
  EXPECT_THAT(Values<uint8_t>(Parse("[True, False, 1, 0,]", DataType::Bool())),
              ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(Values<int8_t>(Parse("[7, -8]", DataType::Int(4))), ElementsAre(7, -8));
}

TEST(ConstantListTest, ReadsWhatPythonAllowsBetweenElements) {
  const Parsed parsed = Parse("[ 1 # one ], [\n,\t2,\r\n  +3, # \"\n]  rest", DataType::Int(16));
  EXPECT_TRUE(parsed.ok) << parsed.FirstError();
  EXPECT_THAT(Values<int16_t>(parsed), ElementsAre(1, 2, 3));
  EXPECT_TRUE(Parse("[]", DataType::Int(8)).ok);
  EXPECT_EQ(Parse("[]", DataType::Int(8)).list.count, 0);
}

TEST(ConstantListTest, FlattensListsOfEqualLength) {
  const Parsed parsed =
      Parse("[[[1, 2, 3], [4, 5, 6],], [[7, 8, 9], [10, 11, 12]]]", DataType::Int(8));
  EXPECT_TRUE(parsed.ok) << parsed.FirstError();
  EXPECT_THAT(Values<int8_t>(parsed), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(parsed.list.extents, ElementsAre(2, 2, 3));
  EXPECT_FALSE(Parse("[[1, 2], [3]]", DataType::Int(8)).ok);
  EXPECT_FALSE(Parse("[[1, 2], 3]", DataType::Int(8)).ok);
  EXPECT_FALSE(Parse("[1, [2, 3]]", DataType::Int(8)).ok);
  EXPECT_FALSE(Parse("[[[1], [2]], [3, 4]]", DataType::Int(8)).ok);
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_THAT(Parse(deep, DataType::Int(8)).FirstError(), HasSubstr("200 nested lists"));
}

TEST(ConstantListTest, LocatesWrongElements) {
  const Parsed parsed = Parse("[1, 300, -129, 1.5, 5]", DataType::Int(8));
  EXPECT_FALSE(parsed.ok);
  ASSERT_EQ(parsed.diagnostics.all().size(), 3);
  const Diagnostic& first = parsed.diagnostics.all()[0];
  EXPECT_EQ(first.kind, DiagnosticKind::kLiteral);
  EXPECT_EQ(first.message, "`300` is out of range of int8, -128 to 127");
  EXPECT_EQ(first.range, (SourceRange{104, 107}));
  EXPECT_THAT(parsed.diagnostics.all()[2].message, HasSubstr("`1.5` is not an integer"));
  EXPECT_EQ(parsed.list.count, 5);
  EXPECT_EQ(parsed.list.end, 22);
}

TEST(ConstantListTest, RefusesInvalidElements) {
  for (const char* text : {"[1 2]",
                           "[1,,2]",
                           "[,]",
                           "[x]",
                           "[--1]",
                           "[- 1]",
                           "[1e]",
                           "[0x]",
                           "[1_0]",
                           "[007]",
                           "[True]",
                           "[\"inf\"]",
                           "[1.0]",
                           "[1;2]",
                           "[0x-1]",
                           "[18446744073709551616]",
                           "[99999999999999999999999999]",
                           "[+-1]",
                           "[T.int8(1)]",
                           "[1 \"nan\"]",
                           "[\xff]",
                           "['x']"}) {
    EXPECT_FALSE(Parse(text, DataType::Int(8)).ok) << text;
  }
  for (const char* text :
       {"[1e39]", "[-1e400]", "[inf]", "[nan]", "[1.0f]", "[e5]", "[.]", "[-]", "[\"infinity\"]",
        "[\"nan(0x7f800000)\"]", "[\"nan(0x1)\"]", "[1__0]", "[\"nan(0x1ffffffff)\"]", "[True]",
        "[340282356779733661637539395458142568448.0]"}) {
    EXPECT_FALSE(Parse(text, DataType::Float(32)).ok) << text;
  }
  for (const char* text : {"[", "[1, 2", "[1 # ]", "[\"]", "[[1]"}) {
    EXPECT_THAT(Parse(text, DataType::Int(8)).FirstError(), HasSubstr("never closed")) << text;
  }
  EXPECT_FALSE(Parse("[1]", DataType::Handle()).ok);
  EXPECT_FALSE(Parse("[1]", DataType::Int(128)).ok);
}

TEST(ConstantListTest, ReportsTheFirstFewMistakesOnly) {
  std::string text = "[";
  for (int i = 0; i < 10000; ++i) text += "x, ";
  const Parsed parsed = Parse(text + "]", DataType::Int(8));
  EXPECT_LE(parsed.diagnostics.all().size(), 4);
  EXPECT_EQ(parsed.list.count, 10000);
}

TEST(ConstantListTest, StoresNoMoreThanExpected) {
  const Parsed few = Parse("[1, 2, 3, 4]", DataType::Int(32), 2);
  EXPECT_TRUE(few.ok);
  EXPECT_EQ(few.list.count, 4);
  EXPECT_THAT(Values<int32_t>(few), ElementsAre(1, 2));
  const Parsed lie = Parse("[1, 2]", DataType::Int(32), int64_t{1} << 60);
  EXPECT_EQ(lie.list.count, 2);
  EXPECT_LE(lie.list.bytes.capacity(), 64);
}

TEST(ConstantListTest, RoundsOnceToFloat32) {
  // Rounding to double first would give the first two the same value.
  EXPECT_THAT(Values<float>(Parse("[1.00000005960464477540, 1.00000005960464477538, 3, -0.0, 1e-46,"
                                  " 0x10, 1e-999999999999999999999, 0e99999]",
                                  DataType::Float(32))),
              ElementsAre(1.0000001F, 1.0F, 3.0F, -0.0F, 0.0F, 16.0F, 0.0F, 0.0F));
  EXPECT_THAT(
      Values<double>(Parse("[1e-400, 2.5, 5, 1e308, 123456789012345678]", DataType::Float(64))),
      ElementsAre(0.0, 2.5, 5.0, 1e308, 123456789012345678.0));
}

TEST(ConstantListTest, RoundsOnceToSmallFloats) {
  // 1 + 2^-11 is halfway between two float16 values. A tiny difference decides the rounding, but is
  // lost in a double.
  const std::string tie = "1.00048828125";
  const std::string zeros(40, '0');
  const std::string nines(40, '9');
  const Parsed parsed =
      Parse(fmt::format("[{0}, {0}{1}1, 1.00048828124{2}, -{0}{1}1]", tie, zeros, nines),
            DataType::Float(16));
  EXPECT_THAT(Values<uint16_t>(parsed), ElementsAre(0x3c00, 0x3c01, 0x3c00, 0xbc01));
  EXPECT_FALSE(Parse("[65520]", DataType::Float(16)).ok);
  EXPECT_TRUE(Parse("[65519.99]", DataType::Float(16)).ok);
  EXPECT_FALSE(Parse("[\"inf\"]", DataType(TypeCode::kE4M3Float, 8)).ok);
  EXPECT_FALSE(Parse("[1000]", DataType(TypeCode::kE4M3Float, 8)).ok);
}

TEST(ConstantTextTest, WritesFloatsAsPythonDoes) {
  const std::vector<float> values = {
      3.0F,          -0.57527155F, 1e-05F, 1e16F,   1e15F,
      0.0001F,       -0.0F,        1e-45F, 0.1F,    16777216.0F,
      3.4028235e38F, 123456.0F,    1.5F,   1234.5F, std::numeric_limits<float>::infinity()};
  std::vector<uint8_t> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  EXPECT_EQ(Print(bytes, DataType::Float(32)),
            "3.0, -0.57527155, 1e-05, 1e+16, 1000000000000000.0, 0.0001, -0.0, 1e-45, 0.1, "
            "16777216.0, 3.4028235e+38, 123456.0, 1.5, 1234.5, \"inf\"");
}

TEST(ConstantTextTest, EveryElementOfOneAndTwoBytesComesBack) {
  for (const DataType dtype :
       {DataType::Int(8), DataType::UInt(8), DataType(TypeCode::kE4M3Float, 8),
        DataType(TypeCode::kE5M2Float, 8)}) {
    std::vector<uint8_t> bytes(256);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
    ExpectRoundTrip(bytes, dtype);
  }
  for (const DataType dtype : {DataType::Int(16), DataType::UInt(16), DataType::Float(16),
                               DataType(TypeCode::kBFloat, 16)}) {
    std::vector<uint8_t> bytes(2 * 65536);
    for (size_t i = 0; i < 65536; ++i) {
      bytes[2 * i] = static_cast<uint8_t>(i);
      bytes[2 * i + 1] = static_cast<uint8_t>(i >> 8);
    }
    ExpectRoundTrip(bytes, dtype);
  }
}

TEST(ConstantTextTest, RandomBitsOfEveryTypeComeBack) {
  std::mt19937_64 random(20);
  for (const DataType dtype : {DataType::Int(24), DataType::Int(32), DataType::UInt(32),
                               DataType::Int(48), DataType::Int(64), DataType::UInt(64),
                               DataType::Float(32), DataType::Float(64), DataType::Int(32, 4)}) {
    std::vector<uint8_t> bytes(static_cast<size_t>(dtype.element_bytes()) * 20000);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    ExpectRoundTrip(bytes, dtype);
  }
  std::vector<uint8_t> bools(1000);
  for (uint8_t& byte : bools) byte = random() & 1;
  ExpectRoundTrip(bools, DataType::Bool());
}

TEST(ConstantListTest, AgreesWithStrtofOnRandomDecimals) {
  std::mt19937_64 random(21);
  std::string text = "[";
  std::vector<float> expected;
  for (int i = 0; i < 50000; ++i) {
    const int exponent = static_cast<int>(random() % 60) - 30;
    const std::string one =
        fmt::format("{}.{}e{}", random() % 1000, random() >> (random() % 60), exponent);
    expected.push_back(std::strtof(one.c_str(), nullptr));
    text += one + ", ";
  }
  const Parsed parsed = Parse(text + "]", DataType::Float(32));
  ASSERT_TRUE(parsed.ok) << parsed.FirstError();
  EXPECT_EQ(Values<float>(parsed), expected);
}

TEST(ConstantListTest, MutatedListsEndInDiagnostics) {
  std::mt19937_64 random(22);
  const std::string good =
      "[[1, -2.5, 0x1f], [\"nan\", \"-inf\", 1e-05], # c\n [True, 12345678901, 0.1]]";
  const std::string_view alphabet = "[]\"'#,.-+e0x1 \n\\TnaN_(";
  const std::vector<DataType> types = {DataType::Int(8),    DataType::Bool(),
                                       DataType::Float(32), DataType::Float(64),
                                       DataType::Float(16), DataType::UInt(64)};
  for (int i = 0; i < 60000; ++i) {
    std::string text = good;
    for (uint64_t n = random() % 6; n > 0; --n) {
      const size_t at = 1 + random() % (text.size() - 1);
      const char c = alphabet[random() % alphabet.size()];
      if (random() % 3 == 0) {
        text.erase(at, 1);
      } else if (random() % 2 == 0) {
        text.insert(at, 1, c);
      } else {
        text[at] = c;
      }
    }
    const DataType dtype = types[random() % types.size()];
    const Parsed parsed = Parse(text, dtype, static_cast<int64_t>(random() % 12) - 1);
    EXPECT_LE(parsed.list.end, text.size());
    EXPECT_LE(parsed.diagnostics.all().size(), 4);
  }
}

// Reads and rewrites every list of `text`; returns the number of lists.
int ReproduceLists(const std::string& text) {
  int lists = 0;
  const std::string_view mark = "allocate_const(";
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const size_t open = at + mark.size();
    const size_t close = FindListEnd(text, open);
    if (close == std::string::npos) return -1;
    if (text.substr(close - 3, 3) == "...") continue;
    const size_t quote = text.find('"', close) + 1;
    const auto dtype = DataType::Parse(text.substr(quote, text.find('"', quote) - quote));
    Diagnostics diagnostics;
    ConstantListResult list;
    if (!ParseConstantList(text, open, *dtype, 1, -1, diagnostics, &list)) return -1;
    EXPECT_EQ(Print(list.bytes, *dtype), text.substr(open + 1, close - open - 1));
    ++lists;
  }
  return lists;
}

TEST(ConstantTextTest, ReproducesEveryListOfTheCorpus) {
  const std::filesystem::path corpus = CorpusFolder();
  if (!std::filesystem::exists(corpus)) GTEST_SKIP() << "no corpus at " << corpus;
  int lists = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus / "models")) {
    if (entry.path().extension() != ".py") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const int here = ReproduceLists(text);
    EXPECT_GE(here, 0) << entry.path();
    lists += here;
  }
  EXPECT_GT(lists, 100);
}

}  // namespace
}  // namespace tenon
