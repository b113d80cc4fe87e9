#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ir/attributes.h"
#include "parser/forms_internal.h"

// Forms of `I.`: attributes of the module, records, and the data of constants.

namespace tenon {

static void ModuleAttrs(FormContext& p, const PyValue& dict) {
  if (!dict.is(PyKind::kDict)) {
    (void)p.attrs.ToMap(dict, /*normalise=*/false);  // reports the errors
    return;
  }
  // The table is already read: its constants are in the module.
  std::vector<PyValue> others;
  for (uint32_t i = 0; i + 1 < dict.count; i += 2) {
    const PyValue& key = dict.items[i];
    const PyValue& value = dict.items[i + 1];
    if (!key.is(PyKind::kString)) {
      if (!key.is_error()) {
        p.env.Error(
            DiagnosticKind::kArguments, key.range,
            fmt::format("key of a module's attribute is {}, expected a string", Describe(key)));
      }
      continue;
    }
    if (key.text() != attr_key::kConstants) {
      others.insert(others.end(), {key, value});
      continue;
    }
    const bool is_table =
        value.is_error() ||
        (value.is_sequence() &&
         std::all_of(value.elements().begin(), value.elements().end(), [](const PyValue& item) {
           return item.is_error() || (item.is(PyKind::kAttr) && isa<ConstantAttr>(item.attr));
         }));
    if (!is_table) {
      p.env.Error(DiagnosticKind::kArguments, value.range,
                  fmt::format("`{}` is not a list of `I.constant(...)`", attr_key::kConstants));
    }
  }
  PyValue rest(PyKind::kDict, dict.range);
  rest.items = others.data();
  rest.count = static_cast<uint32_t>(others.size());
  const MapAttr* map = p.attrs.ToMap(rest, /*normalise=*/false);
  if (map == nullptr) return;
  for (const MapItem* item : map->items) {
    const std::string_view* key = AsString(item->key);
    if (key != nullptr && *key == attr_key::kExterns) (void)CheckFuncAttr(p, *key, item->value);
  }
  p.module.SetAttrs(map, p.env.storage);
}

PyValue CallConstantForm(FormContext& p, const Args& args) {
  const std::string_view name = args.name;
  const bool known = name == "file" || name == "slice" || name == "splat" || name == "hash";
  if (!known) {
    return p.env.Fail(DiagnosticKind::kUnsupported, args.range,
                      fmt::format("`I.{}` is not supported", name));
  }
  const bool two = name == "file" || name == "slice";
  Bound<2> bound;
  const std::string_view params[] = {two ? "name" : "value", name == "file" ? "key" : "offset"};
  if (!p.env.Bind(args, std::span(params).first(two ? 2 : 1), two ? 2 : 1,
                  std::span<const PyValue*>(bound).first(two ? 2 : 1))) {
    return args.Error();
  }
  std::vector<PyValue> values;
  for (size_t i = 0; i < (two ? 2U : 1U); ++i) values.push_back(*bound[i]);
  PyValue value(PyKind::kCall, args.range);
  value.call =
      p.env.arena.New<PyCall>(PyCall{p.env.arena.Copy(name), p.env.arena.Copy(values), {}});
  return value;
}

// `I.ConstantPoolInfo([...])`, as TVM prints it, or with the other fields by name.
static PyValue ConstantPool(FormContext& p, const Args& args) {
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
  Bound<kFields.size()> bound;
  if (!p.env.Bind(args, kFields, 1, bound)) return args.Error();
  std::vector<std::pair<std::string_view, const Attr*>> fields;
  for (size_t i = 0; i < kFields.size(); ++i) {
    if (bound[i] == nullptr) continue;
    fields.emplace_back(kFields[i],
                        p.attrs.ToAttr(*bound[i], /*normalise=*/kFields[i] != "is_internal"));
    if (fields.back().second == nullptr) return args.Error();
  }
  return PyValue::Of(args.range, p.attrs.Record("ir.ConstantPoolInfo", fields, args.range));
}

PyValue CallIr(FormContext& p, const Args& args) {
  const std::string_view name = args.name;
  if (args.has_error) return args.Error();
  Bound<3> bound;
  if (name == "module_attrs" || name == "module_global_infos") {
    if (!p.env.Bind(args, {"attrs"}, 1, bound)) return args.Error();
    if (name == "module_attrs" && std::exchange(p.saw_module_attrs, true)) {
      return p.env.Fail(DiagnosticKind::kDuplicateName, args.range,
                        "`I.module_attrs` is given already");
    }
    if (name == "module_attrs") {
      ModuleAttrs(p, *bound[0]);
    } else if (const MapAttr* infos = p.attrs.ToMap(*bound[0], /*normalise=*/false)) {
      p.module.SetGlobalInfos(infos, p.env.storage);
    }
    return PyValue(PyKind::kDone, args.range);
  }
  const auto record = [&](const Attr* attr) { return PyValue::Of(args.range, attr); };
  if (name == "AllocatedPoolInfo") {
    if (!p.env.Bind(args, {"pool_info", "allocated_size"}, 2, bound)) return args.Error();
    return record(p.attrs.Record("tir.usmp.AllocatedPoolInfo",
                                 {{"pool_info", p.attrs.ToAttr(*bound[0], true)},
                                  {"allocated_size", p.attrs.ToAttr(*bound[1], true)}},
                                 args.range));
  }
  if (name == "ConstantPoolInfo") return ConstantPool(p, args);
  if (name == "ConstantInfo") {
    if (!p.env.Bind(args, {"name_hint", "byte_offset", "data"}, 3, bound)) return args.Error();
    return record(p.attrs.Record("ir.ConstantInfo",
                                 {{"name_hint", p.attrs.ToAttr(*bound[0], true)},
                                  {"byte_offset", p.attrs.ToAttr(*bound[1], true)},
                                  {"data", p.attrs.ToAttr(*bound[2], true)}},
                                 args.range));
  }
  if (name == "GlobalVar") {
    if (!p.env.Bind(args, {"name"}, 1, bound)) return args.Error();
    const std::optional<std::string_view> text = p.values.ToText(*bound[0], "the name");
    if (!text) return args.Error();
    return record(p.env.builder.New<GlobalVarAttr>(args.range, p.env.context.Intern(*text)));
  }
  if (name == "Op" || name == "dummy_global_info" || name == "vdevice") {
    if (!p.env.Bind(args, {"a", "b", "c"}, 0, bound)) return args.Error();
    std::vector<const Attr*> values;
    for (const PyValue* value : bound) {
      if (value != nullptr) values.push_back(p.attrs.ToAttr(*value, false));
    }
    for (const Attr* value : values) {
      if (value == nullptr) return args.Error();
    }
    const std::string_view key = name == "Op"        ? "Op"
                                 : name == "vdevice" ? "VDevice"
                                                     : "DummyGlobalInfo";
    return record(p.attrs.Record(
        key, {{"args", p.env.builder.New<ArrayAttr>(args.range, p.env.arena.Copy(values))}},
        args.range));
  }
  return CallConstantForm(p, args);
}

}  // namespace tenon
