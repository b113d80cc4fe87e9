#ifndef TENON_TOOLS_EXCEPTIONS_H_
#define TENON_TOOLS_EXCEPTIONS_H_

#include <string_view>

namespace tenon {

/// Writes `text` to stderr without memory, locks and formatting, as handlers of signals must.
void WriteToStderr(std::string_view text);

/// From now on, an exception that nobody catches ends the process with an error message and exit
/// code 1, on any thread. `program` is the name that the message begins with. Allocations that fail
/// are `out of memory`. For mains alone: a library leaves the handlers of its process as they are.
void EndOnExceptions(const char* program);

}  // namespace tenon

#endif  // TENON_TOOLS_EXCEPTIONS_H_
