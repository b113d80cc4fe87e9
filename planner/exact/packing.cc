#include "planner/exact/packing.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace tenon::planner {
namespace {

// Above these limits the search is hopeless and its tables are large.
constexpr size_t kMaxItems = 4096;
constexpr size_t kMaxEntries = 8'000'000;
constexpr int64_t kMaxSum = kMaxBytes / 4;

// The times of the last birth before a death: their live sets contain all other live sets.
std::vector<int64_t> SectionTimes(const PairRules& rules, const std::vector<int32_t>& members) {
  struct End {
    int64_t time;
    bool birth;
  };
  std::vector<End> ends;
  for (int32_t buffer : members) {
    for (const UsePiece& piece : rules.Pieces(buffer)) {
      ends.push_back({piece.lower, true});
      ends.push_back({piece.upper, false});
    }
  }
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return a.time != b.time ? a.time < b.time : a.birth < b.birth;
  });
  std::vector<int64_t> times;
  for (size_t i = 0; i + 1 < ends.size(); ++i) {
    if (ends[i].birth && !ends[i + 1].birth) times.push_back(ends[i].time);
  }
  return times;
}

int32_t SectionAt(const std::vector<int64_t>& times, int64_t time) {
  return static_cast<int32_t>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
}

void FillSections(Packing* packing, int32_t count) {
  packing->sections.resize(Index(count));
  int64_t alignment = kMaxAlignment;
  for (const PackingItem& item : packing->items) alignment = std::min(alignment, item.alignment);
  for (size_t i = 0; i < packing->items.size(); ++i) {
    PackingItem& item = packing->items[i];
    item.stride = RoundUp(item.size, alignment);
    for (int32_t s = item.first; s < item.end; ++s) {
      packing->sections[Index(s)].push_back(static_cast<int32_t>(i));
    }
  }
  for (const std::vector<int32_t>& section : packing->sections) {
    int64_t sum = 0;
    int64_t slack = 0;
    for (int32_t i : section) {
      const PackingItem& item = packing->items[Index(i)];
      sum += item.stride;
      slack = std::max(slack, item.stride - item.size);
    }
    // Every item but the topmost one ends at a multiple of the alignment. The topmost one may be
    // the item whose size is rounded up the most.
    packing->live.push_back(sum - slack);
  }
}

bool FillOverlaps(Packing* packing, size_t* entries) {
  const size_t count = packing->items.size();
  packing->overlaps.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const PackingItem& a = packing->items[i];
    for (size_t j = 0; j < count; ++j) {
      const PackingItem& b = packing->items[j];
      if (i == j || a.first >= b.end || b.first >= a.end) continue;
      packing->overlaps[i].push_back(static_cast<int32_t>(j));
    }
    *entries += packing->overlaps[i].size() + Index(a.end - a.first);
    if (*entries > kMaxEntries) return false;
  }
  return true;
}

// Splits items in [0, sections) into packings at the sections that no item crosses.
std::vector<Packing> SplitAtCuts(std::vector<PackingItem> items, int32_t sections) {
  std::vector<int32_t> crossing(Index(sections));
  for (const PackingItem& item : items) {
    for (int32_t s = item.first; s + 1 < item.end; ++s) ++crossing[Index(s)];
  }
  std::vector<int32_t> part_of(Index(sections));
  std::vector<int32_t> begins = {0};
  for (int32_t s = 0; s < sections; ++s) {
    part_of[Index(s)] = static_cast<int32_t>(begins.size()) - 1;
    if (crossing[Index(s)] == 0) begins.push_back(s + 1);
  }
  TENON_CHECK(!begins.empty());
  std::vector<Packing> parts(begins.size() - 1);
  for (PackingItem& item : items) {
    TENON_CHECK(0 <= item.first && item.first < item.end && item.end <= sections);
    const int32_t part = part_of[Index(item.first)];
    item.first -= begins[Index(part)];
    item.end -= begins[Index(part)];
    parts[Index(part)].items.push_back(item);
  }
  for (size_t p = 0; p < parts.size(); ++p)
    parts[p].sections.resize(Index(begins[p + 1] - begins[p]));
  return parts;
}

