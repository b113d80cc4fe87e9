#include "report/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "support/checked.h"

namespace tenon {

namespace {

/// A limited pool is one piece of memory, whichever models have a part of it.
bool IsLimited(const ReportPool& pool) { return pool.capacity_bytes >= 0; }

/// Appends `more` to `text` after a comma, unless they are equal.
void Join(std::string& text, const std::string& more) {
  if (text.empty()) {
    text = more;
  } else if (text != more && !more.empty()) {
    text += ", " + more;
  }
}

void MergeValues(MergeRule rule, int64_t from, int64_t& to) {
  if (rule == MergeRule::kLargest) to = std::max(to, from);
  if (rule == MergeRule::kSum) to += from;
}
void MergeValues(MergeRule rule, const std::string& from, std::string& to) {
  if (rule == MergeRule::kJoined) Join(to, from);
}

/// Merges the fields that have a rule.
template <class T>
void MergeMembers(const T& from, T& to) {
  ForEachMember<T>([&](const auto& member) {
    if constexpr (requires { MergeValues({}, from.*member.field, to.*member.field); })
      MergeValues(member.rules.merge, from.*member.field, to.*member.field);
  });
}

class Merger {
 public:
  Merger(const std::vector<NamedReport>& reports, bool shares_workspace)
      : shares_workspace_(shares_workspace) {
    for (const NamedReport& named : reports) {
      for (const ReportPool& pool : named.report.pools) {
        if (IsLimited(pool) && !IsCommon(pool)) limited_.insert(pool.name);
      }
    }
  }

  void Add(NamedReport named) {
    MemoryReport& from = named.report;
    const std::string& name = named.name;
    const int64_t base = all_.ticks;
    MergeMembers(from, all_);
    AddModel(name, from, base);
    AddAccounting(&ReportAccountings::io_outside, name, from);
    AddAccounting(&ReportAccountings::io_counted, name, from);
    PlaceParts(from);
    all_.ticks += from.ticks;
    for (ReportStep& step : from.steps) {
      step.label = fmt::format("{}: {}", name, step.label);
      step.range = Moved(step.range, base);
      MoveIndexes(step);
      all_.steps.push_back(std::move(step));
    }
    all_.tick_lines.resize(static_cast<size_t>(base));
    all_.tick_lines.insert(all_.tick_lines.end(), from.tick_lines.begin(), from.tick_lines.end());
    for (ReportOperator& op : from.operators) {
      op.name = fmt::format("{}.{}", name, op.name);
      all_.operators.push_back(std::move(op));
    }
    for (ReportTensor& tensor : from.tensors) {
      tensor.name = fmt::format("{}.{}", name, tensor.name);
      if (!tensor.pool.empty()) tensor.pool = NameOf(tensor.pool, name, from);
      all_.tensors.push_back(std::move(tensor));
    }
    const auto constants = static_cast<int64_t>(all_.constants.size());
    for (ReportBuffer& buffer : from.buffers) {
      if (buffer.constant >= 0) buffer.constant += constants;
    }
    for (ReportConstant& constant : from.constants) {
      constant.name = fmt::format("{}.{}", name, constant.name);
      if (!constant.base.empty()) constant.base = fmt::format("{}.{}", name, constant.base);
      if (!constant.stored_pool.empty())
        constant.stored_pool = NameOf(constant.stored_pool, name, from);
      for (std::string& user : constant.users) user = fmt::format("{}.{}", name, user);
      all_.constants.push_back(std::move(constant));
    }
    AddOverlaps(name, from, base);
    for (ReportMove& move : from.spill.moves) {
      move.from = NameOf(move.from, name, from);
      move.to = NameOf(move.to, name, from);
    }
    AddSpill(from.spill, all_.spill);
    if (from.stack) {
      if (!all_.stack) all_.stack.emplace();
      MergeMembers(*from.stack, *all_.stack);
    }
    for (ReportBuffer& buffer : from.buffers) AddBuffer(buffer, name, from, base);
    for (ReportPool& pool : from.pools) AddPool(pool, name, from, base);
  }

  MemoryReport Finish() {
    for (const size_t buffer : in_entry_) all_.buffers[buffer].function = all_.entry;
    for (auto& [name, pool] : pools_) {
      const std::vector<ReportPeak> peaks = std::move(peaks_[name]);
      pool.proven_optimal = pool.size_bytes == pool.lower_bound_bytes && pool.proven_optimal;
      if (!pool.is_constant) FindPeak(all_, pool);
      for (const ReportPeak& peak : peaks) {
        if (!pool.peak || peak.tick != pool.peak->tick) continue;
        pool.peak->statement = peak.statement;
        pool.peak->line = peak.line;
      }
      all_.pools.push_back(std::move(pool));
    }
    return std::move(all_);
  }

