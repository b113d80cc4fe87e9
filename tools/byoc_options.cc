#include "tools/byoc_options.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/shown_text.h"
#include "tools/generator_options.h"
#include "tools/help.h"
#include "tools/module_input.h"
#include "tools/options.h"

namespace tenon {

namespace {

absl::StatusOr<std::vector<std::string>> ParseNames(const std::string& text) {
  std::vector<std::string> names;
  size_t at = 0;
  while (at <= text.size()) {
    const size_t end = std::min(text.find(',', at), text.size());
    std::string name = text.substr(at, end - at);
    if (name.empty() || name.find_first_of(" \t\"{}=") != std::string::npos)
      return absl::InvalidArgumentError(
          fmt::format("expected names separated by commas, found `{}`", ShownText(text)));
    for (const std::string& other : names) {
      if (other == name)
        return absl::InvalidArgumentError(fmt::format("`{}` is named twice", ShownText(name)));
    }
    names.push_back(std::move(name));
    at = end + 1;
  }
  return names;
}

}  // namespace

void AddByocOptions(CLI::App& app, CompileOptions& compile, ByocReportForm& form) {
  ExternalsOptions& externals = compile.externals;
  app.option_defaults()->group("External code generators");
  AddParsedOption<std::vector<std::string>>(
      app, "--targets", ParseNames,
      [&](std::vector<std::string> names) { externals.targets = std::move(names); }, "NAME,...",
      "targets for operators, preferred first; other operators stay on the host");
  AddGeneratorOptions(app, compile.run.generators);
  AddChoice(
      app, "--offload-floats",
      [&](const std::string& value) { externals.may_reassociate = value == "reassociate"; },
      {"reassociate", "bitwise"}, "reassociate", "whether targets may add floats in another order");
  AddParsedOption<std::vector<std::string>>(
      app, "--offload-inexact", ParseNames,
      [&](const std::vector<std::string>& names) {
        externals.inexact.insert(externals.inexact.end(), names.begin(), names.end());
      },
      "KIND,...",
      "kinds of operators whose integers need not be exact; all others are exact, or stay");
  AddChoice(
      app, "--on-generator-error",
      [&](const std::string& value) { externals.falls_back = value == "fallback"; },
      {"error", "fallback"}, "error",
      "if a code generator fails: stop, or give its operators to their next target, otherwise back "
      "to the host");
  AddParsedOption<ByocReportForm>(
      app, "--byoc-report",
      [](const std::string& value) -> absl::StatusOr<ByocReportForm> {
        if (value == "text") return ByocReportForm::kText;
        if (value == "json") return ByocReportForm::kJson;
        return absl::InvalidArgumentError(
            fmt::format("expected text or json, found `{}`", ShownText(value)));
      },
      [&](ByocReportForm value) { form = value; }, "[=json]",
      "print to stdout where each operator goes, and why other targets do not get it");
  app.option_defaults()->group(kCommonOptions);
}

void AddExternalsOption(CLI::App& app, CompileOptions& compile) {
  app.option_defaults()->group("External code generators");
  AddChoice(
      app, "--externals",
      [&](const std::string& value) {
        compile.externals.use = value == "body"       ? ExternalsUse::kBody
                                : value == "both"     ? ExternalsUse::kBoth
                                : value == "skip"     ? ExternalsUse::kSkip
                                : value == "time"     ? ExternalsUse::kTime
                                : value == "fallback" ? ExternalsUse::kFallback
                                                      : ExternalsUse::kCall;
        compile.externals.notes_fallback = value == "fallback";
      },
      {"call", "body", "both", "skip", "time", "fallback"}, "call",
      "call the generated code, compile the bodies of external functions instead, run both and "
      "compare, call nothing, to measure the host alone, measure the time of the code and of the "
      "host, or call the bodies if this machine cannot run the code");
  app.option_defaults()->group(kCommonOptions);
}

void AddFallbackOption(CLI::App& app, CompileOptions& compile) {
  app.option_defaults()->group("External code generators");
  AddChoice(
      app, "--externals",
      [&](const std::string& value) {
        compile.externals.use = value == "fallback" ? ExternalsUse::kFallback : ExternalsUse::kCall;
      },
      {"call", "fallback"}, "call",
      "call the generated code, or also compile the bodies of external functions, which run if a "
      "machine cannot run the code");
  app.option_defaults()->group(kCommonOptions);
}

bool ShowByocReport(const ByocReport& report, ByocReportForm form, const StderrStyle& style) {
  if (report.empty()) return true;
  if (!style.quiet) fmt::print(stderr, "tenon: {}\n", EscapeControlsOfLines(ByocSummary(report)));
  if (form == ByocReportForm::kSummary) return true;
  return WriteOutput("-", form == ByocReportForm::kJson ? ByocJson(report)
                                                        : EscapeControlsOfLines(ByocText(report)));
}

}  // namespace tenon
