#ifndef TENON_TOOLS_EXCEPTIONS_H_
#define TENON_TOOLS_EXCEPTIONS_H_

#include <string_view>

namespace tenon {

/// Writes `text` to a file descriptor without memory, locks and formatting, as signal handlers
/// must. False after an error.
bool WriteInHandler(int file, std::string_view text);

/// Writes `text` to stderr without memory, locks and formatting, as signal handlers must.
void WriteToStderr(std::string_view text);

/// From now on, an uncaught exception ends the process with an error message and exit code 1, on
/// any thread. The message begins with `program`. Allocations that fail are `out of memory`. Only
/// for main(): a library must not change the handlers of its process.
///
/// SIGBUS also ends it with an error message: a mapped file became shorter, or its disk cannot be
/// read. A temporary file that was being written stays, as after any signal.
void EndOnExceptions(const char* program);

}  // namespace tenon

#endif  // TENON_TOOLS_EXCEPTIONS_H_
