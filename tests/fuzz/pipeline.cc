#include "passes/pipeline/pipeline.h"

#include "tests/fuzz/target.h"

// The text of a pipeline, as in --pipeline.

namespace tenon::fuzz {

bool TakeInput(std::string_view input) {
  Context context;
  Diagnostics diagnostics;
  const bool accepted = ParsePipeline(context, input, diagnostics).has_value();
  return Judge(accepted, context.sources(), diagnostics);
}

}  // namespace tenon::fuzz
