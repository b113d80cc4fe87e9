// A judge of groups that run row by row, which knows nothing of passes/streaming. The module as it
// was says how often each operator reads each element of a tensor. In the module with groups, the
// judge follows each element through rings: an operator stores it, moves copy it, and an operator
// reads it. All bytes that hold no element with a read to come are poison for their readers.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/attributes.h"
#include "ir/extents.h"
#include "ir/memory_pools.h"
#include "ir/stream_record.h"
#include "ir/visitor.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tests/run_model.h"
#include "tests/unit/support/nightly.h"

namespace tenon {
namespace {

/// An element of a tensor of the module as it was.
struct Element {
  std::string tensor;
  int64_t number = 0;
  friend auto operator<=>(const Element&, const Element&) = default;
};

/// The operator of a function: the name of the function as it was. Empty for functions of several.
std::string OperatorOf(const Function& function) {
  const auto* origins = dyn_cast_or_null<ArrayAttr>(function.FindAttr(attr_key::kOrigins));
  if (origins == nullptr || origins->items.size() != 1) return {};
  const std::string_view* name = AsString(origins->items[0]);
  return name != nullptr ? std::string(*name) : std::string();
}

class RowLives {
 public:
  RowLives(Context& context, int64_t input_elements) : context_(context) {
    Tensor& input = inputs_.emplace_back().tensor;
    for (int64_t i = 0; i < kBytes * input_elements; ++i)
      input.bytes.push_back(static_cast<uint8_t>(i * 37 + 11));
  }

  /// Counts the reads of the module as it was.
  void Learn(const IRModule& module) {
    lefts_.clear();
    writers_.clear();
    InterpreterOptions options;
    options.on_access = [&](const AccessEvent& event) {
      const Function* function = module.FindCallee(event.function);
      const std::string by = function != nullptr ? OperatorOf(*function) : "";
      if (by.empty()) return;
      const Element element{std::string(event.storage_name), event.byte / kBytes};
      if (event.is_store) {
        writers_[element.tensor] = by;
      } else if (!Writes(by, element.tensor)) {
        ++lefts_[{by, element}];
      }
    };
    Run(module, std::move(options));
    expected_ = last_output_;
  }

  /// The mistakes of a module with groups.
  std::vector<std::string> Judge(const IRModule& module, InterpreterOptions options = {}) {
    left_ = lefts_;
    held_.clear();
    rows_.clear();
    moved_ = {};
    mistakes_.clear();
    options.on_access = [&](const AccessEvent& event) {
      const Function* function = module.FindCallee(event.function);
      if (function == nullptr) return;
      const std::string by = OperatorOf(*function);
      by.empty() ? Move(event) : event.is_store ? Store(by, *function, event) : Load(by, event);
    };
    Run(module, std::move(options));
    if (last_output_ != expected_) mistakes_.push_back("another output");
    FindLost();
    return mistakes_;
  }

  std::string Messages() const { return Render(context_.sources(), diagnostics_); }

 private:
  static constexpr int64_t kBytes = 4;

  /// True for the operator that stores a tensor: what it reads there are its own sums.
  bool Writes(const std::string& by, const std::string& tensor) const {
    const auto writer = writers_.find(tensor);
    return writer != writers_.end() && writer->second == by;
  }

  void Run(const IRModule& module, InterpreterOptions options) {
    const absl::StatusOr<std::vector<NamedTensor>> outputs =
        RunModel(module, inputs_, diagnostics_, std::move(options));
    last_output_.clear();
    if (!outputs.ok()) {
      mistakes_.push_back("no output: " + Messages());
      return;
    }
    for (const NamedTensor& output : *outputs)
      last_output_.insert(last_output_.end(), output.tensor.bytes.begin(),
                          output.tensor.bytes.end());
  }

  void Mistake(std::string_view what, const std::string& by, const Element& element) {
    mistakes_.push_back(
        fmt::format("{}: {} of {} by {}", what, element.number, element.tensor, by));
  }

  /// Elements that were read less often than before, although a later one was read as often. Rows
  /// at the end may be superfluous: nothing needs the rows that read them.
  void FindLost() {
    std::map<std::pair<std::string, std::string>, int64_t> last_read;
    for (const auto& [reader, count] : left_) {
      const auto& [by, element] = reader;
      if (count == 0) last_read[{by, element.tensor}] = element.number;
    }
    for (const auto& [reader, count] : left_) {
      const auto& [by, element] = reader;
      const auto last = last_read.find({by, element.tensor});
      if (count > 0 && last != last_read.end() && element.number < last->second)
        Mistake("never read", by, element);
    }
  }

