// Mixed radix arithmetic: a division that fits no digit splits one in two, and equations are solved
// by long division from the largest stride on. A split starts a solution over, since earlier forms
// changed.

#include "ir/analysis/digits.h"

#include <algorithm>
#include <cstdlib>

#include "ir/builtins.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The limit on the depth of indices; deeper ones are unknown.
constexpr int kMostDepth = 64;
/// The limit on numbers, so that sums of a few do not wrap.
constexpr int64_t kMost = int64_t{1} << 48;
constexpr int kMostSplits = 16;

bool IsSmall(int64_t value) { return -kMost < value && value < kMost; }

bool MultiplySmall(int64_t a, int64_t b, int64_t& product) {
  return !__builtin_mul_overflow(a, b, &product) && IsSmall(product);
}

int64_t FloorOf(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

bool Holds(DataType dtype, const Bounds& values) {
  if (!dtype.is_integer()) return false;
  if (dtype.bits() >= 49) return dtype.is_int() || values.min >= 0;
  const int bits = dtype.is_int() ? dtype.bits() - 1 : dtype.bits();
  const int64_t limit = int64_t{1} << bits;
  return (dtype.is_int() ? -limit : 0) <= values.min && values.max < limit;
}

}  // namespace

LinearIndex Digits::Count(int64_t extent, int group) {
  LinearIndex form;
  if (extent <= 1) return form;
  const int digit = static_cast<int>(digits_.size());
  digits_.push_back({extent, -1, -1, -1, group, 1, digit});
  form.terms.emplace_back(digit, 1);
  return form;
}

void Digits::Split(int digit, int64_t low_extent) {
  const Digit whole = digits_[static_cast<size_t>(digit)];
  TENON_CHECK(low_extent > 1 && low_extent < whole.extent && whole.extent % low_extent == 0);
  const int low = static_cast<int>(digits_.size());
  digits_.push_back({low_extent, -1, -1, digit, whole.group, whole.weight, whole.place});
  digits_.push_back(
      {whole.extent / low_extent, -1, -1, digit, whole.group, whole.weight * low_extent, low + 1});
  digits_[static_cast<size_t>(digit)].low = low;
  digits_[static_cast<size_t>(digit)].high = low + 1;
  ++splits_;
}

void Digits::Normalise(LinearIndex& form) const {
  const auto was_split = [&](const std::pair<int, int64_t>& term) {
    return digits_[static_cast<size_t>(term.first)].low >= 0;
  };
  while (std::any_of(form.terms.begin(), form.terms.end(), was_split)) {
    decltype(form.terms) terms;
    for (const auto& term : form.terms) {
      if (!was_split(term)) {
        terms.push_back(term);
        continue;
      }
      const Digit& digit = digits_[static_cast<size_t>(term.first)];
      terms.emplace_back(digit.low, term.second);
      terms.emplace_back(digit.high, term.second * extent(digit.low));
    }
    form.terms = std::move(terms);
  }
  std::sort(form.terms.begin(), form.terms.end());
}

std::vector<int> Digits::Leaves(int digit) const {
  const Digit& of = digits_[static_cast<size_t>(digit)];
  if (of.low < 0) return {digit};
  std::vector<int> leaves = Leaves(of.high);
  const std::vector<int> low = Leaves(of.low);
  leaves.insert(leaves.end(), low.begin(), low.end());
  return leaves;
}

std::vector<Digits::Leaf> Digits::Leaves() const {
  std::vector<Leaf> leaves;
  for (size_t d = 0; d < digits_.size(); ++d) {
    const Digit& of = digits_[d];
    if (of.low < 0) leaves.push_back({static_cast<int>(d), of.extent, of.group, of.weight});
  }
  std::sort(leaves.begin(), leaves.end(), [&](const Leaf& a, const Leaf& b) {
    return digits_[static_cast<size_t>(a.digit)].place <
           digits_[static_cast<size_t>(b.digit)].place;
  });
  return leaves;
}

