#include "ir/memory_pools.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ir/attributes.h"
#include "support/check.h"
#include "support/checked.h"

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

/// The pool of a parameter: `global_workspace_1_var` is for `global_workspace`.
std::string_view PoolOfParam(std::string_view param) {
  if (!param.ends_with("_var")) return param;
  param.remove_suffix(4);
  const size_t digits = param.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == param.size() || param[digits] != '_')
    return param;
  return param.substr(0, digits);
}

/// The integer fields of a pool by name; the last two are not in TVM.
std::array<std::pair<std::string_view, int64_t*>, 8> Numbers(PoolInfo& pool) {
  PoolCostInfo& cost = pool.cost;
  return {{{"size_hint_bytes", &pool.size_hint_bytes},
           {"clock_frequency_hz", &cost.clock_frequency_hz},
           {"read_bandwidth_bytes_per_cycle", &cost.read_bandwidth_bytes_per_cycle},
           {"write_bandwidth_bytes_per_cycle", &cost.write_bandwidth_bytes_per_cycle},
           {"read_latency_cycles", &cost.read_latency_cycles},
           {"write_latency_cycles", &cost.write_latency_cycles},
           {"alignment", &pool.alignment},
           {"base_address", &pool.base_address}}};
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
  if (const std::string_view* section = AsString(fields->Find("section"))) pool.section = *section;
  if (const std::string_view* header = AsString(fields->Find("header"))) pool.header = *header;
  for (const auto& [name, value] : Numbers(pool)) {
    if (const int64_t* number = AsInt(fields->Find(name))) *value = *number;
  }
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
  const ArrayAttr* list = FindArray(annotations, attr_key::kCandidateMemoryPools);
  if (list == nullptr) return pools;
  for (const Attr* item : list->items) {
    if (std::optional<PoolInfo> pool = ReadPoolInfo(item)) pools.push_back(*std::move(pool));
  }
  return pools;
}

namespace {

/// Whether parameter `index` has the buffer that a planned function has for a pool.
bool HasPoolBuffer(const PrimFunc& function, size_t index, const PoolArg& pool) {
  TENON_CHECK(index < function.buffers.size());
  const Buffer* buffer = function.buffers[index];
  return buffer != nullptr && buffer->dtype.bytes() == 1 && buffer->shape.size() == 1 &&
         IsConstInt(buffer->shape[0], pool.size_bytes);
}

}  // namespace

size_t EndOfPoolParams(const PrimFunc& function, const std::vector<PoolArg>& pools) {
  const size_t count = function.params.size();
  TENON_CHECK(function.buffers.size() == count);
  if (count <= pools.size()) return count;
  const Var& last = *function.params[count - 1];
  if (function.buffers[count - 1] != nullptr || !last.dtype.is_handle()) return count;
  if (!last.type->is_pointer()) return count - 1;
  const size_t first = count - 1 - pools.size();
  for (size_t i = 0; i < pools.size(); ++i) {
    if (!HasPoolBuffer(function, first + i, pools[i])) return count;
  }
  return count - 1;
}

std::vector<PoolArg> ReadPoolArgs(const PrimFunc& function) {
  std::vector<PoolArg> args;
  const ArrayAttr* list = FindArray(function.attrs, attr_key::kPoolArgs);
  if (list == nullptr) return args;
  for (const Attr* item : list->items) {
    const MapAttr* fields = FieldsOf(item, kAllocatedPoolKey);
    if (fields == nullptr) continue;
    std::optional<PoolInfo> pool = ReadPoolInfo(fields->Find("pool_info"));
    if (!pool) continue;
    const int64_t* size = AsInt(fields->Find("allocated_size"));
    int64_t alignment = pool->alignment;
    if (!IsPowerOfTwo(alignment) || alignment > kMostPoolAlignment) alignment = 1;
    args.push_back({*std::move(pool), size == nullptr ? 0 : *size, alignment});
  }
  const size_t end = EndOfPoolParams(function, args);
  if (args.size() > end) return args;
  for (size_t i = 0; i < args.size(); ++i) {
    const size_t param = end - args.size() + i;
    PoolInfo& pool = args[i].pool;
    // TVM's text of a constant pool leaves out the pool's name; the parameter's name contains it.
    TENON_CHECK(pool.attr != nullptr && param < function.params.size());
    if (pool.attr->fields->Find("pool_name") == nullptr)
      pool.name = PoolOfParam(function.params[param]->name.view());
    if (function.buffers[param] == nullptr) continue;
    args[i].alignment =
        std::max<int64_t>(args[i].alignment, function.buffers[param]->data_alignment);
  }
  return args;
}

std::optional<PlacementNote> ReadPlacement(const MapAttr* annotations) {
  const ArrayAttr* list = FindArray(annotations, attr_key::kPlacement);
  if (list == nullptr || list->items.size() != 2) return std::nullopt;
  const std::string_view* pool = AsString(list->items[0]);
  const int64_t* offset = AsInt(list->items[1]);
  if (pool == nullptr || offset == nullptr) return std::nullopt;
  return PlacementNote{*pool, *offset};
}

std::optional<PoolInfo> ReadPoolElsewhere(const MapAttr* annotations) {
  const std::optional<PlacementNote> note = ReadPlacement(annotations);
  if (!note) return std::nullopt;
  for (PoolInfo& pool : ReadCandidates(annotations)) {
    if (pool.name == note->pool && pool.is_constant && !pool.header.empty()) return std::move(pool);
  }
  return std::nullopt;
}

bool SamePool(const PoolInfo& a, const PoolInfo& b) {
  return a.name == b.name && a.is_constant == b.is_constant && a.is_internal == b.is_internal &&
         a.size_hint_bytes == b.size_hint_bytes && a.cost == b.cost && a.alignment == b.alignment &&
         a.base_address == b.base_address && a.section == b.section && a.header == b.header;
}

const ObjectAttr* MakePoolInfo(NodeBuilder& builder, const PoolInfo& pool,
                               const ArrayAttr* targets) {
  const MapAttr* fields =
      builder.Map({{"pool_name", builder.StringValue(pool.name)},
                   {"is_internal", builder.New<BoolAttr>({}, pool.is_internal)}});
  PoolInfo written = pool;
  PoolInfo defaults;
  const auto numbers = Numbers(written);
  const auto unwritten = Numbers(defaults);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int64_t value = *numbers[i].second;
    const bool is_own = i + 2 >= numbers.size();
    if (is_own && value == *unwritten[i].second) continue;
    const bool wide = value != static_cast<int32_t>(value);
    const Expr* number = builder.Int(wide ? DataType::Int(64) : DataType::Int(32), value);
    fields = builder.With(fields, numbers[i].first, builder.ExprValue(number));
  }
  if (!pool.section.empty())
    fields = builder.With(fields, "section", builder.StringValue(pool.section));
  if (!pool.header.empty())
    fields = builder.With(fields, "header", builder.StringValue(pool.header));
  if (targets != nullptr) fields = builder.With(fields, "targets", targets);
  if (pool.is_constant) fields = builder.With(fields, "constant_info_array", builder.Array({}));
  const std::string_view key = pool.is_constant ? kConstantPoolKey : kWorkspacePoolKey;
  return builder.New<ObjectAttr>({}, builder.context().Intern(key), fields);
}

}  // namespace tenon
