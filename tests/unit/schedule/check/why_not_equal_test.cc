// The validator of schedules: it accepts what choose-blocks and dot-products write, and refuses
// mutants. Each mutant is a module with one other token or statement. Only those count whose
// results differ.

#include "schedule/check/why_not_equal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "ir/verifier.h"
#include "parser/parser.h"
#include "passes/loops/choose_blocks.h"
#include "passes/loops/computed_function.h"
#include "passes/loops/dot_products.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "schedule/op_loops.h"
#include "schedule/schedule_rules.h"
#include "tests/unit/passes/random_dots.h"
#include "tests/unit/passes/random_sums.h"
#include "tests/unit/support/nightly.h"

namespace tenon {
namespace {

/// Numbers of a constant, in the text.
std::string Numbers(int64_t count, int64_t step) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", i * step % 251 - 125);
  return text;
}

/// A dense layer of 8-bit integers with requantisation, in which four products are added at once.
std::string Quads() {
  return fmt::format(
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def main(x: T.Buffer((60,), \"uint8\"), y: T.Buffer((100,), \"int8\")):\n"
      "    T.func_attr({{\"tir.noalias\": T.bool(True)}})\n"
      "    w = T.allocate_const([{}], \"int8\", [240])\n"
      "    w_1 = T.Buffer((240,), \"int8\", data=w)\n"
      "    b = T.allocate_const([{}], \"int32\", [20])\n"
      "    b_1 = T.Buffer((20,), \"int32\", data=b)\n"
      "    for n, c in T.grid(5, 20):\n"
      "        s = T.allocate([1], \"int32\", \"global\")\n"
      "        s_1 = T.Buffer((1,), \"int32\", data=s)\n"
      "        s_1[0] = 0\n"
      "        for k in range(12):\n"
      "            s_1[0] = s_1[0] + T.Cast(\"int32\", x[n * 12 + k]) * T.Cast(\"int32\", w_1[c * "
      "12 + k])\n"
      "        y[n * 20 + c] = T.Cast(\"int8\", T.max(T.min(T.q_multiply_shift(s_1[0] + b_1[c], "
      "1395864371, 31, -7) + 3, 127), -128))\n",
      Numbers(240, 7), Numbers(20, 91));
}

/// Two convolutions of floats whose sums are added; one has pads.
std::string TwoSums() {
  return fmt::format(
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def main(x: T.Buffer((48,), \"float32\"), y: T.Buffer((128,), \"float32\")):\n"
      "    T.func_attr({{\"tir.noalias\": T.bool(True)}})\n"
      "    w = T.allocate_const([{}], \"float32\", [144])\n"
      "    w_1 = T.Buffer((144,), \"float32\", data=w)\n"
      "    v = T.allocate_const([{}], \"float32\", [48])\n"
      "    v_1 = T.Buffer((48,), \"float32\", data=v)\n"
      "    for i, c in T.grid(16, 8):\n"
      "        s = T.allocate([1], \"float32\", \"global\")\n"
      "        s_1 = T.Buffer((1,), \"float32\", data=s)\n"
      "        t = T.allocate([1], \"float32\", \"global\")\n"
      "        t_1 = T.Buffer((1,), \"float32\", data=t)\n"
      "        s_1[0] = T.float32(0)\n"
      "        for p, k in T.grid(3, 3):\n"
      "            s_1[0] = s_1[0] + T.if_then_else(1 <= i + p and i + p < 17, x[i * 3 + p * 3 + k "
      "- 3], "
      "T.float32(0)) * w_1[c * 9 + p * 3 + k]\n"
      "        t_1[0] = T.float32(0)\n"
      "        for k in range(3):\n"
      "            t_1[0] = t_1[0] + x[i * 3 + k] * v_1[c * 3 + k]\n"
      "        y[i * 8 + c] = T.max(s_1[0] + t_1[0], T.float32(0))\n",
      Numbers(144, 7), Numbers(48, 91));
}

/// A module, the operator that its text proves, and the module in blocks.
struct BlockedModule {
  Context context;
  std::optional<IRModule> module;
  std::optional<ComputedFunction> computed;
  std::optional<Computation> computation;
  std::optional<IRModule> blocks;

  BlockedModule(const std::string& text, const ChooseBlocksOptions& options) {
    Pipeline pipeline;
    pipeline.Add<&ChooseBlocks>(options);
    Rewrite(text, pipeline);
  }
  BlockedModule(const std::string& text, const Pipeline& pipeline) { Rewrite(text, pipeline); }

  void Rewrite(const std::string& text, const Pipeline& pipeline) {
    Diagnostics diagnostics;
    module = ParseModule(context, "module.py", text, nullptr, {}, diagnostics);
    if (!module) return;
    computed.emplace(context, *module->Main());
    computation = computed->Find();
    RunOptions run;
    run.verify_schedules = false;
    blocks = RunPipeline(*module, pipeline, run, diagnostics);
    if (blocks && SameVersion(*module, *blocks)) blocks.reset();
  }

  std::optional<std::string> WhyNot(const IRModule& other) const {
    return WhyNotEqual(*computation, computed->data(), *other.Main()->func);
  }
};

bool IsConstant(const std::string& line) {
  return line.find("allocate_const") != std::string::npos;
}
bool IsBody(const std::string& line) {
  return line.starts_with("    ") && line.find("func_attr") == std::string::npos &&
         line.find("T.Buffer(") == std::string::npos &&
         line.find("T.allocate(") == std::string::npos;
}
bool IsStore(const std::string& line) {
  return IsBody(line) && line.find("] = ") != std::string::npos;
}

/// Changes of a line: each match of `pattern` becomes `text`, or a number one more or less.
void AddTokens(const std::string& line, const std::string& pattern, const std::string& text,
               std::vector<std::string>& changed) {
  const std::regex token(pattern);
  for (std::sregex_iterator at(line.begin(), line.end(), token), end; at != end; ++at) {
    const auto replaced = [&](const std::string& by) {
      const auto first = static_cast<size_t>(at->position());
      return line.substr(0, first) + by + line.substr(first + static_cast<size_t>(at->length()));
    };
    if (!text.empty()) {
      changed.push_back(replaced(text));
      continue;
    }
    const int64_t number = std::stoll(at->str());
    changed.push_back(replaced(std::to_string(number + 1)));
    if (number > 0) changed.push_back(replaced(std::to_string(number - 1)));
  }
}

/// Another line in place of a line of loops.
std::vector<std::string> ChangedLines(const std::string& line) {
  std::vector<std::string> changed;
  if (IsConstant(line)) {
    const std::regex number(R"(-?[0-9]+(\.[0-9]+)?)");
    const auto end = line.begin() + static_cast<ptrdiff_t>(line.find(']'));
    int64_t count = 0;
    for (std::sregex_iterator at(line.begin(), end, number), last; at != last; ++at) {
      if (count++ % 17 != 0) continue;
      changed.push_back(line);
      const auto first = static_cast<size_t>(at->position());
      changed.back().replace(first, static_cast<size_t>(at->length()),
                             fmt::format("{}", std::stod(at->str()) + 1));
    }
    return changed;
  }
  if (!IsBody(line)) return changed;
  // Numbers: bounds, strides, offsets, lanes, start values, zero points.
  AddTokens(line, R"(\b[0-9]+\b(?!["a-z]))", "", changed);
  // Signs of products, the order of a sum, and the epilogue.
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{R"( \+ )", " - "},
                                                        {R"( \* )", " + "},
                                                        {R"(T\.max)", "T.min"},
                                                        {R"(T\.min)", "T.max"},
                                                        {R"( <= )", " < "},
                                                        {R"( < )", " <= "},
                                                        {R"( >= )", " > "},
                                                        {R"( and )", " or "},
                                                        {R"(x_1\[)", "weights_1["},
                                                        {R"(weights_1\[)", "x_1["},
                                                        {R"(b_1\[)", "w_1["}})
    AddTokens(line, from, to, changed);
  // Lanes the other way round.
  const std::regex lanes(R"(\[([^\[\]:]+):[^\[\]:]* \+ ([0-9]+)\])");
  for (std::sregex_iterator at(line.begin(), line.end(), lanes), end; at != end; ++at) {
    const auto first = static_cast<size_t>(at->position());
    const int64_t count = std::stoll((*at)[2].str());
    changed.push_back(line.substr(0, first) +
                      fmt::format("[T.Ramp({} + {}, -1, {})]", (*at)[1].str(), count - 1, count) +
                      line.substr(first + static_cast<size_t>(at->length())));
  }
  return changed;
}

std::string Joined(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

/// All mutants of a module: another token, a store that is left out or doubled, and two stores or
/// loops that change places.
std::vector<std::string> MutantsOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::vector<std::string> mutants;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string line = lines[i];
    for (const std::string& other : ChangedLines(line)) {
      lines[i] = other;
      mutants.push_back(Joined(lines));
    }
    if (IsStore(line)) {
      const std::string indent = line.substr(0, line.find_first_not_of(' '));
      lines[i] = indent + "T.evaluate(0)";
      mutants.push_back(Joined(lines));
      lines[i] = line + "\n" + line;
      mutants.push_back(Joined(lines));
    }
    lines[i] = line;
    if (i + 1 < lines.size() && IsBody(line) && IsBody(lines[i + 1]) && !IsConstant(line)) {
      const size_t here = line.find_first_not_of(' ');
      const size_t next = lines[i + 1].find_first_not_of(' ');
      std::string upper = lines[i + 1].substr(next);
      std::string lower = line.substr(here);
      lines[i] = line.substr(0, here) + upper;
      const std::string kept = std::exchange(lines[i + 1], lines[i + 1].substr(0, next) + lower);
      mutants.push_back(Joined(lines));
      lines[i] = line;
      lines[i + 1] = kept;
    }
  }
  return mutants;
}

