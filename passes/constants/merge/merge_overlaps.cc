// The greedy algorithm for shortest common superstrings: the longest overlap is joined first.
// Polynomial hashes of ends and beginnings propose pairs, bytes decide, and a union-find forest
// excludes circles.

#include <algorithm>
#include <cstring>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "passes/constants/merge/merge_engine.h"
#include "support/check.h"
#include "support/file_pages.h"

namespace tenon::merging {

namespace {

/// Limits on the recorded beginnings and ends, and on the compared bytes: beyond them, only shorter
/// overlaps are found.
constexpr size_t kMostEntries = size_t{4} << 20;
constexpr int64_t kMostCompared = int64_t{256} << 20;
/// The base of string hashes: sums of bytes times powers of this base, modulo 2^64.
constexpr uint64_t kBase = 0x9e3779b97f4a7c15U;

constexpr size_t kNone = SIZE_MAX;

/// An end of `length` bytes.
struct End {
  size_t length = 0;
  size_t item = 0;
  uint64_t hash = 0;
};

class OverlapFinder {
 public:
  explicit OverlapFinder(std::span<const Item> items)
      : items_(items),
        bytes_(items.size()),
        next_(items.size(), kNone),
        previous_(items.size(), kNone),
        overlap_(items.size(), 0),
        chain_(items.size()),
        joined_(items.size()) {}

  /// Processes items of one family.
  void Find(std::vector<size_t> members) {
    std::erase_if(members, [&](size_t i) { return !Read(i); });
    if (members.size() < 2) return;
    size_t stride = SIZE_MAX;
    for (const size_t i : members)
      stride = std::min(stride, static_cast<size_t>(items_[i].alignment));
    // An item has one entry for each possible length.
    TENON_CHECK(stride > 0);
    size_t longest = static_cast<size_t>(kMostOverlap);
    while (longest > static_cast<size_t>(kLeastOverlap) &&
           members.size() > kMostEntries / (longest / stride + 1)) {
      longest /= 2;
      is_limited = true;
    }
    std::vector<bool> wanted(longest + 1);
    std::vector<End> ends;
    for (const size_t i : members) AddEnds(i, stride, longest, wanted, ends);
    for (const size_t i : members) AddBeginnings(i, wanted);
    std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
      return std::tuple(b.length, a.item) < std::tuple(a.length, b.item);
    });
    for (const End& end : ends) Join(end);
    beginnings_.clear();
  }

