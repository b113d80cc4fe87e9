// There are few rules for the normal form, and each preserves every bit of a value: neither sums
// nor products of floats are reordered or folded.

#include "schedule/check/terms.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/q_multiply_shift.h"
#include "support/check.h"

namespace tenon::check {

std::pair<int64_t, int64_t> RangeOf(DataType dtype) {
  const int bits = std::min(dtype.bits(), 61);
  if (dtype.is_uint()) return {0, (int64_t{1} << bits) - 1};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

bool HoldsAll(DataType wide, DataType narrow) {
  if (!wide.is_integer() || !narrow.is_integer() || wide.is_bool()) return false;
  if (wide.is_int() == narrow.is_int()) return wide.bits() >= narrow.bits();
  return wide.is_int() && wide.bits() > narrow.bits();
}

TermId TermTable::Intern(Term term) {
  const auto [found, is_new] = ids_.try_emplace(term, static_cast<TermId>(terms_.size()));
  if (!is_new) return found->second;
  uint64_t entries = 0;
  if (term.kind == TermKind::kEntry) entries = uint64_t{1} << term.number;
  for (size_t i = 0; i < term.term_args(); ++i) entries |= EntriesOf(term.args[i]);
  terms_.push_back(std::move(term));
  entries_.push_back(entries);
  return found->second;
}

TermId TermTable::Make(TermKind kind, DataType dtype, int op, std::initializer_list<TermId> args) {
  Term term;
  term.kind = kind;
  term.dtype = dtype;
  term.op = op;
  term.args.assign(args.begin(), args.end());
  return Intern(std::move(term));
}

TermId TermTable::Index(DataType dtype, FormId form) {
  const auto [low, high] = forms_.BoundsOf(form);
  const auto [least, most] = RangeOf(dtype);
  if (low < least || high > most) return -1;
  Term term;
  term.dtype = dtype;
  term.form = form;
  return Intern(std::move(term));
}

TermId TermTable::Number(DataType dtype, int64_t value) {
  Term term;
  term.dtype = dtype;
  term.form = forms_.Constant(WrapToDType(value, dtype));
  return Intern(std::move(term));
}

TermId TermTable::Real(DataType dtype, double value) {
  Term term;
  term.kind = TermKind::kReal;
  term.dtype = dtype;
  const double rounded =
      dtype == DataType::Float(32) ? static_cast<double>(static_cast<float>(value)) : value;
  term.number = std::bit_cast<int64_t>(rounded);
  return Intern(std::move(term));
}

bool TermTable::IsRealZero(TermId term) const {
  return At(term).kind == TermKind::kReal && std::bit_cast<double>(At(term).number) == 0;
}
bool TermTable::IsRealPlusZero(TermId term) const {
  return At(term).kind == TermKind::kReal && At(term).number == 0;
}

TermId TermTable::Read(int memory, DataType dtype, FormId form, int64_t parts) {
  Term term;
  term.kind = TermKind::kRead;
  term.dtype = dtype;
  term.memory = memory;
  term.form = form;
  term.number = parts;
  return Intern(std::move(term));
}

TermId TermTable::ReadAt(int memory, DataType dtype, TermId index, int64_t parts) {
  if (FormOf(index) >= 0) return Read(memory, dtype, FormOf(index), parts);
  FormId form = forms_.Constant(0);
  const auto add = [&](TermId part) {
    if (FormOf(part) < 0) return false;
    form = forms_.Add(form, FormOf(part));
    return true;
  };
  while (At(index).IsNode(NodeKind::kAdd)) {
    const TermId a = At(index).args[0];
    const TermId b = At(index).args[1];
    if (!add(a) && !add(b)) return -1;
    index = FormOf(a) >= 0 ? b : a;
  }
  // A number of a narrower type has the same value in the type of indices.
  while (At(index).IsNode(NodeKind::kCast) &&
         HoldsAll(At(index).dtype, At(At(index).args[0]).dtype))
    index = At(index).args[0];
  Term term = At(Read(memory, dtype, form, parts));
  term.kind = TermKind::kGather;
  term.args = {index};
  return Intern(std::move(term));
}

TermId TermTable::Hole(DataType dtype) { return Make(TermKind::kHole, dtype, 0, {}); }

TermId TermTable::Cast(DataType dtype, TermId value) {
  while (true) {
    if (At(value).dtype == dtype) return value;
    const Term& inner = At(value);
    if (!inner.IsNode(NodeKind::kCast) || !HoldsAll(inner.dtype, At(inner.args[0]).dtype)) break;
    value = inner.args[0];
  }
  const FormId form = FormOf(value);
  if (form >= 0 && dtype.is_integer() && !dtype.is_bool()) {
    if (const TermId index = Index(dtype, form); index >= 0) return index;
    if (forms_.IsConstant(form)) return Number(dtype, forms_.At(form).constant);
  }
  return Make(TermKind::kNode, dtype, static_cast<int>(NodeKind::kCast), {value});
}

TermId TermTable::Not(TermId value) {
  if (IsNumber(value, 0)) return Number(DataType::Bool(), 1);
  if (IsNumber(value, 1)) return Number(DataType::Bool(), 0);
  if (At(value).IsNode(NodeKind::kNot)) return At(value).args[0];
  return Make(TermKind::kNode, DataType::Bool(), static_cast<int>(NodeKind::kNot), {value});
}

TermId TermTable::Comparison(NodeKind node, FormId a, FormId b) {
  Term term;
  term.dtype = DataType::Bool();
  if (node == NodeKind::kEQ || node == NodeKind::kNE) {
    FormId form = forms_.Add(a, b, -1);
    const LinearSum& sum = forms_.At(form);
    if (!sum.terms.empty() && sum.terms[0].second < 0) form = forms_.Scale(form, -1);
    const auto [low, high] = forms_.BoundsOf(form);
    const bool is_never = low > 0 || high < 0;
    term.kind = TermKind::kZero;
    term.form = form;
    const TermId is_zero = is_never                ? Number(DataType::Bool(), 0)
                           : low == 0 && high == 0 ? Number(DataType::Bool(), 1)
                                                   : Intern(std::move(term));
    return node == NodeKind::kEQ ? is_zero : Not(is_zero);
  }
  if (node == NodeKind::kLT || node == NodeKind::kLE) std::swap(a, b);
  const bool is_strict = node == NodeKind::kLT || node == NodeKind::kGT;
  term.kind = TermKind::kNonneg;
  term.form = forms_.Add(forms_.Add(a, b, -1), forms_.Constant(is_strict ? -1 : 0));
  const auto [low, high] = forms_.BoundsOf(term.form);
  if (low >= 0) return Number(DataType::Bool(), 1);
  if (high < 0) return Number(DataType::Bool(), 0);
  return Intern(std::move(term));
}

TermId TermTable::Logic(NodeKind node, TermId a, TermId b) {
  const int64_t decides = node == NodeKind::kAnd ? 0 : 1;
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (IsNumber(one, decides)) return one;
    if (IsNumber(one, 1 - decides)) return other;
  }
  if (a == b) return a;
  return Make(TermKind::kNode, DataType::Bool(), static_cast<int>(node), {a, b});
}

/// Arithmetic of indices; -1 if the result is not one.
TermId TermTable::IndexNode(NodeKind node, DataType dtype, FormId a, FormId b) {
  const bool has_divisor = forms_.IsConstant(b) && forms_.At(b).constant > 0;
  const int64_t divisor = forms_.At(b).constant;
  switch (node) {
    case NodeKind::kAdd:
      return Index(dtype, forms_.Add(a, b));
    case NodeKind::kSub:
      return Index(dtype, forms_.Add(a, b, -1));
    case NodeKind::kMul:
      if (forms_.IsConstant(a)) std::swap(a, b);
      if (!forms_.IsConstant(b)) return -1;
      return Index(dtype, forms_.Scale(a, forms_.At(b).constant));
    case NodeKind::kDiv:
      return has_divisor ? Index(dtype, forms_.TruncDiv(a, divisor)) : -1;
    case NodeKind::kFloorDiv:
      return has_divisor ? Index(dtype, forms_.FloorDiv(a, divisor)) : -1;
    case NodeKind::kMod:
      return has_divisor ? Index(dtype, forms_.TruncMod(a, divisor)) : -1;
    case NodeKind::kFloorMod:
      return has_divisor ? Index(dtype, forms_.FloorMod(a, divisor)) : -1;
    case NodeKind::kMin:
    case NodeKind::kMax: {
      const auto [low, high] = forms_.BoundsOf(forms_.Add(a, b, -1));
      if (high <= 0) return Index(dtype, node == NodeKind::kMin ? a : b);
      return low >= 0 ? Index(dtype, node == NodeKind::kMin ? b : a) : -1;
    }
    default:
      return -1;
  }
}

/// Sums and products of integers with 0 and 1; -1 for others.
TermId TermTable::Folded(NodeKind node, DataType dtype, TermId a, TermId b) {
  if (!dtype.is_integer()) return -1;
  if (node == NodeKind::kAdd && IsNumber(a, 0)) return b;
  if ((node == NodeKind::kAdd || node == NodeKind::kSub) && IsNumber(b, 0)) return a;
  if (node != NodeKind::kMul) return -1;
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (IsNumber(one, 0)) return one;
    if (IsNumber(one, 1)) return other;
  }
  return -1;
}

