#include <gtest/gtest.h>

#include "ir/builtins.h"
#include "tests/unit/printer/fixture.h"

// Names, whole modules, the generic form, fragments and chunks.

namespace tenon {
namespace {

using NamesTest = PrinterTest;

TEST_F(NamesTest, TakenNamesGetANumberForAsLongAsTheyAreTaken) {
  const Buffer* x = NewBuffer("X", {4, 4}, DataType::Int(32));
  const Var* i = NewInt("i");
  const Var* j = NewInt("i");
  const Var* k = NewInt("i");
  const Stmt* body =
      b_.Seq({Loop(i, 4, b_.Seq({Loop(j, 4, Store(x, Add(i, j), {i, j})), Run("g")})),
              Loop(k, 4, Store(x, k, {k, k}))});
  EXPECT_EQ(Body(NewFunction({x}, body)), R"(for i in range(4):
    for i_1 in range(4):
        X[i, i_1] = i + i_1
    T.call_extern("int32", "g")
for i in range(4):
    X[i, i] = i
)");
}

TEST_F(NamesTest, NumbersSkipTakenNames) {
  const Buffer* x = NewBuffer("A", {4}, DataType::Int(32));
  const Var* data = NewPointer("A", DataType::Int(32));
  const Buffer* alias = NewBuffer("A", {4}, DataType::Int(32), data);
  const Var* number = NewInt("A_1");
  const Stmt* body = b_.New<LetStmt>(
      {}, number, b_.Int(3), Allocate(data, 4, Store(alias, b_.Load(x, {number}), {b_.Int(0)})));
  EXPECT_EQ(Body(NewFunction({x}, body)), R"(A_1: T.int32 = 3
A_2 = T.allocate([4], "int32", "global")
A_3 = T.Buffer((4,), "int32", data=A_2)
A_3[0] = A[A_1]
)");
}

TEST_F(NamesTest, NamesThatTheTextCannotHave) {
  const auto name = [&](std::string_view hint, Dialect dialect = Dialect::kV015) {
    const Var* var = NewInt(hint);
    IRModule module = Module(NewFunction({}, Loop(var, 4, b_.New<Evaluate>({}, var))));
    module.dialect = dialect;
    const std::string text = PrintModule(module);
    const size_t at = text.find("for ") + 4;
    const std::string printed = text.substr(at, text.find(" in ") - at);
    EXPECT_TRUE(text.ends_with("T.evaluate(" + printed + ")"));
    return printed;
  };
  EXPECT_EQ(name("i"), "i");
  EXPECT_EQ(name(""), "v");
  EXPECT_EQ(name("compute.global"), "compute_global");
  EXPECT_EQ(name("\xc3\xa9"), "__");
  EXPECT_EQ(name("0x"), "_0x");
  EXPECT_EQ(name("lambda"), "lambda_1");
  EXPECT_EQ(name("range"), "range_1");
  EXPECT_EQ(name("T"), "T_1");
  EXPECT_EQ(name("Module"), "Module_1");
  EXPECT_EQ(name("R"), "R");
  EXPECT_EQ(name("R", Dialect::kV016), "R_1");
  EXPECT_EQ(name("cls", Dialect::kV016), "cls_1");
}

TEST_F(NamesTest, FunctionsByNameWithMainLast) {
  IRModule module(context_);
  module.name = context_.Intern("Mod");
  const Stmt* call =
      b_.New<Evaluate>({}, b_.New<Call>({}, DataType::Void(), Op::Get(OpKind::kGlobalCall),
                                        Span<const Expr*>(), context_.Intern("z")));
  module.Add(Named("z", NewFunction({}, b_.NoOp())));
  module.Add(Named("main", NewFunction({}, call)));
  module.Add(Named("Z", NewFunction({}, b_.NoOp())));
  EXPECT_EQ(PrintModule(module), R"(# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Mod:
    @T.prim_func(private=True)
    def Z():
        T.evaluate(0)

    @T.prim_func(private=True)
    def z():
        T.evaluate(0)

    @T.prim_func(private=True)
    def main():
        Mod.z())");
  module.Remove(context_.Intern("z"));
  module.Remove(context_.Intern("Z"));
  module.bare_function = true;
  EXPECT_EQ(PrintModule(module), R"(# from tvm.script import tir as T

@T.prim_func(private=True)
def main():
    z())");
  module.Remove(context_.Intern("main"));
  EXPECT_EQ(PrintModule(module), R"(# from tvm.script import ir as I

@I.ir_module
class Mod:
    pass)");
}

TEST_F(NamesTest, ChunksMakeUpTheText) {
  std::vector<const Stmt*> calls;
  for (int i = 0; i < 20000; ++i) calls.push_back(Run("some_function_or_other"));
  const PrimFunc* func = NewFunction({}, b_.Seq(Span<const Stmt*>(calls.data(), calls.size())));
  IRModule module = Module(func);
  for (int i = 0; i < 3; ++i) module.Add(Named("g" + std::to_string(i), func));
  struct Chunks {
    std::string text;
    size_t longest = 0;
  } chunks;
  Sink sink(
      [](void* context, std::string_view chunk) {
        auto* to = static_cast<Chunks*>(context);
        to->text += chunk;
        to->longest = std::max(to->longest, chunk.size());
      },
      &chunks);
  PrintModule(module, {}, sink);
  EXPECT_EQ(chunks.text, PrintModule(module));
  EXPECT_EQ(sink.size(), chunks.text.size());
  // A function is buffered, up to some size, while it might be printed again.
  EXPECT_GT(chunks.text.size(), 3U << 20);
  EXPECT_LT(chunks.longest, 2U << 20);
}

TEST_F(NamesTest, HeldChunksNeedNoMoreRoomTheLongerTheTextGets) {
  size_t taken = 0;
  Sink sink(
      [](void* context, std::string_view chunk) { *static_cast<size_t*>(context) += chunk.size(); },
      &taken);
  const std::string function(1000, 'f');
  for (int i = 0; i < 20000; ++i) {
    sink.Hold();
    for (int piece = 0; piece < 4; ++piece) sink.Append(std::string_view(function).substr(750));
    sink.Release();
  }
  sink.Flush();
  EXPECT_EQ(taken, 20U * 1000 * 1000);
}

TEST_F(NamesTest, FragmentsPrintUndefinedThingsByName) {
  const Buffer* x = NewBuffer("X", {4}, DataType::Int(32));
  const Var* i = NewInt("i");
  const Stmt* body = Loop(i, 4, Store(x, Add(i, NewInt("n")), {i}));
  EXPECT_EQ(PrintNode(body), "for i in range(4):\n    X[i] = i + n");
  EXPECT_EQ(PrintNode(b_.New<LetStmt>({}, i, b_.Int(1), body)),
            "with T.LetStmt(1) as i:\n    for i in range(4):\n        X[i] = i + n");
  EXPECT_EQ(PrintNode(x), R"(X = T.Buffer((4,), "int32", data=X))");
  EXPECT_EQ(PrintNode(b_.Map({{"k", b_.StringValue("v")}})), R"({"k": "v"})");
  EXPECT_EQ(PrintNode(NewFunction({x}, body)), R"(@T.prim_func(private=True)
def main(X: T.Buffer((4,), "int32")):
    for i in range(4):
        n = T.int32()
        X[i] = i + n)");
}

TEST_F(NamesTest, GenericFormShowsEveryField) {
  const Buffer* x = NewBuffer("X", {4}, DataType::Int(32));
  const Var* i = NewInt("i");
  EXPECT_EQ(PrintNodeGeneric(Loop(i, 4, Store(x, i, {i}))),
            R"(For(min=IntImm:int32(value=0), extent=IntImm:int32(value=4), for_kind=0, )"
            R"(annotations=null, thread_binding=null, )"
            R"(def loop_var=%0=Var:int32(name="i", type=int32), body=)"
            "\n  "
            R"(BufferStore(buffer=%1=Buffer(name="X", )"
            R"(data=%2=Var:handle(name="X", type=pointer<int32, "global">), dtype=int32, )"
            R"(shape=[IntImm:int32(value=4)], strides=[], axis_separators=[], )"
            R"(elem_offset=IntImm:int32(value=0), data_alignment=64, offset_factor=1, )"
            R"(buffer_kind=0), indices=[%0], value=%0, predicate=null)))");
  PrintOptions options;
  options.generic = true;
  const IRModule module = Module(NewFunction({x}, b_.NoOp()));
  const std::string text = PrintModule(module, options);
  EXPECT_TRUE(text.starts_with("module \"Module\"\n")) << text;
  EXPECT_NE(text.find("\nfunction \"f\" PrimFunc("), std::string::npos) << text;
  EXPECT_EQ(text, PrintModule(module, options));
}

}  // namespace
}  // namespace tenon
