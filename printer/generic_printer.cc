#include "printer/generic_printer.h"

#include <fmt/format.h>

#include "absl/container/flat_hash_map.h"
#include "ir/builtins.h"
#include "ir/visitor.h"
#include "printer/literal.h"

namespace tenon {

namespace {

constexpr int kNodeIndent = 2;

class GenericPrinter {
 public:
  explicit GenericPrinter(Sink& sink) : sink_(sink) {}

  void PrintNode(const Node* node) {
    if (node == nullptr) return sink_.Append("null");
    WithStack([&] {
      if (isa<Var>(node) || isa<Buffer>(node)) return PrintIdentity(node);
      PrintPlain(node);
    });
  }

  void StartLine() {
    sink_.Append('\n');
    sink_.AppendSpaces(static_cast<size_t>(indent_));
  }

 private:
  /// Variables and buffers are numbered; the first mention describes them.
  void PrintIdentity(const Node* node) {
    const auto [number, is_new] = numbers_.try_emplace(node, numbers_.size());
    sink_.Append('%');
    sink_.AppendUInt(number->second);
    if (!is_new) return;
    sink_.Append('=');
    PrintPlain(node);
  }

  void PrintPlain(const Node* node) {
    sink_.Append(NodeKindName(node->kind));
    if (Expr::ClassOf(node)) {
      sink_.Append(':');
      AppendDType(sink_, static_cast<const Expr*>(node)->dtype);
    }
    sink_.Append('(');
    indent_ += kNodeIndent;
    Dispatch(node, [&](const auto* n) {
      bool first = true;
      ForEachField(*n, [&](const char* name, const auto& value, FieldRole role) {
        if (!first) sink_.Append(", ");
        first = false;
        if (role == FieldRole::kDef) sink_.Append("def ");
        sink_.Append(name);
        sink_.Append('=');
        PrintValue(value);
      });
      if (n->flags != 0) {
        if (!first) sink_.Append(", ");
        sink_.Append("flags=");
        sink_.AppendInt(n->flags);
      }
    });
    indent_ -= kNodeIndent;
    sink_.Append(')');
  }

  template <class T>
  void PrintValue(const T& value) {
    if constexpr (kIsNodePointer<T>) {
      PrintChild(value);
    } else if constexpr (kIsNodeSpan<T>) {
      sink_.Append('[');
      bool first = true;
      for (const auto* child : value) {
        if (!first) sink_.Append(", ");
        first = false;
        PrintChild(child);
      }
      sink_.Append(']');
    } else {
      PrintLeaf(value);
    }
  }

  /// Statements start on a new line.
  void PrintChild(const Node* node) {
    if (node != nullptr && Stmt::ClassOf(node)) StartLine();
    PrintNode(node);
  }

  void PrintLeaf(Symbol value) { AppendQuoted(sink_, value.view()); }
  void PrintLeaf(std::string_view value) { AppendQuoted(sink_, value); }
  void PrintLeaf(bool value) { sink_.Append(value ? "true" : "false"); }
  void PrintLeaf(int64_t value) { sink_.AppendInt(value); }
  void PrintLeaf(int32_t value) { sink_.AppendInt(value); }
  void PrintLeaf(double value) { AppendFloat(sink_, value, Dialect::kV018); }
  void PrintLeaf(DataType value) { AppendDType(sink_, value); }
  void PrintLeaf(const Op* value) {
    sink_.Append(value->kind == OpKind::kGlobalCall ? std::string_view("function") : value->text);
  }
  template <class T>
  requires std::is_enum_v<T>
  void PrintLeaf(T value) { sink_.AppendInt(static_cast<int64_t>(value)); }

  void PrintLeaf(const Type* value) {
    if (value == nullptr) return sink_.Append("null");
    if (value->kind == Type::Kind::kVoid) return sink_.Append("void");
    if (value->is_pointer()) sink_.Append("pointer<");
    AppendDType(sink_, value->dtype);
    if (!value->is_pointer()) return;
    sink_.Append(", ");
    AppendQuoted(sink_, value->scope.view());
    sink_.Append('>');
  }

  void PrintLeaf(const Constant* value) {
    if (value == nullptr) return sink_.Append("null");
    sink_.Append("constant(");
    if (!value->name().empty()) {
      AppendQuoted(sink_, value->name().view());
      sink_.Append(", ");
    }
    AppendDType(sink_, value->dtype());
    sink_.Append(", [");
    bool first = true;
    for (int64_t extent : value->shape()) {
      if (!first) sink_.Append(", ");
      first = false;
      sink_.AppendInt(extent);
    }
    sink_.Append(']');
    if (const auto hash = value->Hash(); hash.ok()) {
      sink_.Append(fmt::format(", xxh3:{:016x}{:016x}", hash->high, hash->low));
    }
    sink_.Append(')');
  }

  Sink& sink_;
  int indent_ = 0;
  absl::flat_hash_map<const Node*, size_t> numbers_;
};

}  // namespace

void PrintGeneric(const Node* node, Sink& sink) { GenericPrinter(sink).PrintNode(node); }

void PrintGeneric(const IRModule& module, Sink& sink) {
  sink.Append("module ");
  AppendQuoted(sink, module.name.view());
  sink.Append("\nattrs ");
  PrintGeneric(module.attrs(), sink);
  if (module.global_infos() != nullptr) {
    sink.Append("\nglobal_infos ");
    PrintGeneric(module.global_infos(), sink);
  }
  for (const Constant* constant : module.constants) {
    const ConstantAttr attr(constant);
    sink.Append("\nconstant ");
    PrintGeneric(&attr, sink);
  }
  for (const Function& function : module.functions()) {
    sink.Append("\nfunction ");
    AppendQuoted(sink, function.name.view());
    sink.Append(' ');
    PrintGeneric(function.func, sink);
  }
}

}  // namespace tenon
