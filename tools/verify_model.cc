#include "tools/verify_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "compile/link_params.h"
#include "ir/attributes.h"
#include "support/file.h"
#include "support/json_writer.h"
#include "support/nearest_name.h"
#include "support/programs.h"
#include "support/shell_word.h"
#include "support/shown_text.h"
#include "support/status_macros.h"
#include "tenon_verify_text.h"
#include "tools/onnx_options.h"
#include "tools/progress.h"
#include "tools/read_model.h"

namespace tenon {

namespace {

/// The exit code by which the script says that the framework is not installed.
constexpr int kMissing = 3;
/// Integers of 32 and 64 bits are often indices, so that most models take only small ones.
constexpr uint64_t kIndices = 10;

/// The generator splitmix64: the same numbers on every machine.
class RandomBits {
 public:
  explicit RandomBits(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

 private:
  uint64_t state_;
};

/// A float from -1 to 1, any integer of up to 16 bits, or an index.
std::string RandomElement(DataType dtype, RandomBits& random) {
  const uint64_t bits = random.Next();
  if (dtype.is_bool()) return *ParseScalar(dtype, bits % 2 == 0 ? "false" : "true");
  if (dtype.is_floating()) {
    const double real = std::ldexp(static_cast<double>(bits >> 40), -23) - 1;
    return *ParseScalar(dtype, fmt::format("{}", real));
  }
  const auto width = static_cast<size_t>(dtype.element_bytes());
  std::string bytes;
  uint64_t integer = width > 2 ? bits % kIndices : bits;
  for (size_t i = 0; i < width; ++i, integer >>= 8) bytes += static_cast<char>(integer);
  return bytes;
}

std::string RandomValue(const EntryTensor& tensor, RandomBits& random) {
  const DataType dtype = tensor.dtype.element();
  const int64_t elements = tensor.size_bytes / std::max<int64_t>(dtype.element_bytes(), 1);
  std::string value;
  for (int64_t i = 0; i < elements; ++i) value += RandomElement(dtype, random);
  return value;
}

/// Verifies one module.
class Verifier {
 public:
  Verifier(const VerifyCommand& command, const Engine& engine, const VerifiedFile& file,
           const IRModule& module, const GivenInputs& given, Diagnostics& diagnostics)
      : command_(command),
        engine_(engine),
        file_(file),
        module_(module),
        given_(given),
        diagnostics_(diagnostics) {
    // A fused module lacks tensors, and no two of them may share memory.
    if (command.tensors) {
      options_.compile.fuse = options_.compile.narrow = Switch::kOff;
      options_.compile.overlap = Overlap::kOff;
      options_.compile.stream = Streaming::kOff;
    }
    for (const graph::DumpedTensor& tensor : file.dumped) dumped_.emplace(tensor.output, &tensor);
  }

  absl::StatusOr<std::vector<VerifiedTensor>> Run() {
    const std::optional<LinkedModule> linked = LinkModule(module_, options_.compile, diagnostics_);
    if (!linked) return absl::InternalError("");
    std::optional<EntrySignature> signature = ReadEntrySignature(linked->module, diagnostics_);
    if (!signature) return absl::InternalError("");
    signature_ = *std::move(signature);
    states_ = DeclaredStates(*signature_.entry->func);
    TENON_ASSIGN_OR(const TemporaryFolder folder, TemporaryFolder::Create());
    TENON_TRY(PrepareInputs(folder));
    TENON_TRY(RunFramework(folder));
    AddTensors();
    TENON_TRY(RunTenon(linked->module, folder));
    return std::move(tensors_);
  }

 private:
  static std::string FileOf(const TemporaryFolder& folder, std::string_view kind, int64_t run,
                            size_t index) {
    return folder.File(fmt::format("{}_{}_{}.npy", kind, run, index));
  }

  bool IsState(const EntryTensor& tensor) const {
    return std::find(states_.begin(), states_.end(), tensor.name) != states_.end();
  }

  /// The tensor of the file that is an output for --tensors alone; null for others.
  const graph::DumpedTensor* DumpedOf(const EntryTensor& tensor) const {
    const auto found = dumped_.find(tensor.name);
    return found == dumped_.end() ? nullptr : found->second;
  }

