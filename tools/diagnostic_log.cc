#include "tools/diagnostic_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "support/file.h"
#include "support/json_writer.h"
#include "support/shown_text.h"
#include "tools/version.h"

namespace tenon {

std::string_view SeverityText(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "none";
}

namespace {

/// The column in code points of a column in bytes.
int64_t CodePoints(std::string_view line, uint32_t column) {
  const std::string_view before = line.substr(0, column - 1);
  return 1 + std::count_if(before.begin(), before.end(),
                           [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

/// A path as a URI reference.
std::string Uri(std::string_view path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

}  // namespace

DiagnosticLog::Entry DiagnosticLog::EntryOf(const SourceManager& sources,
                                            const Diagnostic& diagnostic) {
  Entry entry;
  entry.severity = diagnostic.severity;
  entry.kind = KindText(diagnostic.kind);
  entry.message = diagnostic.message;
  const SourceRange range = diagnostic.range;
  const SourcePlace begin = sources.Locate(range.begin);
  if (range.valid() && begin.file != nullptr) {
    entry.file = begin.file->name();
    entry.line = begin.line;
    entry.column = CodePoints(sources.Line(*begin.file, begin.line), begin.column);
    const SourcePlace end = sources.Locate(std::max(range.end, range.begin));
    const bool has_end = end.file == begin.file;
    entry.end_line = has_end ? end.line : entry.line;
    entry.end_column =
        has_end ? CodePoints(sources.Line(*end.file, end.line), end.column) : entry.column;
  }
  for (const Diagnostic& note : diagnostic.notes) entry.notes.push_back(EntryOf(sources, note));
  return entry;
}

void DiagnosticLog::Add(const SourceManager& sources, const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.all())
    entries_.push_back(EntryOf(sources, diagnostic));
}

void DiagnosticLog::WriteJson(const Entry& entry, JsonWriter& json) {
  json.BeginObject();
  json.Member("severity", SeverityText(entry.severity));
  if (entry.severity != Severity::kNote) json.Member("kind", entry.kind);
  json.Member("message", entry.message);
  if (!entry.file.empty()) {
    json.Member("file", entry.file);
    json.Member("line", entry.line);
    json.Member("column", entry.column);
    json.Member("end_line", entry.end_line);
    json.Member("end_column", entry.end_column);
  }
  if (!entry.notes.empty()) {
    json.Key("notes");
    json.List(entry.notes, [&](const Entry& note) { WriteJson(note, json); });
  }
  json.EndObject();
}

void DiagnosticLog::WriteLocation(const Entry& entry, bool with_message, JsonWriter& json) {
  json.BeginObject();
  if (!entry.file.empty()) {
    json.Key("physicalLocation");
    json.BeginObject();
    json.Key("artifactLocation");
    json.BeginObject();
    json.Member("uri", Uri(entry.file));
    json.EndObject();
    json.Key("region");
    json.BeginObject();
    json.Member("startLine", entry.line);
    json.Member("startColumn", entry.column);
    json.Member("endLine", entry.end_line);
    json.Member("endColumn", entry.end_column);
    json.EndObject();
    json.EndObject();
  }
  if (with_message) {
    json.Key("message");
    json.BeginObject();
    json.Member("text", entry.message);
    json.EndObject();
  }
  json.EndObject();
}

void DiagnosticLog::WriteResult(const Entry& entry, JsonWriter& json) {
  json.BeginObject();
  json.Member("ruleId", entry.kind);
  json.Member("level", SeverityText(entry.severity));
  json.Key("message");
  json.BeginObject();
  json.Member("text", entry.message);
  json.EndObject();
  if (!entry.file.empty()) {
    json.Key("locations");
    json.BeginList();
    WriteLocation(entry, /*with_message=*/false, json);
    json.EndList();
  }
  if (!entry.notes.empty()) {
    json.Key("relatedLocations");
    json.List(entry.notes,
              [&](const Entry& note) { WriteLocation(note, /*with_message=*/true, json); });
  }
  json.EndObject();
}

void DiagnosticLog::WriteRun(JsonWriter& json) const {
  std::vector<std::string_view> rules;
  for (const Entry& entry : entries_) rules.push_back(entry.kind);
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  json.BeginObject(JsonLayout::kLines);
  json.Key("tool");
  json.BeginObject();
  json.Key("driver");
  json.BeginObject();
  json.Member("name", program_);
  json.Member("version", Version());
  json.Key("rules");
  json.List(rules, [&](std::string_view rule) {
    json.BeginObject();
    json.Member("id", rule);
    json.EndObject();
  });
  json.EndObject();
  json.EndObject();
  json.Member("columnKind", "unicodeCodePoints");
  json.Key("results");
  json.List(entries_, JsonLayout::kLines, [&](const Entry& entry) { WriteResult(entry, json); });
  json.EndObject();
}

std::string DiagnosticLog::Text() const {
  std::string text;
  JsonWriter json(text);
  if (format_ == Format::kJson) {
    json.List(entries_, JsonLayout::kLines, [&](const Entry& entry) { WriteJson(entry, json); });
    return text + "\n";
  }
  json.BeginObject(JsonLayout::kLines);
  json.Member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json.Member("version", "2.1.0");
  json.Key("runs");
  json.BeginList(JsonLayout::kLines);
  WriteRun(json);
  json.EndList();
  json.EndObject();
  return text + "\n";
}

DiagnosticLog::~DiagnosticLog() {
  if (is_given_up_) return;
  const std::string text = Text();
  if (path_ == "-") {
    std::fwrite(text.data(), 1, text.size(), stderr);
    return;
  }
  const absl::Status written = WriteFileAtomically(path_, text);
  if (!written.ok())
    fmt::print(stderr, "{}: error: --diagnostics: {}\n", program_,
               EscapeControlsOfLines(std::string(written.message())));
}

}  // namespace tenon
