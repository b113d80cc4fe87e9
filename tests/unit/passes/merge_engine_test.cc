#include "passes/constants/merge/merge_engine.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "ir/context.h"

namespace tenon::merging {
namespace {

using Bytes = std::vector<uint8_t>;

class MergeEngineTest : public testing::Test {
 protected:
  const Constant* Add(Bytes bytes) {
    const auto size = static_cast<int64_t>(bytes.size());
    return context_.AddConstant(Symbol(), DataType::UInt(8), {size}, std::move(bytes));
  }
  const Constant* Splat(int64_t count, uint64_t element, DataType dtype) {
    ConstantSource source;
    source.kind = ConstantSource::Kind::kSplat;
    source.element = element;
    return context_.AddConstant(Symbol(), dtype, {count}, source);
  }
  /// Pieces of a few sources, so that many are equal, contained or overlap.
  std::vector<Item> RandomItems(unsigned seed, size_t count, bool with_fixed) {
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return random() % n; };
    std::vector<Bytes> sources;
    for (size_t alphabet : {2U, 3U, 250U, 250U}) {
      Bytes& source = sources.emplace_back(200);
      for (uint8_t& byte : source) byte = static_cast<uint8_t>(below(alphabet));
    }
    sources.emplace_back(200, uint8_t{7});
    std::vector<Item> items;
    for (size_t i = 0; i < count; ++i) {
      Item item;
      item.alignment = int64_t{1} << (below(3) == 0 ? below(5) : 0);
      item.family = below(8) == 0 ? 1 : 0;
      item.is_fixed = with_fixed && below(6) == 0;
      if (below(8) == 0) {
        item.data = Splat(static_cast<int64_t>(below(10)), below(2) * 0x07070707U,
                          below(2) == 0 ? DataType::Int(32) : DataType::UInt(8));
      } else {
        const Bytes& source = sources[below(sources.size())];
        const size_t size = below(2) == 0 ? 1 + below(8) : 1 + below(120);
        const auto begin =
            source.begin() + static_cast<std::ptrdiff_t>(below((source.size() - size) / 4 + 1) * 4);
        item.data = Add(Bytes(begin, begin + static_cast<std::ptrdiff_t>(size)));
      }
      items.push_back(item);
    }
    return items;
  }
  static std::string_view Text(const Item& item) {
    const std::span<const uint8_t> bytes = *item.data->Bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  Context context_;
};

TEST_F(MergeEngineTest, EqualAreAllThatAreEqual) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<Item> items = RandomItems(seed, 60, seed % 2 == 0);
    const std::vector<size_t> first = FindEqual(items);
    for (size_t i = 0; i < items.size(); ++i) {
      ASSERT_EQ(first[first[i]], first[i]);
      ASSERT_EQ(Text(items[i]), Text(items[first[i]]));
      ASSERT_EQ(items[i].family, items[first[i]].family);
      ASSERT_TRUE(!items[i].is_fixed || first[i] == i);
      ASSERT_TRUE(!items[first[i]].is_fixed || items[first[i]].alignment >= items[i].alignment);
      for (size_t k = 0; k < i; ++k) {
        if (items[i].is_fixed || items[k].is_fixed || items[i].family != items[k].family) continue;
        const bool with_fixed = items[first[i]].is_fixed || items[first[k]].is_fixed;
        if (!with_fixed && !Text(items[i]).empty() && Text(items[i]) == Text(items[k])) {
          ASSERT_EQ(first[i], first[k]) << seed;
        }
      }
    }
  }
}

TEST_F(MergeEngineTest, ContainedAreAllThatAreContained) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<Item> items = RandomItems(seed, 60, seed % 2 == 0);
    const Containment found = FindContained(items);
    ASSERT_FALSE(found.is_limited);
    for (size_t i = 0; i < items.size(); ++i) {
      const Place place = found.places[i];
      const Item& holder = items[place.item];
      ASSERT_EQ(found.places[place.item].item, place.item);
      ASSERT_EQ(Text(items[i]),
                Text(holder).substr(static_cast<size_t>(place.offset), Text(items[i]).size()));
      ASSERT_EQ(place.offset % items[i].alignment, 0);
      if (place.item != i) {
        ASSERT_EQ(holder.family, items[i].family);
        ASSERT_FALSE(items[i].is_fixed);
        ASSERT_TRUE(!holder.is_fixed || holder.alignment >= items[i].alignment);
        continue;
      }
      // A naive check: no remaining item is contained in another remaining item.
      if (items[i].is_fixed || Text(items[i]).empty()) continue;
      for (size_t k = 0; k < items.size(); ++k) {
        const Item& other = items[k];
        if (k == i || found.places[k].item != k || other.family != items[i].family) continue;
        if (other.is_fixed && other.alignment < items[i].alignment) continue;
        if (Text(other).size() == Text(items[i]).size()) continue;
        for (size_t at = 0; at + Text(items[i]).size() <= Text(other).size();
             at += static_cast<size_t>(items[i].alignment)) {
          ASSERT_NE(Text(other).substr(at, Text(items[i]).size()), Text(items[i]))
              << seed << ": " << i << " in " << k << " at " << at;
        }
      }
    }
  }
}

