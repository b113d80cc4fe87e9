// tenon-opt: reads TVMScript, runs passes, prints TVMScript. For people who know mlir-opt.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/known_passes.h"
#include "passes/pipeline/pipeline.h"
#include "tools/exceptions.h"
#include "tools/generator_options.h"
#include "tools/help.h"
#include "tools/interrupt.h"
#include "tools/lost_file.h"
#include "tools/opt_lib.h"
#include "tools/options.h"
#include "tools/usage.h"
#include "tools/version.h"

namespace {

constexpr const char* kDescription =
    R"(Read TVMScript, verify it, run passes over it and print it.

Without a pipeline, TVM's text comes back byte for byte. Exit code: 0 done, 1 errors.

  tenon-opt model.py                                   # check and print
  tenon-opt model.py --pipeline='simplify,remove-no-op' -o out.py
  tenon-opt model.py --pipeline='fix(simplify)' --print-ir-after-change --timing)";

/// Adds the options for reading the input.
void AddReading(CLI::App& app, tenon::OptOptions& options) {
  app.option_defaults()->group("Reading");
  tenon::AddReadingOptions(
      app, {options.allow_truncated_constants, options.allow_unknown_ops, options.constants_from,
            options.tflite.allow_unsupported, options.tflite.signature});
}

/// Adds the options for printing the result.
void AddPrinting(CLI::App& app, tenon::OptOptions& options) {
  app.option_defaults()->group("Printing");
  tenon::AddChoice(
      app, "--constants",
      [&options](const std::string& mode) {
        options.print.constants = mode == "sidecar" ? tenon::ConstantsMode::kSidecar
                                  : mode == "keep"  ? tenon::ConstantsMode::kKeep
                                  : mode == "elide" ? tenon::ConstantsMode::kElide
                                                    : tenon::ConstantsMode::kInline;
      },
      {"inline", "sidecar", "keep", "elide"}, "inline",
      "print constants inline, into a side file next to the output, as the input has them, or as "
      "hashes");
  tenon::AddBytes(app, "--sidecar-threshold", options.print.sidecar_threshold, INT64_MAX,
                  "least size of constants that go to the side file (default: 1024)");
  tenon::AddChoice(
      app, "--dialect", [&options](const std::string& name) { options.dialect = name; },
      {"keep", "tir", "tirx"}, "keep",
      "print as TVM 0.18 does (tir), as TVM 0.27 does (tirx), or in the dialect of the input");
  app.add_flag("--print-generic", options.print.generic,
               "print every node and field; cannot be read back");
  app.add_flag("--print-symbols", options.print_symbols,
               "print the names that the text defines, with the places of their uses, also if the "
               "text has errors");
}

/// An error message for a flag that was given without effect, or nothing.
std::string UnusedFlag(const CLI::App& app, const tenon::OptOptions& options) {
  const bool has_passes = !options.pipeline.empty();
  const tenon::FlagRule rules[] = {
      {"--sidecar-threshold", options.print.constants == tenon::ConstantsMode::kSidecar,
       "with --constants=sidecar"},
      {"--stop-after", has_passes, "with --pipeline"},
      {"--dump-dir", has_passes, "with --pipeline"},
      {"--generator", has_passes, "with --pipeline"},
      {"--generator-timeout", options.generators != nullptr, "with --generator"},
      {"--print-ir-after-all", has_passes, "with --pipeline"},
      {"--print-ir-after-change", has_passes, "with --pipeline"},
      {"--print-symbols", !has_passes && options.compare.empty() && !options.verify_diagnostics,
       "without --pipeline, --compare and --verify-diagnostics"},
      {"--output", !options.verify_diagnostics,
       "without --verify-diagnostics, which prints nothing"},
  };
  return tenon::FlagWithoutEffect(app, rules);
}

void AddCommon(CLI::App& app, tenon::OptOptions& options, bool& list_passes) {
  app.add_option("input", options.input, "file to read; - is standard input")->type_name("FILE");
  app.add_option("-o,--output", options.output, "file to write; - is standard output")
      ->type_name("FILE");
  app.add_option("--pipeline", options.pipeline, "passes to run: a,b{opt=1},fix(c,d)")
      ->type_name("PASSES");
  app.add_flag("--list-passes", list_passes, "list passes and their options, and stop");
  tenon::AddColorOption(app, options.style);
}

void AddChecks(CLI::App& app, tenon::OptOptions& options) {
  app.option_defaults()->group("Checks");
  app.add_flag("--split-input-file", options.split_input_file,
               "the input holds several modules, separated by lines `# -----`");
  app.add_flag("--verify-diagnostics", options.verify_diagnostics,
               "check diagnostics against `# expected-error@+1 {{text}}` comments; print nothing");
  app.add_flag("--verify-each,!--no-verify-each", options.verify_each,
               "verify the input and what each pass changed (default: on)");
  app.add_flag("--verify-roundtrip", options.verify_roundtrip,
               "check that the printed module reads back as the same module");
  app.add_option("--compare", options.compare,
                 "print `equal` if the result is structurally equal to the module in FILE, "
                 "otherwise the first difference")
      ->type_name("FILE");
}

void AddPasses(CLI::App& app, tenon::OptOptions& options) {
  app.option_defaults()->group("Passes");
  app.add_flag("--print-ir-after-all", options.print_ir_after_all,
               "print the module after every pass to stderr");
  app.add_flag("--print-ir-after-change", options.print_ir_after_change,
               "print the module after every pass that changed it to stderr");
  app.add_option("--dump-dir", options.dump_dir,
                 "write the module after every pass to a file in this folder")
      ->type_name("FOLDER");
  app.add_flag("--timing", options.timing, "print the time of every pass, and counters, to stderr");
  tenon::AddNumber(app, "--stop-after", options.stop_after, 0, INT64_MAX,
                   "run only the first N passes");
  tenon::AddNumber(app, "--threads", options.threads, 1, 1024, "threads for passes over functions");
  tenon::AddGeneratorOptions(app, options.generators);
}

}  // namespace

int main(int argc, char** argv) {
  tenon::EndOnExceptions("tenon-opt");
  tenon::ReportLostFiles();
  tenon::OptOptions options;
  bool list_passes = false;
  CLI::App app(kDescription, "tenon-opt");
  tenon::SetHelp(app);
  app.set_version_flag("--version", std::string(tenon::VersionText("tenon-opt")),
                       "print the version and stop");
  AddCommon(app, options, list_passes);
  AddReading(app, options);
  AddPrinting(app, options);
  AddPasses(app, options);
  AddChecks(app, options);
  // An empty pipeline is also a pipeline; the library takes an empty value for a missing one.
  std::vector<char*> args(argv, argv + argc);
  std::erase_if(args, [](std::string_view arg) { return arg == "--pipeline="; });
  try {
    app.parse(static_cast<int>(args.size()), args.data());
  } catch (const CLI::ParseError& error) {
    return tenon::AnswerParseError(app, error);
  }
  if (const std::string unused = UnusedFlag(app, options); !unused.empty()) {
    fmt::print(stderr, "tenon-opt: error: {}\n", unused);
    return 1;
  }
  if (list_passes) {
    fmt::print("{}", tenon::ListPasses(tenon::KnownPasses()));
    return 0;
  }
  if (options.generators != nullptr) tenon::CleanUpOnSignals();
  return tenon::RunOpt(options);
}
