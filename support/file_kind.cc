#include "support/file_kind.h"

#include <fmt/format.h>

#include "support/shown_text.h"

namespace tenon {

namespace {

using std::string_view_literals::operator""sv;

/// ModelProto begins with ir_version (a small varint), followed by another field: producer name,
/// producer version, domain, model version, doc string, graph or opset import.
bool IsOnnx(std::string_view bytes) {
  constexpr std::string_view kNextTags = "\x12\x1a\x22\x28\x32\x3a\x42"sv;
  return bytes.size() > 2 && bytes[0] == '\x08' && bytes[1] > 0 && bytes[1] < 32 &&
         kNextTags.find(bytes[2]) != std::string_view::npos;
}

/// Headers have less than 2^32 bytes in files of today.
bool IsSafetensors(std::string_view bytes) {
  return bytes.size() > 8 && bytes[8] == '{' && bytes.substr(4, 4) == "\0\0\0\0"sv;
}

struct FileKindText {
  FileKind kind;
  std::string_view name;
  std::string_view advice;
};

constexpr std::string_view kGetModule =
    "Tenon reads TVMScript; docs/getting_a_model.md says how to make it from a model";

constexpr FileKindText kTexts[] = {
    {FileKind::kTflite, "a TensorFlow Lite model", kGetModule},
    {FileKind::kOnnx, "an ONNX model", kGetModule},
    {FileKind::kHdf5, "an HDF5 file, such as a Keras model", kGetModule},
    {FileKind::kZip, "a zip archive, such as a PyTorch or Keras model", kGetModule},
    {FileKind::kElf, "an ELF object or program",
     "Tenon reads TVMScript: give it the text from which the object was made"},
    {FileKind::kNpy, "a NumPy array",
     "give the module first, and arrays with --input, --output and --expect of `tenon run`"},
    {FileKind::kPickle, "a Python pickle, such as a PyTorch or scikit-learn model", kGetModule},
    {FileKind::kSafetensors, "a safetensors file",
     "give the module that names it, or a module and --constants-from=FILE"},
    {FileKind::kPackage, "a package of Tenon",
     "run it with `tenon run`, or extract its text with `tenon package extract`"},
};

}  // namespace

FileKind FileKindOf(std::string_view bytes) {
  if (bytes.size() >= 8 && bytes.substr(4, 4) == "TFL3") return FileKind::kTflite;
  if (bytes.starts_with(kPackageMagic)) return FileKind::kPackage;
  if (IsSafetensors(bytes)) return FileKind::kSafetensors;
  if (bytes.starts_with("\x89HDF\r\n\x1a\n")) return FileKind::kHdf5;
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) return FileKind::kZip;
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return FileKind::kElf;
  if (bytes.starts_with("\x93NUMPY")) return FileKind::kNpy;
  if (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5)
    return FileKind::kPickle;
  return IsOnnx(bytes) ? FileKind::kOnnx : FileKind::kOther;
}

std::string NotTextMessage(std::string_view path, std::string_view bytes) {
  const FileKind kind = FileKindOf(bytes);
  for (const FileKindText& text : kTexts) {
    if (text.kind == kind)
      return fmt::format("`{}` is {}; {}", ShownText(path), text.name, text.advice);
  }
  return "";
}

}  // namespace tenon
