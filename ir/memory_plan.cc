#include "ir/memory_plan.h"

#include "ir/attributes.h"
#include "ir/attrs.h"

namespace tenon {

namespace {

const MapAttr* PlanOf(const IRModule& module) {
  return dyn_cast_or_null<MapAttr>(module.attrs()->Find(attr_key::kMemoryPlan));
}

}  // namespace

std::vector<PlannedPool> ReadPlannedPools(const IRModule& module) {
  std::vector<PlannedPool> pools;
  const MapAttr* plan = PlanOf(module);
  const auto* list = plan == nullptr ? nullptr : dyn_cast_or_null<MapAttr>(plan->Find("pools"));
  if (list == nullptr) return pools;
  for (const MapItem* item : list->items) {
    const std::string_view* name = AsString(item->key);
    const auto* entry = dyn_cast<MapAttr>(item->value);
    if (name == nullptr || entry == nullptr) continue;
    PlannedPool& pool = pools.emplace_back();
    pool.name = *name;
    if (const int64_t* size = AsInt(entry->Find("size_bytes"))) pool.size_bytes = *size;
    if (const int64_t* bound = AsInt(entry->Find("lower_bound_bytes")))
      pool.lower_bound_bytes = *bound;
    if (const int64_t* alignment = AsInt(entry->Find("alignment"))) pool.alignment = *alignment;
    pool.proven_optimal = IsTrue(entry->Find("proven_optimal"));
  }
  return pools;
}

std::string_view ReadPlanAlgorithm(const IRModule& module) {
  const MapAttr* plan = PlanOf(module);
  const std::string_view* name = plan == nullptr ? nullptr : AsString(plan->Find("algorithm"));
  return name == nullptr ? std::string_view() : *name;
}

}  // namespace tenon
