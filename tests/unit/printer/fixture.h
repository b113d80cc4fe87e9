#ifndef TENON_TESTS_UNIT_PRINTER_FIXTURE_H_
#define TENON_TESTS_UNIT_PRINTER_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/builtins.h"
#include "printer/printer.h"

namespace tenon {

/// Builds nodes and functions, and prints them.
class PrinterTest : public ::testing::Test {
 protected:
  const Buffer* NewBuffer(std::string_view name, std::vector<int64_t> shape,
                          DataType dtype = DataType::Float(32), const Var* data = nullptr) {
    if (data == nullptr) data = NewPointer(name, dtype);
    std::vector<const Expr*> extents;
    for (int64_t extent : shape) extents.push_back(b_.Int(extent));
    return b_.New<Buffer>({}, context_.Intern(name), data, dtype, b_.arena().Copy(extents),
                          b_.Int(0));
  }
  const Var* NewPointer(std::string_view name, DataType dtype = DataType::Float(32),
                        std::string_view scope = "global") {
    return b_.NewVar(name, context_.PointerType(dtype, scope));
  }
  const Var* NewInt(std::string_view name) { return b_.NewVar(name, DataType::Int(32)); }
  const Stmt* Store(const Buffer* buffer, const Expr* value,
                    std::initializer_list<const Expr*> indices) {
    return b_.New<BufferStore>({}, buffer, value, b_.List<Expr>(indices));
  }
  const Stmt* Loop(const Var* var, int64_t extent, const Stmt* body) {
    return b_.New<For>({}, var, b_.Int(0), b_.Int(extent), ForKind::kSerial, body);
  }
  const Stmt* If(const Expr* condition, const Stmt* then_case, const Stmt* else_case = nullptr) {
    return b_.New<IfThenElse>({}, condition, then_case, else_case);
  }
  const Stmt* Allocate(const Var* var, int64_t extent, const Stmt* body) {
    return b_.New<tenon::Allocate>({}, var, var->type->dtype, b_.List<Expr>({b_.Int(extent)}),
                                   b_.Bool(true), nullptr, body);
  }
  const Expr* Opaque(std::string_view name) {
    return b_.NewCall(DataType::Int(32), OpKind::kCallExtern, {b_.String(name)});
  }
  const Stmt* Run(std::string_view name) { return b_.New<Evaluate>({}, Opaque(name)); }
  const Expr* Add(const Expr* a, const Expr* b) { return b_.New<tenon::Add>({}, a, b); }

  const PrimFunc* NewFunction(std::vector<const Buffer*> buffers, const Stmt* body,
                              std::vector<const Var*> scalars = {}) {
    std::vector<const Var*> params;
    for (const Buffer* buffer : buffers) {
      params.push_back(b_.NewVar(std::string(buffer->name.view()) + "_handle", DataType::Handle()));
    }
    for (const Var* scalar : scalars) {
      params.push_back(scalar);
      buffers.push_back(nullptr);
    }
    return b_.New<PrimFunc>({}, b_.arena().Copy(params), b_.arena().Copy(buffers),
                            context_.VoidType(), b_.Map({}), body);
  }
  Function Named(std::string_view name, const PrimFunc* func) {
    return Function{context_.Intern(name), func, storage_};
  }
  /// A module of one function `f`.
  IRModule Module(const PrimFunc* func) {
    IRModule module(context_);
    module.name = context_.Intern("Module");
    module.Add(Named("f", func));
    return module;
  }

  /// The lines of a function's body, without its indentation.
  std::string Body(const PrimFunc* func, Dialect dialect = Dialect::kV015) {
    IRModule module = Module(func);
    module.dialect = dialect;
    const std::string text = PrintFunction(module, module.functions()[0]);
    const size_t def = text.find("def ");
    std::string body;
    for (size_t at = text.find('\n', def); at != std::string::npos;) {
      const size_t end = text.find('\n', at + 1);
      body += text.substr(at + 5, end == std::string::npos ? end : end - at - 5) + "\n";
      at = end;
    }
    return body;
  }
  /// The line of a function's `def`.
  std::string Signature(const PrimFunc* func) {
    IRModule module = Module(func);
    const std::string text = PrintFunction(module, module.functions()[0]);
    const size_t def = text.find("def ");
    return text.substr(def, text.find('\n', def) - def);
  }

  Context context_;
  std::shared_ptr<Storage> storage_ = std::make_shared<Storage>();
  NodeBuilder b_{context_, storage_->arena()};
};

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_PRINTER_FIXTURE_H_
