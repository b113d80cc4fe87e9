#include "support/zip_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "support/file.h"
#include "support/file_pages.h"
#include "support/little_endian.h"
#include "support/status_macros.h"

namespace tenon {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kDirectoryEntry = 0x02014b50;
constexpr uint32_t kDirectoryEnd = 0x06054b50;
constexpr uint32_t kZip64End = 0x06064b50;
constexpr uint32_t kZip64Locator = 0x07064b50;
constexpr size_t kLocalHeaderBytes = 30;
constexpr size_t kEntryBytes = 46;
constexpr size_t kEndBytes = 22;
constexpr size_t kZip64EndBytes = 56;
constexpr size_t kZip64LocatorBytes = 20;
constexpr uint16_t kZip64Extra = 1;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
/// deflate needs at least a bit and a half for its longest match of 258 bytes.
constexpr uint64_t kMostInflation = 1032;

template <class T>
T At(std::string_view bytes, size_t offset) {
  return LoadLittleEndian<T>(bytes.substr(offset));
}

/// The range `[begin, begin + size)`; nullopt if it is not within `bytes`.
std::optional<std::string_view> Part(std::string_view bytes, uint64_t begin, uint64_t size) {
  if (begin > bytes.size() || size > bytes.size() - begin) return std::nullopt;
  return bytes.substr(begin, size);
}

/// The place of the directory.
struct Directory {
  uint64_t entries = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// A member, and the offset of its local header.
struct Entry {
  ZipMember member;
  uint64_t header = 0;
  uint16_t method = 0;
};

class Parser {
 public:
  explicit Parser(const FileBytes& file) : path_(file.path()), bytes_(file.view()) {}

  absl::StatusOr<std::vector<ZipMember>> Parse() {
    TENON_ASSIGN_OR(const Directory directory, FindDirectory());
    TENON_TRY(ReadEntries(directory));
    TENON_TRY(CheckPlaces(directory.offset));
    std::vector<ZipMember> members;
    for (Entry& entry : entries_) members.push_back(std::move(entry.member));
    return members;
  }

 private:
  absl::Status Error(std::string_view what) const {
    return absl::InvalidArgumentError(fmt::format("`{}`: {}", path_, what));
  }
  absl::Status MemberError(std::string_view name, std::string_view what) const {
    return Error(fmt::format("member `{}` {}", name, what));
  }

  /// Finds the record at the end, which may be followed by a comment of up to 64 KiB.
  absl::StatusOr<Directory> FindDirectory() const {
    if (bytes_.size() < kEndBytes) return Error("too short for a zip archive");
    const size_t last = bytes_.size() - kEndBytes;
    const size_t first = last - std::min<size_t>(last, UINT16_MAX);
    for (size_t at = last + 1; at-- > first;) {
      if (At<uint32_t>(bytes_, at) != kDirectoryEnd) continue;
      if (at + kEndBytes + At<uint16_t>(bytes_, at + 20) != bytes_.size()) continue;
      return ReadEnd(at);
    }
    return Error("no directory at the end of the zip archive; is the file cut off?");
  }

  absl::StatusOr<Directory> ReadEnd(size_t at) const {
    Directory directory{At<uint16_t>(bytes_, at + 10), At<uint32_t>(bytes_, at + 16),
                        At<uint32_t>(bytes_, at + 12)};
    uint64_t end = at;
    if (directory.entries == UINT16_MAX || directory.offset == UINT32_MAX ||
        directory.size == UINT32_MAX) {
      TENON_ASSIGN_OR(end, ReadZip64End(at, directory));
    } else if (At<uint32_t>(bytes_, at + 4) != 0) {
      return Error("zip archive in several parts");
    }
    if (directory.offset > end || directory.size != end - directory.offset)
      return Error("zip directory is not where the archive says it is");
    return directory;
  }

  /// Fills `directory` from the record for large archives. Returns the offset of that record.
  absl::StatusOr<uint64_t> ReadZip64End(size_t end, Directory& directory) const {
    if (end < kZip64LocatorBytes || At<uint32_t>(bytes_, end - kZip64LocatorBytes) != kZip64Locator)
      return Error("zip archive has no ZIP64 record, but numbers that need one");
    const auto at = At<uint64_t>(bytes_, end - kZip64LocatorBytes + 8);
    const auto record = Part(bytes_, at, kZip64EndBytes);
    if (!record || At<uint32_t>(*record, 0) != kZip64End)
      return Error("ZIP64 record of the zip archive is not where the archive says it is");
    directory = {At<uint64_t>(*record, 32), At<uint64_t>(*record, 48), At<uint64_t>(*record, 40)};
    return at;
  }

