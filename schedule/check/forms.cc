// Forms are numbers in a table, so that two of them are compared in one step. A value that a sum of
// digits cannot express becomes a new digit, whose value a walk can compute.

#include "schedule/check/forms.h"

#include <algorithm>
#include <limits>

namespace tenon::check {

namespace {

constexpr int64_t kMostNumber = int64_t{1} << 60;

int64_t FloorQuotient(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

}  // namespace

FormId FormTable::Intern(LinearSum sum) {
  const auto [found, is_new] = ids_.try_emplace(sum, static_cast<FormId>(forms_.size()));
  if (is_new) forms_.push_back(std::move(sum));
  return found->second;
}

int64_t FormTable::Checked(__int128 value) {
  if (value > kMostNumber || value < -kMostNumber) {
    overflowed_ = true;
    return 0;
  }
  return static_cast<int64_t>(value);
}

FormId FormTable::Count(int64_t extent, std::string name) {
  if (extent == 1) return Constant(0);
  digits_.push_back({Kind::kCount, extent, std::move(name), -1, 1});
  return Digit(digit_count() - 1);
}

FormId FormTable::Add(FormId a, FormId b, int64_t scale) {
  if (scale == 0) return a;
  LinearSum sum;
  const LinearSum& left = At(a);
  const LinearSum& right = At(b);
  sum.constant = Checked(__int128{left.constant} + __int128{right.constant} * scale);
  auto i = left.terms.begin();
  auto j = right.terms.begin();
  while (i != left.terms.end() || j != right.terms.end()) {
    if (j == right.terms.end() || (i != left.terms.end() && i->first < j->first)) {
      sum.terms.push_back(*i++);
      continue;
    }
    const bool both = i != left.terms.end() && i->first == j->first;
    const int64_t stride = Checked(__int128{both ? i->second : 0} + __int128{j->second} * scale);
    if (stride != 0) sum.terms.emplace_back(j->first, stride);
    if (both) ++i;
    ++j;
  }
  return Intern(std::move(sum));
}

std::pair<FormId, FormId> FormTable::Divided(FormId a, int64_t divisor) {
  LinearSum multiple;
  LinearSum rest;
  const LinearSum& sum = At(a);
  multiple.constant = FloorQuotient(sum.constant, divisor);
  rest.constant = sum.constant - multiple.constant * divisor;
  for (const auto& [digit, stride] : sum.terms) {
    if (stride % divisor == 0)
      multiple.terms.emplace_back(digit, stride / divisor);
    else
      rest.terms.emplace_back(digit, stride);
  }
  return {Intern(std::move(multiple)), Intern(std::move(rest))};
}

FormId FormTable::FloorDiv(FormId a, int64_t divisor) {
  const auto [multiple, rest] = Divided(a, divisor);
  const auto [low, high] = BoundsOf(rest);
  const int64_t first = FloorQuotient(low, divisor);
  if (first == FloorQuotient(high, divisor)) return Add(multiple, Constant(first));
  return Add(multiple, Derived(Kind::kQuotient, rest, divisor));
}

FormId FormTable::FloorMod(FormId a, int64_t divisor) {
  const FormId rest = Divided(a, divisor).second;
  const auto [low, high] = BoundsOf(rest);
  const int64_t first = FloorQuotient(low, divisor);
  if (first == FloorQuotient(high, divisor)) return Add(rest, Constant(-first * divisor));
  return Derived(Kind::kRemainder, rest, divisor);
}

FormId FormTable::TruncDiv(FormId a, int64_t divisor) {
  return BoundsOf(a).first >= 0 ? FloorDiv(a, divisor) : Derived(Kind::kTruncQuotient, a, divisor);
}

FormId FormTable::TruncMod(FormId a, int64_t divisor) {
  return BoundsOf(a).first >= 0 ? FloorMod(a, divisor) : Derived(Kind::kTruncRemainder, a, divisor);
}

int64_t FormTable::DerivedValue(Kind kind, int64_t of, int64_t divisor) {
  if (kind == Kind::kTruncQuotient) return of / divisor;
  if (kind == Kind::kTruncRemainder) return of % divisor;
  const int64_t quotient = FloorQuotient(of, divisor);
  return kind == Kind::kQuotient ? quotient : of - quotient * divisor;
}

FormId FormTable::Derived(Kind kind, FormId of, int64_t divisor) {
  const auto [found, is_new] =
      derived_.try_emplace({{static_cast<int>(kind), of}, divisor}, digit_count());
  if (is_new) digits_.push_back({kind, divisor, "", of, divisor});
  return Digit(found->second);
}

FormId FormTable::Divide(Kind kind, FormId of, int64_t divisor) {
  switch (kind) {
    case Kind::kQuotient:
      return FloorDiv(of, divisor);
    case Kind::kRemainder:
      return FloorMod(of, divisor);
    case Kind::kTruncQuotient:
      return TruncDiv(of, divisor);
    default:
      return TruncMod(of, divisor);
  }
}

FormId FormTable::Replace(FormId form, int digit, FormId value) {
  const LinearSum sum = At(form);
  FormId result = Constant(sum.constant);
  for (const auto& [at, stride] : sum.terms) {
    FormId part = Digit(at);
    if (at == digit) {
      part = value;
    } else if (const DigitInfo info = digits_[static_cast<size_t>(at)]; info.kind != Kind::kCount) {
      const FormId of = Replace(info.of, digit, value);
      if (of != info.of) part = Divide(info.kind, of, info.divisor);
    }
    result = Add(result, part, stride);
  }
  return result;
}

int FormTable::AsDigit(FormId form) const {
  const LinearSum& sum = At(form);
  return sum.constant == 0 && sum.terms.size() == 1 && sum.terms[0].second == 1 ? sum.terms[0].first
                                                                                : -1;
}

int64_t FormTable::StrideOf(FormId form, int digit) const {
  for (const auto& [at, stride] : At(form).terms) {
    if (at == digit) return stride;
  }
  return 0;
}

bool FormTable::HasDerived(FormId form) const {
  const auto& terms = At(form).terms;
  return std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
    return digits_[static_cast<size_t>(term.first)].kind != Kind::kCount;
  });
}

