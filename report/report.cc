#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/operator_shape.h"
#include "analysis/stream_cuts.h"
#include "ir/analysis/access_counts.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/entry_signature.h"
#include "ir/analysis/entry_steps.h"
#include "ir/analysis/liveness.h"
#include "ir/attributes.h"
#include "ir/loaded_constants.h"
#include "ir/mapped_tensors.h"
#include "ir/memory_plan.h"
#include "ir/memory_pools.h"
#include "ir/row_feed.h"
#include "ir/stream_record.h"
#include "ir/visitor.h"
#include "report/constants.h"
#include "report/layers.h"
#include "report/live_curve.h"
#include "report/planned_module.h"
#include "support/check.h"
#include "support/checked.h"
#include "support/saturated.h"

namespace tenon {

namespace {

/// The longest excerpt of the source in a report.
constexpr size_t kMostStatementText = 160;

std::string_view WhyUnplaced(Unplanned reason) {
  switch (reason) {
    case Unplanned::kPlanned:
      return "has no candidate pool";
    case Unplanned::kScope:
      return "its storage scope is not global";
    case Unplanned::kDynamic:
      return "its size is not constant";
    case Unplanned::kParallelLoop:
      return "it stands in a loop that may run in parallel";
    case Unplanned::kConditional:
      return "it is conditional";
  }
  TENON_UNREACHABLE();
}

std::vector<int64_t> ConstantShape(Span<const Expr*> extents) {
  std::vector<int64_t> shape;
  for (const Expr* extent : extents) {
    const int64_t* value = AsIntImm(extent);
    shape.push_back(value == nullptr ? -1 : *value);
  }
  return shape;
}

int64_t ElementsOf(const std::vector<int64_t>& shape) {
  int64_t elements = 1;
  for (const int64_t extent : shape) elements = SaturatedMul(elements, extent);
  return shape.empty() ? 0 : elements;
}

/// The times that are in a range of both lists.
std::vector<ReportRange> CommonRanges(const std::vector<ReportRange>& a,
                                      const std::vector<ReportRange>& b) {
  std::vector<ReportRange> common;
  for (const ReportRange& x : a) {
    for (const ReportRange& y : b) {
      const ReportRange both{std::max(x.lower, y.lower), std::min(x.upper, y.upper)};
      if (both.lower < both.upper) common.push_back(both);
    }
  }
  return common;
}

class Reporter {
 public:
  Reporter(const IRModule& module, const ReportOptions& options, Diagnostics& diagnostics)
      : module_(module), effects_(module), options_(options), diagnostics_(diagnostics) {}

  std::optional<MemoryReport> Make() {
    const Function* entry = module_.Main();
    if (entry == nullptr) {
      diagnostics_.Error(DiagnosticKind::kRun, {},
                         "the module has no entry function to report on: expected `__tvm_main__`, "
                         "`main` or a single function");
      return std::nullopt;
    }
    report_.entry = entry->name.view();
    const SourcePlace place = module_.context().sources().Locate(entry->func->range.begin);
    if (place.file != nullptr) report_.source = place.file->name();
    std::optional<Liveness> liveness = ComputeLiveness(module_, *entry, diagnostics_);
    if (!liveness) return std::nullopt;
    liveness_ = *std::move(liveness);
    accesses_ = CountAccesses(module_, *entry);
    is_planned_ = !ReadPoolArgs(*entry->func).empty();
    AddTensors(*entry);
    for (size_t i = 0; i < liveness_.allocations.size(); ++i) AddBuffer(i);
    AddPlannedPools(*entry);
    ReadPlan();
    for (ReportBuffer& buffer : report_.buffers) CountIn(buffer);
    DescribeConstants(report_, data_);
    for (const auto& [loaded, stored] : stored_) {
      TENON_CHECK(stored < report_.buffers.size() && loaded < report_.buffers.size());
      const ReportBuffer& from = report_.buffers[stored];
      TENON_CHECK(report_.ConstantOf(report_.buffers[loaded]) != nullptr);
      ReportConstant& constant =
          report_.constants[static_cast<size_t>(report_.buffers[loaded].constant)];
      constant.stored_pool = from.pool;
      constant.stored_offset = from.offset;
    }
    report_.ticks = liveness_.ticks + 1;
    AddSteps(*entry);
    AddOverlaps();
    // An allocation in no pool becomes a local array of its function.
    report_.stack.emplace().local_array_bytes = LiveCurve(report_, "").HighestWithout({}).bytes;
    for (auto& [name, pool] : pools_) {
      pool.name = name;
      if (!pool.is_constant) FindPeak(report_, pool);
      if (is_planned_ && pool.peak) {
        // The live bytes must fit in any plan.
        pool.lower_bound_bytes = pool.peak->live_bytes;
        pool.proven_optimal = pool.size_bytes == pool.lower_bound_bytes;
      }
      if (pool.peak) DescribePeak(*pool.peak);
      report_.pools.push_back(std::move(pool));
    }
    return std::move(report_);
  }

