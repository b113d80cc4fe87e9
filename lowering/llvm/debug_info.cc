// Lines for debuggers, and no variables: a user steps through the text of the module. Statements
// that passes made keep the place of the statement before them.

#include "lowering/llvm/debug_info.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Module.h>

#include <filesystem>

namespace tenon::llvm_lowering {

DebugInfo::DebugInfo(llvm::Module& module, const SourceManager& sources)
    : sources_(&sources), builder_(std::make_unique<llvm::DIBuilder>(module)) {}

llvm::DIFile* DebugInfo::FileOf(const SourceFile& file) {
  llvm::DIFile*& known = files_[&file];
  if (known == nullptr) {
    const std::filesystem::path path(file.name());
    known = builder_->createFile(path.filename().string(), path.parent_path().string());
  }
  return known;
}

void DebugInfo::Begin(llvm::Function& function, SourceRange range) {
  function_ = nullptr;
  if (builder_ == nullptr) return;
  const SourcePlace place = sources_->Locate(range.begin);
  if (place.file == nullptr) return;
  function_file_ = place.file;
  llvm::DIFile* file = FileOf(*place.file);
  if (unit_ == nullptr) {
    unit_ = builder_->createCompileUnit(llvm::dwarf::DW_LANG_C99, file, "tenon",
                                        /*isOptimized=*/true, "", 0);
  }
  llvm::DISubroutineType* type =
      builder_->createSubroutineType(builder_->getOrCreateTypeArray({nullptr}));
  llvm::DISubprogram::DISPFlags flags = llvm::DISubprogram::SPFlagDefinition;
  if (function.hasInternalLinkage()) flags |= llvm::DISubprogram::SPFlagLocalToUnit;
  function_ = builder_->createFunction(file, function.getName(), "", file, place.line, type,
                                       place.line, llvm::DINode::FlagPrototyped, flags);
  function.setSubprogram(function_);
}

void DebugInfo::At(llvm::IRBuilderBase& builder, SourceRange range) {
  if (function_ == nullptr) {
    builder.SetCurrentDebugLocation(llvm::DebugLoc());
    return;
  }
  unsigned line = function_->getLine();
  unsigned column = 0;
  if (const SourcePlace place = sources_->Locate(range.begin); place.file == function_file_) {
    line = place.line;
    column = place.column;
  } else if (builder.getCurrentDebugLocation()) {
    return;
  }
  builder.SetCurrentDebugLocation(
      llvm::DILocation::get(function_->getContext(), line, column, function_));
}

void DebugInfo::Finish() {
  if (builder_ != nullptr) builder_->finalize();
}

}  // namespace tenon::llvm_lowering