  /// The loops of a group copy an element, or store the value of pads.
  void Move(const AccessEvent& event) {
    std::optional<Element>& held = held_[{event.storage, event.byte}];
    if (!event.is_store) {
      moved_ = held;
      return;
    }
    held = moved_;
    moved_.reset();
  }

  /// An operator computes its rows in order, one in each call.
  void Store(const std::string& by, const Function& function, const AccessEvent& event) {
    auto& [call, row] = rows_.try_emplace(by, event.call, 0).first->second;
    if (call != event.call) ++row;
    call = event.call;
    int64_t elements = 0;
    for (const Buffer* buffer : function.func->buffers) {
      if (buffer != nullptr && buffer->data == event.data)
        elements = StaticCount(buffer->shape).value_or(0);
    }
    held_[{event.storage, event.byte}] =
        Element{std::string(event.storage_name), row * elements + event.element};
  }

  void Load(const std::string& by, const AccessEvent& event) {
    const std::string name(event.storage_name);
    if (Writes(by, name)) return;
    std::optional<Element> element = held_[{event.storage, event.byte}];
    if (!writers_.contains(name)) element = Element{name, event.byte / kBytes};
    // A pad.
    if (!element) return;
    int64_t& left = left_[{by, *element}];
    if (--left < 0) Mistake("read after its death", by, *element);
  }

  Context& context_;
  Diagnostics diagnostics_;
  std::vector<NamedTensor> inputs_;
  std::vector<uint8_t> expected_;
  std::vector<uint8_t> last_output_;
  std::map<std::string, std::string> writers_;
  /// The reads that are to come: by reader and element.
  std::map<std::pair<std::string, Element>, int64_t> lefts_;
  std::map<std::pair<std::string, Element>, int64_t> left_;
  /// The element that each byte of storage holds.
  std::map<std::pair<int64_t, int64_t>, std::optional<Element>> held_;
  /// By operator: its last call, and the row that this call computes.
  std::map<std::string, std::pair<int64_t, int64_t>> rows_;
  std::optional<Element> moved_;
  std::vector<std::string> mistakes_;
};

constexpr int kColumns = 4;

/// The text of a random module of operators over rows of four numbers.
class RandomRows {
 public:
  explicit RandomRows(unsigned seed) : random_(seed) {
    rows_ = {Number(6, 14)};
    const int count = Number(2, 6);
    for (int i = 0; i < count; ++i) Add(i + 1 == count);
  }

  int64_t input_elements() const { return int64_t{kColumns} * rows_[0]; }
  std::string Text() const {
    std::string text =
        "# from tvm.script import ir as I\n# from tvm.script import tir as T\n@I.ir_module\n"
        "class Module:\n" +
        functions_ +
        fmt::format(
            "    @T.prim_func\n    def main(x: T.Buffer(({},), \"int32\"), y: "
            "T.Buffer(({},), \"int32\")):\n        T.func_attr({{\"global_symbol\": "
            "\"main\", \"tir.noalias\": T.bool(True)}})\n",
            kColumns * rows_.front(), kColumns * rows_.back());
    return text + allocates_ + calls_;
  }

 private:
  int Number(int from, int to) {
    return from + static_cast<int>(random_() % static_cast<unsigned>(to - from + 1));
  }
  std::string Tensor(size_t number) const {
    return number == 0 ? "x.data" : fmt::format("t{}", number);
  }

