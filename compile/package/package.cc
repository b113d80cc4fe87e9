#include "compile/package/package.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "compile/package/manifest.h"
#include "support/file_kind.h"
#include "support/little_endian.h"
#include "support/shown_text.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// The header: magic, version (32 bits), zeros to byte 16, bytes of the manifest and of the whole
/// package (64 bits each), the hash of the header so far and of the manifest, zeros.
constexpr size_t kHeaderBytes = 64;
constexpr size_t kHashAt = 32;
constexpr uint64_t kFileAlignment = 64;
/// Constants begin a page, so that they are aligned for any code where the file is mapped.
constexpr uint64_t kPageBytes = 4096;

uint64_t AlignmentOf(const PackageFile& file) {
  return file.role == PackageRole::kConstants ? kPageBytes : kFileAlignment;
}

uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Sixteen bytes, in the order of the digits.
std::string HashBytesOf(const Hash128& hash) {
  std::string bytes;
  for (const uint64_t half : {hash.hi, hash.lo}) {
    for (int shift = 56; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<char>(static_cast<uint8_t>(half >> shift)));
  }
  return bytes;
}

Hash128 HashOfHead(std::string_view begin, std::string_view manifest) {
  Hasher hasher;
  hasher.Update(begin);
  hasher.Update(manifest);
  return hasher.Finish();
}

/// The line that `xxh128sum manifest.json` prints.
std::string HashLineOf(std::string_view manifest) {
  constexpr std::string_view kPrefix = "xxh3:";
  return fmt::format("{}  {}\n", HashToString(HashBytes(manifest)).substr(kPrefix.size()),
                     kManifestName);
}

bool IsZero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
}

/// Reads a package of either form.
class PackageReader {
 public:
  PackageReader(std::string path, SourceManager& sources, Diagnostics& diagnostics,
                PackageCheck check)
      : path_(std::move(path)), sources_(sources), diagnostics_(diagnostics), check_(check) {}

  std::optional<Package> ReadFileOf(const std::shared_ptr<const FileBytes>& file) {
    const std::optional<std::string_view> manifest = CheckHeader(*file);
    if (!manifest || !TakeManifest(*manifest, file) || !TakeParts(file, manifest->size()))
      return std::nullopt;
    return Finish();
  }

  std::optional<Package> ReadFolder() {
    const std::shared_ptr<const FileBytes> manifest = Open(kManifestName);
    const std::shared_ptr<const FileBytes> line = manifest ? Open(kManifestHashName) : nullptr;
    if (line == nullptr) return std::nullopt;
    if (manifest->size() > kMostManifestBytes) return FailNothing("its manifest is too large");
    if (line->view() != HashLineOf(manifest->view())) {
      Mismatch(fmt::format("`{}` is damaged: `{}` has the hash of another", kManifestName,
                           kManifestHashName));
      return std::nullopt;
    }
    if (!TakeManifest(manifest->view(), manifest)) return std::nullopt;
    for (size_t i = 0; i < manifest_.files.size(); ++i) {
      PackageFile& file = manifest_.package.files[i];
      file.bytes = Open(file.name);
      if (file.bytes == nullptr) return std::nullopt;
      if (file.bytes->size() != manifest_.files[i].size_bytes) {
        Mismatch(fmt::format("`{}` has {} bytes, expected {}", file.name, file.bytes->size(),
                             manifest_.files[i].size_bytes));
        return std::nullopt;
      }
    }
    return Finish();
  }

 private:
  bool Fail(std::string_view message) {
    diagnostics_.Error(DiagnosticKind::kPackage, {},
                       fmt::format("{}: {}", EscapeControls(path_), message));
    return false;
  }
  std::nullopt_t FailNothing(std::string_view message) {
    Fail(message);
    return std::nullopt;
  }
  bool Mismatch(std::string_view message) {
    diagnostics_.Error(DiagnosticKind::kArtifactMismatch, {},
                       fmt::format("{}: {}", EscapeControls(path_), message));
    return false;
  }

  /// A file of the folder; null after an error.
  std::shared_ptr<const FileBytes> Open(std::string_view name) {
    absl::StatusOr<std::shared_ptr<const FileBytes>> file =
        ReadFile(fmt::format("{}/{}", path_, name), {.regular_only = true});
    if (file.ok()) return *std::move(file);
    diagnostics_.Error(DiagnosticKind::kPackage, {}, std::string(file.status().message()));
    return nullptr;
  }

