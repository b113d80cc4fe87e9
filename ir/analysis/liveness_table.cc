#include <fmt/format.h>

#include <optional>

#include "ir/analysis/liveness_internal.h"
#include "ir/analysis/stack_arrays.h"
#include "ir/extents.h"

namespace tenon::liveness_internal {

std::string AllocationTable::UniqueName(std::string_view base) {
  std::string name(base);
  const int64_t count = ++names_[name];
  return count == 1 ? name : fmt::format("{}{}", base, count);
}

int32_t AllocationTable::Enter(const Stmt* stmt, Symbol function) {
  const auto* allocate = dyn_cast<Allocate>(stmt);
  const auto* constant = dyn_cast<AllocateConst>(stmt);
  const Var* var = allocate != nullptr ? allocate->buffer_var : constant->buffer_var;
  const auto [entry, added] = index_.emplace(var, static_cast<int32_t>(allocations_.size()));
  if (!added) return entry->second;
  Allocation& made = allocations_.emplace_back();
  made.stmt = stmt;
  made.var = var;
  made.function = function;
  made.is_constant = constant != nullptr;
  made.annotations = allocate != nullptr ? allocate->annotations : constant->annotations;
  const std::optional<int64_t> bytes = allocate != nullptr
                                           ? StaticBytes(allocate->dtype, allocate->extents)
                                           : StaticBytes(constant->dtype, constant->extents);
  made.size_bytes = bytes.value_or(0);
  if (constant != nullptr) made.data = constant->data;
  if (!bytes) {
    made.unplanned = Unplanned::kDynamic;
  } else if (!IsPoolScope(var->type->scope)) {
    made.unplanned = Unplanned::kScope;
  } else if (allocate != nullptr && !IsConstInt(allocate->condition, 1)) {
    made.unplanned = Unplanned::kConditional;
  }
  if (made.unplanned == Unplanned::kPlanned) made.name = UniqueName(var->name.view());
  return entry->second;
}

}  // namespace tenon::liveness_internal