  absl::Status ReadEntries(const Directory& directory) {
    std::string_view left = bytes_.substr(directory.offset, directory.size);
    absl::flat_hash_set<std::string> names;
    for (uint64_t i = 0; i < directory.entries; ++i) {
      if (left.size() < kEntryBytes || At<uint32_t>(left, 0) != kDirectoryEntry)
        return Error(
            fmt::format("zip directory ends after {} of {} members", i, directory.entries));
      const size_t name = At<uint16_t>(left, 28);
      const size_t extra = At<uint16_t>(left, 30);
      const size_t whole = kEntryBytes + name + extra + At<uint16_t>(left, 32);
      if (whole > left.size()) return Error("zip directory is cut off");
      TENON_TRY(ReadEntry(left.substr(0, whole), name, extra));
      if (!names.insert(entries_.back().member.name).second)
        return MemberError(entries_.back().member.name, "occurs twice");
      left.remove_prefix(whole);
    }
    if (!left.empty()) return Error("zip directory has more members than it says");
    return absl::OkStatus();
  }

  absl::Status ReadEntry(std::string_view text, size_t name_bytes, size_t extra_bytes) {
    Entry& entry = entries_.emplace_back();
    ZipMember& member = entry.member;
    member.name = text.substr(kEntryBytes, name_bytes);
    entry.method = At<uint16_t>(text, 10);
    member.deflated = entry.method == kDeflated;
    member.crc = At<uint32_t>(text, 16);
    member.compressed_size = At<uint32_t>(text, 20);
    member.size = At<uint32_t>(text, 24);
    entry.header = At<uint32_t>(text, 42);
    if (!ReadZip64(text.substr(kEntryBytes + name_bytes, extra_bytes), entry))
      return MemberError(member.name, "has a ZIP64 field that is too short");
    if ((At<uint16_t>(text, 8) & 1) != 0) return MemberError(member.name, "is encrypted");
    if (entry.method != kStored && entry.method != kDeflated) {
      return MemberError(
          member.name,
          fmt::format("is compressed by method {}, expected stored or deflated", entry.method));
    }
    if (!member.deflated && member.size != member.compressed_size)
      return MemberError(member.name, "is stored, but has two sizes");
    if (member.deflated && member.size / kMostInflation > member.compressed_size) {
      return MemberError(member.name, fmt::format("has {} bytes that cannot inflate to {}",
                                                  member.compressed_size, member.size));
    }
    return absl::OkStatus();
  }

  /// An extra field contains large numbers: in order, those whose normal fields are all ones.
  static bool ReadZip64(std::string_view extra, Entry& entry) {
    while (extra.size() >= 4) {
      const size_t size = At<uint16_t>(extra, 2);
      if (size > extra.size() - 4) return true;  // other programs may write anything there
      std::string_view field = extra.substr(4, size);
      const bool is_zip64 = At<uint16_t>(extra, 0) == kZip64Extra;
      for (uint64_t* value : {&entry.member.size, &entry.member.compressed_size, &entry.header}) {
        if (!is_zip64 || *value != UINT32_MAX) continue;
        if (field.size() < 8) return false;
        *value = At<uint64_t>(field, 0);
        field.remove_prefix(8);
      }
      extra.remove_prefix(4 + size);
    }
    return true;
  }

  /// Finds the data of each member after its local header. Refuses members that share bytes, which
  /// could make a small archive expand without bound.
  absl::Status CheckPlaces(uint64_t end) {
    std::vector<Entry*> by_place;
    for (Entry& entry : entries_) by_place.push_back(&entry);
    std::sort(by_place.begin(), by_place.end(),
              [](const Entry* a, const Entry* b) { return a->header < b->header; });
    uint64_t taken = 0;
    for (Entry* entry : by_place) {
      ZipMember& member = entry->member;
      const auto header = Part(bytes_.substr(0, end), entry->header, kLocalHeaderBytes);
      if (!header || At<uint32_t>(*header, 0) != kLocalHeader)
        return MemberError(member.name, "is not where the directory says it is");
      if (entry->header < taken) return MemberError(member.name, "overlaps another member");
      const uint64_t name = entry->header + kLocalHeaderBytes;
      const uint64_t name_bytes = At<uint16_t>(*header, 26);
      member.offset = name + name_bytes + At<uint16_t>(*header, 28);
      if (!Part(bytes_.substr(0, end), member.offset, member.compressed_size))
        return MemberError(member.name, "reaches beyond the archive");
      if (bytes_.substr(name, name_bytes) != member.name ||
          At<uint16_t>(*header, 8) != entry->method)
        return MemberError(member.name, "has another name or method in its own header");
      taken = member.offset + member.compressed_size;
    }
    return absl::OkStatus();
  }