bool SaysWhatLivesSay(const Problem& problem, const Relation& relation) {
  // Two plain buffers that are disjoint although they are never live together are not plain.
  const Buffer& a = problem.buffers[Index(relation.a)];
  const Buffer& b = problem.buffers[Index(relation.b)];
  if (relation.kind != RelationKind::kDisjoint || relation.same_pool) return false;
  if (a.kind == BufferKind::kConstant || b.kind == BufferKind::kConstant) {
    return a.kind == b.kind;
  }
  if (a.lifetimes.size() != 1 || b.lifetimes.size() != 1) return false;
  return std::max(a.lifetimes[0].lower, b.lifetimes[0].lower) <
         std::min(a.lifetimes[0].upper, b.lifetimes[0].upper);
}

}  // namespace

bool IsPlain(const Problem& problem, const PairRules& rules, const std::vector<int32_t>& members) {
  std::vector<bool> member(problem.buffers.size());
  const absl::InlinedVector<int32_t, 1>* groups = nullptr;
  for (int32_t i : members) {
    const Buffer& buffer = problem.buffers[Index(i)];
    const auto pieces = rules.Pieces(i);
    member[Index(i)] = true;
    if (buffer.fixed_offset || pieces.size() > 1) return false;
    if (!pieces.empty() && (pieces[0].first_byte != 0 || pieces[0].end_byte != buffer.size)) {
      return false;
    }
    if (buffer.kind == BufferKind::kConstant || pieces.empty()) continue;
    if (groups != nullptr && *groups != buffer.groups) return false;
    groups = &buffer.groups;
  }
  return std::all_of(problem.relations.begin(), problem.relations.end(), [&](const Relation& r) {
    return (!member[Index(r.a)] && !member[Index(r.b)]) || SaysWhatLivesSay(problem, r);
  });
}

std::optional<std::vector<Packing>> MakePackings(const Problem& problem, const PairRules& rules,
                                                 int32_t pool,
                                                 const std::vector<int32_t>& members) {
  if (members.size() > kMaxItems) return std::nullopt;
  const Pool& p = problem.pools[Index(pool)];
  const std::vector<int64_t> times = SectionTimes(rules, members);
  std::vector<Packing> packings;
  std::vector<PackingItem> items;
  int64_t sum = 0;
  for (int32_t i : members) {
    const Buffer& buffer = problem.buffers[Index(i)];
    PackingItem item{.buffer = i, .size = buffer.size, .alignment = EffectiveAlignment(buffer, p)};
    if (buffer.size > kMaxSum || (sum += buffer.size + item.alignment) > kMaxSum) {
      return std::nullopt;
    }
    if (rules.Pieces(i).empty()) {
      item.end = 1;
      Packing& alone = packings.emplace_back();
      alone.items = {item};
      alone.sections.resize(1);
      continue;
    }
    const UsePiece& piece = rules.Pieces(i)[0];
    item.first = SectionAt(times, piece.lower);
    item.end = SectionAt(times, piece.upper);
    item.duration = static_cast<double>(piece.upper) - static_cast<double>(piece.lower);
    items.push_back(item);
  }
  for (Packing& part : SplitAtCuts(std::move(items), static_cast<int32_t>(times.size()))) {
    packings.push_back(std::move(part));
  }
  size_t entries = 0;
  for (Packing& packing : packings) {
    packing.base_offset = p.base_offset;
    const auto sections = static_cast<int32_t>(packing.sections.size());
    packing.sections.clear();
    FillSections(&packing, sections);
    if (!FillOverlaps(&packing, &entries)) return std::nullopt;
  }
  return packings;
}

}  // namespace tenon::planner
