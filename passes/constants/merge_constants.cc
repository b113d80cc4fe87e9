// Equal bytes come first, then constants inside others, then overlapping ends: each search sees
// only the items that earlier ones left. ItemPlaces keeps the decisions, and constants are replaced
// once, at the end.

#include "passes/constants/merge_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ir/analysis/constant_layout.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "passes/constants/constant_entries.h"
#include "passes/constants/merge/merge_collect.h"
#include "passes/constants/merge/merge_engine.h"
#include "passes/constants/merge/merge_places.h"
#include "support/checked.h"

namespace tenon {

namespace {

using merging::Item;
using merging::Place;
using ConstantMap = absl::flat_hash_map<const Constant*, const Constant*>;

constexpr std::string_view kExact = "exact";
constexpr std::string_view kSubrange = "subrange";

struct Saved {
  int64_t constants = 0;
  int64_t bytes = 0;
  void Add(int64_t size) {
    ++constants;
    bytes += size;
  }
};

struct Statistics {
  Saved exact, across_types, in_sections, contained, overlapping;
  bool is_limited = false;
};

/// Decides where each item's bytes are, and makes the corresponding constants.
class Merger {
 public:
  Merger(const IRModule& module, merging::Collection collection, int64_t least_alignment)
      : module_(module),
        context_(module.context()),
        collection_(std::move(collection)),
        least_alignment_(least_alignment),
        names_(module.context()),
        places_(collection_.items),
        base_of_(collection_.items.size(), nullptr) {
    for (const Constant* constant : module.constants) names_.Take(constant->name());
  }

  void MergeEqual() {
    const std::vector<size_t> first = merging::FindEqual(items());
    for (size_t i = 0; i < first.size(); ++i) {
      if (first[i] == i) continue;
      const Constant& one = *items()[i].data;
      const Constant& other = *items()[first[i]].data;
      statistics.exact.Add(one.size_bytes());
      if (one.dtype() != other.dtype() || one.shape() != other.shape())
        statistics.across_types.Add(one.size_bytes());
      if (!one.placement().section.empty()) statistics.in_sections.Add(one.size_bytes());
      places_.Put(i, {first[i], 0});
    }
  }

  void MergeSubranges() {
    std::vector<size_t> left;
    std::vector<Item> items = places_.Left(left);
    const merging::Containment contained = merging::FindContained(items);
    for (size_t k = 0; k < left.size(); ++k) {
      const Place& place = contained.places[k];
      if (place.item == k) continue;
      statistics.contained.Add(items[k].data->size_bytes());
      places_.Put(left[k], {left[place.item], place.offset});
    }
    items = places_.Left(left);
    const merging::Overlaps overlaps = merging::FindOverlaps(items);
    statistics.is_limited = contained.is_limited || overlaps.is_limited;
    for (const merging::Chain& chain : overlaps.chains) Join(chain, items, left);
  }

  /// The replacements of constants. Call once.
  ConstantMap MakeConstants() {
    FinishBases();
    ConstantMap map;
    for (const auto& [constant, name] : collection_.used) {
      const ConstantRoot root = RootOf(*constant);
      const auto found = collection_.index.find(root.data);
      if (found == collection_.index.end()) continue;
      const Constant* now = Replacement(*constant, name, found->second, root.offset);
      if (now != constant) map.emplace(constant, now);
    }
    return map;
  }

  /// The module's table: replacements are at the places of their entries, the rest follows.
  std::vector<const Constant*> Table(const ConstantMap& map) const {
    std::vector<const Constant*> table;
    absl::flat_hash_set<const Constant*> there;
    const auto add = [&](const Constant* constant) {
      if (there.insert(constant).second) table.push_back(constant);
    };
    const auto add_with_base = [&](const Constant* constant) {
      const Constant* root = RootOf(*constant).data;
      if (!root->name().empty()) add(root);
      add(constant);
    };
    for (const Constant* constant : module_.constants) {
      const auto found = map.find(constant);
      add_with_base(found != map.end() ? found->second : StandIn(constant));
    }
    for (const auto& [constant, name] : collection_.used) {
      const auto found = map.find(constant);
      if (found != map.end() && !found->second->name().empty()) add_with_base(found->second);
    }
    return table;
  }

  Statistics statistics;

 private:
  std::vector<Item>& items() { return collection_.items; }

  /// The current form of a constant that is only used through slices.
  const Constant* StandIn(const Constant* constant) const {
    const auto found = collection_.index.find(constant);
    if (found == collection_.index.end() || !places_.HoldsItself(found->second)) return constant;
    return base_of_[found->second];
  }

  /// Makes the constant that contains all parts of a chain.
  void Join(const merging::Chain& chain, const std::vector<Item>& items,
            const std::vector<size_t>& indices) {
    std::vector<uint8_t> bytes(static_cast<size_t>(chain.size_bytes));
    const Item& head = items[chain.parts[0].item];
    DataType dtype = head.data->dtype().element();
    int64_t parts_bytes = 0;
    for (const Place& part : chain.parts) {
      const Constant& data = *items[part.item].data;
      const std::span<const uint8_t> own = *data.Bytes();
      std::memcpy(bytes.data() + part.offset, own.data(), own.size());
      if (data.dtype().element() != dtype || part.offset % dtype.element_bytes() != 0)
        dtype = DataType::UInt(8);
      parts_bytes += data.size_bytes();
    }
    statistics.overlapping.constants += static_cast<int64_t>(chain.parts.size()) - 1;
    statistics.overlapping.bytes += parts_bytes - chain.size_bytes;
    ConstantPlacement placement = head.data->placement();
    placement.alignment = head.alignment;
    const Constant* joined = context_.AddConstant(
        names_.Make(context_.Intern("merged")), dtype, {chain.size_bytes / dtype.element_bytes()},
        std::move(bytes), std::move(placement), head.data->range());
    const size_t index = places_.Add({joined, head.alignment, head.family, false});
    base_of_.push_back(joined);
    for (const Place& part : chain.parts) places_.Put(indices[part.item], {index, part.offset});
  }

