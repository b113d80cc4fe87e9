#include "compile/package/make_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "compile/package/libraries.h"
#include "compile/package/module_facts.h"
#include "compile/run/c_library.h"
#include "ir/constant_file.h"
#include "printer/printer.h"
#include "printer/sidecar.h"
#include "support/check.h"
#include "support/programs.h"
#include "support/safetensors.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// The names of files that do not depend on the model.
constexpr const char* kTextName = "module.py";
constexpr const char* kTextConstantsName = "module_constants.safetensors";
constexpr const char* kCodeName = "model.so";
constexpr std::string_view kSafetensors = ".safetensors";

/// The tensors of a file of constants, by the contents.
class TensorsByHash {
 public:
  explicit TensorsByHash(const PackageFile& file) : name_(file.name) {
    absl::StatusOr<SafetensorsFile> tensors = ParseSafetensors(file.bytes);
    TENON_CHECK(tensors.ok());
    tensors_.emplace(*std::move(tensors));
    for (const SafetensorsEntry& entry : tensors_->entries()) {
      const std::string* text = tensors_->FindMetadata("xxh3." + entry.name);
      const absl::StatusOr<Hash128> hash =
          text == nullptr ? absl::NotFoundError("") : ParseHash(*text);
      if (hash.ok()) entries_.emplace(*hash, &entry);
    }
  }

  /// The tensor that has the constant's bytes, if there is one of its type.
  std::optional<TensorName> Find(const Constant& constant) const {
    const absl::StatusOr<ContentHash> hash = constant.Hash();
    if (!hash.ok()) return std::nullopt;
    const auto found = entries_.find(Hash128{hash->high, hash->low});
    if (found == entries_.end()) return std::nullopt;
    const SafetensorsEntry& entry = *found->second;
    if (TensorFormOf(constant.dtype(), constant.shape()) != TensorForm{entry.dtype, entry.shape})
      return std::nullopt;
    return TensorName{name_, entry.name};
  }

 private:
  std::string name_;
  std::optional<SafetensorsFile> tensors_;
  absl::flat_hash_map<Hash128, const SafetensorsEntry*> entries_;
};

class PackageMaker {
 public:
  PackageMaker(const Artifacts& artifacts, const PackageOptions& options, Diagnostics& diagnostics)
      : artifacts_(artifacts),
        options_(options),
        diagnostics_(diagnostics),
        unit_(artifacts.units[0]),
        module_(artifacts.planned[0].converted) {}

  absl::StatusOr<Package> Make() {
    package_.tenon = options_.tenon;
    package_.prefix = unit_.abi.prefix;
    package_.checks = artifacts_.external_checks;
    for (const Artifact& artifact : artifacts_.files) {
      if (artifact.role != Artifact::Role::kExternal || !artifact.file.name.ends_with(".so"))
        continue;
      return absl::UnimplementedError(fmt::format(
          "a package cannot contain the shared object `{}` of a code generator; it should give an "
          "object or an archive, or name an installed library",
          artifact.file.name));
    }
    TENON_ASSIGN_OR(package_.machine,
                    MachineOfCode(SplitBlanks(options_.cc), SplitBlanks(options_.cflags)));
    if (!AddModuleFacts(module_, package_, diagnostics_)) return absl::CancelledError();
    for (PackageGenerator& generator : package_.generators)
      generator.version = VersionOf(generator.target);
    TENON_ASSIGN_OR(const TemporaryFolder folder, TemporaryFolder::Create());
    TENON_TRY(BuildCLibrary(artifacts_, {options_.cc, options_.cflags, /*for_package=*/true},
                            folder.path()));
    TENON_TRY(AddLibraries(folder.File(kCodeName)));
    TENON_TRY(AddFiles(folder));
    return std::move(package_);
  }

 private:
  std::string VersionOf(std::string_view target) const {
    for (const auto& [name, version] : artifacts_.generator_versions) {
      if (name == target) return version;
    }
    return {};
  }

