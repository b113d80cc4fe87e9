#include "support/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/little_endian.h"
#include "tests/unit/support/io_test_util.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A .npy file of format version `major` with this dictionary and data.
std::string Npy(std::string_view dictionary, std::string_view data, int major = 1) {
  std::string text("\x93NUMPY", 6);
  text.push_back(static_cast<char>(major));
  text.push_back('\0');
  if (major == 1) {
    AppendLittleEndian(static_cast<uint16_t>(dictionary.size()), &text);
  } else {
    AppendLittleEndian(static_cast<uint32_t>(dictionary.size()), &text);
  }
  return text + std::string(dictionary) + std::string(data);
}

std::string Dictionary(std::string_view descr, std::string_view shape, bool fortran = false) {
  return "{'descr': '" + std::string(descr) +
         "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + std::string(shape) + ", }\n";
}

TEST(NpyTest, AllTypesInBothByteOrders) {
  const std::pair<const char*, const char*> kTypes[] = {
      {"i1", "int8"},    {"i2", "int16"},   {"i4", "int32"},   {"i8", "int64"},
      {"u1", "uint8"},   {"u2", "uint16"},  {"u4", "uint32"},  {"u8", "uint64"},
      {"f2", "float16"}, {"f4", "float32"}, {"f8", "float64"}, {"b1", "bool"}};
  for (const auto& [code, dtype] : kTypes) {
    const size_t size = static_cast<size_t>(code[1] - '0');
    std::string data;
    std::string swapped;
    for (size_t element = 0; element < 3; ++element) {
      for (size_t i = 0; i < size; ++i) {
        data.push_back(static_cast<char>(size == 1 ? element % 2 : element * size + i));
        swapped.push_back(
            static_cast<char>(size == 1 ? element % 2 : element * size + size - 1 - i));
      }
    }
    for (const char* order : {"<", ">", "=", ""}) {
      const bool big = order[0] == '>';
      const auto array =
          ParseNpy(Npy(Dictionary(std::string(order) + code, "(3,)"), big ? swapped : data));
      ASSERT_TRUE(array.ok()) << array.status();
      EXPECT_EQ(array->dtype, dtype);
      EXPECT_THAT(array->shape, ElementsAre(3));
      EXPECT_EQ(array->bytes, data) << order << code;
    }
    EXPECT_EQ(ParseNpy(Npy(Dictionary(std::string("|") + code, "(3,)"), data)).ok(), size == 1);
  }
}

TEST(NpyTest, AllVersions) {
  for (int major : {1, 2, 3}) {
    const auto array = ParseNpy(Npy(Dictionary("|u1", "(2, 1)"), "ab", major));
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->bytes, "ab");
  }
  EXPECT_THAT(Message(ParseNpy(Npy(Dictionary("|u1", "(2,)"), "ab", 4)).status()),
              HasSubstr("version 4.0 is unknown"));
}

TEST(NpyTest, HeadersInOtherSpellings) {
  for (const char* text : {
           "{\"descr\": \"<i2\", \"fortran_order\": False, \"shape\": (2L,)}",
           "{'shape':(2,),'fortran_order':False,'descr':'<i2'}",
           "  { 'shape' : ( 2 , ) , 'descr' : '<i2' , 'fortran_order' : False , }   \n",
       }) {
    const auto array = ParseNpy(Npy(text, "abcd"));
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->bytes, "abcd");
    EXPECT_THAT(array->shape, ElementsAre(2));
  }
}

TEST(NpyTest, ScalarsAndEmptyArrays) {
  const auto scalar = ParseNpy(Npy(Dictionary("<f4", "()"), "abcd"));
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_TRUE(scalar->shape.empty());
  const auto empty = ParseNpy(Npy(Dictionary("<f4", "(1000000000000, 0)", true), ""));
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_TRUE(empty->bytes.empty());
}

TEST(NpyTest, FortranOrderBecomesCOrder) {
  // Element (i, j, k) of shape (2, 3, 4) holds 12 i + 4 j + k, its place in C order.
  std::string fortran;
  for (int16_t k = 0; k < 4; ++k) {
    for (int16_t j = 0; j < 3; ++j) {
      for (int16_t i = 0; i < 2; ++i) {
        AppendLittleEndian(static_cast<int16_t>(12 * i + 4 * j + k), &fortran);
      }
    }
  }
  std::string expected;
  for (int16_t i = 0; i < 24; ++i) AppendLittleEndian(i, &expected);
  const auto array = ParseNpy(Npy(Dictionary("<i2", "(2, 3, 4)", true), fortran));
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->bytes, expected);
  EXPECT_EQ(ParseNpy(Npy(Dictionary("|u1", "(4,)", true), "abcd"))->bytes, "abcd");
}

