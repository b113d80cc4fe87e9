#ifndef TENON_SCHEDULE_PADS_H_
#define TENON_SCHEDULE_PADS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/computation.h"
#include "schedule/step_facts.h"

namespace tenon {

/// A part of a sum's value that is 0 in some iterations of the sum's loops, as for a padded input:
/// a factor of a product, or the whole value.
struct Pads {
  /// The step that selects an element or 0, and the step of the element, which is a read if it is a
  /// factor.
  int choice = -1;
  int element = -1;
  /// The comparisons that are true for an element.
  std::vector<int> conditions;
};

/// The padding of a sum that a block of vectors can omit, because adding it does not change the
/// sum. The product of padding and a number is 0 only if the number is finite, which the caller
/// must know. Nullopt if the sum has no padding, or if it reads a value that is computed from the
/// element.
std::optional<Pads> FindPads(const Computation& computation, int sum);

/// Allows lanes to omit the padding of all sums that a step needs.
void LeaveOutPads(const Computation& computation, int step, StepFacts& facts);

/// True if a loop determines what is padding.
bool DependOn(const Computation& computation, const Pads& pads, int loop);

/// The loops of the sum that determine, together with the loops `places`, what is padding.
LoopSet DecidingLoops(const StepFacts& facts, const Pads& pads, LoopSet places);

/// Whether a condition of the padding is true, with its loops at `known`.
bool HoldsAt(const Computation& computation, int condition, const std::map<int, int64_t>& known);

}  // namespace tenon

#endif  // TENON_SCHEDULE_PADS_H_
