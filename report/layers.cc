#include "report/layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/macs.h"
#include "ir/analysis/pointers.h"
#include "ir/extents.h"
#include "ir/visitor.h"
#include "report/text_table.h"
#include "report/why.h"
#include "support/saturated.h"

namespace tenon {

namespace {

/// The storage of the entry by its variable.
struct EntryStorage {
  int64_t bytes = 0;
  /// Null for workspace, inputs and outputs.
  const Constant* constant = nullptr;
};

class LayerReader {
 public:
  LayerReader(const IRModule& module, const ModuleEffects& effects, const Function& entry,
              const LayerStorage& known)
      : module_(module),
        effects_(effects),
        entry_(entry),
        known_(known),
        roots_(*entry.func),
        macs_(module) {
    for (size_t i = 0; i < entry.func->buffers.size(); ++i) {
      const Buffer* buffer = entry.func->buffers[i];
      if (buffer == nullptr) continue;
      const int64_t bytes = StaticBytes(buffer->dtype, buffer->shape).value_or(0);
      storage_[buffer->data] = {bytes, nullptr};
      storage_[entry.func->params[i]] = {bytes, nullptr};
    }
    Walk(entry.func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node)) {
        storage_[allocate->buffer_var] = {
            StaticBytes(allocate->dtype, allocate->extents).value_or(0), nullptr};
      }
      if (const auto* constant = dyn_cast<AllocateConst>(node))
        storage_[constant->buffer_var] = {0, constant->data};
      return !isa<Expr>(node);
    });
  }

  void Read(const Stmt* stmt, ReportStep& step) {
    constants_.clear();
    uses_.clear();
    functions_.clear();
    own_.clear();
    step.macs = macs_.Of(stmt);
    AddUses(stmt);
    for (const auto& [var, effect] : uses_) {
      const EntryStorage& storage = storage_.at(var);
      if (storage.constant != nullptr) constants_.insert(storage.constant);
      step.activation_bytes += storage.constant == nullptr ? storage.bytes : 0;
      if (effect.reads) AddIndex(var, step.reads, step.inputs);
      if (effect.writes) AddIndex(var, step.writes, step.outputs);
    }
    for (const auto& [var, constant] : own_) {
      const auto found = known_.buffers.find(var);
      if (found == known_.buffers.end()) continue;
      (constant == nullptr ? step.scratch : step.reads).push_back(found->second);
    }
    for (const Constant* constant : constants_) step.weight_bytes += constant->size_bytes();
    for (auto* list : {&step.reads, &step.writes, &step.scratch, &step.inputs, &step.outputs}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  }

 private:
  void AddIndex(const Var* var, std::vector<size_t>& buffers, std::vector<size_t>& tensors) const {
    if (const auto found = known_.buffers.find(var); found != known_.buffers.end())
      buffers.push_back(found->second);
    if (const auto found = known_.tensors.find(var); found != known_.tensors.end())
      tensors.push_back(found->second);
  }

  void Use(const Expr* pointer, ArgumentEffect effect) {
    for (const Var* root : roots_.TargetsOf(pointer).roots) {
      if (!storage_.contains(root)) continue;
      ArgumentEffect& all = uses_[root];
      all.reads |= effect.reads;
      all.writes |= effect.writes;
    }
  }

  /// Adds the uses of a statement of the entry.
  void AddUses(const Stmt* stmt) {
    Walk(stmt, [&](const Node* node) {
      if (const auto* constant = dyn_cast<AllocateConst>(node)) constants_.insert(constant->data);
      if (const auto* load = dyn_cast<BufferLoad>(node)) Use(load->buffer->data, {.reads = true});
      if (const auto* store = dyn_cast<BufferStore>(node))
        Use(store->buffer->data, {.writes = true});
      const auto* call = dyn_cast<Call>(node);
      if (call == nullptr) return true;
      if (AddCall(call)) return false;
      // Builtins that copy or pass on memory.
      for (const Expr* arg : call->args) {
        if (arg->dtype.is_handle()) Use(arg, {.reads = true, .writes = true});
      }
      return true;
    });
  }

  /// Returns false if the expression is not a call of a function.
  bool AddCall(const Call* call) {
    const CallSite site = AsCallSite(module_, call);
    if (site.call == nullptr) return false;
    for (size_t i = 0; i < site.args.size(); ++i) {
      const Expr* arg = site.args[i];
      // Other arguments may be loads.
      if (arg->dtype.is_handle())
        Use(arg, effects_.OfArgument(entry_, site, i));
      else
        Walk(arg, [&](const Node* node) {
          if (const auto* load = dyn_cast<BufferLoad>(node))
            Use(load->buffer->data, {.reads = true});
          return true;
        });
    }
    if (site.callee != nullptr) AddOwn(*site.callee);
    return true;
  }

  /// Adds the allocations of a function and of the functions that it calls.
  void AddOwn(const Function& function) {
    if (!functions_.insert(function.name).second) return;
    Walk(function.func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node))
        own_.emplace_back(allocate->buffer_var, nullptr);
      if (const auto* constant = dyn_cast<AllocateConst>(node)) {
        own_.emplace_back(constant->buffer_var, constant->data);
        constants_.insert(constant->data);
      }
      if (const auto* call = dyn_cast<Call>(node)) {
        const CallSite site = AsCallSite(module_, call);
        if (site.callee != nullptr) AddOwn(*site.callee);
      }
      return true;
    });
  }

  const IRModule& module_;
  const ModuleEffects& effects_;
  const Function& entry_;
  const LayerStorage& known_;
  const PointerRoots roots_;
  MacCounter macs_;
  absl::flat_hash_map<const Var*, EntryStorage> storage_;
  absl::flat_hash_set<const Constant*> constants_;
  absl::flat_hash_map<const Var*, ArgumentEffect> uses_;
  /// Allocations of functions, and the data of constants among them.
  std::vector<std::pair<const Var*, const Constant*>> own_;
  absl::flat_hash_set<Symbol> functions_;
};

