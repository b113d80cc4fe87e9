#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "compile/package/package.h"
#include "compile/run/c_library.h"
#include "compile/run/engine.h"
#include "compile/run/run_entry.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/model_entry.h"
#include "support/check.h"
#include "support/programs.h"
#include "support/safetensors.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// How the code is called: make-entry writes its functions from the same description.
EntryAbi AbiOfEntry(const ModelEntry& entry, std::string prefix) {
  EntryAbi abi;
  abi.prefix = std::move(prefix);
  abi.has_run = true;
  abi.has_init = entry.HasInit();
  abi.needs_init = entry.NeedsInit();
  for (const EntryTensor& tensor : entry.signature.tensors) {
    (tensor.is_output ? abi.outputs : abi.inputs)
        .push_back({tensor.name, tensor.size_bytes, tensor.place.has_value()});
  }
  for (const PoolArg& arg : entry.signature.pools) {
    if (!arg.pool.is_internal)
      abi.pools.push_back(
          {arg.pool.name, arg.pool.is_constant, arg.size_bytes, arg.alignment, 0, {}});
  }
  return abi;
}

class PackagedModel : public RunnableModel {
 public:
  PackagedModel(IRModule module, EntrySignature signature, std::shared_ptr<const void> constants,
                std::unique_ptr<CLibrary> library, std::vector<std::string> checks)
      : module_(std::move(module)),
        signature_(std::move(signature)),
        constants_(std::move(constants)),
        library_(std::move(library)),
        checks_(std::move(checks)) {}

  bool Run(TensorValues& values, Runs& runs, Diagnostics& diagnostics) override {
    EntryCode code = library_->Code();
    code.checks = checks_;
    return RunEntry(library_->abi(), module_, signature_, code, values, runs, diagnostics);
  }

 private:
  IRModule module_;
  EntrySignature signature_;
  /// The code reads them.
  std::shared_ptr<const void> constants_;
  std::unique_ptr<CLibrary> library_;
  std::vector<std::string> checks_;
};

/// The bytes of the constants, and what keeps them alive.
struct HeldConstants {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
};

/// The constants where code of any alignment can read them. A mapped package has them there; small
/// packages are not mapped, and are copied.
HeldConstants HoldConstants(const Package& package) {
  const PackageFile* file = package.Find(PackageRole::kConstants);
  if (file == nullptr) return {};
  const std::string_view bytes = file->bytes->view();
  constexpr size_t kPage = kSafetensorsAlignment;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kPage == 0) return {file->bytes, bytes};
  void* const copy = std::aligned_alloc(kPage, (bytes.size() / kPage + 1) * kPage);
  if (copy == nullptr) return {file->bytes, bytes};  // the code refuses the address
  std::memcpy(copy, bytes.data(), bytes.size());
  return {std::shared_ptr<const void>(
              copy, [](const void* memory) { std::free(const_cast<void*>(memory)); }),
          {static_cast<const char*>(copy), bytes.size()}};
}

absl::StatusOr<std::unique_ptr<CLibrary>> LoadCode(const Package& package,
                                                   const HeldConstants& constants, EntryAbi abi,
                                                   bool has_externals, int threads) {
  // The loader takes a file. Nobody else can write into this folder, and the file may disappear
  // when it is loaded.
  TENON_ASSIGN_OR(const TemporaryFolder folder, TemporaryFolder::Create());
  const std::string path = folder.File("model.so");
  TENON_TRY(WriteFileAtomically(path, package.Find(PackageRole::kCode)->bytes->view()));
  TENON_ASSIGN_OR(std::unique_ptr<CLibrary> library,
                  CLibrary::Load(path, std::move(abi), has_externals, threads));
  if (!constants.bytes.empty()) TENON_TRY(library->SetConstants(constants.bytes));
  return library;
}

std::unique_ptr<RunnableModel> LoadPackage(const IRModule& module, const EntrySignature& signature,
                                           const EngineOptions& options, Diagnostics& diagnostics) {
  TENON_CHECK(options.package != nullptr);
  const Package& package = *options.package;
  const Function* main = module.Main();
  TENON_CHECK(main != nullptr);
  bool ok = true;
  const ModelEntry entry =
      ReadModelEntry(*main, ModuleEffects(module).Of(*main), [&](std::string message) {
        diagnostics.Error(DiagnosticKind::kRun, main->func->range, std::move(message));
        ok = false;
      });
  if (!ok) return nullptr;
  HeldConstants constants = HoldConstants(package);
  absl::StatusOr<std::unique_ptr<CLibrary>> library = LoadCode(
      package, constants, AbiOfEntry(entry, package.prefix), !entry.inits.empty(), options.threads);
  if (!library.ok()) {
    diagnostics.Error(DiagnosticKind::kRun, {}, std::string(library.status().message()));
    return nullptr;
  }
  return std::make_unique<PackagedModel>(module, signature, std::move(constants.owner),
                                         *std::move(library), package.checks);
}

constexpr Engine kPackageEngine = {"package", "runs the code of a package", "running", LoadPackage};

}  // namespace

const Engine& PackageEngine() { return kPackageEngine; }

}  // namespace tenon