std::optional<Bounds> Digits::BoundsOfDigit(int digit, const DigitBounds& known) const {
  const Digit& of = digits_[static_cast<size_t>(digit)];
  Bounds bounds{0, of.extent - 1};
  if (known.empty()) return bounds;
  if (const auto found = known.find(digit); found != known.end()) return found->second;
  if (of.parent < 0) return bounds;
  const Digit& parent = digits_[static_cast<size_t>(of.parent)];
  const std::optional<Bounds> above = BoundsOfDigit(of.parent, known);
  const int64_t low = extent(parent.low);
  if (!above) return bounds;
  // A range of the split digit bounds its high part. It bounds the low part only if the high part
  // has one value throughout.
  if (digit == parent.high) return Bounds{above->min / low, above->max / low};
  if (above->min / low == above->max / low) return Bounds{above->min % low, above->max % low};
  return bounds;
}

std::optional<Bounds> Digits::BoundsOf(const LinearIndex& form, const DigitBounds& known) const {
  Bounds bounds{form.offset, form.offset};
  for (const auto& [digit, stride] : form.terms) {
    const std::optional<Bounds> of = BoundsOfDigit(digit, known);
    int64_t first = 0;
    int64_t last = 0;
    if (!of || !MultiplySmall(of->min, stride, first) || !MultiplySmall(of->max, stride, last)) {
      return std::nullopt;
    }
    bounds.min += std::min(first, last);
    bounds.max += std::max(first, last);
    if (!IsSmall(bounds.min) || !IsSmall(bounds.max)) return std::nullopt;
  }
  if (form.divisor != 1) {
    bounds.min = -FloorOf(-bounds.min, form.divisor);
    bounds.max = FloorOf(bounds.max, form.divisor);
  }
  return bounds;
}

bool Digits::Accumulate(LinearIndex& form, const LinearIndex& given, int64_t scale) const {
  Normalise(form);
  LinearIndex other = Normalised(given);
  int64_t own_scale = 1;
  if (form.divisor != other.divisor) {
    // a / d + s * b / e = (a * e + s * d * b) / (d * e)
    own_scale = other.divisor;
    if (!MultiplySmall(scale, form.divisor, scale)) return false;
    if (!MultiplySmall(form.divisor, other.divisor, form.divisor)) return false;
  }
  const auto add = [&](int64_t& to, int64_t value) {
    int64_t product = 0;
    if (!MultiplySmall(value, scale, product)) return false;
    to += product;
    return IsSmall(to);
  };
  if (own_scale != 1) {
    if (!MultiplySmall(form.offset, own_scale, form.offset)) return false;
    for (auto& [digit, stride] : form.terms) {
      if (!MultiplySmall(stride, own_scale, stride)) return false;
    }
  }
  if (!add(form.offset, other.offset)) return false;
  for (const auto& [digit, stride] : other.terms) {
    const auto at =
        std::lower_bound(form.terms.begin(), form.terms.end(), std::pair{digit, stride},
                         [](const auto& a, const auto& b) { return a.first < b.first; });
    if (at != form.terms.end() && at->first == digit) {
      if (!add(at->second, stride)) return false;
      if (at->second == 0) form.terms.erase(at);
      continue;
    }
    int64_t product = 0;
    if (!MultiplySmall(stride, scale, product)) return false;
    if (product != 0) form.terms.insert(at, {digit, product});
  }
  if (form.divisor == 1) return true;
  const bool whole = form.offset % form.divisor == 0 &&
                     std::all_of(form.terms.begin(), form.terms.end(),
                                 [&](const auto& term) { return term.second % form.divisor == 0; });
  if (!whole) return true;
  form.offset /= form.divisor;
  for (auto& [digit, stride] : form.terms) stride /= form.divisor;
  form.divisor = 1;
  return true;
}

