// A window of up to 16 bytes, the one with the most distinct bytes, stands for each small item.
// Each large item is scanned once: a filter of bits excludes most positions before a table is
// asked.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "passes/constants/merge/merge_engine.h"
#include "support/check.h"
#include "support/file_pages.h"

namespace tenon::merging {

namespace {

constexpr int64_t kComparedPerByte = 8;
constexpr int64_t kComparedAtLeast = int64_t{64} << 20;

/// The `kWidth` bytes from `at` on, as a number; a hash for 16 bytes.
template <size_t kWidth>
uint64_t WindowAt(const char* at) {
  uint64_t low = 0;
  std::memcpy(&low, at, std::min<size_t>(kWidth, 8));
  if constexpr (kWidth == 16) {
    uint64_t high;
    std::memcpy(&high, at + 8, 8);
    low = (low * 0x9e3779b97f4a7c15U) ^ std::rotl(high * 0xc2b2ae3d27d4eb4fU, 31);
  }
  return low;
}

uint64_t WindowAt(const char* at, size_t width) {
  switch (width) {
    case 1:
      return WindowAt<1>(at);
    case 2:
      return WindowAt<2>(at);
    case 4:
      return WindowAt<4>(at);
    case 8:
      return WindowAt<8>(at);
    default:
      return WindowAt<16>(at);
  }
}

/// An item whose window is being searched.
struct Anchored {
  size_t item = 0;
  size_t offset = 0;  ///< of the window within the item
};

/// Items by one of their windows, all of the same width.
struct Anchors {
  size_t stride = 0;
  size_t left = 0;
  /// A bit for each existing window, by its hash; it excludes most positions.
  std::vector<uint64_t> filter;
  int shift = 0;
  absl::flat_hash_map<uint64_t, std::vector<Anchored>> by_window;

  uint64_t BitOf(uint64_t window) const { return (window * 0xff51afd7ed558ccdU) >> shift; }
  bool MayHave(uint64_t window) const {
    TENON_DCHECK(!filter.empty());
    const uint64_t bit = BitOf(window);
    return ((filter[bit >> 6] >> (bit & 63)) & 1) != 0;
  }
};

class ContainedFinder {
 public:
  ContainedFinder(std::span<const Item> items, Containment& result)
      : items_(items), result_(result), paged_(items.size()) {}

  /// Processes items of one family.
  void Find(std::vector<size_t> members) {
    std::erase_if(members, [&](size_t i) { return !Read(i); });
    std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
      return paged_[a].bytes.size() > paged_[b].bytes.size();
    });
    for (Anchors& anchors : anchors_) anchors = {};
    for (const size_t i : members) CountIn(i);
    for (const size_t i : members) Enter(i);
    for (const size_t i : members) {
      if (result_.places[i].item != i) continue;
      Leave(i);
      ScanFor(i);
      if (result_.is_limited) return;
    }
  }

  int64_t compared_left = 0;

 private:
  bool Read(size_t i) {
    const Constant& data = *items_[i].data;
    const bool large =
        data.source().kind == ConstantSource::Kind::kSplat && data.size_bytes() > kMostExpanded;
    if (large || data.source().kind == ConstantSource::Kind::kHash || data.size_bytes() == 0)
      return false;
    const absl::StatusOr<PagedBytes> paged = data.Paged();
    if (!paged.ok()) return false;
    paged_[i] = *paged;
    return true;
  }

  /// The width of the widest window of an item with `size` bytes, as a logarithm to base 2.
  static size_t ClassOf(size_t size) {
    return static_cast<size_t>(std::bit_width(std::min<size_t>(size, 16))) - 1;
  }
  Anchors& AnchorsOf(size_t i) { return anchors_[ClassOf(paged_[i].bytes.size())]; }

  void CountIn(size_t i) {
    if (items_[i].is_fixed) return;
    Anchors& anchors = AnchorsOf(i);
    const auto alignment = static_cast<size_t>(items_[i].alignment);
    anchors.stride = anchors.left == 0 ? alignment : std::min(anchors.stride, alignment);
    ++anchors.left;
  }

  /// The window with the most distinct bytes, among the start and some later positions: many items
  /// share runs of a single byte.
  size_t ChooseWindow(const PagedBytes& paged, size_t width, size_t stride) const {
    TENON_CHECK(stride > 0 && width <= paged.bytes.size());
    const size_t last = (paged.bytes.size() - width) / stride;
    size_t best = 0;
    int most = 0;
    constexpr size_t kTries = 64;
    const auto look_at = [&](size_t offset) {
      std::array<uint64_t, 4> seen{};
      for (size_t k = 0; k < width; ++k) {
        const auto byte = static_cast<uint8_t>(paged.bytes[offset + k]);
        seen[byte >> 6] |= uint64_t{1} << (byte & 63);
      }
      int count = 0;
      for (const uint64_t word : seen) count += std::popcount(word);
      if (count > most) {
        most = count;
        best = offset;
      }
      return count * 4 >= static_cast<int>(width) * 3;
    };
    bool found = false;
    for (size_t k = 0; !found && k <= last && k < kTries; ++k) found = look_at(k * stride);
    for (size_t k = 1; !found && k <= kTries && last > kTries; ++k)
      found = look_at(last * k / kTries * stride);
    DropPages(paged);
    return best;
  }