TermId TermTable::Node(NodeKind node, DataType dtype, TermId a, TermId b) {
  if (node == NodeKind::kAnd || node == NodeKind::kOr) return Logic(node, a, b);
  const FormId left = FormOf(a);
  const FormId right = FormOf(b);
  if (left >= 0 && right >= 0) {
    if (IsComparison(node)) return Comparison(node, left, right);
    if (const TermId index = IndexNode(node, dtype, left, right); index >= 0) return index;
    const bool are_numbers = forms_.IsConstant(left) && forms_.IsConstant(right);
    const int64_t x = forms_.At(left).constant;
    const int64_t y = forms_.At(right).constant;
    if (are_numbers && dtype.bits() <= 32 && node == NodeKind::kAdd) return Number(dtype, x + y);
    if (are_numbers && dtype.bits() <= 32 && node == NodeKind::kSub) return Number(dtype, x - y);
    if (are_numbers && dtype.bits() <= 32 && node == NodeKind::kMul && dtype.is_int())
      return Number(dtype, x * y);
  }
  if (const TermId folded = Folded(node, dtype, a, b); folded >= 0) return folded;
  if (node == NodeKind::kGT || node == NodeKind::kGE) {
    node = node == NodeKind::kGT ? NodeKind::kLT : NodeKind::kLE;
    std::swap(a, b);
  }
  return Make(TermKind::kNode, dtype, static_cast<int>(node), {a, b});
}

