#include "ir/overlaps.h"

#include <algorithm>

#include "ir/attributes.h"
#include "ir/attrs.h"

namespace tenon {

std::vector<ParamPair> ReadOverlaps(const PrimFunc& function) {
  std::vector<ParamPair> pairs;
  const auto* list = dyn_cast_or_null<ArrayAttr>(function.FindAttr(attr_key::kOverlaps));
  if (list == nullptr) return pairs;
  const auto count = static_cast<int64_t>(function.params.size());
  for (const Attr* item : list->items) {
    const auto* pair = dyn_cast<ArrayAttr>(item);
    if (pair == nullptr || pair->items.size() != 2) continue;
    const int64_t* a = AsInt(pair->items[0]);
    const int64_t* b = AsInt(pair->items[1]);
    if (a == nullptr || b == nullptr || *a == *b || std::min(*a, *b) < 0 ||
        std::max(*a, *b) >= count)
      continue;
    pairs.emplace_back(std::min(*a, *b), std::max(*a, *b));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::vector<ParamAndPool> ReadPoolOverlaps(const PrimFunc& function) {
  std::vector<ParamAndPool> pairs;
  const auto* list = dyn_cast_or_null<ArrayAttr>(function.FindAttr(attr_key::kOverlaps));
  if (list == nullptr) return pairs;
  for (const Attr* item : list->items) {
    const auto* pair = dyn_cast<ArrayAttr>(item);
    if (pair == nullptr || pair->items.size() != 2) continue;
    const int64_t* param = AsInt(pair->items[0]);
    const std::string_view* pool = AsString(pair->items[1]);
    const auto count = static_cast<int64_t>(function.params.size());
    if (param != nullptr && pool != nullptr && *param >= 0 && *param < count)
      pairs.emplace_back(*param, *pool);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

const Attr* OverlapsAttr(NodeBuilder& builder, const std::vector<ParamPair>& pairs,
                         const std::vector<ParamAndPool>& pools) {
  std::vector<const Attr*> items;
  for (const auto& [a, b] : pairs) {
    const Attr* const pair[] = {builder.New<IntAttr>({}, a), builder.New<IntAttr>({}, b)};
    items.push_back(builder.Array(pair));
  }
  for (const auto& [param, pool] : pools) {
    const Attr* const pair[] = {builder.New<IntAttr>({}, param), builder.StringValue(pool)};
    items.push_back(builder.Array(pair));
  }
  return builder.Array(items);
}

bool IsNoAliasParam(const PrimFunc& function, size_t param) {
  if (!IsNoAlias(function)) return false;
  const std::vector<ParamPair> pairs = ReadOverlaps(function);
  const auto number = static_cast<int64_t>(param);
  return std::none_of(pairs.begin(), pairs.end(), [&](const ParamPair& pair) {
    return pair.first == number || pair.second == number;
  });
}

bool AreNoAliasParams(const PrimFunc& function, size_t a, size_t b) {
  if (!IsNoAlias(function)) return false;
  const std::vector<ParamPair> pairs = ReadOverlaps(function);
  const ParamPair pair = std::minmax(static_cast<int64_t>(a), static_cast<int64_t>(b));
  return !std::binary_search(pairs.begin(), pairs.end(), pair);
}

}  // namespace tenon
