#include <gtest/gtest.h>

#include <map>

#include "ir/builtins.h"
#include "ir/structural.h"
#include "ir/visitor.h"
#include "parser/parser.h"
#include "support/diagnostics.h"
#include "tests/unit/printer/fixture.h"

// Each kind of node, printed and read back.

namespace tenon {
namespace {

class RoundTripTest : public PrinterTest {
 protected:
  RoundTripTest() { MakeExamples(); }

  /// The module that is read back from `text`; fails the test if there are errors.
  std::optional<IRModule> ReadBack(const std::string& text) {
    Diagnostics diagnostics;
    std::optional<IRModule> read = ParseModule(context_, "printed", text, nullptr, {}, diagnostics);
    EXPECT_TRUE(read.has_value()) << Render(context_.sources(), diagnostics) << text;
    return read;
  }

  void CheckRoundTrip(const PrimFunc* func, NodeKind kind) {
    bool found = false;
    Walk(func, [&](const Node* node) {
      found = found || node->kind == kind;
      return !found;
    });
    ASSERT_TRUE(found) << "the example has no " << NodeKindName(kind);
    for (Dialect dialect : {Dialect::kV015, Dialect::kV016, Dialect::kV018}) {
      IRModule module = Module(func);
      module.dialect = dialect;
      const std::string text = PrintModule(module);
      std::optional<IRModule> read = ReadBack(text);
      ASSERT_TRUE(read.has_value());
      read->dialect = dialect;  // few texts determine it
      Difference difference;
      EXPECT_TRUE(StructuralEqual(module, *read, &difference)) << difference.path << "\n" << text;
      EXPECT_EQ(PrintModule(*read), text);
    }
  }

  const Stmt* Value(const Expr* value) { return b_.New<Evaluate>({}, value); }
  const PrimFunc* Example(const Stmt* body, std::vector<const Var*> scalars = {}) {
    return WithSymbol(NewFunction({a_, x_}, body, std::move(scalars)));
  }
  const PrimFunc* WithSymbol(const PrimFunc* func, const Attr* attr = nullptr) {
    const MapAttr* attrs = b_.With(func->attrs, "global_symbol", b_.StringValue("f"));
    if (attr != nullptr) attrs = b_.With(attrs, "value", attr);
    return b_.New<PrimFunc>({}, func->params, func->buffers, func->ret_type, attrs, func->body);
  }
  const PrimFunc* ExampleOf(const Attr* attr) {
    return WithSymbol(NewFunction({a_, x_}, Value(b_.Int(0))), attr);
  }
  template <class T>
  const PrimFunc* Binary(const Expr* a, const Expr* b) {
    return Example(Value(b_.New<T>({}, a, b)), {n_});
  }
  const Range* NewRange(int64_t min, int64_t extent) {
    return b_.New<Range>({}, b_.Int(min), b_.Int(extent));
  }

  void MakeExamples() {
    MakeArithmetic();
    MakeExprs();
    MakeStatements();
    MakeScopes();
    MakeBlocks();
    MakeAttrs();
  }

  void MakeArithmetic() {
    const Expr* n = n_;
    const Expr* less = b_.New<LT>({}, n_, b_.Int(3));
    examples_[NodeKind::kAdd] = Binary<tenon::Add>(n, n);
    examples_[NodeKind::kSub] = Binary<Sub>(n, b_.Int(3));
    examples_[NodeKind::kMul] = Binary<Mul>(n, b_.Int(1));
    examples_[NodeKind::kDiv] = Binary<Div>(n, n);
    examples_[NodeKind::kMod] = Binary<Mod>(n, n);
    examples_[NodeKind::kFloorDiv] = Binary<FloorDiv>(n, b_.Int(3));
    examples_[NodeKind::kFloorMod] = Binary<FloorMod>(n, b_.Int(1));
    examples_[NodeKind::kMin] = Binary<Min>(n, b_.Int(3));
    examples_[NodeKind::kMax] = Binary<Max>(n, b_.Int(3));
    examples_[NodeKind::kEQ] = Binary<EQ>(n, n);
    examples_[NodeKind::kNE] = Binary<NE>(b_.Int(1), b_.Int(2));
    examples_[NodeKind::kLT] = Binary<LT>(n, b_.Int(3));
    examples_[NodeKind::kLE] = Binary<LE>(n, b_.Int(3));
    examples_[NodeKind::kGT] = Binary<GT>(n, b_.Int(3));
    examples_[NodeKind::kGE] = Binary<GE>(n, b_.Int(3));
    examples_[NodeKind::kAnd] = Binary<And>(less, b_.New<And>({}, less, less));
    examples_[NodeKind::kOr] = Binary<Or>(b_.Bool(true), less);
    examples_[NodeKind::kNot] = Example(Value(b_.New<Not>({}, less)), {n_});
  }

