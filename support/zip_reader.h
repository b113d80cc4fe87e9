#ifndef TENON_SUPPORT_ZIP_READER_H_
#define TENON_SUPPORT_ZIP_READER_H_

// Zip archives such as NumPy's .npz files: stored or deflated members, including ZIP64 (APPNOTE.TXT
// 6.3.10 of PKWARE). No encryption, no multi-part archives, no data before the archive.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tenon {

class FileBytes;

/// One member of an archive.
struct ZipMember {
  std::string name;
  uint64_t offset = 0;           ///< of its data, from the start of the file
  uint64_t compressed_size = 0;  ///< bytes in the file
  uint64_t size = 0;             ///< bytes of the member
  uint32_t crc = 0;
  bool deflated = false;
};

/// Bytes and their owner.
struct OwnedBytes {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
  bool is_mapped = false;  ///< they are in a mapped file: see PagedBytes
};

/// An archive whose directory has been fully checked.
class ZipFile {
 public:
  /// Checks the directory at the end of `file`. Members must lie within the file, must not overlap
  /// each other or the directory, and must have unique names that match their headers, a known
  /// method, and sizes that are possible for the method (deflate expands one byte to at most 1032).
  /// Memory is proportional to the directory. The error starts with the path.
  static absl::StatusOr<ZipFile> Parse(std::shared_ptr<const FileBytes> file);

  /// In the order of the directory.
  std::span<const ZipMember> members() const { return members_; }
  const std::shared_ptr<const FileBytes>& file() const { return file_; }

  /// The first `count` bytes of a member, or all if it has fewer. The CRC is not checked.
  absl::StatusOr<std::string> ReadStart(const ZipMember& member, size_t count) const;
  /// All bytes of a member: bytes of the file if it is stored, else new memory of `member.size`
  /// bytes. An error if the size or the CRC is wrong.
  absl::StatusOr<OwnedBytes> Read(const ZipMember& member) const;

 private:
  std::string_view Stored(const ZipMember& member) const;

  std::shared_ptr<const FileBytes> file_;
  std::vector<ZipMember> members_;
};

}  // namespace tenon

#endif  // TENON_SUPPORT_ZIP_READER_H_
