#include "compile/run/external_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>

// Tests what the checker says about the results, inputs and crashes of external code.

namespace tenon {
namespace {

using testing::Eq;
using testing::HasSubstr;
using testing::Not;

constexpr int64_t kElements = 4;
constexpr int64_t kBytes = 16;

/// A check of `one` with the result `q`, and the input `p`, both of four floats.
ExternalCheck OneCheck() {
  ExternalCheck check;
  check.symbol = "one";
  check.target = "test";
  check.inputs = {{"p", DataType::Float(32), {kElements}, kBytes}};
  check.results = {{"q", DataType::Float(32), {kElements}, kBytes}};
  return check;
}

/// A check of a function without comparisons.
ExternalCheck Unchecked(std::string symbol) {
  ExternalCheck check;
  check.symbol = std::move(symbol);
  return check;
}

using Floats = std::vector<float>;

/// A result between its guards.
class Guarded {
 public:
  explicit Guarded(const Floats& values)
      : memory_(static_cast<size_t>(kBytes + 2 * kGuardBytes), static_cast<char>(kGuardByte)) {
    std::memcpy(data(), values.data(), static_cast<size_t>(kBytes));
  }
  char* data() { return memory_.data() + kGuardBytes; }

 private:
  std::vector<char> memory_;
};

/// The checker's error; empty without one. `summary` receives what was compared.
std::string Error(const ExternalChecker& checker, std::string* summary = nullptr) {
  Diagnostics diagnostics;
  const bool ok = checker.Report(diagnostics, [&](const std::string& text) {
    if (summary != nullptr) *summary = text;
  });
  EXPECT_EQ(ok, diagnostics.error_count() == 0);
  return ok ? "" : diagnostics.all()[0].message;
}

std::string Summary(const ExternalChecker& checker) {
  std::string summary;
  EXPECT_EQ(Error(checker, &summary), "");
  return summary;
}

/// The error about code that gives `got` where its body gives `expected`.
std::string ErrorOf(const ExternalCheck& check, const Floats& got, const Floats& expected,
                    const Floats* magnitudes = nullptr) {
  ExternalChecker checker({check});
  Guarded result(got);
  checker.Compare(0, 0, result.data(), expected.data(),
                  magnitudes == nullptr ? expected.data() : magnitudes->data());
  return Error(checker);
}

const Floats kValues = {1, 2, 3, 4};

TEST(ExternalChecker, FindsTheWrittenByteThatIsNearestToTheResult) {
  const auto said = [](std::initializer_list<int64_t> written) {
    ExternalChecker checker({OneCheck()});
    Guarded result(kValues);
    for (const int64_t at : written) result.data()[at] = 0;
    checker.Compare(0, 0, result.data(), kValues.data(), kValues.data());
    return Error(checker);
  };
  const auto message = [](int64_t byte) {
    return "the code of `one` for `test` writes outside of `q`: it has 16 bytes, and byte " +
           std::to_string(byte) + " was written";
  };
  for (const int64_t byte :
       {int64_t{-1}, int64_t{-10}, -kGuardBytes, kBytes, kBytes + 9, kBytes + kGuardBytes - 1}) {
    EXPECT_EQ(said({byte}), message(byte));
  }
  EXPECT_EQ(said({-3, -7, kBytes + 5}), message(-3));
  EXPECT_EQ(said({-7, kBytes + 5, kBytes + 8}), message(kBytes + 5));
}

TEST(ExternalChecker, CountsElementsThatDiffer) {
  EXPECT_EQ(ErrorOf(OneCheck(), kValues, kValues), "");
  EXPECT_EQ(ErrorOf(OneCheck(), {1, 7, 3, 0}, kValues),
            "the code of `one` for `test` and its body differ in `q`: element [1] is 7, expected 2 "
            "as its body gives; 2 of 4 elements differ, by 5 at most");
}

TEST(ExternalChecker, SumsMayDifferByTheirBound) {
  ExternalCheck check = OneCheck();
  check.terms = 3;
  // 3 * 2^-23 * 2^20.
  constexpr float kBound = 0.375;
  const Floats expected = {1, 0, 3, 4};
  const Floats magnitudes = {0, 1 << 20, 0, 0};
  const Floats within = {1, kBound, 3, 4};
  const Floats beyond = {1, std::nextafter(kBound, 1.0F), 3, 4};
  EXPECT_EQ(ErrorOf(check, within, expected, &magnitudes), "");
  EXPECT_THAT(ErrorOf(check, beyond, expected, &magnitudes), HasSubstr("1 of 4 elements differ"));
  EXPECT_THAT(ErrorOf(check, within, expected), HasSubstr("1 of 4 elements differ"));
}

TEST(ExternalChecker, NamesEightOperators) {
  const auto said = [](size_t operators) {
    ExternalCheck check = OneCheck();
    for (size_t i = 0; i < operators; ++i) check.operators.push_back("f" + std::to_string(i));
    return ErrorOf(check, {0, 2, 3, 4}, kValues);
  };
  EXPECT_THAT(said(1), Not(HasSubstr("computes")));
  EXPECT_THAT(said(2), HasSubstr("; it computes `f0`, `f1`: the attribute"));
  const std::string eight = "`f0`, `f1`, `f2`, `f3`, `f4`, `f5`, `f6`, `f7`";
  EXPECT_THAT(said(8), HasSubstr("; it computes " + eight + ": the attribute"));
  EXPECT_THAT(said(9), HasSubstr("; it computes 9 operators, " + eight + ", ...: the attribute"));
}

TEST(ExternalChecker, KeepsTheFirstDifference) {
  ExternalChecker checker({OneCheck()});
  const Floats expected[] = {{1, 2, 3, 5}, {0, 2, 3, 4}};
  for (const Floats& of : expected) {
    Guarded result(kValues);
    checker.Compare(0, 0, result.data(), of.data(), of.data());
  }
  EXPECT_THAT(Error(checker), HasSubstr("element [3] is 4, expected 5"));
}

TEST(ExternalChecker, FindsChangedInputs) {
  ExternalCheck two = OneCheck();
  two.symbol = "two";
  two.inputs.push_back({"r", DataType::Float(32), {kElements}, kBytes});
  ExternalChecker checker({OneCheck(), two});
  Floats second = {5, 6, 7, 8};
  checker.Save(0, 0, kValues.data());
  checker.Unchanged(0, 0, kValues.data());
  checker.Save(1, 0, kValues.data());
  checker.Save(1, 1, second.data());
  checker.Unchanged(1, 0, kValues.data());
  EXPECT_EQ(Error(checker), "");
  second[3] = 9;
  checker.Unchanged(1, 1, second.data());
  EXPECT_EQ(Error(checker),
            "the code of `two` for `test` changes its input `r`: element [3] is 9, expected 8 as "
            "before the call");
}

TEST(ExternalChecker, CountsCalls) {
  ExternalCheck two = OneCheck();
  two.symbol = "two";
  ExternalChecker checker({OneCheck(), two});
  EXPECT_EQ(Summary(checker), "nothing was compared: no external function was called");
  checker.Enter(1);
  EXPECT_EQ(Summary(checker), "1 function called 1 time, all equal to their bodies");
  checker.Enter(1);
  checker.Enter(0);
  EXPECT_EQ(Summary(checker), "2 functions called 3 times, all equal to their bodies");
  EXPECT_EQ(Summary(ExternalChecker({Unchecked("a"), OneCheck(), Unchecked("b")})),
            "nothing was compared: no external function was called; not compared, as they have "
            "results without a constant shape or with strides: a, b");
}

/// The function that code calls by this name.
template <class F>
F* HelperOf(std::string_view name) {
  for (const auto& [known, address] : ExternalChecker::Functions()) {
    if (known == name) return reinterpret_cast<F*>(address);
  }
  return nullptr;
}

TEST(ExternalChecker, HelpersWriteTheirElements) {
  using Magnitude = int32_t(void*, const void*, int64_t, int64_t);
  const auto magnitude = HelperOf<Magnitude>(kMagnitudeFunction);
  ASSERT_NE(magnitude, nullptr);
  Floats floats = {9, 9, 9};
  const Floats from = {-1, 2, -3};
  EXPECT_EQ(magnitude(floats.data(), from.data(), 2, 32), 0);
  EXPECT_EQ(floats, (Floats{1, 2, 9}));
  std::vector<double> doubles = {9, 9, 9};
  const std::vector<double> wide = {-1e300, 2, -3};
  EXPECT_EQ(magnitude(doubles.data(), wide.data(), 2, 64), 0);
  EXPECT_EQ(doubles, (std::vector<double>{1e300, 2, 9}));
  const auto copy = HelperOf<int32_t(void*, const void*, int64_t)>(kCopyFunction);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy(floats.data(), from.data(), 4), 0);
  EXPECT_EQ(floats, (Floats{-1, 2, 9}));
  const auto guard = HelperOf<int32_t(void*, int64_t)>(kGuardFunction);
  ASSERT_NE(guard, nullptr);
  std::vector<uint8_t> bytes = {1, 2, 3};
  EXPECT_EQ(guard(bytes.data(), 2), 0);
  EXPECT_EQ(bytes, (std::vector<uint8_t>{kGuardByte, kGuardByte, 3}));
}

/// The signal stack of this thread. SS_DISABLE means that the thread has no such stack.
stack_t SignalStackNow() {
  stack_t now = {};
  EXPECT_EQ(sigaltstack(nullptr, &now), 0);
  return now;
}

TEST(ExternalChecker, GivesCodeASignalStackUnlessThereIsOne) {
  const stack_t before = SignalStackNow();
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  ASSERT_EQ(sigaltstack(&none, nullptr), 0);
  ExternalChecker checker({OneCheck()});
  {
    const ExternalChecker::Scope scope(checker);
    EXPECT_EQ(SignalStackNow().ss_flags & SS_DISABLE, 0);
  }
  EXPECT_NE(SignalStackNow().ss_flags & SS_DISABLE, 0);
  std::vector<char> memory(1 << 16);
  stack_t own = {};
  own.ss_sp = memory.data();
  own.ss_size = memory.size();
  ASSERT_EQ(sigaltstack(&own, nullptr), 0);
  {
    const ExternalChecker::Scope scope(checker);
    EXPECT_EQ(SignalStackNow().ss_sp, own.ss_sp);
  }
  EXPECT_EQ(SignalStackNow().ss_sp, own.ss_sp);
  ASSERT_EQ(sigaltstack(&before, nullptr), 0);
}

constexpr const char* kInOne =
    "tenon: error: the program crashed in the code of `one` for `test`\n";

TEST(ExternalCrash, BeforeTheFirstCallHasNoLine) {
  const auto crash = [] {
    ExternalChecker checker({OneCheck()});
    const ExternalChecker::Scope scope(checker);
    abort();
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGABRT), Eq(""));
}