bool Digits::SplitAt(const LinearIndex& form, int64_t stride) {
  for (const auto& [digit, step] : form.terms) {
    const int64_t size = std::abs(step);
    if (size >= stride || stride % size != 0) continue;
    const int64_t low = stride / size;
    if (extent(digit) <= low || extent(digit) % low != 0) continue;
    Split(digit, low);
    return true;
  }
  return false;
}

std::optional<Digits::Division> Digits::Divide(LinearIndex form, int64_t divisor,
                                               const DigitBounds& known) {
  TENON_CHECK(divisor > 0);
  if (form.divisor != 1) return std::nullopt;
  for (int attempt = 0; attempt < kMostSplits; ++attempt) {
    Normalise(form);
    // Multiples of the divisor are the quotient. The other terms are the remainder if all their
    // values have the same quotient. Otherwise a digit that spans the divisor is split in two.
    Division result;
    LinearIndex low;
    for (const auto& [digit, stride] : form.terms) {
      if (stride % divisor == 0) {
        result.quotient.terms.emplace_back(digit, stride / divisor);
      } else {
        low.terms.emplace_back(digit, stride);
      }
    }
    low.offset = form.offset;
    const std::optional<Bounds> bounds = BoundsOf(low, known);
    if (!bounds) return std::nullopt;
    const int64_t whole = FloorOf(bounds->min, divisor);
    if (FloorOf(bounds->max, divisor) == whole) {
      result.quotient.offset = whole;
      result.rest = std::move(low);
      result.rest.offset -= whole * divisor;
      return result;
    }
    if (!SplitAt(low, divisor)) return std::nullopt;
  }
  return std::nullopt;
}

Digits::Steps Digits::StepsOf(const LinearIndex& form) const {
  const LinearIndex now = Normalised(form);
  Steps steps;
  for (const auto& [digit, stride] : now.terms) steps.emplace_back(std::abs(stride), extent(digit));
  std::sort(steps.begin(), steps.end());
  return steps;
}

bool Digits::IsInjective(const LinearIndex& form, int64_t width) const {
  // In mixed radix, each stride exceeds the reach of all smaller ones together.
  for (const auto& [stride, count] : StepsOf(form)) {
    if (stride < width) return false;
    width += stride * (count - 1);
  }
  return true;
}

bool Digits::IsContiguous(const LinearIndex& form, int64_t width) const {
  // Smaller steps must already cover what one step skips.
  for (const auto& [stride, count] : StepsOf(form)) {
    if (stride > width) return false;
    width += stride * (count - 1);
  }
  return true;
}

std::optional<absl::flat_hash_map<int, LinearIndex>> Digits::Solve(const LinearIndex& written,
                                                                   const LinearIndex& read,
                                                                   const DigitBounds& known) {
  if (written.divisor != 1 || read.divisor != 1) return std::nullopt;
  for (int attempt = 0; attempt < kMostSplits; ++attempt) {
    // A split adds digits that the solution so far lacks, so the search starts over.
    const int before = splits_;
    auto solution = TrySolve(Normalised(written), Normalised(read), known);
    if (splits_ == before) return solution;
  }
  return std::nullopt;
}

