// The parts that all back ends share when they collect files of a program. Two files of one name
// are an error unless they are equal: headers of the runtime come from several places.

#include "lowering/backend.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon {

std::vector<FolderFile> FolderFiles(std::span<const Artifact> artifacts) {
  std::vector<FolderFile> files;
  for (const Artifact& artifact : artifacts)
    files.push_back({artifact.file.name, artifact.file.text, artifact.file.append});
  return files;
}

absl::Status AddExternalFiles(const ExternalFiles& externals, std::vector<Artifact>& files) {
  for (const std::vector<EmittedFile>* more : {&externals.sources, &externals.objects}) {
    for (const EmittedFile& file : *more) {
      const auto other = std::find_if(files.begin(), files.end(), [&](const Artifact& known) {
        return known.file.name == file.name;
      });
      // Generated sources may include the same runtime headers as the model's sources.
      if (other != files.end() && other->file.text == file.text) continue;
      if (other != files.end()) {
        return absl::AlreadyExistsError(fmt::format(
            "a code generator makes a file `{}`, and the code of the model has one of that name",
            file.name));
      }
      files.push_back({Artifact::Role::kExternal, file});
    }
  }
  return absl::OkStatus();
}

const OutputKind* Backend::FindOutput(std::string_view output) const {
  const auto found = std::find_if(outputs.begin(), outputs.end(),
                                  [&](const OutputKind& kind) { return kind.name == output; });
  return found == outputs.end() ? nullptr : &*found;
}

}  // namespace tenon
