// A program that uses Tenon as an installed package: parses a module, runs a pipeline on it, and
// prints the result.
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "tenon/tenon.h"

namespace {

constexpr std::string_view kText = R"(# from tvm.script import tir as T

@T.prim_func
def add_one(A: T.Buffer((8,), "float32")):
    for dead in range(0):
        A[dead] = T.float32(0)
    for i in T.parallel(8):
        A[i] = A[i] + T.float32(1)
)";

std::optional<std::string> Transform(tenon::Context& context, tenon::Diagnostics& diagnostics) {
  std::optional<tenon::IRModule> module =
      tenon::ParseModule(context, "add_one.py", kText, /*owner=*/nullptr, {}, diagnostics);
  const std::optional<tenon::Pipeline> pipeline = tenon::ParsePipeline(
      context, "convert-for-loops-to-serial,simplify,remove-no-op", diagnostics);
  if (!module.has_value() || !pipeline.has_value()) return std::nullopt;
  module = tenon::RunPipeline(*module, *pipeline, {}, diagnostics);
  if (!module.has_value()) return std::nullopt;
  return tenon::PrintModule(*module);
}

}  // namespace

int main() {
  tenon::Context context;
  tenon::Diagnostics diagnostics;
  const std::optional<std::string> text = Transform(context, diagnostics);
  std::fputs(tenon::Render(context.sources(), diagnostics).c_str(), stderr);
  if (!text.has_value()) return 1;
  std::puts(text->c_str());
  return 0;
}
