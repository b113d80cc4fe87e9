// Values outside of sums. Terms are compared directly. If equal values have different terms because
// of memory or conditions, every point is visited.

#include "schedule/check/comparer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "ir/const_fold.h"
#include "support/check.h"

namespace tenon::check {

namespace {

/// The most points at which a condition is evaluated.
constexpr int64_t kMostDecided = int64_t{1} << 16;

/// A digit of two reads: its extent, and the distance of neighbours in each.
struct ConstantRun {
  int64_t extent = 1;
  int64_t first = 0;
  int64_t second = 0;
  auto operator<=>(const ConstantRun&) const = default;
};

/// True if two rows of elements are equal. The distances between neighbours are in bytes.
template <class Element>
bool EqualRow(const uint8_t* one, ptrdiff_t first, const uint8_t* other, ptrdiff_t second,
              int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    Element a;
    Element b;
    std::memcpy(&a, one + i * first, sizeof a);
    std::memcpy(&b, other + i * second, sizeof b);
    if (a != b) return false;
  }
  return true;
}

/// True if the elements are equal for all values of the digits. The last digit is the innermost.
bool EqualRuns(const uint8_t* one, const uint8_t* other, size_t size,
               std::span<const ConstantRun> runs) {
  if (runs.empty()) return std::memcmp(one, other, size) == 0;
  const ConstantRun& run = runs[0];
  const ptrdiff_t first = run.first * static_cast<ptrdiff_t>(size);
  const ptrdiff_t second = run.second * static_cast<ptrdiff_t>(size);
  if (runs.size() == 1) {
    switch (size) {
      case 1:
        return EqualRow<uint8_t>(one, first, other, second, run.extent);
      case 2:
        return EqualRow<uint16_t>(one, first, other, second, run.extent);
      case 4:
        return EqualRow<uint32_t>(one, first, other, second, run.extent);
      default:
        return size == sizeof(uint64_t) &&
               EqualRow<uint64_t>(one, first, other, second, run.extent);
    }
  }
  for (int64_t i = 0; i < run.extent; ++i) {
    if (!EqualRuns(one + i * first, other + i * second, size, runs.subspan(1))) return false;
  }
  return true;
}

/// The number that the bytes of an element represent; floats as the bits of their double.
int64_t ElementBits(std::span<const uint8_t> bytes, DataType dtype, int64_t element) {
  const auto size = static_cast<size_t>(dtype.bytes());
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + static_cast<size_t>(element) * size, size);
  if (dtype == DataType::Float(32)) {
    const double value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    return std::bit_cast<int64_t>(value);
  }
  return dtype.is_integer() ? WrapToDType(static_cast<int64_t>(bits), dtype)
                            : static_cast<int64_t>(bits);
}

}  // namespace

Comparer::Comparer(TermTable& terms, const Reading& reading, OperatorTerms& all,
                   int64_t most_points)
    : terms_(terms),
      forms_(terms.forms()),
      reading_(reading),
      all_(all),
      walks_(terms, most_points) {
  for (const ComputationLoop& loop : all.computation().loops)
    counters_.push_back(forms_.Count(loop.extent, loop.name));
}

int Comparer::GuardsId(const Guards& guards) {
  return guards_ids_.try_emplace(guards, static_cast<int>(guards_ids_.size())).first->second;
}

std::optional<bool> Comparer::Decide(TermId condition, const Guards& guards) {
  if (terms_.IsNumber(condition, 0)) return false;
  if (terms_.IsNumber(condition, 1)) return true;
  for (const Guard& guard : guards) {
    if (guard.condition == condition) return guard.holds;
  }
  const std::pair key(condition, GuardsId(guards));
  if (const auto found = decided_.find(key); found != decided_.end()) return found->second;
  std::vector<int> digits;
  terms_.AddDigits(condition, digits);
  int64_t points = 1;
  for (const int digit : digits) points = std::min(kMostDecided + 1, points * forms_.extent(digit));
  bool is_sometimes = false;
  bool is_sometimes_not = false;
  if (points <= kMostDecided) {
    walks_.ForEach(digits, guards, [&](Point& at) {
      const std::optional<bool> holds = walks_.HoldsAt(condition, at);
      is_sometimes |= holds.value_or(true);
      is_sometimes_not |= !holds.value_or(false);
      return !is_sometimes || !is_sometimes_not;
    });
  }
  std::optional<bool> decided;
  if (is_sometimes != is_sometimes_not) decided = is_sometimes;
  return decided_[key] = decided;
}

