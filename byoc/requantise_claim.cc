// Claims come from files and other programs, so the parser trusts nothing. `output` and
// `activation` follow from other members, so they are written for users of claims, but not parsed.

#include "byoc/requantise_claim.h"

#include <algorithm>
#include <cmath>

#include "arith/interval.h"
#include "byoc/claim_attrs.h"
#include "fmt/format.h"
#include "ir/attributes.h"

namespace tenon {

namespace {

constexpr int64_t kMostChannels = int64_t{1} << 16;
constexpr int64_t kMostShift = 63;

std::string_view ActivationOf(const Requantise& requantise, DataType dtype) {
  const Interval range = Interval::OfDType(dtype);
  if (requantise.high != range.max) return "clip";
  if (requantise.low == range.min) return "none";
  return requantise.low == requantise.zero_point ? "relu" : "clip";
}

class RequantiseWriter : ClaimAttrs {
 public:
  RequantiseWriter(NodeBuilder& builder, const Computation& all, const Requantise& from)
      : ClaimAttrs(builder), all_(all), from_(from) {}

  const MapAttr* Write() {
    Put("sum", Text(NameOf(from_.sum)));
    Put("rounding", Text(NameOf(from_.rounding)));
    Put("inputs", Each(from_.inputs, [&](const QuantisedInput& input) { return Input(input); }));
    Put("output", Int(all_.stores[0].access));
    Put("channels", Int(from_.channels));
    if (from_.channels != 1) Put("channel", Channel());
    Put("accumulator", List({Int(from_.least_sum), Int(from_.most_sum)}));
    if (!from_.bias.empty()) Put("bias", Ints(from_.bias));
    if (!from_.multiplier.empty()) Put("multiplier", Ints(from_.multiplier));
    if (!from_.shift.empty()) Put("shift", Ints(from_.shift));
    if (!from_.scale.empty())
      Put("scale",
          Each(from_.scale, [&](double scale) { return builder_.New<FloatAttr>({}, scale); }));
    if (!from_.steps.empty())
      Put("steps", Each(from_.steps, [&](const auto& steps) { return Ints(steps); }));
    Put("zero_point", Int(from_.zero_point));
    Put("clamp", List({Int(from_.low), Int(from_.high)}));
    const int access = all_.stores[0].access;
    const int operand = all_.accesses[static_cast<size_t>(access)].operand;
    Put("activation", Text(ActivationOf(from_, all_.operands[static_cast<size_t>(operand)].dtype)));
    return map_;
  }

 private:
  const Attr* Channel() {
    const auto term = [&](const std::pair<int, int64_t>& one) {
      return List({Text(all_.loops[static_cast<size_t>(one.first)].name), Int(one.second)});
    };
    return List({Int(from_.channel.offset), Each(from_.channel.terms, term)});
  }
  const Attr* Input(const QuantisedInput& input) {
    const MapAttr* map = builder_.Map({});
    const auto put = [&](std::string_view key, int64_t value) {
      map = builder_.With(map, key, Int(value));
    };
    put("access", input.access);
    put("zero_point", input.zero_point);
    if (from_.sum != QuantisedSum::kAdd) return map;
    put("left_shift", input.left_shift);
    map = builder_.With(map, "rounding", Text(NameOf(input.rescale.rounding)));
    put("multiplier", input.rescale.multiplier);
    put("shift", input.rescale.shift);
    if (input.is_subtracted) put("sign", -1);
    return map;
  }

  const Computation& all_;
  const Requantise& from_;
};

class RequantiseReader {
 public:
  explicit RequantiseReader(const Computation& all) : all_(all) {}

  std::optional<Requantise> Read(const Attr* attr, std::string& problem) {
    const auto* map = dyn_cast_or_null<MapAttr>(attr);
    if (map == nullptr) {
      problem = "expected a map under `requantise`";
      return std::nullopt;
    }
    const bool read = ReadNames(map) && ReadInputs(map->Find("inputs")) && ReadChannel(map) &&
                      ReadLists(map) && ReadNumbers(map);
    if (!read) {
      problem = fmt::format("`{}` of `requantise` is missing or not right", member_);
      return std::nullopt;
    }
    return std::move(made_);
  }

 private:
  using Items = Span<const Attr*>;

