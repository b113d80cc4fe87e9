// Names of constants within a blob, for linker maps and debuggers. They are apart from blob.cc
// because only objects have them, and only while they are few.

#include "lowering/part_symbols.h"

#include <fmt/format.h>

#include "absl/container/flat_hash_set.h"

namespace tenon {

std::vector<std::string> PartSymbols(const Blob& blob) {
  // Above this number, symbols would be a large part of an object.
  constexpr size_t kMostSymbols = 10'000;
  std::vector<std::string> symbols;
  if (blob.parts.size() < 2 || blob.parts.size() > kMostSymbols) return symbols;
  absl::flat_hash_set<std::string> taken;
  for (const BlobPart& part : blob.parts) {
    std::string& symbol = symbols.emplace_back();
    if (part.name.empty()) continue;
    const std::string name = PartSymbol(blob.name, part.name);
    symbol = name;
    for (int n = 2; !taken.insert(symbol).second; ++n) symbol = fmt::format("{}.{}", name, n);
  }
  return symbols;
}

}  // namespace tenon
