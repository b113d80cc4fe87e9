#include <gtest/gtest.h>

#include <cstdlib>

#include "analysis/access_trace.h"
#include "distance_judge.h"

namespace tenon {
namespace {

/// Checks that the trace gives the distances at which the function runs.
void CheckExact(const std::string& body, const std::string& begun_dtype = "int8") {
  DistanceJudge judge(
      {.body = body, .dying_elements = 8, .begun_elements = 8, .begun_dtype = begun_dtype});
  ASSERT_TRUE(judge.ok()) << judge.Messages();
  const auto trace = judge.Trace();
  ASSERT_TRUE(trace.ok()) << trace.status() << body;
  for (int64_t d = -judge.BegunBytes() - 1; d <= judge.DyingBytes() + 1; ++d)
    EXPECT_EQ(trace->IsSafe(0, 1, d), judge.RunsAt(d)) << d << "\n" << body;
}

/// The message of the trace's status.
std::string Refusal(const std::string& body) {
  DistanceJudge judge({.body = body, .dying_elements = 8, .begun_elements = 8});
  EXPECT_TRUE(judge.ok()) << judge.Messages();
  const auto trace = judge.Trace();
  EXPECT_EQ(judge.ClosedForm().disjoint_because.empty(), trace.ok()) << body;
  return std::string(trace.status().message());
}

TEST(AccessTraceTest, ComputesConditions) {
  for (const char* condition : {"2 <= i and i < 5",
                                "i < 2 or i >= 6",
                                "not i < 3",
                                "i == 3",
                                "i != 3",
                                "3 < i",
                                "3 <= i",
                                "i > 5",
                                "i >= 5",
                                "T.min(i, 4) < 3",
                                "T.max(i, 4) < 6",
                                "i // 3 == 1",
                                "i % 3 == 1",
                                "T.Div(i - 4, 3) == 0",
                                "T.truncmod(i - 4, 3) == -1",
                                "(i - 4) // 3 == -1",
                                "(i - 4) % 3 == 1",
                                "i * i < 10",
                                "2 - i < 0",
                                "T.likely(i < 4)",
                                "T.Select(i < 4, i, 8 - i) == 2",
                                "T.if_then_else(i < 4, i, 8 - i) == 2",
                                "T.bitwise_and(i, 5) == 4",
                                "T.bitwise_or(i, 5) == 5",
                                "T.bitwise_xor(i, 5) < 3",
                                "T.shift_left(i, 2) < 9",
                                "T.shift_right(i, 1) == 1"}) {
    CheckExact("    for i in range(8):\n      if " + std::string(condition) +
               ":\n        B[i] = A[7 - i]\n");
    CheckExact("    for i in range(8):\n      B[i] = T.if_then_else(" + std::string(condition) +
               ", A[7 - i], T.int8(3))\n");
  }
}

TEST(AccessTraceTest, ComputesIndicesOfAllIntegers) {
  // Numbers of 8 bits wrap: 100 + i * 20 is i * 20 - 156 from i = 2 on.
  for (const char* index :
       {"T.Cast(\"int64\", i) * T.int64(3) % T.int64(8)", "T.int64(7) - T.Cast(\"int64\", i)",
        "T.Cast(\"int32\", (T.Cast(\"uint32\", i) + T.uint32(3)) % T.uint32(8))",
        "T.Cast(\"int32\", T.Cast(\"uint8\", i) - T.uint8(4)) % 8",
        "T.Cast(\"int32\", T.Cast(\"int8\", i) * T.int8(20) + T.int8(100)) % 8",
        "T.Cast(\"int32\", T.Cast(\"int16\", i * 8192)) // 8192 % 8"}) {
    CheckExact("    for i in range(8):\n      B[i] = A[" + std::string(index) + "]\n");
    CheckExact(
        "    for i in range(8):\n      B[i] = T.Cast(\"int16\", A[" + std::string(index) + "])\n",
        "int16");
  }
}

TEST(AccessTraceTest, IndicesOfUnknownValueReachAllBytes) {
  // The element that is read depends on values, or on an integer that the trace does not compute.
  for (const char* index :
       {"T.Cast(\"int32\", A[i]) % 8",
        "T.Cast(\"int32\", (T.Cast(\"uint64\", i) + T.uint64(1)) % T.uint64(8))",
        "T.Cast(\"int32\", T.Cast(\"float32\", i))"}) {
    DistanceJudge judge(
        {.body = "    for i in range(8):\n      B[i] = A[" + std::string(index) + "]\n",
         .dying_elements = 8,
         .begun_elements = 8});
    ASSERT_TRUE(judge.ok()) << judge.Messages();
    const auto trace = judge.Trace();
    ASSERT_TRUE(trace.ok()) << trace.status();
    // Only the last element of B is stored after all elements of A are read.
    for (int64_t d = -8; d <= 8; ++d)
      EXPECT_EQ(trace->IsSafe(0, 1, d), d <= -7 || d == 8) << d << " " << index;
  }
}

TEST(AccessTraceTest, StoresOfUnknownPlaceReachAllBytes) {
  DistanceJudge judge(
      {.body = "    for i in range(8):\n      B[T.Cast(\"int32\", A[i]) % 8] = A[i]\n",
       .dying_elements = 8,
       .begun_elements = 8});
  ASSERT_TRUE(judge.ok()) << judge.Messages();
  const auto trace = judge.Trace();
  ASSERT_TRUE(trace.ok()) << trace.status();
  // The first store may reach any byte of B, when only element 0 of A has been read.
  for (int64_t d = -8; d <= 8; ++d) EXPECT_EQ(trace->IsSafe(0, 1, d), d <= -7 || d == 8) << d;
}

TEST(AccessTraceTest, AConditionOfUnknownValueTakesBothArms) {
  DistanceJudge judge({.body = R"(    for i in range(8):
      if A[0] < T.int8(3):
        B[i] = A[i]
      else:
        B[i] = A[7 - i]
)",
                       .dying_elements = 8,
                       .begun_elements = 8});
  ASSERT_TRUE(judge.ok()) << judge.Messages();
  const auto trace = judge.Trace();
  ASSERT_TRUE(trace.ok()) << trace.status();
  // In the last iteration, one arm stores B[7], and the other one reads A[0].
  for (int64_t d = -8; d <= 8; ++d) EXPECT_EQ(trace->IsSafe(0, 1, d), std::abs(d) == 8) << d;
}

TEST(AccessTraceTest, LoopsOfUnknownOrderMayBeElsewhere) {
  // Neither buffer is accessed in these loops, so the accesses after them have a known order.
  const std::string scratch =
      "    s = T.allocate([8], \"int8\", \"global\")\n"
      "    S = T.Buffer((8,), \"int8\", data=s)\n";
  const std::string copies = "    for i in range(8):\n      B[i] = A[i]\n";
  for (const char* before :
       {"    for i in T.parallel(8):\n      S[i] = T.int8(1)\n",
        "    for i in T.vectorized(8):\n      S[i] = T.int8(1)\n",
        "    S[0] = T.int8(0)\n    while S[0] < T.int8(3):\n      S[0] = S[0] + T.int8(1)\n",
        "    with T.launch_thread(\"threadIdx.x\", 8) as t:\n      S[t] = T.int8(1)\n"}) {
    EXPECT_EQ(Refusal(scratch + before + copies), "") << before;
  }
}

TEST(AccessTraceTest, AccessesOfThreadsHaveNoOrder) {
  const std::string unknown = "an access is in code whose order is not known";
  EXPECT_EQ(Refusal("    with T.launch_thread(\"threadIdx.x\", 8) as t:\n      B[t] = A[t]\n"),
            unknown);
  EXPECT_EQ(Refusal("    with T.attr(0, \"pragma_hint\", 1):\n"
                    "      for i in range(8):\n        B[i] = A[i]\n"),
            "");
}

TEST(AccessTraceTest, PointersOfParametersEscape) {
  Context context;
  Diagnostics diagnostics;
  const std::string text = R"(from tvm.script import tir as T

@T.prim_func
def f(n: T.int32, a: T.handle, b: T.handle, c: T.handle):
    A = T.match_buffer(a, (8,), "int8")
    B = T.match_buffer(b, (8,), "int8")
    C = T.match_buffer(c, (8,), "int8")
    for i in range(8):
        B[i] = A[i]
    T.evaluate(T.call_extern("int32", "g", %))
)";
  const auto refusal = [&](const std::string& handle) {
    std::string now = text;
    now.replace(now.find('%'), 1, handle);
    const auto module = ParseModule(context, "f.py", now, nullptr, {}, diagnostics);
    EXPECT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
    const PrimFunc& func = *module->functions()[0].func;
    const FunctionBuffer buffers[] = {{func.buffers[1]->data, 8}, {func.buffers[2]->data, 8}};
    const auto trace = AccessTrace::Of(func, buffers, {});
    EXPECT_EQ(SafeDistancesOf(func, buffers[0], buffers[1]).disjoint_because.empty(), trace.ok());
    return std::string(trace.status().message());
  };
  for (const char* handle : {"a", "b", "A.data", "B.data", "T.address_of(A[0])"})
    EXPECT_EQ(refusal(handle), "a pointer escapes") << handle;
  // Pointers to other buffers may escape, and values may, as well.
  for (const char* handle : {"c", "C.data", "n", "A[0]"}) EXPECT_EQ(refusal(handle), "") << handle;
}

