// The joint of emit_c.h and lowering/backend.h: facts about targets, and files of several models in
// one program. Files with equal contents are written once, with different contents they are an
// error.

#include "lowering/c/c_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "lowering/c/code_digest.h"
#include "lowering/c/emit_c.h"
#include "lowering/entry/shared_workspace.h"
#include "lowering/image/emit_image.h"
#include "lowering/named_targets.h"
#include "passes/pipeline/default_pipelines.h"

namespace tenon {

namespace {

constexpr OutputKind kOutputs[] = {{"c", "C99 sources, in a folder", /*is_folder=*/true}};

/// True for the processors that C knows to have no vectors.
bool IsSmallMachine(const TargetSpec& target) {
  constexpr std::string_view kStarts[] = {"thumbv6m", "thumbv7m", "thumbv7em", "riscv32"};
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return target.triple.starts_with(start); });
}

/// C supports every target. Of their processors, it knows those without vectors, and of these
/// Cortex-M4 and M7, which have instructions for dot products.
absl::StatusOr<TargetFacts> Facts(const TargetSpec& target) {
  // C has no later step that would refuse a misspelled name.
  const absl::Status known = CheckTriple(target.triple);
  if (!known.ok()) return known;
  TargetFacts facts;
  if (!IsSmallMachine(target)) return facts;
  facts.machine = {};
  if (target.triple.starts_with("thumbv7em")) facts.machine.instructions = {Instruction::kSmlad};
  return facts;
}

EmitCOptions OptionsOf(const BackendUnit& unit, const BackendOptions& options) {
  EmitCOptions emit;
  emit.module_name = unit.module_name;
  emit.workspace_alignment = unit.workspace_alignment;
  emit.constant_alignment = unit.constant_alignment;
  emit.constant_storage = options.constant_storage;
  emit.auto_storage = options.auto_storage;
  emit.parallel = options.parallel;
  emit.hosted = options.hosted;
  emit.is_little_endian = unit.is_little_endian;
  emit.is_small_machine = IsSmallMachine(options.target);
  if (unit.externals != nullptr) emit.link_note = LinkNote(*unit.externals);
  emit.externs_header = !unit.has_generated_externals;
  emit.replaceable = options.replaceable;
  emit.dynamic_scales = options.dynamic_scales;
  emit.provenance = unit.provenance;
  emit.operators = unit.operators;
  return emit;
}

Artifact::Role RoleOf(std::string_view file, const EntryAbi& abi) {
  if (file == abi.prefix + ".h") return Artifact::Role::kHeader;
  return file == abi.prefix + ".c" ? Artifact::Role::kCode : Artifact::Role::kRuntime;
}

/// The facts of the emitted text that an update of its constants is compared with.
UpdateManifest ManifestOf(const EmittedC& c) {
  std::string_view source;
  std::string_view header;
  for (const EmittedFile& file : c.files) {
    if (file.name == c.abi.prefix + ".c") source = file.text;
    if (file.name == c.abi.prefix + ".h") header = file.text;
  }
  CodeDigest digest = DigestOf(source, header);
  UpdateManifest manifest;
  manifest.prefix = c.abi.prefix;
  manifest.code = digest.all;
  manifest.functions = std::move(digest.functions);
  manifest.scales = c.scales;
  return manifest;
}

class ProgramEmitter {
 public:
  ProgramEmitter(const BackendOptions& options, Diagnostics& diagnostics)
      : options_(options), diagnostics_(diagnostics) {}

  /// False after an error.
  bool Add(const BackendUnit& unit) {
    std::optional<EmittedC> c = EmitC(*unit.module, OptionsOf(unit, options_), diagnostics_);
    if (!c) return false;
    std::optional<UpdateManifest> update;
    if (options_.replaceable) update = ManifestOf(*c);
    for (EmittedFile& file : c->files) {
      // Arguments have no order: the name must be read before the file is moved.
      const Artifact::Role role = RoleOf(file.name, c->abi);
      AddFile(role, std::move(file));
    }
    if (c->constant_storage != ConstantStorage::kCArray && !AddImage(*c, update)) return false;
    program.units.push_back({std::move(c->abi), c->needs, c->constant_storage, std::move(update)});
    return true;
  }

