#include "tools/llvm_options.h"

#include <string>

#include "tools/options.h"

namespace tenon {

void AddLlvmOptions(CLI::App& app, EmitLlvmOptions& llvm) {
  app.add_option("--cpu", llvm.target.cpu, "processor that LLVM makes code for; native: this one")
      ->type_name("NAME");
  app.add_option("--features", llvm.target.features, "of the processor, as +name,-name")
      ->type_name("LIST");
  const auto set_level = [&llvm](const std::string& level) {
    llvm.size = level == "s"   ? CodeSize::kSmall
                : level == "z" ? CodeSize::kSmallest
                               : CodeSize::kAny;
    llvm.opt_level = llvm.size == CodeSize::kAny ? level[0] - '0' : 2;
  };
  AddChoice(app, "-O", set_level, {"0", "1", "2", "3", "s", "z"}, "2",
            "how LLVM optimises: -O0 to -O3, -Os and -Oz for size");
  AddChoice(
      app, "--fp-contract",
      [&llvm](const std::string& value) { llvm.fp_contract = value == "fast"; }, {"off", "fast"},
      "off",
      "fast: where the target can multiply and add floats in one instruction, LLVM does, which "
      "rounds once");
  app.add_flag("--fast-math", llvm.fast_math,
               "LLVM may reassociate, contract and approximate floating point");
}

}  // namespace tenon