TEST(NpyTest, WrongValuesAreReported) {
  const auto header = [](std::string_view text) { return Npy(text, "abcd"); };
  const std::pair<std::string, const char*> kLies[] = {
      {"", "ends within its magic number"},
      {"not numpy at all", "not an npy file"},
      {Npy(Dictionary("<i4", "(2,)"), "abcd"), "has 4 bytes of data, but int32 (2) takes 8"},
      {Npy(Dictionary("<i4", "(1,)"), "abcde"), "has 5 bytes of data, but int32 (1) takes 4"},
      {Npy(Dictionary("<f8", "(1000000000, 1000000000, 1000)"), ""), "impossible shape"},
      {Npy(Dictionary("<f8", "(4611686018427387904,)"), ""), "extent of 2^62 or more"},
      {Npy(Dictionary("<f8", "(99999999999999999999999,)"), ""), "extent of 2^62 or more"},
      {Npy(Dictionary("<i1", "(-4,)"), "abcd"), "negative extent"},
      {Npy(Dictionary("|i1", "(4)"), "abcd"), "is not a tuple"},
      {Npy(Dictionary("|i1", "(2 2)"), "abcd"), "expected `,` or `)`"},
      {Npy(Dictionary("|i1", "4"), "abcd"), "expected `(`"},
      {Npy(Dictionary("<V2", "(2,)"), "abcd"), "perhaps NumPy's bfloat16"},
      {Npy(Dictionary("|V2", "(2,)"), "abcd"), "perhaps NumPy's bfloat16"},
      {Npy(Dictionary("|V1", "(4,)"), "abcd"), "8-bit floats"},
      {Npy(Dictionary("<c8", "(1,)"), "abcd"), "type `<c8` is not supported"},
      {Npy(Dictionary("|O", "(1,)"), "abcd"), "type `|O` is not supported"},
      {Npy(Dictionary("<U1", "(1,)"), "abcd"), "type `<U1` is not supported"},
      {Npy(Dictionary("<i3", "(1,)"), "abcd"), "type `<i3` is not supported"},
      {Npy(Dictionary("|i4", "(1,)"), "abcd"), "`|i4` has no byte order"},
      {Npy(Dictionary("", "(1,)"), "abcd"), "type `` is not supported"},
      {Npy(Dictionary("|b1", "(4,)"), std::string_view("\0\1\2\1", 4)), "npy bool 2 is 2"},
      {header("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}"), "structured"},
      {header("{'descr': '<i4', 'shape': (1,)}"), "has no `fortran_order`"},
      {header("{'descr': '<i4', 'fortran_order': False}"), "has no `shape`"},
      {header("{}"), "has no `descr`"},
      {header("{'descr': '<i4', 'descr': '<i4'}"), "has `descr` twice"},
      {header("{'x': 1}"), "unknown key `x`"},
      {header("{'descr': '<i4' 'shape': (1,)}"), "expected `}`"},
      {header("{'fortran_order': 0}"), "expected `True` or `False`"},
      {header("{'descr': '<i4"), "unclosed string"},
      {header("{'descr': '\n'}"), "unexpected character"},
      {header("{'" + std::string(100, 'k') + "': 1}"), "more than 64 characters"},
      {header("[1]"), "expected `{`"},
      {header(Dictionary("<i4", "(1,)") + "x"), "expected the end"},
      {header(Dictionary("<i4", "(1,)") + std::string(1, '\0')), "expected the end"},
  };
  for (const auto& [text, message] : kLies) {
    EXPECT_THAT(Message(ParseNpy(text).status()), HasSubstr(message));
  }
}

TEST(NpyTest, HeaderLengthsAreChecked) {
  std::string text = Npy(Dictionary("|u1", "(4,)"), "abcd", 2);
  text[11] = '\x7f';
  EXPECT_THAT(Message(ParseNpy(text).status()), HasSubstr("longer than the limit of 1048576"));
  text[11] = '\0';
  text[9] = '\x40';
  EXPECT_THAT(Message(ParseNpy(text).status()), HasSubstr("left"));
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  EXPECT_THAT(Message(ParseNpy(Npy(Dictionary("|u1", many + ")"), "a")).status()),
              HasSubstr("more than 64 dimensions"));
}

