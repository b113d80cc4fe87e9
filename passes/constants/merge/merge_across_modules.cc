// All modules are searched at once with the engine of merge-constants. Only blocks that several
// modules use move to common pools, those with large alignments first: only their sizes then cause
// padding.

#include "passes/constants/merge/merge_across_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/constant_layout.h"
#include "ir/analysis/constant_section.h"
#include "ir/attributes.h"
#include "ir/loaded_constants.h"
#include "ir/memory_pools.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "passes/constants/merge/merge_collect.h"
#include "passes/constants/merge/merge_engine.h"
#include "passes/constants/merge/merge_places.h"
#include "support/checked.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

using merging::Item;
using merging::Place;

/// The required storage of a constant: its section and alignment.
struct Home {
  std::string section;
  int64_t alignment = 1;
};

/// Nullopt if the constant must stay in its module unchanged.
std::optional<Home> HomeOf(const AllocateConst& allocate) {
  const Constant* data = allocate.data;
  if (data == nullptr || data->size_bytes() == 0) return std::nullopt;
  const Constant& root = *RootOf(*data).data;
  const std::string_view scope = allocate.buffer_var->type->scope.view();
  if (root.source().kind == ConstantSource::Kind::kHash || ReadPlacement(allocate.annotations) ||
      ReadLoadPool(allocate.annotations) || (!scope.empty() && scope != "global"))
    return std::nullopt;
  for (const Constant* constant : {data, &root}) {
    const ConstantPlacement& placement = constant->placement();
    if (placement.address_significant || !placement.load.empty()) return std::nullopt;
  }
  Home home{std::string(SectionOf(*data)), 1};
  const std::vector<PoolInfo> candidates = ReadCandidates(allocate.annotations);
  if (candidates.empty()) return home;
  const PoolInfo& pool = candidates[0];
  if (!pool.is_internal || !pool.is_constant || pool.size_hint_bytes >= 0 ||
      !IsPowerOfTwo(pool.alignment) || pool.alignment > kMostPoolAlignment)
    return std::nullopt;
  home.alignment = pool.alignment;
  if (!pool.section.empty()) home.section = pool.section;
  return home;
}

/// An allocation that may share bytes.
struct Use {
  size_t module = 0;
  Symbol function;
  const AllocateConst* allocate = nullptr;
};

/// The shared place of an allocation's bytes.
struct PlacedUse {
  size_t pool = 0;
  int64_t offset = 0;
};
using PlacedUses = absl::flat_hash_map<const AllocateConst*, PlacedUse>;

/// Finds the shared bytes, and lays them out.
class Sharer {
 public:
  Sharer(std::span<IRModule* const> modules, const ShareConstantsOptions& options)
      : modules_(modules),
        options_(options),
        collection_(merging::CollectConstants(
            std::vector<const IRModule*>(modules.begin(), modules.end()), options.alignment)),
        places_(collection_.items) {}

  absl::Status Share() {
    Merge();
    FindUses();
    const ConstantLayout layout = LayOutConstants(constants_);
    TENON_TRY(AddBlocks(layout));
    for (size_t i = 0; i < uses_.size(); ++i) {
      const ConstantLayout::Place& place = layout.places[i];
      const auto found = block_of_.find(place.block);
      if (found == block_of_.end()) continue;
      const auto [pool, index] = found->second;
      SharedConstantBlock& block = pools[pool].blocks[index];
      const Use& use = uses_[i];
      const Constant& data = *use.allocate->data;
      const std::string_view name =
          data.name().empty() ? use.allocate->buffer_var->name.view() : data.name().view();
      block.uses.push_back({use.module, std::string(use.function.view()), std::string(name),
                            block.offset + place.offset, data.size_bytes(), use.allocate->dtype});
      placed.emplace(use.allocate, PlacedUse{pool, block.offset + place.offset});
    }
    return absl::OkStatus();
  }

  std::vector<SharedConstantPool> pools;
  PlacedUses placed;

 private:
  /// Decides which constants' bytes are within other constants.
  void Merge() {
    const std::vector<size_t> first = merging::FindEqual(collection_.items);
    for (size_t i = 0; i < first.size(); ++i) places_.Put(i, {first[i], 0});
    if (options_.level == "exact") return;
    std::vector<size_t> indices;
    const std::vector<Item> left = places_.Left(indices);
    const merging::Containment contained = merging::FindContained(left);
    for (size_t k = 0; k < left.size(); ++k) {
      const Place& place = contained.places[k];
      places_.Put(indices[k], {indices[place.item], place.offset});
    }
  }

  /// Collects the uses that may be shared, as slices of the constants that they are merged into.
  void FindUses() {
    for (size_t i = 0; i < modules_.size(); ++i) {
      for (const Function& function : modules_[i]->functions()) {
        Walk(function.func->body, [&](const Node* node) {
          if (const auto* allocate = dyn_cast<AllocateConst>(node))
            AddUse({i, function.name, allocate});
          return Stmt::ClassOf(node);
        });
      }
    }
  }

