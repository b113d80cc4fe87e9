// Uses the same steps as objects for files, and then ORC to link them, so that code in memory is
// the code that ships. Constants stay where they are if they are aligned, and are copied otherwise.

#include "lowering/llvm/jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/TargetParser/Host.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "ir/analysis/extern_uses.h"
#include "ir/emitted_names.h"
#include "lowering/llvm/llvm_internal.h"
#include "lowering/llvm/llvm_object.h"

namespace tenon {

namespace {

absl::Status AsStatus(llvm::Error error) {
  return absl::InternalError(llvm::toString(std::move(error)));
}

}  // namespace

struct JitState {
  /// The unit of the Jit's copies of constants. Copies with a larger alignment are padded.
  struct alignas(64) Line {
    uint8_t bytes[64];
  };

  TargetSpec target;
  /// Errors that LLVM reported since the last lookup.
  std::string errors;
  /// Functions that modules may call: defined, allowed, or of a module that was added before.
  std::vector<std::string> known;
  /// Owners of the modules' constants: borrowed bytes and the Jit's copies.
  std::vector<std::shared_ptr<const void>> owners;
  std::vector<std::vector<Line>> copies;
  std::unique_ptr<llvm::orc::LLJIT> jit;

  /// The address of a constant's bytes: in place if they are contiguous and aligned, else a copy in
  /// memory of the Jit.
  absl::StatusOr<const uint8_t*> Map(const Blob& blob);
  /// Defines the constants as symbols for the code.
  absl::Status Define(const std::vector<Blob>& blobs);
};

absl::StatusOr<const uint8_t*> JitState::Map(const Blob& blob) {
  const auto alignment = static_cast<size_t>(std::max<int64_t>(blob.alignment, 1));
  if (blob.parts.size() == 1 && blob.parts[0].size_bytes == blob.size_bytes &&
      !blob.parts[0].is_splat()) {
    const BlobPart& part = blob.parts[0];
    if (reinterpret_cast<uintptr_t>(part.bytes.data()) % alignment == 0) {
      owners.push_back(part.owner);
      return part.bytes.data();
    }
  }
  const auto size = static_cast<size_t>(blob.size_bytes);
  std::vector<Line>& lines = copies.emplace_back((size + alignment) / sizeof(Line) + 1);
  auto* begin = reinterpret_cast<uint8_t*>(lines.data());
  begin += (alignment - reinterpret_cast<uintptr_t>(begin) % alignment) % alignment;
  uint8_t* to = begin;
  const absl::Status copied = StreamBlob(blob, [&](std::string_view piece) {
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
    return absl::OkStatus();
  });
  if (!copied.ok()) return copied;
  return begin;
}

absl::Status JitState::Define(const std::vector<Blob>& blobs) {
  if (blobs.empty()) return absl::OkStatus();
  llvm::orc::SymbolMap symbols;
  for (const Blob& blob : blobs) {
    const absl::StatusOr<const uint8_t*> bytes = Map(blob);
    if (!bytes.ok()) return bytes.status();
    symbols[jit->mangleAndIntern(blob.name)] = {llvm::orc::ExecutorAddr::fromPtr(*bytes),
                                                llvm::JITSymbolFlags::Exported};
  }
  llvm::Error error = jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)));
  return error ? AsStatus(std::move(error)) : absl::OkStatus();
}

Jit::Jit(std::unique_ptr<JitState> state) : state_(std::move(state)) {}
Jit::~Jit() = default;

