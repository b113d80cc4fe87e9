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

PlannedSpill ReadPlannedSpill(const IRModule& module) {
  PlannedSpill spill;
  const MapAttr* plan = PlanOf(module);
  const auto* attr = plan == nullptr ? nullptr : dyn_cast_or_null<MapAttr>(plan->Find(kSpillKey));
  const auto* moves = attr == nullptr ? nullptr : dyn_cast_or_null<ArrayAttr>(attr->Find("moves"));
  if (moves == nullptr) return spill;
  for (const Attr* item : moves->items) {
    const auto* move = dyn_cast_or_null<MapAttr>(item);
    if (move == nullptr) continue;
    const std::string_view* from = AsString(move->Find("from"));
    const std::string_view* to = AsString(move->Find("to"));
    const int64_t* buffers = AsInt(move->Find("buffers"));
    const int64_t* bytes = AsInt(move->Find("bytes"));
    if (from == nullptr || to == nullptr || buffers == nullptr || bytes == nullptr) continue;
    spill.moves.push_back({std::string(*from), std::string(*to), *buffers, *bytes});
  }
  if (const int64_t* bound = AsInt(attr->Find("bound_bytes"))) spill.bound_bytes = *bound;
  spill.is_least = IsTrue(attr->Find("is_least"));
  if (const int64_t* gap = AsInt(attr->Find("cost_gap_millionths")))
    spill.cost_gap_millionths = *gap;
  return spill;
}

const Attr* SpillAttr(NodeBuilder& builder, const PlannedSpill& spill) {
  const auto integer = [&](int64_t value) { return builder.New<IntAttr>({}, value); };
  std::vector<const Attr*> moves;
  for (const PlannedSpill::Move& move : spill.moves) {
    moves.push_back(builder.Map({{"buffers", integer(move.buffers)},
                                 {"bytes", integer(move.bytes)},
                                 {"from", builder.StringValue(move.from)},
                                 {"to", builder.StringValue(move.to)}}));
  }
  const MapAttr* attr = builder.Map({{"bound_bytes", integer(spill.bound_bytes)},
                                     {"is_least", builder.New<BoolAttr>({}, spill.is_least)},
                                     {"moves", builder.Array(moves)}});
  if (spill.is_least || spill.cost_gap_millionths < 0) return attr;
  return builder.With(attr, "cost_gap_millionths", integer(spill.cost_gap_millionths));
}

std::string_view ReadPlanAlgorithm(const IRModule& module) {
  const MapAttr* plan = PlanOf(module);
  const std::string_view* name = plan == nullptr ? nullptr : AsString(plan->Find("algorithm"));
  return name == nullptr ? std::string_view() : *name;
}

}  // namespace tenon
