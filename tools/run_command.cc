#include "tools/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "compile/externals.h"
#include "compile/link_params.h"
#include "compile/plan.h"
#include "compile/run/engine.h"
#include "compile/run/tensors.h"
#include "ir/attributes.h"
#include "support/ascii.h"
#include "support/npy.h"
#include "support/shown_text.h"
#include "tools/board_options.h"
#include "tools/byoc_options.h"
#include "tools/package_command.h"
#include "tools/progress.h"

namespace tenon {

namespace {

/// A file for each tensor that has one, by the tensor's index.
using FileOf = std::vector<std::string>;

bool IsName(std::string_view text) {
  return !text.empty() && !ascii::IsDigit(text[0]) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return ascii::IsWordCharacter(c) || c == '.'; });
}

/// Runs one command on one module.
class Runner {
 public:
  Runner(const RunCommand& command, const Engine& engine, const IRModule& module,
         const Package* package, Diagnostics& diagnostics)
      : command_(command),
        engine_(engine),
        module_(module),
        package_(package),
        diagnostics_(diagnostics) {}

  int Run() {
    std::optional<LinkedModule> linked = LinkModule(module_, command_.compile, diagnostics_);
    if (!linked) return 1;
    linked_ = *std::move(linked);
    IRModule module = linked_->module;
    std::optional<ByocReport> externals;
    if (!PrepareForEngine(command_, module, externals, diagnostics_)) return 1;
    if (externals && !ShowByocReport(*externals, command_.byoc_report, command_.module.style))
      return 1;
    std::optional<EntrySignature> signature = ReadEntrySignature(module, diagnostics_);
    if (!signature) return 1;
    signature_ = *std::move(signature);
    FileOf inputs, outputs, expected;
    TensorValues values;
    if (!Assign(command_.inputs, "--input", false, inputs) ||
        !Assign(command_.outputs, "--output", true, outputs) ||
        !Assign(command_.expected, "--expect", true, expected) || !AssignDumps(outputs) ||
        !CheckFiles(inputs, outputs, expected) || !ReadInputs(inputs, values)) {
      return 1;
    }
    // The expected values are read first, so that a wrong file does not cost a run.
    TensorValues wanted(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      if (!expected[i].empty() && !ReadTensor(signature_.tensors[i], expected[i], wanted[i]))
        return 1;
    }
    if (command_.each && cases_ == 0) {
      Fail("--each needs a .npy file for an input or an expected output");
      return 1;
    }
    runs_.count = command_.repeat;
    const bool is_split = command_.compile.externals.use == ExternalsUse::kTime;
    runs_.timed = command_.json.has_value() || is_split;
    if (!RunEngine(module, expected, values, wanted)) return 1;
    if (!runs_.external_milliseconds.empty() && !command_.module.style.quiet)
      fmt::print(stderr, "tenon: time: {}\n", ExternalTimesText(runs_));
    if (command_.json &&
        !WriteOutput(*command_.json, RunsJson(runs_, command_.engine, command_.threads)))
      return 1;
    if (!WriteOutputs(outputs, values)) return 1;
    if (!command_.each && !Compare(expected, values, wanted)) return 1;
    SetSummary(values, std::any_of(expected.begin(), expected.end(),
                                   [](const std::string& file) { return !file.empty(); }));
    return 0;
  }

  /// The closing text of the command: the first outputs, and the result of their comparison.
  const std::string& summary() const { return summary_; }

 private:
  void SetSummary(const TensorValues& values, bool compared) {
    constexpr size_t kShown = 3;
    size_t outputs = 0;
    for (size_t i = 0; !command_.each && i < values.size(); ++i) {
      const EntryTensor& tensor = signature_.tensors[i];
      if (!tensor.is_output || ++outputs > kShown) continue;
      summary_ += fmt::format("{}{}", summary_.empty() ? "" : "; ", ValueText(tensor, values[i]));
    }
    if (outputs > kShown) summary_ += fmt::format("; {} more outputs", outputs - kShown);
    if (outputs == 0) summary_ = command_.each ? fmt::format("{} inputs", cases_) : "no outputs";
    if (compared) summary_ += "; as expected";
    if (command_.compile.externals.use == ExternalsUse::kSkip)
      summary_ += "; external functions did nothing, so outputs have no meaning";
    if (command_.repeat > 1) summary_ += fmt::format("; {} runs", command_.repeat);
  }

