#include "tools/stderr_style.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/shown_text.h"
#include "tools/diagnostic_log.h"
#include "tools/options.h"

namespace tenon {

namespace {

constexpr size_t kMostShown = 20;

/// The diagnostic with its first notes, and a note on the others.
Diagnostic WithFewNotes(const Diagnostic& diagnostic) {
  Diagnostic shown = diagnostic;
  const size_t left = shown.notes.size() - kMostShown;
  shown.notes.resize(kMostShown);
  Diagnostics::AddNote(shown, {}, fmt::format("{} more notes are not shown", left));
  return shown;
}

/// The name of the program that has the command.
std::string ProgramOf(const CLI::App& command) {
  const CLI::App* app = &command;
  while (app->get_parent() != nullptr) app = app->get_parent();
  return app->get_name();
}

}  // namespace

void AddColorOption(CLI::App& app, StderrStyle& style) {
  style.program = ProgramOf(app);
  AddChoice(
      app, "--color",
      [&style](const std::string& value) {
        style.color = value == "always"  ? ColorChoice::kAlways
                      : value == "never" ? ColorChoice::kNever
                                         : ColorChoice::kAuto;
      },
      {"auto", "always", "never"}, "auto",
      "colours in messages; auto: on a terminal, unless NO_COLOR is set or TERM is dumb");
}

void AddDiagnosticsOption(CLI::App& app, StderrStyle& style) {
  using Parsed = std::pair<std::string, std::string>;
  const auto parse = [](const std::string& text) -> absl::StatusOr<Parsed> {
    const size_t colon = text.find(':');
    const std::string format = text.substr(0, colon);
    const std::string file = colon == std::string::npos ? "-" : text.substr(colon + 1);
    const bool is_known = format == "json" || format == "sarif" || text == "text";
    if (is_known && !file.empty()) return Parsed{format, file};
    return absl::InvalidArgumentError(fmt::format(
        "expected text, json, sarif, json:FILE or sarif:FILE; found `{}`", ShownText(text)));
  };
  AddParsedOption<Parsed>(
      app, "--diagnostics", parse,
      [&app, &style](const Parsed& parsed) {
        style.log.reset();
        if (parsed.first == "text") return;
        style.log = std::make_shared<DiagnosticLog>(
            parsed.first == "json" ? DiagnosticLog::Format::kJson : DiagnosticLog::Format::kSarif,
            parsed.second, ProgramOf(app));
      },
      "text|json|sarif[:FILE]",
      "errors and warnings of files as text, JSON or SARIF 2.1.0; default: text");
}

void AddQuietOption(CLI::App& app, StderrStyle& style) {
  app.add_flag("-q,--quiet", style.quiet, "print errors and warnings only");
}

bool HasSmartTerminal() {
  const char* const term = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && (term == nullptr || std::string_view(term) != "dumb");
}

bool ColorsStderr(const StderrStyle& style) {
  if (style.color != ColorChoice::kAuto) return style.color == ColorChoice::kAlways;
  const char* const no_color = std::getenv("NO_COLOR");
  return HasSmartTerminal() && (no_color == nullptr || *no_color == '\0');
}

void ShowDiagnostics(const SourceManager& sources, const Diagnostics& diagnostics,
                     const StderrStyle& style) {
  if (style.log != nullptr) return style.log->Add(sources, diagnostics);
  const RenderOptions render{ColorsStderr(style), style.program};
  std::string text;
  size_t shown = 0;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    const bool is_note = diagnostic.severity == Severity::kNote;
    if (is_note && style.quiet) continue;
    if (shown == kMostShown) break;
    if (!is_note) ++shown;
    text += diagnostic.notes.size() > kMostShown ? Render(sources, WithFewNotes(diagnostic), render)
                                                 : Render(sources, diagnostic, render);
  }
  if (diagnostics.error_count() + diagnostics.warning_count() > shown)
    text += fmt::format("{} errors and {} warnings in all; the first {} are shown\n",
                        diagnostics.error_count(), diagnostics.warning_count(), shown);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void ShowNote(std::string_view text, const StderrStyle& style) {
  if (!style.quiet) fmt::print(stderr, "{}: note: {}\n", style.program, text);
}

void ShowLine(std::string_view text, const StderrStyle& style) {
  if (!style.quiet) fmt::print(stderr, "{}\n", EscapeControlsOfLines(text));
}

double ClosingLine::Seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void ClosingLine::Show(std::string_view what, std::string_view link) const {
  if (is_quiet_) return;
  const double seconds = Seconds();
  fmt::print(stderr, "{}{}{:.{}f} s\n", EscapeControlsOfLines(what), link, seconds,
             seconds < 10 ? 2 : 0);
}

}  // namespace tenon