  std::vector<Chain> Chains() const {
    std::vector<Chain> chains;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (previous_[i] != kNone || next_[i] == kNone) continue;
      Chain& chain = chains.emplace_back();
      int64_t offset = 0;
      for (size_t at = i; at != kNone; at = next_[at]) {
        chain.parts.push_back({at, offset});
        chain.size_bytes = offset + items_[at].data->size_bytes();
        offset = chain.size_bytes - static_cast<int64_t>(overlap_[at]);
      }
    }
    return chains;
  }

  bool is_limited = false;

 private:
  bool Read(size_t i) {
    const Constant& data = *items_[i].data;
    if (items_[i].is_fixed || data.source().kind == ConstantSource::Kind::kHash ||
        data.size_bytes() <= kLeastOverlap || data.size_bytes() >= kMostJoined)
      return false;
    const absl::StatusOr<PagedBytes> paged = data.Paged();
    if (!paged.ok()) return false;
    bytes_[i] = *paged;
    chain_[i] = i;
    joined_[i] = data.size_bytes();
    return true;
  }

  void AddEnds(size_t i, size_t stride, size_t longest, std::vector<bool>& wanted,
               std::vector<End>& ends) const {
    const std::string_view bytes = bytes_[i].bytes;
    // From the last byte on: each earlier byte has the next higher power.
    uint64_t hash = 0;
    uint64_t power = 1;
    for (size_t length = 1; length <= longest && length < bytes.size(); ++length) {
      const size_t at = bytes.size() - length;
      hash += (static_cast<uint8_t>(bytes[at]) + 1U) * power;
      power *= kBase;
      if (length < static_cast<size_t>(kLeastOverlap) || at % stride != 0) continue;
      wanted[length] = true;
      ends.push_back({length, i, hash});
    }
    DropPages({bytes.substr(bytes.size() - std::min(bytes.size(), longest)), bytes_[i].is_mapped});
  }

  void AddBeginnings(size_t i, const std::vector<bool>& wanted) {
    const std::string_view bytes = bytes_[i].bytes;
    uint64_t hash = 0;
    for (size_t length = 1; length < wanted.size() && length < bytes.size(); ++length) {
      hash = hash * kBase + static_cast<uint8_t>(bytes[length - 1]) + 1U;
      if (wanted[length]) beginnings_[{length, hash}].push_back(i);
    }
    DropPages({bytes.substr(0, wanted.size()), bytes_[i].is_mapped});
  }

  size_t ChainOf(size_t i) {
    while (chain_[i] != i) i = chain_[i] = chain_[chain_[i]];
    return i;
  }

  void Join(const End& end) {
    if (next_[end.item] != kNone) return;
    const auto found = beginnings_.find({end.length, end.hash});
    if (found == beginnings_.end()) return;
    std::vector<size_t>& candidates = found->second;
    std::erase_if(candidates, [&](size_t i) { return previous_[i] != kNone; });
    // Only the first few of many candidates with the same beginning are tried.
    constexpr size_t kTries = 16;
    for (size_t k = 0; k < candidates.size() && k < kTries; ++k) {
      if (!MayFollow(end, candidates[k])) continue;
      Link(end, candidates[k]);
      return;
    }
  }

  bool MayFollow(const End& end, size_t follower) {
    TENON_DCHECK(end.length <= bytes_[end.item].bytes.size());
    if (items_[follower].alignment > items_[end.item].alignment) return false;
    const int64_t at = items_[end.item].data->size_bytes() - static_cast<int64_t>(end.length);
    if (at % items_[follower].alignment != 0) return false;
    const size_t a = ChainOf(end.item);
    const size_t b = ChainOf(follower);
    if (a == b || joined_[a] + joined_[b] > kMostJoined) return false;
    compared_ += static_cast<int64_t>(end.length);
    is_limited |= compared_ > kMostCompared;
    if (compared_ > kMostCompared) return false;
    const std::string_view mine = bytes_[end.item].bytes;
    return mine.substr(mine.size() - end.length) == bytes_[follower].bytes.substr(0, end.length);
  }

  void Link(const End& end, size_t follower) {
    TENON_CHECK(next_[end.item] == kNone && previous_[follower] == kNone);
    next_[end.item] = follower;
    previous_[follower] = end.item;
    overlap_[end.item] = end.length;
    const size_t a = ChainOf(end.item);
    const size_t b = ChainOf(follower);
    chain_[b] = a;
    joined_[a] += joined_[b] - static_cast<int64_t>(end.length);
  }

  std::span<const Item> items_;
  std::vector<PagedBytes> bytes_;
  std::vector<size_t> next_;
  std::vector<size_t> previous_;
  std::vector<size_t> overlap_;  ///< with the next
  std::vector<size_t> chain_;    ///< parent in a union-find forest of chains
  std::vector<int64_t> joined_;  ///< bytes of the chain, at its root
  absl::flat_hash_map<std::pair<size_t, uint64_t>, std::vector<size_t>> beginnings_;
  int64_t compared_ = 0;
};

}  // namespace

Overlaps FindOverlaps(std::span<const Item> items) {
  std::vector<std::vector<size_t>> families;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].family >= families.size()) families.resize(items[i].family + 1);
    families[items[i].family].push_back(i);
  }
  OverlapFinder finder(items);
  for (std::vector<size_t>& family : families) finder.Find(std::move(family));
  return {finder.Chains(), finder.is_limited};
}

}  // namespace tenon::merging
