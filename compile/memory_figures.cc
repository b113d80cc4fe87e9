#include "compile/memory_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compile/pool_needs.h"
#include "ir/memory_plan.h"
#include "lowering/module_constants.h"

namespace tenon {

namespace {

/// A pool's size and limit, and the total of several.
class PoolTotal {
 public:
  void Add(int64_t size, int64_t capacity) {
    size_ += size;
    ++pools_;
    if (capacity < 0) return;
    ++limited_;
    capacity_ += capacity;
  }
  int64_t size() const { return size_; }
  std::optional<int64_t> capacity() const {
    return pools_ > 0 && limited_ == pools_ ? std::optional(capacity_) : std::nullopt;
  }

 private:
  int64_t size_ = 0;
  int64_t capacity_ = 0;
  int pools_ = 0;
  int limited_ = 0;
};

/// `64,000 B of 65,536 (1,536 free)`.
std::string UseText(int64_t bytes, std::optional<int64_t> capacity) {
  const std::string text = GroupedDigits(bytes) + " B";
  if (!capacity) return text;
  return text + fmt::format(" of {} ({} free)", GroupedDigits(*capacity),
                            GroupedDigits(std::max<int64_t>(0, *capacity - bytes)));
}

/// The bytes of constants that functions allocate outside of pools.
int64_t BytesOutsidePools(const IRModule& module) {
  std::vector<const Function*> functions;
  for (const Function& function : module.functions()) functions.push_back(&function);
  const ModuleConstants constants(functions, 1);
  int64_t bytes = 0;
  for (const ConstantBlock& block : constants.blocks()) bytes += block.size_bytes();
  return bytes;
}

}  // namespace

MemoryFigures FiguresOf(std::span<const PlannedModule> modules, bool shares_workspace) {
  MemoryFigures figures;
  std::vector<const IRModule*> models;
  for (const PlannedModule& module : modules) {
    figures.constant_bytes += BytesOutsidePools(module.converted);
    models.push_back(&module.converted);
    AddSpill(SpillOf(ReadPlannedSpill(module.noted)), figures.spill);
  }
  PoolTotal stored;
  PoolTotal total;
  for (const PoolNeed& need : PoolNeedsOf(models, shares_workspace))
    (need.is_constant ? stored : total).Add(need.size_bytes, need.capacity_bytes);
  if (figures.constant_bytes == 0) figures.constant_capacity_bytes = stored.capacity();
  figures.constant_bytes += stored.size();
  figures.workspace_bytes = total.size();
  figures.capacity_bytes = total.capacity();
  return figures;
}

MemoryFigures FiguresOf(const MemoryReport& report) {
  PoolTotal total;
  PoolTotal stored;
  for (const ReportPool& pool : report.pools)
    (pool.is_constant ? stored : total).Add(pool.size_bytes, pool.capacity_bytes);
  MemoryFigures figures;
  figures.constant_bytes = report.constant_bytes();
  if (stored.size() == figures.constant_bytes) figures.constant_capacity_bytes = stored.capacity();
  figures.workspace_bytes = total.size();
  figures.capacity_bytes = total.capacity();
  figures.io_bytes = report.io_bytes();
  figures.spill = report.spill;
  return figures;
}

std::string FiguresText(const MemoryFigures& figures, bool advises) {
  std::string text = fmt::format("constants {}, workspace {}",
                                 UseText(figures.constant_bytes, figures.constant_capacity_bytes),
                                 UseText(figures.workspace_bytes, figures.capacity_bytes));
  if (figures.io_bytes > 0)
    text += fmt::format(", inputs and outputs {} B outside{}", GroupedDigits(figures.io_bytes),
                        advises ? " (0 B with --use-workspace-io)" : "");
  if (!figures.spill.empty()) text += ", " + SpillText(figures.spill);
  return text;
}

}  // namespace tenon