  void Add(bool is_last) {
    const size_t from = Number(0, 9) < 7
                            ? rows_.size() - 1
                            : static_cast<size_t>(Number(0, static_cast<int>(rows_.size()) - 1));
    std::vector<size_t> same;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i] == rows_[from] && i != from) same.push_back(i);
    }
    const int kind = Number(0, 9);
    if (kind < 3 && !same.empty())
      return AddSum(from, same[static_cast<size_t>(Number(0, static_cast<int>(same.size()) - 1))],
                    is_last);
    if (kind == 3 && rows_[from] < 20) return AddCopies(from, is_last);
    AddWindow(from, is_last);
  }

  /// A function with these parameters and statements, its call, and its tensor.
  void AddFunction(const std::vector<size_t>& from, int rows, const std::string& body,
                   bool is_last) {
    const size_t number = rows_.size();
    std::string params;
    std::string args;
    for (size_t i = 0; i < from.size(); ++i) {
      params += fmt::format("p{}: T.Buffer(({},), \"int32\"), ", i, kColumns * rows_[from[i]]);
      args += Tensor(from[i]) + ", ";
    }
    functions_ += fmt::format(
        "    @T.prim_func(private=True)\n    def op{0}({1}q: T.Buffer(({2},), \"int32\")):\n       "
        " "
        "T.func_attr({{\"tenon.origins\": [\"op{0}\"], \"tir.noalias\": T.bool(True)}})\n{3}",
        number, params, kColumns * rows, body);
    if (!is_last)
      allocates_ += fmt::format("        t{} = T.allocate([{}], \"int32\", \"global\")\n", number,
                                kColumns * rows);
    calls_ += fmt::format("        T.call_extern(\"int32\", \"op{}\", {}{})\n", number, args,
                          is_last ? "y.data" : Tensor(number));
    rows_.push_back(rows);
  }

  void AddSum(size_t a, size_t b, bool is_last) {
    AddFunction({a, b}, rows_[a],
                fmt::format("        for i in range({}):\n            q[i] = p0[i] + p1[i]\n",
                            kColumns * rows_[a]),
                is_last);
  }

  void AddCopies(size_t from, bool is_last) {
    const int rows = 2 * rows_[from];
    AddFunction(
        {from}, rows,
        fmt::format(
            "        for y, x in T.grid({}, 4):\n            q[y * 4 + x] = p0[y // 2 * 4 + x]\n",
            rows),
        is_last);
  }

  void AddWindow(size_t from, bool is_last) {
    const int height = rows_[from];
    const int kernel = Number(1, 3);
    const int dilation = (kernel - 1) * 2 < height - 2 ? Number(1, 2) : 1;
    const int stride = height > 6 ? Number(1, 2) : 1;
    const int reach = (kernel - 1) * dilation;
    const int before = Number(0, reach);
    const int after = Number(0, reach);
    const int rows = (height + before + after - reach - 1) / stride + 1;
    const std::string row = fmt::format("y * {} + k * {}", stride, dilation);
    AddFunction(
        {from}, rows,
        fmt::format(
            "        for y, x in T.grid({0}, 4):\n            q[y * 4 + x] = 0\n            for k "
            "in range({1}):\n"
            "                if {2} >= {3} and {2} < {4}:\n"
            "                    q[y * 4 + x] = q[y * 4 + x] + p0[({2} - {3}) * 4 + x] * (k + 3)\n",
            rows, kernel, row, before, height + before),
        is_last);
  }

  std::mt19937 random_;
  /// The rows of each tensor; the first one is the input.
  std::vector<int> rows_;
  std::string functions_;
  std::string allocates_;
  std::string calls_;
};

/// Modules of one context.
struct Modules {
  Context context;
  Diagnostics diagnostics;

  std::optional<IRModule> Read(const std::string& text) {
    return ParseModule(context, "rows.py", text, nullptr, {}, diagnostics);
  }
  std::optional<IRModule> Apply(const IRModule& module, std::string_view passes) {
    const auto pipeline = ParsePipeline(context, passes, diagnostics);
    if (!pipeline) return std::nullopt;
    return RunPipeline(module, *pipeline, {}, diagnostics);
  }
  std::string Messages() const { return Render(context.sources(), diagnostics); }
};

InterpreterOptions PlacesOf(const IRModule& module) {
  InterpreterOptions options;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      const auto* allocate = dyn_cast<Allocate>(node);
      const auto note = allocate != nullptr ? ReadPlacement(allocate->annotations) : std::nullopt;
      if (note) options.placement[allocate->buffer_var] = {std::string(note->pool), note->offset};
      return !isa<Expr>(node);
    });
  }
  return options;
}

constexpr std::string_view kStream = "stream-operators{copy-borders=false}";
constexpr std::string_view kPlan =
    "assign-pool-info,plan-memory{overlap=on workspace-alignment=1},verify-plan";

