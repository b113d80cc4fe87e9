#ifndef TENON_SCHEDULE_PADS_H_
#define TENON_SCHEDULE_PADS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/computation.h"
#include "schedule/step_facts.h"

namespace tenon {

/// The factor of a product that is 0 for some places of a sum's loops, as for a padded input.
struct Pads {
  /// The step that chooses between an element and 0, and the step that reads the element.
  int choice = -1;
  int element = -1;
  /// The comparisons that hold for an element.
  std::vector<int> conditions;
};

/// The pads of a sum of floats that a block of vectors can leave out: adding a pad's product with a
/// finite number does not change the sum. Nullopt if it has none, or if it reads a value that is
/// computed from the element.
std::optional<Pads> FindPads(const Computation& computation, int sum);

/// The loops of the sum that decide, together with the loops `places`, what is a pad.
LoopSet DecidingLoops(const StepFacts& facts, const Pads& pads, LoopSet places);

/// Whether a condition of pads holds, with its loops at `known`.
bool HoldsAt(const Computation& computation, int condition, const std::map<int, int64_t>& known);

}  // namespace tenon

#endif  // TENON_SCHEDULE_PADS_H_