std::optional<absl::flat_hash_map<int, LinearIndex>> Digits::TrySolve(const LinearIndex& written,
                                                                      LinearIndex rest,
                                                                      const DigitBounds& known) {
  struct Place {
    int digit;
    int64_t stride;
    bool reversed;
  };
  std::vector<Place> places;
  rest.offset -= written.offset;
  int64_t reach = 0;
  for (const auto& [digit, stride] : written.terms) {
    places.push_back({digit, std::abs(stride), stride < 0});
    const int64_t most = std::abs(stride) * (extent(digit) - 1);
    reach += most;
    // A reversed digit counts from its end, so that all strides are positive.
    if (stride < 0) rest.offset += most;
  }
  if (!IsInjective(written)) return std::nullopt;
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.stride > b.stride; });
  absl::flat_hash_map<int, LinearIndex> solution;
  for (const Place& place : places) {
    // As in long division, from the largest stride on: `value` is the digit, and the smaller digits
    // must reach `low`.
    reach -= place.stride * (extent(place.digit) - 1);
    LinearIndex value;
    LinearIndex low;
    low.offset = rest.offset;
    for (const auto& [digit, stride] : rest.terms) {
      if (stride % place.stride == 0) {
        value.terms.emplace_back(digit, stride / place.stride);
      } else {
        low.terms.emplace_back(digit, stride);
      }
    }
    std::optional<Bounds> bounds = BoundsOf(low, known);
    if (!bounds) return std::nullopt;
    const int64_t whole = FloorOf(bounds->min, place.stride);
    if (bounds->max - whole * place.stride > reach) {
      SplitAt(low, place.stride);
      return std::nullopt;
    }
    value.offset = whole;
    low.offset -= whole * place.stride;
    bounds = BoundsOf(value, known);
    if (!bounds || bounds->min < 0 || bounds->max >= extent(place.digit)) return std::nullopt;
    if (place.reversed) {
      for (auto& [digit, stride] : value.terms) stride = -stride;
      value.offset = extent(place.digit) - 1 - value.offset;
    }
    solution.emplace(place.digit, std::move(value));
    rest = std::move(low);
  }
  if (!rest.terms.empty() || rest.offset != 0) return std::nullopt;
  return solution;
}

bool Digits::AreDisjoint(const LinearIndex& given_a, const LinearIndex& given_b) const {
  const LinearIndex a = Normalised(given_a);
  const LinearIndex b = Normalised(given_b);
  if (a.divisor != 1 || b.divisor != 1) return false;
  const auto apart = [](const std::optional<Bounds>& x, const std::optional<Bounds>& y) {
    return x && y && (x->max < y->min || y->max < x->min);
  };
  if (apart(BoundsOf(a), BoundsOf(b))) return true;
  // The remainders of the two modulo a stride may be disjoint.
  std::vector<int64_t> strides;
  for (const LinearIndex* form : {&a, &b}) {
    for (const auto& [digit, stride] : form->terms) strides.push_back(std::abs(stride));
  }
  std::sort(strides.begin(), strides.end());
  strides.erase(std::unique(strides.begin(), strides.end()), strides.end());
  const auto left = [&](const LinearIndex& form, int64_t stride) -> std::optional<Bounds> {
    LinearIndex low;
    low.offset = form.offset;
    for (const auto& term : form.terms) {
      if (term.second % stride != 0) low.terms.push_back(term);
    }
    std::optional<Bounds> bounds = BoundsOf(low);
    if (!bounds) return std::nullopt;
    const int64_t whole = FloorOf(bounds->min, stride) * stride;
    bounds->min -= whole;
    bounds->max -= whole;
    if (bounds->max >= stride) return std::nullopt;
    return bounds;
  };
  return std::any_of(strides.begin(), strides.end(), [&](int64_t stride) {
    return stride > 1 && apart(left(a, stride), left(b, stride));
  });
}

bool Digits::EqualOnlyAtSame(const LinearIndex& given_a, const LinearIndex& given_b,
                             const std::vector<int>& digits) const {
  LinearIndex a = Normalised(given_a);
  LinearIndex b = Normalised(given_b);
  if (a.divisor != 1 || b.divisor != 1) return false;
  std::vector<std::pair<int64_t, int64_t>> steps;  // stride and extent
  const auto take = [](LinearIndex& form, int digit) {
    const auto at = std::find_if(form.terms.begin(), form.terms.end(),
                                 [&](const auto& term) { return term.first == digit; });
    if (at != form.terms.end()) form.terms.erase(at);
  };
  for (const int digit : digits) {
    const int64_t stride = a.stride(digit);
    if (stride == 0 || stride != b.stride(digit)) return false;
    steps.emplace_back(std::abs(stride), extent(digit));
    take(a, digit);
    take(b, digit);
  }
  const std::optional<Bounds> left = BoundsOf(a);
  const std::optional<Bounds> right = BoundsOf(b);
  if (!left || !right) return false;
  // The parts without `digits` differ by at most `reach`. A digit with a larger stride that differs
  // cannot be made up by them, nor by smaller digits.
  int64_t reach = std::max(std::abs(left->max - right->min), std::abs(right->max - left->min));
  std::sort(steps.begin(), steps.end());
  for (const auto& [stride, count] : steps) {
    if (stride <= reach) return false;
    reach += stride * (count - 1);
  }
  return true;
}

