// The general loops of a computation: nests, accumulators, rows of accumulators, and values. Blocks
// in vectors, padding and boxes are in other files (op_blocks.cc, op_pads.cc, op_boxes.cc), which
// call these parts.

#include "schedule/op_loops.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "analysis/contraction.h"
#include "arith/index_math.h"
#include "fmt/format.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"

namespace tenon {

namespace {

/// The largest number of nodes of a value that is computed again for each use.
constexpr int64_t kMostRepeated = 256;

/// The arguments of a step that every evaluation of it needs.
std::span<const int> CertainArgs(const Step& step) {
  return std::span(step.args).first(IsChoice(step) ? 1 : step.args.size());
}

bool CanFail(const Step& step) {
  if (IsRead(step.kind) || IsReduction(step.kind)) return true;
  if (step.kind == StepKind::kCall) return step.dtype.is_integer();
  if (step.kind != StepKind::kNode || !step.dtype.is_integer()) return false;
  return step.node == NodeKind::kDiv || step.node == NodeKind::kMod ||
         step.node == NodeKind::kFloorDiv || step.node == NodeKind::kFloorMod;
}

bool FitsInt32(int64_t value) { return value == static_cast<int32_t>(value); }

/// Whether all values of a type fit in int32.
bool FitsInt32(DataType dtype) { return dtype.bits() < 32 || dtype == DataType::Int(32); }

/// Whether each partial sum of an index fits in int32; WhyNoLoops has checked int64.
bool FitsInt32(const Computation& computation, const LinearIndex& index) {
  const auto [low, high] = RangeOf(computation, index);
  return FitsInt32(low) && FitsInt32(high);
}

/// The number of accumulators in a row, for pieces of a loop; 0 if the loop cannot be cut into such
/// pieces.
int64_t RowWidth(int64_t extent) {
  constexpr int64_t kMost = 64;
  constexpr int64_t kLeast = 8;
  if (extent <= kMost) return extent;
  for (int64_t width = kMost; width >= kLeast; --width) {
    if (extent % width == 0) return width;
  }
  return extent <= 4 * kMost ? extent : 0;
}

}  // namespace

OpLoops::OpLoops(NodeBuilder& builder, const Computation& computation,
                 std::vector<const Buffer*> operands, OpLoopsOptions options)
    : builder_(builder),
      computation_(computation),
      operands_(std::move(operands)),
      options_(options),
      facts_(
          computation, [this](int step) { return IsGiven(step); },
          /*wide=*/-1, options.register_bytes),
      open_(computation.loops.size()),
      given_(computation.steps.size()),
      replaced_(computation.steps.size()) {
  bool fits = true;
  for (const ComputationAccess& access : computation.accesses)
    fits &= FitsInt32(computation, access.element);
  for (const ComputationOperand& operand : computation.operands)
    fits &= FitsInt32(operand.elements);
  for (const Step& step : computation.steps) {
    if (step.kind == StepKind::kIndex) fits &= FitsInt32(computation, step.linear);
    if (step.kind == StepKind::kGather)
      fits &= FitsInt32(computation.steps[static_cast<size_t>(step.args[0])].dtype);
    bool is_harmless = !CanFail(step);
    for (const int arg : step.args) is_harmless &= is_harmless_[static_cast<size_t>(arg)];
    is_harmless_.push_back(is_harmless);
  }
  if (!fits) index_dtype_ = DataType::Int(64);
}

void OpLoops::Replace(int step, const Buffer* buffer, LinearIndex element) {
  if (!FitsInt32(computation_, element)) index_dtype_ = DataType::Int(64);
  replaced_[static_cast<size_t>(step)] = {buffer, std::move(element)};
}

void OpLoops::ReplaceBy(int step, const Buffer* buffer, const Expr* place) {
  replaced_[static_cast<size_t>(step)] = {buffer, {}, place};
}

bool OpLoops::IsGiven(int step) const {
  const auto at = static_cast<size_t>(step);
  return given_[at] != nullptr || replaced_[at].buffer != nullptr;
}

const Buffer* OpLoops::NewBuffer(std::string_view name, DataType dtype, int64_t elements) {
  return NewFlatBuffer(builder_, name, dtype, elements);
}

const Stmt* OpLoops::OnStack(const Buffer* buffer, const Stmt* body) {
  const MapAttr* unplanned =
      builder_.With(nullptr, attr_key::kCandidateMemoryPools, builder_.Array({}));
  return builder_.New<Allocate>({}, buffer->data, buffer->dtype, buffer->shape, builder_.Bool(true),
                                unplanned, body);
}

const Expr* OpLoops::Element(const Buffer* buffer, const Expr* index) {
  return builder_.Load(buffer, {index});
}

const Stmt* OpLoops::Assign(const Buffer* buffer, const Expr* index, const Expr* value) {
  return builder_.New<BufferStore>({}, buffer, value, builder_.List<Expr>({index}));
}

/// Adds the parts of `place * factor`, so that constants can be added up.
void OpLoops::AddTerms(const Expr* place, int64_t factor, std::vector<Term>& terms,
                       int64_t& constant) {
  if (const int64_t* number = AsIntImm(place)) {
    constant += *number * factor;
  } else if (const auto* sum = dyn_cast<Add>(place)) {
    AddTerms(sum->a, factor, terms, constant);
    AddTerms(sum->b, factor, terms, constant);
  } else if (const auto* product = dyn_cast<Mul>(place); product && AsIntImm(product->b)) {
    AddTerms(product->a, factor * *AsIntImm(product->b), terms, constant);
  } else {
    terms.emplace_back(place, factor);
  }
}

/// The constant is added last, so that elements that differ only in it share an address
/// computation.
const Expr* OpLoops::Index(const LinearIndex& element) {
  const IndexMath math(builder_, {});
  std::vector<Term> terms;
  int64_t constant = element.offset;
  for (const auto& [loop, stride] : element.terms) {
    const Expr* place = open_[static_cast<size_t>(loop)];
    TENON_CHECK(place != nullptr);
    AddTerms(place, stride, terms, constant);
  }
  int64_t divisor = element.divisor;
  const auto is_divided = [&](const Term& term) { return term.second % divisor == 0; };
  if (constant % divisor == 0 && std::all_of(terms.begin(), terms.end(), is_divided)) {
    for (auto& [number, factor] : terms) factor /= divisor;
    constant /= divisor;
    divisor = 1;
  }
  const Expr* sum = nullptr;
  for (const auto& [number, factor] : terms) {
    const Expr* term = math.Mul(number, builder_.Int(index_dtype_, factor));
    sum = sum == nullptr ? term : math.Add(sum, term);
  }
  const Expr* offset = builder_.Int(index_dtype_, constant);
  if (sum == nullptr) {
    sum = offset;
  } else if (constant != 0) {
    sum = math.Add(sum, offset);
  }
  if (divisor == 1) return sum;
  return math.Binary(NodeKind::kDiv, sum, builder_.Int(index_dtype_, divisor));
}

const Expr* OpLoops::Choice(const Step& step) {
  const Expr* condition = Value(step.args[0]);
  const Expr* yes = Value(step.args[1]);
  const Expr* no = Value(step.args[2]);
  const bool is_harmless = is_harmless_[static_cast<size_t>(step.args[1])] &&
                           is_harmless_[static_cast<size_t>(step.args[2])];
  if (is_harmless && condition->dtype.is_bool())
    return builder_.New<Select>({}, condition, yes, no);
  return builder_.NewCall(step.dtype, OpKind::kIfThenElse, {condition, yes, no});
}

/// The comparison of an index with a number, in the type of loop counters; null for other steps.
const Expr* OpLoops::IndexComparison(const Step& step) {
  if (!step.dtype.is_bool() || step.args.size() != 2) return nullptr;
  const Step& index = StepAt(step.args[0]);
  const Step& number = StepAt(step.args[1]);
  if (index.kind != StepKind::kIndex || number.kind != StepKind::kInteger ||
      IsGiven(step.args[0]) || !index.dtype.is_int() || index.dtype.bits() < index_dtype_.bits() ||
      (index_dtype_ == DataType::Int(32) && !FitsInt32(number.integer)))
    return nullptr;
  return MakeBinary(builder_, step.node, Index(index.linear),
                    builder_.Int(index_dtype_, number.integer), {});
}

const Expr* OpLoops::NodeValue(const Step& step) {
  const Expr* first = Value(step.args[0]);
  if (step.node == NodeKind::kCast) return builder_.New<Cast>({}, step.dtype, first);
  if (step.node == NodeKind::kNot) return builder_.New<Not>({}, first);
  if (const Expr* comparison = IndexComparison(step)) return comparison;
  return MakeBinary(builder_, step.node, first, Value(step.args[1]), {});
}

const Expr* OpLoops::Value(int at) {
  const Step& step = StepAt(at);
  const auto index = static_cast<size_t>(at);
  if (given_[index] != nullptr) return given_[index];
  if (const Replaced& replaced = replaced_[index]; replaced.buffer != nullptr)
    return Element(replaced.buffer,
                   replaced.place != nullptr ? replaced.place : Index(replaced.element));
  switch (step.kind) {
    case StepKind::kInteger:
      return builder_.Int(step.dtype, step.integer);
    case StepKind::kReal:
      return builder_.New<FloatImm>({}, step.dtype, step.real);
    case StepKind::kRead: {
      const ComputationAccess& access = computation_.accesses[static_cast<size_t>(step.access)];
      return Element(operands_[static_cast<size_t>(access.operand)], Index(access.element));
    }
    case StepKind::kGather: {
      const ComputationAccess& access = computation_.accesses[static_cast<size_t>(step.access)];
      const Expr* place = Value(step.args[0]);
      if (place->dtype != index_dtype_) place = builder_.New<Cast>({}, index_dtype_, place);
      const IndexMath math(builder_, {});
      return Element(operands_[static_cast<size_t>(access.operand)],
                     math.Add(Index(access.element), place));
    }
    case StepKind::kIndex: {
      const Expr* place = Index(step.linear);
      return place->dtype == step.dtype ? place : builder_.New<Cast>({}, step.dtype, place);
    }
    case StepKind::kNode:
      return IsChoice(step) ? Choice(step) : NodeValue(step);
    case StepKind::kCall: {
      if (IsChoice(step)) return Choice(step);
      std::vector<const Expr*> args;
      for (const int arg : step.args) args.push_back(Value(arg));
      return builder_.New<Call>({}, step.dtype, Op::Get(step.op),
                                builder_.arena().Copy(Span<const Expr*>(args)));
    }
    case StepKind::kReduce:
    case StepKind::kArgReduce:
      break;
  }
  TENON_UNREACHABLE();
}

const Stmt* OpLoops::OneLoop(int loop, const Expr* start, int64_t extent,
                             const std::function<const Stmt*(const Expr*)>& body) {
  const auto at = static_cast<size_t>(loop);
  const Expr* outer = open_[at];
  std::vector<const Expr*> given = given_;
  for (size_t i = 0; i < given_.size(); ++i) {
    if ((FreeOf(static_cast<int>(i)) & Bit(loop)) != 0) given_[i] = nullptr;
  }
  const IndexMath math(builder_, {});
  const Expr* zero = builder_.Int(index_dtype_, 0);
  const Var* var =
      extent == 1 ? nullptr : builder_.NewVar(computation_.loops[at].name, index_dtype_);
  const Expr* number = var == nullptr ? zero : var;
  open_[at] = start == nullptr ? number : math.Add(start, number);
  const Stmt* stmt = body(number);
  open_[at] = outer;
  given_ = std::move(given);
  if (var == nullptr) return stmt;
  return builder_.New<For>({}, var, zero, builder_.Int(index_dtype_, extent), ForKind::kSerial,
                           stmt);
}

const Stmt* OpLoops::Around(const std::vector<int>& loops, const Leaf& body) {
  return Nest(loops, 0, {}, 0, body);
}

const Stmt* OpLoops::Nest(const std::vector<int>& loops, size_t at, const std::vector<int>& roots,
                          LoopSet hidden, const Leaf& leaf) {
  LoopSet later = hidden;
  for (size_t i = at; i < loops.size(); ++i) later |= Bit(loops[i]);
  std::vector<const Expr*> given = given_;
  std::vector<std::pair<const Buffer*, const Stmt*>> sums;
  for (const int sum : facts_.SumsToMake(roots, later)) {
    const Buffer* accumulator = NewBuffer(fmt::format("value{}", sum), StepAt(sum).dtype, 1);
    sums.emplace_back(accumulator, FillSum(sum, accumulator));
    given_[static_cast<size_t>(sum)] = Element(accumulator, builder_.Int(0));
  }
  const auto inner = [&](const Expr*) { return Nest(loops, at + 1, roots, hidden, leaf); };
  const Stmt* body =
      at == loops.size()
          ? leaf()
          : OneLoop(loops[at], nullptr, computation_.loops[static_cast<size_t>(loops[at])].extent,
                    inner);
  given_ = std::move(given);
  for (size_t i = sums.size(); i-- > 0;)
    body = OnStack(sums[i].first, builder_.Seq({sums[i].second, body}));
  return body;
}

const Stmt* OpLoops::FillSum(int sum, const Buffer* accumulator) {
  const Step& step = StepAt(sum);
  if (step.kind == StepKind::kArgReduce) return FillPlace(sum, accumulator);
  const Expr* zero = builder_.Int(0);
  const Stmt* first =
      Nest({}, 0, {step.args[0]}, 0, [&] { return AssignBound(accumulator, zero, step.args[0]); });
  const Stmt* all = Nest(step.loops, 0, {step.args[1]}, 0, [&] {
    return BindShared(step.args[1], [&] { return Join(sum, accumulator, zero, step.args[1]); });
  });
  return builder_.Seq({first, all});
}

/// Sets the index of the best value, and the value.
const Stmt* OpLoops::FillPlace(int sum, const Buffer* places) {
  const Step& step = StepAt(sum);
  const Expr* zero = builder_.Int(0);
  const Buffer* values =
      NewBuffer(fmt::format("best{}", sum), StepAt(step.args[1]).dtype, /*elements=*/1);
  const Stmt* first_place =
      Nest({}, 0, {step.args[0]}, 0, [&] { return AssignBound(places, zero, step.args[0]); });
  const Stmt* first_value =
      Nest({}, 0, {step.args[1]}, 0, [&] { return AssignBound(values, zero, step.args[1]); });
  const std::vector<int> roots = {step.args[2], step.args[3]};
  const Stmt* all = Nest(step.loops, 0, roots, 0, [&] {
    // The value is compared more than once.
    return Bind(UsedTwice({step.args[2], step.args[3], step.args[3]}),
                [&] { return KeepBest(step, places, values); });
  });
  return OnStack(values, builder_.Seq({first_place, first_value, all}));
}

const Stmt* OpLoops::KeepBest(const Step& step, const Buffer* places, const Buffer* values) {
  const auto binary = [&](NodeKind kind, const Expr* a, const Expr* b) {
    return MakeBinary(builder_, kind, a, b, {});
  };
  const Expr* zero = builder_.Int(0);
  const Expr* old_place = Element(places, zero);
  const Expr* old_value = Element(values, zero);
  const Expr* place = Value(step.args[2]);
  const Expr* value = Value(step.args[3]);
  const Expr* stays = step.node == NodeKind::kMax ? binary(NodeKind::kLT, value, old_value)
                                                  : binary(NodeKind::kLT, old_value, value);
  const Expr* first = step.integer == 0 ? binary(NodeKind::kLT, old_place, place)
                                        : binary(NodeKind::kLT, place, old_place);
  const Expr* is_same = binary(NodeKind::kEQ, old_value, value);
  const Expr* place_stays = binary(NodeKind::kOr, stays, binary(NodeKind::kAnd, is_same, first));
  return builder_.Seq(
      {Assign(places, zero, builder_.New<Select>({}, place_stays, old_place, place)),
       Assign(values, zero, builder_.New<Select>({}, stays, old_value, value))});
}

const Stmt* OpLoops::Join(int sum, const Buffer* accumulator, const Expr* index, int value) {
  const Step& step = StepAt(sum);
  const Expr* old_value = Element(accumulator, index);
  const Expr* joined = step.integer == 0
                           ? MakeBinary(builder_, step.node, old_value, Value(value), {})
                           : MakeBinary(builder_, step.node, Value(value), old_value, {});
  return Assign(accumulator, index, joined);
}

/// Steps that every evaluation of `roots` uses twice or more.
std::vector<int> OpLoops::UsedTwice(const std::vector<int>& roots) const {
  std::vector<int> uses(computation_.steps.size());
  std::vector<int> work = roots;
  std::vector<int> found;
  while (!work.empty()) {
    const int at = work.back();
    work.pop_back();
    const Step& step = StepAt(at);
    const int count = ++uses[static_cast<size_t>(at)];
    if (given_[static_cast<size_t>(at)] != nullptr) continue;
    const bool is_worth_it = !step.args.empty() || step.kind == StepKind::kRead;
    if (count == 2 && is_worth_it) found.push_back(at);
    if (count > 1 || IsGiven(at)) continue;
    for (const int arg : CertainArgs(step)) work.push_back(arg);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The largest parts of `root` that every evaluation uses, and that do not depend on `loop`.
std::vector<int> OpLoops::WithoutLoop(int root, int loop) const {
  std::vector<int> found;
  std::vector<int> work = {root};
  std::set<int> seen;
  while (!work.empty()) {
    const int at = work.back();
    work.pop_back();
    if (!seen.insert(at).second || given_[static_cast<size_t>(at)] != nullptr) continue;
    const Step& step = StepAt(at);
    if ((FreeOf(at) & Bit(loop)) == 0) {
      if (!step.args.empty() || step.kind == StepKind::kRead) found.push_back(at);
      continue;
    }
    if (IsGiven(at)) continue;
    for (const int arg : CertainArgs(step)) work.push_back(arg);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Binds steps to variables around the statement that `leaf` returns. `steps` are in order.
const Stmt* OpLoops::Bind(const std::vector<int>& steps, const Leaf& leaf) {
  std::vector<const Expr*> given = given_;
  std::vector<std::pair<const Var*, const Expr*>> lets;
  for (const int step : steps) {
    const Var* var = builder_.NewVar(fmt::format("value{}", step), StepAt(step).dtype);
    lets.emplace_back(var, Value(step));
    given_[static_cast<size_t>(step)] = var;
  }
  const Stmt* body = leaf();
  given_ = std::move(given);
  for (size_t i = lets.size(); i-- > 0;)
    body = builder_.New<LetStmt>({}, lets[i].first, lets[i].second, body);
  return body;
}

/// The number of nodes of a value in which no value is shared; at most a little more than
/// kMostRepeated.
int64_t OpLoops::TreeSize(int step) const {
  if (IsGiven(step)) return 1;
  int64_t size = 1;
  for (const int arg : StepAt(step).args) {
    if (size > kMostRepeated) break;
    size += TreeSize(arg);
  }
  return size;
}

/// Binds values that `step` uses twice, unless small ones are repeated.
const Stmt* OpLoops::BindShared(int step, const Leaf& leaf) {
  return options_.repeats && TreeSize(step) <= kMostRepeated ? leaf()
                                                             : Bind(UsedTwice({step}), leaf);
}

const Stmt* OpLoops::AssignBound(const Buffer* buffer, const Expr* index, int step) {
  return BindShared(step, [&] { return Assign(buffer, index, Value(step)); });
}

const Stmt* OpLoops::Stores() {
  std::vector<const Stmt*> stores;
  for (const ComputationStore& store : computation_.stores) {
    const ComputationAccess& access = computation_.accesses[static_cast<size_t>(store.access)];
    stores.push_back(Store(operands_[static_cast<size_t>(access.operand)], access.element,
                           store.step, store.loops));
  }
  return builder_.Seq(Span<const Stmt*>(stores));
}

const Stmt* OpLoops::Store(const Buffer* buffer, const LinearIndex& element, int step,
                           const std::vector<int>& loops) {
  if (options_.schedule != nullptr) return BlockStore(buffer, element, step, loops);
  if (!options_.is_uniform) {
    if (options_.register_bytes > 0) {
      if (const Stmt* box = BoxStore(buffer, element, step, loops)) return box;
    }
    if (const Stmt* choice = ChoiceStore(buffer, element, step, loops)) return choice;
    if (const Stmt* lanes = LaneStore(buffer, element, step, loops)) return lanes;
  }
  const int row = options_.rows ? RowLoop(step, element, loops) : -1;
  if (row >= 0) return RowStore(buffer, element, step, loops, row);
  return Nest(loops, 0, {step}, 0, [&] { return AssignBound(buffer, Index(element), step); });
}

/// Moves a select out of the innermost loops that do not change its condition. Null for other
/// values.
const Stmt* OpLoops::ChoiceStore(const Buffer* buffer, const LinearIndex& element, int step,
                                 const std::vector<int>& loops) {
  const Step& choice = StepAt(step);
  if (!IsChoice(choice) || IsGiven(step) || !facts_.SumsToMake({step}, ~LoopSet{0}).empty())
    return nullptr;
  size_t outer = loops.size();
  while (outer > 0 && (FreeOf(choice.args[0]) & Bit(loops[outer - 1])) == 0) --outer;
  if (outer == loops.size()) return nullptr;
  const std::vector<int> around(loops.begin(), loops.begin() + static_cast<ptrdiff_t>(outer));
  const std::vector<int> within(loops.begin() + static_cast<ptrdiff_t>(outer), loops.end());
  return Nest(around, 0, {}, 0, [&]() -> const Stmt* {
    const auto arm = [&](int value) {
      if (const Stmt* lanes = LaneStore(buffer, element, value, within)) return lanes;
      return Nest(within, 0, {value}, 0,
                  [&] { return AssignBound(buffer, Index(element), value); });
    };
    const Expr* condition = Value(choice.args[0]);
    const Stmt* yes = arm(choice.args[1]);
    return builder_.New<IfThenElse>({}, condition, yes, arm(choice.args[2]));
  });
}

/// The loop along which output elements are neighbours, if a sum is faster in a row; else -1.
int OpLoops::RowLoop(int step, const LinearIndex& element, const std::vector<int>& loops) const {
  for (const int loop : loops) {
    const int64_t extent = computation_.loops[static_cast<size_t>(loop)].extent;
    if (element.divisor != 1 || std::abs(element.stride(loop)) != 1 || extent < 2 ||
        RowWidth(extent) == 0)
      continue;
    const std::vector<int> sums = facts_.SumsToMake({step}, 0);
    bool found = false;
    for (const int sum : sums) {
      if ((FreeOf(sum) & Bit(loop)) == 0) continue;
      if (!facts_.WalksAlong(sum, loop)) return -1;
      found = true;
    }
    return found ? loop : -1;
  }
  return -1;
}

const Stmt* OpLoops::RowStore(const Buffer* buffer, const LinearIndex& element, int step,
                              const std::vector<int>& loops, int row) {
  std::vector<int> outer;
  for (const int loop : loops) {
    if (loop != row) outer.push_back(loop);
  }
  const int64_t extent = computation_.loops[static_cast<size_t>(row)].extent;
  const int64_t width = RowWidth(extent);
  const IndexMath math(builder_, {});
  return Nest(outer, 0, {step}, Bit(row), [&]() -> const Stmt* {
    if (width == extent) return RowBody(buffer, element, step, row, width, nullptr);
    const Var* piece = builder_.NewVar(
        fmt::format("{}_row", computation_.loops[static_cast<size_t>(row)].name), index_dtype_);
    const Expr* start = math.Mul(piece, builder_.Int(index_dtype_, width));
    return builder_.New<For>({}, piece, builder_.Int(index_dtype_, 0),
                             builder_.Int(index_dtype_, extent / width), ForKind::kSerial,
                             RowBody(buffer, element, step, row, width, start));
  });
}

const Stmt* OpLoops::RowBody(const Buffer* buffer, const LinearIndex& element, int step, int row,
                             int64_t width, const Expr* start) {
  std::vector<std::pair<int, const Buffer*>> rows;
  std::vector<const Stmt*> body;
  for (const int sum : facts_.SumsToMake({step}, 0)) {
    const Buffer* accumulators = NewBuffer(fmt::format("row{}", sum), StepAt(sum).dtype, width);
    body.push_back(FillRow(sum, accumulators, row, width, start));
    rows.emplace_back(sum, accumulators);
  }
  body.push_back(OneLoop(row, start, width, [&](const Expr* number) {
    for (const auto& [sum, accumulators] : rows)
      given_[static_cast<size_t>(sum)] = Element(accumulators, number);
    return AssignBound(buffer, Index(element), step);
  }));
  const Stmt* all = builder_.Seq(Span<const Stmt*>(body));
  for (size_t i = rows.size(); i-- > 0;) all = OnStack(rows[i].second, all);
  return all;
}

const Stmt* OpLoops::FillRow(int sum, const Buffer* accumulators, int row, int64_t width,
                             const Expr* start) {
  const Step& step = StepAt(sum);
  const Stmt* first = Nest({}, 0, {step.args[0]}, Bit(row), [&] {
    return OneLoop(row, start, width, [&](const Expr* number) {
      return AssignBound(accumulators, number, step.args[0]);
    });
  });
  const Stmt* all = Nest(step.loops, 0, {step.args[1]}, Bit(row), [&] {
    return Bind(WithoutLoop(step.args[1], row), [&] {
      return OneLoop(row, start, width, [&](const Expr* number) {
        return BindShared(step.args[1],
                          [&] { return Join(sum, accumulators, number, step.args[1]); });
      });
    });
  });
  return builder_.Seq({first, all});
}

}  // namespace tenon
