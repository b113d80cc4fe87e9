// tenon-opt: reads TVMScript, runs passes, prints TVMScript. For people who know mlir-opt.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string_view>
#include <vector>

#include "passes/pipeline/pipeline.h"
#include "tools/exceptions.h"
#include "tools/lost_file.h"
#include "tools/opt_lib.h"
#include "tools/version.h"

namespace {

constexpr const char* kDescription =
    R"(tenon-opt: read TVMScript, verify it, run passes over it and print it.

Without a pipeline what TVM printed comes back byte for byte. Exit code: 0 done, 1 errors.

  tenon-opt model.py                                   # check and print
  tenon-opt model.py --pipeline='simplify,remove-no-op' -o out.py
  tenon-opt model.py --pipeline='fix(simplify)' --print-ir-after-change --timing)";

/// Options that say how the result is printed.
void AddPrinting(CLI::App& app, tenon::OptOptions& options) {
  const std::map<std::string, tenon::ConstantsMode> modes{
      {"inline", tenon::ConstantsMode::kInline},
      {"sidecar", tenon::ConstantsMode::kSidecar},
      {"keep", tenon::ConstantsMode::kKeep},
      {"elide", tenon::ConstantsMode::kElide}};
  app.add_option("--constants", options.print.constants,
                 "print constants inline, into a side file next to the output, those of side files "
                 "by reference as before, or all as hashes")
      ->transform(CLI::CheckedTransformer(modes, CLI::ignore_case))
      ->type_name("inline|sidecar|keep|elide");
  app.add_option("--sidecar-threshold", options.print.sidecar_threshold,
                 "bytes from which on a constant goes to the side file (default 1024)");
  app.add_flag("--print-generic", options.print.generic,
               "print every node and field; cannot be read back");
}

}  // namespace

int main(int argc, char** argv) {
  tenon::EndOnExceptions("tenon-opt");
  tenon::ReportLostFiles();
  tenon::OptOptions options;
  bool list_passes = false;
  CLI::App app(kDescription, "tenon-opt");
  app.set_version_flag("--version", std::string(tenon::VersionText("tenon-opt")));
  app.add_option("input", options.input, "file to read; - is standard input")->type_name("FILE");
  app.add_option("-o,--output", options.output, "file to write; - is standard output")
      ->type_name("FILE");
  app.add_option("--pipeline", options.pipeline, "passes to run: a,b{opt=1},fix(c,d)");
  app.add_flag("--list-passes", list_passes, "list passes and their options, and stop");
  app.add_flag("--split-input-file", options.split_input_file,
               "the input holds several modules, parted by lines `# -----`");
  app.add_flag("--verify-diagnostics", options.verify_diagnostics,
               "check diagnostics against `# expected-error@+1 {{text}}` comments; print nothing");
  app.add_flag("--verify-each,!--no-verify-each", options.verify_each,
               "verify the input and what each pass changed (default: on)");
  app.add_flag("--verify-roundtrip", options.verify_roundtrip,
               "check that the printed module reads back as the same module");
  app.add_option("--compare", options.compare,
                 "print `equal` when the result is structurally equal to the module in FILE, else "
                 "where they differ first")
      ->type_name("FILE");
  app.add_flag("--print-ir-after-all", options.print_ir_after_all,
               "print the module after every pass to stderr");
  app.add_flag("--print-ir-after-change", options.print_ir_after_change,
               "print the module after every pass that changed it to stderr");
  app.add_option("--dump-dir", options.dump_dir,
                 "write the module after every pass to a file in this folder");
  app.add_flag("--timing", options.timing, "print the time of every pass, and counters, to stderr");
  app.add_option("--stop-after", options.stop_after, "run only the first N passes")->type_name("N");
  app.add_option("--threads", options.threads, "threads for passes over functions")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--allow-truncated-constants", options.allow_truncated_constants,
               "fill constants that TVM cut when printing with zeros, and warn");
  app.add_flag("--allow-unknown-ops", options.allow_unknown_ops,
               "keep calls of builtins that no TVM has");
  AddPrinting(app, options);
  // An empty pipeline is one, too; the library takes an empty value for a missing one.
  std::vector<char*> args(argv, argv + argc);
  std::erase_if(args, [](std::string_view arg) { return arg == "--pipeline="; });
  try {
    app.parse(static_cast<int>(args.size()), args.data());
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  if (list_passes) {
    fmt::print("{}", tenon::ListPasses());
    return 0;
  }
  return tenon::RunOpt(options);
}
