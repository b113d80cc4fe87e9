#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "frontends/graph/code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plain_run.h"

namespace tenon::graph {
namespace {

using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;
using Numbers = std::vector<double>;

constexpr size_t kSteps = 4, kBatches = 2, kInputs = 3, kHidden = 2;

struct RnnCase {
  std::string name;
  std::string kind = "lstm";
  std::string direction = "forward";
  bool has_lengths = false;
  bool has_state = false;
  bool has_peepholes = false;
  bool batches_first = false;
  bool is_linear = false;  ///< `linear_before_reset`
  double clip = 0;
};

size_t GatesOf(const std::string& kind) { return kind == "lstm" ? 4 : kind == "gru" ? 3 : 1; }
double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// All numbers that a network has. The last index runs fastest.
struct Network {
  explicit Network(const RnnCase& test)
      : gates(GatesOf(test.kind)),
        directions(test.direction == "bidirectional" ? 2 : 1),
        x(Noise(kSteps * kBatches * kInputs, 1)),
        w(Noise(directions * gates * kHidden * kInputs, 2)),
        r(Noise(directions * gates * kHidden * kHidden, 3)),
        b(Noise(directions * 2 * gates * kHidden, 4)),
        h(Noise(directions * kBatches * kHidden, 5)),
        c(Noise(directions * kBatches * kHidden, 6)),
        p(Noise(directions * 3 * kHidden, 7)) {}
  size_t gates, directions;
  Numbers x, w, r, b, h, c, p;  ///< x is [step, batch, input]
};

struct Results {
  Numbers y, h, c;  ///< [step, direction, batch, unit] and [direction, batch, unit]
};

constexpr size_t kLengths[] = {3, 4};

/// One step of one batch, from the definition in the standard.
void Step(const RnnCase& test, const Network& net, size_t d, const double* x, double* h,
          double* c) {
  const auto sum = [&](size_t row, const std::function<double(size_t k)>& state, bool with_input,
                       bool with_state) {
    const size_t rows = net.gates * kHidden;
    double total = 0;
    if (with_input) {
      total += net.b[d * 2 * rows + row];
      for (size_t k = 0; k < kInputs; ++k) total += net.w[(d * rows + row) * kInputs + k] * x[k];
    }
    if (with_state) {
      total += net.b[d * 2 * rows + rows + row];
      for (size_t k = 0; k < kHidden; ++k)
        total += net.r[(d * rows + row) * kHidden + k] * state(k);
    }
    return total;
  };
  const auto clipped = [&](double value) {
    return test.clip == 0 ? value : std::clamp(value, -test.clip, test.clip);
  };
  const Numbers old(h, h + kHidden);
  const auto before = [&](size_t k) { return old[k]; };
  const auto gate = [&](size_t g, size_t u, double more = 0) {
    return Sigmoid(clipped(sum(g * kHidden + u, before, true, true) + more));
  };
  for (size_t u = 0; u < kHidden; ++u) {
    if (test.kind == "rnn") {
      h[u] = std::tanh(clipped(sum(u, before, true, true)));
    } else if (test.kind == "gru") {
      const double update = gate(0, u);
      const auto reset = [&](size_t k) { return gate(1, k); };
      const double of_state =
          test.is_linear
              ? reset(u) * sum(2 * kHidden + u, before, false, true)
              : sum(
                    2 * kHidden + u, [&](size_t k) { return reset(k) * old[k]; }, false, true);
      const double fresh = std::tanh(clipped(sum(2 * kHidden + u, before, true, false) + of_state));
      h[u] = (1 - update) * fresh + update * old[u];
    } else {
      const auto peephole = [&](size_t g) {
        return test.has_peepholes ? net.p[(d * 3 + g) * kHidden + u] : 0;
      };
      const double in = gate(0, u, peephole(0) * c[u]);
      const double forget = gate(2, u, peephole(2) * c[u]);
      const double fresh = std::tanh(clipped(sum(3 * kHidden + u, before, true, true)));
      c[u] = forget * c[u] + in * fresh;
      h[u] = gate(1, u, peephole(1) * c[u]) * std::tanh(c[u]);
    }
  }
}

Results Reference(const RnnCase& test, const Network& net) {
  Results results;
  results.y.resize(kSteps * net.directions * kBatches * kHidden);
  const size_t states = net.directions * kBatches * kHidden;
  results.h = test.has_state ? net.h : Numbers(states);
  results.c = test.has_state ? net.c : Numbers(states);
  for (size_t d = 0; d < net.directions; ++d) {
    for (size_t batch = 0; batch < kBatches; ++batch) {
      const size_t length = test.has_lengths ? kLengths[batch] : kSteps;
      double* h = &results.h[(d * kBatches + batch) * kHidden];
      double* c = &results.c[(d * kBatches + batch) * kHidden];
      for (size_t i = 0; i < length; ++i) {
        const size_t step = d == 1 || test.direction == "reverse" ? length - 1 - i : i;
        Step(test, net, d, &net.x[(step * kBatches + batch) * kInputs], h, c);
        std::copy(h, h + kHidden,
                  &results.y[((step * net.directions + d) * kBatches + batch) * kHidden]);
      }
    }
  }
  return results;
}

/// The elements with two neighbouring axes swapped: [outer, a, b, inner] to [outer, b, a, inner].
Numbers Swapped(const Numbers& of, size_t outer, size_t a, size_t b) {
  const size_t inner = of.size() / (outer * a * b);
  Numbers result;
  for (size_t o = 0; o < outer; ++o)
    for (size_t j = 0; j < b; ++j)
      for (size_t i = 0; i < a; ++i)
        for (size_t k = 0; k < inner; ++k) result.push_back(of[((o * a + i) * b + j) * inner + k]);
  return result;
}

void Check(const RnnCase& test, DataType dtype, double most) {
  SCOPED_TRACE(test.name + " " + test.kind + " " + dtype.ToString());
  const Network net(test);
  Results wanted = Reference(test, net);
  const auto size = [](size_t number) { return static_cast<int64_t>(number); };
  const int64_t rows = size(net.gates * kHidden);
  const int64_t directions = size(net.directions);
  const bool first = test.batches_first;
  PlainRun run(test.kind);
  run.Set("direction", test.direction).Set("hidden_size", size(kHidden));
  run.Set("layout", int64_t{first}).Set("linear_before_reset", int64_t{test.is_linear});
  if (test.clip != 0) run.Set("clip", test.clip);
  run.In(dtype, first ? Ints{kBatches, kSteps, kInputs} : Ints{kSteps, kBatches, kInputs},
         first ? Swapped(net.x, 1, kSteps, kBatches) : net.x);
  run.Constant(dtype, {directions, rows, kInputs}, net.w);
  run.Constant(dtype, {directions, rows, kHidden}, net.r);
  run.In(dtype, {directions, 2 * rows}, net.b);
  if (test.has_lengths) {
    run.In(kInt32, {kBatches}, {kLengths[0], kLengths[1]});
  } else {
    run.NoInput();
  }
  const Ints state =
      first ? Ints{kBatches, directions, kHidden} : Ints{directions, kBatches, kHidden};
  const bool is_lstm = test.kind == "lstm";
  const auto in_state = [&](const Numbers& numbers) {
    if (!test.has_state) return run.NoInput();
    return run.In(dtype, state, first ? Swapped(numbers, 1, net.directions, kBatches) : numbers);
  };
  in_state(net.h);
  if (is_lstm) in_state(net.c);
  if (test.has_peepholes) run.In(dtype, {directions, 3 * kHidden}, net.p);
  run.Out(dtype).Out(dtype);
  if (is_lstm) run.Out(dtype);
  const auto all = run.RunAll();
  ASSERT_EQ(run.error(), "");
  if (first) {
    // [step, direction, batch] becomes [batch, step, direction].
    wanted.y = Swapped(wanted.y, 1, kSteps * net.directions, kBatches);
    wanted.h = Swapped(wanted.h, 1, net.directions, kBatches);
    wanted.c = Swapped(wanted.c, 1, net.directions, kBatches);
  }
  ExpectNear(all[0], wanted.y, most);
  ExpectNear(all[1], wanted.h, most);
  if (is_lstm) ExpectNear(all[2], wanted.c, most);
}

TEST(PlainRecurrentTest, EveryOption) {
  for (const std::string kind : {"rnn", "gru", "lstm"}) {
    for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
      const RnnCase plain{.name = direction, .kind = kind, .direction = direction};
      Check(plain, kFloat32, 1e-5);
      RnnCase lengths = plain;
      lengths.name += " with lengths";
      lengths.has_lengths = lengths.has_state = true;
      Check(lengths, kFloat32, 1e-5);
      RnnCase first = lengths;
      first.name += ", batches first";
      first.batches_first = true;
      first.clip = 0.75;
      Check(first, kFloat64, 1e-6);
    }
  }
  Check(
      {.name = "peepholes", .direction = "bidirectional", .has_state = true, .has_peepholes = true},
      kFloat32, 1e-5);
  Check({.name = "linear", .kind = "gru", .direction = "bidirectional", .is_linear = true},
        kFloat32, 1e-5);
  Check({.name = "half"}, kFloat16, 5e-3);
}

TEST(PlainRecurrentTest, ActivationsWithTheirSettings) {
  // One unit with the weight 1, no state and one step: the activation of the input.
  const auto activation = [](std::string_view names, Numbers alpha, Numbers beta, double x) {
    PlainRun run("rnn");
    run.Set("activations", std::string(names));
    run.Set("activation_alpha", std::move(alpha)).Set("activation_beta", std::move(beta));
    run.In(kFloat32, {1, 1, 1}, {x}).In(kFloat32, {1, 1, 1}, {1}).In(kFloat32, {1, 1, 1}, {0});
    return run.NoOutput().Out(kFloat32).Run()[0];
  };
  EXPECT_NEAR(activation("Sigmoid", {}, {}, 1), Sigmoid(1), 1e-6);
  EXPECT_EQ(activation("relu", {}, {}, -1), 0);
  EXPECT_EQ(activation("Affine", {2}, {3}, 5), 13);
  EXPECT_EQ(activation("LeakyRelu", {0.25}, {}, -4), -1);
  EXPECT_EQ(activation("ThresholdedRelu", {}, {}, 0.5), 0);
  EXPECT_NEAR(activation("ScaledTanh", {2}, {0.5}, 1), 2 * std::tanh(0.5), 1e-6);
  EXPECT_NEAR(activation("HardSigmoid", {}, {}, 1), 0.7, 1e-6);
  EXPECT_NEAR(activation("Elu", {2}, {}, -1), 2 * (std::exp(-1) - 1), 1e-6);
  EXPECT_NEAR(activation("Softsign", {}, {}, -1), -0.5, 1e-6);
  EXPECT_NEAR(activation("Softplus", {}, {}, 1), std::log(1 + std::exp(1)), 1e-6);
}

TEST(PlainRecurrentTest, WrongFilesAreRefused) {
  const auto lstm = [](Ints w, Ints r) {
    const auto size = [](const Ints& shape) {
      return static_cast<size_t>(shape[0] * shape[1] * shape[2]);
    };
    PlainRun run("lstm");
    run.In(kFloat32, {1, 1, 3}, Noise(3)).In(kFloat32, w, Noise(size(w)));
    return run.In(kFloat32, r, Noise(size(r))).Out(kFloat32);
  };
  EXPECT_THAT(ErrorOf(lstm({1, 8, 4}, {1, 8, 2})),
              HasSubstr("float32[1, 8, 3], found float32[1, 8, 4]"));
  EXPECT_THAT(ErrorOf(lstm({1, 4, 3}, {1, 8, 2})),
              HasSubstr("expected an input 1 of float32[1, 8, 3]"));
  EXPECT_THAT(ErrorOf(lstm({1, 8, 3}, {1, 8, 2}).Set("direction", "both")), HasSubstr("`both`"));
  PlainRun types("rnn");
  types.In(kFloat32, {1, 1, 1}, {1}).In(kFloat16, {1, 1, 1}, {1}).In(kFloat32, {1, 1, 1}, {1});
  EXPECT_THAT(ErrorOf(types.NoOutput().Out(kFloat32)), HasSubstr("not for these types together"));
  EXPECT_THAT(ErrorOf(lstm({1, 8, 3}, {1, 8, 2}).Set("hidden_size", int64_t{3})),
              HasSubstr("a `hidden_size` of 2, found 3"));
  EXPECT_THAT(ErrorOf(lstm({1, 8, 3}, {1, 8, 2}).Set("activations", "Tanh")),
              HasSubstr("expected 3 activations, found 1"));
  EXPECT_THAT(ErrorOf(lstm({1, 8, 3}, {1, 8, 2}).Set("activations", "Tanh,Sin,Tanh")),
              HasSubstr("`sin`"));
}

}  // namespace
}  // namespace tenon::graph