  const Attr* Member(const MapAttr* map, std::string_view key) {
    member_ = key;
    return map->Find(key);
  }
  static std::optional<int64_t> Int(const Attr* attr) {
    const int64_t* number = attr == nullptr ? nullptr : AsInt(attr);
    return number == nullptr ? std::nullopt : std::optional(*number);
  }
  static std::optional<int64_t> IntWithin(const Attr* attr, int64_t least, int64_t most) {
    const std::optional<int64_t> number = Int(attr);
    return number && *number >= least && *number <= most ? number : std::nullopt;
  }
  static bool ReadInts(const Attr* attr, std::vector<int64_t>& into) {
    const auto* list = dyn_cast_or_null<ArrayAttr>(attr);
    if (list == nullptr) return false;
    for (const Attr* item : list->items) {
      const std::optional<int64_t> number = Int(item);
      if (!number) return false;
      into.push_back(*number);
    }
    return true;
  }

  bool ReadNames(const MapAttr* map) {
    if (all_.stores.size() != 1) return member_ = "output", false;
    const std::string_view* sum = AsString(Member(map, "sum"));
    const auto of = sum == nullptr ? std::nullopt : QuantisedSumNamed(*sum);
    if (!of) return false;
    const std::string_view* name = AsString(Member(map, "rounding"));
    const auto rounding = name == nullptr ? std::nullopt : RoundingNamed(*name);
    if (!rounding) return false;
    made_.sum = *of;
    made_.rounding = *rounding;
    return true;
  }

  bool ReadInputs(const Attr* attr) {
    member_ = "inputs";
    const auto* list = dyn_cast_or_null<ArrayAttr>(attr);
    const bool has_two = made_.sum == QuantisedSum::kDot || made_.sum == QuantisedSum::kAdd ||
                         made_.sum == QuantisedSum::kProduct;
    if (list == nullptr || list->items.size() != (has_two ? 2 : 1)) return false;
    for (const Attr* item : list->items) {
      const auto* map = dyn_cast_or_null<MapAttr>(item);
      if (map == nullptr || !ReadInput(map)) return false;
    }
    return true;
  }

  bool ReadInput(const MapAttr* map) {
    QuantisedInput& input = made_.inputs.emplace_back();
    const auto access =
        IntWithin(map->Find("access"), 0, static_cast<int64_t>(all_.accesses.size()) - 1);
    const auto zero_point = IntWithin(map->Find("zero_point"), -65536, 65536);
    if (!access || !zero_point) return false;
    input.access = static_cast<int>(*access);
    input.zero_point = *zero_point;
    if (made_.sum != QuantisedSum::kAdd) return true;
    const std::string_view* name = AsString(map->Find("rounding"));
    const auto rounding = name == nullptr ? std::nullopt : RoundingNamed(*name);
    const auto left = IntWithin(map->Find("left_shift"), 0, 31);
    const auto multiplier = IntWithin(map->Find("multiplier"), 0, INT32_MAX);
    const auto shift = IntWithin(map->Find("shift"), -kMostShift, kMostShift);
    if (!left || !multiplier || !shift || !rounding ||
        (*rounding != Rounding::kTwice && *rounding != Rounding::kOnce))
      return false;
    input.left_shift = static_cast<int>(*left);
    input.rescale.rounding = *rounding;
    input.rescale.multiplier = *multiplier;
    input.rescale.shift = static_cast<int>(*shift);
    input.is_subtracted = Int(map->Find("sign")) == -1;
    return true;
  }

  bool ReadChannel(const MapAttr* map) {
    const auto channels = IntWithin(Member(map, "channels"), 1, kMostChannels);
    if (!channels) return false;
    made_.channels = *channels;
    const Attr* attr = Member(map, "channel");
    if (made_.channels == 1) return true;
    const auto* pair = dyn_cast_or_null<ArrayAttr>(attr);
    if (pair == nullptr || pair->items.size() != 2 || Int(pair->items[0]) != 0) return false;
    const auto* terms = dyn_cast_or_null<ArrayAttr>(pair->items[1]);
    if (terms == nullptr) return false;
    int64_t most = 0;
    for (const Attr* item : terms->items) {
      const auto* term = dyn_cast_or_null<ArrayAttr>(item);
      if (term == nullptr || term->items.size() != 2) return false;
      const std::string_view* name = AsString(term->items[0]);
      const auto stride = IntWithin(term->items[1], 1, kMostChannels);
      const auto loop = std::find_if(all_.loops.begin(), all_.loops.end(), [&](const auto& own) {
        return name != nullptr && own.name == *name;
      });
      if (loop == all_.loops.end() || !stride || loop->extent > kMostChannels) return false;
      made_.channel.terms.emplace_back(static_cast<int>(loop - all_.loops.begin()), *stride);
      most += *stride * (loop->extent - 1);
    }
    std::sort(made_.channel.terms.begin(), made_.channel.terms.end());
    return most < made_.channels;
  }

