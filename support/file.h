#ifndef TENON_SUPPORT_FILE_H_
#define TENON_SUPPORT_FILE_H_

// Reading files, as bytes that others may point into, and writing files, whole or not at all.
//
// `-` is standard input or output. Errors contain the path and the system's message, with the
// fitting Status code (NotFound, PermissionDenied, ...).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "support/byte_sink.h"
#include "support/file_pages.h"

namespace tenon {

/// The bytes of a file, read-only, at an address that does not change. Shared, so that borrowers of
/// bytes (a constant, a tensor) can keep them alive.
///
/// Large regular files are mapped: pages are read when they are touched, and replacing the file by
/// a rename (as OutputFile does) does not change the mapping. If another process truncates the file
/// while it is mapped, this class cannot prevent the fault.
class FileBytes {
 public:
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// Makes a FileBytes of other bytes; messages use `name` as the path.
  static std::shared_ptr<const FileBytes> FromString(std::string name, std::string bytes);
  /// The bytes `part` of `whole`, as a file that messages call `name`. Keeps `whole` alive.
  static std::shared_ptr<const FileBytes> PartOf(std::shared_ptr<const FileBytes> whole,
                                                 std::string_view part, std::string name);

  std::string_view view() const { return {data_, size_}; }
  size_t size() const { return size_; }
  /// The path as it was given; `<stdin>` for `-`.
  const std::string& path() const { return path_; }
  bool is_mapped() const {
    return storage_ == Storage::kMapped || (whole_ != nullptr && whole_->is_mapped());
  }
  /// `part`, which must be a part of view(), for reading it once.
  PagedBytes Paged(std::string_view part) const { return {part, is_mapped()}; }

 private:
  friend class FileReader;
  enum class Storage { kString, kHeap, kMapped };

  FileBytes() = default;

  std::string path_;
  std::string string_;
  std::shared_ptr<const FileBytes> whole_;
  const char* data_ = nullptr;
  size_t size_ = 0;
  Storage storage_ = Storage::kString;
};

struct ReadFileOptions {
  /// Reading a pipe or standard input, which have no size, fails after this many bytes.
  uint64_t max_stream_bytes = uint64_t{4} << 30;
  /// Only regular files are allowed; others are refused without opening them. For paths that a text
  /// names: opening a pipe without a writer would wait forever. `-` is still standard input.
  bool regular_only = false;
};

/// Reads the whole file `path`: maps it if it is regular and large, else reads it to the end.
/// Pipes, terminals and /dev/null are read. Other devices, which may be endless, are an error.
absl::StatusOr<std::shared_ptr<const FileBytes>> ReadFile(std::string_view path,
                                                          const ReadFileOptions& options = {});

struct FolderFile;

/// A file that is being written. Its path does not change before Commit(): the bytes go to a
/// temporary file in the same folder. Commit() renames that file; without Commit(), the destructor
/// removes it. An existing file keeps its mode, and a new file gets 0666 minus the umask. A
/// symbolic link stays one, and its target is replaced. `-`, devices, pipes and everything under
/// /dev and /proc are written directly instead; a closed pipe is then a Status, not a signal.
class OutputFile {
 public:
  static absl::StatusOr<OutputFile> Create(std::string_view path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;

  /// Adds bytes to the end. Small pieces are buffered. After an error the file cannot be committed.
  absl::Status Append(std::string_view bytes);
  /// As above, and drops the pages of a mapped file after they are written.
  absl::Status Append(PagedBytes bytes);
  /// Writes the buffered bytes and makes the file appear. Must be called at most once.
  absl::Status Commit();

  /// The path as it was given; `<stdout>` for `-`.
  const std::string& path() const { return path_; }
  /// Bytes appended so far.
  uint64_t size() const { return size_; }

 private:
  friend absl::Status WriteFolder(std::string_view folder, std::span<const FolderFile> files,
                                  std::span<const FolderFile> others,
                                  std::span<const std::string> inputs);
  OutputFile() = default;

  absl::Status OpenTemporary(const std::string& target);
  absl::Status Flush();
  absl::Status WriteThrough(std::string_view bytes);
  /// Flushes and closes the file, so that Commit() only renames it.
  absl::Status Finish();
  absl::Status Fail(int error, std::string_view what);
  void Discard();

  std::string path_;
  std::string target_;     // where the rename goes; empty if it writes directly
  std::string temporary_;  // empty if there is nothing to remove
  std::string buffer_;
  uint64_t size_ = 0;
  int descriptor_ = -1;
  bool owns_descriptor_ = false;
  bool failed_ = false;
  bool finished_ = false;
};

/// Writes `bytes` to `path`, whole or not at all; see OutputFile.
absl::Status WriteFileAtomically(std::string_view path, std::string_view bytes);

/// One file of WriteFolder. `name` is a path inside of the folder, such as `a.c` or `src/a.c`; for
/// `others`, any path.
struct FolderFile {
  std::string name;
  std::string_view bytes;
  /// Produces the contents after `bytes`.
  ByteSource append = nullptr;
};

/// Writes `files` into `folder`, which is created with its parents and inner folders if it does not
/// exist, and also writes `others`. All files are complete before the first is renamed, so that a
/// full disk or an unwritable file changes nothing. First, CheckOutputPaths (support/file_places.h)
/// refuses outputs that would replace one of `inputs` or each other.
absl::Status WriteFolder(std::string_view folder, std::span<const FolderFile> files,
                         std::span<const FolderFile> others = {},
                         std::span<const std::string> inputs = {});

}  // namespace tenon

#endif  // TENON_SUPPORT_FILE_H_
