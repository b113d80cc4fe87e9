#include "tools/opt_lib.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "interp/interpreter_evaluator.h"
#include "ir/dialect.h"
#include "ir/input_files.h"
#include "ir/structural.h"
#include "ir/verifier.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "printer/sidecar.h"
#include "printer/sink.h"
#include "support/file.h"
#include "support/file_kind.h"
#include "support/file_places.h"
#include "support/shown_text.h"
#include "tools/bisect.h"
#include "tools/crash_reproducer.h"
#include "tools/diagnostic_log.h"
#include "tools/dump_options.h"
#include "tools/expected_diagnostics.h"
#include "tools/progress.h"
#include "tools/read_model.h"
#include "tools/read_text.h"

namespace tenon {

namespace {

/// Whether the options print versions of the module between passes.
bool PrintsBetween(const RunOptions& run) {
  return run.print_before_all || run.print_after_all || run.print_after_change ||
         !run.print_before.empty() || !run.print_after.empty();
}

/// The line that separates the modules of one file.
constexpr std::string_view kSplitMarker = "# -----";

/// A piece of the input: the text, and the line on which it starts.
struct Piece {
  std::string_view text;
  size_t first_line;
};

std::vector<Piece> SplitInput(std::string_view text) {
  std::vector<Piece> pieces;
  size_t piece_begin = 0;
  size_t piece_line = 1;
  size_t line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t newline = std::min(text.find('\n', begin), text.size());
    if (text.substr(begin, newline - begin) == kSplitMarker) {
      pieces.push_back({text.substr(piece_begin, begin - piece_begin), piece_line});
      piece_begin = std::min(newline + 1, text.size());
      piece_line = line + 1;
    }
    begin = newline + 1;
  }
  pieces.push_back({text.substr(piece_begin), piece_line});
  return pieces;
}

/// The result of one piece.
struct Outcome {
  bool ok = false;
  std::string text;
};

class Opt {
 public:
  explicit Opt(const OptOptions& options) : options_(options) {}

  int Run() {
    if (const absl::Status status = CheckOutputs({options_.input, options_.compare}); !status.ok())
      return Fail(std::string(status.message()));
    const absl::StatusOr<std::shared_ptr<const FileBytes>> file = ReadModelFile(options_.input);
    if (!file.ok()) return Fail(std::string(file.status().message()));
    const std::string_view text = (*file)->view();
    const CrashReproducer reproducer(options_.program, options_.arguments, options_.input, text);
    if (!options_.split_input_file) return RunWhole(*file);
    bool ok = true;
    std::string out;
    for (const Piece& piece : SplitInput(text)) {
      if (!out.empty()) out += fmt::format("{}\n", kSplitMarker);
      // Blank lines in front keep the line numbers of the file.
      std::string padded(piece.first_line - 1, '\n');
      padded += piece.text;
      const Outcome outcome = RunPiece(padded, nullptr);
      ok &= outcome.ok;
      out += outcome.text;
      if (!outcome.text.empty()) out += '\n';
    }
    return Finish(ok, out);
  }

 private:
  int Fail(const std::string& message) const {
    fmt::print(stderr, "{}: error: {}\n", options_.program, EscapeControlsOfLines(message));
    return 1;
  }

  std::string SidecarPath() const { return options_.output + ".safetensors"; }

  /// No output may replace an input: the module, its side files, or the module of --compare.
  absl::Status CheckOutputs(const std::vector<std::string>& inputs) const {
    std::vector<std::string> outputs;
    if (!options_.verify_diagnostics) outputs.push_back(options_.output);
    if (options_.print.constants == ConstantsMode::kSidecar && options_.output != "-")
      outputs.push_back(SidecarPath());
    const std::shared_ptr<DiagnosticLog>& log = options_.style.log;
    if (log != nullptr && log->file()) outputs.push_back(*log->file());
    absl::Status status = CheckOutputPaths(inputs, outputs);
    if (!status.ok() && log != nullptr) log->GiveUp();
    return status;
  }

  /// CheckOutputs of the files that a module was read from; false after an error.
  bool KeepsInputs(const IRModule& module, Diagnostics& diagnostics) const {
    const absl::Status status = CheckOutputs(InputFiles(module));
    if (status.ok()) return true;
    diagnostics.Error(DiagnosticKind::kArguments, {}, std::string(status.message()));
    return false;
  }

  int RunWhole(const std::shared_ptr<const FileBytes>& file) {
    const std::string_view text = file->view();
    streams_ = options_.compare.empty() && !options_.verify_diagnostics &&
               !options_.print_symbols && options_.bisect.empty();
    // The text ends as its source did: with a line end or without.
    ends_line_ = text.ends_with('\n') || IsGraphFile(text);
    const Outcome outcome = RunPiece(text, file);
    if (!streams_) return Finish(outcome.ok, outcome.text);
    if (!written_.ok()) return Fail(std::string(written_.message()));
    return outcome.ok ? 0 : 1;
  }

