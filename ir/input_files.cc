#include "ir/input_files.h"

#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "support/source.h"

namespace tenon {

std::vector<std::string> InputFiles(const IRModule& module) {
  std::vector<std::string> paths;
  absl::flat_hash_set<std::string_view> seen;
  const auto add = [&](const std::string& path) {
    if (!path.empty() && seen.insert(path).second) paths.push_back(path == "<stdin>" ? "-" : path);
  };
  const SourceManager& sources = module.context().sources();
  uint32_t at = 1;
  for (const SourceFile* file = sources.FileAt(at); file != nullptr && file->base() == at;
       file = sources.FileAt(at)) {
    add(file->name());
    at += static_cast<uint32_t>(file->text().size()) + 1;
  }
  for (const Constant* constant : module.constants) {
    const ConstantSource& source = constant->source();
    add(source.tensor != nullptr ? source.tensor->path : source.file);
  }
  return paths;
}

}  // namespace tenon
