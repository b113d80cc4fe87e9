// The host computes the tensors of the same fused and narrowed module as the code of the device:
// the pass debug-tensors, which makes that code call a function with each tensor, makes them
// outputs here.

#include "tools/device_dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "compile/compiler.h"
#include "compile/link_params.h"
#include "compile/plan.h"
#include "ir/analysis/entry_steps.h"
#include "lowering/c/c_backend.h"
#include "passes/memory/debug_tensors.h"
#include "support/file.h"
#include "support/shown_text.h"
#include "support/status_macros.h"
#include "tools/verify_model.h"

namespace tenon {

namespace {

/// Reads a number from `text` up to a blank, or to the end, and removes both.
std::optional<int64_t> TakeNumber(std::string_view& text) {
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  const auto used = static_cast<size_t>(stop - text.data());
  if (used < text.size() && text[used] != ' ') return std::nullopt;
  text.remove_prefix(std::min(used + 1, text.size()));
  return number;
}

/// Appends the bytes of hexadecimal digits; false for another text.
bool AppendHex(std::string_view digits, std::string& bytes) {
  if (digits.size() % 2 != 0) return false;
  for (size_t i = 0; i < digits.size(); i += 2) {
    unsigned value = 0;
    const auto [stop, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    if (error != std::errc() || stop != digits.data() + i + 2) return false;
    bytes += static_cast<char>(value);
  }
  return true;
}

class DumpParser {
 public:
  absl::StatusOr<DeviceDump> Parse(std::string_view text) {
    for (; !text.empty(); ++line_) {
      const size_t end = std::min(text.find('\n'), text.size());
      std::string_view one = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      while (!one.empty() && (one.back() == '\r' || one.back() == ' ')) one.remove_suffix(1);
      TENON_TRY(Line(one));
    }
    if (!IsComplete()) return Error("the end of the text");
    if (dump_.tensors.empty()) {
      return absl::InvalidArgumentError(
          "expected lines `tensor NUMBER NAME BYTES` and `data HEX`, which the code of "
          "--debug-tensors writes; found none");
    }
    return std::move(dump_);
  }

 private:
  bool IsComplete() const {
    return dump_.tensors.empty() ||
           static_cast<int64_t>(dump_.tensors.back().bytes.size()) == wanted_;
  }
  absl::Status Error(std::string_view found) const {
    if (!IsComplete()) {
      return absl::InvalidArgumentError(
          fmt::format("line {}: expected a line `data HEX`, since the tensor `{}` has {} of {} "
                      "bytes; found {}",
                      line_, ShownText(dump_.tensors.back().name),
                      dump_.tensors.back().bytes.size(), wanted_, found));
    }
    return absl::InvalidArgumentError(
        fmt::format("line {}: expected `tensor NUMBER NAME BYTES`, found {}", line_, found));
  }

  absl::Status Line(std::string_view one) {
    constexpr std::string_view kModel = "model ";
    constexpr std::string_view kTensor = "tensor ";
    constexpr std::string_view kData = "data ";
    const std::string shown = fmt::format("`{}`", ShownText(one.substr(0, 60)));
    if (one.starts_with(kModel)) {
      dump_.model_hash = one.substr(kModel.size());
    } else if (one.starts_with(kTensor)) {
      if (!IsComplete()) return Error(shown);
      return Head(one.substr(kTensor.size()), shown);
    } else if (one.starts_with(kData)) {
      if (dump_.tensors.empty()) return Error(shown);
      std::string& bytes = dump_.tensors.back().bytes;
      if (!AppendHex(one.substr(kData.size()), bytes) ||
          static_cast<int64_t>(bytes.size()) > wanted_)
        return absl::InvalidArgumentError(
            fmt::format("line {}: expected an even number of hexadecimal digits, for at most {} "
                        "bytes of the tensor, found {}",
                        line_, wanted_, shown));
    }
    return absl::OkStatus();
  }

  absl::Status Head(std::string_view one, const std::string& shown) {
    const std::optional<int64_t> number = TakeNumber(one);
    const size_t blank = one.rfind(' ');
    if (!number || blank == std::string_view::npos || blank == 0) return Error(shown);
    std::string_view rest = one.substr(blank + 1);
    const std::optional<int64_t> bytes = TakeNumber(rest);
    if (!bytes || !rest.empty()) return Error(shown);
    if (*number == 0 && !dump_.tensors.empty() && dump_.tensors.back().number > 0)
      return absl::InvalidArgumentError(
          fmt::format("line {}: expected the tensors of one run, found the inputs of another: keep "
                      "the lines of the run that you want to compare",
                      line_));
    wanted_ = *bytes;
    dump_.tensors.push_back({*number, std::string(one.substr(0, blank)), {}});
    return absl::OkStatus();
  }

  DeviceDump dump_;
  /// The bytes of the last tensor.
  int64_t wanted_ = 0;
  int64_t line_ = 1;
};

absl::StatusOr<DeviceDump> ReadFolder(const std::filesystem::path& folder) {
  DeviceDump dump;
  /// The first other file.
  std::string other;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    constexpr std::string_view kSuffix = ".bin";
    const size_t line = file.find('_');
    std::string_view digits = std::string_view(file).substr(0, line);
    const std::optional<int64_t> number = TakeNumber(digits);
    if (!file.ends_with(kSuffix) || line == std::string::npos || !number || !digits.empty()) {
      if (other.empty() || file < other) other = file;
      continue;
    }
    TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> bytes,
                    ReadFile(entry.path().string(), {.regular_only = true}));
    dump.tensors.push_back({*number, file.substr(line + 1, file.size() - line - 1 - kSuffix.size()),
                            std::string(bytes->view())});
  }
  if (error) return absl::NotFoundError(fmt::format("{}: {}", folder.string(), error.message()));
  if (dump.tensors.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: expected files `NUMBER_NAME.bin`, one for each tensor that the code of "
        "--debug-tensors "
        "wrote, such as `1_conv.bin`; found {}",
        folder.string(), other.empty() ? "no file" : fmt::format("`{}`", ShownText(other))));
  }
  std::sort(dump.tensors.begin(), dump.tensors.end(),
            [](const DumpedBytes& a, const DumpedBytes& b) {
              return std::tie(a.number, a.name) < std::tie(b.number, b.name);
            });
  return dump;
}

