#ifndef TENON_COMPILE_PACKAGE_CHECK_MACHINE_H_
#define TENON_COMPILE_PACKAGE_CHECK_MACHINE_H_

#include <string>

#include "compile/package/package.h"
#include "support/diagnostics.h"

namespace tenon {

/// Whether this machine can run the code of a package: its processor, the instructions that
/// external code checks, and the versions of libraries. Reports each difference as an error.
/// Nothing is loaded. `name` begins messages.
bool CheckMachine(const Package& package, const std::string& name, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_COMPILE_PACKAGE_CHECK_MACHINE_H_
