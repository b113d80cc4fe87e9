#include "ir/memory_pools.h"

namespace tenon {

namespace {

const MapAttr* FieldsOf(const Attr* attr, std::string_view key) {
  const auto* object = dyn_cast_or_null<ObjectAttr>(attr);
  return object == nullptr || object->opaque() || object->type_key.view() != key ? nullptr
                                                                                 : object->fields;
}

const ArrayAttr* FindArray(const MapAttr* map, std::string_view key) {
  return map == nullptr ? nullptr : dyn_cast_or_null<ArrayAttr>(map->Find(key));
}

/// `global_workspace_1_var` is a parameter for the pool `global_workspace`.
std::string_view PoolOfParam(std::string_view param) {
  if (!param.ends_with("_var")) return param;
  param.remove_suffix(4);
  const size_t digits = param.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == param.size() || param[digits] != '_')
    return param;
  return param.substr(0, digits);
}

}  // namespace

std::optional<PoolInfo> ReadPoolInfo(const Attr* attr) {
  PoolInfo pool;
  const MapAttr* fields = FieldsOf(attr, kWorkspacePoolKey);
  if (fields == nullptr) {
    fields = FieldsOf(attr, kConstantPoolKey);
    pool.is_constant = true;
    pool.is_internal = true;
    pool.name = kDefaultConstantPool;
  }
  if (fields == nullptr) return std::nullopt;
  pool.attr = cast<ObjectAttr>(attr);
  if (const std::string_view* name = AsString(fields->Find("pool_name"))) pool.name = *name;
  if (const int64_t* hint = AsInt(fields->Find("size_hint_bytes"))) pool.size_hint_bytes = *hint;
  if (const Attr* internal = fields->Find("is_internal")) pool.is_internal = IsTrue(internal);
  if (const ArrayAttr* infos = FindArray(fields, "constant_info_array")) {
    for (const Attr* info : infos->items) {
      const MapAttr* entry = FieldsOf(info, kConstantInfoKey);
      if (entry == nullptr) continue;
      PooledConstant constant;
      if (const std::string_view* name = AsString(entry->Find("name_hint"))) constant.name = *name;
      if (const int64_t* offset = AsInt(entry->Find("byte_offset"))) constant.byte_offset = *offset;
      const auto* data = dyn_cast_or_null<ConstantAttr>(entry->Find("data"));
      constant.data = data == nullptr ? nullptr : data->value;
      pool.constants.push_back(std::move(constant));
    }
  }
  return pool;
}

std::vector<PoolInfo> ReadCandidates(const MapAttr* annotations) {
  std::vector<PoolInfo> pools;
  const ArrayAttr* list = FindArray(annotations, kCandidatesKey);
  if (list == nullptr) return pools;
  for (const Attr* item : list->items) {
    if (std::optional<PoolInfo> pool = ReadPoolInfo(item)) pools.push_back(*std::move(pool));
  }
  return pools;
}

std::vector<PoolArg> ReadPoolArgs(const PrimFunc& function) {
  std::vector<PoolArg> args;
  const ArrayAttr* list = FindArray(function.attrs, "pool_args");
  if (list == nullptr) return args;
  // Pools stand behind the other parameters, but before a resource handle.
  size_t behind = function.params.size();
  if (behind > 0 && function.buffers[behind - 1] == nullptr) --behind;
  const size_t count = list->items.size();
  for (size_t i = 0; i < count; ++i) {
    const MapAttr* fields = FieldsOf(list->items[i], kAllocatedPoolKey);
    if (fields == nullptr) continue;
    std::optional<PoolInfo> pool = ReadPoolInfo(fields->Find("pool_info"));
    if (!pool) continue;
    // TVM's text of a constant pool leaves its name out; the parameter has it.
    const bool named = pool->attr->fields->Find("pool_name") != nullptr;
    if (!named && count <= behind) {
      pool->name = PoolOfParam(function.params[behind - count + i]->name.view());
    }
    const int64_t* size = AsInt(fields->Find("allocated_size"));
    args.push_back({*std::move(pool), size == nullptr ? 0 : *size});
  }
  return args;
}

std::optional<PlacementNote> ReadPlacement(const MapAttr* annotations) {
  const ArrayAttr* list = FindArray(annotations, kPlacementKey);
  if (list == nullptr || list->items.size() != 2) return std::nullopt;
  const std::string_view* pool = AsString(list->items[0]);
  const int64_t* offset = AsInt(list->items[1]);
  if (pool == nullptr || offset == nullptr) return std::nullopt;
  return PlacementNote{*pool, *offset};
}

const ObjectAttr* MakePoolInfo(NodeBuilder& builder, std::string_view name, bool is_constant,
                               bool is_internal, int64_t size_hint_bytes,
                               const ArrayAttr* targets) {
  const auto integer = [&](int64_t value) {
    const bool wide = value != static_cast<int32_t>(value);
    return builder.ExprValue(builder.Int(wide ? DataType::Int(64) : DataType::Int(32), value));
  };
  const MapAttr* fields = builder.Map({{"pool_name", builder.StringValue(name)},
                                       {"size_hint_bytes", integer(size_hint_bytes)},
                                       {"clock_frequency_hz", integer(-1)},
                                       {"read_bandwidth_bytes_per_cycle", integer(-1)},
                                       {"write_bandwidth_bytes_per_cycle", integer(-1)},
                                       {"read_latency_cycles", integer(0)},
                                       {"write_latency_cycles", integer(0)},
                                       {"is_internal", builder.New<BoolAttr>({}, is_internal)}});
  if (targets != nullptr) fields = builder.With(fields, "targets", targets);
  if (is_constant) fields = builder.With(fields, "constant_info_array", builder.Array({}));
  const std::string_view key = is_constant ? kConstantPoolKey : kWorkspacePoolKey;
  return builder.New<ObjectAttr>({}, builder.context().Intern(key), fields);
}

}  // namespace tenon