  /// No output may replace an input: a module, its side files, or a tensor's file.
  bool CheckFiles(const FileOf& inputs, const FileOf& outputs, const FileOf& expected) const {
    const IRModule* const modules[] = {&module_};
    std::vector<std::string> read = InputFilesOf(modules);
    if (package_ != nullptr) {
      read.push_back(command_.module.path);
      for (const PackageFile& file : package_->files) read.push_back(file.bytes->path());
    }
    AddPoolPaths(command_.compile, read);
    std::vector<OptionalPath> written = {command_.json};
    for (const FileOf* files : {&inputs, &expected}) {
      for (const std::string& file : *files) {
        if (!file.empty()) read.push_back(file);
      }
    }
    for (const std::string& file : outputs) {
      if (!file.empty()) written.emplace_back(file);
    }
    return CheckOutputs(read, written, command_.module.style);
  }

  bool RunEngine(const IRModule& module, const FileOf& expected, TensorValues& values,
                 const TensorValues& wanted) {
    Progress progress(engine_.progress, command_.module.style);
    EngineOptions options = EngineOptionsOf(command_);
    options.on_externals = [&](const ByocReport& report) {
      is_shown_ = ShowByocReport(report, command_.byoc_report, command_.module.style);
    };
    options.on_compared = [&](const std::string& text) {
      if (!command_.module.style.quiet)
        fmt::print(stderr, "tenon: externals: {}\n", EscapeControls(text));
    };
    options.package = package_;
    const std::unique_ptr<RunnableModel> model =
        engine_.load(module, signature_, options, diagnostics_);
    if (model == nullptr || !is_shown_) return false;
    return command_.each ? RunEach(*model, expected, values, wanted, progress)
                         : model->Run(values, runs_, diagnostics_);
  }

  /// The value of a tensor for one index of the first axis, or all of `all` if it has no such axis.
  std::string ValueFor(int64_t index, const EntryTensor& tensor, const std::string& all) const {
    const auto size = static_cast<size_t>(tensor.size_bytes);
    if (all.size() != size * static_cast<size_t>(cases_)) return all;
    return all.substr(static_cast<size_t>(index) * size, size);
  }

  /// Runs the model for each index of the files' first axis, and stops after the first one with an
  /// unexpected output. `values` receive the outputs of all.
  bool RunEach(RunnableModel& model, const FileOf& expected, TensorValues& values,
               const TensorValues& wanted, Progress& progress) {
    TensorValues all(values.size());
    for (int64_t index = 0; index < cases_; ++index) {
      progress.Say(fmt::format("running: input {} of {}", index + 1, cases_));
      TensorValues one, wanted_one;
      for (size_t i = 0; i < values.size(); ++i) {
        one.push_back(ValueFor(index, signature_.tensors[i], values[i]));
        wanted_one.push_back(ValueFor(index, signature_.tensors[i], wanted[i]));
      }
      if (!model.Run(one, runs_, diagnostics_)) return false;
      if (!Compare(expected, one, wanted_one, fmt::format("input {}: ", index))) return false;
      for (size_t i = 0; i < values.size(); ++i)
        if (signature_.tensors[i].is_output) all[i] += one[i];
    }
    values = std::move(all);
    return true;
  }

  /// Gives each argument its tensor: by name, else the next tensor of its kind that has no file
  /// yet.
  bool Assign(const std::vector<std::string>& arguments, std::string_view flag, bool outputs,
              FileOf& files) const {
    files.resize(signature_.tensors.size());
    size_t next = 0;
    for (const std::string& argument : arguments) {
      const size_t equals = argument.find('=');
      const std::string_view name =
          std::string_view(argument).substr(0, equals == std::string::npos ? 0 : equals);
      size_t index = files.size();
      if (IsName(name)) {
        for (size_t i = 0; i < files.size(); ++i) {
          if (signature_.tensors[i].name == name) index = i;
        }
        if (index == files.size()) {
          Fail(fmt::format("{} {}: the entry function has no tensor `{}`; it has {}", flag,
                           argument, name, Names(std::nullopt)));
          return false;
        }
        if (signature_.tensors[index].is_output != outputs && !IsState(name)) {
          Fail(fmt::format("{} {}: `{}` is an {}; the {}s are {}", flag, argument, name,
                           outputs ? "input" : "output", outputs ? "output" : "input",
                           Names(outputs)));
          return false;
        }
      } else {
        while (next < files.size() &&
               (signature_.tensors[next].is_output != outputs || !files[next].empty())) {
          ++next;
        }
        if (next == files.size()) {
          Fail(fmt::format("{} {}: more files than {}s; the entry function has {}", flag, argument,
                           outputs ? "output" : "input", Names(outputs)));
          return false;
        }
        index = next;
      }
      if (!files[index].empty()) {
        Fail(fmt::format("{} {}: `{}` already has a file", flag, argument,
                         signature_.tensors[index].name));
        return false;
      }
      files[index] = IsName(name) ? argument.substr(equals + 1) : argument;
    }
    return true;
  }

