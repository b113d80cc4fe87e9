// The joint of emit_llvm.h and lowering/backend.h. Modules share one LLVM module and one header.
// Large constants go around LLVM into an object of their own, and a linker joins all for shared
// objects.

#include "lowering/llvm/llvm_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "lowering/entry/shared_workspace.h"
#include "lowering/image/elf_target.h"
#include "lowering/image/emit_image.h"
#include "lowering/llvm/emit_llvm.h"
#include "lowering/runtime_files.h"
#include "lowering/symbol_names.h"
#include "passes/pipeline/default_pipelines.h"
#include "support/file.h"
#include "support/programs.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

constexpr OutputKind kOutputs[] = {
    {"llvm-ir", "LLVM IR as text", /*is_folder=*/false, /*has_header=*/false},
    {"bitcode", "LLVM IR as bitcode", /*is_folder=*/false, /*has_header=*/false},
    {"asm", "assembly of the target"},
    {"obj", "an object"},
    {"shared", "a shared object, linked by --cc"},
};

Pipeline Passes(bool /*gnu_vectors*/) { return LowerForLlvm(); }

absl::StatusOr<TargetFacts> Facts(const TargetSpec& target) {
  TENON_TRY(CheckLlvmTarget(target));
  return TargetFacts{IsBigEndian(target), MachineOf(target)};
}

LlvmOutput OutputOf(std::string_view output) {
  return output == "llvm-ir"   ? LlvmOutput::kIr
         : output == "bitcode" ? LlvmOutput::kBitcode
         : output == "asm"     ? LlvmOutput::kAssembly
                               : LlvmOutput::kObject;
}

class ProgramEmitter {
 public:
  ProgramEmitter(std::span<const BackendUnit> units, const BackendOptions& options,
                 Diagnostics& diagnostics)
      : units_(units), options_(options), diagnostics_(diagnostics) {}

  std::optional<EmittedProgram> Emit() {
    LlvmProgram program;
    EmitLlvmOptions emit;
    if (!SetOptions(emit) || !Join(program)) return std::nullopt;
    std::optional<EmittedLlvm> code =
        EmitLlvm(program, emit, OutputOf(options_.output), diagnostics_);
    if (!code || !MakeConstants(std::move(code->blobs))) return std::nullopt;
    result_.stack = std::move(code->stack);
    EmittedFile file{fmt::format("{}.o", prefix()), std::move(code->code)};
    if (options_.output == "shared") {
      const absl::Status linked = Link(file);
      if (!linked.ok()) {
        return Fail(
            absl::IsNotFound(linked) ? DiagnosticKind::kMissingLibrary : DiagnosticKind::kRun,
            linked);
      }
    }
    for (const BackendUnit& unit : units_)
      result_.units.push_back({unit.interface.abi, unit.interface.needs, std::nullopt});
    if (!header_.empty())
      result_.files.push_back({Artifact::Role::kHeader, {prefix() + ".h", std::move(header_)}});
    result_.files.push_back({Artifact::Role::kCode, std::move(file)});
    if (constants_) result_.files.push_back({Artifact::Role::kConstants, *std::move(constants_)});
    if (options_.output != "shared") {
      NoteParallelLoops();
      if (!PassOnExternals()) return std::nullopt;
    }
    return std::move(result_);
  }

 private:
  const std::string& prefix() const { return units_[0].interface.abi.prefix; }

  std::nullopt_t Fail(DiagnosticKind kind, const absl::Status& status) {
    diagnostics_.Error(kind, {}, std::string(status.message()));
    return std::nullopt;
  }

  /// Whether code of external code generators is linked with the modules' code.
  bool HasExternals() const {
    return std::any_of(units_.begin(), units_.end(), [](const BackendUnit& unit) {
      return unit.externals != nullptr && !unit.externals->empty();
    });
  }

  bool IsElf() const { return ParseElfTarget(options_.target.triple, options_.target.abi).ok(); }