 private:
  int64_t LineOf(SourceRange range) const {
    return range.valid() ? module_.context().sources().Locate(range.begin).line : 0;
  }

  /// Adds the caller's arguments, and tensors in pools for modules with placements but no pool
  /// parameters yet. Bare pointers are not tensors.
  void AddTensors(const Function& entry) {
    const EntrySignature signature =
        ReadEntrySignature(entry, effects_.Of(entry), [](const std::string&) {});
    std::vector<size_t> params;
    for (const EntryTensor& from : signature.tensors) {
      if (from.place) continue;
      TENON_CHECK(from.param < entry.func->buffers.size());
      const Buffer* buffer = entry.func->buffers[from.param];
      if (buffer == nullptr && !from.is_scalar) continue;
      params.push_back(from.param);
      ReportTensor& tensor = report_.tensors.emplace_back();
      tensor.name = from.name;
      tensor.dtype = from.dtype.ToString();
      if (buffer != nullptr) tensor.shape = ConstantShape(buffer->shape);
      tensor.size_bytes = from.size_bytes;
      tensor.is_output = from.is_output;
      if (!from.is_output) tensor.row_bytes = FedRowElements() * from.dtype.bytes();
    }
    std::vector<std::pair<int64_t, ReportTensor>> mapped;
    for (const MappedTensor& from : ReadMappedTensors(*entry.func)) {
      if (from.pool.empty()) continue;
      mapped.push_back({from.index,
                        {from.name, from.dtype.ToString(), from.shape, from.size_bytes,
                         from.is_output, from.pool, from.offset}});
    }
    report_.tensors = InOrderOfParams(std::move(report_.tensors), std::move(mapped));
    auto param = params.begin();
    for (size_t i = 0; i < report_.tensors.size(); ++i) {
      if (!report_.tensors[i].pool.empty()) continue;
      storage_.tensors[entry.func->params[*param]] = i;
      const Buffer* buffer = entry.func->buffers[*param++];
      if (buffer != nullptr) storage_.tensors[buffer->data] = i;
    }
  }

  /// Adds the choice of groups that run row by row.
  void AddStreaming() {
    const std::optional<StreamRecord> record = ReadStreamRecord(module_);
    if (!record) return;
    ReportStreaming& streaming = report_.streaming;
    streaming.possible_groups =
        std::count_if(record->candidates.begin(), record->candidates.end(),
                      [](const StreamSegment& segment) { return segment.first < segment.last; });
    streaming.choices = CountCuts(*record);
    streaming.estimate_bytes = PeakOf(*record);
    streaming.enough_bytes = record->enough_bytes;
    for (const StreamSegment& segment : record->cut) {
      if (segment.name.empty()) continue;
      streaming.groups.push_back({segment.name, segment.last - segment.first + 1, segment.bytes,
                                  LeastPeakWithout(*record, segment).value_or(-1)});
    }
  }

  /// The elements of a row of the input whose rows come one after another; 0 if there is none.
  int64_t FedRowElements() const {
    int64_t elements = 0;
    for (const Function& function : module_.functions()) {
      Walk(function.func->body, [&](const Node* node) {
        const auto* loop = dyn_cast<For>(node);
        const auto fed = loop != nullptr ? ReadFedRows(loop->annotations) : std::nullopt;
        if (fed) elements = fed->row_elements;
        return elements == 0 && loop == nullptr && !isa<Expr>(node);
      });
    }
    return elements;
  }

