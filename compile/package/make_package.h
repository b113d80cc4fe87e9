#ifndef TENON_COMPILE_PACKAGE_MAKE_PACKAGE_H_
#define TENON_COMPILE_PACKAGE_MAKE_PACKAGE_H_

#include <optional>
#include <string>

#include "compile/compiler.h"
#include "compile/package/package.h"

namespace tenon {

struct PackageOptions {
  /// The version of Tenon.
  std::string tenon;
  /// The C compiler and its flags, each separated by blanks.
  std::string cc = "cc";
  std::string cflags = "-std=c99 -O2";
};

/// The options of a compilation whose artifacts MakePackage takes: C with constants in a file.
CompileOptions PackageCompileOptions(CompileOptions options);

/// Compiles the C of one module, and puts all that belongs to it into a package. The same
/// artifacts, options and C compiler give the same bytes. Nullopt after an error.
std::optional<Package> MakePackage(const Artifacts& artifacts, const PackageOptions& options,
                                   Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_COMPILE_PACKAGE_MAKE_PACKAGE_H_
