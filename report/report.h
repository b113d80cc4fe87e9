#ifndef TENON_REPORT_REPORT_H_
#define TENON_REPORT_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/storage_defaults.h"
#include "report/member.h"
#include "report/spill.h"
#include "support/diagnostics.h"

// The memory report: constants, workspace, lifetimes, and an explanation of the peak.

namespace tenon {

struct ConstantBytes;
struct MemoryReport;
struct SharedBytes;

/// A half-open interval of the clock.
struct ReportRange {
  int64_t lower = 0;
  int64_t upper = 0;
};

/// An object with an address: an allocation of workspace, or a constant.
struct ReportBuffer {
  std::string name;
  /// The function that contains it.
  std::string function;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t size_bytes = 0;
  bool is_constant = false;
  /// The pool it was placed in; empty if it stays in place in the program.
  std::string pool;
  int64_t offset = 0;
  /// Why it is in no pool; empty if it is in one.
  std::string unplaced;
  /// When it is live; empty for constants, which are always live, and if unknown.
  std::vector<ReportRange> ranges;
  /// The ticks at which it is accessed, ascending; empty if unknown.
  std::vector<int64_t> uses;
  /// The bytes that one run of the entry reads and writes (ir/analysis/access_counts.h), if known.
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
  /// The line of the source, 0 if unknown.
  int64_t line = 0;
  /// For a constant, an index into MemoryReport::constants; -1 if unknown.
  int64_t constant = -1;

  static void Members(const auto& list) {
    list.Required("name", &ReportBuffer::name);
    list.Kind(&ReportBuffer::is_constant, "workspace", "constant");
    list.Required("function", &ReportBuffer::function);
    list.Required("dtype", &ReportBuffer::dtype);
    list.Required("shape", &ReportBuffer::shape);
    list.Required("size_bytes", &ReportBuffer::size_bytes);
    list.OrNull("pool", &ReportBuffer::pool, {.diff = "pool"});
    list.When([](const auto& buffer) { return buffer.pool.empty(); })
        .Required("unplaced", &ReportBuffer::unplaced);
    list.When([](const auto& buffer) { return !buffer.pool.empty(); })
        .Required("offset", &ReportBuffer::offset);
    list.Required("live", &ReportBuffer::ranges);
    list.Optional("bytes_read", &ReportBuffer::bytes_read);
    list.Optional("bytes_written", &ReportBuffer::bytes_written);
    list.IfSet("line", &ReportBuffer::line);
    list.IfSet("constant", &ReportBuffer::constant);
  }
};

/// The data of one or more constant buffers.
struct ReportConstant {
  /// The name in the module's table, or the name in a function for other constants.
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t size_bytes = 0;
  /// `xxh3:` and 32 hexadecimal digits; empty if the contents are not known.
  std::string hash;
  /// The functions that use it, without duplicates.
  std::vector<std::string> users;
  /// The number of buffers with this data.
  int64_t uses = 0;
  /// The source of the bytes (`text`, `file`, `splat`, `slice` or `hash`), and the file's name.
  std::string source;
  std::string file;
  /// The constant's own placement requirements; 0 and empty if there are none.
  int64_t alignment = 0;
  std::string section;
  bool address_significant = false;
  /// The RAM pool into which the constant is copied before the first run, and its storage format
  /// until then (`lz4`, `zstd`). Empty if it is read directly from its stored place.
  std::string load;
  std::string codec;
  /// For a loaded constant: its stored bytes (-1 if unknown) and, if they are in a pool, their
  /// place. A separate buffer with the suffix `_stored` then describes them.
  int64_t stored_bytes = -1;
  std::string stored_pool;
  int64_t stored_offset = 0;
  /// For a slice: the constant that contains it, and the offset of its first byte.
  std::string base;
  int64_t base_offset = 0;
  /// The estimated size after LZ4 compression (report/constants.h); -1 if unknown.
  int64_t compressed_bytes = -1;
  /// The bytes that one run of the entry reads, in all functions.
  int64_t bytes_read = 0;
  /// The form in the generated code; empty if no code was generated.
  std::string storage;