struct MutantCounts {
  int refused = 0;
  int equal = 0;
};

/// Every mutant whose results differ is refused. Of all mutants, takes about `most`.
void RefuseMutants(const BlockedModule& program, size_t most, MutantCounts& counts) {
  ASSERT_TRUE(program.computation && program.blocks);
  const std::string text = PrintModule(*program.module);
  const std::string blocks = PrintModule(*program.blocks);
  EXPECT_EQ(program.WhyNot(*program.blocks), std::nullopt) << text << blocks;
  const auto results = OutputOf(*program.module);
  const std::vector<std::string> mutants = MutantsOf(blocks);
  const size_t stride = std::max<size_t>(mutants.size() / most, 1);
  for (size_t i = 0; i < mutants.size(); i += stride) {
    Context context;
    Diagnostics diagnostics;
    const auto mutant = ParseModule(context, "mutant.py", mutants[i], nullptr, {}, diagnostics);
    if (!mutant || !VerifyModule(*mutant, diagnostics)) continue;
    const bool is_refused = program.WhyNot(*mutant).has_value();
    counts.refused += is_refused ? 1 : 0;
    if (is_refused) continue;
    ++counts.equal;
    ASSERT_EQ(OutputOf(*mutant), results) << "accepted, but not equal:\n" << mutants[i];
  }
}

