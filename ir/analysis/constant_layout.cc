#include "ir/analysis/constant_layout.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The bytes of a use.
struct ByteSpan {
  size_t use = 0;
  size_t family = 0;  ///< equal for uses that may share bytes
  const Constant* data = nullptr;
  int64_t begin = 0;
  int64_t end = 0;
};

/// The root that this use may share; the constant itself if it must not share bytes.
ConstantRoot SharedRoot(const ConstantUse& use) {
  TENON_CHECK(use.data != nullptr && use.alignment > 0);
  const ConstantRoot root = RootOf(*use.data);
  const ConstantPlacement& own = use.data->placement();
  const ConstantPlacement& base = root.data->placement();
  const bool alike = (own.section.empty() || own.section == base.section) &&
                     (own.pools.empty() || own.pools == base.pools) && own.load == base.load &&
                     own.codec == base.codec;
  if (!alike || root.offset % use.alignment != 0) return {use.data, 0};
  return root;
}

}  // namespace

ConstantRoot RootOf(const Constant& constant) {
  ConstantRoot root{&constant, 0};
  while (root.data->source().kind == ConstantSource::Kind::kSlice) {
    root.offset += root.data->source().offset;
    root.data = root.data->source().base;
  }
  return root;
}

int64_t AlignmentOf(const Constant& constant, int64_t least) {
  const int64_t said = constant.placement().alignment;
  const bool is_slice = constant.source().kind == ConstantSource::Kind::kSlice;
  // A power of two, even for elements whose size is not one.
  const auto natural = static_cast<int64_t>(std::bit_floor(
      static_cast<uint64_t>(std::max<int64_t>(constant.dtype().element_bytes(), 1))));
  return std::max(natural, is_slice && said > 0 ? said : std::max(said, least));
}

ConstantLayout LayOutConstants(std::span<const ConstantUse> uses) {
  ConstantLayout layout;
  layout.places.resize(uses.size());
  absl::flat_hash_map<std::pair<const Constant*, size_t>, size_t> families;
  std::vector<ByteSpan> spans;
  for (size_t i = 0; i < uses.size(); ++i) {
    const ConstantRoot root = SharedRoot(uses[i]);
    const size_t family =
        families.try_emplace({root.data, uses[i].group}, families.size()).first->second;
    spans.push_back({i, family, root.data, root.offset, root.offset + uses[i].data->size_bytes()});
  }
  std::vector<size_t> order(uses.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(spans[a].family, spans[a].begin, a) <
           std::tuple(spans[b].family, spans[b].begin, b);
  });

  // Overlapping spans form a block. Afterwards the blocks are sorted by their first uses.
  std::vector<ConstantBlock> blocks;
  std::vector<size_t> first_use;
  size_t family = SIZE_MAX;
  for (const size_t index : order) {
    const ByteSpan& span = spans[index];
    TENON_CHECK(family == SIZE_MAX || !blocks.empty());
    // A use of no bytes gets its own block, or lies in or at the end of another.
    if (family != span.family || (span.begin >= blocks.back().end && span.begin != span.end) ||
        span.begin > blocks.back().end) {
      blocks.push_back({span.data, span.begin, span.end, 1, span.use});
      first_use.push_back(span.use);
      family = span.family;
    }
    ConstantBlock& block = blocks.back();
    block.end = std::max(block.end, span.end);
    block.alignment = std::max(block.alignment, uses[span.use].alignment);
    const int64_t most = uses[block.largest_use].data->size_bytes();
    const int64_t own = uses[span.use].data->size_bytes();
    if (own > most || (own == most && span.use < block.largest_use)) block.largest_use = span.use;
    first_use.back() = std::min(first_use.back(), span.use);
    layout.places[span.use].block = blocks.size() - 1;
  }
  std::vector<size_t> by_use(blocks.size());
  for (size_t i = 0; i < by_use.size(); ++i) by_use[i] = i;
  std::sort(by_use.begin(), by_use.end(),
            [&](size_t a, size_t b) { return first_use[a] < first_use[b]; });
  std::vector<size_t> position(blocks.size());
  for (size_t i = 0; i < by_use.size(); ++i) {
    position[by_use[i]] = i;
    ConstantBlock block = blocks[by_use[i]];
    block.begin -= block.begin % block.alignment;
    layout.blocks.push_back(block);
  }
  for (size_t i = 0; i < uses.size(); ++i) {
    ConstantLayout::Place& place = layout.places[i];
    TENON_CHECK(place.block < position.size());
    place.block = position[place.block];
    place.offset = spans[i].begin - layout.blocks[place.block].begin;
  }
  return layout;
}

}  // namespace tenon
