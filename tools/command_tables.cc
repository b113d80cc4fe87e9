#include "tools/command_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "byoc/known_passes.h"
#include "compile/load_options.h"
#include "lowering/named_targets.h"
#include "passes/memory/pools_text.h"
#include "planner/planner.h"
#include "support/byte_size.h"
#include "support/checked.h"
#include "support/nearest_name.h"
#include "support/shown_text.h"
#include "support/status_macros.h"
#include "tools/board_options.h"
#include "tools/byoc_options.h"
#include "tools/code_options.h"
#include "tools/dump_options.h"
#include "tools/generator_options.h"
#include "tools/help.h"
#include "tools/help_texts.h"
#include "tools/options.h"

namespace {

using tenon::AddBytes;
using tenon::AddChoice;
using tenon::AddListOption;
using tenon::AddNumber;
using tenon::AddParsedOption;
using tenon::CompileOptions;
using tenon::CompressConstantsOptions;
using tenon::PromoteConstantsOptions;

constexpr int64_t kMostThreads = 1024;

/// An option that takes a file as --name=FILE, and stdout without it: see SpellOut of
/// command_line.cc.
void AddFileOption(CLI::App& app, const std::string& name, std::optional<std::string>& file,
                   const std::string& help) {
  app.add_option_function<std::string>(
         name, [&file](const std::string& value) { file = value.empty() ? "-" : value; },
         help + "; without =FILE: to stdout")
      ->type_name(std::string(tenon::kOutputFile));
}

/// A heading of --help for the options that are added while it lives.
class Heading {
 public:
  Heading(CLI::App& app, const std::string& name)
      : app_(app), before_(app.option_defaults()->get_group()) {
    app.option_defaults()->group(name);
  }
  ~Heading() { app_.option_defaults()->group(before_); }
  Heading(const Heading&) = delete;
  Heading& operator=(const Heading&) = delete;

