#include "tools/unused_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "compile/plan.h"
#include "tools/generator_options.h"
#include "tools/usage.h"

namespace tenon {

namespace {

/// Flags of the code that LLVM makes.
constexpr std::array<const char*, 6> kLlvmFlags = {
    "--cpu", "--features", "-O", "--fp-contract", "--fast-math", "--operator-symbols"};

bool MayUseObject(const CompileOptions& options) {
  return options.constant_storage == ConstantStorage::kAuto ||
         options.constant_storage == ConstantStorage::kObject;
}

/// Rules for flags of external code generators.
void AddByocRules(const CLI::App& app, const CompileOptions& options,
                  std::vector<FlagRule>& rules) {
  for (const char* flag :
       {"--offload-floats", "--offload-inexact", "--on-generator-error", "--byoc-report"})
    rules.push_back({flag, !options.externals.targets.empty(), "with --targets"});
  for (const char* flag : {"--generator-timeout", "--generator-record"})
    rules.push_back({flag, NamesGeneratorProgram(app, options.externals.targets),
                     "with --generator, or a target `onednn`"});
}

/// Rules for options of all commands that plan.
void AddPlanningRules(const CompileOptions& options, std::vector<FlagRule>& rules) {
  rules.push_back({"--reserve", !options.board_name.empty(), "with --board"});
  rules.push_back({"--map-inputs", !options.feed_rows,
                   "without --feed-rows, which keeps only some rows of the input"});
  rules.push_back({"--keep-inputs", options.map_inputs && !options.feed_rows, "with --map-inputs"});
  rules.push_back({"--layout", !planner::IsTvmAlgorithm(options.planner) || options.layout == "tvm",
                   "with Tenon's planners: TVM's planners have TVM's layout of constants"});
  const bool overlaps = options.overlap == Overlap::kOn || options.overlap == Overlap::kInPlace;
  rules.push_back({"--overlap", !planner::IsTvmAlgorithm(options.planner) || !overlaps,
                   "with Tenon's planners: TVM's planners use no overlaps"});
  rules.push_back({"--stream", options.stream == Streaming::kOff || WorkspaceChoiceOf(options).fuse,
                   "with --fuse=on: only fused operators run row by row"});
  rules.push_back({"--feed-rows", !options.feed_rows || WorkspaceChoiceOf(options).fuse,
                   "with --fuse=on: only fused operators run row by row"});
  rules.push_back(
      {"--verify-plan", WorkspaceChoiceOf(options).overlap != Overlap::kOff,
       "if outputs overlap inputs: with --overlap=in-place or on, or with Tenon's planners"});
}

}  // namespace

std::string UnusedFlag(const CLI::App& app, const CompileCommand& command) {
  const CompileOptions& options = command.compile;
  const bool is_package = command.emit == kEmitPackage;
  const bool is_framework = FrameworkOf(command.emit).has_value();
  const bool is_c = command.emit == "c" || is_package || is_framework;
  const bool shares = options.share_workspace;
  const char* const with_llvm = "with --emit=llvm-ir, bitcode, asm, obj or shared";
  std::vector<FlagRule> rules;
  for (const char* flag : kLlvmFlags) {
    rules.push_back(
        {flag, !is_c, fmt::format("{}; for C, give your compiler its own flags", with_llvm)});
  }
  rules.push_back({"-g", !is_c, with_llvm});
  rules.push_back({"--header", !is_c, with_llvm});
  for (const char* flag : {"--target", "--board", "--hosted", "--constant-storage",
                           "--share-workspace", "--link-params"})
    rules.push_back({flag, !is_package,
                     "without --emit=package: --cc and --cflags decide for which machine a package "
                     "is, and it has one module and a file of constants"});
  for (const char* flag : {"--constant-storage", "--link-params"})
    rules.push_back(
        {flag, !is_framework, "without --emit=zephyr or arduino, whose constants are arrays in C"});
  rules.push_back(
      {"--cc", command.emit == "shared" || is_package, "with --emit=shared or package"});
  rules.push_back({"--cflags", is_package, "with --emit=package"});
  rules.push_back({"--link", command.emit == "shared", "with --emit=shared"});
  rules.push_back({"--target-abi",
                   !is_c || (!options.target.triple.empty() && MayUseObject(options)),
                   "with --emit other than c, or with --target and --constant-storage=object or "
                   "auto"});
  rules.push_back({"--c-vectors", is_c, "with --emit=c or package"});
  for (const char* flag : {"--replaceable-weights", "--dynamic-scales"})
    rules.push_back({flag, command.emit == "c", "with --emit=c"});
  rules.push_back({"--hosted", is_c, "with --emit=c"});
  rules.push_back({"--c-array-limit",
                   is_c && !is_framework && options.constant_storage == ConstantStorage::kAuto,
                   "with --emit=c and --constant-storage=auto"});
  rules.push_back({"--print-merged", is_c && shares, "with --emit=c and --share-workspace"});
  rules.push_back({"--shared-name", shares || (!is_c && command.paths.size() > 1),
                   "with --share-workspace, or with several modules and --emit for LLVM"});
  rules.push_back({"--parallel-copies", options.parallel != ParallelLoops::kSerial,
                   "with --parallel=threads or hook"});
  AddByocRules(app, options, rules);
  AddPlanningRules(options, rules);
  return FlagWithoutEffect(app, rules);
}

namespace {

/// The code of a package is made, and its text is planned.
std::string UnusedFlagOfPackage(const CLI::App& app, const RunCommand& command) {
  if (command.engine == "c" || command.engine == "jit")
    return "a package has its code: leave out --engine, or pass --engine=interp";
  const bool is_interp = command.engine == "interp";
  std::vector<FlagRule> rules = {{"--max-steps", is_interp, "with --engine=interp"},
                                 {"--threads", !is_interp, "without --engine=interp"}};
  constexpr std::string_view kUsed[] = {"--input",  "--output", "--expect",    "--engine",
                                        "--repeat", "--each",   "--json",      "--quiet",
                                        "--color",  "module",   "--max-steps", "--threads"};
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_positional() ? option->get_name(true) : option->get_name();
    if (std::find(std::begin(kUsed), std::end(kUsed), name) == std::end(kUsed))
      names.push_back(name);
  }
  for (const std::string& name : names)
    rules.push_back({name.c_str(), false, "on a module: a package is already compiled"});
  return FlagWithoutEffect(app, rules);
}

}  // namespace

