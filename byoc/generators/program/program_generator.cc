// Starts a process for each request, or one for all requests if the program keeps running, without
// a shell. Facts that do not depend on operators are requested once and cached, because compilers
// need them many times.

#include "byoc/generators/program/program_generator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "byoc/generators/operator_updater.h"
#include "byoc/generators/program/answer.h"
#include "byoc/generators/program/request.h"
#include "support/ascii.h"
#include "support/file.h"
#include "support/json_writer.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

/// The facts of a generator that do not depend on operators.
struct Description {
  int64_t min_macs = 0;
  int64_t min_operator_macs = 0;
  ConstantsAs constants = ConstantsAs::kArguments;
  bool packs = false;
};

/// The failure of a program, for a message; empty after success.
std::string Failure(const ProgramAnswer& answer, const AnswerLimits& limits) {
  switch (answer.end) {
    case ProgramAnswer::End::kSignal:
      return fmt::format("was ended by signal {} ({})", answer.code, strsignal(answer.code));
    case ProgramAnswer::End::kTimeOut:
      return fmt::format(
          "did not answer within {} s, and was stopped; --generator-timeout sets "
          "the limit",
          static_cast<double>(limits.time.count()) / 1000);
    case ProgramAnswer::End::kTooLong:
      return fmt::format(
          "wrote more than {} bytes to stdout, and was stopped; write large files to the folder of "
          "the request",
          limits.answer_bytes);
    case ProgramAnswer::End::kStays:
    case ProgramAnswer::End::kExit:
      break;
  }
  return answer.code == 0 ? std::string()
                          : fmt::format("ended with exit code {}, expected 0", answer.code);
}

/// Adds the last lines that a program wrote to stderr, as notes.
void AddMessages(Diagnostic& diagnostic, std::string_view messages) {
  constexpr size_t kMostLines = 12;
  std::vector<std::string_view> lines;
  while (!messages.empty()) {
    const size_t end = std::min(messages.find('\n'), messages.size());
    if (end > 0) lines.push_back(messages.substr(0, end));
    messages.remove_prefix(std::min(end + 1, messages.size()));
  }
  const size_t first = lines.size() > kMostLines ? lines.size() - kMostLines : 0;
  for (size_t i = first; i < lines.size(); ++i)
    Diagnostics::AddNote(diagnostic, {}, fmt::format("stderr: {}", EscapeControls(lines[i])));
}

class Program : public CodeGenerator {
 public:
  Program(GeneratorProgram program, std::shared_ptr<const AnswerLimits> limits,
          std::shared_ptr<const std::string> record)
      : program_(std::move(program)), limits_(std::move(limits)), record_(std::move(record)) {}

  std::string_view name() const override { return program_.name; }

  Support Supports(const OpInfo& op, const GeneratorTarget& target) const override {
    Context context;
    Diagnostics diagnostics;
    const SupportQuestion question = {&op, {}};
    const auto answers = SupportsAll({&question, 1}, target, context, diagnostics);
    return answers ? answers->front() : Support::No("its program failed");
  }

  std::optional<std::vector<Support>> SupportsAll(std::span<const SupportQuestion> questions,
                                                  const GeneratorTarget& target, Context& context,
                                                  Diagnostics& diagnostics) const override {
    const SourceRange place = questions.empty() ? SourceRange() : questions.front().range;
    const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Create();
    if (!folder.ok()) return Fail(place, folder.status(), diagnostics);
    const SourceFile* text = Ask("supports", SupportsRequest(questions, target, context), *folder,
                                 place, context, diagnostics);
    if (text == nullptr) return std::nullopt;
    Diagnostics own;
    std::optional<SupportsAnswer> answer = ReadSupportsAnswer(*text, questions.size(), own);
    AppendWithPlace(own, place, diagnostics);
    if (!answer) return std::nullopt;
    const std::lock_guard lock(mutex_);
    described_.insert_or_assign(
        target.name,
        Description{answer->min_macs, answer->min_operator_macs, answer->constants, answer->packs});
    return std::move(answer->operators);
  }

  Support AcceptsRegion(const Region& region, const GeneratorTarget& target) const override {
    const Description description = DescriptionOf(target);
    if (region.macs() < target.min_macs.value_or(description.min_macs))
      return Support::No("below min-macs");
    const auto operators = static_cast<int64_t>(region.ops.size());
    if (target.min_macs || operators == 0 ||
        region.macs() / operators >= description.min_operator_macs)
      return Support::Yes();
    return Support::No("below min-operator-macs");
  }

  ConstantsAs constants(const GeneratorTarget& target) const override {
    return DescriptionOf(target).constants;
  }