  void AddUse(const Use& use) {
    for (const PoolInfo& pool : ReadCandidates(use.allocate->annotations)) taken_.insert(pool.name);
    const std::optional<Home> home = HomeOf(*use.allocate);
    if (!home || !seen_.insert(use.allocate).second) return;
    const Constant& data = *use.allocate->data;
    const ConstantRoot root = RootOf(data);
    const auto found = collection_.index.find(root.data);
    if (found == collection_.index.end()) return;
    const auto [pool, is_new] = pool_of_.try_emplace(home->section, pools.size());
    if (is_new) pools.emplace_back().section = home->section;
    const int64_t alignment = std::max(AlignmentOf(data, options_.alignment), home->alignment);
    uses_.push_back(use);
    constants_.push_back({InItem(data, found->second, root.offset), alignment, pool->second});
  }

  /// `data`, the bytes of an item from `offset` on, as a part of the item that contains them.
  const Constant* InItem(const Constant& data, size_t item, int64_t offset) {
    const Place place = places_.Resolve(item);
    if (place.item == item) return &data;
    ConstantSource source;
    source.kind = ConstantSource::Kind::kSlice;
    source.base = collection_.items[place.item].data;
    source.offset = place.offset + offset;
    return modules_[0]->context().AddConstant(data.name(), data.dtype(), data.shape(),
                                              std::move(source), data.placement(), data.range());
  }

  /// Adds blocks that several modules use, those with large alignments first: only their sizes then
  /// cause padding.
  absl::Status AddBlocks(const ConstantLayout& layout) {
    std::vector<std::set<size_t>> modules(layout.blocks.size());
    std::vector<size_t> pool_of(layout.blocks.size());
    for (size_t i = 0; i < uses_.size(); ++i) {
      modules[layout.places[i].block].insert(uses_[i].module);
      pool_of[layout.places[i].block] = constants_[i].group;
    }
    std::vector<size_t> order;
    for (size_t i = 0; i < layout.blocks.size(); ++i) {
      if (modules[i].size() > 1) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return layout.blocks[a].alignment > layout.blocks[b].alignment;
    });
    for (const size_t i : order) {
      const ConstantBlock& from = layout.blocks[i];
      SharedConstantPool& pool = pools[pool_of[i]];
      const std::optional<int64_t> offset = CheckedAlignUp(pool.size_bytes, from.alignment);
      if (!offset || *offset > kSizeLimit - from.size_bytes())
        return absl::ResourceExhaustedError("the constants of all models are too large");
      SharedConstantBlock block{from.data,      from.begin, from.size_bytes(),
                                from.alignment, *offset,    {}};
      pool.size_bytes = *offset + from.size_bytes();
      pool.alignment = std::max(pool.alignment, from.alignment);
      block_of_[i] = {pool_of[i], pool.blocks.size()};
      pool.blocks.push_back(std::move(block));
    }
    NamePools();
    return absl::OkStatus();
  }

  void NamePools() {
    const std::string base = options_.prefix + "_const_workspace";
    for (SharedConstantPool& pool : pools) {
      if (pool.blocks.empty()) continue;
      pool.name = base;
      for (int n = 1; !taken_.insert(pool.name).second; ++n)
        pool.name = fmt::format("{}_{}", base, n);
    }
  }

  std::span<IRModule* const> modules_;
  const ShareConstantsOptions& options_;
  merging::Collection collection_;
  merging::ItemPlaces places_;
  /// The uses, and the input of LayOutConstants for each.
  std::vector<Use> uses_;
  std::vector<ConstantUse> constants_;
  absl::flat_hash_set<const AllocateConst*> seen_;
  /// By section.
  absl::flat_hash_map<std::string, size_t> pool_of_;
  /// The names of pools.
  absl::flat_hash_set<std::string> taken_;
  /// The pool of each shared block, and its index in the pool's list.
  absl::flat_hash_map<size_t, std::pair<size_t, size_t>> block_of_;
};