std::string UnusedFlag(const CLI::App& app, const RunCommand& command) {
  if (command.is_package) return UnusedFlagOfPackage(app, command);
  const CompileOptions& options = command.compile;
  const bool is_c = command.engine == "c";
  const bool is_interp = command.engine == "interp";
  const bool is_planned = !is_interp || command.plan;
  std::vector<FlagRule> rules;
  for (const char* flag : kLlvmFlags)
    rules.push_back({flag, command.engine == "jit", "with --engine=jit"});
  const bool compiles = is_c || !options.externals.targets.empty() || !command.link.empty();
  rules.push_back({"--cc", compiles, "with --engine=c, --targets or --link"});
  rules.push_back(
      {"--externals", !is_interp, "with --engine=c or jit: the interpreter runs bodies"});
  rules.push_back({"--expect", options.externals.use != ExternalsUse::kSkip,
                   "without --externals=skip, whose outputs have no meaning"});
  for (const char* flag : {"--cflags", "--c-vectors", "--constant-storage"})
    rules.push_back({flag, is_c, "with --engine=c"});
  rules.push_back({"--c-array-limit", is_c && options.constant_storage == ConstantStorage::kAuto,
                   "with --engine=c and --constant-storage=auto"});
  for (const char* flag : {"--link", "--allow-extern"})
    rules.push_back({flag, !is_interp, "with --engine=c or jit"});
  rules.push_back({"--max-steps", is_interp, "with --engine=interp"});
  for (const char* flag : {"--workspace-alignment", "--constant-alignment", "--merge-constants",
                           "--layout", "--optimize", "--dot-products", "--overlap", "--fuse",
                           "--narrow", "--stream", "--feed-rows"})
    rules.push_back(
        {flag, is_planned,
         "with --engine=c or jit, or if --planner or pools plan the interpreter's memory"});
  AddByocRules(app, options, rules);
  AddPlanningRules(options, rules);
  return FlagWithoutEffect(app, rules);
}

