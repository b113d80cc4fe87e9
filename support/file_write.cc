#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "fmt/format.h"
#include "support/check.h"
#include "support/file.h"
#include "support/file_descriptors.h"
#include "support/file_places.h"
#include "support/programs.h"
#include "support/status_macros.h"
#include "support/whole_number.h"

namespace tenon {
namespace {

constexpr size_t kBufferBytes = 64 << 10;
constexpr int kTemporaryNames = 10000;

/// Keeps a write to a closed pipe from ending the process: blocks SIGPIPE for this thread, and
/// consumes one that the write has raised. The process's handler does not change.
class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &old_);
  }
  ~SigpipeGuard() {
    const int error = errno;
    if (!was_pending_) {
      const timespec now = {};
      while (sigtimedwait(&pipe_, nullptr, &now) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
    errno = error;
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  sigset_t pipe_;
  sigset_t old_;
  bool was_pending_ = false;
};

bool IsUnder(std::string_view path, std::string_view folder) {
  return path.substr(0, folder.size()) == folder;
}

/// The folder part of a path, including the last slash; empty without a slash.
std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

}  // namespace

int InheritedDescriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!IsUnder(path, folder)) continue;
    const std::optional<int> descriptor = WholeNumber<int>(path.substr(folder.size()));
    if (descriptor && *descriptor >= 0) return *descriptor;
  }
  return -1;
}

absl::StatusOr<OutputFile> OutputFile::Create(std::string_view path) {
  OutputFile file;
  file.path_ = path == "-" ? "<stdout>" : std::string(path);
  if (const int inherited = InheritedDescriptor(path); inherited >= 0) {
    // Earlier output through stdio must come out first.
    if (inherited == STDOUT_FILENO) std::fflush(stdout);
    file.descriptor_ = inherited;
    return file;
  }
  if (path.find('\0') != std::string_view::npos) {
    return absl::InvalidArgumentError("a path has a NUL byte");
  }
  struct stat info = {};
  const bool exists = stat(file.path_.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) return file.Fail(errno, "cannot write");
  if (exists && S_ISDIR(info.st_mode)) return file.Fail(EISDIR, "cannot write");
  const bool direct =
      (exists && !S_ISREG(info.st_mode)) || IsUnder(path, "/dev/") || IsUnder(path, "/proc/");
  if (direct) {
    file.descriptor_ = open(file.path_.c_str(), O_WRONLY | O_CLOEXEC | O_TRUNC);
    if (file.descriptor_ < 0) return file.Fail(errno, "cannot open");
    file.owns_descriptor_ = true;
    return file;
  }
  std::string target = file.path_;
  if (exists) {
    // A rename does not need write permission for the file, but a read-only file must not be
    // replaced.
    if (access(file.path_.c_str(), W_OK) != 0) return file.Fail(errno, "cannot write");
    if (char* resolved = realpath(file.path_.c_str(), nullptr); resolved != nullptr) {
      target = resolved;
      std::free(resolved);
    }
  }
  TENON_TRY(file.OpenTemporary(target));
  if (exists && fchmod(file.descriptor_, info.st_mode & 07777) != 0) {
    return file.Fail(errno, "cannot set the mode of");
  }
  return file;
}

absl::Status OutputFile::OpenTemporary(const std::string& target) {
  const std::string folder = FolderOf(target);
  for (int i = 0; i < kTemporaryNames; ++i) {
    // A short new name: the target's name may already have the maximum length.
    std::string name = fmt::format("{}.tenon-{}-{}.tmp", folder, getpid(), i);
    descriptor_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      owns_descriptor_ = true;
      temporary_ = std::move(name);
      target_ = target;
      AddLeftover(temporary_);
      return absl::OkStatus();
    }
    if (errno != EEXIST && errno != EINTR) break;
  }
  return Fail(errno, "cannot create a file next to");
}

OutputFile::~OutputFile() { Discard(); }

OutputFile::OutputFile(OutputFile&& other) noexcept { *this = std::move(other); }

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  Discard();
  path_ = std::move(other.path_);
  target_ = std::move(other.target_);
  temporary_ = std::exchange(other.temporary_, std::string());
  buffer_ = std::move(other.buffer_);
  size_ = other.size_;
  descriptor_ = std::exchange(other.descriptor_, -1);
  owns_descriptor_ = other.owns_descriptor_;
  failed_ = other.failed_;
  finished_ = other.finished_;
  return *this;
}

void OutputFile::Discard() {
  if (owns_descriptor_ && descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
    ForgetLeftover(temporary_);
  }
  temporary_.clear();
}

absl::Status OutputFile::Fail(int error, std::string_view what) {
  failed_ = true;
  return absl::ErrnoToStatus(error, fmt::format("{} `{}`", what, path_));
}

absl::Status OutputFile::Append(std::string_view bytes) {
  TENON_CHECK(!finished_);
  if (failed_)
    return absl::FailedPreconditionError(fmt::format("writing `{}` failed before", path_));
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() <= kBufferBytes) {
    if (buffer_.capacity() < kBufferBytes) buffer_.reserve(kBufferBytes);
    buffer_.append(bytes);
    return absl::OkStatus();
  }
  TENON_TRY(Flush());
  if (bytes.size() >= kBufferBytes) return WriteThrough(bytes);
  buffer_.append(bytes);
  return absl::OkStatus();
}