  static void Members(const auto& list) {
    list.Required("name", &ReportConstant::name);
    list.Required("dtype", &ReportConstant::dtype);
    list.Required("shape", &ReportConstant::shape);
    list.Required("size_bytes", &ReportConstant::size_bytes);
    list.IfSet("hash", &ReportConstant::hash);
    list.Required("users", &ReportConstant::users);
    list.Required("uses", &ReportConstant::uses);
    list.Required("source", &ReportConstant::source);
    list.IfSet("file", &ReportConstant::file);
    list.IfSet("alignment", &ReportConstant::alignment);
    list.IfSet("section", &ReportConstant::section);
    list.IfSet("address_significant", &ReportConstant::address_significant);
    list.IfSet("load", &ReportConstant::load);
    list.IfSet("codec", &ReportConstant::codec);
    list.IfSet("stored_bytes", &ReportConstant::stored_bytes);
    list.IfSet("stored_pool", &ReportConstant::stored_pool);
    list.When([](const auto& data) { return !data.stored_pool.empty(); })
        .Required("stored_offset", &ReportConstant::stored_offset);
    list.IfSet("base", &ReportConstant::base);
    list.When([](const auto& data) { return !data.base.empty(); })
        .Required("base_offset", &ReportConstant::base_offset);
    list.IfSet("compressed_bytes", &ReportConstant::compressed_bytes);
    list.Optional("bytes_read", &ReportConstant::bytes_read);
    list.IfSet("storage", &ReportConstant::storage);
  }
};

/// The first moment with the largest number of live bytes in a pool.
struct ReportPeak {
  int64_t tick = 0;
  /// The sum of the bytes live at that moment; no plan is smaller.
  int64_t live_bytes = 0;
  /// The indexes of the buffers live at that moment, the largest first.
  std::vector<size_t> live;
  /// The source text of the statement that runs then, and its line; 0 if unknown.
  std::string statement;
  int64_t line = 0;

  static void Members(const auto& list) {
    list.Required("tick", &ReportPeak::tick);
    list.Derived("live_bytes", &ReportPeak::live_bytes);
    list.Derived("live", &ReportPeak::live);
    list.IfSet("statement", &ReportPeak::statement);
    list.IfSet("line", &ReportPeak::line);
  }
};

struct ReportPool {
  std::string name;
  bool is_constant = false;
  /// True if the generated code owns the storage.
  bool is_internal = false;
  /// For constants that several models share: the file that declares the storage; otherwise empty.
  std::string header;
  int64_t size_bytes = 0;
  /// The pool's limit in bytes, from its declaration; -1 if no limit is known.
  int64_t capacity_bytes = -1;
  /// The alignment of the storage's address.
  int64_t alignment = 0;
  int64_t lower_bound_bytes = 0;
  bool proven_optimal = false;
  /// The number of buffers in the pool.
  int64_t buffers = 0;
  /// Set for workspace pools whose buffers have lifetimes.
  std::optional<ReportPeak> peak;

  /// The bytes of the capacity that the plan leaves free; nullopt if no capacity is known.
  std::optional<int64_t> free_bytes() const {
    if (capacity_bytes < 0) return std::nullopt;
    return capacity_bytes > size_bytes ? capacity_bytes - size_bytes : 0;
  }

