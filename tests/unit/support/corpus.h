#ifndef TENON_TESTS_UNIT_SUPPORT_CORPUS_H_
#define TENON_TESTS_UNIT_SUPPORT_CORPUS_H_

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

namespace tenon {

/// The folder of real models, which is not part of the repository. It may not exist.
inline std::filesystem::path CorpusFolder() {
  const char* folder = std::getenv("TENON_CORPUS_DIR");
  return folder != nullptr ? folder : TENON_SOURCE_DIR "/../shared/corpus";
}

/// The files in the folders of all models that are called one of `names`, sorted by path. Empty
/// without a corpus.
inline std::vector<std::filesystem::path> CorpusTexts(std::initializer_list<const char*> names) {
  std::vector<std::filesystem::path> texts;
  std::error_code ignored;
  for (const auto& model :
       std::filesystem::directory_iterator(CorpusFolder() / "models", ignored)) {
    for (const char* name : names) {
      if (std::filesystem::exists(model.path() / name)) texts.push_back(model.path() / name);
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_SUPPORT_CORPUS_H_
