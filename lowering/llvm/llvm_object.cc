// LLVM's code generator without its verifier, since the module was verified when it was built.
// Errors and sizes of frames come as diagnostics of the context.

#include "lowering/llvm/llvm_object.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lowering/llvm/llvm_internal.h"
#include "lowering/llvm/llvm_join.h"
#include "lowering/llvm/llvm_parts.h"

// Machine code of a module, in parts on several threads. LLVM generates the code of each function
// apart from the others, so parts have the same code as the whole. The division depends only on the
// module.

namespace tenon::llvm_lowering {

namespace {

/// Instructions of a part. Copies of a part and its reading must take little of the time.
constexpr size_t kPartInstructions = 2000;
constexpr PartNumber kMostParts = 16;

/// Whether objects of parts can be joined, and are as good as one. LLVM places small variables of a
/// module together for microcontrollers, which have short addresses.
bool CanDivide(const llvm::Module& module, const llvm::TargetMachine& machine,
               const EmitLlvmOptions& options) {
  const llvm::Triple& triple = machine.getTargetTriple();
  const bool is_known = triple.getArch() == llvm::Triple::x86_64 || triple.isAArch64(64);
  if (!is_known || triple.isX32() || !triple.isLittleEndian() || !triple.isOSBinFormatELF())
    return false;
  if (options.opt_level == 0 || options.size != CodeSize::kAny) return false;
  if (!module.aliases().empty() || !module.ifuncs().empty()) return false;
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isThreadLocal() || variable.hasAppendingLinkage()) return false;
  }
  return module.getComdatSymbolTable().empty();
}

/// Assigns the definitions of a module to parts. Functions keep their order.
class CodeDivision {
 public:
  explicit CodeDivision(llvm::Module& module);
  /// The number of parts with code.
  PartNumber count() const { return count_; }
  /// The part of variables, except small tables of one part.
  PartNumber data_part() const { return count_; }
  bool IsIn(const llvm::GlobalValue& value, PartNumber part) const {
    const auto found = homes_.find(&value);
    return found != homes_.end() && found->second == part;
  }
  /// Gives external names to the values that other parts refer to. References stay as direct as the
  /// machine makes them in one piece.
  Linkages PublishShared(llvm::Module& module, const llvm::TargetMachine& machine) const;

 private:
  static constexpr PartNumber kSeveral = static_cast<PartNumber>(-1);

  void PlaceFunctions(llvm::Module& module);
  /// The part with all users of a value, or kSeveral.
  PartNumber UserOf(const llvm::GlobalValue& value) const;

  absl::flat_hash_map<const llvm::GlobalValue*, PartNumber> homes_;
  PartNumber count_ = 1;
};

CodeDivision::CodeDivision(llvm::Module& module) {
  PlaceFunctions(module);
  if (count_ < 2) return;
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isDeclaration()) continue;
    const bool is_inside = variable.hasLocalLinkage() && IsSmallTable(variable);
    const PartNumber user = is_inside ? UserOf(variable) : kSeveral;
    homes_[&variable] = user == kSeveral ? data_part() : user;
  }
}

/// Cuts the list of functions into pieces of about the same number of instructions.
void CodeDivision::PlaceFunctions(llvm::Module& module) {
  size_t total = 0;
  for (const llvm::Function& function : module) total += function.getInstructionCount();
  const PartNumber wanted = std::clamp<size_t>(total / kPartInstructions, 1, kMostParts);
  size_t before = 0;
  PartNumber last = 0;
  PartNumber slot_of_last = 0;
  for (const llvm::Function& function : module) {
    if (function.isDeclarationForLinker()) continue;
    const size_t size = function.getInstructionCount();
    const PartNumber slot =
        std::min((before + size / 2) * wanted / std::max<size_t>(total, 1), wanted - 1);
    // No part is empty.
    if (slot != slot_of_last && !homes_.empty()) ++last;
    slot_of_last = slot;
    homes_[&function] = last;
    before += size;
  }
  count_ = last + 1;
}

PartNumber CodeDivision::UserOf(const llvm::GlobalValue& value) const {
  std::optional<PartNumber> part;
  std::vector<const llvm::User*> users(value.user_begin(), value.user_end());
  while (!users.empty()) {
    const llvm::User* user = users.back();
    users.pop_back();
    if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      const PartNumber home = homes_.at(instruction->getFunction());
      if (home != part.value_or(home)) return kSeveral;
      part = home;
    } else if (llvm::isa<llvm::GlobalValue>(user)) {
      return kSeveral;
    } else {
      users.insert(users.end(), user->user_begin(), user->user_end());
    }
  }
  return part.value_or(0);
}

