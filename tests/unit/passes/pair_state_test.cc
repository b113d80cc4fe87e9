#include "passes/memory/pair_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <random>

// Tests the states of bytes against a model that copies all of them at each branch.

namespace tenon {
namespace {

constexpr size_t kSize = 6;

/// The states of both allocations in each byte.
struct Model {
  uint8_t states[2][kSize];

  Model() {
    for (auto& of : states) std::fill(std::begin(of), std::end(of), PairState::kNothing);
  }

  void Store(int who, size_t first, size_t end, bool is_certain) {
    for (size_t i = first; i < end; ++i) {
      uint8_t& own = states[who][i];
      uint8_t& other = states[1 - who][i];
      const bool had_value = (other & (PairState::kHeld | PairState::kLost)) != 0;
      const int lost = (other & PairState::kNothing) | (had_value ? PairState::kLost : 0);
      own = static_cast<uint8_t>(PairState::kHeld | (is_certain ? 0 : own));
      other = static_cast<uint8_t>(lost | (is_certain ? 0 : other));
    }
  }
};

void ExpectSame(const PairState& state, const Model& model) {
  for (const int who : {0, 1}) {
    uint8_t any = 0;
    for (size_t i = 0; i < kSize; ++i) {
      ASSERT_EQ(state.Of(who, i), model.states[who][i]) << who << " " << i;
      any |= model.states[who][i];
    }
    EXPECT_EQ(state.Any(who), any);
    for (const uint8_t bit : {PairState::kNothing, PairState::kHeld, PairState::kLost}) {
      for (size_t first = 0; first <= kSize; ++first) {
        for (size_t end = first; end <= kSize; ++end) {
          std::optional<size_t> found;
          for (size_t i = end; i-- > first;) {
            if ((model.states[who][i] & bit) != 0) found = i;
          }
          ASSERT_EQ(state.Find(who, bit, first, end), found);
        }
      }
    }
  }
}

/// Runs the same random steps on both.
class Steps {
 public:
  explicit Steps(uint32_t seed) : random_(seed) {}

  void Run(PairState& state, Model& model, int depth) {
    const int count = Number(1, 5);
    for (int i = 0; i < count; ++i) Step(state, model, depth);
    ExpectSame(state, model);
  }

 private:
  int Number(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }

  void Step(PairState& state, Model& model, int depth) {
    const int who = Number(0, 1);
    const auto bit = static_cast<uint8_t>(1 << Number(0, 2));
    const int first = Number(0, static_cast<int>(kSize));
    const auto end = static_cast<size_t>(Number(first, static_cast<int>(kSize)));
    const bool is_certain = Number(0, 2) > 0;
    switch (Number(0, depth > 0 ? 7 : 5)) {
      case 0:
        state.Fill(who, bit);
        std::fill(std::begin(model.states[who]), std::end(model.states[who]), bit);
        return;
      case 1:
        state.Add(who, bit);
        for (uint8_t& of : model.states[who]) of |= bit;
        return;
      case 6:
      case 7:
        return Branch(state, model, depth - 1);
      default:
        state.Store(who, static_cast<size_t>(first), end, is_certain);
        model.Store(who, static_cast<size_t>(first), end, is_certain);
    }
  }

  void Branch(PairState& state, Model& model, int depth) {
    const Model before = model;
    Model arms[2] = {before, before};
    PairState::Changes changes[2];
    for (const int arm : {0, 1}) {
      state.BeginArm();
      if (Number(0, 3) > 0) Run(state, arms[arm], depth);
      changes[arm] = state.EndArm();
      ExpectSame(state, before);
      EXPECT_TRUE(std::is_sorted(changes[arm].begin(), changes[arm].end()));
    }
    state.Join(changes[0], changes[1]);
    for (const int who : {0, 1}) {
      for (size_t i = 0; i < kSize; ++i)
        model.states[who][i] = arms[0].states[who][i] | arms[1].states[who][i];
    }
    ExpectSame(state, model);
  }

  std::mt19937 random_;
};

TEST(PairState, BeginsWithNothing) {
  ExpectSame(PairState(kSize), Model());
  EXPECT_EQ(PairState(kSize).size(), kSize);
  PairState none(0);
  EXPECT_EQ(none.Any(0), 0);
  none.BeginArm();
  none.Store(0, 0, 0, true);
  const PairState::Changes changes = none.EndArm();
  EXPECT_TRUE(changes.empty());
}

TEST(PairState, IsTheModelAfterRandomSteps) {
  for (uint32_t seed = 0; seed < 300 && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    PairState state(kSize);
    Model model;
    Steps(seed).Run(state, model, 3);
  }
}

}  // namespace
}  // namespace tenon