TermId Comparer::Wanted(int step, const OperatorTerms::Loops& loops, const Guards& guards) {
  return all_.ValueOf(step, loops, guards, [&](TermId condition, const Guards& where) {
    return Decide(condition, where);
  });
}

bool Comparer::Differ(TermId read, TermId wanted) {
  if (difference_.empty())
    difference_ = fmt::format("expected {}, found {}", TextOf(wanted), TextOf(read));
  return false;
}

bool Comparer::Equal(TermId read, TermId wanted, const Guards& guards) {
  if (read == wanted) return true;
  if (read < 0 || wanted < 0) return false;
  const std::pair key(std::pair(read, wanted), GuardsId(guards));
  if (const auto found = equal_.find(key); found != equal_.end()) return found->second;
  const bool is_equal = EqualParts(read, wanted, guards);
  return equal_[key] = is_equal;
}

bool Comparer::EqualParts(TermId read, TermId wanted, const Guards& guards) {
  const Term now = terms_.At(read);
  const Term goal = terms_.At(wanted);
  if (now.dtype != goal.dtype) return Differ(read, wanted);
  if (goal.kind == TermKind::kSum) {
    if (!IsParts(now)) return EqualSum(read, wanted, guards);
    const bool is_filled_once = reading_.shared_loops[static_cast<size_t>(now.memory)] == 0;
    return is_filled_once ? DeferSum(now, wanted, guards) : EqualElementSum(now, wanted, guards);
  }
  if (now.kind == TermKind::kChoice) {
    if (const std::optional<bool> holds = Decide(now.args[0], guards))
      return Equal(now.args[*holds ? 1 : 2], wanted, guards);
    if (goal.kind == TermKind::kChoice && goal.args[0] == now.args[0] &&
        Equal(now.args[1], goal.args[1], With(guards, now.args[0], true)) &&
        Equal(now.args[2], goal.args[2], With(guards, now.args[0], false)))
      return true;
  } else if (now.kind == goal.kind && EqualArgs(now, goal, guards)) {
    return true;
  }
  if (IsConstant(now) && IsConstant(goal) && EqualConstants(now, goal)) return true;
  if (EqualProduct(now, goal, guards)) return true;
  if (!NeedsWalk(read) && !NeedsWalk(wanted) && guards.empty()) return Differ(read, wanted);
  return EqualEverywhere(read, wanted, guards);
}

/// True for the same operation on equal arguments.
bool Comparer::EqualArgs(const Term& read, const Term& wanted, const Guards& guards) {
  const bool is_operation = read.kind == TermKind::kNode || read.kind == TermKind::kCall ||
                            read.kind == TermKind::kGather;
  if (!is_operation || read.op != wanted.op || read.memory != wanted.memory ||
      read.form != wanted.form || read.args.size() != wanted.args.size())
    return false;
  bool is_equal = true;
  for (size_t i = 0; i < read.args.size() && is_equal; ++i)
    is_equal = Equal(read.args[i], wanted.args[i], guards);
  const bool commutes =
      read.dtype.is_integer() && (read.IsNode(NodeKind::kAdd) || read.IsNode(NodeKind::kMul));
  return is_equal || (commutes && Equal(read.args[0], wanted.args[1], guards) &&
                      Equal(read.args[1], wanted.args[0], guards));
}

