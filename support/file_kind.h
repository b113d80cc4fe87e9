#ifndef TENON_SUPPORT_FILE_KIND_H_
#define TENON_SUPPORT_FILE_KIND_H_

#include <cstdint>
#include <string>
#include <string_view>

// Recognizes files, for users who pass a file of one kind to a reader of another.

namespace tenon {

/// The format of a file, determined by its first bytes.
enum class FileKind : uint8_t {
  /// Text, or bytes of no format in this list.
  kOther,
  /// A module as text: TVMScript.
  kModule,
  /// An object in JSON.
  kJson,
  /// Lines of fields: a header whose columns include `size`, as a planning problem has it.
  kCsv,
  /// A flatbuffer with the identifier `TFL3`.
  kTflite,
  /// A ModelProto of ONNX. Protocol buffers have no signature: the first bytes are the IR version
  /// (field 1) and the tag of another field of ModelProto.
  kOnnx,
  // A model of ONNX as text: the text form of protocol buffers (.pbtxt), ONNX's own (.onnxtxt), and
  // JSON.
  kOnnxTextProto,
  kOnnxText,
  kOnnxJson,
  /// A TensorProto, in which ONNX stores the inputs and outputs of examples (input_0.pb).
  kOnnxTensor,
  /// Keras up to version 2 stores models as HDF5.
  kHdf5,
  /// PyTorch (.pt), Keras (.keras) and NumPy (.npz) store zip archives; Tenon does not read them.
  kZip,
  kElf,
  kNpy,
  /// A pickle of protocol 2 or later: older files of PyTorch, scikit-learn.
  kPickle,
  /// The length of a header in 8 bytes, and the header, which begins with `{`.
  kSafetensors,
  /// A package of `tenon compile --emit=package`.
  kPackage,
};

/// The bytes with which a package begins. The first is not text, and the last two show files whose
/// line ends were changed.
inline constexpr std::string_view kPackageMagic("\x89TENON\r\n", 8);

FileKind FileKindOf(std::string_view bytes);

/// The kind of files that a reader takes.
enum class ReaderKind : uint8_t {
  kModules,   ///< text of modules
  kProblems,  ///< planning problems and plans: JSON and CSV
  kReports,   ///< what `tenon report --json` writes
};

/// One line for a user who passed `path` to a reader of another kind: what the file is, and what to
/// type. For readers of modules also if `path` ends like a model, but `bytes` are something else.
/// Empty if the reader may read the file.
std::string WrongKindMessage(std::string_view path, std::string_view bytes, ReaderKind reader);

/// The kind of file of arrays that a reader takes.
enum class ArrayFile : uint8_t { kNpy, kSafetensors };

/// One line for a user who passed a zip archive `path`, such as NumPy's .npz, or a tensor of ONNX
/// to a reader of arrays: the command that converts it. Empty if `bytes` are something else.
std::string ArrayFileMessage(std::string_view path, std::string_view bytes, ArrayFile reader);

}  // namespace tenon

#endif  // TENON_SUPPORT_FILE_KIND_H_