  int Finish(bool ok, const std::string& text) {
    if (options_.verify_diagnostics) return ok ? 0 : 1;
    if (!ok && !options_.split_input_file && !options_.print_symbols) return 1;
    const absl::Status written = WriteFileAtomically(options_.output, text);
    if (!written.ok()) return Fail(std::string(written.message()));
    return ok ? 0 : 1;
  }

  Outcome RunPiece(std::string_view text, std::shared_ptr<const FileBytes> owner) {
    Context context;
    Diagnostics diagnostics;
    Outcome outcome;
    outcome.text = Process(context, text, std::move(owner), diagnostics);
    if (options_.verify_diagnostics) {
      std::vector<std::string> problems;
      const std::vector<ExpectedDiagnostic> expected = FindExpected(text, problems);
      for (std::string& line :
           CompareExpected(context.sources(), diagnostics, expected, InputName())) {
        problems.push_back(std::move(line));
      }
      for (const std::string& problem : problems) fmt::print(stderr, "{}\n", problem);
      outcome.ok = problems.empty();
      return outcome;
    }
    ShowDiagnostics(context.sources(), diagnostics, options_.style);
    outcome.ok = !diagnostics.has_errors();
    if (!outcome.ok && !options_.print_symbols) outcome.text.clear();
    return outcome;
  }

  std::string InputName() const { return options_.input == "-" ? "<stdin>" : options_.input; }

  std::string Process(Context& context, std::string_view text,
                      std::shared_ptr<const FileBytes> owner, Diagnostics& diagnostics) {
    const std::optional<Pipeline> pipeline =
        ParsePipeline(context, options_.pipeline, options_.passes, diagnostics);
    ReadModelOptions read;
    ParseOptions& parse = read.parse;
    parse.allow_truncated_constants = options_.allow_truncated_constants;
    parse.allow_unknown_ops = options_.allow_unknown_ops;
    read.tflite = options_.tflite;
    read.onnx = options_.onnx;
    parse.constants_from = options_.constants_from;
    parse.base_dir = std::filesystem::path(options_.input).parent_path().string();
    if (options_.print_symbols) {
      return Symbols(context, text, std::move(owner), parse, diagnostics);
    }
    std::optional<Progress> progress;
    // Versions of the module that are printed meanwhile must stay readable.
    if (!PrintsBetween(options_.run)) progress.emplace("reading", options_.style);
    std::optional<IRModule> module =
        ReadModel(context, InputName(), text, std::move(owner), read, diagnostics);
    if (!module || !pipeline || !KeepsInputs(*module, diagnostics)) return {};
    if (options_.run.verify_each && !VerifyModule(*module, diagnostics)) return {};
    if (!CheckSideFiles(*module, diagnostics)) return {};
    if (options_.verify_roundtrip && !CheckRoundtrip(context, *module, parse, diagnostics))
      return {};
    RunOptions run = options_.run;
    const InterpreterEvaluator evaluator;
    run.evaluator = &evaluator;
    run.starting = [&](std::string_view pass) {
      if (progress) progress->Say(pass);
    };
    if (!options_.bisect.empty()) return Bisect(*module, *pipeline, std::move(run), diagnostics);
    RunReport report;
    if (!pipeline->empty()) module = RunPipeline(*module, *pipeline, run, diagnostics, &report);
    progress.reset();
    if (options_.timing) fmt::print(stderr, "{}", TimingTable(report));
    if (module) WarnOfUnprinted(options_.run, report, diagnostics);
    if (!module || options_.verify_diagnostics) return {};
    if (!options_.compare.empty()) return Compare(context, *module, parse, diagnostics);
    return Print(*module, diagnostics);
  }

  /// --bisect: the answer as text.
  std::string Bisect(const IRModule& module, const Pipeline& pipeline, RunOptions run,
                     Diagnostics& diagnostics) {
    std::vector<BisectStep> steps = {{"", module}};
    run.changed = [&](std::string_view pass, const IRModule& result) {
      steps.push_back({std::string(pass), result});
    };
    if (!RunPipeline(module, pipeline, run, diagnostics)) return {};
    absl::StatusOr<std::string> answer = BisectPasses(steps, options_.bisect);
    if (answer.ok()) return *std::move(answer);
    diagnostics.Error(DiagnosticKind::kPass, {}, std::string(answer.status().message()));
    return {};
  }

  /// A line for each name that the text defines: its place, its kind, and the places of its uses.
  std::string Symbols(Context& context, std::string_view text,
                      std::shared_ptr<const FileBytes> owner, const ParseOptions& parse,
                      Diagnostics& diagnostics) const {
    if (IsGraphFile(text)) {
      diagnostics.Error(DiagnosticKind::kArguments, {},
                        "expected a text for --print-symbols, found a .tflite or .onnx file");
      return {};
    }
    ParsedModule parsed = ParseText(context, InputName(), text, std::move(owner), parse);
    const auto place = [&](SourceRange range) {
      const SourcePlace at = context.sources().Locate(range.begin);
      return fmt::format("{}:{}", at.line, at.column);
    };
    std::string out;
    for (const TextSymbol& symbol : parsed.symbols) {
      if (!out.empty()) out += '\n';
      out += fmt::format("{} {} {}", place(symbol.definition), SymbolKindText(symbol.kind),
                         symbol.name);
      for (const SourceRange& use : symbol.uses) {
        out += fmt::format("{} {}", &use == symbol.uses.data() ? ":" : "", place(use));
      }
    }
    diagnostics.Append(std::move(parsed.diagnostics));
    return out;
  }

