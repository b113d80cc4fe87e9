// From the last operator to the first one: the readers of a tensor give the size of its rows, the
// number of rows in each step (rate), and the row that must be there when a step begins (lead). All
// operators then run in one loop over steps. Those with a higher rate are in loops inside.

#include "passes/streaming/stream_group.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "arith/interval.h"
#include "ir/extents.h"

namespace tenon {

namespace {

/// A limit on rates: more rows than this in a step would be nearly the whole tensor.
constexpr int64_t kMostRate = 1024;

/// Groups of more steps have no distances: to find them would take too long.
constexpr int64_t kMostSteps = 1 << 14;

/// The rows of an operand from outside of the group are copied for rows at a border if that saves
/// several functions and takes no more bytes than this.
constexpr int64_t kMostPadBytes = 512;

}  // namespace

RowsInside RowsInsideOf(const RowRead& read, const RowWindow& window) {
  const int64_t room = read.elements / window.row_elements - window.first - window.count;
  return {-FloorDivide(window.first, window.stride), FloorDivide(room, window.stride)};
}

/// One group for one number of rows of its last result.
class StreamGroupFinder {
 public:
  StreamGroupFinder(StreamPlanner& planner, size_t first, size_t last, bool reduces)
      : planner_(planner) {
    group_.first = first;
    group_.last = last;
    group_.reduces = reduces;
  }

  std::optional<StreamGroup> Find(int64_t rows) {
    const size_t count = group_.last - group_.first + 1;
    group_.ops.resize(count);
    readers_.resize(count);
    for (size_t i = 0; i < count; ++i) group_.ops[i].position = group_.first + i;
    for (size_t i = count; i-- > 0;) {
      if (!FindRows(i, rows) || !FindSources(i) || !FindTiming(i)) return std::nullopt;
    }
    if (!AreSourcesKnown()) return std::nullopt;
    MakeLoops();
    FindRings();
    if (group_.reduces) AddSums();
    if (planner_.copy_borders_) {
      for (StreamedOperator& op : group_.ops) PadOperands(op);
    }
    for (StreamedOperator& op : group_.ops) {
      op.functions = planner_.FunctionsOf(*op.rows, op.operands);
      if (op.functions == nullptr) return std::nullopt;
    }
    FindSteps();
    if (group_.end - group_.begin <= kMostSteps) FindDistances();
    return group_;
  }

 private:
  /// Operator `op` of the group reads the result of another one by `window`.
  struct Reader {
    size_t op = 0;
    const RowWindow* window = nullptr;
  };

  const std::vector<const Var*>& ArgsAt(size_t op) const {
    return StreamPlanner::ArgsOf(planner_.program_, group_, group_.ops[op]);
  }
  const Function& FunctionAt(size_t op) const {
    const StreamCall& call = planner_.program_.calls[group_.ops[op].position];
    return group_.reduces && op + 1 == group_.ops.size() ? call.reduction->rows.function
                                                         : *call.callee;
  }

  /// Finds the rows of an operator's result, and how its readers in the group read them.
  bool FindRows(size_t i, int64_t rows_of_last) {
    StreamedOperator& op = group_.ops[i];
    const Function& callee = FunctionAt(i);
    if (i + 1 == group_.ops.size()) {
      op.rows = planner_.operators_.Find(callee, rows_of_last);
      return op.rows != nullptr;
    }
    const std::vector<std::pair<size_t, const RowRead*>> reads = ReadsOf(i);
    if (reads.empty()) return false;
    for (const RowWindow& window : reads.front().second->windows) {
      // A row of one element would be a call for each.
      if (window.row_elements == 1) continue;
      const bool all_have = std::all_of(reads.begin(), reads.end(), [&](const auto& read) {
        return read.second->WithRows(window.row_elements) != nullptr;
      });
      const int64_t elements = reads.front().second->elements;
      op.rows =
          all_have ? planner_.operators_.Find(callee, elements / window.row_elements) : nullptr;
      if (op.rows == nullptr || op.rows->row_elements != window.row_elements) continue;
      for (const auto& [reader, read] : reads)
        readers_[i].push_back({reader, read->WithRows(window.row_elements)});
      return true;
    }
    return false;
  }

  /// The reads of the result of call `i` by later operators of the group. Finds the writer of each
  /// tensor once.
  std::vector<std::pair<size_t, const RowRead*>> ReadsOf(size_t i) {
    std::vector<std::pair<size_t, const RowRead*>> reads;
    const Var* output = OutputOf(i);
    if (output == nullptr) return reads;
    for (size_t j = i + 1; j < group_.ops.size(); ++j) {
      for (const RowRead& read : group_.ops[j].rows->reads) {
        if (ArgsAt(j)[read.param] == output) reads.emplace_back(j, &read);
      }
    }
    return reads;
  }

