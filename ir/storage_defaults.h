#ifndef TENON_IR_STORAGE_DEFAULTS_H_
#define TENON_IR_STORAGE_DEFAULTS_H_

#include <cstdint>

namespace tenon {

/// The default alignment of workspace buffers and constants, in bytes. This is the default of TVM's
/// AOT executor.
inline constexpr int64_t kDefaultAlignment = 16;

/// Unplanned allocations smaller than this many bytes may be on the stack. TVM has the same limit.
inline constexpr int64_t kStackLimit = 1024;

}  // namespace tenon

#endif  // TENON_IR_STORAGE_DEFAULTS_H_
