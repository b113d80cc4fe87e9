#include "report/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/macs.h"
#include "ir/analysis/pointers.h"
#include "ir/extents.h"
#include "ir/visitor.h"
#include "report/text_table.h"
#include "report/why.h"

namespace tenon {

namespace {

/// The storage of the entry by its variable.
struct EntryStorage {
  int64_t bytes = 0;
  /// Null for workspace, inputs and outputs.
  const Constant* constant = nullptr;
};

class LayerReader {
 public:
  LayerReader(const IRModule& module, const Function& entry)
      : module_(module), roots_(*entry.func), macs_(module) {
    for (size_t i = 0; i < entry.func->buffers.size(); ++i) {
      const Buffer* buffer = entry.func->buffers[i];
      if (buffer == nullptr) continue;
      const int64_t bytes = StaticBytes(buffer->dtype, buffer->shape).value_or(0);
      storage_[buffer->data] = {bytes, nullptr};
      storage_[entry.func->params[i]] = {bytes, nullptr};
    }
    Walk(entry.func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node)) {
        storage_[allocate->buffer_var] = {
            StaticBytes(allocate->dtype, allocate->extents).value_or(0), nullptr};
      }
      if (const auto* constant = dyn_cast<AllocateConst>(node))
        storage_[constant->buffer_var] = {0, constant->data};
      return !isa<Expr>(node);
    });
  }

  void Read(const Stmt* stmt, ReportStep& step) {
    constants_.clear();
    used_.clear();
    functions_.clear();
    step.macs = macs_.Of(stmt);
    AddUses(stmt, /*is_entry=*/true);
    for (const Var* var : used_) step.activation_bytes += storage_.at(var).bytes;
    for (const Constant* constant : constants_) step.weight_bytes += constant->size_bytes();
  }

 private:
  void Use(const Var* pointer) {
    if (pointer == nullptr) return;
    const auto found = storage_.find(roots_.RootOf(pointer));
    if (found == storage_.end()) return;
    if (found->second.constant != nullptr)
      constants_.insert(found->second.constant);
    else
      used_.insert(found->first);
  }

  /// Adds what a statement of the entry, or of a function that it calls, uses.
  void AddUses(const Stmt* stmt, bool is_entry) {
    Walk(stmt, [&](const Node* node) {
      if (const auto* constant = dyn_cast<AllocateConst>(node)) constants_.insert(constant->data);
      if (is_entry) {
        if (const auto* load = dyn_cast<BufferLoad>(node)) Use(load->buffer->data);
        if (const auto* store = dyn_cast<BufferStore>(node)) Use(store->buffer->data);
        if (const auto* var = dyn_cast<Var>(node); var != nullptr && var->dtype.is_handle())
          Use(var);
      }
      if (const auto* call = dyn_cast<Call>(node)) {
        const CallSite site = AsCallSite(module_, call);
        if (site.callee != nullptr && functions_.insert(site.callee->name).second)
          AddUses(site.callee->func->body, /*is_entry=*/false);
      }
      return true;
    });
  }

  const IRModule& module_;
  const PointerRoots roots_;
  MacCounter macs_;
  absl::flat_hash_map<const Var*, EntryStorage> storage_;
  absl::flat_hash_set<const Constant*> constants_;
  absl::flat_hash_set<const Var*> used_;
  absl::flat_hash_set<Symbol> functions_;
};

/// The most bytes of a step's own buffers that are live at a time.
void AddScratch(MemoryReport& report) {
  std::vector<std::map<int64_t, int64_t>> changes(report.steps.size());
  for (const ReportBuffer& buffer : report.buffers) {
    if (buffer.is_constant || buffer.function == report.entry) continue;
    for (const ReportRange& range : buffer.ranges) {
      const auto after = std::upper_bound(
          report.steps.begin(), report.steps.end(), range.lower,
          [](int64_t at, const ReportStep& step) { return at < step.range.lower; });
      if (after == report.steps.begin()) continue;
      const auto step = static_cast<size_t>(after - report.steps.begin() - 1);
      changes[step][range.lower] += buffer.size_bytes;
      changes[step][range.upper] -= buffer.size_bytes;
    }
  }
  for (size_t i = 0; i < changes.size(); ++i) {
    int64_t live = 0;
    for (const auto& [tick, change] : changes[i]) {
      live += change;
      report.steps[i].scratch_bytes = std::max(report.steps[i].scratch_bytes, live);
    }
  }
}

}  // namespace

void DescribeLayers(const IRModule& module, const Function& entry,
                    std::span<const Stmt* const> stmts, MemoryReport& report) {
  LayerReader reader(module, entry);
  for (size_t i = 0; i < stmts.size(); ++i) reader.Read(stmts[i], report.steps[i]);
  AddScratch(report);
}

std::string LayersText(const MemoryReport& report) {
  TextTable table("><>>>>>");
  table.Add({"#", "operator", "MACs", "%", "weights", "activations", "scratch"});
  int64_t macs = 0;
  for (const ReportStep& step : report.steps) macs += step.macs;
  for (size_t i = 0; i < report.steps.size(); ++i) {
    const ReportStep& step = report.steps[i];
    table.Add({fmt::format("{}", i + 1), ShortLabel(report, step.label), GroupedDigits(step.macs),
               fmt::format("{:.1f}", Percent(step.macs, macs)), GroupedDigits(step.weight_bytes),
               GroupedDigits(step.activation_bytes), GroupedDigits(step.scratch_bytes)});
  }
  table.Add({"", "all", GroupedDigits(macs), "", GroupedDigits(report.constant_bytes()), "", ""});
  std::string out;
  table.Write(out);
  return out;
}

}  // namespace tenon
