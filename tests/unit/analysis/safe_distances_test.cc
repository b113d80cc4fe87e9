#include "analysis/safe_distances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distance_judge.h"

namespace tenon {
namespace {

/// The end of the first range: the largest distance up to which all are allowed.
int64_t Natural(const SafeDistances& distances) { return distances.allowed.front().last; }

/// Checks the closed form against the trace and the runs, at every distance; returns its first end.
int64_t CheckedNatural(const NestText& nest) {
  DistanceJudge judge(nest);
  EXPECT_TRUE(judge.ok()) << judge.Messages();
  if (!judge.ok()) return 0;
  const SafeDistances distances = judge.ClosedForm();
  const auto trace = judge.Trace();
  EXPECT_TRUE(trace.ok()) << trace.status();
  if (!trace.ok()) return 0;
  for (int64_t d = -judge.BegunBytes() - 1; d <= judge.DyingBytes() + 1; ++d) {
    const bool runs = judge.RunsAt(d);
    EXPECT_EQ(trace->IsSafe(0, 1, d), runs) << d << judge.Messages();
    EXPECT_TRUE(!distances.Contains(d) || runs) << d << judge.Messages();
  }
  EXPECT_FALSE(judge.RunsAt(Natural(distances) + 1)) << Natural(distances) << judge.Messages();
  return Natural(distances);
}

TEST(SafeDistances, ElementwiseIsInPlace) {
  EXPECT_EQ(CheckedNatural({.body = "    for i in range(8):\n      B[i] = A[i]\n",
                            .dying_elements = 8,
                            .begun_elements = 8}),
            0);
}

TEST(SafeDistances, ReversedElementwiseIsInPlaceFromTheOtherSide) {
  DistanceJudge judge({.body = "    for i in range(8):\n      B[7 - i] = A[7 - i]\n",
                       .dying_elements = 8,
                       .begun_elements = 8});
  const SafeDistances distances = judge.ClosedForm();
  ASSERT_EQ(distances.allowed.size(), 2);
  EXPECT_EQ(distances.allowed[0].last, -8);
  EXPECT_EQ(distances.allowed[1].first, 0);
}

// A row and a pixel: (W + 1) * C bytes.
TEST(SafeDistances, DepthwiseConvolution) {
  EXPECT_EQ(CheckedNatural({.body = R"(    for y, x, c in T.grid(4, 3, 2):
      s = T.allocate([1], "int32", "global")
      S = T.Buffer((1,), "int32", data=s)
      S[0] = 0
      for dy, dx in T.grid(3, 3):
        S[0] = S[0] + T.if_then_else(1 <= y + dy and y + dy < 5 and 1 <= x + dx and x + dx < 4, T.Cast("int32", A[y * 6 + dy * 6 + x * 2 + dx * 2 + c - 8]), 0)
      B[y * 6 + x * 2 + c] = T.Cast("int8", S[0])
)",
                            .dying_elements = 24,
                            .begun_elements = 24}),
            -8);
}

// The sums of a pixel are stored after all of them are computed: in place.
TEST(SafeDistances, BlockOfSums) {
  const std::string body = R"(    for p in range(4):
      s = T.allocate([4], "int32", "global")
      S = T.Buffer((4,), "int32", data=s)
      for o in range(4):
        S[o] = 0
        for k in range(4):
          S[o] = S[o] + T.Cast("int32", A[p * 4 + k])
      for o in range(4):
        B[p * 4 + o] = T.Cast("int8", S[o])
)";
  EXPECT_EQ(CheckedNatural({.body = body, .dying_elements = 16, .begun_elements = 16}), 0);
}

TEST(SafeDistances, SumsOneByOne) {
  const std::string body = R"(    for p, o in T.grid(4, 4):
      s = T.allocate([1], "int32", "global")
      S = T.Buffer((1,), "int32", data=s)
      S[0] = 0
      for k in range(4):
        S[0] = S[0] + T.Cast("int32", A[p * 4 + k])
      B[p * 4 + o] = T.Cast("int8", S[0])
)";
  EXPECT_EQ(CheckedNatural({.body = body, .dying_elements = 16, .begun_elements = 16}), -3);
}

TEST(SafeDistances, LanesAreReadBeforeAnyIsWritten) {
  EXPECT_EQ(CheckedNatural({.body = "    for i in range(4):\n"
                                    "      B[T.Ramp(i * 4, 1, 4)] = A[T.Ramp(i * 4 + 3, -1, 4)]\n",
                            .dying_elements = 16,
                            .begun_elements = 16}),
            0);
}

TEST(SafeDistances, DividedCounter) {
  EXPECT_EQ(CheckedNatural({.body = "    for f in range(12):\n"
                                    "      B[f % 4 * 3 + f // 4] = A[f // 4 * 4 + f % 4]\n",
                            .dying_elements = 12,
                            .begun_elements = 12}),
            -6);
}