TEST(NpyTest, WrittenFilesAreAlignedAndComeBack) {
  TempFolder folder;
  const std::string path = folder.File("a.npy");
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{}, {6}, {2, 3}, {1, 1, 6, 1}, {0}, std::vector<int64_t>(60, 1)}) {
    int64_t elements = 1;
    for (int64_t extent : shape) elements *= extent;
    const std::string bytes(static_cast<size_t>(elements) * 4, 'q');
    ASSERT_TRUE(WriteNpy(path, "float32", shape, bytes).ok());
    const std::string text = ReadText(path);
    EXPECT_EQ((text.size() - bytes.size()) % 64, 0u);
    EXPECT_EQ(text[text.size() - bytes.size() - 1], '\n');
    const auto array = ReadNpy(path);
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->dtype, "float32");
    EXPECT_EQ(array->shape, shape);
    EXPECT_EQ(array->bytes, bytes);
  }
}

TEST(NpyTest, TheHeaderIsNumPys) {
  const std::vector<int64_t> shape = {2, 3};
  EXPECT_EQ(*EncodeNpyHeader("int8", shape),
            std::string("\x93NUMPY\x01\x00v\x00", 10) +
                "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }" +
                std::string(58, ' ') + "\n");
}

TEST(NpyTest, RefusesToWriteInvalidArrays) {
  TempFolder folder;
  const std::vector<int64_t> shape = {2};
  EXPECT_THAT(Message(WriteNpy(folder.File("a"), "bfloat16", shape, "abcd")),
              HasSubstr("cannot hold the type `bfloat16`"));
  EXPECT_THAT(Message(WriteNpy(folder.File("a"), "int8", shape, "abc")),
              HasSubstr("3 bytes of data, expected those of int8 (2)"));
  EXPECT_EQ(folder.Count(), 0u);
}

TEST(NpyTest, ErrorsOfAFileNameIt) {
  TempFolder folder;
  WriteText(folder.File("bad.npy"), "\x93NUMPY");
  EXPECT_THAT(Message(ReadNpy(folder.File("bad.npy")).status()),
              StartsWith("`" + folder.File("bad.npy") + "`: npy file ends"));
}

TEST(NpyTest, EveryPrefixIsRefused) {
  for (int major : {1, 2}) {
    const std::string text = Npy(Dictionary("<i2", "(2, 3)"), "abcdefghijkl", major);
    ASSERT_TRUE(ParseNpy(text).ok());
    for (size_t size = 0; size < text.size(); ++size) {
      EXPECT_FALSE(ParseNpy(text.substr(0, size)).ok()) << size;
    }
  }
}

TEST(NpyTest, MutationsAreRefusedOrConsistent) {
  std::mt19937 random(29);
  int parsed = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string text =
        Mutate(Npy(Dictionary(">i2", "(2, 3)", i % 2 == 0), "abcdefghijkl"), random);
    const auto array = ParseNpy(text);
    if (!array.ok()) continue;
    ++parsed;
    const auto header = EncodeNpyHeader(array->dtype, array->shape);
    ASSERT_TRUE(header.ok());
    const auto again = ParseNpy(*header + array->bytes);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->bytes, array->bytes);
  }
  EXPECT_GT(parsed, 50);
}

TEST(NpyTest, EveryFileOfTheCorpusIsRead) {
  const std::filesystem::path models = CorpusFolder() / "models";
  if (!std::filesystem::exists(models)) GTEST_SKIP() << "no corpus at " << models;
  TempFolder folder;
  int count = 0;
  for (const auto& model : std::filesystem::directory_iterator(models)) {
    for (const char* name : {"input0.npy", "expected0.npy", "tflite0.npy"}) {
      const auto array = ReadNpy((model.path() / name).string());
      ASSERT_TRUE(array.ok()) << array.status();
      const bool is_float = model.path().filename().string().ends_with("float");
      EXPECT_EQ(array->dtype, is_float ? "float32" : "int8");
      ASSERT_TRUE(WriteNpy(folder.File("copy"), array->dtype, array->shape, array->bytes).ok());
      EXPECT_EQ(ReadText(folder.File("copy")), ReadText((model.path() / name).string()));
      ++count;
    }
  }
  EXPECT_EQ(count, 24);
}

}  // namespace
}  // namespace tenon
