#include "ir/mapped_tensors.h"

#include <optional>

#include "ir/attributes.h"
#include "ir/memory_pools.h"
#include "support/checked.h"

namespace tenon {

namespace {

/// Sets the size to the shape's bytes; false if the size of the shape is not known.
bool SetSize(MappedTensor& tensor) {
  const std::optional<int64_t> bytes = BytesOf(tensor.shape, tensor.dtype.bytes());
  tensor.size_bytes = bytes.value_or(0);
  return bytes.has_value();
}

std::optional<MappedTensor> MappedTensorFrom(const Attr* attr) {
  const auto* map = dyn_cast_or_null<MapAttr>(attr);
  if (map == nullptr) return std::nullopt;
  const std::string_view* name = AsString(map->Find("name"));
  const std::string_view* kind = AsString(map->Find("kind"));
  const std::string_view* dtype = AsString(map->Find("dtype"));
  const std::string_view* pool = AsString(map->Find("pool"));
  const int64_t* index = AsInt(map->Find("index"));
  const int64_t* offset = AsInt(map->Find("offset"));
  const auto* shape = dyn_cast_or_null<ArrayAttr>(map->Find("shape"));
  if (name == nullptr || kind == nullptr || dtype == nullptr || pool == nullptr ||
      index == nullptr || offset == nullptr || shape == nullptr || *offset < 0)
    return std::nullopt;
  const std::optional<DataType> type = DataType::Parse(*dtype);
  if (!type || type->is_handle()) return std::nullopt;
  MappedTensor tensor;
  tensor.name = *name;
  tensor.is_output = *kind == "output";
  tensor.index = *index;
  tensor.dtype = *type;
  tensor.pool = *pool;
  tensor.offset = *offset;
  for (const Attr* extent : shape->items) {
    const int64_t* value = AsInt(extent);
    if (value == nullptr) return std::nullopt;
    tensor.shape.push_back(*value);
  }
  if (!SetSize(tensor)) return std::nullopt;
  return tensor;
}

std::optional<MappedTensor> FromAllocate(const Allocate& allocate) {
  if (allocate.annotations == nullptr) return std::nullopt;
  const auto* note =
      dyn_cast_or_null<ArrayAttr>(allocate.annotations->Find(attr_key::kEntryTensor));
  if (note == nullptr || note->items.size() != 2) return std::nullopt;
  const std::string_view* kind = AsString(note->items[0]);
  const int64_t* index = AsInt(note->items[1]);
  if (kind == nullptr || index == nullptr) return std::nullopt;
  MappedTensor tensor;
  tensor.is_output = *kind == "output";
  const std::string_view* name = AsString(allocate.annotations->Find(
      tensor.is_output ? attr_key::kOutputTensor : attr_key::kInputTensor));
  if (name == nullptr) return std::nullopt;
  tensor.name = *name;
  tensor.index = *index;
  tensor.dtype = allocate.dtype;
  for (const Expr* extent : allocate.extents) {
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr) return std::nullopt;
    tensor.shape.push_back(*value);
  }
  if (!SetSize(tensor)) return std::nullopt;
  if (const std::optional<PlacementNote> place = ReadPlacement(allocate.annotations)) {
    tensor.pool = place->pool;
    tensor.offset = place->offset;
  }
  return tensor;
}

}  // namespace

std::vector<MappedTensor> ReadMappedTensors(const PrimFunc& function) {
  std::vector<MappedTensor> tensors;
  const auto add = [&](std::optional<MappedTensor> tensor) {
    if (tensor) tensors.push_back(*std::move(tensor));
  };
  if (const auto* list =
          dyn_cast_or_null<ArrayAttr>(function.attrs->Find(attr_key::kMappedTensors))) {
    for (const Attr* item : list->items) add(MappedTensorFrom(item));
  } else {
    for (const auto* at = dyn_cast_or_null<Allocate>(function.body); at != nullptr;
         at = dyn_cast<Allocate>(at->body))
      add(FromAllocate(*at));
  }
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const MappedTensor& a, const MappedTensor& b) { return a.index < b.index; });
  return tensors;
}

const ArrayAttr* MappedTensorsAttr(NodeBuilder& builder, const std::vector<MappedTensor>& tensors) {
  const auto integer = [&](int64_t value) { return builder.New<IntAttr>({}, value); };
  std::vector<const Attr*> items;
  for (const MappedTensor& tensor : tensors) {
    std::vector<const Attr*> shape;
    for (const int64_t extent : tensor.shape) shape.push_back(integer(extent));
    items.push_back(
        builder.Map({{"dtype", builder.StringValue(tensor.dtype.ToString())},
                     {"index", integer(tensor.index)},
                     {"kind", builder.StringValue(tensor.is_output ? "output" : "input")},
                     {"name", builder.StringValue(tensor.name)},
                     {"offset", integer(tensor.offset)},
                     {"pool", builder.StringValue(tensor.pool)},
                     {"shape", builder.Array(shape)}}));
  }
  return builder.Array(items);
}

}  // namespace tenon
