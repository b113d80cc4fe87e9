#ifndef TENON_IR_EMITTED_NAMES_H_
#define TENON_IR_EMITTED_NAMES_H_

#include <string>
#include <string_view>

#include "ir/module.h"

// Names in generated code. They are C identifiers for every back end, because a header declares
// them.

namespace tenon {

/// Keeps letters, digits and `_`. Other characters become `_`, and a leading digit gets a `_`
/// before it.
std::string SanitizeName(std::string_view name);

/// The prefix of all names of a module: `tvmgen_<module_name>`.
std::string EmittedPrefix(std::string_view module_name);

/// As above. Without a module name, the prefix is the entry's global symbol without
/// `___tvm_main__`, or `tvmgen_default` for entries with other symbols.
std::string EmittedPrefix(const IRModule& module, std::string_view module_name);

}  // namespace tenon

#endif  // TENON_IR_EMITTED_NAMES_H_
