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

/// A file of named tensors: safetensors or NumPy's .npz, depending on its first bytes.
class ParamFile {
 public:
  /// A tensor. In a .npz file, the name omits `.npy`.
  struct Entry {
    std::string name;
    TensorForm form;
  };

  /// Reads and checks everything but the data. Errors start with the path.
  static absl::StatusOr<ParamFile> Open(std::string_view path);

  /// All tensors in the order of the file, except padding.
  const std::vector<Entry>& entries() const { return entries_; }
  /// The data of entries()[index], which must have the form of `dtype` and `shape`. The bytes are
  /// those of the mapped file. Only compressed, big-endian and Fortran-order data in a .npz file is
  /// unpacked into new memory.
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