  /// Gives each tensor that is an output for --dump-tensors alone its file.
  bool AssignDumps(FileOf& files) const {
    if (command_.dump_tensors.empty()) return true;
    bool has_dumps = false;
    for (size_t i = 0; i < files.size(); ++i) {
      std::string_view name = signature_.tensors[i].name;
      if (!name.starts_with(graph::kDumpedTensor)) continue;
      has_dumps = true;
      name.remove_prefix(graph::kDumpedTensor.size());
      std::string file(name);
      std::replace(file.begin(), file.end(), '_', '.');
      files[i] = (std::filesystem::path(command_.dump_tensors) / (file + ".npy")).string();
    }
    if (!has_dumps) {
      Fail("--dump-tensors needs a .tflite or .onnx file with operators");
      return false;
    }
    std::error_code error;
    std::filesystem::create_directories(command_.dump_tensors, error);
    if (error) Fail(fmt::format("{}: {}", command_.dump_tensors, error.message()));
    return !error;
  }

  std::string Names(std::optional<bool> outputs) const {
    std::string names;
    for (const EntryTensor& tensor : signature_.tensors) {
      if (outputs && tensor.is_output != *outputs) continue;
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", tensor.name);
    }
    return names.empty() ? "none" : names;
  }

  /// Whether a run reads the output's value of the run before.
  bool IsState(std::string_view name) const {
    const std::vector<std::string_view> states = DeclaredStates(*signature_.entry->func);
    return std::find(states.begin(), states.end(), name) != states.end();
  }

  bool ReadInputs(const FileOf& files, TensorValues& values) {
    for (size_t i = 0; i < files.size(); ++i) {
      const EntryTensor& tensor = signature_.tensors[i];
      std::string& value = values.emplace_back();
      if (!files[i].empty()) {
        if (!ReadTensor(tensor, files[i], value)) return false;
      } else if (const Constant* constant = linked_->Find(tensor.name)) {
        const std::span<const uint8_t> bytes = *constant->Bytes();
        value.assign(bytes.begin(), bytes.end());
      } else if (tensor.is_output) {
        if (IsState(tensor.name)) value.assign(static_cast<size_t>(tensor.size_bytes), '\0');
      } else {
        Fail(fmt::format("input `{}` has no value; give it with --input {}={}", tensor.name,
                         tensor.name, tensor.is_scalar ? "NUMBER" : "FILE.npy"));
        return false;
      }
    }
    return true;
  }

  /// Takes the number of inputs of --each from an array, which has it as its first extent. The
  /// array gets the shape of one. Returns an error message, or nothing.
  std::string TakeCases(NpyArray& array) {
    if (array.shape.empty() || array.shape[0] == 0)
      return "expected one more axis in front, for --each";
    const int64_t cases = array.shape[0];
    if (cases_ != 0 && cases != cases_)
      return fmt::format("expected {} along the first axis, as in the files before, found {}",
                         cases_, cases);
    cases_ = cases;
    array.shape.erase(array.shape.begin());
    return {};
  }

  bool ReadTensor(const EntryTensor& tensor, const std::string& file, std::string& value) {
    if (tensor.is_scalar) {
      if (std::optional<std::string> number = ParseScalar(tensor.dtype, file)) {
        value = *std::move(number);
        return true;
      }
      if (!file.ends_with(".npy") && !file.ends_with(".npz") && file != "-") {
        Fail(fmt::format("expected a number of dtype {1} or a .npy file for `{2}`, found `{0}`",
                         file, tensor.dtype.ToString(), tensor.name));
        return false;
      }
    }
    absl::StatusOr<NpyArray> array = ReadNpy(file);
    if (!array.ok()) {
      Fail(std::string(array.status().message()));
      return false;
    }
    std::string wrong = command_.each ? TakeCases(*array) : "";
    if (wrong.empty() && command_.each) {
      const NpyArray first = {
          array->dtype, array->shape,
          array->bytes.substr(0, array->bytes.size() / static_cast<size_t>(cases_))};
      wrong = CheckTensorValue(tensor, first);
    } else if (wrong.empty()) {
      wrong = CheckTensorValue(tensor, *array);
    }
    if (!wrong.empty()) {
      Fail(fmt::format("{}: {}", file, wrong));
      return false;
    }
    value = std::move(array->bytes);
    return true;
  }

