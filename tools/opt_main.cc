#include "tools/opt_main.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/known_passes.h"
#include "passes/pipeline/pipeline.h"
#include "tools/dump_options.h"
#include "tools/exceptions.h"
#include "tools/generator_options.h"
#include "tools/help.h"
#include "tools/interrupt.h"
#include "tools/opt_lib.h"
#include "tools/options.h"
#include "tools/usage.h"
#include "tools/version.h"

namespace tenon {

namespace {

constexpr const char* kDescription =
    R"(Read TVMScript, verify it, run passes over it and print it.

Without a pipeline, TVM's text comes back byte for byte; only nodes in the JSON of
`metadata` may be reordered and renumbered. Exit code: 0 done, 1 errors.

  tenon-opt model.py                                   # check and print
  tenon-opt model.py --pipeline='simplify,remove-no-op' -o out.py
  tenon-opt model.py --pipeline='fix(simplify)' --print-ir-after-change --timing)";

/// Adds the options for reading the input.
void AddReading(CLI::App& app, OptOptions& options) {
  app.option_defaults()->group("Reading");
  AddReadingOptions(
      app, {options.allow_truncated_constants, options.allow_unknown_ops, options.constants_from,
            options.tflite.allow_unsupported, options.tflite.signature, options.onnx});
}

/// Adds the options for printing the result.
void AddPrinting(CLI::App& app, OptOptions& options) {
  app.option_defaults()->group("Printing");
  AddChoice(
      app, "--constants",
      [&options](const std::string& mode) {
        options.print.constants = mode == "sidecar" ? ConstantsMode::kSidecar
                                  : mode == "keep"  ? ConstantsMode::kKeep
                                  : mode == "elide" ? ConstantsMode::kElide
                                                    : ConstantsMode::kInline;
      },
      {"inline", "sidecar", "keep", "elide"}, "inline",
      "print constants inline, into a side file next to the output, as the input has them, or as "
      "hashes");
  AddBytes(app, "--sidecar-threshold", options.print.sidecar_threshold, INT64_MAX,
           "least size of constants that go to the side file (default: 1024)");
  AddChoice(
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
std::string UnusedFlag(const CLI::App& app, const OptOptions& options) {
  const bool has_passes = !options.pipeline.empty();
  const bool bisects = !options.bisect.empty();
  const FlagRule rules[] = {
      {"--sidecar-threshold", options.print.constants == ConstantsMode::kSidecar,
       "with --constants=sidecar"},
      {"--stop-after", has_passes, "with --pipeline"},
      {"--dump-dir", has_passes, "with --pipeline"},
      {"--generator", has_passes, "with --pipeline"},
      {"--generator-timeout", NamesGeneratorProgram(app, options.pipeline),
       "with --generator, or a target `onednn`"},
      {"--generator-record", NamesGeneratorProgram(app, options.pipeline),
       "with --generator, or a target `onednn`"},
      {"--print-ir-before", has_passes, "with --pipeline"},
      {"--print-ir-after", has_passes, "with --pipeline"},
      {"--print-ir-before-all", has_passes, "with --pipeline"},
      {"--print-ir-after-all", has_passes, "with --pipeline"},
      {"--print-ir-after-change", has_passes, "with --pipeline"},
      {"--bisect", has_passes, "with --pipeline"},
      {"--timing", !bisects, "without --bisect, which prints the name of a pass"},
      {"--compare", !bisects, "without --bisect, which prints the name of a pass"},
      {"--verify-diagnostics", !bisects, "without --bisect, which prints the name of a pass"},
      {"--print-symbols", !has_passes && options.compare.empty() && !options.verify_diagnostics,
       "without --pipeline, --compare and --verify-diagnostics"},
      {"--output", !bisects, "without --bisect, which prints the name of a pass to stdout"},
      {"--output", !options.verify_diagnostics,
       "without --verify-diagnostics, which prints nothing"},
  };
  return FlagWithoutEffect(app, rules);
}

void AddCommon(CLI::App& app, OptOptions& options, bool& list_passes) {
  app.add_option("input", options.input, "file to read; - is standard input")->type_name("FILE");
  app.add_option("-o,--output", options.output, "file to write; - is standard output")
      ->type_name("FILE");
  app.add_option("--pipeline", options.pipeline, "passes to run: a,b{opt=1},fix(c,d)")
      ->type_name("PASSES");
  app.add_flag("--list-passes", list_passes, "list passes and their options, and stop");
  AddColorOption(app, options.style);
  AddDiagnosticsOption(app, options.style);
}

void AddChecks(CLI::App& app, OptOptions& options) {
  app.option_defaults()->group("Checks");
  app.add_flag("--split-input-file", options.split_input_file,
               "the input holds several modules, separated by lines `# -----`");
  app.add_flag("--verify-diagnostics", options.verify_diagnostics,
               "check diagnostics against `# expected-error@+1 {{text}}` comments; print nothing");
  app.add_flag("--verify-each,!--no-verify-each", options.run.verify_each,
               "verify the input and what each pass changed (default: on)");
  app.add_flag("--verify-schedules,!--no-verify-schedules", options.run.verify_schedules,
               "read back the loops that were written for an operator, and compare them with it");
  app.add_flag("--print-schedules", options.run.print_schedules,
               "show the best schedules of each sum with their costs");
  app.add_flag("--verify-roundtrip", options.verify_roundtrip,
               "check that the printed module reads back as the same module");
  app.add_option("--compare", options.compare,
                 "print `equal` if the result is structurally equal to the module in FILE, "
                 "otherwise the first difference")
      ->type_name("FILE");
}

void AddPasses(CLI::App& app, OptOptions& options) {
  app.option_defaults()->group("Passes");
  AddDumpOptions(app, options.passes, options.run);
  app.add_flag("--timing", options.timing, "print the time of every pass, and counters, to stderr");
  AddNumber(app, "--stop-after", options.run.stop_after, 0, INT64_MAX,
            "run only the first N passes");
  app.add_option("--bisect", options.bisect,
                 "find the first pass after which this shell command fails; {} in it, or its last "
                 "word, is a file with the module")
      ->type_name("COMMAND");
  AddNumber(app, "--threads", options.run.threads, 1, 1024, "threads for passes over functions");
  AddGeneratorOptions(app, options.run.generators);
}

}  // namespace

int OptMain(int argc, char** argv, std::initializer_list<std::span<const PassInfo>> tables) {
  OptOptions options;
  if (argc > 0) options.program = std::filesystem::path(argv[0]).filename().string();
  EndOnExceptions(options.program.c_str());
  options.passes = KnownPasses();
  for (const std::span<const PassInfo> table : tables) options.passes.Add(table);
  bool list_passes = false;
  CLI::App app(kDescription, options.program);
  SetHelp(app);
  app.set_version_flag("--version", VersionText(options.program), "print the version and stop");
  AddCommon(app, options, list_passes);
  AddReading(app, options);
  AddPrinting(app, options);
  AddPasses(app, options);
  AddChecks(app, options);
  TakeOneValueEach(app);
  // An empty pipeline is also a pipeline; the library takes an empty value for a missing one.
  std::vector<char*> args(argv, argv + argc);
  std::erase_if(args, [](std::string_view arg) { return arg == "--pipeline="; });
  try {
    app.parse(static_cast<int>(args.size()), args.data());
  } catch (const CLI::ParseError& error) {
    return AnswerParseError(app, error);
  }
  if (const std::string unused = UnusedFlag(app, options); !unused.empty()) {
    fmt::print(stderr, "{}: error: {}\n", options.program, unused);
    return 1;
  }
  if (list_passes) {
    fmt::print("{}", ListPasses(options.passes));
    return 0;
  }
  for (int i = 1; i < argc; ++i) options.arguments.emplace_back(argv[i]);
  CleanUpOnSignals();
  return RunOpt(options);
}

}  // namespace tenon
