#include "printer/printer.h"

#include <algorithm>
#include <vector>

#include "ir/attributes.h"
#include "ir/dialect.h"
#include "printer/constant_plan.h"
#include "printer/ffi_metadata_text.h"
#include "printer/generic_printer.h"
#include "printer/metadata_text.h"
#include "printer/script_printer.h"
#include "printer/type_vars.h"

namespace tenon {

namespace {

constexpr std::string_view kIrHeader = "# from tvm.script import ir as I\n";
constexpr std::string_view kTypeVarHeader = "# from typing import TypeVar\n";
constexpr std::string_view kMissingMetadata =
    "# Metadata omitted. Use show_meta=True in script() method to show it.";

/// TVM's order: by name, `main` last.
std::vector<const Function*> InPrintOrder(const IRModule& module) {
  std::vector<const Function*> functions;
  functions.reserve(module.functions().size());
  for (const Function& function : module.functions()) functions.push_back(&function);
  const auto before = [](const Function* a, const Function* b) {
    const std::string_view name_a = a->name.view();
    const std::string_view name_b = b->name.view();
    if ((name_a == "main") != (name_b == "main")) return name_b == "main";
    return name_a < name_b;
  };
  if (!std::is_sorted(functions.begin(), functions.end(), before)) {
    std::stable_sort(functions.begin(), functions.end(), before);
  }
  return functions;
}

class ModulePrinter {
 public:
  ModulePrinter(const IRModule& module, const PrintOptions& options, Sink& sink)
      : module_(module),
        options_(options),
        rules_(RulesOf(module.dialect)),
        sink_(sink),
        constants_(module, options),
        printer_(module.dialect, module.name, options, metadata_, sink) {
    printer_.set_constants(&constants_);
    if (options.show_metadata && constants_.refers_to_metadata()) metadata_.TakeTexts();
  }

  void Print() {
    const std::vector<const Function*> functions = InPrintOrder(module_);
    if (constants_.refers_to_metadata()) PrintMetadataLine(functions);
    // Only a class can contain the table of constants.
    if (module_.bare_function && functions.size() == 1 && constants_.entries().empty()) {
      printer_.set_global_names(ScriptPrinter::GlobalNames::kBare);
      PrintBare(*functions[0]);
    } else {
      PrintClass(functions);
    }
    if (metadata_.has_opaque() || (!metadata_.empty() && !options_.show_metadata)) {
      sink_.Append("\n\n");
      sink_.Append(kMissingMetadata);
    }
  }

  void PrintBare(const Function& function) {
    if (!printer_.uses_ir()) printer_.Plan(*function.func);
    FindTypeVars({&function});
    if (!type_vars_.empty()) sink_.Append(kTypeVarHeader);
    if (printer_.uses_ir()) sink_.Append(kIrHeader);
    sink_.Append(rules_.header);
    PrintTypeVars();
    printer_.PrintFunction(*function.func, function.name.view(), 0);
  }

 private:
  // Walks everything in the order of the text first: the line precedes the objects that it
  // describes.
  void PrintMetadataLine(const std::vector<const Function*>& functions) {
    printer_.UsesTir(module_.attrs());
    if (module_.global_infos() != nullptr) printer_.UsesTir(module_.global_infos());
    for (const Function* function : functions) printer_.Plan(*function->func);
    if (metadata_.objects().empty() || !options_.show_metadata) return;
    if (rules_.has_flat_scopes && FitsFfiMetadata(metadata_.objects())) {
      AppendFfiMetadata(metadata_.objects(), rules_, sink_);
    } else {
      AppendMetadata(metadata_.objects(), rules_.release, sink_);
    }
    sink_.Append('\n');
  }

  void PrintClass(const std::vector<const Function*>& functions) {
    FindTypeVars(functions);
    if (!type_vars_.empty()) sink_.Append(kTypeVarHeader);
    sink_.Append(kIrHeader);
    if (!functions.empty() || printer_.UsesTir(module_.attrs())) sink_.Append(rules_.header);
    PrintTypeVars();
    sink_.Append("\n@I.ir_module\nclass ");
    sink_.Append(module_.name.empty() ? std::string_view("Module") : module_.name.view());
    sink_.Append(':');
    printer_.set_global_names(ScriptPrinter::GlobalNames::kObjects);
    bool empty = true;
    if (!module_.attrs()->items.empty() || !constants_.entries().empty()) {
      PrintModuleAttrs();
      empty = false;
    }
    if (module_.global_infos() != nullptr) {
      PrintModuleLine("module_global_infos", module_.global_infos());
      empty = false;
    }
    printer_.set_global_names(ScriptPrinter::GlobalNames::kModule);
    bool first = true;
    for (const Function* function : functions) {
      if (!first) sink_.Append('\n');
      first = false;
      printer_.PrintFunction(*function->func, function->name.view(), 4);
    }
    if (empty && functions.empty()) sink_.Append("\n    pass");
  }