/// Compares a dump with a run of one module.
class DumpVerifier {
 public:
  DumpVerifier(const VerifyCommand& command, const DeviceDump& dump, Diagnostics& diagnostics)
      : command_(command), dump_(dump), diagnostics_(diagnostics) {}

  /// An error without a message is in the diagnostics.
  absl::Status Run(const IRModule& module) {
    CompileOptions options = command_.compile;
    // Tensors have the same values wherever they are.
    options.map_inputs = options.map_outputs = options.keep_inputs = false;
    const absl::StatusOr<PlanTarget> target = PlanTargetOf(CBackend(), options);
    if (!target.ok()) return target.status();
    const std::optional<LinkedModule> linked = LinkModule(module, options, diagnostics_);
    if (!linked) return absl::InternalError("");
    const std::optional<PreparedModule> prepared =
        PrepareModule(linked->module, options, *target, diagnostics_);
    if (!prepared) return absl::InternalError("");
    if (prepared->as_given)
      return absl::InvalidArgumentError("the module is already planned: expected the model itself");
    ReadNames(prepared->module);
    const IRModule shown = WithDebugOutputs(prepared->module);
    std::optional<EntrySignature> signature = ReadEntrySignature(shown, diagnostics_);
    if (!signature) return absl::InternalError("");
    signature_ = *std::move(signature);
    TENON_TRY(SetInputs());
    const std::unique_ptr<RunnableModel> model =
        InterpreterEngine().load(shown, signature_, {}, diagnostics_);
    Runs runs;
    if (model == nullptr || !model->Run(values_, runs, diagnostics_))
      return absl::InternalError("");
    return Compare();
  }

