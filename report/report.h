#ifndef TENON_REPORT_REPORT_H_
#define TENON_REPORT_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/storage_defaults.h"
#include "support/diagnostics.h"

// What is constant, what is workspace, who is live when, and why the peak is what it is.

namespace tenon {

/// A half-open stretch of the clock.
struct ReportRange {
  int64_t lower = 0;
  int64_t upper = 0;
};

/// One thing that has an address: an allocation of workspace, or a constant.
struct ReportBuffer {
  std::string name;
  /// The function in which it stands.
  std::string function;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t size_bytes = 0;
  bool is_constant = false;
  /// The pool it was placed in; empty when it stays where it stands in the program.
  std::string pool;
  int64_t offset = 0;
  /// Why it is in no pool; empty when it is in one.
  std::string unplaced;
  /// When it is live; empty for constants, which always are, and where that is not known.
  std::vector<ReportRange> ranges;
  /// Ticks at which it is touched, ascending; empty where that is not known.
  std::vector<int64_t> uses;
  /// What one run of the entry reads and writes of it (ir/analysis/access_counts.h), where known.
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
  /// Line of the source, 0 when not known.
  int64_t line = 0;
  /// The data of a constant, an index into MemoryReport::constants; -1 where that is not known.
  int64_t constant = -1;
};

/// The data of one or more buffers that are constant.
struct ReportConstant {
  /// In the module's table; what a function calls it if it is not there.
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t size_bytes = 0;
  /// `xxh3:` and 32 hexadecimal digits; empty where the contents are not known.
  std::string hash;
  /// Functions that have it, each once.
  std::vector<std::string> users;
  /// Buffers that are it.
  int64_t uses = 0;
  /// `text`, `file`, `splat`, `slice` or `hash`: where the bytes come from, and the file's name.
  std::string source;
  std::string file;
  /// What it says of its place; 0 and empty where it says nothing.
  int64_t alignment = 0;
  std::string section;
  bool address_significant = false;
  /// The pool in RAM into which it is copied before the first run, and how it is stored until then
  /// (`lz4`, `zstd`); empty: it is read where it is stored, and as it is.
  std::string load;
  std::string codec;
  /// Of one that is loaded: the bytes that are stored of it (-1: not known), and where, if that is
  /// in a pool: also a buffer with `_stored` behind its name.
  int64_t stored_bytes = -1;
  std::string stored_pool;
  int64_t stored_offset = 0;
  /// Of a slice: what it is a part of, and from which byte on.
  std::string base;
  int64_t base_offset = 0;
  /// About what LZ4 makes of it (report/constants.h); -1: not known.
  int64_t compressed_bytes = -1;
  /// What one run of the entry reads of it, in all functions.
  int64_t bytes_read = 0;
  /// How generated code has it; empty where none was made.
  std::string storage;
};

/// The first moment at which the most bytes of a pool hold something.
struct ReportPeak {
  int64_t tick = 0;
  /// Sum of what is live then; no plan is smaller.
  int64_t live_bytes = 0;
  /// Indexes of the buffers that are live then, the largest first.
  std::vector<size_t> live;
  /// The statement that runs then, as the source has it, and its line; 0 when not known.
  std::string statement;
  int64_t line = 0;
};

struct ReportPool {
  std::string name;
  bool is_constant = false;
  /// The generated code owns the storage.
  bool is_internal = false;
  /// Of constants that several models share: the file that declares the storage. Else empty.
  std::string header;
  int64_t size_bytes = 0;
  /// The bytes that the pool may take, as its declaration says; -1: no limit is known.
  int64_t capacity_bytes = -1;
  /// What the storage's address is a multiple of.
  int64_t alignment = 0;
  int64_t lower_bound_bytes = 0;
  bool proven_optimal = false;
  /// Buffers in it.
  int64_t buffers = 0;
  /// Of workspace pools whose buffers have lifetimes.
  std::optional<ReportPeak> peak;