  void MakeExprs() {
    const Expr* half = b_.New<FloatImm>({}, DataType::Float(32), 0.84080779552459717);
    const Expr* first = b_.Load(a_, {b_.Int(0)});
    examples_[NodeKind::kIntImm] = Example(Value(b_.Int(DataType::UInt(64), -1)));
    examples_[NodeKind::kFloatImm] = Example(Value(half));
    examples_[NodeKind::kStringImm] = Example(Run("a\"b\\\n\x01"));
    examples_[NodeKind::kVar] = Example(Value(n_), {n_});
    examples_[NodeKind::kCast] = Example(Value(b_.New<Cast>({}, DataType::Int(8), half)));
    examples_[NodeKind::kSelect] =
        Example(Value(b_.New<Select>({}, b_.New<LT>({}, first, half), half, first)));
    examples_[NodeKind::kBufferLoad] = Example(Value(first));
    examples_[NodeKind::kRamp] = Example(Value(b_.New<Ramp>({}, n_, b_.Int(2), 4)), {n_});
    examples_[NodeKind::kBroadcast] = Example(Value(b_.New<Broadcast>({}, half, 4)));
    examples_[NodeKind::kShuffle] =
        Example(Value(b_.New<Shuffle>({}, DataType::Float(32, 2), b_.List<Expr>({half, first}),
                                      b_.List<Expr>({b_.Int(1), b_.Int(0)}))));
    const Var* y = NewInt("y");
    examples_[NodeKind::kLet] = Example(Value(b_.New<Let>({}, y, b_.Int(3), Add(y, y))));
    examples_[NodeKind::kCall] =
        Example(Value(b_.NewCall(DataType::Float(32), OpKind::kExp, {half})));
    examples_[NodeKind::kAny] = Example(Value(b_.New<Any>({})));
  }

  void MakeStatements() {
    const Stmt* zero = Store(x_, b_.Int(0), {b_.Int(0)});
    const Stmt* one = Store(x_, b_.Int(1), {b_.Int(1)});
    const Expr* less = b_.New<LT>({}, b_.Load(x_, {b_.Int(0)}), b_.Int(3));
    examples_[NodeKind::kBufferStore] = Example(zero);
    examples_[NodeKind::kSeqStmt] = Example(b_.Seq({zero, one}));
    examples_[NodeKind::kIfThenElse] = Example(If(less, zero, If(less, one, zero)));
    examples_[NodeKind::kEvaluate] = Example(
        b_.Seq({b_.NoOp(), Value(b_.NewCall(DataType::Int(32), OpKind::kRet, {b_.Int(0)}))}));
    const Var* i = NewInt("i");
    examples_[NodeKind::kFor] =
        Example(b_.New<For>({}, i, b_.Int(2), n_, ForKind::kUnrolled, Store(x_, i, {i})), {n_});
    examples_[NodeKind::kWhile] = Example(b_.New<While>({}, less, one));
    examples_[NodeKind::kPrefetch] = examples_[NodeKind::kRange] =
        Example(b_.New<Prefetch>({}, x_, b_.List<Range>({NewRange(1, 3)})));
  }