TEST(ReadBack, RefusesMutants) {
  MutantCounts counts;
  const auto most = static_cast<size_t>(Sample(4000, 80));
  RefuseMutants(BlockedModule(Quads(), {.registers = 32, .register_bytes = 64, .quads = true}),
                most, counts);
  RefuseMutants(BlockedModule(Quads(), {.registers = 16, .register_bytes = 32}), most, counts);
  RefuseMutants(BlockedModule(TwoSums(), {.registers = 16, .register_bytes = 32}), most, counts);
  int seen = 0;
  for (uint64_t seed = 1; seen < 8; ++seed) {
    const std::string text =
        seed % 3 == 0 ? ProductWriter(seed).Module() : ConvolutionWriter(seed).Module();
    const BlockedModule program(text, {.registers = 8});
    if (!program.computation || !program.blocks) continue;
    ++seen;
    RefuseMutants(program, most, counts);
  }
  EXPECT_GT(counts.refused, 100);
  // Most changes change a result.
  EXPECT_LT(counts.equal, counts.refused);
}

TEST(ReadBack, RefusesMutantsOfDotProducts) {
  MutantCounts counts;
  const auto most = static_cast<size_t>(Sample(2000, 40));
  const DotProductsOptions kinds[] = {{},
                                      {.combine = "dots16"},
                                      {.combine = "unsigned-products"},
                                      {.combine = "dots8", .finish = true}};
  int seen = 0;
  for (uint64_t seed = 1; seen < 12; ++seed) {
    const std::string text = ByteConvolutionWriter(seed).Module();
    Pipeline pipeline;
    pipeline.Add<&DotProducts>(kinds[seed % std::size(kinds)]);
    const BlockedModule program(text, pipeline);
    if (!program.computation || !program.blocks) continue;
    ++seen;
    RefuseMutants(program, most, counts);
  }
  EXPECT_GT(counts.refused, 100);
  EXPECT_LT(counts.equal, counts.refused);
}

