// Optimizes functions separately, as bitcode, on several threads. LLVM would inline all operators
// into one function, which takes far longer and gains nothing. The division depends on the module
// alone, not on threads. Values that parts share have external names of hidden visibility until the
// parts are linked.

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <thread>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

/// The number of a part.
using PartNumber = size_t;

/// The original linkages of values with these names.
using Linkages = std::vector<std::pair<std::string, llvm::GlobalValue::LinkageTypes>>;

/// Functions of up to this many instructions may be inlined at every call.
constexpr size_t kSmallFunction = 50;
/// Functions with at least this many instructions get a separate part. In one function with all
/// others, they took up to twice the time, and ran no faster (docs/guide/targets.md).
constexpr size_t kLargeFunction = 200;
constexpr size_t kMostParts = 64;

/// Assigns functions to parts. Part 0 contains everything that is in no other part.
class Division {
 public:
  explicit Division(llvm::Module& module);
  /// Whether there is more than one large part.
  bool is_worthwhile() const { return count_ > 2; }
  PartNumber count() const { return count_; }
  const std::vector<llvm::Function*>& functions() const { return functions_; }
  /// Whether parts that call the function get a copy to inline.
  bool IsSmall(const llvm::Function& function) const;
  PartNumber PartOf(const llvm::Function& function) const { return parts_[index_.at(&function)]; }
  /// Whether more than one part refers to a value.
  bool IsShared(const llvm::GlobalValue& value) const;

 private:
  size_t Root(size_t i) const;
  void KeepLoopsTogether(const llvm::Function& function);
  void Distribute();

  std::vector<llvm::Function*> functions_;
  absl::flat_hash_map<const llvm::Function*, size_t> index_;
  std::vector<size_t> parents_;
  std::vector<PartNumber> parts_;
  PartNumber count_ = 1;
};

Division::Division(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    index_[&function] = functions_.size();
    functions_.push_back(&function);
  }
  parents_.resize(functions_.size());
  std::iota(parents_.begin(), parents_.end(), size_t{0});
  for (const llvm::Function* function : functions_) KeepLoopsTogether(*function);
  Distribute();
}

bool Division::IsSmall(const llvm::Function& function) const {
  return function.hasLocalLinkage() && function.getInstructionCount() <= kSmallFunction;
}

size_t Division::Root(size_t i) const {
  while (parents_[i] != i) i = parents_[i];
  return i;
}

/// Puts callers and callees of calls in loops into one group: inlining may pay off there for
/// functions of any size.
void Division::KeepLoopsTogether(const llvm::Function& function) {
  llvm::DominatorTree tree(const_cast<llvm::Function&>(function));
  const llvm::LoopInfo loops(tree);
  for (const llvm::BasicBlock& block : function) {
    if (loops.getLoopFor(&block) == nullptr) continue;
    for (const llvm::Instruction& instruction : block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const auto found = call == nullptr ? index_.end() : index_.find(call->getCalledFunction());
      if (found == index_.end() || IsSmall(*found->first)) continue;
      const size_t a = Root(index_.at(&function));
      const size_t b = Root(found->second);
      parents_[std::max(a, b)] = std::min(a, b);
    }
  }
}

/// Gives each large group a part, or the part with the smallest weight if all parts are in use.
void Division::Distribute() {
  std::vector<size_t> weights(functions_.size());
  for (size_t i = 0; i < functions_.size(); ++i)
    weights[Root(i)] += functions_[i]->getInstructionCount();
  std::vector<size_t> large;
  for (size_t i = 0; i < functions_.size(); ++i) {
    if (weights[i] >= kLargeFunction) large.push_back(i);
  }
  std::stable_sort(large.begin(), large.end(),
                   [&](size_t a, size_t b) { return weights[a] > weights[b]; });
  std::vector<PartNumber> of_root(functions_.size());
  std::vector<size_t> filled(std::min(large.size(), kMostParts));
  for (const size_t root : large) {
    const auto lightest = std::min_element(filled.begin(), filled.end());
    *lightest += weights[root];
    of_root[root] = static_cast<PartNumber>(lightest - filled.begin()) + 1;
  }
  for (size_t i = 0; i < functions_.size(); ++i) parts_.push_back(of_root[Root(i)]);
  count_ = filled.size() + 1;
}

