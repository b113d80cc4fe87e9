#include "planner/explain/contradiction.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fmt/format.h"
#include "planner/exact/general_search.h"
#include "planner/exact/search_budget.h"
#include "planner/problem/pair_rules.h"

namespace tenon::planner {
namespace {

// Steps of the search for one set of buffers.
constexpr int64_t kTries = 20'000;

class Finder {
 public:
  Finder(const Problem& problem, const PlanOptions& options)
      : problem_(problem), rules_(problem), budget_(options) {}

  std::optional<Contradiction> Run() {
    for (size_t pool = 0; pool < problem_.pools.size(); ++pool) {
      for (std::vector<int32_t>& part : Parts(static_cast<int32_t>(pool))) {
        Contradiction found{static_cast<int32_t>(pool), std::move(part)};
        if (!Contradicts(found)) continue;
        Reduce(found);
        return found;
      }
    }
    return std::nullopt;
  }

 private:
  // The sets of buffers without a choice that cannot be placed far from each other.
  std::vector<std::vector<int32_t>> Parts(int32_t pool) {
    std::vector<int32_t> leader(problem_.buffers.size());
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&](int32_t buffer) {
      while (leader[Index(buffer)] != buffer) buffer = leader[Index(buffer)];
      return buffer;
    };
    const auto join = [&](int32_t a, int32_t b) {
      const int32_t first = find(a);
      const int32_t second = find(b);
      leader[Index(std::max(first, second))] = std::min(first, second);
    };
    const auto is_member = [&](int32_t buffer) {
      const Buffer& of = problem_.buffers[Index(buffer)];
      return of.pools.size() == 1 && of.pools[0] == pool;
    };
    for (const Relation& relation : problem_.relations) {
      if (is_member(relation.a) && is_member(relation.b) &&
          !rules_.AllowsApart(relation.a, relation.b))
        join(relation.a, relation.b);
    }
    std::optional<int32_t> fixed;
    std::vector<std::vector<int32_t>> sets(problem_.buffers.size());
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      const auto buffer = static_cast<int32_t>(i);
      if (!is_member(buffer) || !problem_.buffers[i].fixed_offset) continue;
      join(fixed.value_or(buffer), buffer);
      fixed = fixed.value_or(buffer);
    }
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      const auto buffer = static_cast<int32_t>(i);
      if (is_member(buffer)) sets[Index(find(buffer))].push_back(buffer);
    }
    std::erase_if(sets, [](const std::vector<int32_t>& set) {
      return set.size() < 2 || set.size() > GeneralSearch::kMaxBuffers;
    });
    return sets;
  }

  // A capacity that is enough if any is: each offset follows from another one by a rule, or is
  // fixed, and a chain of rules has each buffer once.
  int64_t EnoughBytes(const Contradiction& set) const {
    int64_t bytes = 0;
    const auto add = [&bytes](int64_t more) {
      if (__builtin_add_overflow(bytes, more, &bytes) || bytes > kMaxBytes) bytes = kMaxBytes;
    };
    for (const int32_t a : set.buffers) {
      const Buffer& buffer = problem_.buffers[Index(a)];
      int64_t most = 0;
      for (const int32_t b : set.buffers) {
        std::vector<DifferenceRange> ranges;
        if (a != b) rules_.AddForbidden(a, b, &ranges);
        for (const DifferenceRange& range : ranges) {
          if (range.first > -kMaxBytes) most = std::max(most, std::abs(range.first));
          if (range.last < kMaxBytes) most = std::max(most, std::abs(range.last));
        }
      }
      add(most);
      add(buffer.size);
      add(EffectiveAlignment(buffer, problem_.pools[Index(set.pool)]));
      add(buffer.fixed_offset.value_or(0));
    }
    return bytes;
  }

  bool Contradicts(const Contradiction& set) {
    GeneralSearch search(problem_, rules_, set.pool, set.buffers, &budget_);
    return search.Solve(EnoughBytes(set), kTries) == SearchResult::kNone;
  }

  void Reduce(Contradiction& set) {
    for (size_t i = set.buffers.size(); i-- > 0 && set.buffers.size() > 2;) {
      Contradiction less = set;
      less.buffers.erase(less.buffers.begin() + static_cast<std::ptrdiff_t>(i));
      if (Contradicts(less)) set = std::move(less);
    }
  }

  const Problem& problem_;
  PairRules rules_;
  SearchBudget budget_;
};

// "2 to 3 or 8"
std::string DescribeRanges(const std::vector<DifferenceRange>& ranges) {
  std::string text;
  for (const DifferenceRange& range : ranges) {
    text += text.empty() ? "" : " or ";
    text += range.first == range.last ? fmt::to_string(range.first)
                                      : fmt::format("{} to {}", range.first, range.last);
  }
  return text;
}

std::string DescribeRule(const Problem& problem, const PairRules& rules, int32_t a, int32_t b) {
  const auto name = [&](int32_t buffer) -> const std::string& {
    return problem.buffers[Index(buffer)].name;
  };
  const Relation* relation = rules.FindRelation(a, b);
  if (relation != nullptr && relation->kind == RelationKind::kOffsetDifference) {
    return fmt::format("the offset of `{}` minus that of `{}` is {}", name(relation->b),
                       name(relation->a), DescribeRanges(relation->allowed));
  }
  if (relation != nullptr && relation->kind == RelationKind::kDisjoint)
    return fmt::format("`{}` and `{}` are disjoint", name(a), name(b));
  if (rules.Conflict(a, b)) return fmt::format("`{}` and `{}` are live together", name(a), name(b));
  return {};
}

}  // namespace

std::optional<Contradiction> FindContradiction(const Problem& problem, const PlanOptions& options) {
  return Finder(problem, options).Run();
}

std::string DescribeContradiction(const Problem& problem, const Contradiction& contradiction) {
  const PairRules rules(problem);
  std::string text = fmt::format("does not fit: rules contradict each other in pool `{}`",
                                 problem.pools[Index(contradiction.pool)].name);
  const char* separator = ": ";
  const auto add = [&](const std::string& rule) {
    if (rule.empty()) return;
    text += separator + rule;
    separator = "; ";
  };
  for (const int32_t buffer : contradiction.buffers) {
    const Buffer& of = problem.buffers[Index(buffer)];
    if (of.fixed_offset) add(fmt::format("`{}` has offset {}", of.name, *of.fixed_offset));
  }
  for (size_t i = 0; i < contradiction.buffers.size(); ++i) {
    for (size_t j = i + 1; j < contradiction.buffers.size(); ++j)
      add(DescribeRule(problem, rules, contradiction.buffers[i], contradiction.buffers[j]));
  }
  return text;
}

}  // namespace tenon::planner
