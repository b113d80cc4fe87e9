// Sums of Comparer. The steps of a sum are numbered 0, 1, ... in the order of its loops. The
// function adds values in some order. Each value must be the next step, and an omitted step must be
// a zero. For integers, any order of the loops is allowed.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "schedule/check/comparer.h"

namespace tenon::check {

const Comparer::Items& Comparer::ItemsOf(TermId term, NodeKind node) {
  std::unique_ptr<const Items>& found = items_[{term, node}];
  if (found != nullptr) return *found;
  auto items = std::make_unique<Items>();
  TermId at = term;
  while (true) {
    const Term& now = terms_.At(at);
    Item item;
    item.kind = now.kind;
    if (now.IsNode(node) && now.dtype == terms_.At(term).dtype) {
      item.value = now.args[1];
    } else if (now.kind == TermKind::kRepeat) {
      item.value = now.args[1];
      item.digit = static_cast<int>(now.number);
    } else if (now.kind == TermKind::kWhen) {
      item.value = now.args[1];
      item.condition = now.args[2];
    } else {
      break;
    }
    items->all.push_back(item);
    at = now.args[0];
  }
  std::reverse(items->all.begin(), items->all.end());
  items->base = at;
  return *(items_[{term, node}] = std::move(items));
}

/// The values that an update adds; `splits`: a sum of values counts as several values.
int64_t Comparer::CountOf(TermId update, const Sum& sum, bool splits) {
  int64_t count = 0;
  for (const Item& item : ItemsOf(update, sum.step->node).all) {
    if (item.kind == TermKind::kRepeat) {
      count += forms_.extent(item.digit) * CountOf(item.value, sum, splits);
    } else if (item.kind == TermKind::kWhen) {
      count += CountOf(item.value, sum, splits);
    } else {
      count +=
          splits ? 1 + static_cast<int64_t>(ItemsOf(item.value, sum.step->node).all.size()) : 1;
    }
    count = std::min(count, sum.most() + 1);
  }
  return count;
}

void Comparer::SetOrder(Sum& sum, const std::vector<int>& order) const {
  sum.order = order;
  sum.strides.assign(order.size(), 1);
  sum.total = 1;
  for (size_t i = order.size(); i-- > 0;) {
    sum.strides[i] = sum.total;
    sum.total *= all_.ExtentOf(sum.order[i]);
  }
}

bool Comparer::EqualSum(TermId read, TermId wanted, const Guards& guards) {
  const Term goal = terms_.At(wanted);
  Sum sum;
  sum.step = &all_.StepAt(goal.number);
  sum.loops = all_.LoopsOf(wanted);
  sum.number = goal.number;
  SetOrder(sum, sum.step->loops);
  sum.start = Wanted(sum.step->args[0], sum.loops, guards);
  const bool is_integer = sum.step->dtype.is_integer();
  // A sum of floats that begins at +0 never becomes -0, so adding a zero does not change it.
  sum.skips_zeros =
      sum.step->node == NodeKind::kAdd && (is_integer || terms_.IsRealPlusZero(sum.start));
  if (sum.start < 0 || sum.step->integer != 0) return Differ(read, wanted);
  if (sum.total == 1) {
    // The step may itself be a sum of several values.
    const TermId only = StepAt(sum, forms_.Constant(0), 1, guards);
    const TermId value =
        only < 0 ? -1 : terms_.Node(sum.step->node, sum.step->dtype, sum.start, only);
    if (Equal(read, value, guards)) return true;
  }
  const Items& items = ItemsOf(read, sum.step->node);
  return InSomeOrder(sum, [&] { return EqualFromStart(sum, items, guards); }) ||
         (MayReorder(sum) && EqualOffsetSum(sum, items, guards)) || Differ(read, wanted);
}

bool Comparer::MayReorder(const Sum& sum) {
  return sum.step->dtype.is_integer() && sum.step->loops.size() <= kMostReordered;
}

/// Tries the original order, or one in which the sum was read before, and then all orders in which
/// the loops of a sum of integers may run.
bool Comparer::InSomeOrder(Sum& sum, const std::function<bool()>& is_equal) {
  const auto known = MayReorder(sum) ? orders_.find(sum.number) : orders_.end();
  SetOrder(sum, known == orders_.end() ? sum.step->loops : known->second);
  if (is_equal()) return true;
  if (!MayReorder(sum)) return false;
  std::vector<int> order = sum.step->loops;
  std::sort(order.begin(), order.end());
  do {
    SetOrder(sum, order);
    if (!is_equal()) continue;
    orders_[sum.number] = order;
    return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

/// Compares the start value, then the steps. The first values that were read may be a part of the
/// start value, or the start value may be a zero that is not visible in an addition of integers.
bool Comparer::EqualFromStart(const Sum& sum, const Items& items, const Guards& guards) {
  TermId start = items.base;
  const size_t most = ItemsOf(sum.start, sum.step->node).all.size();
  for (size_t first = 0;; ++first) {
    if (Equal(start, sum.start, guards)) {
      const std::vector<Item> rest(items.all.begin() + static_cast<ptrdiff_t>(first),
                                   items.all.end());
      if (EqualSteps(sum, rest, guards)) return true;
    }
    if (first == std::min(most, items.all.size()) || items.all[first].kind != TermKind::kNode)
      break;
    start = terms_.Node(sum.step->node, sum.step->dtype, start, items.all[first].value);
  }
  if (!terms_.IsNumber(sum.start, 0) || sum.step->node != NodeKind::kAdd) return false;
  std::vector<Item> all = {{TermKind::kNode, items.base, -1, -1}};
  all.insert(all.end(), items.all.begin(), items.all.end());
  if (EqualSteps(sum, all, guards)) return true;
  // The first step may be a sum of several values, each of which is then an item.
  const int64_t joined = static_cast<int64_t>(items.all.size()) - (sum.total - 1);
  if (joined < 1) return false;
  TermId head = items.base;
  for (int64_t i = 0; i < joined; ++i)
    head = Joined(*sum.step, head, items.all[static_cast<size_t>(i)]);
  all.assign(1, {TermKind::kNode, head, -1, -1});
  all.insert(all.end(), items.all.begin() + joined, items.all.end());
  return EqualSteps(sum, all, guards);
}

/// The value of a sum after one more part.
TermId Comparer::Joined(const Step& sum, TermId before, const Item& item) {
  if (item.kind == TermKind::kNode) return terms_.Node(sum.node, sum.dtype, before, item.value);
  Term term;
  term.kind = item.kind;
  term.dtype = sum.dtype;
  term.args = {before, item.value};
  if (item.kind == TermKind::kRepeat) term.number = item.digit;
  if (item.kind == TermKind::kWhen) term.args.push_back(item.condition);
  return terms_.Intern(std::move(term));
}

bool Comparer::EqualSteps(const Sum& sum, const std::vector<Item>& items, const Guards& guards) {
  const FormId place = MatchItems(sum, items, forms_.Constant(0), guards);
  if (place < 0) return false;
  const bool is_after_all = forms_.IsConstant(place) && forms_.At(place).constant > sum.total;
  return is_after_all || SkipTo(sum, place, forms_.Constant(sum.total), guards);
}

/// Finds the steps that items add, beginning with a number. Returns the number after them; -1 if
/// one is wrong.
FormId Comparer::MatchItems(const Sum& sum, const std::vector<Item>& items, FormId place,
                            const Guards& guards) {
  for (const Item& item : items) {
    while (true) {
      const FormId next = MatchItem(sum, item, place, guards);
      if (next >= 0) {
        place = next;
        break;
      }
      const int64_t zeros = ZerosAt(sum, place, sum.total, guards);
      if (zeros == 0) return -1;
      place = forms_.Add(place, forms_.Constant(zeros));
    }
  }
  return place;
}

FormId Comparer::MatchItem(const Sum& sum, const Item& item, FormId place, const Guards& guards) {
  if (item.kind == TermKind::kRepeat) return MatchRepeat(sum, item, place, guards);
  if (item.kind == TermKind::kWhen) return MatchWhen(sum, item, place, guards);
  return MatchValue(sum, item.value, place, guards);
}

/// The value of `block` steps, beginning with a number, as one term for all of them; -1 if the
/// number is after the last step, or does not begin a block.
TermId Comparer::StepAt(const Sum& sum, FormId place, int64_t block, const Guards& guards) {
  const auto [low, high] = forms_.BoundsOf(place);
  if (low < 0 || high + block > sum.most()) return -1;
  if (block > 1 && !forms_.Is(forms_.FloorMod(place, block), 0)) return -1;
  OperatorTerms::Loops loops = sum.loops;
  FormId rest = place;
  for (size_t i = 0; i < sum.order.size(); ++i) {
    const auto loop = static_cast<size_t>(sum.order[i]);
    const bool is_inside = sum.strides[i] < block;
    loops[loop] = is_inside ? counters_[loop] : forms_.FloorDiv(rest, sum.strides[i]);
    rest = forms_.FloorMod(rest, sum.strides[i]);
  }
  if (sum.product != nullptr) return OffsetStep(sum, loops, place);
  return Wanted(sum.step->args[1], loops, guards);
}

FormId Comparer::MatchValue(const Sum& sum, TermId value, FormId place, const Guards& guards) {
  // Integers may be added to each other first, as by an instruction for pairs.
  if (sum.step->dtype.is_integer() && terms_.At(value).IsNode(sum.step->node)) {
    const TermId first = terms_.At(value).args[0];
    const TermId second = terms_.At(value).args[1];
    const FormId next = MatchItems(
        sum, {{TermKind::kNode, first, -1, -1}, {TermKind::kNode, second, -1, -1}}, place, guards);
    if (next >= 0) return next;
  }
  const TermId wanted = StepAt(sum, place, 1, guards);
  if (wanted < 0 || !Equal(value, wanted, guards)) return -1;
  return forms_.Add(place, forms_.Constant(1));
}

/// Each iteration adds the same number of steps, some of which may be omitted zeros.
FormId Comparer::MatchRepeat(const Sum& sum, const Item& item, FormId place, const Guards& guards) {
  const Items& update = ItemsOf(item.value, sum.step->node);
  if (terms_.At(update.base).kind != TermKind::kHole) return -1;
  const int64_t extent = forms_.extent(item.digit);
  std::vector<int64_t> sizes = {CountOf(item.value, sum, true), CountOf(item.value, sum, false)};
  for (size_t i = sum.strides.size(); i-- > 0;) sizes.push_back(sum.strides[i]);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t size = sizes[i];
    const bool is_known = std::find(sizes.begin(), sizes.begin() + static_cast<ptrdiff_t>(i),
                                    size) != sizes.begin() + static_cast<ptrdiff_t>(i);
    if (size == 0 || is_known || size > sum.most() / extent) continue;
    const FormId first = forms_.Add(place, forms_.Digit(item.digit), size);
    const FormId next = MatchItems(sum, update.all, first, guards);
    if (next >= 0 && SkipTo(sum, next, forms_.Add(first, forms_.Constant(size)), guards))
      return forms_.Add(place, forms_.Constant(size * extent));
  }
  return -1;
}

FormId Comparer::MatchWhen(const Sum& sum, const Item& item, FormId place, const Guards& guards) {
  const Items& update = ItemsOf(item.value, sum.step->node);
  if (terms_.At(update.base).kind != TermKind::kHole) return -1;
  if (const std::optional<bool> holds = Decide(item.condition, guards))
    return *holds ? MatchItems(sum, update.all, place, guards) : place;
  const FormId end = MatchItems(sum, update.all, place, With(guards, item.condition, true));
  if (end < 0 || !SkipTo(sum, place, end, With(guards, item.condition, false))) return -1;
  return end;
}

/// True if all steps from one number to another are zeros.
bool Comparer::SkipTo(const Sum& sum, FormId place, FormId end, const Guards& guards) {
  while (place != end) {
    const int64_t zeros =
        ZerosAt(sum, place, forms_.BoundsOf(forms_.Add(end, place, -1)).first, guards);
    if (zeros == 0) return false;
    place = forms_.Add(place, forms_.Constant(zeros));
  }
  return true;
}

/// How many steps, beginning with a number, are zeros, up to `most`; 0 if the first one is not a
/// zero.
int64_t Comparer::ZerosAt(const Sum& sum, FormId place, int64_t most, const Guards& guards) {
  if (!sum.skips_zeros) return 0;
  std::vector<int64_t> blocks = sum.strides;
  if (sum.total > 1) blocks.insert(blocks.begin(), sum.total);
  if (blocks.empty() || blocks.back() != 1) blocks.push_back(1);
  for (const int64_t block : blocks) {
    if (block > most) continue;
    const TermId value = StepAt(sum, place, block, guards);
    if (value >= 0 && IsZeroProduct(value)) return block;
  }
  return 0;
}

/// A zero, or the product of a zero and a finite number.
bool Comparer::IsZeroProduct(TermId term) {
  const Term& now = terms_.At(term);
  if (now.dtype.is_integer()) return terms_.IsNumber(term, 0);
  if (terms_.IsRealZero(term)) return true;
  if (!now.IsNode(NodeKind::kMul)) return false;
  const auto is_finite = [&](TermId factor) {
    const Term& read = terms_.At(factor);
    if (read.kind == TermKind::kReal) return std::isfinite(std::bit_cast<double>(read.number));
    return IsConstant(read) && IsFinite(read.memory);
  };
  return (terms_.IsRealZero(now.args[0]) && is_finite(now.args[1])) ||
         (terms_.IsRealZero(now.args[1]) && is_finite(now.args[0]));
}

/// True for a constant of float32 without infinities and NaNs.
bool Comparer::IsFinite(int memory) {
  const auto [found, is_new] = is_finite_.try_emplace(memory, false);
  const Memory& constant = MemoryAt(memory);
  if (!is_new || constant.dtype != DataType::Float(32) || constant.bytes.empty())
    return found->second;
  bool is_finite = true;
  for (size_t at = 0; at + sizeof(float) <= constant.bytes.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, constant.bytes.data() + at, sizeof value);
    is_finite &= std::isfinite(value);
  }
  return found->second = is_finite;
}

/// The number of the step for an iteration of a sum's loops.
int64_t Comparer::PlaceOf(const Term& sum, const Point& at) const {
  int64_t place = 0;
  const std::vector<int>& free = all_.FreeLoops(static_cast<int>(sum.number));
  for (size_t i = 0; i < free.size(); ++i)
    place = place * all_.ExtentOf(free[i]) + forms_.ValueAt(sum.args[i], at);
  return place;
}

/// Records that elements of memory must be sums, which FinishSums compares with the stored sums.
bool Comparer::DeferSum(const Term& read, TermId wanted, const Guards& guards) {
  const Term goal = terms_.At(wanted);
  StoredSum& stored = stored_sums_[read.memory];
  if (stored.step < 0) {
    stored.step = goal.number;
    stored.places.assign(static_cast<size_t>(MemoryAt(read.memory).elements), -1);
  }
  if (stored.step != goal.number) return false;
  std::vector<int> digits;
  forms_.AddDigits(read.form, digits);
  for (const FormId form : goal.args) forms_.AddDigits(form, digits);
  const auto visit = [&](Point& at) {
    const std::optional<int64_t> element = ElementOf(read, at);
    if (!element) return false;
    int64_t& place = stored.places[static_cast<size_t>(*element)];
    const int64_t now = PlaceOf(goal, at);
    if (place >= 0 && place != now) return false;
    place = now;
    return true;
  };
  return walks_.ForEach(digits, guards, visit) == PointWalks::Result::kAll;
}

bool Comparer::FinishSums() {
  std::vector<int> memories;
  for (const auto& [memory, stored] : stored_sums_) memories.push_back(memory);
  std::sort(memories.begin(), memories.end());
  return std::all_of(memories.begin(), memories.end(), [&](int memory) {
    return FinishSum(memory, StoredSum(stored_sums_[memory]));
  });
}

bool Comparer::FinishSum(int memory, const StoredSum& stored) {
  const Origins& origins = OriginsOf(memory);
  if (!origins.is_known || reading_.shared_loops[static_cast<size_t>(memory)] != 0) return false;
  const std::vector<Piece>& pieces = reading_.pieces[static_cast<size_t>(memory)];
  std::vector<bool> is_wanted(pieces.size());
  for (size_t element = 0; element < stored.places.size(); ++element) {
    if (stored.places[element] < 0) continue;
    if (origins.of[element].size() != 1) return false;
    is_wanted[static_cast<size_t>(origins.of[element][0].piece)] = true;
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!is_wanted[i]) continue;
    const Piece& piece = pieces[i];
    const TermId wanted = GuessSum(stored, piece);
    if (wanted < 0) return false;
    const Term sum = terms_.At(wanted);
    const auto visit = [&](Point& at) {
      const int64_t place = stored.places[static_cast<size_t>(forms_.ValueAt(piece.element, at))];
      return place < 0 || place == PlaceOf(sum, at);
    };
    if (walks_.ForEach(piece.digits, piece.guards, visit) != PointWalks::Result::kAll ||
        !Equal(piece.value, wanted, piece.guards))
      return false;
  }
  return true;
}

