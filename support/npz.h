#ifndef TENON_SUPPORT_NPZ_H_
#define TENON_SUPPORT_NPZ_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "support/npy.h"
#include "support/zip_reader.h"

namespace tenon {

/// One array of an archive that is being read.
struct NpzEntry {
  std::string name;  ///< without `.npy`
  NpyLayout layout;
  size_t member = 0;
};

/// A NumPy archive of arrays: a zip file of .npy files. Their headers have been read.
class NpzFile {
 public:
  /// Checks the archive (ZipFile::Parse), the headers of all arrays, and that each member has the
  /// size in its header. Does not read or inflate arrays, so memory is proportional to their
  /// number. The error starts with the path and names the member.
  static absl::StatusOr<NpzFile> Parse(std::shared_ptr<const FileBytes> file);

  /// In the order of the archive.
  std::span<const NpzEntry> entries() const { return entries_; }
  /// The data of one of entries(), in C order and little endian: bytes of the file if they are
  /// stored in that form, else new memory. An error if they are damaged.
  absl::StatusOr<OwnedBytes> Read(const NpzEntry& entry) const;

 private:
  ZipFile zip_;
  std::vector<NpzEntry> entries_;
};

/// Whether `bytes` start like a zip archive.
bool LooksLikeZip(std::string_view bytes);

}  // namespace tenon

#endif  // TENON_SUPPORT_NPZ_H_
