// Cheap tests come first, since weights may be gigabytes of a mapped file: sizes, 64 bytes at two
// places, hashes, and only then all bytes. Pages are dropped after use, so that memory does not
// grow with the file.

#include <algorithm>
#include <cstring>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "passes/constants/merge/merge_engine.h"
#include "support/check.h"
#include "support/file_pages.h"

namespace tenon::merging {

namespace {

using Members = std::vector<size_t>;
using Kind = ConstantSource::Kind;

/// The number of bytes at each sampled place.
constexpr size_t kSampleBytes = 64;

bool IsSplat(const Constant& constant) { return constant.source().kind == Kind::kSplat; }

/// The repeated element of a splat: 1, 2, 4 or 8 bytes wide, so 8 bytes represent all.
uint64_t PatternOf(const Constant& splat) {
  const auto width = static_cast<size_t>(splat.dtype().element_bytes());
  TENON_CHECK(width > 0);
  uint8_t pattern[8];
  uint8_t element[8];
  std::memcpy(element, &splat.source().element, 8);
  for (size_t i = 0; i < 8; ++i) pattern[i] = element[i % std::min<size_t>(width, 8)];
  uint64_t result;
  std::memcpy(&result, pattern, 8);
  return result;
}

bool SameAsSplat(const Constant& splat, const Constant& other) {
  const absl::StatusOr<PagedBytes> paged = other.Paged();
  if (!paged.ok()) return false;
  std::string_view rest = paged->bytes;
  return splat
      .ForEachPiece([&](std::string_view piece) {
        TENON_CHECK(piece.size() <= rest.size());
        const bool same = std::memcmp(piece.data(), rest.data(), piece.size()) == 0;
        DropPages({rest.substr(0, piece.size()), paged->is_mapped});
        rest.remove_prefix(piece.size());
        return same ? absl::OkStatus() : absl::NotFoundError("");
      })
      .ok();
}

/// True if two constants of the same size have the same bytes.
bool SameData(const Constant& a, const Constant& b) {
  if (IsSplat(a) && IsSplat(b)) return PatternOf(a) == PatternOf(b);
  if (IsSplat(a)) return SameAsSplat(a, b);
  if (IsSplat(b)) return SameAsSplat(b, a);
  const absl::StatusOr<PagedBytes> bytes_a = a.Paged();
  const absl::StatusOr<PagedBytes> bytes_b = b.Paged();
  return bytes_a.ok() && bytes_b.ok() && SameBytes(*bytes_a, *bytes_b);
}

uint64_t Mix(uint64_t state, uint64_t value) {
  state = (state ^ value) * 0x9e3779b97f4a7c15U;
  return state ^ (state >> 29);
}

/// A hash of the first bytes and of some in the middle; nullopt if they are not available.
std::optional<uint64_t> Sample(const Constant& constant) {
  const auto size = static_cast<size_t>(constant.size_bytes());
  const size_t count = std::min(size, kSampleBytes);
  const size_t places[] = {0, (size - count) / 2 / kSampleBytes * kSampleBytes};
  uint64_t state = 0;
  if (IsSplat(constant)) {
    const uint64_t pattern = PatternOf(constant);
    for (size_t i = 0; i < std::size(places); ++i) {
      // Both places are multiples of 8.
      for (size_t at = 0; at < count; at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, &pattern, std::min<size_t>(8, count - at));
        state = Mix(state, word);
      }
    }
    return state;
  }
  const absl::StatusOr<PagedBytes> paged = constant.Paged();
  if (!paged.ok()) return std::nullopt;
  for (const size_t place : places) {
    const std::string_view part = paged->bytes.substr(place, count);
    for (size_t at = 0; at < count; at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, part.data() + at, std::min<size_t>(8, count - at));
      state = Mix(state, word);
    }
  }
  // The system maps many pages around the accessed ones.
  DropPages(*paged);
  return state;
}

class EqualFinder {
 public:
  EqualFinder(std::span<const Item> items, std::vector<size_t>& first)
      : items_(items), first_(first) {}