  /// The tensor that a call writes; null if others write it too.
  const Var* OutputOf(size_t i) const {
    for (const Var* arg : ArgsAt(i)) {
      const auto tensor = planner_.program_.tensors.find(arg);
      if (tensor != planner_.program_.tensors.end() &&
          tensor->second.writer == static_cast<int64_t>(group_.ops[i].position))
        return arg;
    }
    return nullptr;
  }

  /// Chooses the rows of operands. Those of the group must be read by rows.
  bool FindSources(size_t i) {
    StreamedOperator& op = group_.ops[i];
    for (const RowRead& read : op.rows->reads) {
      op.operands.push_back({read.windows.empty() ? nullptr : &read.windows.front(), false});
      op.sources.push_back(-1);
      const auto tensor = planner_.program_.tensors.find(ArgsAt(i)[read.param]);
      if (tensor == planner_.program_.tensors.end()) continue;
      const std::vector<size_t>& uses = tensor->second.uses;
      const bool is_written_here = std::any_of(uses.begin(), uses.end(), [&](size_t use) {
        return use >= group_.first && use < op.position &&
               static_cast<int64_t>(use) == tensor->second.writer;
      });
      // Another statement writes it, perhaps while the group runs.
      if (!is_written_here && tensor->second.writer < 0) return false;
      if (is_written_here)
        op.sources.back() =
            static_cast<int>(tensor->second.writer - static_cast<int64_t>(group_.first));
    }
    return true;
  }

  /// False if an operator writes what another one reads or writes, and this is not a tensor of the
  /// group.
  bool AreSourcesKnown() const {
    if (!ParamsAreApart()) return false;
    std::set<const Var*> written;
    for (size_t i = 0; i < group_.ops.size(); ++i) {
      if (!written.insert(ArgsAt(i)[group_.ops[i].rows->output]).second) return false;
    }
    for (size_t i = 0; i < group_.ops.size(); ++i) {
      const StreamedOperator& op = group_.ops[i];
      for (size_t k = 0; k < op.sources.size(); ++k) {
        if (op.sources[k] < 0 && written.contains(ArgsAt(i)[op.rows->reads[k].param])) return false;
      }
    }
    return true;
  }

  /// False if the group writes to a parameter of the entry and accesses another one that may
  /// overlap it.
  bool ParamsAreApart() const {
    if (planner_.program_.params_are_apart) return true;
    std::set<const Var*> params;
    bool writes = false;
    for (size_t i = 0; i < group_.ops.size(); ++i) {
      const std::vector<const Var*>& args = ArgsAt(i);
      for (size_t k = 0; k < args.size(); ++k) {
        if (!planner_.program_.params.contains(args[k])) continue;
        params.insert(args[k]);
        writes |= k == group_.ops[i].rows->output;
      }
    }
    return !writes || params.size() == 1;
  }

  bool FindTiming(size_t i) {
    StreamedOperator& op = group_.ops[i];
    op.is_inner = false;
    if (const Var* output = OutputOf(i)) {
      const std::vector<size_t>& uses = planner_.program_.tensors.at(output).uses;
      op.is_inner = i + 1 < group_.ops.size() && uses.back() <= group_.last;
    }
    for (const auto& [reader, window] : readers_[i]) {
      const StreamedOperator& by = group_.ops[reader];
      const int64_t rate = by.rate * window->stride;
      if (&window != &readers_[i].front().window && rate != op.rate) return false;
      if (rate > kMostRate) return false;
      op.rate = rate;
      const int64_t lead = window->stride * (by.lead - 1) + window->first + window->count;
      op.lead = &window == &readers_[i].front().window ? lead : std::max(op.lead, lead);
    }
    // The windows of readers are those that were chosen here.
    for (const auto& [reader, window] : readers_[i]) {
      StreamedOperator& by = group_.ops[reader];
      for (size_t k = 0; k < by.sources.size(); ++k) {
        if (by.sources[k] == static_cast<int>(i) &&
            by.rows->reads[k].WithRows(window->row_elements) == window)
          by.operands[k].window = window;
      }
    }
    return true;
  }

  void MakeLoops() {
    group_.loops.push_back({1, -1, {}});
    std::vector<int> all(group_.ops.size());
    std::iota(all.begin(), all.end(), 0);
    FillLoop(0, all);
  }