TEST(AccessTraceTest, AsManyStepsAsAllowed) {
  DistanceJudge judge({.body = "    for i in range(8):\n      B[i] = A[i]\n",
                       .dying_elements = 8,
                       .begun_elements = 8});
  const FunctionBuffer buffers[] = {judge.dying(), judge.begun()};
  const auto at_most = [&](int64_t steps) {
    return AccessTrace::Of(judge.func(), buffers, {.max_steps = steps});
  };
  // An iteration, a load and a store each count.
  ASSERT_TRUE(judge.Trace().ok());
  EXPECT_EQ(judge.Trace()->steps(), 24);
  EXPECT_TRUE(at_most(24).ok());
  EXPECT_EQ(at_most(23).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(AccessTraceTest, ClashesNameTheFirstStoreAndTheLastAccess) {
  DistanceJudge judge({.body = R"(    for i in range(8):
      B[i] = A[i]
    for i in range(8):
      B[i] = A[i] + T.int8(1)
)",
                       .dying_elements = 8,
                       .begun_elements = 8});
  const auto trace = judge.Trace();
  ASSERT_TRUE(trace.ok());
  const auto clash = trace->FindClash(0, 1, 0);
  ASSERT_TRUE(clash.has_value());
  EXPECT_EQ(clash->begun_byte, 0);
  EXPECT_EQ(clash->dying_byte, 0);
  // The store of the first loop, and the load of the second one.
  EXPECT_LT(clash->store.begin, clash->access.begin);
}

TEST(AccessTraceTest, ClashesNameAKnownAccessRatherThanOneOfUnknownPlace) {
  DistanceJudge judge({.body = "    for i in range(8):\n"
                               "      B[i] = A[7 - i] + A[T.Cast(\"int32\", A[i]) % 8]\n",
                       .dying_elements = 8,
                       .begun_elements = 8});
  ASSERT_TRUE(judge.ok()) << judge.Messages();
  const auto trace = judge.Trace();
  ASSERT_TRUE(trace.ok());
  // The last iteration reads byte 0, and possibly any other byte.
  const auto clash = trace->FindClash(0, 1, 0);
  ASSERT_TRUE(clash.has_value());
  EXPECT_EQ(clash->dying_byte, 0);
  EXPECT_EQ(clash->access.end - clash->access.begin, std::string("A[7 - i]").size());
}

}  // namespace
}  // namespace tenon