/// Compares a product of integers that is 0 unless a condition holds with a product whose factor is
/// 0 unless it holds.
bool Comparer::EqualProduct(const Term& read, const Term& wanted, const Guards& guards) {
  if (!read.dtype.is_integer() || !read.IsNode(NodeKind::kMul) ||
      wanted.kind != TermKind::kChoice || !terms_.IsNumber(wanted.args[2], 0))
    return false;
  const Term product = terms_.At(wanted.args[1]);
  if (!product.IsNode(NodeKind::kMul)) return false;
  const TermId zero = wanted.args[2];
  const TermId a = terms_.Choice(wanted.args[0], product.args[0], zero);
  const TermId b = terms_.Choice(wanted.args[0], product.args[1], zero);
  return (Equal(read.args[0], a, guards) && Equal(read.args[1], product.args[1], guards)) ||
         (Equal(read.args[1], b, guards) && Equal(read.args[0], product.args[0], guards));
}

/// True if equal values may have different terms.
bool Comparer::NeedsWalk(TermId root) {
  if (const auto found = needs_walk_.find(root); found != needs_walk_.end()) return found->second;
  const Term term = terms_.At(root);
  bool needs = term.kind == TermKind::kChoice || IsParts(term) || IsConstant(term);
  if (term.form >= 0) needs |= forms_.HasDerived(term.form);
  for (size_t i = 0; i < term.term_args() && !needs; ++i) needs = NeedsWalk(term.args[i]);
  return needs_walk_[root] = needs;
}

bool Comparer::EqualEverywhere(TermId read, TermId wanted, const Guards& guards) {
  std::vector<int> digits;
  AddDigits(read, digits);
  AddDigits(wanted, digits);
  std::sort(digits.begin(), digits.end());
  const PointWalks::Result result =
      walks_.ForEach(digits, guards, [&](Point& at) { return EqualAt(read, wanted, at); });
  return result == PointWalks::Result::kAll || Differ(read, wanted);
}

void Comparer::AddDigits(TermId term, std::vector<int>& digits) {
  terms_.AddDigits(term, digits);
  std::vector<TermId> work = {term};
  absl::flat_hash_set<TermId> seen;
  while (!work.empty()) {
    const TermId at = work.back();
    work.pop_back();
    if (at < 0 || !seen.insert(at).second) continue;
    const Term now = terms_.At(at);
    work.insert(work.end(), now.args.begin(),
                now.args.begin() + static_cast<ptrdiff_t>(now.term_args()));
    if (!IsParts(now)) continue;
    for (const int digit : OriginsOf(now.memory).digits) {
      if (std::find(digits.begin(), digits.end(), digit) == digits.end()) digits.push_back(digit);
    }
    for (const Piece& piece : reading_.pieces[static_cast<size_t>(now.memory)])
      work.push_back(piece.value);
  }
}

std::optional<int64_t> Comparer::ElementOf(const Term& read, const Point& at) const {
  const int64_t element = forms_.ValueAt(read.form, at);
  if (element < 0 || element >= MemoryAt(read.memory).elements) return std::nullopt;
  return element;
}

/// The term that determines the value at a point: one arm of a select, or the source of a copy,
/// whose digits are set. -1 if no term is known.
TermId Comparer::Resolve(TermId term, Point& at) {
  while (true) {
    const Term& now = terms_.At(term);
    if (now.kind == TermKind::kChoice) {
      const std::optional<bool> holds = walks_.HoldsAt(now.args[0], at);
      if (!holds) return term;
      term = now.args[*holds ? 1 : 2];
      continue;
    }
    if (!IsParts(now)) return term;
    const Piece* piece = Fill(now, at);
    if (piece == nullptr) return -1;
    term = piece->value;
  }
}

