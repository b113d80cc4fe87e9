// Answers come from other programs, so all of them are checked before the module changes:
// functions, versions, files, effects and memory. Then calls are rewritten, once for all targets.

#include "byoc/generate_externals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "byoc/answered_calls.h"
#include "byoc/call_flow.h"
#include "byoc/check_generated_tir.h"
#include "byoc/external_checks.h"
#include "byoc/generator_version.h"
#include "byoc/payload_code.h"
#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/external_code.h"
#include "ir/function_interface.h"
#include "ir/memory_pools.h"
#include "ir/structural.h"
#include "lowering/symbol_names.h"
#include "passes/constants/constant_entries.h"
#include "support/check.h"
#include "support/checked.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

/// Bytes of the memory that parameter `index` points to; -1 if their number is not constant.
int64_t BytesOfParam(const PrimFunc& function, size_t index) {
  const Buffer* buffer = function.buffers[index];
  return buffer == nullptr ? -1 : StaticBytes(buffer->dtype, buffer->shape).value_or(-1);
}

/// The most bytes of scratch memory or of a state. It is more than the memory of any machine, and
/// the sum of many such sizes is below the limit of a pool.
constexpr int64_t kMostCodeMemory = int64_t{1} << 48;

/// The operators of a function: its callees, or the function itself if it has a claim.
std::optional<std::vector<OpCall>> OpsOf(const IRModule& module, const Function& function) {
  std::optional<std::vector<OpCall>> ops = ReadExternalFunction(module, function).ops;
  if (ops && !ops->empty()) return ops;
  const std::optional<OpInfo> claim = ReadOpInfo(function);
  if (!claim || !claim->known()) return std::nullopt;
  OpCall self;
  self.op = {function.name.view(), &function, *claim};
  for (size_t i = 0; i < function.func->params.size(); ++i) {
    self.args.push_back(
        {OpArgument::Kind::kParameter, static_cast<int>(i), 0, function.func->params[i]});
  }
  return std::vector<OpCall>{std::move(self)};
}

/// Calls the generators, and checks their answers.
class Asker {
 public:
  Asker(const IRModule& module, const GenerateExternalsOptions& options, Diagnostics& diagnostics,
        std::string* failed)
      : module_(module),
        options_(options),
        diagnostics_(diagnostics),
        failed_(failed),
        effects_(module),
        program_(module) {}

  std::optional<ExternalProgram> Run() {
    const std::vector<std::string> targets = Targets();
    if (!targets.empty()) CheckClaims(module_, diagnostics_);
    if (diagnostics_.error_count() != errors_) return std::nullopt;
    for (const std::string& target : targets) {
      if (Ask(target)) continue;
      if (failed_ != nullptr) *failed_ = target;
      return std::nullopt;
    }
    if (!PlaceStates()) return std::nullopt;
    Rewrite();
    return std::move(program_);
  }

