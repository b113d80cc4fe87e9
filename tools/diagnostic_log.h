#ifndef TENON_TOOLS_DIAGNOSTIC_LOG_H_
#define TENON_TOOLS_DIAGNOSTIC_LOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"
#include "support/source.h"

namespace tenon {

class JsonWriter;

/// `error`, `warning` or `note`.
std::string_view SeverityText(Severity severity);

/// Diagnostics for other programs: a list as JSON, or a log in SARIF 2.1.0, which editors and code
/// hosts read (docs/reference/tools.md). The destructor writes it.
class DiagnosticLog {
 public:
  /// A diagnostic with its place, independent of the sources.
  struct Entry {
    Severity severity = Severity::kError;
    std::string_view kind;
    std::string message;
    /// Empty without a place. Lines and columns count from 1; columns in code points. The end is
    /// after the last character.
    std::string file;
    int64_t line = 0, column = 0, end_line = 0, end_column = 0;
    std::vector<Entry> notes;
  };

  static Entry EntryOf(const SourceManager& sources, const Diagnostic& diagnostic);

  enum class Format : uint8_t { kJson, kSarif };

  /// `path` is the file, `-` standard error. `program` is the name of the tool in SARIF.
  DiagnosticLog(Format format, std::string path, std::string program)
      : format_(format), path_(std::move(path)), program_(std::move(program)) {}
  ~DiagnosticLog();
  DiagnosticLog(const DiagnosticLog&) = delete;
  DiagnosticLog& operator=(const DiagnosticLog&) = delete;

  /// Adds all diagnostics.
  void Add(const SourceManager& sources, const Diagnostics& diagnostics);
  /// The file that the destructor writes; nullopt for standard error.
  std::optional<std::string> file() const {
    return path_ == "-" ? std::nullopt : std::optional(path_);
  }
  /// Nothing will be written.
  void GiveUp() { is_given_up_ = true; }

 private:
  static void WriteJson(const Entry& entry, JsonWriter& json);
  static void WriteLocation(const Entry& entry, bool with_message, JsonWriter& json);
  static void WriteResult(const Entry& entry, JsonWriter& json);
  std::string Text() const;
  void WriteRun(JsonWriter& json) const;

  Format format_;
  std::string path_;
  std::string program_;
  std::vector<Entry> entries_;
  bool is_given_up_ = false;
};

}  // namespace tenon

#endif  // TENON_TOOLS_DIAGNOSTIC_LOG_H_