/// The most bytes of a step's own buffers that are live at a time.
void AddScratch(MemoryReport& report) {
  std::vector<std::map<int64_t, int64_t>> changes(report.steps.size());
  for (const ReportBuffer& buffer : report.buffers) {
    if (buffer.is_constant || buffer.function == report.entry) continue;
    for (const ReportRange& range : buffer.ranges) {
      const auto after = std::upper_bound(
          report.steps.begin(), report.steps.end(), range.lower,
          [](int64_t at, const ReportStep& step) { return at < step.range.lower; });
      if (after == report.steps.begin()) continue;
      const auto step = static_cast<size_t>(after - report.steps.begin() - 1);
      changes[step][range.lower] += buffer.size_bytes;
      changes[step][range.upper] -= buffer.size_bytes;
    }
  }
  for (size_t i = 0; i < changes.size(); ++i) {
    int64_t live = 0;
    for (const auto& [tick, change] : changes[i]) {
      live += change;
      report.steps[i].scratch_bytes = std::max(report.steps[i].scratch_bytes, live);
    }
  }
}

}  // namespace

void DescribeLayers(const IRModule& module, const ModuleEffects& effects, const Function& entry,
                    std::span<const Stmt* const> stmts, const LayerStorage& storage,
                    MemoryReport& report) {
  LayerReader reader(module, effects, entry, storage);
  for (size_t i = 0; i < stmts.size(); ++i) reader.Read(stmts[i], report.steps[i]);
  AddScratch(report);
}