  void AddBuffer(size_t index) {
    TENON_CHECK(index < liveness_.ranges.size() && index < liveness_.uses.size());
    const Allocation& allocation = liveness_.allocations[index];
    storage_.buffers[allocation.var] = buffer_of_.emplace_back(report_.buffers.size());
    ReportBuffer& buffer = report_.buffers.emplace_back();
    buffer.name = allocation.name.empty() ? allocation.var->name.view() : allocation.name;
    for (const std::string_view key : {attr_key::kInputTensor, attr_key::kOutputTensor}) {
      const Attr* name =
          allocation.annotations == nullptr ? nullptr : allocation.annotations->Find(key);
      if (const std::string_view* text = AsString(name)) buffer.name = *text;
    }
    if (is_planned_) buffer.name = WithoutLet(allocation.var->name.view(), allocation.name);
    buffer.function = allocation.function.view();
    buffer.size_bytes = allocation.size_bytes;
    buffer.is_constant = allocation.is_constant;
    buffer.line = LineOf(allocation.stmt->range);
    if (const auto found = accesses_.find(allocation.var); found != accesses_.end()) {
      buffer.bytes_read = found->second.bytes_read;
      buffer.bytes_written = found->second.bytes_written;
    }
    if (const auto* allocate = dyn_cast<Allocate>(allocation.stmt)) {
      buffer.dtype = allocate->dtype.ToString();
      buffer.shape = ConstantShape(allocate->extents);
    } else {
      const auto* constant = cast<AllocateConst>(allocation.stmt);
      data_.resize(report_.buffers.size());
      data_.back() = constant->data;
      buffer.dtype = constant->dtype.ToString();
      buffer.shape = ConstantShape(constant->extents);
    }
    for (const LiveRange& range : liveness_.ranges[index])
      buffer.ranges.push_back({range.lower, range.upper});
    buffer.uses = liveness_.uses[index];
    const std::optional<PlacementNote> note = ReadPlacement(allocation.annotations);
    if (!note) {
      buffer.unplaced = WhyUnplaced(allocation.unplanned);
      return;
    }
    if (note->offset < 0 || note->offset > kSizeLimit - buffer.size_bytes) {
      buffer.unplaced = "its offset is beyond all memory";
      return;
    }
    buffer.pool = note->pool;
    buffer.offset = note->offset;
    ReportPool& pool = pools_[buffer.pool];
    for (const PoolInfo& candidate : ReadCandidates(allocation.annotations)) {
      if (candidate.name != note->pool) continue;
      pool.is_constant = candidate.is_constant;
      pool.is_internal = candidate.is_internal;
      pool.header = candidate.header;
      pool.capacity_bytes = candidate.size_hint_bytes;
      if (!pool.header.empty()) pool.alignment = candidate.alignment;
    }
    pool.size_bytes = std::max(pool.size_bytes, buffer.offset + buffer.size_bytes);
    if (const std::optional<PoolInfo> load_pool = ReadLoadPool(allocation.annotations)) {
      pool.is_internal = load_pool->is_internal;
      pool.capacity_bytes = load_pool->size_hint_bytes;
      AddStored(allocation);
    }
  }

  /// Adds the stored form of a loaded constant, in its pool of constants.
  void AddStored(const Allocation& allocation) {
    const std::optional<PlacementNote> note = ReadStoredPlacement(allocation.annotations);
    if (!note || allocation.data == nullptr) return;
    const absl::StatusOr<std::span<const uint8_t>> bytes = allocation.data->StoredBytes();
    if (!bytes.ok()) return;
    const auto size = static_cast<int64_t>(bytes->size());
    if (note->offset < 0 || note->offset > kSizeLimit - size) return;
    TENON_CHECK(!report_.buffers.empty());
    ReportBuffer stored = report_.buffers.back();
    stored.name += "_stored";
    stored.size_bytes = size;
    if (!allocation.data->placement().codec.empty()) {
      stored.dtype = "uint8";
      stored.shape = {size};
    }
    stored.bytes_read = 0;
    stored.uses.clear();
    stored.pool = note->pool;
    stored.offset = note->offset;
    ReportPool& pool = pools_[stored.pool];
    for (const PoolInfo& candidate : ReadCandidates(allocation.annotations)) {
      if (candidate.name != note->pool) continue;
      pool.is_constant = candidate.is_constant;
      pool.is_internal = candidate.is_internal;
      pool.capacity_bytes = candidate.size_hint_bytes;
    }
    pool.size_bytes = std::max(pool.size_bytes, stored.offset + size);
    stored_.emplace_back(report_.buffers.size() - 1, report_.buffers.size());
    report_.buffers.push_back(std::move(stored));
  }

