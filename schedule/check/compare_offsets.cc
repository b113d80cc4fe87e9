// Sums of integers whose zero points were moved into their start values.

#include <algorithm>

#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "schedule/check/comparer.h"

namespace tenon::check {

namespace {

std::optional<bool> DecideNothing(TermId, const Guards&) { return std::nullopt; }

}  // namespace

/// The sum of base * factor, with a start value that is larger by offset * sum(factor). `items` are
/// its parts. Unsigned elements may be read minus 128, as signed ones.
bool Comparer::EqualOffsetSum(Sum sum, const Items& items, const Guards& guards) {
  const auto number_of = [&](int step) -> std::optional<int64_t> {
    const TermId term = all_.ValueOf(step, sum.loops, {}, DecideNothing);
    std::vector<int> digits;
    if (term >= 0) AddDigits(term, digits);
    if (term < 0 || !digits.empty() || !IsNumeric(term)) return std::nullopt;
    Point nowhere;
    return NumberAt(term, nowhere);
  };
  std::optional<OffsetProduct> product =
      FindOffsetProduct(all_.computation(), sum.step->args[1], number_of);
  if (!product || sum.step->node != NodeKind::kAdd || sum.step->dtype != DataType::Int(32))
    return false;
  sum.product = &*product;
  if (EqualProductSum(sum, items, guards)) return true;
  return product->MakeSigned(all_.computation()) && EqualProductSum(sum, items, guards);
}

/// Numbers among the items are parts of the start value, no matter when they are added.
bool Comparer::EqualProductSum(Sum sum, const Items& items, const Guards& guards) {
  const DataType dtype = sum.step->dtype;
  const TermId elements = PeelElements(sum, items.base);
  TermId start = terms_.Number(dtype, 0);
  std::vector<Item> steps;
  const auto add = [&](const Item& item) {
    if (item.kind != TermKind::kNode || !IsNumeric(item.value)) return steps.push_back(item);
    start = terms_.Node(NodeKind::kAdd, dtype, start, item.value);
  };
  add({TermKind::kNode, elements < 0 ? items.base : terms_.At(items.base).args[0], -1, -1});
  for (const Item& item : items.all) add(item);
  return InSomeOrder(sum, [&] { return EqualSteps(sum, steps, guards); }) &&
         EqualStarts(sum, start, guards) &&
         (elements < 0 || IsSumOfElements(sum, elements, guards));
}

/// True for a number, and for an element of a constant.
bool Comparer::IsNumeric(TermId term) const {
  const Term& now = terms_.At(term);
  return now.IsNode(NodeKind::kCast) ? IsNumeric(now.args[0])
                                     : now.kind == TermKind::kIndex || IsConstant(now);
}

/// A start value may be a number minus a multiple of the sum of elements; the multiplier is then
/// added to each factor. Returns the sum of elements, and sets the multiplier; -1 for other values.
TermId Comparer::PeelElements(Sum& sum, TermId start) {
  const Term& difference = terms_.At(start);
  if (!difference.IsNode(NodeKind::kSub)) return -1;
  const Term& multiple = terms_.At(difference.args[1]);
  if (!multiple.IsNode(NodeKind::kMul)) return -1;
  const FormId by = terms_.FormOf(multiple.args[1]);
  if (by < 0 || !forms_.IsConstant(by)) return -1;
  sum.added_to_factors = forms_.At(by).constant;
  return multiple.args[0];
}

/// True if a value is the sum of the elements, each added as often as it is a factor.
bool Comparer::IsSumOfElements(Sum sum, TermId value, const Guards& guards) {
  sum.adds_elements = true;
  const Items& items = ItemsOf(value, NodeKind::kAdd);
  std::vector<Item> all = items.all;
  if (!terms_.IsNumber(items.base, 0))
    all.insert(all.begin(), {TermKind::kNode, items.base, -1, -1});
  return InSomeOrder(sum, [&] { return EqualSteps(sum, all, guards); });
}

/// The value of the step at a place, without its offset; 0 after the last step. Conditions are
/// kept, because the other factor matters if they are false.
TermId Comparer::OffsetStep(const Sum& sum, const OperatorTerms::Loops& loops, FormId place) {
  const OffsetProduct& product = *sum.product;
  const auto value = [&](int step) { return all_.ValueOf(step, loops, {}, DecideNothing); };
  TermId base = value(product.read);
  if (product.is_made_signed && base >= 0) {
    const DataType dtype = terms_.At(base).dtype;
    const TermId flipped =
        terms_.Call(OpKind::kBitwiseXor, dtype, {base, terms_.Number(dtype, kSignBit)});
    base = flipped < 0 ? -1 : terms_.Cast(DataType::Int(8), flipped);
  }
  for (const OffsetProduct::Choice& choice : product.choices) {
    const TermId condition = base < 0 ? -1 : value(choice.condition);
    if (condition < 0) return -1;
    base = terms_.Choice(condition, base, terms_.Number(terms_.At(base).dtype, choice.otherwise));
  }
  TermId factor = base < 0 ? -1 : value(product.factor);
  if (factor < 0) return -1;
  const DataType dtype = sum.step->dtype;
  if (sum.added_to_factors != 0)
    factor = terms_.Node(NodeKind::kAdd, dtype, factor, terms_.Number(dtype, sum.added_to_factors));
  const TermId element = terms_.Cast(dtype, base);
  const TermId value_of_step =
      sum.adds_elements ? element : terms_.Node(NodeKind::kMul, dtype, element, factor);
  if (forms_.BoundsOf(place).second < sum.total) return value_of_step;
  const DataType index = DataType::Int(64);
  const TermId is_step = terms_.Node(NodeKind::kLT, DataType::Bool(), terms_.Index(index, place),
                                     terms_.Number(index, sum.total));
  return terms_.Choice(is_step, value_of_step, terms_.Number(dtype, 0));
}

/// True if `read` is the start value of the operator, plus the offset times the sum of the factors.
bool Comparer::EqualStarts(const Sum& sum, TermId read, const Guards& guards) {
  OperatorTerms::Loops loops = sum.loops;
  std::vector<int> inner;
  for (const int loop : sum.order) {
    const FormId counter = counters_[static_cast<size_t>(loop)];
    loops[static_cast<size_t>(loop)] = counter;
    if (forms_.AsDigit(counter) >= 0) inner.push_back(forms_.AsDigit(counter));
  }
  const TermId factor = all_.ValueOf(sum.product->factor, loops, {}, DecideNothing);
  if (factor < 0) return false;
  std::vector<int> digits;
  for (const TermId term : {read, sum.start, factor}) AddDigits(term, digits);
  std::erase_if(digits, [&](int digit) {
    return std::find(inner.begin(), inner.end(), digit) != inner.end();
  });
  const auto visit = [&](Point& at) {
    const std::optional<int64_t> start = NumberAt(sum.start, at);
    const std::optional<int64_t> found = NumberAt(read, at);
    if (!start || !found) return false;
    uint64_t factors = 0;
    const auto add = [&](Point& step) {
      for (const int digit : digits)
        step[static_cast<size_t>(digit)] = at[static_cast<size_t>(digit)];
      const std::optional<int64_t> number = NumberAt(factor, step);
      factors += static_cast<uint64_t>(number.value_or(0));
      return number.has_value();
    };
    if (walks_.ForEach(inner, {}, add) != PointWalks::Result::kAll) return false;
    const uint64_t wanted =
        static_cast<uint64_t>(*start) + static_cast<uint64_t>(sum.product->offset) * factors;
    return WrapToDType(static_cast<int64_t>(wanted), sum.step->dtype) == *found;
  };
  return walks_.ForEach(digits, guards, visit) == PointWalks::Result::kAll;
}

/// A sum that was read from an array of sums, which each iteration of the loops around fills again.
/// Each element has a separate store.
bool Comparer::EqualElementSum(const Term& read, TermId wanted, const Guards& guards) {
  const Origins& origins = OriginsOf(read.memory);
  const LinearSum form = forms_.At(read.form);
  if (!origins.is_known || form.terms.size() > 1) return false;
  const int digit = form.terms.empty() ? -1 : form.terms[0].first;
  const int64_t count = digit < 0 ? 1 : forms_.extent(digit);
  for (int64_t value = 0; value < count; ++value) {
    const int64_t element = form.constant + (digit < 0 ? 0 : form.terms[0].second * value);
    if (element < 0 || element >= MemoryAt(read.memory).elements) return false;
    const auto& from = origins.of[static_cast<size_t>(element)];
    if (from.size() != 1 || from[0].piece >= read.number) return false;
    const Piece piece =
        reading_.pieces[static_cast<size_t>(read.memory)][static_cast<size_t>(from[0].piece)];
    const bool is_alone =
        piece.digits.size() == reading_.shared_loops[static_cast<size_t>(read.memory)] &&
        piece.guards.empty();
    const TermId there = digit < 0 ? wanted : terms_.Replace(wanted, digit, forms_.Constant(value));
    if (!is_alone || !Equal(piece.value, there, guards)) return false;
  }
  return true;
}

}  // namespace tenon::check
