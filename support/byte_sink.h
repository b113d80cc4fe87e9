#ifndef TENON_SUPPORT_BYTE_SINK_H_
#define TENON_SUPPORT_BYTE_SINK_H_

#include <functional>
#include <string_view>

#include "absl/status/status.h"

namespace tenon {

/// Receives pieces of a byte stream in order. An error ends the stream.
using ByteSink = std::function<absl::Status(std::string_view)>;

/// Writes bytes to a sink, for contents that are too large for memory. Returns the first error of
/// the sink, or its own error.
using ByteSource = std::function<absl::Status(const ByteSink&)>;

}  // namespace tenon

#endif  // TENON_SUPPORT_BYTE_SINK_H_
