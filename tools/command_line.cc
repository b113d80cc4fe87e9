#include "tools/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compile/link_files.h"
#include "lowering/named_targets.h"
#include "support/shown_text.h"
#include "support/status_macros.h"
#include "tools/board_options.h"
#include "tools/help.h"
#include "tools/help_texts.h"
#include "tools/module_input.h"
#include "tools/shaping_options.h"
#include "tools/unused_flags.h"
#include "tools/update_words.h"
#include "tools/usage.h"
#include "tools/version.h"

namespace tenon {

namespace {

/// The words, last first as CLI11 wants them, with `=-` after bare file options: a file named after
/// a blank would be taken for the option's.
std::vector<std::string> SpellOut(std::vector<std::string> words) {
  for (std::string& word : words) {
    if (word == "--json" || word == "--html" || word == "--report" || word == "--why" ||
        word == "--problem" || word == "--header" || word == "--svg" || word == "--trace" ||
        word == "--csv")
      word += "=-";
    if (word == "--byoc-report") word += "=text";
  }
  std::reverse(words.begin(), words.end());
  return words;
}

/// Reads the files of --link.
absl::Status ReadLinkFiles(const std::vector<std::string>& words, CompileOptions& compile) {
  for (const std::string& word : words) {
    const absl::Status added = AddLinkFile(word, compile.link);
    if (!added.ok()) return absl::InvalidArgumentError("--link: " + std::string(added.message()));
  }
  return absl::OkStatus();
}

/// The words with those of the compilation that --update-of names, which `update` receives.
absl::StatusOr<std::vector<std::string>> WithEarlier(std::vector<std::string> words,
                                                     std::optional<UpdateManifest>& update) {
  const std::optional<std::string> path =
      !words.empty() && words[0] == "compile" ? UpdateOf(words) : std::nullopt;
  if (!path) return words;
  TENON_ASSIGN_OR(update, ReadUpdateFile(*path));
  absl::StatusOr<std::vector<std::string>> earlier = EarlierWords(*update, words);
  if (!earlier.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", ShownText(*path), std::string(earlier.status().message())));
  }
  words.insert(words.end(), earlier->begin(), earlier->end());
  return words;
}

/// Sets the options of reading and compiling for constants that may be replaced. `facts`: of an
/// earlier compilation, whose code an update keeps.
void UseReplaceable(std::vector<WeightFact> facts, ModuleInput& module, CompileOptions& compile) {
  auto shared = std::make_shared<WeightFacts>(std::move(facts));
  module.tflite.facts = shared.get();
  module.tflite.dynamic_scales = compile.dynamic_scales;
  compile.weight_facts = std::move(shared);
  if (compile.constant_storage == ConstantStorage::kAuto)
    compile.constant_storage = ConstantStorage::kFile;
}

/// Sets options of `compile` for constants that may be replaced.
absl::Status SettleReplaceable(const CLI::App& given, CompileCommand& command) {
  CompileOptions& compile = command.compile;
  compile.replaceable = compile.replaceable || compile.dynamic_scales;
  if (!command.update_of.empty()) {
    if (!command.update) {
      TENON_ASSIGN_OR(command.update, ReadUpdateFile(command.update_of));
    }
    if (!compile.replaceable)
      return absl::InvalidArgumentError(
          "--update-of: the earlier compilation was without --replaceable-weights");
  }
  if (!compile.replaceable) return absl::OkStatus();
  UseReplaceable(command.update ? command.update->facts : std::vector<WeightFact>(), command.module,
                 compile);
  compile.update_words = WordsOf(given);
  return KeepPoolsFile(compile);
}

/// Sets options of `run` that follow from others.
void SettleRun(RunCommand& run, const CLI::Option& planner) {
  run.threads = run.compile.run.threads;
  if (run.threads > 1) run.compile.parallel = ParallelLoops::kThreads;
  // Pools, tensors in pools and reductions of memory have an effect only with a plan.
  run.plan = planner.count() > 0 || !run.compile.pools_file.empty() || !run.compile.pools.empty() ||
             !run.compile.workspace_pools.empty() || !run.compile.constant_pools.empty() ||
             run.compile.map_inputs || run.compile.map_outputs || run.compile.promote ||
             run.compile.compress || run.compile.fuse == Switch::kOn ||
             run.compile.narrow == Switch::kOn || run.compile.stream != Streaming::kOff ||
             run.compile.feed_rows || run.compile.overlap == Overlap::kOn ||
             run.compile.overlap == Overlap::kInPlace;
}

/// The message for a flag of the command that has no effect, or nothing.
std::string UnusedFlagOf(const CLI::App& given, const Commands& commands) {
  const std::string name = given.get_name();
  if (name == "compile" && OnlyPrints(commands.compile)) return {};
  if (name == "compile") return UnusedFlag(given, commands.compile);
  if (name == "run") return UnusedFlag(given, commands.run);
  if (name == "report") return UnusedFlag(given, commands.report);
  if (name == "plan") return UnusedFlag(given, commands.plan);
  if (name == "package") return UnusedFlag(given, commands.package);
  if (name == "verify") return UnusedFlag(given, commands.verify);
  return {};
}

}  // namespace

CommandLine::CommandLine() : app_(kDescription, "tenon") {
  SetHelp(app_);
  app_.set_version_flag("--version", std::string(VersionText("tenon")),
                        "print the version and stop");
  app_.require_subcommand(1);
  run_planner_ = &AddCommands(app_, commands_);
}

const StderrStyle& CommandLine::StyleOf(const CLI::App& command) const {
  const std::string name = command.get_name();
  return name == "run"      ? commands_.run.module.style
         : name == "report" ? commands_.report.module.style
         : name == "verify" ? commands_.verify.module.style
                            : commands_.compile.module.style;
}

absl::Status CommandLine::Settle() {
  auto& [compile, run, report, plan, package, verify, operators] = commands_;
  for (CompileOptions* options : {&compile.compile, &run.compile, &report.compile, &verify.compile})
    TENON_TRY(SettlePools(compile.update, options == &compile.compile || options == &verify.compile,
                          sources_, *options, errors_));
  for (CompileOptions* options : {&compile.compile, &run.compile, &report.compile, &verify.compile})
    options->target = WithNamedTarget(options->target);
  SettleRun(run, *run_planner_);
  const CLI::App& given = command();
  if (given.get_name() == "compile" && given.count("--threads") > 0)
    compile.compile.code.threads = compile.compile.run.threads;
  if (given.get_name() == "compile") TENON_TRY(SettleReplaceable(given, compile));
  if (compile.compile.debug_tensors && compile.compile.feed_rows)
    return absl::InvalidArgumentError(
        "--debug-tensors shows whole tensors, which code with --feed-rows never has: leave out one "
        "of the two");
  verify.compile.replaceable = verify.compile.replaceable || verify.compile.dynamic_scales;
  if (verify.compile.replaceable) UseReplaceable({}, verify.module, verify.compile);
  if (given.get_name() == "run" && IsPackagePath(run.module.path)) {
    run.is_package = true;
    if (given.count("--engine") == 0) run.engine = "package";
  }
  compile.compile.program = SourceText("Tenon");
  if (given.get_name() == "compile") compile.compile.shaping_options = ShapingOptions(given);
  const std::string unused = UnusedFlagOf(given, commands_);
  if (!unused.empty()) return absl::InvalidArgumentError(unused);
  TENON_TRY(ReadLinkFiles(compile.link, compile.compile));
  return ReadLinkFiles(run.link, run.compile);
}

absl::Status CommandLine::Read(std::vector<std::string> words) {
  TENON_ASSIGN_OR(words, WithEarlier(std::move(words), commands_.compile.update));
  try {
    app_.parse(SpellOut(std::move(words)));
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(UsageErrorOf(app_, error).message);
  }
  return Settle();
}

std::optional<int> CommandLine::ReadOrAnswer(int argc, char** argv) {
  if (const std::optional<int> code = AnswerWithoutCommand(app_, argc, argv)) return *code;
  absl::StatusOr<std::vector<std::string>> words =
      WithEarlier({argv + 1, argv + argc}, commands_.compile.update);
  if (!words.ok()) return Fail(std::string(words.status().message()));
  try {
    app_.parse(SpellOut(*std::move(words)));
  } catch (const CLI::ParseError& error) {
    return AnswerParseError(app_, error);
  }
  const absl::Status settled = Settle();
  if (settled.ok()) return std::nullopt;
  if (errors_.has_errors()) return ShowDiagnostics(sources_, errors_, StyleOf(command())), 1;
  return Fail(std::string(settled.message()));
}

}  // namespace tenon