TEST(RowLives, EachElementIsReadAsOftenAsBeforeAndNotLater) {
  int groups = 0;
  const int count = Sample(2000, 20);
  for (int seed = 0; seed < count; ++seed) {
    const RandomRows network(static_cast<unsigned>(seed));
    Modules modules;
    const auto given = modules.Read(network.Text());
    ASSERT_TRUE(given.has_value()) << modules.Messages() << network.Text();
    const auto streamed = modules.Apply(*given, kStream);
    ASSERT_TRUE(streamed.has_value()) << modules.Messages() << network.Text();
    const auto planned = modules.Apply(*streamed, kPlan);
    ASSERT_TRUE(planned.has_value()) << modules.Messages() << PrintModule(*streamed);
    groups += ReadStreamRecord(*streamed).has_value() ? 1 : 0;
    RowLives lives(modules.context, network.input_elements());
    lives.Learn(*given);
    EXPECT_EQ(lives.Judge(*streamed), std::vector<std::string>()) << PrintModule(*streamed);
    // At their planned places, bytes of other rings and tensors are undefined.
    EXPECT_EQ(lives.Judge(*planned, PlacesOf(*planned)), std::vector<std::string>())
        << PrintModule(*planned);
  }
  EXPECT_GE(3 * groups, count);
}

constexpr std::string_view kThree = R"(
# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def op0(p0: T.Buffer((32,), "int32"), q: T.Buffer((32,), "int32")):
        T.func_attr({"tenon.origins": ["op0"], "tir.noalias": T.bool(True)})
        for y, x in T.grid(8, 4):
            q[y * 4 + x] = p0[y * 4 + x] * 3
    @T.prim_func(private=True)
    def op1(p0: T.Buffer((32,), "int32"), q: T.Buffer((32,), "int32")):
        T.func_attr({"tenon.origins": ["op1"], "tir.noalias": T.bool(True)})
        for y, x in T.grid(8, 4):
            q[y * 4 + x] = 0
            for k in range(3):
                if y + k >= 1 and y + k < 9:
                    q[y * 4 + x] = q[y * 4 + x] + p0[(y + k - 1) * 4 + x] * 5
    @T.prim_func(private=True)
    def op2(p0: T.Buffer((32,), "int32"), p1: T.Buffer((32,), "int32"), q: T.Buffer((32,), "int32")):
        T.func_attr({"tenon.origins": ["op2"], "tir.noalias": T.bool(True)})
        for i in range(32):
            q[i] = p0[i] + p1[i]
    @T.prim_func
    def main(x: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"global_symbol": "main", "tir.noalias": T.bool(True)})
        t0 = T.allocate([32], "int32", "global")
        t1 = T.allocate([32], "int32", "global")
        T.call_extern("int32", "op0", x.data, t0)
        T.call_extern("int32", "op1", t0, t1)
        T.call_extern("int32", "op2", t0, t1, y.data)
)";

/// The mistakes of the three operators in rows, with a change of the text.
std::vector<std::string> MistakesWith(std::string_view before, std::string_view after) {
  Modules modules;
  const auto given = modules.Read(std::string(kThree));
  EXPECT_TRUE(given.has_value()) << modules.Messages();
  const auto streamed = modules.Apply(*given, kStream);
  EXPECT_TRUE(streamed.has_value()) << modules.Messages();
  std::string text = PrintModule(*streamed);
  const size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before << text;
  if (at == std::string::npos) return {};
  text.replace(at, before.size(), after);
  const auto changed = modules.Read(text);
  EXPECT_TRUE(changed.has_value()) << modules.Messages() << text;
  RowLives lives(modules.context, 32);
  lives.Learn(*given);
  return lives.Judge(*changed);
}

bool Has(const std::vector<std::string>& mistakes, std::string_view text) {
  for (const std::string& mistake : mistakes) {
    if (mistake.starts_with(text)) return true;
  }
  return false;
}

TEST(RowLives, PlantedErrorsAreFound) {
  EXPECT_EQ(MistakesWith("step", "step"), std::vector<std::string>());
  // A ring that is one row too short: the new row overwrites one that is still needed.
  const auto is_short = MistakesWith("T.address_of(t0_1[8])", "T.address_of(t0_1[4])");
  EXPECT_TRUE(Has(is_short, "never read: ")) << fmt::format("{}", fmt::join(is_short, "\n"));
  // Only one of two rows moves up, so the other one has no value.
  EXPECT_TRUE(Has(MistakesWith("for kept in range(2)", "for kept in range(1)"), "no output: "));
  // The sum reads the row after its own.
  EXPECT_TRUE(Has(
      MistakesWith("\"op2_rows\", T.address_of(t0_1[4])", "\"op2_rows\", T.address_of(t0_1[8])"),
      "never read: 0 of t0 by op2"));
  // Rows that do not move up any more are read again.
  EXPECT_TRUE(Has(MistakesWith("if kept + step >= 0:", "if kept + step >= 0 and step < 4:"),
                  "read after its death: "));
}

}  // namespace
}  // namespace tenon
