#ifndef TENON_LOWERING_EXTERNAL_FILES_H_
#define TENON_LOWERING_EXTERNAL_FILES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lowering/emitted_file.h"
#include "lowering/target_spec.h"

// Files of external code generators that belong to a program, and the requirements for linking
// them.

namespace tenon {

/// Libraries and folders that generated code must be compiled and linked with.
struct LinkNeeds {
  std::vector<std::string> libraries;        ///< `cblas` for -lcblas
  std::vector<std::string> library_folders;  ///< -L
  std::vector<std::string> include_folders;  ///< -I
  std::vector<std::string> packages;         ///< names that pkg-config knows
  bool cxx = false;                          ///< must be linked by a C++ compiler

  bool empty() const { return libraries.empty() && packages.empty() && !cxx; }
};

/// Adds the entries of `more` that `all` lacks.
void JoinLinkNeeds(LinkNeeds& all, const LinkNeeds& more);

/// Code that is compiled and linked with the code of a module.
struct ExternalFiles {
  std::vector<EmittedFile> sources;  ///< .c .cc .h
  std::vector<EmittedFile> objects;  ///< .o .a .so
  LinkNeeds link;
  /// The facts that `sources` check before the first call (docs/guide/byoc.md): `isa=avx2`.
  std::vector<std::string> checks = {};
  /// The versions of the code generators that have one, each after its target.
  std::vector<std::pair<std::string, std::string>> versions = {};

  bool empty() const { return sources.empty() && objects.empty() && link.empty(); }
};

/// Instructions for the person who links: "compile a.c and link it, b.o and -lcblas". Empty if
/// there is nothing to do.
std::string LinkNote(const ExternalFiles& files);

/// Whether a file is an argument of the compiler: a source, an object or a library, but not a
/// header.
bool IsCompiled(std::string_view file);

/// The arguments of a C compiler before the files (header folders) and after them (library folders,
/// libraries, output of pkg-config). An error if pkg-config does not know a package.
struct LinkWords {
  std::vector<std::string> before;
  std::vector<std::string> after;
};
absl::StatusOr<LinkWords> LinkWordsOf(const LinkNeeds& needs);

/// NotFound, with instructions, if `cc` cannot link one of the libraries. Explains why linking a
/// program failed.
absl::Status CheckLibraries(const std::vector<std::string>& cc, const LinkNeeds& needs);

/// Whether an error of these functions says that a library is missing.
bool IsMissingLibrary(const absl::Status& status, const LinkNeeds& needs);

/// Flags for sources that are linked with machine code of a back end: the same processor, if `cc`
/// knows it, and the same rounding of floats.
absl::StatusOr<std::vector<std::string>> CompilerFlags(const std::vector<std::string>& cc,
                                                       const TargetSpec& target,
                                                       const CodeOptions& code);

/// Writes the files to `folder`, compiles them with `flags`, and links them to the shared object
/// `path`.
absl::Status BuildSharedObject(const std::vector<std::string>& cc,
                               const std::vector<std::string>& flags, const ExternalFiles& files,
                               const std::string& folder, const std::string& path);

}  // namespace tenon

#endif  // TENON_LOWERING_EXTERNAL_FILES_H_