  /// Reads the side files, unless no later step will: a constant whose bytes do not match its hash
  /// would be printed as an empty list.
  bool CheckSideFiles(const IRModule& module, Diagnostics& diagnostics) const {
    const ConstantsMode mode = options_.print.constants;
    if (mode == ConstantsMode::kElide || mode == ConstantsMode::kKeep) return true;
    bool ok = true;
    for (const Constant* constant : module.constants) {
      if (!constant->source().hash_claimed || constant->has_bytes()) continue;
      diagnostics.Error(DiagnosticKind::kConstantFile, constant->range(),
                        std::string(constant->Bytes().status().message()));
      ok = false;
    }
    return ok;
  }

  /// Returns the text, or nothing if it is streamed. With --constants=sidecar, writes the side file
  /// next to it.
  std::string Print(const IRModule& result, Diagnostics& diagnostics) {
    const std::optional<Dialect> dialect = DialectOf(options_.dialect);
    const IRModule module = dialect ? InDialect(result, *dialect) : result;
    PrintOptions print = options_.print;
    if (options_.output != "-") {
      print.text_folder = std::filesystem::path(options_.output).parent_path().string();
    }
    if (print.constants == ConstantsMode::kSidecar) {
      const std::string path = SidecarPath();
      print.sidecar_name = std::filesystem::path(path).filename().string();
      const bool streamed = options_.output == "-" && CountSidecarConstants(module, print) > 0;
      const absl::Status written =
          streamed
              ? absl::InvalidArgumentError("--constants=sidecar needs a file to write: -o FILE")
              : WriteSidecar(module, print, path);
      if (!written.ok()) {
        diagnostics.Error(DiagnosticKind::kConstantFile, {}, std::string(written.message()));
        return {};
      }
    }
    if (!streams_) return PrintModule(module, print);
    if (!diagnostics.has_errors()) written_ = Stream(module, print);
    return {};
  }

  /// Writes the text while it is made, so that it is never in memory as a whole.
  absl::Status Stream(const IRModule& module, const PrintOptions& print) {
    absl::StatusOr<OutputFile> file = OutputFile::Create(options_.output);
    if (!file.ok()) return file.status();
    const auto append = [](void* out, std::string_view chunk) {
      (void)static_cast<OutputFile*>(out)->Append(chunk);  // Commit reports the error
    };
    Sink sink(append, &*file);
    PrintModule(module, print, sink);
    if (ends_line_) (void)file->Append("\n");
    return file->Commit();
  }

  /// Reads the other module. Returns "equal", or an error with the first difference.
  std::string Compare(Context& context, const IRModule& module, ParseOptions parse,
                      Diagnostics& diagnostics) {
    const absl::StatusOr<std::shared_ptr<const FileBytes>> file =
        ReadTextFile(options_.compare, ReaderKind::kModules);
    if (!file.ok()) {
      diagnostics.Error(DiagnosticKind::kCompare, {}, std::string(file.status().message()));
      return {};
    }
    parse.base_dir = std::filesystem::path(options_.compare).parent_path().string();
    const std::optional<IRModule> other =
        ParseModule(context, options_.compare, (*file)->view(), *file, parse, diagnostics);
    if (!other || !KeepsInputs(*other, diagnostics)) return {};
    Difference difference;
    if (StructuralEqual(module, *other, &difference)) return "equal\n";
    Diagnostic& error = diagnostics.Error(
        DiagnosticKind::kCompare, difference.a,
        fmt::format("the modules differ at `{}`: the result has this", difference.path));
    Diagnostics::AddNote(error, difference.b, "the other module has this");
    return {};
  }

  /// Prints the module, parses that, and compares.
  static bool CheckRoundtrip(Context& context, const IRModule& module, const ParseOptions& parse,
                             Diagnostics& diagnostics) {
    const std::string printed = PrintModule(module);
    const std::optional<IRModule> again =
        ParseModule(context, "<printed>", printed, nullptr, parse, diagnostics);
    if (!again) return false;
    Difference difference;
    if (!StructuralEqual(module, *again, &difference)) {
      Diagnostic& error = diagnostics.Error(
          DiagnosticKind::kCompare, difference.a,
          fmt::format("the printed module differs when read again, at `{}`", difference.path));
      Diagnostics::AddNote(error, difference.b, "it was read back as this");
      return false;
    }
    if (PrintModule(*again) != printed) {
      diagnostics.Error(DiagnosticKind::kCompare, {},
                        "the printed module prints as another text when read again");
      return false;
    }
    return true;
  }

  const OptOptions& options_;
  bool streams_ = false;  ///< the text goes to the output file as it is printed
  bool ends_line_ = false;
  absl::Status written_;  ///< the result of streaming
};

}  // namespace

int RunOpt(const OptOptions& options) { return Opt(options).Run(); }

}  // namespace tenon
