#ifndef TENON_TESTS_INTEGRATION_CORPUS_MODEL_H_
#define TENON_TESTS_INTEGRATION_CORPUS_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "support/diagnostics.h"
#include "tests/run_model.h"
#include "tests/unit/support/nightly.h"

namespace tenon {

/// The folder of real models, which may be absent.
std::string CorpusDir();
bool HasCorpus();

/// The names of the models that tests run.
std::vector<std::string> ModelNames();

/// A model of the corpus with its first input and the corresponding output.
class Model {
 public:
  /// Reads and runs the model `name` once per process. Null without the corpus, and after a failed
  /// expectation.
  static Model* Get(const std::string& name);

  std::string Messages() const { return Render(context.sources(), diagnostics); }

  /// The output of a version of the model; nullopt if the run stops with an error.
  std::optional<std::vector<uint8_t>> Run(const IRModule& version,
                                          const InterpreterOptions& options = {});

  Context context;
  Diagnostics diagnostics;
  std::optional<IRModule> module;
  Tensor input;
  /// The output of the unchanged module: equal to the expected output for integers, close to it for
  /// floats.
  Tensor want;

 private:
  bool Load(const std::string& folder);
};

}  // namespace tenon

#endif  // TENON_TESTS_INTEGRATION_CORPUS_MODEL_H_