/// The store that fills the element that is read at a point, with the digits of its own loops set;
/// null if it is unknown.
const Piece* Comparer::Fill(const Term& read, Point& at) {
  const std::optional<int64_t> element = ElementOf(read, at);
  const Origins& origins = OriginsOf(read.memory);
  if (!element || !origins.is_known) return nullptr;
  const auto memory = static_cast<size_t>(read.memory);
  const auto& all = origins.of[static_cast<size_t>(*element)];
  const auto go_to = [&](const Origin& origin) -> const Piece& {
    const Piece& piece = reading_.pieces[memory][static_cast<size_t>(origin.piece)];
    int64_t iteration = origin.iteration;
    for (size_t i = piece.digits.size(); i-- > reading_.shared_loops[memory];) {
      const int64_t extent = forms_.extent(piece.digits[i]);
      at[static_cast<size_t>(piece.digits[i])] = iteration % extent;
      iteration /= extent;
    }
    return piece;
  };
  const Origin* found = nullptr;
  for (const Origin& origin : all) {
    const Piece& piece = go_to(origin);
    const bool is_filled = std::all_of(piece.guards.begin(), piece.guards.end(), [&](auto& guard) {
      return walks_.HoldsAt(guard.condition, at) == guard.holds;
    });
    if (!is_filled) continue;
    if (found != nullptr || origin.piece >= read.number) return nullptr;
    found = &origin;
  }
  return found == nullptr ? nullptr : &go_to(*found);
}

/// The integer, or the bits of the float, that a resolved term is; nullopt if it depends on inputs.
std::optional<int64_t> Comparer::NumberAt(TermId root, Point& at) {
  const TermId resolved = Resolve(root, at);
  if (resolved < 0) return std::nullopt;
  const Term term = terms_.At(resolved);
  if (term.kind == TermKind::kIndex) return forms_.ValueAt(term.form, at);
  if (term.kind == TermKind::kReal) return term.number;
  if (IsConstant(term)) {
    const Memory& memory = MemoryAt(term.memory);
    const std::optional<int64_t> element = ElementOf(term, at);
    if (!element || memory.bytes.empty()) return std::nullopt;
    return ElementBits(memory.bytes, memory.dtype, *element);
  }
  if (term.kind != TermKind::kNode || !term.dtype.is_integer()) return std::nullopt;
  const std::optional<int64_t> a = NumberAt(term.args[0], at);
  if (term.IsNode(NodeKind::kCast)) {
    const bool is_integer = terms_.At(term.args[0]).dtype.is_integer() && !term.dtype.is_bool();
    return a && is_integer ? std::optional(WrapToDType(*a, term.dtype)) : std::nullopt;
  }
  const bool is_product = term.IsNode(NodeKind::kMul);
  if (is_product && a == 0) return 0;
  const std::optional<int64_t> b =
      term.args.size() == 2 ? NumberAt(term.args[1], at) : std::nullopt;
  if (is_product && b == 0) return 0;
  if (!a || !b || term.dtype.bits() > 32) return std::nullopt;
  if (is_product && term.dtype.is_int()) return WrapToDType(*a * *b, term.dtype);
  if (term.IsNode(NodeKind::kAdd)) return WrapToDType(*a + *b, term.dtype);
  if (term.IsNode(NodeKind::kSub)) return WrapToDType(*a - *b, term.dtype);
  return std::nullopt;
}

/// The resolved number that a cast converts, without casts that keep all values, because copies may
/// store wider integers. -1 if no term is known.
TermId Comparer::ConvertedAt(TermId value, Point& at) {
  value = Resolve(value, at);
  while (value >= 0 && terms_.At(value).IsNode(NodeKind::kCast) &&
         HoldsAll(terms_.At(value).dtype, terms_.At(terms_.At(value).args[0]).dtype))
    value = Resolve(terms_.At(value).args[0], at);
  return value;
}

bool Comparer::EqualAt(TermId read, TermId wanted, Point& at) {
  const TermId now = Resolve(read, at);
  const TermId goal = Resolve(wanted, at);
  if (now < 0 || goal < 0) return false;
  const Term& one = terms_.At(now);
  const Term& other = terms_.At(goal);
  if (one.dtype != other.dtype) return false;
  if (now == goal && !NeedsWalk(now)) return true;
  if (one.kind == TermKind::kRead && other.kind == TermKind::kRead)
    return EqualReads(one, other, at);
  if (one.IsNode(NodeKind::kCast) && other.IsNode(NodeKind::kCast)) {
    const TermId a = ConvertedAt(one.args[0], at);
    const TermId b = ConvertedAt(other.args[0], at);
    if (a >= 0 && b >= 0 && EqualAt(a, b, at)) return true;
  }
  const bool is_operation = one.kind == TermKind::kNode || one.kind == TermKind::kCall ||
                            one.kind == TermKind::kGather || one.kind == TermKind::kChoice;
  if (is_operation && one.kind == other.kind && one.op == other.op && one.memory == other.memory &&
      one.args.size() == other.args.size() &&
      (one.form < 0 || forms_.ValueAt(one.form, at) == forms_.ValueAt(other.form, at))) {
    bool is_equal = true;
    for (size_t i = 0; i < one.args.size() && is_equal; ++i)
      is_equal = EqualAt(one.args[i], other.args[i], at);
    if (is_equal) return true;
  }
  const std::optional<int64_t> number = NumberAt(now, at);
  return number.has_value() && number == NumberAt(goal, at);
}

