#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "fmt/format.h"
#include "support/file.h"
#include "support/status_macros.h"

namespace tenon {
namespace {

// Below this, one read() is cheaper than a mapping and its page faults.
constexpr uint64_t kMapThreshold = 256 << 10;
constexpr size_t kFirstRead = 64 << 10;
constexpr size_t kLargestFirstRead = size_t{1} << 30;

class Descriptor {
 public:
  Descriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  ~Descriptor() {
    if (owned_ && fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
  bool owned_;
};

}  // namespace

FileBytes::~FileBytes() {
  // Both calls take a non-const pointer. Only this class has created the memory.
  if (storage_ == Storage::kMapped) munmap(const_cast<char*>(data_), size_);
  if (storage_ == Storage::kHeap) std::free(const_cast<char*>(data_));
}

std::shared_ptr<const FileBytes> FileBytes::FromString(std::string name, std::string bytes) {
  std::shared_ptr<FileBytes> file(new FileBytes);
  file->path_ = std::move(name);
  file->string_ = std::move(bytes);
  file->data_ = file->string_.data();
  file->size_ = file->string_.size();
  return file;
}

std::shared_ptr<const FileBytes> FileBytes::PartOf(std::shared_ptr<const FileBytes> whole,
                                                   std::string_view part, std::string name) {
  std::shared_ptr<FileBytes> file(new FileBytes);
  file->path_ = std::move(name);
  file->data_ = part.data();
  file->size_ = part.size();
  file->whole_ = std::move(whole);
  return file;
}

/// Fills one FileBytes.
class FileReader {
 public:
  FileReader(std::string_view path, const ReadFileOptions& options)
      : file_(new FileBytes), options_(options) {
    file_->path_ = path == "-" ? "<stdin>" : std::string(path);
  }

  absl::StatusOr<std::shared_ptr<const FileBytes>> Read() {
    const bool standard = file_->path_ == "<stdin>";
    if (!standard && file_->path_.find('\0') != std::string::npos) {
      return absl::InvalidArgumentError("a path has a NUL byte");
    }
    struct stat info = {};
    // Checked before opening: opening a pipe may wait forever, and opening a device may have
    // effects.
    if (!standard && stat(file_->path_.c_str(), &info) == 0) TENON_TRY(CheckKind(info, -1));
    Descriptor fd(standard ? STDIN_FILENO : open(file_->path_.c_str(), O_RDONLY | O_CLOEXEC),
                  /*owned=*/!standard);
    if (fd.get() < 0) return Fail("cannot open");
    if (fstat(fd.get(), &info) != 0) return Fail("cannot read");
    TENON_TRY(CheckKind(info, fd.get()));
    const bool regular = S_ISREG(info.st_mode) && info.st_size > 0;
    const auto size = static_cast<uint64_t>(info.st_size);
    // The offset of standard input may be in the middle of its file; a mapping starts at the
    // beginning.
    const bool at_top = !standard || lseek(fd.get(), 0, SEEK_CUR) == 0;
    if (regular && at_top && size >= kMapThreshold && Map(fd.get(), size)) return Done();
    TENON_TRY(ReadToEnd(fd.get(), regular ? size : 0));
    return Done();
  }

 private:
  /// Refuses folders, endless devices and, if the options say so, everything except regular files.
  /// `fd` is -1 before the file is open.
  absl::Status CheckKind(const struct stat& info, int fd) const {
    if (S_ISDIR(info.st_mode)) {
      errno = EISDIR;
      return Fail("cannot read");
    }
    const bool is_standard = file_->path_ == "<stdin>";
    if (options_.regular_only && !is_standard && !S_ISREG(info.st_mode))
      return absl::InvalidArgumentError(
          fmt::format("cannot read `{}`: it is not a regular file", file_->path_));
    const bool is_device = S_ISBLK(info.st_mode) || S_ISCHR(info.st_mode);
    if (fd < 0 || !is_device || isatty(fd) != 0 || IsNullDevice(info)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        fmt::format("cannot read `{}`: it is a device, which may have no end", file_->path_));
  }

  static bool IsNullDevice(const struct stat& info) {
    struct stat null = {};
    return stat("/dev/null", &null) == 0 && null.st_rdev == info.st_rdev && S_ISCHR(null.st_mode) &&
           S_ISCHR(info.st_mode);
  }

  std::shared_ptr<const FileBytes> Done() { return std::move(file_); }

  bool Map(int fd, uint64_t size) {
    void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED) return false;
    file_->data_ = static_cast<const char*>(address);
    file_->size_ = size;
    file_->storage_ = FileBytes::Storage::kMapped;
    return true;
  }

  /// `expected` is the size of a regular file, which is read first. It is 0 if the size is not
  /// known (a pipe, or a file of /proc, which claims to be empty).
  absl::Status ReadToEnd(int fd, uint64_t expected) {
    const uint64_t limit = std::max(expected, options_.max_stream_bytes);
    // A sparse file may claim any size, so larger buffers are only allocated after bytes have been
    // read.
    size_t capacity =
        expected != 0 ? std::min(static_cast<size_t>(expected) + 1, kLargestFirstRead) : kFirstRead;
    TENON_TRY(Grow(capacity));
    while (true) {
      if (file_->size_ == capacity) {
        capacity += capacity;
        TENON_TRY(Grow(capacity));
      }
      char* free_space = const_cast<char*>(file_->data_) + file_->size_;
      const ssize_t count =
          read(fd, free_space, std::min(capacity - file_->size_, size_t{1} << 30));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Fail("cannot read");
      if (count == 0) return absl::OkStatus();
      file_->size_ += static_cast<size_t>(count);
      if (file_->size_ > limit) {
        return absl::ResourceExhaustedError(
            fmt::format("`{}` does not end within {} bytes", file_->path_, limit));
      }
    }
  }

  absl::Status Grow(size_t capacity) {
    void* memory = std::realloc(const_cast<char*>(file_->data_), capacity);
    if (memory == nullptr) {
      errno = ENOMEM;
      return Fail("cannot read");
    }
    file_->data_ = static_cast<const char*>(memory);
    file_->storage_ = FileBytes::Storage::kHeap;
    return absl::OkStatus();
  }

  absl::Status Fail(std::string_view what) const {
    const int error = errno;
    return absl::ErrnoToStatus(error, fmt::format("{} `{}`", what, file_->path_));
  }

  std::shared_ptr<FileBytes> file_;
  const ReadFileOptions& options_;
};

absl::StatusOr<std::shared_ptr<const FileBytes>> ReadFile(std::string_view path,
                                                          const ReadFileOptions& options) {
  return FileReader(path, options).Read();
}

}  // namespace tenon
