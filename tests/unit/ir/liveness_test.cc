#include "ir/analysis/liveness.h"

#include <gtest/gtest.h>

#include "ir/builtins.h"
#include "test_function.h"

namespace tenon {
namespace {

/// One function under construction that allocates float32[8] buffers.
class LivenessTest : public testing::Test {
 protected:
  LivenessTest() : module_(context_), f_(context_) {}

  /// A buffer for an allocation that Allocate() makes later.
  const Buffer* Local(std::string_view name) {
    return f_.NewBuffer(name, DataType::Float(32), 8,
                        f_.b.NewVar(name, context_.PointerType(DataType::Float(32), "global")));
  }
  const Stmt* AllocateAround(const Buffer* buffer, const Stmt* body) {
    return f_.b.New<Allocate>({}, buffer->data, buffer->dtype, buffer->shape,
                              f_.b.Int(DataType::Bool(), 1), nullptr, body);
  }
  const Stmt* Copy(const Buffer* to, const Buffer* from) {
    return f_.Store(to, f_.b.Int(0), f_.b.Load(from, {f_.b.Int(0)}));
  }
  const Stmt* Call(std::string_view name, std::initializer_list<const Expr*> args) {
    std::vector<const Expr*> all{f_.b.String(name)};
    all.insert(all.end(), args);
    return f_.b.New<Evaluate>(
        {}, f_.b.New<tenon::Call>({}, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                                  f_.b.arena().Copy(all)));
  }

  std::optional<Liveness> Run(const Stmt* body) {
    const Function entry = f_.Finish("main", body, "main");
    module_.Add(entry);
    return ComputeLiveness(module_, entry, diagnostics_);
  }
  /// Whether allocations `i` and `j` are live at the same time.
  static bool Meet(const Liveness& liveness, size_t i, size_t j) {
    for (const LiveRange& x : liveness.ranges[i]) {
      for (const LiveRange& y : liveness.ranges[j]) {
        if (x.lower < y.upper && y.lower < x.upper) return true;
      }
    }
    return false;
  }