  /// Puts operators into a loop. Neighbours with a higher rate share a loop inside.
  void FillLoop(int loop, const std::vector<int>& ops) {
    const int64_t rate = group_.loops[static_cast<size_t>(loop)].rate;
    for (size_t i = 0; i < ops.size();) {
      StreamedOperator& op = group_.ops[static_cast<size_t>(ops[i])];
      if (op.rate == rate) {
        op.loop = loop;
        group_.loops[static_cast<size_t>(loop)].items.push_back(ops[i++]);
        continue;
      }
      std::vector<int> inside;
      int64_t common = 0;
      for (; i < ops.size(); ++i) {
        const int64_t next = std::gcd(common, group_.ops[static_cast<size_t>(ops[i])].rate);
        if (next <= rate || next % rate != 0) break;
        common = next;
        inside.push_back(ops[i]);
      }
      const int made = static_cast<int>(group_.loops.size());
      group_.loops.push_back({common, loop, {}});
      group_.loops[static_cast<size_t>(loop)].items.push_back(-1 - made);
      FillLoop(made, inside);
    }
  }

  int CommonLoop(int a, int b) const {
    std::set<int> around;
    for (; a >= 0; a = group_.loops[static_cast<size_t>(a)].parent) around.insert(a);
    while (!around.contains(b)) b = group_.loops[static_cast<size_t>(b)].parent;
    return b;
  }

  void FindRings() {
    for (size_t i = 0; i < group_.ops.size(); ++i) {
      StreamedOperator& op = group_.ops[i];
      if (!op.is_inner) continue;
      op.ring_loop = op.loop;
      for (const auto& [reader, window] : readers_[i])
        op.ring_loop = CommonLoop(op.ring_loop, group_.ops[reader].loop);
      const int64_t rate = op.rate / group_.loops[static_cast<size_t>(op.ring_loop)].rate;
      op.kept = rate;
      for (const auto& [reader, window] : readers_[i]) {
        const int64_t lowest = window->stride * group_.ops[reader].lead + window->first;
        op.kept = std::max(op.kept, rate + op.lead - lowest);
      }
      op.is_ring = op.kept < op.rows->rows;
      if (!op.is_ring) op.kept = op.rows->rows;
      if (op.is_ring) FindPad(i);
      const int64_t row_bytes =
          op.rows->row_elements * op.rows->function->func->buffers[op.rows->output]->dtype.bytes();
      group_.workspace_bytes += op.kept * row_bytes;
      if (op.is_ring) group_.copied_bytes += (op.kept - rate) * (op.rows->rows / rate) * row_bytes;
    }
  }

  /// Chooses the operands from outside of the group that are copied into pads for rows at a border.
  void PadOperands(StreamedOperator& op) {
    for (size_t k = 0; k < op.operands.size(); ++k) {
      const RowWindow* window = op.operands[k].window;
      if (op.sources[k] >= 0 || window == nullptr || !window->pad) continue;
      const RowRead& read = op.rows->reads[k];
      const auto [first, last] = RowsInsideOf(read, *window);
      const int64_t bytes = window->count * window->row_elements *
                            op.rows->function->func->buffers[read.param]->dtype.bytes();
      const int64_t border =
          std::max<int64_t>(first, 0) + std::max<int64_t>(op.rows->rows - 1 - last, 0);
      if (border < 2 || first > last || bytes > kMostPadBytes) continue;
      op.operands[k].is_padded = true;
      group_.workspace_bytes += bytes;
    }
  }

  /// Adds the allocations that the parts of the reduction share.
  void AddSums() {
    const StreamCall& call = planner_.program_.calls[group_.last];
    for (const Allocate* allocate : call.reduction->shared)
      group_.workspace_bytes += StaticBytes(allocate->dtype, allocate->extents).value_or(0);
  }

  /// Chooses the value of rows outside of the tensor of operator `i`: that of the first reader that
  /// needs one.
  void FindPad(size_t i) {
    StreamedOperator& op = group_.ops[i];
    for (const auto& [reader, window] : readers_[i]) {
      if (!window->pad || (op.pad && *op.pad != *window->pad)) continue;
      op.pad = window->pad;
      op.pad_first = std::min(op.pad_first, window->first);
      StreamedOperator& by = group_.ops[reader];
      for (RowOperand& operand : by.operands) {
        if (operand.window == window) operand.is_padded = true;
      }
    }
  }

  void FindSteps() {
    for (const StreamedOperator& op : group_.ops) {
      group_.begin = std::min(group_.begin, FloorDivide(op.pad_first - op.lead, op.rate));
      if (!op.is_inner)
        group_.end = std::max(group_.end, -FloorDivide(op.lead - op.rows->rows, op.rate));
    }
  }

  /// The tensors that the group gets, by variable: how many bytes of them are written before a step
  /// begins, or not read any more.
  struct Progress {
    /// The first byte that this step or a later one reads; nullopt if none does.
    std::optional<int64_t> first_read;
    /// The bytes that are written when this step ends.
    int64_t written = 0;
  };