  /// The text of the manifest. The header's hash covers it and the header.
  std::optional<std::string_view> CheckHeader(const FileBytes& file) {
    const std::string_view bytes = file.view();
    if (!IsPackage(bytes)) return FailNothing("expected a package of Tenon");
    if (bytes.size() < kHeaderBytes) return FailNothing("its header is cut off");
    const auto version = LoadLittleEndian<uint32_t>(bytes.substr(8));
    if (version != kPackageVersion) {
      return FailNothing(
          fmt::format("expected version {} of packages, found {}", kPackageVersion, version));
    }
    const auto manifest_bytes = LoadLittleEndian<uint64_t>(bytes.substr(16));
    const auto file_bytes = LoadLittleEndian<uint64_t>(bytes.substr(24));
    if (file_bytes != bytes.size())
      return FailNothing(fmt::format("expected {} bytes, found {}", file_bytes, bytes.size()));
    if (manifest_bytes > std::min<uint64_t>(kMostManifestBytes, bytes.size() - kHeaderBytes)) {
      return FailNothing(
          fmt::format("its manifest of {} bytes is larger than the package, or than {} bytes",
                      manifest_bytes, kMostManifestBytes));
    }
    const std::string_view manifest = bytes.substr(kHeaderBytes, manifest_bytes);
    const Hash128 hash = HashOfHead(bytes.substr(0, kHashAt), manifest);
    if (bytes.substr(kHashAt, 16) != HashBytesOf(hash) ||
        !IsZero(bytes.substr(kHashAt + 16, kHeaderBytes - kHashAt - 16))) {
      Mismatch("its header or its manifest is damaged");
      return std::nullopt;
    }
    return manifest;
  }

  bool TakeManifest(std::string_view text, const std::shared_ptr<const FileBytes>& owner) {
    const absl::StatusOr<const SourceFile*> source =
        sources_.Add(fmt::format("<manifest of {}>", path_), text, owner);
    if (!source.ok()) return Fail(std::string(source.status().message()));
    std::optional<Manifest> manifest = ReadManifest(**source, diagnostics_);
    if (!manifest) return false;
    manifest_ = *std::move(manifest);
    return true;
  }

  /// Finds the files in the one file. Bytes between them are zero, and there is nothing after them.
  bool TakeParts(const std::shared_ptr<const FileBytes>& whole, uint64_t manifest_bytes) {
    const std::string_view bytes = whole->view();
    uint64_t end = kHeaderBytes + manifest_bytes;
    for (size_t i = 0; i < manifest_.files.size(); ++i) {
      PackageFile& file = manifest_.package.files[i];
      const Manifest::File& says = manifest_.files[i];
      const uint64_t begin = AlignUp(end, AlignmentOf(file));
      if (begin > bytes.size() || says.size_bytes > bytes.size() - begin) {
        diagnostics_.Error(DiagnosticKind::kPackage, says.size_range,
                           fmt::format("the file `{}` ends after the package, which has {} bytes",
                                       file.name, bytes.size()));
        return false;
      }
      if (!IsZero(bytes.substr(end, begin - end)))
        return Mismatch(fmt::format("the bytes before the file `{}` in it are damaged", file.name));
      file.bytes = FileBytes::PartOf(whole, bytes.substr(begin, says.size_bytes),
                                     fmt::format("{}:{}", path_, file.name));
      end = begin + says.size_bytes;
    }
    if (end == bytes.size()) return true;
    return Fail(fmt::format("expected {} bytes, found {}", end, bytes.size()));
  }

  std::optional<Package> Finish() {
    if (check_ == PackageCheck::kAll && !CheckContents()) return std::nullopt;
    return std::move(manifest_.package);
  }

  bool CheckContents() {
    bool ok = true;
    for (const PackageFile& file : manifest_.package.files) {
      const Hash128 found = HashBytes(file.bytes->Paged(file.bytes->view()));
      if (found == file.hash) continue;
      ok = Mismatch(fmt::format("the file `{}` in it is damaged: expected {}, found {}", file.name,
                                HashToString(file.hash), HashToString(found)));
    }
    return ok;
  }

  std::string path_;
  SourceManager& sources_;
  Diagnostics& diagnostics_;
  PackageCheck check_;
  Manifest manifest_;
};