  static constexpr bool kIsNamed = true;
  static void Members(const auto& list) {
    list.Required("size_bytes", &ReportPool::size_bytes,
                  {.merge = MergeRule::kLargest, .diff = "{}"});
    list.Kind(&ReportPool::is_constant, "workspace", "constant");
    list.Required("alignment", &ReportPool::alignment, {.merge = MergeRule::kLargest});
    list.Required("lower_bound_bytes", &ReportPool::lower_bound_bytes,
                  {.merge = MergeRule::kLargest, .in_diff = true});
    list.Required("proven_optimal", &ReportPool::proven_optimal);
    list.IfSet("capacity_bytes", &ReportPool::capacity_bytes, {.merge = MergeRule::kLargest});
    list.DerivedIfSet("free_bytes", &ReportPool::free_bytes);
    list.Required("internal", &ReportPool::is_internal);
    list.Derived("buffers", &ReportPool::buffers, {.merge = MergeRule::kSum});
    list.IfSet("header", &ReportPool::header);
    list.IfSet("peak", &ReportPool::peak);
  }
};

/// Two buffers that share bytes while both hold values: a call reads the first for the last time
/// and writes the second.
struct ReportOverlap {
  /// The function called.
  std::string function;
  /// The indexes of the input that dies in the call, and of the output that begins in it.
  size_t dying = 0;
  size_t begun = 0;
  /// The number of bytes that belong to both.
  int64_t shared_bytes = 0;
  /// offset(begun) - offset(dying), in bytes.
  int64_t distance = 0;
  /// The safe distances: closed ranges, ascending. Nullopt means unbounded.
  struct Distances {
    std::optional<int64_t> first;
    std::optional<int64_t> last;
  };
  std::vector<Distances> allowed;
  /// The store and the later access that limit the distance.
  std::string bound;
  /// When both buffers are live.
  std::vector<ReportRange> ranges;

  static void Members(const auto& list) {
    list.Required("function", &ReportOverlap::function);
    list.Required("dying", &ReportOverlap::dying);
    list.Required("begun", &ReportOverlap::begun);
    list.Derived("shared_bytes", &ReportOverlap::shared_bytes);
    list.Derived("distance", &ReportOverlap::distance);
    list.Required("allowed", &ReportOverlap::allowed);
    list.IfSet("bound", &ReportOverlap::bound);
    list.Derived("live", &ReportOverlap::ranges);
  }
};

/// An overlap as the plan records it, with the names of allocations.
struct PlannedOverlap {
  std::string function;
  std::string dying;
  std::string begun;
  std::vector<ReportOverlap::Distances> allowed;
  std::string bound;
};

/// A statement of the entry function, most often an operator call, and when it runs. A loop around
/// calls is not a step; the calls are.
struct ReportStep {
  std::string label;
  ReportRange range;
  int64_t line = 0;
  /// The costs of one run (report/layers.h): multiply-accumulate operations, constants
  /// that it reads, tensors of the entry that it reads or writes, and the most bytes of its own
  /// buffers at a time. 0 if unknown.
  int64_t macs = 0;
  int64_t weight_bytes = 0;
  int64_t activation_bytes = 0;
  int64_t scratch_bytes = 0;
  /// The window of a convolution or a pooling (analysis/operator_shape.h).
  std::vector<int64_t> kernel = {};
  std::vector<int64_t> stride = {};
  /// The bytes of the called function's machine code (NoteCode), and the instructions of a run of
  /// an image (ReadInstructions).
  int64_t code_bytes = 0;
  int64_t instructions = 0;
  /// The buffers that it reads, constants included, and those that it writes, as indexes; `scratch`
  /// are its own. Inputs and outputs in no pool are indexes of tensors. In ascending order.
  std::vector<size_t> reads = {};
  std::vector<size_t> writes = {};
  std::vector<size_t> scratch = {};
  std::vector<size_t> inputs = {};
  std::vector<size_t> outputs = {};

