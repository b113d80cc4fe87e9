#include "support/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "support/shown_text.h"

namespace tenon {

namespace {

using std::string_view_literals::operator""sv;

/// ModelProto begins with ir_version (a small varint), followed by another field: producer name,
/// producer version, domain, model version, doc string, graph or opset import.
bool IsOnnx(std::string_view bytes) {
  constexpr std::string_view kNextTags = "\x12\x1a\x22\x28\x32\x3a\x42"sv;
  return bytes.size() >= 2 && bytes[0] == '\x08' && bytes[1] > 0 && bytes[1] < 32 &&
         (bytes.size() == 2 || kNextTags.find(bytes[2]) != std::string_view::npos);
}

/// TensorProto begins with the extents (varints of field 1) and the type, followed by elements or
/// the name.
bool IsOnnxTensor(std::string_view bytes) {
  constexpr size_t kMostDimensions = 16;
  for (size_t i = 0; i < kMostDimensions && bytes.starts_with('\x08'); ++i) {
    bytes.remove_prefix(1);
    while (!bytes.empty() && static_cast<uint8_t>(bytes[0]) >= 0x80) bytes.remove_prefix(1);
    if (!bytes.empty()) bytes.remove_prefix(1);
  }
  constexpr std::string_view kNextTags =
      "\x22\x25\x28\x2a\x32\x38\x3a\x42\x4a\x51\x52\x58\x5a\x62"sv;
  return bytes.size() > 2 && bytes[0] == '\x10' && bytes[1] > 0 && bytes[1] < 32 &&
         kNextTags.find(bytes[2]) != std::string_view::npos;
}

/// Headers have less than 2^32 bytes in files of today.
bool IsSafetensors(std::string_view bytes) {
  return bytes.size() > 8 && bytes[8] == '{' && bytes.substr(4, 4) == "\0\0\0\0"sv;
}

bool IsZip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  return text;
}

/// An object begins with the quoted name of its first member.
bool IsJson(std::string_view bytes) {
  const std::string_view text = WithoutBlanks(bytes);
  return text.starts_with('{') && WithoutBlanks(text.substr(1)).starts_with('"');
}

/// The version of the format is the first field of a model in each of the three forms of text.
std::optional<FileKind> OnnxTextKind(std::string_view bytes) {
  std::string_view text = WithoutBlanks(bytes);
  while (text.starts_with('#')) {
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    text = WithoutBlanks(text);
  }
  if (text.starts_with("ir_version:")) return FileKind::kOnnxTextProto;
  if (text.starts_with('<') && WithoutBlanks(text.substr(1)).starts_with("ir_version:"))
    return FileKind::kOnnxText;
  if (text.starts_with('{') && WithoutBlanks(text.substr(1)).starts_with("\"irVersion\""))
    return FileKind::kOnnxJson;
  return std::nullopt;
}

/// The first line has several words, separated alike, and one of them is `size`.
bool IsCsv(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find_first_of("\r\n"));
  const size_t end =
      line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  if (end == 0 || end == std::string_view::npos || (line[end] != ',' && line[end] != ';'))
    return false;
  const std::string all = fmt::format("{0}{1}{0}", line[end], line);
  return all.find(fmt::format("{0}size{0}", line[end])) != std::string::npos;
}

/// The head of a module as TVM and Tenon print it.
bool IsModule(std::string_view bytes) {
  constexpr size_t kHead = 4096;
  const std::string_view head = bytes.substr(0, kHead);
  return head.find("@T.prim_func") != std::string_view::npos ||
         head.find("@I.ir_module") != std::string_view::npos;
}

struct FileKindText {
  FileKind kind;
  std::string_view name;
  /// For readers of modules and of problems: `{}` is the path. If empty, they say what they read.
  std::string_view for_modules;
  std::string_view for_problems;
};

constexpr std::string_view kGetModule =
    "Tenon reads TVMScript, .tflite and .onnx; docs/guide/getting_a_model.md says how to make one "
    "from a "
    "model";
