#ifndef TENON_LOWERING_SYMBOL_NAMES_H_
#define TENON_LOWERING_SYMBOL_NAMES_H_

#include <span>
#include <string>
#include <string_view>

#include "ir/emitted_names.h"

// Names that generated code reserves for itself.

namespace tenon {

/// Names of the generated code's own functions and data, without the prefix: `_run`, `_is_loaded`.
std::span<const std::string_view> OwnSuffixes();

/// An error text if code with the prefix `prefix` cannot call an extern called `name`: it is not a
/// C identifier, or the code itself or Tenon's headers use the name. Else empty.
std::string ExternNameError(std::string_view prefix, std::string_view name);

}  // namespace tenon

#endif  // TENON_LOWERING_SYMBOL_NAMES_H_