TEST(ExternalCrash, SaysWhichCodeRanOrHasRun) {
  const auto crash = [](bool has_returned) {
    ExternalChecker checker({OneCheck()});
    const ExternalChecker::Scope scope(checker);
    checker.Enter(0);
    if (has_returned) checker.Leave(0);
    abort();
  };
  EXPECT_EXIT(crash(false), testing::KilledBySignal(SIGABRT), Eq(kInOne));
  EXPECT_EXIT(crash(true), testing::KilledBySignal(SIGABRT),
              Eq("tenon: error: the program crashed after the code of `one` for `test`\n"));
}

TEST(ExternalCrash, AfterTheProgramHasNoLine) {
  const auto crash = [] {
    ExternalChecker outer({OneCheck()});
    {
      const ExternalChecker::Scope scope(outer);
      outer.Enter(0);
    }
    abort();
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGABRT), Eq(""));
}

TEST(ExternalCrash, LongLinesAreCut) {
  const auto crash = [] {
    ExternalCheck check = OneCheck();
    check.symbol = std::string(500, 's');
    ExternalChecker checker({check});
    const ExternalChecker::Scope scope(checker);
    checker.Enter(0);
    abort();
  };
  const std::string begin = "tenon: error: the program crashed in the code of `";
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGABRT),
              Eq(begin + std::string(400 - begin.size(), 's') + "\n"));
}