  const std::string& path_;
  std::string_view bytes_;
  std::vector<Entry> entries_;
};

/// Inflates raw deflate data and drops its pages after use.
class Inflater {
 public:
  explicit Inflater(PagedBytes data) : data_(data.bytes), is_mapped_(data.is_mapped) {
    ready_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
  }
  ~Inflater() {
    DropPages({piece_, is_mapped_});
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Fills `out` from its start as far as there is data, and sets `made` to the number of bytes.
  /// `ended` tells whether the data ended properly within them. False if the data is damaged.
  bool Run(std::span<char> out, size_t* made, bool* ended) {
    *made = 0;
    *ended = false;
    if (!ready_) return false;
    while (!*ended) {
      // zlib counts in 32 bits. One byte past the end lets it detect the end of the data.
      char beyond = 0;
      const bool full = *made == out.size();
      const size_t room = full ? 1 : std::min(out.size() - *made, kStep);
      if (stream_.avail_in == 0) Refill();
      stream_.next_out = reinterpret_cast<Bytef*>(full ? &beyond : out.data() + *made);
      stream_.avail_out = static_cast<uInt>(room);
      const int code = inflate(&stream_, Z_NO_FLUSH);
      const size_t written = room - stream_.avail_out;
      if (full && written != 0) return true;
      *made += written;
      if (code == Z_STREAM_END) {
        *ended = data_.empty() && stream_.avail_in == 0;
        return true;
      }
      if (code == Z_BUF_ERROR && stream_.avail_in == 0 && data_.empty()) return true;  // truncated
      if (code != Z_OK && code != Z_BUF_ERROR) return false;
      if (code == Z_BUF_ERROR && written == 0 && stream_.avail_in != 0) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kStep = size_t{1} << 30;

  void Refill() {
    DropPages({piece_, is_mapped_});
    piece_ = FirstPiece(data_);
    stream_.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(piece_.data()));
    stream_.avail_in = static_cast<uInt>(piece_.size());
    data_.remove_prefix(piece_.size());
  }

  z_stream stream_ = {};
  std::string_view data_;   ///< the remaining data
  std::string_view piece_;  ///< the piece that zlib reads
  bool is_mapped_;
  bool ready_ = false;
};

uint32_t CrcOf(const OwnedBytes& bytes) {
  uLong crc = crc32_z(0, nullptr, 0);
  ForEachPiece(PagedBytes{bytes.bytes, bytes.is_mapped}, [&crc](std::string_view piece) {
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
    return true;
  });
  return static_cast<uint32_t>(crc);
}

absl::Status MemberError(const FileBytes& file, const ZipMember& member, std::string_view what) {
  return absl::InvalidArgumentError(
      fmt::format("`{}`: member `{}` {}", file.path(), member.name, what));
}

}  // namespace

absl::StatusOr<ZipFile> ZipFile::Parse(std::shared_ptr<const FileBytes> file) {
  ZipFile result;
  TENON_ASSIGN_OR(result.members_, Parser(*file).Parse());
  result.file_ = std::move(file);
  return result;
}

std::string_view ZipFile::Stored(const ZipMember& member) const {
  return file_->view().substr(member.offset, member.compressed_size);
}

absl::StatusOr<std::string> ZipFile::ReadStart(const ZipMember& member, size_t count) const {
  count = std::min<uint64_t>(count, member.size);
  if (!member.deflated) return std::string(Stored(member).substr(0, count));
  std::string out(count, '\0');
  size_t made = 0;
  bool ended = false;
  if (!Inflater({Stored(member), file_->is_mapped()}).Run(out, &made, &ended))
    return MemberError(*file_, member, "is damaged: it does not inflate");
  out.resize(made);
  return out;
}

absl::StatusOr<OwnedBytes> ZipFile::Read(const ZipMember& member) const {
  OwnedBytes result{Stored(member), file_, file_->is_mapped()};
  if (member.deflated) {
    // Not a string, which would initialize its bytes first.
    std::shared_ptr<char[]> memory(new (std::nothrow) char[member.size + 1]);
    if (memory == nullptr)
      return absl::ResourceExhaustedError(
          fmt::format("`{}`: no memory for the {} bytes of member `{}`", file_->path(), member.size,
                      member.name));
    size_t made = 0;
    bool ended = false;
    if (!Inflater({Stored(member), file_->is_mapped()})
             .Run({memory.get(), member.size}, &made, &ended))
      return MemberError(*file_, member, "is damaged: it does not inflate");
    if (!ended || made != member.size)
      return MemberError(*file_, member,
                         fmt::format("does not inflate to the {} bytes it should", member.size));
    result = {{memory.get(), member.size}, memory, false};
  }
  if (CrcOf(result) != member.crc)
    return MemberError(*file_, member, "is damaged: its CRC differs from the directory's");
  return result;
}

}  // namespace tenon
