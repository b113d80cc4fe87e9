// The steps from modules to a file: build, optimise, make machine code, and read sizes from it.
// Facts about targets are asked of LLVM here, so that passes need no tables of processors.

#include "lowering/llvm/emit_llvm.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/raw_ostream.h>

#include <chrono>

#include "lowering/llvm/llvm_internal.h"
#include "lowering/llvm/llvm_object.h"
#include "lowering/llvm/llvm_stack.h"

namespace tenon {

namespace {

/// Reports the duration of steps to the options' callback.
class Steps {
 public:
  explicit Steps(const EmitLlvmOptions& options) : options_(options) {}
  /// Ends the step that began with the last one.
  void Done(std::string_view step) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> elapsed = now - begin_;
    if (options_.on_step) options_.on_step(step, elapsed.count());
    begin_ = now;
  }

 private:
  const EmitLlvmOptions& options_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The LLVM IR of a module.
std::string WriteIr(const llvm::Module& module, LlvmOutput output) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (output == LlvmOutput::kIr) {
    module.print(stream, nullptr);
  } else {
    llvm::WriteBitcodeToFile(module, stream);
  }
  return stream.str();
}

/// Functions of more instructions than this are operators, not helpers.
constexpr size_t kSmallFunction = 50;

void KeepOperators(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.hasLocalLinkage() && function.getInstructionCount() > kSmallFunction)
      function.addFnAttr(llvm::Attribute::NoInline);
  }
}

}  // namespace

absl::Status CheckLlvmTarget(const TargetSpec& target) {
  return llvm_lowering::MakeTargetMachine(target, 0).status();
}

bool IsBigEndian(const TargetSpec& target) {
  const absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> machine =
      llvm_lowering::MakeTargetMachine(target, 0);
  return machine.ok() && (*machine)->createDataLayout().isBigEndian();
}

Machine MachineOf(const TargetSpec& target) {
  const absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> machine =
      llvm_lowering::MakeTargetMachine(target, 2);
  if (!machine.ok()) return {};
  Machine result;
  result.instructions = llvm_lowering::InstructionsOf(**machine);
  llvm::LLVMContext context;
  llvm::Module module("vectors", context);
  module.setDataLayout((*machine)->createDataLayout());
  llvm::Function* function =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                             llvm::GlobalValue::ExternalLinkage, "f", module);
  const auto bytes_of = [](const llvm::TargetTransformInfo& info) {
    return static_cast<int64_t>(
        info.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() /
        8);
  };
  const llvm::TargetTransformInfo info = (*machine)->getTargetTransformInfo(*function);
  const int64_t preferred = bytes_of(info);
  const unsigned count = info.getNumberOfRegisters(info.getRegisterClassForType(true));
  // Without vector registers, LLVM may return the word size instead.
  constexpr int64_t kLeastVector = 8;
  if (preferred < kLeastVector) return result;
  result.vector_bytes = count * preferred;
  // x86 processors with 64-byte vectors may prefer 32 bytes for loops that LLVM vectorizes itself.
  function->addFnAttr("prefer-vector-width", "512");
  result.register_bytes = bytes_of((*machine)->getTargetTransformInfo(*function));
  // LLVM counts half of each where large registers are not its preferred ones.
  constexpr int64_t kLargeRegisters = 32;
  result.registers = result.register_bytes == kLargeRegister
                         ? kLargeRegisters
                         : result.vector_bytes / result.register_bytes;
  return result;
}

std::optional<EmittedLlvm> EmitLlvm(const IRModule& module, const EmitLlvmOptions& options,
                                    LlvmOutput output, Diagnostics& diagnostics) {
  return EmitLlvm(LlvmProgram{{{&module, options.prefix}}}, options, output, diagnostics);
}

std::optional<EmittedLlvm> EmitLlvm(const LlvmProgram& program, const EmitLlvmOptions& options,
                                    LlvmOutput output, Diagnostics& diagnostics) {
  Steps steps(options);
  absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> machine =
      llvm_lowering::MakeTargetMachine(options.target, options.opt_level);
  if (!machine.ok()) {
    diagnostics.Error(DiagnosticKind::kArguments, {}, std::string(machine.status().message()));
    return std::nullopt;
  }
  std::string errors;
  llvm::LLVMContext context;
  llvm_lowering::CollectErrors(context, errors);
  llvm_lowering::OutsideConstants outside{.limit = options.constant_limit};
  const std::unique_ptr<llvm::Module> built =
      llvm_lowering::BuildModule(program, options, **machine, context, outside, diagnostics);
  if (built == nullptr) return std::nullopt;
  steps.Done("LLVM IR");
  if (options.operator_symbols) KeepOperators(*built);
  llvm_lowering::OptimizeInParts(*built, **machine, options, errors);
  steps.Done("LLVM passes");
  EmittedLlvm result;
  const bool is_machine_code = output == LlvmOutput::kAssembly || output == LlvmOutput::kObject;
  if (is_machine_code) {
    const llvm_lowering::StackReader stack(*built, **machine);
    const auto kind = output == LlvmOutput::kObject ? llvm::CodeGenFileType::ObjectFile
                                                    : llvm::CodeGenFileType::AssemblyFile;
    llvm_lowering::CodeReport report;
    std::optional<std::string> code =
        llvm_lowering::MakeMachineCode(*built, **machine, kind, report);
    if (!code) {
      diagnostics.Error(DiagnosticKind::kUnsupported, {},
                        "LLVM writes no files of this kind for the target");
      return std::nullopt;
    }
    result.code = *std::move(code);
    if (!report.errors.empty()) errors += (errors.empty() ? "" : "; ") + report.errors;
    result.stack = stack.Estimate(report, output == LlvmOutput::kObject ? result.code : "");
  } else {
    result.code = WriteIr(*built, output);
  }
  steps.Done("LLVM output");
  if (!errors.empty()) {
    diagnostics.Error(DiagnosticKind::kUnsupported, {}, errors);
    return std::nullopt;
  }
  result.blobs = std::move(outside.blobs);
  if (output == LlvmOutput::kObject) llvm_lowering::ReadCodeSizes(result.code, *result.stack);
  return result;
}

}  // namespace tenon