TEST(SafeDistances, WiderElements) {
  EXPECT_EQ(
      CheckedNatural({.body = "    for i in range(6):\n      B[i] = T.Cast(\"int32\", A[i])\n",
                      .dying_elements = 6,
                      .begun_elements = 6,
                      .dying_dtype = "int16",
                      .begun_dtype = "int32"}),
      -10);
}

TEST(SafeDistances, NestsAfterCountAndNestsBeforeDoNot) {
  EXPECT_EQ(CheckedNatural({.body = R"(    t = T.allocate([8], "int8", "global")
    S = T.Buffer((8,), "int8", data=t)
    for i in range(8):
      S[i] = A[i]
    for i in range(8):
      B[i] = S[7 - i]
)",
                            .dying_elements = 8,
                            .begun_elements = 8}),
            AllowedDistances::kUnbounded);
}

TEST(SafeDistances, TheLastNestReadsAll) {
  EXPECT_EQ(CheckedNatural({.body = R"(    for i in range(8):
      B[i] = A[i]
    for i in range(8):
      B[i] = B[i] + A[i]
)",
                            .dying_elements = 8,
                            .begun_elements = 8}),
            -8);
}

TEST(SafeDistances, WhatIsWrittenToTheDyingBufferCounts) {
  EXPECT_EQ(CheckedNatural({.body = R"(    for i in range(8):
      B[i] = A[i]
      A[7 - i] = T.int8(5)
)",
                            .dying_elements = 8,
                            .begun_elements = 8}),
            -8);
}

TEST(SafeDistances, CertificateNamesAccessesAndLoop) {
  DistanceJudge judge({.body = "    for i in range(8):\n      B[i * 2] = A[i]\n",
                       .dying_elements = 8,
                       .begun_elements = 16});
  const SafeDistances distances = judge.ClosedForm();
  ASSERT_GE(distances.allowed.front().above, 0);
  const DistanceBound& bound =
      distances.bounds[static_cast<size_t>(distances.allowed.front().above)];
  ASSERT_NE(bound.loop, nullptr);
  EXPECT_EQ(bound.loop->name.view(), "i");
  EXPECT_TRUE(bound.store.valid());
  EXPECT_TRUE(bound.access.valid());
}

TEST(SafeDistances, UnknownIndexReachesTheWholeBuffer) {
  DistanceJudge judge({.body = "    for i in range(4):\n      B[i] = A[i * i % 5]\n",
                       .dying_elements = 5,
                       .begun_elements = 4});
  ASSERT_TRUE(judge.ok()) << judge.Messages();
  // Byte 0 of the input may be read after bytes 0 to 2 of the output are written.
  EXPECT_EQ(Natural(judge.ClosedForm()), -3);
  EXPECT_TRUE(judge.RunsAt(-3));
}

TEST(SafeDistances, DisjointWhereTheOrderIsNotKnown) {
  const auto disjoint = [](std::string body) {
    DistanceJudge judge({.body = std::move(body), .dying_elements = 8, .begun_elements = 8});
    EXPECT_TRUE(judge.ok()) << judge.Messages();
    const SafeDistances distances = judge.ClosedForm();
    EXPECT_FALSE(distances.disjoint_because.empty());
    ASSERT_EQ(distances.allowed.size(), 2);
    EXPECT_EQ(distances.allowed[0].last, -8);
    EXPECT_EQ(distances.allowed[1].first, 8);
    EXPECT_FALSE(judge.Trace().ok());
  };
  disjoint("    for i in T.parallel(8):\n      B[i] = A[i]\n");
  disjoint("    for i in T.vectorized(8):\n      B[i] = A[i]\n");
  disjoint(
      "    for i in range(8):\n      B[i] = A[i]\n"
      "    T.evaluate(T.call_extern(\"int32\", \"memcpy\", T.address_of(B[0]), "
      "T.address_of(A[0]), 4))\n");
  disjoint(
      "    n = T.allocate([1], \"int32\", \"global\")\n"
      "    N = T.Buffer((1,), \"int32\", data=n)\n    N[0] = 0\n"
      "    while N[0] < 8:\n      B[N[0]] = A[N[0]]\n      N[0] = N[0] + 1\n");
}

TEST(SafeDistances, DisjointWhereBoundsAreLoaded) {
  DistanceJudge judge({.body = R"(    n = T.allocate([1], "int32", "global")
    N = T.Buffer((1,), "int32", data=n)
    N[0] = 8
    for i in range(N[0]):
      B[i] = A[i]
)",
                       .dying_elements = 8,
                       .begun_elements = 8});
  ASSERT_TRUE(judge.ok()) << judge.Messages();
  EXPECT_FALSE(judge.ClosedForm().disjoint_because.empty());
  EXPECT_FALSE(judge.Trace().ok());
}

TEST(SafeDistances, DisjointWhereTheOutputIsReadInAVectorizedLoop) {
  DistanceJudge judge({.body = R"(    for i in range(8):
      B[i] = A[i]
    s = T.allocate([8], "int8", "global")
    S = T.Buffer((8,), "int8", data=s)
    for i in T.vectorized(8):
      S[i] = B[i]
)",
                       .dying_elements = 8,
                       .begun_elements = 8});
  ASSERT_TRUE(judge.ok()) << judge.Messages();
  EXPECT_FALSE(judge.ClosedForm().disjoint_because.empty());
  EXPECT_FALSE(judge.Trace().ok());
}