absl::Status ReadInstructions(std::string_view text, MemoryReport& report) {
  std::map<std::string, std::vector<ReportStep*>, std::less<>> steps_of;
  for (ReportStep& step : report.steps) steps_of[step.label].push_back(&step);
  bool is_used = false;
  for (int64_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!one.empty() && one.back() == '\r') one.remove_suffix(1);
    if (one.empty()) continue;
    const size_t blank = one.rfind(' ');
    int64_t count = 0;
    const std::string_view digits = blank == std::string_view::npos ? "" : one.substr(blank + 1);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (digits.empty() || error != std::errc() || stop != digits.data() + digits.size() ||
        count < 0)
      return absl::InvalidArgumentError(
          fmt::format("line {}: expected the name of a function, a blank and a number", line));
    // Compilers add suffixes: `conv2d.constprop.0`.
    std::string_view name = one.substr(0, std::min(blank, one.find('.')));
    // The longest label wins: `conv2d` also ends `my_conv2d`.
    auto found = steps_of.find(name);
    for (size_t at = 0; found == steps_of.end() && (at = name.find('_', at)) != std::string::npos;)
      found = steps_of.find(name.substr(++at));
    if (found == steps_of.end()) continue;
    is_used = true;
    const auto calls = static_cast<int64_t>(found->second.size());
    for (ReportStep* step : found->second)
      step->instructions = SaturatedAdd(step->instructions, count / calls);
  }
  if (is_used) return absl::OkStatus();
  return absl::InvalidArgumentError("no line has the name of an operator of the report");
}

namespace {

/// `3x3`.
std::string Extents(const std::vector<int64_t>& extents) {
  return fmt::format("{}", fmt::join(extents, "x"));
}

/// The tensors and buffers that a step reads or writes, constants left out.
template <class F>
void ForEachTensor(const MemoryReport& report, const std::vector<size_t>& tensors,
                   const std::vector<size_t>& buffers, F&& f) {
  for (const size_t i : tensors) {
    const ReportTensor& tensor = report.tensors[i];
    f(tensor.name, tensor.dtype, tensor.shape);
  }
  for (const size_t i : buffers) {
    const ReportBuffer& buffer = report.buffers[i];
    if (!buffer.is_constant && buffer.function == report.entry)
      f(buffer.name, buffer.dtype, buffer.shape);
  }
}

/// The shapes, `1x8x8x16 1x10`.
std::string ShapesOf(const MemoryReport& report, const std::vector<size_t>& tensors,
                     const std::vector<size_t>& buffers) {
  std::vector<std::string> shapes;
  ForEachTensor(report, tensors, buffers,
                [&](const std::string&, const std::string&, const std::vector<int64_t>& shape) {
                  shapes.push_back(Extents(shape));
                });
  return fmt::format("{}", fmt::join(shapes, " "));
}

/// The columns of a table of operators: their heads, and a cell for each step and for the sum.
class LayerColumns {
 public:
  LayerColumns(const MemoryReport& report, const ShortLabels& labels, bool whole)
      : report_(report) {
    for (const ReportStep& step : report.steps) {
      macs_ += step.macs;
      instructions_ = SaturatedAdd(instructions_, step.instructions);
    }
    Number([](const ReportStep&, size_t number) { return fmt::format("{}", number); }, "#", "");
    Text([&](const ReportStep& step) { return labels.Of(step.label); }, "operator", "all");
    AddShapes(whole);
    Count(&ReportStep::macs, "MACs", macs_);
    Share(&ReportStep::macs, macs_);
    Count(&ReportStep::weight_bytes, "weights", report.constant_bytes());
    Count(&ReportStep::activation_bytes, "activations");
    Count(&ReportStep::scratch_bytes, "scratch");
    if (Any([](const ReportStep& step) { return step.code_bytes > 0; }))
      Count(&ReportStep::code_bytes, "code", report.code_bytes(), /*shows_zero=*/false);
    if (instructions_ == 0) return;
    Count(&ReportStep::instructions, "instructions", instructions_);
    Share(&ReportStep::instructions, instructions_, "100.0");
  }

  std::string Table() const {
    TextTable table(sides_);
    for (const std::vector<std::string>& row : rows_) table.Add(row);
    std::string out;
    table.Write(out);
    return out;
  }

 private:
  void AddShapes(bool whole) {
    if (whole) {
      Text([&](const ReportStep& step) { return ShapesOf(report_, step.inputs, step.reads); },
           "input", "");
    }
    Text([&](const ReportStep& step) { return ShapesOf(report_, step.outputs, step.writes); },
         "output", "");
    if (!Any([](const ReportStep& step) { return !step.kernel.empty(); })) return;
    Text([](const ReportStep& step) { return Extents(step.kernel); }, "kernel", "");
    Text([](const ReportStep& step) { return Extents(step.stride); }, "stride", "");
  }

