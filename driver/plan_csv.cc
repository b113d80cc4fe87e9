#include "driver/plan_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "absl/container/flat_hash_map.h"

namespace tenon {

namespace {

enum Column : size_t { kId, kLower, kUpper, kSize, kAlignment, kGaps, kOffset, kColumns };
constexpr std::string_view kNames[kColumns] = {"id",        "lower", "upper", "size",
                                               "alignment", "gaps",  "offset"};
constexpr size_t kNone = static_cast<size_t>(-1);

/// The column that a name of the header stands for, or kColumns.
size_t ColumnOf(std::string_view name) {
  if (name == "buffer_id" || name == "buffer") return kId;
  if (name == "start" || name == "begin") return kLower;
  if (name == "end") return kUpper;
  for (size_t i = 0; i < kColumns; ++i) {
    if (kNames[i] == name) return i;
  }
  return kColumns;
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return text.substr(0, 0);
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] != separator) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  return parts;
}

class CsvReader {
 public:
  CsvReader(const SourceFile& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {
    std::fill(std::begin(place_), std::end(place_), kNone);
  }

  std::optional<PlanCsv> Read() {
    planner::Pool& pool = csv_.problem.pools.emplace_back();
    pool.name = "pool";
    const std::string_view text = file_.text();
    bool header = false;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      begin = end + 1;
      if (Trim(line).empty()) continue;
      if (header) {
        ReadRow(line);
      } else if (!ReadHeader(line)) {
        return std::nullopt;
      }
      header = true;
    }
    if (!header) {
      Error(text, "an empty file, expected a header with id, lower, upper and size");
    }
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(csv_);
  }

 private:
  void Error(std::string_view where, std::string message) {
    const auto begin = static_cast<uint32_t>(
        file_.base() + static_cast<size_t>(where.data() - file_.text().data()));
    diagnostics_.Error(DiagnosticKind::kCsv,
                       {begin, begin + static_cast<uint32_t>(std::max<size_t>(where.size(), 1))},
                       std::move(message));
  }

  /// Keeps a line for the output, without its offset.
  void Keep(const std::vector<std::string_view>& fields) {
    std::string& line = csv_.lines.emplace_back();
    for (size_t i = 0; i < fields.size(); ++i) {
      if (i == place_[kOffset]) continue;
      if (!line.empty()) line += ',';
      line += Trim(fields[i]);
    }
  }

  bool ReadHeader(std::string_view line) {
    const std::vector<std::string_view> fields = Split(line, ',');
    bool ok = true;
    for (size_t i = 0; i < fields.size(); ++i) {
      const std::string_view name = Trim(fields[i]);
      const size_t column = ColumnOf(name);
      if (column == kColumns) {
        Error(fields[i], fmt::format("unknown column `{}`, expected id, lower, upper, size, "
                                     "alignment, gaps or offset",
                                     name));
        ok = false;
      } else if (place_[column] != kNone) {
        Error(fields[i], fmt::format("a second column `{}`", kNames[column]));
        ok = false;
      } else {
        place_[column] = i;
      }
      if (name == "end") included_ = 1;
    }
    for (const Column column : {kId, kLower, kUpper, kSize}) {
      if (place_[column] != kNone) continue;
      Error(line, fmt::format("the column `{}` is missing", kNames[column]));
      ok = false;
    }
    width_ = fields.size();
    Keep(fields);
    return ok;
  }