  void Enter(size_t i) {
    if (items_[i].is_fixed) return;
    Anchors& anchors = AnchorsOf(i);
    if (anchors.filter.empty()) {
      const uint64_t bits = std::bit_ceil(std::clamp<uint64_t>(anchors.left * 32, 4096, 1U << 27));
      anchors.filter.resize(bits / 64);
      anchors.shift = 64 - std::countr_zero(bits);
    }
    const size_t width = size_t{1} << ClassOf(paged_[i].bytes.size());
    const size_t offset = ChooseWindow(paged_[i], width, anchors.stride);
    const uint64_t window = WindowAt(paged_[i].bytes.data() + offset, width);
    const uint64_t bit = anchors.BitOf(window);
    anchors.filter[bit >> 6] |= uint64_t{1} << (bit & 63);
    anchors.by_window[window].push_back({i, offset});
    window_of_[i] = window;
  }

  /// Stops searching for an item that stays.
  void Leave(size_t i) {
    if (items_[i].is_fixed) return;
    Anchors& anchors = AnchorsOf(i);
    const auto found = anchors.by_window.find(window_of_.at(i));
    TENON_CHECK(found != anchors.by_window.end() && anchors.left > 0);
    std::erase_if(found->second, [&](const Anchored& other) { return other.item == i; });
    if (found->second.empty()) anchors.by_window.erase(found);
    --anchors.left;
  }

  void ScanFor(size_t base) {
    size_t at = 0;
    bool any = false;
    for (const Anchors& anchors : anchors_) any |= anchors.left > 0;
    if (!any) return;
    // One piece at a time for all widths, while it is in the cache.
    ForEachPiece(paged_[base], [&](std::string_view piece) {
      const size_t end = at + piece.size();
      Scan<1>(anchors_[0], base, at, end);
      Scan<2>(anchors_[1], base, at, end);
      Scan<4>(anchors_[2], base, at, end);
      Scan<8>(anchors_[3], base, at, end);
      Scan<16>(anchors_[4], base, at, end);
      at = end;
      return !result_.is_limited;
    });
  }

  /// Looks up the windows that begin in a part of the base.
  template <size_t kWidth>
  void Scan(Anchors& anchors, size_t base, size_t begin, size_t end) {
    const std::string_view bytes = paged_[base].bytes;
    if (anchors.left == 0 || bytes.size() < kWidth) return;
    const size_t stride = anchors.stride;
    TENON_CHECK(stride > 0);
    end = std::min(end, bytes.size() - kWidth + 1);
    for (size_t at = (begin + stride - 1) / stride * stride; at < end; at += stride) {
      const uint64_t window = WindowAt<kWidth>(bytes.data() + at);
      if (!anchors.MayHave(window)) continue;
      const auto found = anchors.by_window.find(window);
      if (found == anchors.by_window.end()) continue;
      std::erase_if(found->second, [&](const Anchored& anchored) {
        if (at < anchored.offset || !IsAt(anchored.item, base, at - anchored.offset)) return false;
        result_.places[anchored.item] = {base, static_cast<int64_t>(at - anchored.offset)};
        --anchors.left;
        return true;
      });
      if (found->second.empty()) anchors.by_window.erase(found);
      if (anchors.left == 0 || result_.is_limited) return;
    }
  }

  /// True if the item's bytes are those of the base from `offset` on, and may be placed there.
  bool IsAt(size_t item, size_t base, size_t offset) {
    TENON_DCHECK(offset <= paged_[base].bytes.size());
    const PagedBytes& own = paged_[item];
    const Item& holder = items_[base];
    if (result_.is_limited || own.bytes.size() > paged_[base].bytes.size() - offset) return false;
    if (offset % static_cast<size_t>(items_[item].alignment) != 0) return false;
    if (holder.is_fixed && holder.alignment < items_[item].alignment) return false;
    // In parts, to count the compared bytes.
    size_t part = 64;
    for (size_t done = 0; done < own.bytes.size(); part = std::min(part * 2, kPieceBytes)) {
      const size_t count = std::min(part, own.bytes.size() - done);
      compared_left -= static_cast<int64_t>(count);
      result_.is_limited = compared_left < 0;
      const PagedBytes mine{own.bytes.substr(done, count), own.is_mapped};
      const std::string_view theirs = paged_[base].bytes.substr(offset + done, count);
      if (std::memcmp(mine.bytes.data(), theirs.data(), count) != 0) return false;
      if (part == kPieceBytes) DropPages(mine);
      if (part == kPieceBytes) DropPages({theirs, paged_[base].is_mapped});
      done += count;
    }
    return true;
  }

  std::span<const Item> items_;
  Containment& result_;
  std::vector<PagedBytes> paged_;
  /// By the logarithm of the width.
  std::array<Anchors, 5> anchors_;
  absl::flat_hash_map<size_t, uint64_t> window_of_;
};

}  // namespace

Containment FindContained(std::span<const Item> items) {
  Containment result;
  std::vector<std::vector<size_t>> families;
  int64_t bytes = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    TENON_CHECK(items[i].data != nullptr && items[i].alignment > 0);
    result.places.push_back({i, 0});
    if (items[i].family >= families.size()) families.resize(items[i].family + 1);
    families[items[i].family].push_back(i);
    bytes += items[i].data->size_bytes();
  }
  ContainedFinder finder(items, result);
  finder.compared_left = kComparedAtLeast + kComparedPerByte * bytes;
  for (std::vector<size_t>& family : families) {
    if (family.size() > 1 && !result.is_limited) finder.Find(std::move(family));
  }
  return result;
}

}  // namespace tenon::merging
