// The pads of OpLoops: factors that are 0 at the borders of an input, or between its elements.
// Blocks of sums leave out their products. Places at a border have code of their own.

#include <algorithm>

#include "arith/index_math.h"
#include "ir/attributes.h"
#include "ir/const_fold.h"
#include "passes/loops/op_loops.h"

namespace tenon {

namespace {

/// Longer loops of a sum are not unrolled.
constexpr int64_t kMostTaps = 16;

const Step& StepOf(const Computation& computation, int step) {
  return computation.steps[static_cast<size_t>(step)];
}

/// True if a number depends on loops alone: an index, or the remainder of its division.
bool IsPlace(const Computation& computation, int number) {
  const Step& step = StepOf(computation, number);
  if (step.kind == StepKind::kInteger) return true;
  if (step.kind == StepKind::kIndex) return step.linear.divisor == 1 && step.dtype.bits() >= 32;
  const bool is_remainder = step.kind == StepKind::kNode &&
                            (step.node == NodeKind::kMod || step.node == NodeKind::kFloorMod);
  if (!is_remainder || !IsPlace(computation, step.args[0])) return false;
  const Step& divisor = StepOf(computation, step.args[1]);
  return divisor.kind == StepKind::kInteger && divisor.integer > 0;
}

/// Adds the comparisons that `condition` joins by `and`. False for other conditions.
bool AddComparisons(const Computation& computation, int condition, std::vector<int>& all) {
  const Step& step = StepOf(computation, condition);
  if (step.kind == StepKind::kNode && step.node == NodeKind::kAnd) {
    return AddComparisons(computation, step.args[0], all) &&
           AddComparisons(computation, step.args[1], all);
  }
  all.push_back(condition);
  const bool is_comparison =
      IsOrder(step) || (step.kind == StepKind::kNode && step.node == NodeKind::kEQ);
  return is_comparison && std::all_of(step.args.begin(), step.args.end(),
                                      [&](int arg) { return IsPlace(computation, arg); });
}

/// The number of a place, with the loops at `known`.
int64_t NumberOf(const Computation& computation, int number, const std::map<int, int64_t>& known) {
  const Step& step = StepOf(computation, number);
  if (step.kind == StepKind::kInteger) return step.integer;
  if (step.kind == StepKind::kNode) {
    const int64_t divisor = StepOf(computation, step.args[1]).integer;
    const int64_t rest = NumberOf(computation, step.args[0], known) % divisor;
    return step.node == NodeKind::kFloorMod && rest < 0 ? rest + divisor : rest;
  }
  int64_t sum = step.linear.offset;
  for (const auto& [loop, stride] : step.linear.terms) sum += stride * known.at(loop);
  return sum;
}

bool HoldsAt(const Computation& computation, int condition, const std::map<int, int64_t>& known) {
  const Step& step = StepOf(computation, condition);
  return Holds(step.node, NumberOf(computation, step.args[0], known),
               NumberOf(computation, step.args[1], known));
}

/// True if each comparison depends on one loop outside of the sum at most, and on short loops of
/// the sum.
bool HasShortLoops(const Computation& computation, const Step& sum,
                   const std::vector<int>& conditions) {
  const std::vector<LoopSet> free = FreeLoops(computation);
  return std::all_of(conditions.begin(), conditions.end(), [&](int condition) {
    LoopSet outside = free[static_cast<size_t>(condition)];
    for (const int loop : sum.loops) {
      const bool is_long = computation.loops[static_cast<size_t>(loop)].extent > kMostTaps;
      if (is_long && (outside & Bit(loop)) != 0) return false;
      outside &= ~Bit(loop);
    }
    return (outside & (outside - 1)) == 0;
  });
}

/// True if the innermost loop of the sum is one of taps.
bool DependsOnInnermost(const Computation& computation, const Step& sum,
                        const std::vector<int>& conditions) {
  const std::vector<LoopSet> free = FreeLoops(computation);
  return std::any_of(conditions.begin(), conditions.end(), [&](int condition) {
    return !sum.loops.empty() &&
           (free[static_cast<size_t>(condition)] & Bit(sum.loops.back())) != 0;
  });
}

}  // namespace

std::optional<Pads> FindPads(const Computation& computation, int sum) {
  const Step& step = StepOf(computation, sum);
  // A sum that begins at +0 never becomes -0, so that a zero leaves it as it is.
  if (step.kind != StepKind::kReduce || step.node != NodeKind::kAdd || !step.dtype.is_float() ||
      !IsPositiveZero(StepOf(computation, step.args[0])))
    return std::nullopt;
  const Step& product = StepOf(computation, step.args[1]);
  if (product.kind != StepKind::kNode || product.node != NodeKind::kMul) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    if (StepOf(computation, product.args[1 - i]).kind != StepKind::kRead) continue;
    Pads pads = {product.args[i], product.args[i], {}};
    bool is_known = true;
    while (is_known && IsChoice(StepOf(computation, pads.element))) {
      const Step& choice = StepOf(computation, pads.element);
      is_known = IsPositiveZero(StepOf(computation, choice.args[2])) &&
                 AddComparisons(computation, choice.args[0], pads.conditions);
      pads.element = choice.args[1];
    }
    if (is_known && pads.element != pads.choice &&
        StepOf(computation, pads.element).kind == StepKind::kRead &&
        HasShortLoops(computation, step, pads.conditions) &&
        !DependsOnInnermost(computation, step, pads.conditions))
      return pads;
  }
  return std::nullopt;
}