/// Records the places.
class Placer : public Rewriter<Placer> {
 public:
  Placer(Context& context, std::shared_ptr<Storage> storage,
         const std::vector<SharedConstantPool>& pools, const PlacedUses& placed,
         const std::string& header)
      : Rewriter(context, std::move(storage)),
        pools_(pools),
        placed_(placed),
        header_(header),
        attrs_(pools.size(), nullptr) {}

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    const AllocateConst* now = RewriteChildren(allocate);
    const auto found = placed_.find(allocate);
    if (found == placed_.end()) return now;
    const auto& [pool, offset] = found->second;
    const Attr* candidates[] = {PoolAttr(pool)};
    const Attr* note[] = {builder().StringValue(pools_[pool].name),
                          builder().ExprValue(builder().Int(DataType::Int(64), offset))};
    AllocateConst copy = *now;
    copy.annotations = builder().With(now->annotations, attr_key::kCandidateMemoryPools,
                                      builder().Array(candidates));
    copy.annotations =
        builder().With(copy.annotations, attr_key::kPlacement, builder().Array(note));
    return arena().New<AllocateConst>(copy);
  }

 private:
  const Attr* PoolAttr(size_t index) {
    if (attrs_[index] != nullptr) return attrs_[index];
    PoolInfo pool;
    pool.name = pools_[index].name;
    pool.is_constant = true;
    pool.is_internal = true;
    pool.alignment = pools_[index].alignment;
    pool.section = pools_[index].section;
    pool.header = header_;
    return attrs_[index] = MakePoolInfo(builder(), pool);
  }

  const std::vector<SharedConstantPool>& pools_;
  const PlacedUses& placed_;
  const std::string& header_;
  std::vector<const Attr*> attrs_;
};

/// The bytes of a block that a module uses, or that any module uses.
int64_t BytesUsed(const SharedConstantBlock& block, std::optional<size_t> module) {
  std::vector<std::pair<int64_t, int64_t>> intervals;
  for (const SharedConstantBlock::Use& use : block.uses) {
    if (!module || use.module == *module)
      intervals.emplace_back(use.offset, use.offset + use.size_bytes);
  }
  std::sort(intervals.begin(), intervals.end());
  int64_t bytes = 0;
  int64_t end = 0;
  for (const auto& [first, last] : intervals) {
    bytes += std::max<int64_t>(last - std::max(first, end), 0);
    end = std::max(end, last);
  }
  return bytes;
}

}  // namespace

absl::StatusOr<std::vector<SharedConstantPool>> ShareConstants(
    std::span<IRModule* const> modules, const ShareConstantsOptions& options) {
  if (modules.size() < 2) return std::vector<SharedConstantPool>();
  Sharer sharer(modules, options);
  TENON_TRY(sharer.Share());
  for (IRModule* module : modules) {
    const std::vector<Function> functions = module->functions();
    for (const Function& function : functions) {
      module->Update(RewriteFunction<Placer>(module->context(), function, sharer.pools,
                                             sharer.placed, options.header));
    }
  }
  std::erase_if(sharer.pools, [](const SharedConstantPool& pool) { return pool.blocks.empty(); });
  return std::move(sharer.pools);
}

namespace {

/// `a.w = b.part [16, 20)`; equal names in several functions of a model occur once.
std::string UsesText(const SharedConstantBlock& block, std::span<const std::string> modules) {
  std::vector<std::pair<std::string, int>> uses;
  absl::flat_hash_map<std::string, size_t> places;
  for (const SharedConstantBlock::Use& use : block.uses) {
    const int64_t at = use.offset - block.offset;
    const bool is_all = at == 0 && use.size_bytes == block.size_bytes;
    std::string text = fmt::format("{}.{}{}", modules[use.module], use.name,
                                   is_all ? "" : fmt::format(" [{}, {})", at, at + use.size_bytes));
    const auto [place, is_new] = places.try_emplace(text, uses.size());
    if (is_new) uses.emplace_back(std::move(text), 0);
    ++uses[place->second].second;
  }
  std::string out;
  for (const auto& [text, count] : uses) {
    out += fmt::format("{}{}{}", out.empty() ? "" : " = ", text,
                       count == 1 ? "" : fmt::format(" ({} times)", count));
  }
  return out;
}

}  // namespace

std::string SharedConstantsText(std::span<const SharedConstantPool> pools,
                                std::span<const std::string> modules) {
  if (pools.empty()) return "no constants in common\n";
  std::string out;
  std::vector<int64_t> used(modules.size(), 0);
  int64_t stored = 0;
  for (const SharedConstantPool& pool : pools) {
    out += fmt::format("{}: {} bytes{}\n", pool.name, pool.size_bytes,
                       pool.section.empty() ? "" : ", section " + pool.section);
    for (const SharedConstantBlock& block : pool.blocks) {
      out += fmt::format("  {:>8} {:>8}  ", block.offset, block.size_bytes);
      out += UsesText(block, modules);
      out += '\n';
      for (size_t i = 0; i < modules.size(); ++i) used[i] += BytesUsed(block, i);
      stored += BytesUsed(block, std::nullopt);
    }
  }
  int64_t sum = 0;
  for (size_t i = 0; i < modules.size(); ++i) {
    sum += used[i];
    out += fmt::format("{}: {} bytes in common pools\n", modules[i], used[i]);
  }
  return out + fmt::format("saved: {} of {} bytes\n", sum - stored, sum);
}

}  // namespace tenon
