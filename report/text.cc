#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "report/constants.h"
#include "report/labels.h"
#include "report/report.h"
#include "report/text_table.h"
#include "support/saturated.h"

namespace tenon {

namespace {

/// The rows of each table, from most to least: the first that gives few enough lines is used.
constexpr size_t kRowLimits[] = {40, 30, 24, 20, 16, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1};
constexpr size_t kMostTableLive = 8;

/// How much of a report is shown.
struct Extent {
  size_t rows = SIZE_MAX;
  size_t columns = SIZE_MAX;
  /// Tables that repeat what another one says.
  bool repeats = true;

  size_t live() const { return std::min(rows, kMostTableLive); }
  /// Rows of lists that usually are short.
  size_t few() const { return std::max<size_t>(rows, 2); }
};

/// The pointers to the `most` largest of `all`, largest first; equal ones in their order.
template <class T>
std::vector<const T*> Largest(const std::vector<T>& all, size_t most, const auto& is_wanted) {
  std::vector<const T*> rows;
  for (const T& one : all) {
    if (is_wanted(one)) rows.push_back(&one);
  }
  const auto end = rows.begin() + static_cast<ptrdiff_t>(std::min(most, rows.size()));
  std::partial_sort(rows.begin(), end, rows.end(), [](const T* a, const T* b) {
    return a->size_bytes != b->size_bytes ? a->size_bytes > b->size_bytes : a < b;
  });
  return rows;
}

/// `and 7 smaller ones` if there are more than the shown rows.
void AddRest(size_t count, size_t shown, std::string_view which, std::string& out) {
  if (count > shown) out += fmt::format("  and {} {}\n", count - shown, which);
}

std::string Shape(const std::vector<int64_t>& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

std::string Lifetime(const ReportBuffer& buffer) {
  if (buffer.ranges.empty()) return buffer.is_constant ? "always" : "-";
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(buffer.ranges.size(), 2); ++i) {
    text +=
        fmt::format("{}{}..{}", i == 0 ? "" : " ", buffer.ranges[i].lower, buffer.ranges[i].upper);
  }
  return buffer.ranges.size() > 2 ? text + " ..." : text;
}

/// Adds a row for each pool, with `optimal` if the plan meets the bound. There are columns for
/// capacities if any pool has one.
void AddPools(const MemoryReport& report, const Extent& extent, std::string& out) {
  const bool has_capacity =
      std::any_of(report.pools.begin(), report.pools.end(),
                  [](const ReportPool& pool) { return pool.capacity_bytes >= 0; });
  TextTable table(has_capacity ? "<<>>>>><" : "<<>>><");
  std::vector<std::string> heads = {"pool", "kind", "bytes", "lower bound"};
  if (has_capacity) heads.insert(heads.end(), {"capacity", "free"});
  heads.insert(heads.end(), {"align", "buffers"});
  table.Add(std::move(heads));
  const size_t shown = std::min(report.pools.size(), extent.few());
  for (size_t i = 0; i < shown; ++i) {
    const ReportPool& pool = report.pools[i];
    std::vector<std::string> row = {
        pool.name, pool.is_constant ? "constant" : "workspace", GroupedDigits(pool.size_bytes),
        pool.lower_bound_bytes == 0 ? "-" : GroupedDigits(pool.lower_bound_bytes)};
    if (has_capacity) {
      const std::optional<int64_t> left = pool.free_bytes();
      row.push_back(left ? GroupedDigits(pool.capacity_bytes) : "-");
      row.push_back(left ? GroupedDigits(*left) : "-");
    }
    row.push_back(fmt::format("{}", pool.alignment));
    row.push_back(fmt::format("{}{}", pool.buffers, pool.proven_optimal ? ", optimal" : ""));
    table.Add(std::move(row));
  }
  out += '\n';
  table.Write(out, extent.columns);
  AddRest(report.pools.size(), shown, "more pools", out);
}

/// `64,000 bytes (optimal)`.
std::string AccountingText(const ReportAccounting& accounting) {
  if (!accounting.fits) return "more than the pools have";
  return fmt::format("{} bytes{}", GroupedDigits(accounting.workspace_bytes),
                     accounting.proven_optimal ? " (optimal)" : "");
}

void AddAccountings(const ReportAccountings& accountings, std::string& out) {
  std::vector<std::string> parts;
  if (accountings.io_outside)
    parts.push_back("outside: " + AccountingText(*accountings.io_outside));
  if (accountings.io_counted)
    parts.push_back("counted: " + AccountingText(*accountings.io_counted));
  if (!parts.empty())
    out += fmt::format("workspace with inputs and outputs {}\n", fmt::join(parts, ", "));
}

/// `rows: 2 groups of 14 operators, estimate 14,208 bytes, the least of 1,234 choices`.
void AddStreaming(const ReportStreaming& streaming, std::string& out) {
  int64_t operators = 0;
  for (const ReportStreamGroup& group : streaming.groups) operators += group.operators;
  const bool is_least = streaming.estimate_bytes > streaming.enough_bytes;
  const std::string_view proof = is_least ? ", the least of" : ", which is enough, in";
  out += fmt::format(
      "rows: {} of {} groups of operators run row by row, {} operators; estimate {} "
      "bytes{} {} choices\n",
      streaming.groups.size(), GroupedDigits(streaming.possible_groups), operators,
      GroupedDigits(streaming.estimate_bytes), proof,
      streaming.choices == INT64_MAX ? "more than 2^63" : GroupedDigits(streaming.choices));
}

void AddStack(const ReportStack& stack, std::string& out) {
  if (stack.local_array_bytes > 0) {
    out += fmt::format("arrays on the stack {} bytes: allocations outside of pools\n",
                       GroupedDigits(stack.local_array_bytes));
  }
  if (stack.deepest_bytes < 0) return;
  out += fmt::format("stack about {} bytes: {}\n", GroupedDigits(stack.deepest_bytes),
                     fmt::join(stack.deepest_path, " > "));
  if (!stack.library_calls.empty()) {
    std::vector<std::string> allowed;
    for (const ReportLibraryFunction& callee : stack.library_calls)
      allowed.push_back(fmt::format("{} {}", callee.function, GroupedDigits(callee.bytes)));
    out += fmt::format("  allowed for functions of libraries: {}\n", fmt::join(allowed, ", "));
  }
  if (!stack.unknown.empty())
    out +=
        fmt::format("  without the stack of these functions: {}\n", fmt::join(stack.unknown, ", "));
}

void AddOverlapSum(const MemoryReport& report, std::string& out) {
  if (report.overlaps.empty()) return;
  int64_t bytes = 0;
  for (const ReportOverlap& overlap : report.overlaps) bytes += overlap.shared_bytes;
  out += fmt::format("\n{} pair{} of buffers share {} bytes while both hold values: see --why\n",
                     report.overlaps.size(), report.overlaps.size() == 1 ? "" : "s",
                     GroupedDigits(bytes));
}

void AddPeak(const MemoryReport& report, const ReportPool& pool, const Extent& extent,
             std::string& out) {
  if (!pool.peak) return;
  const ReportPeak& peak = *pool.peak;
  out += fmt::format("\npeak of {}: {} bytes live at tick {} of {}", pool.name,
                     GroupedDigits(peak.live_bytes), peak.tick, report.ticks);
  if (peak.line > 0) out += fmt::format(", line {}", peak.line);
  if (!peak.statement.empty()) out += fmt::format("\n  {}", peak.statement);
  out += '\n';
  const size_t shown = std::min(peak.live.size(), extent.live());
  for (size_t i = 0; i < shown; ++i) {
    const ReportBuffer& buffer = report.buffers[peak.live[i]];
    out += fmt::format("  {:>12}  {} ({})\n", GroupedDigits(buffer.size_bytes), buffer.name,
                       buffer.function);
  }
  AddRest(peak.live.size(), shown, "more", out);
  const std::vector<const ReportOverlap*> overlaps = OverlapsAt(report, pool.name, peak.tick);
  for (size_t i = 0; i < std::min(overlaps.size(), extent.live()); ++i) {
    out += fmt::format("  {:>12}  shared by {} and {}\n", GroupedDigits(-overlaps[i]->shared_bytes),
                       report.buffers[overlaps[i]->dying].name,
                       report.buffers[overlaps[i]->begun].name);
  }
}

/// Adds the peaks of pools, the largest pools first if not all are shown.
void AddPeaks(const MemoryReport& report, const Extent& extent, std::string& out) {
  const auto has_peak = [](const ReportPool& pool) { return pool.peak.has_value(); };
  std::vector<const ReportPool*> pools = Largest(report.pools, extent.few(), has_peak);
  const size_t shown = std::min(pools.size(), extent.few());
  std::sort(pools.begin(), pools.begin() + static_cast<ptrdiff_t>(shown));
  for (size_t i = 0; i < shown; ++i) AddPeak(report, *pools[i], extent, out);
}

void AddConstantSum(const ConstantBytes& bytes, std::string_view where, std::string& out) {
  if (bytes.constants == 0) return;
  out += fmt::format("{}: {} constants, {} uses", where, GroupedDigits(bytes.constants),
                     GroupedDigits(bytes.uses));
  if (bytes.saved_bytes() > 0)
    out += fmt::format(", {} bytes saved by sharing", GroupedDigits(bytes.saved_bytes()));
  if (bytes.compressed_bytes >= 0)
    out += fmt::format(", about {} with LZ4", GroupedDigits(bytes.compressed_bytes));
  out += '\n';
}

/// Adds the savings from sharing and from compression.
void AddConstantSums(const MemoryReport& report, std::string& out) {
  for (const ReportPool& pool : report.pools) {
    if (pool.is_constant) AddConstantSum(ConstantBytesOf(report, pool.name), pool.name, out);
  }
  AddConstantSum(ConstantBytesOf(report, ""), "in place", out);
}

/// `part of w from 256`, `3 uses`, or an empty string.
std::string Sharing(const ReportConstant& constant) {
  if (!constant.base.empty())
    return fmt::format("in {} from {}", constant.base, GroupedDigits(constant.base_offset));
  return constant.uses > 1 ? fmt::format("{} uses", constant.uses) : "";
}

/// The form in the generated code: `object`, `lz4, loaded into sram`.
std::string Storage(const ReportConstant& constant) {
  std::vector<std::string> parts;
  for (const std::string* part : {&constant.storage, &constant.codec}) {
    if (!part->empty()) parts.push_back(*part);
  }
  if (!constant.codec.empty() && constant.stored_bytes >= 0)
    parts.push_back(fmt::format("{} bytes", GroupedDigits(constant.stored_bytes)));
  if (!constant.load.empty()) parts.push_back("loaded into " + constant.load);
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Adds the constants by size, with their users and possible savings.
void AddConstants(const MemoryReport& report, const ShortLabels& labels, const Extent& extent,
                  std::string& out) {
  const std::vector<const ReportConstant*> rows =
      Largest(report.constants, extent.rows, [](const ReportConstant&) { return true; });
  if (rows.empty()) return;
  TextTable table("<>>><<<<");
  table.Add({"data", "bytes", "LZ4", "read", "shared", "section", "as", "functions"});
  const size_t shown = std::min(rows.size(), extent.rows);
  for (size_t i = 0; i < shown; ++i) {
    const ReportConstant& constant = *rows[i];
    std::string users = constant.users.empty() ? "" : labels.Of(constant.users[0]);
    if (constant.users.size() > 1) users += fmt::format(" and {} more", constant.users.size() - 1);
    table.Add(
        {constant.name, GroupedDigits(constant.size_bytes),
         constant.compressed_bytes < 0
             ? ""
             : fmt::format("{:.0f} %", Percent(constant.compressed_bytes, constant.size_bytes)),
         GroupedDigits(constant.bytes_read), Sharing(constant), constant.section, Storage(constant),
         std::move(users)});
  }
  out += '\n';
  table.Write(out, extent.columns);
  AddRest(rows.size(), shown, "smaller ones", out);
  AddConstantSums(report, out);
}

void AddBuffers(const MemoryReport& report, bool constants, const ShortLabels& labels,
                const Extent& extent, std::string& out) {
  const std::vector<const ReportBuffer*> rows =
      Largest(report.buffers, extent.rows,
              [&](const ReportBuffer& b) { return b.is_constant == constants; });
  if (rows.empty()) return;
  // With several pools, an offset also names its pool.
  const auto of_kind =
      std::count_if(report.pools.begin(), report.pools.end(),
                    [&](const ReportPool& p) { return p.is_constant == constants; });
  TextTable table("<>><<<");
  table.Add({constants ? "constant" : "workspace", "bytes", "offset",
             constants ? "live" : "live (ticks)", "type", "function"});
  const size_t shown = std::min(rows.size(), extent.rows);
  for (size_t i = 0; i < shown; ++i) {
    const ReportBuffer& buffer = *rows[i];
    std::string offset = buffer.pool.empty() ? "in place" : GroupedDigits(buffer.offset);
    if (of_kind > 1 && !buffer.pool.empty())
      offset = fmt::format("{}@{}", CutMiddle(buffer.pool, 24), offset);
    table.Add({buffer.name, GroupedDigits(buffer.size_bytes), std::move(offset), Lifetime(buffer),
               buffer.dtype + Shape(buffer.shape), labels.Of(buffer.function)});
  }
  out += '\n';
  table.Write(out, extent.columns);
  AddRest(rows.size(), shown, "smaller ones", out);
}

/// The share of each target, and of the host, which has the RAM.
void AddShares(const MemoryReport& report, const Extent& extent, std::string& out) {
  struct Share {
    int64_t operators = 0, macs = 0, elements = 0;
  };
  std::map<std::string_view, Share> shares;
  Share all;
  for (const ReportOperator& op : report.operators) {
    for (Share* share : {&shares[op.target], &all}) {
      ++share->operators;
      share->macs += op.macs;
      share->elements += op.macs == 0 ? op.elements : 0;
    }
  }
  TextTable table("<>>>>");
  table.Add({"share of", "operators", "MACs", "%", "elements of operators without MACs"});
  for (const auto& [target, share] : shares) {
    const double percent =
        all.macs == 0 ? 0 : 100 * static_cast<double>(share.macs) / static_cast<double>(all.macs);
    table.Add({std::string(target), GroupedDigits(share.operators), GroupedDigits(share.macs),
               fmt::format("{:.1f}", percent), GroupedDigits(share.elements)});
  }
  out += '\n';
  table.Write(out, extent.columns);
}

void AddOperators(const MemoryReport& report, const ShortLabels& labels, const Extent& extent,
                  std::string& out) {
  if (report.operators.empty()) return;
  TextTable table("<<><<");
  table.Add({"operator", "kind", "MACs", "target", "why not"});
  const size_t shown = std::min(report.operators.size(), extent.rows);
  for (size_t i = 0; i < shown; ++i) {
    const ReportOperator& op = report.operators[i];
    table.Add({labels.Of(op.name), op.kind, GroupedDigits(op.macs), op.target, op.why_not});
  }
  out += '\n';
  table.Write(out, extent.columns);
  AddRest(report.operators.size(), shown, "more", out);
  AddShares(report, extent, out);
}

/// Adds the sums over the whole model.
void AddTotals(const MemoryReport& report, const Extent& extent, std::string& out) {
  out += fmt::format("{}, entry {}\n", report.source, report.entry);
  if (!report.algorithm.empty()) out += fmt::format("planned by {}\n", report.algorithm);
  out += fmt::format("constants {} bytes, workspace {} bytes, inputs and outputs {} bytes\n",
                     GroupedDigits(report.constant_bytes()),
                     GroupedDigits(report.workspace_bytes()), GroupedDigits(report.io_bytes()));
  const bool has_stack = report.stack && report.stack->deepest_bytes >= 0;
  out += fmt::format("RAM {} bytes with inputs, outputs and {}; flash {} bytes {}\n",
                     GroupedDigits(report.ram_bytes()),
                     has_stack ? "the stack of the run" : "arrays on the stack",
                     GroupedDigits(SaturatedAdd(report.constant_bytes(), report.code_bytes())),
                     report.code_bytes() > 0 ? "with code" : "without code");
  const size_t shown = std::min(report.tensors.size(), extent.few());
  for (size_t i = 0; i < shown; ++i) {
    const ReportTensor& tensor = report.tensors[i];
    out += fmt::format("  {:<6} {} {}{}", tensor.is_output ? "output" : "input", tensor.name,
                       tensor.dtype, tensor.shape.empty() ? "" : Shape(tensor.shape));
    if (!tensor.pool.empty())
      out += fmt::format(", in {} at {}", tensor.pool, GroupedDigits(tensor.offset));
    out += '\n';
  }
  AddRest(report.tensors.size(), shown, "more inputs and outputs", out);
  AddAccountings(report.accountings, out);
  if (!report.spill.empty()) out += SpillText(report.spill) + "\n";
  if (!report.streaming.empty()) AddStreaming(report.streaming, out);
  if (report.stack) AddStack(*report.stack, out);
}

std::string TextOf(const MemoryReport& report, const Extent& extent) {
  const ShortLabels labels(report.steps,
                           {.most = extent.columns == SIZE_MAX ? SIZE_MAX : LabelForm().most});
  std::string out;
  AddTotals(report, extent, out);
  AddPools(report, extent, out);
  AddOverlapSum(report, out);
  AddPeaks(report, extent, out);
  AddBuffers(report, false, labels, extent, out);
  if (extent.repeats) AddBuffers(report, true, labels, extent, out);
  AddConstants(report, labels, extent, out);
  AddOperators(report, labels, extent, out);
  const bool has_ticks = std::any_of(report.buffers.begin(), report.buffers.end(),
                                     [](const ReportBuffer& b) { return !b.ranges.empty(); });
  if (has_ticks)
    out +=
        "\na tick is a statement, in the order of the run; the statements of a loop count once\n";
  return out;
}

/// Shortens longer lines.
std::string WithColumns(std::string_view text, size_t most) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += CutMiddle(text.substr(0, end), most) + '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string GroupedDigits(int64_t value) {
  std::string text = fmt::format("{}", value);
  for (size_t at = text.size(); at > (value < 0 ? 4U : 3U);) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string ReportText(const MemoryReport& report) { return TextOf(report, {}); }

std::string ReportText(const MemoryReport& report, const TextLimits& limits) {
  const auto fits = [&](const std::string& text, size_t more) {
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + more <= limits.lines;
  };
  std::string text = TextOf(report, {kRowLimits[0], limits.columns, /*repeats=*/true});
  // The closing line follows.
  if (fits(text, 1)) return WithColumns(text, limits.columns);
  for (const size_t rows : kRowLimits) {
    text = TextOf(report, {rows, limits.columns, /*repeats=*/false});
    if (fits(text, 3)) break;
  }
  return WithColumns(text + "\nmore: --all, --layers, --why, --html=FILE\n", limits.columns);
}

}  // namespace tenon