  /// Adds the pools that the entry already takes.
  void AddPlannedPools(const Function& entry) {
    for (const PoolArg& arg : ReadPoolArgs(*entry.func)) {
      ReportPool& pool = pools_[arg.pool.name];
      pool.is_constant = arg.pool.is_constant;
      pool.is_internal = arg.pool.is_internal;
      pool.header = arg.pool.header;
      pool.capacity_bytes = arg.pool.size_hint_bytes;
      pool.alignment = arg.alignment;
      pool.size_bytes = std::max(pool.size_bytes, arg.size_bytes);
      for (const PooledConstant& constant : arg.pool.constants) {
        if (constant.data == nullptr) continue;
        ReportBuffer& buffer = report_.buffers.emplace_back();
        buffer.name = constant.name;
        buffer.dtype = constant.data->dtype().ToString();
        buffer.shape = constant.data->shape();
        buffer.size_bytes = constant.data->size_bytes();
        buffer.is_constant = true;
        data_.resize(report_.buffers.size());
        data_.back() = constant.data;
        buffer.pool = arg.pool.name;
        buffer.offset = constant.byte_offset;
      }
    }
  }

  /// Reads sizes and bounds as the planner recorded them.
  void ReadPlan() {
    report_.algorithm = ReadPlanAlgorithm(module_);
    report_.spill = SpillOf(ReadPlannedSpill(module_));
    AddStreaming();
    for (const PlannedPool& planned : ReadPlannedPools(module_)) {
      const auto found = pools_.find(planned.name);
      if (found == pools_.end()) continue;
      ReportPool& pool = found->second;
      if (planned.size_bytes >= 0) pool.size_bytes = planned.size_bytes;
      if (planned.alignment >= 0) pool.alignment = planned.alignment;
      if (planned.lower_bound_bytes >= 0) pool.lower_bound_bytes = planned.lower_bound_bytes;
      pool.proven_optimal = planned.proven_optimal;
    }
  }

  void AddOverlaps() {
    absl::flat_hash_map<std::string_view, size_t> by_name;
    for (size_t i = 0; i < buffer_of_.size() && !options_.overlaps.empty(); ++i)
      by_name.emplace(liveness_.allocations[i].name, buffer_of_[i]);
    for (const PlannedOverlap& planned : options_.overlaps) {
      const auto dying = by_name.find(planned.dying);
      const auto begun = by_name.find(planned.begun);
      if (dying == by_name.end() || begun == by_name.end()) continue;
      ReportOverlap overlap;
      overlap.function = planned.function;
      overlap.dying = dying->second;
      overlap.begun = begun->second;
      overlap.allowed = planned.allowed;
      overlap.bound = planned.bound;
      if (FindShared(report_, overlap)) report_.overlaps.push_back(std::move(overlap));
    }
  }

  void CountIn(const ReportBuffer& buffer) {
    if (buffer.pool.empty()) return;
    ReportPool& pool = pools_[buffer.pool];
    ++pool.buffers;
    if (pool.alignment > 0) return;
    pool.alignment = pool.is_constant ? options_.constant_alignment : options_.workspace_alignment;
  }

  /// The source line of a statement, or an empty string.
  std::string StatementText(const Stmt* stmt) const {
    if (stmt == nullptr || !stmt->range.valid()) return {};
    const SourceManager& sources = module_.context().sources();
    const SourcePlace place = sources.Locate(stmt->range.begin);
    if (place.file == nullptr) return {};
    std::string_view text = sources.Line(*place.file, place.line);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::string out(text.substr(0, kMostStatementText));
    if (text.size() > kMostStatementText) out += "...";
    return out;
  }

