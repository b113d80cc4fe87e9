// Candidates for an encoding come from the first store of a group, one for each prefix of its
// chain; other stores may only remove candidates. Forms compete in the order of preference: a later
// one must save bits.

#include "passes/fusion/choose_encodings.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/access_counts.h"
#include "ir/analysis/call_graph.h"
#include "ir/const_fold.h"
#include "ir/extents.h"
#include "passes/fusion/stored_values.h"

namespace tenon {

namespace {

/// Longer chains than any quantised operator has.
constexpr size_t kMostSteps = 12;

/// A chain that all stores of a group have in common, and its argument.
struct Candidate {
  Chain chain;
  DataType cut;
  Interval stored = Interval::Empty();
};

/// The chains that the stores of a group suggest.
struct Candidates {
  /// A store was seen that is neither a number nor a copy within the group.
  bool started = false;
  std::vector<Candidate> all;
  /// Numbers that are stored in addition to chains.
  absl::flat_hash_set<int64_t> numbers;
};

class Collector {
 public:
  Collector(const IRModule& module, const StorageGroups& groups,
            const std::vector<Interval>& values)
      : module_(module), groups_(groups), values_(values), candidates_(groups.size()) {
    number_of_ = [this](const Expr* expr) { return KnownNumber(expr, groups_, values_); };
  }

  std::vector<Candidates> Run() {
    for (size_t i = 0; i < module_.functions().size(); ++i) {
      ForEachStore(module_, i, groups_, values_, [&](const BufferStore& store, Analyzer& analyzer) {
        const int group = groups_.Of(store.buffer->data);
        if (group < 0 || groups_[static_cast<size_t>(group)].fixed) return;
        LookAtValue(store.value, group, analyzer);
      });
    }
    for (Candidates& candidates : candidates_) AddNumbers(candidates);
    return std::move(candidates_);
  }

 private:
  void LookAtValue(const Expr* value, int group, Analyzer& analyzer) {
    WithStack([&] {
      const Expr* condition = nullptr;
      const Expr* a = nullptr;
      const Expr* b = nullptr;
      Candidates& candidates = candidates_[static_cast<size_t>(group)];
      if (IsChoice(value, &condition, &a, &b)) {
        LookAtValue(a, group, analyzer);
        LookAtValue(b, group, analyzer);
      } else if (const auto number = number_of_(value)) {
        candidates.numbers.insert(*number);
      } else if (IsCopy(value, group)) {
        return;
      } else if (candidates.started) {
        Keep(candidates, value, analyzer);
      } else {
        Start(candidates, value, analyzer);
      }
    });
  }

  bool IsCopy(const Expr* value, int group) const {
    const auto* load = dyn_cast<BufferLoad>(value);
    return load != nullptr && groups_.Of(load->buffer->data) == group;
  }

  /// The storage can be cut after any operation of a chain, so each prefix of the first store's
  /// chain is a candidate. Keep() removes the prefixes that another store does not share.
  void Start(Candidates& candidates, const Expr* value, Analyzer& analyzer) {
    candidates.started = true;
    Chain chain;
    while (chain.size() < kMostSteps) {
      const Expr* inner = nullptr;
      const std::optional<ChainStep> step = AsChainStep(value, number_of_, &inner);
      if (!step.has_value()) return;
      chain.push_back(*step);
      candidates.all.push_back({chain, inner->dtype, analyzer.Bounds(inner)});
      value = inner;
    }
  }

  void Keep(Candidates& candidates, const Expr* value, Analyzer& analyzer) {
    std::erase_if(candidates.all, [&](Candidate& candidate) {
      const Expr* inner = MatchChain(value, candidate.chain, number_of_);
      if (inner == nullptr || inner->dtype != candidate.cut) return true;
      candidate.stored = Unite(candidate.stored, analyzer.Bounds(inner));
      return false;
    });
  }

  void AddNumbers(Candidates& candidates) {
    std::erase_if(candidates.all, [&](Candidate& candidate) {
      for (const int64_t number : candidates.numbers) {
        const Encoding encoding{{}, {}, candidate.cut, candidate.chain, 0, {}};
        const auto stored = EncodedNumber(module_.context(), encoding, number);
        if (!stored.has_value()) return true;
        candidate.stored = Unite(candidate.stored, Interval::Point(*stored));
      }
      return false;
    });
  }

  const IRModule& module_;
  const StorageGroups& groups_;
  const std::vector<Interval>& values_;
  NumberOf number_of_;
  std::vector<Candidates> candidates_;
};

/// Finds the constant that all readers of a group subtract.
class CentreFinder {
 public:
  CentreFinder(const IRModule& module, const StorageGroups& groups,
               const std::vector<Interval>& values)
      : groups_(groups), centres_(groups.size()) {
    number_of_ = [&](const Expr* expr) { return KnownNumber(expr, groups, values); };
    for (const Function& function : module.functions()) Look(function.func->body);
  }

