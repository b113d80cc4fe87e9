// Compiles two modules into one C program in memory: they share their workspace. Prints the names
// of the files.
#include <cstdio>
#include <optional>
#include <string_view>

#include "tenon/tenon.h"

namespace {

constexpr std::string_view kText = R"(# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
    between = T.allocate([4], "float32", "global")
    kept = T.Buffer((4,), data=between)
    for i in range(4):
        kept[i] = x[i] * T.float32(2)
    for i in range(4):
        y[i] = kept[3 - i]
)";

std::optional<tenon::Artifacts> CompileTwo(tenon::Context& context,
                                           tenon::Diagnostics& diagnostics) {
  const auto first = tenon::ParseModule(context, "first.py", kText, nullptr, {}, diagnostics);
  const auto second = tenon::ParseModule(context, "second.py", kText, nullptr, {}, diagnostics);
  if (!first || !second) return std::nullopt;
  if (!tenon::VerifyModule(*first, diagnostics) || !tenon::VerifyModule(*second, diagnostics)) {
    return std::nullopt;
  }
  const tenon::CompileUnit units[] = {{&*first, "first.py", "first"},
                                      {&*second, "second.py", "second"}};
  tenon::CompileOptions options;
  options.share_workspace = true;
  return tenon::Compile(units, options, tenon::CBackend(), diagnostics);
}

}  // namespace

int main() {
  tenon::Context context;
  tenon::Diagnostics diagnostics;
  const std::optional<tenon::Artifacts> artifacts = CompileTwo(context, diagnostics);
  std::fputs(tenon::Render(context.sources(), diagnostics).c_str(), stderr);
  if (!artifacts) return 1;
  for (const tenon::Artifact& artifact : artifacts->files) {
    std::printf("%s\n", artifact.file.name.c_str());
  }
  return 0;
}