  /// Gives constants that contain others names, and the alignment that all of them need.
  void FinishBases() {
    std::vector<bool> holds(items().size());
    for (size_t i = 0; i < items().size(); ++i) {
      if (!places_.HoldsItself(i)) holds[places_.Resolve(i).item] = true;
    }
    absl::flat_hash_map<const Constant*, Symbol> variable_of;
    for (const auto& [constant, name] : collection_.used) variable_of.emplace(constant, name);
    for (size_t i = 0; i < items().size(); ++i) {
      if (base_of_[i] != nullptr) continue;
      const Constant* data = items()[i].data;
      base_of_[i] = data;
      if (!holds[i] || items()[i].is_fixed) continue;
      const bool is_aligned = AlignmentOf(*data, least_alignment_) >= items()[i].alignment;
      if (is_aligned && !data->name().empty()) continue;
      ConstantPlacement placement = data->placement();
      if (!is_aligned) placement.alignment = items()[i].alignment;
      const auto variable = variable_of.find(data);
      const Symbol name = !data->name().empty()           ? data->name()
                          : variable == variable_of.end() ? names_.Make(context_.Intern("merged"))
                                                          : names_.Make(variable->second);
      base_of_[i] = context_.AddConstant(name, data->dtype(), data->shape(), data->source(),
                                         std::move(placement), data->range());
    }
  }

  /// The replacement of a constant that is the bytes of an item from `offset` on.
  const Constant* Replacement(const Constant& constant, Symbol variable, size_t item,
                              int64_t offset) {
    const Place place = places_.Resolve(item);
    const Constant* base = base_of_[place.item];
    const int64_t at = place.offset + offset;
    const bool is_item = constant.source().kind != ConstantSource::Kind::kSlice;
    if (place.item == item && base == items()[item].data) return &constant;
    if (is_item && at == 0 && base->dtype() == constant.dtype() &&
        base->shape() == constant.shape())
      return base;
    ConstantSource source;
    source.kind = ConstantSource::Kind::kSlice;
    source.base = base;
    source.offset = at;
    ConstantPlacement placement = constant.placement();
    placement.alignment = AlignmentOf(constant, least_alignment_);
    const Symbol name = !constant.name().empty() ? constant.name() : names_.Make(variable);
    return context_.AddConstant(name, constant.dtype(), constant.shape(), std::move(source),
                                std::move(placement), constant.range());
  }

  const IRModule& module_;
  Context& context_;
  merging::Collection collection_;
  int64_t least_alignment_;
  FreeNames names_;
  merging::ItemPlaces places_;
  /// The constant for each item that holds itself.
  std::vector<const Constant*> base_of_;
};

class MergedReplacer : public Rewriter<MergedReplacer> {
 public:
  MergedReplacer(Context& context, std::shared_ptr<Storage> storage, const ConstantMap& map)
      : Rewriter(context, std::move(storage)), map_(map) {}

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    const AllocateConst* now = RewriteChildren(allocate);
    const auto found = map_.find(now->data);
    if (found == map_.end()) return now;
    AllocateConst copy = *now;
    copy.data = found->second;
    return arena().New<AllocateConst>(copy);
  }

 private:
  const ConstantMap& map_;
};

bool LooksUpParams(const IRModule& module) {
  bool looks = false;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      const auto* call = dyn_cast<Call>(node);
      looks |= call != nullptr && call->op->kind == OpKind::kLookupParam;
      return !looks;
    });
  }
  return looks;
}

void Count(PassContext& context, const Statistics& statistics) {
  const auto count = [&](std::string_view name, const Saved& saved) {
    context.Count(fmt::format("merge-constants.{}", name), saved.constants);
    context.Count(fmt::format("merge-constants.{}_bytes", name), saved.bytes);
  };
  count("exact", statistics.exact);
  count("across_types", statistics.across_types);
  count("in_sections", statistics.in_sections);
  count("contained", statistics.contained);
  count("overlapping", statistics.overlapping);
  context.Count("merge-constants.limited", statistics.is_limited ? 1 : 0);
}

}  // namespace

absl::StatusOr<IRModule> MergeConstants(const IRModule& module,
                                        const MergeConstantsOptions& options,
                                        PassContext& context) {
  const std::string& level = options.level;
  if (level != kExact && level != kSubrange) {
    return absl::InvalidArgumentError(fmt::format("level {}, expected exact or subrange", level));
  }
  if (!IsPowerOfTwo(options.alignment) || options.alignment > (int64_t{1} << 30)) {
    return absl::InvalidArgumentError(
        fmt::format("alignment {}, expected a power of two of at most 2^30", options.alignment));
  }
  Merger merger(module, merging::CollectConstants(module, options.alignment), options.alignment);
  merger.MergeEqual();
  if (level == kSubrange) merger.MergeSubranges();
  const ConstantMap map = merger.MakeConstants();
  Count(context, merger.statistics);
  if (map.empty()) return module;
  std::vector<const Constant*> table = merger.Table(map);
  // Names that lookups refer to must stay in the table.
  if (LooksUpParams(module)) {
    for (const Constant* constant : module.constants) {
      const bool is_there = std::any_of(table.begin(), table.end(), [&](const Constant* other) {
        return other->name() == constant->name();
      });
      if (!is_there) table.push_back(constant);
    }
  }
  IRModule merged = ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<MergedReplacer>(module.context(), function, map);
  });
  merged.constants = std::move(table);
  return merged;
}

}  // namespace tenon
