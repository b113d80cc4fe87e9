#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <random>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "ir/visitor.h"
#include "parser/parser.h"
#include "passes/fusion/narrowing.h"
#include "passes/fusion/stored_values.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tests/run_model.h"
#include "tests/unit/support/io_test_util.h"
#include "tests/unit/support/nightly.h"

// Checks narrow storage store by store. Runs of the wide and the narrow module make the same stores
// in the same order. Each number that is stored in a narrow type represents the value that the wide
// module stores.

namespace tenon {
namespace {

/// A store through one of the pointers of a Narrowing: the pointer's number, and the lane's bits.
using Stored = std::pair<size_t, int64_t>;

struct Run {
  bool ok = false;
  std::vector<std::vector<uint8_t>> outputs;
  std::vector<Stored> stores;
};

int64_t BitsOf(const ScalarValue& value) {
  if (value.dtype.is_integer()) return value.integer;
  if (value.dtype.bits() == 32) return std::bit_cast<uint32_t>(static_cast<float>(value.real));
  return std::bit_cast<int64_t>(value.real);
}

class StoreChecker {
 public:
  explicit StoreChecker(Context& context) : context_(context) {}

  /// Narrows `module` round by round, and compares the runs of each round. Returns the differences.
  std::string Check(const IRModule& module, const std::vector<NamedTensor>& inputs) {
    IRModule now = module;
    while (true) {
      last = now;
      const Narrowing narrowing = NarrowOnce(now, {});
      bool changed = false;
      for (const Function& function : narrowing.module.functions()) {
        changed |= now.Find(function.name)->func != function.func;
      }
      if (!changed) return "";
      const std::string mistake = CheckRound(now, narrowing, inputs);
      if (!mistake.empty()) return mistake;
      now = narrowing.module;
      for (const NarrowedPointer& pointer : narrowing.pointers) pointers.push_back(pointer);
    }
  }

  /// Compares a run of `wide` and a run of the narrowed module.
  std::string CheckRound(const IRModule& wide, const Narrowing& narrowing,
                         const std::vector<NamedTensor>& inputs) {
    absl::flat_hash_map<const Var*, size_t> before;
    absl::flat_hash_map<const Var*, size_t> after;
    for (size_t i = 0; i < narrowing.pointers.size(); ++i) {
      before.emplace(narrowing.pointers[i].before, i);
      after.emplace(narrowing.pointers[i].after, i);
    }
    const Run a = RunOnce(wide, inputs, before);
    const Run b = RunOnce(narrowing.module, inputs, after);
    if (!a.ok || !b.ok) return "a run failed: " + Messages();
    if (a.stores.size() != b.stores.size()) return "not as many stores";
    std::vector<absl::flat_hash_map<int64_t, int64_t>> decoded(narrowing.pointers.size());
    for (size_t i = 0; i < a.stores.size(); ++i) {
      const auto [pointer, value] = a.stores[i];
      const Encoding& encoding = narrowing.pointers[pointer].encoding;
      const int64_t stored = b.stores[i].second;
      const auto [known, added] = decoded[pointer].emplace(stored, 0);
      if (added) {
        const auto meaning = DecodedNumber(context_, encoding, stored);
        known->second = meaning ? BitsOf(*meaning) : ~value;
      }
      if (b.stores[i].first != pointer || known->second != value ||
          !encoding.stored.Contains(stored)) {
        return fmt::format("store {} of {} is one of {} through {}", i, value, stored,
                           narrowing.pointers[pointer].before->name.view());
      }
    }
    compared += static_cast<int64_t>(a.stores.size());
    return a.outputs == b.outputs ? "" : "other outputs";
  }

  std::string Messages() const { return Render(context_.sources(), diagnostics); }

  Diagnostics diagnostics;
  /// The pointers of all rounds.
  std::vector<NarrowedPointer> pointers;
  int64_t compared = 0;
  /// The module after the last round.
  std::optional<IRModule> last;

 private:
  Run RunOnce(const IRModule& module, const std::vector<NamedTensor>& inputs,
              const absl::flat_hash_map<const Var*, size_t>& numbers) {
    Run run;
    InterpreterOptions options;
    options.on_store = [&](const Var* data, std::span<const int64_t> lanes) {
      const auto found = numbers.find(data);
      if (found == numbers.end()) return;
      for (const int64_t lane : lanes) run.stores.emplace_back(found->second, lane);
    };
    auto outputs = RunModel(module, inputs, diagnostics, std::move(options));
    if (!outputs.ok()) return run;
    for (const NamedTensor& output : *outputs) run.outputs.push_back(output.tensor.bytes);
    run.ok = true;
    return run;
  }

