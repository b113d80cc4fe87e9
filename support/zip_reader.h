#ifndef TENON_SUPPORT_ZIP_READER_H_
#define TENON_SUPPORT_ZIP_READER_H_

// Zip archives as NumPy's .npz files are: members that are stored or deflated, ZIP64 included
// (APPNOTE.TXT 6.3.10 of PKWARE). No encryption, no archives in several parts, nothing in front.

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

/// Bytes and what keeps them alive.
struct OwnedBytes {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
  bool is_mapped = false;  ///< they lie in a mapped file: see PagedBytes
};

/// An archive whose directory has been checked in full.
class ZipFile {
 public:
  /// Checks the directory at the end of `file`: that members lie within the file and share no byte
  /// with each other or the directory, have headers of the same name, names that occur once, a
  /// method that is known, and sizes that the method can have (deflate makes no more than 1032
  /// bytes of one). Takes memory in proportion to the directory. The error starts with the path.
  static absl::StatusOr<ZipFile> Parse(std::shared_ptr<const FileBytes> file);

  /// In the order of the directory.
  std::span<const ZipMember> members() const { return members_; }
  const std::shared_ptr<const FileBytes>& file() const { return file_; }

  /// The first `count` bytes of a member, or all when it has fewer. Not checked against its CRC.
  absl::StatusOr<std::string> ReadStart(const ZipMember& member, size_t count) const;
  /// All bytes of a member: those of the file if it is stored, else new memory of `member.size`
  /// bytes. An error if they are more or fewer, or have another CRC.
  absl::StatusOr<OwnedBytes> Read(const ZipMember& member) const;

 private:
  std::string_view Stored(const ZipMember& member) const;

  std::shared_ptr<const FileBytes> file_;
  std::vector<ZipMember> members_;
};

}  // namespace tenon

#endif  // TENON_SUPPORT_ZIP_READER_H_