TEST(SafeDistances, BoundsThatDependOnACounterAreKnown) {
  DistanceJudge judge({.body = R"(    for i in range(3):
      for j in range(T.min(3, 8 - i * 3)):
        B[i * 3 + j] = A[i * 3 + j]
)",
                       .dying_elements = 8,
                       .begun_elements = 8});
  ASSERT_TRUE(judge.ok()) << judge.Messages();
  const SafeDistances distances = judge.ClosedForm();
  EXPECT_TRUE(distances.disjoint_because.empty());
  EXPECT_TRUE(judge.RunsAt(Natural(distances)));
  const auto trace = judge.Trace();
  ASSERT_TRUE(trace.ok());
  EXPECT_TRUE(trace->IsSafe(0, 1, 0));
  EXPECT_FALSE(trace->IsSafe(0, 1, 1));
}

TEST(SafeDistances, BoundsComputedFromCountersAreKnown) {
  for (const char* bound :
       {"T.Cast(\"int32\", T.Cast(\"int64\", i))", "T.Select(not i < 2, 3, 2)",
        "T.if_then_else(i < 2, 3, 2)", "T.shift_left(1, i)", "T.shift_right(8, i)",
        "T.bitwise_and(i, 1)", "T.bitwise_or(i, 1)", "T.bitwise_xor(i, 1)", "T.likely(i)",
        "T.Cast(\"int32\", T.Cast(\"uint8\", i) + T.uint8(1))", "i // 2", "i % 2 + 1"}) {
    DistanceJudge judge({.body = "    for i in range(3):\n      for j in range(" +
                                 std::string(bound) + "):\n        B[i + j] = A[i + j]\n",
                         .dying_elements = 8,
                         .begun_elements = 8});
    ASSERT_TRUE(judge.ok()) << judge.Messages();
    EXPECT_EQ(judge.ClosedForm().disjoint_because, "") << bound;
    EXPECT_TRUE(judge.Trace().ok()) << bound;
  }
}

TEST(SafeDistances, AnEmptyBufferSharesNoByte) {
  DistanceJudge judge({.body = "    for i in T.parallel(8):\n      B[i] = A[i]\n",
                       .dying_elements = 8,
                       .begun_elements = 8});
  ASSERT_TRUE(judge.ok()) << judge.Messages();
  const auto ranges = [&](int64_t dying_bytes, int64_t begun_bytes) {
    const SafeDistances distances = SafeDistancesOf(judge.func(), {judge.dying().data, dying_bytes},
                                                    {judge.begun().data, begun_bytes});
    EXPECT_FALSE(distances.disjoint_because.empty());
    return distances.allowed.size();
  };
  EXPECT_EQ(ranges(1, 1), 2u);
  // Every distance is allowed, in one range.
  EXPECT_EQ(ranges(0, 0), 1u);
  EXPECT_EQ(ranges(1, 0), 1u);
  EXPECT_EQ(ranges(0, 1), 1u);
}

TEST(AccessTrace, StopsAfterTooManySteps) {
  DistanceJudge judge({.body = "    for i, j in T.grid(8, 1000):\n      B[i] = A[(i + j) % 8]\n",
                       .dying_elements = 8,
                       .begun_elements = 8});
  const FunctionBuffer buffers[] = {judge.dying(), judge.begun()};
  EXPECT_EQ(AccessTrace::Of(judge.func(), buffers, {.max_steps = 100}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(AccessTrace::Of(judge.func(), buffers, {}).ok());
}

TEST(AccessTrace, LoopsThatNothingMentionsRunTwice) {
  DistanceJudge judge({.body = "    for i, j in T.grid(8, 5000):\n      B[i] = A[i]\n",
                       .dying_elements = 8,
                       .begun_elements = 8});
  const FunctionBuffer buffers[] = {judge.dying(), judge.begun()};
  const auto trace = AccessTrace::Of(judge.func(), buffers, {});
  ASSERT_TRUE(trace.ok());
  EXPECT_LT(trace->steps(), 100);
  EXPECT_FALSE(trace->IsSafe(0, 1, 0));
  EXPECT_TRUE(trace->IsSafe(0, 1, -1));
}

TEST(AccessTrace, ClashNamesBytesAndAccesses) {
  DistanceJudge judge({.body = "    for i in range(8):\n      B[i] = A[i]\n",
                       .dying_elements = 8,
                       .begun_elements = 8});
  const auto trace = judge.Trace();
  ASSERT_TRUE(trace.ok());
  const auto clash = trace->FindClash(0, 1, 3);
  ASSERT_TRUE(clash.has_value());
  EXPECT_EQ(clash->dying_byte - clash->begun_byte, 3);
  EXPECT_TRUE(clash->store.valid());
  EXPECT_TRUE(clash->access.valid());
}

}  // namespace
}  // namespace tenon