  static void Members(const auto& list) {
    list.Required("label", &ReportStep::label);
    list.Required("live", &ReportStep::range);
    list.Optional("line", &ReportStep::line);
    list.IfSet("macs", &ReportStep::macs);
    list.IfSet("weight_bytes", &ReportStep::weight_bytes);
    list.IfSet("activation_bytes", &ReportStep::activation_bytes);
    list.IfSet("scratch_bytes", &ReportStep::scratch_bytes);
    list.IfSet("kernel", &ReportStep::kernel);
    list.IfSet("stride", &ReportStep::stride);
    list.IfSet("code_bytes", &ReportStep::code_bytes);
    list.IfSet("instructions", &ReportStep::instructions);
    list.IfSet("reads", &ReportStep::reads);
    list.IfSet("writes", &ReportStep::writes);
    list.IfSet("scratch", &ReportStep::scratch);
    list.IfSet("inputs", &ReportStep::inputs);
    list.IfSet("outputs", &ReportStep::outputs);
  }
};

/// An input or output: a tensor that the caller of the model owns or that is in a pool, or a scalar
/// that the caller passes, which has no shape.
struct ReportTensor {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t size_bytes = 0;
  bool is_output = false;
  /// The pool that holds it, and its offset there; empty if the caller owns it.
  std::string pool;
  int64_t offset = 0;
  /// The bytes of a row, if the caller needs only one row at a time; else 0.
  int64_t row_bytes = 0;

  static void Members(const auto& list) {
    list.Required("name", &ReportTensor::name);
    list.Kind(&ReportTensor::is_output, "input", "output");
    list.Required("dtype", &ReportTensor::dtype);
    list.Required("shape", &ReportTensor::shape);
    list.Required("size_bytes", &ReportTensor::size_bytes);
    list.IfSet("pool", &ReportTensor::pool);
    list.When([](const auto& tensor) { return !tensor.pool.empty(); })
        .Required("offset", &ReportTensor::offset);
    list.IfSet("row_bytes", &ReportTensor::row_bytes);
  }
};

/// The size of a shared pool that one of several models needs.
struct ReportModelPool {
  std::string name;
  int64_t size_bytes = 0;
  int64_t lower_bound_bytes = 0;
  bool proven_optimal = false;

  static constexpr bool kIsNamed = true;
  static void Members(const auto& list) {
    list.Required("size_bytes", &ReportModelPool::size_bytes, {.merge = MergeRule::kLargest});
    list.Required("lower_bound_bytes", &ReportModelPool::lower_bound_bytes,
                  {.merge = MergeRule::kLargest});
    list.Required("proven_optimal", &ReportModelPool::proven_optimal);
  }
};

/// The workspace under one accounting rule.
struct ReportAccounting {
  /// False if the declared pools are too small under this rule; no other member is set then.
  bool fits = true;
  int64_t workspace_bytes = 0;
  int64_t lower_bound_bytes = 0;
  /// True if every workspace pool meets its lower bound.
  bool proven_optimal = false;
  /// The workspace pools, by name.
  std::vector<ReportModelPool> pools;

  static void Members(const auto& list) {
    list.Required("fits", &ReportAccounting::fits);
    const auto fitting = list.When([](const auto& accounting) { return accounting.fits; });
    fitting.Required("workspace_bytes", &ReportAccounting::workspace_bytes);
    fitting.Required("lower_bound_bytes", &ReportAccounting::lower_bound_bytes);
    fitting.Required("proven_optimal", &ReportAccounting::proven_optimal);
    fitting.Required("pools", &ReportAccounting::pools);
  }
};

/// The sums over these pools.
ReportAccounting SumOf(std::vector<ReportModelPool> pools);

/// The workspace under both rules. Nullopt if unknown, e.g. for a module that was already planned.
struct ReportAccountings {
  /// The caller owns inputs and outputs.
  std::optional<ReportAccounting> io_outside;
  /// The pools contain inputs and outputs. An input lives from the start to its last read, an
  /// output from its first write to the end.
  std::optional<ReportAccounting> io_counted;

  bool empty() const { return !io_outside && !io_counted; }

  static void Members(const auto& list) {
    list.IfSet("io_outside", &ReportAccountings::io_outside);
    list.IfSet("io_counted", &ReportAccountings::io_counted);
  }
};

/// The stack frame of one emitted function, and the bytes of its code; 0 if unknown.
struct ReportFrame {
  std::string function;
  int64_t bytes = 0;
  int64_t code_bytes = 0;

