#ifndef TENON_TESTS_UNIT_SUPPORT_NIGHTLY_H_
#define TENON_TESTS_UNIT_SUPPORT_NIGHTLY_H_

#include <cstdlib>

// What a test does by day and by night (docs/testing.md).

namespace tenon {

/// True in `make nightly`, which sets TENON_NIGHTLY: every case, not a sample of them.
inline bool IsNightly() { return std::getenv("TENON_NIGHTLY") != nullptr; }

/// The number of cases that a test tries: `all` of them by night, one part of `parts` by day.
inline int Sample(int all, int parts) { return IsNightly() ? all : all / parts; }

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_SUPPORT_NIGHTLY_H_