bool Division::IsShared(const llvm::GlobalValue& value) const {
  std::optional<PartNumber> part;
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&value)) part = PartOf(*function);
  std::vector<const llvm::User*> users(value.user_begin(), value.user_end());
  while (!users.empty()) {
    const llvm::User* user = users.back();
    users.pop_back();
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    if (instruction == nullptr) {
      if (llvm::isa<llvm::GlobalValue>(user)) return true;
      users.insert(users.end(), user->user_begin(), user->user_end());
      continue;
    }
    const llvm::Function& function = *instruction->getFunction();
    if (IsSmall(function) || PartOf(function) != part.value_or(PartOf(function))) return true;
    part = PartOf(function);
  }
  return false;
}

/// Gives a value of local linkage an external name, and notes its linkage.
void Publish(llvm::GlobalValue& value, Linkages& before) {
  if (!value.hasLocalLinkage()) return;
  if (!value.hasName()) value.setName(value.getParent()->getModuleIdentifier() + "_unnamed");
  before.emplace_back(value.getName().str(), value.getLinkage());
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setVisibility(llvm::GlobalValue::HiddenVisibility);
}

void Restore(llvm::Module& module, const Linkages& linkages) {
  for (const auto& [name, linkage] : linkages) {
    if (llvm::GlobalValue* value = module.getNamedValue(name)) {
      value->setVisibility(llvm::GlobalValue::DefaultVisibility);
      value->setLinkage(linkage);
    }
  }
}

/// Publishes variables, and functions that more than one part refers to.
Linkages PublishShared(llvm::Module& module, const Division& division) {
  Linkages before;
  std::vector<llvm::Function*> shared;
  for (llvm::Function* function : division.functions()) {
    if (division.IsShared(*function)) shared.push_back(function);
  }
  for (llvm::Function* function : shared) Publish(*function, before);
  for (llvm::GlobalVariable& variable : module.globals()) Publish(variable, before);
  return before;
}

/// Drops the values that a clone of a part does not use.
void DropUnused(llvm::Module& part) {
  for (llvm::Function& function : llvm::make_early_inc_range(part)) {
    const bool is_copy = function.isDeclaration() || function.hasAvailableExternallyLinkage();
    if (is_copy && function.use_empty()) function.eraseFromParent();
  }
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(part.globals())) {
    variable.removeDeadConstantUsers();
    const bool is_copy = variable.isDeclaration() || variable.hasAvailableExternallyLinkage();
    if (is_copy && variable.use_empty()) variable.eraseFromParent();
  }
}

/// Whether a value is a small table, whose contents may help to optimize code that reads it.
bool IsSmallTable(const llvm::GlobalValue& value) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
  if (variable == nullptr || !variable->isConstant() || !variable->hasDefinitiveInitializer())
    return false;
  const llvm::DataLayout& layout = variable->getParent()->getDataLayout();
  const uint64_t size = layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
  return size <= static_cast<uint64_t>(kSmallConstant);
}

/// A copy of the definitions that `is_defined` chooses, in the same context. Other values that they
/// use are declared; the contents of small tables are still known to the optimizer. Functions that
/// `is_copy` chooses may be inlined, but get no code.
std::unique_ptr<llvm::Module> ClonePart(
    const llvm::Module& module, llvm::function_ref<bool(const llvm::GlobalValue&)> is_defined,
    llvm::function_ref<bool(const llvm::Function&)> is_copy) {
  const auto has_copy = [&](const llvm::GlobalValue& value) {
    if (value.isDeclaration() || is_defined(value)) return false;
    const auto* function = llvm::dyn_cast<llvm::Function>(&value);
    return function != nullptr ? is_copy(*function) : IsSmallTable(value);
  };
  llvm::ValueToValueMapTy map;
  std::unique_ptr<llvm::Module> clone = llvm::CloneModule(
      module, map,
      [&](const llvm::GlobalValue* value) { return is_defined(*value) || has_copy(*value); });
  for (const llvm::GlobalObject& value : module.global_objects()) {
    if (!has_copy(value)) continue;
    auto* copy = llvm::cast<llvm::GlobalObject>(map[&value]);
    copy->setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    if (llvm::isa<llvm::GlobalVariable>(copy)) copy->setSection("");
  }
  DropUnused(*clone);
  return clone;
}

std::string WriteBitcode(const llvm::Module& module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return stream.str();
}

/// The result of optimizing a part.
struct Optimized {
  std::string bitcode;
  std::string errors;
};

