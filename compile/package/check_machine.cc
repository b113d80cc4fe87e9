#include "compile/package/check_machine.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "compile/package/libraries.h"
#include "support/programs.h"
#include "support/shown_text.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

constexpr std::string_view kIsaCheck = "isa=";

/// The features of the processor that the code and the checks of external code need. The code
/// checks itself for instructions that operating systems do not list.
PackageMachine NeedsOf(const Package& package) {
  PackageMachine needs = package.machine;
  for (const std::string& check : package.checks) {
    if (!check.starts_with(kIsaCheck)) continue;
    const std::string feature = check.substr(kIsaCheck.size());
    if (IsKnownFeature(feature) && !needs.Has(feature)) needs.features.push_back(feature);
  }
  return needs;
}

/// The libraries that the loader would take for the code.
absl::StatusOr<std::vector<PackageLibrary>> FoundLibraries(const Package& package) {
  TENON_ASSIGN_OR(const TemporaryFolder folder, TemporaryFolder::Create());
  const PackageFile* code = package.Find(PackageRole::kCode);
  const std::string path = folder.File("model.so");
  TENON_TRY(WriteFileAtomically(path, code->bytes->view()));
  return LibrariesOf(path);
}

}  // namespace

bool CheckMachine(const Package& package, const std::string& name, Diagnostics& diagnostics) {
  const auto fail = [&](std::string_view message) {
    diagnostics.Error(DiagnosticKind::kArtifactMismatch, {},
                      fmt::format("{}: {}", EscapeControls(name), message));
    return false;
  };
  if (const std::optional<std::string> why = WhyNotOn(ThisMachine(), NeedsOf(package)))
    return fail(*why);
  if (package.libraries.empty()) return true;
  const absl::StatusOr<std::vector<PackageLibrary>> found = FoundLibraries(package);
  if (!found.ok()) return fail(std::string(found.status().message()));
  bool ok = true;
  for (const std::string& difference : LibraryDifferences(package.libraries, *found))
    ok = fail(difference);
  return ok;
}

}  // namespace tenon