bool Comparer::EqualReads(const Term& read, const Term& wanted, Point& at) {
  const std::optional<int64_t> one = ElementOf(read, at);
  const std::optional<int64_t> other = ElementOf(wanted, at);
  if (!one || !other) return false;
  if (read.memory == wanted.memory && one == other) return true;
  const Memory& from = MemoryAt(read.memory);
  const Memory& to = MemoryAt(wanted.memory);
  if (from.bytes.empty() || to.bytes.empty()) return false;
  const auto size = static_cast<size_t>(from.dtype.bytes());
  return std::memcmp(from.bytes.data() + static_cast<size_t>(*one) * size,
                     to.bytes.data() + static_cast<size_t>(*other) * size, size) == 0;
}

/// True if two reads of constants return the same bits for all values of their digits.
bool Comparer::EqualConstants(const Term& read, const Term& wanted) {
  const Memory& from = MemoryAt(read.memory);
  const Memory& to = MemoryAt(wanted.memory);
  const auto is_inside = [&](const Term& term, const Memory& memory) {
    const auto [low, high] = forms_.BoundsOf(term.form);
    return low >= 0 && high < memory.elements && !memory.bytes.empty();
  };
  if (forms_.HasDerived(read.form) || forms_.HasDerived(wanted.form) || !is_inside(read, from) ||
      !is_inside(wanted, to))
    return false;
  std::vector<int> digits;
  forms_.AddDigits(read.form, digits);
  forms_.AddDigits(wanted.form, digits);
  std::vector<ConstantRun> runs;
  int64_t points = 1;
  for (const int digit : digits) {
    runs.push_back({forms_.extent(digit), forms_.StrideOf(read.form, digit),
                    forms_.StrideOf(wanted.form, digit)});
    points *= runs.back().extent;
  }
  std::sort(runs.begin(), runs.end());
  std::vector<int64_t> key = {read.memory, wanted.memory, forms_.At(read.form).constant,
                              forms_.At(wanted.form).constant};
  for (const ConstantRun& run : runs) key.insert(key.end(), {run.extent, run.first, run.second});
  const auto [found, is_new] = equal_constants_.try_emplace(std::move(key), false);
  if (!is_new || !walks_.Take(points)) return found->second;
  const auto size = static_cast<size_t>(from.dtype.bytes());
  return found->second =
             EqualRuns(from.bytes.data() + static_cast<size_t>(found->first[2]) * size,
                       to.bytes.data() + static_cast<size_t>(found->first[3]) * size, size, runs);
}

const Comparer::Origins& Comparer::OriginsOf(int memory) {
  std::unique_ptr<const Origins>& found = origins_[memory];
  if (found == nullptr) {
    auto origins = std::make_unique<Origins>();
    origins->is_known = FindOrigins(memory, *origins);
    found = std::move(origins);
  }
  return *found;
}

