#ifndef TENON_TESTS_UNIT_IR_TEST_FUNCTION_H_
#define TENON_TESTS_UNIT_IR_TEST_FUNCTION_H_

#include <memory>
#include <string>

#include "ir/builder.h"
#include "ir/module.h"

namespace tenon {

/// A module under construction: `float32[n]` buffers A and B as parameters, and helpers to fill a
/// body.
class TestFunction {
 public:
  explicit TestFunction(Context& context) : context_(context), b(context, storage_->arena()) {
    a_param = b.NewVar("a", context.PrimType(DataType::Handle()));
    b_param = b.NewVar("b", context.PrimType(DataType::Handle()));
    A = NewBuffer("A", DataType::Float(32), 8);
    B = NewBuffer("B", DataType::Float(32), 8);
  }

  const Buffer* NewBuffer(std::string_view name, DataType dtype, int64_t extent,
                          const Var* data = nullptr) {
    if (data == nullptr) data = b.NewVar(name, context_.PointerType(dtype, "global"));
    return b.New<Buffer>({}, context_.Intern(name), data, dtype, b.List<Expr>({b.Int(extent)}),
                         b.Int(0));
  }

  const Stmt* Store(const Buffer* buffer, const Expr* index, const Expr* value) {
    return b.New<BufferStore>({}, buffer, value, b.List<Expr>({index}));
  }
  const For* Loop(const Var* var, int64_t extent, const Stmt* body,
                  ForKind kind = ForKind::kSerial) {
    return b.New<For>({}, var, b.Int(0), b.Int(extent), kind, body);
  }
  const Var* IntVar(std::string_view name) { return b.NewVar(name, DataType::Int(32)); }

  Function Finish(std::string_view name, const Stmt* body, std::string_view symbol = "") {
    const MapAttr* attrs = b.Map({});
    if (!symbol.empty()) attrs = b.With(attrs, "global_symbol", b.StringValue(symbol));
    const PrimFunc* func =
        b.New<PrimFunc>({}, b.List<Var>({a_param, b_param}), b.List<Buffer>({A, B}),
                        context_.VoidType(), attrs, body);
    return {context_.Intern(name), func, storage_};
  }

 private:
  Context& context_;
  std::shared_ptr<Storage> storage_ = std::make_shared<Storage>();

 public:
  NodeBuilder b;
  const Var* a_param;
  const Var* b_param;
  const Buffer* A;
  const Buffer* B;
};

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_IR_TEST_FUNCTION_H_
