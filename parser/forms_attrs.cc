#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/attributes.h"
#include "parser/forms_internal.h"

// Attributes of functions, and targets.

namespace tenon {

static const MapItem* WithTirKey(FormContext& p, const MapItem* item) {
  const std::string_view* key = AsString(item->key);
  if (key == nullptr || p.env.rules->attr_prefix == "tir." ||
      !key->starts_with(p.env.rules->attr_prefix)) {
    return item;
  }
  const std::string name = fmt::format("tir.{}", key->substr(p.env.rules->attr_prefix.size()));
  return p.env.builder.New<MapItem>(
      item->range,
      p.env.builder.New<StringAttr>(item->key->range, p.env.context.Intern(name).view()),
      item->value);
}

static bool CheckTensorScales(FormContext& p, std::string_view key, const Attr* value) {
  const auto is_number = [](const Attr* attr, NodeKind kind) {
    const auto* number = dyn_cast<ExprAttr>(attr);
    return number != nullptr && number->value->kind == kind;
  };
  const auto* map = dyn_cast<MapAttr>(value);
  const Attr* wrong = map == nullptr ? value : nullptr;
  for (size_t i = 0; map != nullptr && wrong == nullptr && i < map->items.size(); ++i) {
    const MapItem* item = map->items[i];
    const auto* pair = dyn_cast<ArrayAttr>(item->value);
    if (AsString(item->key) == nullptr || pair == nullptr || pair->items.size() != 2 ||
        !is_number(pair->items[0], NodeKind::kFloatImm) ||
        !is_number(pair->items[1], NodeKind::kIntImm))
      wrong = item->value;
  }
  if (wrong == nullptr) return true;
  p.env.Error(
      DiagnosticKind::kArguments, wrong->range,
      fmt::format("value of the attribute `{}`, expected a dict of lists of a float, the scale, "
                  "and an integer, the zero point",
                  key));
  return false;
}

// Checks attributes whose values have a meaning for Tenon itself.
bool CheckFuncAttr(FormContext& p, std::string_view key, const Attr* value) {
  const auto wrong = [&](const Attr* where, std::string_view expected) {
    p.env.Error(DiagnosticKind::kArguments, where->range,
                fmt::format("value of the attribute `{}`, expected {}", key, expected));
    return false;
  };
  if (key == attr_key::kGlobalSymbol && !isa<StringAttr>(value)) return wrong(value, "a string");
  if (key == attr_key::kOutputs || key == attr_key::kStates) {
    constexpr std::string_view kNames = "a list of strings, the names of parameters";
    const auto* list = dyn_cast<ArrayAttr>(value);
    if (list == nullptr) return wrong(value, kNames);
    for (const Attr* name : list->items) {
      if (AsString(name) == nullptr) return wrong(name, kNames);
    }
  }
  if (key == attr_key::kTensorScales) return CheckTensorScales(p, key, value);
  if (key != attr_key::kExterns) return true;
  constexpr std::string_view kExpected =
      "a dict of lists of strings of the letters r, w, o and c, one for each argument";
  const auto* map = dyn_cast<MapAttr>(value);
  if (map == nullptr) return wrong(value, kExpected);
  for (const MapItem* item : map->items) {
    const auto* list = dyn_cast<ArrayAttr>(item->value);
    if (list == nullptr || AsString(item->key) == nullptr) return wrong(item->value, kExpected);
    for (const Attr* effect : list->items) {
      const std::string_view* text = AsString(effect);
      if (text == nullptr || text->find_first_not_of("rwoc") != std::string_view::npos) {
        return wrong(effect, kExpected);
      }
    }
  }
  return true;
}

PyValue CallFuncAttr(FormContext& p, const TirName&, Args& args) {
  const PyValue done(PyKind::kDone, args.range);
  Bound<1> bound;
  if (!p.env.Bind(args, {"attrs"}, 1, bound)) return done;
  const MapAttr* map = p.attrs.ToMap(*bound[0], /*normalise=*/true);
  if (map == nullptr) return done;
  for (const MapItem* written : map->items) {
    const MapItem* item = WithTirKey(p, written);
    const std::string_view* key = AsString(item->key);
    if (key == nullptr) {
      p.env.Error(DiagnosticKind::kArguments, item->range,
                  "key of a function's attribute, expected a string");
      continue;
    }
    for (const MapItem* known : p.function.attrs()) {
      if (*AsString(known->key) != *key) continue;
      p.env.Error(DiagnosticKind::kDuplicateName, item->range,
                  fmt::format("attribute `{}` is given already", *key));
    }
    if (CheckFuncAttr(p, *key, item->value)) p.function.AddAttr(item);
  }
  return done;
}

static bool CheckTarget(FormContext& p, const Attr* value) {
  const auto* map = dyn_cast<MapAttr>(value);
  if (map == nullptr) return true;  // a tag, or a command line
  bool has_kind = false;
  for (const MapItem* item : map->items) {
    const std::string_view* key = AsString(item->key);
    if (key == nullptr) {
      p.env.Error(DiagnosticKind::kArguments, item->range, "key of a target, expected a string");
      return false;
    }
    has_kind |= *key == "kind";
    if (*key == "kind" && !isa<StringAttr>(item->value)) {
      p.env.Error(DiagnosticKind::kArguments, item->value->range,
                  "kind of a target, expected a string such as \"c\" or \"llvm\"");
      return false;
    }
    if (*key == "host" && isa<MapAttr>(item->value) && !CheckTarget(p, item->value)) return false;
  }
  if (!has_kind) p.env.Error(DiagnosticKind::kArguments, map->range, "target without `kind`");
  return has_kind;
}

static const Attr* TargetValue(FormContext& p, const Attr* value) {
  // Boxed and unboxed integers print alike; before 0.18 they are not boxed. A bare bool shows
  // release 0.18.
  if (const auto* map = dyn_cast<MapAttr>(value)) {
    for (const MapItem* item : map->items) TargetValue(p, item->value);
  } else if (const auto* array = dyn_cast<ArrayAttr>(value)) {
    for (const Attr* item : array->items) TargetValue(p, item);
  } else if (isa<BoolAttr>(value) || isa<FloatAttr>(value)) {
    p.env.RaiseDialect(Dialect::kV018);
  }
  return value;
}

static const Attr* AddHost(FormContext& p, const Attr* target, const PyValue& value) {
  const Attr* host = p.attrs.ToAttr(value, /*normalise=*/false);
  if (host == nullptr) return nullptr;
  if (const auto* wrapped = dyn_cast<TargetAttr>(host)) host = wrapped->value;
  if (!isa<StringAttr>(host) && !isa<MapAttr>(host)) {
    p.env.Error(
        DiagnosticKind::kArguments, value.range,
        fmt::format("host of a target is {}, expected a dict or a string", Describe(value)));
    return nullptr;
  }
  if (!CheckTarget(p, host)) return nullptr;
  const auto* map = dyn_cast<MapAttr>(target);
  if (map == nullptr) {
    return p.env.builder.New<ArrayAttr>(target->range, p.env.builder.List<Attr>({target, host}));
  }
  if (map->Find("host") != nullptr) {
    p.env.Error(DiagnosticKind::kArguments, value.range,
                "the target has a host in its dict and as an argument, expected one of them");
    return nullptr;
  }
  std::vector<const MapItem*> items(map->items.begin(), map->items.end());
  const auto place = std::find_if(items.begin(), items.end(), [](const MapItem* item) {
    return *AsString(item->key) > "host";
  });
  const Attr* key =
      p.env.builder.New<StringAttr>(value.range, p.env.arena.Copy(std::string_view("host")));
  items.insert(place, p.env.builder.New<MapItem>(value.range, key, host));
  return p.env.builder.New<MapAttr>(map->range, p.env.arena.Copy(items));
}

PyValue CallTarget(FormContext& p, const TirName&, Args& args) {
  Bound<2> bound;
  if (!p.env.Bind(args, {"target", "host"}, 1, bound)) return args.Error();
  if (!bound[0]->is(PyKind::kDict) && !bound[0]->is(PyKind::kString)) {
    return p.env.Fail(DiagnosticKind::kArguments, bound[0]->range,
                      fmt::format("target is {}, expected a dict or a string", Describe(*bound[0])),
                      args.range);
  }
  const Attr* value = p.attrs.ToAttr(*bound[0], /*normalise=*/false);
  if (value == nullptr || !CheckTarget(p, value)) return args.Error();
  if (bound[1] != nullptr && !bound[1]->is(PyKind::kNone)) value = AddHost(p, value, *bound[1]);
  if (value == nullptr) return args.Error();
  value = TargetValue(p, value);
  return PyValue::Of(args.range, p.env.builder.New<TargetAttr>(args.range, value));
}

}  // namespace tenon
