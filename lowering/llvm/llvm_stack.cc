// The stack that a run needs is the longest path in the graph of calls, weighted by frames. LLVM
// gives the frames exactly, as warnings. An address that is passed on counts as a call.

#include "lowering/llvm/llvm_stack.h"

#include <llvm/CodeGen/TargetFrameLowering.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Object/SymbolSize.h>

#include <algorithm>
#include <map>
#include <memory>

#include "lowering/llvm/library_stack.h"
#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

/// Finds the chain of calls with the largest sum of frames. A recursive chain ends at the repeated
/// function.
class DeepestChain {
 public:
  DeepestChain(const std::vector<int64_t>& bytes, const std::vector<std::vector<size_t>>& calls)
      : bytes_(bytes),
        calls_(calls),
        deepest_(bytes.size()),
        next_(bytes.size(), kNone),
        seen_(bytes.size()) {
    for (size_t root = 0; root < bytes_.size(); ++root) Visit(root);
  }

  std::vector<size_t> Path() const {
    std::vector<size_t> path;
    if (deepest_.empty()) return path;
    const auto most = std::max_element(deepest_.begin(), deepest_.end());
    for (auto at = static_cast<size_t>(most - deepest_.begin()); at != kNone; at = next_[at])
      path.push_back(at);
    return path;
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  struct Open {
    size_t function = 0;
    size_t call = 0;
  };

  /// Iterative, because a chain may contain all functions of the module.
  void Visit(size_t root) {
    if (seen_[root]) return;
    std::vector<Open> open = {{root, 0}};
    seen_[root] = true;
    while (!open.empty()) {
      Open& now = open.back();
      const std::vector<size_t>& calls = calls_[now.function];
      if (now.call < calls.size()) {
        const size_t callee = calls[now.call++];
        if (seen_[callee]) continue;
        seen_[callee] = true;
        open.push_back({callee, 0});
        continue;
      }
      Finish(now.function);
      open.pop_back();
    }
  }

  void Finish(size_t function) {
    int64_t most = 0;
    for (const size_t callee : calls_[function]) {
      // Not finished: an outer call of a recursion.
      if (deepest_[callee] <= most) continue;
      most = deepest_[callee];
      next_[function] = callee;
    }
    deepest_[function] = bytes_[function] + most;
  }

  const std::vector<int64_t>& bytes_;
  const std::vector<std::vector<size_t>>& calls_;
  std::vector<int64_t> deepest_;
  std::vector<size_t> next_;
  std::vector<bool> seen_;
};

/// The most bytes that a function skips so that its arrays and vectors are aligned. They are not
/// part of the frame that LLVM reports.
int64_t SkippedToAlign(const llvm::Function& function, llvm::Align stack) {
  if (function.hasFnAttribute("no-realign-stack")) return 0;
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  llvm::Align largest = stack;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      largest = std::max(largest, array->getAlign());
    // A vector that is spilled. No target's registers are larger.
    llvm::Type* type = instruction.getType();
    if (type->isVectorTy())
      largest = std::max(largest, std::min(layout.getPrefTypeAlign(type), llvm::Align(64)));
  }
  return static_cast<int64_t>(largest.value() - stack.value());
}

void SortUnique(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

std::unique_ptr<llvm::object::ObjectFile> OpenObject(llvm::StringRef object) {
  auto read = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "object"));
  if (read) return std::move(*read);
  llvm::consumeError(read.takeError());
  return nullptr;
}

/// The name of a symbol as C has it; empty if the object has none.
std::string NameOf(const llvm::object::ObjectFile& object, const llvm::object::SymbolRef& symbol) {
  auto name = symbol.getName();
  if (!name) {
    llvm::consumeError(name.takeError());
    return {};
  }
  // Mach-O puts an underscore before names of C.
  if (object.isMachO()) name->consume_front("_");
  return name->str();
}

/// The value, or `otherwise` if there is none.
template <class T>
T ValueOr(llvm::Expected<T> value, T otherwise) {
  if (value) return std::move(*value);
  llvm::consumeError(value.takeError());
  return otherwise;
}

/// The functions of other objects that each function calls, sorted.
using CallsByFunction = absl::flat_hash_map<std::string, std::vector<std::string>>;

/// Symbols that linkers define.
constexpr std::string_view kOfLinkers[] = {"_GLOBAL_OFFSET_TABLE_", ".TOC.", "_gp_disp"};

/// Adds the undefined symbols that the relocations of one section name to the functions around.
void AddCallsOf(const llvm::object::SectionRef& section, const llvm::object::ObjectFile& object,
                const std::map<uint64_t, std::string>& functions, CallsByFunction& calls) {
  for (const llvm::object::RelocationRef& relocation : section.relocations()) {
    const auto symbol = relocation.getSymbol();
    if (symbol == object.symbol_end()) continue;
    const uint32_t flags = ValueOr<uint32_t>(symbol->getFlags(), 0);
    if ((flags & llvm::object::SymbolRef::SF_Undefined) == 0) continue;
    std::string name = NameOf(object, *symbol);
    if (std::find(std::begin(kOfLinkers), std::end(kOfLinkers), name) != std::end(kOfLinkers))
      continue;
    const auto after = functions.upper_bound(relocation.getOffset());
    if (after == functions.begin()) continue;
    calls[std::prev(after)->second].push_back(std::move(name));
  }
}

