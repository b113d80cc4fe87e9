#include <fmt/format.h>

#include <utility>

#include "parser/metadata.h"
#include "parser/parser_internal.h"

namespace tenon {

const Attr* Parser::ToAttr(const PyValue& value, bool normalise) {
  const SourceRange range = value.range;
  switch (value.kind) {
    case PyKind::kError:
      return nullptr;
    case PyKind::kNone:
      return builder_.New<NoneAttr>(range);
    case PyKind::kString:
      return builder_.New<StringAttr>(range, value.text());
    case PyKind::kBool:
      if (!normalise || rules_->has_bare_values) {
        return builder_.New<BoolAttr>(range, value.integer != 0);
      }
      return builder_.New<ExprAttr>(range, builder_.Bool(value.integer != 0, range));
    case PyKind::kInt:
      if (!normalise) return builder_.New<IntAttr>(range, value.integer);
      return builder_.New<ExprAttr>(range, ToExpr(value));
    case PyKind::kFloat:
      if (!normalise || rules_->has_bare_values) {
        return builder_.New<FloatAttr>(range, value.real);
      }
      return builder_.New<ExprAttr>(range, ToExpr(value));
    case PyKind::kList:
    case PyKind::kTuple:
    case PyKind::kField: {
      std::vector<const Attr*> items;
      bool ok = true;
      for (const PyValue& item : value.elements()) {
        items.push_back(ToAttr(item, normalise));
        ok = ok && items.back() != nullptr;
      }
      return ok ? builder_.New<ArrayAttr>(range, arena_.Copy(items)) : nullptr;
    }
    case PyKind::kDict:
      return ToMap(value, normalise);
    case PyKind::kAttr:
      return value.attr;
    case PyKind::kBuffer:
      return builder_.New<BufferAttr>(range, value.buffer);
    case PyKind::kIterVar:
      return builder_.New<IterVarAttr>(range, value.iter_var);
    case PyKind::kReducer:  // a reduction of nothing
      return builder_.New<ExprAttr>(
          range, builder_.New<Reduce>(range, DataType::Void(), value.reducer, Span<const Expr*>(),
                                      Span<const IterVar*>(), builder_.Bool(true, range), 0,
                                      Span<const Expr*>()));
    case PyKind::kFunction:
      return builder_.New<GlobalVarAttr>(range, context_.Intern(value.text()));
    default: {
      const Expr* expr = ToExpr(value);
      return expr == nullptr ? nullptr : builder_.New<ExprAttr>(range, expr);
    }
  }
}

const MapAttr* Parser::ToMap(const PyValue& value, bool normalise) {
  if (!value.is(PyKind::kDict)) {
    if (value.is(PyKind::kAttr)) {
      if (const auto* map = dyn_cast<MapAttr>(value.attr)) return map;
    }
    if (!value.is_error()) {
      Error(DiagnosticKind::kArguments, value.range,
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
    items.push_back(builder_.New<MapItem>(
        SourceRange{value.items[i].range.begin, value.items[i + 1].range.end}, key, item));
  }
  if (!ok) return nullptr;
  if (all_strings) {
    std::stable_sort(items.begin(), items.end(), [](const MapItem* a, const MapItem* b) {
      return *AsString(a->key) < *AsString(b->key);
    });
    for (size_t i = 1; i < items.size(); ++i) {
      if (*AsString(items[i]->key) != *AsString(items[i - 1]->key)) continue;
      Error(DiagnosticKind::kDuplicateName, items[i]->range,
            fmt::format("key `{}` is given twice", *AsString(items[i]->key)));
      return nullptr;
    }
  }
  return builder_.New<MapAttr>(value.range, arena_.Copy(items));
}

PyValue Parser::CallTarget(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<2> bound;
  if (!Bind(args, {"target", "host"}, 1, bound)) return error;
  if (!bound[0]->is(PyKind::kDict) && !bound[0]->is(PyKind::kString)) {
    Error(DiagnosticKind::kArguments, bound[0]->range,
          fmt::format("target is {}, expected a dict or a string", Describe(*bound[0])));
    return error;
  }
  const Attr* value = ToAttr(*bound[0], /*normalise=*/false);
  if (value == nullptr || !CheckTarget(value)) return error;
  if (bound[1] != nullptr && !bound[1]->is(PyKind::kNone)) value = AddHost(value, *bound[1]);
  if (value == nullptr) return error;
  value = TargetValue(value);
  return PyValue::Of(args.range,
                     static_cast<const Attr*>(builder_.New<TargetAttr>(args.range, value)));
}

const Attr* Parser::AddHost(const Attr* target, const PyValue& value) {
  const Attr* host = ToAttr(value, /*normalise=*/false);
  if (host == nullptr) return nullptr;
  if (const auto* wrapped = dyn_cast<TargetAttr>(host)) host = wrapped->value;
  if (!isa<StringAttr>(host) && !isa<MapAttr>(host)) {
    Error(DiagnosticKind::kArguments, value.range,
          fmt::format("host of a target is {}, expected a dict or a string", Describe(value)));
    return nullptr;
  }
  if (!CheckTarget(host)) return nullptr;
  const auto* map = dyn_cast<MapAttr>(target);
  if (map == nullptr) {
    return builder_.New<ArrayAttr>(target->range, builder_.List<Attr>({target, host}));
  }
  if (map->Find("host") != nullptr) {
    Error(DiagnosticKind::kArguments, value.range,
          "the target has a host in its dict and as an argument, expected one of them");
    return nullptr;
  }
  std::vector<const MapItem*> items(map->items.begin(), map->items.end());
  const auto place = std::find_if(items.begin(), items.end(), [](const MapItem* item) {
    return *AsString(item->key) > "host";
  });
  const Attr* key = builder_.New<StringAttr>(value.range, arena_.Copy(std::string_view("host")));
  items.insert(place, builder_.New<MapItem>(value.range, key, host));
  return builder_.New<MapAttr>(map->range, arena_.Copy(items));
}

bool Parser::CheckTarget(const Attr* value) {
  const auto* map = dyn_cast<MapAttr>(value);
  if (map == nullptr) return true;  // a tag, or a command line
  bool has_kind = false;
  for (const MapItem* item : map->items) {
    const std::string_view* key = AsString(item->key);
    if (key == nullptr) {
      Error(DiagnosticKind::kArguments, item->range, "key of a target, expected a string");
      return false;
    }
    has_kind |= *key == "kind";
    if (*key == "kind" && !isa<StringAttr>(item->value)) {
      Error(DiagnosticKind::kArguments, item->value->range,
            "kind of a target, expected a string such as \"c\" or \"llvm\"");
      return false;
    }
    if (*key == "host" && isa<MapAttr>(item->value) && !CheckTarget(item->value)) return false;
  }
  if (!has_kind) Error(DiagnosticKind::kArguments, map->range, "target without `kind`");
  return has_kind;
}

const Attr* Parser::TargetValue(const Attr* value) {
  // Whole numbers print alike boxed and not; before 0.18 they are not boxed. A bare bool shows
  // 0.18.
  if (const auto* map = dyn_cast<MapAttr>(value)) {
    for (const MapItem* item : map->items) TargetValue(item->value);
  } else if (const auto* array = dyn_cast<ArrayAttr>(value)) {
    for (const Attr* item : array->items) TargetValue(item);
  } else if (isa<BoolAttr>(value) || isa<FloatAttr>(value)) {
    module_.dialect = std::max(module_.dialect, Dialect::kV018);
  }
  return value;
}

const Attr* Parser::Record(std::string_view type_key,
                           std::initializer_list<std::pair<std::string_view, const Attr*>> fields,
                           SourceRange range) {
  std::vector<const MapItem*> items;
  for (const auto& [key, value] : fields) {
    if (value == nullptr) return nullptr;
    items.push_back(
        builder_.New<MapItem>(value->range, builder_.New<StringAttr>(range, key), value));
  }
  std::sort(items.begin(), items.end(), [](const MapItem* a, const MapItem* b) {
    return *AsString(a->key) < *AsString(b->key);
  });
  return builder_.New<ObjectAttr>(range, context_.Intern(type_key),
                                  builder_.New<MapAttr>(range, arena_.Copy(items)));
}

// `I.ConstantPoolInfo([...])`, as TVM prints it, or with the other fields by name.
PyValue Parser::ConstantPool(const Args& args) {
  constexpr std::array<std::string_view, 15> kFields = {"constant_info_array",
                                                        "pool_name",
                                                        "size_hint_bytes",
                                                        "clock_frequency_hz",
                                                        "read_bandwidth_bytes_per_cycle",
                                                        "write_bandwidth_bytes_per_cycle",
                                                        "read_latency_cycles",
                                                        "write_latency_cycles",
                                                        "is_internal",
                                                        "targets",
                                                        "target_burst_bytes",
                                                        "alignment",
                                                        "base_address",
                                                        "section",
                                                        "header"};
  const PyValue error(PyKind::kError, args.range);
  Bound<kFields.size()> bound;
  if (!Bind(args, kFields, 1, bound)) return error;
  std::vector<const MapItem*> items;
  for (size_t i = 0; i < kFields.size(); ++i) {
    if (bound[i] == nullptr) continue;
    const Attr* value = ToAttr(*bound[i], /*normalise=*/kFields[i] != "is_internal");
    if (value == nullptr) return error;
    items.push_back(builder_.New<MapItem>(value->range,
                                          builder_.New<StringAttr>(args.range, kFields[i]), value));
  }
  std::sort(items.begin(), items.end(), [](const MapItem* a, const MapItem* b) {
    return *AsString(a->key) < *AsString(b->key);
  });
  return PyValue::Of(
      args.range, builder_.New<ObjectAttr>(args.range, context_.Intern("ir.ConstantPoolInfo"),
                                           builder_.New<MapAttr>(args.range, arena_.Copy(items))));
}

PyValue Parser::MetadataItem(const PyValue& key, const PyValue& index, SourceRange range) {
  const std::optional<int64_t> position = ToInt(index, "the index");
  if (!position) return PyValue(PyKind::kError, range);
  if (*position < 0) {
    Error(DiagnosticKind::kMetadata, index.range,
          fmt::format("the metadata has no object {} of `{}`", *position, key.text()));
    return PyValue(PyKind::kError, range);
  }
  if (metadata_ != nullptr && metadata_->CountOf(key.text()) > 0) {
    const Attr* found = metadata_->Find(key.text(), *position);
    if (found == nullptr) {
      Error(DiagnosticKind::kMetadata, index.range,
            fmt::format("the metadata has no object {} of `{}`", *position, key.text()));
      return PyValue(PyKind::kError, range);
    }
    return PyValue::Of(range, found);
  }
  // A text that was printed without its metadata, or these: the reference stays what it is.
  const Attr* number = builder_.New<IntAttr>(range, *position);
  const Attr* record = Record(key.text(), {{"index", number}}, range);
  const_cast<Attr*>(record)->flags |= ObjectAttr::kOpaque;
  return PyValue::Of(range, record);
}

PyValue Parser::CallIr(const PyValue& callee, Args& args) {
  const PyValue error(PyKind::kError, args.range);
  const std::string_view name = callee.text();
  if (args.has_error) return error;
  Bound<3> bound;
  if (name == "module_attrs" || name == "module_global_infos") {
    if (!Bind(args, {"attrs"}, 1, bound)) return error;
    if (name == "module_attrs" && std::exchange(saw_module_attrs_, true)) {
      Error(DiagnosticKind::kDuplicateName, args.range, "`I.module_attrs` is given already");
      return error;
    }
    if (name == "module_attrs") {
      ModuleAttrs(*bound[0]);
    } else if (const MapAttr* infos = ToMap(*bound[0], /*normalise=*/false)) {
      module_.SetGlobalInfos(infos, storage_);
    }
    return PyValue(PyKind::kDone, args.range);
  }
  const auto record = [&](const Attr* attr) { return PyValue::Of(args.range, attr); };
  if (name == "AllocatedPoolInfo") {
    if (!Bind(args, {"pool_info", "allocated_size"}, 2, bound)) return error;
    return record(Record(
        "tir.usmp.AllocatedPoolInfo",
        {{"pool_info", ToAttr(*bound[0], true)}, {"allocated_size", ToAttr(*bound[1], true)}},
        args.range));
  }
  if (name == "ConstantPoolInfo") {
    return ConstantPool(args);
  }
  if (name == "ConstantInfo") {
    if (!Bind(args, {"name_hint", "byte_offset", "data"}, 3, bound)) return error;
    return record(Record("ir.ConstantInfo",
                         {{"name_hint", ToAttr(*bound[0], true)},
                          {"byte_offset", ToAttr(*bound[1], true)},
                          {"data", ToAttr(*bound[2], true)}},
                         args.range));
  }
  if (name == "GlobalVar") {
    if (!Bind(args, {"name"}, 1, bound)) return error;
    const std::optional<std::string_view> text = ToText(*bound[0], "the name");
    if (!text) return error;
    return record(builder_.New<GlobalVarAttr>(args.range, context_.Intern(*text)));
  }
  if (name == "Op" || name == "dummy_global_info" || name == "vdevice") {
    if (!Bind(args, {"a", "b", "c"}, 0, bound)) return error;
    std::vector<const Attr*> values;
    for (const PyValue* value : bound) {
      if (value != nullptr) values.push_back(ToAttr(*value, false));
    }
    for (const Attr* value : values) {
      if (value == nullptr) return error;
    }
    const std::string_view key = name == "Op"        ? "Op"
                                 : name == "vdevice" ? "VDevice"
                                                     : "DummyGlobalInfo";
    return record(Record(key, {{"args", builder_.New<ArrayAttr>(args.range, arena_.Copy(values))}},
                         args.range));
  }
  return CallConstantForm(name, args);
}

}  // namespace tenon
