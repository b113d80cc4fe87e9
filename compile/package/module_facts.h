#ifndef TENON_COMPILE_PACKAGE_MODULE_FACTS_H_
#define TENON_COMPILE_PACKAGE_MODULE_FACTS_H_

#include <optional>
#include <string>

#include "compile/package/package.h"
#include "ir/module.h"
#include "support/diagnostics.h"

// The facts about its module in the manifest of a package.

namespace tenon {

/// Sets the inputs, the outputs, and the generators with their functions. Generators get no
/// versions, which are not in the text. False after an error.
bool AddModuleFacts(const IRModule& module, Package& package, Diagnostics& diagnostics);

/// The text of a package as a module. It may name files of the package, and no others. `path` is
/// the path of the package. Nullopt after an error, also if the manifest says something else about
/// the module: the error names the first difference.
std::optional<IRModule> ReadPackageModule(const Package& package, const std::string& path,
                                          Context& context, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_COMPILE_PACKAGE_MODULE_FACTS_H_
