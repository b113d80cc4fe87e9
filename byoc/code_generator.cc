// Defaults of the interface, for a generator in the process that answers for one operator at a
// time. The list of generators is a value, so that a program or a test can use a different list.

#include "byoc/code_generator.h"

#include <fmt/format.h>

#include <charconv>

#include "byoc/call_flow.h"
#include "byoc/generators/blas.h"
#include "byoc/generators/cmsis_nn/cmsis_nn.h"
#include "byoc/generators/cuda/cuda.h"
#include "byoc/generators/reference.h"
#include "passes/function_choice.h"

namespace tenon {

namespace {

/// The sum, at most INT64_MAX.
int64_t Total(const std::vector<RegionOp>& ops, int64_t OpInfo::*member) {
  int64_t total = 0;
  for (const RegionOp& op : ops) {
    if (__builtin_add_overflow(total, op.info.*member, &total)) return INT64_MAX;
  }
  return total;
}

class BodyGenerator : public CodeGenerator {
 public:
  std::string_view name() const override { return "body"; }
  Support Supports(const OpInfo&, const GeneratorTarget&) const override { return Support::Yes(); }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget&, Diagnostics&) const override {
    GeneratedCode code;
    for (const ExternalFunction& external : functions) {
      GeneratedFunction& made = code.functions.emplace_back();
      made.symbol = std::string(external.function.global_symbol());
      code.tir.push_back(external.function);
    }
    return code;
  }
};

}  // namespace

std::string HostFacts::ToString() const {
  std::string text = back_end;
  const auto add = [&](std::string_view word) {
    text += text.empty() ? "" : ",";
    text += word;
  };
  if (vector_width > 0) add(fmt::format("vector:{}", vector_width));
  if (optimises) add("optimised");
  if (contracts) add("contract");
  if (!cpu.empty()) add("cpu:" + cpu);
  return text;
}

std::optional<HostFacts> HostFacts::Parse(std::string_view text) {
  constexpr std::string_view kVector = "vector:";
  constexpr std::string_view kCpu = "cpu:";
  HostFacts facts;
  for (const std::string_view word : WordsOf(text)) {
    if (word == "c" || word == "llvm") {
      facts.back_end = word;
    } else if (word == "optimised") {
      facts.optimises = true;
    } else if (word == "contract") {
      facts.contracts = true;
    } else if (word.starts_with(kCpu)) {
      facts.cpu = word.substr(kCpu.size());
    } else if (word.starts_with(kVector)) {
      const std::string_view number = word.substr(kVector.size());
      const char* const end = number.data() + number.size();
      const auto [rest, error] = std::from_chars(number.data(), end, facts.vector_width);
      if (error != std::errc() || rest != end || facts.vector_width < 0) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  return facts;
}

GeneratorTarget::GeneratorTarget(std::string_view name) : name(name) {
  const size_t colon = name.find(':');
  generator = std::string(name.substr(0, colon));
  if (colon != std::string_view::npos) instance = std::string(name.substr(colon + 1));
}

int64_t Region::macs() const { return Total(ops, &OpInfo::macs); }

int64_t Region::elements() const { return Total(ops, &OpInfo::elements); }

std::optional<std::vector<Support>> CodeGenerator::SupportsAll(
    std::span<const SupportQuestion> questions, const GeneratorTarget& target, Context&,
    Diagnostics&) const {
  std::vector<Support> answers;
  for (const SupportQuestion& question : questions)
    answers.push_back(Supports(*question.op, target));
  return answers;
}

Support CodeGenerator::AcceptsRegion(const Region& region, const GeneratorTarget& target) const {
  return region.macs() >= target.min_macs.value_or(min_macs()) ? Support::Yes()
                                                               : Support::No("below min-macs");
}

absl::StatusOr<IRModule> CodeGenerator::Optimize(const IRModule& module,
                                                 const GeneratorTarget&) const {
  return module;
}

CodeGenerators CodeGenerators::BuiltIn() {
  CodeGenerators generators;
  generators.Add(ReferenceGenerator());
  generators.Add(BlasGenerator());
  generators.Add(CmsisNnGenerator());
  generators.Add(CudaGenerator());
  generators.Add(std::make_unique<BodyGenerator>());
  return generators;
}

bool CodeGenerators::Add(std::unique_ptr<const CodeGenerator> generator) {
  for (const auto& other : generators_) {
    if (other->name() == generator->name()) return false;
  }
  generators_.push_back(std::move(generator));
  return true;
}

void CodeGenerators::Replace(std::unique_ptr<const CodeGenerator> generator) {
  for (auto& other : generators_) {
    if (other->name() != generator->name()) continue;
    other = std::move(generator);
    return;
  }
  generators_.push_back(std::move(generator));
}

const CodeGenerator* CodeGenerators::Find(std::string_view target) const {
  const std::string_view name = target.substr(0, target.find(':'));
  for (const auto& generator : generators_) {
    if (generator->name() == name) return generator.get();
  }
  return nullptr;
}

std::vector<std::string_view> CodeGenerators::Names() const {
  std::vector<std::string_view> names;
  for (const auto& generator : generators_) names.push_back(generator->name());
  return names;
}

std::string CodeGenerators::ToString() const {
  std::string names;
  for (const auto& generator : generators_)
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", generator->name());
  return names.empty() ? "none" : names;
}

std::string CodeGenerators::UnknownTargetText(std::string_view target) const {
  std::string text =
      fmt::format("no code generator has the target `{}`, expected one of {}", target, ToString());
  // `host` is not the name of a generator that a program could implement.
  if (target != kHostTarget) {
    text += fmt::format("; or give its program: `--generator={}=PROGRAM`",
                        target.substr(0, target.find(':')));
  }
  return text;
}

}  // namespace tenon
