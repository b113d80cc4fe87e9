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
        "size\n"sv, "{1: 2}"sv, "id,lower,upper\n"sv, "a, size = f()\n"sv, "\x08\x00\x12"sv,
        "\x08\x07\x7f"sv, "\x80\x09"sv, "\xf8\x0f\0\0\0\0\0\0 {"sv}) {
    EXPECT_EQ(FileKindOf(text), FileKind::kOther) << text;
    EXPECT_EQ(WrongKindMessage("m.py", text, ReaderKind::kModules), "");
    EXPECT_EQ(WrongKindMessage("m.py", text, ReaderKind::kProblems), "");
  }
}

TEST(FileKind, KindsOfText) {
  EXPECT_EQ(FileKindOf("id,lower,upper,size\nb,0,1,2\n"), FileKind::kCsv);
  EXPECT_EQ(FileKindOf("size;id\r\n"), FileKind::kCsv);
  EXPECT_EQ(FileKindOf("\n { \"buffers\": []}"), FileKind::kJson);
  EXPECT_EQ(FileKindOf("# a module\n@T.prim_func\ndef f():"), FileKind::kModule);
}

TEST(FileKind, ModelsOfOnnxAsText) {
  EXPECT_EQ(FileKindOf("ir_version: 8\ngraph {\n}\n"), FileKind::kOnnxTextProto);
  EXPECT_EQ(FileKindOf("# made by hand\n\nir_version: 8\n"), FileKind::kOnnxTextProto);
  EXPECT_EQ(FileKindOf("<\n  ir_version: 8,\n  opset_import: [\"\" : 20]\n>\n"),
            FileKind::kOnnxText);
  EXPECT_EQ(FileKindOf("{\n  \"irVersion\": \"8\"}"), FileKind::kOnnxJson);
  EXPECT_EQ(
      WrongKindMessage("m.pbtxt", "ir_version: 8\n", ReaderKind::kModules),
      "`m.pbtxt` is an ONNX model as text; make an .onnx file of it: python3 -c 'import onnx; "
      "onnx.save(onnx.load(\"m.pbtxt\", \"textproto\"), \"m.pbtxt.onnx\")'");
}

TEST(FileKind, TensorsOfOnnx) {
  EXPECT_EQ(FileKindOf("\x08\x80\x01\x08\x03\x10\x01\x42\x01x"sv), FileKind::kOnnxTensor);
  EXPECT_EQ(FileKindOf("\x10\x07\x4a\x08"sv), FileKind::kOnnxTensor);
  EXPECT_NE(ArrayFileMessage("input_0.pb", "\x08\x03\x10\x01\x42\x01x"sv, ArrayFile::kNpy)
                .find("onnx.load_tensor(\"input_0.pb\")"),
            std::string::npos);
  EXPECT_EQ(ArrayFileMessage("x.npy", "\x93NUMPY\x01\0"sv, ArrayFile::kNpy), "");
}

TEST(FileKind, FilesThatOnlyTheirNamesCallModels) {
  const std::string onnx = WrongKindMessage("m.onnx", "", ReaderKind::kModules);
  EXPECT_EQ(onnx.find("`m.onnx` is not an ONNX model: expected ir_version"), 0);
  const std::string tflite = WrongKindMessage("m.tflite", "\x1c\0\0\0TFL2"sv, ReaderKind::kModules);
  EXPECT_EQ(tflite.find("`m.tflite` is not a model of TensorFlow Lite"), 0);
  // A model without a graph is a model; its reader says what it lacks.
  EXPECT_EQ(FileKindOf("\x08\x0a"sv), FileKind::kOnnx);
}

TEST(FileKind, MessageSaysWhatTheFileIsAndWhatToType) {
  const std::string_view model = "\x1c\0\0\0TFL3\x14\0"sv;
  EXPECT_EQ(
      WrongKindMessage("kws.tflite", model, ReaderKind::kProblems),
      "`kws.tflite` is a TensorFlow Lite model; write its planning problem with `tenon report "
      "kws.tflite --problem=problem.json`, and plan that");
  EXPECT_EQ(WrongKindMessage("m.onnx", "\x08\x07\x12\x07pytorch"sv, ReaderKind::kModules),
            "`m.onnx` is an ONNX model; expected the text of a module");
  EXPECT_EQ(WrongKindMessage("p.json", "{\"pools\": []}", ReaderKind::kModules),
            "`p.json` is JSON; expected a module; `tenon plan p.json` reads planning problems");
  EXPECT_EQ(WrongKindMessage("p.csv", "id,size\n", ReaderKind::kModules),
            "`p.csv` is a table of buffers; expected a module; plan it with `tenon plan p.csv`");
  EXPECT_EQ(WrongKindMessage("p.csv", "id,size\n", ReaderKind::kReports),
            "`p.csv` is a table of buffers; expected what `tenon report --json` writes");
  const std::string long_path(200, 'd');
  EXPECT_TRUE(WrongKindMessage(long_path, "id,size\n", ReaderKind::kModules)
                  .ends_with("plan it with `tenon plan " + long_path + "`"));
  EXPECT_TRUE(WrongKindMessage("p\tq.csv", "id,size\n", ReaderKind::kModules)
                  .ends_with("plan it with `tenon plan FILE`"));
  // Each reader takes its own kinds.
  EXPECT_EQ(WrongKindMessage("p.json", "{\"pools\": []}", ReaderKind::kProblems), "");
  EXPECT_EQ(WrongKindMessage("p.csv", "id,size\n", ReaderKind::kProblems), "");
  EXPECT_EQ(WrongKindMessage("m.py", "@T.prim_func", ReaderKind::kModules), "");
  EXPECT_EQ(WrongKindMessage("a\nb", "PK\x03\x04"sv, ReaderKind::kModules).find('\n'),
            std::string::npos);
}

}  // namespace
}  // namespace tenon