Linkages CodeDivision::PublishShared(llvm::Module& module,
                                     const llvm::TargetMachine& machine) const {
  Linkages before;
  for (llvm::GlobalObject& value : module.global_objects()) {
    const auto home = homes_.find(&value);
    if (home == homes_.end() || UserOf(value) == home->second) continue;
    if (machine.shouldAssumeDSOLocal(&value)) value.setDSOLocal(true);
    Publish(value, before);
  }
  return before;
}

std::optional<std::string> MakeWhole(llvm::Module& module, llvm::TargetMachine& machine,
                                     llvm::CodeGenFileType kind) {
  DivideLongBlocks(module);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  // The module was verified when it was built; LLVM's own passes are trusted to keep it valid.
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true))
    return std::nullopt;
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

/// The object of a part; empty after an error.
std::string MakePart(const std::string& bitcode, llvm::TargetMachine& machine, CodeReport& report) {
  llvm::LLVMContext context;
  CollectReport(context, report);
  auto part = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "part"), context);
  if (!part) {
    report.errors = llvm::toString(part.takeError());
    return {};
  }
  return MakeWhole(**part, machine, llvm::CodeGenFileType::ObjectFile).value_or(std::string());
}

/// Makes the objects of the parts with code, and last that of the variables.
std::vector<std::string> MakeParts(const llvm::Module& module, const CodeDivision& division,
                                   llvm::TargetMachine& machine, const EmitLlvmOptions& options,
                                   CodeReport& report) {
  const auto clone = [&](PartNumber part) {
    return ClonePart(
        module, [&](const llvm::GlobalValue& value) { return division.IsIn(value, part); },
        [](const llvm::Function&) { return false; });
  };
  std::vector<std::string> parts;
  for (PartNumber part = 0; part < division.count(); ++part)
    parts.push_back(WriteBitcode(*clone(part)));
  std::vector<CodeReport> reports(parts.size());
  std::string data;
  // Large constants stay in their context: a copy as bitcode takes longer than their code.
  const auto make_data = [&] {
    data = MakeWhole(*clone(division.data_part()), machine, llvm::CodeGenFileType::ObjectFile)
               .value_or(std::string());
  };
  ForEachPart(parts.size(), options, make_data, [&](PartNumber part, const auto& made) {
    if (made.ok()) {
      parts[part] = MakePart(parts[part], **made, reports[part]);
    } else {
      reports[part].errors = std::string(made.status().message());
    }
  });
  for (CodeReport& own : reports) {
    report.frames.merge(own.frames);
    if (!own.errors.empty()) report.errors += (report.errors.empty() ? "" : "; ") + own.errors;
  }
  parts.push_back(std::move(data));
  return parts;
}

/// The joined objects of the module's parts; nullopt if it must be made in one piece.
std::optional<std::string> MakeInParts(llvm::Module& module, llvm::TargetMachine& machine,
                                       const EmitLlvmOptions& options, CodeReport& report) {
  if (!CanDivide(module, machine, options)) return std::nullopt;
  const CodeDivision division(module);
  if (division.count() < 2) return std::nullopt;
  const Linkages linkages = division.PublishShared(module, machine);
  absl::flat_hash_set<std::string> locals;
  for (const auto& [name, linkage] : linkages) locals.insert(name);
  std::optional<std::string> joined =
      JoinObjects(MakeParts(module, division, machine, options, report), locals);
  Restore(module, linkages);
  // After an error, one piece would only repeat it.
  return report.errors.empty() ? joined : joined.value_or(std::string());
}

}  // namespace

std::optional<std::string> MakeMachineCode(llvm::Module& module, llvm::TargetMachine& machine,
                                           llvm::CodeGenFileType kind,
                                           const EmitLlvmOptions& options, CodeReport& report) {
  if (kind == llvm::CodeGenFileType::ObjectFile) {
    if (auto code = MakeInParts(module, machine, options, report)) return code;
  }
  report.frames.clear();
  CollectReport(module.getContext(), report);
  return MakeWhole(module, machine, kind);
}

}  // namespace tenon::llvm_lowering
