#include "ir/linked_params.h"

#include "ir/attributes.h"
#include "ir/constant.h"

namespace tenon {

namespace {

const Constant* FindIn(const Attr* attr, std::string_view name) {
  const auto* map = dyn_cast_or_null<MapAttr>(attr);
  const auto* value = map == nullptr ? nullptr : dyn_cast_or_null<ConstantAttr>(map->Find(name));
  return value == nullptr ? nullptr : value->value;
}

}  // namespace

std::vector<const Constant*> LinkedParams(const PrimFunc& function) {
  std::vector<const Constant*> linked(function.params.size());
  const auto* map = dyn_cast_or_null<MapAttr>(function.FindAttr(attr_key::kLinkParams));
  if (map == nullptr) return linked;
  for (const MapItem* item : map->items) {
    const auto* value = dyn_cast_or_null<ConstantAttr>(item->value);
    const auto* var = dyn_cast<ExprAttr>(item->key);
    const auto* buffer = dyn_cast<BufferAttr>(item->key);
    for (size_t i = 0; value != nullptr && i < linked.size(); ++i) {
      if ((var != nullptr && var->value == function.params[i]) ||
          (buffer != nullptr && buffer->value == function.buffers[i])) {
        linked[i] = value->value;
      }
    }
  }
  return linked;
}

const Constant* FindLinkedParam(const IRModule& module, const PrimFunc& function,
                                std::string_view name) {
  const Constant* constant = FindIn(function.FindAttr(attr_key::kLinkParams), name);
  if (constant == nullptr) constant = FindIn(module.attrs()->Find(attr_key::kLinkParams), name);
  for (const Function& other : module.functions()) {
    if (constant == nullptr) constant = FindIn(other.FindAttr(attr_key::kLinkParams), name);
  }
  for (const Constant* named : module.constants) {
    if (constant == nullptr && named->name().view() == name) constant = named;
  }
  return constant;
}

}  // namespace tenon