TEST(ReadBack, ReportsADifference) {
  const BlockedModule program(TwoSums(), ChooseBlocksOptions());
  ASSERT_TRUE(program.computation && program.blocks);
  std::string text = PrintModule(*program.blocks);
  const size_t pads = text.find("T.max(");
  ASSERT_NE(pads, std::string::npos);
  text.replace(pads, 6, "T.min(");
  Context context;
  Diagnostics diagnostics;
  const auto mutant = ParseModule(context, "mutant.py", text, nullptr, {}, diagnostics);
  ASSERT_TRUE(mutant.has_value());
  EXPECT_TRUE(program.computed->ReadsBack(*program.blocks->Main(), "choose-blocks", diagnostics));
  EXPECT_FALSE(program.computed->ReadsBack(*mutant->Main(), "choose-blocks", diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::kInternal);
  EXPECT_TRUE(diagnostics.all()[0].range.valid());
}

TEST(ReadBack, ParallelLoopsShareNoSums) {
  const BlockedModule program(TwoSums(), ChooseBlocksOptions{.small = true});
  ASSERT_TRUE(program.computation && program.blocks);
  const std::string text = PrintModule(*program.blocks);
  int accepted = 0;
  int refused = 0;
  for (size_t at = text.find(" in range("); at != std::string::npos;
       at = text.find(" in range(", at + 1)) {
    std::string parallel = text;
    parallel.replace(at, 10, " in T.parallel(");
    Context context;
    Diagnostics diagnostics;
    const auto mutant = ParseModule(context, "mutant.py", parallel, nullptr, {}, diagnostics);
    ASSERT_TRUE(mutant.has_value());
    const std::optional<std::string> difference = program.WhyNot(*mutant);
    if (!difference) ++accepted;
    if (!difference) continue;
    ++refused;
    EXPECT_NE(difference->find("share `"), std::string::npos) << *difference << parallel;
  }
  // Loops over results may be parallel, and loops over the steps of a sum may not.
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 0);
}

/// Random modules in blocks of several machines.
template <class Writer>
void AcceptBlocks(int part) {
  int accepted = 0;
  const int seeds = Sample(1600, 8);
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    const std::string text = Writer(seed).Module();
    for (const int64_t bytes : {16, 32, 64}) {
      const BlockedModule program(
          text, {.registers = bytes == 64 ? 32 : 8, .register_bytes = bytes, .quads = bytes == 64});
      // Nests inside of a function may change, but only a whole operator can be compared here.
      if (!program.blocks || !program.computation) continue;
      ++accepted;
      ASSERT_EQ(program.WhyNot(*program.blocks), std::nullopt)
          << "seed " << seed << "\n"
          << text << PrintModule(*program.blocks);
    }
  }
  EXPECT_GT(accepted, seeds / part);
}

TEST(ReadBack, AcceptsConvolutions) { AcceptBlocks<ConvolutionWriter>(10); }
TEST(ReadBack, AcceptsProducts) { AcceptBlocks<ProductWriter>(4); }