absl::StatusOr<std::unique_ptr<Jit>> Jit::Create(const TargetSpec& target, int opt_level) {
  auto machine = llvm_lowering::MakeTargetMachine(target, opt_level);
  if (!machine.ok()) return machine.status();
  const llvm::Triple& triple = (*machine)->getTargetTriple();
  if (triple.getArch() != llvm::Triple(llvm::sys::getProcessTriple()).getArch())
    return absl::InvalidArgumentError(
        fmt::format("code for `{}` does not run in this process", triple.str()));
  auto state = std::make_unique<JitState>();
  state->target = target;
  llvm::orc::JITTargetMachineBuilder builder(triple);
  builder.setCPU((*machine)->getTargetCPU().str());
  builder.addFeatures(llvm::SubtargetFeatures((*machine)->getTargetFeatureString()).getFeatures());
  builder.setOptions((*machine)->Options);
  builder.setCodeGenOptLevel((*machine)->getOptLevel());
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create();
  if (!jit) return AsStatus(jit.takeError());
  state->jit = std::move(*jit);
  std::string* errors = &state->errors;
  state->jit->getExecutionSession().setErrorReporter([errors](llvm::Error error) {
    *errors += (errors->empty() ? "" : "; ") + llvm::toString(std::move(error));
  });
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      state->jit->getDataLayout().getGlobalPrefix());
  if (!process) return AsStatus(process.takeError());
  state->jit->getMainJITDylib().addGenerator(std::move(*process));
  return std::unique_ptr<Jit>(new Jit(std::move(state)));
}

bool Jit::Add(const IRModule& module, const EmitLlvmOptions& options, Diagnostics& diagnostics) {
  const auto fail = [&](std::string text) {
    diagnostics.Error(DiagnosticKind::kRun, {}, std::move(text));
    return false;
  };
  const std::vector<ExternUse> refused = UntrustedExterns(ExternUses(module), state_->known);
  for (const ExternUse& use : refused) ReportUntrusted(use, diagnostics);
  if (!refused.empty()) return false;
  auto machine = llvm_lowering::MakeTargetMachine(state_->target, options.opt_level);
  if (!machine.ok()) return fail(std::string(machine.status().message()));
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm_lowering::CollectErrors(*context, state_->errors);
  llvm_lowering::OutsideConstants outside{.limit = 0, .is_near = false};
  std::unique_ptr<llvm::Module> built = llvm_lowering::BuildModule(
      LlvmProgram{{{&module, options.prefix}}}, options, **machine, *context, outside, diagnostics);
  if (built == nullptr) return false;
  const absl::Status defined = state_->Define(outside.blobs);
  if (!defined.ok()) return fail(std::string(defined.message()));
  built->setDataLayout(state_->jit->getDataLayout());
  EmitLlvmOptions own = options;
  own.target = state_->target;
  llvm_lowering::OptimizeInParts(*built, **machine, own, state_->errors);
  if (!state_->errors.empty()) return fail(std::exchange(state_->errors, {}));
  llvm_lowering::CodeReport report;
  const std::optional<std::string> object =
      llvm_lowering::MakeMachineCode(*built, **machine, llvm::CodeGenFileType::ObjectFile, report);
  if (!object) return fail("LLVM writes no objects for the target");
  if (!report.errors.empty()) return fail(report.errors);
  llvm::Error error =
      state_->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(*object, options.prefix));
  for (const Function& function : module.functions()) Allow(SanitizeName(function.global_symbol()));
  return error ? fail(llvm::toString(std::move(error))) : true;
}

void Jit::Allow(std::string symbol) { state_->known.push_back(std::move(symbol)); }

absl::Status Jit::Define(std::string_view symbol, void* address) {
  Allow(std::string(symbol));
  llvm::orc::SymbolMap symbols;
  symbols[state_->jit->mangleAndIntern(llvm::StringRef(symbol))] = {
      llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  llvm::Error error =
      state_->jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)));
  return error ? AsStatus(std::move(error)) : absl::OkStatus();
}

absl::StatusOr<void*> Jit::Lookup(std::string_view symbol) {
  state_->errors.clear();
  auto found = state_->jit->lookup(llvm::StringRef(symbol));
  if (found && state_->errors.empty()) return found->toPtr<void*>();
  if (found) return absl::InternalError(state_->errors);
  std::string text = llvm::toString(found.takeError());
  if (!state_->errors.empty()) text += fmt::format(" ({})", state_->errors);
  return absl::NotFoundError(text);
}

}  // namespace tenon
