#include "planner/methods.h"

#include <algorithm>
#include <array>

#include "planner/planner.h"

namespace tenon::planner {

bool IsMethod(std::string_view name) {
  constexpr std::array<std::string_view, 9> kSteps = {kGiven,   kSideBySide,  kCore,
                                                      kHoles,   kTracks,      kStacks,
                                                      kFalling, kExactSearch, kEjectionSearch};
  return Traits(name) != nullptr || std::find(kSteps.begin(), kSteps.end(), name) != kSteps.end();
}

}  // namespace tenon::planner