std::string UnusedFlag(const CLI::App& app, const ReportCommand& command) {
  std::vector<FlagRule> rules;
  const bool is_text = !command.report.any() && !command.why && !command.diff;
  rules.push_back({"--all", is_text && !command.problem && !command.layers_csv,
                   "with the tables that `tenon report` prints"});
  rules.push_back({"--csv", command.layers && is_text, "with --layers"});
  for (const char* flag : {"--json", "--html", "--svg", "--why", "--layers", "--diff"})
    rules.push_back({flag, !command.problem, "without --problem, which writes no report"});
  rules.push_back({"--instructions", command.layers || command.report.json || command.report.html,
                   "with --layers, --json or --html"});
  const bool is_module = !command.module.path.ends_with(".json");
  for (const char* flag : {"--problem",
                           "--planner",
                           "--threads",
                           "--workspace-alignment",
                           "--constant-alignment",
                           "--workspace-pools",
                           "--constant-pools",
                           "--pools",
                           "--map-inputs",
                           "--map-outputs",
                           "--use-workspace-io",
                           "--keep-inputs",
                           "--merge-constants",
                           "--layout",
                           "--overlap",
                           "--fuse",
                           "--narrow",
                           "--stream",
                           "--feed-rows",
                           "--verify-plan",
                           "--promote-constants",
                           "--compress-constants",
                           "--allow-truncated-constants",
                           "--targets",
                           "--generator"})
    rules.push_back({flag, is_module, "on a module: a report is already planned"});
  AddByocRules(app, command.compile, rules);
  AddPlanningRules(command.compile, rules);
  return FlagWithoutEffect(app, rules);
}

std::string UnusedFlag(const CLI::App& app, const PackageCommand& command) {
  const bool extracts = command.action == "extract";
  if (extracts && command.output.empty()) return "`tenon package extract` needs -o FOLDER";
  const FlagRule rules[] = {{"--json", command.action == "list", "with list"},
                            {"--bytes-only", command.action == "verify", "with verify"},
                            {"--output", extracts, "with extract"}};
  return FlagWithoutEffect(app, rules);
}

std::string UnusedFlag(const CLI::App& app, const VerifyCommand& command) {
  const bool is_c = command.engine == "c";
  std::vector<FlagRule> rules = {{"--cc", is_c, "with --engine=c"},
                                 {"--cflags", is_c, "with --engine=c"}};
  const bool has_dump = !command.device_dump.empty();
  for (const char* flag : {"--python", "--engine", "--count", "--seed", "--tensors"})
    rules.push_back({flag, !has_dump, "without --device-dump, which is of one run"});
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    const std::string& group = option->get_group();
    const std::string& name = option->get_name();
    if (group == "Constants" || group == "Memory" || name == "--target" || name == "--pools" ||
        name == "--workspace-pools")
      names.push_back(name);
  }
  for (const std::string& name : names)
    rules.push_back({name.c_str(), has_dump,
                     "with --device-dump: frameworks are compared with the model as it is"});
  if (has_dump) AddPlanningRules(command.compile, rules);
  return FlagWithoutEffect(app, rules);
}

std::string UnusedFlag(const CLI::App& app, const PlanCommand& command) {
  std::vector<FlagRule> rules;
  const bool plans = !command.check && command.emit_problem.empty();
  for (const char* flag : {"--algorithm", "--node-limit", "--time-limit"})
    rules.push_back({flag, plans, "without --check and --emit-problem, which plan nothing"});
  rules.push_back({"--algorithm", command.compare.empty(), "without --compare"});
  const std::vector<std::string> one = {command.algorithm};
  const std::vector<std::string>& chosen = command.compare.empty() ? one : command.compare;
  const auto has = [&](std::string_view name) {
    return std::find(chosen.begin(), chosen.end(), name) != chosen.end();
  };
  rules.push_back({"--node-limit", has("optimal"), "with the algorithm `optimal`"});
  rules.push_back({"--time-limit", has("optimal") || has("first_fit") || has("best_fit"),
                   "with the algorithms `optimal`, `first_fit` and `best_fit`"});
  rules.push_back({"--csv", !command.compare.empty(), "with --compare"});
  return FlagWithoutEffect(app, rules);
}

}  // namespace tenon
