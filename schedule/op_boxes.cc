// The boxes of OpLoops: a select between two values, one of which applies in a box of the loops, as
// for a padded input. The parts become runs of neighbouring elements without conditions.

#include <algorithm>

#include "arith/index_math.h"
#include "ir/const_fold.h"
#include "schedule/op_loops.h"

namespace tenon {

/// The value of a step if `loop` is at `place`; nullopt if it depends on anything else.
std::optional<int64_t> OpLoops::NumberAt(int at, int loop, int64_t place) const {
  const Step& step = StepAt(at);
  if (step.kind == StepKind::kInteger) return step.integer;
  if (step.kind != StepKind::kIndex || step.linear.divisor != 1 || step.dtype.bits() < 32)
    return std::nullopt;
  int64_t number = step.linear.offset;
  for (const auto& [term, stride] : step.linear.terms) {
    if (term != loop) return std::nullopt;
    number += stride * place;
  }
  return number;
}

/// Makes the box smaller by a condition: comparisons of one loop each, joined by `and`. False for
/// other conditions.
bool OpLoops::NarrowBox(int condition, std::vector<BoxSide>& box) const {
  const Step& step = StepAt(condition);
  if (step.kind == StepKind::kNode && step.node == NodeKind::kAnd)
    return NarrowBox(step.args[0], box) && NarrowBox(step.args[1], box);
  if (!IsOrder(step)) return false;
  const auto depends = [&](const BoxSide& side) {
    return (FreeOf(condition) & Bit(side.loop)) != 0;
  };
  const auto side = std::find_if(box.begin(), box.end(), depends);
  if (side == box.end()) return false;
  const auto holds = [&](int64_t place) -> std::optional<bool> {
    const std::optional<int64_t> a = NumberAt(step.args[0], side->loop, place);
    const std::optional<int64_t> b = NumberAt(step.args[1], side->loop, place);
    if (!a || !b) return std::nullopt;
    return Holds(step.node, *a, *b);
  };
  if (!holds(side->first)) return false;
  if (side->first == side->end) return true;
  // Both numbers are linear, so the condition changes at most once.
  const bool at_first = *holds(side->first);
  const bool at_last = *holds(side->end - 1);
  int64_t same = side->first;
  for (int64_t other = side->end; other - same > 1;) {
    const int64_t middle = same + (other - same) / 2;
    (*holds(middle) == at_first ? same : other) = middle;
  }
  if (at_first && !at_last) side->end = same + 1;
  if (!at_first) side->first = at_last ? same + 1 : side->end;
  return true;
}

/// Stores a select that has one value in a box of the loops. Null for other values.
const Stmt* OpLoops::BoxStore(const Buffer* buffer, const LinearIndex& element, int step,
                              const std::vector<int>& loops) {
  const Step& choice = StepAt(step);
  if (loops.empty() || IsGiven(step) || !IsChoice(choice) || facts_.HasSum(step) ||
      element.divisor != 1 || element.stride(loops.back()) != 1)
    return nullptr;
  BoxTarget target = {buffer, element, choice.args[1], choice.args[2], {}};
  if (!facts_.IsLaneValue(target.inside, loops.back()) ||
      !facts_.IsLaneValue(target.outside, loops.back()))
    return nullptr;
  for (const int loop : loops)
    target.box.push_back({loop, 0, computation_.loops[static_cast<size_t>(loop)].extent});
  if (!NarrowBox(choice.args[0], target.box)) return nullptr;
  return BoxLevel(target, 0, true);
}

/// The loops beginning with number `at`. `is_inside`: the iterations of the loops around are in the
/// box.
const Stmt* OpLoops::BoxLevel(const BoxTarget& target, size_t at, bool is_inside) {
  const BoxSide& side = target.box[at];
  const int64_t extent = computation_.loops[static_cast<size_t>(side.loop)].extent;
  if (!is_inside) return BoxPart(target, at, {side.loop, 0, extent}, false);
  Statements parts;
  const auto add = [&](int64_t first, int64_t end, bool inside) {
    if (first < end) parts.push_back(BoxPart(target, at, {side.loop, first, end}, inside));
  };
  add(0, side.first, false);
  add(side.first, side.end, true);
  add(side.end, extent, false);
  return builder_.Seq(Span<const Stmt*>(parts));
}

/// The iterations in `part`, with the loops beginning with number `at + 1`.
const Stmt* OpLoops::BoxPart(const BoxTarget& target, size_t at, const BoxSide& part,
                             bool is_inside) {
  const int arm = is_inside ? target.inside : target.outside;
  const int64_t places = part.end - part.first;
  int64_t elements = places;
  bool is_run = true;
  for (size_t i = at + 1; i < target.box.size(); ++i) {
    const BoxSide& side = target.box[i];
    const int64_t extent = computation_.loops[static_cast<size_t>(side.loop)].extent;
    const bool is_whole = !is_inside || (side.first == 0 && side.end == extent);
    is_run &= is_whole && AreOneRun(target.element, arm, target.box[i - 1].loop, side.loop);
    elements *= extent;
  }
  const Expr* first = builder_.Int(index_dtype_, part.first);
  if (is_run) return Run(target, arm, at, first, elements);
  return OneLoop(part.loop, part.first == 0 ? nullptr : first, places,
                 [&](const Expr*) { return BoxLevel(target, at + 1, is_inside); });
}

/// True if running `inner` again in each iteration of `outer` continues along memory, for all loads
/// of a value.
bool OpLoops::AreOneRun(const LinearIndex& element, int value, int outer, int inner) const {
  const int64_t extent = computation_.loops[static_cast<size_t>(inner)].extent;
  const auto is_one = [&](const LinearIndex& index) {
    return index.divisor == 1 && index.stride(outer) == index.stride(inner) * extent;
  };
  if (!is_one(element)) return false;
  std::vector<int> work = {value};
  while (!work.empty()) {
    const int part = work.back();
    const Step& step = StepAt(part);
    const auto at = static_cast<size_t>(part);
    work.pop_back();
    if (given_[at] != nullptr || (FreeOf(part) & (Bit(outer) | Bit(inner))) == 0) continue;
    if (replaced_[at].buffer != nullptr || step.kind != StepKind::kRead) {
      if (replaced_[at].buffer != nullptr || step.kind != StepKind::kNode) return false;
      work.insert(work.end(), step.args.begin(), step.args.end());
      continue;
    }
    if (!is_one(computation_.accesses[static_cast<size_t>(step.access)].element)) return false;
  }
  return true;
}

/// Stores `elements` neighbouring values, beginning with iteration `first` of loop `at`.
const Stmt* OpLoops::Run(const BoxTarget& target, int value, size_t at, const Expr* first,
                         int64_t elements) {
  if (at + 1 < target.box.size()) {
    return AtPlace(target.box[at].loop, first, builder_.Int(index_dtype_, 0), [&] {
      return Run(target, value, at + 1, builder_.Int(index_dtype_, 0), elements);
    });
  }
  const int row = target.box[at].loop;
  const IndexMath math(builder_, {});
  return PiecesOf(elements, MostLanes(options_.register_bytes), "run",
                  [&](const Expr* start, int64_t size) {
                    Statements pieces;
                    const bool overlap = IsResult(target.buffer) && !Reads(value, target.buffer);
                    for (const LanePiece& piece : LanePiecesOf(size, overlap)) {
                      const Expr* place = math.Add(first, builder_.Int(index_dtype_, piece.lane));
                      pieces.push_back(AtPlace(row, start, place, [&] {
                        lane_values_.clear();
                        return AssignLanes(target.buffer, Index(target.element),
                                           LaneValue(value, row, piece.size));
                      }));
                    }
                    return builder_.Seq(Span<const Stmt*>(pieces));
                  });
}

}  // namespace tenon