/// The pads that blocks of a sum leave out; null for none.
const Pads* OpLoops::PadsOfSum(int sum) const {
  const auto found = pads_.find(sum);
  return found == pads_.end() || IsGiven(found->second.choice) ? nullptr : &found->second;
}

/// The loops of the sum that decide, together with the places of the block, what is a pad.
LoopSet OpLoops::UnrolledLoops(const Block& block, const Pads& pads) const {
  const LoopSet places = LoopsOfPlaces(block);
  LoopSet loops = 0;
  for (const int condition : pads.conditions) {
    if ((FreeOf(condition) & places) != 0) loops |= FreeOf(condition) & ~places;
  }
  return loops;
}

/// Says for each place of `loop` and each iteration of the loops of the sum whether an element is
/// read, for the conditions that depend on `loop`.
std::vector<bool> OpLoops::PadsOf(const Block& block, int loop, int64_t first, int64_t size) const {
  const Pads& pads = *PadsOfSum(block.sum);
  std::vector<bool> all;
  for (const int condition : pads.conditions) {
    if ((FreeOf(condition) & Bit(loop)) == 0) continue;
    std::map<int, int64_t> known;
    const std::function<void(size_t)> visit = [&](size_t at) {
      const std::vector<int>& loops = StepAt(block.sum).loops;
      if (at == loops.size()) {
        all.push_back(HoldsAt(computation_, condition, known));
        return;
      }
      const bool is_used = (FreeOf(condition) & Bit(loops[at])) != 0;
      for (int64_t i = 0; i < (is_used ? ExtentOf(loops[at]) : 1); ++i) {
        known[loops[at]] = i;
        visit(at + 1);
      }
    };
    for (int64_t place = first; place < first + size; ++place) {
      known[loop] = place;
      visit(0);
    }
  }
  return all;
}

/// Divides the iterations of a loop of places into pieces of `size`. Pieces of one part have pads
/// at the same places.
std::vector<OpLoops::Part> OpLoops::PartsOf(const Block& block, int loop, int64_t size) const {
  const int64_t extent = ExtentOf(loop);
  size = std::min(size, extent);
  std::vector<Part> parts;
  std::vector<bool> before;
  for (int64_t first = 0; first + size <= extent; first += size) {
    std::vector<bool> pads;
    if (PadsOfSum(block.sum) != nullptr) pads = PadsOf(block, loop, first, size);
    if (parts.empty() || pads != before)
      parts.push_back({first, size, 1});
    else
      ++parts.back().count;
    before = std::move(pads);
  }
  if (const int64_t rest = extent % size; rest > 0) parts.push_back({extent - rest, rest, 1});
  return parts;
}

