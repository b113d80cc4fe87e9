#include "tools/dump_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "support/nearest_name.h"
#include "support/shown_text.h"
#include "tools/options.h"

namespace tenon {

namespace {

/// Reads names of passes, separated by commas.
absl::StatusOr<std::vector<std::string>> ParsePassNames(const std::string& text,
                                                        const std::vector<std::string>& known) {
  std::vector<std::string> names = CLI::detail::split(text, ',');
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return absl::InvalidArgumentError(
        fmt::format("unknown pass `{}`{}", ShownText(name), DidYouMean(name, known)));
  }
  return names;
}

}  // namespace

void AddDumpOptions(CLI::App& app, const PassSet& passes, RunOptions& run) {
  std::vector<std::string> known;
  for (const std::string_view name : passes.Names()) known.emplace_back(name);
  const auto add_names = [&](const std::string& name, std::vector<std::string>& chosen,
                             const std::string& help) {
    AddParsedOption<std::vector<std::string>>(
        app, name, [known](const std::string& text) { return ParsePassNames(text, known); },
        [&chosen](std::vector<std::string> names) { chosen = std::move(names); }, "PASS,...", help);
  };
  add_names("--print-ir-before", run.print_before,
            "print the module before these passes to stderr");
  add_names("--print-ir-after", run.print_after, "print the module after these passes to stderr");
  app.add_flag("--print-ir-before-all", run.print_before_all,
               "print the module before every pass to stderr");
  app.add_flag("--print-ir-after-all", run.print_after_all,
               "print the module after every pass to stderr");
  app.add_flag("--print-ir-after-change", run.print_after_change,
               "print the module after every pass that changed it to stderr");
  app.add_option(
         "--dump-dir", run.dump_dir,
         "write the module after every pass to a numbered file in this folder, which is created")
      ->type_name("FOLDER");
  run.dump = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
}

void WarnOfUnprinted(const RunOptions& run, const RunReport& report, Diagnostics& diagnostics) {
  const auto warn = [&](std::string_view option, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const bool has_run = std::any_of(report.passes.begin(), report.passes.end(),
                                       [&](const PassRun& pass) { return pass.name == name; });
      if (has_run) continue;
      diagnostics.Warning(DiagnosticKind::kPipeline, {},
                          fmt::format("{}: the pass `{}` did not run", option, name));
    }
  };
  warn("--print-ir-before", run.print_before);
  warn("--print-ir-after", run.print_after);
}

}  // namespace tenon
