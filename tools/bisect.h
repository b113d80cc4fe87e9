#ifndef TENON_TOOLS_BISECT_H_
#define TENON_TOOLS_BISECT_H_

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace tenon {

/// A version of a module, and the pass that gave it; the first version, without a pass, is the
/// input.
struct BisectStep {
  std::string pass;
  IRModule module;
};

/// Finds the first version for which `command` fails, as `git bisect run` does: it must succeed for
/// the first version and fail for the last one. A shell runs the command with a file of the version
/// in place of `{}`, or at the end; exit code 0 is success. Returns the answer as text, or what is
/// wrong with the command.
absl::StatusOr<std::string> BisectPasses(std::span<const BisectStep> steps,
                                         const std::string& command);

}  // namespace tenon

#endif  // TENON_TOOLS_BISECT_H_
