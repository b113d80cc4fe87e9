#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compile/link_params.h"
#include "compile/run/tensors.h"
#include "ir/attributes.h"
#include "ir/attrs.h"
#include "ir/tensor_scales.h"
#include "ir/visitor.h"
#include "printer/printer.h"
#include "python/src/bindings.h"

namespace tenon::python {

namespace {

nb::object ValueOf(const Attr* attr);

nb::object ValueOf(const Expr* expr) {
  if (const auto* integer = dyn_cast<IntImm>(expr)) return nb::int_(integer->value);
  if (const auto* number = dyn_cast<FloatImm>(expr)) return nb::float_(number->value);
  if (const auto* text = dyn_cast<StringImm>(expr)) return TextOf(text->value);
  return TextOf(PrintNode(expr));
}

nb::dict ValueOf(const MapAttr* map) {
  nb::dict result;
  for (const MapItem* item : map->items) {
    const bool is_text = dyn_cast<StringAttr>(item->key) != nullptr;
    const nb::object key = is_text ? ValueOf(item->key) : TextOf(PrintNode(item->key));
    result[key] = ValueOf(item->value);
  }
  return result;
}

/// Python's form of an attribute; its text for values that Python does not have.
nb::object ValueOf(const Attr* attr) {
  if (attr == nullptr || dyn_cast<NoneAttr>(attr) != nullptr) return nb::none();
  if (const auto* value = dyn_cast<BoolAttr>(attr)) return nb::bool_(value->value);
  if (const auto* value = dyn_cast<IntAttr>(attr)) return nb::int_(value->value);
  if (const auto* value = dyn_cast<FloatAttr>(attr)) return nb::float_(value->value);
  if (const auto* value = dyn_cast<StringAttr>(attr)) return TextOf(value->value);
  if (const auto* value = dyn_cast<ExprAttr>(attr)) return ValueOf(value->value);
  if (const auto* value = dyn_cast<MapAttr>(attr)) return ValueOf(value);
  if (const auto* value = dyn_cast<ArrayAttr>(attr)) {
    nb::list list;
    for (const Attr* item : value->items) list.append(ValueOf(item));
    return list;
  }
  return TextOf(PrintNode(attr));
}

const Function& FunctionNamed(const ModuleHandle& handle, const std::string& name) {
  const Function* function = handle.module.FindCallee(name);
  if (function == nullptr) {
    PyErr_SetString(PyExc_KeyError, name.c_str());
    nb::raise_python_error();
  }
  return *function;
}

nb::list NamesOf(const ModuleHandle& handle) {
  nb::list names;
  for (const Function& function : handle.module.functions())
    names.append(TextOf(function.name.view()));
  return names;
}

/// The inputs, outputs and states of the entry function, each as a list.
nb::tuple SignatureOf(const ModuleHandle& handle) {
  Diagnostics diagnostics;
  const std::optional<IRModule> linked = LinkParams(handle.module, CompileOptions(), diagnostics);
  std::optional<EntrySignature> signature;
  if (linked) signature = ReadEntrySignature(*linked, diagnostics);
  if (!signature) Raise(handle.context->sources(), diagnostics);
  const PrimFunc& entry = *signature->entry->func;
  const std::vector<std::string_view> states = DeclaredStates(entry);
  nb::list lists[3];
  for (const EntryTensor& tensor : signature->tensors) {
    const bool is_state = std::find(states.begin(), states.end(), tensor.name) != states.end();
    lists[!tensor.is_output ? 0 : is_state ? 2 : 1].append(TensorInfoOf(tensor, entry));
  }
  return nb::make_tuple(lists[0], lists[1], lists[2]);
}

/// The file and line of a node, or None.
nb::object PlaceOf(const ModuleHandle& handle, const Node* node) {
  const SourcePlace place = handle.context->sources().Locate(node->range.begin);
  if (!node->range.valid() || place.file == nullptr) return nb::none();
  return nb::make_tuple(TextOf(place.file->name()), place.line, place.column);
}

/// The statements of a function in the order of the text: kind, depth among statements, text and
/// place.
nb::list WalkOf(const ModuleHandle& handle, const std::string& name) {
  const Function& function = FunctionNamed(handle, name);
  nb::list rows;
  const auto visit = [&](auto&& self, const Node* node, int depth) -> void {
    const bool is_statement = dyn_cast<Stmt>(node) != nullptr;
    if (is_statement) {
      rows.append(nb::make_tuple(TextOf(NodeKindName(node->kind)), depth, TextOf(PrintNode(node)),
                                 PlaceOf(handle, node)));
    }
    ForEachChild(node, [&](const Node* child, FieldRole) {
      // Expressions contain no statements, and may be deep.
      if (dyn_cast<Expr>(child) == nullptr) self(self, child, depth + (is_statement ? 1 : 0));
    });
  };
  visit(visit, function.func->body, 0);
  return rows;
}

}  // namespace

nb::object TensorInfoOf(const EntryTensor& tensor, const PrimFunc& entry) {
  nb::list shape;
  for (const int64_t extent : tensor.shape) shape.append(extent);
  const std::optional<TensorScale> scale = ReadTensorScale(entry, tensor.name);
  nb::object type = nb::module_::import_("tenon_compiler.tensors").attr("TensorInfo");
  return type(TextOf(tensor.name), TextOf(tensor.dtype.element().ToString()), nb::tuple(shape),
              scale ? nb::object(nb::float_(static_cast<double>(scale->scale))) : nb::none(),
              scale ? nb::object(nb::int_(scale->zero_point)) : nb::none());
}

void BindFunctions(nb::module_& module) {
  module.def("function_names", NamesOf, nb::arg("module"));
  module.def("signature", SignatureOf, nb::arg("module"));
  module.def(
      "function_attrs",
      [](const ModuleHandle& handle, const std::string& name) {
        return ValueOf(FunctionNamed(handle, name).func->attrs);
      },
      nb::arg("module"), nb::arg("name"));
  module.def(
      "function_text",
      [](const ModuleHandle& handle, const std::string& name) {
        return PrintFunction(handle.module, FunctionNamed(handle, name));
      },
      nb::arg("module"), nb::arg("name"));
  module.def(
      "module_attrs", [](const ModuleHandle& handle) { return ValueOf(handle.module.attrs()); },
      nb::arg("module"));
  module.def("walk", WalkOf, nb::arg("module"), nb::arg("name"));
}

}  // namespace tenon::python
