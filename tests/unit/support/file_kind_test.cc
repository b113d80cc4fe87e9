#include "support/file_kind.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tenon {
namespace {

using std::string_view_literals::operator""sv;

TEST(FileKind, KnowsFormatsByTheirFirstBytes) {
  EXPECT_EQ(FileKindOf("\x1c\0\0\0TFL3\x14\0"sv), FileKind::kTflite);
  EXPECT_EQ(FileKindOf("\x08\x07\x12\x07pytorch"sv), FileKind::kOnnx);
  EXPECT_EQ(FileKindOf("\x08\x04\x3a\x20"sv), FileKind::kOnnx);
  EXPECT_EQ(FileKindOf("\x89HDF\r\n\x1a\n\0"sv), FileKind::kHdf5);
  EXPECT_EQ(FileKindOf("PK\x03\x04\x14"sv), FileKind::kZip);
  EXPECT_EQ(FileKindOf("\x7f"
                       "ELF\x02"sv),
            FileKind::kElf);
  EXPECT_EQ(FileKindOf("\x93NUMPY\x01\0"sv), FileKind::kNpy);
  EXPECT_EQ(FileKindOf("\x80\x02}q"sv), FileKind::kPickle);
  EXPECT_EQ(FileKindOf("\xf8\x0f\0\0\0\0\0\0{\"w\""sv), FileKind::kSafetensors);
}

TEST(FileKind, TextIsOther) {
  for (const std::string_view text :
       {""sv, "\n"sv, "#"sv, "# from tvm.script import tir as T\n"sv, "PK = 1"sv, "TFL3"sv,
        "id,lower,upper,size\n"sv, "\x08\x00\x12"sv, "\x08\x07\x7f"sv, "\x80\x09"sv,
        "\xf8\x0f\0\0\0\0\0\0 {"sv}) {
    EXPECT_EQ(FileKindOf(text), FileKind::kOther) << text;
    EXPECT_EQ(NotTextMessage("m.py", text), "");
  }
}

TEST(FileKind, MessageSaysWhatTheFileIsAndWhatToDo) {
  EXPECT_EQ(NotTextMessage("kws.tflite", "\x1c\0\0\0TFL3\x14\0"sv),
            "`kws.tflite` is a TensorFlow Lite model; Tenon reads TVMScript; "
            "docs/getting_a_model.md says how to make it from a model");
  EXPECT_EQ(NotTextMessage("a\nb", "PK\x03\x04"sv).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace tenon