  bool NeedsPool() const {
    return std::any_of(units_.begin(), units_.end(),
                       [](const BackendUnit& unit) { return unit.interface.needs.thread_pool; });
  }

  bool SetOptions(EmitLlvmOptions& emit) {
    static_cast<CodeOptions&>(emit) = options_.code;
    emit.target = options_.target;
    emit.on_step = options_.on_step;
    // Data outside pools gets the largest alignment that a module requests for its pools.
    for (const BackendUnit& unit : units_) {
      emit.workspace_alignment = std::max(emit.workspace_alignment, unit.workspace_alignment);
      emit.constant_alignment = std::max(emit.constant_alignment, unit.constant_alignment);
    }
    switch (options_.constant_storage) {
      case ConstantStorage::kAuto:
        // Objects of constants are ELF.
        if (!IsElf()) emit.constant_limit = INT64_MAX;
        return true;
      case ConstantStorage::kCArray:
        emit.constant_limit = INT64_MAX;
        return true;
      case ConstantStorage::kObject:
        emit.constant_limit = -1;
        return true;
      default:
        break;
    }
    Fail(DiagnosticKind::kArguments,
         absl::InvalidArgumentError(
             fmt::format("--constant-storage={} is for --emit=c; with LLVM, constants are in the "
                         "code (c-array) or in a separate object (object)",
                         ConstantStorageNames()[static_cast<size_t>(options_.constant_storage)])));
    return false;
  }

  /// Adds one header for all models, and the memory that they share.
  bool Join(LlvmProgram& program) {
    std::vector<SharingModel> models;
    for (const BackendUnit& unit : units_) {
      models.push_back({unit.source, &unit.interface.abi});
      program.units.push_back({unit.module, unit.interface.abi.prefix});
      header_ += unit.interface.header.text;
    }
    if (units_.size() == 1 && !options_.share_workspace) return true;
    const absl::StatusOr<SharedWorkspace> shared = ShareWorkspace(models, options_.shared_name);
    if (!shared.ok()) {
      Fail(DiagnosticKind::kArguments, shared.status());
      return false;
    }
    if (!options_.share_workspace) return true;
    header_ += shared->header.text;
    for (const SharedArena& arena : shared->arenas)
      program.arenas.push_back({arena.name, arena.size_bytes, arena.alignment, arena.section});
    return true;
  }

  /// Makes the object of the constants that were kept out of LLVM.
  bool MakeConstants(std::vector<Blob> blobs) {
    if (blobs.empty()) return true;
    absl::StatusOr<EmittedImage> image =
        EmitImage(prefix(), std::move(blobs),
                  {ConstantStorage::kObject, options_.target.triple, options_.target.abi});
    if (!image.ok()) {
      Fail(DiagnosticKind::kUnsupported, image.status());
      return false;
    }
    for (EmittedFile& file : image->files) {
      if (file.name.ends_with(".o")) constants_ = std::move(file);
    }
    return true;
  }

