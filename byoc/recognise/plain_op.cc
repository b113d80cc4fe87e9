// Operators without reductions. A value that is moved and not computed is a layout, a concatenation
// or a take. Everything else is elementwise.

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "analysis/contraction.h"
#include "byoc/recognise/recognise.h"

namespace tenon {

namespace {

/// A value that is moved, and not computed: reads and constants, selected by conditions on the
/// position.
struct Moves {
  bool plain = true;
  /// True if elements of one operand are the indices of the moved elements of another one.
  bool by_operand = false;
  absl::flat_hash_set<int> seen;
  absl::flat_hash_set<int> operands;
};

bool ReadsOperand(const Computation& all, int id) {
  const std::vector<bool> below = StepsBelow(all, id);
  for (size_t i = 0; i < below.size(); ++i) {
    if (below[i] && IsRead(all.steps[i].kind)) return true;
  }
  return false;
}

void Follow(const Computation& all, int id, Moves& moves) {
  if (!moves.plain || !moves.seen.insert(id).second) return;
  const Step& step = all.steps[static_cast<size_t>(id)];
  if (step.kind == StepKind::kInteger || step.kind == StepKind::kReal) return;
  if (IsRead(step.kind)) {
    if (step.kind == StepKind::kGather && ReadsOperand(all, step.args[0])) moves.by_operand = true;
    moves.operands.insert(all.accesses[static_cast<size_t>(step.access)].operand);
    return;
  }
  if (step.kind != StepKind::kNode || step.node != NodeKind::kSelect) {
    moves.plain = false;
    return;
  }
  if (ReadsOperand(all, step.args[0])) moves.plain = false;
  Follow(all, step.args[1], moves);
  Follow(all, step.args[2], moves);
}

}  // namespace

std::optional<OpInfo> RecognisePlain(const Computation& all) {
  if (!Reductions(all).empty()) return std::nullopt;
  Moves moves;
  for (const ComputationStore& store : all.stores) Follow(all, store.step, moves);
  std::string kind = "elementwise";
  if (moves.plain && !moves.operands.empty()) {
    kind = moves.by_operand ? "take" : moves.operands.size() > 1 ? "concatenate" : "layout";
  }
  OpInfo info = ClaimOf(std::move(kind), all);
  std::vector<int> loops;
  for (size_t i = 0; i < all.loops.size(); ++i) loops.push_back(static_cast<int>(i));
  NameAxis(info.computation, "i", loops);
  return info;
}

}  // namespace tenon
