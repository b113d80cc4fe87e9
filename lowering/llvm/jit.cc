#include "lowering/llvm/jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/TargetParser/Host.h>

#include "fmt/format.h"
#include "lowering/llvm/llvm_internal.h"

namespace tenon {

struct Jit::State {
  LlvmTarget target;
  /// What was reported since the last look-up.
  std::string errors;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

namespace {

absl::Status AsStatus(llvm::Error error) {
  return absl::InternalError(llvm::toString(std::move(error)));
}

}  // namespace

Jit::Jit(std::unique_ptr<State> state) : state_(std::move(state)) {}
Jit::~Jit() = default;

absl::StatusOr<std::unique_ptr<Jit>> Jit::Create(const LlvmTarget& target, int opt_level) {
  auto machine = llvm_lowering::MakeTargetMachine(target, opt_level);
  if (!machine.ok()) return machine.status();
  const llvm::Triple& triple = (*machine)->getTargetTriple();
  if (triple.getArch() != llvm::Triple(llvm::sys::getProcessTriple()).getArch())
    return absl::InvalidArgumentError(
        fmt::format("code for `{}` does not run in this process", triple.str()));
  auto state = std::make_unique<State>();
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
  auto machine = llvm_lowering::MakeTargetMachine(state_->target, options.opt_level);
  if (!machine.ok()) return fail(std::string(machine.status().message()));
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm_lowering::CollectErrors(*context, state_->errors);
  std::unique_ptr<llvm::Module> built =
      llvm_lowering::BuildModule(module, options, **machine, *context, diagnostics);
  if (built == nullptr) return false;
  built->setDataLayout(state_->jit->getDataLayout());
  llvm_lowering::Optimize(*built, **machine, options.opt_level);
  llvm::Error error =
      state_->jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(built), std::move(context)));
  return error ? fail(llvm::toString(std::move(error))) : true;
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