 private:
  CLI::App& app_;
  std::string before_;
};

void AddReadingOptions(CLI::App& app, tenon::ModuleInput& module) {
  const Heading heading(app, "Reading");
  tenon::AddReadingOptions(
      app, {module.allow_truncated_constants, module.allow_unknown_ops, module.constants_from,
            module.tflite.allow_unsupported, module.tflite.signature, module.onnx});
}

void AddModuleOptions(CLI::App& app, tenon::ModuleInput& module) {
  app.add_option("module", module.path, "file to read; - is standard input")
      ->type_name("FILE")
      ->required();
}

void AddMapOptions(CLI::App& app, CompileOptions& compile) {
  app.add_flag("--map-inputs", compile.map_inputs,
               "place inputs in the workspace; the caller fills them before each run");
  app.add_flag("--map-outputs", compile.map_outputs, "place outputs in the workspace");
  app.add_flag_callback(
         "--use-workspace-io", [&compile] { compile.map_inputs = compile.map_outputs = true; },
         "place inputs and outputs in the workspace, as TVM's tir.usmp.use_workspace_io; with "
         "--feed-rows only outputs")
      ->group(tenon::kCommonOptions);
  app.add_flag("--keep-inputs", compile.keep_inputs,
               "leave inputs in the workspace unchanged by a run");
}

void AddLoadOptions(CLI::App& app, CompileOptions& compile) {
  AddParsedOption<PromoteConstantsOptions>(
      app, "--promote-constants", tenon::ParsePromotion,
      [&compile](const PromoteConstantsOptions& promote) { compile.promote = promote; },
      "BYTES[:POOL]",
      "copy the most read constants to RAM before the first run, up to BYTES; default of POOL: the "
      "first workspace pool; all: until the pool "
      "is full");
  AddParsedOption<CompressConstantsOptions>(
      app, "--compress-constants", tenon::ParseCompression,
      [&compile](const CompressConstantsOptions& compress) { compile.compress = compress; },
      "lz4|zstd[:RATIO[:POOL]]",
      "compress constants that become smaller by at least RATIO (default: 1.25); "
      "the first run unpacks them to RAM");
}

/// Adds an option for an alignment. An alignment from the command line is never changed.
void AddAlignment(CLI::App& app, const std::string& name, int64_t& alignment,
                  CompileOptions& compile, const std::string& what) {
  const auto parse = [](const std::string& text) -> absl::StatusOr<int64_t> {
    const std::optional<int64_t> bytes = tenon::ParseByteSize(text);
    if (bytes && tenon::IsPowerOfTwo(*bytes) && *bytes <= tenon::kMostPoolAlignment) return *bytes;
    return absl::InvalidArgumentError(
        fmt::format("expected a power of two from 1 to {1}, gcc's largest alignment; found `{0}`",
                    tenon::ShownText(text), tenon::kMostPoolAlignment));
  };
  AddParsedOption<int64_t>(
      app, name, parse,
      [&](int64_t bytes) {
        alignment = bytes;
        compile.align_to_vectors = false;
      },
      fmt::format("BYTES (default: {})", alignment), what);
}

/// Adds an option for the pools of a kind, whose text is read again by assign-pool-info.
CLI::Option* AddPoolList(CLI::App& app, const std::string& name, std::string& pools,
                         bool is_constant, const std::string& help) {
  const auto parse = [is_constant](const std::string& text) -> absl::StatusOr<std::string> {
    TENON_TRY(tenon::ParsePoolList(text, is_constant).status());
    return text;
  };
  return AddParsedOption<std::string>(
      app, name, parse, [&pools](const std::string& text) { pools = text; }, "POOLS", help);
}

void AddConstantOptions(CLI::App& app, CompileOptions& compile) {
  const Heading heading(app, "Constants");
  AddAlignment(app, "--constant-alignment", compile.constant_alignment, compile,
               "alignment of constants");
  AddChoice(app, "--merge-constants", compile.merge_constants, {"off", "exact", "subrange"},
            "let constants share bytes: equal ones (exact), also parts of others (subrange); "
            "default: exact; with TVM's planners or layout: off");
  AddChoice(app, "--layout", compile.layout, {"packed", "first_use", "tvm"},
            "order of constants in their pools: least padding, first use, or TVM's, with separate "
            "bytes for each use");
  AddLoadOptions(app, compile);
}

CLI::Option* AddPlannerOptions(CLI::App& app, CompileOptions& compile) {
  AddConstantOptions(app, compile);
  const Heading heading(app, "Memory");
  AddEnum(app, "--fuse", compile.fuse, tenon::kSwitchNames,
          "merge copies, casts, pads and neighbouring loops into the loops that read them; auto: "
          "on with Tenon's planners and serial loops, without transpositions that save workspace");
  AddNumber(
      app, "--fold-limit", compile.fold_operations, 0, int64_t{1} << 60,
      "operations that each of three rounds of constant folding may take (default: 100000000, a "
      "third of a second)");
  AddEnum(app, "--narrow", compile.narrow, tenon::kSwitchNames,
          "store values in fewer bytes if no result changes; auto: as for --fuse");
  AddEnum(app, "--overlap", compile.overlap, tenon::kOverlapNames,
          "let outputs of calls reuse bytes of inputs that die there: never, from the first byte "
          "on, or at any safe distance; auto: on with Tenon's planners");
  AddEnum(app, "--stream", compile.stream, tenon::kStreamingNames,
          "run operators together row by row, with a few rows of the tensors between them: never, "
          "as far as it saves workspace and pools with a size need it, or as far as it saves any")
      ->group(tenon::kCommonOptions);
  app.add_flag("--feed-rows", compile.feed_rows,
               "the code also takes the rows of its input one after another, with "
               "PREFIX_feed_rows; they need no buffer of the whole input");
  AddChoice(
      app, "--verify-plan", [&](const std::string& value) { compile.verify_plan = value == "on"; },
      {"on", "off"}, "on", "check all places of a plan against the accesses of the functions");
  AddAlignment(app, "--workspace-alignment", compile.workspace_alignment, compile,
               "alignment of workspace buffers");
  CLI::Option* const workspace =
      AddPoolList(app, "--workspace-pools", compile.workspace_pools, false,
                  "pools of the caller in order of preference, name[:size][:align=N][:base=N], "
                  "separated by `;`")
          ->group(tenon::kCommonOptions);
  CLI::Option* const constants = AddPoolList(app, "--constant-pools", compile.constant_pools, true,
                                             "pools for constants, in the same form");
  app.add_option("--pools", compile.pools_file,
                 "JSON file of pools of both kinds, in order of preference")
      ->type_name("FILE")
      ->group(tenon::kCommonOptions)
      ->excludes(workspace)
      ->excludes(constants)
      ->excludes(tenon::AddBoardOptions(app, compile));
  AddMapOptions(app, compile);
  AddNumber(app, "--threads", compile.run.threads, 1, kMostThreads,
            "threads for passes and for LLVM (default of LLVM: all cores); in `run`, also for the "
            "model's parallel loops");
  return app
      .add_option("--planner", compile.planner,
                  fmt::format("algorithm: {}", fmt::join(tenon::planner::AlgorithmNames(), ", ")))
      ->type_name("NAME");
}

/// -q, and the colours of messages.
void AddMessageOptions(CLI::App& app, tenon::StderrStyle& style) {
  tenon::AddQuietOption(app, style);
  const Heading heading(app, "Messages");
  tenon::AddColorOption(app, style);
  tenon::AddDiagnosticsOption(app, style);
}

void AddDumpOptions(CLI::App& app, CompileOptions& compile) {
  const Heading heading(app, "Messages");
  tenon::AddDumpOptions(app, tenon::KnownPasses(), compile.run);
}

void AddVectorOption(CLI::App& app, CompileOptions& compile) {
  AddChoice(
      app, "--c-vectors", [&](const std::string& value) { compile.gnu_vectors = value == "gnu"; },
      {"loops", "gnu"}, "loops",
      "emit vectors as loops, or as vector types of GNU C where possible");
}

void AddParallelOptions(CLI::App& app, CompileOptions& compile) {
  AddChoice(
      app, "--parallel",
      [&compile](const std::string& value) {
        compile.parallel = value == "threads" ? tenon::ParallelLoops::kThreads
                           : value == "hook"  ? tenon::ParallelLoops::kHook
                                              : tenon::ParallelLoops::kSerial;
      },
      {"serial", "threads", "hook"}, "serial",
      "run parallel loops serially, on a pool of threads, or by a hook of the program");
  AddNumber(
      app, "--parallel-copies", compile.parallel_copies, 1, 1024,
      "iterations of a parallel loop with large scratch that may run at one time (default: 4)");
}

void AddLoopOption(CLI::App& app, CompileOptions& compile) {
  AddEnum(
      app, "--optimize", compile.loop_passes, tenon::kSwitchNames,
      "make loops faster: sums in registers, vectors, blocks; auto: for LLVM at -O2 and above with "
      "Tenon's planners");
  AddEnum(app, "--dot-products", compile.dot_products, tenon::kSwitchNames,
          "compute sums of 8-bit integers in blocks of dot products; auto: for processors without "
          "vectors (Cortex-M0 to M33, RISC-V) and for Cortex-M55 and M85, unless --optimize=off");
  app.add_flag("--verify-schedules,!--no-verify-schedules", compile.run.verify_schedules,
               "read back the loops that were written for an operator, and compare them with it");
  app.add_flag("--print-schedules", compile.run.print_schedules,
               "show the best schedules of each sum with their costs");
}

void AddLinkOption(CLI::App& app, CompileOptions& compile) {
  const Heading heading(app, "Constants");
  AddChoice(
      app, "--link-params", [&](const std::string& value) { compile.link_params = value == "on"; },
      {"on", "off"}, "on",
      "on: constants are part of the code; off: constants are inputs, with their values in a file");
}

void AddReplaceable(CLI::App& app, CompileOptions& compile) {
  app.add_flag("--replaceable-weights", compile.replaceable,
               "constants are in a file, which a file of a later training may replace while the "
               "code stays");
  app.add_flag(
      "--dynamic-scales", compile.dynamic_scales,
      "as --replaceable-weights; scales and zero points of a .tflite file are also data of "
      "that file");
}

void AddStorageOptions(CLI::App& app, CompileOptions& compile) {
  const Heading heading(app, "Constants");
  const auto names = tenon::ConstantStorageNames();
  AddChoice(
      app, "--constant-storage",
      [&compile](const std::string& value) {
        compile.constant_storage = *tenon::ParseConstantStorage(value);
      },
      std::vector<std::string>(names.begin(), names.end()), "auto",
      "form of constants in the program; auto: C arrays; many bytes are an object with --target, "
      "else a file");
  AddReplaceable(app, compile);
  AddBytes(app, "--c-array-limit", compile.c_array_limit, INT64_MAX,
           "auto: most bytes of constants that are C arrays; default: 64 KiB with --target, else "
           "16 MiB");
}

void AddTargetOption(CLI::App& app, CompileOptions& compile) {
  const Heading heading(app, "Target");
  app.add_option("--target", compile.target.triple,
                 "processor, such as cortex-m4, or target triple; for objects of constants, "
                 "x86_64, aarch64, "
                 "arm, riscv32 or riscv64 is enough; default: this machine")
      ->type_name("NAME")
      ->group(tenon::kCommonOptions);
}

/// `module` is the option of files, which --print-machine does not need.
void AddTargetOptions(CLI::App& app, tenon::CompileCommand& command, CLI::Option& module) {
  CompileOptions& compile = command.compile;
  AddTargetOption(app, compile);
  const Heading heading(app, "Target");
  app.set_version_flag("--list-targets", tenon::ListTargets(),
                       "list the processors that --target knows, with options of gcc, and stop");
  app.add_flag_callback(
      "--list-boards",
      [&command, &module] {
        command.list_boards = true;
        module.required(false);
      },
      "list the boards that --board knows, and stop");
  app.add_option_function<std::string>(
         "--print-board",
         [&command, &module](const std::string& board) {
           command.print_board = board;
           module.required(false);
         },
         "print the JSON of a board, to be copied and changed, and stop")
      ->type_name("NAME");
  app.add_flag_callback(
      "--print-machine",
      [&command, &module] {
        command.print_machine = true;
        module.required(false);
      },
      "print the facts about the target by which --emit chooses loops, and stop");
  app.add_option("--target-abi", compile.target.abi,
                 "ABI of the target, if the triple does not name it: ilp32, ..., lp64d; default: "
                 "follows from the features")
      ->type_name("NAME");
  AddChoice(
      app, "--hosted", [&](const std::string& value) { compile.hosted = value == "on"; },
      {"on", "off"}, "",
      "whether the target has an operating system with libraries such as zstd; default: on; with "
      "--target, on if the triple names a system");
}

/// Options for several modules in one program.
void AddSeveralOptions(CLI::App& app, tenon::CompileCommand& command) {
  const Heading heading(app, "Several modules");
  app.add_flag("--share-workspace", command.compile.share_workspace,
               "share one arena between models that run in turn");
  app.add_option("--shared-name", command.compile.shared_name,
                 "prefix of the arena's names: tvmgen_<NAME>")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_flag("--print-merged", command.print_merged,
               "print which constants the models have in common, and what that saves");
}

void AddLinkFileOption(CLI::App& app, std::vector<std::string>& words) {
  app.add_option("--link", words,
                 "file or library that defines external functions: my.c, my.o, -lNAME, -LFOLDER; "
                 "several times")
      ->type_name("FILE")
      ->type_size(1)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// Options of the code that is emitted.
void AddEmissionOptions(CLI::App& app, tenon::CompileCommand& command) {
  const Heading heading(app, "Code");
  tenon::AddCodeOptions(app, command.compile);
  app.add_flag("-g", command.compile.code.debug_info,
               "add debug information: lines of the module's text");
  AddFileOption(app, "--header", command.header,
                "file for the C header of LLVM's output; default: model.h for model.o, .s and .so");
  app.add_option("--cc", command.compile.linker,
                 "program that links with --emit=shared, and compiles with --emit=package")
      ->type_name("PROGRAM")
      ->capture_default_str();
  app.add_option("--cflags", command.cflags, "flags of the C compiler with --emit=package")
      ->type_name("FLAGS")
      ->capture_default_str();
  AddLinkFileOption(app, command.link);
  app.add_flag(
      "--debug-tensors", command.compile.debug_tensors,
      "call debug_tensor, a function of the program, with each tensor between operators, for "
      "`tenon verify --device-dump`");
  AddVectorOption(app, command.compile);
  AddParallelOptions(app, command.compile);
  AddLoopOption(app, command.compile);
}

void AddCompile(CLI::App& app, tenon::CompileCommand& command) {
  CLI::App& sub = *app.add_subcommand("compile", tenon::kCompile);
  CLI::Option& module =
      *sub.add_option("module", command.paths,
                      "file to read; - is standard input; several with --share-workspace, or with "
                      "LLVM, which writes one file")
           ->type_name("FILE")
           ->required();
  AddChoice(sub, "--emit", command.emit,
            {"c", "llvm-ir", "bitcode", "asm", "obj", "shared", "package", "zephyr", "arduino"},
            "form of the output: C, a file of LLVM, a package, or C as a module of Zephyr or a "
            "library of Arduino");
  sub.add_option("-o,--output", command.output,
                 "folder for C, Zephyr and Arduino, or file for LLVM's output; a package is a "
                 "file, or a folder if PATH "
                 "ends in /; - is standard output")
      ->type_name("PATH");
  sub.add_option("--module-name", command.names,
                 "prefix of all names: tvmgen_<NAME>; default: the name of a .tflite or "
                 ".onnx file, the global symbol "
                 "of a text's entry; with several modules, once for each")
      ->type_name("NAME")
      ->type_size(1)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sub.add_option("--update-of", command.update_of,
                 "write the file of constants alone, for the code of an earlier compilation with "
                 "--replaceable-weights, whose ..._update.json this is; its options apply")
      ->type_name("FILE")
      ->group("Constants");
  AddFileOption(sub, "--report", command.report.json, "write the report as JSON");
  AddFileOption(sub, "--html", command.report.html, "write the report as one HTML file");
  AddMessageOptions(sub, command.module.style);
  AddPlannerOptions(sub, command.compile);
  AddLinkOption(sub, command.compile);
  AddStorageOptions(sub, command.compile);
  AddTargetOptions(sub, command, module);
  AddEmissionOptions(sub, command);
  AddSeveralOptions(sub, command);
  tenon::AddByocOptions(sub, command.compile, command.byoc_report);
  tenon::AddFallbackOption(sub, command.compile);
  AddReadingOptions(sub, command.module);
  AddDumpOptions(sub, command.compile);
  const Heading heading(sub, "Messages");
  sub.add_flag("--timing", command.timing, "print the time of every step, and counters, to stderr");
}

CLI::Option* AddRun(CLI::App& app, tenon::RunCommand& command) {
  CLI::App& sub = *app.add_subcommand("run", tenon::kRun);
  const auto tensors = [&](const std::string& name, std::vector<std::string>& files,
                           const std::string& help) {
    AddListOption(sub, name, files, "[NAME=]FILE", help);
  };
  AddModuleOptions(sub, command.module);
  tensors("--input", command.inputs, "value of an input");
  tensors("--output", command.outputs, "file for an output");
  tensors("--expect", command.expected, "expected value of an output");
  AddChoice(sub, "--engine", command.engine, {"interp", "c", "jit"},
            "interp: checks every access; c: compiled with --cc; jit: compiled by LLVM, in memory");
  AddNumber(sub, "--repeat", command.repeat, 1, 1'000'000'000,
            "number of runs on the same input; states carry over from run to run");
  sub.add_flag("--each", command.each,
               "treat the first axis of each file as a batch, and run the model once for each "
               "item, with reset states");
  AddFileOption(sub, "--json", command.json, "write the times of the runs");
  sub.add_option("--dump-tensors", command.dump_tensors,
                 "write every tensor that an operator of a .tflite or .onnx file computes to "
                 "DIR/<subgraph>.<number>.npy, without fusing or sharing")
      ->type_name("DIR");
  AddMessageOptions(sub, command.module.style);
  CLI::Option* const planner = AddPlannerOptions(sub, command.compile);
  AddLinkOption(sub, command.compile);
  AddStorageOptions(sub, command.compile);
  {
    const Heading heading(sub, "Code");
    sub.add_option("--cc", command.cc, "C compiler")->type_name("PROGRAM")->capture_default_str();
    sub.add_option("--cflags", command.cflags, "flags of the C compiler")
        ->type_name("FLAGS")
        ->capture_default_str();
    AddLinkFileOption(sub, command.link);
    sub.add_option("--allow-extern", command.allowed_externs,
                   "function of the C library or of this process that the model may call, though "
                   "it may have effects on the machine; several times")
        ->type_name("NAME")
        ->type_size(1)
        ->expected(1)
        ->delimiter(',')
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    AddVectorOption(sub, command.compile);
    AddLoopOption(sub, command.compile);
    tenon::AddCodeOptions(sub, command.compile);
    AddNumber(sub, "--max-steps", command.max_steps, 1, int64_t{1} << 60,
              "most iterations and calls of the interpreter");
  }
  tenon::AddByocOptions(sub, command.compile, command.byoc_report);
  tenon::AddExternalsOption(sub, command.compile);
  AddReadingOptions(sub, command.module);
  AddDumpOptions(sub, command.compile);
  return planner;
}

void AddPackage(CLI::App& app, tenon::PackageCommand& command) {
  CLI::App& sub = *app.add_subcommand("package", tenon::kPackage);
  AddChoice(sub, "action", command.action, {"list", "verify", "extract"}, "list, verify or extract")
      ->type_name("ACTION")
      ->required();
  sub.add_option("package", command.path, "file, or folder with a manifest.json")
      ->type_name("FILE")
      ->required();
  sub.add_option("-o,--output", command.output, "extract: a new or empty folder")
      ->type_name("FOLDER");
  AddFileOption(sub, "--json", command.json, "list: write the manifest");
  sub.add_flag("--bytes-only", command.bytes_only,
               "verify: check the bytes, but not whether this machine can run the code");
  AddMessageOptions(sub, command.style);
}

absl::StatusOr<double> ParseTolerance(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && value >= 0 && std::isfinite(value)) return value;
  return absl::InvalidArgumentError(
      fmt::format("expected a number of at least 0, found `{}`", tenon::ShownText(text)));
}

void AddTolerance(CLI::App& app, const std::string& name, double& value, const std::string& help) {
  AddParsedOption<double>(
      app, name, ParseTolerance, [&value](double given) { value = given; },
      fmt::format("NUMBER (default: {})", value), help);
}

void AddVerify(CLI::App& app, tenon::VerifyCommand& command) {
  CLI::App& sub = *app.add_subcommand("verify", tenon::kVerify);
  AddModuleOptions(sub, command.module);
  sub.add_option("--python", command.python, "Python that has onnxruntime or ai-edge-litert")
      ->type_name("PROGRAM")
      ->capture_default_str();
  AddChoice(sub, "--engine", command.engine, {"interp", "c", "jit"},
            "interp: checks every access; c: compiled with --cc; jit: compiled by LLVM, in memory");
  AddNumber(sub, "--count", command.count, 1, 1'000'000,
            "number of runs, each on inputs of its own; states carry over from run to run");
  AddNumber(sub, "--seed", command.seed, 0, int64_t{1} << 60, "number that chooses the inputs");
  AddListOption(sub, "--input", command.inputs, "NAME=FILE",
                "value of an input in all runs, in place of random values");
  sub.add_flag("--tensors", command.tensors,
               "compare every tensor by its name, without fusing, and name the first that differs");
  sub.add_option(
         "--device-dump", command.device_dump,
         "compare the tensors that code with --debug-tensors wrote on a device with those of "
         "the interpreter, and name the first operator that differs; a folder has files "
         "NUMBER_NAME.bin")
      ->type_name("FILE|FOLDER");
  AddTolerance(sub, "--atol", command.tolerance.absolute,
               "largest difference of floats, in addition to that of --rtol");
  AddTolerance(sub, "--rtol", command.tolerance.relative,
               "largest difference of floats, as a part of the framework's value");
  AddMessageOptions(sub, command.module.style);
  {
    const Heading heading(sub, "Reading");
    tenon::AddOnnxOptions(sub, command.module.onnx);
  }
  AddPlannerOptions(sub, command.compile);
  {
    const Heading heading(sub, "Constants");
    AddReplaceable(sub, command.compile);
  }
  AddTargetOption(sub, command.compile);
  const Heading heading(sub, "Code");
  sub.add_option("--cc", command.cc, "C compiler")->type_name("PROGRAM")->capture_default_str();
  sub.add_option("--cflags", command.cflags, "flags of the C compiler")
      ->type_name("FLAGS")
      ->capture_default_str();
}

void AddOperators(CLI::App& app, tenon::OperatorsCommand& command) {
  CLI::App& sub = *app.add_subcommand("operators", tenon::kOperators);
  AddChoice(
      sub, "--format", [&command](const std::string& format) { command.format = format; },
      {"onnx", "tflite"}, "", "list the operators of one format; default: both");
  AddFileOption(sub, "--json", command.json, "write the list as JSON");
  AddMessageOptions(sub, command.style);
}

void AddReport(CLI::App& app, tenon::ReportCommand& command) {
  CLI::App& sub = *app.add_subcommand("report", tenon::kReport);
  AddModuleOptions(sub, command.module);
  AddFileOption(sub, "--json", command.report.json, "write the report as JSON");
  AddFileOption(sub, "--html", command.report.html, "write the report as one HTML file");
  AddFileOption(sub, "--svg", command.report.svg, "write the maps of the workspace as a picture");
  AddFileOption(sub, "--problem", command.problem,
                "write the planning problem as JSON for `tenon plan` instead of a report");
  sub.add_option("--diff", command.diff, "show differences from an earlier JSON report")
      ->type_name("FILE");
  sub.add_flag("--all", command.all,
               "print whole tables; default: what fits 100 columns and 40 lines");
  sub.add_flag(
      "--layers", command.layers,
      "show each operator's shapes, window, multiplications, weights, activations, scratch memory "
      "and code; with --all, whole names and the shapes of inputs");
  AddFileOption(sub, "--csv", command.layers_csv, "write the table of --layers as CSV");
  sub.add_option("--instructions", command.instructions,
                 "read lines `FUNCTION COUNT` of a run of an image, for --layers")
      ->type_name("FILE");
  sub.add_option_function<std::string>(
         "--why", [&command](const std::string& pool) { command.why = pool == "-" ? "" : pool; },
         "explain the peak of a pool, and what would lower it; without =POOL, of all pools")
      ->type_name("[=POOL]");
  AddMessageOptions(sub, command.module.style);
  AddPlannerOptions(sub, command.compile);
  tenon::AddByocOptions(sub, command.compile, command.byoc_report);
  AddReadingOptions(sub, command.module);
}

absl::StatusOr<double> ParseSeconds(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && seconds >= 0 && seconds <= 1e9) return seconds;
  return absl::InvalidArgumentError(
      fmt::format("expected a number of seconds, found `{}`", tenon::ShownText(text)));
}

