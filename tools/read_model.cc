#include "tools/read_model.h"

#include <utility>

#include "frontends/tflite/read_module.h"

namespace tenon {

bool IsModelFile(std::string_view bytes) { return tflite::IsTflite(bytes); }

std::optional<IRModule> ReadModel(Context& context, std::string_view name, std::string_view text,
                                  std::shared_ptr<const FileBytes> owner,
                                  const ReadModelOptions& options, Diagnostics& diagnostics) {
  if (owner != nullptr && IsModelFile(text))
    return tflite::ReadModule(context, owner, options.graph, diagnostics);
  return ParseModule(context, name, text, std::move(owner), options.parse, diagnostics);
}

}  // namespace tenon