  /// Whether the model itself has the tensor as an output.
  bool IsOutput(const graph::DumpedTensor& dumped) const {
    const std::string name = graph::IdentifierOf(std::string_view(dumped.name), "");
    return std::any_of(
        signature_.tensors.begin(), signature_.tensors.end(),
        [&](const EntryTensor& each) { return each.is_output && each.name == name; });
  }

  /// The places of the tensors to compare, in the order in which they are computed: outputs last.
  std::vector<size_t> Compared() const {
    std::vector<size_t> places;
    for (const bool is_output : {false, true}) {
      for (size_t i = 0; i < signature_.tensors.size(); ++i) {
        const EntryTensor& tensor = signature_.tensors[i];
        const graph::DumpedTensor* dumped = DumpedOf(tensor);
        if (!tensor.is_output || IsState(tensor) || (dumped == nullptr) != is_output) continue;
        // The framework does not know parts of an operator, and outputs are compared anyway.
        if (dumped == nullptr || (!dumped->name.empty() && !IsOutput(*dumped))) places.push_back(i);
      }
    }
    return places;
  }

  /// The given values of inputs, by the places of the tensors.
  absl::StatusOr<TensorValues> GivenValues() const {
    TensorValues values(signature_.tensors.size());
    std::vector<std::string> names;
    for (const EntryTensor& tensor : signature_.tensors)
      if (!tensor.is_output) names.push_back(tensor.name);
    for (const auto& given : given_) {
      const std::string& name = given.first;
      const auto& array = given.second;
      const auto found =
          std::find_if(signature_.tensors.begin(), signature_.tensors.end(),
                       [&](const auto& each) { return each.name == name && !each.is_output; });
      if (found == signature_.tensors.end())
        return absl::InvalidArgumentError(
            fmt::format("the model has no input `{}`{}", ShownText(name), DidYouMean(name, names)));
      const std::string wrong = CheckTensorValue(*found, array);
      if (!wrong.empty())
        return absl::InvalidArgumentError(
            fmt::format("value of the input `{}`: {}", ShownText(name), wrong));
      values[static_cast<size_t>(found - signature_.tensors.begin())] = array.bytes;
    }
    return values;
  }

  /// Writes the inputs of all runs, and keeps them.
  absl::Status PrepareInputs(const TemporaryFolder& folder) {
    TENON_ASSIGN_OR(const TensorValues given, GivenValues());
    RandomBits random(static_cast<uint64_t>(command_.seed));
    for (int64_t run = 0; run < command_.count; ++run) {
      TensorValues& values = values_.emplace_back(signature_.tensors.size());
      inputs_ = 0;
      for (size_t i = 0; i < values.size(); ++i) {
        const EntryTensor& tensor = signature_.tensors[i];
        if (tensor.is_output) continue;
        values[i] = given[i].empty() ? RandomValue(tensor, random) : given[i];
        TENON_TRY(WriteNpy(FileOf(folder, "in", run, inputs_++), NpyDtype(tensor.dtype),
                           tensor.shape, values[i]));
      }
    }
    return absl::OkStatus();
  }

  /// The options of an .onnx file, for the script. Arrays become files.
  absl::Status WriteOnnxOptions(const TemporaryFolder& folder, JsonWriter& json) const {
    TENON_ASSIGN_OR(const onnx::ReadOptions options, OnnxReadOptions(command_.module.onnx));
    const auto members = [&](std::string_view key, const auto& map, const auto& value_of) {
      json.Key(key);
      json.BeginObject();
      for (const auto& [name, value] : map) json.Member(name, value_of(value));
      json.EndObject();
    };
    const auto same = [](const auto& value) { return value; };
    members("dims", options.dims, same);
    members("shapes", options.shapes, same);
    members("states", options.states, same);
    const auto list = [&](std::string_view key, const auto& names) {
      json.Member(key, std::vector<std::string>(names.begin(), names.end()));
    };
    list("inputs_with_channels_last", options.inputs_with_channels_last);
    list("outputs_with_channels_last", options.outputs_with_channels_last);
    size_t files = 0;
    absl::Status written;
    members("constants", options.constants, [&](const auto& value) {
      if (const auto* text = std::get_if<std::string>(&value)) return *text;
      const NpyArray& array = std::get<NpyArray>(value);
      std::string file = FileOf(folder, "constant", 0, files++);
      if (written.ok()) written = WriteNpy(file, array.dtype, array.shape, array.bytes);
      return file;
    });
    return written;
  }