bool FormBuilder::Define(const Var* var, const Expr* value) {
  std::optional<LinearIndex> form = Evaluate(value, {}, {});
  if (!form || !value->dtype.is_scalar()) return false;
  variables_[var] = *std::move(form);
  return true;
}

bool FormBuilder::Enter(const For* loop, int group) {
  const int64_t* min = AsIntImm(loop->min);
  const int64_t* extent = AsIntImm(loop->extent);
  if (min == nullptr || extent == nullptr || *extent < 1 || !IsSmall(*min) || !IsSmall(*extent) ||
      !Holds(loop->loop_var->dtype, {*min, *min + *extent - 1}))
    return false;
  LinearIndex counter = digits_.Count(*extent, group);
  counter.offset = *min;
  variables_[loop->loop_var] = std::move(counter);
  return true;
}

bool FormBuilder::EnterAll(Span<const For*> loops, const LinearIndex& count) {
  // Each counter is its minimum plus (count / weight) % extent. The innermost loop has weight 1.
  int64_t weight = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    const int64_t extent = *AsIntImm(loops[i]->extent);
    const auto high = digits_.Divide(count, weight, {});
    auto value = high ? digits_.Divide(high->quotient, extent, {}) : std::nullopt;
    if (!value) return false;
    value->rest.offset += *AsIntImm(loops[i]->min);
    variables_[loops[i]->loop_var] = std::move(value->rest);
    weight *= extent;
  }
  return true;
}

std::optional<LinearIndex> FormBuilder::ElementOf(const Buffer* buffer, Span<const Expr*> indices,
                                                  const LinearIndex& lane,
                                                  const DigitBounds& known) {
  const int64_t* offset = buffer->elem_offset == nullptr ? nullptr : AsIntImm(buffer->elem_offset);
  if (indices.size() != buffer->shape.size() ||
      (buffer->elem_offset != nullptr && offset == nullptr))
    return std::nullopt;
  LinearIndex element;
  int64_t stride = 1;
  for (size_t i = indices.size(); i-- > 0;) {
    if (!buffer->strides.empty()) {
      const int64_t* given = AsIntImm(buffer->strides[i]);
      if (given == nullptr) return std::nullopt;
      stride = *given;
    }
    const std::optional<LinearIndex> index = Evaluate(indices[i], lane, known);
    if (!index || !digits_.Accumulate(element, *index, stride)) return std::nullopt;
    const int64_t* extent = AsIntImm(buffer->shape[i]);
    if (buffer->strides.empty() && i > 0 &&
        (extent == nullptr || __builtin_mul_overflow(stride, *extent, &stride)))
      return std::nullopt;
  }
  LinearIndex start;
  if (offset != nullptr) start.offset = *offset;
  if (!digits_.Accumulate(element, start, 1)) return std::nullopt;
  return element;
}

std::optional<LinearIndex> FormBuilder::AddressOf(const Buffer* buffer, Span<const Expr*> indices) {
  LinearIndex lane;
  for (const Expr* index : indices) {
    if (index->dtype.is_scalar()) continue;
    if (index->dtype.lanes() < 1) return std::nullopt;
    lane = digits_.Count(index->dtype.lanes());
    break;
  }
  const int64_t width = buffer->dtype.bytes();
  const std::optional<LinearIndex> element = ElementOf(buffer, indices, lane, {});
  LinearIndex bytes;
  if (!element || width <= 0 || !digits_.Accumulate(bytes, *element, width)) return std::nullopt;
  return bytes;
}

