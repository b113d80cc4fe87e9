#include "parser/attr_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon {

const Attr* AttrReader::ToAttr(const PyValue& value, bool normalise) {
  const SourceRange range = value.range;
  switch (value.kind) {
    case PyKind::kError:
      return nullptr;
    case PyKind::kNone:
      return env_.builder.New<NoneAttr>(range);
    case PyKind::kString:
      return env_.builder.New<StringAttr>(range, value.text());
    case PyKind::kBool:
      if (!normalise || env_.rules->has_bare_values) {
        return env_.builder.New<BoolAttr>(range, value.integer != 0);
      }
      return env_.builder.New<ExprAttr>(range, env_.builder.Bool(value.integer != 0, range));
    case PyKind::kInt:
      if (!normalise) return env_.builder.New<IntAttr>(range, value.integer);
      return env_.builder.New<ExprAttr>(range, values_.ToExpr(value));
    case PyKind::kFloat:
      if (!normalise || env_.rules->has_bare_values) {
        return env_.builder.New<FloatAttr>(range, value.real);
      }
      return env_.builder.New<ExprAttr>(range, values_.ToExpr(value));
    case PyKind::kList:
    case PyKind::kTuple:
    case PyKind::kField: {
      std::vector<const Attr*> items;
      bool ok = true;
      for (const PyValue& item : value.elements()) {
        items.push_back(ToAttr(item, normalise));
        ok = ok && items.back() != nullptr;
      }
      return ok ? env_.builder.New<ArrayAttr>(range, env_.arena.Copy(items)) : nullptr;
    }
    case PyKind::kDict:
      return ToMap(value, normalise);
    case PyKind::kAttr:
      return value.attr;
    case PyKind::kBuffer:
      return env_.builder.New<BufferAttr>(range, value.buffer);
    case PyKind::kIterVar:
      return env_.builder.New<IterVarAttr>(range, value.iter_var);
    case PyKind::kReducer:  // a reduction of nothing
      return env_.builder.New<ExprAttr>(
          range, env_.builder.New<Reduce>(range, DataType::Void(), value.reducer,
                                          Span<const Expr*>(), Span<const IterVar*>(),
                                          env_.builder.Bool(true, range), 0, Span<const Expr*>()));
    case PyKind::kFunction:
      return env_.builder.New<GlobalVarAttr>(range, env_.context.Intern(value.text()));
    default: {
      const Expr* expr = values_.ToExpr(value);
      return expr == nullptr ? nullptr : env_.builder.New<ExprAttr>(range, expr);
    }
  }
}

const MapAttr* AttrReader::ToMap(const PyValue& value, bool normalise) {
  if (!value.is(PyKind::kDict)) {
    if (value.is(PyKind::kAttr)) {
      if (const auto* map = dyn_cast<MapAttr>(value.attr)) return map;
    }
    if (!value.is_error()) {
      env_.Error(DiagnosticKind::kArguments, value.range,
                 fmt::format("found {}, expected a dict", Describe(value)));
    }
    return nullptr;
  }
  std::vector<const MapItem*> items;
  bool all_strings = true;
  bool ok = true;
  for (uint32_t i = 0; i + 1 < value.count; i += 2) {
    const Attr* key = ToAttr(value.items[i], normalise);
    const Attr* item = ToAttr(value.items[i + 1], normalise);
    if (key == nullptr || item == nullptr) {
      ok = false;
      continue;
    }
    all_strings = all_strings && isa<StringAttr>(key);
    items.push_back(env_.builder.New<MapItem>(
        SourceRange{value.items[i].range.begin, value.items[i + 1].range.end}, key, item));
  }
  if (!ok) return nullptr;
  if (all_strings) {
    std::stable_sort(items.begin(), items.end(), [](const MapItem* a, const MapItem* b) {
      return *AsString(a->key) < *AsString(b->key);
    });
    for (size_t i = 1; i < items.size(); ++i) {
      if (*AsString(items[i]->key) != *AsString(items[i - 1]->key)) continue;
      env_.Error(DiagnosticKind::kDuplicateName, items[i]->range,
                 fmt::format("key `{}` is given twice", *AsString(items[i]->key)));
      return nullptr;
    }
  }
  return env_.builder.New<MapAttr>(value.range, env_.arena.Copy(items));
}

const Attr* AttrReader::Record(std::string_view type_key, std::span<const NamedAttr> fields,
                               SourceRange range) {
  std::vector<const MapItem*> items;
  for (const auto& [key, value] : fields) {
    if (value == nullptr) return nullptr;
    items.push_back(
        env_.builder.New<MapItem>(value->range, env_.builder.New<StringAttr>(range, key), value));
  }
  std::sort(items.begin(), items.end(), [](const MapItem* a, const MapItem* b) {
    return *AsString(a->key) < *AsString(b->key);
  });
  return env_.builder.New<ObjectAttr>(range, env_.context.Intern(type_key),
                                      env_.builder.New<MapAttr>(range, env_.arena.Copy(items)));
}

void AttrReader::ReadMetadata(std::string_view literal, uint32_t begin, SourceRange name) {
  if (metadata_ != nullptr) {
    env_.Error(DiagnosticKind::kDuplicateName, name, "`metadata` is given already");
  }
  metadata_ = std::make_unique<MetadataTable>();
  (void)ParseMetadata(env_.context, env_.arena, literal, begin, env_.diagnostics, metadata_.get());
  if (const std::optional<Dialect> release = TirxReleaseOf(metadata_->version())) {
    env_.RaiseDialect(*release);
  }
}

PyValue AttrReader::MetadataItem(const PyValue& key, const PyValue& index, SourceRange range) {
  const std::optional<int64_t> position = values_.ToInt(index, "the index");
  if (!position) return PyValue(PyKind::kError, range);
  if (*position < 0) {
    return env_.Fail(DiagnosticKind::kMetadata, index.range,
                     fmt::format("the metadata has no object {} of `{}`", *position, key.text()),
                     range);
  }
  if (metadata_ != nullptr && metadata_->CountOf(key.text()) > 0) {
    const Attr* found = metadata_->Find(key.text(), *position);
    if (found == nullptr) {
      return env_.Fail(DiagnosticKind::kMetadata, index.range,
                       fmt::format("the metadata has no object {} of `{}`", *position, key.text()),
                       range);
    }
    return PyValue::Of(range, found);
  }
  // The text was printed without its metadata, or without these objects: the reference stays as it
  // is.
  const Attr* number = env_.builder.New<IntAttr>(range, *position);
  const Attr* record = Record(key.text(), {{"index", number}}, range);
  const_cast<Attr*>(record)->flags |= ObjectAttr::kOpaque;
  return PyValue::Of(range, record);
}

}  // namespace tenon
