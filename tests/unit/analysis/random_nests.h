#ifndef TENON_TESTS_UNIT_ANALYSIS_RANDOM_NESTS_H_
#define TENON_TESTS_UNIT_ANALYSIS_RANDOM_NESTS_H_

#include "distance_judge.h"

namespace tenon {

/// A function of one or two nests with random loops, strides, offsets, reversed and divided
/// counters, guards, vectors and dtypes. The same seed gives the same text.
NestText RandomNest(uint64_t seed);

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_ANALYSIS_RANDOM_NESTS_H_
