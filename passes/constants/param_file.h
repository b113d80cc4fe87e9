#ifndef TENON_PASSES_CONSTANTS_PARAM_FILE_H_
#define TENON_PASSES_CONSTANTS_PARAM_FILE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/constant_file.h"
#include "support/npz.h"
#include "support/safetensors.h"

namespace tenon {

/// A file of named tensors, safetensors or NumPy's .npz, as its first bytes say.
class ParamFile {
 public:
  /// One tensor. In a .npz file the name is without `.npy`.
  struct Entry {
    std::string name;
    TensorForm form;
  };

  /// Reads and checks all that is not data. The error starts with the path.
  static absl::StatusOr<ParamFile> Open(std::string_view path);

  /// All tensors in the order of the file, but those that only pad.
  const std::vector<Entry>& entries() const { return entries_; }
  /// The data of entries()[index], which must have the form of `dtype` and `shape`. Bytes are those
  /// of the mapped file; only what is compressed, big-endian or in Fortran's order in a .npz file
  /// is unpacked into new memory.
  absl::StatusOr<ConstantSource> Read(size_t index, DataType dtype,
                                      const std::vector<int64_t>& shape) const;

 private:
  absl::StatusOr<ConstantSource> ReadNpz(size_t index, DataType dtype,
                                         const std::vector<int64_t>& shape) const;

  std::string path_;
  std::optional<SafetensorsFile> safetensors_;
  std::optional<NpzFile> npz_;
  std::vector<Entry> entries_;
};

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_PARAM_FILE_H_
