// The machine and LLVM's pipelines for it. Unknown processors, features and ABIs are errors here,
// since LLVM would ignore them. Corrections for single processors stand here as well, and nowhere
// else.

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/SCCP.h>

#include <algorithm>

#include "fmt/format.h"
#include "lowering/llvm/llvm_internal.h"
#include "lowering/llvm/llvm_odd_vectors.h"
#include "lowering/named_targets.h"

namespace tenon::llvm_lowering {

namespace {

void InitializeTargets() {
  // LLVM's registry is global. Initializing it twice is harmless, but not concurrently.
  static const bool done = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmParsers();
    llvm::InitializeAllAsmPrinters();
    return true;
  }();
  static_cast<void>(done);
}

/// The features that this machine has, in LLVM's order of names.
std::string HostFeatures() {
  std::vector<std::string> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    features.push_back((feature.getValue() ? "+" : "-") + feature.getKey().str());
  }
  std::sort(features.begin(), features.end());
  std::string text;
  for (const std::string& feature : features) text += (text.empty() ? "" : ",") + feature;
  return text;
}

absl::Status CheckFeatures(const llvm::MCSubtargetInfo& subtarget, const std::string& features) {
  const llvm::SubtargetFeatures wanted(features);
  for (const std::string& feature : wanted.getFeatures()) {
    const llvm::StringRef name = llvm::SubtargetFeatures::StripFlag(feature);
    const auto known = subtarget.getAllProcessorFeatures();
    const bool found =
        std::any_of(known.begin(), known.end(), [&](const auto& row) { return name == row.Key; });
    if (!found)
      return absl::InvalidArgumentError(fmt::format("the target `{}` has no feature `{}`",
                                                    subtarget.getTargetTriple().str(), name.str()));
  }
  return absl::OkStatus();
}

/// Reports an ABI that LLVM would ignore as an error.
absl::Status CheckAbi(const llvm::Target& target, const llvm::Triple& triple,
                      const std::string& cpu, const std::string& features, const std::string& abi) {
  if (abi.empty()) return absl::OkStatus();
  if (!triple.isRISCV()) {
    return absl::InvalidArgumentError(
        fmt::format("--target-abi={}: LLVM's code for `{}` has the ABI that the triple says", abi,
                    triple.str()));
  }
  // https://github.com/riscv-non-isa/riscv-elf-psabi-doc: the registers that each ABI needs.
  struct Abi {
    llvm::StringRef name;
    bool is_64_bit;
    const char* needs;
  };
  static constexpr Abi kAbis[] = {
      {"ilp32", false, ""}, {"ilp32f", false, "+f"}, {"ilp32d", false, "+d"}, {"ilp32e", false, ""},
      {"lp64", true, ""},   {"lp64f", true, "+f"},   {"lp64d", true, "+d"},   {"lp64e", true, ""}};
  const auto* found = std::find_if(std::begin(kAbis), std::end(kAbis), [&](const Abi& known) {
    return known.name == abi && known.is_64_bit == triple.isRISCV64();
  });
  if (found == std::end(kAbis)) {
    return absl::InvalidArgumentError(
        fmt::format("the target `{1}` has no ABI `{0}`", abi, triple.str()));
  }
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target.createMCSubtargetInfo(triple.str(), cpu, features));
  if (*found->needs != '\0' && !subtarget->checkFeatures(found->needs)) {
    return absl::InvalidArgumentError(
        fmt::format("the ABI `{}` needs --features={}", abi, found->needs));
  }
  return absl::OkStatus();
}

/// Checks that one address space contains all code and data.
absl::Status CheckAddressSpaces(const llvm::TargetMachine& machine) {
  const llvm::DataLayout layout = machine.createDataLayout();
  if (layout.getDefaultGlobalsAddressSpace() == 0 && layout.getAllocaAddrSpace() == 0)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("Tenon cannot generate code for the target `{}`: its memories have addresses of "
                  "different kinds",
                  machine.getTargetTriple().str()));
}

llvm::CodeGenOptLevel CodeLevel(int opt_level) {
  switch (opt_level) {
    case 0:
      return llvm::CodeGenOptLevel::None;
    case 1:
      return llvm::CodeGenOptLevel::Less;
    case 2:
      return llvm::CodeGenOptLevel::Default;
    default:
      return llvm::CodeGenOptLevel::Aggressive;
  }
}

llvm::OptimizationLevel PipelineLevel(int opt_level) {
  switch (opt_level) {
    case 1:
      return llvm::OptimizationLevel::O1;
    case 2:
      return llvm::OptimizationLevel::O2;
    default:
      return llvm::OptimizationLevel::O3;
  }
}

/// Passes and code generation read the size level from functions' attributes.
void AskForSize(llvm::Module& module, CodeSize size) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr(llvm::Attribute::OptimizeForSize);
    if (size != CodeSize::kSmallest) continue;
    function.addFnAttr(llvm::Attribute::MinSize);
    // Calls of outlined instructions push registers that no frame of the estimate has.
    function.addFnAttr("nooutline");
  }
}

