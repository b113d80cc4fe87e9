#include "ir/analysis/access_counts.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/visitor.h"
#include "parser/parser.h"

namespace tenon {
namespace {

/// The counts of a module in text, by the names of variables.
class AccessCountsTest : public testing::Test {
 protected:
  void Count(const std::string& functions) {
    const std::string text = "@I.ir_module\nclass Module:\n" + functions;
    module_ = ParseModule(context_, "test.py", text, nullptr, {}, diagnostics_);
    ASSERT_TRUE(module_) << Render(context_.sources(), diagnostics_);
    counts_ = CountAccesses(*module_, *module_->Main());
  }
  AccessCount Of(std::string_view name) const {
    AccessCount found;
    for (const auto& [var, count] : counts_) {
      if (var->name.view() == name) found = count;
    }
    return found;
  }
  void Expect(std::string_view name, int64_t read, int64_t written, bool exact = true) const {
    const AccessCount count = Of(name);
    EXPECT_EQ(count.bytes_read, read) << name;
    EXPECT_EQ(count.bytes_written, written) << name;
    EXPECT_EQ(count.exact, exact) << name;
  }

  Context context_;
  Diagnostics diagnostics_;
  std::optional<IRModule> module_;
  absl::flat_hash_map<const Var*, AccessCount> counts_;
};

constexpr std::string_view kHead = R"(
    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), n: T.int32):
        T.func_attr({"global_symbol": "main", "tenon.externs": {"read": ["r"], "write": ["", "w"]}})
        x = T.allocate([8], "float32", "global")
        X = T.Buffer((8,), "float32", data=x)
        y = T.allocate([8], "int8", "global")
        Y = T.Buffer((8,), "int8", data=y)
)";

std::string Main(std::string_view body) { return std::string(kHead).append(body); }

TEST_F(AccessCountsTest, LoopsMultiply) {
  Count(Main(R"(
        for i in range(3):
            for j in T.unroll(5):
                X[j] = A[j] + X[i]
            Y[i] = T.int8(0)
)"));
  Expect("x", 3 * 5 * 4, 3 * 5 * 4);
  Expect("y", 0, 3);
  Expect("A", 3 * 5 * 4, 0);
}

TEST_F(AccessCountsTest, ThreadsAreLoops) {
  Count(Main(R"(
        with T.launch_thread("threadIdx.x", 3) as t:
            with T.launch_thread("vthread", 5) as v:
                X[t] = A[v]
)"));
  Expect("x", 0, 3 * 5 * 4);
  Expect("A", 3 * 5 * 4, 0);
}

TEST_F(AccessCountsTest, LanesCount) {
  Count(Main(R"(
        X[0:4] = T.Broadcast(T.float32(1), 4)
        X[T.Cast("int32", Y[0]):T.Cast("int32", Y[0]) + 2] = X[0:2]
)"));
  Expect("x", 8, 16 + 8);
  EXPECT_GE(Of("y").bytes_read, 1);
}

TEST_F(AccessCountsTest, ALoopOfUnknownExtentCountsOnce) {
  Count(Main(R"(
        for i in range(n):
            for j in range(4):
                X[j] = T.float32(0)
        while Y[0] < T.int8(3):
            Y[0] = Y[0] + T.int8(1)
)"));
  Expect("x", 0, 16, false);
  Expect("y", 2, 1, false);
}

TEST_F(AccessCountsTest, OfTwoBranchesTheOneWithMore) {
  Count(Main(R"(
        for i in range(10):
            if n < 3:
                X[0] = T.float32(0)
                X[1] = T.float32(0)
            else:
                X[2] = A[0]
                Y[0] = T.int8(0)
            if n < 5:
                Y[1] = T.int8(1)
        for i in range(10):
            A[1] = T.if_then_else(n < i, X[0] + X[1], T.float32(0))
)"));
  Expect("x", 10 * 8, 10 * 8, false);
  Expect("y", 0, 10 * 2, false);
  Expect("A", 10 * 4, 10 * 4, false);
}

TEST_F(AccessCountsTest, AKnownConditionTakesOneBranch) {
  Count(Main(R"(
        if T.bool(False):
            X[0] = T.float32(0)
        else:
            Y[0] = T.int8(0)
        for i in range(0):
            X[1] = A[0]
)"));
  Expect("x", 0, 0);
  Expect("y", 0, 1);
}

TEST_F(AccessCountsTest, ExternsAccessAllOfIt) {
  Count(Main(R"(
        for i in range(3):
            T.evaluate(T.call_extern("int32", "read", x))
        T.evaluate(T.call_extern("int32", "write", 1, x))
        T.evaluate(T.call_extern("int32", "nobody_knows", y))
)"));
  Expect("x", 3 * 32, 32, false);
  Expect("y", 8, 8, false);
}

TEST_F(AccessCountsTest, CallsMultiply) {
  Count(Main(R"(
        for i in range(7):
            T.evaluate(T.call_extern("int32", "twice", x, y))
        T.evaluate(T.call_extern("int32", "once", x, y))

    @T.prim_func
    def twice(P: T.Buffer((8,), "float32"), Q: T.Buffer((8,), "int8")):
        T.func_attr({"global_symbol": "twice"})
        for i in range(2):
            T.evaluate(T.call_extern("int32", "once", P.data, Q.data))

    @T.prim_func
    def once(P: T.Buffer((8,), "float32"), Q: T.Buffer((8,), "int8")):
        T.func_attr({"global_symbol": "once"})
        s = T.allocate([4], "int8", "global")
        S = T.Buffer((4,), "int8", data=s)
        for i in range(4):
            S[i] = Q[i]
        for i in range(4):
            P[i] = T.Cast("float32", S[i])
)"));
  constexpr int64_t kCalls = 7 * 2 + 1;
  Expect("x", 0, kCalls * 16);
  Expect("y", kCalls * 4, 0);
  Expect("s", kCalls * 4, kCalls * 4);
  EXPECT_EQ(Of("P").bytes_written, 0) << "what callees do is counted at their callers' storage";
}

TEST_F(AccessCountsTest, AliasesAndConstantsAreSeenThrough) {
  Count(Main(R"(
        c = T.allocate_const([1, 2, 3, 4], "int8", [4])
        C = T.Buffer((4,), "int8", data=c)
        p: T.handle("float32", "global") = T.address_of(X[2])
        P = T.Buffer((2,), "float32", data=p)
        for i in range(2):
            P[i] = T.Cast("float32", C[i])
)"));
  Expect("x", 0, 8);
  Expect("c", 2, 0);
}

TEST_F(AccessCountsTest, CountsSaturate) {
  Count(Main(R"(
        for i, j, k in T.grid(2000000000, 2000000000, 2000000000):
            Y[0] = T.int8(0)
)"));
  Expect("y", 0, INT64_MAX);
}

TEST_F(AccessCountsTest, RecursionEnds) {
  Count(Main(R"(
        T.evaluate(T.call_extern("int32", "again", y))

    @T.prim_func
    def again(Q: T.Buffer((8,), "int8")):
        T.func_attr({"global_symbol": "again"})
        Q[0] = T.int8(1)
        T.evaluate(T.call_extern("int32", "again", Q.data))
)"));
  EXPECT_GE(Of("y").bytes_written, 1);
}

}  // namespace
}  // namespace tenon
