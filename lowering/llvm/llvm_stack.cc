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

StackReader::StackReader(llvm::Module& module, const llvm::TargetMachine& machine) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("warn-stack-size", "0");
    index_[&function] = code_.size();
    const llvm::TargetSubtargetInfo* target = machine.getSubtargetImpl(function);
    // Below the stack pointer at the entry; x86 finds the address of the caller there.
    const int64_t pushed = -target->getFrameLowering()->getOffsetOfLocalArea();
    code_.push_back({&function, std::max<int64_t>(pushed, 0), {}});
  }
  for (Code& code : code_) AddCalls(*code.function, code);
  std::sort(unknown_.begin(), unknown_.end());
  unknown_.erase(std::unique(unknown_.begin(), unknown_.end()), unknown_.end());
}

void StackReader::AddCalls(const llvm::Function& function, Code& code) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    for (const llvm::Value* operand : instruction.operands()) {
      const auto* callee = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts());
      if (callee == nullptr || callee->isIntrinsic()) continue;
      const auto found = index_.find(callee);
      if (found == index_.end()) {
        unknown_.push_back(callee->getName().str());
      } else if (std::find(code.calls.begin(), code.calls.end(), found->second) ==
                 code.calls.end()) {
        code.calls.push_back(found->second);
      }
    }
  }
}

StackEstimate StackReader::Estimate(const CodeReport& report) const {
  StackEstimate estimate;
  std::vector<int64_t> bytes;
  std::vector<std::vector<size_t>> calls;
  for (const Code& code : code_) {
    const std::string name = code.function->getName().str();
    const auto found = report.frames.find(name);
    bytes.push_back(code.pushed + (found == report.frames.end() ? 0 : found->second));
    estimate.frames.push_back({name, bytes.back(), 0});
    calls.push_back(code.calls);
  }
  for (const size_t function : DeepestChain(bytes, calls).Path()) {
    estimate.deepest_bytes += bytes[function];
    estimate.deepest_path.push_back(estimate.frames[function].function);
  }
  estimate.unknown = unknown_;
  return estimate;
}

void ReadCodeSizes(llvm::StringRef object, StackEstimate& estimate) {
  auto read = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "object"));
  if (!read) return llvm::consumeError(read.takeError());
  absl::flat_hash_map<std::string, int64_t> bytes;
  for (const auto& [symbol, size] : llvm::object::computeSymbolSizes(**read)) {
    auto name = symbol.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    // Mach-O puts an underscore before names of C.
    if ((*read)->isMachO()) name->consume_front("_");
    bytes[name->str()] = static_cast<int64_t>(size);
  }
  for (StackFrame& frame : estimate.frames) {
    const auto found = bytes.find(frame.function);
    if (found != bytes.end()) frame.code_bytes = found->second;
  }
}

}  // namespace tenon::llvm_lowering
