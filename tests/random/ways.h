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
  static constexpr std::array kOverlaps = {Overlap::kOff, Overlap::kInPlace, Overlap::kOn,
                                           Overlap::kOn};
  Dice dice(seed ^ 0xf05e);
  options.fuse = dice.Percent(80) ? Switch::kOn : Switch::kOff;
  options.narrow = dice.Percent(80) ? Switch::kOn : Switch::kOff;
  options.overlap = planner::IsTvmAlgorithm(options.planner) ? Overlap::kOff : dice.Pick(kOverlaps);
}

}  // namespace tenon::random_ir

#endif  // TENON_TESTS_RANDOM_WAYS_H_