std::optional<LinearIndex> FormBuilder::Evaluate(const Expr* expr, const LinearIndex& lane,
                                                 const DigitBounds& known) {
  lane_ = &lane;
  known_ = &known;
  return TryEvaluate(expr, kMostDepth);
}

std::optional<LinearIndex> FormBuilder::Quotient(const Expr* a, const Expr* b, bool rest,
                                                 bool floor, int depth) {
  const int64_t* divisor = AsIntImm(b);
  if (divisor == nullptr || *divisor < 1 || !IsSmall(*divisor)) return std::nullopt;
  const std::optional<LinearIndex> form = TryEvaluate(a, depth);
  if (!form) return std::nullopt;
  const std::optional<Bounds> bounds = digits_.BoundsOf(digits_.Normalised(*form), *known_);
  if (!bounds || (!floor && bounds->min < 0)) return std::nullopt;
  if (auto division = digits_.Divide(*form, *divisor, *known_)) {
    return rest ? std::move(division->rest) : std::move(division->quotient);
  }
  for (const Multiple& multiple : multiples) {
    if (multiple.divisor % *divisor != 0) continue;
    if (digits_.Normalised(multiple.form) != digits_.Normalised(*form)) continue;
    if (rest) return LinearIndex();
    LinearIndex quotient = digits_.Normalised(*form);
    if (!MultiplySmall(quotient.divisor, *divisor, quotient.divisor)) return std::nullopt;
    return quotient;
  }
  if (ranges_ == nullptr) return std::nullopt;
  if (rest) return Within({0, *divisor - 1});
  return Within({FloorOf(bounds->min, *divisor), FloorOf(bounds->max, *divisor)});
}

std::optional<LinearIndex> FormBuilder::Variable(const Var* var) {
  const auto found = variables_.find(var);
  if (found != variables_.end()) return digits_.Normalised(found->second);
  if (ranges_ == nullptr) return std::nullopt;
  const auto range = ranges_->find(var);
  if (range == ranges_->end() || !IsSmall(range->second.min) || !IsSmall(range->second.max))
    return std::nullopt;
  return variables_.emplace(var, Within(range->second)).first->second;
}

std::optional<LinearIndex> FormBuilder::Product(const LinearIndex& a, const LinearIndex& b) {
  const bool is_linear = a.is_constant() || b.is_constant();
  if (is_linear) {
    LinearIndex product;
    const bool fits = b.is_constant() ? digits_.Accumulate(product, a, b.offset)
                                      : digits_.Accumulate(product, b, a.offset);
    return fits ? std::optional(product) : std::nullopt;
  }
  if (ranges_ == nullptr) return std::nullopt;
  const std::optional<Bounds> x = digits_.BoundsOf(digits_.Normalised(a), *known_);
  const std::optional<Bounds> y = digits_.BoundsOf(digits_.Normalised(b), *known_);
  int64_t corners[4] = {};
  if (!x || !y || !MultiplySmall(x->min, y->min, corners[0]) ||
      !MultiplySmall(x->min, y->max, corners[1]) || !MultiplySmall(x->max, y->min, corners[2]) ||
      !MultiplySmall(x->max, y->max, corners[3]))
    return std::nullopt;
  const auto [least, greatest] = std::minmax_element(corners, corners + 4);
  return Within({*least, *greatest});
}

LinearIndex FormBuilder::Within(const Bounds& bounds) {
  LinearIndex form = digits_.Count(bounds.max - bounds.min + 1);
  form.offset = bounds.min;
  return form;
}