absl::Status OutputFile::Append(PagedBytes bytes) {
  if (!bytes.is_mapped) return Append(bytes.bytes);
  absl::Status status;
  ForEachPiece(bytes, [&](std::string_view piece) {
    status = Append(piece);
    return status.ok();
  });
  return status;
}

absl::Status OutputFile::Flush() {
  absl::Status status = WriteThrough(buffer_);
  buffer_.clear();
  return status;
}

absl::Status OutputFile::WriteThrough(std::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  SigpipeGuard guard;
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), std::min(bytes.size(), size_t{1} << 30));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fail(errno, "cannot write");
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Finish() {
  TENON_CHECK(!finished_);
  if (failed_)
    return absl::FailedPreconditionError(fmt::format("writing `{}` failed before", path_));
  TENON_TRY(Flush());
  finished_ = true;
  const int descriptor = std::exchange(descriptor_, -1);
  // Some file systems report a full disk only here.
  if (owns_descriptor_ && close(descriptor) != 0 && errno != EINTR) {
    return Fail(errno, "cannot write");
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Commit() {
  if (!finished_) TENON_TRY(Finish());
  if (temporary_.empty()) return absl::OkStatus();
  if (rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    Discard();
    return Fail(error, "cannot replace");
  }
  ForgetLeftover(temporary_);
  temporary_.clear();
  return absl::OkStatus();
}

absl::Status WriteFileAtomically(std::string_view path, std::string_view bytes) {
  TENON_ASSIGN_OR(OutputFile file, OutputFile::Create(path));
  TENON_TRY(file.Append(bytes));
  return file.Commit();
}

namespace {

/// Creates `folder` and its missing parents. Appends the folders that it has created, outermost
/// first.
absl::Status MakeFolders(const std::string& folder, std::vector<std::string>* created) {
  struct stat info = {};
  if (stat(folder.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return absl::OkStatus();
    return absl::ErrnoToStatus(ENOTDIR, fmt::format("cannot write to `{}`", folder));
  }
  for (size_t end = folder.find('/', 1);; end = folder.find('/', end + 1)) {
    const std::string prefix = folder.substr(0, end);
    if (mkdir(prefix.c_str(), 0777) == 0) {
      created->push_back(prefix);
    } else if (errno != EEXIST) {
      return absl::ErrnoToStatus(errno, fmt::format("cannot create the folder `{}`", prefix));
    }
    if (end == std::string::npos) return absl::OkStatus();
  }
}

/// A path that stays inside of its folder: names with `/` between them.
bool IsInnerPath(std::string_view path) {
  while (true) {
    const size_t end = path.find('/');
    const std::string_view name = path.substr(0, end);
    if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string_view::npos)
      return false;
    if (end == std::string_view::npos) return true;
    path.remove_prefix(end + 1);
  }
}

}  // namespace

absl::Status WriteFolder(std::string_view folder, std::span<const FolderFile> files,
                         std::span<const FolderFile> others, std::span<const std::string> inputs) {
  std::string base(folder.empty() ? "." : folder);
  while (base.size() > 1 && base.back() == '/') base.pop_back();
  for (const FolderFile& file : files) {
    if (!IsInnerPath(file.name)) {
      return absl::InvalidArgumentError(
          fmt::format("expected a file inside of the folder, found `{}`", file.name));
    }
  }
  std::vector<std::string> paths;
  for (const FolderFile& file : files) paths.push_back(fmt::format("{}/{}", base, file.name));
  for (const FolderFile& file : others) paths.push_back(file.name);
  TENON_TRY(CheckOutputPaths(inputs, paths));
  std::vector<std::string> created;
  absl::Status status = MakeFolders(base, &created);
  for (size_t i = 0; i < files.size() && status.ok(); ++i) {
    if (files[i].name.find('/') != std::string::npos)
      status = MakeFolders(paths[i].substr(0, paths[i].rfind('/')), &created);
  }
  std::vector<OutputFile> outputs;
  const auto write = [&](const std::string& path, const FolderFile& file) {
    if (!status.ok()) return;
    absl::StatusOr<OutputFile> output = OutputFile::Create(path);
    status = output.status();
    if (status.ok()) status = output->Append(file.bytes);
    if (status.ok() && file.append)
      status = file.append([&](std::string_view piece) { return output->Append(piece); });
    if (status.ok()) status = output->Finish();
    if (status.ok()) outputs.push_back(*std::move(output));
  };
  for (size_t i = 0; i < paths.size(); ++i)
    write(paths[i], i < files.size() ? files[i] : others[i - files.size()]);
  {
    // A signal that ends the process finds all files or none.
    const LeftoversLock lock;
    for (OutputFile& output : outputs) {
      if (status.ok()) status = output.Commit();
    }
  }
  if (status.ok()) return status;
  outputs.clear();
  // Only removes empty folders; a file that was already renamed keeps its folder.
  for (auto it = created.rbegin(); it != created.rend(); ++it) rmdir(it->c_str());
  return status;
}

}  // namespace tenon