  /// Bytes of the capacity that the plan leaves; nullopt where no capacity is known.
  std::optional<int64_t> free_bytes() const {
    if (capacity_bytes < 0) return std::nullopt;
    return capacity_bytes > size_bytes ? capacity_bytes - size_bytes : 0;
  }
};

/// Two buffers that share bytes while both hold values: a call reads one for the last time and
/// writes the other.
struct ReportOverlap {
  /// The function called.
  std::string function;
  /// Indexes of buffers: the input that dies in the call, and the output that begins in it.
  size_t dying = 0;
  size_t begun = 0;
  /// Bytes that belong to both.
  int64_t shared_bytes = 0;
  /// offset(begun) - offset(dying), in bytes.
  int64_t distance = 0;
  /// The distances that are safe: closed ranges, ascending. Nullopt stands for no end.
  struct Distances {
    std::optional<int64_t> first;
    std::optional<int64_t> last;
  };
  std::vector<Distances> allowed;
  /// The store and the later access that end the range of the distance.
  std::string bound;
  /// When both are live.
  std::vector<ReportRange> ranges;
};

/// An overlap as the plan records it: allocations by their names.
struct PlannedOverlap {
  std::string function;
  std::string dying;
  std::string begun;
  std::vector<ReportOverlap::Distances> allowed;
  std::string bound;
};

/// A statement of the entry function, most often the call of an operator, and when it runs. A loop
/// around calls is not one, the calls are.
struct ReportStep {
  std::string label;
  ReportRange range;
  int64_t line = 0;
};

/// An input or output: a tensor that the caller of the model owns or that lies in a pool, or a
/// number that the caller passes, which has no shape.
struct ReportTensor {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t size_bytes = 0;
  bool is_output = false;
  /// The pool that it lies in, and where; empty: the caller's.
  std::string pool;
  int64_t offset = 0;
};

/// What one of several models needs of a pool that they share.
struct ReportModelPool {
  std::string name;
  int64_t size_bytes = 0;
  int64_t lower_bound_bytes = 0;
  bool proven_optimal = false;
};

/// The workspace by one way of counting.
struct ReportAccounting {
  /// False: the declared pools are too small to count so. No other member is set then.
  bool fits = true;
  int64_t workspace_bytes = 0;
  int64_t lower_bound_bytes = 0;
  /// Every pool of workspace meets its lower bound.
  bool proven_optimal = false;
  /// The pools of workspace, by name.
  std::vector<ReportModelPool> pools;
};

/// The sums over these pools.
ReportAccounting SumOf(std::vector<ReportModelPool> pools);

/// Both ways of counting. Nullopt: not known, as for a module that came planned.
struct ReportAccountings {
  /// Inputs and outputs are the caller's.
  std::optional<ReportAccounting> io_outside;
  /// Inputs and outputs lie in the pools. An input lives from the start to its last read, an output
  /// from its first write to the end.
  std::optional<ReportAccounting> io_counted;
};

/// The stack that one emitted function takes for itself.
struct ReportFrame {
  std::string function;
  int64_t bytes = 0;
};

/// An estimate of the stack that a run takes.
struct ReportStack {
  /// Of allocations that are in no pool, the most that are live together.
  int64_t local_array_bytes = 0;
  /// The machine code's frames, where some was made; in the order of the code.
  std::vector<ReportFrame> frames;
  /// The largest sum of frames along a chain of calls, and that chain. -1: no code was made.
  int64_t deepest_bytes = -1;
  std::vector<std::string> deepest_path;
  /// Functions that the code calls and that are defined elsewhere: their stack is not counted.
  std::vector<std::string> unknown;
};

/// One of several models that run in turn in one workspace.
struct ReportModel {
  std::string name;
  std::string source;
  std::string entry;
  /// Its part of the report's clock.
  ReportRange range;
  /// Alone.
  int64_t constant_bytes = 0;
  int64_t workspace_bytes = 0;
  int64_t io_bytes = 0;
  std::vector<ReportModelPool> pools;
  ReportAccountings accountings;
};

/// A call of an operator, where external code generators were asked.
struct ReportOperator {
  std::string name;
  /// What it computes, and how many multiplications and elements that takes.
  std::string kind;
  int64_t macs = 0;
  int64_t elements = 0;
  /// Who computes it: a target of a code generator, or `host`.
  std::string target;
  /// For targets that do not, why: `blas: its sums must stay in order; c: ...`.
  std::string why_not;
};

struct MemoryReport {
  /// File and entry function.
  std::string source;
  std::string entry;
  /// The planner's algorithm; empty for a module that came planned.
  std::string algorithm;
  /// Length of the clock: one tick a statement, calls followed. 0: no lifetimes are known.
  int64_t ticks = 0;
  std::vector<ReportStep> steps;
  /// The line that each tick stands for, 0 where there is none; empty when that is not known.
  std::vector<int64_t> tick_lines;
  std::vector<ReportTensor> tensors;
  /// By name.
  std::vector<ReportPool> pools;
  /// In program order.
  std::vector<ReportBuffer> buffers;
  /// In the order of the calls.
  std::vector<ReportOverlap> overlaps;
  ReportAccountings accountings;
  /// Nullopt in a report that was read and does not have it.
  std::optional<ReportStack> stack;
  /// What the buffers that are constant have for data, in the order of their first uses.
  std::vector<ReportConstant> constants;
  /// Where operators go, in the order of the program; empty where no targets were named.
  std::vector<ReportOperator> operators;
  /// Of a report on several models (report/merge.h); else empty.
  std::vector<ReportModel> models;