  static void Members(const auto& list) {
    list.Required("function", &ReportFrame::function);
    list.Required("bytes", &ReportFrame::bytes);
    list.IfSet("code_bytes", &ReportFrame::code_bytes);
  }
};

/// A function of a library that the code calls, and the stack to allow for it.
struct ReportLibraryFunction {
  std::string function;
  int64_t bytes = 0;

  static void Members(const auto& list) {
    list.Required("function", &ReportLibraryFunction::function);
    list.Required("bytes", &ReportLibraryFunction::bytes);
  }
};

/// An estimate of the stack size of a run.
struct ReportStack {
  /// The largest sum of live allocations that are in no pool.
  int64_t local_array_bytes = 0;
  /// The frames of the machine code, in the order of the code; empty if no code was generated.
  std::vector<ReportFrame> frames;
  /// The largest sum of frames and of the allowance along a chain of calls, and that chain; -1 if
  /// no code was generated.
  int64_t deepest_bytes = -1;
  std::vector<std::string> deepest_path;
  /// Called functions that are defined elsewhere and have no allowance: their stack is not counted.
  std::vector<std::string> unknown;
  /// Functions of libraries that the code calls, with the allowance for each.
  std::vector<ReportLibraryFunction> library_calls;

  static void Members(const auto& list) {
    list.Required("local_array_bytes", &ReportStack::local_array_bytes,
                  {.merge = MergeRule::kLargest});
    list.IfSet("deepest_bytes", &ReportStack::deepest_bytes);
    const auto code = list.When([](const auto& stack) { return stack.deepest_bytes >= 0; });
    code.Required("deepest_path", &ReportStack::deepest_path);
    code.Required("unknown", &ReportStack::unknown);
    code.IfSet("library_calls", &ReportStack::library_calls);
    code.Required("frames", &ReportStack::frames);
  }
};

/// One of several models that run in turn in one workspace.
struct ReportModel {
  std::string name;
  std::string source;
  std::string entry;
  /// The model's part of the report's clock.
  ReportRange range;
  /// The sizes of this model alone.
  int64_t constant_bytes = 0;
  int64_t workspace_bytes = 0;
  int64_t io_bytes = 0;
  std::vector<ReportModelPool> pools;
  ReportAccountings accountings;

  static void Members(const auto& list) {
    list.Required("name", &ReportModel::name);
    list.Required("source", &ReportModel::source);
    list.Required("entry", &ReportModel::entry);
    list.Required("live", &ReportModel::range);
    list.Required("constant_bytes", &ReportModel::constant_bytes);
    list.Required("workspace_bytes", &ReportModel::workspace_bytes);
    list.Required("io_bytes", &ReportModel::io_bytes);
    list.Required("pools", &ReportModel::pools);
    list.IfSet("accountings", &ReportModel::accountings);
  }
};

/// An operator call, in a compilation with external code generators.
struct ReportOperator {
  std::string name;
  /// The kind of operator, and its numbers of multiplications and elements.
  std::string kind;
  int64_t macs = 0;
  int64_t elements = 0;
  /// The target that computes it: a target of a code generator, or `host`.
  std::string target;
  /// Why the other targets do not: `blas: its sums must stay in order; c: ...`.
  std::string why_not;

