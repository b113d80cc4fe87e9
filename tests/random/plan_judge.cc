// Plans models in every way and judges each plan by runs.
// Use: plan_judge [--share=PERCENT] FILE.tflite...

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "frontends/tflite/read_module.h"
#include "random/generator.h"
#include "random/judged_runs.h"

namespace tenon::random_ir {
namespace {

/// Judges one file in `share` percent of the ways. False after a fault.
bool Judge(const std::string& path, uint64_t seed, int share, int& ways) {
  Context context;
  Diagnostics diagnostics;
  const auto file = ReadFile(path);
  if (!file.ok()) {
    fmt::print(stderr, "{}: cannot be read\n", path);
    return false;
  }
  const std::optional<IRModule> module = tflite::ReadModule(context, *file, {}, diagnostics);
  if (!module) {
    fmt::print(stderr, "{}: {}", path, Render(context.sources(), diagnostics));
    return false;
  }
  const JudgedModel model(*module, seed);
  std::string fault = model.failure();
  Dice dice(seed);
  for (const PlanWay& way : AllPlanWays()) {
    if (!fault.empty()) break;
    if (!dice.Percent(share)) continue;
    fault = model.FaultOf(way);
    ++ways;
  }
  if (!fault.empty()) fmt::print(stderr, "{}: {}\n", path, fault);
  return fault.empty();
}

int Main(int count, char** arguments) {
  int share = 100;
  int ways = 0;
  int files = 0;
  bool good = true;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with("--share=")) {
      share = std::atoi(arguments[i] + sizeof("--share=") - 1);
    } else {
      good &= Judge(arguments[i], static_cast<uint64_t>(i), share, ways);
      ++files;
    }
  }
  fmt::print("{} files, {} plans judged\n", files, ways);
  return good && files > 0 ? 0 : 1;
}

}  // namespace
}  // namespace tenon::random_ir

int main(int count, char** arguments) { return tenon::random_ir::Main(count, arguments); }
