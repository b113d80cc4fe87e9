#include <string>

#include "frontends/onnx/read_module.h"
#include "ir/verifier.h"
#include "support/file.h"
#include "tests/fuzz/target.h"

// Models of ONNX. The module of an accepted model is valid.

namespace tenon::fuzz {

bool TakeInput(std::string_view input) {
  Context context;
  Diagnostics diagnostics;
  const auto file = FileBytes::FromString("input", std::string(input));
  const auto module = onnx::ReadModule(context, file, {}, diagnostics);
  if (!Judge(module.has_value(), context.sources(), diagnostics)) return false;
  Require(VerifyModule(*module, diagnostics), "the module is not valid");
  return true;
}

}  // namespace tenon::fuzz
