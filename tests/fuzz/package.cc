#include "compile/package/package.h"

#include <string>

#include "compile/package/manifest.h"
#include "tests/fuzz/target.h"

// Packages in one file. Hashes refuse nearly all changed bytes of one, so other inputs are taken as
// manifests, which get a header with the right hash.

namespace tenon::fuzz {

namespace {

bool TakePackage(std::string bytes) {
  SourceManager sources;
  Diagnostics diagnostics;
  const auto file = FileBytes::FromString("input", std::move(bytes));
  const auto package = ParsePackage(file, sources, diagnostics);
  if (!Judge(package.has_value(), sources, diagnostics)) return false;
  uint64_t end = 0;
  for (const PackagePlace& place : PackagePlaces(*package, ManifestOf(*package).size())) {
    const std::string_view bytes_there = place.file->bytes->view();
    Require(place.offset >= end, "two files overlap");
    Require(file->view().substr(place.offset, bytes_there.size()) == bytes_there, "other bytes");
    end = place.offset + bytes_there.size();
  }
  Require(end == file->size(), "bytes that belong to no file");
  return true;
}

}  // namespace

bool TakeInput(std::string_view input) {
  if (IsPackage(input)) return TakePackage(std::string(input));
  SourceManager sources;
  Diagnostics diagnostics;
  const auto text = sources.Add("manifest", input, nullptr);
  Require(text.ok(), "the text is too long");
  const auto manifest = ReadManifest(**text, diagnostics);
  uint64_t bytes = 0;
  if (manifest) {
    Require(ManifestOf(manifest->package, manifest->files) == input, "another manifest is written");
    for (const Manifest::File& file : manifest->files)
      bytes = (bytes + 4095) / 4096 * 4096 + file.size_bytes;
  }
  // All bytes of files are zero, which is right for those without bytes.
  const std::string rest(bytes < 65536 ? bytes : 65536, '\0');
  TakePackage(PackageHeaderOf(input, 64 + input.size() + rest.size()) + std::string(input) + rest);
  return Judge(manifest.has_value(), sources, diagnostics);
}

}  // namespace tenon::fuzz