  /// Adds the statement that runs at the peak.
  void DescribePeak(ReportPeak& peak) const {
    if (static_cast<size_t>(peak.tick) >= liveness_.tick_stmts.size()) return;
    const Stmt* stmt = liveness_.tick_stmts[static_cast<size_t>(peak.tick)];
    peak.statement = StatementText(stmt);
    if (stmt != nullptr) peak.line = LineOf(stmt->range);
  }

  /// Adds the steps of the entry in execution order: calls, and statements outside of calls.
  void AddSteps(const Function& entry) {
    absl::flat_hash_map<const Stmt*, std::string> label_of;
    for (EntryStep& step : EntrySteps(module_, entry))
      label_of[step.stmt] = step.name.empty() ? StatementText(step.stmt) : std::move(step.name);
    const std::vector<const Stmt*>& stmts = liveness_.tick_stmts;
    std::vector<const Stmt*> steps;
    for (size_t tick = 0; tick < stmts.size(); ++tick) {
      const auto found = label_of.find(stmts[tick]);
      if (found == label_of.end() || (tick > 0 && stmts[tick] == stmts[tick - 1])) continue;
      const auto now = static_cast<int64_t>(tick);
      if (!report_.steps.empty()) report_.steps.back().range.upper = now;
      report_.steps.push_back({found->second, {now, report_.ticks}, LineOf(stmts[tick]->range)});
      steps.push_back(stmts[tick]);
    }
    DescribeLayers(module_, effects_, entry, steps, storage_, report_);
    AddShapes();
    report_.tick_lines.reserve(stmts.size());
    for (const Stmt* stmt : stmts)
      report_.tick_lines.push_back(stmt == nullptr ? 0 : LineOf(stmt->range));
  }

  /// Adds the windows of operators, and the shapes of tensors as the model has them. A tensor of
  /// another number of elements, such as the rows between streamed operators, keeps its own.
  void AddShapes() {
    if (options_.unfused != nullptr) {
      for (ReportStep& step : report_.steps) {
        const Function* function = options_.unfused->Find(module_.context().Intern(step.label));
        if (function == nullptr) continue;
        OperatorShape shape = ShapeOfOperator(module_.context(), *function);
        step.kernel = std::move(shape.kernel);
        step.stride = std::move(shape.stride);
      }
    }
    if (options_.shaped == nullptr) return;
    const auto shapes = TensorShapes(*options_.shaped);
    for (ReportBuffer& buffer : report_.buffers) {
      const auto found = shapes.find(buffer.name);
      if (buffer.is_constant || found == shapes.end() || buffer.function != report_.entry) continue;
      if (ElementsOf(found->second) == ElementsOf(buffer.shape)) buffer.shape = found->second;
    }
  }

  /// The allocation's name before planning gave it an address: `t2` of `t_let2`.
  static std::string WithoutLet(std::string_view var, std::string_view unique) {
    constexpr std::string_view kSuffix = "_let";
    if (!var.ends_with(kSuffix) || !unique.starts_with(var)) return std::string(unique);
    std::string name(var.substr(0, var.size() - kSuffix.size()));
    return name.append(unique.substr(var.size()));
  }