  void MakeScopes() {
    const Stmt* one = Store(x_, b_.Int(1), {b_.Int(1)});
    const Var* y = NewInt("y");
    const Var* data = NewPointer("data");
    const Buffer* view = NewBuffer("view", {4}, DataType::Float(32), data);
    const Stmt* use = Value(b_.Load(view, {b_.Int(0)}));
    const auto scoped = [&](const Stmt* stmt) { return Example(b_.Seq({stmt, one})); };
    examples_[NodeKind::kLetStmt] =
        scoped(b_.New<LetStmt>({}, y, b_.Int(3), Store(x_, y, {b_.Int(0)})));
    examples_[NodeKind::kAttrStmt] =
        scoped(b_.New<AttrStmt>({}, b_.StringValue("default"), "device_id", b_.Int(0), one));
    examples_[NodeKind::kAssertStmt] = scoped(b_.New<AssertStmt>(
        {}, b_.New<EQ>({}, b_.Load(x_, {b_.Int(0)}), b_.Int(1)), b_.String("text"), one));
    examples_[NodeKind::kBufferRealize] = scoped(
        b_.New<BufferRealize>({}, x_, b_.List<Range>({NewRange(0, 4)}), "", b_.Bool(true), one));
    examples_[NodeKind::kAllocate] = examples_[NodeKind::kBuffer] = scoped(Allocate(data, 4, use));
    examples_[NodeKind::kDeclBuffer] = scoped(Allocate(data, 8, b_.New<DeclBuffer>({}, view, use)));
    const Constant* constant =
        context_.AddConstant({}, DataType::Int(8), {3}, std::vector<uint8_t>{1, 2, 255});
    const Var* pointer = NewPointer("c", DataType::Int(8), "");
    const Buffer* bytes = NewBuffer("c_1", {3}, DataType::Int(8), pointer);
    examples_[NodeKind::kAllocateConst] =
        scoped(b_.New<AllocateConst>({}, pointer, DataType::Int(8), b_.List<Expr>({b_.Int(3)}),
                                     constant, nullptr, Value(b_.Load(bytes, {b_.Int(0)}))));
  }

  void MakeBlocks() {
    const Var* i = NewInt("i");
    const Var* vi = NewInt("vi");
    const auto* axis = b_.New<IterVar>({}, NewRange(0, 4), vi, IterVarKind::kDataPar);
    const auto* region =
        b_.New<BufferRegion>({}, x_, b_.List<Range>({b_.New<Range>({}, vi, b_.Int(1))}));
    auto* block = b_.arena().New<Block>();
    const Buffer* matched = NewBuffer("M", {1}, DataType::Int(32));
    const Stmt* store = Store(matched, vi, {b_.Int(0)});
    block->iter_vars = b_.List<IterVar>({axis});
    block->name_hint = "B";
    block->reads = {};
    block->writes = b_.List<BufferRegion>({region});
    block->match_buffers =
        b_.List<MatchBufferRegion>({b_.New<MatchBufferRegion>({}, matched, region)});
    block->body = store;
    const Stmt* realize =
        b_.New<BlockRealize>({}, b_.List<Expr>({i}), b_.New<LT>({}, i, b_.Int(3)), block);
    auto* root = b_.arena().New<Block>();
    root->name_hint = "root";
    root->body = Loop(i, 4, realize);
    const PrimFunc* func =
        Example(b_.New<BlockRealize>({}, Span<const Expr*>(), b_.Bool(true), root));
    for (NodeKind kind : {NodeKind::kBlock, NodeKind::kBlockRealize, NodeKind::kIterVar,
                          NodeKind::kBufferRegion, NodeKind::kMatchBufferRegion}) {
      examples_[kind] = func;
    }
    examples_[NodeKind::kPrimFunc] = func;
  }

