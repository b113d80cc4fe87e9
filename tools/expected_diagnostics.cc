#include "tools/expected_diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace tenon {

namespace {

constexpr std::string_view kMarker = "# expected-";

std::string_view SeverityName(Severity severity) {
  return severity == Severity::kError     ? "error"
         : severity == Severity::kWarning ? "warning"
                                          : "note";
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// The line that `@...` names, or nullopt.
std::optional<uint32_t> TakePlace(std::string_view& rest, uint32_t line) {
  if (!TakePrefix(rest, "@")) return line;
  if (TakePrefix(rest, "above")) return line - 1;
  if (TakePrefix(rest, "below")) return line + 1;
  if (TakePrefix(rest, "unknown")) return 0;
  const bool minus = rest.starts_with("-");
  if (rest.empty() || (rest[0] != '+' && rest[0] != '-')) return std::nullopt;
  rest.remove_prefix(1);
  uint32_t distance = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), distance);
  if (error != std::errc() || (minus && distance >= line)) return std::nullopt;
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  return minus ? line - distance : line + distance;
}

std::optional<ExpectedDiagnostic> ParseExpected(std::string_view rest, uint32_t line) {
  ExpectedDiagnostic expected;
  expected.written_on = line;
  if (TakePrefix(rest, "warning")) {
    expected.severity = Severity::kWarning;
  } else if (TakePrefix(rest, "note")) {
    expected.severity = Severity::kNote;
  } else if (!TakePrefix(rest, "error")) {
    return std::nullopt;
  }
  const std::optional<uint32_t> place = TakePlace(rest, line);
  if (place && TakePrefix(rest, " at `")) {
    const size_t end = rest.find("` {{");
    if (end == std::string_view::npos) return std::nullopt;
    expected.token = rest.substr(0, end);
    rest.remove_prefix(end + 2);
  }
  const size_t open = rest.find("{{");
  const size_t close = rest.rfind("}}");
  if (!place || open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  expected.line = *place;
  expected.text = rest.substr(open + 2, close - open - 2);
  return expected;
}

/// The text that the caret marks: the first line of the diagnostic's range.
std::string_view Marked(const SourceManager& sources, const Diagnostic& diagnostic) {
  if (!diagnostic.range.valid()) return {};
  const std::string_view text = sources.Text(diagnostic.range);
  return text.substr(0, text.find_first_of("\r\n"));
}

void Flatten(const Diagnostic& diagnostic, std::vector<const Diagnostic*>& out) {
  out.push_back(&diagnostic);
  for (const Diagnostic& note : diagnostic.notes) Flatten(note, out);
}

}  // namespace

std::vector<ExpectedDiagnostic> FindExpected(std::string_view text,
                                             std::vector<std::string>& errors) {
  std::vector<ExpectedDiagnostic> all;
  uint32_t line = 1;
  for (size_t begin = 0; begin <= text.size(); ++line) {
    const size_t newline = std::min(text.find('\n', begin), text.size());
    const std::string_view content = text.substr(begin, newline - begin);
    begin = newline + 1;
    const size_t marker = content.find(kMarker);
    if (marker == std::string_view::npos) continue;
    std::optional<ExpectedDiagnostic> expected =
        ParseExpected(content.substr(marker + kMarker.size()), line);
    if (expected) {
      all.push_back(*std::move(expected));
    } else {
      errors.push_back(fmt::format("line {}: cannot read this expectation", line));
    }
  }
  return all;
}

std::vector<std::string> CompareExpected(const SourceManager& sources,
                                         const Diagnostics& diagnostics,
                                         std::vector<ExpectedDiagnostic> expected,
                                         std::string_view file) {
  std::vector<const Diagnostic*> flat;
  for (const Diagnostic& diagnostic : diagnostics.all()) Flatten(diagnostic, flat);
  std::vector<std::string> left_over;
  for (const Diagnostic* diagnostic : flat) {
    const SourcePlace place = sources.Locate(diagnostic->range.begin);
    const std::string message =
        fmt::format("{} [{}]", diagnostic->message, KindText(diagnostic->kind));
    const std::string_view marked = Marked(sources, *diagnostic);
    const auto match =
        std::find_if(expected.begin(), expected.end(), [&](const ExpectedDiagnostic& e) {
          return e.severity == diagnostic->severity && e.line == place.line &&
                 (!e.token || *e.token == marked) && message.find(e.text) != std::string::npos;
        });
    if (match != expected.end()) {
      expected.erase(match);
    } else if (diagnostic->severity != Severity::kNote) {
      // Notes explain an error; only those that a test names must be there.
      left_over.push_back(fmt::format("{}:{}:{}: unexpected {} at `{}`: {}", file, place.line,
                                      place.column, SeverityName(diagnostic->severity), marked,
                                      message));
    }
  }
  for (const ExpectedDiagnostic& e : expected) {
    left_over.push_back(fmt::format("{}:{}: expected {}{} \"{}\" was not produced", file,
                                    e.line == 0 ? e.written_on : e.line, SeverityName(e.severity),
                                    e.token ? fmt::format(" at `{}`", *e.token) : "", e.text));
  }
  return left_over;
}

}  // namespace tenon