  Context& context_;
};

std::optional<IRModule> Flat(Context& context, const std::string& name, const std::string& text,
                             Diagnostics& diagnostics) {
  const auto module = ParseModule(context, name, text, nullptr, {}, diagnostics);
  if (!module) return std::nullopt;
  return RunPipeline(*module, LowerForPlanning(), {}, diagnostics);
}

/// Random inputs of a model.
std::vector<NamedTensor> RandomInputs(const IRModule& module) {
  std::vector<NamedTensor> inputs;
  std::mt19937 random(5);
  const Function& main = *module.Main();
  for (const EntryTensor& param : EntryTensors(*main.func, ModuleEffects(module).Of(main))) {
    if (param.is_output) continue;
    Tensor tensor{param.dtype, param.shape, {}};
    int64_t count = 1;
    for (const int64_t extent : param.shape) count *= extent;
    for (int64_t i = 0; i < count; ++i) {
      const auto word = static_cast<uint32_t>(random());
      const uint32_t bits = param.dtype.is_float()
                                ? std::bit_cast<uint32_t>(static_cast<float>(word % 2048) / 1024)
                                : word;
      for (int64_t byte = 0; byte < param.dtype.element_bytes(); ++byte) {
        tensor.bytes.push_back(static_cast<uint8_t>(bits >> (8 * byte)));
      }
    }
    inputs.push_back({std::string(param.name), std::move(tensor)});
  }
  return inputs;
}

/// Models with texts of at least this many bytes take the interpreter a second or more.
constexpr uintmax_t kLargeText = 300'000;

TEST(NarrowStorage, StoresOfTheCorpusStandForTheSameValues) {
  const std::filesystem::path models = std::filesystem::path(CorpusFolder()) / "models";
  if (!std::filesystem::exists(models)) GTEST_SKIP() << "no corpus; set TENON_CORPUS_DIR";
  for (const auto& folder : std::filesystem::directory_iterator(models)) {
    const std::string path = folder.path() / "module.py";
    // In the daily run only fast models.
    if (!IsNightly() && std::filesystem::file_size(path) > kLargeText) continue;
    Context context;
    StoreChecker checker(context);
    const auto module = Flat(context, path, ReadText(path), checker.diagnostics);
    ASSERT_TRUE(module.has_value()) << checker.Messages();
    const auto inputs = RandomInputs(*module);
    ASSERT_EQ(checker.Check(*module, inputs), "") << path;
    if (path.find("int8") != std::string::npos) {
      EXPECT_GT(checker.pointers.size(), 20u) << path;
      EXPECT_GT(checker.compared, 1000) << path;
    }
  }
}

/// Writes modules with a chain of operators, applied to all values of an int8 input.
class ChainWriter {
 public:
  explicit ChainWriter(uint32_t seed) : random_(seed) {}

  /// Operators are functions that `main` calls, or nests of `main`.
  std::string Write(bool calls) {
    const int count = 2 + Below(6);
    std::string functions;
    std::string nests;
    std::string allocations;
    for (int k = 0; k < count; ++k) {
      const bool last = k + 1 == count;
      is_exact.push_back((k == 0 || is_exact.back()) && !last);
      const std::string value =
          Value(k == 0 ? "T.Cast(\"int32\", x[i])" : fmt::format("a{}_1[i]", k - 1), k);
      const std::string to = last ? "y[i]" : fmt::format("a{}_1[i]", k);
      if (!last) allocations += Allocation(k, calls);
      if (calls) {
        functions += Operator(k, last, value, to);
        nests += fmt::format("        T.evaluate(T.call_extern(\"int32\", \"f{}\", {}, {}))\n", k,
                             k == 0 ? "x.data" : fmt::format("a{}", k - 1),
                             last ? "y.data" : fmt::format("a{}", k));
      } else {
        nests += fmt::format("        for i in range(256):\n            {} = {}\n", to, value);
      }
    }
    return "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\n"
           "class Module:\n    @T.prim_func\n"
           "    def main(x: T.Buffer((256,), \"int8\"), y: T.Buffer((256,), \"int32\")):\n"
           "        T.func_attr({\"global_symbol\": \"main\"})\n" +
           allocations + nests + functions;
  }

