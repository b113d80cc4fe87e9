#include "ir/rewriter.h"

#include <gtest/gtest.h>

#include "ir/structural.h"
#include "test_function.h"

namespace tenon {
namespace {

/// Replaces the literal 1 by 2.
class OneToTwo : public Rewriter<OneToTwo> {
 public:
  using Rewriter::Rewriter;
  const Expr* RewriteIntImm(const IntImm* imm) {
    return imm->value == 1 ? builder().Int(imm->dtype, 2, imm->range) : imm;
  }
};

/// Drops every store to a buffer.
class DropStores : public Rewriter<DropStores> {
 public:
  using Rewriter::Rewriter;
  const Stmt* RewriteBufferStore(const BufferStore*) { return nullptr; }
};

TEST(RewriterTest, UnchangedIsTheSamePointer) {
  Context context;
  TestFunction f(context);
  const Function function = f.Finish("f", f.Store(f.A, f.b.Int(0), f.b.Load(f.B, {f.b.Int(3)})));
  EXPECT_EQ(RewriteFunction<OneToTwo>(context, function).func, function.func);
}

TEST(RewriterTest, SharesWhatDidNotChange) {
  Context context;
  TestFunction f(context);
  const Stmt* kept = f.Store(f.A, f.b.Int(0), f.b.Load(f.B, {f.b.Int(3)}));
  const Stmt* changed = f.Store(f.A, f.b.Int(1), f.b.Load(f.B, {f.b.Int(3)}));
  const Function function = f.Finish("f", f.b.Seq({kept, changed}));
  const Function now = RewriteFunction<OneToTwo>(context, function);
  ASSERT_NE(now.func, function.func);
  const auto* seq = cast<SeqStmt>(now.func->body);
  EXPECT_EQ(seq->seq[0], kept);
  EXPECT_TRUE(IsConstInt(cast<BufferStore>(seq->seq[1])->indices[0], 2));
  EXPECT_EQ(now.func->params.data(), function.func->params.data());
}

TEST(RewriterTest, NewVersionKeepsTheOldStorageAlive) {
  Context context;
  Function now;
  {
    TestFunction f(context);
    const Stmt* kept = f.Store(f.A, f.b.Int(0), f.b.Load(f.B, {f.b.Int(3)}));
    const Stmt* changed = f.Store(f.A, f.b.Int(1), f.b.Load(f.B, {f.b.Int(3)}));
    now = RewriteFunction<OneToTwo>(context, f.Finish("f", f.b.Seq({kept, changed})));
  }
  EXPECT_NE(StructuralHash(now.func), 0u);
}

TEST(RewriterTest, BuffersAreRemadeOnceAndEverywhere) {
  Context context;
  TestFunction f(context);
  const Buffer* scratch = f.NewBuffer("S", DataType::Float(32), 1);
  const Stmt* body = f.b.Seq({f.Store(scratch, f.b.Int(0), f.b.Number(DataType::Float(32), 0)),
                              f.Store(f.A, f.b.Int(0), f.b.Load(scratch, {f.b.Int(0)}))});
  const Function now = RewriteFunction<OneToTwo>(context, f.Finish("f", body));
  const auto* seq = cast<SeqStmt>(now.func->body);
  const Buffer* stored = cast<BufferStore>(seq->seq[0])->buffer;
  const Buffer* loaded = cast<BufferLoad>(cast<BufferStore>(seq->seq[1])->value)->buffer;
  EXPECT_NE(stored, scratch);
  EXPECT_EQ(stored, loaded);
  EXPECT_TRUE(IsConstInt(stored->shape[0], 2));
}

TEST(RewriterTest, DroppedStatementsLeaveSequencesAndBodies) {
  Context context;
  TestFunction f(context);
  const Stmt* store = f.Store(f.A, f.b.Int(0), f.b.Number(DataType::Float(32), 0));
  const Stmt* keep = f.b.New<Evaluate>({}, f.b.Int(7));
  const Function seq =
      RewriteFunction<DropStores>(context, f.Finish("f", f.b.Seq({store, keep, store})));
  EXPECT_EQ(seq.func->body, keep);
  const Function loop =
      RewriteFunction<DropStores>(context, f.Finish("g", f.Loop(f.IntVar("i"), 4, store)));
  EXPECT_TRUE(isa<Evaluate>(cast<For>(loop.func->body)->body));
}

TEST(RewriterTest, DeepSumsAreRewritten) {
  Context context;
  TestFunction f(context);
  const Expr* sum = f.b.Int(1);
  for (int i = 0; i < 100000; ++i) sum = f.b.New<Add>({}, sum, f.b.Int(3));
  const Function now =
      RewriteFunction<OneToTwo>(context, f.Finish("f", f.b.New<Evaluate>({}, sum)));
  EXPECT_NE(now.func, nullptr);
  int literals = 0;
  Walk(now.func->body, [&](const Node* node) {
    literals += isa<IntImm>(node) ? 1 : 0;
    return true;
  });
  EXPECT_EQ(literals, 100001);
}

}  // namespace
}  // namespace tenon