/// Passes a package in one file to `sink`.
absl::Status StreamPackage(const Package& package, const ByteSink& sink) {
  const std::string manifest = ManifestOf(package);
  const std::vector<PackagePlace> places = PackagePlaces(package, manifest.size());
  uint64_t end = kHeaderBytes + manifest.size();
  const uint64_t size =
      places.empty() ? end : places.back().offset + places.back().file->bytes->size();
  TENON_TRY(sink(PackageHeaderOf(manifest, size)));
  TENON_TRY(sink(manifest));
  for (const PackagePlace& place : places) {
    TENON_TRY(sink(std::string(place.offset - end, '\0')));
    const FileBytes& bytes = *place.file->bytes;
    absl::Status written = absl::OkStatus();
    ForEachPiece(bytes.Paged(bytes.view()), [&](std::string_view piece) {
      written = sink(piece);
      return written.ok();
    });
    TENON_TRY(written);
    end = place.offset + bytes.size();
  }
  return absl::OkStatus();
}

absl::Status WritePackageFolder(const Package& package, const std::string& folder,
                                const std::vector<std::string>& inputs,
                                const std::vector<FolderFile>& others) {
  const std::string manifest = ManifestOf(package);
  const std::string line = HashLineOf(manifest);
  std::vector<FolderFile> files = {{std::string(kManifestName), manifest},
                                   {std::string(kManifestHashName), line}};
  for (const PackageFile& file : package.files) files.push_back({file.name, file.bytes->view()});
  return WriteFolder(folder, files, others, inputs);
}

}  // namespace

const PackageFile* Package::Find(PackageRole role) const {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const PackageFile& file) { return file.role == role; });
  return found == files.end() ? nullptr : &*found;
}

const PackageFile* Package::Find(std::string_view name) const {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const PackageFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

bool IsPackage(std::string_view bytes) { return bytes.starts_with(kPackageMagic); }

bool IsPackageFolder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(std::filesystem::path(path) / kManifestName, ignored);
}

PackageFile MakePackageFile(std::string name, PackageRole role,
                            std::shared_ptr<const FileBytes> bytes) {
  const Hash128 hash = HashBytes(bytes->Paged(bytes->view()));
  return {std::move(name), role, std::move(bytes), hash};
}

std::string PackageHeaderOf(std::string_view manifest, uint64_t file_bytes) {
  std::string header(kPackageMagic);
  AppendLittleEndian(static_cast<uint32_t>(kPackageVersion), &header);
  AppendLittleEndian(uint32_t{0}, &header);
  AppendLittleEndian(uint64_t{manifest.size()}, &header);
  AppendLittleEndian(file_bytes, &header);
  header += HashBytesOf(HashOfHead(header, manifest));
  header.resize(kHeaderBytes, '\0');
  return header;
}

std::vector<PackagePlace> PackagePlaces(const Package& package, uint64_t manifest_bytes) {
  std::vector<PackagePlace> places;
  uint64_t end = kHeaderBytes + manifest_bytes;
  for (const PackageFile& file : package.files) {
    places.push_back({&file, AlignUp(end, AlignmentOf(file))});
    end = places.back().offset + file.bytes->size();
  }
  return places;
}

absl::Status WritePackage(const Package& package, const std::string& path,
                          const std::vector<std::string>& inputs, std::vector<FolderFile> others) {
  if (path.ends_with('/')) return WritePackageFolder(package, path, inputs, others);
  const auto stream = [&](const ByteSink& sink) { return StreamPackage(package, sink); };
  others.insert(others.begin(), FolderFile{path, {}, stream});
  return WriteFolder(".", {}, others, inputs);
}

EmittedFile PackageAsFile(Package package, std::string name) {
  const auto owner = std::make_shared<const Package>(std::move(package));
  return {std::move(name), "",
          [owner](const ByteSink& sink) { return StreamPackage(*owner, sink); }};
}

std::optional<Package> ParsePackage(const std::shared_ptr<const FileBytes>& file,
                                    SourceManager& sources, Diagnostics& diagnostics,
                                    PackageCheck check) {
  return PackageReader(file->path(), sources, diagnostics, check).ReadFileOf(file);
}

std::optional<Package> ReadPackage(const std::string& path, SourceManager& sources,
                                   Diagnostics& diagnostics, PackageCheck check) {
  if (IsPackageFolder(path)) return PackageReader(path, sources, diagnostics, check).ReadFolder();
  const absl::StatusOr<std::shared_ptr<const FileBytes>> file = ReadFile(path);
  if (file.ok()) return ParsePackage(*file, sources, diagnostics, check);
  diagnostics.Error(DiagnosticKind::kPackage, {}, std::string(file.status().message()));
  return std::nullopt;
}

}  // namespace tenon
