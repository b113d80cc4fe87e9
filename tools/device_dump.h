#ifndef TENON_TOOLS_DEVICE_DUMP_H_
#define TENON_TOOLS_DEVICE_DUMP_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/verify_command.h"

// Tensors that a device wrote during a run of code with --debug-tensors, for `tenon verify
// --device-dump`.

namespace tenon {

/// A tensor as the device had it.
struct DumpedBytes {
  /// The number of the operator that wrote it; 0 for an input.
  int64_t number = 0;
  std::string name;
  std::string bytes;
};

/// The tensors of the first run, in the order in which the device wrote them.
struct DeviceDump {
  /// The model's hash in the image; empty if the device did not say it.
  std::string model_hash;
  std::vector<DumpedBytes> tensors;
};

/// Reads the lines `tensor NUMBER NAME BYTES`, each followed by lines `data HEX`, and the line
/// `model HASH`; other lines are ignored. An error names the line.
absl::StatusOr<DeviceDump> ParseDeviceDump(std::string_view text);

/// Reads a file of these lines, or a folder with a file `NUMBER_NAME.bin` for each tensor.
absl::StatusOr<DeviceDump> ReadDeviceDump(const std::string& path);

/// Compares the tensors of `command.device_dump` with those that the interpreter computes from the
/// same inputs, and names the first operator that differs. The exit code: 0 if all agree; 1 after
/// errors, or if one differs.
int VerifyDeviceDump(const VerifyCommand& command);

}  // namespace tenon

#endif  // TENON_TOOLS_DEVICE_DUMP_H_
