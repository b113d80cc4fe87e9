#ifndef TENON_SUPPORT_STATUS_MACROS_H_
#define TENON_SUPPORT_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

/// Returns the status of `expression` from the enclosing function unless it is OK.
#define TENON_TRY(expression)                                                              \
  do {                                                                                     \
    if (absl::Status tenon_status = (expression); !tenon_status.ok()) return tenon_status; \
  } while (false)

#define TENON_STATUS_CONCAT_INNER(a, b) a##b
#define TENON_STATUS_CONCAT(a, b) TENON_STATUS_CONCAT_INNER(a, b)

/// `TENON_ASSIGN_OR(int x, F());` binds the value of a StatusOr, or returns its error status.
#define TENON_ASSIGN_OR(declaration, expression) \
  TENON_ASSIGN_OR_IMPL(TENON_STATUS_CONCAT(tenon_statusor_, __LINE__), declaration, expression)
#define TENON_ASSIGN_OR_IMPL(temporary, declaration, expression) \
  auto temporary = (expression);                                 \
  if (!temporary.ok()) return std::move(temporary).status();     \
  declaration = *std::move(temporary)

#endif  // TENON_SUPPORT_STATUS_MACROS_H_
