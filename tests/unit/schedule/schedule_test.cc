// Schedules of a dense layer, y[n, c] = sum(x[n, k] * w[k, c]): their text, and which of them are
// refused.

#include "schedule/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "schedule/schedule_rules.h"

namespace tenon {
namespace {

using testing::HasSubstr;

constexpr int kN = 0;
constexpr int kC = 1;
constexpr int kK = 2;

LinearIndex Element(decltype(LinearIndex::terms) terms) { return {0, std::move(terms), 1}; }

Step Read(int access, DataType dtype) {
  Step step;
  step.kind = StepKind::kRead;
  step.dtype = dtype;
  step.access = access;
  return step;
}

Step Node(NodeKind node, DataType dtype, std::vector<int> args) {
  Step step;
  step.kind = StepKind::kNode;
  step.node = node;
  step.dtype = dtype;
  step.args = std::move(args);
  return step;
}

/// A dense layer of floats, 12 places of 16 channels from 10 elements each.
Computation Dense() {
  const DataType type = DataType::Float(32);
  Computation all;
  all.loops = {{"n", 12}, {"c", 16}, {"k", 10}};
  all.operands = {{false, 0, type, 120}, {true, 0, type, 160}, {false, 1, type, 192}};
  all.accesses = {{0, Element({{kN, 10}, {kK, 1}})},
                  {1, Element({{kC, 1}, {kK, 16}})},
                  {2, Element({{kN, 16}, {kC, 1}})}};
  Step zero;
  zero.kind = StepKind::kReal;
  zero.dtype = type;
  Step sum;
  sum.kind = StepKind::kReduce;
  sum.node = NodeKind::kAdd;
  sum.dtype = type;
  sum.args = {0, 3};
  sum.loops = {kK};
  all.steps = {zero, Read(0, type), Read(1, type), Node(NodeKind::kMul, type, {1, 2}), sum};
  all.stores = {{2, 4, {kN, kC}}};
  return all;
}

/// The reason why the dense layer cannot run by a schedule.
std::string Problem(const std::string& text, const Computation& all = Dense()) {
  std::string because;
  const std::optional<Schedule> schedule = ParseSchedule(text, all, because);
  return schedule ? WhyNotSchedule(all, all.stores[0], *schedule, 32) : because;
}

TEST(ScheduleTest, TextComesBack) {
  const Computation all = Dense();
  for (const std::string text :
       {"n/4 c/16 k, unroll n, lanes c", "c/8 n/6 k, unroll n, lanes c", "n c/16 k, lanes c",
        "n/3 c/8 k/2, unroll k n, lanes c, ahead", "n/4 c/16 k, unroll n, lanes c, prefetch",
        "n/4 c/16 k/2, unroll k n, lanes c, pairs, skip pads",
        "parallel n/4, c/16 k, unroll n, lanes c", "n/2 c/2 packed/8, unroll packed n c, dots4",
        "n c/4 k/8, unroll k n c, dots8, finish in lanes",
        "n c/4 k/4, unroll k n c, unsigned-products, finish in a loop"}) {
    std::string because;
    const std::optional<Schedule> schedule = ParseSchedule(text, all, because);
    ASSERT_TRUE(schedule) << text << ": " << because;
    EXPECT_EQ(ScheduleText(*schedule, all), text);
  }
}

TEST(ScheduleTest, BandsInsideHaveTheSizeOfTheirLoop) {
  std::string because;
  const auto schedule = ParseSchedule("n/4 c/16 k, unroll n, lanes c", Dense(), because);
  ASSERT_TRUE(schedule) << because;
  const std::vector<Band> bands = {{kN, 4, Role::kSerial},
                                   {kC, 16, Role::kSerial},
                                   {kK, 1, Role::kSerial},
                                   {kN, 4, Role::kUnrolled},
                                   {kC, 16, Role::kLanes}};
  EXPECT_EQ(schedule->bands, bands);
}

TEST(ScheduleTest, LegalSchedulesHaveNoProblem) {
  for (const std::string text :
       {"n/4 c/16 k, unroll n, lanes c", "n/5 c/12 k, unroll n, lanes c",
        "c/8 n/6 k, unroll n, lanes c", "n c/16 k, lanes c",
        "parallel n/5, c/16 k, unroll n, lanes c", "parallel c/8, n/6 k, unroll n, lanes c",
        "n/12 c/1 k, unroll n, lanes c", "n/3 c/8 k/2, unroll k n, lanes c, ahead"}) {
    EXPECT_EQ(Problem(text), "") << text;
  }
}

TEST(InstructionsTest, WordsAndInstructionsAreFound) {
  for (const CombineFacts& facts : kCombines) {
    const bool has_word = facts.combine != Combine::kNothing;
    EXPECT_EQ(FindCombine(facts.word), has_word ? std::optional(facts.combine) : std::nullopt);
  }
  const InstructionSet set = {Instruction::kPmaddwd, Instruction::kSdot};
  EXPECT_TRUE(set.Has(Combine::kPairs) && set.Has(Combine::kQuads));
  EXPECT_FALSE(set.Has(Combine::kDots4) || set.Has(Instruction::kUsdot));
}

TEST(InstructionsTest, ShorterIntegersAreExtendedIfTheTypeHoldsThem) {
  const DataType pair = FactsOf(Combine::kPairs).data;
  EXPECT_TRUE(Extends(DataType::UInt(8), pair) && Extends(DataType::Int(16), pair));
  EXPECT_FALSE(Extends(DataType::UInt(16), pair) || Extends(DataType::Bool(), pair));
  // So unsigned elements are stored less 128.
  EXPECT_FALSE(Extends(DataType::UInt(8), FactsOf(Combine::kDots16).data));
  EXPECT_TRUE(Extends(DataType::Int(8), FactsOf(Combine::kDots16).data));
}

struct Refusal {
  const char* text;
  const char* because;
};

TEST(ScheduleTest, TextsThatAreNoSchedulesAreRefused) {
  for (const Refusal& refusal : std::initializer_list<Refusal>{
           {"", "expected loops between the commas, found nothing"},
           {"n c k,, lanes c", "expected loops between the commas, found nothing"},
           {"n m k, lanes c", "expected a loop of `n`, `c`, `k`, found `m`"},
           {"n/0 c k, lanes c", "a size of 1 to 12 after `/`, found `n/0`"},
           {"n/13 c k, lanes c", "a size of 1 to 12 after `/`, found `n/13`"},
           {"n/2x c k, lanes c", "a size of 1 to 12 after `/`, found `n/2x`"},
           {"n/99999999999999999999 c k, lanes c", "a size of 1 to 12 after `/`"},
           {"n c/4 k, lanes c/4",
            "expected a loop that is neither unrolled nor lanes, and a size of 1 to 16"},
           {"n c k, parallel", "expected loops after `parallel`"},
           {"n c k, lanes", "expected loops after `lanes`"},
           {"n c packed/0, lanes c", "a size of 1 to 1920 after `/`, found `packed/0`"},
           {"n c packed, lanes packed", "expected a loop of `n`, `c`, `k`, found `packed`"},
           {"n c k, vectorise c", "found `vectorise`"}}) {
    EXPECT_THAT(Problem(refusal.text), HasSubstr(refusal.because)) << refusal.text;
  }
}

TEST(ScheduleTest, SchedulesThatLoopsCannotHaveAreRefused) {
  for (const Refusal& refusal : std::initializer_list<Refusal>{
           {"n c k", "expected lanes, or unrolled iterations, along a loop of the store"},
           // The elements of x do not lie side by side along n, and a sum of floats keeps its
           // order.
           {"n/4 c k, lanes n", "expected one sum of elements that lie side by side along `n`"},
           {"n c k/4, lanes k",
            "expected lanes, or unrolled iterations, along a loop of the store"},
           // Each loop occurs once, in its place.
           {"n/4 c/16, unroll n, lanes c", "expected the bands `n/4 c/16 k, unroll n, lanes c`"},
           {"n/4 n c/16 k, unroll n, lanes c", "expected the bands"},
           {"k n/4 c/16, unroll n, lanes c", "expected the bands"},
           {"n/4 c/16 k, lanes c", "expected the bands `n c/16 k, lanes c`"},
           {"n/4 c/16 k, unroll n c, lanes c", "expected the bands"},
           {"n/4, parallel c/16, k, unroll n, lanes c", "expected the bands `parallel n/4, c/16 k"},
           {"n/4 c/16, parallel k, unroll n, lanes c", "expected the bands `parallel n/4, c/16 k"},
           {"n/4 c/16 k/2, unroll n k, lanes c, ahead", "expected the bands"},
           // Steps that run together need a reason.
           {"n/4 c/16 k/2, unroll k n, lanes c", "expected 1 steps of the sum together, found 2"},
           {"n/4 c/16 k, unroll n, lanes c, ahead",
            "expected 2 steps of the sum together, found 1"},
           {"n/4 c/16 k/2, unroll k n, lanes c, pairs", "products of integers of 16 bits or less"},
           {"n/4 c/16 k/4, unroll k n, lanes c, dots4",
            "expected an instruction for lanes, found `dots4`"},
           {"n/4 c/16 packed, unroll n, lanes c", "expected the bands `n/4 c/16 k, unroll n"},
           {"n/4 c/16 k, unroll n, lanes c, skip pads", "a factor that is 0 at its pads"},
           {"n/4 c/16 k, unroll n, lanes c, prefetch", "expected `prefetch` only where blocks"}}) {
    EXPECT_THAT(Problem(refusal.text), HasSubstr(refusal.because)) << refusal.text;
  }
}

TEST(ScheduleTest, BlocksThatMemoryCannotHoldAreRefused) {
  Computation all = Dense();
  all.loops[kN].extent = 100;
  all.loops[kC].extent = 1000;
  EXPECT_EQ(Problem("n/64 c/200 k, unroll n, lanes c", all), "");
  EXPECT_THAT(Problem("n/65 c/200 k, unroll n, lanes c", all),
              HasSubstr("expected at most 64 unrolled places, found 65"));
  EXPECT_THAT(Problem("n/4 c/1000 k, unroll n, lanes c", all),
              HasSubstr("expected at most 255 lanes, found 1000"));
}

}  // namespace
}  // namespace tenon