  static void Members(const auto& list) {
    list.Required("name", &ReportOperator::name);
    list.Required("kind", &ReportOperator::kind);
    list.Required("macs", &ReportOperator::macs);
    list.Required("elements", &ReportOperator::elements);
    list.Required("target", &ReportOperator::target);
    list.Required("why_not", &ReportOperator::why_not);
  }
};

/// The constants in no pool; nullopt if there are none (report/constants.h).
std::optional<ConstantBytes> InPlaceBytes(const MemoryReport& report);
/// The effect of sharing; nullopt for a report on one model (report/merge.h).
std::optional<SharedBytes> SharedBytesOf(const MemoryReport& report);

/// A group of operators that runs row by row.
struct ReportStreamGroup {
  /// The function of the group, and the number of its operators.
  std::string name;
  int64_t operators = 0;
  /// The bytes that are estimated to be live while it runs.
  int64_t estimate_bytes = 0;
  /// The least estimated peak of a choice without this group; -1 if there is none.
  int64_t without_bytes = -1;

  static void Members(const auto& list) {
    list.Required("name", &ReportStreamGroup::name);
    list.Required("operators", &ReportStreamGroup::operators);
    list.Required("estimate_bytes", &ReportStreamGroup::estimate_bytes);
    list.Required("without_bytes", &ReportStreamGroup::without_bytes);
  }
};

/// The choice of groups that run row by row. `verify-plan` checks that its estimate is the least.
struct ReportStreaming {
  /// The groups that could run row by row, and the ways to choose among them and single operators.
  int64_t possible_groups = 0;
  int64_t choices = 0;
  /// The estimated peak of the choice. If it is above `enough_bytes`, no choice has a lower one.
  int64_t estimate_bytes = 0;
  int64_t enough_bytes = 0;
  std::vector<ReportStreamGroup> groups;

  bool empty() const { return groups.empty(); }
  static void Members(const auto& list) {
    list.Required("possible_groups", &ReportStreaming::possible_groups);
    list.Required("choices", &ReportStreaming::choices);
    list.Required("estimate_bytes", &ReportStreaming::estimate_bytes);
    list.Required("enough_bytes", &ReportStreaming::enough_bytes);
    list.Required("groups", &ReportStreaming::groups);
  }
};

struct MemoryReport {
  /// The file and the entry function.
  std::string source;
  std::string entry;
  /// The planner's algorithm; empty for a module that was already planned.
  std::string algorithm;
  /// The length of the clock: one tick per statement, following calls. 0 if no lifetimes are known.
  int64_t ticks = 0;
  std::vector<ReportStep> steps;
  /// The line of each tick, 0 for ticks without a line; empty if unknown.
  std::vector<int64_t> tick_lines;
  std::vector<ReportTensor> tensors;
  /// By name.
  std::vector<ReportPool> pools;
  /// In program order.
  std::vector<ReportBuffer> buffers;
  /// In the order of the calls.
  std::vector<ReportOverlap> overlaps;
  ReportAccountings accountings;
  ReportSpill spill;
  /// Without groups if no operators run row by row.
  ReportStreaming streaming;
  /// Nullopt if the report was read from JSON without it.
  std::optional<ReportStack> stack;
  /// The data of the constant buffers, in the order of their first uses.
  std::vector<ReportConstant> constants;
  /// The targets of operators, in program order; empty if no targets were named.
  std::vector<ReportOperator> operators;
  /// For a report on several models (report/merge.h); otherwise empty.
  std::vector<ReportModel> models;

  /// The stored bytes of constants: pools of constants, and each byte of other constants once.
  int64_t constant_bytes() const;
  /// Sums over the workspace pools, and over tensors in no pool.
  int64_t workspace_bytes() const;
  int64_t io_bytes() const;
  /// The machine code of all functions; 0 if unknown.
  int64_t code_bytes() const;
  /// Both, and the stack as far as it is known: the estimate for machine code, or the arrays.
  int64_t ram_bytes() const;

  /// The data of a constant buffer, or null.
  const ReportConstant* ConstantOf(const ReportBuffer& buffer) const {
    const auto index = static_cast<size_t>(buffer.constant);
    return index < constants.size() ? &constants[index] : nullptr;
  }

