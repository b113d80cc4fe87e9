// The texts are borrowed and not copied: an emitted file may have gigabytes, which only `append`
// produces.

#include "lowering/emitted_file.h"

namespace tenon {

std::vector<FolderFile> FolderFiles(std::span<const EmittedFile> files) {
  std::vector<FolderFile> result;
  for (const EmittedFile& file : files) result.push_back({file.name, file.text, file.append});
  return result;
}

}  // namespace tenon