  /// Says whose tensors the dump lacks; empty: it is complete.
  std::string Missing() const {
    std::vector<std::string> names;
    for (const std::string& name : missing_) names.push_back(fmt::format("`{}`", ShownText(name)));
    if (names.empty()) return "";
    constexpr size_t kMost = 4;
    const size_t shown = std::min(names.size(), kMost);
    const std::string rest =
        names.size() > kMost ? fmt::format(" and {} more", names.size() - kMost) : "";
    names.resize(shown);
    return fmt::format("the dump lacks tensors of {}{}", fmt::join(names, ", "), rest);
  }
  const std::string& text() const { return text_; }
  const std::string& first() const { return first_; }
  size_t compared() const { return compared_; }

 private:
  /// The names of operators by number.
  void ReadNames(const IRModule& module) {
    for (const EntryStep& step : EntrySteps(module, *module.Main()))
      operators_.push_back(step.name.empty() ? "loops" : step.name);
  }

  std::string OperatorName(int64_t number) const {
    const auto index = static_cast<size_t>(number - 1);
    return index < operators_.size() ? operators_[index] : "unknown";
  }

  absl::StatusOr<size_t> Find(const std::string& name, std::string_view what) const {
    for (size_t i = 0; i < signature_.tensors.size(); ++i) {
      if (signature_.tensors[i].name == name) return i;
    }
    return absl::NotFoundError(fmt::format(
        "{}: the dump has {}, which the model does not have here; expected the options of `tenon "
        "compile` that shaped the code: the header of the code names them",
        command_.device_dump, what));
  }

  absl::Status SetInputs() {
    values_.resize(signature_.tensors.size());
    TENON_ASSIGN_OR(const GivenInputs given, ReadInputs(command_.inputs));
    for (const DumpedBytes& tensor : dump_.tensors) {
      if (tensor.number != 0) continue;
      TENON_ASSIGN_OR(const size_t place,
                      Find(tensor.name, fmt::format("an input `{}`", ShownText(tensor.name))));
      TENON_TRY(CheckSize(tensor, signature_.tensors[place]));
      const auto wanted = given.find(tensor.name);
      if (wanted != given.end() && wanted->second.bytes != tensor.bytes)
        return absl::InvalidArgumentError(
            fmt::format("the device ran on another value of the input `{}` than --input names",
                        ShownText(tensor.name)));
      values_[place] = tensor.bytes;
    }
    for (size_t i = 0; i < signature_.tensors.size(); ++i) {
      const EntryTensor& tensor = signature_.tensors[i];
      if (tensor.is_output || !values_[i].empty()) continue;
      const auto wanted = given.find(tensor.name);
      if (wanted == given.end() ||
          static_cast<int64_t>(wanted->second.bytes.size()) != tensor.size_bytes)
        return absl::InvalidArgumentError(
            fmt::format("expected {} bytes of the input `{}` in the dump or from --input {}=FILE",
                        tensor.size_bytes, ShownText(tensor.name), ShownText(tensor.name)));
      values_[i] = wanted->second.bytes;
    }
    return absl::OkStatus();
  }

  absl::Status CheckSize(const DumpedBytes& got, const EntryTensor& expected) const {
    if (static_cast<int64_t>(got.bytes.size()) == expected.size_bytes) return absl::OkStatus();
    return absl::InvalidArgumentError(fmt::format(
        "{}: expected {} bytes of the tensor `{}`, found {}; the header of the code names the "
        "options of `tenon compile` that shaped it",
        command_.device_dump, expected.size_bytes, ShownText(got.name), got.bytes.size()));
  }

  /// Notes the operators whose tensors the module writes and the dump lacks.
  void FindMissing() {
    for (const EntryTensor& tensor : signature_.tensors) {
      std::string_view rest = tensor.name;
      constexpr std::string_view kDebug = "debug_";
      if (!tensor.is_output || !rest.starts_with(kDebug)) continue;
      rest.remove_prefix(kDebug.size());
      int64_t number = 0;
      const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (error != std::errc() || stop == rest.data() + rest.size() || *stop != '_') continue;
      const std::string_view name = rest.substr(static_cast<size_t>(stop - rest.data()) + 1);
      const bool is_there = std::ranges::any_of(dump_.tensors, [&](const DumpedBytes& got) {
        return got.number == number && got.name == name;
      });
      if (!is_there) missing_.push_back(fmt::format("{}. {}", number, OperatorName(number)));
    }
  }

