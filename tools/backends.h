#ifndef TENON_TOOLS_BACKENDS_H_
#define TENON_TOOLS_BACKENDS_H_

#include <span>
#include <string_view>

#include "compile/run/engine.h"
#include "lowering/backend.h"

namespace tenon {

/// The back ends of this program. `tenon` has none that needs LLVM, so that it starts without;
/// `tenon-llvm` is the same program with all of them.
std::span<const Backend* const> Backends();

/// The engines of this program. `tenon-llvm` has all of them.
std::span<const Engine* const> Engines();

/// The back end that emits `output`, a value of CompileCommand::emit, or null.
const Backend* FindBackend(std::string_view output);
/// The engine called `name`, or null.
const Engine* FindEngine(std::string_view name);

/// Replaces this process by `tenon-llvm` with the same arguments. Searches for it next to this
/// program, which is found as the shell found it, and in PATH. Returns an exit code if it does not
/// exist or was not built.
int HandOverToLlvm(char** argv);

}  // namespace tenon

#endif  // TENON_TOOLS_BACKENDS_H_
