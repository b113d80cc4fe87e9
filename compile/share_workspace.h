#ifndef TENON_COMPILE_SHARE_WORKSPACE_H_
#define TENON_COMPILE_SHARE_WORKSPACE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lowering/c/emit_c.h"

// Several models whose C is linked into one program and that run in turn, in the same workspace.

namespace tenon {

/// One of them.
struct SharingModel {
  /// What it was compiled from, for messages.
  std::string source;
  /// Compiled with CompileOptions::share_workspace.
  EmittedC c;
};

/// Memory of all of them, with an external name.
struct SharedArena {
  std::string name;
  int64_t bytes = 0;
  int64_t alignment = 1;
  std::string section;
};

/// What the `.c` of ShareWorkspace defines, for code that is not C; errors as there.
absl::StatusOr<std::vector<SharedArena>> SharedArenas(const std::vector<SharingModel>& models,
                                                      const std::string& name);

/// All files of the models, the runtime header once, and beside them `tvmgen_<name>.h` and `.c`:
/// an arena for each pool of the workspace, as large and as aligned as the model that needs most,
/// its size, and an initialiser of each model's struct of pools. An application that has memory of
/// its own leaves the .c out.
///
/// InvalidArgument when two models, or a model and the arena, have one prefix; ResourceExhausted
/// when the constants that models put into a pool of the caller are more together than it holds.
absl::StatusOr<std::vector<EmittedFile>> ShareWorkspace(const std::vector<SharingModel>& models,
                                                        const std::string& name);

}  // namespace tenon

#endif  // TENON_COMPILE_SHARE_WORKSPACE_H_
