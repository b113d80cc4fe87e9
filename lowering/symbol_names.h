#ifndef TENON_LOWERING_SYMBOL_NAMES_H_
#define TENON_LOWERING_SYMBOL_NAMES_H_

#include <span>
#include <string>
#include <string_view>

// Names in generated code, which are those of C whatever makes it: a header has to declare them.

namespace tenon {

/// Letters, digits and `_`; anything else becomes `_`, and a digit gets one in front.
std::string SanitizeName(std::string_view name);

/// The beginning of all names of a module that is called so: `tvmgen_<module_name>`.
std::string EmittedPrefix(std::string_view module_name);

/// What generated code calls its own functions and data, without the prefix: `_run`, `_is_loaded`.
std::span<const std::string_view> OwnSuffixes();

/// Why code whose interface begins with `prefix` cannot call a function of its surroundings by that
/// name: it is not an identifier of C, or the code has that name for itself. Empty when it can.
std::string ExternNameError(std::string_view prefix, std::string_view name);

}  // namespace tenon

#endif  // TENON_LOWERING_SYMBOL_NAMES_H_
