// The text of a pipeline is an input like any other: a recursive-descent parser reports errors at
// their places, and limits nesting. Printed text omits defaults, and reads back to the same
// pipeline.

#include "passes/pipeline/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "passes/pipeline/pass_set.h"
#include "support/ascii.h"
#include "support/nearest_name.h"

namespace tenon {

namespace {

/// The limit on nested `fix(...)`.
constexpr int kMostNesting = 16;

bool IsNameChar(char c) { return ascii::IsWordCharacter(c) || c == '-'; }

/// Reads pipeline text.
class PipelineParser {
 public:
  PipelineParser(std::string_view text, uint32_t base, const PassSet& passes,
                 Diagnostics& diagnostics)
      : text_(text), base_(base), passes_(passes), diagnostics_(diagnostics) {}

  bool ParseAll(std::vector<PipelineItem>& items) {
    SkipBlanks();
    if (at_ == text_.size()) return true;
    ParseList(items, 0);
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
    diagnostics_.Error(kind, RangeAt(begin, length), std::move(message));
  }
  SourceRange RangeAt(size_t begin, size_t length) const {
    const auto from = static_cast<uint32_t>(base_ + begin);
    return {from, from + static_cast<uint32_t>(length)};
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

  void ParseList(std::vector<PipelineItem>& list, int depth) {
    do {
      if (!ParseItem(list, depth)) return;
    } while (Take(','));
  }

  bool ParseItem(std::vector<PipelineItem>& list, int depth) {
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

  /// Parses the text after `{`, up to and including `}`.
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
    if (Take('"')) return ParseQuoted(begin, value);
    for (at_ = EndOfWord(at_); IsListAt(at_); at_ = EndOfWord(at_ + 1)) {
    }
    value = text_.substr(begin, at_ - begin);
    return true;
  }

  /// Parses the text after the quote at `begin`, up to and including the quote that ends the value.
  bool ParseQuoted(size_t begin, std::string& value) {
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') {
        if (at_ + 1 == text_.size()) break;
        if (text_[at_ + 1] != '"' && text_[at_ + 1] != '\\') {
          Error(at_, 2, "expected `\\\"` or `\\\\` in a quoted value; write a backslash as `\\\\`");
          return false;
        }
        ++at_;
      }
      value += text_[at_];
    }
    if (at_ < text_.size() && text_[at_] == '"') {
      ++at_;
      return true;
    }
    Error(begin, 1, "unterminated string");
    return false;
  }

  size_t EndOfWord(size_t from) const {
    return std::min(text_.find_first_of(" ,{}\n\t", from), text_.size());
  }
  /// True for a comma within a value: the text after it is a word of the value's list, not an
  /// option.
  bool IsListAt(size_t comma) const {
    if (comma >= text_.size() || text_[comma] != ',') return false;
    const std::string_view word = text_.substr(comma + 1, EndOfWord(comma + 1) - comma - 1);
    return !word.empty() && word.find_first_of("=\"") == std::string_view::npos;
  }

  void AddPass(std::vector<PipelineItem>& list, std::string_view name, size_t begin,
               const OptionValues& values, const std::vector<size_t>& places) {
    const PassInfo* info = passes_.Find(name);
    if (info == nullptr) {
      const std::string_view near = NearestName(name, passes_.Names());
      Error(begin, name.size(),
            near.empty() ? fmt::format("unknown pass `{}`", name)
                         : fmt::format("unknown pass `{}`; did you mean `{}`?", name, near));
      return;
    }
    std::string error;
    size_t at = 0;
    std::optional<BoundPass> pass = info->bind(values, &error, &at);
    if (!pass) {
      Error(places[at], values[at].first.size(), fmt::format("pass `{}`: {}", name, error));
      return;
    }
    pass->range = RangeAt(begin, name.size());
    list.push_back({*std::move(pass), {}, false});
  }

  std::string_view text_;
  size_t base_;
  const PassSet& passes_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
  bool ok_ = true;
};

/// A value that reads back unchanged, in quotes if necessary.
std::string ValueText(std::string_view value) {
  const auto is_plain = [](char c) { return IsNameChar(c) || c == '.' || c == '/' || c == '*'; };
  if (!value.empty() && std::all_of(value.begin(), value.end(), is_plain))
    return std::string(value);
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

void AppendItems(std::string& text, const std::vector<PipelineItem>& items) {
  std::string_view separator;
  for (const PipelineItem& item : items) {
    text += std::exchange(separator, ",");
    if (item.is_fix) {
      text += "fix(";
      AppendItems(text, item.fix);
      text += ')';
      continue;
    }
    text += item.pass.name;
    if (item.pass.options.empty()) continue;
    char before = '{';
    for (const auto& [name, value] : item.pass.options) {
      text += fmt::format("{}{}={}", std::exchange(before, ' '), name, ValueText(value));
    }
    text += '}';
  }
}

}  // namespace

Pipeline& Pipeline::Add(PipelineItem item) {
  items_.push_back(std::move(item));
  return *this;
}

Pipeline& Pipeline::Append(Pipeline other) {
  for (PipelineItem& item : other.items_) items_.push_back(std::move(item));
  return *this;
}

Pipeline& Pipeline::Fix(Pipeline body) {
  return body.empty() ? *this : Add({{}, std::move(body.items_), true});
}

std::string PipelineText(const Pipeline& pipeline) {
  std::string text;
  AppendItems(text, pipeline.items());
  return text;
}

std::optional<Pipeline> ParsePipeline(Context& context, std::string_view text,
                                      const PassSet& passes, Diagnostics& diagnostics) {
  const SourceFile* const file =
      AddSource(context.sources(), "<pipeline>", text, nullptr, diagnostics);
  if (file == nullptr) return std::nullopt;
  std::vector<PipelineItem> items;
  if (!PipelineParser(file->text(), file->base(), passes, diagnostics).ParseAll(items))
    return std::nullopt;
  Pipeline pipeline;
  for (PipelineItem& item : items) pipeline.Add(std::move(item));
  return pipeline;
}

std::optional<Pipeline> ParsePipeline(Context& context, std::string_view text,
                                      Diagnostics& diagnostics) {
  return ParsePipeline(context, text, PassSet(), diagnostics);
}

std::string ListPasses(const PassSet& passes) {
  std::string out;
  for (const PassInfo* row : passes.passes()) {
    const PassInfo& pass = *row;
    out += fmt::format("{} ({})\n    {}\n", pass.name, pass.group, pass.summary);
    if (!pass.needs.empty()) out += fmt::format("    needs: {}\n", FormNames(pass.needs));
    if (!pass.gives.empty()) out += fmt::format("    gives: {}\n", FormNames(pass.gives));
    for (const OptionInfo& option : pass.options()) {
      out += fmt::format("    {}={} ({}): {}\n", option.name, option.default_value, option.kind,
                         option.help);
    }
  }
  out += "fix(a,b)\n    repeat the passes in parentheses until none changes the module\n";
  return out;
}

std::vector<std::string_view> PassesBefore(const PassSet& passes, std::string_view pass) {
  std::vector<std::string_view> names;
  const PassInfo* info = passes.Find(pass);
  if (info == nullptr) return names;
  for (const ModuleForm form : AllForms()) {
    if (!info->needs.Has(form)) continue;
    for (const PassInfo* giver : passes.passes()) {
      if (!giver->gives.Has(form)) continue;
      std::vector<std::string_view> before = PassesBefore(passes, giver->name);
      before.push_back(giver->name);
      for (const std::string_view name : before) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
      break;
    }
  }
  return names;
}

}  // namespace tenon