  /// Compares items of one family and size.
  void Compare(const Members& members) {
    Members with_bytes;
    Members elided;
    bool all_claimed = true;
    for (const size_t i : members) {
      const ConstantSource& source = items_[i].data->source();
      (source.kind == Kind::kHash ? elided : with_bytes).push_back(i);
      all_claimed &= source.kind == Kind::kHash || source.hash_claimed;
    }
    CompareElided(elided);
    // A hash from the tensor's file is as good as a sample, and free.
    if (with_bytes.size() > 2 || (with_bytes.size() == 2 && all_claimed)) {
      for (const Members& alike : Split(with_bytes, [&](size_t i) -> std::optional<ContentHash> {
             if (all_claimed) return items_[i].data->source().hash;
             const std::optional<uint64_t> sample = Sample(*items_[i].data);
             if (!sample) return std::nullopt;
             return ContentHash{0, *sample};
           })) {
        CompareAlike(alike);
      }
    } else {
      CompareAlike(with_bytes);
    }
  }

 private:
  /// Splits `members` into groups with the same key, in the order of their first members. Members
  /// without a key are left out.
  template <typename F>
  static std::vector<Members> Split(const Members& members, F&& key_of) {
    std::vector<Members> parts;
    absl::flat_hash_map<std::pair<uint64_t, uint64_t>, size_t> part_of;
    for (const size_t i : members) {
      const std::optional<ContentHash> key = key_of(i);
      if (!key) continue;
      const auto [found, is_new] = part_of.try_emplace({key->high, key->low}, parts.size());
      if (is_new) parts.emplace_back();
      parts[found->second].push_back(i);
    }
    return parts;
  }

  std::optional<ContentHash> HashOf(size_t i) const {
    const absl::StatusOr<ContentHash> hash = items_[i].data->Hash();
    return hash.ok() ? std::optional(*hash) : std::nullopt;
  }

  void CompareElided(const Members& members) {
    if (members.size() < 2) return;
    for (const Members& equal : Split(members, [&](size_t i) { return HashOf(i); })) Unite(equal);
  }

  void CompareAlike(const Members& members) {
    if (members.size() < 2) return;
    if (members.size() == 2) {
      if (SameData(*items_[members[0]].data, *items_[members[1]].data)) Unite(members);
      return;
    }
    for (const Members& hashed : Split(members, [&](size_t i) { return HashOf(i); })) {
      Members equal = {hashed[0]};
      for (size_t k = 1; k < hashed.size(); ++k) {
        if (SameData(*items_[hashed[0]].data, *items_[hashed[k]].data)) equal.push_back(hashed[k]);
      }
      Unite(equal);
    }
  }

  void Unite(const Members& equal) {
    const auto fixed =
        std::find_if(equal.begin(), equal.end(), [&](size_t i) { return items_[i].is_fixed; });
    // A fixed item only serves items that need at most its alignment.
    TENON_CHECK(!equal.empty());
    const size_t first = fixed != equal.end() ? *fixed : equal[0];
    size_t other = SIZE_MAX;
    for (const size_t i : equal) {
      if (items_[i].is_fixed) continue;
      if (!items_[first].is_fixed || items_[i].alignment <= items_[first].alignment) {
        first_[i] = first;
      } else {
        other = other == SIZE_MAX ? i : other;
        first_[i] = other;
      }
    }
  }

  std::span<const Item> items_;
  std::vector<size_t>& first_;
};

}  // namespace

std::vector<size_t> FindEqual(std::span<const Item> items) {
  std::vector<size_t> first(items.size());
  Members order(items.size());
  for (size_t i = 0; i < items.size(); ++i) first[i] = order[i] = i;
  const auto key = [&](size_t i) {
    return std::tuple(items[i].family, items[i].data->size_bytes());
  };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return std::tuple(key(a), a) < std::tuple(key(b), b); });
  EqualFinder finder(items, first);
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && key(order[end]) == key(order[begin])) ++end;
    if (end - begin > 1 && items[order[begin]].data->size_bytes() > 0)
      finder.Compare(Members(order.begin() + static_cast<std::ptrdiff_t>(begin),
                             order.begin() + static_cast<std::ptrdiff_t>(end)));
    begin = end;
  }
  return first;
}

}  // namespace tenon::merging
