#ifndef TENON_TOOLS_PACKAGE_COMMAND_H_
#define TENON_TOOLS_PACKAGE_COMMAND_H_

#include <functional>
#include <optional>
#include <string>

#include "compile/package/package.h"
#include "ir/module.h"
#include "support/diagnostics.h"
#include "tools/module_input.h"
#include "tools/stderr_style.h"

namespace tenon {

/// The arguments of `tenon package`.
struct PackageCommand {
  /// `list`, `verify` or `extract`.
  std::string action;
  std::string path;
  /// list: a file for the manifest; nothing: print it for people.
  std::optional<std::string> json;
  /// verify: only the bytes, not this machine.
  bool bytes_only = false;
  /// extract: a new or empty folder.
  std::string output;
  StderrStyle style;
};

/// The exit code: 0, or 1 after errors.
int RunPackageCommand(const PackageCommand& command);

/// Whether a path is that of a package, as its first bytes say, or a folder with a manifest.
bool IsPackagePath(const std::string& path);

/// Reads the package `input.path`, checks all its bytes and, if `needs_machine`, this machine.
/// Gives it and the module of its text to `body`, and prints all diagnostics to stderr. Returns the
/// exit code: that of `body`, or 1 after errors.
int WithPackage(const ModuleInput& input, bool needs_machine,
                const std::function<int(const Package&, const IRModule&, Diagnostics&)>& body);

}  // namespace tenon

#endif  // TENON_TOOLS_PACKAGE_COMMAND_H_
