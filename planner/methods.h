#ifndef TENON_PLANNER_METHODS_H_
#define TENON_PLANNER_METHODS_H_

#include <string_view>

namespace tenon::planner {

// The steps of `optimal` that determine pool sizes, by their names in PoolPlan::found_by
// (docs/internals/planner.md describes each step).
inline constexpr std::string_view kSideBySide = "side by side";
inline constexpr std::string_view kCore = "core";
inline constexpr std::string_view kHoles = "holes";
inline constexpr std::string_view kTracks = "tracks";
inline constexpr std::string_view kStacks = "stacks";
inline constexpr std::string_view kFalling = "falling";
inline constexpr std::string_view kExactSearch = "exact search";
inline constexpr std::string_view kEjectionSearch = "ejection search";

/// True if `name` is a possible value of PoolPlan::found_by: an algorithm, a step of `optimal`, or
/// kGiven.
bool IsMethod(std::string_view name);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_METHODS_H_