  const ConstantUpdater* updater(const GeneratorTarget& target) const override {
    if (!DescriptionOf(target).packs) return nullptr;
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const ConstantUpdater>& found =
        updaters_[fmt::format("{} {}", target.name, target.host.ToString())];
    if (found == nullptr) found = std::make_unique<Updater>(*this, target);
    return found.get();
  }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget& target,
                                        Diagnostics& diagnostics) const override {
    if (functions.empty()) return GeneratedCode();
    Context& context = *functions[0].context;
    const SourceRange place = functions[0].function.func->range;
    const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Create();
    if (!folder.ok()) return Fail(place, folder.status(), diagnostics);
    const absl::StatusOr<std::string> request = GenerateRequest(functions, target, folder->path());
    if (!request.ok()) return Fail(place, request.status(), diagnostics);
    const SourceFile* text = Ask("generate", *request, *folder, place, context, diagnostics);
    if (text == nullptr) return std::nullopt;
    Diagnostics own;
    std::optional<GeneratedCode> code =
        ReadGenerateAnswer(context, *text, program_.name, folder->path(), own);
    AppendWithPlace(own, place, diagnostics);
    return code;
  }

 private:
  /// Asks the program for the layout of constants.
  class Updater : public OperatorUpdater {
   public:
    Updater(const Program& program, GeneratorTarget target)
        : program_(program), target_(std::move(target)) {}
    std::string_view name() const override { return program_.name(); }
    std::optional<ConstantUpdate> UpdateIn(const IRModule& module, const Function& function,
                                           std::span<const FunctionConstant>,
                                           Diagnostics& diagnostics) const override {
      return program_.Pack(ReadExternalFunction(module, function), target_, diagnostics);
    }

   private:
    const Program& program_;
    const GeneratorTarget target_;
  };

  std::optional<ConstantUpdate> Pack(const ExternalFunction& external,
                                     const GeneratorTarget& target,
                                     Diagnostics& diagnostics) const {
    ConstantUpdate update;
    if (external.constants.empty() || !external.ops) return update;
    const SourceRange place = external.function.func->range;
    const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Create();
    if (!folder.ok()) return Fail(place, folder.status(), diagnostics);
    const absl::StatusOr<std::string> request = PackRequest(external, target, folder->path());
    if (!request.ok()) return Fail(place, request.status(), diagnostics);
    const SourceFile* text = Ask("pack", *request, *folder, place, *external.context, diagnostics);
    if (text == nullptr) return std::nullopt;
    Diagnostics own;
    std::optional<std::vector<UpdatedConstant>> packed =
        ReadPackAnswer(*text, external.constants, folder->path(), own);
    AppendWithPlace(own, place, diagnostics);
    if (!packed) return std::nullopt;
    for (UpdatedConstant& constant : *packed) {
      constant.name = fmt::format("{}_{}_packed", external.function.name.view(),
                                  external.constants[*constant.replaces].variable);
      update.constants.push_back(std::move(constant));
    }
    return update;
  }

  std::nullopt_t Fail(SourceRange place, const absl::Status& status,
                      Diagnostics& diagnostics) const {
    Diagnostic& error =
        diagnostics.Error(DiagnosticKind::kGeneratorFailed, place,
                          fmt::format("the code generator `{}` cannot be asked: {}", program_.name,
                                      std::string(status.message())));
    if (absl::IsNotFound(status) && !program_.if_missing.empty())
      Diagnostics::AddNote(error, {}, program_.if_missing);
    return std::nullopt;
  }

  /// Sends a request to the program. Null after an error, which is reported at `place`.
  const SourceFile* Ask(std::string_view action, const std::string& request,
                        const TemporaryFolder& folder, SourceRange place, Context& context,
                        Diagnostics& diagnostics) const {
    const absl::StatusOr<std::string> record = Record(action, request, folder);
    if (!record.ok()) return Fail(place, record.status(), diagnostics), nullptr;
    std::optional<std::string> answer;
    if (program_.answer) {
      absl::StatusOr<std::string> given = program_.answer(request, folder.path());
      if (!given.ok()) return Fail(place, given.status(), diagnostics), nullptr;
      answer = *std::move(given);
    } else {
      answer = AskOtherProcess(request, folder, place, diagnostics);
    }
    if (!answer) return nullptr;
    if (!record->empty()) {
      const absl::Status written = WriteFileAtomically(*record + "/answer.json", *answer);
      if (!written.ok()) return Fail(place, written, diagnostics), nullptr;
    }
    const absl::StatusOr<const SourceFile*> file =
        context.sources().Add(fmt::format("<answer of {}>", program_.name), *answer, nullptr);
    if (!file.ok()) return Fail(place, file.status(), diagnostics), nullptr;
    return *file;
  }

  /// Copies a request and its files to a new folder of the record; returns the folder, or nothing
  /// without a record.
  absl::StatusOr<std::string> Record(std::string_view action, const std::string& request,
                                     const TemporaryFolder& folder) const {
    if (record_ == nullptr || record_->empty()) return std::string();
    const std::string own = fmt::format("{}/{}-{}-{}", *record_, program_.name, ++asked_, action);
    std::error_code error;
    std::filesystem::remove_all(own, error);
    std::filesystem::create_directories(own, error);
    std::filesystem::copy(folder.path(), own, error);
    if (error)
      return absl::FailedPreconditionError(
          fmt::format("cannot write `{}`: {}", own, error.message()));
    const absl::Status written = WriteFileAtomically(own + "/request.json", request);
    if (!written.ok()) return written;
    return own;
  }

  std::optional<std::string> AskOtherProcess(const std::string& request,
                                             const TemporaryFolder& folder, SourceRange place,
                                             Diagnostics& diagnostics) const {
    absl::StatusOr<ProgramAnswer> answer = AskProcess(request, folder);
    if (!answer.ok()) return Fail(place, answer.status(), diagnostics);
    const std::string failure = Failure(*answer, *limits_);
    if (failure.empty()) return std::move(answer->answer);
    Diagnostic& error = diagnostics.Error(
        DiagnosticKind::kGeneratorFailed, place,
        fmt::format("the program `{}` of the code generator `{}` {}",
                    EscapeControls(fmt::format("{}", fmt::join(program_.words, " "))),
                    program_.name, failure));
    AddMessages(error, answer->messages);
    return std::nullopt;
  }

  /// Sends the request to the program that is still running, or starts it.
  absl::StatusOr<ProgramAnswer> AskProcess(const std::string& request,
                                           const TemporaryFolder& folder) const {
    const std::lock_guard lock(process_mutex_);
    if (process_ == nullptr) {
      absl::StatusOr<std::unique_ptr<StayingProgram>> made =
          StayingProgram::Create(IsAnswerThatStays);
      if (made.ok()) process_ = *std::move(made);
    }
    if (process_ != nullptr && process_->is_alive()) {
      std::string line;
      JsonWriter json(line);
      json.BeginObject(JsonLayout::kInline);
      json.Member("folder", folder.path());
      json.EndObject();
      // Strings in JSON contain no line ends.
      line.pop_back();
      line += ", \"request\": " + request + "}";
      std::replace(line.begin(), line.end(), '\n', ' ');
      return process_->Ask(line, *limits_);
    }
    const std::string input = folder.File("request.json");
    const absl::Status written = WriteFileAtomically(input, request);
    if (!written.ok()) return written;
    std::vector<std::string> words = program_.words;
    words.push_back(folder.path());
    // If the system has no FIFO, a process is started for each request.
    return process_ == nullptr ? AskProgram(words, input, *limits_)
                               : process_->Start(words, input, *limits_);
  }

  /// Adds the diagnostics of an answer; errors name the question.
  void AppendWithPlace(const Diagnostics& own, SourceRange place, Diagnostics& diagnostics) const {
    for (const Diagnostic& each : own.all()) {
      Diagnostic& copy = each.severity == Severity::kError
                             ? diagnostics.Error(each.kind, each.range, each.message)
                             : diagnostics.Warning(each.kind, each.range, each.message);
      copy.notes = each.notes;
      if (each.severity == Severity::kError)
        Diagnostics::AddNote(
            copy, place,
            fmt::format("the code generator `{}` was asked about this", program_.name));
    }
  }

  /// Queries the program, unless an answer about the target is known.
  Description DescriptionOf(const GeneratorTarget& target) const {
    {
      const std::lock_guard lock(mutex_);
      const auto found = described_.find(target.name);
      if (found != described_.end()) return found->second;
    }
    Context context;
    Diagnostics ignored;  // a program that fails will fail again when code is wanted
    SupportsAll({}, target, context, ignored);
    const std::lock_guard lock(mutex_);
    return described_.try_emplace(target.name).first->second;
  }

  const GeneratorProgram program_;
  const std::shared_ptr<const AnswerLimits> limits_;
  const std::shared_ptr<const std::string> record_;
  /// The number of the last request.
  mutable std::atomic<int> asked_ = 0;
  /// One request at a time.
  mutable std::mutex process_mutex_;
  mutable std::unique_ptr<StayingProgram> process_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Description> described_;
  mutable std::map<std::string, std::unique_ptr<const ConstantUpdater>> updaters_;
};

}  // namespace

absl::StatusOr<GeneratorProgram> ParseGeneratorProgram(std::string_view text) {
  const size_t equals = text.find('=');
  GeneratorProgram program;
  program.name = std::string(text.substr(0, equals));
  const bool is_name =
      !program.name.empty() && std::all_of(program.name.begin(), program.name.end(), [](char c) {
        return ascii::IsWordCharacter(c) || c == '-' || c == '.';
      });
  if (equals != std::string_view::npos) program.words = SplitBlanks(text.substr(equals + 1));
  if (is_name && !program.words.empty()) return program;
  return absl::InvalidArgumentError(
      fmt::format("expected NAME=PROGRAM, such as npu=./my-npu, with a name of letters, digits and "
                  "`._-`; found `{}`",
                  ShownText(text)));
}

std::unique_ptr<const CodeGenerator> ProgramGenerator(GeneratorProgram program,
                                                      std::shared_ptr<const AnswerLimits> limits,
                                                      std::shared_ptr<const std::string> record) {
  return std::make_unique<Program>(std::move(program), std::move(limits), std::move(record));
}

}  // namespace tenon