bool IsArmWith(const llvm::TargetMachine& machine, const std::string& feature) {
  const llvm::Triple& triple = machine.getTargetTriple();
  return (triple.isARM() || triple.isThumb()) &&
         machine.getMCSubtargetInfo()->checkFeatures(feature);
}

/// A piece of advice for a processor that the target does not have.
std::string NextStep(std::string_view cpu) {
  const NamedTarget* named = FindNamedTarget(cpu);
  return named == nullptr ? "`tenon compile --list-targets` lists targets with their processors"
                          : fmt::format("give --target={} instead", named->name);
}

}  // namespace

bool HasArmDsp(const llvm::TargetMachine& machine) { return IsArmWith(machine, "+dsp"); }

bool HasArmMve(const llvm::TargetMachine& machine) { return IsArmWith(machine, "+mve"); }

ByteSumsForm ByteSumsFormOf(const llvm::TargetMachine& machine) {
  // Assembly takes all registers.
  if (!IsArmWith(machine, "+mclass") || HasArmDsp(machine) || HasArmMve(machine) ||
      IsArmWith(machine, "+reserve-r9"))
    return ByteSumsForm::kNone;
  return IsArmWith(machine, "+thumb2") ? ByteSumsForm::kThumb2 : ByteSumsForm::kThumb1;
}

int X86PairBits(const llvm::TargetMachine& machine) {
  if (!machine.getTargetTriple().isX86()) return 0;
  const llvm::MCSubtargetInfo& subtarget = *machine.getMCSubtargetInfo();
  if (subtarget.checkFeatures("+avx512bw")) return 512;
  if (subtarget.checkFeatures("+avx2")) return 256;
  return subtarget.checkFeatures("+sse2") ? 128 : 0;
}

bool HasPmuldq(const llvm::TargetMachine& machine) {
  return machine.getTargetTriple().isX86() &&
         machine.getMCSubtargetInfo()->checkFeatures("+sse4.1");
}

QuadInstructions QuadInstructionsOf(const llvm::TargetMachine& machine) {
  const llvm::Triple& triple = machine.getTargetTriple();
  const llvm::MCSubtargetInfo& subtarget = *machine.getMCSubtargetInfo();
  if (triple.isX86()) {
    if (subtarget.checkFeatures("+avx512vnni") && subtarget.checkFeatures("+avx512vl"))
      return {Instruction::kVpdpbusd, 512};
    if (subtarget.checkFeatures("+avxvnni")) return {Instruction::kVpdpbusd, 256};
    return {Instruction::kPmaddwdQuads, X86PairBits(machine)};
  }
  if (triple.getArch() == llvm::Triple::aarch64) {
    if (subtarget.checkFeatures("+i8mm")) return {Instruction::kUsdot, 128};
    if (subtarget.checkFeatures("+dotprod")) return {Instruction::kSdot, 128};
  }
  return {};
}

InstructionSet InstructionsOf(const llvm::TargetMachine& machine) {
  InstructionSet all;
  const llvm::Triple& triple = machine.getTargetTriple();
  const auto has = [&](const char* feature) {
    return machine.getMCSubtargetInfo()->checkFeatures(feature);
  };
  if (triple.getArch() == llvm::Triple::aarch64 ||
      (triple.isX86() && (has("+fma") || has("+avx512f"))))
    all.Add(Instruction::kFma);
  if (X86PairBits(machine) > 0) all.Add(Instruction::kPmaddwd);
  if (const QuadInstructions quads = QuadInstructionsOf(machine); quads.bits > 0) {
    all.Add(quads.instruction);
    if (quads.instruction == Instruction::kVpdpbusd) all.Add(Instruction::kVpdpwssd);
  }
  if (HasArmDsp(machine)) all.Add(Instruction::kSmlad);
  if (HasArmMve(machine)) {
    all.Add(Instruction::kVmladavS16);
    all.Add(Instruction::kVmladavS8);
  }
  const ByteSumsForm form = ByteSumsFormOf(machine);
  if (form == ByteSumsForm::kThumb2) all.Add(Instruction::kMla);
  if (form == ByteSumsForm::kThumb1) all.Add(Instruction::kMuls);
  return all;
}

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeTargetMachine(const TargetSpec& target,
                                                                       int opt_level) {
  InitializeTargets();
  const std::string host = llvm::sys::getProcessTriple();
  const llvm::Triple triple(llvm::Triple::normalize(target.triple.empty() ? host : target.triple));
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple.str(), error);
  if (found == nullptr || triple.getArch() == llvm::Triple::UnknownArch) {
    // A misspelt name gets the nearest one; other triples are ones that this LLVM was built
    // without.
    if (absl::Status known = CheckTriple(target.triple); !known.ok()) return known;
    return absl::InvalidArgumentError(fmt::format(
        "LLVM {} has no target for the triple `{}`, expected one such as `thumbv7em-none-eabi`",
        LLVM_VERSION_STRING, target.triple));
  }
  const bool is_native = target.cpu == "native";
  if (is_native && triple.getArch() != llvm::Triple(host).getArch()) {
    return absl::InvalidArgumentError(
        fmt::format("`native` is the processor of this machine, expected a processor of `{}`",
                    triple.getArchName().str()));
  }
  const std::string cpu = is_native ? llvm::sys::getHostCPUName().str() : target.cpu;
  std::string features = is_native ? HostFeatures() : std::string();
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      found->createMCSubtargetInfo(triple.str(), "", ""));
  if (!cpu.empty() && !subtarget->isCPUStringValid(cpu)) {
    return absl::InvalidArgumentError(
        fmt::format("the target `{}` has no processor `{}`; {}", triple.str(), cpu, NextStep(cpu)));
  }
  if (absl::Status checked = CheckFeatures(*subtarget, target.features); !checked.ok())
    return checked;
  // AMD's processors load lanes one by one in less time than they gather them. LLVM knows this only
  // of some Intel processors. Features of the user come last, so they win.
  if (triple.isX86() && llvm::StringRef(cpu).starts_with("znver")) {
    features += features.empty() ? "" : ",";
    features += "+prefer-no-gather,+prefer-no-scatter";
  }
  if (!target.features.empty()) features += (features.empty() ? "" : ",") + target.features;
  if (absl::Status checked = CheckAbi(*found, triple, cpu, features, target.abi); !checked.ok())
    return checked;
  llvm::TargetOptions options;
  options.MCOptions.ABIName = target.abi;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.FunctionSections = true;
  options.DataSections = true;
  // Calls of memset rather than of the AEABI's function, which would be a second one in the image.
  if (triple.isThumb() || triple.isARM()) options.EABIVersion = llvm::EABI::GNU;
  const bool is_bare = triple.isOSUnknown() || triple.getOS() == llvm::Triple::UnknownOS;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple.str(), cpu, features, options, is_bare ? llvm::Reloc::Static : llvm::Reloc::PIC_,
      std::nullopt, CodeLevel(opt_level)));
  if (machine == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("LLVM cannot generate code for the target `{}`", triple.str()));
  }
  if (absl::Status checked = CheckAddressSpaces(*machine); !checked.ok()) return checked;
  return machine;
}