  Context context_;
  IRModule module_;
  TestFunction f_;
  Diagnostics diagnostics_;
};

TEST_F(LivenessTest, OneStatementsInputAndOutputMeetButNotItsNeighbours) {
  const Buffer* x = Local("x");
  const Buffer* y = Local("y");
  const Buffer* z = Local("z");
  const Stmt* body = f_.b.Seq({Copy(x, f_.A), Copy(y, x), Copy(z, y), Copy(f_.B, z)});
  const auto live = Run(AllocateAround(x, AllocateAround(y, AllocateAround(z, body))));
  ASSERT_TRUE(live);
  ASSERT_EQ(live->allocations.size(), 3u);
  EXPECT_EQ(live->allocations[0].name, "x");
  EXPECT_EQ(live->allocations[0].size_bytes, 32);
  EXPECT_TRUE(Meet(*live, 0, 1));
  EXPECT_TRUE(Meet(*live, 1, 2));
  EXPECT_FALSE(Meet(*live, 0, 2));
}

TEST_F(LivenessTest, AnAccessUsesWhatItsBuffersOffsetReads) {
  const Buffer* x = Local("x");
  const Buffer* y = Local("y");
  Buffer moved = *f_.B;
  moved.elem_offset = f_.b.New<Cast>({}, DataType::Int(32), f_.b.Load(x, {f_.b.Int(0)}));
  const Buffer* view = f_.b.New<Buffer>({}, moved);
  const Stmt* body = f_.b.Seq({Copy(x, f_.A), Copy(y, f_.A), Copy(f_.B, y), Copy(view, f_.A)});
  const auto live = Run(AllocateAround(x, AllocateAround(y, body)));
  ASSERT_TRUE(live);
  ASSERT_EQ(live->allocations.size(), 2u);
  EXPECT_TRUE(Meet(*live, 0, 1));
}

TEST_F(LivenessTest, WhatALoopCarriesIsLiveThroughoutIt) {
  const Buffer* sum = Local("sum");
  const Buffer* temporary = Local("temporary");
  const Stmt* inner = f_.Loop(f_.IntVar("i"), 8, Copy(sum, sum));
  const Stmt* scoped =
      AllocateAround(temporary, f_.b.Seq({Copy(temporary, f_.A), Copy(f_.B, temporary)}));
  const Stmt* outer = f_.Loop(f_.IntVar("o"), 4, f_.b.Seq({inner, scoped}));
  const auto live = Run(AllocateAround(sum, outer));
  ASSERT_TRUE(live);
  EXPECT_TRUE(Meet(*live, 0, 1));
}

TEST_F(LivenessTest, TicksStandForStatementsAndLoopsEndWithTheirOwn) {
  const Buffer* x = Local("x");
  const Stmt* in = Copy(x, f_.A);
  const Stmt* out = Copy(f_.B, x);
  const Stmt* after = Copy(f_.B, f_.A);
  const Stmt* loop = f_.Loop(f_.IntVar("i"), 4, f_.b.Seq({in, out}));
  const Stmt* allocate = AllocateAround(x, f_.b.Seq({loop, after}));
  const auto live = Run(allocate);
  ASSERT_TRUE(live);
  // The clock jumps back at tick 5.
  const std::vector<const Stmt*> expected{nullptr, allocate, loop, in, out, out, after};
  EXPECT_EQ(live->tick_stmts, expected);
  const std::vector<int64_t> uses{3, 4};
  ASSERT_EQ(live->uses.size(), 1u);
  EXPECT_EQ(live->uses[0], uses);
}

TEST_F(LivenessTest, WhatAWhileCarriesIsLiveThroughoutIt) {
  const Buffer* carried = Local("carried");
  const Buffer* temporary = Local("temporary");
  const Stmt* scoped =
      AllocateAround(temporary, f_.b.Seq({Copy(temporary, f_.A), Copy(f_.B, temporary)}));
  const Expr* more = f_.b.Int(DataType::Bool(), 0);
  const Stmt* loop =
      f_.b.New<While>({}, more, f_.b.Seq({scoped, Copy(f_.B, carried), Copy(carried, f_.A)}));
  const auto live = Run(AllocateAround(carried, loop));
  ASSERT_TRUE(live);
  EXPECT_TRUE(Meet(*live, 0, 1));
}

TEST_F(LivenessTest, ScopesInOneIterationDoNotMeet) {
  const Buffer* x = Local("x");
  const Buffer* y = Local("y");
  const Stmt* first = AllocateAround(x, f_.b.Seq({Copy(x, f_.A), Copy(f_.B, x)}));
  const Stmt* second = AllocateAround(y, f_.b.Seq({Copy(y, f_.A), Copy(f_.B, y)}));
  const auto live = Run(f_.Loop(f_.IntVar("o"), 4, f_.b.Seq({first, second})));
  ASSERT_TRUE(live);
  EXPECT_FALSE(Meet(*live, 0, 1));
}

TEST_F(LivenessTest, AFunctionCalledTwiceHasItsBuffersTwice) {
  TestFunction callee(context_);
  const Buffer* inner =
      callee.NewBuffer("inner", DataType::Float(32), 8,
                       callee.b.NewVar("inner", context_.PointerType(DataType::Float(32), "")));
  const Stmt* use = callee.b.Seq(
      {callee.Store(inner, callee.b.Int(0), callee.b.Load(callee.A, {callee.b.Int(0)})),
       callee.Store(callee.B, callee.b.Int(0), callee.b.Load(inner, {callee.b.Int(0)}))});
  module_.Add(callee.Finish("f",
                            callee.b.New<Allocate>({}, inner->data, inner->dtype, inner->shape,
                                                   callee.b.Int(DataType::Bool(), 1), nullptr, use),
                            "f"));
  const Buffer* x = Local("x");
  const Buffer* between = Local("between");
  const Stmt* body = f_.b.Seq({Call("f", {f_.A->data, x->data}), Copy(between, f_.A),
                               Copy(f_.B, between), Call("f", {x->data, f_.B->data})});
  const auto live = Run(AllocateAround(x, AllocateAround(between, body)));
  ASSERT_TRUE(live);
  ASSERT_EQ(live->allocations.size(), 3u);
  EXPECT_EQ(live->ranges[2].size(), 2u);
  EXPECT_EQ(live->tvm_intervals.size(), 4u);
  EXPECT_TRUE(Meet(*live, 0, 2));   // an argument and the callee's allocation
  EXPECT_TRUE(Meet(*live, 0, 1));   // x is needed for the second call
  EXPECT_FALSE(Meet(*live, 1, 2));  // neither call is active in between
}

TEST_F(LivenessTest, APointerThatIsStoredKeepsItsBuffer) {
  const Buffer* x = Local("x");
  const Buffer* y = Local("y");
  const Buffer* table = f_.NewBuffer("table", DataType::Handle(), 8);
  const Stmt* body =
      f_.b.Seq({f_.Store(table, f_.b.Int(0), x->data), Copy(y, f_.A), Copy(f_.B, y)});
  const auto live = Run(AllocateAround(x, AllocateAround(y, body)));
  ASSERT_TRUE(live);
  EXPECT_TRUE(Meet(*live, 0, 1));
}

TEST_F(LivenessTest, ParallelLoopsAreNotPlanned) {
  const Buffer* x = Local("x");
  const Stmt* scoped = AllocateAround(x, Copy(x, f_.A));
  const Stmt* inner = f_.Loop(f_.IntVar("i"), 8, scoped);
  const auto live = Run(f_.Loop(f_.IntVar("p"), 8, inner, ForKind::kParallel));
  ASSERT_TRUE(live);
  EXPECT_EQ(live->allocations[0].unplanned, Unplanned::kParallelLoop);
}

TEST_F(LivenessTest, RecursionIsAnError) {
  EXPECT_FALSE(Run(Call("main", {f_.A->data, f_.B->data})));
  ASSERT_EQ(diagnostics_.error_count(), 1u);
  EXPECT_EQ(diagnostics_.all()[0].message, "`main` calls itself; memory cannot be planned");
}

/// Writes all eight elements: `for i in range(8): to[i] = value`.
const Stmt* Fill(TestFunction& f, const Buffer* to, const Expr* value, int64_t extent = 8) {
  const Var* i = f.b.NewVar("i", DataType::Int(32));
  return f.b.New<For>({}, i, f.b.Int(0), f.b.Int(extent), ForKind::kSerial, f.Store(to, i, value));
}

TEST_F(LivenessTest, AFullOverwriteMakesAHole) {
  const Buffer* x = Local("x");
  const Buffer* y = Local("y");
  const Expr* in = f_.b.Load(f_.A, {f_.b.Int(0)});
  const auto make = [&](int64_t extent, const Expr* value) {
    return f_.b.Seq({Fill(f_, x, in), Copy(f_.B, x), Copy(y, f_.A), Copy(f_.B, y),
                     Fill(f_, x, value, extent),
                     f_.Store(f_.B, f_.b.Int(0), f_.b.Load(x, {f_.b.Int(7)}))});
  };
  const auto meet = [&](const Stmt* body) {
    module_ = IRModule(context_);
    const auto liveness = Run(AllocateAround(x, AllocateAround(y, body)));
    return Meet(*liveness, 0, 1);
  };
  EXPECT_FALSE(meet(make(8, in)));
  EXPECT_TRUE(meet(make(7, in)));
  EXPECT_TRUE(meet(make(8, f_.b.Load(x, {f_.b.Int(7)}))));
}

}  // namespace
}  // namespace tenon