constexpr std::string_view kGetProblem = "expected a planning problem, in JSON or CSV";
constexpr std::string_view kWriteProblem =
    "write its planning problem with `tenon report {} --problem=problem.json`, and plan that";

constexpr std::string_view kConvertTextProto =
    "make an .onnx file of it: python3 -c 'import onnx; onnx.save(onnx.load(\"{0}\", "
    "\"textproto\"), \"{0}.onnx\")'";
constexpr std::string_view kConvertOnnxText =
    "make an .onnx file of it: python3 -c 'import onnx; onnx.save(onnx.load(\"{0}\", \"onnxtxt\"), "
    "\"{0}.onnx\")'";
constexpr std::string_view kConvertOnnxJson =
    "make an .onnx file of it: python3 -c 'import onnx; onnx.save(onnx.load(\"{0}\", \"json\"), "
    "\"{0}.onnx\")'";

constexpr FileKindText kTexts[] = {
    {FileKind::kModule, "a module", "", kWriteProblem},
    {FileKind::kJson, "JSON", "expected a module; `tenon plan {}` reads planning problems", ""},
    {FileKind::kCsv, "a table of buffers", "expected a module; plan it with `tenon plan {}`", ""},
    {FileKind::kTflite, "a TensorFlow Lite model", "expected the text of a module", kWriteProblem},
    {FileKind::kOnnx, "an ONNX model", "expected the text of a module", kWriteProblem},
    {FileKind::kOnnxTextProto, "an ONNX model as text", kConvertTextProto, kConvertTextProto},
    {FileKind::kOnnxText, "an ONNX model as text", kConvertOnnxText, kConvertOnnxText},
    {FileKind::kOnnxJson, "an ONNX model as JSON", kConvertOnnxJson, kConvertOnnxJson},
    {FileKind::kOnnxTensor, "a tensor of ONNX",
     "give the model first, and arrays with --input, --output and --expect of `tenon run`",
     kGetProblem},
    {FileKind::kHdf5, "an HDF5 file, such as a Keras model", kGetModule, kGetProblem},
    {FileKind::kZip, "a zip archive, such as a PyTorch or Keras model", kGetModule, kGetProblem},
    {FileKind::kElf, "an ELF object or program",
     "Tenon reads TVMScript: give it the text from which the object was made", kGetProblem},
    {FileKind::kNpy, "a NumPy array",
     "give the module first, and arrays with --input, --output and --expect of `tenon run`",
     kGetProblem},
    {FileKind::kPickle, "a Python pickle, such as a PyTorch or scikit-learn model", kGetModule,
     kGetProblem},
    {FileKind::kSafetensors, "a safetensors file",
     "give the module that names it, or a module and --constants-from=FILE", kGetProblem},
    {FileKind::kPackage, "a package of Tenon",
     "run it with `tenon run {0}`, or extract its text with `tenon package extract {0}`",
     kGetProblem},
};

std::string_view AdviceOf(const FileKindText& text, ReaderKind reader) {
  switch (reader) {
    case ReaderKind::kModules:
      return text.for_modules;
    case ReaderKind::kProblems:
      return text.for_problems;
    case ReaderKind::kReports:
      break;
  }
  return text.kind == FileKind::kJson ? "" : "expected what `tenon report --json` writes";
}

/// The path as a user types it inside quotes, or `otherwise` for a path that is escaped in
/// messages or has quotes itself.
std::string_view TypedPath(std::string_view path, std::string_view otherwise) {
  const bool can_type =
      EscapeControls(path) == path && path.find_first_of("'\"\\") == std::string_view::npos;
  return can_type ? path : otherwise;
}