/// Finds where each element is stored. False if that is unknown, or if one is stored twice.
bool Comparer::FindOrigins(int memory, Origins& origins) {
  const auto at = static_cast<size_t>(memory);
  const auto elements = static_cast<size_t>(MemoryAt(memory).elements);
  origins.of.assign(elements, {});
  absl::flat_hash_set<int> shared_digits;
  const std::vector<Piece>& pieces = reading_.pieces[at];
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    const size_t shared = reading_.shared_loops[at];
    const std::vector<int> own(piece.digits.begin() + static_cast<ptrdiff_t>(shared),
                               piece.digits.end());
    const auto is_own = [&](int digit) {
      return std::find(own.begin(), own.end(), digit) != own.end();
    };
    std::vector<int> used;
    forms_.AddDigits(piece.element, used);
    if (!std::all_of(used.begin(), used.end(), is_own)) return false;
    // Guards on shared loops determine when the element is read.
    Guards own_guards;
    for (const Guard& guard : piece.guards) {
      std::vector<int> of_guard;
      terms_.AddDigits(guard.condition, of_guard);
      if (terms_.ReadsMemory(guard.condition)) return false;
      if (std::all_of(of_guard.begin(), of_guard.end(), is_own)) own_guards.push_back(guard);
      used.insert(used.end(), of_guard.begin(), of_guard.end());
    }
    terms_.AddDigits(piece.value, used);
    for (const int digit : used) {
      if (!is_own(digit)) shared_digits.insert(digit);
    }
    const bool is_certain = own_guards.size() == piece.guards.size();
    const auto visit = [&](Point& point) {
      const int64_t element = forms_.ValueAt(piece.element, point);
      if (element < 0 || element >= static_cast<int64_t>(elements)) return false;
      auto& all = origins.of[static_cast<size_t>(element)];
      if (is_certain && !all.empty()) return false;
      int64_t iteration = 0;
      for (const int digit : own)
        iteration = iteration * forms_.extent(digit) + point[static_cast<size_t>(digit)];
      all.push_back({static_cast<int32_t>(i), static_cast<int32_t>(iteration)});
      return iteration <= INT32_MAX;
    };
    if (walks_.ForEach(own, own_guards, visit) != PointWalks::Result::kAll) return false;
  }
  origins.digits.assign(shared_digits.begin(), shared_digits.end());
  std::sort(origins.digits.begin(), origins.digits.end());
  return true;
}

std::string Comparer::TextOf(TermId root, int depth) const {
  if (root < 0) return "nothing";
  const Term& term = terms_.At(root);
  if (depth > 3) return "...";
  const auto form_text = [&](FormId form) {
    std::string text;
    for (const auto& [digit, stride] : forms_.At(form).terms) {
      const std::string& name = forms_.name(digit);
      text +=
          fmt::format("{}{} * {}", text.empty() ? "" : " + ", name.empty() ? "(..)" : name, stride);
    }
    const int64_t constant = forms_.At(form).constant;
    if (text.empty()) return std::to_string(constant);
    return constant == 0 ? text : fmt::format("{} + {}", text, constant);
  };
  std::string args;
  for (size_t i = 0; i < term.term_args(); ++i)
    args += fmt::format("{}{}", i == 0 ? "" : ", ", TextOf(term.args[i], depth + 1));
  switch (term.kind) {
    case TermKind::kIndex:
      return form_text(term.form);
    case TermKind::kReal:
      return fmt::format("{}", std::bit_cast<double>(term.number));
    case TermKind::kRead:
    case TermKind::kGather:
      return fmt::format("{}[{}{}]", MemoryAt(term.memory).name, form_text(term.form),
                         args.empty() ? "" : " + " + args);
    case TermKind::kNode:
      return fmt::format("{}({})", NodeKindName(static_cast<NodeKind>(term.op)), args);
    case TermKind::kCall:
      return fmt::format("{}({})", Op::Get(static_cast<OpKind>(term.op))->text, args);
    case TermKind::kNonneg:
      return fmt::format("{} >= 0", form_text(term.form));
    case TermKind::kZero:
      return fmt::format("{} == 0", form_text(term.form));
    case TermKind::kHole:
      return "_";
    default:
      return fmt::format("{}({})",
                         term.kind == TermKind::kChoice   ? "choice"
                         : term.kind == TermKind::kRepeat ? "repeated"
                         : term.kind == TermKind::kWhen   ? "when"
                                                          : "the sum",
                         args);
  }
}

}  // namespace tenon::check
