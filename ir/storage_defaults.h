#ifndef TENON_IR_STORAGE_DEFAULTS_H_
#define TENON_IR_STORAGE_DEFAULTS_H_

#include <cstdint>

namespace tenon {

/// Bytes to which workspace buffers and constants are aligned unless an option says otherwise.
/// The default of TVM's AOT executor.
inline constexpr int64_t kDefaultAlignment = 16;

/// An unplanned allocation of fewer bytes may stand on the stack. TVM's limit.
inline constexpr int64_t kStackLimit = 1024;

}  // namespace tenon

#endif  // TENON_IR_STORAGE_DEFAULTS_H_