  const IRModule& module_;
  const ModuleEffects effects_;
  const ReportOptions& options_;
  Diagnostics& diagnostics_;
  Liveness liveness_;
  absl::flat_hash_map<const Var*, AccessCount> accesses_;
  MemoryReport report_;
  LayerStorage storage_;
  /// The data of the constant buffers.
  std::vector<const Constant*> data_;
  /// The buffer of each allocation.
  std::vector<size_t> buffer_of_;
  /// Buffers with loaded data, each with the buffer of the stored data.
  std::vector<std::pair<size_t, size_t>> stored_;
  bool is_planned_ = false;
  std::map<std::string, ReportPool> pools_;
};

}  // namespace

int64_t MemoryReport::ram_bytes() const {
  int64_t on_stack = 0;
  if (stack) on_stack = stack->deepest_bytes >= 0 ? stack->deepest_bytes : stack->local_array_bytes;
  const std::optional<int64_t> pools_and_tensors = CheckedAdd(workspace_bytes(), io_bytes());
  return CheckedAdd(pools_and_tensors.value_or(INT64_MAX), on_stack).value_or(INT64_MAX);
}

int64_t MemoryReport::code_bytes() const {
  int64_t bytes = 0;
  if (!stack) return bytes;
  for (const ReportFrame& frame : stack->frames)
    bytes = CheckedAdd(bytes, frame.code_bytes).value_or(INT64_MAX);
  return bytes;
}
int64_t MemoryReport::workspace_bytes() const {
  int64_t bytes = 0;
  for (const ReportPool& pool : pools) bytes += pool.is_constant ? 0 : pool.size_bytes;
  return bytes;
}
int64_t MemoryReport::io_bytes() const {
  int64_t bytes = 0;
  for (const ReportTensor& tensor : tensors) {
    if (tensor.pool.empty()) bytes += tensor.row_bytes > 0 ? tensor.row_bytes : tensor.size_bytes;
  }
  return bytes;
}

ReportAccounting SumOf(std::vector<ReportModelPool> pools) {
  ReportAccounting accounting;
  accounting.proven_optimal = true;
  for (const ReportModelPool& pool : pools) {
    accounting.workspace_bytes += pool.size_bytes;
    accounting.lower_bound_bytes += pool.lower_bound_bytes;
    accounting.proven_optimal &= pool.proven_optimal;
  }
  accounting.pools = std::move(pools);
  return accounting;
}

bool FindShared(const MemoryReport& report, ReportOverlap& overlap) {
  const ReportBuffer& a = report.buffers[overlap.dying];
  const ReportBuffer& b = report.buffers[overlap.begun];
  overlap.distance = b.offset - a.offset;
  overlap.shared_bytes =
      std::min(a.offset + a.size_bytes, b.offset + b.size_bytes) - std::max(a.offset, b.offset);
  overlap.ranges = CommonRanges(a.ranges, b.ranges);
  return a.pool == b.pool && !a.pool.empty() && overlap.shared_bytes > 0 && !overlap.ranges.empty();
}

std::vector<const ReportOverlap*> OverlapsAt(const MemoryReport& report, std::string_view pool,
                                             int64_t tick) {
  std::vector<const ReportOverlap*> found;
  for (const ReportOverlap& overlap : report.overlaps) {
    if (report.buffers[overlap.begun].pool != pool) continue;
    if (std::any_of(overlap.ranges.begin(), overlap.ranges.end(), [&](const ReportRange& range) {
          return range.lower <= tick && tick < range.upper;
        })) {
      found.push_back(&overlap);
    }
  }
  return found;
}

void FindPeak(const MemoryReport& report, ReportPool& pool) {
  const std::vector<LiveChange> changes = LiveChanges(report, pool.name);
  if (changes.empty()) return;
  ReportPeak peak;
  uint64_t sum = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    sum += changes[i].bytes;
    if (i + 1 < changes.size() && changes[i + 1].tick == changes[i].tick) continue;
    const auto live = static_cast<int64_t>(sum);
    if (live <= peak.live_bytes) continue;
    peak.live_bytes = live;
    peak.tick = changes[i].tick;
  }
  for (size_t i = 0; i < report.buffers.size(); ++i) {
    const ReportBuffer& buffer = report.buffers[i];
    if (buffer.pool != pool.name) continue;
    for (const ReportRange& range : buffer.ranges) {
      if (range.lower <= peak.tick && peak.tick < range.upper) peak.live.push_back(i);
    }
  }
  std::stable_sort(peak.live.begin(), peak.live.end(), [&](size_t a, size_t b) {
    return report.buffers[a].size_bytes > report.buffers[b].size_bytes;
  });
  pool.peak = std::move(peak);
}

std::optional<MemoryReport> MakeReport(const IRModule& module, const ReportOptions& options,
                                       Diagnostics& diagnostics) {
  const IRModule with_allocations = WithAllocations(module);
  return Reporter(with_allocations, options, diagnostics).Make();
}

}  // namespace tenon
