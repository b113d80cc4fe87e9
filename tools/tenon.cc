// tenon: compiles TVMScript modules to C, runs them, and shows the place of each byte.

#include <optional>
#include <string>
#include <string_view>

#include "tools/backends.h"
#include "tools/command_line.h"
#include "tools/exceptions.h"
#include "tools/interrupt.h"

#ifdef TENON_HAS_OPT
#include "tools/opt_main.h"
#endif

namespace {

/// Executes the command of the command line.
int Execute(const std::string& name, tenon::Commands& commands, char** argv) {
  auto& [compile, run, report, plan, package, verify, operators] = commands;
  if (name == "operators") return tenon::ListOperators(operators);
  // A program that takes over must find its signals as the caller set them, and `plan` answers them
  // itself. All other commands may start programs.
  if (name == "plan") return tenon::Plan(plan);
  if (name == "compile") {
    const tenon::Backend* const backend = tenon::FindBackend(compile.emit);
    if (backend == nullptr) return tenon::HandOverToLlvm(argv);
    if (tenon::OnlyPrints(compile)) return tenon::PrintOnly(compile, *backend);
    tenon::CleanUpOnSignals();
    return tenon::RunCompile(std::move(compile), *backend);
  }
  if (name == "run" || name == "verify") {
    const tenon::Engine* const engine =
        tenon::FindEngine(name == "run" ? run.engine : verify.engine);
    if (engine == nullptr) return tenon::HandOverToLlvm(argv);
    tenon::CleanUpOnSignals();
    return name == "run" ? tenon::Run(run, *engine) : tenon::Verify(verify, *engine);
  }
  tenon::CleanUpOnSignals();
  if (name == "report") return tenon::ShowReport(report);
  return tenon::RunPackageCommand(package);
}

}  // namespace

int main(int argc, char** argv) {
#ifdef TENON_HAS_OPT
  // tools/tenon_opt_starter.cc
  if (argc > 0 && std::string_view(argv[0]) == "tenon-opt") return tenon::OptMain(argc, argv);
#endif
  tenon::EndOnExceptions("tenon");
  tenon::CommandLine line;
  if (const std::optional<int> code = line.ReadOrAnswer(argc, argv)) return *code;
  return Execute(line.command().get_name(), line.commands(), argv);
}