 private:
  /// The targets of functions, in the order of the options, then of the module. Regions of a
  /// failing target go to a later target, which has not been called yet.
  std::vector<std::string> Targets() {
    std::vector<std::string> targets;
    for (const Function& function : module_.functions()) {
      const std::string_view* target = AsString(function.FindAttr(attr_key::kCompiler));
      const bool is_region = target != nullptr && IsExternalRegion(module_, function);
      if (!is_region && ReadExternalCode(function)) {
        Fail(DiagnosticKind::kGeneratorFailed, function.func->range,
             fmt::format("`{}` has `tenon.external`, but no code generator; expected the attribute "
                         "`Compiler`, and a body of calls of operators",
                         function.name.view()));
      }
      if (!is_region) continue;
      if (options_.generators->Find(*target) == nullptr) {
        // If the user named no targets, `Compiler` may be meant for other programs.
        if (options_.targets.empty() && !ReadExternalCode(function)) continue;
        diagnostics_.Error(
            DiagnosticKind::kUnknownTarget, function.func->range,
            fmt::format(
                "`{}` is for the target `{}`, which no code generator has; expected one of {}",
                function.name.view(), *target, options_.generators->ToString()));
        continue;
      }
      if (std::find(targets.begin(), targets.end(), *target) == targets.end())
        targets.emplace_back(*target);
    }
    const auto place = [&](const std::string& name) {
      return std::find_if(options_.targets.begin(), options_.targets.end(),
                          [&](const GeneratorTarget& target) { return target.name == name; });
    };
    std::stable_sort(
        targets.begin(), targets.end(),
        [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
    return targets;
  }

  GeneratorTarget TargetNamed(const std::string& name) const {
    for (const GeneratorTarget& target : options_.targets) {
      if (target.name == name) return target;
    }
    GeneratorTarget target(name);
    target.may_reassociate = options_.may_reassociate;
    target.inexact = options_.inexact;
    target.vectors = options_.vectors;
    return target;
  }

  bool Fail(DiagnosticKind kind, SourceRange range, std::string message) {
    diagnostics_.Error(kind, range, std::move(message));
    return false;
  }

  bool Ask(const std::string& target) {
    std::vector<ExternalFunction> functions;
    for (const Function& function : module_.functions()) {
      const std::string_view* compiler = AsString(function.FindAttr(attr_key::kCompiler));
      if (compiler == nullptr || *compiler != target || !IsExternalRegion(module_, function))
        continue;
      const std::optional<ExternalCode> known = ReadExternalCode(function);
      ExternalFunction& external = functions.emplace_back(ReadExternalFunction(
          module_, known ? WithoutMemory(module_.context(), function, *known) : function));
      if (!external.ops || external.ops->empty()) external.ops = OpsOf(module_, function);
      external.constant_params = ConstantParams(module_, external.function);
    }
    const CodeGenerator* generator = options_.generators->Find(target);
    TENON_CHECK(generator != nullptr && !functions.empty());
    std::vector<Function> about = AskedAbout(functions);
    if (const GeneratorAnswer* known = KnownAnswer(target, about))
      return Take(target, functions, known->code);
    const size_t errors = diagnostics_.error_count();
    std::optional<GeneratedCode> code =
        generator->Generate(functions, TargetNamed(target), diagnostics_);
    if (diagnostics_.error_count() != errors) return false;
    if (!code) {
      return Fail(
          DiagnosticKind::kGeneratorFailed, functions[0].function.func->range,
          fmt::format("the code generator of `{}` made no code and gave no reason", target));
    }
    if (options_.answers != nullptr) options_.answers->push_back({target, std::move(about), *code});
    return Take(target, functions, *std::move(code));
  }

  /// The functions that an answer depends on.
  static std::vector<Function> AskedAbout(const std::vector<ExternalFunction>& functions) {
    std::vector<Function> about;
    for (const ExternalFunction& external : functions) {
      about.push_back(external.function);
      if (!external.ops) continue;
      for (const OpCall& call : *external.ops) {
        if (call.op.function != nullptr) about.push_back(*call.op.function);
      }
    }
    return about;
  }

  const GeneratorAnswer* KnownAnswer(std::string_view target,
                                     const std::vector<Function>& about) const {
    if (options_.answers == nullptr) return nullptr;
    for (const GeneratorAnswer& answer : *options_.answers) {
      const bool is_same = std::equal(
          about.begin(), about.end(), answer.functions.begin(), answer.functions.end(),
          [](const Function& a, const Function& b) {
            return a.name == b.name && (a.func == b.func || StructuralEqual(a.func, b.func));
          });
      if (answer.target == target && is_same) return &answer;
    }
    return nullptr;
  }

  bool Take(const std::string& target, const std::vector<ExternalFunction>& functions,
            GeneratedCode code) {
    for (const ExternalFunction& external : functions) {
      const Function& function = external.function;
      const GeneratedFunction* found = nullptr;
      for (const GeneratedFunction& made : code.functions) {
        if (made.symbol != SymbolOf(function)) continue;
        if (found != nullptr)
          return Fail(DiagnosticKind::kDuplicateSymbol, function.func->range,
                      fmt::format("the code generator of `{}` answers twice for `{}`", target,
                                  made.symbol));
        found = &made;
      }
      if (found == nullptr) {
        return Fail(DiagnosticKind::kGeneratorFailed, function.func->range,
                    fmt::format("the code generator of `{}` has no answer for `{}`{}", target,
                                SymbolOf(function), OthersOf(functions, code)));
      }
      if (!TakeFunction(target, function, *found)) return false;
    }
    if (code.functions.size() != functions.size()) {
      return Fail(DiagnosticKind::kGeneratorFailed, functions[0].function.func->range,
                  fmt::format("the code generator of `{}` has more answers than it was asked for{}",
                              target, OthersOf(functions, code)));
    }
    JoinLinkNeeds(program_.files.link, code.link);
    return TakeVersion(target, functions[0].function, code.version) &&
           TakeChecks(target, functions[0].function, code) &&
           TakePayloads(target, functions, code) &&
           TakeTir(target, functions, std::move(code.tir)) && TakeFiles(target, code);
  }

  /// A description of the answers to no request; empty without one.
  static std::string OthersOf(const std::vector<ExternalFunction>& functions,
                              const GeneratedCode& code) {
    std::vector<std::string> others;
    for (const GeneratedFunction& made : code.functions) {
      const bool is_asked = std::any_of(functions.begin(), functions.end(), [&](const auto& each) {
        return SymbolOf(each.function) == made.symbol;
      });
      if (!is_asked) others.push_back(fmt::format("`{}`", ShownText(made.symbol)));
    }
    if (others.empty()) return {};
    return fmt::format("; it answers about {}, which the request does not have",
                       fmt::join(others, ", "));
  }

  bool TakeVersion(const std::string& target, const Function& first, const std::string& version) {
    if (version.empty()) return true;
    if (!IsGeneratorVersion(version)) {
      return Fail(
          DiagnosticKind::kGeneratorFailed, first.func->range,
          fmt::format("the code generator of `{}` says that its version is `{}`, expected 1 "
                      "to 64 letters, digits and `._+-`",
                      target, ShownText(version)));
    }
    program_.files.versions.emplace_back(target, version);
    return true;
  }

  /// Adds the code of functions that payloads compute.
  bool TakePayloads(const std::string& target, const std::vector<ExternalFunction>& functions,
                    GeneratedCode& code) {
    absl::flat_hash_map<std::string, const Constant*> constants;
    for (const Payload& payload : code.payloads) {
      std::string problem = PayloadProblem(module_, payload);
      if (problem.empty() && !payload_names_.insert(payload.name).second)
        problem = "another payload has that name";
      if (!problem.empty()) {
        return Fail(DiagnosticKind::kGeneratorFailed, functions[0].function.func->range,
                    fmt::format("the code generator of `{}` makes a payload `{}` that cannot be "
                                "used: {}",
                                target, payload.name, problem));
      }
      constants[payload.name] = PayloadConstant(module_.context(), payload);
    }
    for (const GeneratedFunction& made : code.functions) {
      if (made.payload.empty()) continue;
      const auto named = [&](const Payload& payload) { return payload.name == made.payload; };
      const auto payload = std::find_if(code.payloads.begin(), code.payloads.end(), named);
      const auto external = std::find_if(
          functions.begin(), functions.end(),
          [&](const ExternalFunction& each) { return SymbolOf(each.function) == made.symbol; });
      const Function& function = external->function;
      const std::string problem = payload == code.payloads.end()
                                      ? fmt::format("the answer has no payload `{}`", made.payload)
                                      : PayloadProblem(function);
      if (!problem.empty()) {
        return Fail(DiagnosticKind::kGeneratorFailed, function.func->range,
                    fmt::format("the code generator of `{}` says that a payload computes `{}`: {}",
                                target, made.symbol, problem));
      }
      const ExternalCode& facts = answered_.at(function.name).code;
      PayloadCode own =
          MakePayloadCode(module_.context(), WithMemoryParams(module_.context(), function, facts),
                          facts, *payload, constants.at(payload->name));
      code.tir.push_back(std::move(own.tir));
      for (EmittedFile& file : own.files) code.sources.push_back(std::move(file));
    }
    return true;
  }

  /// Adds the C code of checks to the sources, and their calls to the entry's initialisation.
  bool TakeChecks(const std::string& target, const Function& first, GeneratedCode& code) {
    if (code.checks.empty()) return true;
    std::string problem;
    std::optional<ExternalChecks> checks =
        MakeExternalChecks(code.checks, SymbolOf(first), problem);
    if (!checks) {
      return Fail(DiagnosticKind::kGeneratorFailed, first.func->range,
                  fmt::format("the code generator of `{}` asks for a check that Tenon cannot make: "
                              "{}",
                              target, problem));
    }
    if (module_.Main() == nullptr) {
      return Fail(DiagnosticKind::kGeneratorFailed, first.func->range,
                  fmt::format("the code generator of `{}` asks for checks, but the module has no "
                              "entry function to make them",
                              target));
    }
    for (std::string& symbol : checks->symbols) inits_.push_back({std::move(symbol), 0, 0});
    for (EmittedFile& file : checks->files) code.sources.push_back(std::move(file));
    std::vector<std::string>& checked = program_.files.checks;
    checked.insert(checked.end(), code.checks.begin(), code.checks.end());
    return true;
  }

  bool TakeFunction(const std::string& target, const Function& function,
                    const GeneratedFunction& made) {
    const auto fail = [&](std::string message) {
      return Fail(
          DiagnosticKind::kGeneratorFailed, function.func->range,
          fmt::format("the code generator of `{}` says of `{}` {}", target, made.symbol, message));
    };
    for (const auto& [member, bytes] : {std::pair("workspace_bytes", made.workspace_bytes),
                                        std::pair("state_bytes", made.state_bytes)}) {
      if (bytes >= 0 && bytes <= kMostCodeMemory) continue;
      return fail(
          fmt::format("that its `{}` is {}, expected 0 to {}", member, bytes, kMostCodeMemory));
    }
    if (!IsPowerOfTwo(made.workspace_alignment) || made.workspace_alignment > kMostPoolAlignment)
      return fail(
          fmt::format("that its scratch memory has the alignment {}, expected a power of "
                      "two up to 2^28",
                      made.workspace_alignment));
    if (!made.fini_symbol.empty() && made.init_symbol.empty())
      return fail("that it has a `fini_symbol`, expected an `init_symbol` as well");
    for (const std::string& name : {made.symbol, made.init_symbol, made.fini_symbol}) {
      if (!name.empty() && SanitizeName(name) != name)
        return fail(fmt::format("that its name is `{}`, expected an identifier of C", name));
    }
    const bool is_taken = !symbols_.insert(made.symbol).second;
    if (is_taken ||
        (!made.init_symbol.empty() && module_.FindCallee(made.init_symbol) != nullptr)) {
      return Fail(DiagnosticKind::kDuplicateSymbol, function.func->range,
                  fmt::format("two functions of the program have the name `{}`",
                              is_taken ? made.symbol : made.init_symbol));
    }
    Answered answered;
    answered.position = NewParamIndex(*function.func);
    answered.code.symbol = made.symbol;
    answered.code.workspace_bytes = made.workspace_bytes;
    if (made.workspace_bytes > 0) answered.code.workspace_alignment = made.workspace_alignment;
    answered.code.state_bytes = made.state_bytes;
    answered.code.init = made.init_symbol;
    answered.code.fini = made.fini_symbol;
    answered.may_fail = made.may_fail;
    if (!TakeEffects(target, function, made, answered.code.effects) ||
        !TakeInPlace(target, function, made, answered.code))
      return false;
    const std::optional<ExternalCode> known = ReadExternalCode(*module_.Find(function.name));
    if (known && !(*known == answered.code)) {
      return fail(
          "another answer than the text has from an earlier version; compile the module as it was "
          "before its functions got `tenon.external`");
    }
    answered_.emplace(function.name, std::move(answered));
    return true;
  }

  /// Determines the effects of all arguments, including those for the memory of the code.
  bool TakeEffects(const std::string& target, const Function& function,
                   const GeneratedFunction& made, std::vector<std::string>& effects) {
    const PrimFunc& func = *function.func;
    const Function& own = *module_.Find(function.name);
    if (!made.effects.empty() && made.effects.size() != func.params.size()) {
      return Fail(DiagnosticKind::kGeneratorEffects, func.range,
                  fmt::format("the code generator of `{}` says what `{}` does to {} arguments, "
                              "expected {}",
                              target, made.symbol, made.effects.size(), func.params.size()));
    }
    for (size_t i = 0; i < func.params.size(); ++i) {
      // The parameters for memory of the code come after these, but before a device's handle.
      const ArgumentEffect does = effects_.effects().Of(own).params[OwnIndex(function, own, i)];
      std::string letters = fmt::format("{}{}", does.reads ? "r" : "", does.writes ? "w" : "");
      if (!made.effects.empty()) {
        const std::string& says = made.effects[i];
        const bool reads = says.find_first_of("rc") != std::string::npos;
        const bool writes = says.find_first_of("wo") != std::string::npos;
        if ((does.reads && !reads) || (does.writes && !writes) ||
            says.find_first_not_of("rwoc") != std::string::npos) {
          return Fail(DiagnosticKind::kGeneratorEffects, func.range,
                      fmt::format("the code generator of `{}` says `{}` of argument {} of `{}`, "
                                  "expected `{}`: what its body does",
                                  target, says, i + 1, made.symbol, letters));
        }
        letters = fmt::format("{}{}", reads ? "r" : "", writes ? "w" : "");
      }
      const int64_t bytes = BytesOfParam(func, i);
      if (letters == "w" && bytes >= 0 &&
          effects_.OverwrittenBytes(own, OwnIndex(function, own, i)) >= bytes)
        letters = "o";
      effects.push_back(std::move(letters));
    }
    auto at = static_cast<ptrdiff_t>(NewParamIndex(func));
    if (made.workspace_bytes > 0) effects.insert(effects.begin() + at++, "o");
    if (made.state_bytes > 0) effects.insert(effects.begin() + at++, "rw");
    return true;
  }

  /// The index of parameter `index` in the module's version of the function, which may have more
  /// parameters.
  static size_t OwnIndex(const Function& function, const Function& own, size_t index) {
    const size_t added = own.func->params.size() - function.func->params.size();
    return index < NewParamIndex(*function.func) ? index : index + added;
  }

  bool TakeInPlace(const std::string& target, const Function& function,
                   const GeneratedFunction& made, ExternalCode& code) {
    const auto count = static_cast<int>(NewParamIndex(*function.func));
    for (const auto& [input, output] : made.in_place) {
      const bool is_known =
          input >= 0 && output >= 0 && input < count && output < count && input != output;
      const auto letters = [&](int index) { return code.effects[static_cast<size_t>(index)]; };
      if (!is_known || letters(input) != "r" || letters(output) != "o") {
        return Fail(DiagnosticKind::kGeneratorEffects, function.func->range,
                    fmt::format("the code generator of `{}` says that arguments {} and {} of `{}` "
                                "may be the same memory, expected an input that is only read and "
                                "an output that is overwritten",
                                target, input, output, made.symbol));
      }
      code.in_place.emplace_back(input, output);
    }
    return true;
  }

  bool TakeTir(const std::string& target, const std::vector<ExternalFunction>& functions,
               std::vector<Function> tir) {
    for (const Function& function : tir) {
      const auto answered = answered_.find(function.name);
      const Function* own = module_.FindCallee(SymbolOf(function));
      const bool replaces = own != nullptr && answered != answered_.end() &&
                            answered->second.code.symbol == SymbolOf(function);
      if ((own != nullptr && !replaces) || !tir_names_.insert(function.name).second) {
        return Fail(
            DiagnosticKind::kDuplicateSymbol, function.func->range,
            fmt::format("the code generator of `{}` makes a function `{}`, which already exists",
                        target, function.name.view()));
      }
      if (replaces) {
        const size_t expected = WithMemoryCount(function.name);
        if (function.func->params.size() != expected) {
          return Fail(
              DiagnosticKind::kGeneratorFailed, own->func->range,
              fmt::format("the code generator of `{}` gives `{}` {} parameters, expected "
                          "{}",
                          target, function.name.view(), function.func->params.size(), expected));
        }
      }
    }
    const auto code_of = [this](Symbol name) -> const ExternalCode& {
      return answered_.at(name).code;
    };
    if (!CheckGeneratedTir(module_, target, functions, tir, code_of, diagnostics_)) return false;
    for (Function& function : tir) program_.tir.push_back(std::move(function));
    return true;
  }

  /// The number of parameters of a function, including those for the memory of its code.
  size_t WithMemoryCount(Symbol name) const {
    const Function& own = *module_.Find(name);
    const std::optional<ExternalCode> known = ReadExternalCode(own);
    return own.func->params.size() + (known ? 0 : AddedParams(answered_.at(name).code));
  }

  bool TakeFiles(const std::string& target, GeneratedCode& code) {
    return TakeFiles(target, code.sources, {".c", ".cc", ".h", ".cpp", ".hpp", ".S"},
                     program_.files.sources) &&
           TakeFiles(target, code.objects, {".o", ".a", ".so"}, program_.files.objects);
  }

  /// Adds files whose names end in one of the suffixes to `all`.
  bool TakeFiles(const std::string& target, std::vector<EmittedFile>& files,
                 const std::vector<std::string_view>& suffixes, std::vector<EmittedFile>& all) {
    for (EmittedFile& file : files) {
      const bool is_known = std::any_of(suffixes.begin(), suffixes.end(), [&](auto suffix) {
        return file.name.size() > suffix.size() && file.name.ends_with(suffix);
      });
      if (!is_known || file.name.find_first_of("/\\") != std::string::npos) {
        return Fail(DiagnosticKind::kGeneratorFailed, {},
                    fmt::format("the code generator of `{}` makes {} `{}`, expected a name without "
                                "folders that ends in {}",
                                target, &all == &program_.files.sources ? "a source" : "an object",
                                file.name, fmt::join(suffixes, ", ")));
      }
      const auto [known, is_new] = file_texts_.try_emplace(file.name, file.text);
      // Headers of the runtime are the same for all generators.
      if (!is_new && known->second == file.text) continue;
      if (!is_new) {
        return Fail(
            DiagnosticKind::kDuplicateSymbol, {},
            fmt::format("the code generator of `{}` makes a file `{}`, expected the name of a "
                        "new file",
                        target, file.name));
      }
      all.push_back(std::move(file));
    }
    return true;
  }

  /// Assigns offsets to the states, in the order of the module, and lists the calls that initialise
  /// them.
  bool PlaceStates() {
    const Function* entry = module_.Main();
    for (const Function& function : module_.functions()) {
      const auto found = answered_.find(function.name);
      if (found == answered_.end()) continue;
      Answered& answered = found->second;
      if (answered.code.state_bytes == 0 && answered.code.init.empty()) continue;
      if (entry == nullptr || (answered.code.state_bytes > 0 && !OnlyEntryCalls(function))) {
        return Fail(DiagnosticKind::kGeneratorFailed, function.func->range,
                    fmt::format("the code of `{}` has memory that outlives a run, so only the "
                                "entry function may call it",
                                function.name.view()));
      }
      answered.state_offset = state_bytes_;
      if (!answered.code.init.empty()) {
        inits_.push_back({answered.code.init, answered.code.state_bytes > 0 ? state_bytes_ : 0,
                          answered.code.state_bytes, answered.code.fini});
      }
      if (__builtin_add_overflow(state_bytes_, answered.code.state_bytes, &state_bytes_) ||
          state_bytes_ > kMostPoolSize - kStateAlignment) {
        return Fail(DiagnosticKind::kGeneratorFailed, function.func->range,
                    "the states of external functions have more than 2^62 bytes together");
      }
      state_bytes_ = (state_bytes_ + kStateAlignment - 1) / kStateAlignment * kStateAlignment;
    }
    return true;
  }

  bool OnlyEntryCalls(const Function& callee) const {
    for (const Function& function : module_.functions()) {
      if (&function == module_.Main()) continue;
      for (const CallSite& site : effects_.effects().Of(function).calls) {
        if (site.callee != nullptr && site.callee->name == callee.name) return false;
      }
    }
    return true;
  }

  void Rewrite() {
    for (const Function& function : module_.functions()) {
      // A module that was printed and read again already has its parameters and arguments.
      const auto found = answered_.find(function.name);
      if (found != answered_.end() && ReadExternalCode(function)) return;
    }
    const std::vector<ExternalInit> none;
    for (const Function& function : module_.functions()) {
      const bool is_entry = &function == module_.Main();
      Function now = WithAnsweredCalls(module_.context(), function, module_, answered_,
                                       is_entry ? state_bytes_ : 0, is_entry ? inits_ : none);
      const auto found = answered_.find(function.name);
      if (found != answered_.end())
        now = WithMemoryParams(module_.context(), now, found->second.code);
      if (now.func != function.func) program_.module.Update(std::move(now));
    }
  }

  const IRModule& module_;
  const GenerateExternalsOptions& options_;
  Diagnostics& diagnostics_;
  std::string* failed_;
  OperatorEffects effects_;
  ExternalProgram program_;
  size_t errors_ = diagnostics_.error_count();
  AnsweredOf answered_;
  absl::flat_hash_set<std::string> symbols_;
  absl::flat_hash_set<Symbol> tir_names_;
  absl::flat_hash_set<std::string> payload_names_;
  absl::flat_hash_map<std::string, std::string> file_texts_;
  /// First the checks of all targets, then the functions that initialise states.
  std::vector<ExternalInit> inits_;
  int64_t state_bytes_ = 0;
};

}  // namespace

bool IsExternalRegion(const IRModule& module, const Function& function) {
  const Function* entry = module.Main();
  const bool is_entry = entry != nullptr && entry->name == function.name;
  if (is_entry || function.FindAttr(attr_key::kCompiler) == nullptr) return false;
  return OpsOf(module, function).has_value();
}

std::optional<ExternalProgram> GenerateExternals(const IRModule& module,
                                                 const GenerateExternalsOptions& options,
                                                 Diagnostics& diagnostics, std::string* failed) {
  return Asker(module, options, diagnostics, failed).Run();
}

}  // namespace tenon