  template <class T>
  bool IsPerChannel(const std::vector<T>& list) const {
    return list.size() == 1 || static_cast<int64_t>(list.size()) == made_.channels;
  }

  bool ReadLists(const MapAttr* map) {
    const bool is_fixed = made_.rounding == Rounding::kTwice || made_.rounding == Rounding::kOnce;
    if (const Attr* attr = Member(map, "bias")) {
      if (!ReadInts(attr, made_.bias) || !IsPerChannel(made_.bias)) return false;
    }
    if (is_fixed) {
      if (!ReadInts(Member(map, "multiplier"), made_.multiplier) ||
          !IsPerChannel(made_.multiplier) ||
          std::any_of(made_.multiplier.begin(), made_.multiplier.end(),
                      [](int64_t x) { return x < 0 || x > INT32_MAX; }))
        return false;
      if (!ReadInts(Member(map, "shift"), made_.shift) || !IsPerChannel(made_.shift) ||
          std::any_of(made_.shift.begin(), made_.shift.end(),
                      [](int64_t x) { return x < -kMostShift || x > 31; }))
        return false;
    }
    if (made_.rounding == Rounding::kFloat) {
      const auto* list = dyn_cast_or_null<ArrayAttr>(Member(map, "scale"));
      if (list == nullptr) return false;
      for (const Attr* item : list->items) {
        const std::optional<double> scale = RealOf(item);
        if (!scale || !(*scale >= 0) || !std::isfinite(*scale)) return false;
        made_.scale.push_back(*scale);
      }
      if (!IsPerChannel(made_.scale)) return false;
    }
    if (made_.rounding != Rounding::kTable) return true;
    const auto* list = dyn_cast_or_null<ArrayAttr>(Member(map, "steps"));
    if (list == nullptr) return false;
    for (const Attr* item : list->items) {
      std::vector<int64_t>& steps = made_.steps.emplace_back();
      if (!ReadInts(item, steps) || !std::is_sorted(steps.begin(), steps.end())) return false;
    }
    return IsPerChannel(made_.steps);
  }

  static std::optional<double> RealOf(const Attr* attr) {
    if (const auto* boxed = dyn_cast_or_null<FloatAttr>(attr)) return boxed->value;
    if (const auto* expr = dyn_cast_or_null<ExprAttr>(attr)) {
      if (const auto* imm = dyn_cast<FloatImm>(expr->value)) return imm->value;
    }
    const std::optional<int64_t> number = Int(attr);
    if (!number) return std::nullopt;
    return static_cast<double>(*number);
  }

  bool ReadNumbers(const MapAttr* map) {
    constexpr int64_t kMost = int64_t{1} << 40;
    std::vector<int64_t> sums, clamp;
    if (!ReadInts(Member(map, "accumulator"), sums) || sums.size() != 2) return false;
    if (!ReadInts(Member(map, "clamp"), clamp) || clamp.size() != 2 || clamp[0] > clamp[1] ||
        clamp[0] < -kMost || clamp[1] > kMost)
      return false;
    const auto zero_point = IntWithin(Member(map, "zero_point"), -kMost, kMost);
    if (!zero_point) return false;
    made_.zero_point = *zero_point;
    made_.least_sum = sums[0];
    made_.most_sum = sums[1];
    made_.low = clamp[0];
    made_.high = clamp[1];
    return true;
  }

  const Computation& all_;
  Requantise made_;
  std::string_view member_;
};

}  // namespace

const MapAttr* WriteRequantise(NodeBuilder& builder, const Computation& all,
                               const Requantise& requantise) {
  return RequantiseWriter(builder, all, requantise).Write();
}

std::optional<Requantise> ReadRequantise(const Attr* attr, const Computation& all,
                                         std::string& problem) {
  return RequantiseReader(all).Read(attr, problem);
}

}  // namespace tenon
