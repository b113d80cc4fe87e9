#include "analysis/access_trace.h"

#include <gtest/gtest.h>

#include "distance_judge.h"

// The trace against runs of the interpreter at every distance of the two buffers.

namespace tenon {
namespace {

constexpr int64_t kElements = 16;

NestText Nest(std::string body) {
  return {.body = std::move(body), .dying_elements = kElements, .begun_elements = kElements};
}

/// Expects that the trace allows a distance if and only if the function runs at it.
void ExpectExact(const NestText& nest) {
  DistanceJudge judge(nest);
  ASSERT_TRUE(judge.ok()) << judge.Messages();
  const auto trace = judge.Trace();
  ASSERT_TRUE(trace.ok()) << trace.status() << judge.Messages();
  const SafeDistances closed_form = judge.ClosedForm();
  for (int64_t d = -kElements - 1; d <= kElements + 1; ++d) {
    const bool runs = judge.RunsAt(d);
    EXPECT_EQ(trace->IsSafe(0, 1, d), runs) << d << judge.Messages();
    EXPECT_TRUE(!closed_form.Contains(d) || runs) << d << judge.Messages();
  }
}

/// The distances that the trace allows.
std::vector<int64_t> Allowed(const std::string& body) {
  DistanceJudge judge(Nest(body));
  EXPECT_TRUE(judge.ok()) << judge.Messages();
  const auto trace = judge.Trace();
  EXPECT_TRUE(trace.ok()) << trace.status() << judge.Messages();
  std::vector<int64_t> allowed;
  for (int64_t d = -kElements; d <= kElements; ++d) {
    if (trace.ok() && trace->IsSafe(0, 1, d)) allowed.push_back(d);
  }
  return allowed;
}

void ExpectRefused(const std::string& body, std::string_view why) {
  DistanceJudge judge(Nest(body));
  const auto trace = judge.Trace();
  ASSERT_FALSE(trace.ok()) << judge.Messages();
  EXPECT_EQ(trace.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(trace.status().message()).find(why), std::string::npos) << trace.status();
}

class IndexOperator : public testing::TestWithParam<const char*> {};

TEST_P(IndexOperator, IsExact) {
  ExpectExact(Nest(fmt::format("    for i in range(8):\n      B[i] = A[{}]\n", GetParam())));
  ExpectExact(Nest(fmt::format("    for i in range(8):\n      B[{}] = A[i + 2]\n", GetParam())));
}

INSTANTIATE_TEST_SUITE_P(
    AccessTrace, IndexOperator,
    testing::Values("T.shift_left(i, 1)", "T.shift_right(i, 1)", "T.bitwise_and(i, 5)",
                    "T.bitwise_or(i, 2)", "T.bitwise_xor(i, 3)",
                    "T.Cast(\"int32\", T.Cast(\"int8\", i * 37) % T.int8(7)) + 7",
                    "T.Cast(\"int32\", T.Cast(\"uint8\", i * 37) % T.uint8(11))",
                    "T.Div(i - 5, 3) + 2", "T.truncmod(i - 5, 3) + 3", "(i - 5) // 3 + 2",
                    "(i - 5) % 3 + i", "T.max(i, 3)", "T.min(i, 3)", "T.Select(i == 3, 0, i)",
                    "T.Select(i != 3, i, 7)", "T.Select(T.Not(i * i < 9), i, 3 - i)",
                    "T.Select(T.Or(i * i < 4, i > 5), 9 - i, i)",
                    "T.Select(T.And(i * i > 4, i <= 5), 9 - i, i)",
                    "T.if_then_else(T.likely(i >= 4), i, 11 - i)"));

TEST(AccessTrace, StatementsInStatements) {
  ExpectExact(Nest(R"(    for i in range(8):
      with T.attr(0, "pragma_note", i):
        assert i < 8, "a note"
        C = T.decl_buffer((16,), "int8", data=A.data)
        k: T.int32 = T.min(i + 1, 6)
        if i < 5:
          B[i] = C[k]
        else:
          B[i + 2] = C[15 - k]
        T.evaluate(0)
)"));
}

TEST(AccessTrace, LetsInExpressions) {
  ExpectExact(Nest(R"(    k = T.int32()
    for i in range(8):
      B[i] = T.Let(A[k] + A[k + 1], where={k: T.shift_left(i, 1)})
)"));
}

TEST(AccessTrace, StridesAreParts) {
  ExpectExact(Nest(R"(    C = T.Buffer((4, 2), "int8", data=A.data, strides=(1, 4))
    for i, j in T.grid(4, 2):
      B[i * 2 + j] = C[i, j]
)"));
}

TEST(AccessTrace, LanesOfAnyIndex) {
  ExpectExact(Nest(R"(    for i in range(2):
      B[T.Ramp(i * 4, 1, 4)] = A[T.bitwise_xor(T.Ramp(i * 4, 1, 4), T.Broadcast(3, 4))]
)"));
}

TEST(AccessTrace, BothArmsOfConditionsOnValues) {
  const std::vector<int64_t> conditional = Allowed(R"(    for i in range(8):
      if A[i] > T.int8(20):
        B[i] = T.if_then_else(A[i + 1] > T.int8(3), A[i + 4], A[i + 6])
      else:
        B[i + 1] = T.int8(1)
)");
  EXPECT_EQ(conditional, Allowed(R"(    for i in range(8):
      B[i] = A[i] + A[i + 1] + A[i + 4] + A[i + 6]
      B[i + 1] = T.int8(1)
)"));
  EXPECT_GT(conditional.size(), 2U);
}

// The first store may reach any byte of B, so only A's first byte, which no later statement reads,
// may be at an address of B.
TEST(AccessTrace, IndicesOfValuesReachTheWholeBuffer) {
  EXPECT_EQ(Allowed(R"(    for i in range(8):
      B[T.Cast("int32", A[i]) % 16] = T.int8(3)
      B[i] = A[i + 8]
)"),
            (std::vector<int64_t>{-16, -15, 16}));
}

// The view of B may begin anywhere in B, or its rows may lie anywhere. So only the first half of A,
// which no later statement reads, may be at an address of B.
TEST(AccessTrace, ViewsAtUnknownPlacesReachTheWholeBuffer) {
  const std::vector<int64_t> anywhere = {-16, -15, -14, -13, -12, -11, -10, -9, -8, 16};
  EXPECT_EQ(Allowed(R"(    k: T.int32 = T.Cast("int32", A[0])
    C = T.Buffer((8,), "int8", data=B.data, elem_offset=k)
    for i in range(8):
      C[i] = T.int8(3)
      B[i] = A[i + 8]
)"),
            anywhere);
  EXPECT_EQ(Allowed(R"(    k: T.int32 = T.Cast("int32", A[0])
    C = T.Buffer((2, 2), "int8", data=B.data, strides=(k, 1))
    for i in range(8):
      C[i // 4, i % 2] = T.int8(3)
      B[i] = A[i + 8]
)"),
            anywhere);
}

TEST(AccessTrace, RefusesUnknownOrders) {
  ExpectRefused("    for i in T.parallel(8):\n      B[i] = A[i]\n", "order is not known");
  ExpectRefused(
      "    tx = T.env_thread(\"threadIdx.x\")\n    T.launch_thread(tx, 8)\n    B[tx] = A[tx]\n",
      "order is not known");
  ExpectRefused("    while A[0] < T.int8(0):\n      B[0] = A[1]\n", "order is not known");
  ExpectRefused("    T.evaluate(T.call_extern(\"int32\", \"g\", A.data))\n    B[0] = A[0]\n",
                "a pointer escapes");
  ExpectRefused(
      "    T.evaluate(T.call_extern(\"int32\", \"g\", T.address_of(A[1])))\n    B[0] = A[0]\n",
      "a pointer escapes");
}

}  // namespace
}  // namespace tenon