  /// For each local buffer, whether interval arithmetic gives the exact interval of its stored
  /// values.
  std::vector<bool> is_exact;

 private:
  int Below(int bound) { return static_cast<int>(random_() % static_cast<uint32_t>(bound)); }
  int Between(int low, int high) { return low + Below(high - low + 1); }

  static std::string Allocation(int k, bool calls) {
    // A caller may not know the type.
    return calls ? fmt::format("        a{} = T.allocate([1024], \"int8\", \"global\")\n", k)
                 : fmt::format(
                       "        a{0} = T.allocate([256], \"int32\", \"global\")\n"
                       "        a{0}_1 = T.Buffer((256,), \"int32\", data=a{0})\n",
                       k);
  }

  static std::string Operator(int k, bool last, const std::string& value, const std::string& to) {
    const std::string from = k == 0 ? "x" : fmt::format("a{}_1", k - 1);
    return fmt::format(
        "\n    @T.prim_func\n    def f{}({}: T.Buffer((256,), \"{}\"), {}: T.Buffer((256,), "
        "\"int32\")):\n        for i in range(256):\n            {} = {}\n",
        k, from, k == 0 ? "int8" : "int32", last ? "y" : fmt::format("a{}_1", k), to, value);
  }

  std::string Value(std::string value, int k) {
    const int steps = 1 + Below(3);
    for (int i = 0; i < steps; ++i) value = Step(value);
    // Numbers stay small enough that no step of the next operator wraps.
    value = Clip(value, Below(2) == 0 ? Between(0, 700) : Between(700, 100000));
    // Padding.
    if (Below(4) == 0) {
      value = fmt::format("T.if_then_else({} <= i, {}, {})", Between(0, 9), value, Between(-3, 3));
      is_exact[static_cast<size_t>(k)] = false;
    }
    // Operations that wrap or are not monotone: the interval may be wider than the stored values.
    if (Below(6) == 0) {
      is_exact[static_cast<size_t>(k)] = false;
      static constexpr const char* kOther[] = {"T.Cast(\"int32\", T.Cast(\"int8\", {}))",
                                               "T.Cast(\"int32\", T.Cast(\"uint8\", {}))",
                                               "T.Cast(\"int32\", T.Cast(\"int16\", {}))",
                                               "({}) % 37",
                                               "T.bitwise_and({}, 63)",
                                               "T.Select({0} < 7, {0}, 3)",
                                               "T.max({}, i)"};
      value = fmt::format(fmt::runtime(kOther[Below(7)]), value);
    }
    return value;
  }

  std::string Clip(const std::string& value, int width) {
    const int low = Between(-300, 300);
    return fmt::format("T.max(T.min({}, {}), {})", value, low + width, low);
  }

  std::string Step(const std::string& value) {
    switch (Below(8)) {
      case 0:
        return fmt::format("({} + {})", value, Between(-200, 200));
      case 1:
        return fmt::format("({} - {})", value, Between(-200, 200));
      case 2:
        return fmt::format("({} - {})", Between(-200, 200), value);
      case 3:
        return fmt::format("({}) * {}", value, Between(-9, 9));
      case 4:
        return fmt::format("T.q_multiply_shift({}, {}, 31, {})", value,
                           Below(4) == 0 ? 1 << 30 : Between((1 << 30) + 1, 2147483646),
                           Between(-6, 2));
      case 5:
        return fmt::format(
            "T.q_multiply_shift_per_axis({}, {}, {}, {}, 31, T.bool({}), "
            "T.bool(True))",
            value, Between((1 << 30) + 1, 2147483646), Between(0, 2), Between(0, 6),
            Below(2) == 0 ? "True" : "False");
      case 6:
        return fmt::format("T.Div({}, {})", value, Between(1, 9));
      default:
        return Clip(value, Between(1, 400));
    }
  }