  /// Bytes that are stored of constants: pools of constants, and each byte of other constants once.
  int64_t constant_bytes() const;
  /// Sums over pools of workspace, and over tensors outside of pools.
  int64_t workspace_bytes() const;
  int64_t io_bytes() const;

  /// The data of a constant, or null.
  const ReportConstant* ConstantOf(const ReportBuffer& buffer) const {
    const auto index = static_cast<size_t>(buffer.constant);
    return index < constants.size() ? &constants[index] : nullptr;
  }
};

struct ReportOptions {
  /// What the plan was made with.
  int64_t workspace_alignment = kDefaultAlignment;
  int64_t constant_alignment = kDefaultAlignment;
  /// What the plan says of allocations that overlap.
  std::vector<PlannedOverlap> overlaps = {};
};

/// Describes a module as plan-memory left it (annotations `tenon.placement`, attribute
/// `tenon.memory_plan`). For one whose functions take planned pools already, sizes and constants
/// are what the pools' attributes tell, lifetimes follow from the addresses in pools, and the lower
/// bound is what is live at the peak. Nullopt after an error.
std::optional<MemoryReport> MakeReport(const IRModule& module, const ReportOptions& options,
                                       Diagnostics& diagnostics);

/// Sets the distance of two buffers, the bytes that they share, and when both are live; false where
/// they share nothing.
bool FindShared(const MemoryReport& report, ReportOverlap& overlap);

/// The overlaps of a pool whose two buffers are live at a tick.
std::vector<const ReportOverlap*> OverlapsAt(const MemoryReport& report, std::string_view pool,
                                             int64_t tick);

/// Sets the pool's peak from the buffers that are in it; nothing when none has a lifetime. Bytes
/// that two buffers share count once.
void FindPeak(const MemoryReport& report, ReportPool& pool);

/// Tables for a terminal.
std::string ReportText(const MemoryReport& report);
/// Of the JSON: grows when a reader of older ones would misread it, not when members are added.
inline constexpr int64_t kReportVersion = 1;

/// One JSON object; docs/tools.md describes it.
std::string ReportJson(const MemoryReport& report);
/// One HTML file that needs no other.
std::string ReportHtml(const MemoryReport& report);

/// `1,234,567`.
std::string GroupedDigits(int64_t value);

}  // namespace tenon

#endif  // TENON_REPORT_REPORT_H_