/// Read from relocations, since LLVM adds calls when it generates code. Nullopt without an object
/// of a known format: others do not give every callee a symbol of its name.
std::optional<CallsByFunction> CallsElsewhere(llvm::StringRef object) {
  const auto read = object.empty() ? nullptr : OpenObject(object);
  if (read == nullptr || !(read->isELF() || read->isMachO() || read->isCOFF())) return std::nullopt;
  CallsByFunction calls;
  for (const llvm::object::SectionRef& section : read->sections()) {
    // In ELF, the relocations of a section are another section.
    const auto code = ValueOr(section.getRelocatedSection(), read->section_end());
    if (code == read->section_end() || !code->isText()) continue;
    const llvm::object::SectionRef& where = *code;
    std::map<uint64_t, std::string> functions;
    for (const llvm::object::SymbolRef& symbol : read->symbols()) {
      const auto type = ValueOr(symbol.getType(), llvm::object::SymbolRef::ST_Unknown);
      if (type != llvm::object::SymbolRef::ST_Function) continue;
      if (ValueOr(symbol.getSection(), read->section_end()) != where) continue;
      functions[ValueOr<uint64_t>(symbol.getAddress(), 0) - where.getAddress()] =
          NameOf(*read, symbol);
    }
    AddCallsOf(section, *read, functions, calls);
  }
  for (auto& [function, callees] : calls) SortUnique(callees);
  return calls;
}

}  // namespace

void CollectReport(llvm::LLVMContext& context, CodeReport& report) {
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* info, void* to) {
        auto& report = *static_cast<CodeReport*>(to);
        const auto* frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(info);
        if (frame == nullptr) return AddError(*info, report.errors);
        report.frames[frame->getFunction().getName().str()] +=
            static_cast<int64_t>(frame->getStackSize());
      },
      &report);
}

StackReader::StackReader(llvm::Module& module, const llvm::TargetMachine& machine)
    : target_(machine.getTargetTriple()) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("warn-stack-size", "0");
    index_[&function] = code_.size();
    const llvm::TargetSubtargetInfo* target = machine.getSubtargetImpl(function);
    // Below the stack pointer at the entry; x86 finds the address of the caller there.
    const llvm::TargetFrameLowering& stack = *target->getFrameLowering();
    const int64_t pushed = std::max(-stack.getOffsetOfLocalArea(), 0);
    code_.push_back({&function, pushed + SkippedToAlign(function, stack.getStackAlign()), {}, {}});
  }
  for (Code& code : code_) AddCalls(*code.function, code);
  for (const llvm::GlobalVariable& variable : module.globals())
    variables_.insert(variable.getName().str());
}

void StackReader::AddCalls(const llvm::Function& function, Code& code) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    for (const llvm::Value* operand : instruction.operands()) {
      const auto* callee = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts());
      if (callee == nullptr || callee->isIntrinsic()) continue;
      const auto found = index_.find(callee);
      if (found == index_.end()) {
        code.elsewhere.push_back(callee->getName().str());
      } else if (std::find(code.calls.begin(), code.calls.end(), found->second) ==
                 code.calls.end()) {
        code.calls.push_back(found->second);
      }
    }
  }
  SortUnique(code.elsewhere);
}

std::vector<std::vector<std::string>> StackReader::CalledElsewhere(llvm::StringRef object) const {
  std::vector<std::vector<std::string>> callees;
  const std::optional<CallsByFunction> called = CallsElsewhere(object);
  for (const Code& code : code_) {
    if (!called) {
      callees.push_back(code.elsewhere);
      continue;
    }
    callees.emplace_back();
    const auto found = called->find(code.function->getName().str());
    if (found == called->end()) continue;
    for (const std::string& callee : found->second) {
      if (!variables_.contains(callee)) callees.back().push_back(callee);
    }
  }
  return callees;
}

StackEstimate StackReader::Estimate(const CodeReport& report, llvm::StringRef object) const {
  StackEstimate estimate;
  std::vector<int64_t> bytes;
  std::vector<std::vector<size_t>> calls;
  std::vector<std::string> names;
  for (const Code& code : code_) {
    names.push_back(code.function->getName().str());
    const auto found = report.frames.find(names.back());
    bytes.push_back(code.beyond_frame + (found == report.frames.end() ? 0 : found->second));
    estimate.frames.push_back({names.back(), bytes.back(), 0});
    calls.push_back(code.calls);
  }
  // Functions of libraries come after those of the code.
  std::map<std::string, size_t> library;
  const std::vector<std::vector<std::string>> elsewhere = CalledElsewhere(object);
  for (size_t i = 0; i < elsewhere.size(); ++i) {
    for (const std::string& callee : elsewhere[i]) {
      const std::optional<int64_t> allowed = LibraryStack(target_, callee);
      if (!allowed) {
        estimate.unknown.push_back(callee);
        continue;
      }
      const auto [at, is_new] = library.try_emplace(callee, names.size());
      if (is_new) {
        names.push_back(callee);
        bytes.push_back(*allowed);
        calls.emplace_back();
      }
      calls[i].push_back(at->second);
    }
  }
  for (const auto& [name, at] : library) estimate.library_calls.push_back({name, bytes[at]});
  for (const size_t function : DeepestChain(bytes, calls).Path()) {
    estimate.deepest_bytes += bytes[function];
    estimate.deepest_path.push_back(names[function]);
  }
  SortUnique(estimate.unknown);
  return estimate;
}

void ReadCodeSizes(llvm::StringRef object, StackEstimate& estimate) {
  const auto read = OpenObject(object);
  if (read == nullptr) return;
  absl::flat_hash_map<std::string, int64_t> bytes;
  for (const auto& [symbol, size] : llvm::object::computeSymbolSizes(*read))
    bytes[NameOf(*read, symbol)] = static_cast<int64_t>(size);
  for (StackFrame& frame : estimate.frames) {
    const auto found = bytes.find(frame.function);
    if (found != bytes.end()) frame.code_bytes = found->second;
  }
}

}  // namespace tenon::llvm_lowering