  /// Versions of libraries that the code needs besides those of every system.
  absl::Status AddLibraries(const std::string& code) {
    if (artifacts_.link.empty() && !unit_.needs.zstd) return absl::OkStatus();
    if (package_.machine.architecture != ThisMachine().architecture) {
      return absl::UnimplementedError(
          fmt::format("the versions of libraries are known on the machine itself: make the package "
                      "on `{}`",
                      package_.machine.architecture));
    }
    TENON_ASSIGN_OR(package_.libraries, LibrariesOf(code));
    return absl::OkStatus();
  }

  absl::Status Add(const TemporaryFolder& folder, const std::string& name, PackageRole role) {
    TENON_ASSIGN_OR(std::shared_ptr<const FileBytes> bytes, ReadFile(folder.File(name)));
    package_.files.push_back(MakePackageFile(name, role, std::move(bytes)));
    return absl::OkStatus();
  }

  /// The files in the order of their roles. The folder has those of the compilation.
  absl::Status AddFiles(const TemporaryFolder& folder) {
    std::optional<TensorsByHash> tensors;
    for (const Artifact& artifact : artifacts_.files) {
      if (artifact.role != Artifact::Role::kConstants ||
          !artifact.file.name.ends_with(kSafetensors))
        continue;
      TENON_TRY(Add(folder, artifact.file.name, PackageRole::kConstants));
      tensors.emplace(package_.files.back());
    }
    TENON_TRY(AddText(folder, tensors));
    TENON_TRY(Add(folder, kCodeName, PackageRole::kCode));
    for (const Artifact& artifact : artifacts_.files) {
      const bool is_external = artifact.role == Artifact::Role::kExternal;
      if (!is_external && artifact.role != Artifact::Role::kHeader) continue;
      TENON_TRY(Add(folder, artifact.file.name,
                    is_external ? PackageRole::kExternal : PackageRole::kHeader));
    }
    std::stable_sort(package_.files.begin(), package_.files.end(),
                     [](const auto& a, const auto& b) { return a.role < b.role; });
    return absl::OkStatus();
  }

  /// The text takes constants from the file of the code, if that has them. The others are in a file
  /// of their own.
  absl::Status AddText(const TemporaryFolder& folder, const std::optional<TensorsByHash>& tensors) {
    PrintOptions print;
    print.constants = ConstantsMode::kSidecar;
    print.sidecar_name = kTextConstantsName;
    if (tensors) {
      print.find_tensor = [&](const Constant& constant) -> std::optional<TensorName> {
        if (constant.size_bytes() < print.sidecar_threshold) return std::nullopt;
        return tensors->Find(constant);
      };
    }
    package_.files.push_back(
        MakePackageFile(kTextName, PackageRole::kModule,
                        FileBytes::FromString(kTextName, PrintModule(module_, print) + "\n")));
    if (CountSidecarConstants(module_, print) == 0) return absl::OkStatus();
    TENON_TRY(WriteSidecar(module_, print, folder.File(kTextConstantsName)));
    return Add(folder, kTextConstantsName, PackageRole::kModuleConstants);
  }

  const Artifacts& artifacts_;
  const PackageOptions& options_;
  Diagnostics& diagnostics_;
  const EmittedUnit& unit_;
  const IRModule& module_;
  Package package_;
};

}  // namespace

CompileOptions PackageCompileOptions(CompileOptions options) {
  options.output = "c";
  options.constant_storage = ConstantStorage::kFile;
  return options;
}

std::optional<Package> MakePackage(const Artifacts& artifacts, const PackageOptions& options,
                                   Diagnostics& diagnostics) {
  TENON_CHECK(artifacts.units.size() == 1 && artifacts.planned.size() == 1);
  absl::StatusOr<Package> package = PackageMaker(artifacts, options, diagnostics).Make();
  if (package.ok()) return *std::move(package);
  if (diagnostics.has_errors()) return std::nullopt;
  const bool is_missing = IsMissingLibrary(package.status(), artifacts.link);
  const bool is_unsupported = absl::IsUnimplemented(package.status());
  diagnostics.Error(is_missing       ? DiagnosticKind::kMissingLibrary
                    : is_unsupported ? DiagnosticKind::kUnsupported
                                     : DiagnosticKind::kRun,
                    {}, std::string(package.status().message()));
  return std::nullopt;
}

}  // namespace tenon
