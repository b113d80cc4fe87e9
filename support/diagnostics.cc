#include "support/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "support/shown_text.h"

namespace tenon {

namespace {

constexpr std::string_view kKindTexts[] = {
#define TENON_DIAGNOSTIC(Enumerator, text) text,
#include "support/diagnostic_kinds.def"
};

/// Lines with constants can be megabytes long; only this many columns are shown.
constexpr size_t kShownColumns = 120;

std::string_view SeverityText(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "error";
}

std::string_view SeverityColor(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "\033[1;31m";
    case Severity::kWarning:
      return "\033[1;35m";
    case Severity::kNote:
      return "\033[1;36m";
  }
  return "";
}

/// Appends `text` with a blank for each control character. Tabs stay. U+0080 to U+009F are control
/// characters of two bytes.
void AppendWithoutControls(std::string& out, std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_wide = byte == 0xC2 && next >= 0x80 && next < 0xA0;
    if (is_wide) ++i;
    out += is_wide || (byte < ' ' && byte != '\t') || byte == 0x7f ? ' ' : text[i];
  }
}

/// Appends the source line, clipped to a window around the place, and the caret line under it. Tabs
/// stay tabs in both lines and control bytes become blanks, so that the caret is under its column
/// on any terminal.
void AppendSnippet(std::string& out, std::string_view line, size_t column, size_t width,
                   const RenderOptions& options) {
  size_t first = 0;
  if (line.size() > kShownColumns && column > kShownColumns / 2) first = column - kShownColumns / 2;
  const size_t last = std::min(line.size(), first + kShownColumns);
  out += "  ";
  if (first > 0) out += "...";
  AppendWithoutControls(out, line.substr(first, last - first));
  if (last < line.size()) out += "...";
  out += "\n  ";
  if (first > 0) out += "   ";
  for (size_t i = first; i < column && i < line.size(); ++i) {
    // Continuation bytes of a UTF-8 sequence take no column.
    if ((static_cast<unsigned char>(line[i]) & 0xc0) == 0x80) continue;
    out += line[i] == '\t' ? '\t' : ' ';
  }
  if (options.color) out += "\033[1;32m";
  out += '^';
  const size_t room = last > column ? last - column : 1;
  for (size_t i = 1; i < std::min(width, room); ++i) out += '~';
  if (options.color) out += "\033[0m";
  out += '\n';
}

void AppendRendered(std::string& out, const SourceManager& sources, const Diagnostic& diagnostic,
                    const RenderOptions& options) {
  const SourcePlace place = sources.Locate(diagnostic.range.begin);
  if (place.file != nullptr) {
    fmt::format_to(std::back_inserter(out), "{}:{}:{}: ", EscapeControls(place.file->name()),
                   place.line, place.column);
  } else if (!options.program.empty() && diagnostic.severity != Severity::kNote) {
    fmt::format_to(std::back_inserter(out), "{}: ", options.program);
  }
  const std::string_view severity = SeverityText(diagnostic.severity);
  // Messages quote names of the input, and some contain output of other programs.
  const std::string message = EscapeControlsOfLines(diagnostic.message);
  if (options.color) {
    fmt::format_to(std::back_inserter(out), "{}{}:\033[0m {}", SeverityColor(diagnostic.severity),
                   severity, message);
  } else {
    fmt::format_to(std::back_inserter(out), "{}: {}", severity, message);
  }
  if (diagnostic.severity != Severity::kNote) {
    fmt::format_to(std::back_inserter(out), " [{}]", KindText(diagnostic.kind));
  }
  out += '\n';
  if (place.file != nullptr) {
    const uint32_t length = diagnostic.range.end > diagnostic.range.begin
                                ? diagnostic.range.end - diagnostic.range.begin
                                : 1;
    AppendSnippet(out, sources.Line(*place.file, place.line), place.column - 1, length, options);
  }
  for (const Diagnostic& note : diagnostic.notes) AppendRendered(out, sources, note, options);
}

}  // namespace

std::string_view KindText(DiagnosticKind kind) { return kKindTexts[static_cast<size_t>(kind)]; }

Diagnostic& Diagnostics::Add(Severity severity, DiagnosticKind kind, SourceRange range,
                             std::string message) {
  Diagnostic added{severity, kind, range, std::move(message), {}};
  if (all_.size() >= kMostErrors) return dropped_ = std::move(added);
  return all_.emplace_back(std::move(added));
}

Diagnostic& Diagnostics::Error(DiagnosticKind kind, SourceRange range, std::string message) {
  ++error_count_;
  return Add(Severity::kError, kind, range, std::move(message));
}

Diagnostic& Diagnostics::Warning(DiagnosticKind kind, SourceRange range, std::string message) {
  ++warning_count_;
  return Add(Severity::kWarning, kind, range, std::move(message));
}

Diagnostic& Diagnostics::Note(DiagnosticKind kind, SourceRange range, std::string message) {
  return Add(Severity::kNote, kind, range, std::move(message));
}

void Diagnostics::AddNote(Diagnostic& diagnostic, SourceRange range, std::string message) {
  diagnostic.notes.push_back({Severity::kNote, diagnostic.kind, range, std::move(message), {}});
}

void Diagnostics::Append(Diagnostics&& other) {
  error_count_ += other.error_count_;
  warning_count_ += other.warning_count_;
  for (Diagnostic& diagnostic : other.all_) {
    if (all_.size() >= kMostErrors) break;
    all_.push_back(std::move(diagnostic));
  }
  other.Clear();
}

void Diagnostics::Clear() {
  all_.clear();
  error_count_ = 0;
  warning_count_ = 0;
}

const SourceFile* AddSource(SourceManager& sources, std::string_view name, std::string_view text,
                            std::shared_ptr<const void> owner, Diagnostics& diagnostics) {
  const absl::StatusOr<const SourceFile*> file = sources.Add(name, text, std::move(owner));
  if (file.ok()) return *file;
  diagnostics.Error(DiagnosticKind::kLimit, {}, std::string(file.status().message()));
  return nullptr;
}

std::string Render(const SourceManager& sources, const Diagnostic& diagnostic,
                   const RenderOptions& options) {
  std::string out;
  AppendRendered(out, sources, diagnostic, options);
  return out;
}

std::string Render(const SourceManager& sources, const Diagnostics& diagnostics,
                   const RenderOptions& options) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    AppendRendered(out, sources, diagnostic, options);
  }
  if (diagnostics.error_count() + diagnostics.warning_count() > diagnostics.all().size()) {
    fmt::format_to(std::back_inserter(out),
                   "{} errors and {} warnings in all; the rest is not shown\n",
                   diagnostics.error_count(), diagnostics.warning_count());
  }
  return out;
}

}  // namespace tenon
