#ifndef TENON_COMPILE_SHARE_CONSTANTS_H_
#define TENON_COMPILE_SHARE_CONSTANTS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compile/compile.h"
#include "passes/constants/merge/share_constants.h"

// Constants that models of one program have in common.

namespace tenon {

/// The header that declares what the models of `tvmgen_<name>` share: `tvmgen_<name>_constants.h`.
std::string SharedConstantsHeader(std::string_view name);

/// Has models use constants that they have in common from where they are once, as far as the
/// options merge constants. Models that came planned stay as they are, and so do all where
/// constants are files, which is what tells models apart at run time. The modules are of one
/// Context.
absl::StatusOr<std::vector<SharedConstantPool>> ShareConstantsOf(
    std::vector<PreparedModule>& models, const CompileOptions& options, std::string_view name);

/// The files that define these pools.
struct EmittedSharedConstants {
  std::vector<EmittedFile> files;
  ConstantStorage storage = ConstantStorage::kCArray;
  /// What is to be done about them, in a sentence for people.
  std::string use;
};
absl::StatusOr<EmittedSharedConstants> EmitSharedConstants(
    std::span<const SharedConstantPool> pools, const CompileOptions& options,
    std::string_view name);

}  // namespace tenon

#endif  // TENON_COMPILE_SHARE_CONSTANTS_H_