std::pair<int64_t, int64_t> FormTable::BoundsOf(FormId form) const {
  const LinearSum& sum = At(form);
  __int128 low = sum.constant;
  __int128 high = sum.constant;
  for (const auto& [digit, stride] : sum.terms) {
    const DigitInfo& info = digits_[static_cast<size_t>(digit)];
    int64_t first = 0;
    int64_t last = info.extent - 1;
    if (info.kind == Kind::kTruncRemainder) first = -last;
    if (info.kind == Kind::kQuotient || info.kind == Kind::kTruncQuotient) {
      const auto [least, most] = BoundsOf(info.of);
      first = DerivedValue(info.kind, least, info.divisor);
      last = DerivedValue(info.kind, most, info.divisor);
    }
    low += __int128{stride} * (stride > 0 ? first : last);
    high += __int128{stride} * (stride > 0 ? last : first);
  }
  const auto limited = [](__int128 value) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 4;
    return static_cast<int64_t>(std::clamp<__int128>(value, -kMost, kMost));
  };
  return {limited(low), limited(high)};
}

void FormTable::AddDigits(FormId form, std::vector<int>& digits) const {
  for (const auto& [digit, stride] : At(form).terms) {
    const DigitInfo& info = digits_[static_cast<size_t>(digit)];
    if (info.kind != Kind::kCount)
      AddDigits(info.of, digits);
    else if (std::find(digits.begin(), digits.end(), digit) == digits.end())
      digits.push_back(digit);
  }
}

int64_t FormTable::ValueAt(FormId form, const std::vector<int64_t>& at) const {
  const LinearSum& sum = At(form);
  int64_t value = sum.constant;
  for (const auto& [digit, stride] : sum.terms) {
    const DigitInfo& info = digits_[static_cast<size_t>(digit)];
    if (info.kind == Kind::kCount) {
      value += stride * at[static_cast<size_t>(digit)];
      continue;
    }
    value += stride * DerivedValue(info.kind, ValueAt(info.of, at), info.divisor);
  }
  return value;
}

}  // namespace tenon::check
