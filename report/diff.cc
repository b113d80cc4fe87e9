#include "report/diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace tenon {

namespace {

/// The properties that must match, as one text; the separator cannot occur in names.
std::string KeyOf(const ReportBuffer& buffer, MatchedBy matched_by) {
  const char kind = buffer.is_constant ? 'c' : 'w';
  if (matched_by == MatchedBy::kName)
    return fmt::format("{}\n{}\n{}", kind, buffer.function, buffer.name);
  return fmt::format("{}\n{}\n{}\n{}", kind,
                     matched_by == MatchedBy::kShape ? buffer.function : std::string(),
                     buffer.dtype, fmt::join(buffer.shape, ","));
}

class Differ {
 public:
  Differ(const MemoryReport& before, const MemoryReport& after, ReportDiff& diff)
      : before_(before),
        after_(after),
        diff_(diff),
        to_(after.buffers.size()),
        taken_(before.buffers.size()) {}

  void Run() {
    for (const MatchedBy by : {MatchedBy::kName, MatchedBy::kShape, MatchedBy::kOrder}) Match(by);
    for (size_t i = 0; i < to_.size(); ++i) {
      BufferChange change{to_[i].before, i, to_[i].matched_by, {}};
      if (change.before) {
        Compare(before_.buffers[*change.before], after_.buffers[i], change.what);
      } else {
        change.what.push_back("appeared");
      }
      if (change.what.empty()) {
        ++diff_.same;
      } else {
        diff_.buffers.push_back(std::move(change));
      }
    }
    for (size_t i = 0; i < taken_.size(); ++i) {
      if (!taken_[i]) diff_.buffers.push_back({i, std::nullopt, MatchedBy::kName, {"vanished"}});
    }
    MatchPools();
  }

 private:
  struct Partner {
    std::optional<size_t> before;
    MatchedBy matched_by = MatchedBy::kName;
  };

  /// Pairs the buffers with equal keys, in order.
  void Match(MatchedBy by) {
    struct Queue {
      std::vector<size_t> buffers;
      size_t next = 0;
    };
    absl::flat_hash_map<std::string, Queue> left;
    for (size_t i = 0; i < taken_.size(); ++i) {
      if (!taken_[i]) left[KeyOf(before_.buffers[i], by)].buffers.push_back(i);
    }
    if (left.empty()) return;
    for (size_t i = 0; i < to_.size(); ++i) {
      if (to_[i].before) continue;
      const auto found = left.find(KeyOf(after_.buffers[i], by));
      if (found == left.end() || found->second.next == found->second.buffers.size()) continue;
      const size_t before = found->second.buffers[found->second.next++];
      to_[i] = {before, by};
      taken_[before] = true;
    }
  }

  void Compare(const ReportBuffer& before, const ReportBuffer& after,
               std::vector<std::string_view>& what) const {
    if (before.name != after.name || before.function != after.function) what.push_back("renamed");
    if (after.size_bytes > before.size_bytes) what.push_back("grew");
    if (after.size_bytes < before.size_bytes) what.push_back("shrank");
    const bool same_type = before.dtype == after.dtype && before.shape == after.shape;
    if (!same_type && after.size_bytes == before.size_bytes) what.push_back("retyped");
    const ReportConstant* from = before_.ConstantOf(before);
    const ReportConstant* to = after_.ConstantOf(after);
    const bool are_known =
        from != nullptr && to != nullptr && !from->hash.empty() && !to->hash.empty();
    // A new type implies new contents, so only one is reported.
    if (same_type && are_known && from->hash != to->hash) what.push_back("rewritten");
    ForEachMember<ReportBuffer>([&](const auto& member) {
      using Value = std::decay_t<decltype(member.Get(before))>;
      if constexpr (std::is_arithmetic_v<Value> || std::is_convertible_v<Value, std::string_view>) {
        if (!member.rules.diff.empty() && member.Get(before) != member.Get(after))
          what.push_back(member.rules.diff);
      }
    });
    if (before.pool == after.pool && before.offset != after.offset) what.push_back("moved");
  }

  void MatchPools() {
    absl::flat_hash_map<std::string, size_t> old;
    for (size_t i = 0; i < before_.pools.size(); ++i) old[before_.pools[i].name] = i;
    for (size_t i = 0; i < after_.pools.size(); ++i) {
      PoolChange& change = diff_.pools.emplace_back();
      change.name = after_.pools[i].name;
      change.after = i;
      const auto found = old.find(change.name);
      if (found == old.end()) continue;
      change.before = found->second;
      old.erase(found);
    }
    for (size_t i = 0; i < before_.pools.size(); ++i) {
      if (old.contains(before_.pools[i].name))
        diff_.pools.push_back({before_.pools[i].name, i, std::nullopt});
    }
  }

  const MemoryReport& before_;
  const MemoryReport& after_;
  ReportDiff& diff_;
  /// The match of each buffer of `after_`.
  std::vector<Partner> to_;
  std::vector<bool> taken_;
};

}  // namespace

ReportDiff DiffReports(std::string before_name, MemoryReport before, const MemoryReport& after) {
  ReportDiff diff;
  Differ(before, after, diff).Run();
  diff.before = std::move(before);
  diff.before_name = std::move(before_name);
  return diff;
}

std::string_view MatchName(MatchedBy matched_by) {
  switch (matched_by) {
    case MatchedBy::kName:
      return "name";
    case MatchedBy::kShape:
      return "shape";
    case MatchedBy::kOrder:
      return "order";
  }
  return "";
}

}  // namespace tenon
