// The padding of OpLoops: blocks of sums omit the products of padding. Places at a border have code
// of their own.

#include <algorithm>

#include "ir/attributes.h"
#include "schedule/op_loops.h"

namespace tenon {

/// The padding that the block omits; null for none.
const Pads* OpLoops::PadsOfBlock() const {
  return !pads_ || IsGiven(pads_->choice) ? nullptr : &*pads_;
}

/// For the conditions that depend on `loop`: whether an element is read, for each iteration of
/// `loop` and of the sum's loops.
std::vector<bool> OpLoops::PadsOf(const Block& block, int loop, int64_t first, int64_t size) const {
  const Pads& pads = *PadsOfBlock();
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

/// Divides the iterations of a loop of places into pieces of `size`. Pieces of one part have
/// padding at the same places.
std::vector<OpLoops::Part> OpLoops::PartsOf(const Block& block, int loop, int64_t size) const {
  const int64_t extent = ExtentOf(loop);
  size = std::min(size, extent);
  std::vector<Part> parts;
  std::vector<bool> before;
  for (int64_t first = 0; first + size <= extent; first += size) {
    std::vector<bool> pads;
    if (PadsOfBlock() != nullptr) pads = PadsOf(block, loop, first, size);
    if (parts.empty() || pads != before)
      parts.push_back({first, size, 1});
    else
      ++parts.back().count;
    before = std::move(pads);
  }
  if (const int64_t rest = extent % size; rest > 0) parts.push_back({extent - rest, rest, 1});
  return parts;
}

/// The places of the block that read padding, if the sum's unrolled loops are at `known`.
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

/// The loops of the block's sum, beginning with number `at`. Iterations and places of padding are
/// omitted.
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
  const LoopSet decides = DecidingLoops(facts_, pads, LoopsOfPlaces(block));
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
  if (at + 1 == sum.loops.size() && options_.schedule->loads_ahead)
    return AddInLoop(elements(), loop);
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

/// Tests the conditions that do not depend on the places of the block, and whose innermost loop of
/// the sum is `loop`; -1: they depend on no loop of the sum.
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
