#include "tools/backends.h"

#include <algorithm>

#include "tools/compile_command.h"

namespace tenon {

const Backend* FindBackend(std::string_view output) {
  // A package contains C that is compiled; frameworks compile it.
  if (output == kEmitPackage || FrameworkOf(output)) output = "c";
  const auto backends = Backends();
  const auto found = std::find_if(backends.begin(), backends.end(), [&](const Backend* backend) {
    return backend->FindOutput(output) != nullptr;
  });
  return found == backends.end() ? nullptr : *found;
}

const Engine* FindEngine(std::string_view name) {
  const auto engines = Engines();
  const auto found = std::find_if(engines.begin(), engines.end(),
                                  [&](const Engine* engine) { return engine->name == name; });
  return found == engines.end() ? nullptr : *found;
}

}  // namespace tenon