  /// nullopt if readers subtract different constants, or none.
  std::optional<int64_t> Of(size_t group) const {
    const Centre& centre = centres_[group];
    return centre.differs ? std::nullopt : centre.value;
  }

 private:
  struct Centre {
    std::optional<int64_t> value;
    bool differs = false;
  };

  void Look(const Node* node) {
    WithStack([&] {
      if (isa<Buffer>(node)) return;
      int64_t number = 0;
      const BufferLoad* load = nullptr;
      if (Expr::ClassOf(node)) {
        load = AsCentred(static_cast<const Expr*>(node), number_of_, &number);
      }
      if (load != nullptr) {
        Add(load->buffer->data, number);
      } else if ((load = dyn_cast<BufferLoad>(node)) != nullptr) {
        Add(load->buffer->data, std::nullopt);
      }
      if (load == nullptr)
        return ForEachChild(node, [&](const Node* child, FieldRole) { Look(child); });
      for (const Expr* index : load->indices) Look(index);
    });
  }

  void Add(const Var* data, std::optional<int64_t> number) {
    const int group = groups_.Of(data);
    if (group < 0) return;
    Centre& centre = centres_[static_cast<size_t>(group)];
    centre.differs |= !number || (centre.value && *centre.value != *number);
    centre.value = number;
  }

  const StorageGroups& groups_;
  NumberOf number_of_;
  std::vector<Centre> centres_;
};

/// Counts the reads and writes of each allocation's storage in one run. Without an entry, functions
/// that no other function calls run once each.
absl::flat_hash_map<const Var*, AccessCount> CountsOf(const IRModule& module) {
  if (const Function* entry = module.Main()) return CountAccesses(module, *entry);
  absl::flat_hash_map<const Var*, AccessCount> all;
  const CallGraph calls(module);
  for (size_t i = 0; i < module.functions().size(); ++i) {
    if (calls.IsCalled(i)) continue;
    for (const auto& [var, count] : CountAccesses(module, module.functions()[i])) {
      all.emplace(var, count);
    }
  }
  return all;
}

class Chooser {
 public:
  Chooser(const IRModule& module, const StorageGroups& groups, const std::vector<Interval>& values,
          const NarrowStorageOptions& options)
      : groups_(groups),
        values_(values),
        options_(options),
        candidates_(Collector(module, groups, values).Run()),
        centres_(module, groups, values),
        counts_(CountsOf(module)) {}

  std::optional<Encoding> Choose(size_t index) const {
    const StorageGroup& group = groups_[index];
    const DataType wide = group.dtype;
    if (group.fixed || IsSmall(group)) return std::nullopt;
    if (wide == DataType::Int(8)) {
      if (options_.only_signed) return std::nullopt;
      return Centred(index);
    }
    if (wide.element_bytes() < 2) return std::nullopt;
    std::optional<Encoding> best;
    const auto consider = [&](Encoding encoding) {
      const std::optional<DataType> narrow =
          SmallestType(encoding.stored, wide, options_.only_signed);
      if (!narrow.has_value()) return;
      // Forms come in the order of preference: a later one must need fewer bits.
      if (best.has_value() && best->narrow.bits() <= narrow->bits()) return;
      encoding.narrow = *narrow;
      best = std::move(encoding);
    };
    if (wide.is_integer()) consider({wide, {}, wide, {}, 0, values_[index]});
    // A constant keeps its elements' values, so only its type may become narrower.
    if (!group.constants.empty()) return best;
    if (!group.has_vectors) ConsiderChains(index, true, consider);
    if (wide.is_integer()) ConsiderOffset(index, consider);
    if (!group.has_vectors && IsReadOnce(group)) ConsiderChains(index, false, consider);
    return best;
  }

 private:
  template <class F>
  void ConsiderChains(size_t index, bool cheap, F&& consider) const {
    for (const Candidate& candidate : candidates_[index].all) {
      if (IsCheap(candidate.chain) != cheap) continue;
      consider({groups_[index].dtype, {}, candidate.cut, candidate.chain, 0, candidate.stored});
    }
  }

  /// The least value becomes the least number of a type.
  template <class F>
  void ConsiderOffset(size_t index, F&& consider) const {
    const DataType wide = groups_[index].dtype;
    const Interval& values = values_[index];
    for (const int bits : {8, 16}) {
      if (values.is_empty() || !values.is_bounded()) return;
      const int64_t least = Interval::OfDType(DataType::Int(bits)).min;
      const Interval offset = Interval::Point(values.min) - Interval::Point(least);
      if (!FitsDType(offset, wide)) continue;
      consider({wide, {}, wide, {}, offset.min, values - offset});
    }
  }

