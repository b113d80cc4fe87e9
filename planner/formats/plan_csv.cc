#include "planner/formats/plan_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "support/json_checks.h"
#include "support/nearest_name.h"

namespace tenon {

namespace {

constexpr std::array<std::string_view, kPlanColumns> kNames = {
    "id",        "lower", "upper", "size",   "alignment", "gaps",       "offset",
    "lifetimes", "pools", "pool",  "groups", "kind",      "bytes_read", "bytes_written"};

/// The column that a header name denotes, or kPlanColumns.
size_t ColumnOf(std::string_view name) {
  return static_cast<size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
}

std::string_view Trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

void Split(std::string_view text, char separator, std::vector<std::string_view>& parts) {
  parts.clear();
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

/// Removes `a-b`, with any separator, from the start of `text`.
bool TakePair(std::string_view& text, char separator, int64_t& a, int64_t& b) {
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, a);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != separator) return false;
  const auto second = std::from_chars(first.ptr + 1, end, b);
  if (second.ec != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(second.ptr - text.data()));
  return true;
}

class CsvReader {
 public:
  CsvReader(const SourceFile& file, const PlanCsvOptions& options, Diagnostics& diagnostics)
      : file_(file), options_(options), diagnostics_(diagnostics) {}

  std::optional<PlanCsv> Read() {
    const size_t errors = diagnostics_.error_count();
    const std::string_view text = file_.text();
    Reserve(text);
    // Spreadsheets begin tables with a UTF-8 byte order mark.
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    for (size_t begin = text.starts_with(kMark) ? kMark.size() : 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view line = text.substr(begin, end - begin);
      begin = end + 1;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (Trim(line).empty()) continue;
      if (!csv_.lines.empty()) {
        if (csv_.problem.buffers.size() == kMostPlanBuffers) {
          Error(line, fmt::format("more than {} buffers", kMostPlanBuffers),
                DiagnosticKind::kLimit);
          return std::nullopt;
        }
        ReadRow(line);
      } else if (!ReadHeader(line)) {
        return std::nullopt;
      }
      csv_.lines.push_back(line);
    }
    if (csv_.lines.empty()) {
      Error(text, "an empty file, expected a header with id, lower, upper and size");
    }
    if (diagnostics_.error_count() != errors) return std::nullopt;
    if (!options_.is_plan) WarnOfSameIds();
    csv_.groups = groups_.TakeNames();
    if (!pools_.Resolve(options_.pools, csv_, DiagnosticKind::kCsv, diagnostics_))
      return std::nullopt;
    if (options_.is_plan && !ResolvePlacements()) return std::nullopt;
    return std::move(csv_);
  }

 private:
  void Reserve(std::string_view text) {
    const size_t lines =
        std::min(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), kMostPlanBuffers);
    csv_.lines.reserve(lines + 1);
    csv_.places.reserve(lines);
    csv_.problem.buffers.reserve(lines);
    if (options_.is_plan) csv_.placements.reserve(lines);
  }

  SourceRange RangeOf(std::string_view where) const {
    const auto begin = static_cast<uint32_t>(
        file_.base() + static_cast<size_t>(where.data() - file_.text().data()));
    return {begin, begin + static_cast<uint32_t>(std::max<size_t>(where.size(), 1))};
  }
  void Error(std::string_view where, std::string message,
             DiagnosticKind kind = DiagnosticKind::kCsv) {
    diagnostics_.Error(kind, RangeOf(where), std::move(message));
  }

  std::string_view Field(PlanColumn column) const {
    const size_t place = csv_.columns.field[static_cast<size_t>(column)];
    return place == PlanCsvColumns::kAbsent ? std::string_view() : Trim(fields_[place]);
  }

  /// False for a line that has no name of a column, such as the first row of a table without
  /// header.
  bool HasKnownColumn() const {
    return std::any_of(fields_.begin(), fields_.end(), [](std::string_view field) {
      return ColumnOf(Trim(field)) != kPlanColumns;
    });
  }

