#ifndef TENON_LOWERING_SYMBOL_NAMES_H_
#define TENON_LOWERING_SYMBOL_NAMES_H_

#include <span>
#include <string>
#include <string_view>

// Names in generated code. They are C identifiers for every back end, because a header declares
// them.

namespace tenon {

/// Keeps letters, digits and `_`. Other characters become `_`, and a leading digit gets a `_`
/// before it.
std::string SanitizeName(std::string_view name);

/// The prefix of all names of a module: `tvmgen_<module_name>`.
std::string EmittedPrefix(std::string_view module_name);

/// Names of the generated code's own functions and data, without the prefix: `_run`, `_is_loaded`.
std::span<const std::string_view> OwnSuffixes();

/// An error text if code with the prefix `prefix` cannot call an extern called `name`: it is not a
/// C identifier, or the code itself uses the name. Else empty.
std::string ExternNameError(std::string_view prefix, std::string_view name);

}  // namespace tenon

#endif  // TENON_LOWERING_SYMBOL_NAMES_H_