  void ReadRow(std::string_view line) {
    const std::vector<std::string_view> fields = Split(line, ',');
    if (fields.size() != width_) {
      Error(line, fmt::format("{} fields, expected {}", fields.size(), width_));
      return;
    }
    const auto field = [&](Column column) {
      return place_[column] == kNone ? std::string_view() : fields[place_[column]];
    };
    planner::Buffer buffer;
    buffer.pools.push_back(0);
    buffer.name = Trim(field(kId));
    if (buffer.name.empty()) Error(field(kId), "a buffer without id");
    const std::optional<int64_t> lower = Integer(field(kLower), "lower");
    std::optional<int64_t> upper = Integer(field(kUpper), "upper");
    const std::optional<int64_t> size = Integer(field(kSize), "size");
    if (size && (*size < 0 || *size > planner::kMaxBytes)) {
      Error(field(kSize), fmt::format("size {} is out of range, expected 0 to 2^62-1", *size));
    }
    buffer.size = size.value_or(0);
    if (upper && __builtin_add_overflow(*upper, included_, &*upper)) {
      Error(field(kUpper), "a lifetime beyond the range of 64 bits");
    } else if (lower && upper && *lower > *upper) {
      Error(field(kUpper),
            fmt::format("a lifetime that ends at {} before it begins at {}", *upper, *lower));
    }
    if (lower && upper && *lower < *upper) buffer.lifetimes.push_back({*lower, *upper});
    if (!Trim(field(kAlignment)).empty()) ReadAlignment(field(kAlignment), buffer);
    ReadGaps(field(kGaps), buffer);
    if (!Trim(field(kOffset)).empty()) {
      buffer.fixed_offset = Integer(field(kOffset), "offset");
      if (buffer.fixed_offset && *buffer.fixed_offset < 0)
        Error(field(kOffset), fmt::format("offset {} is negative", *buffer.fixed_offset));
    }
    csv_.problem.buffers.push_back(std::move(buffer));
    Keep(fields);
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
    std::vector<std::string_view> places;
    for (const std::string_view part : Split(Trim(field), ' ')) {
      if (Trim(part).empty()) continue;
      const size_t at = part.find('@');
      const std::string_view time = part.substr(0, at);
      planner::GapWindow gap;
      bool ok = Pair(time, '-', gap.lower, gap.upper) && gap.upper < planner::kMaxBytes;
      gap.upper += included_;
      if (ok && at != std::string_view::npos)
        ok = Pair(part.substr(at + 1), ':', gap.first_byte, gap.end_byte);
      if (!ok) {
        Error(part,
              fmt::format("`{}` is no gap, expected lower-upper or lower-upper@first:end", part));
        continue;
      }
      CheckGap(part, gap, buffer);
      buffer.gaps.push_back(gap);
      places.push_back(part);
    }
    std::sort(buffer.gaps.begin(), buffer.gaps.end(),
              [](const auto& a, const auto& b) { return a.lower < b.lower; });
    for (size_t i = 1; i < buffer.gaps.size(); ++i) {
      if (buffer.gaps[i].lower < buffer.gaps[i - 1].upper) {
        Error(places[0], fmt::format("gaps that overlap at {}", buffer.gaps[i].lower));
        return;
      }
    }
  }

  void CheckGap(std::string_view place, const planner::GapWindow& gap,
                const planner::Buffer& buffer) {
    if (buffer.lifetimes.empty()) return;
    const planner::Lifetime& life = buffer.lifetimes[0];
    if (gap.lower >= gap.upper || gap.lower < life.lower || gap.upper > life.upper) {
      Error(place, fmt::format("a gap from {} to {} in a lifetime from {} to {}", gap.lower,
                               gap.upper, life.lower, life.upper));
    } else if (gap.first_byte > gap.end_byte || gap.end_byte > buffer.size) {
      Error(place, fmt::format("bytes {} to {} of a buffer of {}", gap.first_byte, gap.end_byte,
                               buffer.size));
    }
  }

  /// `a-b` of two numbers that are not negative.
  static bool Pair(std::string_view text, char separator, int64_t& a, int64_t& b) {
    const size_t at = text.find(separator);
    if (at == std::string_view::npos) return false;
    const auto number = [](std::string_view part, int64_t& value) {
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
      return error == std::errc() && end == part.data() + part.size() && value >= 0;
    };
    return number(text.substr(0, at), a) && number(text.substr(at + 1), b);
  }

  std::optional<int64_t> Integer(std::string_view field, std::string_view what) {
    const std::string_view text = Trim(field);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return value;
    Error(field, fmt::format("{} `{}` is no 64-bit integer", what, text));
    return std::nullopt;
  }

  const SourceFile& file_;
  Diagnostics& diagnostics_;
  PlanCsv csv_;
  size_t place_[kColumns];
  size_t width_ = 0;
  int64_t included_ = 0;
};

}  // namespace

std::optional<PlanCsv> ParsePlanCsv(SourceManager& sources, std::string_view name,
                                    std::string_view text, std::shared_ptr<const void> owner,
                                    Diagnostics& diagnostics) {
  const absl::StatusOr<const SourceFile*> file = sources.Add(name, text, std::move(owner));
  if (!file.ok()) {
    diagnostics.Error(DiagnosticKind::kLimit, {}, std::string(file.status().message()));
    return std::nullopt;
  }
  return CsvReader(**file, diagnostics).Read();
}

std::string WritePlanCsv(const PlanCsv& csv, const planner::Plan& plan) {
  std::string out = csv.lines[0] + ",offset\n";
  for (size_t i = 0; i < plan.placements.size(); ++i) {
    out += fmt::format("{},{}\n", csv.lines[i + 1], plan.placements[i].offset);
  }
  return out;
}

}  // namespace tenon