  bool ReadHeader(std::string_view line) {
    Split(line, ',', fields_);
    // Spreadsheets of many countries write semicolons.
    const size_t other = line.find_first_of(";\t");
    if (fields_.size() == 1 && other != std::string_view::npos) {
      Error(line.substr(other, 1), fmt::format("expected columns separated by commas, found {}",
                                               line[other] == ';' ? "`;`" : "a tab"));
      return false;
    }
    if (!HasKnownColumn()) {
      Error(line, fmt::format("the first line is not a header; expected `{}`",
                              options_.is_plan ? "id,offset" : "id,lower,upper,size"));
      return false;
    }
    bool ok = true;
    for (size_t i = 0; i < fields_.size(); ++i) {
      const std::string_view name = Trim(fields_[i]);
      const size_t column = ColumnOf(name);
      if (column == kPlanColumns) {
        const std::string_view near = NearestName(name, kNames);
        Error(fields_[i],
              fmt::format("unknown column `{}`, expected one of {}{}", ShownText(name),
                          fmt::join(kNames, ", "),
                          near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
        ok = false;
      } else if (csv_.columns.field[column] != PlanCsvColumns::kAbsent) {
        Error(fields_[i], fmt::format("duplicate column `{}`", kNames[column]));
        ok = false;
      } else {
        csv_.columns.field[column] = i;
      }
    }
    for (const PlanColumn column : {PlanColumn::kId, PlanColumn::kLower, PlanColumn::kUpper,
                                    PlanColumn::kSize, PlanColumn::kOffset}) {
      if (csv_.columns.Has(column) || !MustHave(column)) continue;
      Error(line, fmt::format("the column `{}` is missing", kNames[static_cast<size_t>(column)]));
      ok = false;
    }
    for (const PlanColumn column : {PlanColumn::kOffset, PlanColumn::kPool}) {
      if (csv_.columns.Has(column))
        csv_.placement_columns.push_back(csv_.columns.field[static_cast<size_t>(column)]);
    }
    width_ = fields_.size();
    return ok;
  }

  /// Equal ids are separate buffers, which is rarely meant. One warning is enough.
  void WarnOfSameIds() {
    absl::flat_hash_map<std::string_view, size_t> first;
    for (size_t i = 0; i < csv_.places.size(); ++i) {
      const std::string_view id = csv_.problem.buffers[i].name;
      const auto [it, is_new] = first.try_emplace(id, i);
      if (is_new) continue;
      Diagnostic& warning = diagnostics_.Warning(
          DiagnosticKind::kCsv, csv_.places[i],
          fmt::format("a second buffer `{}`: buffers with one id are separate buffers",
                      ShownText(id)));
      Diagnostics::AddNote(warning, csv_.places[it->second], "the first one is here");
      return;
    }
  }

  bool MustHave(PlanColumn column) const {
    if (column == PlanColumn::kId) return true;
    if (column == PlanColumn::kOffset) return options_.is_plan;
    if (column == PlanColumn::kLower && csv_.columns.Has(PlanColumn::kUpper)) return true;
    if (column == PlanColumn::kUpper && csv_.columns.Has(PlanColumn::kLower)) return true;
    if (options_.is_plan && !options_.is_problem) return false;
    return column == PlanColumn::kSize || !csv_.columns.Has(PlanColumn::kLifetimes);
  }

  void ReadRow(std::string_view line) {
    Split(line, ',', fields_);
    if (fields_.size() != width_) {
      Error(line, fmt::format("{} fields, expected {}", fields_.size(), width_));
      return;
    }
    csv_.places.push_back(RangeOf(line));
    planner::Buffer& buffer = csv_.problem.buffers.emplace_back();
    buffer.name = Field(PlanColumn::kId);
    if (buffer.name.empty()) {
      Error(fields_[csv_.columns.field[static_cast<size_t>(PlanColumn::kId)]],
            "a buffer without id");
    }
    ReadSize(buffer);
    ReadLifetimes(buffer);
    if (const std::string_view field = Field(PlanColumn::kAlignment); !field.empty())
      ReadAlignment(field, buffer);
    if (const std::string_view field = Field(PlanColumn::kGaps); !field.empty())
      ReadGaps(field, buffer);
    if (const std::string_view field = Field(PlanColumn::kGroups); !field.empty())
      ReadNames(
          field, [&](std::string_view name) { return groups_.Number(name); }, buffer.groups);
    if (const std::string_view field = Field(PlanColumn::kKind); !field.empty()) {
      const std::optional<planner::BufferKind> kind = BufferKindOf(field);
      buffer.kind = kind.value_or(planner::BufferKind::kIntermediate);
      if (!kind) {
        Error(field, fmt::format("unknown kind `{}`, expected intermediate, input, output or "
                                 "constant",
                                 ShownText(field)));
      }
    }
    buffer.bytes_read = ReadCount(PlanColumn::kBytesRead);
    buffer.bytes_written = ReadCount(PlanColumn::kBytesWritten);
    ReadPlacement(buffer);
  }

  void ReadSize(planner::Buffer& buffer) {
    if (!csv_.columns.Has(PlanColumn::kSize)) return;
    const std::string_view field = Field(PlanColumn::kSize);
    const std::optional<int64_t> size = Integer(field, "size");
    if (size && (*size < 0 || *size > planner::kMaxBytes)) {
      Error(field, fmt::format("size {} is out of range, expected 0 to 2^62-1", *size));
    } else {
      buffer.size = size.value_or(0);
    }
  }

  void AddLifetime(std::string_view where, planner::Lifetime life, planner::Buffer& buffer) {
    if (life.lower > life.upper) {
      Error(where, fmt::format("a lifetime that ends at {} before it begins at {}", life.upper,
                               life.lower));
    } else if (life.lower < life.upper) {
      buffer.lifetimes.push_back(life);
    }
  }

  void ReadLifetimes(planner::Buffer& buffer) {
    const std::string_view lower = Field(PlanColumn::kLower);
    const std::string_view upper = Field(PlanColumn::kUpper);
    const std::string_view list = Field(PlanColumn::kLifetimes);
    const bool has_columns =
        csv_.columns.Has(PlanColumn::kLower) || csv_.columns.Has(PlanColumn::kUpper);
    std::optional<planner::Lifetime> hull;
    if (list.empty() ? has_columns : !lower.empty() || !upper.empty()) {
      const std::optional<int64_t> first = Integer(lower, "lower");
      const std::optional<int64_t> last = Integer(upper, "upper");
      if (first && last) hull = planner::Lifetime{*first, *last};
    }
    if (list.empty()) {
      if (hull) AddLifetime(upper, *hull, buffer);
      return;
    }
    Split(list, ' ', parts_);
    for (const std::string_view part : parts_) {
      if (part.empty()) continue;
      planner::Lifetime life;
      std::string_view rest = part;
      if (TakePair(rest, '-', life.lower, life.upper) && rest.empty()) {
        AddLifetime(part, life, buffer);
      } else {
        Error(part, fmt::format("expected a lifetime as lower-upper, found `{}`", ShownText(part)));
      }
    }
    CheckLifetimes(list, hull ? lower : std::string_view(), hull, buffer);
  }

  void CheckLifetimes(std::string_view list, std::string_view where,
                      const std::optional<planner::Lifetime>& hull, planner::Buffer& buffer) {
    auto& lives = buffer.lifetimes;
    std::sort(lives.begin(), lives.end(),
              [](const auto& a, const auto& b) { return a.lower < b.lower; });
    for (size_t i = 1; i < lives.size(); ++i) {
      if (lives[i].lower >= lives[i - 1].upper) continue;
      Error(list, fmt::format("lifetimes that overlap at {}", lives[i].lower));
      return;
    }
    if (!hull || lives.empty()) return;
    if (hull->lower != lives.front().lower || hull->upper != lives.back().upper) {
      Error(where, fmt::format("lower and upper are {} and {}, but the lifetimes are from {} to {}",
                               hull->lower, hull->upper, lives.front().lower, lives.back().upper));
    }
  }

  void ReadAlignment(std::string_view field, planner::Buffer& buffer) {
    const std::optional<int64_t> alignment = Integer(field, "alignment");
    if (!alignment) return;
    if (*alignment < 1 || *alignment > planner::kMaxAlignment ||
        (*alignment & (*alignment - 1)) != 0) {
      Error(field, fmt::format("alignment {}, expected a power of two up to 2^40", *alignment));
      return;
    }
    buffer.alignment = *alignment;
  }

  void ReadGaps(std::string_view field, planner::Buffer& buffer) {
    Split(field, ' ', parts_);
    for (const std::string_view part : parts_) {
      if (part.empty()) continue;
      planner::GapWindow gap;
      std::string_view rest = part;
      bool ok = TakePair(rest, '-', gap.lower, gap.upper);
      if (ok && rest.starts_with('@')) {
        rest.remove_prefix(1);
        ok = TakePair(rest, ':', gap.first_byte, gap.end_byte);
      }
      if (!ok || !rest.empty()) {
        Error(part,
              fmt::format("expected a gap as lower-upper or lower-upper@first:end, found `{}`",
                          ShownText(part)));
        continue;
      }
      CheckGap(part, gap, buffer);
      buffer.gaps.push_back(gap);
    }
    std::sort(buffer.gaps.begin(), buffer.gaps.end(),
              [](const auto& a, const auto& b) { return a.lower < b.lower; });
    for (size_t i = 1; i < buffer.gaps.size(); ++i) {
      if (buffer.gaps[i].lower < buffer.gaps[i - 1].upper) {
        Error(field, fmt::format("gaps that overlap at {}", buffer.gaps[i].lower));
        return;
      }
    }
  }

  void CheckGap(std::string_view place, const planner::GapWindow& gap,
                const planner::Buffer& buffer) {
    // The problem provides what an answer leaves out.
    if (options_.is_plan && (!csv_.columns.Has(PlanColumn::kSize) || buffer.lifetimes.empty())) {
      return;
    }
    std::string why = RefuseGap(gap, buffer);
    if (why.empty() && gap.lower == gap.upper) why = fmt::format("an empty gap at {}", gap.lower);
    if (!why.empty()) Error(place, std::move(why));
  }

  template <typename Number, typename List>
  void ReadNames(std::string_view field, const Number& number, List& numbers) {
    Split(field, ' ', parts_);
    for (const std::string_view part : parts_) {
      if (part.empty()) continue;
      const int32_t value = number(part);
      if (std::find(numbers.begin(), numbers.end(), value) == numbers.end()) {
        numbers.push_back(value);
      } else {
        Error(part, fmt::format("duplicate `{}`", ShownText(part)));
      }
    }
  }

  int64_t ReadCount(PlanColumn column) {
    const std::string_view field = Field(column);
    if (field.empty()) return 0;
    const std::string_view name = kNames[static_cast<size_t>(column)];
    const std::optional<int64_t> count = Integer(field, name);
    if (count && *count < 0) Error(field, fmt::format("{} {} is negative", name, *count));
    return count.value_or(0);
  }

  void ReadPlacement(planner::Buffer& buffer) {
    const auto number = [&](std::string_view name) { return pools_.Number(name, RangeOf(name)); };
    if (const std::string_view list = Field(PlanColumn::kPools); !list.empty())
      ReadNames(list, number, buffer.pools);
    const std::string_view pool = Field(PlanColumn::kPool);
    const int32_t chosen = pool.empty() ? -1 : number(pool);
    if (chosen >= 0 && !buffer.pools.empty() &&
        std::find(buffer.pools.begin(), buffer.pools.end(), chosen) == buffer.pools.end()) {
      Error(pool, fmt::format("the pool `{}` is not among the buffer's `pools`", ShownText(pool)));
    }
    const std::string_view field = Field(PlanColumn::kOffset);
    std::optional<int64_t> offset;
    if (!field.empty() || options_.is_plan) {
      offset = Integer(field, "offset");
      if (offset && (*offset < 0 || *offset > planner::kMaxBytes)) {
        Error(field, *offset < 0
                         ? fmt::format("offset {} is negative", *offset)
                         : fmt::format("offset {} is out of range, expected 0 to 2^62-1", *offset));
      }
    }
    if (options_.is_plan) {
      csv_.placements.push_back({chosen, offset.value_or(0)});
      return;
    }
    buffer.fixed_offset = offset;
    if (chosen >= 0) buffer.pools = {chosen};
  }

  bool ResolvePlacements() {
    bool ok = true;
    for (size_t i = 0; i < csv_.placements.size(); ++i) {
      int32_t& pool = csv_.placements[i].pool;
      if (pool >= 0) {
        pool = pools_.PoolOf(pool);
      } else if (csv_.problem.pools.size() == 1) {
        pool = 0;
      } else {
        diagnostics_.Error(DiagnosticKind::kCsv, csv_.places[i],
                           "expected a pool, as the problem has several");
        ok = false;
      }
    }
    return ok;
  }

  std::optional<int64_t> Integer(std::string_view text, std::string_view what) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return value;
    Error(text, fmt::format("expected a 64-bit integer as {}, found `{}`", what, ShownText(text)));
    return std::nullopt;
  }

  const SourceFile& file_;
  const PlanCsvOptions& options_;
  Diagnostics& diagnostics_;
  PlanCsv csv_;
  PoolNames pools_;
  NameNumbers groups_;
  std::vector<std::string_view> fields_;
  std::vector<std::string_view> parts_;
  size_t width_ = 0;
};

}  // namespace

std::string_view PlanCsvColumns::Of(PlanColumn column, std::string_view line) const {
  size_t place = field[static_cast<size_t>(column)];
  if (place == kAbsent) return line.substr(0, 0);
  for (; place > 0; --place) line.remove_prefix(line.find(',') + 1);
  return Trim(line.substr(0, line.find(',')));
}

std::optional<PlanCsv> ParsePlanCsv(SourceManager& sources, std::string_view name,
                                    std::string_view text, std::shared_ptr<const void> owner,
                                    Diagnostics& diagnostics, const PlanCsvOptions& options) {
  const SourceFile* const file = AddSource(sources, name, text, std::move(owner), diagnostics);
  if (file == nullptr) return std::nullopt;
  return CsvReader(*file, options, diagnostics).Read();
}

}  // namespace tenon