  absl::Status Compare() {
    FindMissing();
    for (const DumpedBytes& got : dump_.tensors) {
      if (got.number == 0) continue;
      const std::string name = OperatorName(got.number);
      TENON_ASSIGN_OR(const size_t place, Find(DebugOutputName(got.number, got.name),
                                               fmt::format("a tensor `{}` of operator {}",
                                                           ShownText(got.name), got.number)));
      EntryTensor tensor = signature_.tensors[place];
      TENON_TRY(CheckSize(got, tensor));
      tensor.name = got.name;
      const auto difference =
          CompareTensors(tensor, got.bytes, values_[place], nullptr, command_.tolerance);
      ++compared_;
      text_ += fmt::format("{}. {}: {}: ", got.number, name, ValueText(tensor, ""));
      if (!difference) {
        text_ += "equal\n";
        continue;
      }
      text_ += fmt::format("differs: {}; {} of {} elements differ\n", difference->text,
                           difference->count, tensor.size_bytes / tensor.dtype.element_bytes());
      if (first_.empty())
        first_ = fmt::format("operator {}, `{}`, is the first that differs: its tensor `{}`",
                             got.number, ShownText(name), ShownText(got.name));
    }
    if (compared_ == 0)
      return absl::InvalidArgumentError(fmt::format(
          "{}: expected lines `tensor NUMBER NAME BYTES`, or files NUMBER_NAME.bin in a folder; "
          "compile with --debug-tensors",
          command_.device_dump));
    return absl::OkStatus();
  }

  const VerifyCommand& command_;
  const DeviceDump& dump_;
  Diagnostics& diagnostics_;
  std::vector<std::string> operators_;
  EntrySignature signature_;
  TensorValues values_;
  std::string text_;
  std::string first_;
  std::vector<std::string> missing_;
  size_t compared_ = 0;
};

}  // namespace

absl::StatusOr<DeviceDump> ParseDeviceDump(std::string_view text) {
  return DumpParser().Parse(text);
}

absl::StatusOr<DeviceDump> ReadDeviceDump(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return ReadFolder(path);
  TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> file, ReadFile(path));
  absl::StatusOr<DeviceDump> dump = ParseDeviceDump(file->view());
  if (dump.ok()) return dump;
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", path, std::string(dump.status().message())));
}

int VerifyDeviceDump(const VerifyCommand& given) {
  const absl::StatusOr<DeviceDump> dump = ReadDeviceDump(given.device_dump);
  if (!dump.ok()) return Fail(std::string(dump.status().message()));
  const ClosingLine closing(given.module.style);
  VerifyCommand command = given;
  std::vector<ModelOrigin> origins;
  command.module.origins = &origins;
  std::string summary;
  const int code =
      WithModule(command.module, [&](const IRModule& module, Diagnostics& diagnostics) {
        const std::string& hash = origins.at(0).hash;
        if (!dump->model_hash.empty() && dump->model_hash != hash)
          return Fail(fmt::format("expected the model of the image, {}, found {} with {}",
                                  ShownText(dump->model_hash), ShownText(origins[0].file), hash));
        DumpVerifier verifier(command, *dump, diagnostics);
        const absl::Status done = verifier.Run(module);
        if (!done.ok()) return done.message().empty() ? 1 : Fail(std::string(done.message()));
        if (!WriteOutput("-", EscapeControlsOfLines(verifier.text()))) return 1;
        const std::string missing = verifier.Missing();
        if (!verifier.first().empty())
          return Fail(missing.empty() ? verifier.first()
                                      : fmt::format("{}; {}", verifier.first(), missing));
        if (!missing.empty())
          return Fail(fmt::format("{}: {}", ShownText(command.device_dump), missing));
        summary = fmt::format("{} tensor{} of the device as on the host", verifier.compared(),
                              verifier.compared() == 1 ? "" : "s");
        return 0;
      });
  if (code == 0) closing.Show(summary);
  return code;
}

}  // namespace tenon
