#ifndef TENON_PLANNER_METHODS_H_
#define TENON_PLANNER_METHODS_H_

#include <string_view>

namespace tenon::planner {

// The steps of `optimal` that find sizes of pools, as PoolPlan::found_by names them
// (docs/planning.md says what each does).
inline constexpr std::string_view kSideBySide = "side by side";
inline constexpr std::string_view kCore = "core";
inline constexpr std::string_view kHoles = "holes";
inline constexpr std::string_view kTracks = "tracks";
inline constexpr std::string_view kStacks = "stacks";
inline constexpr std::string_view kFalling = "falling";
inline constexpr std::string_view kExactSearch = "exact search";
inline constexpr std::string_view kEjectionSearch = "ejection search";

/// PoolPlan::found_by can have this value: it names an algorithm or a step of `optimal`.
bool IsMethod(std::string_view name);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_METHODS_H_
