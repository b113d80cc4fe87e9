#ifndef TENON_COMPILE_PACKAGE_MANIFEST_H_
#define TENON_COMPILE_PACKAGE_MANIFEST_H_

#include <optional>

#include "compile/package/package.h"

namespace tenon {

/// The most bytes of a manifest.
inline constexpr uint64_t kMostManifestBytes = uint64_t{16} << 20;

/// A package as its manifest describes it: files have no bytes yet.
struct Manifest {
  Package package;
  struct File {
    uint64_t size_bytes = 0;
    /// The place of the size in the manifest, for messages.
    SourceRange size_range;
  };
  /// In the order of the package's files.
  std::vector<File> files;
};

/// Reads a manifest. Only the text that ManifestOf writes is accepted, so that saving what was
/// loaded gives the same bytes. Nullopt after an error, which has its place in the text.
std::optional<Manifest> ReadManifest(const SourceFile& text, Diagnostics& diagnostics);

/// ManifestOf, where files without bytes have these sizes.
std::string ManifestOf(const Package& package, const std::vector<Manifest::File>& files);

}  // namespace tenon

#endif  // TENON_COMPILE_PACKAGE_MANIFEST_H_