  /// For each pair of tensors outside of the group, the least distance of what is written at the
  /// end of a step from what is read from there on.
  void FindDistances() {
    std::map<std::pair<const Var*, const Var*>, int64_t> least;
    for (int64_t step = group_.begin; step < group_.end; ++step) {
      const std::map<const Var*, Progress> progress = ProgressAt(step);
      for (const auto& [dying, read] : progress) {
        for (const auto& [begun, write] : progress) {
          if (dying == begun || write.written == 0) continue;
          const auto [at, is_new] = least.try_emplace({dying, begun}, INT64_MAX);
          if (read.first_read) at->second = std::min(at->second, *read.first_read - write.written);
        }
      }
    }
    for (size_t i = 0; i < group_.ops.size(); ++i) {
      const StreamedOperator& op = group_.ops[i];
      for (size_t k = 0; k < op.sources.size(); ++k) {
        if (op.sources[k] < 0) AddDistances(ArgsAt(i)[op.rows->reads[k].param], least);
      }
    }
  }

  void AddDistances(const Var* dying,
                    const std::map<std::pair<const Var*, const Var*>, int64_t>& least) {
    for (size_t i = 0; i < group_.ops.size(); ++i) {
      const StreamedOperator& op = group_.ops[i];
      const Var* begun = ArgsAt(i)[op.rows->output];
      const bool is_known =
          std::any_of(group_.distances.begin(), group_.distances.end(),
                      [&](const RowDistance& d) { return d.dying == dying && d.begun == begun; });
      const auto found = least.find({dying, begun});
      if (op.is_inner || op.rows->accumulates || is_known || found == least.end()) continue;
      group_.distances.push_back({dying, begun, found->second});
    }
  }

  std::map<const Var*, Progress> ProgressAt(int64_t step) const {
    std::map<const Var*, Progress> progress;
    for (size_t i = 0; i < group_.ops.size(); ++i) {
      const StreamedOperator& op = group_.ops[i];
      const PrimFunc& func = *op.rows->function->func;
      const int64_t next = std::max<int64_t>(op.rate * step + op.lead, 0);
      const int64_t done = std::clamp<int64_t>(op.rate * (step + 1) + op.lead, 0, op.rows->rows);
      if (!op.is_inner && !op.rows->accumulates)
        progress[ArgsAt(i)[op.rows->output]].written =
            done * op.rows->row_elements * func.buffers[op.rows->output]->dtype.bytes();
      for (size_t k = 0; k < op.sources.size() && next < op.rows->rows; ++k) {
        if (op.sources[k] >= 0) continue;
        const size_t param = op.rows->reads[k].param;
        const RowWindow* window = op.operands[k].window;
        const int64_t first = window == nullptr
                                  ? 0
                                  : std::max<int64_t>(window->stride * next + window->first, 0) *
                                        window->row_elements * func.buffers[param]->dtype.bytes();
        std::optional<int64_t>& read = progress[ArgsAt(i)[param]].first_read;
        read = std::min(read.value_or(first), first);
      }
    }
    return progress;
  }

  StreamPlanner& planner_;
  StreamGroup group_;
  /// By operator.
  std::vector<std::vector<Reader>> readers_;
};

std::optional<StreamGroup> StreamPlanner::Find(size_t first, size_t last) {
  std::optional<StreamGroup> best;
  if (program_.calls[last].callee != nullptr) FindBest(first, last, false, best);
  if (program_.calls[last].reduction != nullptr) FindBest(first, last, true, best);
  return best;
}

void StreamPlanner::FindBest(size_t first, size_t last, bool reduces,
                             std::optional<StreamGroup>& best) {
  std::set<int64_t> candidates;
  for (size_t i = first; i <= last; ++i) {
    const StreamCall& call = program_.calls[i];
    if (call.callee == nullptr) return;
    const bool is_part = reduces && i == last;
    const int64_t rows =
        operators_.NaturalRows(is_part ? call.reduction->rows.function : *call.callee);
    if (rows <= 1) return;
    candidates.insert(rows);
  }
  for (const int64_t rows : candidates) {
    std::optional<StreamGroup> group = StreamGroupFinder(*this, first, last, reduces).Find(rows);
    if (group && (!best || group->workspace_bytes < best->workspace_bytes)) best = std::move(group);
  }
}

const std::vector<RowFunction>* StreamPlanner::FunctionsOf(
    const RowOperator& op, const std::vector<RowOperand>& operands) {
  const auto [found, is_new] = functions_.try_emplace({&op, operands});
  if (is_new) found->second = MakeRowFunctions(module_.context(), op, operands, pass_);
  return found->second ? &*found->second : nullptr;
}

}  // namespace tenon