void AddPlanOutputs(CLI::App& app, tenon::PlanCommand& command) {
  AddParsedOption<double>(
      app, "--time-limit", ParseSeconds,
      [&command](double seconds) { command.time_limit = seconds; }, "SECONDS",
      "how long `optimal`, `first_fit` and `best_fit` may search; Ctrl-C and SIGTERM also give the "
      "best plan so far");
  app.add_option("-o,--output", command.output, "file for the plan; - is standard output")
      ->type_name("FILE");
  AddFileOption(app, "--json", command.json, "write figures and offsets as JSON");
  AddFileOption(app, "--html", command.html, "write the address map as one HTML file");
  AddFileOption(app, "--svg", command.svg, "write the address map as a picture");
  AddFileOption(app, "--trace", command.trace,
                "write the course of the search as CSV: seconds, best size, bound");
  app.add_flag("--in-place", command.in_place, "replace the CSV file of the problem by the plan");
}

/// Names of algorithms, separated by commas; `all` is the list of all.
absl::StatusOr<std::vector<std::string>> ParseAlgorithms(const std::string& text) {
  const auto known = tenon::planner::AlgorithmNames();
  std::vector<std::string> names(known.begin(), known.end());
  if (text == "all") return names;
  names.emplace_back(tenon::planner::kGiven);
  std::vector<std::string> chosen = CLI::detail::split(text, ',');
  for (const std::string& name : chosen) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return absl::InvalidArgumentError(
        fmt::format("unknown algorithm `{}`, expected all or names of {}{}", tenon::ShownText(name),
                    fmt::join(names, ", "), tenon::DidYouMean(name, names)));
  }
  return chosen;
}