  template <class F>
  bool Any(F&& has) const {
    return std::any_of(report_.steps.begin(), report_.steps.end(), has);
  }
  template <class F>
  void Column(char side, std::string head, F&& cell, std::string sum) {
    sides_ += side;
    rows_.resize(report_.steps.size() + 2);
    rows_.front().push_back(std::move(head));
    for (size_t i = 0; i < report_.steps.size(); ++i)
      rows_[i + 1].push_back(cell(report_.steps[i], i + 1));
    rows_.back().push_back(std::move(sum));
  }
  template <class F>
  void Number(F&& cell, std::string head, std::string sum) {
    Column('>', std::move(head), cell, std::move(sum));
  }
  template <class F>
  void Text(F&& cell, std::string head, std::string sum) {
    Column(
        '<', std::move(head), [&](const ReportStep& step, size_t) { return cell(step); },
        std::move(sum));
  }
  void Count(int64_t ReportStep::*member, std::string head, std::optional<int64_t> sum = {},
             bool shows_zero = true) {
    Number(
        [&](const ReportStep& step, size_t) {
          return step.*member > 0 || shows_zero ? GroupedDigits(step.*member) : std::string();
        },
        std::move(head), sum ? GroupedDigits(*sum) : "");
  }
  void Share(int64_t ReportStep::*member, int64_t whole, std::string sum = {}) {
    Number([&](const ReportStep& step,
               size_t) { return fmt::format("{:.1f}", Percent(step.*member, whole)); },
           "%", std::move(sum));
  }

  const MemoryReport& report_;
  int64_t macs_ = 0;
  int64_t instructions_ = 0;
  std::string sides_;
  std::vector<std::vector<std::string>> rows_;
};

/// A cell of CSV; quoted if it has a comma, a quote or a line break.
std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string LayersText(const MemoryReport& report, bool whole) {
  const ShortLabels labels(report.steps, {.most = whole ? SIZE_MAX : LabelForm().most});
  return LayerColumns(report, labels, whole).Table();
}

std::string LayersCsv(const MemoryReport& report) {
  std::string out =
      "number,operator,input,output,kernel,stride,macs,weight_bytes,activation_bytes,"
      "scratch_bytes,code_bytes,instructions\n";
  for (size_t i = 0; i < report.steps.size(); ++i) {
    const ReportStep& step = report.steps[i];
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", i + 1, CsvCell(step.label),
                       ShapesOf(report, step.inputs, step.reads),
                       ShapesOf(report, step.outputs, step.writes), Extents(step.kernel),
                       Extents(step.stride), step.macs, step.weight_bytes, step.activation_bytes,
                       step.scratch_bytes, step.code_bytes, step.instructions);
  }
  return out;
}

std::string StepText(const MemoryReport& report, const ReportStep& step) {
  const auto list = [&](const std::vector<size_t>& tensors, const std::vector<size_t>& buffers) {
    std::vector<std::string> all;
    ForEachTensor(
        report, tensors, buffers,
        [&](const std::string& name, const std::string& dtype, const std::vector<int64_t>& shape) {
          // A planned module does not tell the extents of all tensors.
          const bool is_known = shape != std::vector<int64_t>{0};
          const std::string extents = is_known ? fmt::format("[{}]", fmt::join(shape, ", ")) : "";
          all.push_back(fmt::format("{} {}{}", name, dtype, extents));
        });
    return fmt::format("{}", fmt::join(all, ", "));
  };
  std::string text =
      fmt::format("{} -> {}", list(step.inputs, step.reads), list(step.outputs, step.writes));
  if (!step.kernel.empty())
    text += fmt::format("; window {} by {}", Extents(step.kernel), Extents(step.stride));
  if (step.macs > 0) text += fmt::format("; {} multiplications", GroupedDigits(step.macs));
  return text;
}

}  // namespace tenon