  std::mt19937 random_;
};

Tensor AllInt8() {
  Tensor tensor{DataType::Int(8), {256}, {}};
  for (int i = 0; i < 256; ++i) tensor.bytes.push_back(static_cast<uint8_t>(i));
  return tensor;
}

/// The interval of the values stored to each buffer of 256 numbers, by the name of its allocation.
absl::flat_hash_map<std::string, Interval> ValuesByName(const IRModule& module,
                                                        const std::vector<NamedTensor>& inputs,
                                                        Diagnostics& diagnostics) {
  absl::flat_hash_map<std::string, Interval> seen;
  InterpreterOptions options;
  options.on_store = [&](const Var* data, std::span<const int64_t> lanes) {
    std::string name(data->name.view());
    name = name.substr(0, name.find('_'));
    Interval& values = seen.emplace(name, Interval::Empty()).first->second;
    values = Unite(values, Interval::Point(lanes[0]));
  };
  EXPECT_TRUE(RunModel(module, inputs, diagnostics, std::move(options)).ok());
  return seen;
}

/// The element size of each allocation of 256 numbers in the entry, by name.
absl::flat_hash_map<std::string, int64_t> ElementBytes(const IRModule& module) {
  absl::flat_hash_map<std::string, int64_t> bytes;
  Walk(module.Main()->func->body, [&](const Node* node) {
    if (const auto* allocate = dyn_cast<Allocate>(node)) {
      bytes[std::string(allocate->buffer_var->name.view())] =
          *AsIntImm(allocate->extents[0]) * allocate->dtype.element_bytes() / 256;
    }
    return isa<Stmt>(node);
  });
  return bytes;
}

TEST(NarrowStorage, RandomChainsStoreTheSameValuesAndAreNarrowWhereTheyMayBe) {
  int64_t narrow = 0;
  int64_t expected = 0;
  const int seeds = Sample(400, 4);
  for (uint32_t seed = 1; seed <= static_cast<uint32_t>(seeds); ++seed) {
    Context context;
    StoreChecker checker(context);
    ChainWriter writer(seed);
    const std::string text = writer.Write(seed % 2 == 0);
    const auto module = Flat(context, "chain.py", text, checker.diagnostics);
    ASSERT_TRUE(module.has_value()) << checker.Messages() << text;
    const Tensor input = AllInt8();
    ASSERT_EQ(checker.Check(*module, {{"", input}}), "") << "seed " << seed << "\n"
                                                         << text << PrintModule(*checker.last);
    narrow += static_cast<int64_t>(checker.pointers.size());
    // The pass has used every exact interval.
    auto values = ValuesByName(*module, {{"", input}}, checker.diagnostics);
    const auto bytes = ElementBytes(*checker.last);
    for (size_t k = 0; k < writer.is_exact.size(); ++k) {
      if (!writer.is_exact[k]) continue;
      const std::string name = fmt::format("a{}", k);
      const auto smallest = SmallestType(values[name], DataType::Int(32));
      if (!smallest.has_value()) continue;
      ++expected;
      EXPECT_LE(bytes.at(name), smallest->element_bytes()) << "seed " << seed << " " << name << "\n"
                                                           << text;
    }
  }
  EXPECT_GT(narrow, seeds);
  EXPECT_GT(expected, seeds * 3 / 4);
}

// If an interval does not contain all stored values, some store reveals that.
TEST(NarrowStorage, AWrongIntervalIsNoticed) {
  int wrong = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    Context context;
    StoreChecker checker(context);
    const std::string text = ChainWriter(seed).Write(seed % 2 == 0);
    const auto module = Flat(context, "chain.py", text, checker.diagnostics);
    ASSERT_TRUE(module.has_value()) << checker.Messages() << text;
    auto stored = ValuesByName(*module, {{"", AllInt8()}}, checker.diagnostics);
    const StorageGroups groups(*module);
    const std::vector<Interval> values = StoredValues(*module, groups);
    for (size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].fixed || groups[i].allocations.empty()) continue;
      const std::string name(groups[i].allocations[0]->buffer_var->name.view());
      const Interval claim = Interval::OfDType(DataType::Int(8));
      if (claim.Contains(stored[name])) continue;
      std::vector<Interval> spoiled = values;
      spoiled[i] = claim;
      const Narrowing narrowing = NarrowBy(*module, groups, spoiled, {});
      EXPECT_NE(checker.CheckRound(*module, narrowing, {{"", AllInt8()}}), "")
          << "seed " << seed << " " << name << "\n"
          << text;
      ++wrong;
    }
  }
  EXPECT_GT(wrong, 60);
}

}  // namespace
}  // namespace tenon
