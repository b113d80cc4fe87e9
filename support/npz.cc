#include "support/npz.h"

#include "fmt/format.h"
#include "support/file.h"
#include "support/little_endian.h"
#include "support/status_macros.h"

namespace tenon {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr size_t kMostPrefix = 12;
/// The limit of a header in support/npy.cc, plus more than a prefix.
constexpr size_t kMostHeader = (size_t{1} << 20) + 64;

std::string_view View(absl::string_view text) { return {text.data(), text.size()}; }

/// Bytes before the data according to the prefix; ParseNpyLayout reports invalid headers.
size_t HeaderBytes(std::string_view prefix) {
  if (prefix.size() < kMostPrefix) return prefix.size();
  const bool narrow = prefix[6] == 1;
  const size_t length = narrow ? LoadLittleEndian<uint16_t>(prefix.substr(8))
                               : LoadLittleEndian<uint32_t>(prefix.substr(8));
  return std::min(kMostPrefix + length, kMostHeader);
}

absl::Status InMember(const ZipFile& zip, std::string_view name, std::string_view what) {
  return absl::InvalidArgumentError(
      fmt::format("`{}`: member `{}`: {}", zip.file()->path(), name, what));
}

}  // namespace

bool LooksLikeZip(std::string_view bytes) {
  return bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6");
}

absl::StatusOr<NpzFile> NpzFile::Parse(std::shared_ptr<const FileBytes> file) {
  NpzFile result;
  TENON_ASSIGN_OR(result.zip_, ZipFile::Parse(std::move(file)));
  const ZipFile& zip = result.zip_;
  for (size_t i = 0; i < zip.members().size(); ++i) {
    const ZipMember& member = zip.members()[i];
    if (!member.name.ends_with(kSuffix)) return InMember(zip, member.name, "is not a .npy file");
    TENON_ASSIGN_OR(const std::string prefix, zip.ReadStart(member, kMostPrefix));
    TENON_ASSIGN_OR(const std::string start, zip.ReadStart(member, HeaderBytes(prefix)));
    absl::StatusOr<NpyLayout> layout = ParseNpyLayout(start);
    if (!layout.ok()) return InMember(zip, member.name, View(layout.status().message()));
    const auto expected = static_cast<uint64_t>(layout->data_bytes) + layout->data_offset;
    if (member.size != expected) {
      return InMember(zip, member.name,
                      fmt::format("has {} bytes, its header asks for {}", member.size, expected));
    }
    const std::string_view name(member.name);
    result.entries_.push_back(
        {std::string(name.substr(0, name.size() - kSuffix.size())), *std::move(layout), i});
  }
  return result;
}

absl::StatusOr<OwnedBytes> NpzFile::Read(const NpzEntry& entry) const {
  const ZipMember& member = zip_.members()[entry.member];
  TENON_ASSIGN_OR(OwnedBytes result, zip_.Read(member));
  const absl::StatusOr<std::string_view> data = NpyData(entry.layout, result.bytes);
  if (!data.ok()) return InMember(zip_, member.name, View(data.status().message()));
  result.bytes = *data;
  if (!entry.layout.fortran_order && !entry.layout.swapped) return result;
  const auto converted = std::make_shared<const std::string>(ConvertNpyData(entry.layout, *data));
  return OwnedBytes{*converted, converted, false};
}

}  // namespace tenon
