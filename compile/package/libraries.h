#ifndef TENON_COMPILE_PACKAGE_LIBRARIES_H_
#define TENON_COMPILE_PACKAGE_LIBRARIES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compile/package/package.h"

namespace tenon {

/// Whether a library belongs to the system, by its file name: the C library, the loader, and
/// libraries of compilers, which keep their interfaces.
bool IsSystemLibrary(std::string_view name);

/// The libraries that the loader of this machine takes for the shared object `path`, and those that
/// these need, by name; without those of the system. Nothing is loaded: `ldd` says what the loader
/// would do. A library that is not found has no file.
absl::StatusOr<std::vector<PackageLibrary>> LibrariesOf(const std::string& path);
/// From the text that `ldd` prints, without hashes: `file` has the path.
std::vector<PackageLibrary> ParseLdd(std::string_view text);

/// A sentence, with the name, for each library of a package that differs from the one found for it.
/// Other libraries that were found do not matter.
std::vector<std::string> LibraryDifferences(const std::vector<PackageLibrary>& needed,
                                            const std::vector<PackageLibrary>& found);

}  // namespace tenon

#endif  // TENON_COMPILE_PACKAGE_LIBRARIES_H_
