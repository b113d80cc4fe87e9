#include "ir/builder.h"

#include <algorithm>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace tenon {

const Expr* NodeBuilder::Number(DataType dtype, double value, SourceRange range) {
  const DataType element = dtype.element();
  const Expr* scalar = nullptr;
  if (element.is_integer()) {
    scalar = New<IntImm>(range, element, static_cast<int64_t>(value));
  } else {
    scalar = New<FloatImm>(range, element, value);
  }
  return dtype.is_scalar() ? scalar : New<Broadcast>(range, scalar, dtype.lanes());
}

const BufferLoad* NodeBuilder::Load(const Buffer* buffer,
                                    std::initializer_list<const Expr*> indices, SourceRange range) {
  const Span<const Expr*> list = List<Expr>(indices);
  const int lanes = list.empty() ? 1 : list.back()->dtype.lanes();
  return New<BufferLoad>(range, buffer->dtype.with_lanes(buffer->dtype.lanes() * lanes), buffer,
                         list);
}

const Stmt* NodeBuilder::Seq(Span<const Stmt*> statements, SourceRange range) {
  absl::InlinedVector<const Stmt*, 16> flat;
  for (const Stmt* statement : statements) {
    if (const auto* inner = dyn_cast<SeqStmt>(statement)) {
      flat.insert(flat.end(), inner->seq.begin(), inner->seq.end());
    } else {
      flat.push_back(statement);
    }
  }
  if (flat.empty()) return NoOp(range);
  if (flat.size() == 1) return flat[0];
  if (!range.valid()) range = {flat.front()->range.begin, flat.back()->range.end};
  return New<SeqStmt>(range, arena_.Copy(Span<const Stmt*>(flat.data(), flat.size())));
}

const MapAttr* NodeBuilder::Map(
    std::initializer_list<std::pair<std::string_view, const Attr*>> items) {
  const MapAttr* map = New<MapAttr>({}, Span<const MapItem*>());
  for (const auto& [key, value] : items) map = With(map, key, value);
  return map;
}

const MapAttr* NodeBuilder::With(const MapAttr* map, std::string_view key, const Attr* value) {
  std::vector<const MapItem*> items;
  if (map != nullptr) items.assign(map->items.begin(), map->items.end());
  std::erase_if(items, [&](const MapItem* item) {
    const std::string_view* text = AsString(item->key);
    return text != nullptr && *text == key;
  });
  if (value != nullptr) {
    const auto at = std::find_if(items.begin(), items.end(), [&](const MapItem* item) {
      const std::string_view* text = AsString(item->key);
      return text != nullptr && *text > key;
    });
    items.insert(at, New<MapItem>({}, StringValue(key), value));
  }
  return New<MapAttr>(map != nullptr ? map->range : SourceRange{}, arena_.Copy(items));
}

}  // namespace tenon
