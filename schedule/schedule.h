#ifndef TENON_SCHEDULE_SCHEDULE_H_
#define TENON_SCHEDULE_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/computation.h"
#include "ir/storage_defaults.h"
#include "schedule/instructions.h"

// How one store of a computation runs: the order of its loops, which iterations run together, and
// what else the loops do for the machine. A computation says what is computed, and a schedule says
// in which order. docs/reference/schedules.md explains both.

namespace tenon {

/// The form that the iterations of a band get.
enum class Role : uint8_t {
  kSerial,    ///< a loop
  kParallel,  ///< a loop whose iterations may run on threads
  kUnrolled,  ///< statements, one after the other
  kLanes,     ///< lanes of vectors
};

/// The loop over all steps of a sum whose elements are copied, so that they are neighbours:
/// `packed` in the text of a schedule.
inline constexpr int kPackedSteps = -1;

/// True for roles whose bands are loops.
inline bool IsLoop(Role role) { return role == Role::kSerial || role == Role::kParallel; }

/// Iterations of one loop of a computation. A band that is a loop takes `size` neighbouring
/// iterations at once, and a band inside of it, of another role, has these `size` iterations. The
/// last piece of a loop is smaller if `size` does not divide the extent.
struct Band {
  /// kPackedSteps: no loop of the computation.
  int loop = 0;
  int64_t size = 1;
  Role role = Role::kSerial;

  bool operator==(const Band&) const = default;
};

/// Shared lanes that are loaded ahead are loaded this many steps before their use.
inline constexpr int64_t kStepsAhead = 2;
/// The most bytes of an array of sums or shared lanes: a larger one is not on the stack.
inline constexpr int64_t kMostArrayBytes = kStackLimit - 1;

/// The schedule of one store, whose value contains one sum of products.
struct Schedule {
  /// The outermost first. Loops of the store come first, then those of the sum, then the unrolled
  /// bands, then the lanes. The first band may be parallel.
  std::vector<Band> bands;
  Combine combine = Combine::kNothing;
  /// Shared lanes are loaded kStepsAhead steps before their use.
  bool loads_ahead = false;
  /// Products of pads are left out (schedule/pads.h).
  bool skips_pads = false;
  /// Elements of a constant that no cache holds are loaded before their use.
  bool prefetches = false;
  /// The values that are computed from sums of one place are stored in a loop that becomes vectors;
  /// or in a loop so that there is one copy of the code.
  bool finishes_in_lanes = false;
  bool finishes_in_loop = false;

  bool operator==(const Schedule&) const = default;
};

/// The steps of a sum's innermost loop that are added together, if the loop has as many.
int64_t StepsTogether(const Schedule& schedule);

/// The text of a schedule, with the names of the computation's loops:
///
///   parallel h/2, w/7 co/32 kh kw ci, unroll h w, lanes co, ahead
///
/// `w/7`: seven iterations of `w` at a time. The word of the instruction follows the bands, and
/// then `ahead`, `skip pads`, `prefetch`, `finish in lanes` and `finish in a loop`.
std::string ScheduleText(const Schedule& schedule, const Computation& computation);

/// Reads ScheduleText. Nullopt with `because` set if the text is not a schedule of the computation.
std::optional<Schedule> ParseSchedule(std::string_view text, const Computation& computation,
                                      std::string& because);

/// True if a schedule has these bands; otherwise `because` says which ones it lacks.
bool HasBands(const Schedule& schedule, const std::vector<Band>& bands,
              const Computation& computation, std::string& because);

/// A schedule in the form in which loops are written: which loop has which part.
struct BlockShape {
  /// The sum whose values are computed together.
  int sum = -1;
  /// The loop of neighbouring lanes. Without `tile`, the lanes are iterations of this loop. With
  /// `tile`, they are all its iterations, for some iterations of `tile`.
  int row = -1;
  int tile = -1;
  /// The loop of places that are computed together, and the loop around it whose iterations have
  /// `places / rows` places each; -1: none.
  int jam = -1;
  int jam_rows = -1;
  /// True if the lanes are statements, one after the other. Then their elements may lie anywhere.
  bool is_scalar = false;
  int64_t lanes = 1;
  int64_t places = 1;
  int64_t rows = 1;
  /// Steps of the sum's innermost loop that are added together.
  int64_t steps = 1;
  /// True if the loop over blocks of lanes is outside of all others.
  bool streams = false;
  /// True if the outermost loop is parallel.
  bool is_parallel = false;
};

/// The bands of a shape, for a store with the loops `stored`.
std::vector<Band> BandsOf(const BlockShape& shape, const Computation& computation,
                          const std::vector<int>& stored);

/// The shape of a schedule whose sum is the step `sum`. Nullopt with `because` set if loops cannot
/// be written in this order: a band is missing, doubled, or in the wrong place.
std::optional<BlockShape> ShapeOf(const Schedule& schedule, const Computation& computation,
                                  const std::vector<int>& stored, int sum, std::string& because);

}  // namespace tenon

#endif  // TENON_SCHEDULE_SCHEDULE_H_
