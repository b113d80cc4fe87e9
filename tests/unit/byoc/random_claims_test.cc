#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "byoc/recognise_ops.h"
#include "parser/parser.h"
#include "tests/unit/byoc/claim_check.h"
#include "tests/unit/byoc/random_operator.h"

namespace tenon {
namespace {

/// The number of operators: TENON_CLAIM_COUNT, for the nightly run, or a number that takes a few
/// seconds.
uint32_t Count() {
  const char* set = std::getenv("TENON_CLAIM_COUNT");
  return set == nullptr ? 400 : static_cast<uint32_t>(std::strtoul(set, nullptr, 10));
}

struct Claimed {
  std::optional<OpInfo> info;
  /// The difference between claim and body; empty if they agree.
  std::string wrong;
  /// The body cannot be read, or stops with an error.
  bool broken = false;
};

Claimed Claim(const std::string& text, uint32_t seed) {
  Context context;
  Diagnostics diagnostics;
  Claimed result;
  const auto module = ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
  result.broken = !module.has_value();
  if (result.broken) return result;
  PassContext pass{.diagnostics = diagnostics, .threads = 1, .counters = {}};
  const auto claimed = RecogniseOps(*module, {}, pass);
  const auto interpreter = Interpreter::Compile(*module, diagnostics);
  result.broken = !claimed.ok() || !interpreter.ok();
  if (result.broken) return result;
  const Function& function = claimed->functions()[0];
  result.info = ReadOpInfo(function);
  if (!result.info->known()) return result;
  result.wrong = CheckClaim(*interpreter, function, *result.info, seed);
  result.broken = result.wrong.starts_with("the body does not run");
  return result;
}

/// A copy of 16 elements with `value` in place of the copied one.
std::string CopyOf(std::string_view value) {
  return fmt::format(R"(@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        for i in range(16):
            y[i] = {}
)",
                     value);
}

TEST(Claims, OfQuotientsAreRight) {
  for (const std::string_view condition :
       {"(i + 1) // 2 >= 3", "(i + 1) // 2 > 3", "(i + 1) // 2 < 3", "(i + 1) // 2 <= 3",
        "(i + 1) // 2 == 3", "(i + 1) // 2 != 3", "3 <= (i + 1) // 2 and (i + 1) // 2 < 6"}) {
    const std::string text =
        CopyOf(fmt::format("T.if_then_else((i + 1) % 2 == 0, T.if_then_else({}, x[i], "
                           "T.float32(5)), T.float32(7))",
                           condition));
    const Claimed claimed = Claim(text, 1);
    ASSERT_FALSE(claimed.broken) << text;
    EXPECT_TRUE(claimed.info->known()) << text << claimed.info->because;
    EXPECT_EQ(claimed.wrong, "") << text;
  }
}

TEST(Claims, KeepTheSignOfZero) {
  const std::string text =
      CopyOf("T.if_then_else(x[i] > T.float32(0), T.float32(0), T.float32(-0.0))");
  const Claimed claimed = Claim(text, 1);
  ASSERT_FALSE(claimed.broken) << text;
  ASSERT_TRUE(claimed.info->known()) << text << claimed.info->because;
  std::vector<bool> signs;
  for (const Step& step : claimed.info->computation.steps) {
    if (step.kind == StepKind::kReal) signs.push_back(std::signbit(step.real));
  }
  std::sort(signs.begin(), signs.end());
  EXPECT_THAT(signs, testing::ElementsAre(false, true));
}

TEST(RandomClaims, AreFoundAndRight) {
  uint32_t found = 0;
  const uint32_t count = Count();
  std::string missed;
  for (uint32_t seed = 0; seed < count; ++seed) {
    const RandomOperator made = OperatorMaker(seed).Make();
    const Claimed claimed = Claim(made.text, seed);
    ASSERT_FALSE(claimed.broken) << "seed " << seed << "\n" << claimed.wrong << "\n" << made.text;
    ASSERT_EQ(claimed.wrong, "") << "seed " << seed << "\n" << made.text;
    const OpInfo& info = *claimed.info;
    const bool good =
        std::find(made.kinds.begin(), made.kinds.end(), info.kind) != made.kinds.end();
    found += good && info.macs == made.macs ? 1 : 0;
    if (!good || info.macs != made.macs) {
      missed += fmt::format("seed {}: {} instead of {} {}\n", seed, info.kind, made.kinds[0],
                            info.because);
    }
  }
  EXPECT_GE(found * 100, count * 99) << missed;
}

/// The text with other names for everything that it defines.
std::string Renamed(const std::string& text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  constexpr std::array<std::string_view, 11> kKeep = {"from", "import", "as",  "def", "for", "or",
                                                      "in",   "range",  "tvm", "T",   "True"};
  std::string result;
  bool quoted = false;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') quoted = !quoted;
    const bool begins = !quoted && is_word(text[i]) && (i == 0 || !is_word(text[i - 1])) &&
                        std::isdigit(static_cast<unsigned char>(text[i])) == 0;
    if (!begins) {
      result += text[i++];
      continue;
    }
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    const bool member = i > 0 && text[i - 1] == '.';
    const bool keyword = word == "data" || word == "script" || word == "tir" || word == "and" ||
                         std::find(kKeep.begin(), kKeep.end(), word) != kKeep.end();
    result += member || keyword ? word : "zz_" + word + "_9";
    i = end;
  }
  return result;
}

TEST(RandomClaims, DoNotDependOnNames) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const std::string text = OperatorMaker(seed).Make().text;
    const Claimed plain = Claim(text, seed);
    const Claimed renamed = Claim(Renamed(text), seed);
    ASSERT_FALSE(renamed.broken) << Renamed(text);
    EXPECT_EQ(plain.info->kind, renamed.info->kind) << Renamed(text);
    EXPECT_EQ(plain.info->macs, renamed.info->macs) << Renamed(text);
    EXPECT_EQ(renamed.wrong, "") << Renamed(text);
  }
}

TEST(RandomClaims, OfMutatedBodiesAreRight) {
  const uint32_t count = Count();
  std::mt19937 random(7);
  uint32_t known = 0;
  for (uint32_t seed = 0; seed < count; ++seed) {
    std::string text = OperatorMaker(seed).Make().text;
    // One number of the body changes: an index, a bound or a constant.
    const size_t body = text.find("noalias");
    std::vector<size_t> digits;
    for (size_t i = body; i < text.size(); ++i) {
      const bool digit = text[i] >= '0' && text[i] <= '9';
      const char before = text[i - 1];
      const bool own = (before == ' ' || before == '(' || before == '[' || before == '-');
      if (digit && own) digits.push_back(i);
    }
    if (digits.empty()) continue;
    const size_t at = digits[random() % digits.size()];
    text[at] = static_cast<char>('0' + (text[at] - '0' + 1 + static_cast<int>(random() % 3)) % 10);
    const Claimed claimed = Claim(text, seed);
    if (claimed.broken) continue;
    EXPECT_EQ(claimed.wrong, "") << "seed " << seed << "\n" << text;
    known += claimed.info && claimed.info->known() ? 1 : 0;
  }
  EXPECT_GT(known, count / 20) << "too few mutations leave an operator";
}

}  // namespace
}  // namespace tenon