TermId TermTable::Choice(TermId condition, TermId yes, TermId no) {
  if (IsNumber(condition, 1) || yes == no) return yes;
  if (IsNumber(condition, 0)) return no;
  if (At(condition).IsNode(NodeKind::kNot)) return Choice(At(condition).args[0], no, yes);
  return Make(TermKind::kChoice, At(yes).dtype, 0, {condition, yes, no});
}

TermId TermTable::Shift(OpKind op, TermId value, int64_t by) {
  if (by == 0) return value;
  const DataType dtype = At(value).dtype;
  return Call(op, dtype, {value, Number(dtype, by)});
}

/// q_multiply_shift by constants, as ir/q_multiply_shift.h defines it. -1 if they are not constant.
TermId TermTable::Requantised(DataType dtype, const std::vector<TermId>& args) {
  const auto number = [&](size_t i) { return forms_.At(FormOf(args[i])).constant; };
  for (size_t i = 1; i < 4; ++i) {
    if (FormOf(args[i]) < 0 || !forms_.IsConstant(FormOf(args[i]))) return -1;
  }
  const int64_t shift = number(3);
  const TermId x = args[0];
  if (std::abs(shift) > 30) return -1;
  if (number(1) == kQOneHalf) {
    if (shift > 0) return Shift(OpKind::kShiftLeft, x, shift - 1);
    const TermId half = Number(dtype, int64_t{1} << -shift);
    return Shift(OpKind::kShiftRight, Node(NodeKind::kAdd, dtype, x, half), 1 - shift);
  }
  const DataType wide = DataType::Int(64);
  const int64_t right = std::max<int64_t>(-shift, 0) + number(2);
  if (right < 1 || right > 60) return -1;
  const TermId moved = Shift(OpKind::kShiftLeft, Cast(wide, x), std::max<int64_t>(shift, 0));
  const TermId product = Node(NodeKind::kMul, wide, moved, Number(wide, number(1)));
  const TermId half = Number(wide, int64_t{1} << (right - 1));
  return Cast(dtype, Shift(OpKind::kShiftRight, Node(NodeKind::kAdd, wide, product, half), right));
}

/// q_multiply_shift_per_axis without a left shift, as ir/q_multiply_shift.h defines it.
TermId TermTable::RequantisedPerAxis(DataType dtype, const std::vector<TermId>& args) {
  if (!IsNumber(args[5], 0)) return -1;
  const DataType wide = DataType::Int(64);
  const TermId one = Number(dtype, 1);
  const TermId total = Node(NodeKind::kAdd, dtype, args[3], args[4]);
  const TermId right = Node(NodeKind::kMin, dtype, total, Number(dtype, 63));
  const TermId half = Call(OpKind::kShiftLeft, wide,
                           {Number(wide, 1), Cast(wide, Node(NodeKind::kSub, dtype, right, one))});
  const TermId product = Node(NodeKind::kMul, wide, Cast(wide, args[0]), Cast(wide, args[1]));
  const TermId sum = Node(NodeKind::kAdd, wide, product, half);
  const TermId value = Cast(dtype, Call(OpKind::kShiftRight, wide, {sum, Cast(wide, right)}));
  const TermId is_small = Node(NodeKind::kGT, DataType::Bool(), total, Number(dtype, 63));
  return Choice(is_small, Number(dtype, 0), value);
}