/// Changes of an operator: a stride, an offset, a bound, a number, an operation.
std::vector<Computation> ChangedOperators(const Computation& all) {
  std::vector<Computation> changed;
  const auto add = [&](const std::function<void(Computation&)>& change) {
    changed.push_back(all);
    change(changed.back());
  };
  for (size_t i = 0; i < all.accesses.size(); ++i) {
    add([&](Computation& other) { ++other.accesses[i].element.offset; });
    for (size_t term = 0; term < all.accesses[i].element.terms.size(); ++term)
      add([&](Computation& other) { ++other.accesses[i].element.terms[term].second; });
  }
  for (size_t i = 0; i < all.steps.size(); ++i) {
    const Step& step = all.steps[i];
    if (step.kind == StepKind::kInteger) add([&](Computation& other) { ++other.steps[i].integer; });
    if (step.kind == StepKind::kReal) add([&](Computation& other) { ++other.steps[i].real; });
    if (step.kind == StepKind::kIndex)
      add([&](Computation& other) { ++other.steps[i].linear.offset; });
    if (step.kind == StepKind::kReduce && step.loops.size() > 1 && step.dtype.is_float())
      add([&](Computation& other) { std::swap(other.steps[i].loops[0], other.steps[i].loops[1]); });
    if (step.kind != StepKind::kNode || step.args.size() != 2) continue;
    for (const NodeKind node : {NodeKind::kAdd, NodeKind::kSub, NodeKind::kMul, NodeKind::kMax}) {
      if (node != step.node && !step.dtype.is_bool())
        add([&](Computation& other) { other.steps[i].node = node; });
    }
  }
  for (size_t i = 0; i < all.loops.size(); ++i)
    add([&](Computation& other) { --other.loops[i].extent; });
  return changed;
}

TEST(ReadBack, RefusesOtherOperators) {
  int refused = 0;
  for (const std::string& text : {Quads(), TwoSums(), ConvolutionWriter(3).Module(),
                                  ConvolutionWriter(5).Module(), ProductWriter(7).Module()}) {
    const BlockedModule program(text, {.registers = 8});
    if (!program.computation || !program.blocks) continue;
    for (const Computation& other : ChangedOperators(*program.computation)) {
      const auto why = WhyNotEqual(other, program.computed->data(), *program.blocks->Main()->func);
      EXPECT_TRUE(why.has_value()) << PrintModule(*program.blocks);
      ++refused;
    }
  }
  EXPECT_GT(refused, 60);
}

/// The loops of a schedule that schedule_rules.cc refuses.
TEST(ReadBack, RefusesIllegalSchedules) {
  const std::string text =
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def main(x: T.Buffer((32,), \"float32\"), w: T.Buffer((64,), \"float32\"), "
      "y: T.Buffer((32,), \"float32\")):\n"
      "    T.func_attr({\"tir.noalias\": T.bool(True)})\n"
      "    for n, c in T.grid(4, 8):\n"
      "        y[n * 8 + c] = T.float32(0)\n"
      "        for k in range(8):\n"
      "            y[n * 8 + c] = y[n * 8 + c] + x[n * 8 + k] * w[k * 8 + c]\n";
  BlockedModule program(text, ChooseBlocksOptions());
  ASSERT_TRUE(program.computation.has_value());
  const Computation& all = *program.computation;
  const ComputationStore& store = all.stores[0];
  std::string because;
  std::optional<Schedule> schedule =
      ParseSchedule("i0/4 i1/8 i2, unroll i0, lanes i1", all, because);
  ASSERT_TRUE(schedule.has_value()) << because;
  const auto why = [&](const Schedule& of) {
    OpLoops loops(program.computed->builder(), all, program.computed->operands(),
                  {.register_bytes = 32, .schedule = &of});
    const Function made = program.computed->WithBody(loops.Stores(), {}, "");
    return WhyNotEqual(all, program.computed->data(), *made.func);
  };
  EXPECT_EQ(WhyNotSchedule(all, store, *schedule, 32), "");
  EXPECT_EQ(why(*schedule), std::nullopt);
  // Pairs change the order of a sum of floats.
  schedule = ParseSchedule("i0/4 i1/8 i2/2, unroll i2 i0, lanes i1, pairs", all, because);
  ASSERT_TRUE(schedule.has_value()) << because;
  EXPECT_NE(WhyNotSchedule(all, store, *schedule, 32), "");
  EXPECT_NE(why(*schedule), std::nullopt);
}

}  // namespace
}  // namespace tenon