std::optional<LinearIndex> FormBuilder::EvaluateCall(const Call* call, int depth) {
  if (call->op->kind == OpKind::kLikely && call->args.size() == 1)
    return TryEvaluate(call->args[0], depth);
  if (call->args.size() != 2) return std::nullopt;
  const int64_t* bits = AsIntImm(call->args[1]);
  std::optional<LinearIndex> form =
      bits != nullptr ? TryEvaluate(call->args[0], depth) : std::nullopt;
  if (!form) return std::nullopt;
  if (call->op->kind == OpKind::kBitwiseAnd && *bits > 0 && (*bits & (*bits + 1)) == 0) {
    auto division = digits_.Divide(*form, *bits + 1, *known_);
    if (!division) return std::nullopt;
    return std::move(division->rest);
  }
  if (*bits < 0 || *bits > 40) return std::nullopt;
  if (call->op->kind == OpKind::kShiftRight) {
    auto division = digits_.Divide(*form, int64_t{1} << *bits, *known_);
    if (!division) return std::nullopt;
    return std::move(division->quotient);
  }
  if (call->op->kind != OpKind::kShiftLeft) return std::nullopt;
  LinearIndex shifted;
  if (!digits_.Accumulate(shifted, *form, int64_t{1} << *bits)) return std::nullopt;
  return shifted;
}

std::optional<LinearIndex> FormBuilder::TryEvaluate(const Expr* expr, int depth) {
  if (depth == 0) return std::nullopt;
  --depth;
  const auto sum = [&](const Expr* a, const Expr* b, int64_t scale) -> std::optional<LinearIndex> {
    std::optional<LinearIndex> form = TryEvaluate(a, depth);
    const std::optional<LinearIndex> other = form ? TryEvaluate(b, depth) : std::nullopt;
    if (!other || !digits_.Accumulate(*form, *other, scale)) return std::nullopt;
    return form;
  };
  std::optional<LinearIndex> form;
  if (const int64_t* value = AsIntImm(expr)) {
    if (!IsSmall(*value)) return std::nullopt;
    form.emplace().offset = *value;
  } else if (const auto* var = dyn_cast<Var>(expr)) {
    form = Variable(var);
  } else if (const auto* add = dyn_cast<Add>(expr)) {
    form = sum(add->a, add->b, 1);
  } else if (const auto* sub = dyn_cast<Sub>(expr)) {
    form = sum(sub->a, sub->b, -1);
  } else if (const auto* mul = dyn_cast<Mul>(expr)) {
    const std::optional<LinearIndex> a = TryEvaluate(mul->a, depth);
    const std::optional<LinearIndex> b = a ? TryEvaluate(mul->b, depth) : std::nullopt;
    if (b) form = Product(*a, *b);
  } else if (const auto* floor = dyn_cast<FloorDiv>(expr)) {
    form = Quotient(floor->a, floor->b, false, true, depth);
  } else if (const auto* div = dyn_cast<Div>(expr)) {
    form = Quotient(div->a, div->b, false, false, depth);
  } else if (const auto* floor_mod = dyn_cast<FloorMod>(expr)) {
    form = Quotient(floor_mod->a, floor_mod->b, true, true, depth);
  } else if (const auto* mod = dyn_cast<Mod>(expr)) {
    form = Quotient(mod->a, mod->b, true, false, depth);
  } else if (const auto* cast_expr = dyn_cast<Cast>(expr)) {
    if (!cast_expr->value->dtype.is_integer()) return std::nullopt;
    form = TryEvaluate(cast_expr->value, depth);
  } else if (const auto* broadcast = dyn_cast<Broadcast>(expr)) {
    form = TryEvaluate(broadcast->value, depth);
  } else if (const auto* ramp = dyn_cast<Ramp>(expr)) {
    form = TryEvaluate(ramp->base, depth);
    const std::optional<LinearIndex> step = form ? TryEvaluate(ramp->stride, depth) : std::nullopt;
    if (!step || !step->is_constant()) return std::nullopt;
    if (!digits_.Accumulate(*form, *lane_, step->offset)) return std::nullopt;
  } else if (const auto* call = dyn_cast<Call>(expr)) {
    form = EvaluateCall(call, depth);
  }
  if (!form) return std::nullopt;
  digits_.Normalise(*form);
  const auto bounds = digits_.BoundsOf(*form, *known_);
  if (!bounds || !Holds(expr->dtype, *bounds)) return std::nullopt;
  return form;
}

}  // namespace tenon