TermId TermTable::Call(OpKind op, DataType dtype, const std::vector<TermId>& args) {
  if (op == OpKind::kIfThenElse) return Choice(args[0], args[1], args[2]);
  if (op == OpKind::kLikely) return args[0];
  TermId made = -1;
  if (op == OpKind::kQMultiplyShift) made = Requantised(dtype, args);
  if (op == OpKind::kQMultiplyShiftPerAxis) made = RequantisedPerAxis(dtype, args);
  if (made >= 0) return made;
  Term term;
  term.kind = TermKind::kCall;
  term.dtype = dtype;
  term.op = static_cast<int>(op);
  term.args.assign(args.begin(), args.end());
  return Intern(std::move(term));
}

/// A term with another form or other arguments, in the normal form.
TermId TermTable::Rebuilt(const Term& term) {
  const auto node = static_cast<NodeKind>(term.op);
  switch (term.kind) {
    case TermKind::kNode:
      if (node == NodeKind::kCast) return Cast(term.dtype, term.args[0]);
      if (node == NodeKind::kNot) return Not(term.args[0]);
      return Node(node, term.dtype, term.args[0], term.args[1]);
    case TermKind::kCall:
      return Call(static_cast<OpKind>(term.op), term.dtype, {term.args.begin(), term.args.end()});
    case TermKind::kChoice:
      return Choice(term.args[0], term.args[1], term.args[2]);
    case TermKind::kNonneg:
      return Comparison(NodeKind::kGE, term.form, forms_.Constant(0));
    case TermKind::kZero:
      return Comparison(NodeKind::kEQ, term.form, forms_.Constant(0));
    default:
      return Intern(term);
  }
}

TermId TermTable::Replace(TermId term, int digit, FormId value) {
  absl::flat_hash_map<TermId, TermId> done;
  const auto replace = [&](const auto& self, TermId at) -> TermId {
    if (const auto found = done.find(at); found != done.end()) return found->second;
    Term copy = At(at);
    if (copy.form >= 0 && copy.kind != TermKind::kEntry)
      copy.form = forms_.Replace(copy.form, digit, value);
    for (size_t i = 0; i < copy.args.size(); ++i) {
      copy.args[i] = copy.kind == TermKind::kSum ? forms_.Replace(copy.args[i], digit, value)
                                                 : self(self, copy.args[i]);
    }
    const TermId made = copy == At(at) ? at : Rebuilt(copy);
    done.emplace(at, made);
    return made;
  };
  return replace(replace, term);
}

void TermTable::AddDigits(TermId root, std::vector<int>& digits) const {
  absl::flat_hash_map<TermId, bool> seen;
  std::vector<TermId> work = {root};
  std::vector<int> repeated;
  while (!work.empty()) {
    const TermId at = work.back();
    work.pop_back();
    if (!seen.try_emplace(at, true).second) continue;
    const Term& term = At(at);
    if (term.form >= 0 && term.kind != TermKind::kEntry) forms_.AddDigits(term.form, digits);
    if (term.kind == TermKind::kRepeat) repeated.push_back(static_cast<int>(term.number));
    if (term.kind == TermKind::kSum) {
      for (const FormId form : term.args) forms_.AddDigits(form, digits);
    }
    work.insert(work.end(), term.args.begin(),
                term.args.begin() + static_cast<ptrdiff_t>(term.term_args()));
  }
  std::erase_if(digits, [&](int digit) {
    return std::find(repeated.begin(), repeated.end(), digit) != repeated.end();
  });
}

bool TermTable::ReadsMemory(TermId root) const {
  const Term& term = At(root);
  if (term.memory >= 0) return true;
  for (size_t i = 0; i < term.term_args(); ++i) {
    if (ReadsMemory(term.args[i])) return true;
  }
  return false;
}

TermId TermTable::UpdateOf(TermId term, TermId base) {
  std::vector<TermId> spine;
  TermId at = term;
  while (at != base) {
    const Term& now = At(at);
    const bool is_update = now.kind == TermKind::kRepeat || now.kind == TermKind::kWhen ||
                           (now.kind == TermKind::kNode && now.args.size() == 2);
    if (!is_update) return -1;
    spine.push_back(at);
    at = now.args[0];
  }
  TermId update = Hole(At(term).dtype);
  for (size_t i = spine.size(); i-- > 0;) {
    Term copy = At(spine[i]);
    copy.args[0] = update;
    update = Intern(std::move(copy));
  }
  return update;
}

}  // namespace tenon::check