/// Writes to memory of the stack until there is no more. `end` is never reached.
int64_t Overflow(volatile int64_t* end, int64_t depth) {
  volatile char memory[4096];
  memory[depth % 4096] = static_cast<char>(depth);
  if (depth == *end) return 0;
  return Overflow(end, depth + 1) + memory[depth % 4096];
}

TEST(ExternalCrash, CodeWithoutStackHasALine) {
  const auto crash = [] {
    rlimit limit = {};
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_STACK, &limit);
    ExternalChecker checker({OneCheck()});
    const ExternalChecker::Scope scope(checker);
    checker.Enter(0);
    volatile int64_t end = -1;
    _exit(static_cast<int>(Overflow(&end, 0)) & 1);
  };
  // A sanitizer ends the program with its own report.
  EXPECT_DEATH(crash(), HasSubstr(kInOne));
}

TEST(ExternalCrash, SignalsDoWhatTheyDidBefore) {
  const auto crash = [](bool sent) {
    struct sigaction outer = {};
    outer.sa_handler = [](int signal) { _exit(signal == SIGFPE ? 3 : 4); };
    if (!sent) sigaction(SIGFPE, &outer, nullptr);
    ExternalChecker checker({OneCheck()});
    {
      const ExternalChecker::Scope scope(checker);
      ExternalChecker inner({OneCheck()});
      { const ExternalChecker::Scope inside(inner); }
      checker.Enter(0);
      // A process may send the signal, and so may a thread.
      if (sent) {
        kill(getpid(), SIGFPE);
      } else {
        raise(SIGFPE);
      }
    }
    _exit(0);
  };
  EXPECT_EXIT(crash(false), testing::ExitedWithCode(3), Eq(kInOne));
  EXPECT_EXIT(crash(true), testing::KilledBySignal(SIGFPE), Eq(kInOne));
}

TEST(ExternalCrash, ProgramsWithoutChecksKeepTheirSignals) {
  struct sigaction before = {};
  sigaction(SIGSEGV, nullptr, &before);
  const auto handler_in = [](std::vector<ExternalCheck> checks) {
    ExternalChecker checker(std::move(checks));
    const ExternalChecker::Scope scope(checker);
    struct sigaction now = {};
    sigaction(SIGSEGV, nullptr, &now);
    return now.sa_sigaction;
  };
  EXPECT_EQ(handler_in({}), before.sa_sigaction);
  EXPECT_NE(handler_in({OneCheck()}), before.sa_sigaction);
  EXPECT_EQ(handler_in({}), before.sa_sigaction);
}

}  // namespace
}  // namespace tenon
