#include "compile/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "byoc/split_externals.h"
#include "compile/link_params.h"
#include "compile/params_header.h"
#include "compile/plan_variants.h"
#include "compile/pool_needs.h"
#include "compile/run/pool_bytes.h"
#include "compile/share_constants.h"
#include "ir/analysis/entry_steps.h"
#include "ir/analysis/model_entry.h"
#include "ir/attributes.h"
#include "ir/mapped_tensors.h"
#include "ir/memory_pools.h"
#include "lowering/big_endian.h"
#include "lowering/entry/model_interface.h"
#include "lowering/image/elf_target.h"
#include "lowering/symbol_names.h"
#include "passes/loops/dot_schedule.h"
#include "passes/lowering/make_entry.h"
#include "passes/lowering/merge_functions.h"
#include "passes/memory/overlap_record.h"
#include "report/layers.h"
#include "report/merge.h"
#include "support/check.h"

namespace tenon {

namespace {

BackendOptions BackendOptionsOf(const CompileOptions& options, const Backend& backend) {
  BackendOptions result;
  result.output = options.output.empty() ? backend.outputs.front().name : options.output;
  result.target = options.target;
  result.code = options.code;
  result.parallel = options.parallel;
  result.constant_storage = options.constant_storage;
  result.auto_storage = AutoStorageOf(options);
  result.replaceable = options.replaceable;
  result.dynamic_scales = options.dynamic_scales;
  result.hosted = options.hosted.value_or(IsHostedTarget(options.target.triple));
  result.linker = options.linker;
  result.share_workspace = options.share_workspace;
  result.shared_name = options.shared_name;
  if (RunReport* report = options.run.report) {
    result.on_step = [report](std::string_view step, double seconds) {
      AddStep(*report, step, seconds);
    };
  }
  return result;
}

/// The name of a model without the common prefix of all names.
std::string ShortName(const EntryAbi& abi) {
  constexpr std::string_view kPrefix = "tvmgen_";
  return abi.prefix.starts_with(kPrefix) ? abi.prefix.substr(kPrefix.size()) : abi.prefix;
}

/// Sets the storage of each constant of a report. The caller stores constants in its own pools.
void NoteStorage(ConstantStorage storage, ConstantStorage shared, MemoryReport& report) {
  const auto name_of = [](ConstantStorage which) {
    return ConstantStorageNames()[static_cast<size_t>(which)];
  };
  for (const ReportBuffer& buffer : report.buffers) {
    const ReportConstant* constant = report.ConstantOf(buffer);
    if (constant == nullptr) continue;
    const std::string& where = constant->load.empty() ? buffer.pool : constant->stored_pool;
    std::string_view name = name_of(storage);
    for (const ReportPool& pool : report.pools) {
      if (pool.name != where) continue;
      if (!pool.header.empty()) name = name_of(shared);
      if (!pool.is_internal) name = "caller";
    }
    report.constants[static_cast<size_t>(buffer.constant)].storage = name;
  }
}

/// Adds the back end's stack estimate to a report.
void NoteStack(StackEstimate estimate, MemoryReport& report) {
  if (!report.stack) report.stack.emplace();
  for (StackFrame& frame : estimate.frames)
    report.stack->frames.push_back({std::move(frame.function), frame.bytes, frame.code_bytes});
  for (LibraryAllowance& callee : estimate.library_calls)
    report.stack->library_calls.push_back({std::move(callee.function), callee.bytes});
  report.stack->deepest_bytes = estimate.deepest_bytes;
  report.stack->deepest_path = std::move(estimate.deepest_path);
  report.stack->unknown = std::move(estimate.unknown);
}

/// The bytes of all functions; nullopt if they are not known.
std::optional<int64_t> CodeBytesOf(const StackEstimate& estimate) {
  int64_t bytes = 0;
  for (const StackFrame& frame : estimate.frames) bytes += frame.code_bytes;
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

/// Adds the bytes of code to the steps that call a function with a symbol of its own.
void NoteCode(const StackEstimate& estimate, const std::string& prefix, MemoryReport& report) {
  absl::flat_hash_map<std::string, int64_t> bytes;
  for (const StackFrame& frame : estimate.frames) bytes[frame.function] = frame.code_bytes;
  for (ReportStep& step : report.steps) {
    // Names that begin with the prefix do not get it again.
    const std::string name = SanitizeName(step.label);
    auto found = bytes.find(name);
    if (found == bytes.end()) found = bytes.find(fmt::format("{}_{}", prefix, name));
    if (found != bytes.end()) step.code_bytes = found->second;
  }
}

/// The part after `tvmgen_` of the prefix that back ends give to a module's names.
std::string NameOf(const CompileUnit& unit, const IRModule& module) {
  if (!unit.module_name.empty()) return SanitizeName(unit.module_name);
  constexpr std::string_view kPrefix = "tvmgen_";
  constexpr std::string_view kSuffix = "___tvm_main__";
  const Function* entry = module.Main();
  std::string_view symbol = entry == nullptr ? std::string_view() : entry->global_symbol();
  if (!symbol.ends_with(kSuffix)) return "default";
  symbol.remove_suffix(kSuffix.size());
  if (symbol.starts_with(kPrefix)) symbol.remove_prefix(kPrefix.size());
  return symbol.empty() ? "default" : SanitizeName(symbol);
}

/// The options with the alignments of a module and of the scratch memory of its external functions,
/// and without a pool of constants if the back end wants none.
CompileOptions OptionsFor(const ExternalModule& external, const CompileOptions& options,
                          const Backend& backend, const PlanTarget& target) {
  CompileOptions own = WithVectorAlignment(external.host, options, target);
  own.workspace_alignment = std::max(own.workspace_alignment, external.workspace_alignment);
  if (!backend.pools_constants && !NamesPools(external.host, own))
    own.workspace_pools = std::string(kDefaultWorkspacePool);
  return own;
}

/// The vectors that sources of external code generators may use. C for unknown flags has them if it
/// is GNU C, with the register size that all machines with vectors have.
TargetVectors VectorsOf(const CompileOptions& options, const PlanTarget& target) {
  const int64_t width = target.facts.machine.register_bytes;
  if (width > 0) return {target.facts.machine.vector_bytes / width, width};
  return options.gnu_vectors ? TargetVectors{16, 16} : TargetVectors{};
}

/// The tensor that keeps its value from one run to the next in a pool of the caller, which other
/// models overwrite; empty if there is none.
std::string KeptInSharedPool(const IRModule& planned, bool keep_inputs) {
  const PrimFunc& main = *planned.Main()->func;
  const std::vector<std::string_view> states = DeclaredStates(main);
  const std::vector<PoolArg> pools = ReadPoolArgs(main);
  for (const MappedTensor& tensor : ReadMappedTensors(main)) {
    const bool is_kept = tensor.is_output
                             ? std::find(states.begin(), states.end(), tensor.name) != states.end()
                             : keep_inputs;
    const bool is_shared = std::any_of(pools.begin(), pools.end(), [&](const PoolArg& arg) {
      return arg.pool.name == tensor.pool && !arg.pool.is_internal;
    });
    if (is_kept && is_shared) return tensor.name;
  }
  return "";
}

/// The alternative with which external code generators compete.
HostFacts HostFactsOf(const Backend& backend, const CompileOptions& options,
                      const PlanTarget& target) {
  HostFacts host;
  host.back_end = backend.name == "llvm" ? "llvm" : "c";
  host.cpu = options.target.cpu;
  host.vector_width = target.facts.machine.register_bytes;
  host.optimises = options.loop_passes == Switch::kAuto ? target.optimises_loops
                                                        : options.loop_passes == Switch::kOn;
  host.contracts = options.code.fp_contract || options.code.fast_math;
  return host;
}

/// Makes file names of one module's code unique. Headers keep theirs, since code includes them by
/// name.
void RenameCode(std::string_view module, ExternalFiles& files) {
  for (std::vector<EmittedFile>* list : {&files.sources, &files.objects}) {
    for (EmittedFile& file : *list) {
      if (IsCompiled(file.name)) file.name = fmt::format("{}_{}", module, file.name);
    }
  }
}

/// Adds the files of CompileOptions::link.
void AddLinked(const CompileOptions& options, ExternalFiles& files) {
  const auto append = [](std::vector<EmittedFile>& all, const std::vector<EmittedFile>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(files.sources, options.link.sources);
  append(files.objects, options.link.objects);
  JoinLinkNeeds(files.link, options.link.link);
}

Provenance ProvenanceOf(const CompileUnit& unit, const CompileOptions& options) {
  return {options.program, unit.origin, options.shaping_options};
}

/// Brings a planned module into the form that the back end takes.
std::optional<LoweredModule> LowerPlanned(const CompileUnit& unit, ExternalModule external,
                                          PlannedModule planned, const CompileOptions& options,
                                          const Backend& backend, const PlanTarget& target,
                                          Diagnostics& diagnostics) {
  const Function* entry = planned.converted.Main();
  if (entry != nullptr && !CheckPoolConstants(*entry->func, diagnostics)) return std::nullopt;
  const absl::Status any_order = CheckBigEndian(planned.noted);
  if (target.facts.is_big_endian && !any_order.ok()) {
    diagnostics.Error(DiagnosticKind::kUnsupported, {}, std::string(any_order.message()));
    return std::nullopt;
  }
  Pipeline passes = backend.passes(options.gnu_vectors);
  if (options.code.size != CodeSize::kAny && !options.code.operator_symbols) {
    // Layers of one shape differ in the addresses of their constants, and not in loops.
    passes.Add<&MergeFunctions>(
        {.max_parameters = options.code.size == CodeSize::kSmallest ? 16 : 6});
  }
  passes.Add<&MakeEntry>({.module_name = unit.module_name,
                          .constants_file = options.constant_storage == ConstantStorage::kFile,
                          .runtime_lz4 = backend.has_lz4_runtime});
  std::optional<IRModule> lowered =
      RunPipeline(planned.converted, passes, options.run, diagnostics);
  if (!lowered) return std::nullopt;
  LoweredModule result{std::move(external), std::move(planned), *std::move(lowered), {}, options,
                       !any_order.ok()};
  if (!backend.needs_interface) return result;
  InterfaceOptions facts;
  facts.workspace_alignment = options.workspace_alignment;
  facts.constant_alignment = options.constant_alignment;
  facts.parallel = options.parallel;
  facts.link_note = LinkNote(result.external.files);
  facts.provenance = ProvenanceOf(unit, options);
  std::optional<EntryInterface> interface =
      MakeEntryInterface(result.lowered, unit.module_name, facts, diagnostics);
  if (!interface || diagnostics.has_errors()) return std::nullopt;
  result.interface = *std::move(interface);
  return result;
}

/// An end of allowed distances; nullopt if unbounded.
std::optional<int64_t> EndOf(int64_t distance) {
  if (distance == INT64_MIN || distance == INT64_MAX) return std::nullopt;
  return distance;
}

/// Runs each step for all modules before the next step, so that all errors of a step are reported.
class Compiler {
 public:
  Compiler(std::span<const CompileUnit> units, const CompileOptions& options,
           const Backend& backend, Diagnostics& diagnostics)
      : units_(units), options_(options), backend_(backend), diagnostics_(diagnostics) {}

  std::optional<Artifacts> Run() {
    if (!LowerAll() || !CheckPools() || !Emit() || !AddParams()) return std::nullopt;
    for (EmittedFile& file : shared_.files)
      artifacts_.files.push_back({Artifact::Role::kConstants, std::move(file)});
    if (!shared_.use.empty())
      artifacts_.notes.push_back(
          fmt::format("constants of {}: {}", EmittedPrefix(options_.shared_name), shared_.use));
    if (options_.wants_report && !MakeReport()) return std::nullopt;
    for (Model& model : models_) Finish(*model.lowered);
    return std::move(artifacts_);
  }

  /// The first module, in the form that the back end takes.
  std::optional<LoweredModule> Lower() {
    if (!LowerAll()) return std::nullopt;
    return std::move(models_[0].lowered);
  }

 private:
  /// A module during compilation.
  struct Model {
    LinkedModule linked;
    ExternalModule external;
    PreparedModule prepared;
    /// The options with the alignments of this module.
    CompileOptions options;
    std::optional<LoweredModule> lowered;
    std::optional<MemoryReport> report;
  };

  std::nullopt_t Fail(const absl::Status& status) {
    diagnostics_.Error(DiagnosticKind::kArguments, {}, std::string(status.message()));
    return std::nullopt;
  }

  bool CheckUnits() {
    TENON_CHECK(!units_.empty());
    if (units_.size() == 1 || options_.share_workspace || backend_.joins_modules) return true;
    Fail(absl::InvalidArgumentError("to compile several modules together, pass --share-workspace"));
    return false;
  }

  bool LowerAll() {
    if (!CheckUnits() || !CheckReplaceable()) return false;
    absl::StatusOr<PlanTarget> target = PlanTargetOf(backend_, options_);
    if (!target.ok()) return Fail(target.status()), false;
    target_ = *std::move(target);
    bool ok = true;
    for (size_t i = 0; i < units_.size(); ++i) ok &= Prepare(i);
    // Shared constants are known only after all modules are prepared.
    if (!ok || (backend_.shares_constants && !ShareConstants())) return false;
    for (size_t i = 0; i < units_.size(); ++i) ok &= LowerOne(i);
    return ok;
  }

  bool Prepare(size_t index) {
    const CompileUnit& unit = units_[index];
    std::optional<LinkedModule> linked =
        LinkModule(WithoutEntryFunctions(*unit.module), options_, diagnostics_);
    if (!linked) return false;
    std::optional<ExternalModule> external =
        MakeExternals(linked->module, options_, NameOf(unit, linked->module), diagnostics_,
                      HostFactsOf(backend_, options_, target_), VectorsOf(options_, target_));
    if (!external) return false;
    if (units_.size() > 1) RenameCode(NameOf(unit, linked->module), external->files);
    external->has_generated_files = !external->files.empty();
    if (index == 0) AddLinked(options_, external->files);
    CompileOptions options = OptionsFor(*external, options_, backend_, target_);
    std::optional<PreparedModule> prepared =
        PrepareModule(external->host, options, target_, diagnostics_);
    if (!prepared) return false;
    models_.push_back({*std::move(linked),
                       *std::move(external),
                       *std::move(prepared),
                       std::move(options),
                       {},
                       {}});
    return true;
  }

  bool ShareConstants() {
    if (units_.size() > 1 && options_.constant_storage == ConstantStorage::kFile &&
        MergeLevel(options_) != "off")
      artifacts_.notes.push_back(
          "each model has its own file of constants, so constants are merged only within a model");
    std::vector<PreparedModule*> prepared;
    for (Model& model : models_) prepared.push_back(&model.prepared);
    absl::StatusOr<std::vector<SharedConstantPool>> found =
        ShareConstantsOf(prepared, options_, options_.shared_name);
    if (!found.ok()) return Fail(found.status()), false;
    artifacts_.shared_constants = *std::move(found);
    absl::StatusOr<EmittedSharedConstants> emitted =
        EmitSharedConstants(artifacts_.shared_constants, options_, options_.shared_name);
    if (!emitted.ok()) return Fail(emitted.status()), false;
    shared_ = *std::move(emitted);
    return true;
  }

  bool LowerOne(size_t index) {
    Model& model = models_[index];
    std::optional<PlannedModule> planned =
        PlanPrepared(model.prepared, model.options, diagnostics_);
    if (!planned) {
      SuggestPlanOptions({model.external.host, model.options, target_}, diagnostics_);
      return false;
    }
    if (options_.share_workspace && planned->converted.Main() == nullptr) {
      Fail(absl::InvalidArgumentError(
          fmt::format("{} has no entry function, so no workspace to share", units_[index].source)));
      return false;
    }
    if (!CheckShared(*planned)) return false;
    model.lowered = LowerPlanned(units_[index], std::move(model.external), *std::move(planned),
                                 model.options, backend_, target_, diagnostics_);
    return model.lowered.has_value();
  }

  bool CheckPools() {
    std::vector<const IRModule*> planned;
    std::vector<std::string> names;
    for (size_t i = 0; i < models_.size(); ++i) {
      planned.push_back(&models_[i].lowered->planned.converted);
      names.push_back(NameOf(units_[i], *planned.back()));
    }
    return CheckPoolNeeds(planned, names, options_.share_workspace, diagnostics_);
  }

  /// Refuses tensors that other models would overwrite between two runs.
  bool CheckShared(const PlannedModule& planned) {
    if (!options_.share_workspace) return true;
    const std::string kept = KeptInSharedPool(planned.converted, options_.keep_inputs);
    if (kept.empty()) return true;
    diagnostics_.Error(
        DiagnosticKind::kPass, planned.converted.Main()->func->range,
        fmt::format("`{}` keeps its value from run to run, but other models overwrite the shared "
                    "workspace: expected it outside, without --use-workspace-io, --map-outputs or "
                    "--keep-inputs",
                    kept));
    return false;
  }

  /// The report on a model's memory, without what depends on its code; null after an error.
  const MemoryReport* PlanReportOf(Model& model, Diagnostics& diagnostics) {
    if (!model.report) model.report = ReportOf(model.lowered->planned, model.options, diagnostics);
    return model.report ? &*model.report : nullptr;
  }

  /// The operators of a model, if the back end writes about them.
  std::vector<OperatorNote> OperatorsOf(Model& model) {
    // For many thousands of operators, the report takes as long as all other steps.
    constexpr size_t kMostNotes = 1000;
    std::vector<OperatorNote> notes;
    const IRModule& noted = model.lowered->planned.noted;
    if (!backend_.notes_operators || noted.Main() == nullptr ||
        EntrySteps(noted, *noted.Main()).size() > kMostNotes)
      return notes;
    Diagnostics unheard;
    const MemoryReport* report = PlanReportOf(model, unheard);
    if (report == nullptr) return notes;
    for (const ReportStep& step : report->steps)
      notes.push_back({step.label, StepText(*report, step)});
    return notes;
  }

  bool Emit() {
    std::vector<BackendUnit> units;
    for (size_t i = 0; i < models_.size(); ++i) {
      Model& model = models_[i];
      units.push_back({&model.lowered->lowered, units_[i].source, units_[i].module_name,
                       model.options.workspace_alignment, model.options.constant_alignment,
                       model.lowered->is_little_endian, model.lowered->interface,
                       &model.lowered->external.files, model.lowered->external.has_generated_files,
                       ProvenanceOf(units_[i], options_), OperatorsOf(model)});
    }
    std::optional<EmittedProgram> program =
        backend_.emit(units, BackendOptionsOf(options_, backend_), diagnostics_);
    if (!program || diagnostics_.has_errors()) return false;
    artifacts_.files = std::move(program->files);
    artifacts_.units = std::move(program->units);
    stack_ = std::move(program->stack);
    if (stack_) artifacts_.code_bytes = CodeBytesOf(*stack_);
    for (EmittedUnit& unit : artifacts_.units) {
      if (unit.update) AddManifest(*unit.update);
    }
    for (std::string& note : program->notes) artifacts_.notes.push_back(std::move(note));
    return true;
  }

  void AddManifest(UpdateManifest& update) {
    if (options_.weight_facts != nullptr) update.facts = options_.weight_facts->used();
    update.words = options_.update_words;
    update.files = options_.update_files;
    artifacts_.files.push_back(
        {Artifact::Role::kUpdate,
         {fmt::format("{}_update.json", update.prefix), UpdateManifestJson(update)}});
  }

  /// False, with an error, if replaceable constants cannot be what the other options ask for.
  bool CheckReplaceable() {
    std::string_view why;
    if (!options_.replaceable) return true;
    if (units_.size() > 1) why = "expected one model";
    if (options_.constant_storage != ConstantStorage::kFile)
      why = "expected --constant-storage=file, where code and constants are apart";
    if (options_.promote || options_.compress)
      why = "constants that a run brings into RAM would keep their first bytes";
    if (!options_.link_params) why = "with --link-params=off, constants are inputs";
    if (why.empty()) return true;
    Fail(absl::InvalidArgumentError(fmt::format("--replaceable-weights: {}", why)));
    return false;
  }

  /// Moves the remaining parts of a module to the artifacts after its files.
  void Finish(LoweredModule& lowered) {
    ExternalModule& external = lowered.external;
    JoinLinkNeeds(artifacts_.link, external.files.link);
    if (artifacts_.planned.empty()) {
      artifacts_.external_checks = external.files.checks;
      artifacts_.generator_versions = external.files.versions;
      artifacts_.externs = ExternUses(lowered.planned.converted);
    }
    PlannedModule planned = std::move(lowered.planned);
    // Bodies of external functions make the module complete again.
    planned.noted = JoinExternals(planned.noted, external.externals);
    planned.converted = JoinExternals(planned.converted, external.externals);
    artifacts_.planned.push_back(std::move(planned));
    artifacts_.byoc.push_back(std::move(external.report));
    if (artifacts_.planned.size() == 1) artifacts_.checks = std::move(external.checks);
  }

  /// Code with constants as inputs needs the file of their values.
  bool AddParams() {
    for (size_t i = 0; i < models_.size(); ++i) {
      if (models_[i].linked.params.empty()) continue;
      absl::StatusOr<EmittedFile> file =
          ParamsFile(artifacts_.units[i].abi.prefix, models_[i].linked);
      if (!file.ok()) return Fail(file.status()), false;
      // Other names of members than those of the constants leave the struct to the application.
      if (absl::StatusOr<EmittedFile> header = ParamsHeader(artifacts_.units[i].abi, *file);
          header.ok() && backend_.name == "c")
        artifacts_.files.push_back({Artifact::Role::kRuntime, *std::move(header)});
      artifacts_.files.push_back({Artifact::Role::kParams, *std::move(file)});
    }
    return true;
  }

  bool MakeReport() {
    std::vector<NamedReport> reports;
    for (size_t i = 0; i < models_.size(); ++i) {
      const LoweredModule& lowered = *models_[i].lowered;
      if (PlanReportOf(models_[i], diagnostics_) == nullptr) return false;
      std::optional<MemoryReport> report = std::move(models_[i].report);
      // Models in other formats than text have no places.
      if (report->source.empty()) report->source = units_[i].source;
      report->accountings = AccountingsOf(
          {lowered.external.host, models_[i].options, target_, lowered.planned.as_given}, *report);
      const EmittedUnit& unit = artifacts_.units[i];
      if (unit.constant_storage) NoteStorage(*unit.constant_storage, shared_.storage, *report);
      const ByocReport& byoc = lowered.external.report;
      if (!byoc.empty()) report->operators = ReportOperatorsOf(byoc);
      if (stack_) NoteCode(*stack_, unit.abi.prefix, *report);
      reports.push_back({ShortName(unit.abi), *std::move(report)});
    }
    artifacts_.report = reports.size() == 1 && !options_.share_workspace
                            ? std::move(reports[0].report)
                            : MergeReports(std::move(reports), options_.share_workspace);
    if (stack_) NoteStack(*std::move(stack_), *artifacts_.report);
    return true;
  }

  std::span<const CompileUnit> units_;
  const CompileOptions& options_;
  const Backend& backend_;
  Diagnostics& diagnostics_;
  PlanTarget target_;
  std::vector<Model> models_;
  EmittedSharedConstants shared_;
  /// The stack estimate of all models' code, until the report has it.
  std::optional<StackEstimate> stack_;
  Artifacts artifacts_;
};

}  // namespace

AutoStorage AutoStorageOf(const CompileOptions& options) {
  const bool knows_machine = !options.target.triple.empty() || options.is_for_this_machine;
  AutoStorage choice = knows_machine ? kStorageForMachine : kStorageForAnyMachine;
  choice.c_array_limit = options.c_array_limit.value_or(choice.c_array_limit);
  return choice;
}

absl::StatusOr<PlanTarget> PlanTargetOf(const Backend& backend, const CompileOptions& options) {
  absl::StatusOr<TargetFacts> facts = backend.facts(options.target);
  if (!facts.ok()) return facts.status();
  const bool is_fast = options.code.opt_level >= 2;
  return PlanTarget{*facts, backend.optimises_loops && is_fast,
                    DotsOf(facts->machine).has_value() && (is_fast || !backend.optimises_loops)};
}

std::optional<LoweredModule> Lower(const CompileUnit& unit, const CompileOptions& options,
                                   const Backend& backend, Diagnostics& diagnostics) {
  return Compiler({&unit, 1}, options, backend, diagnostics).Lower();
}

std::optional<Artifacts> Compile(std::span<const CompileUnit> units, const CompileOptions& options,
                                 const Backend& backend, Diagnostics& diagnostics) {
  return Compiler(units, options, backend, diagnostics).Run();
}

std::optional<MemoryReport> ReportOf(const PlannedModule& planned, const CompileOptions& options,
                                     Diagnostics& diagnostics) {
  ReportOptions report{options.workspace_alignment, options.constant_alignment};
  const UnfusedModule& unfused = planned.unfused;
  report.shaped = unfused.shaped ? &*unfused.shaped : nullptr;
  report.unfused = unfused.flat ? &*unfused.flat : nullptr;
  for (OverlapRecord& record : ReadOverlapRecords(planned.noted)) {
    std::vector<ReportOverlap::Distances> allowed;
    for (const planner::DifferenceRange& range : record.allowed)
      allowed.push_back({EndOf(range.first), EndOf(range.last)});
    report.overlaps.push_back({std::move(record.function), std::move(record.dying),
                               std::move(record.begun), std::move(allowed),
                               std::move(record.bound)});
  }
  return MakeReport(planned.noted, report, diagnostics);
}

std::string SharedConstantsText(const Artifacts& artifacts) {
  std::vector<std::string> names;
  for (const EmittedUnit& unit : artifacts.units) names.push_back(ShortName(unit.abi));
  return SharedConstantsText(artifacts.shared_constants, names);
}

}  // namespace tenon
