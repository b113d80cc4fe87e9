#ifndef TENON_SUPPORT_FILE_KIND_H_
#define TENON_SUPPORT_FILE_KIND_H_

#include <cstdint>
#include <string>
#include <string_view>

// Recognizes binary files, for users who pass another tool's model to a program that reads text.

namespace tenon {

/// The format of a file, determined by its first bytes.
enum class FileKind : uint8_t {
  /// Text, or bytes of no format in this list.
  kOther,
  /// A flatbuffer with the identifier `TFL3`.
  kTflite,
  /// A ModelProto of ONNX. Protocol buffers have no signature: the first bytes are the IR version
  /// (field 1) and the tag of another field of ModelProto.
  kOnnx,
  /// Keras up to version 2 stores models as HDF5.
  kHdf5,
  /// PyTorch (.pt), Keras (.keras) and NumPy (.npz) store zip archives.
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

/// One line for a user who passed `path` to a reader of text: what the file is, and what to do.
/// Empty for FileKind::kOther.
std::string NotTextMessage(std::string_view path, std::string_view bytes);

}  // namespace tenon

#endif  // TENON_SUPPORT_FILE_KIND_H_