Optimized OptimizePart(const std::string& bitcode, llvm::TargetMachine& machine,
                       const EmitLlvmOptions& options) {
  Optimized result;
  llvm::LLVMContext context;
  CollectErrors(context, result.errors);
  auto part = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "part"), context);
  if (!part) {
    result.errors = llvm::toString(part.takeError());
    return result;
  }
  Optimize(**part, machine, options);
  result.bitcode = WriteBitcode(**part);
  return result;
}

/// Optimizes the parts on as many threads as the options ask for. Each thread has a machine.
std::vector<Optimized> OptimizeAll(const std::vector<std::string>& parts,
                                   const EmitLlvmOptions& options) {
  std::vector<Optimized> results(parts.size());
  std::atomic<PartNumber> next = 0;
  const auto run = [&] {
    const auto machine = MakeTargetMachine(options.target, options.opt_level);
    for (PartNumber i = next++; i < parts.size(); i = next++) {
      // Large parts first, part 0 last.
      const PartNumber part = (i + 1) % parts.size();
      if (machine.ok()) {
        results[part] = OptimizePart(parts[part], **machine, options);
      } else {
        results[part].errors = std::string(machine.status().message());
      }
    }
  };
  const size_t wanted = options.threads > 0 ? static_cast<size_t>(options.threads)
                                            : size_t{std::thread::hardware_concurrency()};
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min(wanted, parts.size()); ++i) helpers.emplace_back(run);
  run();
  for (std::thread& helper : helpers) helper.join();
  return results;
}

/// Removes the bodies of all functions from the module, and the functions that only one part has.
void Empty(llvm::Module& module, const std::vector<llvm::Function*>& functions) {
  for (llvm::Function* function : functions) function->deleteBody();
  for (llvm::Function* function : functions) {
    // An external declaration stays while it is used; the part defines it.
    function->removeDeadConstantUsers();
    if (function->use_empty()) function->eraseFromParent();
  }
  if (llvm::NamedMDNode* units = module.getNamedMetadata("llvm.dbg.cu")) units->eraseFromParent();
}

std::string LinkParts(llvm::Module& module, const std::vector<Optimized>& parts) {
  llvm::Linker linker(module);
  for (const Optimized& part : parts) {
    if (!part.errors.empty()) return part.errors;
    auto read =
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(part.bitcode, "part"), module.getContext());
    if (!read) return llvm::toString(read.takeError());
    if (linker.linkInModule(std::move(*read)))
      return "LLVM cannot link the parts that it optimised";
  }
  return "";
}

/// The part of a division, with copies of the small functions of others.
std::string PartOf(const llvm::Module& module, const Division& division, PartNumber part,
                   const absl::flat_hash_set<const llvm::Function*>& small) {
  return WriteBitcode(*ClonePart(
      module,
      [&](const llvm::GlobalValue& value) {
        const auto* function = llvm::dyn_cast<llvm::Function>(&value);
        return function != nullptr && !function->isDeclaration() &&
               division.PartOf(*function) == part;
      },
      [&](const llvm::Function& function) { return small.contains(&function); }));
}

}  // namespace

void OptimizeInParts(llvm::Module& module, llvm::TargetMachine& machine,
                     const EmitLlvmOptions& options, std::string& errors) {
  // For small code it is best to inline functions that are called once.
  if (options.opt_level == 0 || options.size != CodeSize::kAny)
    return Optimize(module, machine, options);
  std::vector<std::string> names;
  std::vector<std::string> parts;
  Linkages linkages;
  {
    if (!Division(module).is_worthwhile()) return Optimize(module, machine, options);
    PropagateArguments(module, machine);
    const Division division(module);
    absl::flat_hash_set<const llvm::Function*> small;
    for (const llvm::Function* function : division.functions()) {
      names.push_back(function->getName().str());
      if (division.IsSmall(*function)) small.insert(function);
    }
    linkages = PublishShared(module, division);
    for (PartNumber part = 0; part < division.count(); ++part)
      parts.push_back(PartOf(module, division, part, small));
    Empty(module, division.functions());
  }
  std::string error = LinkParts(module, OptimizeAll(parts, options));
  if (!error.empty()) errors += (errors.empty() ? "" : "; ") + error;
  Restore(module, linkages);
  for (const std::string& name : names) {
    llvm::Function* function = module.getFunction(name);
    if (function == nullptr) continue;
    function->removeFromParent();
    module.getFunctionList().push_back(function);
  }
  DropUnreached(module, machine);
}

}  // namespace tenon::llvm_lowering