  void FindTypeVars(const std::vector<const Function*>& functions) {
    if (!rules_.has_type_vars) return;
    for (const Function* function : functions) {
      for (const Var* var : TypeVarsOf(*function->func)) {
        const std::string_view name = var->name.view();
        if (std::find(type_vars_.begin(), type_vars_.end(), name) == type_vars_.end()) {
          type_vars_.push_back(name);
        }
      }
    }
  }

  void PrintTypeVars() {
    for (const std::string_view name : type_vars_) {
      sink_.Append('\n');
      sink_.Append(name);
      sink_.Append(" = TypeVar(\"");
      sink_.Append(name);
      sink_.Append("\")");
    }
  }

  // The table of constants, and the attributes, which may refer to it.
  void PrintModuleAttrs() {
    sink_.Append("\n    I.module_attrs({");
    bool first = constants_.entries().empty();
    if (!first) constants_.AppendTable(options_, sink_);
    for (const MapItem* item : module_.attrs()->items) {
      if (!first) sink_.Append(", ");
      first = false;
      printer_.PrintAttr(item->key);
      sink_.Append(": ");
      printer_.PrintAttr(item->value);
    }
    sink_.Append("})");
  }

  void PrintModuleLine(std::string_view call, const MapAttr* map) {
    sink_.Append("\n    I.");
    sink_.Append(call);
    sink_.Append('(');
    printer_.PrintAttr(map);
    sink_.Append(')');
  }

  const IRModule& module_;
  const PrintOptions& options_;
  const DialectRules& rules_;
  std::vector<std::string_view> type_vars_;  ///< of all functions
  Sink& sink_;
  MetadataCollector metadata_{rules_};
  ConstantPlan constants_;
  ScriptPrinter printer_;
};

std::string WithoutFirstLineEnd(std::string text) {
  if (text.starts_with('\n')) text.erase(0, 1);
  return text;
}

}  // namespace

void PrintModule(const IRModule& module, const PrintOptions& options, Sink& sink) {
  if (options.generic) {
    PrintGeneric(module, sink);
  } else {
    ModulePrinter(module, options, sink).Print();
  }
  sink.Flush();
}

std::string PrintModule(const IRModule& module, const PrintOptions& options) {
  Sink sink;
  PrintModule(module, options, sink);
  return sink.Take();
}

std::string PrintFunction(const IRModule& module, const Function& function,
                          const PrintOptions& options) {
  if (options.generic) return PrintNodeGeneric(function.func);
  Sink sink;
  MetadataCollector metadata(RulesOf(module.dialect));
  ScriptPrinter printer(module.dialect, module.name, options, metadata, sink);
  printer.set_global_names(ScriptPrinter::GlobalNames::kBare);
  sink.Append(RulesOf(module.dialect).header);
  printer.PrintFunction(*function.func, function.name.view(), 0);
  return sink.Take();
}

std::string PrintNode(const Node* node) {
  Sink sink;
  MetadataCollector metadata(RulesOf(Dialect::kV015));
  const PrintOptions options;
  ScriptPrinter printer(Dialect::kV015, Symbol(), options, metadata, sink);
  printer.set_global_names(ScriptPrinter::GlobalNames::kBare);
  if (const auto* func = dyn_cast<PrimFunc>(node)) {
    const std::string_view* name = AsString(func->FindAttr(attr_key::kGlobalSymbol));
    printer.PrintFunction(*func, name == nullptr ? "main" : *name, 0);
  } else {
    printer.PrintFragment(node);
  }
  return WithoutFirstLineEnd(sink.Take());
}

std::string PrintNodeGeneric(const Node* node) {
  Sink sink;
  PrintGeneric(node, sink);
  return sink.Take();
}

}  // namespace tenon