TEST_F(MergeEngineTest, ChainsHaveAllPartsAndNoMoreCanBeJoined) {
  int joined = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::vector<Item> items;
    for (const Item& item : RandomItems(seed, 40, seed % 2 == 0)) items.push_back(item);
    const Containment contained = FindContained(items);
    std::vector<Item> left;
    for (size_t i = 0; i < items.size(); ++i) {
      if (contained.places[i].item == i) left.push_back(items[i]);
    }
    const Overlaps found = FindOverlaps(left);
    ASSERT_FALSE(found.is_limited);
    std::vector<bool> has_next(left.size());
    std::vector<size_t> head(left.size());
    std::vector<bool> has_previous(left.size());
    for (size_t i = 0; i < left.size(); ++i) head[i] = i;
    for (const Chain& chain : found.chains) {
      ASSERT_GE(chain.parts.size(), 2U);
      std::string whole(static_cast<size_t>(chain.size_bytes), '\0');
      int64_t alignment = 0;
      for (size_t k = 0; k < chain.parts.size(); ++k) {
        const Place& part = chain.parts[k];
        const Item& item = left[part.item];
        whole.replace(static_cast<size_t>(part.offset), Text(item).size(), Text(item));
        alignment = std::max(alignment, item.alignment);
        ASSERT_EQ(part.offset % item.alignment, 0);
        ASSERT_EQ(item.family, left[chain.parts[0].item].family);
        ASSERT_FALSE(item.is_fixed);
        has_previous[part.item] = k > 0;
        has_next[part.item] = k + 1 < chain.parts.size();
        head[part.item] = chain.parts[0].item;
        ++joined;
      }
      ASSERT_EQ(left[chain.parts[0].item].alignment, alignment);
      for (const Place& part : chain.parts) {
        const std::string_view own = Text(left[part.item]);
        ASSERT_EQ(std::string_view(whole).substr(static_cast<size_t>(part.offset), own.size()),
                  own);
      }
    }
    for (size_t a = 0; a < left.size(); ++a) {
      for (size_t b = 0; b < left.size(); ++b) {
        if (has_next[a] || has_previous[b] || head[a] == b || left[a].is_fixed || left[b].is_fixed)
          continue;
        if (left[a].family != left[b].family || left[b].alignment > left[a].alignment) continue;
        const std::string_view end = Text(left[a]);
        const std::string_view begin = Text(left[b]);
        for (size_t n = kLeastOverlap; n < std::min(end.size(), begin.size()); ++n) {
          if ((end.size() - n) % static_cast<size_t>(left[b].alignment) != 0) continue;
          ASSERT_NE(end.substr(end.size() - n), begin.substr(0, n))
              << seed << ": " << a << " " << b;
        }
      }
    }
  }
  EXPECT_GT(joined, 100);
}

TEST_F(MergeEngineTest, SplatsAreComparedWithoutTheirBytes) {
  // 4 GB of elements.
  const int64_t count = int64_t{1} << 28;
  const Item items[] = {{Splat(count, 0, DataType::Int(32)), 16},
                        {Splat(count * 4, 0, DataType::Int(8)), 16},
                        {Splat(count / 2, 0, DataType::Float(64)), 16},
                        {Splat(count, 1, DataType::Int(32)), 16},
                        {Splat(count / 2, 0x0000000100000001U, DataType::Int(64)), 16}};
  EXPECT_EQ(FindEqual(items), (std::vector<size_t>{0, 0, 0, 3, 3}));
}

TEST_F(MergeEngineTest, SplatsOfManyLengths) {
  std::vector<Item> items;
  for (int64_t i = 1; i <= 3000; ++i) {
    items.push_back({Add(Bytes(static_cast<size_t>(i * 16), uint8_t{0})), 16});
    items.push_back({Add(Bytes(static_cast<size_t>(i * 8), static_cast<uint8_t>(i % 3))), 8});
  }
  const Containment found = FindContained(items);
  EXPECT_FALSE(found.is_limited);
  size_t left = 0;
  for (size_t i = 0; i < items.size(); ++i) left += found.places[i].item == i ? 1 : 0;
  EXPECT_EQ(left, 3U);
}

TEST_F(MergeEngineTest, WorkOnPeriodicDataIsBounded) {
  // Runs that are slightly too short to contain items with the same beginning.
  std::vector<Item> items;
  for (int i = 0; i < 64; ++i) {
    Bytes runs(size_t{64} << 10, uint8_t{1});
    for (size_t at = 0; at < runs.size(); at += 4000) runs[at] = static_cast<uint8_t>(2 + i);
    items.push_back({Add(std::move(runs)), 1});
    items.push_back({Add(Bytes(4000 + static_cast<size_t>(i), uint8_t{1})), 1});
  }
  const Containment found = FindContained(items);
  for (size_t i = 0; i < items.size(); ++i) {
    const Place place = found.places[i];
    EXPECT_EQ(
        Text(items[i]),
        Text(items[place.item]).substr(static_cast<size_t>(place.offset), Text(items[i]).size()));
  }
  FindOverlaps(items);
}

}  // namespace
}  // namespace tenon::merging
