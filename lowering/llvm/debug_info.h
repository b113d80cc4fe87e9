#ifndef TENON_LOWERING_LLVM_DEBUG_INFO_H_
#define TENON_LOWERING_LLVM_DEBUG_INFO_H_

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "ir/function.h"
#include "support/source.h"

// Internal to lowering/llvm.

namespace tenon::llvm_lowering {

/// Line numbers of the text, for debuggers. A default-constructed object does nothing.
class DebugInfo {
 public:
  DebugInfo() = default;
  /// The module must already have the flags of debug info.
  DebugInfo(llvm::Module& module, const SourceManager& sources);

  /// Begins a function whose text has that range.
  void Begin(llvm::Function& function, SourceRange range);
  /// Sets the source range of instructions that the builder makes from now on. Invalid ranges have
  /// no effect.
  void At(llvm::IRBuilderBase& builder, SourceRange range);
  /// Resumes a function that was begun before, in the same file.
  void Resume(const llvm::Function& function) { function_ = function.getSubprogram(); }
  /// Must be called after all functions.
  void Finish();

 private:
  llvm::DIFile* FileOf(const SourceFile& file);

  const SourceManager* sources_ = nullptr;
  std::unique_ptr<llvm::DIBuilder> builder_;
  llvm::DICompileUnit* unit_ = nullptr;
  llvm::DISubprogram* function_ = nullptr;
  const SourceFile* function_file_ = nullptr;
  absl::flat_hash_map<const SourceFile*, llvm::DIFile*> files_;
};

}  // namespace tenon::llvm_lowering

#endif  // TENON_LOWERING_LLVM_DEBUG_INFO_H_