  /// Adds the files of external code generators, after all files of the models.
  bool AddExternals(std::span<const BackendUnit> units) {
    for (size_t i = 0; i < units.size(); ++i) {
      const ExternalFiles* externals = units[i].externals;
      if (externals == nullptr || externals->empty()) continue;
      const std::string note = LinkNote(*externals);
      if (!note.empty()) {
        program.notes.push_back(
            fmt::format("external functions of {}: {}", program.units[i].abi.prefix, note));
      }
      const absl::Status added = AddExternalFiles(*externals, program.files);
      if (!added.ok()) return Fail(DiagnosticKind::kDuplicateSymbol, added);
    }
    return true;
  }

  bool AddSharedWorkspace(std::span<const BackendUnit> units) {
    std::vector<SharingModel> models;
    for (size_t i = 0; i < units.size(); ++i)
      models.push_back({units[i].source, &program.units[i].abi});
    absl::StatusOr<SharedWorkspace> shared = ShareWorkspace(models, options_.shared_name);
    if (!shared.ok()) return Fail(DiagnosticKind::kArguments, shared.status());
    AddFile(Artifact::Role::kHeader, std::move(shared->header));
    AddFile(Artifact::Role::kCode, std::move(shared->source));
    return true;
  }

  EmittedProgram program;

 private:
  bool Fail(DiagnosticKind kind, const absl::Status& status) {
    diagnostics_.Error(kind, {}, std::string(status.message()));
    return false;
  }

  /// Adds a file once: models may share headers of the runtime.
  void AddFile(Artifact::Role role, EmittedFile file) {
    for (const Artifact& other : program.files) {
      if (other.file.name == file.name) return;
    }
    program.files.push_back({role, std::move(file)});
  }

  /// With `update`, the constants may be replaced; receives their places and the identity.
  bool AddImage(EmittedC& c, std::optional<UpdateManifest>& update) {
    std::string note =
        StorageNote(options_.constant_storage, c.constant_storage, TotalBytes(c.blobs));
    if (!note.empty()) program.notes.push_back(std::move(note));
    ImageOptions wanted{c.constant_storage, options_.target.triple, options_.target.abi};
    if (update) {
      wanted.replaceable = ReplaceableFile{update->code, {}};
      for (const InterfaceScale& scale : c.scales)
        wanted.replaceable->scales.push_back({scale.scale, static_cast<int32_t>(scale.zero_point)});
    }
    absl::StatusOr<EmittedImage> image = EmitImage(c.abi.prefix, std::move(c.blobs), wanted);
    if (!image.ok()) return Fail(DiagnosticKind::kLoweringC, image.status());
    if (update) {
      update->identity = image->identity;
      update->constants = std::move(image->constants);
    }
    for (EmittedFile& file : image->files) AddFile(Artifact::Role::kConstants, std::move(file));
    if (!image->use.empty())
      program.notes.push_back(fmt::format("constants of {}: {}", c.abi.prefix, image->use));
    return true;
  }

  const BackendOptions& options_;
  Diagnostics& diagnostics_;
};

std::optional<EmittedProgram> Emit(std::span<const BackendUnit> units,
                                   const BackendOptions& options, Diagnostics& diagnostics) {
  const auto begin = std::chrono::steady_clock::now();
  ProgramEmitter emitter(options, diagnostics);
  bool ok = true;
  for (const BackendUnit& unit : units) ok &= emitter.Add(unit);
  if (ok && options.share_workspace) ok = emitter.AddSharedWorkspace(units);
  if (ok) ok = emitter.AddExternals(units);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (options.on_step) options.on_step("C", elapsed.count());
  if (!ok || diagnostics.has_errors()) return std::nullopt;
  return std::move(emitter.program);
}

constexpr Backend kBackend = {.name = "c",
                              .outputs = kOutputs,
                              .shares_constants = true,
                              .has_lz4_runtime = true,
                              .notes_operators = true,
                              .passes = LowerForC,
                              .facts = Facts,
                              .emit = Emit};

}  // namespace

const Backend& CBackend() { return kBackend; }

}  // namespace tenon
