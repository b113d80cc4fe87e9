#include "compile/memory_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "ir/memory_pools.h"
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

struct PoolSize {
  int64_t size = 0;
  int64_t capacity = -1;
};

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
  // The keys of shared pools do not contain a module's name.
  std::map<std::string, PoolSize> workspace;
  std::map<std::string, PoolSize> constants;
  MemoryFigures figures;
  for (size_t i = 0; i < modules.size(); ++i) {
    const IRModule& module = modules[i].converted;
    figures.constant_bytes += BytesOutsidePools(module);
    const Function* const entry = module.Main();
    if (entry == nullptr) continue;
    for (const PoolArg& arg : ReadPoolArgs(*entry->func)) {
      const bool is_common = arg.pool.is_constant ? !arg.pool.header.empty() : shares_workspace;
      const std::string key = arg.pool.name + (is_common ? "" : fmt::format("/{}", i));
      PoolSize& pool = (arg.pool.is_constant ? constants : workspace)[key];
      pool.size = std::max(pool.size, arg.size_bytes);
      pool.capacity = arg.pool.size_hint_bytes;
    }
  }
  for (const auto& [key, pool] : constants) figures.constant_bytes += pool.size;
  PoolTotal total;
  for (const auto& [key, pool] : workspace) total.Add(pool.size, pool.capacity);
  figures.workspace_bytes = total.size();
  figures.capacity_bytes = total.capacity();
  return figures;
}

MemoryFigures FiguresOf(const MemoryReport& report) {
  PoolTotal total;
  for (const ReportPool& pool : report.pools) {
    if (!pool.is_constant) total.Add(pool.size_bytes, pool.capacity_bytes);
  }
  return {report.constant_bytes(), total.size(), total.capacity()};
}

std::string FiguresText(const MemoryFigures& figures) {
  std::string text =
      fmt::format("constants {} B, workspace {} B", GroupedDigits(figures.constant_bytes),
                  GroupedDigits(figures.workspace_bytes));
  if (!figures.capacity_bytes) return text;
  const int64_t left = std::max<int64_t>(0, *figures.capacity_bytes - figures.workspace_bytes);
  return text + fmt::format(" of {} ({} free)", GroupedDigits(*figures.capacity_bytes),
                            GroupedDigits(left));
}

}  // namespace tenon
