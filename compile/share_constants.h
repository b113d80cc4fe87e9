#ifndef TENON_COMPILE_SHARE_CONSTANTS_H_
#define TENON_COMPILE_SHARE_CONSTANTS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compile/plan.h"
#include "passes/constants/merge/merge_across_modules.h"

// Constants that several models of a program share.

namespace tenon {

/// Moves constants that several models use into shared pools, as far as the options merge
/// constants. Already planned models stay unchanged. So do all models if constants are files, since
/// each model opens a separate file. The modules belong to the same Context.
absl::StatusOr<std::vector<SharedConstantPool>> ShareConstantsOf(
    std::span<PreparedModule* const> models, const CompileOptions& options, std::string_view name);

/// The files that define these pools.
struct EmittedSharedConstants {
  std::vector<EmittedFile> files;
  ConstantStorage storage = ConstantStorage::kCArray;
  /// A sentence that tells the user how to use the files.
  std::string use;
};
absl::StatusOr<EmittedSharedConstants> EmitSharedConstants(
    std::span<const SharedConstantPool> pools, const CompileOptions& options,
    std::string_view name);

}  // namespace tenon

#endif  // TENON_COMPILE_SHARE_CONSTANTS_H_
