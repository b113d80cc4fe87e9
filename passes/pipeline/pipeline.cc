#include "passes/pipeline/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "passes/pipeline/registry.h"
#include "support/nearest_name.h"

namespace tenon {

namespace {

/// How deep `fix(...)` may nest.
constexpr int kMostNesting = 16;

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

/// Reads pipeline text.
class PipelineParser {
 public:
  PipelineParser(std::string_view text, uint32_t base, Diagnostics& diagnostics)
      : text_(text), base_(base), diagnostics_(diagnostics) {}

  bool ParseAll(Pipeline& pipeline) {
    SkipBlanks();
    if (at_ == text_.size()) return true;
    ParseList(pipeline, 0);
    if (ok_ && at_ < text_.size()) {
      Error(at_, 1,
            fmt::format("unexpected `{}`, expected `,` or the end of the pipeline", text_[at_]));
    }
    return ok_;
  }

 private:
  void Error(size_t begin, size_t length, std::string message,
             DiagnosticKind kind = DiagnosticKind::kPipeline) {
    ok_ = false;
    const auto from = static_cast<uint32_t>(base_ + begin);
    diagnostics_.Error(kind, {from, from + static_cast<uint32_t>(length)}, std::move(message));
  }

  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  bool Take(char c) {
    SkipBlanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view TakeName() {
    SkipBlanks();
    const size_t begin = at_;
    while (at_ < text_.size() && IsNameChar(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void ParseList(Pipeline& list, int depth) {
    do {
      if (!ParseItem(list, depth)) return;
    } while (Take(','));
  }

  bool ParseItem(Pipeline& list, int depth) {
    SkipBlanks();
    const size_t begin = at_;
    const std::string_view name = TakeName();
    if (name.empty()) {
      Error(begin, 1, "expected the name of a pass");
      return false;
    }
    if (name == "fix" && Take('(')) {
      PipelineItem item;
      item.is_fix = true;
      if (depth >= kMostNesting) {
        Error(begin, name.size(), fmt::format("more than {} nested `fix`", kMostNesting),
              DiagnosticKind::kLimit);
        return false;
      }
      ParseList(item.fix, depth + 1);
      if (ok_ && !Take(')')) Error(at_, 1, "expected `,` or `)`");
      list.push_back(std::move(item));
      return ok_;
    }
    OptionValues values;
    std::vector<size_t> places;
    if (Take('{') && !ParseOptions(values, places)) return false;
    AddPass(list, name, begin, values, places);
    return true;
  }

  /// After `{`, up to and with `}`.
  bool ParseOptions(OptionValues& values, std::vector<size_t>& places) {
    while (!Take('}')) {
      if (Take(',')) continue;
      SkipBlanks();
      places.push_back(at_);
      const std::string_view name = TakeName();
      if (name.empty() || !Take('=')) {
        Error(at_, 1, "expected an option as `name=value`, or `}`");
        return false;
      }
      std::string value;
      if (!ParseValue(value)) return false;
      values.emplace_back(std::string(name), std::move(value));
    }
    return true;
  }

  bool ParseValue(std::string& value) {
    SkipBlanks();
    const size_t begin = at_;
    if (Take('"')) {
      while (at_ < text_.size() && text_[at_] != '"') value += text_[at_++];
      if (Take('"')) return true;
      Error(begin, 1, "unterminated string");
      return false;
    }
    for (at_ = EndOfWord(at_); IsListAt(at_); at_ = EndOfWord(at_ + 1)) {
    }
    value = text_.substr(begin, at_ - begin);
    return true;
  }

  size_t EndOfWord(size_t from) const {
    return std::min(text_.find_first_of(" ,{}\n\t", from), text_.size());
  }
  /// A comma with more of the value behind it: what follows is no option of its own.
  bool IsListAt(size_t comma) const {
    if (comma >= text_.size() || text_[comma] != ',') return false;
    const std::string_view word = text_.substr(comma + 1, EndOfWord(comma + 1) - comma - 1);
    return !word.empty() && word.find_first_of("=\"") == std::string_view::npos;
  }

  void AddPass(Pipeline& list, std::string_view name, size_t begin, const OptionValues& values,
               const std::vector<size_t>& places) {
    const PassInfo* info = FindPass(name);
    if (info == nullptr) {
      const std::string_view near = NearestName(name, PassNames());
      Error(begin, name.size(),
            near.empty() ? fmt::format("unknown pass `{}`", name)
                         : fmt::format("unknown pass `{}`, did you mean `{}`", name, near));
      return;
    }
    std::string error;
    size_t at = 0;
    std::optional<BoundPass> pass = info->bind(values, &error, &at);
    if (!pass) {
      Error(places[at], values[at].first.size(), fmt::format("pass `{}`: {}", name, error));
      return;
    }
    list.push_back({*std::move(pass), {}, false});
  }

  std::string_view text_;
  size_t base_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

std::optional<Pipeline> ParsePipeline(Context& context, std::string_view text,
                                      Diagnostics& diagnostics) {
  const absl::StatusOr<const SourceFile*> file = context.sources().Add("<pipeline>", text, nullptr);
  if (!file.ok()) {
    diagnostics.Error(DiagnosticKind::kLimit, {}, std::string(file.status().message()));
    return std::nullopt;
  }
  Pipeline pipeline;
  if (!PipelineParser((*file)->text(), (*file)->base(), diagnostics).ParseAll(pipeline))
    return std::nullopt;
  return pipeline;
}

std::string ListPasses() {
  std::string out;
  for (const PassInfo& pass : AllPasses()) {
    out += fmt::format("{}\n    {}\n", pass.name, pass.summary);
    for (const OptionInfo& option : pass.options()) {
      out += fmt::format("    {}={}: {}\n", option.name, option.default_value, option.help);
    }
  }
  out += "fix(a,b)\n    the passes in parentheses over and over until none changes the module\n";
  return out;
}

std::vector<std::string_view> PassNames() {
  std::vector<std::string_view> names;
  for (const PassInfo& pass : AllPasses()) names.push_back(pass.name);
  return names;
}

}  // namespace tenon
