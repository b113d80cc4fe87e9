#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/constants.h"
#include "report/report.h"
#include "report/text_table.h"

namespace tenon {

namespace {

/// The longest lists shown on a terminal.
constexpr size_t kMostRows = 40;
constexpr size_t kMostTableLive = 8;

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
void AddPools(const MemoryReport& report, std::string& out) {
  const bool has_capacity =
      std::any_of(report.pools.begin(), report.pools.end(),
                  [](const ReportPool& pool) { return pool.capacity_bytes >= 0; });
  out += fmt::format(
      "\n{:<26} {:<10} {:>12} {:>14} {}{:>6}  {}\n", "pool", "kind", "bytes", "lower bound",
      has_capacity ? fmt::format("{:>12} {:>12} ", "capacity", "free") : "", "align", "buffers");
  for (const ReportPool& pool : report.pools) {
    const std::string bound =
        pool.lower_bound_bytes == 0 ? "-" : GroupedDigits(pool.lower_bound_bytes);
    std::string capacity;
    if (has_capacity) {
      const std::optional<int64_t> left = pool.free_bytes();
      capacity = fmt::format("{:>12} {:>12} ", left ? GroupedDigits(pool.capacity_bytes) : "-",
                             left ? GroupedDigits(*left) : "-");
    }
    out += fmt::format("{:<26} {:<10} {:>12} {:>14} {}{:>6}  {}{}\n", pool.name,
                       pool.is_constant ? "constant" : "workspace", GroupedDigits(pool.size_bytes),
                       bound, capacity, pool.alignment, pool.buffers,
                       pool.proven_optimal ? ", optimal" : "");
  }
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

void AddStack(const ReportStack& stack, std::string& out) {
  if (stack.local_array_bytes > 0) {
    out += fmt::format("arrays on the stack {} bytes: allocations outside of pools\n",
                       GroupedDigits(stack.local_array_bytes));
  }
  if (stack.deepest_bytes < 0) return;
  out += fmt::format("stack about {} bytes: {}\n", GroupedDigits(stack.deepest_bytes),
                     fmt::join(stack.deepest_path, " > "));
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

void AddPeak(const MemoryReport& report, const ReportPool& pool, std::string& out) {
  if (!pool.peak) return;
  out += fmt::format("\npeak of {}: {} bytes live at tick {}", pool.name,
                     GroupedDigits(pool.peak->live_bytes), pool.peak->tick);
  if (pool.peak->line > 0) out += fmt::format(", line {}", pool.peak->line);
  if (!pool.peak->statement.empty()) out += fmt::format("\n  {}", pool.peak->statement);
  out += '\n';
  for (size_t i = 0; i < std::min(pool.peak->live.size(), kMostTableLive); ++i) {
    const ReportBuffer& buffer = report.buffers[pool.peak->live[i]];
    out += fmt::format("  {:>12}  {} ({})\n", GroupedDigits(buffer.size_bytes), buffer.name,
                       buffer.function);
  }
  if (pool.peak->live.size() > kMostTableLive)
    out += fmt::format("  and {} more\n", pool.peak->live.size() - kMostTableLive);
  for (const ReportOverlap* overlap : OverlapsAt(report, pool.name, pool.peak->tick)) {
    out += fmt::format("  {:>12}  shared by {} and {}\n", GroupedDigits(-overlap->shared_bytes),
                       report.buffers[overlap->dying].name, report.buffers[overlap->begun].name);
  }
}

void AddConstantSum(const ConstantBytes& bytes, std::string_view where, std::string& out) {
  if (bytes.constants == 0) return;
  out += fmt::format("{}: {} constants, {} uses", where, GroupedDigits(bytes.constants),
                     GroupedDigits(bytes.uses));
  if (bytes.saved_bytes() > 0)
    out += fmt::format(", {} bytes saved by sharing", GroupedDigits(bytes.saved_bytes()));
  if (bytes.compressed_bytes >= 0)
    out += fmt::format(", about {} bytes if compressed", GroupedDigits(bytes.compressed_bytes));
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
void AddConstants(const MemoryReport& report, std::string& out) {
  std::vector<const ReportConstant*> rows;
  for (const ReportConstant& constant : report.constants) rows.push_back(&constant);
  if (rows.empty()) return;
  std::stable_sort(rows.begin(), rows.end(), [](const ReportConstant* a, const ReportConstant* b) {
    return a->size_bytes > b->size_bytes;
  });
  TextTable table("<>>><<<<");
  table.Add({"data", "bytes", "LZ4", "read", "shared", "section", "as", "functions"});
  for (size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    const ReportConstant& constant = *rows[i];
    std::string users = constant.users.empty() ? "" : constant.users[0];
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
  table.Write(out);
  if (rows.size() > kMostRows)
    out += fmt::format("  and {} smaller ones\n", rows.size() - kMostRows);
  AddConstantSums(report, out);
}

void AddBuffers(const MemoryReport& report, bool constants, std::string& out) {
  std::vector<const ReportBuffer*> rows;
  for (const ReportBuffer& buffer : report.buffers) {
    if (buffer.is_constant == constants) rows.push_back(&buffer);
  }
  if (rows.empty()) return;
  std::stable_sort(rows.begin(), rows.end(), [](const ReportBuffer* a, const ReportBuffer* b) {
    return a->size_bytes > b->size_bytes;
  });
  // With several pools, an offset also names its pool.
  const auto of_kind =
      std::count_if(report.pools.begin(), report.pools.end(),
                    [&](const ReportPool& p) { return p.is_constant == constants; });
  out += fmt::format("\n{:<28} {:>12} {:>12}  {:<14} {:<22} {}\n",
                     constants ? "constant" : "workspace", "bytes", "offset", "live", "type",
                     "function");
  for (size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    const ReportBuffer& buffer = *rows[i];
    std::string offset = buffer.pool.empty() ? "in place" : GroupedDigits(buffer.offset);
    if (of_kind > 1 && !buffer.pool.empty()) offset = fmt::format("{}@{}", buffer.pool, offset);
    out += fmt::format("{:<28} {:>12} {:>12}  {:<14} {:<22} {}\n", buffer.name,
                       GroupedDigits(buffer.size_bytes), offset, Lifetime(buffer),
                       buffer.dtype + Shape(buffer.shape), buffer.function);
  }
  if (rows.size() > kMostRows) out += fmt::format("and {} smaller ones\n", rows.size() - kMostRows);
}

void AddOperators(const MemoryReport& report, std::string& out) {
  if (report.operators.empty()) return;
  out += fmt::format("\n{:<40} {:<16} {:>14}  {:<10} {}\n", "operator", "kind", "MACs", "target",
                     "why not");
  for (size_t i = 0; i < std::min(report.operators.size(), kMostRows); ++i) {
    const ReportOperator& op = report.operators[i];
    std::string line = fmt::format("{:<40} {:<16} {:>14}  {:<10} {}", op.name, op.kind,
                                   GroupedDigits(op.macs), op.target, op.why_not);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  if (report.operators.size() > kMostRows)
    out += fmt::format("and {} more\n", report.operators.size() - kMostRows);
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

std::string ReportText(const MemoryReport& report) {
  std::string out = fmt::format("{}, entry {}\n", report.source, report.entry);
  if (!report.algorithm.empty()) out += fmt::format("planned by {}\n", report.algorithm);
  out += fmt::format("constants {} bytes, workspace {} bytes, inputs and outputs {} bytes\n",
                     GroupedDigits(report.constant_bytes()),
                     GroupedDigits(report.workspace_bytes()), GroupedDigits(report.io_bytes()));
  const bool has_stack = report.stack && report.stack->deepest_bytes >= 0;
  out += fmt::format("RAM {} bytes with inputs, outputs and {}; flash {} bytes without code\n",
                     GroupedDigits(report.ram_bytes()),
                     has_stack ? "the stack of the run" : "arrays on the stack",
                     GroupedDigits(report.constant_bytes()));
  for (const ReportTensor& tensor : report.tensors) {
    out += fmt::format("  {:<6} {} {}{}", tensor.is_output ? "output" : "input", tensor.name,
                       tensor.dtype, tensor.shape.empty() ? "" : Shape(tensor.shape));
    if (!tensor.pool.empty())
      out += fmt::format(", in {} at {}", tensor.pool, GroupedDigits(tensor.offset));
    out += '\n';
  }
  AddAccountings(report.accountings, out);
  if (report.stack) AddStack(*report.stack, out);
  AddPools(report, out);
  AddOverlapSum(report, out);
  for (const ReportPool& pool : report.pools) AddPeak(report, pool, out);
  AddBuffers(report, false, out);
  AddBuffers(report, true, out);
  AddConstants(report, out);
  AddOperators(report, out);
  return out;
}

}  // namespace tenon
