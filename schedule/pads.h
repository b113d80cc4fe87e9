#ifndef TENON_SCHEDULE_PADS_H_
#define TENON_SCHEDULE_PADS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/computation.h"
#include "schedule/step_facts.h"

namespace tenon {

/// A part of a sum's value that is 0 for some places of the sum's loops, as for a padded input: a
/// factor of a product, or the whole value.
struct Pads {
  /// The step that chooses between an element and 0, and the step of the element: a read if it is a
  /// factor.
  int choice = -1;
  int element = -1;
  /// The comparisons that hold for an element.
  std::vector<int> conditions;
};

/// The pads of a sum that a block of vectors can leave out: adding a pad does not change the sum.
/// The product of a pad and a number is 0 only if the number is finite, and the caller has to know
/// that. Nullopt if the sum has no pads, or if it reads a value that is computed from the element.
std::optional<Pads> FindPads(const Computation& computation, int sum);

/// Lets lanes leave out the pads of all sums that a step needs.
void LeaveOutPads(const Computation& computation, int step, StepFacts& facts);

/// True if a loop decides what is a pad.
bool DependOn(const Computation& computation, const Pads& pads, int loop);

/// The loops of the sum that decide, together with the loops `places`, what is a pad.
LoopSet DecidingLoops(const StepFacts& facts, const Pads& pads, LoopSet places);

/// Whether a condition of pads holds, with its loops at `known`.
bool HoldsAt(const Computation& computation, int condition, const std::map<int, int64_t>& known);

}  // namespace tenon

#endif  // TENON_SCHEDULE_PADS_H_
