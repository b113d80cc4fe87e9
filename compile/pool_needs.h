#ifndef TENON_COMPILE_POOL_NEEDS_H_
#define TENON_COMPILE_POOL_NEEDS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/module.h"
#include "support/diagnostics.h"

// The memory that the models of a program need together. Each model is planned alone, so its plan
// fits a pool in which the other models also have a part.

namespace tenon {

/// The need of all models together for a pool. Models either use the same bytes of it, or each has
/// a part of its own: its constants, and its workspace unless the models share it.
struct PoolNeed {
  /// The part of one model.
  struct Part {
    size_t model = 0;
    int64_t size_bytes = 0;
    int64_t alignment = 1;
  };
  std::string name;
  bool is_constant = false;
  /// All models use the same bytes.
  bool is_common = false;
  /// The limit in bytes; -1: unlimited.
  int64_t capacity_bytes = -1;
  /// The largest part if it is common. Otherwise all parts, one after the other in the order of the
  /// models. A pool with a limit is one piece of memory, so it has padding between the parts.
  int64_t size_bytes = 0;
  std::vector<Part> parts;
};

/// The needs of models after planning, by name of the pools.
std::vector<PoolNeed> PoolNeedsOf(std::span<const IRModule* const> models, bool shares_workspace);

/// Checks that every pool with a limit has room for all models, and that models agree on the size
/// and kind of each pool. `names` are the models' names for messages. False after an error.
bool CheckPoolNeeds(std::span<const IRModule* const> models, std::span<const std::string> names,
                    bool shares_workspace, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_COMPILE_POOL_NEEDS_H_
