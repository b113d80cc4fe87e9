#ifndef TENON_LOWERING_ENTRY_SHARED_WORKSPACE_H_
#define TENON_LOWERING_ENTRY_SHARED_WORKSPACE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lowering/emitted_file.h"
#include "lowering/entry_abi.h"

// Several models of one program that run one at a time, in the same workspace.

namespace tenon {

/// One of the models.
struct SharingModel {
  /// The file that it was compiled from, for messages.
  std::string source;
  const EntryAbi* abi = nullptr;
};

/// Memory that all models use, with an external name.
struct SharedArena {
  std::string name;
  int64_t size_bytes = 0;
  int64_t alignment = 1;
  std::string section;
};

struct SharedWorkspace {
  /// One for each workspace pool whose address the application does not choose.
  std::vector<SharedArena> arenas;
  /// `tvmgen_<name>.h`: the sizes and names of the arenas, and an initializer of the pools of each
  /// model.
  EmittedFile header;
  /// `tvmgen_<name>.c`, which defines the arenas. An application with its own memory leaves it out.
  EmittedFile source;
};

/// Makes an arena for each workspace pool, with the largest size and alignment that a model needs.
///
/// InvalidArgument if two models, or a model and the arena, have the same prefix, or if a model
/// loads constants into the workspace.
absl::StatusOr<SharedWorkspace> ShareWorkspace(std::span<const SharingModel> models,
                                               std::string_view name);

}  // namespace tenon

#endif  // TENON_LOWERING_ENTRY_SHARED_WORKSPACE_H_
