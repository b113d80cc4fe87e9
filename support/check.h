#ifndef TENON_SUPPORT_CHECK_H_
#define TENON_SUPPORT_CHECK_H_

// Checks of internal invariants: a failed check prints its place and aborts. Never use them for
// errors that a user's input can cause: these are diagnostics (support/diagnostics.h).

namespace tenon {

/// Prints `file:line: check failed: text` to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* text);

}  // namespace tenon

#define TENON_CHECK(condition)                  \
  (__builtin_expect(!!(condition), 1) ? (void)0 \
                                      : ::tenon::CheckFailed(__FILE__, __LINE__, #condition))

#ifdef NDEBUG
#define TENON_DCHECK(condition) ((void)sizeof(condition))
#else
#define TENON_DCHECK(condition) TENON_CHECK(condition)
#endif

#define TENON_UNREACHABLE() ::tenon::CheckFailed(__FILE__, __LINE__, "unreachable")

#endif  // TENON_SUPPORT_CHECK_H_