void AddCompareOptions(CLI::App& app, tenon::PlanCommand& command) {
  const Heading heading(app, "Comparison");
  AddParsedOption<std::vector<std::string>>(
      app, "--compare", ParseAlgorithms,
      [&command](std::vector<std::string> names) { command.compare = std::move(names); },
      "ALGORITHM,...|all",
      "plan each problem with each algorithm and show a table; `given` stands for the offsets in "
      "the file");
  AddFileOption(app, "--csv", command.csv, "write the table of --compare as CSV");
}

void AddPlan(CLI::App& app, tenon::PlanCommand& command) {
  CLI::App& sub = *app.add_subcommand("plan", tenon::kPlan);
  sub.add_option("problem", command.inputs,
                 "CSV or JSON file; - is standard input; several with --compare")
      ->type_name("FILE");
  sub.add_option("--algorithm", command.algorithm,
                 fmt::format("one of {}", fmt::join(tenon::planner::AlgorithmNames(), ", ")))
      ->type_name("NAME");
  AddBytes(sub, "--capacity", command.capacity, tenon::planner::kMaxBytes,
           "size of the pool; default: unlimited");
  sub.add_option("--check", command.check,
                 "verify PLAN, CSV or JSON, instead of planning; without FILE, PLAN is a CSV with "
                 "the problem's columns")
      ->type_name("PLAN");
  AddPlanOutputs(sub, command);
  AddCompareOptions(sub, command);
  AddMessageOptions(sub, command.style);
  const Heading heading(sub, "Problem and search");
  sub.add_option_function<std::string>(
         "--input", [&command](const std::string& file) { command.inputs.push_back(file); },
         "the problem, for callers of google/minimalloc")
      ->type_name("FILE");
  sub.add_option(
         "--pool", command.pools,
         "a pool, name[:size][:align=N][:base=N][:read-only], preferred first; changes a pool "
         "that the file declares")
      ->type_name("POOL")
      ->type_size(1)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sub.add_option("--previous", command.previous,
                 "an earlier plan, CSV or JSON: keep its offsets as far as no pool grows")
      ->type_name("PLAN");
  AddChoice(sub, "--emit-problem", command.emit_problem, {"csv", "json"},
            "write the problem without planning it");
  AddNumber(sub, "--node-limit", command.node_limit, 0, tenon::planner::kMaxBytes,
            "placements that `optimal` may try; the same limit gives the same plan; default: "
            "2000000, none with a time limit");
}

}  // namespace

namespace tenon {

const CLI::Option& AddCommands(CLI::App& app, Commands& commands) {
  AddCompile(app, commands.compile);
  const CLI::Option* const planner = AddRun(app, commands.run);
  AddReport(app, commands.report);
  AddPlan(app, commands.plan);
  AddPackage(app, commands.package);
  AddVerify(app, commands.verify);
  AddOperators(app, commands.operators);
  for (CLI::App* sub : app.get_subcommands(nullptr)) TakeOneValueEach(*sub);
  return *planner;
}

}  // namespace tenon
