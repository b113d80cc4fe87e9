#ifndef TENON_COMPILE_PACKAGE_PACKAGE_H_
#define TENON_COMPILE_PACKAGE_PACKAGE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/package/machine.h"
#include "lowering/emitted_file.h"
#include "support/diagnostics.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/source.h"

// The form of packages (docs/reference/packages.md): a header of 64 bytes, a manifest in JSON, and
// files. A package is one file, or a folder with the same manifest and the same files.

namespace tenon {

/// The purpose of a file of a package.
enum class PackageRole : uint8_t {
  kModule,           ///< the text of the module, planned and partitioned
  kModuleConstants,  ///< constants that only the text needs
  kConstants,        ///< the constants of the code, which maps them
  kCode,             ///< a shared object: the host's code and external code
  kHeader,           ///< the C header of the code
  kExternal,         ///< sources and objects of external code generators
};

/// The names in manifests, in the order of the enum.
inline constexpr std::array<std::string_view, 6> kPackageRoles = {
    "module", "module_constants", "constants", "code", "header", "external"};

struct PackageFile {
  /// Letters, digits and `._+-`; not first a dot.
  std::string name;
  PackageRole role = PackageRole::kExternal;
  std::shared_ptr<const FileBytes> bytes;
  /// Of `bytes`; ParsePackage checks it.
  Hash128 hash;
};

/// An input or output of the entry.
struct PackageTensor {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t size_bytes = 0;
  /// The integers stand for `scale * (integer - zero_point)`, if there is a scale.
  std::optional<double> scale;
  int64_t zero_point = 0;
};

/// A library that the code is linked with, as the loader of the machine found it.
struct PackageLibrary {
  /// As the loader searches it: `libcblas.so.3`.
  std::string name;
  /// The file that this name stands for, after links: `libcblas.so.3.11.0`.
  std::string file;
  Hash128 hash;
};

/// A target of external functions.
struct PackageGenerator {
  /// `npu:0`, whose generator is `npu`.
  std::string target;
  /// The version of the generator, or of its library: `2.6.3`. Empty if the generator has none.
  std::string version;
  std::vector<std::string> functions;

  std::string name() const { return target.substr(0, target.find(':')); }
};

/// All that a package says.
struct Package {
  /// The version of the Tenon that made it.
  std::string tenon;
  /// The beginning of the names of the code: `tvmgen_default`.
  std::string prefix;
  /// The features that the code needs.
  PackageMachine machine;
  std::vector<PackageTensor> inputs;
  std::vector<PackageTensor> outputs;
  std::vector<PackageGenerator> generators;
  /// Facts that the code checks before the first run: `isa=avx2`, `my_version=3`.
  std::vector<std::string> checks;
  std::vector<PackageLibrary> libraries;
  std::vector<PackageFile> files;

  /// The first file of a role, or null. Only kExternal may have several files.
  const PackageFile* Find(PackageRole role) const;
  /// The file of a name, or null.
  const PackageFile* Find(std::string_view name) const;
};

/// The names of the two files that a package in a folder has besides its own.
inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kManifestHashName = "manifest.xxh3";

inline constexpr int64_t kPackageVersion = 1;

/// Whether bytes are the beginning of a package, or `path` is a folder with a manifest.
bool IsPackage(std::string_view bytes);
bool IsPackageFolder(const std::string& path);

/// A file of a package. Reads all bytes once, to hash them.
PackageFile MakePackageFile(std::string name, PackageRole role,
                            std::shared_ptr<const FileBytes> bytes);

/// The manifest. The same package always gives the same text.
std::string ManifestOf(const Package& package);

/// The header of a package in one file, with the hash of itself and of the manifest. The whole file
/// has `file_bytes`.
std::string PackageHeaderOf(std::string_view manifest, uint64_t file_bytes);

/// Writes a package to the file `path`, or to a folder if `path` ends in `/`, whole or not at all.
/// `others` are written with it (WriteFolder). Refuses to replace one of `inputs`.
absl::Status WritePackage(const Package& package, const std::string& path,
                          const std::vector<std::string>& inputs,
                          std::vector<FolderFile> others = {});

/// A package as one file. It owns the package.
EmittedFile PackageAsFile(Package package, std::string name);

/// How much ReadPackage checks.
enum class PackageCheck : uint8_t {
  kAll,       ///< every byte
  kManifest,  ///< what lists show: header, manifest and sizes, but not the contents of files
};

/// Reads a package of either form, and checks its bytes. Files are mapped, not copied. Nullopt
/// after an error, which names the part that is wrong.
std::optional<Package> ReadPackage(const std::string& path, SourceManager& sources,
                                   Diagnostics& diagnostics,
                                   PackageCheck check = PackageCheck::kAll);
/// Reads a package in one file.
std::optional<Package> ParsePackage(const std::shared_ptr<const FileBytes>& file,
                                    SourceManager& sources, Diagnostics& diagnostics,
                                    PackageCheck check = PackageCheck::kAll);

/// Where a file of a package in one file begins, in bytes.
struct PackagePlace {
  const PackageFile* file = nullptr;
  uint64_t offset = 0;
};
/// The places of all files, in order, after a manifest of that size.
std::vector<PackagePlace> PackagePlaces(const Package& package, uint64_t manifest_bytes);

}  // namespace tenon

#endif  // TENON_COMPILE_PACKAGE_PACKAGE_H_
