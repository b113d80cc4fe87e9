#ifndef TENON_PASSES_MEMORY_POOLS_FILE_H_
#define TENON_PASSES_MEMORY_POOLS_FILE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/context.h"
#include "ir/memory_pools.h"
#include "support/diagnostics.h"

// Memory pools as a JSON file; docs/reference/compile.md describes the format.

namespace tenon {

/// The limit on the number of pools: every buffer has a list of them.
inline constexpr size_t kMostPools = 256;

/// The pools of a JSON text, the most preferred first: a list of objects, or an object with such a
/// list as its member `pools`. Every error is reported at its place in the text, which becomes a
/// source `name`. Nullopt after an error.
std::optional<std::vector<PoolInfo>> ParsePoolsFile(SourceManager& sources, std::string_view name,
                                                    std::string_view text,
                                                    std::shared_ptr<const void> owner,
                                                    Diagnostics& diagnostics);

/// The same for a file.
std::optional<std::vector<PoolInfo>> ReadPoolsFile(Context& context, const std::string& path,
                                                   Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_POOLS_FILE_H_