  /// The outputs of the framework are in the folder, unless there is an error.
  absl::Status RunFramework(const TemporaryFolder& folder) const {
    std::string request;
    JsonWriter json(request);
    json.BeginObject();
    json.Member("format", file_.kind == FileKind::kOnnx ? "onnx" : "tflite");
    json.Member("model", file_.path);
    json.Member("runs", command_.count);
    json.Member("inputs", inputs_);
    TENON_TRY(WriteOnnxOptions(folder, json));
    json.Key("tensors");
    json.BeginList();
    for (const size_t i : Compared()) {
      const graph::DumpedTensor* tensor = DumpedOf(signature_.tensors[i]);
      if (tensor == nullptr) continue;
      json.BeginObject();
      json.Member("name", tensor->name);
      json.Member("number", tensor->number);
      json.EndObject();
    }
    json.EndList();
    json.EndObject();
    TENON_TRY(WriteFileAtomically(folder.File("request.json"), request));
    const std::string script = folder.File("verify_framework.py");
    TENON_TRY(WriteFileAtomically(script, kVerifyFramework));
    const Progress progress(fmt::format("running {}", FrameworkName(file_.kind)),
                            command_.module.style);
    const std::string words[] = {command_.python, script, folder.path()};
    AnswerLimits limits;
    limits.time = std::chrono::hours(24);
    TENON_ASSIGN_OR(const ProgramAnswer answer, AskProgram(words, "/dev/null", limits));
    if (answer.end == ProgramAnswer::End::kExit && answer.code == 0) return absl::OkStatus();
    if (answer.end == ProgramAnswer::End::kExit && answer.code == kMissing) {
      return absl::NotFoundError(fmt::format(
          "{0} has no {1}: install it with `{0} -m pip install {2}`, or name a Python that has it "
          "with --python=PROGRAM",
          ShellWord(command_.python), FrameworkName(file_.kind),
          file_.kind == FileKind::kOnnx ? "onnxruntime" : "ai-edge-litert"));
    }
    return absl::InternalError(fmt::format("{} could not run {}: {}", FrameworkName(file_.kind),
                                           file_.path, LastLines(answer)));
  }

  static std::string LastLines(const ProgramAnswer& answer) {
    std::string text = answer.messages;
    while (text.ends_with('\n')) text.pop_back();
    if (!text.empty()) return text;
    return fmt::format("{} {}", answer.end == ProgramAnswer::End::kSignal ? "signal" : "exit code",
                       answer.code);
  }

  /// Runs the model, and compares the outputs with those in the folder. An error without a message
  /// is in the diagnostics.
  absl::Status RunTenon(const IRModule& module, const TemporaryFolder& folder) {
    const Progress progress(engine_.progress, command_.module.style);
    options_.cc = command_.cc;
    options_.cflags = command_.cflags;
    const std::unique_ptr<RunnableModel> model =
        engine_.load(module, signature_, options_, diagnostics_);
    if (model == nullptr) return absl::InternalError("");
    for (int64_t run = 0; run < command_.count; ++run) {
      TensorValues& values = values_[static_cast<size_t>(run)];
      for (size_t i = 0; i < values.size(); ++i) {
        const EntryTensor& tensor = signature_.tensors[i];
        if (!IsState(tensor)) continue;
        values[i] = run == 0 ? std::string(static_cast<size_t>(tensor.size_bytes), '\0')
                             : std::move(values_[static_cast<size_t>(run - 1)][i]);
      }
      Runs runs;
      if (!model->Run(values, runs, diagnostics_)) return absl::InternalError("");
      TENON_TRY(CompareRun(run, folder));
    }
    return absl::OkStatus();
  }

  /// A result for each tensor to compare.
  void AddTensors() {
    for (const size_t i : Compared()) {
      VerifiedTensor& added = tensors_.emplace_back();
      added.tensor = signature_.tensors[i];
      const graph::DumpedTensor* const dumped = DumpedOf(added.tensor);
      added.is_output = dumped == nullptr;
      if (dumped != nullptr) added.tensor.name = dumped->name;
    }
  }