/// The places of the block that read pads, if the sum's unrolled loops are at `known`.
uint64_t OpLoops::PadsAt(const Block& block, const Pads& pads,
                         const std::map<int, int64_t>& known) const {
  const int64_t width = block.places / block.rows;
  uint64_t all = 0;
  for (int64_t place = 0; place < block.places; ++place) {
    std::map<int, int64_t> at = known;
    LoopSet places = 0;
    const auto open = [&](int loop, int64_t number) {
      if (loop < 0) return;
      at[loop] = number;
      places |= Bit(loop);
    };
    open(block.jam, block.first_place + place % width);
    open(block.jam_rows, block.first_row + place / width);
    const bool is_element =
        std::all_of(pads.conditions.begin(), pads.conditions.end(), [&](int condition) {
          return (FreeOf(condition) & places) == 0 || HoldsAt(computation_, condition, at);
        });
    if (!is_element) all |= uint64_t{1} << place;
  }
  return all;
}

/// The loops of the block's sum from `at` on. Iterations and places of pads are left out.
const Stmt* OpLoops::AddWithoutPads(const Block& block, const Pads& pads, size_t at,
                                    std::map<int, int64_t>& known) {
  const Step& sum = StepAt(block.sum);
  const auto elements = [&] {
    Block now = block;
    now.pads = PadsAt(block, pads, known);
    return now;
  };
  if (at == sum.loops.size()) {
    const Block now = elements();
    const bool has_none = now.pads == (uint64_t{1} << now.places) - 1;
    return has_none ? builder_.NoOp() : AddToBlock(now, 1, nullptr);
  }
  const int loop = sum.loops[at];
  const LoopSet decides = UnrolledLoops(block, pads);
  const auto inside = [&](const Expr*) {
    return WhereElements(block, pads, loop,
                         [&] { return AddWithoutPads(block, pads, at + 1, known); });
  };
  if ((decides & Bit(loop)) != 0) {
    Statements all;
    for (int64_t i = 0; i < ExtentOf(loop); ++i) {
      known[loop] = i;
      all.push_back(OneLoop(loop, builder_.Int(index_dtype_, i), 1, inside));
    }
    known.erase(loop);
    return builder_.Seq(Span<const Stmt*>(all));
  }
  if (at + 1 == sum.loops.size() && IsLoadedAhead(sum)) return AddInLoop(elements(), loop);
  const Stmt* stmt = OneLoop(loop, nullptr, ExtentOf(loop), inside);
  if (known.empty()) return stmt;
  // Other taps read some of the same elements. A compiler that sees several taps in one block of
  // code would keep the copies of these elements in registers, of which there are not enough.
  return WithoutUnrolling(stmt);
}

const Stmt* OpLoops::WithoutUnrolling(const Stmt* stmt) {
  const auto* loop = dyn_cast<For>(stmt);
  if (loop == nullptr) return stmt;
  For copy = *loop;
  copy.annotations = builder_.With(copy.annotations, attr_key::kDisableUnroll,
                                   builder_.ExprValue(builder_.Bool(true)));
  return builder_.arena().New<For>(copy);
}

/// Tests the conditions that the places of the block do not change, and for which `loop` is the
/// innermost loop of the sum; -1 stands for no loop of the sum.
const Stmt* OpLoops::WhereElements(const Block& block, const Pads& pads, int loop,
                                   const Leaf& body) {
  const Expr* all = nullptr;
  for (const int condition : pads.conditions) {
    const LoopSet free = FreeOf(condition);
    if ((free & LoopsInside(block)) != 0) continue;
    int innermost = -1;
    for (const int of_sum : StepAt(block.sum).loops) {
      if ((free & Bit(of_sum)) != 0) innermost = of_sum;
    }
    if (innermost != loop) continue;
    const Expr* holds = Value(condition);
    all = all == nullptr ? holds : builder_.New<And>({}, all, holds);
  }
  const Stmt* stmt = body();
  return all == nullptr ? stmt : builder_.New<IfThenElse>({}, all, stmt, nullptr);
}

}  // namespace tenon
