#include "tools/code_options.h"

#include <string>

#include "tools/help.h"
#include "tools/options.h"

namespace tenon {

void AddCodeOptions(CLI::App& app, CompileOptions& compile) {
  CodeOptions& code = compile.code;
  app.add_option("--cpu", compile.target.cpu,
                 "processor to generate code for; native: this machine's")
      ->type_name("NAME");
  app.add_option("--features", compile.target.features, "features of the processor, as +name,-name")
      ->type_name("LIST");
  const auto set_level = [&code](const std::string& level) {
    code.size = level == "s"   ? CodeSize::kSmall
                : level == "z" ? CodeSize::kSmallest
                               : CodeSize::kAny;
    code.opt_level = code.size == CodeSize::kAny ? level[0] - '0' : 2;
  };
  AddChoice(app, "-O", set_level, {"0", "1", "2", "3", "s", "z"}, "2",
            "how LLVM optimises: -O0 to -O3; -Os and -Oz for small code")
      ->group(kCommonOptions);
  AddChoice(
      app, "--fp-contract",
      [&code](const std::string& value) { code.fp_contract = value == "fast"; }, {"off", "fast"},
      "off", "fast: LLVM may multiply and add floats in one instruction, which rounds once");
  app.add_flag("--fast-math", code.fast_math,
               "LLVM may reassociate, contract and approximate floating point");
  app.add_flag("--operator-symbols", code.operator_symbols,
               "LLVM inlines no operator, so that each has a symbol");
}

}  // namespace tenon