  absl::Status CompareRun(int64_t run, const TemporaryFolder& folder) {
    size_t outputs = 0;
    size_t inner = 0;
    auto result = tensors_.begin();
    for (const size_t i : Compared()) {
      VerifiedTensor& tensor = *result++;
      const std::string file = tensor.is_output ? FileOf(folder, "out", run, outputs++)
                                                : FileOf(folder, "tensor", run, inner++);
      // Frameworks lack tensors that they do not compute.
      if (!tensor.is_output && !std::filesystem::exists(file)) continue;
      TENON_ASSIGN_OR(NpyArray expected, ReadNpy(file));
      tensor.is_compared = true;
      const std::string wrong = CheckTensorValue(signature_.tensors[i], expected);
      if (!wrong.empty() && tensor.is_output)
        return absl::InternalError(
            fmt::format("output of {}: {}", FrameworkName(file_.kind), wrong));
      if (!wrong.empty()) tensor.difference = wrong;
      if (wrong.empty())
        Compare(run, values_[static_cast<size_t>(run)][i], std::move(expected.bytes), tensor);
    }
    return absl::OkStatus();
  }

  void Compare(int64_t run, const std::string& got, std::string expected,
               VerifiedTensor& result) const {
    const bool is_first = result.difference.empty();
    const auto exact = CompareTensors(result.tensor, got, expected, nullptr, {0, 0});
    if (exact) {
      result.is_equal = false;
      if (std::isnan(exact->largest) || exact->largest > result.largest)
        result.largest = exact->largest;
      const auto difference =
          CompareTensors(result.tensor, got, expected, nullptr, command_.tolerance);
      if (difference && is_first)
        result.difference = fmt::format(
            "{}{}; {} of {} elements differ",
            command_.count > 1 ? fmt::format("run {}: ", run + 1) : "", difference->text,
            difference->count, result.tensor.size_bytes / result.tensor.dtype.element_bytes());
    }
    if (!command_.keep_values || !is_first) return;
    result.got = got;
    result.expected = std::move(expected);
  }

  const VerifyCommand& command_;
  const Engine& engine_;
  const VerifiedFile& file_;
  const IRModule& module_;
  const GivenInputs& given_;
  Diagnostics& diagnostics_;
  EngineOptions options_;
  /// The tensors of --tensors, by the names of outputs.
  std::map<std::string_view, const graph::DumpedTensor*> dumped_;
  EntrySignature signature_;
  std::vector<std::string_view> states_;
  /// The number of inputs of a run.
  size_t inputs_ = 0;
  /// The values of each run.
  std::vector<TensorValues> values_;
  std::vector<VerifiedTensor> tensors_;
};

}  // namespace

std::string VerifiedTensor::Text() const {
  if (!is_compared) return "not there";
  if (!agrees()) return fmt::format("differs: {}", difference);
  if (is_equal) return "equal";
  return fmt::format("within the tolerance, the largest difference is {:.3g}", largest);
}

std::string_view FrameworkName(FileKind kind) {
  return kind == FileKind::kOnnx ? "onnxruntime" : "LiteRT";
}

absl::StatusOr<FileKind> VerifiedKind(const std::string& path) {
  if (path == "-")
    return absl::InvalidArgumentError(
        "expected a .tflite or .onnx file, found `-`: two programs cannot read standard input");
  TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> file,
                  ReadFile(path, {.regular_only = true}));
  if (IsGraphFile(file->view())) return FileKindOf(file->view());
  return absl::InvalidArgumentError(
      fmt::format("expected a .tflite or .onnx file, found `{}`", EscapeControls(path)));
}

std::string FirstDifference(const std::vector<VerifiedTensor>& tensors) {
  const auto first = std::find_if(tensors.begin(), tensors.end(),
                                  [](const VerifiedTensor& tensor) { return !tensor.agrees(); });
  if (first == tensors.end()) return {};
  return fmt::format("{} `{}`", first->is_output ? "output" : "tensor", first->tensor.name);
}

absl::StatusOr<std::vector<VerifiedTensor>> VerifyModel(
    const VerifyCommand& command, const Engine& engine, const VerifiedFile& file,
    const IRModule& module, const GivenInputs& given, Diagnostics& diagnostics) {
  return Verifier(command, engine, file, module, given, diagnostics).Run();
}

absl::StatusOr<GivenInputs> ReadInputs(const std::vector<std::string>& texts) {
  GivenInputs given;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos)
      return absl::InvalidArgumentError(
          fmt::format("expected the name of an input and a file, such as x=x.npy, for --input, "
                      "found `{}`",
                      ShownText(text)));
    TENON_ASSIGN_OR(given[text.substr(0, equals)], ReadNpy(text.substr(equals + 1)));
  }
  return given;
}

}  // namespace tenon