  static void Members(const auto& list) {
    list.Required("source", &MemoryReport::source, {.merge = MergeRule::kJoined});
    list.Required("entry", &MemoryReport::entry, {.merge = MergeRule::kJoined});
    list.Required("algorithm", &MemoryReport::algorithm,
                  {.merge = MergeRule::kJoined, .in_diff = true});
    list.Derived("constant_bytes", &MemoryReport::constant_bytes, {.diff = "all constants"});
    list.Derived("workspace_bytes", &MemoryReport::workspace_bytes, {.diff = "all workspace"});
    list.Derived("io_bytes", &MemoryReport::io_bytes, {.diff = "inputs and outputs"});
    list.Derived("ram_bytes", &MemoryReport::ram_bytes);
    list.DerivedIfSet("code_bytes", &MemoryReport::code_bytes);
    list.Required("pools", &MemoryReport::pools);
    list.IfSet("accountings", &MemoryReport::accountings);
    list.IfSet("spill", &MemoryReport::spill);
    list.IfSet("streaming", &MemoryReport::streaming);
    list.IfSet("stack", &MemoryReport::stack);
    list.Optional("overlaps", &MemoryReport::overlaps);
    list.Required("tensors", &MemoryReport::tensors);
    list.Required("ticks", &MemoryReport::ticks);
    list.Required("steps", &MemoryReport::steps);
    list.Optional("constants", &MemoryReport::constants);
    list.DerivedIfSet("in_place", &InPlaceBytes);
    list.IfSet("operators", &MemoryReport::operators);
    list.DerivedIfSet("models", &MemoryReport::models);
    list.DerivedIfSet("sharing", &SharedBytesOf);
    list.Required("buffers", &MemoryReport::buffers);
  }
};

struct ReportOptions {
  /// The alignments that the plan used.
  int64_t workspace_alignment = kDefaultAlignment;
  int64_t constant_alignment = kDefaultAlignment;
  /// The overlaps that the plan records.
  std::vector<PlannedOverlap> overlaps = {};
  /// The module before its operators were fused, for shapes and windows: with the shapes of
  /// tensors, and with flat buffers. Null: unknown.
  const IRModule* shaped = nullptr;
  const IRModule* unfused = nullptr;
};

/// Describes the output of plan-memory (annotations `tenon.placement`, attribute
/// `tenon.memory_plan`). If the functions already take planned pools, sizes and constants come from
/// the pools' attributes and lifetimes from the addresses in pools. The lower bound is then the
/// number of bytes live at the peak. Returns nullopt after an error.
std::optional<MemoryReport> MakeReport(const IRModule& module, const ReportOptions& options,
                                       Diagnostics& diagnostics);

/// Sets the distance of the two buffers, their shared bytes, and when both are live. Returns false
/// if they share nothing.
bool FindShared(const MemoryReport& report, ReportOverlap& overlap);

/// The overlaps of a pool with both buffers live at `tick`.
std::vector<const ReportOverlap*> OverlapsAt(const MemoryReport& report, std::string_view pool,
                                             int64_t tick);

/// Computes the pool's peak from its buffers; leaves it unset if no buffer has a lifetime. Bytes
/// that two buffers share count once.
void FindPeak(const MemoryReport& report, ReportPool& pool);

/// Tables for a terminal.
std::string ReportText(const MemoryReport& report);

/// The size of a terminal. Tables have as many rows as fit with the closing line, one at the least.
struct TextLimits {
  size_t lines = 40;
  size_t columns = 100;
};
std::string ReportText(const MemoryReport& report, const TextLimits& limits);

/// The version of the JSON. It grows when older readers would misread a report, not with new
/// members.
inline constexpr int64_t kReportVersion = 1;

/// One JSON object; docs/reference/report.md describes its members.
std::string ReportJson(const MemoryReport& report);
/// One self-contained HTML file.
std::string ReportHtml(const MemoryReport& report);

/// `1,234,567`.
std::string GroupedDigits(int64_t value);

}  // namespace tenon

#endif  // TENON_REPORT_REPORT_H_
