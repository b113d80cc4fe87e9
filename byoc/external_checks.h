#ifndef TENON_BYOC_EXTERNAL_CHECKS_H_
#define TENON_BYOC_EXTERNAL_CHECKS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lowering/emitted_file.h"

namespace tenon {

/// Init functions that check whether a machine and its libraries support the features that
/// generated code needs.
struct ExternalChecks {
  /// `int32_t symbol(void* state, int64_t bytes)`, one for each check. It returns 0, or 1
  /// (TENON_EXTERNAL_UNAVAILABLE) if the check fails.
  std::vector<std::string> symbols;
  /// The C source of these functions, and the header that it includes.
  std::vector<EmittedFile> files;
};

/// C for the checks of one generator (GeneratedCode::checks). Names of functions and of the file
/// begin with `prefix`. Nullopt for an unknown check; `problem` then contains the error.
std::optional<ExternalChecks> MakeExternalChecks(std::span<const std::string> checks,
                                                 std::string_view prefix, std::string& problem);

}  // namespace tenon

#endif  // TENON_BYOC_EXTERNAL_CHECKS_H_