  bool WriteOutputs(const FileOf& files, const TensorValues& values) const {
    for (size_t i = 0; i < files.size(); ++i) {
      if (files[i].empty()) continue;
      const EntryTensor& tensor = signature_.tensors[i];
      std::vector<int64_t> shape(tensor.shape.begin(), tensor.shape.end());
      if (command_.each) shape.insert(shape.begin(), cases_);
      const absl::Status written = WriteNpy(files[i], NpyDtype(tensor.dtype), shape, values[i]);
      if (!written.ok()) {
        Fail(std::string(written.message()));
        return false;
      }
    }
    return true;
  }

  bool Compare(const FileOf& files, const TensorValues& values, const TensorValues& wanted,
               std::string_view where = "") const {
    bool same = true;
    for (size_t i = 0; i < files.size(); ++i) {
      if (files[i].empty()) continue;
      const EntryTensor& tensor = signature_.tensors[i];
      const auto difference = CompareTensors(tensor, values[i], wanted[i]);
      if (!difference) continue;
      same = false;
      const int64_t bytes = tensor.dtype.element_bytes();
      Fail(fmt::format("{}output `{}` differs from {}: {}; {} of {} elements differ", where,
                       tensor.name, files[i], difference->text, difference->count,
                       bytes == 0 ? 0 : tensor.size_bytes / bytes));
    }
    return same;
  }

  const RunCommand& command_;
  const Engine& engine_;
  const IRModule& module_;
  /// Null for a module that is not a package's.
  const Package* package_;
  Diagnostics& diagnostics_;
  std::optional<LinkedModule> linked_;
  EntrySignature signature_;
  Runs runs_;
  /// The extent of the files' first axis with --each; 0 before a file is read.
  int64_t cases_ = 0;
  /// True if the report on operators could be written.
  bool is_shown_ = true;
  std::string summary_;
};

}  // namespace

EngineOptions EngineOptionsOf(const RunCommand& command) {
  EngineOptions options;
  options.compile = command.compile;
  options.cc = command.cc;
  options.cflags = command.cflags;
  options.allowed_externs = command.allowed_externs;
  options.threads = command.threads;
  options.max_steps = command.max_steps;
  return options;
}

bool PrepareForEngine(const RunCommand& command, IRModule& module,
                      std::optional<ByocReport>& externals, Diagnostics& diagnostics) {
  if (command.engine != "interp") return true;
  if (!command.compile.externals.targets.empty()) {
    CompileOptions options = command.compile;
    options.externals.use = ExternalsUse::kBody;
    std::optional<ExternalModule> external = MakeExternals(module, options, "default", diagnostics);
    if (!external) return false;
    module = external->partitioned;
    externals = std::move(external->report);
  } else {
    WarnOfUnaskedGenerators(module, command.compile, diagnostics);
  }
  if (!command.plan) return true;
  const std::optional<PlannedModule> planned =
      PlanModule(module, command.compile, PlanTarget(), diagnostics);
  if (planned) module = planned->converted;
  return planned.has_value();
}

int Run(const RunCommand& asked, const Engine& engine) {
  RunCommand command = asked;
  if (!command.dump_tensors.empty()) {
    command.module.tflite.all_tensors = true;
    command.compile.fuse = command.compile.narrow = Switch::kOff;
    command.compile.overlap = Overlap::kOff;
    command.compile.stream = Streaming::kOff;
  }
  const bool is_timed = command.json || command.compile.externals.use == ExternalsUse::kTime;
  if (is_timed && command.repeat > kMostTimedRuns)
    return Fail(fmt::format("--json and --externals=time keep the times of at most {} runs",
                            kMostTimedRuns));
  const ClosingLine closing(command.module.style);
  std::string summary;
  const auto run = [&](const IRModule& module, const Package* package, Diagnostics& diagnostics) {
    Runner runner(command, engine, module, package, diagnostics);
    const int result = runner.Run();
    summary = runner.summary();
    return result;
  };
  const int code =
      command.is_package
          ? WithPackage(
                command.module, command.engine != "interp",
                [&](const Package& package, const IRModule& module, Diagnostics& diagnostics) {
                  return run(module, &package, diagnostics);
                })
          : WithModule(command.module, [&](const IRModule& module, Diagnostics& diagnostics) {
              return run(module, nullptr, diagnostics);
            });
  if (code == 0) closing.Show(summary);
  return code;
}

}  // namespace tenon