  /// The store subtracts once what each reader would subtract. The numbers are natural then,
  /// which some processors multiply in fewer instructions.
  std::optional<Encoding> Centred(size_t index) const {
    const StorageGroup& group = groups_[index];
    const std::optional<int64_t> centre = centres_.Of(index);
    if (!centre || *centre == 0 || group.has_vectors || !group.constants.empty())
      return std::nullopt;
    const DataType narrow = DataType::UInt(8);
    for (const Candidate& candidate : candidates_[index].all) {
      const bool is_cast = candidate.chain.size() == 1 &&
                           candidate.chain[0].kind == NodeKind::kCast && candidate.cut.is_int();
      const Interval stored = candidate.stored - Interval::Point(*centre);
      if (!is_cast || candidate.stored.is_empty() || !FitsDType(candidate.stored, group.dtype) ||
          !FitsDType(stored, narrow))
        continue;
      return Encoding{group.dtype, narrow, candidate.cut, candidate.chain, *centre, stored};
    }
    return std::nullopt;
  }

  /// True if readers would compute a chain no more often than stores do now.
  bool IsReadOnce(const StorageGroup& group) const {
    AccessCount sum;
    for (const Allocate* allocate : group.allocations) {
      const auto found = counts_.find(allocate->buffer_var);
      if (found == counts_.end()) continue;
      const AccessCount& count = found->second;
      if (__builtin_add_overflow(sum.bytes_read, count.bytes_read, &sum.bytes_read)) return false;
      if (__builtin_add_overflow(sum.bytes_written, count.bytes_written, &sum.bytes_written))
        return false;
    }
    return sum.bytes_written > 0 && sum.bytes_read <= sum.bytes_written;
  }

  bool IsSmall(const StorageGroup& group) const {
    if (group.is_passed || !group.constants.empty()) return false;
    int64_t bytes = 0;
    for (const Allocate* allocate : group.allocations) {
      const auto size = StaticBytes(allocate->dtype, allocate->extents);
      if (!size.has_value()) return false;
      bytes = std::max(bytes, *size);
    }
    return bytes < options_.min_bytes;
  }

  const StorageGroups& groups_;
  const std::vector<Interval>& values_;
  const NarrowStorageOptions& options_;
  std::vector<Candidates> candidates_;
  CentreFinder centres_;
  absl::flat_hash_map<const Var*, AccessCount> counts_;
};

}  // namespace

const BufferLoad* AsCentred(const Expr* expr, const NumberOf& number_of, int64_t* centre) {
  const Expr* value = nullptr;
  const std::optional<ChainStep> step = AsChainStep(expr, number_of, &value);
  if (!step || !expr->dtype.is_int() || expr->dtype.bits() < 16) return nullptr;
  const bool is_sum = step->kind == NodeKind::kAdd;
  if (!is_sum && (step->kind != NodeKind::kSub || step->operand != 0)) return nullptr;
  const auto* widened = dyn_cast<Cast>(value);
  if (widened == nullptr || widened->value->dtype != DataType::Int(8)) return nullptr;
  const int64_t literal = step->literals[0].second;
  const int64_t least = std::numeric_limits<int8_t>::min();
  if (literal < least || literal > -least) return nullptr;
  *centre = is_sum ? -literal : literal;
  return dyn_cast<BufferLoad>(widened->value);
}

std::optional<int64_t> KnownNumber(const Expr* expr, const StorageGroups& groups,
                                   const std::vector<Interval>& values) {
  if (const Expr* number = AsImmediate(expr)) {
    return isa<IntImm>(number) ? std::optional<int64_t>(cast<IntImm>(number)->value) : std::nullopt;
  }
  const auto* load = dyn_cast<BufferLoad>(expr);
  const int group = load == nullptr ? -1 : groups.Of(load->buffer->data);
  if (group < 0) return std::nullopt;
  const auto at = static_cast<size_t>(group);
  if (!IsOneNumber(groups[at], values[at])) return std::nullopt;
  return values[at].min;
}

std::vector<std::optional<Encoding>> ChooseEncodings(const IRModule& module,
                                                     const StorageGroups& groups,
                                                     const std::vector<Interval>& values,
                                                     const NarrowStorageOptions& options) {
  const Chooser chooser(module, groups, values, options);
  std::vector<std::optional<Encoding>> encodings(groups.size());
  for (size_t i = 0; i < groups.size(); ++i) encodings[i] = chooser.Choose(i);
  return encodings;
}

}  // namespace tenon