/// The sum that a piece stores, if its loops are linear in those of the piece: the first iteration,
/// and the second one of each loop, determine the forms. -1 if these iterations are not wanted.
TermId Comparer::GuessSum(const StoredSum& stored, const Piece& piece) {
  const std::vector<int>& free = all_.FreeLoops(static_cast<int>(stored.step));
  Point at(static_cast<size_t>(forms_.digit_count()));
  const auto loops_at = [&]() -> std::vector<int64_t> {
    const int64_t element = forms_.ValueAt(piece.element, at);
    if (element < 0 || element >= static_cast<int64_t>(stored.places.size())) return {};
    int64_t place = stored.places[static_cast<size_t>(element)];
    if (place < 0) return {};
    std::vector<int64_t> loops(free.size() + 1);
    for (size_t i = free.size(); i-- > 0;) {
      loops[i] = place % all_.ExtentOf(free[i]);
      place /= all_.ExtentOf(free[i]);
    }
    return loops;
  };
  const std::vector<int64_t> first = loops_at();
  if (first.empty()) return -1;
  Term sum;
  sum.kind = TermKind::kSum;
  sum.dtype = all_.StepAt(stored.step).dtype;
  sum.number = stored.step;
  for (size_t i = 0; i < free.size(); ++i) sum.args.push_back(forms_.Constant(first[i]));
  for (const int digit : piece.digits) {
    at[static_cast<size_t>(digit)] = 1;
    const std::vector<int64_t> second = loops_at();
    at[static_cast<size_t>(digit)] = 0;
    if (second.empty()) return -1;
    for (size_t i = 0; i < free.size(); ++i)
      sum.args[i] = forms_.Add(sum.args[i], forms_.Digit(digit), second[i] - first[i]);
  }
  return terms_.Intern(std::move(sum));
}

}  // namespace tenon::check
