#include "passes/memory/pools_file.h"
#include "tests/fuzz/target.h"

// Files of memory pools, as --pools reads them.

namespace tenon::fuzz {

bool TakeInput(std::string_view input) {
  Context context;
  Diagnostics diagnostics;
  const auto pools = ParsePoolsFile(context.sources(), "pools.json", input, nullptr, diagnostics);
  return Judge(pools.has_value(), context.sources(), diagnostics);
}

}  // namespace tenon::fuzz
