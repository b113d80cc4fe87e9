#ifndef TENON_TESTS_RANDOM_WAYS_H_
#define TENON_TESTS_RANDOM_WAYS_H_

#include <array>

#include "compile/options.h"
#include "random/generator.h"

namespace tenon::random_ir {

/// The options of a seed's module: half of the seeds are operators.
inline ModuleOptions ModuleOf(uint64_t seed) {
  Dice dice(seed ^ 0x0b5);
  ModuleOptions options;
  options.operators = dice.Percent(50);
  return options;
}

/// The fusion passes for a seed: all of them, or some.
inline void AddFusion(uint64_t seed, CompileOptions& options) {
  static constexpr std::array<const char*, 4> kOverlaps = {"off", "in-place", "on", "on"};
  Dice dice(seed ^ 0xf05e);
  options.fuse = dice.Percent(80) ? "on" : "off";
  options.narrow = dice.Percent(80) ? "on" : "off";
  options.overlap = planner::IsTvmAlgorithm(options.planner) ? "off" : dice.Pick(kOverlaps);
}

}  // namespace tenon::random_ir

#endif  // TENON_TESTS_RANDOM_WAYS_H_