 private:
  static ReportRange Moved(ReportRange range, int64_t base) {
    return {range.lower + base, range.upper + base};
  }

  /// Call this before adding the model's buffers and tensors.
  void MoveIndexes(ReportStep& step) const {
    for (std::vector<size_t>* list : {&step.reads, &step.writes, &step.scratch}) {
      for (size_t& index : *list) index += all_.buffers.size();
    }
    for (std::vector<size_t>* list : {&step.inputs, &step.outputs}) {
      for (size_t& index : *list) index += all_.tensors.size();
    }
  }

  bool IsShared(const ReportPool& pool) const {
    return shares_workspace_ && !pool.is_internal && !pool.is_constant;
  }
  /// True for a pool of which all models use the same bytes.
  bool IsCommon(const ReportPool& pool) const { return IsShared(pool) || !pool.header.empty(); }
  /// True for a pool in which each model has a part of its own.
  bool HasParts(const ReportPool& pool) const {
    return !IsCommon(pool) && limited_.contains(pool.name);
  }

  bool HasParts(const std::string& pool, const MemoryReport& report) const {
    return std::any_of(report.pools.begin(), report.pools.end(), [&](const ReportPool& known) {
      return known.name == pool && HasParts(known);
    });
  }

  /// The name of a pool of a model. It is the pool's own if other models also use the pool.
  std::string NameOf(const std::string& pool, const std::string& model,
                     const MemoryReport& report) const {
    for (const ReportPool& known : report.pools) {
      if (known.name == pool && (IsCommon(known) || HasParts(known))) return pool;
    }
    return fmt::format("{}.{}", model, pool);
  }

  /// Moves a model's parts of pools after the parts of the models before it. Call this before
  /// adding the model's pools and what they hold.
  void PlaceParts(MemoryReport& from) {
    absl::flat_hash_map<std::string, int64_t> begins;
    for (ReportPool& pool : from.pools) {
      const auto before = pools_.find(pool.name);
      if (!HasParts(pool) || before == pools_.end()) continue;
      const int64_t begin =
          CheckedAlignUp(before->second.size_bytes, pool.alignment).value_or(INT64_MAX);
      begins[pool.name] = begin;
      pool.size_bytes = CheckedAdd(begin, pool.size_bytes).value_or(INT64_MAX);
      // Without the padding, which other orders of the models may not need.
      pool.lower_bound_bytes =
          CheckedAdd(before->second.lower_bound_bytes, pool.lower_bound_bytes).value_or(INT64_MAX);
    }
    const auto move = [&](const std::string& pool, int64_t& offset) {
      const auto begin = begins.find(pool);
      if (begin != begins.end()) offset = CheckedAdd(offset, begin->second).value_or(INT64_MAX);
    };
    for (ReportBuffer& buffer : from.buffers) move(buffer.pool, buffer.offset);
    for (ReportTensor& tensor : from.tensors) move(tensor.pool, tensor.offset);
    for (ReportConstant& constant : from.constants)
      move(constant.stored_pool, constant.stored_offset);
  }

  /// Whether the larger one of two sizes is proven. A bound that equals the size need not prove it:
  /// some bounds only hold for a choice of pools.
  static bool AreProven(const auto& a, const auto& b) {
    if (a.size_bytes == b.size_bytes) return a.proven_optimal || b.proven_optimal;
    return a.size_bytes > b.size_bytes ? a.proven_optimal : b.proven_optimal;
  }

  using Accounting = std::optional<ReportAccounting> ReportAccountings::*;

