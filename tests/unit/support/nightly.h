#ifndef TENON_TESTS_UNIT_SUPPORT_NIGHTLY_H_
#define TENON_TESTS_UNIT_SUPPORT_NIGHTLY_H_

#include <cstdlib>

// The amount of testing in the daily and the nightly run (docs/internals/testing.md).

namespace tenon {

/// True in `make nightly`, which sets TENON_NIGHTLY: tests run all cases instead of a sample.
inline bool IsNightly() { return std::getenv("TENON_NIGHTLY") != nullptr; }

/// The number of cases of a test: `all` in the nightly run, one `parts`-th of them in the daily
/// run.
inline int Sample(int all, int parts) { return IsNightly() ? all : all / parts; }

/// Limits of time hold for optimised programs. A program without optimisation may take this many
/// times as long.
#ifdef __OPTIMIZE__
inline constexpr double kPatience = 1;
#else
inline constexpr double kPatience = 10;
#endif

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_SUPPORT_NIGHTLY_H_