  void MakeAttrs() {
    const auto target = [&](const Attr* attr) {
      return b_.New<TargetAttr>({}, b_.Map({{"kind", b_.StringValue("c")}, {"value", attr}}));
    };
    examples_[NodeKind::kNoneAttr] = ExampleOf(b_.New<NoneAttr>({}));
    // Targets contain bare values since 0.18; elsewhere they become immediates.
    boxed_[NodeKind::kBoolAttr] = ExampleOf(target(b_.New<BoolAttr>({}, true)));
    boxed_[NodeKind::kIntAttr] = ExampleOf(target(b_.New<IntAttr>({}, 3)));
    boxed_[NodeKind::kFloatAttr] = ExampleOf(target(b_.New<FloatAttr>({}, 1.5)));
    examples_[NodeKind::kStringAttr] = ExampleOf(b_.StringValue("text"));
    examples_[NodeKind::kExprAttr] = ExampleOf(b_.ExprValue(b_.Bool(true)));
    examples_[NodeKind::kArrayAttr] =
        ExampleOf(b_.Array(b_.List<Attr>({b_.StringValue("a"), b_.StringValue("b")})));
    examples_[NodeKind::kMapAttr] = examples_[NodeKind::kMapItem] =
        ExampleOf(b_.Map({{"a", b_.StringValue("b")}}));
    examples_[NodeKind::kTargetAttr] = ExampleOf(target(b_.StringValue("x")));
    examples_[NodeKind::kGlobalVarAttr] =
        ExampleOf(b_.New<GlobalVarAttr>({}, context_.Intern("f")));
    examples_[NodeKind::kConstantAttr] = ExampleOf(b_.New<ConstantAttr>(
        {}, context_.AddConstant({}, DataType::Int(8), {1}, std::vector<uint8_t>{7})));
    examples_[NodeKind::kObjectAttr] = ExampleOf(b_.New<ObjectAttr>(
        {}, context_.Intern("ir.ConstantInfo"),
        b_.Map(
            {{"name_hint", b_.StringValue("c")},
             {"byte_offset", b_.ExprValue(b_.Int(16))},
             {"data", b_.New<ConstantAttr>({}, context_.AddConstant({}, DataType::Int(8), {1},
                                                                    std::vector<uint8_t>{7}))}})));
    const Stmt* one = Store(x_, b_.Int(1), {b_.Int(1)});
    examples_[NodeKind::kBufferAttr] = Example(
        b_.New<AttrStmt>({}, b_.New<BufferAttr>({}, x_), "storage_alignment", b_.Int(64), one));
    const Var* tx = NewInt("tx");
    const auto* thread =
        b_.New<IterVar>({}, NewRange(0, 4), tx, IterVarKind::kThreadIndex, "threadIdx.x");
    examples_[NodeKind::kIterVarAttr] = Example(b_.New<AttrStmt>(
        {}, b_.New<IterVarAttr>({}, thread), "thread_extent", b_.Int(4), Store(x_, tx, {tx})));
  }