/// The message about a file that its name calls a model, although its bytes are something else.
std::string NoModelMessage(std::string_view path) {
  const std::string shown = EscapeControls(path);
  if (path.ends_with(".onnx")) {
    return fmt::format(
        "`{}` is not an ONNX model: expected ir_version in the first bytes; python3 -c 'import "
        "onnx; "
        "onnx.checker.check_model(\"{}\")' says what is wrong",
        shown, TypedPath(path, "FILE"));
  }
  if (path.ends_with(".tflite")) {
    return fmt::format(
        "`{}` is not a model of TensorFlow Lite: expected `TFL3` in bytes 4 to 7; convert or "
        "download "
        "it again",
        shown);
  }
  return "";
}

}  // namespace

FileKind FileKindOf(std::string_view bytes) {
  if (bytes.size() >= 8 && bytes.substr(4, 4) == "TFL3") return FileKind::kTflite;
  if (bytes.starts_with(kPackageMagic)) return FileKind::kPackage;
  if (IsSafetensors(bytes)) return FileKind::kSafetensors;
  if (bytes.starts_with("\x89HDF\r\n\x1a\n")) return FileKind::kHdf5;
  if (IsZip(bytes)) return FileKind::kZip;
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return FileKind::kElf;
  if (bytes.starts_with("\x93NUMPY")) return FileKind::kNpy;
  if (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5)
    return FileKind::kPickle;
  if (IsOnnx(bytes)) return FileKind::kOnnx;
  if (IsOnnxTensor(bytes)) return FileKind::kOnnxTensor;
  if (const std::optional<FileKind> text = OnnxTextKind(bytes)) return *text;
  if (IsJson(bytes)) return FileKind::kJson;
  if (IsCsv(bytes)) return FileKind::kCsv;
  return IsModule(bytes) ? FileKind::kModule : FileKind::kOther;
}

std::string WrongKindMessage(std::string_view path, std::string_view bytes, ReaderKind reader) {
  const FileKind kind = FileKindOf(bytes);
  for (const FileKindText& text : kTexts) {
    const std::string_view advice = AdviceOf(text, reader);
    if (text.kind != kind || advice.empty()) continue;
    return fmt::format("`{}` is {}; {}", EscapeControls(path), text.name,
                       fmt::format(fmt::runtime(advice), TypedPath(path, "FILE")));
  }
  const bool is_other = kind == FileKind::kOther && reader == ReaderKind::kModules;
  return is_other ? NoModelMessage(path) : "";
}

std::string ArrayFileMessage(std::string_view path, std::string_view bytes, ArrayFile reader) {
  // Only the first bytes: FileKindOf reads the first line, and files of arrays may be huge.
  if (IsSafetensors(bytes)) return "";
  const std::string shown = EscapeControls(path);
  if (IsOnnxTensor(bytes) && reader == ArrayFile::kNpy) {
    return fmt::format(
        "`{0}` is a tensor of ONNX; expected an array: python3 -c 'import numpy, onnx; "
        "numpy.save(\"{1}.npy\", onnx.numpy_helper.to_array(onnx.load_tensor(\"{1}\")))' makes one",
        shown, TypedPath(path, "FILE"));
  }
  if (!IsZip(bytes)) return "";
  const std::string_view name = TypedPath(path, "FILE.npz");
  constexpr std::string_view kSuffix = ".npz";
  std::string_view stem = name;
  if (stem.ends_with(kSuffix)) stem.remove_suffix(kSuffix.size());
  if (reader == ArrayFile::kNpy) {
    return fmt::format(
        "`{}` is a zip archive, such as NumPy's .npz; expected an array: python3 -c 'import numpy; "
        "[numpy.save(n, a) for n, a in numpy.load(\"{}\").items()]' writes each to its .npy file",
        shown, name);
  }
  return fmt::format(
      "`{}` is a zip archive, such as NumPy's .npz; expected safetensors: python3 -c 'import "
      "numpy, safetensors.numpy as s; s.save_file({{n: numpy.array(a, order=\"C\") for n, a in "
      "numpy.load(\"{}\").items()}}, \"{}.safetensors\")' converts it",
      shown, name, stem);
}

}  // namespace tenon
