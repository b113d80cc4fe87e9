#include "lowering/backend.h"

#include <algorithm>

namespace tenon {

std::vector<FolderFile> FolderFiles(std::span<const Artifact> artifacts) {
  std::vector<FolderFile> files;
  for (const Artifact& artifact : artifacts)
    files.push_back({artifact.file.name, artifact.file.text, artifact.file.append});
  return files;
}

const OutputKind* Backend::FindOutput(std::string_view output) const {
  const auto found = std::find_if(outputs.begin(), outputs.end(),
                                  [&](const OutputKind& kind) { return kind.name == output; });
  return found == outputs.end() ? nullptr : &*found;
}

}  // namespace tenon
