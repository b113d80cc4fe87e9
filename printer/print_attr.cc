#include <algorithm>
#include <utility>

#include "printer/constant_text.h"
#include "printer/literal.h"
#include "printer/script_printer.h"
#include "support/stack.h"

namespace tenon {

void ScriptPrinter::PrintTarget(const Attr* value) {
  const bool in_annotations = std::exchange(in_annotations_, false);
  PutT("target(");
  // A target's string, and its host.
  if (const auto* pair = dyn_cast<ArrayAttr>(value); pair != nullptr && pair->items.size() == 2) {
    PrintAttr(pair->items[0]);
    Put(", host=");
    PrintAttr(pair->items[1]);
  } else {
    PrintAttr(value);
  }
  Put(')');
  in_annotations_ = in_annotations;
}

/// Prints a Python bool or float, which `tir` represents as a TIR node in some places.
void ScriptPrinter::PrintBareValue(const Attr* attr) {
  const bool as_node = in_annotations_ && !rules_.has_bare_values;
  if (const auto* boxed = dyn_cast<BoolAttr>(attr)) {
    if (as_node) return PutT(boxed->value ? "bool(True)" : "bool(False)");
    return Put(boxed->value ? "True" : "False");
  }
  const double value = cast<FloatAttr>(attr)->value;
  if (as_node) {
    const FloatImm imm(DataType::Float(32), value);
    return PrintFloat(&imm);
  }
  // Without `.0` it would be read as an integer; boxed floats exist only in TVM 0.18 and newer.
  if (printing_) AppendFloat(sink_, value, std::max(dialect_, Dialect::kV018));
}

void ScriptPrinter::PrintAttr(const Attr* attr) {
  switch (attr->kind) {
    case NodeKind::kNoneAttr:
      return Put("None");
    case NodeKind::kBoolAttr:
    case NodeKind::kFloatAttr:
      return PrintBareValue(attr);
    case NodeKind::kIntAttr:
      return PutInt(cast<IntAttr>(attr)->value);
    case NodeKind::kStringAttr:
      if (metadata_.takes_texts() && HasLines(cast<StringAttr>(attr)->value))
        return PrintMetadata(attr);
      return PutQuoted(cast<StringAttr>(attr)->value);
    case NodeKind::kExprAttr: {
      const Expr* value = cast<ExprAttr>(attr)->value;
      const auto* reduce = dyn_cast<Reduce>(value);
      if (reduce != nullptr && reduce->source.empty()) return PrintCommReducer(reduce->combiner);
      return PrintExpr(value);
    }
    case NodeKind::kBufferAttr: {
      const Buffer* buffer = cast<BufferAttr>(attr)->value;
      // A parameter's buffer is defined with the parameter, which the first walk does not know yet.
      const bool is_param = attrs_of_ != nullptr && !printing_ &&
                            std::find(attrs_of_->buffers.begin(), attrs_of_->buffers.end(),
                                      buffer) != attrs_of_->buffers.end();
      return is_param ? void() : UseBuffer(buffer);
    }
    case NodeKind::kIterVarAttr:
      return PrintIterVar(cast<IterVarAttr>(attr)->value);
    case NodeKind::kArrayAttr: {
      Put('[');
      bool first = true;
      for (const Attr* item : cast<ArrayAttr>(attr)->items) {
        if (!first) Put(", ");
        first = false;
        WithStack([&] { PrintAttr(item); });
      }
      return Put(']');
    }
    case NodeKind::kMapAttr:
      return PrintMap(cast<MapAttr>(attr));
    case NodeKind::kTargetAttr:
      return PrintTarget(cast<TargetAttr>(attr)->value);
    case NodeKind::kGlobalVarAttr:
      return PrintGlobalVar(cast<GlobalVarAttr>(attr)->name);
    case NodeKind::kConstantAttr: {
      const std::string_view name = TableName(*cast<ConstantAttr>(attr)->value);
      return name.empty() ? PrintMetadata(attr) : PrintConstantName(name);
    }
    case NodeKind::kObjectAttr: {
      // Records hold bare values everywhere.
      const bool in_annotations = std::exchange(in_annotations_, false);
      PrintObject(cast<ObjectAttr>(attr));
      in_annotations_ = in_annotations;
      return;
    }
    default:
      TENON_UNREACHABLE();
  }
}

void ScriptPrinter::PrintMap(const MapAttr* map, std::string_view first_key) {
  Put('{');
  bool first = true;
  const auto print = [&](const Attr* key, const Attr* value) {
    if (!first) Put(", ");
    first = false;
    PrintAttr(key);
    Put(": ");
    WithStack([&] { PrintAttr(value); });
  };
  const auto is_first = [&](const MapItem* item) {
    const std::string_view* key = AsString(item->key);
    return key != nullptr && *key == first_key;
  };
  for (const MapItem* item : map->items) {
    if (is_first(item)) print(item->key, item->value);
  }
  for (const MapItem* item : map->items) {
    if (!is_first(item)) print(item->key, item->value);
  }
  Put('}');
}

void ScriptPrinter::PrintGlobalVar(Symbol name) {
  if (global_names_ == GlobalNames::kBare) return Put(name.view());
  if (global_names_ == GlobalNames::kObjects) {
    PutI("GlobalVar(");
    PutQuoted(name.view());
    return Put(')');
  }
  Put(module_name_.view());
  Put('.');
  Put(name.view());
}

void ScriptPrinter::PrintMetadata(const Attr* attr) { Put(metadata_.Reference(attr)); }

void ScriptPrinter::PrintObject(const ObjectAttr* object) {
  const std::string_view key = object->type_key.view();
  const auto field = [&](std::string_view name) { return object->fields->Find(name); };
  if (key == "tir.usmp.AllocatedPoolInfo" && field("pool_info") && field("allocated_size")) {
    PutI("AllocatedPoolInfo(pool_info=");
    PrintAttr(field("pool_info"));
    Put(", allocated_size=");
    PrintAttr(field("allocated_size"));
    return Put(')');
  }
  if (key == "ir.ConstantPoolInfo" && field("constant_info_array")) {
    PutI("ConstantPoolInfo(");
    PrintAttr(field("constant_info_array"));
    // TVM's text stops here; additional fields of a pool follow.
    for (const MapItem* item : object->fields->items) {
      const std::string_view* name = AsString(item->key);
      if (name == nullptr || *name == "constant_info_array") continue;
      Put(", ");
      Put(*name);
      Put('=');
      PrintAttr(item->value);
    }
    return Put(')');
  }
  if (key == "ir.ConstantInfo" && field("name_hint") && field("byte_offset") && field("data")) {
    PutI("ConstantInfo(");
    PrintAttr(field("name_hint"));
    Put(", byte_offset=");
    PrintAttr(field("byte_offset"));
    Put(", data=");
    PrintAttr(field("data"));
    return Put(')');
  }
  if (key == "tir.IndexMap" && !object->opaque()) return PrintIndexMap(object);
  if (const auto* args = dyn_cast_or_null<ArrayAttr>(field("args"))) {
    const std::string_view name = key == "Op"                ? "Op("
                                  : key == "VDevice"         ? "vdevice("
                                  : key == "DummyGlobalInfo" ? "dummy_global_info("
                                                             : "";
    if (!name.empty()) {
      PutI(name);
      for (size_t i = 0; i < args->items.size(); ++i) {
        if (i > 0) Put(", ");
        PrintAttr(args->items[i]);
      }
      return Put(')');
    }
  }
  PrintMetadata(object);
}

void ScriptPrinter::PrintMapping(const ObjectAttr* map) {
  Put("lambda ");
  const FrameGuard frame(*this, nullptr);
  bool first = true;
  const auto items = [&](std::string_view name) {
    const auto* list = dyn_cast_or_null<ArrayAttr>(map->fields->Find(name));
    return list == nullptr ? Span<const Attr*>() : list->items;
  };
  for (const Attr* item : items("initial_indices")) {
    if (!first) Put(", ");
    first = false;
    const auto* var = dyn_cast<Var>(cast<ExprAttr>(item)->value);
    PutName(scope_.Define(var, var->name));
  }
  Put(": (");
  first = true;
  for (const Attr* item : items("final_indices")) {
    if (!first) Put(", ");
    first = false;
    PrintAttr(item);
  }
  Put(items("final_indices").size() == 1 ? ",)" : ")");
}

void ScriptPrinter::PrintIndexMap(const ObjectAttr* map) {
  PutT("index_map(");
  PrintMapping(map);
  if (const auto* inverse = dyn_cast_or_null<ObjectAttr>(map->fields->Find("inverse_index_map"))) {
    Put(", inverse_index_map=");
    PrintMapping(inverse);
  }
  Put(')');
}

std::string_view ScriptPrinter::TableName(const Constant& constant) const {
  if (constants_ == nullptr) return constant.name().view();
  const std::string* name = constants_->NameOf(&constant);
  return name == nullptr ? std::string_view() : std::string_view(*name);
}

void ScriptPrinter::PrintConstantName(std::string_view name) {
  PutI("constant(");
  PutQuoted(name);
  Put(')');
}

void ScriptPrinter::PrintConstant(const Constant& constant) {
  const std::string_view name = TableName(constant);
  if (!name.empty()) return PrintConstantName(name);
  if (!printing_) return;
  const auto bytes = constant.Bytes();
  Put('[');
  if (bytes.ok()) AppendConstantElements(*bytes, constant.dtype(), sink_);
  Put(']');
}

}  // namespace tenon