  /// Pools that models share have the largest size of any model. The result is known only if it is
  /// known for every model.
  void AddAccounting(Accounting which, const std::string& name, const MemoryReport& from) {
    std::optional<ReportAccounting>& all = all_.accountings.*which;
    const std::optional<ReportAccounting>& one = from.accountings.*which;
    if (all_.models.size() == 1) all.emplace();
    if (!all || !one) return all.reset();
    all->fits &= one->fits;
    for (const ReportModelPool& pool : one->pools) {
      ReportModelPool to{NameOf(pool.name, name, from), pool.size_bytes, pool.lower_bound_bytes,
                         pool.proven_optimal};
      const auto known = std::find_if(all->pools.begin(), all->pools.end(),
                                      [&](const auto& other) { return other.name == to.name; });
      if (known == all->pools.end()) {
        all->pools.push_back(std::move(to));
        continue;
      }
      bool is_proven = AreProven(to, *known);
      if (HasParts(pool.name, from)) {
        is_proven = to.proven_optimal && known->proven_optimal;
        known->size_bytes += to.size_bytes;
        known->lower_bound_bytes += to.lower_bound_bytes;
      } else {
        MergeMembers(to, *known);
      }
      known->proven_optimal = is_proven && known->size_bytes == known->lower_bound_bytes;
    }
    if (all->fits) {
      all = SumOf(std::move(all->pools));
    } else {
      all.emplace().fits = false;
    }
  }

  void AddModel(const std::string& name, const MemoryReport& from, int64_t base) {
    ReportModel& model = all_.models.emplace_back();
    model.name = name;
    model.source = from.source;
    model.entry = from.entry;
    model.range = {base, base + from.ticks};
    model.constant_bytes = from.constant_bytes();
    model.workspace_bytes = from.workspace_bytes();
    model.io_bytes = from.io_bytes();
    model.accountings = from.accountings;
    for (const ReportPool& pool : from.pools) {
      if (!IsShared(pool)) continue;
      model.pools.push_back(
          {pool.name, pool.size_bytes, pool.lower_bound_bytes, pool.proven_optimal});
    }
  }

  /// Call this before adding the model's buffers.
  void AddOverlaps(const std::string& name, MemoryReport& from, int64_t base) {
    for (ReportOverlap& overlap : from.overlaps) {
      overlap.function = fmt::format("{}: {}", name, overlap.function);
      overlap.dying += all_.buffers.size();
      overlap.begun += all_.buffers.size();
      for (ReportRange& range : overlap.ranges) range = Moved(range, base);
      all_.overlaps.push_back(std::move(overlap));
    }
  }

  void AddBuffer(ReportBuffer& buffer, const std::string& name, const MemoryReport& from,
                 int64_t base) {
    // Buffers between operators get the entry's name as their function in Finish().
    if (buffer.function == from.entry) {
      buffer.name = fmt::format("{}.{}", name, buffer.name);
      in_entry_.push_back(all_.buffers.size());
    }
    buffer.function = fmt::format("{}.{}", name, buffer.function);
    if (!buffer.pool.empty()) buffer.pool = NameOf(buffer.pool, name, from);
    for (ReportRange& range : buffer.ranges) range = Moved(range, base);
    for (int64_t& use : buffer.uses) use += base;
    all_.buffers.push_back(std::move(buffer));
  }

  void AddPool(ReportPool& pool, const std::string& name, const MemoryReport& from, int64_t base) {
    const std::string merged = NameOf(pool.name, name, from);
    if (pool.peak) {
      peaks_[merged].push_back(*pool.peak);
      peaks_[merged].back().tick += base;
    }
    const auto [found, is_new] = pools_.try_emplace(merged, pool);
    ReportPool& to = found->second;
    to.name = merged;
    if (is_new) return;
    const bool is_proven = AreProven(pool, to);
    MergeMembers(pool, to);
    to.proven_optimal = is_proven && to.size_bytes == to.lower_bound_bytes;
  }

  bool shares_workspace_;
  /// The limited pools in which each model has a part of its own.
  absl::flat_hash_set<std::string> limited_;
  MemoryReport all_;
  /// The buffers of the entries.
  std::vector<size_t> in_entry_;
  std::map<std::string, ReportPool> pools_;
  /// The peaks of the models, on the merged clock.
  std::map<std::string, std::vector<ReportPeak>> peaks_;
};

}  // namespace

MemoryReport MergeReports(std::vector<NamedReport> reports, bool shares_workspace) {
  Merger merger(reports, shares_workspace);
  for (NamedReport& report : reports) merger.Add(std::move(report));
  return merger.Finish();
}

std::optional<SharedBytes> SharedBytesOf(const MemoryReport& report) {
  if (report.models.empty()) return std::nullopt;
  SharedBytes bytes;
  absl::flat_hash_set<std::string> shared;
  for (const ReportModel& model : report.models) {
    for (const ReportModelPool& pool : model.pools) {
      bytes.separate += pool.size_bytes;
      shared.insert(pool.name);
    }
  }
  for (const ReportPool& pool : report.pools) {
    if (shared.contains(pool.name)) bytes.shared += pool.size_bytes;
  }
  return bytes;
}

}  // namespace tenon