void AddError(const llvm::DiagnosticInfo& info, std::string& errors) {
  if (info.getSeverity() != llvm::DS_Error) return;
  llvm::raw_string_ostream stream(errors);
  if (!errors.empty()) stream << "; ";
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info.print(printer);
}

void CollectErrors(llvm::LLVMContext& context, std::string& errors) {
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* info, void* text) {
        AddError(*info, *static_cast<std::string*>(text));
      },
      &errors);
}

namespace {

/// Runs passes over a module, with the analyses that they need.
template <typename MakePasses>
void RunPasses(llvm::Module& module, llvm::TargetMachine& machine,
               const llvm::PipelineTuningOptions& tuning, MakePasses make_passes) {
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  const llvm::TargetLibraryInfoImpl library(llvm::Triple(module.getTargetTriple()));
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::ModulePassManager passes = make_passes(builder);
  passes.run(module, modules);
}

/// Whether unsigned numbers of more than 8 bits are converted to float. LLVM 19's SLP vectorizer
/// narrows such numbers if all their high bits are equal, and then treats sign-extended numbers as
/// unsigned.
bool HasWideUnsigned(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* cast = llvm::dyn_cast<llvm::UIToFPInst>(&instruction);
      if (cast != nullptr && cast->getSrcTy()->getScalarSizeInBits() > 8 &&
          !llvm::isa<llvm::ZExtInst>(cast->getOperand(0)))
        return true;
    }
  }
  return false;
}

}  // namespace

void Optimize(llvm::Module& module, llvm::TargetMachine& machine, const EmitLlvmOptions& options) {
  const int opt_level = options.opt_level;
  const bool wants_size = options.size != CodeSize::kAny && opt_level > 0;
  // On Thumb, passes at the smallest level make code that is slower, and larger in the end. Code
  // generation at that level makes it smaller, and mostly faster.
  const bool is_thumb = machine.getTargetTriple().isThumb();
  if (wants_size) AskForSize(module, is_thumb ? CodeSize::kSmall : options.size);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = opt_level >= 2;
  tuning.SLPVectorization = opt_level >= 2 && !HasWideUnsigned(module);
  tuning.LoopInterleaving = opt_level >= 2;
  RunPasses(module, machine, tuning, [&](llvm::PassBuilder& builder) {
    return opt_level == 0 ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                          : builder.buildPerModuleDefaultPipeline(PipelineLevel(opt_level));
  });
  if (opt_level > 0) SplitOddVectors(module);
  if (wants_size && is_thumb) AskForSize(module, CodeSize::kSmallest);
}

void PropagateArguments(llvm::Module& module, llvm::TargetMachine& machine) {
  RunPasses(module, machine, {}, [](llvm::PassBuilder&) {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::IPSCCPPass(llvm::IPSCCPOptions(/*AllowFuncSpec=*/false)));
    return passes;
  });
}

void DropUnreached(llvm::Module& module, llvm::TargetMachine& machine) {
  RunPasses(module, machine, {}, [](llvm::PassBuilder&) {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::GlobalDCEPass());
    return passes;
  });
}

}  // namespace tenon::llvm_lowering