  /// Replaces the object `file` by a shared object that contains it, its constants, and the pool of
  /// threads if parallel loops need it. The linker's messages go to stderr.
  absl::Status Link(EmittedFile& file) {
    TENON_ASSIGN_OR(const TemporaryFolder folder, TemporaryFolder::Create());
    std::vector<EmittedFile> files = {{"model.o", std::move(file.text)}};
    if (constants_) files.push_back({"constants.o", constants_->text, constants_->append});
    std::vector<std::string> words = {options_.linker, "-shared", "-o", folder.File("model.so")};
    std::vector<std::string> libraries = {"-lm"};
    if (std::any_of(units_.begin(), units_.end(),
                    [](const BackendUnit& unit) { return unit.interface.needs.zstd; }))
      libraries.emplace_back("-lzstd");
    if (NeedsPool()) {
      for (EmittedFile& runtime : ParallelPoolFiles()) files.push_back(std::move(runtime));
      words.insert(words.end(), {"-O2", "-fPIC", "-pthread"});
      // The threads of the pool still run after a program has closed the library.
      if (IsElf()) libraries.emplace_back("-Wl,-z,nodelete");
    }
    LinkNeeds needs;
    if (HasExternals()) TENON_TRY(AddExternals(folder.path(), files, words, libraries, needs));
    for (const EmittedFile& part : files) {
      if (IsCompiled(part.name)) words.push_back(folder.File(part.name));
    }
    words.insert(words.end(), libraries.begin(), libraries.end());
    TENON_TRY(WriteFolder(folder.path(), FolderFiles(files)));
    TENON_ASSIGN_OR(const int code, RunProgram(words));
    if (code != 0) {
      if (HasExternals()) TENON_TRY(CheckLibraries({options_.linker}, needs));
      return absl::FailedPreconditionError(
          fmt::format("`{}` could not link the shared object", options_.linker));
    }
    // The folder is temporary, so the bytes are copied now.
    TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> linked,
                    ReadFile(folder.File("model.so")));
    file.name = fmt::format("{}.so", prefix());
    file.text.assign(linked->view());
    constants_.reset();
    return absl::OkStatus();
  }

  /// Adds the files of external code generators to the output, for the person who links.
  bool PassOnExternals() {
    for (const BackendUnit& unit : units_) {
      if (unit.externals == nullptr || unit.externals->empty()) continue;
      const absl::Status added = AddExternalFiles(*unit.externals, result_.files);
      if (!added.ok()) return Fail(DiagnosticKind::kDuplicateSymbol, added), false;
      const std::string note = LinkNote(*unit.externals);
      if (note.empty()) continue;
      result_.notes.push_back(
          fmt::format("external functions of {}: {}", unit.interface.abi.prefix, note));
    }
    return true;
  }

  /// Compiles and links the files of external code generators.
  absl::Status AddExternals(const std::string& folder, std::vector<EmittedFile>& files,
                            std::vector<std::string>& words, std::vector<std::string>& libraries,
                            LinkNeeds& needs) {
    TENON_ASSIGN_OR(const std::vector<std::string> flags,
                    CompilerFlags({options_.linker}, options_.target, options_.code));
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"-fPIC", "-I" + folder});
    for (const BackendUnit& unit : units_) {
      if (unit.externals == nullptr) continue;
      TENON_ASSIGN_OR(const LinkWords link, LinkWordsOf(unit.externals->link));
      words.insert(words.end(), link.before.begin(), link.before.end());
      libraries.insert(libraries.begin(), link.after.begin(), link.after.end());
      JoinLinkNeeds(needs, unit.externals->link);
      for (const std::vector<EmittedFile>* more :
           {&unit.externals->sources, &unit.externals->objects}) {
        for (const EmittedFile& file : *more) {
          const auto has_name = [&](const EmittedFile& other) { return other.name == file.name; };
          // Other modules may have added the same runtime headers.
          if (std::none_of(files.begin(), files.end(), has_name)) files.push_back(file);
        }
      }
    }
    return absl::OkStatus();
  }

  void NoteParallelLoops() {
    if (!NeedsPool()) return;
    result_.notes.push_back(
        fmt::format("parallel loops of {}: link tenon_parallel.c of Tenon's runtime/, or a "
                    "tenon_parallel_for of your own; otherwise the loops are serial",
                    prefix()));
  }

  std::span<const BackendUnit> units_;
  const BackendOptions& options_;
  Diagnostics& diagnostics_;
  EmittedProgram result_;
  std::string header_;
  std::optional<EmittedFile> constants_;
};

std::optional<EmittedProgram> Emit(std::span<const BackendUnit> units,
                                   const BackendOptions& options, Diagnostics& diagnostics) {
  return ProgramEmitter(units, options, diagnostics).Emit();
}

constexpr Backend kBackend = {.name = "llvm",
                              .outputs = kOutputs,
                              .joins_modules = true,
                              .optimises_loops = true,
                              .needs_interface = true,
                              .passes = Passes,
                              .facts = Facts,
                              .emit = Emit};

}  // namespace

const Backend& LlvmBackend() { return kBackend; }

}  // namespace tenon