  const Var* n_ = NewInt("n");
  const Buffer* a_ = NewBuffer("A", {4});
  const Buffer* x_ = NewBuffer("X", {4}, DataType::Int(32));
  std::map<NodeKind, const PrimFunc*> examples_;
  std::map<NodeKind, const PrimFunc*> boxed_;
};

TEST_F(RoundTripTest, EveryKindOfNode) {
  // Nodes that only occur in modules that are not lowered to TIR: the text does not declare the
  // tensors, and `T.reduce` cannot be read. See Producers, and ExprTest.Reductions.
  const std::vector<NodeKind> unreadable = {NodeKind::kProducerLoad, NodeKind::kProducerStore,
                                            NodeKind::kProducerRealize, NodeKind::kReduce,
                                            NodeKind::kCommReducer};
#define TENON_EXPR(Name)                                                             \
  if (!std::count(unreadable.begin(), unreadable.end(), NodeKind::k##Name) &&        \
      !boxed_.contains(NodeKind::k##Name)) {                                         \
    SCOPED_TRACE(#Name);                                                             \
    ASSERT_TRUE(examples_.contains(NodeKind::k##Name)) << "no example of " << #Name; \
    CheckRoundTrip(examples_[NodeKind::k##Name], NodeKind::k##Name);                 \
  }
#define TENON_STMT(Name) TENON_EXPR(Name)
#define TENON_ATTR(Name) TENON_EXPR(Name)
#define TENON_PART(Name) TENON_EXPR(Name)
#include "ir/nodes.def"
}

TEST_F(RoundTripTest, BareValues) {
  for (const auto& [kind, func] : boxed_) {
    SCOPED_TRACE(NodeKindName(kind));
    IRModule module = Module(func);
    module.dialect = Dialect::kV018;
    const std::optional<IRModule> read = ReadBack(PrintModule(module));
    ASSERT_TRUE(read.has_value());
    EXPECT_TRUE(StructuralEqual(module, *read)) << PrintModule(module);
  }
}

// In an object of the metadata, a target becomes TVM's record of a target, without losses.
TEST_F(RoundTripTest, TargetsInMetadata) {
  const MapAttr* host = b_.Map({{"keys", b_.Array({})}, {"kind", b_.StringValue("c")}});
  const Attr* target = b_.New<TargetAttr>(
      SourceRange{}, b_.Map({{"host", host},
                             {"keys", b_.Array(std::vector<const Attr*>{b_.StringValue("cpu")})},
                             {"kind", b_.StringValue("llvm")},
                             {"mcpu", b_.StringValue("znver9")},
                             {"tag", b_.StringValue("")}}));
  const Attr* object =
      b_.New<ObjectAttr>(SourceRange{}, context_.Intern("Holder"), b_.Map({{"target", target}}));
  const IRModule module = Module(ExampleOf(object));
  const std::string text = PrintModule(module);
  const std::optional<IRModule> read = ReadBack(text);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(PrintModule(*read), text);
  const auto* held = dyn_cast<ObjectAttr>(read->functions()[0].func->FindAttr("value"));
  ASSERT_NE(held, nullptr);
  const auto* record = dyn_cast_or_null<ObjectAttr>(held->fields->Find("target"));
  ASSERT_NE(record, nullptr) << text;
  EXPECT_EQ(record->type_key.view(), "Target");
  const auto* attrs = dyn_cast_or_null<MapAttr>(record->fields->Find("attrs"));
  ASSERT_NE(attrs, nullptr);
  EXPECT_EQ(*AsString(attrs->Find("mcpu")), "znver9");
  EXPECT_EQ(attrs->items.size(), 1u);
  const auto* read_host = dyn_cast_or_null<ObjectAttr>(record->fields->Find("host"));
  ASSERT_NE(read_host, nullptr);
  EXPECT_EQ(read_host->type_key.view(), "Target");
  const auto* kind = dyn_cast_or_null<ObjectAttr>(record->fields->Find("kind"));
  ASSERT_NE(kind, nullptr);
  EXPECT_EQ(*AsString(kind->fields->Find("repr_str")), "llvm");
}

TEST_F(RoundTripTest, Producers) {
  const auto* load = b_.New<ProducerLoad>({}, DataType::Float(32), a_, b_.List<Expr>({n_}));
  const Stmt* store = b_.New<ProducerStore>({}, a_, load, b_.List<Expr>({b_.Int(1)}));
  EXPECT_EQ(PrintNode(store), "A[1] = A[n]");
  EXPECT_EQ(PrintNode(b_.New<ProducerRealize>({}, a_, b_.List<Range>({NewRange(0, 8)}),
                                              b_.Bool(true), store)),
            "with T.ProducerRealize(A[0:8], T.bool(True)):\n    A[1] = A[n]");
}

TEST_F(RoundTripTest, ConstantsAreReadBackBitForBit) {
  for (DataType dtype : {DataType::Int(8), DataType::UInt(16), DataType::Int(32), DataType::Int(64),
                         DataType::Float(16), DataType::Float(32), DataType::Float(64),
                         DataType(TypeCode::kBFloat, 16), DataType::Bool()}) {
    SCOPED_TRACE(dtype.ToString());
    std::vector<uint8_t> bytes(static_cast<size_t>(dtype.bytes()) * 64);
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = dtype.is_bool() ? i % 2 : static_cast<uint8_t>(i * 37 + 11);
    }
    const Constant* constant = context_.AddConstant({}, dtype, {64}, bytes);
    const Var* pointer = NewPointer("c", dtype, "");
    const Stmt* body = b_.New<AllocateConst>({}, pointer, dtype, b_.List<Expr>({b_.Int(64)}),
                                             constant, nullptr, b_.NoOp());
    const IRModule module = Module(WithSymbol(NewFunction({}, body)));
    const std::optional<IRModule> read = ReadBack(PrintModule(module));
    ASSERT_TRUE(read.has_value());
    EXPECT_TRUE(StructuralEqual(module, *read));
  }
}

}  // namespace
}  // namespace tenon
